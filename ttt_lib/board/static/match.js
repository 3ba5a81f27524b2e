// A match of two agents: bars with the share of each result, its confidence interval and
// the exact probability, and a table with the numbers.

ttt.match = (() => {
  "use strict";

  const { fixed, list, many } = ttt.format;
  const { wilson } = ttt.policy;
  const { ENDS } = ttt.play;
  const { h, put } = ttt.elements;

  const NEARLY = 1e-9; // tolerance for rounding at the ends of an interval
  const named = (end) => (end === "draw" ? "Draws" : `${end} wins`);
  const percent = (x) => `${(100 * Math.min(1, Math.max(0, x))).toFixed(2)}%`;

  // A sentence that says whether the intervals contain the exact values.
  function verdict(rows, all) {
    const outside = rows.filter(({ contained }) => !contained).map(({ end }) => named(end));
    const which =
      outside.length === 0
        ? "All three intervals contain their exact values."
        : `Outside ${outside.length > 1 ? "their intervals" : "its interval"}: the exact value of ${list(outside)}.`;
    const counts = rows.map(({ end, games }) => `${named(end)}: ${games}`).join(", ");
    return (
      `${many(all, "game")}. ${counts}. ${which} ` +
      "An interval contains the exact value in about 95 of 100 matches."
    );
  }

  class Match {
    constructor(play) {
      this.play = play;
      this.what = h("p", {});
      this.bars = ENDS.map((end) => new Bar(end));
      this.rows = h("tbody", {});
      this.table = h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td"),
            ...["games", "share", "interval", "exact"].map((text) =>
              h("th", { scope: "col" }, text)
            )
          )
        ),
        this.rows
      );
      this.verdict = h("p", { class: "ttt-verdict", role: "status" });
      this.parts = h(
        "div",
        {},
        this.what,
        h(
          "div",
          { class: "ttt-shares", "aria-hidden": "true" },
          ...this.bars.map(({ element }) => element),
          h("div", { class: "ttt-ends" }, ...["0", "0.5", "1"].map((text) => h("span", {}, text)))
        ),
        this.table,
        this.verdict
      );
      this.element = h("div", { class: "ttt-match" }, this.parts);
    }

    draw() {
      const { play } = this;
      this.parts.hidden = play.persons !== 0 || play.busy || Boolean(play.editing);
      this.left = 0;
      if (this.parts.hidden) return put(this.verdict, "");
      const { games, exact } = play.match(play.shown),
        all = games.X + games.draw + games.O;
      this.left = games.left;
      const rows = ENDS.map((end, k) => {
        const [low, high] = all ? wilson(games[end], all) : [];
        return {
          end,
          games: games[end],
          share: games[end] / all,
          low,
          high,
          exact: exact[k],
          contained: low - NEARLY <= exact[k] && exact[k] <= high + NEARLY
        };
      });
      const what =
        `A match from the position shown, ${play.state.first} having moved first. ` +
        "Bar: share of the games; bracket: 95 % Wilson interval; line: exact probability.";
      put(this.what, [what, ...play.untaught].join(" "));
      this.table.setAttribute("aria-label", "The match in numbers");
      this.bars.forEach((bar, k) => bar.draw(rows[k], all));
      this.rows.replaceChildren(...rows.map((row) => this.row(row, all)));
      // Only at the end, because this live region is read aloud.
      put(this.verdict, all && !games.left ? verdict(rows, all) : "");
    }

    row({ end, games, share, low, high, exact }, all) {
      const texts = [
        games,
        all ? fixed(share) : "–",
        all ? `${fixed(low)}–${fixed(high)}` : "–",
        fixed(exact)
      ];
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, named(end)),
        ...texts.map((text) => h("td", {}, String(text)))
      );
    }
  }

  // One of the three bars, from 0 to 1.
  class Bar {
    constructor(end) {
      this.fill = h("div", { class: `ttt-fill ttt-for-${end}` });
      this.band = h("div", { class: "ttt-band" });
      this.mark = h("div", { class: "ttt-exact" });
      this.number = h("span", { class: "ttt-exact-number" });
      this.element = h(
        "div",
        { class: "ttt-share" },
        h("span", {}, named(end)),
        h("div", { class: "ttt-track" }, this.fill, this.band, this.mark, this.number)
      );
    }

    draw({ share, low, high, exact }, all) {
      this.fill.style.width = percent(all ? share : 0);
      this.band.hidden = all === 0;
      if (all) this.band.style.left = percent(low);
      if (all) this.band.style.right = percent(1 - high);
      this.mark.style.left = percent(exact);
      // Shifted by its own share, so that it stays within the bar.
      this.number.style.left = percent(exact);
      this.number.style.transform = `translateX(-${percent(exact)})`;
      put(this.number, fixed(exact));
    }
  }

  return { Match };
})();
