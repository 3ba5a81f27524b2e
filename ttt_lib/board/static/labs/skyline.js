// The skyline: the whole game as 765 dots, one for each class of positions, in ten columns
// by the number of marks, coloured by what somebody thinks of them. As `plots.skyline`.

ttt.skyline = (() => {
  "use strict";

  const { signs } = ttt.game;
  const { exactValues } = ttt.review;
  const { classes } = ttt.symmetry;
  const { h, svg } = ttt.elements;

  const LEVELS = 10; // shades of each colour
  const WIDE = { from: 640, across: 14, gap: 12, pitch: 8.2 }; // px; dots in a row of a column
  const NARROW = { across: 6, gap: 4, pitch: 11 };
  const BELOW = 20; // px for the numbers below the columns

  const SMALL = { below: 250, across: 6, gap: 2, pitch: 11 }; // without the numbers

  // Values in tenths from letters, k being 0; null for "." where it is unknown.
  const tenths = (letters) =>
    Array.from(letters, (letter) => (letter === "." ? null : letter.charCodeAt(0) - 107));

  const KEY = [
    ["none", "not met yet"],
    ["X", "X wins"],
    ["draw", "a draw"],
    ["O", "O wins"]
  ];

  // What the colours and the numbers mean.
  const key = () =>
    h(
      "p",
      { class: "ttt-sky-key" },
      ...KEY.map(([kind, text]) => h("span", { class: `ttt-key-${kind}` }, text)),
      h("span", {}, "0–9: marks on the board")
    );

  const marksOf = (game, s) => game.board(s).filter((mark) => mark !== 0).length;

  class Skyline {
    // `label(s)` is the text at the pointer for the representative s, and `across` the number
    // of dots in a row of a column where there is little room.
    constructor(game, label, across = NARROW.across) {
      this.narrow = { ...NARROW, across };
      this.game = game;
      this.label = label;
      this.classes = classes(game);
      const u = exactValues(game);
      this.columns = Array.from({ length: game.cells + 1 }, () => []);
      for (const s of this.classes) this.columns[marksOf(game, s)].push(s);
      for (const column of this.columns) column.sort((a, b) => u[a] - u[b] || a - b);
      this.values = new Map();
      this.picture = svg("svg", { "aria-hidden": "true" });
      this.tip = h("div", { class: "ttt-sky-tip", hidden: true, "aria-hidden": "true" });
      this.element = h(
        "div",
        {
          class: "ttt-skyline",
          role: "img",
          onpointermove: (event) => this.point(event),
          onpointerdown: (event) => this.point(event),
          onpointerleave: () => this.point(null)
        },
        this.picture,
        this.tip
      );
      new ResizeObserver(() => this.place()).observe(this.element);
    }

    // Show a value from −1 to 1 for each of the `classes`; null where it is unknown. `words`
    // say for screen readers what is seen.
    show(values, words) {
      this.values = new Map(this.classes.map((s, n) => [s, values[n]]));
      this.element.setAttribute("aria-label", words);
      this.draw();
    }

    // Put the dots into the width that there is.
    place() {
      const width = this.element.clientWidth;
      if (!width || width === this.width) return;
      this.width = width;
      const small = width < SMALL.below;
      const wider = width >= WIDE.from ? WIDE : this.narrow;
      const { across, gap, pitch } = small ? SMALL : wider;
      const below = small ? 0 : BELOW;
      const wide = this.columns.map((column) => Math.min(across, column.length));
      const dots = wide.reduce((sum, n) => sum + n);
      const gaps = (this.columns.length - 1) * gap;
      this.step = Math.min(pitch, (width - gaps) / dots);
      const rows = this.columns.map((column, n) => Math.ceil(column.length / wide[n]));
      this.height = Math.ceil(Math.max(...rows) * this.step) + below;
      this.at = new Map();
      this.middles = []; // of the columns that have a number
      let left = (width - dots * this.step - gaps) / 2;
      this.columns.forEach((column, n) => {
        column.forEach((s, k) => {
          const x = left + ((k % wide[n]) + 0.5) * this.step;
          const y = this.height - below - (Math.floor(k / wide[n]) + 0.5) * this.step;
          this.at.set(s, [x, y]);
        });
        if (!small) this.middles.push(left + (wide[n] * this.step) / 2);
        left += wide[n] * this.step + gap;
      });
      this.draw();
    }

    // One path for each shade: a dot is a line without length that has round ends.
    draw() {
      if (!this.at) return;
      const paths = new Map();
      for (const [s, [x, y]] of this.at) {
        const value = this.values.get(s) ?? null;
        const shade = value === null ? "none" : Math.round(value * LEVELS);
        const before = paths.get(shade) ?? "";
        paths.set(shade, `${before}M${x.toFixed(1)} ${y.toFixed(1)}h0`);
      }
      const size = 0.78 * this.step;
      const dots = [...paths].flatMap(([shade, d]) => {
        if (shade === "none")
          return [
            svg("path", { d, class: "ttt-sky-ring", "stroke-width": size }),
            svg("path", { d, class: "ttt-sky-hole", "stroke-width": size - 1.6 })
          ];
        const side = Math.sign(shade) === 1 ? "X" : "O";
        const path = svg("path", { d, class: `ttt-sky-${shade ? side : "draw"}` });
        path.setAttribute("stroke-width", String(size));
        path.style.setProperty("--ttt-share", `${(100 * Math.abs(shade)) / LEVELS}%`);
        return [path];
      });
      const names = this.middles.map((x, n) => {
        const name = svg("text", { x: x.toFixed(1), y: this.height - 5 });
        name.textContent = String(n);
        return name;
      });
      this.picture.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
      this.picture.setAttribute("height", String(this.height));
      this.picture.replaceChildren(...dots, ...names);
    }

    // The text of the dot at the pointer.
    point(event) {
      const near = event && this.nearest(event);
      this.tip.hidden = !near;
      if (!near) return;
      const [s, [x, y]] = near;
      const rows = signs(this.game, s, "X").join("").match(/.../g).join("\n");
      this.tip.replaceChildren(h("pre", {}, rows), h("span", {}, this.label(s)));
      const { left: from, right: to } = this.element.closest(".ttt").getBoundingClientRect();
      const start = this.picture.getBoundingClientRect().left;
      const most = to - start - this.tip.offsetWidth;
      const left = Math.max(from - start, Math.min(x - 40, most));
      this.tip.style.translate = `${left}px ${y + this.step}px`;
    }

    nearest({ clientX, clientY }) {
      const box = this.picture.getBoundingClientRect();
      const away = ([, [x, y]]) => Math.hypot(x - clientX + box.left, y - clientY + box.top);
      const [best] = [...this.at].sort((a, b) => away(a) - away(b));
      return away(best) < 2 * this.step ? best : null;
    }
  }

  return { Skyline, key, tenths };
})();
