// The lab of the cross table of all agents, with a game of any match, move by move, and the
// value that is given away.
//
// `ttt.CROSS`, computed by `standings.py`, has the names, and the value of each match for the
// first player, in thousandths. The rest of a match is computed here. A mark is the number of
// moves made.

(() => {
  "use strict";

  const { fixed, list, many } = ttt.format;
  const { terminal, signOf, cellsOf } = ttt.game;
  const { sampleAction, winDrawLoss } = ttt.policy;
  const { mt19937, MAX_SEED } = ttt.mt19937;
  const { scale } = ttt.colours;
  const { h, svg, button, put } = ttt.elements;
  const { Grid } = ttt.grid;
  const { columnHeads, tableRow } = ttt.chart;
  const read = ttt.parsing,
    { CROSS } = ttt;

  const NEVER = 1e-9;
  const NARROW = 340; // px, the table on a phone, whose cells are lower
  const ENDS = { 1: "a win", 0: "a draw", "-1": "a loss" };
  const RESULT = { 1: "X has won", 0: "a draw", "-1": "O has won" };
  const worth = (value) => (value > 0 ? `+${fixed(value)}` : fixed(value));

  // An agent in words: a number of its own says nothing to a reader.
  function words(name, agents) {
    const [, kind, games] = name.match(/^(snapshot|menace)-(\d+)$/) ?? [];
    if (kind) return `${kind === "menace" ? "menace, " : ""}trained ${many(Number(games), "game")}`;
    const made = agents.find((each) => each.name === name && /^p\d/.test(name))?.made;
    return made ? `${name}, trained ${made.match(/[\d,]+ games/)[0]}` : name;
  }

  const SETTINGS = {
    first: { label: "First player, X", read: read.player([]), suggestions: CROSS.firsts },
    second: { label: "Second player, O", read: read.player([]), suggestions: CROSS.seconds },
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
      this.names = [texts.first, texts.second].map((name) => words(name, lab.packed.agents));
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

    match() {
      const [win, draw, loss] = this.results,
        [first, second] = this.names,
        [x, o] = this.sums();
      return (
        `${first} (X) against ${second} (O): X wins ${fixed(win)}, draws ${fixed(draw)}, O wins ${fixed(loss)}. ` +
        `Per game, X gives away ${fixed(x)} and O gives away ${fixed(o)} on average, so the match is worth ${worth(win - loss)} to X.`
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
      return `At move ${n + 1}: there ${n % 2 ? "O" : "X"} gives away ${fixed(most)} a game, of ${fixed(all)} that both give away.`;
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

  // ---- the cross table: a list box in which arrow keys move between matches

  class Cross {
    constructor(lab) {
      const { firsts, seconds } = CROSS;
      this.lab = lab;
      this.firsts = firsts;
      this.seconds = seconds;
      this.at = [0, 0];
      this.option = h("span", {
        role: "option",
        id: `${lab.id}-match`,
        "aria-selected": "true",
        class: "ttt-hidden"
      });
      this.picture = h("div", { "aria-hidden": "true" });
      this.element = h(
        "div",
        {
          class: "ttt-cross",
          role: "listbox",
          tabindex: 0,
          "aria-activedescendant": this.option.id,
          "aria-label": `${many(firsts.length * seconds.length, "match", "matches")}; arrows go from one to the next, Enter takes it`,
          onkeydown: (event) => this.key(event),
          onclick: (event) => this.touch(event, true),
          onpointermove: (event) => this.touch(event),
          onpointerleave: () => this.point(this.chosen)
        },
        this.picture,
        this.option
      );
      this.says = h("p", { class: "ttt-outlook" });
      new ResizeObserver(() => this.drawTiles()).observe(this.element);
    }

    get value() {
      return CROSS.value;
    }

    named(name) {
      return words(name, this.lab.packed.agents);
    }

    // Row and column of the current match, −1 if it is not in the table.
    get chosen() {
      const { first, second } = this.lab.texts;
      return [this.firsts.indexOf(first), this.seconds.indexOf(second)];
    }

    take([row, column]) {
      this.lab.set("first", this.firsts[row], { second: this.seconds[column] });
    }

    touch({ clientX, clientY, target }, takes) {
      if (!this.drawing?.contains(target)) return;
      const box = this.drawing.getBoundingClientRect();
      const row = Math.floor((clientY - box.top) / this.high),
        column = Math.floor((clientX - box.left) / this.side);
      if (!(row in this.firsts && column in this.seconds)) return;
      this.point([row, column]);
      if (takes) this.take([row, column]);
    }

    key(event) {
      const [row, column] = this.at.map((n) => Math.max(n, 0)),
        last = [this.firsts.length - 1, this.seconds.length - 1];
      const goal = {
        ArrowUp: [row - 1, column],
        ArrowDown: [row + 1, column],
        ArrowLeft: [row, column - 1],
        ArrowRight: [row, column + 1],
        Home: [row, 0],
        End: [row, last[1]]
      }[event.key];
      const takes = event.key === "Enter" || event.key === " ";
      if (!goal && !takes) return;
      event.preventDefault();
      event.stopPropagation();
      if (takes) this.take([row, column]);
      else this.point(goal.map((n, k) => Math.min(Math.max(n, 0), last[k])));
      this.finger.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    // Announce a match, and frame it.
    point(at) {
      this.at = at;
      const [row, column] = at,
        inTable = row >= 0 && column >= 0;
      const text = inTable
        ? `${this.named(this.firsts[row])} first, ${this.named(this.seconds[column])} second: worth ${worth(this.value[row][column] / 1000)} to the first.`
        : "This match is not in the table.";
      this.says.textContent = this.option.textContent = text;
      if (!this.drawing) return;
      [
        [this.here, this.chosen],
        [this.finger, at]
      ].forEach(([frame, [r, c]]) => {
        frame.style.display = r < 0 || c < 0 ? "none" : "";
        frame.setAttribute("x", c * this.side);
        frame.setAttribute("y", r * this.high);
      });
    }

    drawTiles() {
      const wide = this.element.clientWidth,
        { firsts, seconds } = this;
      if (!wide || wide === this.drawn) return;
      this.drawn = wide;
      const side = (this.side = (wide - 2) / seconds.length),
        high = (this.high = wide < NARROW ? 7 : 13);
      const { tone } = scale([], [-1, 1], "X", true);
      const tiles = this.value.flatMap((row, r) =>
        row.map((value, c) => {
          const { mark, share } = tone(value / 1000);
          return svg("rect", {
            x: c * side + 0.5,
            y: r * high + 0.5,
            width: side - 1,
            height: high - 1,
            rx: 1,
            class: `ttt-for-${mark}`,
            style: `--ttt-share: ${share}`
          });
        })
      );
      const frame = (kind) => svg("rect", { width: side, height: high, rx: 1, class: kind });
      this.here = frame("ttt-here");
      this.finger = frame("ttt-finger");
      this.drawing = svg(
        "svg",
        { width: wide, height: firsts.length * high + 2 },
        ...tiles,
        this.here,
        this.finger
      );
      this.picture.replaceChildren(this.drawing);
      this.point(this.chosen);
    }

    draw() {
      this.point(this.chosen);
    }
  }

  // ---- view

  class View {
    constructor(lab) {
      this.lab = lab;
      this.cross = new Cross(lab);
      this.says = h("p", { class: "ttt-says" });
      this.bars = h("div", { class: "ttt-given", "aria-hidden": "true" });
      const side = (text, label) => {
        const head = h("p", { class: "ttt-head" }, text),
          grid = new Grid(lab.game, label);
        return { head, grid, whole: h("div", {}, head, grid.element) };
      };
      this.now = side("The game");
      this.worst = side("Most given away");
      this.most = h("p", { class: "ttt-outlook" });
      this.rows = h("tbody", {});
      this.table = h(
        "table",
        { class: "ttt-moves" },
        h(
          "thead",
          {},
          h("tr", {}, ...columnHeads("move", "cell", "probability", "with perfect play"))
        ),
        this.rows
      );
      this.fold = h("details", {}, h("summary", {}, "The moves of the game"), this.table);
      this.below = [this.fold];
      this.element = h(
        "div",
        { class: "ttt-split ttt-everyone" },
        this.cross.element,
        this.cross.says,
        this.says,
        this.bars,
        h("div", { class: "ttt-pair" }, this.now.whole, this.worst.whole),
        this.most
      );
      this.actions = [
        button("Another game", () =>
          lab.set("seed", String((Number(lab.texts.seed) + 1) % (MAX_SEED + 1)))
        )
      ];
    }

    draw() {
      const {
          lab: { run }
        } = this,
        { game, s, moves, done } = run;
      this.cross.draw();
      this.says.textContent = run.done === 0 ? run.match() : run.description();
      const most = Math.max(...run.byMove);
      this.bars.style.visibility = most < NEVER ? "hidden" : "";
      this.bars.replaceChildren(
        ...run.byMove.map((value, n) =>
          h(
            "div",
            {},
            h("span", {}, value < NEVER ? "" : fixed(value).replace(/^0/, "")),
            h("div", {
              class: `ttt-for-${n % 2 ? "O" : "X"}`,
              style: `--ttt-share: 1; height: ${((3 * value) / most).toFixed(2)}rem`
            }),
            h("b", {}, `${n % 2 ? "O" : "X"} ${n + 1}`)
          )
        )
      );
      this.now.grid.show(s, {
        values: cellsOf(game, s, (i) => game.q[i]),
        exact: true,
        limits: [-1, 1],
        still: true,
        mark: signOf(game.toMove[s]),
        ring: true,
        last: done ? game.action[moves[done - 1]] : undefined
      });
      const { dearest } = run,
        any = run.lost[dearest] >= NEVER;
      this.worst.whole.style.visibility = any ? "" : "hidden";
      if (any)
        this.worst.grid.show(dearest, {
          values: cellsOf(game, dearest, (i) => run.policy[i]),
          limits: [0, 1],
          still: true,
          mark: signOf(game.toMove[dearest])
        });
      put(this.most, run.most());
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
