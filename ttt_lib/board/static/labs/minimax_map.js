// The lab of the whole game: a dot for each class of positions, in columns by the number of
// marks, and the sweep that computes their values, from the full boards to the empty one.
//
// A mark is the number of layers that the sweep has done.

(() => {
  "use strict";

  const { list, signed, many } = ttt.format;
  const { terminal, pair, find, signs, signOf, cellsOf } = ttt.game;
  const { labels } = ttt.symmetry;
  const { h, svg } = ttt.elements;
  const { Grid } = ttt.grid;
  const { columnHeads, tableRow } = ttt.chart;

  // For each value u: its text, and the shape and class of a dot with radius 1.
  const VALUES = [1, 0, -1];
  const WINS = { 1: "X wins", 0: "draw", "-1": "O wins" };
  const SHAPE = { 1: "M-1-1L1 1M1-1L-1 1", 0: "M-1 0H1", "-1": "M0-1A1 1 0 1 1-.01-1Z" };
  const CLASS = { 1: "ttt-dot-x", 0: "", "-1": "ttt-dot-o" };
  const BELOW = 18; // px for the numbers of marks below the columns
  const UNKNOWN = "M-.5 0A.5 .5 0 1 1 .5 0A.5 .5 0 1 1-.5 0";

  const textOf = (game, s) => signs(game, s, "X").join("");
  const SETTINGS = {
    look: {
      label: "Dot",
      view: true,
      says: "A board; its dot stands for all boards that are equal to it if turned or mirrored",
      read: (text, { game }) => textOf(game, labels(game).box[find(game, text, "X").s])
    }
  };

  // ---- the run

  class Run {
    constructor(lab) {
      const { game } = lab,
        { size, cells, first, successor, toMove, outcome } = game;
      this.lab = lab;
      this.game = lab.game;
      this.first = "0";
      this.done = 0;
      this.box = labels(game).box;
      this.u = Float64Array.from(outcome);
      for (let s = size - 1; s >= 0; s--) {
        if (terminal(game, s)) continue;
        let value = -2;
        for (let i = first[s]; i < first[s + 1]; i++)
          value = Math.max(value, toMove[s] * this.u[successor[i]]);
        this.u[s] = toMove[s] * value;
      }
      this.layers = Array.from({ length: cells + 1 }, () => []);
      for (let s = 0; s < size; s++) if (this.box[s] === s) this.layers[this.marks(s)].push(s);
      for (const layer of this.layers) layer.sort((a, b) => this.u[a] - this.u[b] || a - b);
    }

    get mark() {
      return String(this.done);
    }
    get end() {
      return this.done === this.layers.length;
    }
    get next() {
      return String(this.done + 1);
    }
    get lookedAt() {
      return this.lab.lookedAt;
    }

    readMark(text) {
      if (!/^\d+$/.test(text) || Number(text) > this.layers.length)
        throw Error(`at=${text}: give a number of layers from 0 to ${this.layers.length}.`);
      return String(Number(text));
    }

    work(mark) {
      this.done = Number(mark);
      return true;
    }

    marks(s) {
      return this.game.board(s).filter((mark) => mark !== 0).length;
    }
    isKnown(s) {
      return this.marks(s) >= this.layers.length - this.done;
    }

    // The dots that can follow, without repetition.
    following(s) {
      const { first, successor } = this.game;
      return [
        ...new Set(Array.from(successor.subarray(first[s], first[s + 1]), (next) => this.box[next]))
      ];
    }

    // The number of dots of a layer with each value; null if the sweep has not reached it.
    counts(n) {
      return n < this.layers.length - this.done
        ? null
        : VALUES.map((u) => this.layers[n].filter((s) => this.u[s] === u).length);
    }

    // ---- descriptions

    description() {
      const { layers, done } = this,
        n = layers.length - done;
      if (done === 0)
        return "There are 765 dots, and none has a value yet. Which of them can get one without looking at other dots?";
      const [x, draws, o] = this.counts(n),
        all = `${many(layers[n].length, "dot")} with ${many(n, "mark")}`;
      const results = `X wins in ${x}, ${many(draws, "draw")}, O wins in ${o}`;
      return `${all}: ${results}.${this.end ? " Perfect play from the empty board is a draw." : ""}`;
    }

    answer() {
      if (!this.end) return "";
      const all = this.layers.flat(),
        [x, draws, o] = VALUES.map((u) => all.filter((s) => this.u[s] === u).length);
      const start = ["O wins", "a draw", "X wins"][1 + this.u[0]];
      return `X wins from ${x} dots, O from ${o}, and ${draws} are draws. The empty board: ${start}.`;
    }

    // An explanation of the value of a dot.
    why(s) {
      const { game, u } = this,
        value = WINS[u[s]],
        next = this.following(s);
      if (terminal(game, s)) {
        if (!this.isKnown(s)) return "The game is over here: the rules alone say who has won.";
        return `The game is over: ${u[s] ? value : "a draw"}, u = ${signed(u[s])}. The rules say so.`;
      }
      const mover = signOf(game.toMove[s]),
        rule = mover === "X" ? "largest" : "smallest";
      if (!this.isKnown(s))
        return `${mover} is to move here, so the value of this dot will be the ${rule} of the ${many(next.length, "dot")} that follow.`;
      const result = value === "draw" ? "the game is a draw" : value;
      const wants = `${mover} is to move and wants the ${rule} value.`;
      const same = next.every((t) => u[t] === u[s]);
      if (next.length === 1)
        return `${mover} is to move. The only dot that follows is worth ${signed(u[s])}, so ${result}.`;
      if (same)
        return `${wants} But all ${next.length} dots that follow are worth ${signed(u[s])}, so ${result}.`;
      const kinds = VALUES.map((each) => [
        next.filter((t) => u[t] === each).length,
        signed(each)
      ]).filter(([n]) => n);
      const worth = kinds.map(([n, each]) => `${n} ${n === 1 ? "is" : "are"} worth ${each}`);
      return `${wants} Of the ${next.length} dots that follow, ${list(worth)}. So u = ${signed(u[s])}: ${result}.`;
    }

    python() {
      const least = this.layers.length - this.done;
      return [
        "import numpy as np",
        "",
        "from ttt_lib.game import images, tables",
        "",
        "game = tables()",
        "layer = np.abs(game.board).sum(axis=1)",
        "kinds = np.unique(images(game).min(axis=0))",
        "u = game.outcome.astype(int)",
        `for s in reversed(np.flatnonzero(~game.terminal & (layer >= ${least}))):`,
        "    later = u[game.successor[s, : game.count[s]]]",
        "    u[s] = later.max() if game.to_move[s] == 1 else later.min()",
        `known = kinds[layer[kinds] >= ${least}]`,
        "[[int((u[known[layer[known] == n]] == who).sum()) for who in (1, 0, -1)] for n in range(10)]",
        ""
      ].join("\n");
    }
  }

  // ---- view

  class View {
    constructor(lab) {
      this.lab = lab;
      this.grid = new Grid(lab.game, "The board of the dot that is shown", (cell) =>
        lab.walk(cell)
      );
      this.why = h("p", { class: "ttt-says" });
      this.caption = h("p", { class: "ttt-outlook" });
      this.empty = lab.emptyBoard();
      this.option = h("span", {
        role: "option",
        id: `${lab.id}-dot`,
        "aria-selected": "true",
        class: "ttt-hidden"
      });
      this.picture = h("div", { "aria-hidden": "true" });
      this.dots = h(
        "div",
        {
          class: "ttt-dots",
          role: "listbox",
          tabindex: 0,
          "aria-label": "765 dots; arrows go from one to the next",
          "aria-activedescendant": this.option.id,
          onkeydown: (event) => this.arrow(event),
          onclick: (event) => this.touch(event)
        },
        this.picture,
        this.option
      );
      this.says = h("p", { class: "ttt-outlook" });
      this.table = h("table", { class: "ttt-counts" });
      this.below = [
        h("details", {}, h("summary", {}, "The numbers of dots in each column"), this.table)
      ];
      this.element = h(
        "div",
        { class: "ttt-whole-game" },
        this.dots,
        this.says,
        h(
          "div",
          { class: "ttt-backup" },
          this.grid.element,
          h("div", { class: "ttt-about" }, this.why, this.caption, this.empty)
        )
      );
      this.actions = [];
      new ResizeObserver(() => this.drawDots()).observe(this.dots);
    }

    get run() {
      return this.lab.run;
    }

    look(s) {
      this.lab.set("look", textOf(this.run.game, s));
    }

    // Choose the dot nearest to the pointer.
    touch({ clientX, clientY }) {
      const box = this.drawing.getBoundingClientRect(),
        x = clientX - box.left,
        y = clientY - box.top;
      const away = ([, at]) => Math.hypot(at[0] - x, at[1] - y);
      const [s] = [...this.places].reduce((best, each) => (away(each) < away(best) ? each : best));
      this.look(s);
    }

    // Up and down within a layer, left and right to the next layer.
    arrow(event) {
      const { run } = this,
        { layers, lookedAt: s } = run,
        n = run.marks(s),
        at = layers[n].indexOf(s),
        last = layers[n].length - 1;
      const beside = (layer) => layer && layer[Math.round((at / (last || 1)) * (layer.length - 1))];
      const goal = {
        ArrowUp: layers[n][at + 1],
        ArrowDown: layers[n][at - 1],
        Home: layers[n][0],
        End: layers[n][last],
        ArrowLeft: beside(layers[n - 1]),
        ArrowRight: beside(layers[n + 1])
      };
      if (!(event.key in goal)) return;
      event.preventDefault();
      event.stopPropagation();
      if (goal[event.key] !== undefined) this.look(goal[event.key]);
    }

    draw() {
      const { run } = this,
        { game, lookedAt: s } = run;
      const values = cellsOf(game, s, (i) =>
        run.isKnown(game.successor[i]) ? run.u[game.successor[i]] : null
      );
      this.grid.show(s, {
        values,
        exact: true,
        limits: [-1, 1],
        still: true,
        mark: "X",
        taken: (c) => pair(game, s, c) < 0
      });
      this.says.textContent = run.description();
      this.why.textContent = run.why(s);
      const hint = values.some((u) => u !== null)
        ? "On each cell: u after a mark there, seen by X. "
        : "";
      this.caption.textContent = terminal(game, s) ? "" : `${hint}Press a cell to go there.`;
      this.empty.hidden = s === 0;
      this.option.textContent = `${many(run.marks(s), "mark")}, ${textOf(game, s).match(/.../g).join(" / ")}. ${run.why(s)}`;
      this.drawDots();
      this.drawTable();
    }

    // Columns of dots, 4 or 6 wide, as the width allows.
    drawDots() {
      const { run } = this,
        wide = this.dots.clientWidth;
      if (!run || !wide) return;
      const column = wide / run.layers.length,
        across = column > 45 ? 6 : 4,
        step = Math.min(10, (column - 4) / across),
        r = 0.36 * step;
      const high =
        Math.ceil(Math.max(...run.layers.map((layer) => layer.length)) / across) * step + step;
      this.places = new Map();
      run.layers.forEach((layer, n) =>
        layer.forEach((s, k) => {
          const width = Math.min(layer.length, across);
          this.places.set(s, [
            column * (n + 0.5) + step * ((k % across) - (width - 1) / 2),
            high - step * (Math.floor(k / across) + 1)
          ]);
        })
      );
      const { lookedAt } = run,
        next = run.following(lookedAt),
        at = ([x, y]) => `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${r.toFixed(2)})`;
      const dots = [...this.places].map(([s, place]) => {
        const isKnown = run.isKnown(s);
        return svg("path", {
          d: isKnown ? SHAPE[run.u[s]] : UNKNOWN,
          class: isKnown ? CLASS[run.u[s]] : "ttt-dot",
          transform: at(place)
        });
      });
      const [x, y] = this.places.get(lookedAt),
        rings = [lookedAt, ...next].map((s) => {
          const [cx, cy] = this.places.get(s);
          return svg("circle", {
            cx,
            cy,
            r: r + 3,
            class: s === lookedAt ? "ttt-here" : "ttt-follows"
          });
        });
      const ways = next.map((s) =>
        svg("path", { d: `M${x} ${y}L${this.places.get(s).join(" ")}`, class: "ttt-follows" })
      );
      const names = run.layers.map((_, n) =>
        svg("text", { x: (column * (n + 0.5)).toFixed(1), y: high + 12 }, String(n))
      );
      this.drawing = svg(
        "svg",
        { width: wide, height: high + BELOW, "aria-hidden": "true" },
        ...ways,
        ...dots,
        ...rings,
        ...names
      );
      this.picture.replaceChildren(this.drawing);
    }

    drawTable() {
      const { run } = this,
        counts = run.layers.map((_, n) => run.counts(n));
      this.table.replaceChildren(
        h("tr", {}, h("th", { scope: "row" }, "marks"), ...columnHeads(...run.layers.keys())),
        ...VALUES.map((u, k) => tableRow([WINS[u]], ...counts.map((each) => each?.[k] ?? "·"))),
        tableRow(["all"], ...run.layers.map((layer) => layer.length))
      );
    }
  }

  ttt.lab.define("minimax_map", SETTINGS, async (texts, lab) => new Run(lab), View);
})();
