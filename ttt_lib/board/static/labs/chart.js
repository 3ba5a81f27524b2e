// Curves against the number of games, on a log axis that begins at 0; or against another
// number, on an axis as `LINEAR`.

ttt.chart = (() => {
  "use strict";

  const { count, minus } = ttt.format;
  const { h, svg } = ttt.elements;

  // An axis: how much of its length lies before n if it goes `far`, where it has numbers,
  // and how they are written.
  const LOG = {
    share: (n, far) => Math.log10(n + 1) / Math.log10(Math.max(far, 10) + 1),
    ticks: (far) => [
      0,
      ...Array.from({ length: Math.floor(Math.log10(far)) + 1 }, (_, k) => 10 ** k)
    ],
    text: short
  };
  const LINEAR = {
    share: (n, far) => n / far,
    ticks: (far) => [0, 1, 2, 3, 4, 5].map((k) => (far * k) / 5),
    text: short
  };

  // A chart that is drawn anew with each `draw`; what it shows is said beside it.
  class Chart {
    constructor(label, axis = LOG) {
      this.names = h("div", { class: "ttt-names" });
      this.picture = h("div", { class: "ttt-picture" });
      this.element = h(
        "div",
        { class: "ttt-chart", "aria-hidden": "true" },
        this.names,
        this.picture
      );
      this.label = label;
      this.axis = axis;
      new ResizeObserver(() => this.given && this.draw(this.given)).observe(this.element);
    }

    // curves: {name, points: [[games, value], …], line: "third", dashed}; `low` and `high`
    // are the ends of the values, `games` how far the axis goes; `dashed` may be a pattern.
    // A curve's value stands at its end, or the text `end`; `rules` are [where, text],
    // lines from above to below.
    // eslint-disable-next-line max-lines-per-function -- all that is drawn lies on the same axes
    draw(given) {
      this.given = given;
      const { curves, low, high, games, rules = [] } = given,
        { share, ticks, text } = this.axis;
      const width = this.picture.clientWidth || 600,
        height = Math.min(240, Math.max(170, width * 0.42));
      const levels = [0, 1, 2, 3, 4].map((k) => low + ((high - low) * k) / 4);
      const room = (least, texts) =>
        Math.max(least, ...texts.map((each = "") => 12 + 6.5 * each.length));
      const left = room(40, levels.map(short)),
        right = room(
          56,
          curves.map(({ end }) => end)
        ),
        top = 12,
        bottom = 34;
      const x = (n) => left + (width - left - right) * share(n, games);
      const y = (value) => top + ((height - top - bottom) * (high - value)) / (high - low);
      const parts = [];
      for (const value of levels) {
        parts.push(
          svg("path", { d: `M${left} ${y(value)}H${width - right}`, class: "ttt-rule" }),
          svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, short(value))
        );
      }
      for (const n of ticks(games)) {
        if (x(n) < left + 14 && n > 0) continue;
        parts.push(
          svg("path", { d: `M${x(n)} ${height - bottom}v4`, class: "ttt-rule" }),
          svg("text", { x: x(n), y: height - bottom + 17, "text-anchor": "middle" }, text(n))
        );
      }
      for (const [n, says] of rules) {
        parts.push(
          svg("path", { d: `M${x(n)} ${top}V${height - bottom}`, class: "ttt-rule ttt-dashed" }),
          svg("text", { x: x(n) + 4, y: height - bottom - 5 }, says)
        );
      }
      parts.push(
        svg(
          "text",
          { x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle" },
          this.label
        )
      );
      const ends = curves
        .filter(({ points }) => points.length)
        .map((curve) => {
          const [n, value] = curve.points.at(-1);
          return { ...curve, value, at: y(value), n };
        });
      for (const { points, line, dashed, n, at } of ends) {
        const d = points
          .map(([n, value], k) => `${k ? "L" : "M"}${x(n).toFixed(1)} ${y(value).toFixed(1)}`)
          .join("");
        parts.push(
          stroke(d, line, dashed),
          svg("circle", { cx: x(n), cy: at, r: 3.5, style: `fill: var(--ttt-${line})` })
        );
      }
      // Where each curve ends its value stands, apart from the others.
      ends.sort((one, other) => one.at - other.at);
      const places = [];
      for (const { at } of ends) places.push(Math.max(at + 4, (places.at(-1) ?? 0) + 14));
      const over = Math.max(0, (places.at(-1) ?? 0) - (height - bottom + 4));
      ends.forEach(({ value, line, end }, k) =>
        parts.push(
          svg(
            "text",
            { x: width - right + 9, y: places[k] - over, style: `fill: var(--ttt-${line})` },
            end ?? ttt.format.fixed(value)
          )
        )
      );
      const names = curves
        .filter(({ name }) => name)
        .map(({ name, line, dashed }) =>
          h(
            "span",
            {},
            svg(
              "svg",
              { viewBox: "0 0 24 8", width: 24, height: 8 },
              stroke("M0 4H24", line, dashed)
            ),
            name
          )
        );
      this.names.replaceChildren(...names);
      this.picture.replaceChildren(
        svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height }, ...parts)
      );
    }
  }

  // A curve's line, of which `dashed` says how it differs where colours do not.
  const stroke = (d, line, dashed) =>
    svg("path", {
      d,
      class: "ttt-curve",
      "stroke-dasharray": dashed === true ? "5 4" : dashed || "none",
      style: `stroke: var(--ttt-${line})`
    });

  // A number in few characters.
  const plain = (n) => minus(count(n));
  const compact = new Intl.NumberFormat("en", { notation: "compact" });
  const rounded = (n) => compact.format(n).replace("K", "k");
  function short(n) {
    if (n >= 1e6) return `${plain(n / 1e6)}M`;
    return n >= 1e4 ? `${plain(n / 1e3)}k` : plain(n);
  }

  // Of a table its heads, and a row; the head of a row may have parts.
  const columnHeads = (...texts) => texts.map((text) => h("th", { scope: "col" }, String(text)));
  const tableRow = (head, ...values) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, ...head),
      ...values.map((value) => h("td", {}, String(value)))
    );

  // An equation as pieces [text, what it is]; one that is still to come is pale.
  const equation = (pieces, later) =>
    h(
      "div",
      { class: later ? "ttt-equation ttt-later" : "ttt-equation" },
      ...pieces.map(([text, what]) =>
        h("span", { class: what ? "ttt-term" : "" }, h("b", {}, text), what && h("small", {}, what))
      )
    );

  return { Chart, LINEAR, stroke, rounded, columnHeads, tableRow, equation };
})();
