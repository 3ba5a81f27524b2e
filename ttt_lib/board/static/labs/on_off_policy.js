// The lab of on-policy and off-policy: as ε grows, what slips cost after the move that is best
// without them and after the one that becomes best, and a game in which one slip decides.

(() => {
  "use strict";

  const { fixed, list, cellsNamed } = ttt.format;
  const { terminal, pair, positions, signOf, cellsOf } = ttt.game;
  const { LEARNED_ATOL, greedy, mixture, winDrawLoss, seenBy } = ttt.policy;
  const { softOptimum } = ttt.evaluation;
  const { tellingSlip, twoGames } = ttt.slips;
  const { h, put } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Chart, LINEAR, columnHeads, tableRow } = ttt.chart;
  const read = ttt.parsing;

  const LOW = -0.2; // lower end of the chart, which should not change while ε grows
  const FULL = 0.08; // a full bar, in reward per game, unless more is given away
  const MAX_EPSILON = 50; // in hundredths of ε
  const ORDINAL = ["", "first", "second", "third", "fourth", "fifth"];
  const ENDS = { 1: "wins", 0: "draws", "-1": "loses" };
  const LINES = ["ink", "violet", "grey", "quiet", "edge"]; // colours of curves

  const SETTINGS = {
    opponent: {
      label: "Opponent",
      read: read.player([]),
      suggestions: [
        "random",
        "perfect",
        "perfect lowest",
        "teacher 0.25",
        "teacher 0.9",
        "q-learning"
      ]
    },
    side: {
      label: "It plays",
      options: [
        ["1", "first"],
        ["-1", "second"]
      ]
    },
    look: read.LOOK
  };

  // Names for sets of cells.
  const KINDS = { "0,2,6,8": "corners", "1,3,5,7": "edges", 4: "centre" };
  const named = (cells) => (KINDS[cells] ? `the ${KINDS[cells]}` : cellsNamed(cells));
  const ONE = { corners: "a corner", edges: "an edge", centre: "the centre" };
  const oneOf = (cells) => ONE[KINDS[cells]] ?? `cell ${cells.join(" or ")}`;
  const are = (cells) => `${named(cells)} ${cells.length > 1 ? "are" : "is"}`;

  // Points in 100 games, from a reward per game.
  const points = (x) => (100 * x).toFixed(1).replace(/^-0\.0$/, "0.0");

  class Run {
    constructor(lab, opponent, side) {
      this.lab = lab;
      this.game = lab.game;
      this.opponent = opponent;
      this.side = side;
      this.first = "0";
      this.memo = new Map(); // ε → its solution
      this.rivals = new Map(); // position → {cells, slip, games}, or null
      this.solved = [this.solve(0)]; // for each hundredth of ε, and for the current ε
    }

    get now() {
      return this.solved.at(-1);
    }
    get epsilon() {
      return this.now.epsilon;
    }
    get mark() {
      return String(this.epsilon);
    }
    get end() {
      return this.epsilon >= MAX_EPSILON / 100;
    }
    // Run pauses where the best cells have just changed.
    get rests() {
      if (!this.decides || this.solved.length < 2) return false;
      const [before, now] = this.solved.slice(-2).map((each) => this.best(each, this.lookedAt));
      return String(before) !== String(now);
    }
    get next() {
      return String(Math.min(Math.floor(this.epsilon * 100 + LEARNED_ATOL) + 1, MAX_EPSILON) / 100);
    }
    get lookedAt() {
      return this.lab.lookedAt;
    }

    // Whether the exploring player is to move on the board that is shown.
    get decides() {
      return this.game.toMove[this.lookedAt] === this.side && !terminal(this.game, this.lookedAt);
    }

    readMark(text) {
      return read.number("ε", 0, MAX_EPSILON / 100)(text);
    }

    solve(epsilon) {
      if (!this.memo.has(epsilon)) {
        const { q } = softOptimum(this.game, this.opponent, this.side, epsilon);
        this.memo.set(epsilon, { epsilon, q });
      }
      return this.memo.get(epsilon);
    }

    work(mark, ms) {
      const goal = Number(mark),
        until = performance.now() + ms;
      while (this.epsilon < goal && performance.now() < until) {
        const next = Math.min(Number(this.next), goal);
        if (!Number.isInteger(Math.round(1e9 * this.epsilon) / 1e7)) this.solved.pop();
        this.solved.push(this.solve(next));
      }
      return this.epsilon >= goal;
    }

    // ---- results for a position s

    // The values of its cells, null for taken cells.
    cells({ q }, s) {
      return cellsOf(this.game, s, (i) => (this.decides ? q[i] : null));
    }

    best(solved, s) {
      const values = this.cells(solved, s),
        most = Math.max(...values.filter((value) => value !== null));
      return [...values.keys()].filter(
        (c) => values[c] !== null && values[c] > most - LEARNED_ATOL
      );
    }

    // Two sets of cells with equal values: the best without exploration that are not best at the
    // next ε at which the best change, and the best there; at last the second best. null if all
    // cells are equal.
    sets(s) {
      const free = this.solved[0],
        before = this.best(free, s);
      for (let k = 1; k <= MAX_EPSILON; k++) {
        const after = this.best(this.solve(k / 100), s),
          left = before.filter((c) => !after.includes(c));
        if (left.length) return [this.alike(left, s), this.alike(after, s)];
      }
      const values = this.cells(free, s),
        rest = values.map((x, c) => (before.includes(c) ? null : x)),
        most = Math.max(...rest.filter((x) => x !== null)),
        second = [...rest.keys()].filter((c) => rest[c] === most);
      return second.length ? [this.alike(before, s), this.alike(second, s)] : null;
    }

    // Those of some cells that are worth as much as the first of them at any ε.
    alike(cells, s) {
      const rows = Array.from({ length: MAX_EPSILON + 1 }, (_, k) =>
        this.cells(this.solve(k / 100), s)
      );
      return cells.filter((c) =>
        rows.every((row) => Math.abs(row[c] - row[cells[0]]) < LEARNED_ATOL)
      );
    }

    // The two sets of cells of a position, the slip that speaks most for the second, and two
    // games with such a slip, null if there are none.
    rival(s) {
      if (!this.rivals.has(s)) this.rivals.set(s, this.findRival(s));
      return this.rivals.get(s);
    }

    findRival(s) {
      const { game, opponent, side, solved } = this,
        sets = this.decides ? this.sets(s) : null;
      if (!sets) return null;
      const player = { policy: greedy(game, solved[0].q), opponent, side },
        moves = sets.map(([c]) => pair(game, s, c)),
        slip = tellingSlip(game, player, s, moves);
      return { sets, slip, games: slip && twoGames(game, player, moves, slip.mark) };
    }

    // The reward per game that each of the two moves gives away to the best without slips.
    givenAway(s) {
      const values = this.cells(this.now, s),
        free = this.solved[0],
        most = this.cells(free, s)[this.best(free, s)[0]];
      return this.rival(s).sets.map(([c]) => most - values[c]);
    }

    // The values of ε where the best cells change: {epsilon, before, after}.
    jumps(s) {
      const jumps = [],
        { solved } = this;
      for (let k = 1; k < solved.length; k++) {
        const [before, after] = [solved[k - 1], solved[k]].map((each) => this.best(each, s));
        if (String(before) === String(after)) continue;
        let low = solved[k - 1].epsilon,
          high = solved[k].epsilon;
        while (high - low > 1e-5) {
          const middle = (low + high) / 2;
          if (String(this.best(this.solve(middle), s)) === String(before)) low = middle;
          else high = middle;
        }
        if (low > 0) jumps.push({ epsilon: low, before, after }); // at 0 only a tie is broken
      }
      return jumps;
    }

    // The value of each cell minus the best, for each ε. Cells with equal values share a
    // curve.
    curves(s) {
      const groups = [],
        rows = this.solved.map((solved) => this.cells(solved, s));
      const most = rows.map((row) => Math.max(...row.filter((x) => x !== null)));
      rows[0].forEach((value, c) => {
        if (value === null) return;
        const alike = groups.find(({ cells: [other] }) =>
          rows.every((row) => Math.abs(row[c] - row[other]) < LEARNED_ATOL)
        );
        if (alike) alike.cells.push(c);
        else
          groups.push({
            cells: [c],
            points: rows.map((row, k) => [this.solved[k].epsilon, row[c] - most[k]])
          });
      });
      return groups;
    }

    // The mean reward per game of the best exploring policy and of the best policy, each with
    // exploration and without.
    earned() {
      const { game, opponent, side, solved, now } = this;
      return [now, solved[0]].map(({ q }) =>
        [now.epsilon, 0].map((epsilon) => {
          const played = mixture(epsilon, game.policies.random, greedy(game, q));
          const [win, , loss] = seenBy(
            side,
            side === 1 ? winDrawLoss(game, played, opponent) : winDrawLoss(game, opponent, played),
            0
          );
          return win - loss;
        })
      );
    }

    description() {
      const jumps = this.decides ? this.jumps(this.lookedAt) : [];
      return (
        this.state() +
        jumps
          .map(
            ({ epsilon, before, after }) =>
              ` At ε = ${fixed(epsilon)} the best jumped from ${named(before)} to ${named(after)}.`
          )
          .join("")
      );
    }

    answer() {
      if (!this.decides) return "";
      const jumps = this.jumps(this.lookedAt).map(
        ({ epsilon, before, after }) =>
          `at ε = ${fixed(epsilon)}, from ${named(before)} to ${named(after)}`
      );
      if (jumps.length) return `The best cell changes ${list(jumps)}.`;
      return this.end ? `Up to ε = ${this.epsilon} the best cell does not change.` : "";
    }

    // Why the two moves differ, in a sentence.
    reason() {
      const { lookedAt: s, epsilon } = this,
        rival = this.rival(s),
        random = `ε = ${epsilon}: ${Number((100 * epsilon).toFixed(3))} of 100 moves are random. `;
      if (!rival?.slip) return this.decides ? random : this.state();
      const [one, other] = rival.sets.map(oneOf),
        { mark, costs } = rival.slip;
      return `${random}100 slips in its ${ORDINAL[mark]} mark cost ${points(costs[0])} points after ${one}, and ${points(costs[1])} after ${other}; a win is 1 point, a loss −1.`;
    }

    // The best cells at the current ε.
    state() {
      const { game, lookedAt: s, now, solved } = this,
        ahead = `ε = ${now.epsilon}. `;
      if (!this.decides) {
        return (
          ahead +
          (terminal(game, s)
            ? "The game is over here."
            : `${signOf(game.toMove[s])}, the opponent, is to move: press the cell that it takes.`)
        );
      }
      const on = this.best(now, s),
        off = this.best(solved[0], s),
        worth = (each, cells) => fixed(this.cells(each, s)[cells[0]]);
      return `${ahead}With exploration, ${are(on)} best, worth ${worth(now, on)}; without it, ${are(off)} best, worth ${worth(solved[0], off)}.`;
    }

    python() {
      const { opponent, look } = this.lab.texts,
        { side, epsilon } = this;
      return ttt.lab.pythonCell(
        "from ttt_lib.studies import parts",
        `opponent = agents.policy(game, "${opponent}", ${-side})`,
        `problem = mdp.from_opponent(game, opponent, ${side})`,
        `best = [parts.soft_optimum(problem, epsilon) for epsilon in (${epsilon}, 0)]`,
        "Q, Q_off = (mdp.to_cells(game, problem, q) for q in best)",
        "def earned(Q, epsilon):",
        "    pi = policy.epsilon_greedy(Q, game.legal, epsilon)",
        `    return evaluation.result(game, pi, opponent, ${side}).value`,
        "",
        `board = game.find("${look}")`,
        `Q[board], Q_off[board], [[earned(each, epsilon) for epsilon in (${epsilon}, 0)] for each in (Q, Q_off)]`
      );
    }
  }

  // One of the two moves: a game in three boards, and a bar of what it gives away.
  class Column {
    constructor(game) {
      this.game = game;
      this.head = h("p", { class: "ttt-head" });
      this.boards = [0, 1, 2].map(() => {
        const grid = new Grid(game, ""),
          says = h("figcaption", {});
        return { grid, says, whole: h("figure", {}, grid.element, says) };
      });
      this.strip = h("div", { class: "ttt-strip" }, ...this.boards.map(({ whole }) => whole));
      this.gives = h("p", {});
      this.bar = h("div", { class: "ttt-gives", "aria-hidden": "true" });
      this.element = h("div", {}, this.head, this.strip, this.gives, this.bar);
    }

    draw(run, s, k) {
      const { sets, games } = run.rival(s),
        given = run.givenAway(s),
        less = given[k] - given[1 - k];
      const better = less < -LEARNED_ATOL ? ": better ✓" : "";
      this.head.textContent = `${signOf(run.side)} takes ${oneOf(sets[k])}${better}`;
      put(this.gives, `gives away ${points(given[k])} points in 100 games`);
      const longest = Math.max(...given, FULL);
      this.bar.style.setProperty("--ttt-share", `${(100 * given[k]) / longest}%`);
      this.drawGame(games?.[k] ?? { cells: [sets[k][0]] }, s);
    }

    // Three boards of a game; without a slip, only the first.
    drawGame({ cells, slip, result }, s) {
      const line = positions(this.game, s, cells),
        captions = [`takes cell ${cells[0]}`, `slips: cell ${cells[slip]}`, ENDS[result]];
      this.boards.forEach(({ grid, says, whole }, n) => {
        const t = [1, slip + 1, cells.length][n];
        whole.style.visibility = n === 0 || slip ? "" : "hidden";
        grid.show(line[t] ?? s, { last: cells[t - 1], explored: n === 1 });
        says.textContent = slip || n === 0 ? captions[n] : "";
      });
    }
  }

  class View {
    constructor(lab) {
      this.lab = lab;
      const { game } = lab;
      this.columns = [0, 1].map(() => new Column(game));
      this.pair = h("div", { class: "ttt-pair" }, ...this.columns.map(({ element }) => element));
      this.sides = ["", "Without exploring"].map((text, k) => {
        const head = h("p", { class: "ttt-head" }, text);
        const grid = new Grid(
          game,
          ["What each cell is worth, exploring", "What each cell is worth, without exploring"][k],
          (cell) => lab.walk(cell)
        );
        return { head, grid, whole: h("div", {}, head, grid.element) };
      });
      this.says = h("p", { class: "ttt-says" });
      this.empty = lab.emptyBoard();
      this.input = h("input", {
        type: "range",
        min: 0,
        max: MAX_EPSILON / 100,
        step: 0.01,
        "aria-label": "Exploration ε",
        oninput: () => this.slide(this.input.value)
      });
      this.value = h("output", {});
      this.chart = new Chart("ε", LINEAR);
      this.chart.about.textContent = "Worth, exploring, less that of the best cell";
      this.table = h("table", { class: "ttt-scores" });
      const slider = h(
        "label",
        { class: "ttt-slider" },
        h("span", {}, "Exploration ε"),
        this.input,
        this.value
      );
      this.element = h("div", { class: "ttt-on-off" }, this.pair, slider, this.says);
      this.below = [
        h(
          "details",
          { class: "ttt-all-cells" },
          h("summary", {}, "All cells: press one to go there"),
          h("div", { class: "ttt-pair" }, ...this.sides.map(({ whole }) => whole)),
          this.empty,
          this.chart.element,
          this.table
        )
      ];
      this.actions = [];
    }

    // Go to the value of the slider, again if it has moved in the meantime.
    async slide(mark) {
      const { lab } = this;
      this.wanted = mark;
      if (this.sliding) return;
      this.sliding = true;
      lab.stops.push(lab.run.mark);
      while (this.wanted !== null && !lab.busy) {
        const wanted = this.wanted;
        this.wanted = null;
        await lab.go(wanted);
      }
      this.sliding = false;
    }

    draw() {
      const {
          lab: { run }
        } = this,
        { game, lookedAt: s, epsilon } = run;
      this.input.value = this.value.textContent = epsilon;
      this.sides[0].head.textContent = `With ε = ${epsilon}`;
      [run.now, run.solved[0]].forEach((each, k) =>
        this.sides[k].grid.show(s, {
          values: run.cells(each, s),
          limits: [-1, 1],
          mark: signOf(run.side),
          ring: true,
          taken: (c) => pair(game, s, c) < 0
        })
      );
      this.says.textContent = run.reason();
      const rival = run.rival(s);
      this.pair.style.visibility = rival ? "" : "hidden";
      if (rival) this.columns.forEach((column, k) => column.draw(run, s, k));
      this.empty.hidden = s === 0;
      this.chart.element.style.visibility = run.decides ? "" : "hidden";
      if (run.decides) this.drawChart(run, s);
      this.drawTable(run);
    }

    drawChart(run, s) {
      const curves = run.curves(s).map(({ points, cells }, k) => ({
        points: points.map(([epsilon, less]) => [epsilon, Math.max(less, LOW)]),
        end: KINDS[cells] ?? cells.join(", "),
        line: LINES[k % LINES.length],
        dashed: k >= LINES.length
      }));
      this.chart.draw({
        curves,
        low: LOW,
        high: 0,
        games: MAX_EPSILON / 100,
        rules: run.jumps(s).map(({ epsilon }) => [epsilon, fixed(epsilon)])
      });
    }

    drawTable(run) {
      const rows = run.earned();
      this.table.replaceChildren(
        h("caption", {}, "Mean reward per game"),
        h("tr", {}, h("td"), ...columnHeads(`ε = ${run.epsilon}`, "ε = 0")),
        tableRow(["best by the left board"], ...rows[0].map(fixed)),
        tableRow(["best by the right board"], ...rows[1].map(fixed))
      );
    }
  }

  async function begin(texts, lab) {
    const side = Number(texts.side),
      { policy } = await lab.agentFor(texts, "opponent", -side);
    return new Run(lab, policy, side);
  }

  ttt.lab.define("on_off_policy", SETTINGS, begin, View);
})();
