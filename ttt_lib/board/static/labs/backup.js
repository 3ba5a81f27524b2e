// The lab of one backup: from a cell to the replies with their probabilities, to rewards and
// values of the next boards, and back to the values of the cell and the board.
//
// A mark is "start"; or the cells examined so far, in order, and after a colon the stage of
// the last: 1 the replies, 2 their rewards and values, 3 the sum; or "end", when all cells
// and the board have their values.

(() => {
  "use strict";

  const { capital, fixed, list, minus } = ttt.format;
  const { terminal, pair, find, signs, signOf } = ttt.game;
  const { LEARNED_ATOL } = ttt.policy;
  const { h, svg, button } = ttt.elements;
  const { Grid } = ttt.grid;
  const { columnHeads, equation } = ttt.chart;
  const read = ttt.parsing;

  const LAST = 3; // the last stage of a cell: replies, rewards and values, the sum
  const BEST = "best";

  // A board on which the game is not over.
  function readBoard(text, { game }) {
    if (terminal(game, find(game, text, "X").s))
      throw Error("The game is over on this board, so there is nothing to decide.");
    return read.board(text, { game });
  }

  const SETTINGS = {
    gamma: { label: "Discount γ", read: read.number("γ", 0, 1) },
    rewards: read.REWARDS,
    opponent: {
      label: "Opponent",
      read: read.player([]),
      suggestions: ["random", "perfect", "perfect lowest", "teacher 0.9"]
    },
    policy: {
      label: "Afterwards you play",
      read: read.player([BEST]),
      suggestions: [BEST, "random", "perfect"],
      says: "best: what earns most against this opponent"
    },
    look: { label: "Board", read: readBoard }
  };

  // ---- the run

  class Run {
    // `ownPolicy` is the policy that is followed afterwards, null for the best.
    constructor(lab, texts, s, opponent, ownPolicy) {
      const { game } = lab;
      this.lab = lab;
      this.game = lab.game;
      this.texts = texts;
      this.s = s;
      this.opponent = opponent;
      this.ownPolicy = ownPolicy;
      this.first = this.mark = "start";
      this.side = game.toMove[s];
      this.gamma = Number(texts.gamma);
      this.rewards = texts.rewards.split(",").map(Number);
      this.V = new Float64Array(game.size);
      for (let each = game.size - 1; each >= s; each--) {
        // successors have larger indices
        if (game.toMove[each] === this.side && !terminal(game, each))
          this.V[each] = this.value(each);
      }
    }

    get end() {
      return this.mark === "end";
    }
    get cells() {
      return this.moves(this.s).map((i) => this.game.action[i]);
    }

    moves(s) {
      const { first } = this.game;
      return Array.from({ length: first[s + 1] - first[s] }, (_, k) => first[s] + k);
    }

    // The cells examined so far, and the stage of the last.
    get taken() {
      if (this.end) return this.cells;
      return this.mark === "start" ? [] : Array.from(this.mark.split(":")[0], Number);
    }
    get stage() {
      return this.end || this.mark === "start" ? 0 : Number(this.mark.split(":")[1]);
    }
    get cell() {
      return this.stage ? this.taken.at(-1) : null;
    }

    get next() {
      const { taken, stage } = this,
        left = this.cells.filter((a) => !taken.includes(a));
      if (stage && stage < LAST) return `${taken.join("")}:${stage + 1}`;
      return left.length ? `${taken.join("")}${left[0]}:1` : "end";
    }

    // The mark at which this cell is examined.
    examine(a) {
      return `${this.taken.filter((each) => each !== a && this.isKnown(each)).join("")}${a}:1`;
    }

    isKnown(a) {
      return this.taken.includes(a) && (a !== this.cell || this.stage === LAST);
    }

    readMark(text) {
      const [taken, stage] = text.split(":"),
        cells = Array.from(taken, Number);
      const fits =
        cells.every((a) => this.cells.includes(a)) && new Set(cells).size === cells.length;
      if (text !== "start" && text !== "end" && !(/^\d+:[123]$/.test(text) && fits && stage)) {
        throw Error(
          `at=${text}: give start, end, or free cells and a stage from 1 to ${LAST}, as in ${this.cells[0]}:1.`
        );
      }
      return text;
    }

    work(mark) {
      this.mark = mark;
      return true;
    }

    // With other rewards or another γ, stay at the same mark.
    follow(run, name) {
      if (name && run.s === this.s) this.mark = run.mark;
    }

    // The possible results of move i, one row each: the board s, the cell b of the reply, its
    // probability p, the reward r, and the value v, null if the game is over.
    branches(i) {
      const { game, side, opponent, V, rewards } = this,
        after = game.successor[i];
      const row = (s, b, p) =>
        terminal(game, s)
          ? { s, b, p, r: rewards[1 - side * game.outcome[s]], v: null }
          : { s, b, p, r: 0, v: V[s] };
      if (terminal(game, after)) return [row(after, null, 1)];
      return this.moves(after)
        .filter((j) => opponent[j] > 0)
        .map((j) => row(game.successor[j], game.action[j], opponent[j]));
    }

    // r(s, a), Σ p v(s′), and q(s, a) of move i.
    sums(i) {
      let reward = 0,
        expected = 0;
      for (const { p, r, v } of this.branches(i)) {
        reward += p * r;
        expected += p * (v ?? 0);
      }
      return { reward, expected, q: reward + this.gamma * expected };
    }

    value(s) {
      const q = this.moves(s).map((i) => this.sums(i).q);
      return this.ownPolicy
        ? q.reduce((sum, x, k) => sum + this.ownPolicy[this.game.first[s] + k] * x, 0)
        : Math.max(...q);
    }

    // The same for the cells of the current board.
    moveOf(a) {
      return pair(this.game, this.s, a);
    }
    replies(a) {
      return this.branches(this.moveOf(a));
    }
    q(a) {
      return this.sums(this.moveOf(a)).q;
    }

    // ---- descriptions

    get sign() {
      return signOf(this.side);
    }
    get other() {
      return signOf(-this.side);
    }
    get v() {
      return this.texts.policy === BEST ? "v*" : "v";
    }
    get how() {
      return this.texts.policy === BEST
        ? "if you then play as well as possible"
        : `if you then play like “${this.texts.policy}”`;
    }

    description() {
      const { stage, sign, other, cell, texts } = this;
      if (this.end) return this.ofBoard();
      if (!stage)
        return `You are ${sign}, and ${other} plays like “${texts.opponent}”. What is each cell worth? Press a cell, or Step.`;
      const rows = this.replies(cell),
        over = rows[0].b === null;
      if (over && stage < LAST)
        return `You take cell ${cell}, and the game is over.${stage > 1 ? " The reward is " + minus(rows[0].r) + "." : ""}`;
      const chance = ({ b, p }) => `cell ${b} with probability ${fixed(p)}`;
      if (stage === 1)
        return `You take cell ${cell}. ${other} replies in ${list(rows.map(chance))}.`;
      const brings = ({ b, r, v }) =>
        v === null
          ? `cell ${b} ends the game with reward ${minus(r)}`
          : `cell ${b} leads to a board worth ${fixed(v)}`;
      if (stage === 2) return `Of the replies, ${list(rows.map(brings))}.`;
      const { reward, expected, q } = this.sums(this.moveOf(cell));
      return `Cell ${cell} is worth ${fixed(reward)} + ${minus(this.gamma)} × ${fixed(expected)} = ${fixed(q)}.`;
    }

    answer() {
      if (!this.end) return "";
      const cells = this.cells.map((a) => [a, this.q(a)]).sort(([, p], [, q]) => q - p);
      const worth = cells.map(([a, q], k) => `cell ${a}${k ? "" : " is worth"} ${fixed(q)}`);
      return `${capital(worth.join(", "))}.`;
    }

    ofBoard() {
      const { ownPolicy, texts, V, s } = this;
      return ownPolicy
        ? `You choose like “${texts.policy}”, so the board is worth the mean of these numbers, v = ${fixed(V[s])}.`
        : `You take the best cell, so the board is worth the largest of these numbers, v* = ${fixed(V[s])}.`;
    }

    python() {
      const { texts, side, mark } = this,
        best = texts.policy === BEST;
      const seen = mark === "start" ? [] : this.taken.map((a) => `Q[s, ${a}]`);
      return ttt.lab.pythonCell(
        `opponent = agents.policy(game, "${texts.opponent}", ${-side})`,
        `problem = mdp.from_opponent(game, opponent, ${side}, (${texts.rewards}))`,
        ...(best
          ? [`V = planning.optimal_values(problem, ${texts.gamma})`]
          : [
              `pi = mdp.from_cells(problem, agents.policy(game, "${texts.policy}", ${side}))`,
              `V = planning.policy_evaluation(problem, pi, ${texts.gamma}).V`
            ]),
        `Q = mdp.to_cells(game, problem, planning.q_from_v(problem, V, ${texts.gamma}))`,
        "V = mdp.to_positions(game, problem, V)",
        `s = game.find("${texts.look}")`,
        `[${seen.join(", ")}], V[s]  # of these cells, and of the board`
      );
    }
  }

  // ---- view

  class View {
    constructor(lab) {
      this.lab = lab;
      this.start = lab.preset.look;
      this.grid = new Grid(lab.game, "The board on which you decide", (cell) => this.press(cell));
      this.caption = h("p", { class: "ttt-outlook" });
      this.home = button("First board", () => lab.set("look", this.start));
      this.says = h("p", { class: "ttt-says" });
      this.card = h("div", { class: "ttt-card" });
      this.element = h(
        "div",
        { class: "ttt-split ttt-step" },
        h(
          "div",
          { class: "ttt-place" },
          h("div", { class: "ttt-lab-board" }, this.grid.element),
          h("div", { class: "ttt-line" }, this.caption, this.home)
        ),
        this.says,
        this.card
      );
      this.actions = [lab.emptyBoard()];
    }

    get run() {
      return this.lab.run;
    }

    async press(cell) {
      const { lab, run } = this;
      if (!run.cells.includes(cell)) return lab.say(`Cell ${cell} is taken.`);
      if (!lab.busy) lab.stops.push(run.mark);
      await lab.go(run.examine(cell));
    }

    draw() {
      const { run } = this,
        { game, s, sign, cell } = run,
        values = Array(game.cells).fill(null);
      for (const a of run.taken) if (run.isKnown(a)) values[a] = run.q(a);
      const most = Math.max(...run.rewards.map(Math.abs)) || 1;
      this.grid.show(s, {
        values,
        limits: [-most, most],
        still: true,
        mark: sign,
        ring: run.end,
        last: cell,
        taken: (c) => pair(game, s, c) < 0,
        ghost: sign
      });
      this.caption.textContent = run.taken.some((a) => run.isKnown(a))
        ? `What cells are worth to you, ${sign}: q(s, a).`
        : `You are ${sign}: choose a cell.`;
      this.home.hidden = run.texts.look === this.start;
      this.says.textContent = run.stage ? this.summary() : run.description();
      const ofCell = () => (run.stage ? this.ofCell() : []);
      this.card.replaceChildren(...(run.end ? this.ofBoard() : ofCell()));
    }

    // The content of the card for a cell: replies, and the numbers of the backup.
    ofCell() {
      const { run } = this,
        { game, cell, stage, other, gamma } = run,
        rows = run.replies(cell),
        over = rows[0].b === null;
      const seen = (from, text) => h("td", { class: stage < from && "ttt-later" }, text);
      const table = this.tree(
        game.successor[run.moveOf(cell)],
        [over ? "the end" : `${other} replies`, "p", "r", `${run.v}(s′)`, "p(r + γv)"],
        rows.map(({ s, b, p, r, v }) => ({
          p,
          board: this.way(s, b, v !== null),
          numbers: [
            seen(1, fixed(p)),
            seen(2, minus(r)),
            seen(2, v === null ? "end" : fixed(v)),
            seen(3, fixed(p * (r + gamma * (v ?? 0))))
          ]
        }))
      );
      const { reward, expected, q } = run.sums(run.moveOf(cell));
      table.append(
        h(
          "tr",
          { class: stage < LAST ? "ttt-sum ttt-later" : "ttt-sum" },
          h("th", { scope: "row", colspan: 3 }, rows.length > 1 ? "expected" : ""),
          h("td"),
          h("td", {}, fixed(reward)),
          h("td", {}, fixed(expected)),
          h("td", {}, fixed(q))
        )
      );
      return [
        table,
        equation(
          [
            [fixed(reward), "r(s, a)"],
            [" + ", ""],
            [minus(gamma), "γ"],
            [" × ", ""],
            [fixed(expected), `Σ p ${run.v}(s′)`],
            [" = ", ""],
            [fixed(q), `q(s, ${cell})`]
          ],
          stage < LAST
        )
      ];
    }

    // A short description; the table shows the numbers.
    summary() {
      const { run } = this;
      return run.replies(run.cell)[0].b === null
        ? run.description()
        : [
            `You take cell ${run.cell}. How probable is each reply of ${run.other}?`,
            `Each reply brings a reward r, and a board that is worth ${run.v} to you, ${run.how}.`,
            "The numbers are averaged: each reply counts in proportion to its probability."
          ][run.stage - 1];
    }

    // The content of the card for the board: its cells, and their maximum or mean.
    ofBoard() {
      const { run } = this,
        { game, s, cells, ownPolicy } = run,
        best = !ownPolicy,
        q = cells.map((a) => run.q(a));
      const largest = Math.max(...q),
        p = cells.map((a, k) =>
          best ? Number(q[k] > largest - LEARNED_ATOL) : ownPolicy[run.moveOf(a)]
        );
      const heads = ["you take", ...(best ? [] : ["π(a|s)"]), "q(s, a)", ...(best ? [] : ["π q"])];
      const table = this.tree(
        s,
        heads,
        cells.map((a, k) => ({
          p: p[k],
          board: this.way(game.successor[run.moveOf(a)], a, false),
          numbers: [
            ...(best ? [] : [h("td", {}, fixed(p[k]))]),
            h("td", { class: best && p[k] ? "ttt-whole" : "" }, fixed(q[k])),
            ...(best ? [] : [h("td", {}, fixed(p[k] * q[k]))])
          ]
        }))
      );
      table.append(
        h(
          "tr",
          { class: "ttt-sum" },
          h("th", { scope: "row", colspan: 3 }, best ? "the largest" : "expected"),
          ...(best ? [] : [h("td"), h("td")]),
          h("td", {}, fixed(run.V[run.s]))
        )
      );
      return [table];
    }

    // The board after a mark in a cell; a button if the player decides again there.
    way(s, cell, goesOn) {
      const { lab, run } = this,
        grid = new Grid(run.game);
      grid.show(s, { last: cell });
      const more = goesOn && {
        type: "button",
        title: "Go on from this board",
        onclick: () => lab.set("look", signs(run.game, s, "X").join(""))
      };
      return h(
        "th",
        { scope: "row" },
        cell === null
          ? "no reply"
          : h(
              goesOn ? "button" : "span",
              { class: "ttt-reply", ...more },
              grid.element,
              h("span", {}, h("span", {}, "cell "), String(cell))
            )
      );
    }

    // A board, its branches, with widths by probability, and a row for each.
    tree(s, heads, rows) {
      const root = new Grid(this.run.game),
        n = rows.length;
      root.show(s, { last: this.run.cell });
      const fan = svg(
        "svg",
        { viewBox: `0 0 10 ${n}`, preserveAspectRatio: "none", "aria-hidden": "true" },
        ...rows.map(({ p }, k) =>
          svg("path", { d: `M0 ${n / 2}L10 ${k + 0.5}`, "stroke-width": p > 0 ? 1 + 4 * p : 0 })
        )
      );
      const sides = [
        h("td", { rowspan: n, class: "ttt-root" }, root.element),
        h("td", { rowspan: n, class: "ttt-fan" }, fan)
      ];
      return h(
        "table",
        { class: "ttt-ledger" },
        h("tr", {}, h("td", { colspan: 2 }), ...columnHeads(...heads)),
        ...rows.map(({ board, numbers }, k) => h("tr", {}, ...(k ? [] : sides), board, ...numbers))
      );
    }
  }

  // ---- the kind of lab

  async function begin(texts, lab) {
    const { game } = lab,
      { s } = find(game, texts.look, "X"),
      side = game.toMove[s],
      best = texts.policy === BEST;
    const [opponent, agent] = await Promise.all([
      lab.agentFor(texts, "opponent", -side),
      best ? null : lab.agentFor(texts, "policy", side)
    ]);
    return new Run(lab, texts, s, opponent.policy, agent?.policy ?? null);
  }

  ttt.lab.define("backup", SETTINGS, begin, View);
})();
