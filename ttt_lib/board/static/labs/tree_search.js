// Searches of a game tree, step by step, without page elements: settings, and the run of the
// lab.
//
// A mark is the number of steps done. One step visits a board, returns a value, or prunes
// moves.

ttt.treeSearch = (() => {
  "use strict";

  const { list, cellsNamed, signed, minus, many } = ttt.format;
  const { terminal, find, signs } = ttt.game;
  const { minimax, alphaBeta, events } = ttt.minimax;

  const MAX_FREE = 5; // free cells, so that the tree can be drawn
  const MAX = 1;
  const ENDS = { 1: "X has won", "-1": "O has won", 0: "a draw" };
  const sideOf = (player) => (player === MAX ? "X" : "O");
  const bounded = (sign, value) =>
    ({ "=": "", "≤": "at most ", "≥": "at least " })[sign] + signed(value);

  // ---- settings

  function readOrder(text, { game }) {
    const cells = text.split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
    const fine = cells.every(
      (cell, k) =>
        Number.isInteger(cell) && cell >= 0 && cell < game.cells && cells.indexOf(cell) === k
    );
    if (!fine)
      throw Error(
        `“${text}” is not an order: give different cells from 0 to ${game.cells - 1} with commas between them; those that are missing come last.`
      );
    return cells.join(", ");
  }

  function readLook(text, { game }) {
    const { s } = find(game, text, "X"),
      free = game.first[s + 1] - game.first[s];
    if (terminal(game, s))
      throw Error("The game is over on this board: there is nothing to search.");
    if (free > MAX_FREE)
      throw Error(
        `This board has ${free} free cells, and only trees of up to ${MAX_FREE} can be drawn here: fill more cells.`
      );
    return signs(game, s, "X").join("");
  }

  const SETTINGS = {
    search: {
      label: "Search",
      options: [
        ["alpha-beta", "alpha-beta"],
        ["minimax", "minimax"]
      ]
    },
    order: {
      label: "Order of cells",
      read: readOrder,
      says: "Cells with commas between them; those that are missing come last",
      suggestions: ["5, 6, 8", "8, 6, 5", "4, 0, 2, 6, 8, 1, 3, 5, 7"]
    },
    look: { label: "Board", read: readLook, suggestions: ["XOXOO..X.", "OXOO.XX..", "X.XO.O..."] },
    step: {
      label: "A step is",
      view: true,
      options: [
        ["one", "a board, a result or a cut"],
        ["board", "to the next board"]
      ]
    }
  };

  // ---- the run

  class Run {
    constructor(lab, texts) {
      this.lab = lab;
      this.texts = texts;
      this.game = lab.game;
      this.first = "0";
      this.at = 0;
      this.named = new Set(); // boards that the reader expects to be cut
      const cells = texts.order.split(",").map(Number);
      this.order = [
        ...cells,
        ...[...Array(this.game.cells).keys()].filter((c) => !cells.includes(c))
      ];
      this.root = find(this.game, texts.look, "X").s;
      this.prunes = texts.search === "alpha-beta";
      this.grow();
      this.groupEvents(events(this.prunes ? alphaBeta : minimax, this.game, this.root, this.order));
    }

    // The tree of all boards that can follow: moves, rows of the drawing, and subtrees.
    grow() {
      const { game, order } = this,
        nodes = (this.tree = []);
      let rows = 0;
      const add = (s, above, move, depth) => {
        const id = nodes.length,
          node = { id, s, above, move, depth, below: [], size: 1 };
        nodes.push(node);
        for (const a of order) {
          for (let i = game.first[s]; i < game.first[s + 1]; i++) {
            if (game.action[i] !== a) continue;
            const child = add(game.successor[i], id, i, depth + 1);
            node.below.push(child.id);
            node.size += child.size;
          }
        }
        const ends = [node.below[0], node.below.at(-1)].map((k) => nodes[k]?.row);
        node.row = node.below.length ? (ends[0] + ends[1]) / 2 : rows++;
        return node;
      };
      add(this.root, -1, -1, 0);
      this.rows = rows;
    }

    // Group the events of the search into steps; each event gets its board in the tree.
    groupEvents(initialWindow) {
      const places = []; // node of the search → board of the tree
      this.steps = [];
      for (const event of initialWindow) {
        const { what, above, move, node } = event,
          last = this.steps.at(-1);
        if (what === "enter") places[node] = above < 0 ? 0 : this.child(places[above], move);
        // A cut follows the update that causes it, and has the same window.
        const one = { ...(what === "cut" && last.at(-1)), ...event, place: places[node] };
        const joins = what === "leaf" || (what === "update" && last.at(-1).what === "return");
        if (joins) last.push(one);
        else this.steps.push([one]);
      }
    }

    // Name a board and all below it as cut, or take that back; only before the first step.
    name(place) {
      if (!this.prunes || this.at > 0 || place === 0) return;
      const taken = this.named.has(place);
      for (let k = place; k < place + this.tree[place].size; k++) {
        if (taken) this.named.delete(k);
        else this.named.add(k);
      }
    }

    // What became of a board that was named, from its state `what`: "open", "right" or
    // "wrong"; null if it was not named.
    fate(place, what) {
      if (!this.named.has(place)) return null;
      if (what === "ahead") return "open";
      return what === "cut" ? "right" : "wrong";
    }

    // The names are kept by Start again and Back; another tree or order needs new ones.
    follow(run, name) {
      if (name === undefined) this.named = run.named;
    }

    child(place, move) {
      return this.tree[place].below.find((k) => this.tree[k].move === move);
    }

    get mark() {
      return String(this.at);
    }
    get end() {
      return this.at === this.steps.length;
    }
    get next() {
      let next = this.at + 1;
      while (
        this.lab.texts.step === "board" &&
        next < this.steps.length &&
        this.steps[next - 1][0].what !== "enter"
      )
        next++;
      return String(next);
    }

    readMark(text) {
      const at = /^\d+$/.test(text) ? Number(text) : NaN;
      if (!(at <= this.steps.length))
        throw Error(`at=${text}: give a number of steps from 0 to ${this.steps.length}.`);
      return String(at);
    }

    work(mark) {
      this.at = Number(mark);
      return true;
    }

    // The current state of each board: {what: "ahead", "open", "done" or "cut",
    // initialWindow, alpha, beta, best, answer, sign}; and `here`, the current board.
    now() {
      /** @type {Object<string, any>[]} */
      const states = this.tree.map(() => ({ what: "ahead" }));
      let here = 0,
        looked = 0,
        cut = 0;
      for (const event of this.steps.slice(0, this.at).flat()) {
        const { what, place, value, alpha, beta } = event,
          state = states[place];
        here = place;
        if (what === "enter")
          Object.assign(state, { what: "open", initialWindow: [alpha, beta], alpha, beta });
        if (what === "enter") looked += 1;
        if (what === "leaf") Object.assign(state, { what: "done", answer: value, sign: "=" });
        if (what === "update") Object.assign(state, { alpha, beta, best: event.best });
        if (what === "return")
          Object.assign(state, {
            what: "done",
            answer: value,
            sign: this.sign(place, states, value)
          });
        if (what !== "cut") continue;
        state.stopped = true;
        for (const move of event.left) {
          const from = this.child(place, move),
            { size } = this.tree[from];
          cut += size;
          for (let k = from; k < from + size; k++) states[k].what = "cut";
        }
      }
      return { states, here, looked, cut };
    }

    // Whether a returned value is exact, or a bound, because moves were pruned or because it
    // comes from a bound.
    sign(place, states, value) {
      const bound = this.game.toMove[this.tree[place].s] === MAX ? "≥" : "≤";
      if (states[place].stopped) return bound;
      const same = this.tree[place].below
        .map((k) => states[k])
        .filter(({ answer }) => answer === value);
      return same.some(({ sign }) => sign === "=") ? "=" : same[0].sign;
    }

    // ---- descriptions

    description() {
      return `${this.describeStep()} ${this.counted(this.now())}`;
    }

    answer() {
      if (!this.end || !this.prunes) return "";
      const { states, looked, cut } = this.now(),
        all = this.tree.length;
      const fates = states.map(({ what }, place) => this.fate(place, what)),
        [right, wrong] = ["right", "wrong"].map((fate) => fates.filter((f) => f === fate).length);
      const mistaken = `${wrong} of yours ${wrong === 1 ? "was" : "were"} not cut`;
      if (looked === all) {
        const said = wrong ? ` ${mistaken}.` : "";
        return `All ${all} boards are looked at, in this order.${said}`;
      }
      const named = `You named ${right} of these ${cut}` + (wrong ? `; ${mistaken}.` : ".");
      return (
        `${cut} of ${many(all, "board")} need not be looked at, in this order.` +
        (this.named.size ? ` ${named}` : "")
      );
    }

    counted({ looked, cut }) {
      if (this.prunes && this.at === 0)
        return `Which will be skipped? Press them: ${this.named.size} so far.`;
      const counted = `Looked at ${looked} of ${many(this.tree.length, "board")}`;
      return this.prunes ? `${counted}, cut ${cut}.` : `${counted}.`;
    }

    describeStep() {
      if (this.at === 0)
        return this.prunes
          ? "Some boards cannot change the value of the first one, and are not looked at."
          : "Nothing has been searched yet. Step goes to the first board.";
      const step = this.steps[this.at - 1],
        event = step.at(-1),
        { place } = event;
      const player = this.game.toMove[this.tree[place].s],
        name = sideOf(player);
      const most = player === MAX ? "largest" : "smallest";
      if (event.what === "leaf")
        return `${this.arrived(place)} The game is over: ${ENDS[event.value]}, ${signed(event.value)}.`;
      if (event.what === "enter") {
        return (
          `${this.arrived(place)} Now ${name} chooses, and wants the ${most} value.` +
          (this.prunes ? ` The search reaches this board with ${this.window(event)}.` : "")
        );
      }
      if (event.what === "return") return this.ended(event.value);
      if (event.what === "cut") return this.stopped(event, name);
      return this.describeUpdate(step, most);
    }

    arrived(place) {
      const { above, move } = this.tree[place];
      return above < 0
        ? "The board at the root."
        : `${sideOf(this.game.toMove[this.tree[above].s])} tries cell ${this.game.action[move]}.`;
    }

    window({ alpha, beta }) {
      return `α = ${minus(alpha)} and β = ${minus(beta)}`;
    }

    describeUpdate(step, most) {
      const event = step.at(-1),
        { place, value, best, alpha, beta, move } = event;
      const before = this.before(place),
        { sign } = this.now().states[this.child(place, move)];
      const answer = `Cell ${this.game.action[move]} returns ${bounded(sign, value)}.`;
      const news =
        before.best === undefined || before.best !== best
          ? `It is the ${most} so far`
          : `The ${most} so far stays ${signed(best)}`;
      if (!this.prunes) return `${answer} ${news}.`;
      let moved = "; α and β do not change";
      if (alpha !== before.alpha)
        moved = `, and α rises to ${minus(alpha)}: X can get that much here`;
      else if (beta !== before.beta)
        moved = `, and β falls to ${minus(beta)}: O can hold X to that here`;
      return `${answer} ${news}${moved}.`;
    }

    // The state of a board before the last step.
    before(place) {
      const now = this.at;
      this.at -= 1;
      const state = this.now().states[place];
      this.at = now;
      return state;
    }

    stopped({ place, alpha, beta, left }, name) {
      const cells = left.map((i) => this.game.action[i]),
        size = left.reduce((sum, i) => sum + this.tree[this.child(place, i)].size, 0);
      const why =
        name === "O"
          ? `X can get ${minus(alpha)} elsewhere, and here O can hold it to ${minus(beta)}, so X will not come here`
          : `O can hold X to ${minus(beta)} elsewhere, and here X can get ${minus(alpha)}, so O will not let X come here`;
      return `Cut, because α ≥ β. ${why}. So ${name}’s ${cellsNamed(cells)} cannot matter: ${many(size, "board")} never looked at.`;
    }

    ended(value) {
      const { looked } = this.now(),
        all = this.tree.length,
        saved = all - looked;
      const who =
        value === 0 ? "neither player can force a win" : sideOf(value) + " can force a win";
      return (
        `The value is ${signed(value)}: ${who}.` +
        (this.prunes ? ` Minimax would look at all ${all} boards; this order saves ${saved}.` : "")
      );
    }

    // A description of a board of the tree.
    about(place, { states }) {
      const { s } = this.tree[place],
        state = states[place],
        { what, initialWindow, answer, sign } = state;
      const moves = this.path(place).map(
        (cell, k) => `${sideOf(this.game.toMove[this.root] * (-1) ** k)} ${cell}`
      );
      const where = moves.length ? `After ${list(moves)}` : "At the root";
      const named = this.named.has(place);
      if (what === "cut")
        return `${where}: cut, never looked at${named ? ", as you expected" : ""}.`;
      if (what === "ahead")
        return `${where}: not looked at yet${named ? "; you expect it to be cut" : ""}.`;
      if (terminal(this.game, s))
        return `${where}: the game is over, ${ENDS[answer]}, ${signed(answer)}.`;
      const player = `${where}: ${this.game.toMove[s] === MAX ? "X, MAX" : "O, MIN"},`;
      const was = this.prunes
        ? `${player} was reached with ${this.window({ alpha: initialWindow[0], beta: initialWindow[1] })}`
        : `${player} chooses`;
      if (what === "done") return `${was}, and returned ${bounded(sign, answer)}.`;
      return this.prunes ? `${was}; now ${this.window(state)}.` : `${was}.`;
    }

    // The cells taken on the path from the root.
    path(place) {
      const { above, move } = this.tree[place];
      return above < 0 ? [] : [...this.path(above), this.game.action[move]];
    }

    python() {
      const { look } = this.texts;
      return ttt.lab.pythonCell(
        `board = game.find("${look}")`,
        ...(this.prunes
          ? [
              `order = np.array([${this.order.join(", ")}])`,
              "search.alpha_beta(game, board, order)"
            ]
          : ["search.minimax(game, board)"])
      );
    }
  }

  return { SETTINGS, Run };
})();
