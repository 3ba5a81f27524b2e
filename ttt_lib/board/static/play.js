// The state and rules of one board: players, moves, score, matches. It uses no DOM; a view
// is called when something has changed.

ttt.play = (() => {
  "use strict";

  const { capital, fixed } = ttt.format;
  const { MARKS, other, terminal, pair, positions, find, signs, string } = ttt.game;
  const { winDrawLoss, seenBy } = ttt.policy;
  const {
    PERSON,
    entries: listEntries,
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
  const { bestReply } = ttt.review;
  const { OVERLAYS, madeFor, notTaught } = ttt.overlays;
  const { LOADING, review } = ttt.messages;

  const EXPLORED = "an exploratory move";
  const OVER = "The game is over. “New game” starts another.";
  const ENDS = ["X", "draw", "O"]; // the keys of a score
  const MATCH = 100,
    SLICE = 2,
    PAUSE = 25; // games of a match, at a time, and ms between
  // The first four describe the game, and are adopted together.
  const TRAITS = ["_game", "history", "position", "shown", "score", "numbers", "agents"];
  const same = (one, two) => JSON.stringify(one) === JSON.stringify(two);

  // The model is that of a notebook widget: `get`, `set` and `save_changes` of traits, which
  // `widget.py` describes, and `fetch`, a promise of the packed table of an agent. The view
  // can `draw` the board, `say` a sentence, and show that it has to `wait`.
  class Play {
    /** @type {Game} */ game;
    /** @type {Entry[]} all players that can be named */ entries;
    /** @type {Object<string, Seat>} mark → player */ seats;
    /** @type {Object<string, Seat> | null} players that are being loaded, or null */
    pending;
    /** @type {Object<string, number>} teacher → its initial level */ defaultLevels;
    /** @type {string} X, O, or "lot" */ starts;
    /** @type {string} an overlay */ numbers;
    /** @type {boolean} */ arena;
    /** @type {{game: number, first: string, start: string, counted: boolean}} of the game */
    state;
    /** @type {number[]} cells */ moves;
    /** @type {number[]} all positions, including the start */ line;
    /** @type {number | null} number of moves after which the board is shown; null for the last */ at;
    /** @type {{X: number, draw: number, O: number}} */ score;
    /** @type {Traits} the traits as received or sent last */ synced;

    constructor(model) {
      this.model = model;
      this.setup = model.get("_setup") ?? {};
      /** @type {{draw(): void, say(text: string): void, wait(): void}} */
      this.view = { draw() {}, say() {}, wait() {} };
      this.policyCache = {}; // mark → {agent, level, policy}
      this.how = []; // for each move of an agent: {how, agent, policy} at that time
      this.score = { X: 0, draw: 0, O: 0 };
      this.editing = null; // the signs of the position that is being set up, or null
    }

    // Read settings and state; return an error message if something was invalid.
    async load() {
      const packed = registry.packed ?? this.model.get("_tables"),
        { setup } = this;
      this.game = await (registry.game ??= shared(packed));
      const received = this.traits(),
        asked = received.agents ?? { X: setup.x ?? PERSON, O: setup.o ?? "random" };
      this.entries = listEntries(packed.agents, setup);
      let trouble;
      this.seats = { X: this.free(PERSON), O: this.free(PERSON) };
      this.pending = {};
      this.defaultLevels = {};
      for (const mark of MARKS) {
        const seat = this.free(asked[mark]),
          instead = mark === "X" ? PERSON : "random";
        if (!seat)
          trouble = `There is no agent named “${asked[mark]}”, so ${mark} is played by ${instead}.`;
        this.pending[mark] = seat ?? this.free(instead);
        if (seat && isTeacher(seat.who)) this.defaultLevels[seat.who] = seat.level;
      }
      this.starts = setup.starts ?? "X";
      this.numbers = received.numbers ?? setup.overlay ?? "none";
      if (!Object.hasOwn(OVERLAYS, this.numbers)) {
        trouble ??= `There are no numbers named “${this.numbers}”.`;
        this.numbers = "none";
      }
      this.arena = setup.arena === true || MARKS.every((mark) => this.pending[mark].who !== PERSON);
      if (received._game && this.adopt(received)) {
        const { first, start } = this.state;
        if (/[XO]/.test(start)) this.origin = { first, start };
        this.score = { ...received.score };
      } else {
        if (received._game) trouble ??= "The stored position is invalid, so the board is empty.";
        this.clear();
      }
      this.synced = received;
      return trouble;
    }

    // The entries that readers can choose.
    get offered() {
      const { choices } = this.setup;
      return this.entries.filter(
        ({ name, group, aside }) =>
          ["own", "person"].includes(group) ||
          (Array.isArray(choices) ? choices.includes(name) : !aside)
      );
    }

    async start(trouble) {
      await this.sit(this.pending);
      this.view.draw();
      if (trouble) this.say(trouble);
      this.proceed();
    }

    get busy() {
      return this.pending !== null;
    }
    get asked() {
      return this.pending ?? this.seats;
    }
    free(name) {
      const seat = seatOf(this.entries, name);
      return seat && { ...seat, agent: null };
    }
    entryOf({ who }) {
      return this.entries.find(({ name }) => name === who);
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
    // The label at the beginning of a sentence.
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

    // Begin a game with a `state`: its number, the mark that moves first, its start, and
    // whether its result is in the score.
    begin(state, moves = []) {
      const { s } = find(this.game, state.start, state.first);
      const line = positions(this.game, s, moves);
      const isSame = state.game === this.state?.game; // then keep `how` of equal moves
      const fresh = isSame ? moves.findIndex((a, n) => a !== this.moves[n]) : 0;
      clearTimeout(this.timer);
      this.how = this.how.slice(0, fresh < 0 ? moves.length : fresh);
      this.state = state;
      this.moves = moves;
      this.line = line;
      this.at = null;
    }

    // The board before a new game: empty, or the given start.
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

    // ---- synchronisation with Python, with links and with other views of the board

    /** @returns {Traits} */
    traits() {
      const pairs = TRAITS.map((name) => [name, this.model.get(name)]);
      return /** @type {any} */ (Object.fromEntries(pairs));
    }

    commit() {
      const { state, moves, now, at, score, numbers } = this;
      this.synced = {
        _game: { ...state },
        history: [...moves],
        position: this.text(now),
        shown: at ?? moves.length,
        score: { ...score },
        numbers,
        agents: { X: this.nameOf("X"), O: this.nameOf("O") }
      };
      this.model.set(this.synced);
      this.model.save_changes();
    }

    // Adopt traits that were set elsewhere, if they are consistent. If not, Python, which has
    // received them too, will send their consequences or the old values.
    async receive() {
      const received = this.traits();
      if (same(received, this.synced)) return;
      const pending = { ...this.asked };
      for (const mark of MARKS) {
        if (this.nameOf(mark) !== received.agents[mark])
          pending[mark] = this.free(received.agents[mark]);
      }
      if (!MARKS.every((mark) => pending[mark]) || !Object.hasOwn(OVERLAYS, received.numbers))
        return;
      const moved = TRAITS.slice(0, 4).some((name) => !same(received[name], this.synced[name]));
      if (moved && !this.adopt(received)) return;
      this.synced = received;
      this.score = { ...received.score };
      this.numbers = received.numbers;
      this.editing = null;
      if (MARKS.some((mark) => pending[mark] !== this.asked[mark])) await this.sit(pending);
      this.view.draw();
      this.proceed();
    }

    // Adopt a game; return whether it is valid.
    adopt({ _game, history, position, shown, score }) {
      try {
        const { s, first } = find(this.game, _game.start, _game.first);
        const end = positions(this.game, s, history).at(-1);
        const valid = ENDS.every((end) => Number.isInteger(score[end]) && score[end] >= 0);
        if (!valid || first !== _game.first) return false;
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
          this.persons === 0 ? "Two agents are playing: press “Next move”." : "It is not your turn."
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
      this.remark = "";
      this.commit();
      this.view.draw();
      if (terminal(this.game, this.now)) this.say(review(this));
    }

    count(by) {
      // add a finished game to the score, or remove it
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

    // Let an agent move if it is its turn; return whether it did.
    answer() {
      const s = this.now,
        mark = this.mover(s);
      if (this.busy || terminal(this.game, s) || this.isPerson(mark)) return false;
      const { cell, ...how } = this.drawMove(s, mark);
      this.move(cell, how);
      return true;
    }

    // Let the agent to move make one move, where two agents play.
    next() {
      this.say(terminal(this.game, this.now) ? OVER : "");
      this.answer();
    }

    // Sample a move from an agent's policy, and describe how it was chosen.
    drawMove(s, mark) {
      const { first, action, policies } = this.game,
        { agent } = this.seats[mark];
      let policy = this.policy(mark);
      let left = Math.random(),
        i = first[s];
      const hasPolicy = policy.slice(i, first[s + 1]).some((p) => p > 0);
      if (!hasPolicy) policy = policies.random; // it plays the other side
      while (i < first[s + 1] - 1 && left >= policy[i]) left -= policy[i++];
      let how = `chosen with probability ${fixed(policy[i])}`;
      if (!hasPolicy) how = "chosen at random, because it knows nothing about this position";
      else if (agent.name === "random") how = "chosen at random";
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
      this.remark = "";
      this.clear();
      this.swapSides();
      this.commit();
      this.view.draw();
      this.proceed();
    }

    // Some agents play one side only: change who moves first, or replace the other agent.
    swapSides() {
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
        this.remark = `${madeFor(this.seats[mark].agent)}, so ${this.starts} begins.`;
      }
    }

    // Warnings about agents on a side that they were not trained for.
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
        [mark]: { ...seat, level: this.defaultLevels[who] ?? seat.level }
      });
    }

    async exchange(mark) {
      // "You are": give this mark to the person
      if (this.asked[mark].who === PERSON) return;
      await this.seated({ X: this.asked.O, O: this.asked.X });
    }

    async seated(pending) {
      this.say("");
      this.resetScore();
      await this.sit(pending);
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
      this.restart();
    }

    async setFrame(mark, frame) {
      await this.sit({ ...this.asked, [mark]: { ...this.asked[mark], frame } });
      this.restart();
    }

    // The same players with another level or frame: the game goes on with a new score.
    restart() {
      this.say("");
      this.resetScore();
      this.commit();
      this.view.draw();
      this.proceed();
    }

    resetScore() {
      // scores belong to a pair of players
      this.score = { X: 0, draw: 0, O: 0 };
      this.state.counted = false;
    }

    // Load these players and seat them; until then no one moves. A player that cannot be
    // loaded is replaced by random.
    async sit(pending) {
      this.pending = pending; // a later request may finish first
      this.view.wait();
      const loaded = {};
      for (const mark of MARKS) loaded[mark] = await this.loadSeat(pending[mark], mark);
      if (this.pending !== pending) return;
      this.seats = loaded;
      this.pending = null;
    }

    async loadSeat(seat, mark) {
      try {
        seat.agent = seat.who === PERSON ? null : await this.agent(seat);
        return seat;
      } catch (fault) {
        this.fault = `${seat.who} cannot be loaded (${fault.message}), so ${mark} moves at random.`;
        return this.loadSeat(this.free("random"), mark);
      }
    }

    async agent(seat) {
      const entry = this.entryOf(seat),
        simple = computed(this.game, entry.name);
      if (simple) return { ...entry, ...simple };
      const key = keyOf(entry, seat.frame),
        embedded = this.setup.tables?.[key];
      if (!embedded && entry.group === "own") throw Error("its table is missing");
      const packed = embedded ?? registry.agents[key] ?? (await this.model.fetch(key));
      return { ...entry, ...(await unpackAgent(packed, this.game)) };
    }

    nameOf(mark) {
      return nameOf(this.entryOf(this.asked[mark]), this.asked[mark]);
    }

    // The policy with which a player moves.
    policy(mark) {
      const { agent } = this.seats[mark],
        level = this.level(this.seats[mark]),
        cached = this.policyCache[mark];
      if (cached?.agent === agent && cached.level === level) return cached.policy;
      const policy = played(this.game, agent, level);
      this.policyCache[mark] = { agent, level, policy };
      return policy;
    }
    hasLevel({ who }) {
      return isTeacher(who) || (this.arena && who !== PERSON && who !== "random");
    }
    level(seat) {
      return this.hasLevel(seat) ? seat.level : 1;
    }

    // The agent whose numbers are shown in s: if there are two, the one to move; else null.
    subject(s) {
      if (this.persons === 2) return null;
      const mover = this.mover(s),
        mark = this.seats[mover].agent ? mover : other(mover);
      const { agent } = this.seats[mark];
      return agent && { mark, agent, policy: this.policy(mark) };
    }

    // What the only person can still get against the agent by the best reply to its policy:
    // win, draw and loss of the first player from each position.
    get reply() {
      const you = MARKS.find((mark) => this.isPerson(mark)),
        side = this.state.first === you ? 1 : -1,
        policy = this.policy(other(you)),
        { agent } = this.seats[other(you)];
      if (this.replied?.policy !== policy || this.replied.side !== side)
        this.replied = { policy, side, table: bestReply(this.game, policy, side) };
      return { you, agent, ...this.replied };
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
      // start or cancel it
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
      // show the typed text on the board once it is complete
      const plain = [...text.toUpperCase().replace(/\//g, "").replace(/[ _]/g, ".")];
      if (
        !this.editing ||
        plain.length !== this.game.cells ||
        plain.some((c) => !"XO.".includes(c))
      )
        return;
      this.edit(plain);
    }

    // Begin a game at a position; return whether it is valid.
    playFrom(text) {
      try {
        const { s, first } = find(this.game, text, this.starts === "lot" ? "X" : this.starts);
        const start = signs(this.game, s, first).join("");
        this.begin({ game: this.nextGame, first, start, counted: false });
      } catch (fault) {
        this.say(`This position is not possible. ${fault.message}`);
        return false;
      }
      this.editing = null;
      this.remark = "";
      this.say("");
      this.commit();
      this.view.draw();
      this.proceed();
      return true;
    }

    // ---- a match of two agents

    // Exact results of the two players, and their matches: start → score.
    get pairing() {
      const key = [this.state.first, ...MARKS.map((mark) => this.policy(mark))];
      if (!key.every((part, n) => part === this.paired?.key[n])) {
        const [first, ...policies] = key;
        const table = winDrawLoss(this.game, ...(first === "X" ? policies : policies.reverse()));
        this.paired = { key, table, matches: {} };
      }
      return this.paired;
    }

    // The match from s: the games played, and exact probabilities of X, draw and O.
    match(s) {
      const { table, matches } = this.pairing;
      const games = (matches[s] ??= { X: 0, draw: 0, O: 0, left: 0 });
      return { games, exact: seenBy(this.state.first === "X" ? 1 : -1, table, s) };
    }

    get canMatch() {
      return this.persons === 0 && !this.busy && !this.editing && !terminal(this.game, this.shown);
    }

    // Whether a match from the position shown is running.
    get running() {
      return (
        Boolean(this.underWay) && this.canMatch && this.match(this.shown).games === this.underWay
      );
    }

    // Play a match from the position shown, in visible slices or at once; called again, it
    // pauses.
    playMatch(atOnce) {
      const running = this.running;
      this.pauseMatch();
      if (!this.canMatch || running) return this.view.draw();
      const { games } = this.match(this.shown);
      games.left ||= MATCH;
      this.underWay = games;
      this.playSlice(atOnce ? games.left : SLICE);
    }

    // Stops if the reader has left the position where the match began.
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
