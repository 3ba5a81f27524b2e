// The floor of the lab of sweeps: squares that can be pressed or drawn, and a walker.

ttt.floor = (() => {
  "use strict";

  const { fixed, minus } = ttt.format;
  const { h } = ttt.elements;
  const { Grid } = ttt.grid;

  const SQUARES = { ".": "free", "#": "wall", E: "exit" };
  const ARROWS = ["↑", "↓", "←", "→"],
    NAMES = ["up", "down", "left", "right"];

  const PACE = 280; // ms of a step of the walker

  // The grid of a floor. press(c) is called for a pressed square, and draw(squares, sign) for a
  // line of squares, which shall become walls "#" or free ".": a line with the pointer builds,
  // and takes away if it begins at a wall; Shift and the arrow keys build.
  class Floor extends Grid {
    constructor(floor, press, draw) {
      const rows = floor.split("|"),
        signs = rows.join("");
      super(
        { rows: rows.length, columns: rows[0].length, cells: signs.length },
        "The floor; Shift and an arrow build a wall",
        (c) => !this.drawn && press(c)
      );
      this.texts = floor;
      this.signs = signs;
      this.draws = draw;
      this.drawn = false; // a click that ends a line presses nothing
      this.element.classList.add("ttt-floor");
      this.element.style.setProperty("--rows", String(rows.length));
      this.element.style.setProperty("--columns", String(rows[0].length));
      this.grid.addEventListener("pointerdown", (event) => this.follow(event));
      this.walker = h("div", { class: "ttt-walker", "aria-hidden": "true", hidden: true });
      this.element.append(this.walker);
    }

    // Follow the pointer from a square on, and draw the squares that it crosses.
    follow({ clientX, clientY, button }) {
      const line = new Set(),
        ended = new AbortController(),
        { signal } = ended;
      const cross = (event) => {
        const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest(".ttt-cell"),
          c = this.cells.indexOf(cell);
        if (c >= 0) line.add(c);
        if (line.size > 1) for (const each of line) this.cells[each].classList.add("ttt-drawn");
      };
      this.drawn = false;
      if (button !== 0) return;
      cross({ clientX, clientY });
      addEventListener("pointermove", cross, { signal });
      addEventListener("pointercancel", () => ended.abort(), { signal });
      addEventListener(
        "pointerup",
        () => {
          ended.abort();
          for (const cell of this.cells) cell.classList.remove("ttt-drawn");
          this.drawn = line.size > 1;
          if (this.drawn) this.draws([...line], this.signs[[...line][0]] === "#" ? "." : "#");
        },
        { signal }
      );
    }

    arrow(event) {
      const from = this.cells.indexOf(document.activeElement);
      this.drawn = false;
      super.arrow(event);
      const to = this.cells.indexOf(document.activeElement);
      if (event.shiftKey && to !== from) this.draws([from, to], "#");
    }

    // Show the walker on these squares, one after another, and the way that it has gone; at
    // once if movement is not wanted. `exit` is the square at the end, if there is one.
    async walk(squares, exit) {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches,
        way = exit === null ? squares : [...squares, exit],
        steps = still ? [way.length] : [...way.keys(), way.length];
      const walk = (this.walking = {});
      for (const n of steps) {
        if (this.walking !== walk) return;
        this.stand(way.slice(0, n + 1));
        if (!still) await new Promise((done) => setTimeout(done, PACE));
      }
    }

    // Show a way whose last square is that of the walker; none if it is empty.
    stand(way) {
      const { columns, rows } = this.game,
        c = way.at(-1) ?? 0;
      this.cells.forEach((cell, each) => cell.classList.toggle("ttt-passed", way.includes(each)));
      this.walker.hidden = way.length === 0;
      this.walker.style.left = `${(100 * ((c % columns) + 0.5)) / columns}%`;
      this.walker.style.top = `${(100 * (Math.floor(c / columns) + 0.5)) / rows}%`;
    }

    leave() {
      this.walking = null;
      this.stand([]);
    }

    // `ways` has the arrows of each square, and `wrong` whether its value is marked as wrong;
    // the view sets them.
    fill(cell, c, mark, value) {
      const kind = SQUARES[this.signs[c]],
        ways = this.ways?.[c] ?? [],
        wrong = this.wrong?.[c] ?? false,
        now = JSON.stringify([value, ways, wrong]);
      if (this.inside[c] === now) return;
      this.inside[c] = now;
      cell.dataset.square = kind;
      cell.classList.toggle("ttt-wrong", wrong);
      const best = ways.length ? `, best ${ways.map((a) => NAMES[a]).join(" or ")}` : "";
      const text = value === null ? kind : `${fixed(value)}${wrong ? ", now wrong" : ""}${best}`;
      const digits =
        value === null
          ? []
          : [
              h("b", {}, minus(value.toFixed(Math.abs(value) < 10 ? 2 : 1))),
              h("small", {}, ways.map((a) => ARROWS[a]).join(""))
            ];
      cell.replaceChildren(
        h("span", { class: "ttt-hidden" }, `Square ${c}: ${text}`),
        h(
          "span",
          { class: "ttt-number", "aria-hidden": "true" },
          ...(kind === "exit" ? [h("small", {}, "exit")] : digits)
        )
      );
    }
  }

  return { Floor };
})();
