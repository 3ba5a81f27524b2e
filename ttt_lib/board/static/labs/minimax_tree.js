// The lab of the game tree: minimax or alpha-beta searches below a late board, and each board
// shows its window, its value, or that it was pruned. Before the first step the reader names
// the boards that will be pruned.

(() => {
  "use strict";

  const { minus } = ttt.format;
  const { signs } = ttt.game;
  const { SETTINGS, Run } = ttt.treeSearch;
  const { h, svg } = ttt.elements;
  const { Grid } = ttt.grid;

  const MAX = 1;
  const SIZE = 30,
    WIDE = 90,
    HIGH = 40; // of a board; of its cell, with text and branch
  const SIGNS = { open: "?", right: "✓", wrong: "✗" }; // of boards that were named

  const PART = SIZE / 3; // a cell of a board
  const DRAWN = {
    X: (x, y) => `M${x + 2.7} ${y + 2.7}l5 5m0-5l-5 5`,
    O: (x, y) => `M${x + 5.2} ${y + 2.5}a2.8 2.8 0 1 1-.01 0`
  };
  const X = (depth) => depth * WIDE + 4,
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
        "aria-label":
          "The tree; arrows go from board to board, and Enter names one that will be cut"
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

    // Enlarge a board, and before the first step name it as cut, too.
    press(place) {
      const { run, lab } = this;
      this.chosen = place;
      if (run.at > 0 || lab.busy || lab.playing) return this.choose(place);
      run.name(place);
      lab.stop();
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
      const names = event.key === "Enter" || event.key === " ";
      if (!names && !(event.key in goals)) return;
      event.preventDefault();
      event.stopPropagation();
      if (names) return this.press(place);
      if (!tree[goals[event.key]]) return;
      this.chosen = goals[event.key];
      this.choose(this.chosen);
    }

    // Draw all boards of the tree, without their states.
    grow(grown) {
      const { run, lab } = this,
        { tree, rows } = run,
        depth = Math.max(...tree.map((node) => node.depth));
      this.grown = grown;
      this.chosen = null;
      this.shown = null;
      this.wide = X(depth) + SIZE + 26;
      this.nodes = tree.map((node) => this.node(node, `${lab.id}-node-${node.id}`));
      this.drawing = svg(
        "svg",
        {
          viewBox: `0 0 ${this.wide} ${Y(rows - 1) + HIGH / 2 + 4}`,
          role: "presentation",
          style: `min-width: ${0.97 * this.wide}px`
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
      const text = svg("text"),
        named = svg("text", { class: "ttt-named", x: SIZE + 6 });
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
        text,
        named
      );
      element.addEventListener("click", () => this.press(id));
      const way = svg("g", { class: "ttt-way ttt-far" });
      if (above >= 0) {
        const x0 = X(depth - 1) + SIZE + 34,
          y0 = Y(tree[above].row),
          y1 = Y(row);
        way.append(
          svg("path", { d: `M${x0} ${y0}L${x - 16} ${y1}` }), // the cell stands at its end
          svg("text", { x: x - 13, y: y1 + 4 }, String(game.action[move]))
        );
      }
      return { element, way, text, named };
    }

    drawNode(place, state) {
      const { run } = this,
        { element, way, text, named } = this.nodes[place],
        { above } = run.tree[place];
      const upper = run.tree[place].above >= 0 ? this.now.states[above] : null;
      const best = upper?.what === "done" && state.answer === upper.answer;
      const fate = run.fate(place, state.what),
        now = JSON.stringify([state, best, place === this.now.here, run.prunes, fate]);
      if (this.nodes[place].drawn === now) return;
      this.nodes[place].drawn = now;
      element.dataset.what = way.dataset.what = state.what;
      element.toggleAttribute("data-here", place === this.now.here);
      element.dataset.named = fate ?? "";
      named.textContent = SIGNS[fate] ?? "";
      named.setAttribute("y", String(fate === "wrong" ? 1 : SIZE / 2 + 5)); // above a value
      way.toggleAttribute("data-best", best);
      element.setAttribute("aria-label", run.about(place, this.now));
      let lines = [];
      if (state.what === "done") lines = [`${state.sign} ${minus(state.answer)}`];
      else if (state.what === "open" && run.prunes)
        lines = [`α ${minus(state.alpha)}`, `β ${minus(state.beta)}`];
      else if (state.what === "open" && state.best !== undefined)
        lines = ["best", minus(state.best)];
      text.replaceChildren(
        ...lines.map((line, k) =>
          svg("tspan", { x: SIZE + 6, y: SIZE / 2 + 4 + 13 * (k - (lines.length - 1) / 2) }, line)
        )
      );
    }
  }

  ttt.lab.define("minimax_tree", SETTINGS, async (texts, lab) => new Run(lab, texts), View);
})();
