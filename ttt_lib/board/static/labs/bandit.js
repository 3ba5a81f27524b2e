// The lab of the bandit: the reader chooses one of nine openings, game after game, and is
// compared with four learners on the same random numbers.
//
// A mark is the openings taken so far, one digit each.

(() => {
  "use strict";

  const { fixed, list, minus, many } = ttt.format;
  const { openings, newBandit, pull, drawThree, always, ucb, softmax } = ttt.bandits;
  const { mt19937, MAX_SEED } = ttt.mt19937;
  const { h, svg, button, hidden } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Chart, LINEAR, stroke, columnHeads, tableRow } = ttt.chart;
  const read = ttt.parsing;

  const MAX_GAMES = 1000;
  const RUNS = 200; // further runs of the four methods, because one run says little
  const ENDS = { 1: "X won, +1", 0: "a draw, 0", "-1": "O won, −1" };
  const signed = (x) => (x > 0 ? `+${x}` : minus(x));

  // The four methods: name, choice, initial estimates, and the style of their curves.
  /** @type {Object<string, any>} */
  const METHODS = {
    greedy: {
      name: "ε-greedy",
      choose: ({ epsilon }) => always(Number(epsilon)),
      says: ({ epsilon }) => `ε = ${epsilon}`,
      python: ({ epsilon }) => `greedily(${epsilon})`,
      line: "ink",
      dashed: "8 3"
    },
    optimistic: {
      name: "optimistic",
      choose: () => always(0),
      begins: ({ initial, weight }) => [initial, weight].map(Number),
      says: ({ initial, weight }) => `${initial}, weight ${weight}`,
      python: ({ initial, weight }) => `greedily(0), ${initial}, ${weight}`,
      line: "violet",
      dashed: "2 3"
    },
    ucb: {
      name: "UCB",
      choose: ({ c }) => ucb(Number(c)),
      says: ({ c }) => `c = ${c}`,
      python: ({ c }) => `ucb(${c})`,
      line: "grey",
      dashed: "8 3 2 3"
    },
    softmax: {
      name: "softmax",
      choose: ({ tau }) => softmax(Number(tau)),
      says: ({ tau }) => `τ = ${tau}`,
      python: ({ tau }) => `softmax(${tau})`,
      line: "quiet",
      dashed: "4 4"
    }
  };

  const SETTINGS = {
    chooser: {
      label: "Chosen by",
      view: true,
      options: Object.entries(METHODS).map(([value, { name }]) => [value, name])
    },
    games: { label: "Games", read: read.whole("games", 1, MAX_GAMES) },
    seed: { label: "Seed", read: read.whole("a seed", 0, MAX_SEED) },
    epsilon: { label: "Exploration ε", read: read.number("ε", 0, 1) },
    initial: { label: "Optimistic first estimate", read: read.number("first estimate", -100, 100) },
    weight: { label: "Its weight", read: read.number("weight", 0, 1e6) },
    c: { label: "c of UCB", read: read.number("c", 0, 100) },
    tau: { label: "Temperature τ of softmax", read: read.number("τ", 0.001, 100) },
    cells: {
      label: "Openings",
      options: [
        ["mixed", "mixed: a cell may stand for any"],
        ["own", "in their own cells"]
      ]
    },
    show: {
      label: "Regret and true values",
      view: true,
      options: [
        ["end", "after the last game"],
        ["always", "all the time"]
      ]
    }
  };

  // ---- the run

  class Run {
    constructor(lab, texts) {
      const all = openings(lab.game),
        cells = [...all.keys()],
        rng = mt19937(Number(texts.seed)),
        drawn = cells.map(() => rng.random());
      this.mixed = texts.cells === "mixed" ? cells.sort((a, b) => drawn[a] - drawn[b]) : cells; // cell → opening
      const arms = this.mixed.map((a) => all[a]);
      this.lab = lab;
      this.texts = texts;
      this.arms = arms;
      this.first = this.mark = "";
      this.games = Number(texts.games);
      const newDraws = () => Array.from({ length: this.games }, () => drawThree(rng));
      this.draws = newDraws();
      this.newDraws = newDraws; // for further runs
      this.paid = []; // regrets of the four methods in each further run
      this.own = this.player(newBandit(arms));
      this.others = Object.values(METHODS).map((method) => {
        const player = this.player(this.bandit(method));
        for (const each of this.draws) this.pull(player, method.choose(texts), each);
        return { ...player, ...method };
      });
    }

    // A bandit with its regret and earnings after each game.
    player(bandit) {
      return { bandit, pulls: [], regret: [0], earned: [0] };
    }

    bandit({ begins }) {
      return newBandit(this.arms, ...(begins?.(this.texts) ?? []));
    }

    pull({ bandit, pulls, regret, earned }, choose, draws) {
      const done = pull(bandit, choose, draws);
      pulls.push(done);
      regret.push(bandit.regret);
      earned.push(earned.at(-1) + done.r);
    }

    get t() {
      return this.own.pulls.length;
    }
    get best() {
      return this.arms.reduce(
        (best, { value }, a) => (value > this.arms[best].value ? a : best),
        0
      );
    }
    get end() {
      return this.t === this.games;
    }
    get shown() {
      return this.end || this.lab.texts.show === "always";
    }

    // The mark after more games by the chooser, which continues from the reader's games.
    chosen(games) {
      const method = METHODS[this.lab.texts.chooser],
        bandit = this.bandit(method),
        choose = method.choose(this.texts);
      this.own.pulls.forEach(({ a }, t) => pull(bandit, () => a, this.draws[t]));
      const cells = this.draws
        .slice(this.t, this.t + games)
        .map((each) => pull(bandit, choose, each).a);
      return this.mark + cells.join("");
    }
    get next() {
      return this.chosen(1);
    }

    readMark(text) {
      if (!/^[0-8]*$/.test(text))
        throw Error(
          `at=${text}: give the openings taken, cells from 0 to 8, without anything between them.`
        );
      if (text.length > this.games)
        throw Error(`at=${text}: there are ${this.games} games, and these are ${text.length}.`);
      return text;
    }

    // After the last game, the four methods play their further runs.
    work(mark, ms) {
      const until = performance.now() + ms;
      for (const cell of mark.slice(this.t))
        this.pull(this.own, () => Number(cell), this.draws[this.t]);
      this.mark = mark;
      while (this.end && this.paid.length < RUNS) {
        const draws = this.newDraws();
        this.paid.push(
          Object.values(METHODS).map((method) => {
            const bandit = this.bandit(method),
              choose = method.choose(this.texts);
            for (const each of draws) pull(bandit, choose, each);
            return bandit.regret;
          })
        );
        if (performance.now() >= until) break;
      }
      return !this.end || this.paid.length === RUNS;
    }

    // ---- descriptions

    get players() {
      return [{ ...this.own, name: "you", line: "ink" }, ...this.others];
    }

    description() {
      const { t, games, texts } = this,
        mixed = texts.cells === "mixed" ? " Which opening it stands for is hidden." : "";
      if (t === 0)
        return `Before the first of ${games} games. Press a cell to play one, in which all later moves are random.${mixed}`;
      return this.end ? `${this.describeGame()} ${this.comparison()}` : this.describeGame();
    }

    describeGame() {
      const { a, r, old, new: after } = this.own.pulls.at(-1),
        n = this.own.bandit.N[a],
        within = old < 0 ? `(${fixed(old)})` : fixed(old);
      const mean =
        n === 1
          ? `The mean of cell ${a} is ${fixed(after)}`
          : `The mean of cell ${a} was ${fixed(old)}, and is ${fixed(old)} + 1/${n} × (${minus(r)} − ${within}) = ${fixed(after)}`;
      return `Game ${this.t} of ${this.games}: cell ${a}, ${ENDS[r]}. ${mean}.`;
    }

    bestCell() {
      const { best, arms } = this;
      return `Cell ${best} is best, worth ${fixed(arms[best].value)}.`;
    }

    comparison() {
      const paid = this.players.map(({ name, regret }) => `${name} ${fixed(regret[this.t])}`);
      return `${this.bestCell()} Regret: ${list(paid)}. ${this.meanRegrets()}`;
    }

    // The mean regret of each method in the further runs, with its 95 % interval.
    get means() {
      if (this.paid.length < RUNS) return [];
      return Object.values(METHODS).map(({ name }, k) => {
        const mean = this.paid.reduce((sum, paid) => sum + paid[k], 0) / RUNS;
        const spread = this.paid.reduce((sum, paid) => sum + (paid[k] - mean) ** 2, 0) / (RUNS - 1);
        const half = (1.96 * Math.sqrt(spread / RUNS)).toFixed(1);
        return { name, mean, text: `${mean.toFixed(1)} ± ${half}` };
      });
    }

    meanRegrets() {
      const means = this.means.map(({ name, text }) => `${name} ${text}`);
      return `A single run depends on chance. Mean regret of ${RUNS} other runs of ${many(this.games, "game")}: ${list(means)}.`;
    }

    answer() {
      if (!this.end) return "";
      const [least] = [...this.means].sort((one, other) => one.mean - other.mean);
      return (
        `You paid ${fixed(this.own.regret[this.t])}; ` +
        `${least.name}, the cheapest, pays ${least.text} on average.`
      );
    }

    python() {
      const { texts, t } = this;
      return ttt.lab.pythonCell(
        "at_random = policy.uniform(game.legal)",
        "chances = evaluation.win_draw_loss(game, at_random, at_random)[game.next[0]]",
        "q = chances @ [1, 0, -1]",
        `rng = experiments.mt19937(${texts.seed})  # the random numbers of the page`,
        "mixed = rng.random(9).argsort()",
        ...(texts.cells === "mixed" ? ["chances, q = chances[mixed], q[mixed]"] : []),
        `draws = rng.random((${t}, 3))`,
        "",
        "",
        "def play(choose, initial=0, weight=0):",
        "    Q, N, regret = np.full(9, float(initial)), np.full(9, float(weight)), 0.0",
        "    for t, (explore, which, ending) in enumerate(draws, start=1):",
        "        a = choose(Q, N, t, explore, which)",
        "        win, draw, _ = chances[a]",
        "        r = 1 if ending < win else 0 if ending < win + draw else -1",
        "        N[a] += 1",
        "        Q[a] += (r - Q[a]) / N[a]",
        "        regret += q.max() - q[a]",
        "    return Q, N, regret",
        "",
        "",
        "def best(values, which):",
        "    winners = np.flatnonzero(values > values.max() - 1e-9)",
        "    return winners[int(which * len(winners))]",
        "",
        "",
        "def greedily(epsilon):",
        "    return lambda Q, N, t, explore, which: int(9 * which) if explore < epsilon else best(Q, which)",
        "",
        "",
        "def ucb(c):",
        "    def choose(Q, N, t, explore, which):",
        "        return best(np.where(N > 0, Q + c * np.sqrt(np.log(t) / np.maximum(N, 1)), 99), which)",
        "",
        "    return choose",
        "",
        "",
        "def softmax(temperature):",
        "    def choose(Q, N, t, explore, which):",
        "        p = np.exp((Q - Q.max()) / temperature)",
        "        return (which < (p / p.sum()).cumsum()).argmax()",
        "",
        "    return choose",
        "",
        "",
        `own = [${[...this.mark].join(", ")}]`,
        "you = play(lambda Q, N, t, explore, which: own[t - 1])",
        `others = [play(${Object.values(METHODS)
          .map(({ python }) => python(texts))
          .join("), play(")})]`,
        "you, others"
      );
    }
  }

  // ---- view

  // The grid of openings, with mean and number of games, and at the end the exact values.
  class Openings extends Grid {
    fill(cell, c, mark, value) {
      const n = this.counts[c],
        truth = this.truths?.[c],
        name = this.names[c],
        now = JSON.stringify([n, value, truth, name]);
      if (this.inside[c] === now) return;
      this.inside[c] = now;
      const games = many(n, "game"),
        parts = [];
      if (n > 0) parts.push(h("b", {}, fixed(value)), h("small", {}, games));
      if (truth !== undefined) parts.push(h("small", {}, `is ${fixed(truth)}`));
      const seen = n > 0 ? `mean ${fixed(value)} of ${games}` : "no game",
        worth = truth === undefined ? "" : ", is worth " + fixed(truth);
      cell.replaceChildren(
        h("span", { class: "ttt-name", "aria-hidden": "true" }, name),
        hidden(`Cell ${name}, ${seen}${worth}`),
        h("span", { class: "ttt-number", "aria-hidden": "true" }, ...parts)
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
      this.table = h("table", { class: "ttt-scores" });
      this.chart = new Chart("games", LINEAR);
      this.element = h(
        "div",
        { class: "ttt-split ttt-bandit" },
        h("div", { class: "ttt-place" }, this.grid.element),
        this.says,
        this.table,
        this.chart.element
      );
      this.actions = [button("1,000 games at a press", () => this.rush())];
    }

    // Play on to 1,000 games, chosen by the chooser.
    async rush() {
      const { lab } = this,
        { mark, end, games } = lab.run;
      if (lab.busy || (end && games === MAX_GAMES)) return;
      if (games !== MAX_GAMES) await lab.set("games", String(MAX_GAMES));
      if (mark) await lab.go(mark);
      await lab.forth(lab.run.chosen(MAX_GAMES));
    }

    // Play one game from this opening.
    async press(cell) {
      const { lab } = this,
        { run } = lab;
      if (lab.busy) return;
      if (run.end)
        return lab.say(
          `All ${run.games} games have been played. Start again, or choose another seed.`
        );
      lab.stops.push(run.mark);
      await lab.go(run.mark + cell);
    }

    draw() {
      const { run } = this.lab,
        {
          own: { bandit, pulls },
          arms,
          mixed,
          end,
          shown
        } = run;
      this.grid.counts = Array.from(bandit.N);
      this.grid.truths = shown ? arms.map(({ value }) => value) : null;
      this.grid.names = mixed.map((opening, a) =>
        shown && opening !== a ? `${a}: opening ${opening}` : String(a)
      );
      this.grid.draw({
        marks: [],
        values: Array.from(bandit.Q, (q, a) => (bandit.N[a] > 0 ? q : null)),
        limits: [-1, 1],
        still: true,
        mark: "X",
        last: pulls.at(-1)?.a,
        taken: () => end,
        ghost: end ? "" : "X"
      });
      this.says.textContent = end ? `${run.describeGame()} ${run.bestCell()}` : run.description();
      this.drawTable(run);
      this.drawChart(run);
    }

    drawTable({ players, t, texts, shown, best, means }) {
      const row = ({ name, says, line, dashed, earned, regret, pulls }) =>
        tableRow(
          [
            svg(
              "svg",
              { viewBox: "0 0 28 8", width: 28, height: 8, "aria-hidden": "true" },
              stroke("M0 4H28", line, dashed)
            ),
            h("span", { title: says?.(texts) }, ` ${name}`)
          ],
          signed(earned[t]),
          shown ? pulls.slice(0, t).filter(({ a }) => a === best).length : "?",
          shown ? fixed(regret[t]) : "?",
          means.find((each) => each.name === name)?.text ?? (says ? "?" : "")
        );
      this.table.replaceChildren(
        h(
          "caption",
          {},
          `After ${many(t, "game")}`,
          h("span", { class: "ttt-wide" }, ", with the same random numbers")
        ),
        h(
          "tr",
          {},
          h("td"),
          ...columnHeads("won − lost", "best taken", "regret", `of ${RUNS} runs`)
        ),
        ...players.map(row)
      );
    }

    drawChart({ players, t, games, shown }) {
      const curves = players.map(({ name, line, dashed, regret, earned }) => ({
        points: (shown ? regret : earned).slice(0, t + 1).map((value, n) => [n, value]),
        line,
        dashed,
        end: name
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
        games
      });
    }
  }

  ttt.lab.define("bandit", SETTINGS, async (texts, lab) => new Run(lab, texts), View);
})();
