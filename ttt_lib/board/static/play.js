// What is played on one board: who plays, the game so far, and what can be done next.
// It needs no page; whoever shows it is told when something has changed.

ttt.play = (() => {
  "use strict";

  const { capital, fixed } = ttt.format;
  const { MARKS, other, terminal, pair, positions, find, signs, string } = ttt.game;
  const { winDrawLoss, seenBy } = ttt.policy;
  const {
    PERSON,
    entries,
    isTeacher,
    seatOf,
    nameOf,
    opening,
    keyOf,
    registry,
    shared,
    computed,
    unpackAgent,
    played
  } = ttt.agents;
  const { OVERLAYS, madeFor, notTaught } = ttt.overlays;
  const { LOADING } = ttt.messages;

  const EXPLORED = "an exploratory move";
  const OVER = "The game is over. “New game” starts another.";
  const ENDS = ["X", "draw", "O"]; // the keys of a score
  const MATCH = 100,
    SLICE = 2,
    PAUSE = 25; // games of a match, at a time, and ms between
  // The first four tell of the game, and go together.
  const TRAITS = ["_game", "history", "position", "shown", "score", "numbers", "agents"];
  const same = (one, two) => JSON.stringify(one) === JSON.stringify(two);

  // The model is what a widget has in a notebook: `get`, `set` and `save_changes` of
  // traits (`widget.py` says what each of them is); and `fetch`, which brings the packed
  // table of an agent. The view shows the board: it can `draw` it, say a sentence, and
  // show that it has to wait.
  class Play {
    /** @type {Game} */ game;
    /** @type {Entry[]} those who can play */ known;
    /** @type {Object<string, Seat>} mark → who sits there */ seats;
    /** @type {Object<string, Seat> | null} those who are still to come, null if all are there */
    wished;
    /** @type {Object<string, number>} teacher → the level it had at first */ usual;
    /** @type {string} X, O, or "lot" */ starts;
    /** @type {string} an overlay */ numbers;
    /** @type {boolean} */ arena;
    /** @type {{game: number, first: string, start: string, counted: boolean}} of the game */
    state;
    /** @type {number[]} cells */ moves;
    /** @type {number[]} all positions, the start included */ line;
    /** @type {number | null} after how many moves one looks at the game; null for the last */ at;
    /** @type {{X: number, draw: number, O: number}} */ score;
    /** @type {Traits} the traits as they were heard or sent last */ heard;

    constructor(model) {
      this.model = model;
      this.setup = model.get("_setup") ?? {};
      /** @type {{draw(): void, say(text: string): void, wait(): void}} */
      this.view = { draw() {}, say() {}, wait() {} };
      this.mixed = {}; // mark → {agent, level, policy}
      this.how = []; // of each move of an agent: {how, agent, policy}, as they were then
      this.score = { X: 0, draw: 0, O: 0 };
      this.editing = null; // the signs of a position that is being set up
    }

    // Learn who can play and how the game stands; return what made no sense, if anything.
    async load() {
      const packed = registry.packed ?? this.model.get("_tables"),
        { setup } = this;
      this.game = await (registry.game ??= shared(packed));
      const given = this.traits(),
        asked = given.agents ?? { X: setup.x ?? PERSON, O: setup.o ?? "random" };
      this.known = entries(packed.agents, setup);
      let trouble;
      this.seats = { X: this.free(PERSON), O: this.free(PERSON) };
      this.wished = {};
      this.usual = {};
      for (const mark of MARKS) {
        const seat = this.free(asked[mark]),
          instead = mark === "X" ? PERSON : "random";
        if (!seat)
          trouble = `There is no agent named “${asked[mark]}”, so ${mark} is played by ${instead}.`;
        this.wished[mark] = seat ?? this.free(instead);
        if (seat && isTeacher(seat.who)) this.usual[seat.who] = seat.level;
      }
      this.starts = setup.starts ?? "X";
      this.numbers = given.numbers ?? setup.overlay ?? "none";
      if (!Object.hasOwn(OVERLAYS, this.numbers)) {
        trouble ??= `There are no numbers named “${this.numbers}”.`;
        this.numbers = "none";
      }
      this.arena = setup.arena === true || MARKS.every((mark) => this.wished[mark].who !== PERSON);
      if (given._game && this.adopt(given)) {
        const { first, start } = this.state;
        if (/[XO]/.test(start)) this.origin = { first, start };
        this.score = { ...given.score };
      } else {
        if (given._game) trouble ??= "The stored position makes no sense, so the board is empty.";
        this.clear();
      }
      this.heard = given;
      return trouble;
    }

    // The entries of those who can be chosen.
    get offered() {
      const { choices } = this.setup;
      return this.known.filter(
        ({ name, group, aside }) =>
          ["own", "person"].includes(group) ||
          (Array.isArray(choices) ? choices.includes(name) : !aside)
      );
    }

    async start(trouble) {
      await this.sit(this.wished);
      this.view.draw();
      if (trouble) this.say(trouble);
      this.proceed();
    }

    get busy() {
      return this.wished !== null;
    }
    get asked() {
      return this.wished ?? this.seats;
    }
    free(name) {
      const seat = seatOf(this.known, name);
      return seat && { ...seat, agent: null };
    }
    entryOf({ who }) {
      return this.known.find(({ name }) => name === who);
    }
    isPerson(mark) {
      return this.seats[mark].who === PERSON;
    }
    get persons() {
      return MARKS.filter((mark) => this.isPerson(mark)).length;
    }
    label(mark) {
      if (this.isPerson(mark)) return this.persons === 2 ? mark : `you (${mark})`;
      return `${this.entryOf(this.seats[mark]).label} (${mark})`;
    }
    // The same at the beginning of a sentence.
    opening(mark) {
      return this.isPerson(mark)
        ? capital(this.label(mark))
        : `${opening(this.entryOf(this.seats[mark]))} (${mark})`;
    }
    say(text) {
      this.view.say(text);
    }

    // ---- the game so far

    get now() {
      return this.line.at(-1);
    }
    get shown() {
      return this.line[this.at ?? this.moves.length];
    }
    mover(s) {
      return this.game.toMove[s] === 1 ? this.state.first : other(this.state.first);
    }
    winner(s) {
      const won = this.game.outcome[s];
      const { first } = this.state;
      return { 1: first, "-1": other(first) }[won] ?? null;
    }
    text(s) {
      return string(this.game, signs(this.game, s, this.state.first));
    }

    // Begin a game as `state` says: its number, who moves first, where it starts, and
    // whether its end stands in the score.
    begin(state, moves = []) {
      const { s } = find(this.game, state.start, state.first);
      const line = positions(this.game, s, moves);
      const known = state.game === this.state?.game; // then what is told of its moves stays
      const fresh = known ? moves.findIndex((a, n) => a !== this.moves[n]) : 0;
      clearTimeout(this.timer);
      this.how = this.how.slice(0, fresh < 0 ? moves.length : fresh);
      this.state = state;
      this.moves = moves;
      this.line = line;
      this.at = null;
    }

    // The board before a new game: empty, or as it was given.
    clear() {
      const first = MARKS.includes(this.starts)
        ? this.starts
        : MARKS[Math.floor(Math.random() * 2)];
      const empty = { first, start: ".".repeat(this.game.cells) };
      this.begin({ game: this.nextGame, ...empty, ...this.origin, counted: false });
    }

    get nextGame() {
      return (this.state?.game ?? -1) + 1;
    }

    // ---- what is shared with Python, with links and with other views of the board

    /** @returns {Traits} */
    traits() {
      const told = TRAITS.map((name) => [name, this.model.get(name)]);
      return /** @type {any} */ (Object.fromEntries(told));
    }

    commit() {
      const { state, moves, now, at, score, numbers } = this;
      this.heard = {
        _game: { ...state },
        history: [...moves],
        position: this.text(now),
        shown: at ?? moves.length,
        score: { ...score },
        numbers,
        agents: { X: this.nameOf("X"), O: this.nameOf("O") }
      };
      this.model.set(this.heard);
      this.model.save_changes();
    }

    // Take over what was set elsewhere, once it makes sense as a whole. Python has been
    // told as well: it sends what follows, or the old values.
    async hear() {
      const given = this.traits();
      if (same(given, this.heard)) return;
      const wished = { ...this.asked };
      for (const mark of MARKS) {
        if (this.nameOf(mark) !== given.agents[mark]) wished[mark] = this.free(given.agents[mark]);
      }
      if (!MARKS.every((mark) => wished[mark]) || !Object.hasOwn(OVERLAYS, given.numbers)) return;
      const moved = TRAITS.slice(0, 4).some((name) => !same(given[name], this.heard[name]));
      if (moved && !this.adopt(given)) return;
      this.heard = given;
      this.score = { ...given.score };
      this.numbers = given.numbers;
      this.editing = null;
      if (MARKS.some((mark) => wished[mark] !== this.asked[mark])) await this.sit(wished);
      this.view.draw();
      this.proceed();
    }

    // Take over a game, if it makes sense.
    adopt({ _game, history, position, shown, score }) {
      try {
        const { s, first } = find(this.game, _game.start, _game.first);
        const end = positions(this.game, s, history).at(-1);
        const whole = ENDS.every((end) => Number.isInteger(score[end]) && score[end] >= 0);
        if (!whole || first !== _game.first) return false;
        if (position && position !== string(this.game, signs(this.game, end, first))) return false;
        this.begin({ game: 0, ..._game, counted: Boolean(_game.counted) }, [...history]);
        this.at = shown < history.length ? shown : null;
        return true;
      } catch {
        return false;
      }
    }

    // ---- moves

    press(cell) {
      if (this.editing) return this.cycle(cell);
      const s = this.now;
      if (this.at !== null)
        return this.say("You are looking back. Go to the last move to play on.");
      if (terminal(this.game, s)) return this.say(OVER);
      if (this.busy) return this.say(LOADING);
      if (!this.isPerson(this.mover(s))) {
        return this.say(
          this.persons === 0
            ? "Two agents play here: “Next move” lets them."
            : "It is not your turn."
        );
      }
      if (pair(this.game, s, cell) < 0) return this.say(`Cell ${cell} is taken.`);
      this.say("");
      this.move(cell);
      this.proceed();
    }

    move(cell, how) {
      this.how[this.moves.length] = how;
      this.line.push(this.game.successor[pair(this.game, this.now, cell)]);
      this.moves.push(cell);
      this.count(+1);
      this.said = "";
      this.commit();
      this.view.draw();
    }

    count(by) {
      // a finished game, into the score or out of it
      const s = this.now,
        { state } = this;
      if (!terminal(this.game, s) || this.moves.length === 0 || state.counted === by > 0) return;
      this.score[this.winner(s) ?? "draw"] += by;
      state.counted = by > 0;
    }

    // Whether an agent is about to answer a person.
    get answering() {
      return (
        !this.busy &&
        !this.editing &&
        this.persons === 1 &&
        !terminal(this.game, this.now) &&
        !this.isPerson(this.mover(this.now))
      );
    }

    proceed() {
      clearTimeout(this.timer);
      if (this.answering) this.timer = setTimeout(() => this.answer());
    }

    // Let the agent whose turn it is move; tell whether it did.
    answer() {
      const s = this.now,
        mark = this.mover(s);
      if (this.busy || terminal(this.game, s) || this.isPerson(mark)) return false;
      const { cell, ...how } = this.drawMove(s, mark);
      this.move(cell, how);
      return true;
    }

    // Let the next of two agents move.
    next() {
      this.say(terminal(this.game, this.now) ? OVER : "");
      this.answer();
    }

    // Draw a move from an agent's probabilities, and say of what kind it is.
    drawMove(s, mark) {
      const { first, action, policies } = this.game,
        { agent } = this.seats[mark];
      let policy = this.policy(mark);
      let left = Math.random(),
        i = first[s];
      const known = policy.slice(i, first[s + 1]).some((p) => p > 0);
      if (!known) policy = policies.random; // it was made for the other side
      while (i < first[s + 1] - 1 && left >= policy[i]) left -= policy[i++];
      let how = `chosen with probability ${fixed(policy[i])}`;
      if (!known) how = "at random, for it knows nothing of this position";
      else if (agent.name === "random") how = "at random";
      else if (agent.policy[i] === 0)
        how = EXPLORED; // it left its policy
      else if (agent.greedy) how = "a greedy move";
      return { cell: action[i], how, agent, policy };
    }

    undo() {
      if (this.editing || this.moves.length === 0) return this.say("There is nothing to undo.");
      clearTimeout(this.timer);
      this.at = null;
      this.count(-1);
      do {
        this.moves.pop();
        this.line.pop();
      } while (this.persons === 1 && this.moves.length > 0 && !this.isPerson(this.mover(this.now)));
      this.how.length = this.moves.length;
      this.commit();
      this.view.draw();
      this.say("One move back.");
      this.proceed();
    }

    newGame() {
      this.editing = null;
      this.say("");
      this.said = "";
      this.clear();
      this.refuseSides();
      this.commit();
      this.view.draw();
      this.proceed();
    }

    // Some agents were made for one side only. They move first, or second, or not at all.
    refuseSides() {
      for (const mark of MARKS) {
        const side = this.seats[mark].agent?.side ?? 0;
        const plays = this.state.first === mark ? 1 : -1;
        if (side === 0 || side === plays) continue;
        if (this.seats[other(mark)].agent?.side === side) {
          this.sit({ ...this.seats, [other(mark)]: this.free("random") }).then(() =>
            this.view.draw()
          );
        }
        this.starts = side === 1 ? mark : other(mark);
        this.clear();
        this.said = `${madeFor(this.seats[mark].agent)}, so ${this.starts} begins.`;
      }
    }

    // What is said of agents who play a side that they were not taught.
    get untaught() {
      return MARKS.map((mark) =>
        notTaught(this.seats[mark].agent ?? {}, this.state.first === mark ? 1 : -1)
      )
        .filter(Boolean)
        .map((text) => `${text}.`);
    }

    // ---- who plays

    async choose(mark, who) {
      if (who === this.asked[mark].who) return;
      const seat = this.free(who);
      await this.seated({
        ...this.asked,
        [mark]: { ...seat, level: this.usual[who] ?? seat.level }
      });
    }

    async exchange(mark) {
      // "You are": the person takes this mark
      if (this.asked[mark].who === PERSON) return;
      await this.seated({ X: this.asked.O, O: this.asked.X });
    }

    async seated(wished) {
      this.say("");
      this.noScore();
      await this.sit(wished);
      if (this.moves.length === 0 || terminal(this.game, this.now)) return this.newGame();
      this.commit();
      this.view.draw();
      this.proceed();
    }

    begins(starts) {
      this.starts = starts;
      if (this.moves.length === 0 || terminal(this.game, this.now)) this.newGame();
    }

    setLevel(mark, level) {
      this.asked[mark].level = level;
      this.reshaped();
    }

    async setFrame(mark, frame) {
      await this.sit({ ...this.asked, [mark]: { ...this.asked[mark], frame } });
      this.reshaped();
    }

    // The same players in another shape: the game goes on, with a new score.
    reshaped() {
      this.say("");
      this.noScore();
      this.commit();
      this.view.draw();
      this.proceed();
    }

    noScore() {
      // a score belongs to two players
      this.score = { X: 0, draw: 0, O: 0 };
      this.state.counted = false;
    }

    // Let those sit down who are wished for, once they are all there; until then nobody
    // moves. Who cannot come is replaced by random.
    async sit(wished) {
      this.wished = wished; // another wish may be quicker: a slider than a file
      this.view.wait();
      const come = {};
      for (const mark of MARKS) come[mark] = await this.bring(wished[mark], mark);
      if (this.wished !== wished) return;
      this.seats = come;
      this.wished = null;
    }

    async bring(seat, mark) {
      try {
        seat.agent = seat.who === PERSON ? null : await this.agent(seat);
        return seat;
      } catch (fault) {
        this.fault = `${seat.who} cannot be loaded (${fault.message}), so ${mark} moves at random.`;
        return this.bring(this.free("random"), mark);
      }
    }

    async agent(seat) {
      const entry = this.entryOf(seat),
        simple = computed(this.game, entry.name);
      if (simple) return { ...entry, ...simple };
      const key = keyOf(entry, seat.frame),
        brought = this.setup.tables?.[key];
      if (!brought && entry.group === "own") throw Error("its table is missing");
      const packed = brought ?? registry.agents[key] ?? (await this.model.fetch(key));
      return { ...entry, ...(await unpackAgent(packed, this.game)) };
    }

    nameOf(mark) {
      return nameOf(this.entryOf(this.asked[mark]), this.asked[mark]);
    }

    // The probabilities an agent plays with.
    policy(mark) {
      const { agent } = this.seats[mark],
        level = this.level(this.seats[mark]),
        known = this.mixed[mark];
      if (known?.agent === agent && known.level === level) return known.policy;
      const policy = played(this.game, agent, level);
      this.mixed[mark] = { agent, level, policy };
      return policy;
    }
    hasLevel({ who }) {
      return isTeacher(who) || (this.arena && who !== PERSON && who !== "random");
    }
    level(seat) {
      return this.hasLevel(seat) ? seat.level : 1;
    }

    // The agent whose numbers are shown in s, of two the one to move; nothing if there is
    // none.
    subject(s) {
      if (this.persons === 2) return null;
      const mover = this.mover(s),
        mark = this.seats[mover].agent ? mover : other(mover);
      const { agent } = this.seats[mark];
      return agent && { mark, agent, policy: this.policy(mark) };
    }

    // ---- looking back, setting up

    showNumbers(overlay) {
      this.numbers = overlay;
      this.commit();
      this.view.draw();
    }

    lookAt(at) {
      if (this.editing || at < 0 || at > this.moves.length) return;
      this.at = at === this.moves.length ? null : at;
      this.say("");
      this.commit();
      this.view.draw();
    }

    setUp() {
      // or leave it again
      clearTimeout(this.timer);
      this.say("");
      this.edit(this.editing ? null : signs(this.game, this.shown, this.state.first));
      if (!this.editing) this.proceed();
    }

    edit(signs) {
      this.editing = signs;
      this.view.draw();
    }

    cycle(cell) {
      this.editing[cell] = { ".": "X", X: "O", O: "." }[this.editing[cell]];
      this.say(`Cell ${cell}: ${this.editing[cell].replace(".", "free")}.`);
      this.view.draw();
    }

    typed(text) {
      // letters go onto the board as far as they make one
      const plain = [...text.toUpperCase().replace(/\//g, "").replace(/[ _]/g, ".")];
      if (
        !this.editing ||
        plain.length !== this.game.cells ||
        plain.some((c) => !"XO.".includes(c))
      )
        return;
      this.edit(plain);
    }

    // Begin a game at a position; tell whether there is one.
    playFrom(text) {
      try {
        const { s, first } = find(this.game, text, this.starts === "lot" ? "X" : this.starts);
        const start = signs(this.game, s, first).join("");
        this.begin({ game: this.nextGame, first, start, counted: false });
      } catch (fault) {
        this.say(`This position is refused. ${fault.message}`);
        return false;
      }
      this.editing = null;
      this.said = "";
      this.say("");
      this.commit();
      this.view.draw();
      this.proceed();
      return true;
    }

    // ---- a match of two agents

    // The exact chances of these two players, and their matches: start → a score.
    get pairing() {
      const key = [this.state.first, ...MARKS.map((mark) => this.policy(mark))];
      if (!key.every((part, n) => part === this.paired?.key[n])) {
        const [first, ...policies] = key;
        const table = winDrawLoss(this.game, ...(first === "X" ? policies : policies.reverse()));
        this.paired = { key, table, matches: {} };
      }
      return this.paired;
    }

    // The games played from s, and how they end with which probability: of X, draw and O.
    match(s) {
      const { table, matches } = this.pairing;
      const games = (matches[s] ??= { X: 0, draw: 0, O: 0, left: 0 });
      return { games, exact: seenBy(this.state.first === "X" ? 1 : -1, table, s) };
    }

    get canMatch() {
      return this.persons === 0 && !this.busy && !this.editing && !terminal(this.game, this.shown);
    }

    // Whether a match of the position shown is being played.
    get running() {
      return (
        Boolean(this.underWay) && this.canMatch && this.match(this.shown).games === this.underWay
      );
    }

    // Play a match from the position shown, so that it compares with its exact
    // probabilities: in slices that can be seen, or at once. Pressed again, it pauses.
    playMatch(atOnce) {
      const running = this.running;
      this.pauseMatch();
      if (!this.canMatch || running) return this.view.draw();
      const { games } = this.match(this.shown);
      games.left ||= MATCH;
      this.underWay = games;
      this.playSlice(atOnce ? games.left : SLICE);
    }

    // Whatever is pressed meanwhile, games are played only where the match began.
    playSlice(count) {
      if (!this.running) return this.pauseMatch();
      const { underWay: games } = this;
      for (; count > 0 && games.left > 0; count--) this.playGame(games);
      if (games.left === 0) this.pauseMatch();
      else this.slice = setTimeout(() => this.playSlice(SLICE), PAUSE);
      this.commit();
      this.view.draw();
    }

    playGame(games) {
      const { game } = this;
      let s = this.shown;
      while (!terminal(game, s))
        s = game.successor[pair(game, s, this.drawMove(s, this.mover(s)).cell)];
      const end = this.winner(s) ?? "draw";
      this.score[end] += 1;
      games[end] += 1;
      games.left -= 1;
    }

    pauseMatch() {
      clearTimeout(this.slice);
      this.underWay = null;
    }
  }

  return { EXPLORED, ENDS, Play };
})();
