// The lab of the game tree: minimax or alpha-beta searches below a late board, and each board
// shows its window, its value, or that it was pruned.
//
// A mark is the number of steps done. One step visits a board, returns a value, or prunes
// moves.

(() => {
  "use strict";

  const { list, cellsNamed, signed, minus, many } = ttt.format;
  const { terminal, find, signs } = ttt.game;
  const { minimax, alphaBeta, events } = ttt.minimax;
  const { h, svg } = ttt.elements;
  const { Grid } = ttt.grid;

  const MAX_FREE = 5; // free cells, so that the tree can be drawn
  const MAX = 1;
  const SIZE = 30,
    WIDE = 86,
    HIGH = 40; // of a board; of its cell, with text and branch
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
      const { looked } = this.now(),
        all = this.tree.length;
      return looked < all
        ? `${all - looked} of ${many(all, "board")} need not be looked at, in this order.`
        : `All ${all} boards are looked at, in this order.`;
    }

    counted({ looked, cut }) {
      const counted = `Looked at ${looked} of ${many(this.tree.length, "board")}`;
      return this.prunes ? `${counted}, cut ${cut}.` : `${counted}.`;
    }

    describeStep() {
      if (this.at === 0) return "Nothing has been searched yet. Step goes to the first board.";
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
      if (what === "cut") return `${where}: cut, never looked at.`;
      if (what === "ahead") return `${where}: not looked at yet.`;
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

  // ---- view

  const PART = SIZE / 3; // a cell of a board
  const DRAWN = {
    X: (x, y) => `M${x + 2.7} ${y + 2.7}l5 5m0-5l-5 5`,
    O: (x, y) => `M${x + 5.2} ${y + 2.5}a2.8 2.8 0 1 1-.01 0`
  };
  const X = (depth) => depth * WIDE + 6,
    Y = (row) => row * HIGH + 40; // coordinates of boards

  class View {
    constructor(lab) {
      this.lab = lab;
      this.grid = new Grid(lab.game, "");
      this.says = h("p", { class: "ttt-says" });
      this.about = h("p", { class: "ttt-outlook" });
      this.count = h("p", { class: "ttt-head" });
      this.box = h("div", {
        class: "ttt-tree",
        role: "tree",
        tabindex: 0,
        onkeydown: (event) => this.arrow(event),
        onscroll: () => this.near(),
        "aria-label": "The tree; arrows go from board to board"
      });
      this.element = h(
        "div",
        { class: "ttt-search" },
        h("div", { class: "ttt-backup" }, this.grid.element, h("div", {}, this.says, this.count)),
        this.about,
        this.box
      );
      this.actions = [];
    }

    get run() {
      return this.lab.run;
    }

    draw() {
      const { run } = this,
        { order, look } = run.texts,
        grown = `${order} ${look}`;
      if (this.grown !== grown) this.grow(grown);
      const now = (this.now = run.now());
      if (this.mark !== run.mark) this.chosen = null;
      this.mark = run.mark;
      now.states.forEach((state, place) => this.drawNode(place, state));
      this.says.textContent = run.describeStep();
      this.count.textContent = run.counted(now);
      this.choose(this.chosen ?? now.here);
    }

    // Enlarge a board, and scroll to it: the current one, or one that was pressed.
    choose(place) {
      const { run, now, box } = this,
        { s, depth, row } = run.tree[place];
      this.grid.show(s, { last: run.path(place).at(-1) });
      this.about.textContent = run.about(place, now);
      this.shown?.element.setAttribute("aria-selected", "false");
      this.shown = this.nodes[place];
      this.shown.element.setAttribute("aria-selected", "true");
      box.setAttribute("aria-activedescendant", this.shown.element.id);
      const { scale } = this,
        into = (from, at, length, space) => Math.min(at, Math.max(from, at + length - space));
      box.scrollTo({
        left: into(box.scrollLeft, scale * (X(depth) - 20), scale * WIDE, box.clientWidth),
        top: into(box.scrollTop, scale * (Y(row) - HIGH), scale * 2 * HIGH, box.clientHeight)
      });
      this.near();
    }

    get scale() {
      return this.drawing.clientWidth / this.wide || 1;
    }

    // Boards that are far out of view are not rendered, because large trees would be slow.
    near() {
      const {
          box,
          scale,
          run: { tree },
          nodes
        } = this,
        from = (box.scrollTop - box.clientHeight) / scale;
      const to = (box.scrollTop + 2 * box.clientHeight) / scale,
        far = (a, b) => Math.max(a, b) < from || Math.min(a, b) > to;
      tree.forEach(({ row, above }, k) => {
        const y = Y(row);
        nodes[k].element.classList.toggle("ttt-far", far(y, y));
        nodes[k].way.classList.toggle("ttt-far", far(y, above < 0 ? y : Y(tree[above].row)));
      });
    }

    press(place) {
      this.chosen = place;
      this.choose(place);
    }

    arrow(event) {
      const { tree } = this.run,
        place = this.chosen ?? this.now.here,
        { above, below } = tree[place];
      const beside = above < 0 ? [place] : tree[above].below,
        k = beside.indexOf(place);
      const goals = {
        ArrowLeft: above,
        ArrowRight: below[0],
        ArrowUp: beside[k - 1],
        ArrowDown: beside[k + 1],
        Home: 0
      };
      if (!(event.key in goals)) return;
      event.preventDefault();
      event.stopPropagation();
      if (tree[goals[event.key]]) this.press(goals[event.key]);
    }

    // Draw all boards of the tree, without their states.
    grow(grown) {
      const { run, lab } = this,
        { tree, rows } = run,
        depth = Math.max(...tree.map((node) => node.depth));
      this.grown = grown;
      this.chosen = null;
      this.shown = null;
      this.wide = X(depth) + SIZE + 30;
      this.nodes = tree.map((node) => this.node(node, `${lab.id}-node-${node.id}`));
      this.drawing = svg(
        "svg",
        {
          viewBox: `0 0 ${this.wide} ${Y(rows - 1) + HIGH / 2 + 4}`,
          role: "presentation",
          style: `min-width: ${this.wide}px`
        },
        ...Array.from({ length: depth }, (_, k) =>
          svg(
            "text",
            { x: X(k), y: 14 },
            (k % 2 === 0) === (run.game.toMove[run.root] === MAX) ? "X: MAX" : "O: MIN"
          )
        ),
        ...this.nodes.map(({ way }) => way),
        ...this.nodes.map(({ element }) => element)
      );
      this.box.replaceChildren(this.drawing);
    }

    node({ id, s, above, move, depth, row }, name) {
      const { game, tree } = this.run,
        all = signs(game, s, "X"),
        x = X(depth),
        y = Y(row) - SIZE / 2;
      const drawn = (mark) =>
        svg("path", {
          class: `ttt-small-${mark}`,
          d: all
            .map((sign, c) =>
              sign === mark ? DRAWN[mark](PART * (c % 3), PART * Math.floor(c / 3)) : ""
            )
            .join("")
        });
      const text = svg("text");
      const cut = svg("path", { class: "ttt-slash", d: `M-4 ${SIZE + 4}L${SIZE + 4} -4` });
      const element = svg(
        "g",
        {
          id: name,
          class: "ttt-node ttt-far",
          role: "treeitem",
          "aria-level": depth + 1,
          "aria-selected": "false",
          transform: `translate(${x} ${y})`
        },
        svg("rect", { x: -3, y: -3, width: SIZE + 6, height: SIZE + 6, rx: 4 }),
        drawn("X"),
        drawn("O"),
        cut,
        text
      );
      element.addEventListener("click", () => this.press(id));
      const way = svg("g", { class: "ttt-way ttt-far" });
      if (above >= 0) {
        const x0 = X(depth - 1) + SIZE + 38,
          y0 = Y(tree[above].row),
          y1 = Y(row);
        way.append(
          svg("path", { d: `M${x0} ${y0}L${x - 5} ${y1}` }),
          svg("text", { x: x - 12, y: y1 - 4 }, String(game.action[move]))
        );
      }
      return { element, way, text };
    }

    drawNode(place, state) {
      const { run } = this,
        { element, way, text } = this.nodes[place],
        { above } = run.tree[place];
      const upper = run.tree[place].above >= 0 ? this.now.states[above] : null;
      const best = upper?.what === "done" && state.answer === upper.answer;
      const now = JSON.stringify([state, best, place === this.now.here, run.prunes]);
      if (this.nodes[place].drawn === now) return;
      this.nodes[place].drawn = now;
      element.dataset.what = way.dataset.what = state.what;
      element.toggleAttribute("data-here", place === this.now.here);
      way.toggleAttribute("data-best", best);
      element.setAttribute("aria-label", run.about(place, this.now));
      let lines = [];
      if (state.what === "done") lines = [`${state.sign} ${minus(state.answer)}`];
      else if (state.what === "open" && run.prunes)
        lines = [`α ${minus(state.alpha)}`, `β ${minus(state.beta)}`];
      else if (state.what === "open" && state.best !== undefined)
        lines = ["so far", minus(state.best)];
      text.replaceChildren(
        ...lines.map((line, k) =>
          svg("tspan", { x: SIZE + 6, y: SIZE / 2 + 4 + 13 * (k - (lines.length - 1) / 2) }, line)
        )
      );
    }
  }

  ttt.lab.define("minimax_tree", SETTINGS, async (texts, lab) => new Run(lab, texts), View);
})();
