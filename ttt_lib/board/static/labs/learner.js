// The lab of the learners: any of `learning.METHODS`, move by move or a million games.

ttt.learner = (() => {
  "use strict";

  const { fixed, count, list, minus, many, signed } = ttt.format;
  const { terminal, pair, signOf, cellsOf, signs } = ttt.game;
  const { CODES, newLearner, newRecord, train, actionValues, greedyPolicy } = ttt.learning;
  const { scores, valuesOf, bestResponse } = ttt.evaluation;
  const { mt19937, MAX_SEED } = ttt.mt19937;
  const { h, button, put } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Chart, columnHeads, tableRow, equation } = ttt.chart;
  const { Skyline, key } = ttt.skyline;
  const { classes, meansOfClasses } = ttt.symmetry;
  const read = ttt.parsing,
    { METHODS } = ttt;

  const MAX_GAMES = 2_000_000; // per page
  const ACROSS = 10; // dots in a row of the skyline on a phone, so that all fits the screen
  const CHUNK = 1000; // games between two looks at the events of the page
  const SEEDS = 20; // that “Twenty seeds” tries, from 1 on
  const MOST = 100_000; // games of each of them
  const SAFE = 1e-9; // a worst case above −SAFE is that of a safe player
  const DASHES = ["5 4", "2 3", "8 3 2 3"]; // dash patterns of earlier curves
  const WHAT = {
    // the part of the target that comes from the next board
    V: "the estimate of the second board",
    Q: "the best estimate there",
    [CODES.SARSA]: "the estimate of the cell taken there",
    [CODES.EXPECTED_SARSA]: "the mean over the next move",
    [CODES.DOUBLE_Q]: "the other table's estimate of the best cell there",
    [CODES.MINIMAX_Q]: "the opponent's best estimate there"
  };

  // ---- settings

  const row = ({ method }) => METHODS.find(({ name }) => name === method);
  const plain = (name) => name.replaceAll("_", "-").replace(/^(mc|td)/, (m) => m.toUpperCase());
  const SCHEDULES =
    "A number, 1/n, linear:0.5:0.01:10000, exponential:0.5:0.01:10000 or power:1:0.75";

  const SETTINGS = {
    method: {
      label: "Method",
      options: METHODS.map(({ name, description }) => [name, `${plain(name)}: ${description}`])
    },
    alpha: { label: "Step size α", read: read.schedule({ above: true }), says: SCHEDULES },
    epsilon: {
      label: "Exploration ε",
      read: read.schedule({}),
      says: SCHEDULES,
      when: (texts) => !row(texts).is_prediction
    },
    gamma: { label: "Discount γ", read: read.number("γ", 0, 1) },
    lambda_: {
      label: "Trace decay λ",
      read: read.number("λ", 0, 1),
      when: (texts) => row(texts).steps
    },
    n: { label: "Steps n", read: read.whole("n", 1, 9), when: (texts) => row(texts).steps },
    opponent: {
      label: "Opponent",
      read: read.player(["self"]),
      suggestions: [
        "self",
        "random",
        "perfect",
        "perfect lowest",
        "teacher 0.9",
        "teacher 0.5",
        "q-learning"
      ]
    },
    behaviour: {
      label: "Policy evaluated",
      read: read.player([]),
      suggestions: ["random", "perfect", "teacher 0.9"],
      when: (texts) => row(texts).is_prediction
    },
    side: {
      label: "It plays",
      options: [
        ["0", "both sides, in turns"],
        ["1", "first"],
        ["-1", "second"]
      ],
      when: ({ opponent }) => opponent !== "self"
    },
    rewards: read.REWARDS,
    initial: {
      label: "First estimates",
      read: read.numberOrAgent("first estimates", -1e6, 1e6),
      suggestions: ["0", "0.5", "1", "q-learning", "sarsa", "minimax-q"],
      says: "A number, or an agent of the book, whose values it starts from"
    },
    seed: { label: "Seed", read: read.whole("a seed", 0, MAX_SEED) },
    differs: { label: "Compare with another", options: [["none", "no other"]] }, // more are added below
    by: {
      label: "which is",
      read: (text) => text.trim(),
      when: ({ differs }) => differs !== "none"
    },
    to: {
      label: "Run goes to",
      view: true,
      options: [100, 1000, 10000, 100000, 1000000].map((n) => [String(n), `${count(n)} games`])
    },
    step: {
      label: "A step is",
      view: true,
      options: [
        ["move", "a move"],
        ["game", "a game"],
        ["1000", "1,000 games"]
      ]
    },
    look: read.LOOK
  };

  for (const name of [
    "method",
    "alpha",
    "epsilon",
    "gamma",
    "lambda_",
    "n",
    "opponent",
    "rewards",
    "initial",
    "seed"
  ]) {
    SETTINGS.differs.options.push([name, SETTINGS[name].label.toLowerCase()]);
  }

  // ---- one learner

  async function newEntry(texts, lab) {
    const { game } = lab,
      method = row(texts),
      rewards = texts.rewards.split(",").map(Number);
    const self = texts.opponent === "self",
      side = self ? 0 : Number(texts.side),
      sides = side ? [side] : [1, -1],
      [win, draw, loss] = rewards;
    if (method.code === CODES.MINIMAX_Q && (win !== -loss || draw !== 0)) {
      read.reject(
        "rewards",
        "In minimax-q the rewards of the two sides must add up to 0, as in 1, 0, −1."
      );
    }
    const [agent, evaluated] = await Promise.all([
      self ? null : lab.agentFor(texts, "opponent", ...sides.map((one) => -one)),
      method.is_prediction ? lab.agentFor(texts, "behaviour", ...sides) : null
    ]);
    const startAgent = Number.isNaN(Number(texts.initial)) ? await lab.player(texts.initial) : null;
    if (startAgent && !startAgent.q)
      read.reject(
        "initial",
        `${texts.initial} has no values of moves: give a number, or an agent that has learnt Q.`
      );
    if (startAgent && method.learns !== "Q")
      read.reject(
        "initial",
        `${plain(method.name)} learns values of boards, and ${texts.initial} has values of moves: give a number, or choose a method that learns Q.`
      );
    const learner = newLearner(game, method, mt19937(Number(texts.seed)), {
      alpha: ttt.schedules.read(texts.alpha),
      epsilon: ttt.schedules.read(texts.epsilon),
      gamma: Number(texts.gamma),
      initial: startAgent ? 0 : Number(texts.initial),
      lambda_: Number(texts.lambda_),
      n: Number(texts.n),
      rewards
    });
    for (const table of startAgent ? [learner.table, learner.Q1, learner.Q2] : [])
      table?.set(startAgent.q);
    return {
      texts,
      row: method,
      learner,
      agent,
      opponent: agent?.policy ?? null,
      behaviour: evaluated?.policy ?? null,
      side,
      record: newRecord(game),
      curve: []
    };
  }

  // The next point of a curve and stop of Run: eight for each power of ten.
  const stopAfter = (games) => {
    for (let k = 0; ; k++) {
      const n = Math.round(10 ** (k / 8));
      if (n > games) return n;
    }
  };

  // A setting in short, as in ε = 0.1.
  const LETTERS = { alpha: "α", epsilon: "ε", gamma: "γ", lambda_: "λ", n: "n" };
  const shortName = (name, text) =>
    name === "method"
      ? plain(text)
      : `${LETTERS[name] ?? SETTINGS[name].label.toLowerCase()} = ${text}`;

  // The values at the ends of the colour scale, as for agents on boards, and that of a draw.
  const limits = ({ rewards }) => [
    Math.min(...rewards) < 0 ? -Math.max(...rewards) : 0,
    Math.max(...rewards),
    rewards[1]
  ];

  // What a learner thinks of each position for the first player: 1 is a win and 0 a draw, and
  // null if it has never decided there. Games that are over have their results.
  function opinions(game, learner) {
    const { first, toMove, outcome } = game,
      { rewards, visits } = learner;
    const q = actionValues(game, learner),
      [win, draw] = rewards;
    return Array.from(toMove, (mover, s) => {
      if (terminal(game, s)) return outcome[s];
      if (visits && !visits[s]) return null; // learners in Python do not count
      const best = Math.max(...q.subarray(first[s], first[s + 1]));
      return Math.max(-1, Math.min(1, (mover * (best - draw)) / (win - draw || 1)));
    });
  }

  // ---- the run

  class Run {
    constructor(lab, texts, learners) {
      this.lab = lab;
      this.game = lab.game;
      this.texts = texts;
      this.learners = learners;
      this.first = "0";
      this.earlier = []; // curves of runs before this one
      this.frame = 0; // the number of frames of the last game that are shown; 0 for none
      this.score();
    }

    get games() {
      return this.learners[0].learner.games;
    }
    // The number of games shown to their end, whose scores are shown.
    get gamesShown() {
      return this.frame && this.frame < this.frames.length ? this.games - 1 : this.games;
    }
    get ends() {
      return this.earlier.length ? "" : "To go further, change “Run goes to”, under More.";
    }
    get mark() {
      return this.frame ? `${this.games}:${this.frame}` : String(this.games);
    }
    get end() {
      return (
        this.games >= Number(this.lab.texts.to) && [0, this.frames.length].includes(this.frame)
      );
    }

    readMark(text) {
      const [games, frame = 0] = read.mark(text);
      if (!(games <= MAX_GAMES) || (frame > 0 && games === 0)) {
        throw Error(`at=${text}: give a number of games from 0 to ${count(MAX_GAMES)}`);
      }
      return text;
    }

    goal() {
      return String(
        Math.min(stopAfter(this.games), Math.max(Number(this.lab.texts.to), this.games))
      );
    }

    // Run towards a number of games, and add points to the curve on the way.
    work(mark, ms) {
      const [goal, frame = 0] = mark.split(":").map(Number),
        until = performance.now() + ms;
      this.frame = 0;
      while (this.games < goal && performance.now() < until) {
        const stop = Math.min(goal, stopAfter(this.games));
        const last = frame && stop === goal ? goal - 1 : stop; // before the game whose frames are shown
        while (this.games < last && performance.now() < until)
          this.train(Math.min(last - this.games, 500));
        if (this.games < last) break;
        if (last < stop) {
          for (const each of this.learners)
            each.before = { table: each.learner.table.slice(), scores: this.scored(each) };
          this.train(1);
        }
        this.score();
      }
      this.frame = this.games === goal ? Math.min(frame, this.frames.length) : 0;
      return this.games >= goal;
    }

    train(games) {
      for (const { learner, opponent, side, behaviour, record } of this.learners) {
        train(this.game, learner, games, opponent, side, behaviour, record);
      }
    }

    // The scores for the curves; for prediction, the estimate and exact value of the start.
    scored(each) {
      const { game } = this,
        { learner, row, side, behaviour, opponent, policy } = each;
      if (!row.is_prediction) return scores(game, policy ?? greedyPolicy(game, learner), side);
      const one = side || 1,
        s = one === 1 ? 0 : this.lab.lookedAt;
      each.truth ??= valuesOf(
        game,
        behaviour,
        opponent ?? behaviour,
        one,
        learner.gamma,
        learner.rewards
      );
      return { estimate: learner.table[s], exact: each.truth[s] };
    }

    score() {
      for (const each of this.learners) {
        const {
          learner: { games },
          curve
        } = each;
        each.scores = this.scored(each);
        if (curve.at(-1)?.games === games) curve.pop();
        curve.push({ games, ...each.scores });
      }
    }

    // The first learner as it was at the frame that is shown.
    get learner() {
      const {
        learner,
        before,
        row,
        record: { position, taken }
      } = this.learners[0];
      if (!this.frame) return learner;
      const table = before.table.slice(),
        after = row.code === CODES.PREDICTION ? 0 : 1;
      for (const { t, learns } of this.frames.slice(0, this.frame)) {
        const entry = row.learns === "Q" ? taken[t] : position[t + after];
        if (learns) table[entry] = learner.table[entry];
      }
      return { ...learner, table };
    }

    // The frames of the last game: its moves, and then the updates, in order.
    get frames() {
      const {
        record: { plies, changes },
        row,
        learner
      } = this.learners[0];
      if (learner.games === 0) return [];
      const moves = Array.from({ length: plies }, (_, t) => ({ t, learns: false }));
      const updates = moves.filter(({ t }) => changes[t]).map(({ t }) => ({ t, learns: true }));
      return [...moves, ...(row.code === CODES.SWEEP ? updates.reverse() : updates)];
    }

    // The mark after one step.
    get next() {
      const unit = this.lab.texts.step;
      if (unit === "move" && this.frame && this.frame < this.frames.length)
        return `${this.games}:${this.frame + 1}`;
      return unit === "move"
        ? `${this.games + 1}:1`
        : String(this.games + (unit === "game" ? 1 : 1000));
    }

    // ---- descriptions

    // The current frame: its board, a description, and the numbers of an update.
    /** @returns {any} */
    shown() {
      if (!this.frame) return null;
      const { record, row, learner } = this.learners[0],
        { game } = this;
      const { t, learns } = this.frames[this.frame - 1],
        { position, taken, exploratory, changes } = record;
      const s = position[t],
        cell = game.action[taken[t]],
        mover = signOf(game.toMove[s]);
      const own = record.own === 0 || record.own === game.toMove[s];
      if (!learns) {
        const after = position[t + 1];
        let who = `Its opponent (${mover})`,
          how = "",
          ends = "";
        if (own) {
          who = `The learner (${mover})`;
          how = exploratory[t]
            ? ", exploring: its estimate of another cell is higher"
            : ", best by its estimates";
        }
        if (terminal(game, after)) {
          const winner = game.outcome[after];
          ends = winner === 0 ? " The game is drawn." : ` ${signOf(winner)} wins.`;
        }
        return {
          s: after,
          cell,
          explored: own && exploratory[t],
          says: `Game ${count(learner.games)}, move ${t + 1}. ${who} takes cell ${cell}${how}.${ends}`
        };
      }
      const change = changes[t],
        ofMoves = row.learns === "Q",
        ofBoard = row.code === CODES.PREDICTION;
      const board = ofBoard ? "this board" : `the board after cell ${cell}`;
      const entry = ofMoves ? `cell ${cell}` : board;
      return {
        t,
        s: ofMoves || ofBoard ? s : position[t + 1],
        cell: ofMoves ? cell : null,
        change,
        alpha: record.alpha[t],
        reward: record.reward[t],
        next: position[record.looks[t]],
        side: game.toMove[s],
        mover,
        table:
          row.code === CODES.DOUBLE_Q
            ? ` (table Q${learner.Q1[taken[t]] === change.new ? 1 : 2} of two)`
            : "",
        says: `Learning from move ${t + 1}: the value of ${entry} for ${mover}.`
      };
    }

    description() {
      const shown = this.shown();
      if (shown) {
        if (!shown.change) return shown.says;
        return `${shown.says} ${this.equation(shown)
          .map(([text]) => text)
          .join("")}`;
      }
      if (this.games === 0) {
        const startAgent = Number.isNaN(Number(this.texts.initial));
        const first = startAgent
          ? `, and starts from the values of ${this.texts.initial}`
          : ", and all its estimates are equal";
        return `It has not played a game yet${first}. What will its first moves be?`;
      }
      return this.learners
        .map(
          (each, k) => (this.learners.length > 1 ? `${this.named(k)}: ` : "") + this.summary(each)
        )
        .join(" ");
    }

    summary({ scores: now, row, side }) {
      const games = `After ${many(this.games, "game")}`;
      if (row.is_prediction)
        return `${games} the estimate of the first board is ${fixed(now.estimate)}; the exact value is ${fixed(now.exact)}.`;
      return (
        `${games}: against random moves it wins ${fixed(now.win)}, draws ${fixed(now.draw)} and loses ${fixed(now.loss)}` +
        `${side === 0 ? ", the mean of both sides" : ""}. Against its worst opponent it scores ${fixed(now.worst)} per game.`
      );
    }

    named(k) {
      const { differs, by } = this.texts;
      return differs === "none" ? "it" : shortName(differs, k ? by : this.texts[differs]);
    }

    // Keep the curves of earlier values of one setting, for comparison.
    follow({ learners: [one], texts, earlier }, name) {
      this.earlier = earlier;
      if (!name || !one.learner.games) return;
      const others = earlier.filter(
        (each) => each.setting === name && ![texts[name], this.texts[name]].includes(each.value)
      );
      const now = { setting: name, value: texts[name], curve: one.curve };
      this.earlier = [...others, now].slice(-DASHES.length);
    }

    // The runs that can be compared: earlier ones, and this one, each {name, games, worst}.
    get compared() {
      const { earlier, learners, texts } = this,
        setting = earlier.at(-1)?.setting;
      const row = (name, curve) => ({ name, ...curve.at(-1) });
      return [
        ...earlier.map((each) => row(shortName(each.setting, each.value), each.curve)),
        ...learners.map(({ curve }, k) =>
          row(setting ? shortName(setting, texts[setting]) : this.named(k), curve)
        )
      ];
    }

    // What the first learner, as it is shown, thinks of each class of positions.
    get opinions() {
      return meansOfClasses(this.game, opinions(this.game, this.learner));
    }

    answer() {
      const all = this.compared,
        { games } = this;
      if (this.frame || !games || this.learners[0].row.is_prediction) return "";
      if (all.length === 1) return this.knows(all[0].worst);
      const said = all.map((each) => {
        const fewer = each.games === games ? "" : ` (${many(each.games, "game")})`;
        return `${fixed(each.worst)} with ${each.name}${fewer}`;
      });
      const same = new Set(all.map(({ worst }) => fixed(worst))).size === 1;
      return (
        `In the worst case, with one seed each: ${list(said)}.` +
        (same ? " One seed shows no difference." : "")
      );
    }

    // How many of the seeds that were tried are safe.
    ofSeeds(worst, games) {
      const safe = worst.filter((sides) => sides.every((x) => x > -SAFE)).length,
        means = worst.map((sides) => sides.reduce((sum, x) => sum + x, 0) / sides.length);
      return (
        `With the seeds 1 to ${SEEDS}, after ${many(games, "game")} each: ${safe} of ${SEEDS} are ` +
        `safe; the worst cases lie between ${fixed(Math.min(...means))} and ${fixed(Math.max(...means))}.`
      );
    }

    // What one learner has met, and its worst case.
    knows(worst) {
      const { game, games } = this;
      const open = classes(game).map((s) => !terminal(game, s));
      const met = this.opinions.filter((value, n) => open[n] && value !== null).length;
      return (
        `After ${many(games, "game")}, with one seed: it knows ${count(met)} of ` +
        `${count(open.filter(Boolean).length)} unfinished kinds of boards; worst case ${fixed(worst)}.`
      );
    }

    // new = old + α × (target − old), as pieces [text, meaning].
    equation({ change, alpha }) {
      return [
        [fixed(change.old), "old"],
        [" + ", ""],
        [fixed(alpha), "α"],
        [" × (", ""],
        [fixed(change.target), "target"],
        [" − ", ""],
        [fixed(change.old), "old"],
        [") = ", ""],
        [fixed(change.new), "new"]
      ];
    }

    // The target as a sentence; the part from the next board is recovered from it.
    target({ change, reward, next }) {
      const {
        row: { code, learns },
        learner: { gamma, lambda_, n }
      } = this.learners[0];
      if (terminal(this.game, next)) {
        const late = reward !== change.target ? `, and the target is ${fixed(change.target)}` : "";
        return `The game ends there: the reward is ${minus(reward)}${late}.`;
      }
      if (learns === "V" && lambda_ > 0) {
        return `The target weighs the estimates of the next ${n} decisions by λ; the second board is the last of them.`;
      }
      const taken = gamma > 0 ? Math.abs(change.target - reward) / gamma : 0;
      const value = change.target < reward !== (code === CODES.MINIMAX_Q) ? -taken : taken;
      const sign = code === CODES.MINIMAX_Q ? "−" : "+";
      return `target = reward ${sign} γ × ${WHAT[code] ?? WHAT[learns]} = ${minus(reward)} ${sign} ${minus(gamma)} × ${fixed(value)}`;
    }

    // How to show the next board: the estimates that the target used, and the cell that was
    // taken there.
    nextBoard({ next }) {
      const {
        record: { position, taken, plies },
        row: { learns, code }
      } = this.learners[0];
      const { game, learner } = this,
        at = position.indexOf(next);
      if (learns === "V" || code === CODES.DOUBLE_Q || at >= plies || terminal(game, next))
        return {};
      const values = cellsOf(game, next, (i) => learner.table[i]),
        cell = game.action[taken[at]];
      return {
        values,
        limits: limits(learner),
        still: true,
        mark: signOf(game.toMove[next]),
        ring: code !== CODES.SARSA,
        last: code === CODES.SARSA ? cell : null
      };
    }

    // Train learners with these settings and other seeds; a promise of their worst cases as
    // first and as second player. `goesOn(k)` says before the k-th whether to go on.
    async tried(games, goesOn) {
      const { game, lab } = this,
        worst = [];
      for (let seed = 1; seed <= SEEDS && goesOn(seed); seed++) {
        const one = await newEntry({ ...this.texts, seed: String(seed) }, lab);
        while (one.learner.games < games) {
          const chunk = Math.min(games - one.learner.games, CHUNK);
          train(game, one.learner, chunk, one.opponent, one.side, one.behaviour, one.record);
          await lab.turn();
        }
        const policy = greedyPolicy(game, one.learner);
        const sides = one.side === 0 ? [1, -1] : [one.side];
        worst.push(sides.map((side) => -bestResponse(game, policy, -side)[0]));
      }
      return worst;
    }

    python() {
      const {
          games,
          learners,
          lab: { texts }
        } = this,
        predicts = learners[0].row.is_prediction;
      const names = learners.length > 1 ? ["one", "other"] : ["learner"];
      const lines = learners.flatMap((each, k) =>
        ttt.python.learner(each.texts, each, games, names[k])
      );
      const board = `game.find("${texts.look}")`;
      const seen = names
        .map((name, k) =>
          predicts
            ? [`${name}.V[${board}]`]
            : [
                `learning.action_values(game, ${name})[${board}]`,
                `evaluation.scores(game, learning.greedy_policy(game, ${name}), ${learners[k].side})`
              ]
        )
        .flat();
      return ttt.lab.pythonCell(...lines, seen.join(", "));
    }
  }

  // ---- view

  class View {
    constructor(lab) {
      this.lab = lab;
      const { game } = lab;
      this.grid = new Grid(game, "What it expects from each cell", (cell) => this.press(cell));
      this.grid.element.classList.add("ttt-lab-board");
      this.caption = h("p", { class: "ttt-outlook" });
      this.empty = lab.emptyBoard();
      this.says = h("p", { class: "ttt-says" });
      this.update = h("div", { class: "ttt-update" });
      this.table = h("table", { class: "ttt-scores" });
      this.chart = new Chart("games");
      this.minis = [new Grid(game), new Grid(game)];
      this.exact = ttt.review.exactValues(game);
      this.sky = new Skyline(game, (s) => this.opinion(s), ACROSS);
      this.sky.element.addEventListener("click", (event) => this.point(event));
      this.meet = button("Play against it", () => this.invite());
      this.trying = false; // twenty seeds
      this.seeds = button("Twenty seeds", () => this.trySeeds());
      this.guest = h("div", {});
      this.split = h(
        "div",
        { class: "ttt-split ttt-learn" },
        h(
          "div",
          { class: "ttt-place" },
          this.grid.element,
          h("div", { class: "ttt-line" }, this.caption, this.empty)
        ),
        this.says,
        this.table,
        this.update,
        this.chart.element,
        h("div", { class: "ttt-thinks" }, this.sky.element, key())
      );
      this.element = h("div", {}, this.split);
      this.below = [this.guest];
      this.actions = [this.meet, this.seeds]; // inside the fold
      this.title = lab.setup.runs && "One learner, step by step";
    }

    // The lab in a fold below the stored learners, if there are any.
    framed(whole) {
      const { lab } = this,
        { title, runs } = lab.setup;
      if (!runs) return [whole];
      const stored = ttt.RUNS[runs],
        { setting } = stored;
      const named = (value) => (setting in LETTERS ? shortName(setting, value) : value);
      const comparison = new ttt.comparison.Comparison(lab.game, title, stored, named);
      const { texts = {}, mark, trouble } = lab.model ? {} : lab.asked();
      const open = Boolean(trouble || mark || Object.keys(texts).length);
      this.fold = h(
        "details",
        { class: "ttt-single", open },
        h("summary", {}, "Step by step: one learner, with settings of your own"),
        whole
      );
      return [comparison.element, this.fold];
    }

    get run() {
      return this.lab.run;
    }

    // Show the board after a move in this cell.
    press(cell) {
      if (!this.inGame())
        this.lab.walk(cell, "The game is over there, so there is nothing to choose.");
    }

    // Whether a game is being shown, which has to end before other boards can be looked at.
    inGame() {
      if (this.run.frame)
        this.lab.say(
          "A game is being shown. Go on to its end, or start again, before you look at other boards."
        );
      return this.run.frame > 0;
    }

    // How many learners with these settings are safe, of twenty seeds.
    async trySeeds() {
      const { lab, run } = this,
        games = Math.min(Number(lab.texts.to), MOST);
      if (this.trying || lab.busy) {
        this.trying = false;
        return;
      }
      lab.playing = false;
      this.trying = true;
      put(this.seeds, "Stop");
      const worst = await run.tried(games, (seed) => {
        lab.say(`Seed ${seed} of ${SEEDS}, ${many(games, "game")} each.`);
        return this.trying && lab.run === run;
      });
      this.trying = false;
      put(this.seeds, "Twenty seeds");
      if (worst.length === SEEDS) lab.say(run.ofSeeds(worst, games));
      else if (lab.run === run) lab.say("Stopped.");
    }

    // The text of a dot.
    opinion(s) {
      const value = this.sky.values.get(s);
      const says = value === null ? "nothing yet" : minus(Math.round(100 * value) / 100);
      return `For X it says ${says}. The truth: ${signed(this.exact[s])}.`;
    }

    // Show the board of the dot at the pointer.
    point(event) {
      const near = this.sky.nearest(event);
      if (near && !this.inGame()) this.lab.set("look", signs(this.run.game, near[0], "X").join(""));
    }

    // A board to play against the learner as it is now.
    async invite() {
      const { learner, side, policy } = this.run.learners[0],
        { game } = this.run,
        name = "the learner";
      const q = Float64Array.from(actionValues(game, learner)),
        seat = side === 1 ? ["the learner", "person"] : ["person", "the learner"];
      const games = many(learner.games, "game");
      const setup = {
        x: seat[0],
        o: seat[1],
        title: `Play against the learner as it was after ${games}`,
        choices: [],
        overlay: "agent",
        own: [{ name, label: name, made: `It has learnt from ${games}.` }],
        tables: {
          [name]: {
            side,
            policy: policy ?? greedyPolicy(game, learner),
            q,
            greedy: true,
            limits: limits(learner)
          }
        }
      };
      const place = h("div", {});
      this.guest.replaceChildren(
        h(
          "div",
          { class: "ttt-line" },
          button("Close this board", () => this.dismiss())
        ),
        place
      );
      await ttt.board.place(setup, place);
      this.meet.textContent = "Play against it as it is now";
    }

    dismiss() {
      this.guest.replaceChildren();
      this.meet.textContent = "Play against it";
      this.meet.focus();
    }

    draw() {
      const { run } = this,
        shown = run.shown();
      this.meet.hidden = run.learners[0].row.is_prediction;
      this.seeds.hidden = run.learners[0].row.is_prediction || !run.learner.visits;
      const s = shown ? shown.s : run.lab.lookedAt;
      this.drawBoard(s, shown);
      this.drawCard(shown);
      this.drawChart();
      this.drawSky();
    }

    drawSky() {
      const { run } = this,
        [{ row }] = run.learners;
      this.sky.element.parentElement.hidden = row.is_prediction;
      if (row.is_prediction) return;
      const values = run.opinions,
        met = values.filter((value) => value !== null).length;
      this.sky.show(values, `It has an opinion of ${met} of ${values.length} kinds of boards.`);
    }

    // The estimates of the first learner for the side to move in s.
    values(s) {
      const { game, learner } = this.run,
        q = learner.method.is_prediction ? null : actionValues(game, learner);
      return cellsOf(game, s, (i) => q && q[i]);
    }

    drawBoard(s, shown) {
      const { run } = this,
        {
          game,
          learners: [one]
        } = run;
      const mover = signOf(game.toMove[s]);
      const ofBoard = shown?.change && shown.cell === null; // an update of a board's value
      const values = ofBoard ? null : this.values(s),
        free = values?.filter((value) => value !== null);
      const allEqual =
        run.gamesShown > 0 && free?.length > 1 && free.every((value) => value === free[0]);
      this.grid.show(s, {
        values,
        limits: limits(one.learner),
        still: true,
        mark: mover,
        ring: true,
        last: shown?.cell ?? null,
        explored: shown?.explored,
        taken: (c) => pair(game, s, c) < 0
      });
      const learns = one.side === 0 || one.side === game.toMove[s];
      const further = shown ? "" : " Press a cell to look at the board after it.";
      const whose = run.learners.length > 1 ? ` (${run.named(0)})` : "";
      let caption = "";
      if (ofBoard) {
        const { old, new: now } = shown.change;
        caption = `The estimate of this board for ${shown.mover} was ${fixed(old)} and is now ${fixed(now)}.`;
      } else if (one.row.is_prediction) {
        caption = `Estimate of this board: ${fixed(run.learner.table[s])}.${further}`;
      } else if (!terminal(game, s)) {
        caption = `What the learner${whose} ${learns ? "expects" : "would expect"} from each cell, as ${mover}.`;
        if (!learns) caption += " It does not play this side, so it learns nothing about it.";
        else if (allEqual)
          caption +=
            " All are equal here so far, because learning starts from the end of the game.";
        caption += further;
      }
      this.caption.textContent = caption;
      this.empty.hidden = Boolean(shown) || s === 0;
    }

    // A sentence and the table of scores, or the numbers of an update in place of the table.
    drawCard(shown) {
      const { run } = this;
      const frame = shown?.change ? "update" : "move";
      this.split.dataset.frame = shown ? frame : "";
      this.says.textContent = shown ? shown.says + (shown.table ?? "") : "";
      this.drawTable();
      if (!shown?.change) return this.update.replaceChildren();
      const [before, after] = this.minis;
      before.show(shown.s, { last: shown.cell });
      after.show(shown.next, run.nextBoard(shown));
      this.update.replaceChildren(
        equation(run.equation(shown)),
        h(
          "div",
          { class: "ttt-backup" },
          before.element,
          h("span", { "aria-hidden": "true" }, "→"),
          after.element
        ),
        h("p", {}, run.target(shown))
      );
    }

    drawTable() {
      const { run } = this,
        heads = run.learners.length > 1 ? run.learners.map((_, k) => run.named(k)) : [""];
      const predicts = run.learners[0].row.is_prediction;
      const rows = predicts
        ? [
            ["estimate", " at the start", "estimate"],
            ["exact value", "", "exact"]
          ]
        : [
            ["wins", " against random", "win"],
            ["draws", " against random", "draw"],
            ["losses", " against random", "loss"],
            ["worst case", "", "worst"]
          ];
      this.table.replaceChildren(
        h(
          "caption",
          {},
          `After ${many(run.gamesShown, "game")}` +
            (run.learners[0].side === 0 && !predicts ? "; means of both sides" : "")
        ),
        ...(heads[0] ? [h("tr", {}, h("td"), ...columnHeads(...heads))] : []),
        ...rows.map(([text, more, key]) =>
          tableRow(
            [text, h("span", { class: "ttt-wide" }, more)],
            ...run.learners
              .map(
                ({ before, scores }) => (run.gamesShown < run.games ? before.scores : scores)[key]
              )
              .map((score) => (score === undefined ? "–" : fixed(score)))
          )
        )
      );
    }

    drawChart() {
      const { run } = this,
        predicts = run.learners[0].row.is_prediction;
      const kinds = predicts
        ? [
            ["estimate", "estimate", "grey"],
            ["exact value", "exact", "violet"]
          ]
        : [
            ["against random moves", "random", "grey"],
            ["in the worst case", "worst", "violet"]
          ];
      const curves = run.learners.flatMap((each, k) =>
        kinds.map(([name, key, line]) => ({
          name: run.learners.length > 1 ? `${name}, ${run.named(k)}` : name,
          line,
          dashed: k > 0,
          points: each.curve
            .filter((row) => key in row && row.games <= run.gamesShown)
            .map((row) => [row.games, row[key]])
        }))
      );
      run.earlier.forEach(({ setting, value, curve }, n) => {
        for (const [, key] of kinds) {
          curves.unshift({
            line: "quiet",
            dashed: DASHES[n],
            end: setting in LETTERS ? shortName(setting, value) : value,
            points: curve.filter((row) => key in row).map((row) => [row.games, row[key]])
          });
        }
      });
      this.chart.about.textContent = predicts
        ? "Value of the first board"
        : "Result per game, without exploring";
      const values = curves.flatMap(({ points }) => points.map(([, value]) => value));
      this.chart.draw({
        curves,
        low: Math.min(-1, ...values),
        high: Math.max(1, ...values),
        games: Math.max(Number(run.lab.texts.to), run.games)
      });
    }
  }

  // ---- the kind of lab

  async function begin(texts, lab) {
    const { differs, by } = texts,
      all = [texts];
    for (const name of differs === "none" ? [] : [differs]) {
      try {
        all.push({ ...texts, [name]: lab.read(name, by) });
      } catch (fault) {
        throw Object.assign(fault, { setting: "by" });
      }
    }
    return new Run(lab, texts, await Promise.all(all.map((each) => newEntry(each, lab))));
  }

  ttt.lab.define("learner", SETTINGS, begin, View);

  return { Run, View, SETTINGS };
})();
