// Sweeps over a decision problem, without page elements: settings, the two problems, and the
// run of the lab.
//
// A mark is the number of complete sweeps, and after a colon the number of states done in the
// next one.

ttt.sweeps = (() => {
  "use strict";

  const { fixed, count, many } = ttt.format;
  const { DIRECTIONS, fromOpponent, gridworld, fromCells } = ttt.mdp;
  const { backup, qFromV, uniform, greedy, rollout, sweeper } = ttt.planning;
  const read = ttt.parsing;

  const MAX_SWEEPS = 10_000;
  const MAX_SIDE = 8; // rows and columns of a floor
  const MAX_EXACT_SWEEPS = 200_000; // to compute the exact values
  const RIGHT = 0.0005; // a value is right within this error
  const NO_WAY = "no way out";

  // ---- settings

  const ofGame = ({ problem }) => problem === "game",
    ofFloor = ({ problem }) => problem === "floor";

  function readFloor(text) {
    const floor = text.trim().toUpperCase().replaceAll("/", "|"),
      rows = floor.split("|");
    const alike = rows.every((row) => row.length === rows[0].length);
    if (!/^[.E#|]+$/.test(floor) || !alike || !floor.includes(".")) {
      throw Error(
        `“${text}” is not a floor: give rows of . (free), E (exit) and # (wall), equally long, with | between them, and a free square.`
      );
    }
    if (Math.max(rows.length, rows[0].length) > MAX_SIDE)
      throw Error(`A floor has at most ${MAX_SIDE} rows and columns here.`);
    return floor;
  }

  const readInitial = (text) =>
    text
      .split(",")
      .map(read.number("first values", -1e6, 1e6))
      .join(", ");

  // The first values of the states of a floor, or of the game.
  function firstValues({ initial, floor, problem }, { position }) {
    const given = initial.split(",").map(Number),
      squares = floor.replaceAll("|", "").length;
    if (given.length === 1) return Float64Array.from(position, () => given[0]);
    if (problem === "game") return new Float64Array(position.length);
    if (given.length !== squares)
      read.reject("initial", `Give one first value, or ${squares}, one for each square.`);
    return Float64Array.from(position, (square) => given[square]);
  }

  const SETTINGS = {
    method: {
      label: "Backups",
      options: [
        ["evaluation", "of a policy: the mean over its actions"],
        ["optimality", "of the best: the largest of the actions"]
      ]
    },
    order: {
      label: "Values in",
      options: [
        ["synchronous", "two lists"],
        ["rising", "one, forwards"],
        ["falling", "one, backwards"]
      ]
    },
    problem: {
      label: "Problem",
      options: [
        ["game", "the game"],
        ["floor", "a floor"]
      ]
    },
    policy: {
      label: "Policy evaluated",
      read: read.player([]),
      suggestions: ["random", "perfect", "teacher 0.9"],
      when: (texts) => ofGame(texts) && texts.method === "evaluation"
    },
    opponent: {
      label: "Opponent",
      read: read.player([]),
      suggestions: ["random", "perfect", "teacher 0.9"],
      when: ofGame
    },
    side: {
      label: "The agent plays",
      options: [
        ["1", "first"],
        ["-1", "second"]
      ],
      when: ofGame
    },
    rewards: { ...read.REWARDS, when: ofGame },
    floor: {
      label: "Floor",
      read: readFloor,
      says: "Rows of . (free), E (exit) and # (wall), with | between them",
      when: ofFloor
    },
    pays: {
      label: "Reward of a step, and additional reward of an exit",
      read: read.numbers(["a step", "an exit"]),
      when: ofFloor
    },
    gamma: { label: "Discount γ", read: read.number("γ", 0, 1) },
    initial: {
      label: "First values",
      read: readInitial,
      says: "A number; for a floor also one for each square (the game then starts at 0)"
    },
    step: {
      label: "A step is",
      view: true,
      options: [
        ["sweep", "a sweep"],
        ["half", "half a sweep"],
        ["backup", "one state"]
      ]
    },
    look: { ...read.LOOK, when: ofGame }
  };

  // ---- problems: {mdp, policy, layer, layers}, the layer of each state and their names

  async function gameProblem(texts, lab) {
    const { game } = lab,
      side = Number(texts.side),
      evaluated = texts.method === "evaluation";
    const [opponent, agent] = await Promise.all([
      lab.agentFor(texts, "opponent", -side),
      evaluated ? lab.agentFor(texts, "policy", side) : null
    ]);
    const mdp = fromOpponent(game, opponent.policy, side, texts.rewards.split(",").map(Number));
    const marks = Array.from(mdp.position, (s) => game.cells - (game.first[s + 1] - game.first[s]));
    const kinds = [...new Set(marks)].sort((a, b) => a - b);
    return {
      mdp,
      side,
      opponent: opponent.policy,
      policy: agent && fromCells(game, mdp, agent.policy),
      layer: marks.map((n) => kinds.indexOf(n)),
      layers: kinds.map((n) => many(n, "mark"))
    };
  }

  function floorProblem(texts) {
    const [step, end] = texts.pays.split(",").map(Number),
      mdp = gridworld(texts.floor, step, end);
    const away = awayFromExits(texts.floor),
      kinds = Array.from(mdp.position, (square) => away[square]);
    const layers = [...new Set(kinds)].sort((a, b) => a - b);
    return {
      mdp,
      policy: texts.method === "evaluation" ? uniform(mdp) : null,
      layer: kinds.map((n) => layers.indexOf(n)),
      layers: layers.map((n) => (n === Infinity ? NO_WAY : `${n} to go`))
    };
  }

  // The distance of each square from the nearest exit, in steps.
  function awayFromExits(floor) {
    const rows = floor.split("|"),
      columns = rows[0].length,
      signs = rows.join("");
    const away = Array.from(signs, (sign) => (sign === "E" ? 0 : Infinity)),
      open = [...away.keys()].filter((c) => away[c] === 0);
    for (const square of open) {
      const row = Math.floor(square / columns),
        column = square % columns;
      for (const [down, right] of DIRECTIONS) {
        const there = (row + down) * columns + column + right;
        if (rows[row + down]?.[column + right] !== "." || away[there] < Infinity) continue;
        away[there] = away[square] + 1;
        open.push(there);
      }
    }
    return away;
  }

  // The limits of the sweeps, null if they do not converge, because an agent that never
  // leaves the floor collects rewards forever.
  async function truthOf({ mdp, policy, layer, layers }, texts, lab) {
    const gamma = Number(texts.gamma),
      step = ofFloor(texts) && gamma === 1 ? Number(texts.pays.split(",")[0]) : 0;
    const endless = (s) => step !== 0 && (layers[layer[s]] === NO_WAY || (!policy && step > 0));
    const states = [...layer.keys()].filter((s) => !endless(s)).reverse();
    const swept = sweeper(mdp, gamma, { policy, order: states });
    while (states.length && !swept.converged) {
      for (const until = performance.now() + 12; !swept.converged && performance.now() < until;)
        swept.sweep();
      if (swept.sweeps > MAX_EXACT_SWEEPS)
        read.reject(
          "gamma",
          "These values converge too slowly for a page: give a smaller floor, γ = 1, or γ of at most 0.999."
        );
      await lab.turn();
    }
    return Array.from(swept.V, (value, s) => (endless(s) ? null : value));
  }

  // ---- the run

  class Run {
    mdp; // these are fields of the problem
    policy;
    layer;
    layers;
    side;
    opponent;

    constructor(lab, texts, problem, truth) {
      this.lab = lab;
      this.game = lab.game;
      this.texts = texts;
      this.truth = truth;
      this.first = "0";
      Object.assign(this, problem);
      this.gamma = Number(texts.gamma);
      const V = firstValues(texts, this.mdp);
      // Start again forgets values that were kept from another floor.
      this.restart = texts.initial.includes(",") ? "initial" : null;
      this.sweeper = sweeper(this.mdp, this.gamma, { policy: this.policy, order: texts.order, V });
      this.done = []; // states backed up in the current sweep
      this.last = null; // the last backup, if it should be shown
      this.size = new Float64Array(this.layers.length);
      for (const k of this.layer) this.size[k] += 1;
      this.history = [this.score()]; // after each sweep
      this.best = this.greedy();
      this.lastChange = 0; // the last sweep that changed a best action
      /** @type {Object<string, number>} */
      this.others = {}; // order → the sweeps that it has needed
    }

    // Keep what other orders of the same problem have needed, to compare them.
    follow(run, name) {
      if (name !== undefined && name !== "order") return;
      this.others = { ...run.others };
      if (run.sweepsNeeded >= 0) this.others[run.texts.order] = run.sweepsNeeded;
    }

    // The first sweep after which every value is right; −1 if there is none so far.
    get sweepsNeeded() {
      return this.history.findIndex((layers) =>
        layers.every(({ right }, k) => right === this.size[k])
      );
    }

    // The greedy way over a floor from the n-th of its squares, ordered by their values, the
    // smallest first: its squares, the last step, and what it earns.
    way(n = 0) {
      const { mdp, gamma } = this,
        V = this.values(),
        from = [...V.keys()].sort((a, b) => V[a] - V[b])[n % this.n];
      const { pairs, ended, earned } = rollout(mdp, this.greedy(), from, gamma);
      const stateOf = (i) => mdp.first.findLastIndex((first) => first <= i);
      return {
        squares: pairs.map((i) => mdp.position[stateOf(i)]),
        last: mdp.action[pairs.at(-1)],
        ended,
        earned,
        value: V[from]
      };
    }

    describeWay({ squares, ended, earned, value }) {
      if (!ended) return "The walker, greedy in these values, never reaches an exit.";
      const told = this.policy && this.end ? "moving at random earns" : "the value there is";
      return `Where the walker begins, the greedy way earns ${fixed(earned)} in ${many(squares.length, "step")}; ${told} ${fixed(value)}.`;
    }

    greedy() {
      return greedy(this.mdp, Float64Array.from(qFromV(this.mdp, this.values(), this.gamma)));
    }

    // For each state, whether its value is kept from another floor and wrong on this one.
    get wrong() {
      return Array.from(
        this.values(),
        (value, s) => this.restart !== null && !(Math.abs(value - this.truth[s]) < RIGHT)
      );
    }

    get n() {
      return this.mdp.position.length;
    }
    get mark() {
      return this.done.length
        ? `${this.sweeper.sweeps}:${this.done.length}`
        : String(this.sweeper.sweeps);
    }
    get end() {
      return (
        this.done.length === 0 && (this.sweeper.converged || this.sweeper.sweeps >= MAX_SWEEPS)
      );
    }
    get next() {
      const { sweeps } = this.sweeper,
        unit = this.lab.texts.step,
        half = Math.ceil(this.n / 2);
      let place = this.n;
      if (unit === "backup") place = this.done.length + 1;
      else if (unit === "half" && this.done.length < half) place = half;
      return place < this.n ? `${sweeps}:${place}` : String(sweeps + 1);
    }
    // Run takes larger steps as it goes on.
    goal() {
      const { sweeps } = this.sweeper;
      return sweeps < 10 || this.lab.texts.step !== "sweep"
        ? this.next
        : String(Math.min(sweeps + Math.floor(sweeps / 4), MAX_SWEEPS));
    }

    readMark(text) {
      const [sweeps, part] = read.mark(text);
      if (!(sweeps <= MAX_SWEEPS))
        throw Error(`at=${text}: give a number of sweeps from 0 to ${count(MAX_SWEEPS)}.`);
      if (part !== undefined && !(part >= 1 && part < this.n))
        throw Error(
          `at=${text}: a sweep has ${count(this.n)} states, so give 1 to ${count(this.n - 1)} of them.`
        );
      return text.replace(/^0+(?=\d)/, "").replace(/:0+/, ":");
    }

    work(mark, ms) {
      const [sweeps, part = 0] = mark.split(":").map(Number),
        until = performance.now() + ms;
      while (this.sweeper.sweeps < sweeps && performance.now() < until) {
        const whole = this.sweeper.sweeps + 1 < sweeps || part > 0;
        do this.backUp(whole);
        while (this.done.length > 0);
      }
      if (this.sweeper.sweeps < sweeps) return false;
      while (this.done.length < part) this.backUp();
      return true;
    }

    // Back up one state; keep its inputs for display unless the sweep goes on at once.
    backUp(passing = false) {
      const one = this.lab.texts.step === "backup" && !passing,
        { V } = this.sweeper;
      const before = one ? V.slice() : null,
        { state, old, new: value } = this.sweeper.step();
      this.done.push(state);
      this.last = one
        ? {
            state,
            old,
            value,
            cells: this.pairs(state).map((i) => backup(this.mdp, i, before, this.gamma))
          }
        : null;
      if (this.sweeper.place > 0) return;
      this.done = [];
      this.history.push(this.score());
      const best = this.greedy();
      if (best.some((p, i) => p !== this.best[i])) this.lastChange = this.sweeper.sweeps;
      this.best = best;
    }

    pairs(state) {
      const { first } = this.mdp;
      return Array.from({ length: first[state + 1] - first[state] }, (_, k) => first[state] + k);
    }

    // The current values: those of this sweep so far, else those of the previous one.
    values() {
      const { V, next } = this.sweeper,
        values = V.slice();
      for (const s of this.done) values[s] = next[s];
      return values;
    }

    // For each layer, the number of right values, and the largest error.
    score() {
      const score = this.layers.map(() => ({ right: 0, error: 0 }));
      this.values().forEach((value, s) => {
        const one = score[this.layer[s]],
          error = this.truth[s] === null ? Infinity : Math.abs(value - this.truth[s]);
        if (error < RIGHT) one.right += 1;
        one.error = Math.max(one.error, error);
      });
      return score;
    }

    // ---- descriptions

    answer() {
      const { sweepsNeeded, others, texts, end, policy, lastChange } = this;
      if (sweepsNeeded < 0) return "";
      const named = SETTINGS.order.options
        .filter(([order]) => order !== texts.order && order in others)
        .map(([order, name]) => `in ${name}: ${count(others[order])}`);
      return (
        `Every value is right to three decimals after ${many(sweepsNeeded, "sweep")}` +
        (named.length ? ` (${named.join("; ")})` : "") +
        (end && !policy ? `; the best actions stay the same from sweep ${lastChange} on.` : ".") +
        (end && ofFloor(texts) ? ` ${this.describeWay(this.way())}` : "")
      );
    }

    description() {
      return this.last ? this.describeBackup(this.last) : this.summary();
    }

    summary() {
      const {
          truth,
          done,
          n,
          sweeper: { sweeps, backups }
        } = this,
        right = this.score().reduce((sum, one) => sum + one.right, 0);
      const endless = truth.filter((value) => value === null).length,
        share = (k) => (k === n ? "all" : `${count(k)} of ${count(n)}`);
      const more = done.length ? ` and ${count(done.length)} states of the next` : "";
      const after = `After ${many(sweeps, "sweep")}${more}, ${many(backups, "backup")},`;
      return (
        `${backups ? after : "Before the first sweep"} ${share(right)} values are right to three decimals.` +
        (endless
          ? ` The values of ${share(endless)} states do not converge: their rewards add up without end.`
          : "") +
        (done.length === 0 && this.sweeper.converged ? " The last sweep changed nothing." : "")
      );
    }

    describeBackup({ state, old, value, cells }) {
      const what =
        this.texts.problem === "floor" ? `square ${this.mdp.position[state]}` : "this board";
      const several = this.policy ? "their mean under the policy" : "the largest";
      const rule = cells.length === 1 ? "that" : several;
      return `Backup of ${what}: its actions are worth ${cells.map(fixed).join(", ")}, and ${rule} is the new value. It was ${fixed(old)} and is now ${fixed(value)}.`;
    }

    python() {
      const { texts, mdp } = this,
        side = Number(texts.side),
        best = this.policy === null;
      const [sweeps, part] = this.mark.split(":");
      const isGame = texts.problem === "game",
        made = isGame
          ? [
              `opponent = agents.policy(game, "${texts.opponent}", ${-side})`,
              `problem = mdp.from_opponent(game, opponent, ${side}, (${texts.rewards}))`
            ]
          : [`problem = mdp.gridworld("${texts.floor}", ${texts.pays})`];
      if (!best)
        made.push(
          isGame
            ? `pi = mdp.from_cells(problem, agents.policy(game, "${texts.policy}", ${side}))`
            : "pi = planning.uniform(problem)"
        );
      const inPlace = texts.order !== "synchronous";
      const sweep = (states) => [
        `new = V${inPlace ? "" : ".copy()"}`,
        best
          ? `planning.sweep_best(problem, ${states}, V, new, ${texts.gamma})`
          : `planning.sweep_policy(problem, pi, ${states}, V, new, ${texts.gamma})`,
        "V = new"
      ];
      const state = isGame ? mdp.position.indexOf(this.lab.lookedAt) : 0;
      return ttt.lab.pythonCell(
        ...made,
        `states = np.arange(${mdp.position.length}, dtype=problem.successor.dtype)${texts.order === "falling" ? "[::-1].copy()" : ""}`,
        texts.initial.includes(",") && !isGame
          ? `V = np.array([${texts.initial}], dtype=float)[problem.position]`
          : `V = np.full(len(states), ${isGame && texts.initial.includes(",") ? 0 : texts.initial}, dtype=float)`,
        `for _ in range(${sweeps}):`,
        ...sweep("states").map((line) => `    ${line}`),
        ...(part ? [`# and ${part} states of the next sweep`, ...sweep(`states[:${part}]`)] : []),
        state >= 0 && isGame ? `V[${state}]  # of the board ${texts.look}` : "V"
      );
    }
  }

  async function begin(texts, lab) {
    const problem = texts.problem === "floor" ? floorProblem(texts) : await gameProblem(texts, lab);
    return new Run(lab, texts, problem, await truthOf(problem, texts, lab));
  }

  return { SETTINGS, ofGame, begin };
})();
