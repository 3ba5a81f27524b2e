// The lab of the cross table of all agents, with a game of any match, move by move, and the
// value that is given away.
//
// A mark is the number of moves made.

(() => {
  "use strict";

  const { fixed, list } = ttt.format;
  const { terminal, signOf, cellsOf } = ttt.game;
  const { sampleAction, winDrawLoss } = ttt.policy;
  const { mt19937, MAX_SEED } = ttt.mt19937;
  const { h, button, put } = ttt.elements;
  const { Grid } = ttt.grid;
  const { columnHeads, tableRow } = ttt.chart;
  const { MatchTable, ORDERS, agentInWords, worth } = ttt.matchTable;
  const read = ttt.parsing,
    { CROSS } = ttt;

  const NEVER = 1e-9;
  const MOST = 2.3; // a game, the length of a bar; no player in the table gives away more
  const ENDS = { 1: "a win", 0: "a draw", "-1": "a loss" };
  const RESULT = { 1: "X has won", 0: "a draw", "-1": "O has won" };

  const SETTINGS = {
    first: { label: "First player, X", read: read.player([]), suggestions: CROSS.firsts },
    second: { label: "Second player, O", read: read.player([]), suggestions: CROSS.seconds },
    sort: {
      label: "Sorted by",
      view: true,
      options: Object.entries(ORDERS).map(([value, { label }]) => [value, label])
    },
    seed: { label: "Seed", read: read.whole("the seed", 0, MAX_SEED) }
  };

  // The value that is given away in each position of a match, times the probability that a
  // game reaches it.
  function valueLost({ size, first, successor, toMove, q }, one, two) {
    const reach = new Float64Array(size),
      lost = new Float64Array(size);
    reach[0] = 1;
    for (let s = 0; s < size; s++) {
      const policy = toMove[s] === 1 ? one : two;
      let best = -Infinity;
      for (let i = first[s]; i < first[s + 1]; i++) best = Math.max(best, q[i]);
      for (let i = first[s]; i < first[s + 1]; i++) {
        lost[s] += reach[s] * policy[i] * (best - q[i]);
        reach[successor[i]] += reach[s] * policy[i];
      }
    }
    return lost;
  }

  class Run {
    constructor(lab, texts, one, two) {
      const { game } = lab,
        { cells, first, toMove } = game;
      this.lab = lab;
      this.game = game;
      this.texts = texts;
      this.first = "0";
      this.done = 0;
      this.policy = new Float64Array(one.length); // of the side to move
      for (let s = 0; s < game.size; s++) {
        for (let i = first[s]; i < first[s + 1]; i++)
          this.policy[i] = (toMove[s] === 1 ? one : two)[i];
      }
      this.results = winDrawLoss(game, one, two);
      this.lost = valueLost(game, one, two);
      this.byMove = Array(cells).fill(0);
      this.lost.forEach((value, s) => {
        if (value) this.byMove[this.marks(s)] += value;
      });
      this.dearest = this.lost.reduce(
        (best, value, s) => (value > this.lost[best] + NEVER ? s : best),
        0
      );
      this.moves = this.draw(mt19937(Number(texts.seed)));
      this.names = [texts.first, texts.second].map((name) => agentInWords(name, lab.packed.agents));
    }

    // Sample a game, as packed moves.
    draw(rng) {
      const moves = [];
      for (let s = 0; !terminal(this.game, s); s = this.game.successor[moves.at(-1)]) {
        moves.push(sampleAction(this.game, this.policy, s, rng));
      }
      return moves;
    }

    get mark() {
      return String(this.done);
    }
    get end() {
      return this.done === this.moves.length;
    }
    get next() {
      return String(this.done + 1);
    }
    get s() {
      return this.before(this.done);
    }

    // The position in which move n of the game is made.
    before(n) {
      return n === 0 ? 0 : this.game.successor[this.moves[n - 1]];
    }

    readMark(text) {
      if (!/^\d+$/.test(text) || Number(text) > this.moves.length)
        throw Error(
          `at=${text}: this game has ${this.moves.length} moves, give a number from 0 to that.`
        );
      return String(Number(text));
    }

    work(mark) {
      this.done = Number(mark);
      return true;
    }

    marks(s) {
      return this.game.board(s).filter((mark) => mark !== 0).length;
    }

    // The exact value of a position for the side to move.
    value(s) {
      return Math.max(...this.game.q.subarray(this.game.first[s], this.game.first[s + 1]));
    }

    // How a move changes the exact value.
    describeMove(s, i) {
      const before = this.value(s),
        after = this.game.q[i];
      return after < before
        ? `${ENDS[before]} becomes ${ENDS[after]}`
        : `${ENDS[after]}, as before`;
    }

    // The mean value that the first and the second player give away per game.
    sums() {
      const sums = [0, 0];
      this.byMove.forEach((value, n) => {
        sums[n % 2] += value;
      });
      return sums;
    }

    chances() {
      const [win, draw, loss] = this.results;
      return `X wins ${fixed(win)}, draws ${fixed(draw)}, O wins ${fixed(loss)}.`;
    }

    // The value of the match, as what O gives away minus what X gives away.
    difference() {
      const [x, o] = this.sums(),
        [win, , loss] = this.results;
      return `${fixed(o)} − ${fixed(x)} = ${worth(win - loss)}`;
    }

    match() {
      const [first, second] = this.names,
        [x, o] = this.sums();
      return (
        `${first} (X) against ${second} (O): ${this.chances()} ` +
        `Per game, X gives away ${fixed(x)} and O gives away ${fixed(o)} on average, so the match is worth ${this.difference()} to X.`
      );
    }

    description() {
      const { done, moves, game, s } = this;
      if (done === 0) return `${this.match()} Step makes the first move of a game.`;
      const i = moves[done - 1],
        from = this.before(done - 1),
        x = game.toMove[from] === 1;
      const move = `Move ${done}: ${x ? "X" : "O"}, ${this.names[x ? 0 : 1]}, takes cell ${game.action[i]}: for ${x ? "X" : "O"} ${this.describeMove(from, i)}.`;
      return terminal(game, s) ? `${move} The game is over: ${RESULT[game.outcome[s]]}.` : move;
    }

    answer() {
      const all = this.byMove.reduce((sum, value) => sum + value, 0),
        most = Math.max(...this.byMove),
        n = this.byMove.indexOf(most);
      if (most < NEVER) return "Nowhere: neither player gives anything away.";
      const [win, , loss] = this.results;
      return (
        `At move ${n + 1}: there ${n % 2 ? "O" : "X"} gives away ${fixed(most)}, of ${fixed(all)} that both give away; ` +
        `the match is worth ${worth(win - loss)} to X.`
      );
    }

    // The position where most value is given away.
    most() {
      const { dearest: s, game, lost, policy } = this,
        mover = signOf(game.toMove[s]),
        wrong = [];
      if (lost[s] < NEVER) return "Neither player gives anything away.";
      for (let i = game.first[s]; i < game.first[s + 1]; i++) {
        if (policy[i] > 0 && game.q[i] < this.value(s))
          wrong.push(`${game.action[i]} (${fixed(policy[i])})`);
      }
      return `Most is given away on this board, ${fixed(lost[s])} per game: for ${mover} it is worth ${ENDS[this.value(s)]}, and less after cell ${list(wrong)}.`;
    }

    python() {
      const { first, second, seed } = this.texts;
      return ttt.lab.pythonCell(
        `first = agents.policy(game, "${first}", +1)`,
        `second = agents.policy(game, "${second}", -1)`,
        `rng, s, moves = experiments.mt19937(${seed}), 0, []  # the random numbers of the page`,
        `while not game.terminal[s] and len(moves) < ${this.done}:`,
        "    who = first if game.to_move[s] == 1 else second",
        "    i = policy.sample_action(who, s, game.count, game.action, rng)",
        "    moves.append(int(game.action[s, i]))",
        "    s = game.successor[s, i]",
        "lost = evaluation.value_lost(game, first, second)",
        "sums = [lost[game.to_move == side].sum() for side in (1, -1)]",
        "evaluation.result(game, first, second), sums, moves"
      );
    }
  }

  // ---- view

  // What one player gives away: its name, its places, and a bar, in pieces for its moves. Two
  // of them stand back to back.
  class Side {
    constructor(side) {
      this.side = side;
      this.name = h("p", { class: "ttt-head" });
      this.places = h("small", {});
      this.bar = h("div", { class: "ttt-bar-of-moves", "aria-hidden": "true" });
      this.sum = h("p", {});
      this.element = h("div", {}, this.name, this.places, this.bar, this.sum);
    }

    draw(run, table) {
      const { side } = this,
        mark = "XO"[side];
      put(this.name, `${mark}: ${run.names[side]}`);
      put(this.places, table.places(side ? run.texts.second : run.texts.first));
      put(this.sum, `${mark} gives away ${fixed(run.sums()[side])}`);
      const pieces = run.byMove
        .map((value, n) => [n, value])
        .filter(([n, value]) => n % 2 === side && value > NEVER)
        .map(([n, value]) =>
          h(
            "span",
            {
              class: `ttt-for-${mark}`,
              style: `flex-basis: ${((100 * value) / MOST).toFixed(1)}%`
            },
            value > MOST / 12 ? `${n + 1}` : ""
          )
        );
      this.bar.replaceChildren(...pieces);
    }
  }

  class View {
    constructor(lab) {
      this.lab = lab;
      this.table = new MatchTable(lab);
      this.says = h("p", { class: "ttt-says" });
      this.sides = [new Side(0), new Side(1)];
      this.difference = h("p", { class: "ttt-difference" });
      const board = (text) => {
        const grid = new Grid(lab.game, text);
        return { grid, whole: h("div", {}, h("p", { class: "ttt-head" }, text), grid.element) };
      };
      this.now = board("The game");
      this.worst = board("Most given away");
      this.rows = h("tbody", {});
      this.moves = h(
        "table",
        { class: "ttt-moves" },
        h(
          "thead",
          {},
          h("tr", {}, ...columnHeads("move", "cell", "probability", "with perfect play"))
        ),
        this.rows
      );
      this.fold = h("details", {}, h("summary", {}, "The moves of the game"), this.moves);
      this.below = [this.fold];
      this.element = h(
        "div",
        { class: "ttt-split ttt-everyone" },
        this.table.element,
        this.table.says,
        h(
          "div",
          { class: "ttt-given" },
          ...this.sides.map((each) => each.element),
          this.difference
        ),
        h("div", { class: "ttt-pair" }, this.now.whole, this.worst.whole),
        this.says
      );
      this.actions = [
        button("Another game", () =>
          lab.set("seed", String((Number(lab.texts.seed) + 1) % (MAX_SEED + 1)))
        )
      ];
    }

    draw() {
      const { run } = this.lab,
        { game, s, moves, done, dearest } = run;
      this.table.draw();
      put(this.says, done === 0 ? `${run.chances()} ${run.most()}` : run.description());
      for (const side of this.sides) side.draw(run, this.table);
      put(this.difference, `${run.difference()} for X`);
      this.now.grid.show(s, {
        values: cellsOf(game, s, (i) => game.q[i]),
        exact: true,
        limits: [-1, 1],
        still: true,
        mark: signOf(game.toMove[s]),
        ring: true,
        last: done ? game.action[moves[done - 1]] : undefined
      });
      const any = run.lost[dearest] >= NEVER;
      this.element.dataset.shows = any && done === 0 ? "most" : "game"; // on a phone
      this.worst.whole.style.visibility = any ? "" : "hidden";
      if (any)
        this.worst.grid.show(dearest, {
          values: cellsOf(game, dearest, (i) => run.policy[i]),
          limits: [0, 1],
          still: true,
          mark: signOf(game.toMove[dearest])
        });
      this.fold.hidden = done === 0;
      this.rows.replaceChildren(...moves.slice(0, done).map((i, n) => this.row(run, i, n)));
    }

    row(run, i, n) {
      const { game } = run,
        from = run.before(n),
        change = run.describeMove(from, i);
      const row = tableRow(
        [`${n % 2 ? "O" : "X"} ${n + 1}`],
        game.action[i],
        fixed(run.policy[i]),
        change
      );
      row.classList.toggle("ttt-gives", change.includes("becomes"));
      return row;
    }
  }

  async function begin(texts, lab) {
    const first = await lab.agentFor(texts, "first", 1),
      second = await lab.agentFor(texts, "second", -1);
    return new Run(lab, texts, first.policy, second.policy);
  }

  ttt.lab.define("cross_table", SETTINGS, begin, View);
})();
