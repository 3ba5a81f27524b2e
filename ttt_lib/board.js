// The playable board: one classic script without imports, for pages and for Jupyter.
//
// A page without Python holds <div data-ttt-board='{…}'> and loads this script and the
// tables; in Jupyter, anywidget calls `render`. Both go the same way: the board plays
// from tables that Python made, and a live kernel only listens.
//
// The rules are in the tables. A position is an index s into them, as in the library: 0
// is the empty board, the first player owns +1, X and O are only how a side is shown.

globalThis.tttBoard = (() => {
  "use strict";

  const MARKS = ["X", "O"];
  const PERSON = "person";
  const other = (mark) => (mark === "X" ? "O" : "X");
  const clone = (thing) => JSON.parse(JSON.stringify(thing));
  const list = (words, last = "and") =>
    words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
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
    const game = { rows, columns, cells, lines, codes, index, size, marks, toMove, outcome, worth,
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
      throw Error(`A board has ${game.cells} cells, and “${text}” has ${plain.length}.`);
    const count = (mark) => [...plain].filter((c) => c === mark).length;
    const more = count("X") - count("O");
    if (Math.abs(more) > 1)
      throw Error(`X has ${count("X")} marks and O ${count("O")}: players take turns, so one can be ahead by a single mark at most.`);
    const began = more === 0 ? first : more > 0 ? "X" : "O";
    const code = [...plain].reduce((sum, c, cell) =>
      sum + (c === began ? 1 : c === other(began) ? 2 : 0) * 3 ** cell, 0);
    if (!game.index.has(code))
      throw Error("No game arrives at this position: it had been won before the last mark was made.");
    return { s: game.index.get(code), first: began };
  }

  function write(game, s, first, divider = "/") {
    const signs = game.marks(s).map((d) => (d === 0 ? "." : d === 1 ? first : other(first)));
    const rows = Array.from({ length: game.rows }, (_, r) =>
      signs.slice(r * game.columns, (r + 1) * game.columns).join(""));
    return rows.join(divider);
  }

  // ------------------------------------------------------------------ agents

  const registry = { agents: {}, base: null, packed: null, game: null, waiting: {} };
  const here = document.currentScript?.src; // agents stand beside this script

  // Called by the scripts of tables and of agents. With the tables, boards can start.
  function tables(packed) {
    registry.packed = packed;
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", mountAll);
    else mountAll();
  }
  function register(name, packed) { registry.agents[name] = packed; }

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

  async function unpackAgent(packed) {
    const [policy, q] = await Promise.all([unpack(packed.policy), packed.q ? unpack(packed.q) : null]);
    return { ...packed, policy, q };
  }

  // ------------------------------------------------------------------ colours

  // ColorBrewer's YlGnBu for what runs from 0 up, and PuOr for what has two sides: both
  // run evenly in lightness, so they can be told apart without seeing hues.
  const SCALES = {
    one: ["ffffd9", "edf8b1", "c7e9b4", "7fcdbb", "41b6c4", "1d91c0", "225ea8", "253494", "081d58"],
    two: ["7f3b08", "b35806", "e08214", "fdb863", "fee0b6", "f7f7f7", "d8daeb", "b2abd2", "8073ac", "542788", "2d004b"],
  };
  const rgb = (hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const scaleOf = (low, high) => SCALES[low < 0 && high > 0 ? "two" : "one"];

  function colour(value, [low, high]) {
    const stops = scaleOf(low, high);
    const at = Math.min(1, Math.max(0, (value - low) / (high - low || 1))) * (stops.length - 1);
    const i = Math.min(Math.floor(at), stops.length - 2);
    const [one, two] = [rgb(stops[i]), rgb(stops[i + 1])];
    return one.map((c, k) => Math.round(c + (at - i) * (two[k] - c)));
  }

  // Black or white, whichever reads better: relative luminance of WCAG 2.
  function inkOn(channels) {
    const [r, g, b] = channels.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
  }

  // ------------------------------------------------------------------ elements

  function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
  }

  const button = (text, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, text);
  const hidden = (text) => h("span", { class: "ttt-hidden" }, text);

  function select(label, options, onchange) {
    const choice = h("select", { onchange: () => onchange(choice.value) });
    fill(choice, options);
    return { label: h("label", {}, h("span", {}, label), choice), choice };
  }

  // options: [value, text] or [group, [[value, text], …]]
  function fill(choice, options) {
    const make = ([value, text]) => Array.isArray(text)
      ? h("optgroup", { label: value }, ...text.map(make))
      : h("option", { value }, text);
    choice.replaceChildren(...options.map(make));
  }

  function slider(label, attributes, oninput) {
    const value = h("output", {});
    const input = h("input", { type: "range", ...attributes, oninput: () => oninput(Number(input.value)) });
    const line = h("label", { class: "ttt-slider" }, h("span", {}, label), input, value);
    return { line, input, value };
  }

  // The mark as a drawing; what it is stands beside it in hidden words.
  function drawing(mark) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "-50 -50 100 100");
    svg.setAttribute("aria-hidden", "true");
    const shape = document.createElementNS(space, mark === "X" ? "path" : "circle");
    if (mark === "X") shape.setAttribute("d", "M-27-27 27 27M-27 27 27-27");
    else shape.setAttribute("r", "29");
    shape.setAttribute("class", `ttt-${mark}`);
    svg.append(shape);
    return svg;
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
      this.how = []; // what an agent said of each of its moves
      this.at = null; // which position of the game is looked at; null for the last
      this.editing = null;
      this.learning = { progress: null, rows: null, told: "" };
    }

    async start() {
      this.game = await game(this.model.get("_tables"));
      const packed = registry.packed ?? this.model.get("_tables");
      this.base = packed;
      this.best = (await unpackAgent(packed.best)).policy;
      const array = (thing) => (Array.isArray(thing) ? thing : null);
      const own = array(this.setup.own) ?? [];
      const asked = array(this.setup.agents);
      this.listed = [
        ...packed.agents.filter((a) => !asked || asked.includes(a.name)),
        ...own,
        { name: PERSON, label: this.setup.arena ? "a person" : "a second person", group: "person", made: "A person at the same board." },
      ];
      this.settings = {
        who: { X: this.setup.x ?? PERSON, O: this.setup.o ?? "random" },
        level: { X: 1, O: 1 },
        frame: { X: null, O: null },
        starts: this.setup.starts ?? "X",
        overlay: this.setup.overlay ?? "none",
      };
      for (const mark of MARKS) {
        if (this.settings.who[mark] === "teacher") this.settings.level[mark] = this.setup.level ?? 0.9;
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
      if (this.busy) return this.say("One moment: an agent is being loaded.");
      if (!this.isPerson(mark)) {
        return this.say(this.persons === 0 ? "Two agents play here: “Next move” lets them." : "It is not your turn.");
      }
      if (this.game.pair(s, cell) < 0) return this.say(`Cell ${cell} is taken.`);
      this.move(cell, "");
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

    answer() {
      const s = this.now, mark = this.mover(s);
      if (this.game.over(s) || this.isPerson(mark) || !this.agents[mark]) return;
      const { cell, how } = this.drawMove(s, mark);
      this.move(cell, how);
    }

    // Draw a move from an agent's probabilities, and say of what kind it is.
    drawMove(s, mark) {
      const { game } = this, agent = this.agents[mark], policy = this.policy(mark);
      let left = Math.random(), i = game.first[s];
      while (i < game.first[s + 1] - 1 && left >= policy[i]) left -= policy[i++];
      const how = agent.name === "random" ? "at random"
        : agent.greedy || agent.policy[i] === 0 ? (agent.policy[i] > 0 ? "a greedy move" : "an exploratory move")
        : `drawn with probability ${fixed(policy[i])}`;
      return { cell: game.action[i], how };
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
        this.said = `${this.agents[mark].label} was made to move ${side === 1 ? "first" : "second"} only, so ${this.settings.starts} begins.`;
      }
    }

    // ---- who plays

    async choose(mark, name) {
      if (name === this.settings.who[mark]) return;
      this.settings.who[mark] = name;
      this.settings.level[mark] = name === "teacher" ? this.setup.level ?? 0.9 : 1;
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
      this.busy = true;
      this.put(this.told, "One moment: an agent is being loaded.");
      for (const mark of MARKS) {
        const name = this.settings.who[mark];
        try {
          this.agents[mark] = name === PERSON ? null : await this.load(name, mark);
        } catch (fault) {
          this.settings.who[mark] = "random";
          this.agents[mark] = await this.load("random", mark);
          this.fault = `${name} cannot be loaded (${fault.message}), so ${mark} moves at random.`;
        }
      }
      this.busy = false;
    }

    async load(name, mark) {
      const { game } = this, entry = this.entry(name);
      if (name in game.policies) return { ...entry, side: 0, policy: game.policies[name], greedy: name !== "random", q: name === "random" ? null : game.worth, limits: [-1, 1] };
      if (name === "teacher") return { ...(await this.load("perfect", mark)), ...entry };
      if (name === "best-against-random") return { ...entry, ...(await unpackAgent(this.base.best)) };
      const frames = entry.frames;
      this.settings.frame[mark] = frames ? Math.min(this.settings.frame[mark] ?? frames.length - 1, frames.length - 1) : null;
      const frame = this.settings.frame[mark];
      const key = frames ? entry.files?.[frame] ?? `${name}-${frame}` : name;
      const packed = this.setup.tables?.[key] ?? registry.agents[key] ?? (await this.fetch(key));
      return { ...entry, ...(await unpackAgent(packed)) };
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
          sentence: `The exact value for ${mark} of taking each cell, if both play perfectly from then on: +1 wins, 0 draws, −1 loses.` };
      }
      if (overlay === "random" || overlay === "best") {
        const both = this.chancesOf(overlay);
        const table = both.length === 1 || side === 1 ? both[0] : both[1];
        return { cells: each((i) => this.seenBy(side, table, game.successor[i])), limits: [-1, 1],
          sentence: overlay === "random"
            ? `The probabilities that ${mark} wins, draws and loses after taking each cell, if both players then move at random. The colour is win minus loss.`
            : `The probabilities that ${mark} wins, draws and loses after taking each cell, if ${mark} then plays best against an opponent who moves at random. The colour is win minus loss.` };
      }
      const agent = this.subject;
      if (!agent) return none("Two persons play: there is no agent whose numbers could be shown.");
      const sideKnown = agent.side === 0 || agent.side === side;
      const turn = this.agents[mark] ? "" : `, were it in the place of ${mark}`;
      if (!sideKnown) return none(`${agent.label} was made to move ${agent.side === 1 ? "first" : "second"} only and knows nothing of the cells of ${mark}. Go one move back to see what it saw.`);
      if (overlay === "policy") {
        const policy = this.policy(this.subjectMark);
        return { cells: each((i) => policy[i]), limits: [0, 1],
          sentence: `The probability with which ${agent.label} takes each cell${turn}.` };
      }
      if (!agent.q) return none(`${agent.label} keeps no values of its own.`);
      return { cells: each((i) => agent.q[i]), limits: agent.limits,
        sentence: `What ${agent.label} expects from taking each cell${turn}${agent.learnt ? `: ${agent.learnt}` : ""}.` };
    }

    // ---- in words

    hint() {
      const { game } = this, s = this.shown;
      if (game.over(s)) return "The game is over: there is nothing to choose.";
      const by = { 1: [], 0: [], "-1": [] };
      for (let i = game.first[s]; i < game.first[s + 1]; i++) by[game.worth[i]].push(i);
      const verbs = [[1, "wins", "win"], [0, "draws", "draw"], [-1, "loses", "lose"]];
      const parts = verbs.filter(([v]) => by[v].length)
        .map(([v, one, more]) => `${cellsNamed(by[v].map((i) => game.action[i]))} ${by[v].length > 1 ? more : one} (${signed(v)})`);
      const best = by[1].length ? by[1] : by[0].length ? by[0] : by[-1];
      const { cells } = this.numbers(s, "best");
      const winning = best.map((i) => [game.action[i], cells[game.action[i]][0]]).sort((a, b) => b[1] - a[1]);
      const easy = winning.filter(([, win]) => fixed(win) === fixed(winning[0][1])).map(([a]) => a);
      const also = best.length > 1 && easy.length < best.length
        ? ` Of the best, ${cellsNamed(easy)} win${easy.length > 1 ? "" : "s"} most often against random play: ${fixed(winning[0][1])}.` : "";
      return `${this.mover(s)} to move. Against perfect play, ${list(parts)}.${also}`;
    }

    why() {
      const { game } = this, line = this.line;
      let ply = (this.at ?? this.state.moves.length) - 1;
      while (ply >= 0 && this.isPerson(this.mover(line[ply]))) ply--;
      if (ply < 0) return "No agent has moved yet.";
      const s = line[ply], mark = this.mover(s), agent = this.agents[mark], cell = this.state.moves[ply];
      const at = game.pair(s, cell), others = [];
      const worth = agent.q ?? game.worth, say = agent.q && agent.q !== game.worth ? fixed : signed;
      for (let i = game.first[s]; i < game.first[s + 1]; i++) if (i !== at) others.push(`cell ${game.action[i]} ${(agent.q ? say : signed)(worth[i])}`);
      const policy = this.policy(mark)[at];
      const how = this.how[ply] ? ` (${this.how[ply]})` : "";
      const name = capital(this.label(mark));
      const rest = others.length ? `, and of the others: ${others.join(", ")}` : ", the only one left";
      return agent.q && agent.name !== "random"
        ? `${name} took cell ${cell}${how}. It expected ${say(worth[at])} of it${rest}.`
        : `${name} took cell ${cell}, with probability ${fixed(policy)}. The exact value of it is ${signed(worth[at])}${rest}.`;
    }

    status() {
      const { game } = this, s = this.now, moves = this.state.moves;
      if (this.editing) return "Setting up: choose cells to put X, O or nothing there.";
      const told = [];
      const from = this.persons === 1 ? Math.max(0, moves.length - 2) : Math.max(0, moves.length - 1);
      const line = this.line;
      for (let ply = from; ply < moves.length; ply++) {
        const how = this.how[ply] ? `, ${this.how[ply]}` : "";
        told.push(`${capital(this.label(this.mover(line[ply])))}: cell ${moves[ply]}${how}.`);
      }
      if (this.at !== null && this.at < moves.length) return `Looking back: after move ${this.at} of ${moves.length}.`;
      if (game.over(s)) {
        const winner = this.winner(s);
        told.push(winner ? (this.isPerson(winner) && this.persons === 1 ? "You win." : `${capital(this.label(winner))} wins.`) : "A draw.");
      } else {
        const mark = this.mover(s);
        told.push(this.isPerson(mark) && this.persons === 1 ? `Your move: you are ${mark}.` : `${capital(this.label(mark))} to move.`);
      }
      return told.join(" ");
    }
  }

  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  // ------------------------------------------------------------------ what is seen

  class Board extends Play {
    build() {
      const { game, setup } = this;
      this.cells = Array.from({ length: game.cells }, (_, cell) => h("button", {
        type: "button", role: "gridcell", class: "ttt-cell", tabindex: cell === 0 ? 0 : -1,
        onclick: () => this.press(cell), onfocus: () => this.reach(cell),
      }));
      const rows = Array.from({ length: game.rows }, (_, r) => h("div", { role: "row", class: "ttt-row" },
        ...this.cells.slice(r * game.columns, (r + 1) * game.columns)));
      this.grid = h("div", { role: "grid", class: "ttt-grid", "aria-label": setup.title ?? "Tic-tac-toe",
        onkeydown: (event) => this.key(event) }, ...rows);
      this.told = h("p", { class: "ttt-status", role: "status" });
      this.words = h("p", { class: "ttt-words", "aria-live": "polite" });
      this.legend = h("div", { class: "ttt-legend" });
      this.score = h("p", { class: "ttt-score" });
      this.numbersChoice = select("Numbers", NUMBERS, (value) => { this.settings.overlay = value; this.draw(); });
      this.undoButton = button("Undo", () => this.undo());
      this.next = button("Next move", () => this.answer());
      const buttons = h("div", { class: "ttt-buttons" },
        button("New game", () => this.newGame()), this.undoButton,
        button("Hint", () => this.say(this.hint())), button("Why?", () => this.say(this.why()), { title: "Why the agent made its last move" }),
        this.next);
      this.root = h("div", { class: `ttt${this.arena ? " ttt-arena" : ""}` },
        h("div", { class: "ttt-who" }, ...this.buildPlayers()),
        h("div", { class: "ttt-main" }, this.grid,
          h("div", { class: "ttt-side" }, this.told, buttons, this.words, this.score,
            h("div", { class: "ttt-numbers" }, this.numbersChoice.label, this.legend))),
        this.arena ? this.buildMatch() : null,
        this.live && setup.learner ? this.buildLearning() : null,
        this.buildMore());
      this.element.replaceChildren(this.root);
    }

    // Who plays: two agents in the arena, an opponent elsewhere.
    buildPlayers() {
      const groups = [["exact", "Computed"], ["own", "On this page"], ["learned", "Learned"], ["person", "At the board"]]
        .map(([key, title]) => [title, this.listed.filter((a) => a.group === key)])
        .filter(([, agents]) => agents.length)
        .map(([title, agents]) => [title, agents.map((a) => [a.name, a.label])]);
      const starts = select("First move", [["X", "X"], ["O", "O"], ["lot", "by lot"]], (value) => {
        this.settings.starts = value;
        if (this.state.moves.length === 0 || this.game.over(this.now)) this.newGame();
      });
      this.startsChoice = starts.choice;
      this.tuning = {};
      const tuned = (mark) => {
        const level = slider("Level", { min: 0, max: 1, step: 0.05 }, (value) => {
          this.settings.level[mark] = value;
          this.rescore();
        });
        const frame = slider("", { min: 0, step: 1 }, (value) => this.pickFrame(mark, value));
        this.tuning[mark] = { level, frame };
        return [level.line, frame.line];
      };
      if (this.arena) {
        this.choices = {};
        this.made = {};
        return [...MARKS.flatMap((mark) => {
          const choice = select(`${mark} is played by`, groups, (value) => this.choose(mark, value));
          this.choices[mark] = choice.choice;
          this.made[mark] = h("p", { class: "ttt-made" });
          return [h("div", { class: "ttt-player" }, choice.label, ...tuned(mark), this.made[mark])];
        }), starts.label];
      }
      const opponent = select("Opponent", groups, (value) => this.choose(this.seat, value));
      const seat = select("You are", MARKS.map((mark) => [mark, mark]), (value) => this.exchange(value));
      this.opponentChoice = opponent.choice;
      this.seatChoice = seat.choice;
      return [opponent.label, seat.label, starts.label, ...MARKS.flatMap(tuned)];
    }

    // The mark of the opponent.
    get seat() { return this.isPerson("X") ? "O" : "X"; }

    async pickFrame(mark, frame) {
      this.settings.frame[mark] = frame;
      await this.prepare();
      this.rescore();
    }

    // The same players in another shape: the game goes on, with a new score.
    rescore() {
      this.noScore();
      this.commit();
      this.draw();
      this.proceed();
    }

    buildMore() {
      this.replay = slider("Move", { min: 0, step: 1 }, (value) => this.lookAt(value));
      const step = (by) => this.lookAt((this.at ?? this.state.moves.length) + by);
      this.text = h("input", { type: "text", class: "ttt-text", spellcheck: "false", autocomplete: "off",
        oninput: () => this.typed(), onfocus: () => this.text.select() });
      this.about = h("p", {});
      this.setUpButton = button("Set up a position", () => this.setUp());
      this.playHere = button("Play from here", () => this.playFrom());
      this.wipe = button("Empty the board", () => { this.editing.fill("."); this.draw(); });
      return h("details", { class: "ttt-more" }, h("summary", {}, "Replay, set up, copy"),
        this.about,
        h("div", { class: "ttt-line" }, button("Back", () => step(-1)), this.replay.line, button("Forward", () => step(+1))),
        h("div", { class: "ttt-line" }, h("label", {}, h("span", {}, "Position"), this.text), button("Copy", () => this.copy()),
          this.setUpButton, this.playHere, this.wipe));
    }

    // ---- drawing

    draw() {
      const { game, state } = this, s = this.shown, editing = this.editing;
      const numbers = editing ? null : this.numbers(s);
      const marks = game.marks(s).map((d) => (d === 0 ? null : d === 1 ? state.first : other(state.first)));
      const shown = this.at ?? state.moves.length;
      const last = shown > 0 ? state.moves[shown - 1] : null;
      const won = !editing && this.winner(s);
      const line = won ? game.lines.filter((cells) => cells.every((c) => marks[c] === won)).flat() : [];
      this.cells.forEach((cell, c) => {
        const mark = editing ? { X: "X", O: "O" }[editing[c]] : marks[c];
        const value = numbers?.cells[c] ?? null;
        cell.replaceChildren(...this.inside(c, mark, value, numbers));
        const free = editing || game.pair(s, c) >= 0;
        cell.setAttribute("aria-disabled", String(!free));
        cell.classList.toggle("ttt-won", line.includes(c));
        cell.classList.toggle("ttt-last", !editing && c === last);
        cell.classList.toggle("ttt-explored", !editing && c === last && this.how[shown - 1] === "an exploratory move");
        const paint = value !== null && numbers.limits && !mark;
        const tone = paint && colour(Array.isArray(value) ? value[0] - value[2] : value, numbers.limits);
        cell.style.backgroundColor = paint ? `rgb(${tone.join(" ")})` : "";
        cell.style.color = paint ? inkOn(tone) : "";
      });
      this.put(this.told, (this.said ? `${this.said} ` : "") + (this.fault ? `${this.fault} ` : "") + this.status());
      this.fault = null;
      this.words.textContent = "";
      this.drawLegend(numbers);
      this.drawScore();
      this.drawPlayers();
      this.drawMore(s);
      this.drawMatch();
      this.drawLearning();
    }

    // A live region speaks when its text changes, so it is left alone when it does not.
    put(element, text) {
      if (element.textContent !== text) element.textContent = text;
    }

    say(text) { this.words.textContent = text; }

    inside(cell, mark, value, numbers) {
      const name = h("span", { class: "ttt-name", "aria-hidden": "true" }, String(cell));
      if (mark) return [drawing(mark), hidden(`Cell ${cell}: ${mark}`)];
      if (value === null) return [name, hidden(`Cell ${cell}: free`)];
      if (Array.isArray(value)) {
        return [name, hidden(`Cell ${cell}: free,`), h("span", { class: "ttt-three" },
          ...["win", "draw", "loss"].map((word, k) => h("span", {}, h("small", {}, `${word} `), h("b", {}, fixed(value[k])))))];
      }
      const word = numbers.exact ? h("small", {}, { 1: " win", 0: " draw", "-1": " loss" }[value]) : null;
      return [name, hidden(`Cell ${cell}: free,`), h("span", { class: "ttt-number" },
        h("b", {}, numbers.exact ? signed(value) : fixed(value)), word)];
    }

    drawLegend(numbers) {
      const parts = [];
      if (numbers?.sentence) parts.push(h("p", {}, numbers.sentence));
      if (numbers?.limits && numbers.cells.some((v) => v !== null)) {
        const [low, high] = numbers.limits, middle = (low + high) / 2;
        const stops = scaleOf(low, high).map((hex) => `#${hex}`).join(", ");
        const plain = (x) => String(Number(x.toFixed(3))).replace("-", "−");
        parts.push(h("div", { class: "ttt-scale", "aria-hidden": "true" },
          h("div", { style: `background: linear-gradient(to right, ${stops})` }),
          h("div", {}, ...[low, middle, high].map((x) => h("span", {}, plain(x))))));
      }
      this.legend.replaceChildren(...parts);
    }

    drawScore() {
      const [x, draws, o] = this.state.score;
      this.put(this.score, `Score: ${this.label("X")} ${x}, draws ${draws}, ${this.label("O")} ${o}`);
    }

    drawPlayers() {
      const { settings } = this;
      this.startsChoice.value = settings.starts;
      this.numbersChoice.choice.value = settings.overlay;
      if (this.arena) {
        for (const mark of MARKS) {
          this.choices[mark].value = settings.who[mark];
          this.made[mark].textContent = this.entry(settings.who[mark]).made ?? "";
        }
      } else {
        const opponent = this.entry(settings.who[this.seat]);
        this.about.textContent = opponent.made ? `${capital(opponent.label)}: ${opponent.made}` : "";
        this.opponentChoice.value = opponent.name;
        this.seatChoice.value = other(this.seat);
      }
      for (const mark of MARKS) {
        const { level, frame } = this.tuning[mark];
        level.line.hidden = !this.hasLevel(mark);
        level.input.value = settings.level[mark];
        level.value.textContent = this.level(mark).toFixed(2);
        level.line.firstChild.textContent = this.arena ? "Keeps to its policy" : "Perfect moves";
        const frames = this.entry(settings.who[mark])?.frames;
        frame.line.hidden = !frames;
        if (frames) {
          frame.line.firstChild.textContent = this.entry(settings.who[mark]).slider ?? "Trained";
          frame.input.max = frames.length - 1;
          frame.input.value = settings.frame[mark];
          frame.input.setAttribute("aria-valuetext", frames[settings.frame[mark]]);
          frame.value.textContent = frames[settings.frame[mark]];
        }
      }
      this.next.hidden = this.persons !== 0;
      this.next.disabled = this.game.over(this.now);
      this.undoButton.disabled = this.state.moves.length === 0 || Boolean(this.editing);
    }

    drawMore(s) {
      const length = this.state.moves.length, at = this.at ?? length;
      this.replay.input.max = length;
      this.replay.input.value = at;
      this.replay.input.disabled = length === 0 || Boolean(this.editing);
      this.replay.value.textContent = `${at} of ${length}`;
      if (document.activeElement !== this.text || !this.editing) {
        this.text.value = this.editing ? this.rowsOf(this.editing) : write(this.game, s, this.state.first);
      }
      this.text.readOnly = !this.editing;
      this.setUpButton.textContent = this.editing ? "Cancel" : "Set up a position";
      this.playHere.hidden = this.wipe.hidden = !this.editing;
    }

    // ---- reaching cells by keyboard

    reach(cell) {
      this.cells.forEach((each, c) => each.setAttribute("tabindex", c === cell ? 0 : -1));
    }

    key(event) {
      const { rows, columns, cells } = this.game;
      const cell = this.cells.indexOf(document.activeElement);
      const row = Math.floor(cell / columns), column = cell % columns;
      const goal = {
        ArrowLeft: column > 0 && cell - 1, ArrowRight: column < columns - 1 && cell + 1,
        ArrowUp: row > 0 && cell - columns, ArrowDown: row < rows - 1 && cell + columns,
        Home: event.ctrlKey ? 0 : row * columns, End: event.ctrlKey ? cells - 1 : (row + 1) * columns - 1,
      }[event.key];
      if (goal === undefined) return;
      event.preventDefault();
      event.stopPropagation(); // pages and notebooks have their own use for arrows
      if (goal !== false) this.cells[goal].focus();
    }

    // ---- replay, positions

    lookAt(at) {
      const length = this.state.moves.length;
      if (this.editing || at < 0 || at > length) return;
      this.at = at === length ? null : at;
      this.draw();
    }

    rowsOf(signs) {
      const { rows, columns } = this.game;
      return Array.from({ length: rows }, (_, r) => signs.slice(r * columns, (r + 1) * columns).join("")).join("/");
    }

    setUp() {
      clearTimeout(this.timer);
      this.editing = this.editing ? null : [...write(this.game, this.shown, this.state.first, "")];
      this.draw();
      if (!this.editing) this.proceed();
    }

    cycle(cell) {
      this.editing[cell] = { ".": "X", X: "O", O: "." }[this.editing[cell]];
      this.text.value = this.rowsOf(this.editing);
      this.draw();
    }

    typed() { // letters in the field go onto the board as far as they make one
      const plain = [...this.text.value.toUpperCase().replace(/\//g, "")].map((c) => (" _".includes(c) ? "." : c));
      if (!this.editing || plain.length !== this.game.cells || plain.some((c) => !"XO.".includes(c))) return;
      this.editing = plain;
      this.draw();
    }

    playFrom() {
      try {
        const { s, first } = read(this.game, this.text.value, MARKS.includes(this.settings.starts) ? this.settings.starts : "X");
        this.editing = null;
        const start = write(this.game, s, first, "");
        this.begin({ game: this.nextGame, first, start, moves: [], score: this.state.score, counted: false });
        this.said = "";
        this.commit();
        this.draw();
        this.proceed();
      } catch (fault) {
        this.say(`This position is refused. ${fault.message}`);
      }
    }

    async copy() {
      this.text.select();
      try {
        await navigator.clipboard.writeText(this.text.value);
        this.say("Copied. In a notebook, game.find(\"…\") reads it.");
      } catch {
        this.say("The text is marked: copy it with the keyboard.");
      }
    }

    // ---- a match of two agents

    buildMatch() {
      this.match = h("div", { class: "ttt-match" });
      this.playMany = button("Play 100 games", () => this.playGames(100));
      this.playOut = button("Play to the end", () => { while (!this.game.over(this.now)) this.answer(); });
      return h("div", { class: "ttt-line" }, this.playMany, this.playOut, this.match);
    }

    // Games from the position shown, so that they compare with its exact probabilities.
    playGames(games) {
      const { game } = this, start = this.shown;
      if (this.persons > 0 || this.busy || game.over(start)) return;
      for (let n = 0; n < games; n++) {
        let s = start;
        while (!game.over(s)) s = game.successor[game.pair(s, this.drawMove(s, this.mover(s)).cell)];
        const winner = this.winner(s);
        this.state.score[winner === "X" ? 0 : winner === "O" ? 2 : 1] += 1;
      }
      this.commit();
      this.draw();
    }

    drawMatch() {
      if (!this.match) return;
      this.playMany.hidden = this.playOut.hidden = this.persons !== 0;
      if (this.persons !== 0 || this.busy || !this.agents.X || !this.agents.O) return this.match.replaceChildren();
      const { first, score } = this.state, s = this.shown;
      const { who, level, frame } = this.settings;
      const key = JSON.stringify([first, who, level, frame, this.learning.told]);
      if (this.exact?.key !== key) {
        const policies = MARKS.map((mark) => this.policy(mark));
        this.exact = { key, table: chances(this.game, ...(first === "X" ? policies : policies.reverse())) };
      }
      const { table } = this.exact;
      const exact = this.seenBy(first === "X" ? 1 : -1, table, s);
      const all = score[0] + score[1] + score[2];
      const row = (name, n, p) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, String(n)),
        h("td", {}, all ? fixed(n / all) : "–"), h("td", {}, fixed(p)));
      this.match.replaceChildren(h("table", {}, h("caption", {}, `The score, and the exact probabilities from the position shown, ${first} having moved first`),
        h("tr", {}, ...["", "games", "share", "exact"].map((t) => h(t ? "th" : "td", t ? { scope: "col" } : {}, t))),
        row("X wins", score[0], exact[0]), row("draw", score[1], exact[1]), row("O wins", score[2], exact[2])));
    }

    // ---- live: Python listens, and may teach the agent

    listen() {
      const { model } = this;
      const stop = [];
      const on = (name, handler) => { model.on(name, handler); stop.push(() => model.off(name, handler)); };
      if (!this.live) return;
      on("change:_state", () => {
        const given = model.get("_state");
        if (JSON.stringify(given) === this.sent || JSON.stringify(given) === JSON.stringify(this.state)) return;
        if (!this.adopt(given)) return this.say("Python sent a position that makes no sense; the board stays as it was.");
        this.sent = null;
        this.editing = null;
        this.draw();
        this.proceed();
      });
      on("msg:custom", (message) => this.hear(message));
      on("comm_live_update", () => {
        this.dead = true;
        this.draw();
        this.say("The kernel is gone. The board goes on with the tables it has; run the cell again to connect it.");
      });
      this.stop = () => { clearTimeout(this.timer); stop.forEach((each) => each()); };
    }

    async hear(message) {
      if (message.agent) {
        registry.agents[message.agent] = message.table;
        registry.waiting[message.agent]?.(message.table);
      }
      if (message.fault) this.say(message.fault);
      if (message.progress) {
        this.learning.progress = message.progress;
        this.drawLearning();
      }
      if (message.learnt) { // the new table has come before, with the settings
        this.learning = { progress: null, rows: message.rows, told: message.learnt };
        this.setup = this.model.get("_setup");
        await this.prepare();
        this.draw();
      }
    }

    buildLearning() {
      const send = (what) => {
        if (this.dead) return this.say("The kernel is gone: nothing can be learnt. Run the cell again.");
        this.model.send(what);
      };
      this.learnGame = button("Learn from this game", () => send({ learn: MARKS.filter((mark) => this.settings.who[mark] === this.setup.learner) }));
      this.games = select("Train for", [[1, "1 game"], [100, "100 games"], [10000, "10,000 games"], [1000000, "1,000,000 games"], [10000000, "10,000,000 games"]], () => {});
      this.games.choice.value = "10000";
      this.against = select("against", [["self", "itself"], ["random", "random"], ["perfect", "perfect"]], () => {});
      this.train = button("Train", () => send({ train: Number(this.games.choice.value), against: this.against.choice.value }));
      this.stopTraining = button("Stop", () => send({ stop: true }));
      this.progress = h("progress", { max: 1, value: 0, "aria-label": "Training" });
      this.learnt = h("div", { class: "ttt-learnt", role: "status" });
      return h("div", { class: "ttt-learning" },
        h("div", { class: "ttt-line" }, this.learnGame, this.games.label, this.against.label, this.train, this.stopTraining, this.progress),
        this.learnt);
    }

    drawLearning() {
      if (!this.learnt) return;
      const { progress, rows, told } = this.learning;
      const training = progress !== null;
      this.learnGame.disabled = training || !this.game.over(this.now) || this.state.moves.length === 0;
      this.train.disabled = training;
      this.stopTraining.hidden = this.progress.hidden = !training;
      this.progress.value = progress ?? 0;
      const cells = (tag, texts) => texts.map((t) => h(tag, tag === "th" ? { scope: "col" } : {}, t));
      const table = rows && h("table", {}, h("caption", {}, "What it learnt from the game, in the order of the moves: new = old + step size × (target − old)"),
        h("tr", {}, ...cells("th", ["move", "cell", "old", "target", "target − old", "new"])),
        ...rows.map(([ply, cell, ...n]) => h("tr", {}, ...cells("td", [String(ply), String(cell), ...n.map((x) => fixed(x))]))));
      this.learnt.replaceChildren(h("p", {}, told), ...(table ? [table] : []));
    }
  }

  // ------------------------------------------------------------------ mounting

  // What stands in for the widget model on a page without Python.
  function standIn(setup) {
    const state = { _setup: setup, _state: setup.state };
    return { get: (name) => state[name], set: (name, value) => { state[name] = value; },
      on() {}, off() {}, save_changes() {} };
  }

  function mount(element) {
    element.dataset.mounted = "";
    let setup = {}, trouble = null;
    try {
      setup = JSON.parse(element.dataset.tttBoard);
    } catch {
      trouble = "The settings of this board cannot be read, so it has its usual ones.";
    }
    const board = new Board(standIn(setup), element);
    element.tttBoard = board; // for tests, and for the curious
    board.start().then(() => trouble && board.say(trouble), (fault) => {
      element.replaceChildren(h("p", {}, `This board cannot play here: ${fault.message}`));
    });
  }

  function mountAll() {
    document.querySelectorAll("[data-ttt-board]:not([data-mounted])").forEach(mount);
  }

  // Called by anywidget.
  async function render({ model, el }) {
    const element = h("div", { "data-ttt-live": true, "data-lm-suppress-shortcuts": "true" }); // keys are the board's
    el.append(element);
    const live = { live: true, get: (name) => model.get(name), set: (name, value) => model.set(name, value),
      on: (name, handler) => model.on(name, handler), off: (name, handler) => model.off(name, handler),
      save_changes: () => model.save_changes(), send: (content) => model.send(content) };
    const board = new Board(live, element);
    element.tttBoard = board;
    await board.start();
    return () => board.stop?.();
  }

  return { tables, register, render };
})();
