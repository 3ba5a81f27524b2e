// The lab of the bandit: the reader chooses one of nine openings, game after game; then five
// methods play 1,000 games each, 200 times, with their regret as a chart.

(() => {
  "use strict";

  const { fixed, minus, many } = ttt.format;
  const { upperBounds, summary } = ttt.bandits;
  const { SETTINGS, Run, RUNS, RUN_GAMES } = ttt.banditRun;
  const { h, svg, button, rest, hidden, put } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Chart, LINEAR, stroke, columnHeads, tableRow } = ttt.chart;

  const TALL = 260; // px, the chart
  const LOW = -1; // of the bars in the cells
  const HIGH = 2.4; // above the bound of a single win after 30 games with c = 0.75
  const signed = (x) => (x > 0 ? `+${x}` : minus(x));

  const height = (value) => (100 * (HIGH - Math.min(Math.max(value, LOW), HIGH))) / (HIGH - LOW);

  // The interval as an upright bar with a tick at the mean, and one at the exact value; an
  // opening that was never tried may be worth anything.
  function interval(mean, bound, truth) {
    const path = (d, kind) => svg("path", { d, class: kind });
    const tick = (value, kind) => path(`M0 ${height(value)}H10`, kind);
    const low = mean === null ? LOW : 2 * mean - bound,
      high = mean === null ? HIGH : bound;
    return svg(
      "svg",
      {
        class: `ttt-interval${mean === null ? " ttt-untried" : ""}`,
        viewBox: "0 0 10 100",
        preserveAspectRatio: "none",
        "aria-hidden": "true"
      },
      path("M5 0V100", "ttt-track"),
      path(`M5 ${height(low)}V${height(high)}`, "ttt-range"),
      ...(mean === null ? [] : [tick(bound, "ttt-top"), tick(mean, "ttt-mean")]),
      ...(truth === undefined ? [] : [tick(truth, "ttt-truth")])
    );
  }

  // Before `draw` it is given `counts`, `bounds`, `names`, `next`, the cells that UCB takes
  // next, and `truths`, which may be null.
  class Openings extends Grid {
    fill(cell, c, mark, value) {
      const n = this.counts[c],
        truth = this.truths?.[c],
        name = this.names[c],
        bound = this.bounds[c],
        now = JSON.stringify([n, value, truth, name, bound]);
      cell.classList.toggle("ttt-next", this.next.includes(c));
      if (this.inside[c] === now) return;
      this.inside[c] = now;
      const games = many(n, "game"),
        parts = [];
      if (n > 0) parts.push(h("b", {}, fixed(value)), h("small", {}, games));
      if (truth !== undefined) parts.push(h("small", {}, `is ${fixed(truth)}`));
      const seen =
          n > 0
            ? `mean ${fixed(value)} of ${games}, upper bound ${fixed(bound)}`
            : "no game, no upper bound",
        worth = truth === undefined ? "" : `, is worth ${fixed(truth)}`;
      cell.replaceChildren(
        h("span", { class: "ttt-name", "aria-hidden": "true" }, name),
        hidden(`Cell ${name}, ${seen}${worth}`),
        h("span", { class: "ttt-number", "aria-hidden": "true" }, ...parts),
        interval(value, bound, truth)
      );
    }
  }

  class View {
    constructor(lab) {
      this.lab = lab;
      this.grid = new /** @type {any} */ (Openings)(lab.game, "Where X opens", (cell) =>
        this.press(cell)
      );
      this.says = h("p", { class: "ttt-says" });
      this.runsButton = button(`${many(RUN_GAMES, "game")}, ${RUNS} times each`, () =>
        lab.run.end ? null : lab.forth(lab.run.last)
      );
      this.table = h("table", { class: "ttt-scores" });
      this.chart = new Chart("games", LINEAR);
      this.element = h(
        "div",
        { class: "ttt-split ttt-bandit" },
        h("div", { class: "ttt-place" }, this.grid.element),
        this.says,
        h("div", { class: "ttt-further" }, this.runsButton),
        this.table,
        this.chart.element
      );
      this.actions = [];
    }

    // Play one game from this opening.
    async press(cell) {
      const { lab } = this,
        { run } = lab;
      if (lab.busy) return;
      if (run.played)
        return lab.say(
          `All ${run.games} games have been played. Start again, or choose another seed.`
        );
      lab.stops.push(run.mark);
      await lab.go(run.taken + cell);
    }

    draw() {
      const { run, texts } = this.lab,
        { own, arms, mixed, played, shown } = run,
        { bandit, pulls } = own,
        bounds = upperBounds(Number(texts.c), bandit),
        top = Math.max(...bounds),
        next =
          texts.chooser === "ucb" && !played
            ? [...bounds.keys()].filter((a) => bounds[a] > top - 1e-9)
            : [];
      Object.assign(this.grid, {
        bounds,
        next,
        counts: Array.from(bandit.N),
        truths: shown ? arms.map(({ value }) => value) : null,
        names: mixed.map((opening, a) =>
          shown && opening !== a ? `${a}: opening ${opening}` : String(a)
        )
      });
      this.grid.draw({
        marks: [],
        values: Array.from(bandit.Q, (q, a) => (bandit.N[a] > 0 ? q : null)),
        limits: [-1, 1],
        still: true,
        mark: "X",
        last: pulls.at(-1)?.a,
        taken: () => played,
        ghost: played ? "" : "X"
      });
      put(this.says, this.saying(run, next));
      rest(this.runsButton, run.end);
      if (run.runs.length) {
        this.drawMeans(run);
        this.drawFans(run);
      } else {
        this.drawTable(run);
        this.drawChart(run);
      }
    }

    saying(run, next) {
      const { length } = run.runs;
      if (length)
        return `Lines: means of ${many(length, "run")}. Areas: their middle halves; violet is the method chosen below.`;
      if (run.played)
        return `${run.describeResult()} ${run.bestCell()} One run says little: let each play ${many(RUN_GAMES, "game")}.`;
      return [
        run.description(),
        run.t > 0 &&
          run.t < 3 &&
          "The bar says where the value may be: each game makes it shorter.",
        next.length === 1 && `UCB takes cell ${next[0]} next: its bar reaches highest.`
      ]
        .filter(Boolean)
        .join(" ");
    }

    // The curves' colour and dashes: that of the chosen method is violet.
    style({ key, dashed }) {
      if (!key) return { line: "ink", dashed: "none" };
      return { line: key === this.lab.texts.chooser ? "violet" : "quiet", dashed };
    }

    // The first cell of a row: a piece of the curve, and the name.
    head(player) {
      const { line, dashed } = this.style(player);
      return [
        svg(
          "svg",
          { viewBox: "0 0 28 8", width: 28, height: 8, "aria-hidden": "true" },
          stroke("M0 4H28", line, dashed)
        ),
        h("span", { title: player.says?.(this.lab.run.texts) }, ` ${player.name}`)
      ];
    }

    showTable(caption, more, columns, rows) {
      this.table.replaceChildren(
        h("caption", {}, caption, h("span", { class: "ttt-wide" }, more)),
        h("tr", {}, h("td"), ...columnHeads(...columns)),
        ...rows
      );
    }

    drawTable({ players, t, shown, best }) {
      const rows = players.map((player) =>
        tableRow(
          this.head(player),
          signed(player.earned[t]),
          shown ? player.pulls.slice(0, t).filter(({ a }) => a === best).length : "?",
          shown ? player.regret[t].toFixed(1) : "?"
        )
      );
      const columns = ["won − lost", "best taken", "regret"];
      this.showTable(`After ${many(t, "game")}`, ", with the same random numbers", columns, rows);
    }

    drawMeans(run) {
      const { own, methods, means, games, runs } = run;
      const rows = methods.map((method, k) =>
        tableRow(this.head(method), means[k].early, means[k].late, means[k].all)
      );
      const you = tableRow(this.head({ name: "you" }), own.regret.at(-1).toFixed(1), "", "");
      this.showTable(
        `Regret, mean of ${many(runs.length, "run")}`,
        ", with 95 % intervals",
        [`first ${games}`, `last ${games}`, `all ${ttt.format.count(RUN_GAMES)}`],
        [you, ...rows]
      );
    }

    // The reader's games and those of the chosen method.
    drawChart({ own, others, t, games, shown }) {
      const chosen = others.find(({ key }) => key === this.lab.texts.chooser);
      const curves = [{ ...own, name: "you" }, chosen].map((player) => ({
        points: (shown ? player.regret : player.earned).slice(0, t + 1).map((y, n) => [n, y]),
        ...this.style(player),
        end: player.name
      }));
      const values = curves.flatMap(({ points }) => points.map(([, value]) => value)),
        step = shown ? 2 : 4;
      this.chart.about.textContent = shown
        ? "Regret: what choices cost on average"
        : "Won minus lost; regret comes at the end";
      this.chart.draw({
        curves,
        low: shown ? 0 : step * Math.floor(Math.min(...values) / step),
        high: Math.max(step, step * Math.ceil(Math.max(...values) / step)),
        games,
        tall: TALL
      });
    }

    // The regret of all methods in the runs: the mean, and the middle half.
    drawFans({ methods, at }) {
      const curves = methods.map((method, k) => {
        const over = at.map((n) => [n, summary(this.lab.run.paid(k, 0, n))]),
          style = this.style(method);
        return {
          points: over.map(([n, { mean }]) => [n, mean]),
          band: over.map(([n, { low, high }]) => [n, low, high]),
          ...style,
          end: `${method.name} ${over.at(-1)[1].mean.toFixed(0)}`
        };
      });
      const top = Math.max(
        ...curves.flatMap(({ points, band }) => [points, band].flat().map((each) => each.at(-1)))
      );
      this.chart.about.textContent = "Regret: what choices cost on average";
      this.chart.draw({
        curves,
        low: 0,
        high: 40 * Math.ceil(top / 40) || 40,
        games: RUN_GAMES,
        tall: TALL
      });
    }
  }

  ttt.lab.define("bandit", SETTINGS, async (texts, lab) => new Run(lab, texts), View);
})();
