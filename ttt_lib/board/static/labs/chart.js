// Line charts against the number of games, on a log axis that begins at 0, or on a `LINEAR`
// axis.

ttt.chart = (() => {
  "use strict";

  const { count, minus } = ttt.format;
  const { h, svg } = ttt.elements;

  // An axis: the share of its length before n if it ends at `far`, its ticks, and the text of
  // a tick.
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

  const PHONE = 400; // px, the width below which a chart is low
  const HEIGHT = 170;

  // A chart, redrawn by each `draw`; text beside it describes it. `about` is its heading.
  class Chart {
    constructor(label, axis = LOG) {
      this.about = h("p", { class: "ttt-outlook" });
      this.names = h("div", { class: "ttt-names" });
      this.picture = h("div", { class: "ttt-picture" });
      this.element = h(
        "div",
        { class: "ttt-chart", "aria-hidden": "true" },
        this.about,
        this.names,
        this.picture
      );
      this.label = label;
      this.axis = axis;
      new ResizeObserver(() => this.options && this.draw(this.options)).observe(this.element);
    }

    // curves: {name, points: [[games, value], …], line: "grey", dashed}; `low` and `high`
    // are the ends of the value axis, `games` that of the other, and `tall` is the height in
    // px; `dashed` may be a pattern. Each curve has its last value at its end, or the text
    // `end`, and may have a `band`, [[games, low, high], …]; `rules` are [n, text], vertical
    // lines.
    // eslint-disable-next-line max-lines-per-function -- all parts use the same axes
    draw(options) {
      this.options = options;
      const { curves, low, high, games, tall = HEIGHT, rules = [] } = options,
        { share, ticks, text } = this.axis;
      const width = this.picture.clientWidth || 600,
        height = width < PHONE && this.element.closest(".ttt").clientWidth < PHONE ? 120 : tall;
      const levels = [0, 1, 2, 3, 4].map((k) => low + ((high - low) * k) / 4);
      const space = (least, texts) =>
        Math.max(least, ...texts.map((each = "") => 12 + 6.5 * each.length));
      const left = space(40, levels.map(short)),
        right = space(
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
      for (const { band, line } of curves.filter((curve) => curve.band)) {
        const edge = [
            ...band.map(([n, low]) => [n, low]),
            ...band.map(([n, , up]) => [n, up]).reverse()
          ],
          d = edge.map(([n, value]) => `${x(n).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
        parts.push(
          svg("path", { d: `M${d}Z`, class: "ttt-band", style: `fill: var(--ttt-${line})` })
        );
      }
      for (const { points, line, dashed, n, at } of ends) {
        const d = points
          .map(([n, value], k) => `${k ? "L" : "M"}${x(n).toFixed(1)} ${y(value).toFixed(1)}`)
          .join("");
        parts.push(
          stroke(d, line, dashed),
          svg("circle", { cx: x(n), cy: at, r: 3.5, style: `fill: var(--ttt-${line})` })
        );
      }
      // The labels at the ends of the curves, without overlap.
      ends.sort((one, other) => one.at - other.at);
      const places = [];
      for (const { at } of ends) places.push(Math.max(at + 4, (places.at(-1) ?? 0) + 14));
      let lowest = height - bottom + 4;
      for (let k = places.length - 1; k >= 0; k--) {
        places[k] = Math.min(places[k], lowest);
        lowest = places[k] - 14;
      }
      ends.forEach(({ value, line, end }, k) =>
        parts.push(
          svg(
            "text",
            { x: width - right + 9, y: places[k], style: `fill: var(--ttt-${line})` },
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

  // The path of a curve; `dashed` distinguishes it without colour.
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

  // The head cells of a table, and a row; `head` may be several nodes.
  const columnHeads = (...texts) => texts.map((text) => h("th", { scope: "col" }, String(text)));
  const tableRow = (head, ...values) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, ...head),
      ...values.map((value) => h("td", {}, String(value)))
    );

  // An equation as pieces [text, meaning]; pale if it is still to come.
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
