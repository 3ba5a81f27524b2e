// The wall of MENACE: all its boxes, in a column for each of its moves, coloured by what they
// have learned.

ttt.matchboxWall = (() => {
  "use strict";

  const { signs } = ttt.game;
  const { exactValues } = ttt.review;
  const { h, svg, put } = ttt.elements;

  const ACROSS = [1, 2, 10, 15]; // boxes in a row of each column
  const BELOW = 18; // px for the names below the columns
  const KINDS = [
    ["X", "wins"],
    ["draw", "draws"],
    ["O", "loses"]
  ];
  const SWATCHES = [
    ["even", "none yet"],
    ["empty", "no beads left"]
  ];

  // What the colours mean, in a line.
  function key() {
    const item = ([kind, says]) => h("span", {}, h("i", { class: `ttt-sees-${kind}` }), says);
    return h(
      "p",
      { class: "ttt-key" },
      h("span", {}, "Its likeliest move"),
      ...KINDS.map(item),
      ...SWATCHES.map(item)
    );
  }

  function kindOf(learned) {
    if (!learned) return "empty";
    if (!learned.cells.length) return "even";
    if (learned.worth === 0) return "draw";
    return learned.worth > 0 ? "X" : "O";
  }

  // A square around a middle, crossed out if the box is empty.
  function shape([x, y], half, kind) {
    const [left, top, side] = [x - half, y - half, 2 * half].map((n) => n.toFixed(1));
    const cross = `M${left} ${top}l${side} ${side}m-${side} 0l${side}-${side}`;
    return `M${left} ${top}h${side}v${side}h-${side}z${kind === "empty" ? cross : ""}`;
  }

  class Wall {
    // `open(b)` is called with the box at the pointer or of the arrow keys, and with null when
    // there is none any more.
    constructor(run, id, open) {
      this.open = open;
      const u = exactValues(run.game),
        before = (b) => signs(run.game, b, "X").filter((sign) => sign === "X").length;
      this.columns = ACROSS.map((_, n) => run.list.filter((b) => before(b) === n));
      for (const column of this.columns) column.sort((a, b) => u[a] - u[b] || a - b);
      this.order = this.columns.flat();
      this.at = 0; // the number of the box that the arrows go from
      this.shown = null; // the box that is open
      this.used = [];
      this.boxes = new Map(this.order.map((b) => [b, svg("path")]));
      this.names = this.columns.map(() => svg("text"));
      this.picture = svg("svg", { "aria-hidden": "true" }, ...this.boxes.values(), ...this.names);
      this.option = h("span", {
        role: "option",
        id: `${id}-box`,
        "aria-selected": "true",
        class: "ttt-hidden"
      });
      this.list = h(
        "div",
        {
          class: "ttt-wall",
          role: "listbox",
          tabindex: 0,
          "aria-label": `${this.order.length} boxes; arrows go from one to the next`,
          "aria-activedescendant": this.option.id,
          onpointermove: (event) => this.point(event),
          onpointerdown: (event) => this.point(event),
          onpointerleave: () => this.leave(),
          onkeydown: (event) => this.arrow(event),
          onfocus: () => this.go(this.at),
          onblur: () => this.go(null)
        },
        this.picture,
        this.option
      );
      this.element = h("div", { class: "ttt-boxes" }, this.list, key());
      new ResizeObserver(() => this.place()).observe(this.list);
    }

    // Put the boxes into the width that there is.
    place() {
      const width = this.list.clientWidth;
      if (!width || width === this.width) return;
      this.width = width;
      const across = ACROSS.reduce((all, n) => all + n),
        gap = width / 40,
        step = (width - gap * (ACROSS.length - 1)) / across,
        rows = this.columns.map((column, n) => Math.ceil(column.length / ACROSS[n])),
        floor = Math.max(...rows) * step;
      this.step = step;
      this.places = new Map(); // the middles of the boxes
      let left = 0;
      this.columns.forEach((column, n) => {
        column.forEach((b, k) => {
          const x = left + ((k % ACROSS[n]) + 0.5) * step,
            y = floor - (Math.floor(k / ACROSS[n]) + 0.5) * step;
          this.places.set(b, [x, y]);
        });
        const name = this.names[n];
        name.setAttribute("x", String(left + (ACROSS[n] * step) / 2));
        name.setAttribute("y", String(floor + 14));
        name.textContent = n < 2 ? String(column.length) : `${column.length} for move ${n + 1}`;
        left += ACROSS[n] * step + gap;
      });
      this.picture.setAttribute("viewBox", `0 0 ${width} ${floor + BELOW}`);
      this.picture.setAttribute("height", String(floor + BELOW));
      this.paint();
    }

    // Show what the run has learned; the boxes that are `used` have a frame.
    draw(run, used) {
      this.run = run;
      this.used = used;
      this.paint();
      this.describe();
    }

    paint() {
      const { run, used, places, step } = this;
      if (!run || !places) return;
      for (const [b, box] of this.boxes) {
        const learned = run.learned(b),
          kind = kindOf(learned);
        box.setAttribute("d", shape(places.get(b), 0.42 * step, kind));
        box.setAttribute("class", `ttt-sees-${kind}`);
        box.style.setProperty("--ttt-share", `${Math.round(100 * (learned?.share ?? 0))}%`);
        box.classList.toggle("ttt-used-box", used.includes(b));
        box.classList.toggle("ttt-open-box", b === this.shown);
      }
    }

    describe() {
      put(this.option, this.run.ofBox(this.order[this.at]));
    }

    // ---- one box

    // Open the box with this number in the order of the wall, or none.
    go(n) {
      const b = n === null ? null : this.order[n];
      if (b === this.shown) return;
      this.shown = b;
      if (b !== null) this.at = n;
      this.describe();
      this.paint();
      this.open(b);
    }

    point({ clientX, clientY }) {
      const from = this.picture.getBoundingClientRect();
      const away = ([x, y]) => Math.hypot(x - clientX + from.left, y - clientY + from.top);
      const all = this.order.map((b, n) => [n, away(this.places.get(b))]);
      const [n, far] = all.reduce((best, each) => (each[1] < best[1] ? each : best));
      if (far < 2 * this.step) this.go(n);
    }

    leave() {
      if (!this.list.matches(":focus")) this.go(null);
    }

    // Up and down within a column, left and right within a row and on to the next column.
    arrow(event) {
      const n = this.columns.findIndex((column) =>
          column.includes([...this.boxes.keys()][this.at])
        ),
        first = this.columns.slice(0, n).flat().length,
        end = first + this.columns[n].length;
      const goal = {
        ArrowUp: this.at + ACROSS[n] < end ? this.at + ACROSS[n] : this.at,
        ArrowDown: this.at - ACROSS[n] >= first ? this.at - ACROSS[n] : this.at,
        ArrowLeft: Math.max(this.at - 1, 0),
        ArrowRight: Math.min(this.at + 1, this.order.length - 1),
        Home: first,
        End: end - 1
      }[event.key];
      if (goal === undefined) return;
      event.preventDefault();
      event.stopPropagation(); // pages and notebooks use arrow keys, too
      this.go(goal);
    }

    // The middle of a box in the window.
    middle(b) {
      const { left, top } = this.picture.getBoundingClientRect(),
        [x, y] = this.places.get(b);
      return [left + x, top + y];
    }
  }

  return { Wall };
})();
