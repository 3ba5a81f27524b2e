// The grid of a board: its cells with marks, numbers and colours.

ttt.grid = (() => {
  "use strict";

  const { MARKS, signs } = ttt.game;
  const { scale } = ttt.colours;
  const { worth, bestCells, written } = ttt.overlays;
  const { h, drawing, hidden } = ttt.elements;

  // Each path has pathLength 1, so that CSS can animate it.
  const MARK = {
    X: ["M-24-24 24 24", "M24-24-24 24"],
    O: ["M0-27A27 27 0 1 1-.01-27"]
  };
  const drawnMark = (mark) =>
    drawing(
      "-50 -50 100 100",
      ...MARK[mark].map((d) => ["path", { d, class: `ttt-${mark}`, pathLength: 1 }])
    );

  // The content of a cell: its name, and its mark or numbers.
  function content(cell, mark, value, exact) {
    const name = h("span", { class: "ttt-name", "aria-hidden": "true" }, String(cell));
    if (mark) return [drawnMark(mark), hidden(`Cell ${cell}: ${mark}`)];
    if (value === null) return [name, hidden(`Cell ${cell}: free`)];
    const three = Array.isArray(value);
    const parts = written(value, exact)
      .map(([word, number]) => {
        const small = word && h("small", {}, three ? `${word} ` : ` ${word}`),
          bold = h("b", {}, number);
        return three ? h("span", {}, small, bold) : [bold, small];
      })
      .flat()
      .filter(Boolean);
    return [
      name,
      hidden(`Cell ${cell}: free,`),
      h("span", { class: three ? "ttt-three" : "ttt-number" }, ...parts)
    ];
  }

  // A grid whose cells can be pressed; without `press` it is a picture, which the text
  // beside it describes.
  class Grid {
    constructor(game, label, press) {
      this.game = game;
      const cell = (c) =>
        press
          ? h("button", {
              type: "button",
              role: "gridcell",
              class: "ttt-cell",
              tabindex: c === 0 ? 0 : -1,
              onclick: () => press(c),
              onfocus: () => this.reach(c)
            })
          : h("span", { class: "ttt-cell" });
      this.cells = Array.from({ length: game.cells }, (_, c) => cell(c));
      const rows = Array.from({ length: game.rows }, (_, r) =>
        h(
          "div",
          { role: press && "row", class: "ttt-row" },
          ...this.cells.slice(r * game.columns, (r + 1) * game.columns)
        )
      );
      this.inside = []; // the current content of each cell, as JSON
      this.grid = h(
        "div",
        {
          class: "ttt-grid",
          ...(press && {
            role: "grid",
            "aria-label": label,
            onkeydown: (event) => this.arrow(event)
          })
        },
        ...rows
      );
      this.line = h("div", { class: "ttt-through", "aria-hidden": "true" });
      this.element = h(
        "div",
        { class: "ttt-tiles", "aria-hidden": press ? null : "true" },
        this.grid,
        this.line
      );
    }

    // Show marks and values, and return their colour scale, or null.
    //   marks          X, O or null in each cell; `lines` are the winning lines
    //   values         a number, three or null for each cell, from the view of `mark`;
    //                  `exact` and `limits` as in overlays.js, `still` as in colours.js
    //   ring           whether the best cells have a ring
    //   last, explored the cell of the last move, and whether it was exploratory
    //   taken(c)       whether a cell cannot be chosen; `ghost` is the mark shown under the
    //                  pointer, or an empty text
    /** @param {Shown} shown */
    draw({
      marks,
      lines = [],
      values,
      exact,
      limits,
      still,
      mark,
      ring,
      last,
      explored,
      taken,
      ghost = ""
    }) {
      const free = values?.filter((value) => value !== null).map(worth) ?? [];
      const colours = free.length > 0 && limits ? scale(free, limits, mark, still) : null;
      const ringed = colours && ring ? bestCells(values) : [];
      this.cells.forEach((cell, c) => {
        const value = values?.[c] ?? null;
        this.fill(cell, c, marks[c], value, exact);
        if (taken) cell.setAttribute("aria-disabled", String(taken(c)));
        cell.classList.toggle("ttt-won", lines.flat().includes(c));
        cell.classList.toggle("ttt-last", c === last);
        cell.classList.toggle("ttt-explored", c === last && Boolean(explored));
        cell.classList.toggle("ttt-best", ringed.includes(c));
        const tone = value === null || !colours ? null : colours.tone(worth(value));
        for (const each of MARKS) cell.classList.toggle(`ttt-for-${each}`, tone?.mark === each);
        cell.style.setProperty("--ttt-share", tone?.share.toFixed(4) ?? 0);
      });
      this.grid.dataset.ghost = ghost;
      this.drawLines(lines, lines.length ? marks[lines[0][0]] : null);
      return colours;
    }

    // Show position s, X moving first, with the winning lines; `more` as in `draw`.
    /** @param {number} s @param {Partial<Shown>} [more] */
    show(s, more = {}) {
      const marks = signs(this.game, s, "X").map((sign) => (sign === "." ? null : sign));
      const lines = this.game.lines.filter(
        (cells) => marks[cells[0]] && cells.every((c) => marks[c] === marks[cells[0]])
      );
      return this.draw({ marks, lines, ...more });
    }

    // Unchanged cells are not redrawn, so that marks are not animated again.
    fill(cell, c, mark, value, exact) {
      const now = JSON.stringify([mark, value, exact]);
      if (this.inside[c] === now) return;
      this.inside[c] = now;
      cell.replaceChildren(...content(c, mark, value, exact));
    }

    // Strokes through winning lines, in units of a cell.
    drawLines(lines, mark) {
      const now = JSON.stringify(lines);
      if (this.through === now) return;
      this.through = now;
      const { rows, columns } = this.game,
        at = (c) => [(c % columns) + 0.5, Math.floor(c / columns) + 0.5];
      const strokes = lines.map((cells) => {
        const [x, y] = at(cells[0]),
          [x2, y2] = at(cells.at(-1)),
          by = 0.3 / Math.hypot(x2 - x, y2 - y);
        const d = `M${x - by * (x2 - x)} ${y - by * (y2 - y)}L${x2 + by * (x2 - x)} ${y2 + by * (y2 - y)}`;
        return ["path", { d, class: `ttt-${mark}`, pathLength: 1 }];
      });
      this.line.replaceChildren(
        ...(strokes.length ? [drawing(`0 0 ${columns} ${rows}`, ...strokes)] : [])
      );
    }

    // Roving tabindex: Tab goes to the cell last used, arrows go from cell to cell.
    reach(cell) {
      this.cells.forEach((each, c) => each.setAttribute("tabindex", c === cell ? 0 : -1));
    }

    arrow(event) {
      this.grid.dataset.keys = ""; // some browsers show no focus ring after a click
      const { rows, columns, cells } = this.game;
      const cell = this.cells.indexOf(document.activeElement);
      const row = Math.floor(cell / columns),
        column = cell % columns;
      const goal = {
        ArrowLeft: column > 0 && cell - 1,
        ArrowRight: column < columns - 1 && cell + 1,
        ArrowUp: row > 0 && cell - columns,
        ArrowDown: row < rows - 1 && cell + columns,
        Home: event.ctrlKey ? 0 : row * columns,
        End: event.ctrlKey ? cells - 1 : (row + 1) * columns - 1
      }[event.key];
      if (goal === undefined) return;
      event.preventDefault();
      event.stopPropagation(); // pages and notebooks use arrow keys, too
      if (goal !== false) this.cells[goal].focus();
    }
  }

  return { Grid };
})();
