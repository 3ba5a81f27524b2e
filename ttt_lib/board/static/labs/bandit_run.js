// The run of the bandit's lab: the reader's games, those of five methods with the same random
// numbers, and then 200 runs of 1,000 games of each method.
//
// A mark is the openings taken so far, one digit each; after the last game a colon and the
// number of runs may follow.

ttt.banditRun = (() => {
  "use strict";

  const { fixed, list, minus, many } = ttt.format;
  const { openings, best, greedily, ucb, softmax } = ttt.bandits;
  const { newBandit, drawThree, pull, regrets, summary } = ttt.bandits;
  const { mt19937, MAX_SEED } = ttt.mt19937;
  const read = ttt.parsing;

  const RUNS = 200; // of all methods, because one run says little
  const RUN_GAMES = 1000; // of each run, and at most of the reader
  const RUNS_A_STEP = 10;
  const ENDS = { 1: "X won, +1", 0: "a draw, 0", "-1": "O won, −1" };

  // The methods: name, choice, initial estimate and its weight, and the dashes of their curves.
  /** @type {Object<string, any>} */
  const METHODS = {
    never: {
      name: "greedy",
      choose: () => greedily(0),
      says: () => "ε = 0",
      python: () => "greedily(0)",
      dashed: "none"
    },
    greedy: {
      name: "ε-greedy",
      choose: ({ epsilon }) => greedily(Number(epsilon)),
      says: ({ epsilon }) => `ε = ${epsilon}`,
      python: ({ epsilon }) => `greedily(${epsilon})`,
      dashed: "8 3"
    },
    optimistic: {
      name: "optimistic",
      choose: () => greedily(0),
      begins: ({ initial, weight }) => [initial, weight].map(Number),
      says: ({ initial, weight }) => `${initial}, weight ${weight}`,
      python: ({ initial, weight }) => `greedily(0), ${initial}, ${weight}`,
      dashed: "2 3"
    },
    ucb: {
      name: "UCB",
      choose: ({ c }) => ucb(Number(c)),
      says: ({ c }) => `c = ${c}`,
      python: ({ c }) => `ucb(${c})`,
      dashed: "8 3 2 3"
    },
    softmax: {
      name: "softmax",
      choose: ({ tau }) => softmax(Number(tau)),
      says: ({ tau }) => `τ = ${tau}`,
      python: ({ tau }) => `softmax(${tau})`,
      dashed: "4 4"
    }
  };

  const SETTINGS = {
    chooser: {
      label: "Chosen by",
      view: true,
      options: Object.entries(METHODS).map(([value, { name }]) => [value, name])
    },
    games: { label: "Games", read: read.whole("games", 1, RUN_GAMES) },
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

  // The methods in Python, for the copied cell.
  const PLAY = [
    "def play(draws, choose, initial=0, weight=0):  # runs side by side",
    "    games, _, runs = draws.shape",
    "    Q, N = np.full((runs, 9), float(initial)), np.full((runs, 9), float(weight))",
    "    run, regret = np.arange(runs), np.zeros((games + 1, runs))",
    "    for t, (explore, which, ending) in enumerate(draws, start=1):",
    "        a = choose(Q, N, t, explore, which)",
    "        win, draw, _ = chances[a].T",
    "        r = np.where(ending < win, 1, np.where(ending < win + draw, 0, -1))",
    "        N[run, a] += 1",
    "        Q[run, a] += (r - Q[run, a]) / N[run, a]",
    "        regret[t] = regret[t - 1] + q.max() - q[a]",
    "    return Q, N, regret",
    "",
    "",
    "def best(values, which):",
    "    winners = values > values.max(axis=1, keepdims=True) - 1e-9",
    "    place = which * winners.sum(axis=1)",
    "    return (winners.cumsum(axis=1) > place[:, np.newaxis]).argmax(axis=1)",
    "",
    "",
    "def greedily(epsilon):",
    "    return lambda Q, N, t, explore, which: np.where(",
    "        explore < epsilon, (9 * which).astype(int), best(Q, which)",
    "    )",
    "",
    "",
    "def ucb(c):",
    "    def choose(Q, N, t, explore, which):",
    "        bonus = c * np.sqrt(np.log(t) / np.maximum(N, 1))",
    "        return best(np.where(N > 0, Q + bonus, 99), which)",
    "",
    "    return choose",
    "",
    "",
    "def softmax(temperature):",
    "    def choose(Q, N, t, explore, which):",
    "        p = np.exp((Q - Q.max(axis=1, keepdims=True)) / temperature)",
    "        below = (p / p.sum(axis=1, keepdims=True)).cumsum(axis=1)",
    "        return (which[:, np.newaxis] < below).argmax(axis=1)",
    "",
    "    return choose",
    "",
    ""
  ];

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
      this.first = this.taken = "";
      this.games = Number(texts.games);
      this.newDraws = (games) => Array.from({ length: games }, () => drawThree(rng));
      this.draws = this.newDraws(this.games);
      this.methods = Object.entries(METHODS).map(([key, { choose, begins, ...method }]) => ({
        ...method,
        key,
        choose: choose(texts),
        begins: begins?.(texts) ?? []
      }));
      this.own = this.player(newBandit(arms));
      this.others = this.methods.map((method) => {
        const player = this.player(newBandit(arms, ...method.begins));
        for (const each of this.draws) this.pull(player, method.choose, each);
        return { ...player, ...method };
      });
      this.runs = []; // regrets of each run, from `regrets`
      this.at = this.checkpoints(); // games
    }

    // The numbers of games after which the regret of a run is kept.
    checkpoints() {
      const even = Array.from({ length: 51 }, (_, k) => (k * RUN_GAMES) / 50);
      return [...new Set([...even, this.games, RUN_GAMES - this.games])].sort((a, b) => a - b);
    }

    // A bandit with its regret and earnings after each game.
    player(bandit) {
      return { bandit, pulls: [], regret: [0], earned: [0] };
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
      return best(
        this.arms.map(({ value }) => value),
        0
      );
    }
    get played() {
      return this.t === this.games;
    }
    get end() {
      return this.runs.length === RUNS;
    }
    get rests() {
      return this.played && !this.runs.length;
    }
    get mark() {
      return this.runs.length ? `${this.taken}:${this.runs.length}` : this.taken;
    }
    get shown() {
      return this.played || this.lab.texts.show === "always";
    }

    // The openings taken after more games by the chooser, which continues from the reader's.
    chosen(games) {
      const { choose, begins } = this.methods.find(({ key }) => key === this.lab.texts.chooser),
        bandit = newBandit(this.arms, ...begins);
      this.own.pulls.forEach(({ a }, t) => pull(bandit, () => a, this.draws[t]));
      const cells = this.draws
        .slice(this.t, this.t + games)
        .map((each) => pull(bandit, choose, each).a);
      return this.taken + cells.join("");
    }
    get next() {
      if (!this.played) return this.chosen(1);
      return `${this.taken}:${Math.min(this.runs.length + RUNS_A_STEP, RUNS)}`;
    }
    get last() {
      return `${this.chosen(this.games)}:${RUNS}`;
    }

    readMark(text) {
      const [, cells, runs = "0"] = text.match(/^([0-8]*)(?::(\d+))?$/) ?? [];
      if (cells === undefined)
        throw Error(
          `at=${text}: give the openings taken, cells from 0 to 8, without anything between them.`
        );
      if (cells.length > this.games)
        throw Error(`at=${text}: there are ${this.games} games, and these are ${cells.length}.`);
      if (Number(runs) > (cells.length === this.games ? RUNS : 0))
        throw Error(
          `at=${text}: up to ${RUNS} runs can follow, and only after ${this.games} games.`
        );
      return Number(runs) ? `${cells}:${Number(runs)}` : cells;
    }

    work(mark, ms) {
      const until = performance.now() + ms,
        [cells, runs = 0] = mark.split(":");
      for (const cell of cells.slice(this.t))
        this.pull(this.own, () => Number(cell), this.draws[this.t]);
      this.taken = cells;
      while (this.runs.length < Number(runs)) {
        this.runs.push(regrets(this.arms, this.methods, this.newDraws(RUN_GAMES), this.at));
        if (performance.now() >= until) break;
      }
      return this.runs.length >= Number(runs);
    }

    // The reader's games are kept when a method is changed.
    follow(before, name) {
      if (["epsilon", "initial", "weight", "c", "tau"].includes(name)) this.work(before.taken, 0);
    }

    // The regret of a method in all runs between two numbers of games.
    paid(k, from, to) {
      const [start, stop] = [from, to].map((n) => this.at.indexOf(n));
      return this.runs.map((run) => run[k][stop] - run[k][start]);
    }

    // ---- descriptions

    get players() {
      return [{ ...this.own, name: "you" }, ...this.others];
    }

    description() {
      const { t, games, texts } = this,
        mixed = texts.cells === "mixed" ? " Which opening it stands for is hidden." : "";
      if (t === 0)
        return `Before the first of ${games} games. Press a cell to play one, in which all later moves are random.${mixed}`;
      if (this.runs.length) return `${many(this.runs.length, "run")}. ${this.comparison()}`;
      return this.played ? `${this.describeGame()} ${this.bestCell()}` : this.describeGame();
    }

    describeResult() {
      const { a, r } = this.own.pulls.at(-1);
      return `Game ${this.t} of ${this.games}: cell ${a}, ${ENDS[r]}.`;
    }

    describeGame() {
      const { a, r, old, new: after } = this.own.pulls.at(-1),
        n = this.own.bandit.N[a],
        within = old < 0 ? `(${fixed(old)})` : fixed(old);
      const mean =
        n === 1
          ? `The mean of cell ${a} is ${fixed(after)}`
          : `The mean of cell ${a} was ${fixed(old)}, and is ${fixed(old)} + 1/${n} × (${minus(r)} − ${within}) = ${fixed(after)}`;
      return `${this.describeResult()} ${mean}.`;
    }

    bestCell() {
      const { best, arms } = this;
      return `Cell ${best} is best, worth ${fixed(arms[best].value)}.`;
    }

    comparison() {
      const means = this.means.map(({ name, all }) => `${name} ${all}`);
      return `Mean regret of ${many(RUN_GAMES, "game")}: ${list(means)}.`;
    }

    // Of each method, the mean regret in the runs: in the first games, as many as the reader
    // has played, in as many last ones, and in all; with 95 % intervals as soon as there are two.
    get means() {
      const { games } = this;
      return this.methods.map(({ name }, k) => {
        const written = (from, to, digits) => {
          const { mean, half } = summary(this.paid(k, from, to));
          return this.runs.length < 2
            ? mean.toFixed(digits)
            : `${mean.toFixed(digits)} ± ${half.toFixed(digits)}`;
        };
        return {
          name,
          mean: summary(this.paid(k, 0, RUN_GAMES)).mean,
          early: written(0, games, 1),
          late: written(RUN_GAMES - games, RUN_GAMES, 1),
          all: written(0, RUN_GAMES, 0)
        };
      });
    }

    answer() {
      if (!this.end) return "";
      const means = [...this.means].sort((one, other) => one.mean - other.mean),
        [least, most] = [means[0], means.at(-1)];
      return (
        `In ${many(RUN_GAMES, "game")} ${least.name} pays least, ${least.all}, and ${most.name} most, ${most.all}; ` +
        `in the first ${this.games} they pay ${least.early} and ${most.early}.`
      );
    }

    python() {
      const { texts, t, games, runs } = this;
      const calls = (draws) =>
        Object.values(METHODS).map(({ python }) => `play(${draws}, ${python(texts)})`);
      return ttt.lab.pythonCell(
        "at_random = policy.uniform(game.legal)",
        "chances = evaluation.win_draw_loss(game, at_random, at_random)[game.next[0]]",
        "q = chances @ [1, 0, -1]",
        `rng = experiments.mt19937(${texts.seed})  # the random numbers of the page`,
        "mixed = rng.random(9).argsort()",
        ...(texts.cells === "mixed" ? ["chances, q = chances[mixed], q[mixed]"] : []),
        `draws = rng.random((${games}, 3, 1))[:${t}]`,
        ...(runs.length
          ? [`more = rng.random((${runs.length}, ${RUN_GAMES}, 3)).transpose(1, 2, 0)`]
          : []),
        "",
        "",
        ...PLAY,
        `own = [${[...this.taken].join(", ")}]`,
        "you = play(draws, lambda Q, N, t, explore, which: np.array([own[t - 1]]))",
        `others = [${calls("draws").join(", ")}]`,
        ...(runs.length
          ? [
              `fans = [${calls("more").join(", ")}]`,
              "you, others, [regret for _, _, regret in fans]"
            ]
          : ["you, others"])
      );
    }
  }

  return { SETTINGS, Run, RUNS, RUN_GAMES };
})();
