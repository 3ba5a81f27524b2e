// The game that the playable board plays: its tables, its agents, and what is played.
//
// Everything comes from tables that Python made (`board_tables.py`). A position is an
// index s into them, as in the library: 0 is the empty board, the first player owns +1,
// and X and O are only how a side is shown. What is seen stands in `board.js`.

globalThis.tttPlay = (() => {
  "use strict";

  const MARKS = ["X", "O"];
  const PERSON = "person";
  const EXPLORED = "an exploratory move";
  const LOADING = "One moment: an agent is being loaded.";
  const SETTING_UP = "First choose “Play from here”, or “Cancel”.";
  const other = (mark) => (mark === "X" ? "O" : "X");
  const clone = (thing) => JSON.parse(JSON.stringify(thing));
  const list = (words, last = "and") =>
    words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const madeFor = ({ label, side }) =>
    `${label} was made to move ${side === 1 ? "first" : "second"} only`;
  const cellsNamed = (cells) => `cell${cells.length > 1 ? "s" : ""} ${list(cells)}`;

  // ------------------------------------------------------------------ numbers as Python writes them

  // Three decimals, a tie to the even digit. Only odd multiples of 1/16 are ties.
  function fixed(x) {
    const sixteenths = x * 16;
    let text = x.toFixed(3);
    if (Number.isInteger(sixteenths) && sixteenths % 2 !== 0) {
      const low = Math.floor(x * 1000);
      text = ((low % 2 === 0 ? low : low + 1) / 1000).toFixed(3);
    }
    return /^-0\.000$/.test(text) ? "0.000" : text.replace("-", "−");
  }

  const signed = (x) => (x > 0 ? "+1" : x < 0 ? "−1" : "0");

  // ------------------------------------------------------------------ tables

  // Python packs arrays as zlib, base64; every browser since 2023 can unpack them.
  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed.data), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const raw = await new Response(stream).arrayBuffer();
    const kinds = { i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array };
    const numbers = Float64Array.from(new kinds[packed.type](raw));
    if (packed.palette) return numbers.map((i) => packed.palette[i]);
    return packed.unit ? numbers.map((i) => i / packed.unit) : numbers;
  }

  // The tables of the game. Arrays over legal moves are packed: those of s stand from
  // first[s] up to, not including, first[s + 1], in rising order of their cells.
  async function unpackGame(packed) {
    const { rows, columns, lines } = packed;
    const cells = rows * columns;
    const [steps, outcome, worth] = await Promise.all(
      [packed.codes, packed.outcome, packed.value].map(unpack));
    let code = 0;
    const codes = Array.from(steps, (step) => (code += step));
    const index = new Map(codes.map((c, s) => [c, s]));
    const size = codes.length;
    const digit = (s, cell) => Math.floor(codes[s] / 3 ** cell) % 3; // 0 empty, 1 first, 2 second
    const marks = (s) => Array.from({ length: cells }, (_, cell) => digit(s, cell));
    const toMove = new Int8Array(size);
    const first = new Int32Array(size + 1);
    const action = [], successor = [];
    for (let s = 0; s < size; s++) {
      const board = marks(s);
      toMove[s] = board.filter((d) => d === 1).length > board.filter((d) => d === 2).length ? -1 : 1;
      for (let a = 0; a < cells; a++) {
        // A move is legal if it leads to a position that the table knows.
        const next = board[a] === 0 && index.get(codes[s] + (toMove[s] === 1 ? 1 : 2) * 3 ** a);
        if (next) { action.push(a); successor.push(next); }
      }
      first[s + 1] = action.length;
    }
    const game = { rows, columns, cells, lines, index, size, marks, toMove, outcome, worth,
      first, action, successor };
    game.over = (s) => first[s] === first[s + 1];
    game.pair = (s, a) => { // where the move stands in packed arrays; −1 if it is illegal
      for (let i = first[s]; i < first[s + 1]; i++) if (action[i] === a) return i;
      return -1;
    };
    game.policies = {
      random: Float64Array.from(action, () => 0),
      perfect: new Float64Array(action.length),
    };
    for (let s = 0; s < size; s++) share(game, s, () => true, game.policies.random);
    for (let s = 0; s < size; s++) {
      let best = -2;
      for (let i = first[s]; i < first[s + 1]; i++) best = Math.max(best, worth[i]);
      share(game, s, (i) => worth[i] === best, game.policies.perfect);
    }
    return game;
  }

  // Give all moves of s that are chosen the same probability.
  function share(game, s, chosen, policy) {
    let count = 0;
    for (let i = game.first[s]; i < game.first[s + 1]; i++) count += chosen(i) ? 1 : 0;
    for (let i = game.first[s]; i < game.first[s + 1]; i++) policy[i] = chosen(i) ? 1 / count : 0;
  }

  const mixture = (p, policy, rest) => policy.map((x, i) => p * x + (1 - p) * rest[i]);

  // Win, draw and loss of the first player from every position, exactly: one backward
  // sweep, as in `evaluation.win_draw_loss`.
  function chances(game, one, two) {
    const { first, successor, toMove, outcome } = game;
    const result = new Float64Array(3 * game.size);
    for (let s = game.size - 1; s >= 0; s--) {
      if (game.over(s)) { result[3 * s + 1 - outcome[s]] = 1; continue; }
      const policy = toMove[s] === 1 ? one : two;
      for (let i = first[s]; i < first[s + 1]; i++) {
        for (let k = 0; k < 3; k++) result[3 * s + k] += policy[i] * result[3 * successor[i] + k];
      }
    }
    return result;
  }

  // Read a board as people write it; the position and who moved first, or a sentence.
  function read(game, text, first) {
    const plain = text.toUpperCase().replace(/[\n/|]/g, "");
    const unknown = [...plain].find((c) => !"XO ._".includes(c));
    if (unknown) throw Error(`“${unknown}” is no mark: use X, O, and a full stop for an empty cell.`);
    if (plain.length !== game.cells)
      throw Error(`A board has ${game.cells} cells, and this text has ${plain.length}.`);
    const count = (mark) => [...plain].filter((c) => c === mark).length;
    const more = count("X") - count("O");
    if (Math.abs(more) > 1)
      throw Error(`X has ${count("X")} marks and O ${count("O")}: ` +
        "players take turns, so one can be ahead by a single mark at most.");
    const began = more === 0 ? first : more > 0 ? "X" : "O";
    const code = [...plain].reduce((sum, c, cell) =>
      sum + (c === began ? 1 : c === other(began) ? 2 : 0) * 3 ** cell, 0);
    if (!game.index.has(code))
      throw Error("No game arrives at this position: it had been won before the last mark was made.");
    return { s: game.index.get(code), first: began };
  }

  function write(game, s, first, divider = "/") {
    return inRows(game, game.marks(s).map((d) => (d === 0 ? "." : d === 1 ? first : other(first))), divider);
  }

  function inRows({ rows, columns }, signs, divider = "/") {
    return Array.from({ length: rows }, (_, r) =>
      signs.slice(r * columns, (r + 1) * columns).join("")).join(divider);
  }

  // ------------------------------------------------------------------ agents

  const registry = { agents: {}, packed: null, game: null, waiting: {} };
  const here = document.currentScript?.src; // agents stand beside this script

  function game(packed) {
    return (registry.game ??= unpackGame(packed ?? registry.packed));
  }

  // An agent on a page loads when it is chosen: as a script, which a page that was
  // opened from a file may do, too.
  function loadScript(key) {
    return (registry.waiting[key] ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = new URL(`agents/${encodeURIComponent(key)}.js`, here).href;
      script.onload = () => done(registry.agents[key]);
      script.onerror = () => { delete registry.waiting[key]; failed(Error(`the file of ${key} is missing`)); };
      document.head.append(script);
    }));
  }

  async function unpackAgent(packed, { action }) {
    const [policy, q] = await Promise.all([unpack(packed.policy), packed.q ? unpack(packed.q) : null]);
    if ([policy, q ?? policy].some((table) => table.length !== action.length)) throw Error("its table has another size");
    return { ...packed, policy, q };
  }

  // ------------------------------------------------------------------ what is played

  const NUMBERS = [
    ["none", "none"],
    ["value", "exact values"],
    ["best", "best play v random"],
    ["random", "random v random"],
    ["agent", "what the agent expects"],
    ["policy", "the agent's probabilities"],
  ];

  class Play {
    constructor(model, element) {
      this.model = model;
      this.element = element;
      this.setup = model.get("_setup") ?? {};
      this.live = Boolean(model.live);
      this.agents = { X: null, O: null };
      this.how = []; // of each move of an agent: {how, agent, policy}, as they were then
      this.at = null; // which position of the game is looked at; null for the last
      this.editing = null;
      this.learning = { progress: null, rows: null, told: "" };
    }

    async start() {
      this.game = await game(this.model.get("_tables"));
      const packed = registry.packed ?? this.model.get("_tables");
      this.base = packed;
      this.best = (await unpackAgent(packed.best, this.game)).policy;
      const array = (thing) => (Array.isArray(thing) ? thing : null);
      const own = (array(this.setup.own) ?? []).filter((a) => typeof a?.name === "string")
        .map((a) => ({ label: a.name, ...a, group: "own", frames: array(a.frames) }));
      const asked = array(this.setup.agents);
      this.listed = [
        ...packed.agents.filter((a) => !asked || asked.includes(a.name)),
        ...own,
        { name: PERSON, label: this.setup.arena ? "a person" : "a second person", group: "person",
          made: "A person at the same board." },
      ];
      this.settings = {
        who: { X: this.setup.x ?? PERSON, O: this.setup.o ?? "random" },
        level: { X: 1, O: 1 },
        frame: { X: null, O: null },
        starts: this.setup.starts ?? "X",
        overlay: this.setup.overlay ?? "none",
      };
      for (const mark of MARKS) {
        if (this.settings.who[mark] === "teacher") this.settings.level[mark] = this.teacherLevel;
      }
      let trouble = this.checkSetup();
      this.arena = this.setup.arena === true || this.persons === 0;
      this.build();
      const given = this.model.get("_state");
      if (given && this.adopt(given)) {
        const { first, start } = this.state;
        if (/[XO]/.test(start)) this.origin = { first, start };
      } else {
        if (given) trouble ??= "The stored position makes no sense, so the board is empty.";
        this.clear();
      }
      this.listen();
      await this.prepare();
      this.draw();
      if (trouble) this.say(trouble);
      this.proceed();
    }

    // Replace what nobody can play; return the sentence about it.
    checkSetup() {
      let trouble = null;
      for (const mark of MARKS) {
        const name = this.settings.who[mark];
        if (name !== PERSON && !this.entry(name)) {
          const instead = mark === "X" ? PERSON : "random";
          trouble = `There is no agent named “${name}”, so ${mark} is played by ${instead}.`;
          this.settings.who[mark] = instead;
        }
      }
      if (!NUMBERS.some(([name]) => name === this.settings.overlay)) {
        trouble ??= `There are no numbers named “${this.settings.overlay}”.`;
        this.settings.overlay = "none";
      }
      return trouble;
    }

    get teacherLevel() {
      const { level } = this.setup;
      return level >= 0 && level <= 1 ? Number(level) : 0.9;
    }
    entry(name) { return this.listed.find((agent) => agent.name === name); }
    isPerson(mark) { return this.settings.who[mark] === PERSON; }
    get persons() { return MARKS.filter((mark) => this.isPerson(mark)).length; }
    label(mark) {
      if (this.isPerson(mark)) return this.persons === 2 ? mark : `you (${mark})`;
      return `${this.entry(this.settings.who[mark]).label} (${mark})`;
    }

    // ---- the game so far

    get line() { // all positions, from the start of the game to now
      const line = [this.startPosition];
      for (const a of this.state.moves) {
        line.push(this.game.successor[this.game.pair(line.at(-1), a)]);
      }
      return line;
    }
    get now() { return this.line.at(-1); }
    get shown() { return this.line[this.at ?? this.state.moves.length]; }
    mover(s) { return this.game.toMove[s] === 1 ? this.state.first : other(this.state.first); }
    winner(s) {
      const won = this.game.outcome[s];
      return won === 0 ? null : won === 1 ? this.state.first : other(this.state.first);
    }

    // The board before a new game: empty, or as it was given.
    clear() {
      const starts = this.settings.starts;
      const first = MARKS.includes(starts) ? starts : MARKS[Math.floor(Math.random() * 2)];
      const score = this.state?.score ?? [0, 0, 0];
      const empty = { first, start: ".".repeat(this.game.cells) };
      this.begin({ game: this.nextGame, ...empty, ...this.origin, moves: [], score, counted: false });
    }

    get nextGame() { return (this.state?.game ?? -1) + 1; }

    begin(state) {
      clearTimeout(this.timer);
      this.state = state;
      this.startPosition = read(this.game, state.start, state.first).s;
      this.at = null;
      this.how = [];
    }

    // Take over a state from Python or from a page, if it makes sense.
    adopt(given) {
      try {
        const state = clone(given);
        const { s, first } = read(this.game, state.start, state.first);
        if (first !== state.first) return false;
        state.moves.reduce((at, a) => {
          const pair = this.game.pair(at, a);
          if (pair < 0) throw Error("illegal");
          return this.game.successor[pair];
        }, s);
        if (state.score.length !== 3 || state.score.some((n) => !Number.isInteger(n) || n < 0)) return false;
        this.begin({ ...state, game: state.game ?? 0, counted: Boolean(state.counted) });
        return true;
      } catch {
        return false;
      }
    }

    commit() {
      this.sent = JSON.stringify(this.state);
      this.model.set("_state", clone(this.state));
      this.model.save_changes();
    }

    // ---- moves

    press(cell) {
      if (this.editing) return this.cycle(cell);
      const s = this.now, mark = this.mover(s);
      if (this.at !== null) return this.say("You are looking back. Go to the last move to play on.");
      if (this.game.over(s)) return this.say("The game is over. “New game” starts another.");
      if (this.busy) return this.say(LOADING);
      if (!this.isPerson(mark)) {
        return this.say(this.persons === 0 ? "Two agents play here: “Next move” lets them."
          : "It is not your turn.");
      }
      if (this.game.pair(s, cell) < 0) return this.say(`Cell ${cell} is taken.`);
      this.say("");
      this.move(cell);
      this.proceed();
    }

    move(cell, how) {
      this.how[this.state.moves.length] = how;
      this.state.moves.push(cell);
      this.count(+1);
      this.said = "";
      this.commit();
      this.draw();
    }

    count(by) { // a finished game, into the score or out of it
      const s = this.now, state = this.state;
      if (!this.game.over(s) || state.moves.length === 0 || state.counted === by > 0) return;
      const winner = this.winner(s);
      state.score[winner === "X" ? 0 : winner === "O" ? 2 : 1] += by;
      state.counted = by > 0;
    }

    // Let an agent answer, if it is its turn and a person plays against it.
    proceed() {
      clearTimeout(this.timer);
      if (this.busy || this.editing || this.game.over(this.now) || this.persons !== 1) return;
      if (!this.isPerson(this.mover(this.now))) this.timer = setTimeout(() => this.answer());
    }

    // Let the agent whose turn it is move; tell whether it did.
    answer() {
      const s = this.now, mark = this.mover(s);
      if (this.busy || this.game.over(s) || this.isPerson(mark)) return false;
      const { cell, ...how } = this.drawMove(s, mark);
      this.move(cell, how);
      return true;
    }

    // Draw a move from an agent's probabilities, and say of what kind it is.
    drawMove(s, mark) {
      const { game } = this, agent = this.agents[mark];
      let policy = this.policy(mark);
      let left = Math.random(), i = game.first[s];
      const known = policy.slice(i, game.first[s + 1]).some((p) => p > 0);
      if (!known) policy = game.policies.random; // it was made for the other side
      while (i < game.first[s + 1] - 1 && left >= policy[i]) left -= policy[i++];
      let how = `drawn with probability ${fixed(policy[i])}`;
      if (!known) how = "at random, for it knows nothing of this position";
      else if (agent.name === "random") how = "at random";
      else if (agent.policy[i] === 0) how = EXPLORED; // it left its policy
      else if (agent.greedy) how = "a greedy move";
      return { cell: game.action[i], how, agent, policy };
    }

    undo() {
      if (this.editing || this.state.moves.length === 0) return this.say("There is nothing to undo.");
      clearTimeout(this.timer);
      this.at = null;
      this.count(-1);
      do this.state.moves.pop();
      while (this.persons === 1 && this.state.moves.length > 0 && !this.isPerson(this.mover(this.now)));
      this.how.length = this.state.moves.length;
      this.commit();
      this.draw();
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
      this.draw();
      this.proceed();
    }

    // Some agents were made for one side only. They move first, or second, or not at all.
    refuseSides() {
      for (const mark of MARKS) {
        const side = this.agents[mark]?.side ?? 0;
        const plays = this.state.first === mark ? 1 : -1;
        if (side === 0 || side === plays) continue;
        if (this.agents[other(mark)]?.side === side) {
          this.settings.who[other(mark)] = "random";
          this.prepare().then(() => this.draw());
        }
        this.settings.starts = side === 1 ? mark : other(mark);
        this.clear();
        this.said = `${madeFor(this.agents[mark])}, so ${this.settings.starts} begins.`;
      }
    }

    // ---- who plays

    async choose(mark, name) {
      if (name === this.settings.who[mark]) return;
      this.settings.who[mark] = name;
      this.settings.level[mark] = name === "teacher" ? this.teacherLevel : 1;
      this.settings.frame[mark] = null;
      await this.changed();
    }

    async exchange(mark) { // "You are": the person takes this mark
      const { who, level, frame } = this.settings;
      if (this.isPerson(mark)) return;
      for (const each of [who, level, frame]) [each.X, each.O] = [each.O, each.X];
      await this.changed();
    }

    async changed() {
      this.say("");
      this.noScore();
      await this.prepare();
      const fresh = this.state.moves.length === 0 || this.game.over(this.now);
      if (fresh) return this.newGame();
      this.commit();
      this.draw();
      this.proceed();
    }

    noScore() { // a score belongs to two players
      this.state.score = [0, 0, 0];
      this.state.counted = false;
    }

    // Load the agents that play.
    async prepare() {
      const wish = (this.wish = (this.wish ?? 0) + 1); // a slider may be quicker than a file
      this.busy = true;
      this.drawWaiting();
      for (const mark of MARKS) {
        const name = this.settings.who[mark];
        let agent = null;
        try {
          if (name !== PERSON) agent = await this.load(name, mark);
        } catch (fault) {
          this.settings.who[mark] = "random";
          agent = await this.load("random", mark);
          this.fault = `${name} cannot be loaded (${fault.message}), so ${mark} moves at random.`;
        }
        if (wish !== this.wish) return;
        this.agents[mark] = agent;
      }
      this.busy = false;
    }

    async load(name, mark) {
      const { game } = this, entry = this.entry(name);
      const computed = { ...entry, side: 0, policy: game.policies[name] };
      if (name === "random") return { ...computed, greedy: false, q: null };
      if (name === "perfect") return { ...computed, greedy: true, q: game.worth, limits: [-1, 1] };
      if (name === "teacher") return { ...(await this.load("perfect", mark)), ...entry };
      if (name === "best-against-random") return { ...entry, ...(await unpackAgent(this.base.best, game)) };
      const frames = entry.frames;
      const frame = frames ? this.settings.frame[mark] ?? frames.length - 1 : null; // or the last
      this.settings.frame[mark] = frame;
      const key = frames ? entry.files?.[frame] ?? `${name}-${frame}` : name;
      const brought = this.setup.tables?.[key];
      if (!brought && entry.group === "own") throw Error("its table is missing");
      const packed = brought ?? registry.agents[key] ?? (await this.fetch(key));
      return { ...entry, ...(await unpackAgent(packed, game)) };
    }

    fetch(key) {
      if (!this.live) return loadScript(key);
      if (this.dead) return Promise.reject(Error("the kernel is gone"));
      return new Promise((done, failed) => {
        registry.waiting[key] = done;
        setTimeout(() => failed(Error("Python did not answer")), 20000);
        this.model.send({ load: key });
      });
    }

    // The probabilities an agent plays with; a teacher is perfect now and then.
    policy(mark) {
      const agent = this.agents[mark], level = this.level(mark);
      return level === 1 ? agent.policy : mixture(level, agent.policy, this.game.policies.random);
    }
    hasLevel(mark) {
      const name = this.settings.who[mark];
      return name === "teacher" || (this.arena && name !== PERSON && name !== "random");
    }
    level(mark) { return this.hasLevel(mark) ? this.settings.level[mark] : 1; }

    // ---- the numbers on the cells

    // The agent whose numbers are shown: of two, the one to move.
    get subject() {
      if (this.persons === 2) return null;
      const mark = this.mover(this.shown);
      return this.agents[mark] ?? this.agents[other(mark)];
    }
    get subjectMark() {
      const mark = this.mover(this.shown);
      return this.agents[mark] ? mark : other(mark);
    }

    chancesOf(kind) {
      const { game } = this;
      this.known ??= {};
      return (this.known[kind] ??= kind === "random"
        ? [chances(game, game.policies.random, game.policies.random)]
        : [chances(game, this.best, game.policies.random), chances(game, game.policies.random, this.best)]);
    }

    // Win, draw and loss of the side that moves to s from a table of `chances`.
    seenBy(side, table, s) {
      const row = [table[3 * s], table[3 * s + 1], table[3 * s + 2]];
      return side === 1 ? row : row.reverse();
    }

    // {cells: cell → number or three, limits, sentence}: what the overlay shows in s.
    numbers(s, overlay = this.settings.overlay) {
      const { game } = this, mark = this.mover(s), side = game.toMove[s];
      const each = (f) => {
        const cells = Array(game.cells).fill(null);
        for (let i = game.first[s]; i < game.first[s + 1]; i++) cells[game.action[i]] = f(i);
        return cells;
      };
      const none = (sentence) => ({ cells: each(() => null), limits: null, sentence });
      if (overlay === "none" || game.over(s)) return none("");
      if (overlay === "value") {
        return { cells: each((i) => game.worth[i]), limits: [-1, 1], exact: true,
          sentence: `The exact value for ${mark} of taking each cell, if both play perfectly ` +
            "from then on: +1 wins, 0 draws, −1 loses." };
      }
      if (overlay === "random" || overlay === "best") {
        const both = this.chancesOf(overlay);
        const table = both.length === 1 || side === 1 ? both[0] : both[1];
        return { cells: each((i) => this.seenBy(side, table, game.successor[i])), limits: [-1, 1],
          sentence: `The probabilities that ${mark} wins, draws and loses after taking each cell, if ` +
            (overlay === "random" ? "both players then move at random."
              : `${mark} then plays best against an opponent who moves at random.`) +
            " The colour is win minus loss." };
      }
      const agent = this.subject;
      if (!agent) return none("Two persons play: there is no agent whose numbers could be shown.");
      const sideKnown = agent.side === 0 || agent.side === side;
      const turn = this.agents[mark] ? "" : `, were it in the place of ${mark}`;
      if (!sideKnown) return none(`${madeFor(agent)} and knows nothing of the cells of ${mark}. ` +
        "Go one move back to see what it saw.");
      if (overlay === "policy" || !agent.q) {
        const policy = this.policy(this.subjectMark);
        return { cells: each((i) => policy[i]), limits: [0, 1],
          sentence: (overlay === "policy" ? "" : `${capital(agent.label)} keeps no values of its own. `) +
            `The probability with which ${agent.label} takes each cell${turn}.` };
      }
      return { cells: each((i) => agent.q[i]), limits: agent.limits,
        sentence: `What ${agent.label} expects from taking each cell${turn}. A win counts ${agent.limits[1]}.` };
    }

    // ---- in words

    hint() {
      const { game } = this, s = this.shown;
      if (this.editing) return SETTING_UP;
      if (game.over(s)) return "The game is over: there is nothing to choose.";
      const by = { 1: [], 0: [], "-1": [] };
      for (let i = game.first[s]; i < game.first[s + 1]; i++) by[game.worth[i]].push(i);
      const cells = (pairs) => pairs.map((i) => game.action[i]);
      const parts = [[1, "win"], [0, "draw"], [-1, "lose"]].filter(([v]) => by[v].length)
        .map(([v, verb]) => `${cellsNamed(cells(by[v]))} ${verb}${by[v].length > 1 ? "" : "s"} (${signed(v)})`);
      const best = by[1].length ? by[1] : by[0].length ? by[0] : by[-1];
      const chance = this.numbers(s, "best").cells.map((three) => three && fixed(three[0]));
      const most = cells(best).map((a) => chance[a]).sort().at(-1);
      const easy = cells(best).filter((a) => chance[a] === most);
      const also = easy.length === best.length ? "" : ` Of the best, ${cellsNamed(easy)} ` +
        `win${easy.length > 1 ? "" : "s"} most often against random play: ${most}.`;
      return `${this.mover(s)} to move. Against perfect play, ${list(parts)}.${also}`;
    }

    why() {
      const { game } = this, line = this.line;
      if (this.editing) return SETTING_UP;
      let ply = (this.at ?? this.state.moves.length) - 1;
      const by = (ply) => this.how[ply]?.agent ?? this.agents[this.mover(line[ply])];
      while (ply >= 0 && !by(ply)) ply--;
      if (ply < 0) return "No agent has moved yet.";
      const s = line[ply], mark = this.mover(s), agent = by(ply), cell = this.state.moves[ply];
      const { how, policy = this.policy(mark) } = this.how[ply] ?? {};
      const at = game.pair(s, cell), worth = agent.q ?? game.worth;
      const exact = worth === game.worth, say = exact ? signed : fixed;
      const others = new Map(); // what is said of them → cells
      for (let i = game.first[s]; i < game.first[s + 1]; i++) {
        if (i !== at) others.set(worth[i], [...(others.get(worth[i]) ?? []), game.action[i]]);
      }
      const rest = [...others].sort(([one], [two]) => two - one)
        .map(([value, cells]) => `${say(value)} of ${cellsNamed(cells)}`);
      const drawn = agent.q ? "" : `, with probability ${fixed(policy[at])}`;
      return `${capital(agent.label)} (${mark}) took cell ${cell}${agent.q && how ? ` (${how})` : drawn}. ` +
        (agent.q ? "It expected " : `It keeps no values of its own. The exact values for ${mark}: `) +
        `${say(worth[at])} of this cell, ${rest.length ? list(rest) : "the only one left"}.` +
        (exact ? " Against perfect play +1 wins, 0 draws and −1 loses." : "");
    }

    status() {
      const { game } = this, s = this.now, moves = this.state.moves;
      if (this.busy) return LOADING;
      if (this.editing) return "Setting up: choose cells to put X, O or nothing there.";
      if (this.at !== null) return `Looking back: after move ${this.at} of ${moves.length}.`;
      const told = [], line = this.line, one = this.persons === 1;
      const from = Math.max(0, moves.length - (one ? 2 : 1));
      for (let ply = from; ply < moves.length; ply++) {
        const how = this.how[ply] ? `, ${this.how[ply].how}` : "";
        told.push(`${capital(this.label(this.mover(line[ply])))}: cell ${moves[ply]}${how}.`);
      }
      if (game.over(s)) {
        const winner = this.winner(s);
        if (!winner) told.push("A draw.");
        else told.push(one && this.isPerson(winner) ? "You win." : `${capital(this.label(winner))} wins.`);
      } else {
        const mark = this.mover(s);
        told.push(one && this.isPerson(mark) ? `Your move: you are ${mark}.`
          : `${capital(this.label(mark))} to move.`);
      }
      return told.join(" ");
    }
  }

  return { MARKS, NUMBERS, EXPLORED, Play, registry, other, capital, fixed, signed, chances, read,
    write, inRows };
})();
