// Pictures of matchboxes: the position drawn on a box, with its beads on the cells that they
// stand for.

ttt.matchboxDrawing = (() => {
  "use strict";

  const { h, svg } = ttt.elements;
  const { count } = ttt.format;
  const { rounded } = ttt.chart;

  const SIDE = 40,
    HEAP = 9; // the side of a cell, and the largest number of beads drawn one by one
  const MARK = { X: "M-11-11 11 11M11-11-11 11", O: "M0-12A12 12 0 1 1-.01-12" };

  const text = (x, y, says, kind) => svg("text", { x, y, class: kind }, says);

  // One bead with a text.
  const bead = (cell, x, y, r, says) =>
    svg(
      "g",
      {
        class: "ttt-bead",
        style: `--bead: var(--ttt-bead-${cell % 9}); --on: var(--ttt-on-bead-${cell % 9})`
      },
      svg("circle", { cx: x, cy: y, r }),
      text(x, y + r * 0.35, says, says.length > 3 ? "ttt-long" : "")
    );

  // The beads of one cell with centre (x, y), each with the number of its cell.
  function heap(cell, x, y, n) {
    if (n > HEAP)
      return [
        bead(cell, x, y - 4, 8, String(cell)),
        text(x, y + 15, n < 1e6 ? count(n) : rounded(n), "ttt-many")
      ];
    const across = Math.min(3, Math.ceil(Math.sqrt(n))),
      down = Math.ceil(n / across);
    return Array.from({ length: n }, (_, k) =>
      bead(
        cell,
        x + 12 * ((k % across) - (across - 1) / 2),
        y + 12 * (Math.floor(k / across) - (down - 1) / 2),
        5.5,
        String(cell)
      )
    );
  }

  // The picture of a box. `marks` are the signs of its position, `beads` the number of beads
  // of each cell, null for cells without their own kind. `small` pictures show one bead of
  // each kind with its number. The cell `drawn` has a ring.
  function picture({ rows, columns }, { marks, beads, drawn = null, small = false }) {
    const width = columns * SIDE,
      height = rows * SIDE,
      parts = [];
    const kind = (c, x, y) =>
      small ? [bead(c, x, y, 14, rounded(beads[c]))] : heap(c, x, y, beads[c]);
    marks.forEach((mark, c) => {
      const x = ((c % columns) + 0.5) * SIDE,
        y = (Math.floor(c / columns) + 0.5) * SIDE;
      if (c === drawn)
        parts.push(
          svg("rect", { x: x - 18, y: y - 18, width: 36, height: 36, rx: 6, class: "ttt-drawn" })
        );
      if (MARK[mark])
        parts.push(
          svg("path", {
            d: MARK[mark],
            transform: `translate(${x} ${y})`,
            class: `ttt-mark-${mark}`
          })
        );
      else if (beads[c] > 0) parts.push(...kind(c, x, y));
    });
    const lines = [1, 2]
      .map((k) => `M${k * SIDE} 4V${height - 4}M4 ${k * SIDE}H${width - 4}`)
      .join("");
    return svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        class: small ? "ttt-box ttt-small" : "ttt-box",
        "aria-hidden": "true"
      },
      svg("path", { d: lines, class: "ttt-lines" }),
      ...parts
    );
  }

  // ---- beads that move over the lab; places are in the window, times in ms

  const MOVE = 200;

  // Move a bead over an element along places with their opacity.
  function move(over, cell, [from, to], options, opacity) {
    const { left, top } = over.getBoundingClientRect();
    const style = `--bead: var(--ttt-bead-${cell % 9})`;
    const one = h("i", { class: "ttt-moving", style, "aria-hidden": "true" });
    over.append(one);
    const frames = [from, to].map(([x, y], n) => ({
      translate: `${x - left}px ${y - top}px`,
      opacity: opacity[n]
    }));
    const run = one.animate(frames, { easing: "ease-in-out", fill: "backwards", ...options });
    run.onfinish = () => one.remove();
  }

  const fly = (over, cell, from, to, delay = 0) =>
    move(over, cell, [from, to], { duration: MOVE, delay }, [1, 1]);

  // A bead that is kept out rolls down and vanishes.
  const rollAway = (over, cell, [x, y], delay) =>
    move(
      over,
      cell,
      [
        [x, y],
        [x - 30, y + 120]
      ],
      { duration: 3 * MOVE, delay },
      [1, 0]
    );

  return { picture, fly, rollAway };
})();
