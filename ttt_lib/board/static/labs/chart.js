// Curves against the number of games, on a log axis that begins at 0.

ttt.chart = (() => {
  "use strict";

  const { h } = ttt.elements;
  const NAMESPACE = "http://www.w3.org/2000/svg";

  function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS(NAMESPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  // A chart that is drawn anew with each `draw`; what it shows is said beside it.
  class Chart {
    constructor(label) {
      this.names = h("div", { class: "ttt-names" });
      this.picture = h("div", { class: "ttt-picture" });
      this.element = h("div", { class: "ttt-chart", "aria-hidden": "true" }, this.names, this.picture);
      this.label = label;
      new ResizeObserver(() => this.given && this.draw(this.given)).observe(this.element);
    }

    // curves: {name, points: [[games, value], …], line: "third", dashed}; `low` and `high`
    // are the ends of the values, `games` how far the axis goes.
    draw(given) {
      this.given = given;
      const { curves, low, high, games } = given;
      const width = this.picture.clientWidth || 600, height = Math.min(240, Math.max(170, width * 0.42));
      const left = 34, right = 56, top = 12, bottom = 34;
      const reach = Math.log10(Math.max(games, 10) + 1);
      const x = (n) => left + (width - left - right) * Math.log10(n + 1) / reach;
      const y = (value) => top + (height - top - bottom) * (high - value) / (high - low);
      const parts = [];
      for (let k = 0; k <= 4; k++) {
        const value = low + (high - low) * k / 4;
        parts.push(svg("path", { d: `M${left} ${y(value)}H${width - right}`, class: "ttt-rule" }),
          svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, plain(value)));
      }
      for (let n = 0; n <= games; n = n ? n * 10 : 1) {
        if (x(n) < left + 14 && n > 0) continue;
        parts.push(svg("path", { d: `M${x(n)} ${height - bottom}v4`, class: "ttt-rule" }),
          svg("text", { x: x(n), y: height - bottom + 17, "text-anchor": "middle" }, short(n)));
      }
      parts.push(svg("text", { x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle" }, this.label));
      const ends = curves.filter(({ points }) => points.length).map((curve) => {
        const [n, value] = curve.points.at(-1);
        return { ...curve, value, at: y(value), n };
      });
      for (const { points, line, dashed, n, at } of ends) {
        const d = points.map(([n, value], k) => `${k ? "L" : "M"}${x(n).toFixed(1)} ${y(value).toFixed(1)}`).join("");
        parts.push(svg("path", { d, class: `ttt-curve${dashed ? " ttt-dashed" : ""}`, style: `stroke: var(--ttt-${line})` }),
          svg("circle", { cx: x(n), cy: at, r: 3.5, style: `fill: var(--ttt-${line})` }));
      }
      // Where each curve ends its value stands, apart from the others.
      ends.sort((one, other) => one.at - other.at);
      const places = [];
      for (const { at } of ends) places.push(Math.max(at + 4, (places.at(-1) ?? 0) + 14));
      const over = Math.max(0, (places.at(-1) ?? 0) - (height - bottom + 4));
      ends.forEach(({ value, line }, k) => parts.push(svg("text", { x: width - right + 9,
        y: places[k] - over, style: `fill: var(--ttt-${line})` }, ttt.format.fixed(value))));
      const names = curves.filter(({ name }) => name).map(({ name, line, dashed }) => h("span", {},
        svg("svg", { viewBox: "0 0 24 8", width: 24, height: 8 }, svg("path", { d: "M0 4H24",
          class: `ttt-curve${dashed ? " ttt-dashed" : ""}`, style: `stroke: var(--ttt-${line})` })), name));
      this.names.replaceChildren(...names);
      this.picture.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height }, ...parts));
    }
  }

  const plain = (value) => String(Number(value.toFixed(2))).replace("-", "−");
  const short = (n) => (n >= 1e6 ? `${n / 1e6}M` : n >= 1e4 ? `${n / 1e3}k` : n.toLocaleString("en"));

  return { Chart };
})();
