// The lab of UCT search: visits and means next to the exact values. The reader can play
// against it, on 3 × 3 or 4 × 4. A mark is the number of playouts.

(() => {
  "use strict";

  const { count, fixed, cellsNamed, many, signed } = ttt.format;
  const { shape, hasLine, newTree, grow, move, marks, exactValues } = ttt.uct;
  const { mt19937, MAX_SEED } = ttt.mt19937;
  const { h, button, put } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Chart } = ttt.chart;
  const read = ttt.parsing;

  const BOARDS = { 9: shape(3, 3, 3), 16: shape(4, 4, 4) };
  const MAX_PLAYOUTS = 100_000,
    CHUNK_SIZE = 200; // CHUNK_SIZE: playouts between two checks of the clock
  const PLAYOUTS_PER_MOVE = 1000; // playouts before it moves, and before the truth is shown
  const ENDS = { 1: "X has won", 0: "a draw", "-1": "O has won" };

  // ---- settings

  function readBoard(text) {
    const signs = text.toUpperCase().replace(/[\s/|]/g, ""),
      board = BOARDS[signs.length];
    const unknown = [...signs].find((sign) => !"XO.".includes(sign));
    if (unknown)
      throw Error(`“${unknown}” is not a mark: use X, O, and a full stop for an empty cell.`);
    if (!board) throw Error(`A board has 9 or 16 cells, and this text has ${signs.length}.`);
    const [x, o] = masks(signs),
      more = marks(x) - marks(o);
    if (more !== 0 && more !== 1)
      throw Error(`X has ${marks(x)} marks and O ${marks(o)}: X moves first, and they take turns.`);
    const over = [x, o].map((mask) => hasLine(board, mask)),
      last = more === 1 ? 0 : 1;
    const before =
      over[last] &&
      [...signs].some(
        (sign, a) => sign === "XO"[last] && !hasLine(board, [x, o][last] & ~(1 << a))
      );
    if (over[1 - last] || (over[last] && !before))
      throw Error("No game can reach this position: it was won before the last mark was made.");
    return signs;
  }

  const masks = (signs) =>
    ["X", "O"].map((mark) =>
      [...signs].reduce((mask, sign, a) => mask | (sign === mark ? 1 << a : 0), 0)
    );

  const SETTINGS = {
    board: {
      label: "Board",
      read: readBoard,
      says: "9 or 16 cells, row by row: X, O, and a full stop for an empty cell",
      suggestions: ["X...O...X", "..OX.....", ".........", "XX..OOXO.XO.....", "................"]
    },
    c: {
      label: "Exploration c",
      read: read.number("c", 0, 10),
      suggestions: ["0", "0.5", "1.41", "4"]
    },
    seed: { label: "Seed", read: read.whole("the seed", 0, MAX_SEED) }
  };

  class Run {
    constructor(texts) {
      const { board } = texts,
        [x, o] = masks(board),
        size = BOARDS[board.length];
      this.texts = texts;
      this.size = size;
      this.first = "0";
      this.done = 0;
      this.curve = [];
      this.toMove = marks(x) === marks(o) ? "X" : "O";
      this.mine = this.toMove === "X" ? x : o;
      this.theirs = x + o - this.mine;
      this.won = hasLine(size, this.theirs);
      this.over = this.won || (x | o) === size.everywhere;
      this.truth = this.over ? [] : exactValues(size, this.mine, this.theirs);
      this.most = Math.max(...this.truth.filter((value) => value !== null));
      this.tree = newTree(size);
      this.rng = mt19937(Number(texts.seed));
    }

    get mark() {
      return String(this.done);
    }
    get end() {
      return this.over || this.done >= MAX_PLAYOUTS;
    }
    get ends() {
      return this.over ? "The game is over. Choose another board." : "The search stops here.";
    }
    // Stops at 1, 2, 5, 10, … playouts.
    get next() {
      const power = 10 ** Math.floor(Math.log10(Math.max(this.done, 1)) + 1e-9);
      return String(
        Math.min(
          MAX_PLAYOUTS,
          [1, 2, 5, 10].map((k) => k * power).find((n) => n > this.done)
        )
      );
    }

    readMark(text) {
      if (!/^\d+$/.test(text) || Number(text) > (this.over ? 0 : MAX_PLAYOUTS))
        throw Error(
          `at=${text}: give a number of playouts from 0 to ${count(this.over ? 0 : MAX_PLAYOUTS)}.`
        );
      return String(Number(text));
    }

    work(mark, ms) {
      const goal = Number(mark),
        until = performance.now() + ms;
      while (this.done < goal && performance.now() < until) {
        const chunk = Math.min(CHUNK_SIZE, goal - this.done);
        grow(this.tree, this.size, this.mine, this.theirs, chunk, Number(this.texts.c), this.rng);
        this.done += chunk;
      }
      if (this.done === goal && goal > 0) {
        this.curve.push([goal, this.shareRight]);
        if (!this.best.includes(this.choice)) this.rightSince = undefined;
        else this.rightSince ??= goal;
      }
      return this.done >= goal;
    }

    // Visits and means of the moves at the root.
    get visits() {
      return [...this.tree.visits.subarray(0, this.size.cells)];
    }
    get means() {
      return this.visits.map((n, a) => (n ? this.tree.total[a] / n : null));
    }

    // The exactly best cells; the share of the playouts that went there.
    get best() {
      return [...this.truth.keys()].filter((a) => this.truth[a] === this.most);
    }
    get shareRight() {
      return this.best.reduce((sum, a) => sum + this.visits[a], 0) / this.done;
    }
    // Whether the exact values may be seen: after a guess, or after many playouts.
    get shown() {
      return this.over || this.guess !== undefined || this.done >= PLAYOUTS_PER_MOVE;
    }
    // The guess is kept with the board: another c or seed, or a new run, does not undo it.
    follow(run) {
      if (run.texts.board === this.texts.board) this.guess = run.guess;
    }

    get choice() {
      return move(this.tree);
    }

    // The board after a move, as a text.
    after(a) {
      return this.texts.board.slice(0, a) + this.toMove + this.texts.board.slice(a + 1);
    }

    description() {
      const { toMove: mark, done, best, most } = this;
      const winner = mark === "X" ? -1 : 1;
      if (this.over) return `The game is over: ${ENDS[this.won ? winner : 0]}.`;
      const worth = best.includes(this.guess) ? "right" : `worth ${signed(this.truth[this.guess])}`;
      const guessed =
        this.guess === undefined ? "" : `Your guess, cell ${this.guess}, is ${worth}. `;
      const right = `${guessed}Exact answer: ${cellsNamed(best)}, worth ${signed(most)} to ${mark}.`;
      if (done === 0)
        return `${mark} moves. ${this.shown ? right : "Which cell is best? Press one on the right as a guess."} Step makes the search play one random game.`;
      const { choice } = this,
        good = best.includes(choice) ? "which is right" : "which is a mistake",
        judged = this.shown ? `, ${good}` : "";
      return (
        `After ${many(done, "playout")} ${mark} would take cell ${choice}${judged}: ${many(this.visits[choice], "visit")}, mean ${fixed(this.means[choice])}.` +
        (this.shown ? ` ${right} ${fixed(this.shareRight)} of the playouts went there.` : "")
      );
    }

    answer() {
      const { done, rightSince, over } = this,
        far = many(done, "playout");
      if (over || done < PLAYOUTS_PER_MOVE) return "";
      if (!rightSince) return `With this seed ${far} are not enough: its choice is still wrong.`;
      return rightSince < done
        ? `With this seed its choice has been right since ${many(rightSince, "playout")}.`
        : `With this seed its choice is right after ${far}.`;
    }

    python() {
      const { board, c, seed } = this.texts,
        { rows, columns, k } = this.size;
      const signs = [...board].map((sign) => ({ X: 1, O: -1, ".": 0 })[sign]);
      const begin = [
        "import numpy as np",
        "",
        "from ttt_lib import rules, experiments",
        "from ttt_lib.large_boards import uct",
        "",
        `lines = rules.lines(${rows}, ${columns}, ${k})`,
        `board = np.array([${signs.join(", ")}])`
      ];
      if (this.over || this.done === 0)
        return [...begin, "bool(rules.finished(board, lines))", ""].join("\n");
      return [
        ...begin,
        `rng = experiments.mt19937(${seed})  # the random numbers of the page`,
        `tree = uct.search(board, ${this.done}, rng, c=${c}, lines=lines)`,
        "tree.visits[0].tolist(), uct.values(tree).tolist()",
        ""
      ].join("\n");
    }
  }

  // ---- view

  class View {
    constructor(lab) {
      this.lab = lab;
      this.says = h("p", { class: "ttt-says" });
      this.place = h("div", { class: "ttt-pair" });
      this.chart = new Chart("playouts");
      this.chart.about.textContent = "Share of playouts in one of the best cells";
      this.reply = button("Let it move", () => this.letMove());
      this.element = h(
        "div",
        { class: "ttt-split ttt-thinking" },
        this.place,
        this.says,
        h("div", { class: "ttt-line" }, this.reply),
        this.chart.element
      );
      this.actions = [3, 4].map((n) =>
        button(`Empty ${n} × ${n}`, () => lab.set("board", ".".repeat(n * n)))
      );
    }

    // Search for a while, and take the move with the most visits.
    async letMove() {
      const { lab } = this;
      if (lab.run.over) return lab.say(lab.run.ends);
      lab.playing = false;
      if (lab.run.done < PLAYOUTS_PER_MOVE) await lab.forth(String(PLAYOUTS_PER_MOVE));
      await lab.set("board", lab.run.after(lab.run.choice));
    }

    // Take a cell as the reader's guess of the best one, and show the exact values.
    guess(a) {
      const { lab } = this,
        { run } = lab;
      if (run.shown) return lab.say("The exact values are shown already.");
      if (run.truth[a] === null) return lab.say(`Cell ${a} is taken.`);
      run.guess = a;
      lab.stop();
    }

    async take(a) {
      const { lab } = this,
        { run } = lab;
      if (run.over) return lab.say(run.ends);
      if (run.truth[a] === null) return lab.say(`Cell ${a} is taken.`);
      await lab.set("board", run.after(a));
    }

    // Create the two boards, if the size has changed.
    boards(size) {
      if (this.size === size) return;
      this.size = size;
      const game = { ...size, cells: size.cells };
      this.sides = [
        ["The search", (a) => this.take(a)],
        ["Exact values", (a) => this.guess(a)]
      ].map(([text, press]) => {
        const grid = new Grid(game, text, press);
        return { grid, whole: h("div", {}, h("p", { class: "ttt-head" }, text), grid.element) };
      });
      this.place.dataset.cells = size.cells;
      this.place.replaceChildren(...this.sides.map(({ whole }) => whole));
    }

    draw() {
      const {
          lab: { run }
        } = this,
        { size, done } = run;
      this.boards(size);
      const signs = [...run.texts.board].map((sign) => (sign === "." ? null : sign));
      const lines = size.lines.filter(
        (cells) => signs[cells[0]] && cells.every((a) => signs[a] === signs[cells[0]])
      );
      const most = Math.max(...run.visits, 1),
        [search, exact] = this.sides;
      const look = { marks: signs, lines, mark: run.toMove, still: true, limits: [-1, 1] };
      search.grid.draw({
        ...look,
        values:
          done && !run.over ? run.means.map((mean, a) => (signs[a] ? null : mean)) : undefined,
        taken: (a) => run.over || signs[a] !== null
      });
      search.grid.cells.forEach((cell, a) => {
        cell.classList.toggle("ttt-best", done > 0 && !run.over && a === run.choice);
        cell.style.setProperty(
          "--ttt-visits",
          done && !run.over ? (run.visits[a] / most).toFixed(3) : 0
        );
      });
      exact.grid.draw({
        ...look,
        values: run.over || !run.shown ? undefined : run.truth,
        exact: true,
        ring: true,
        last: run.guess,
        taken: (a) => run.shown || signs[a] !== null
      });
      exact.grid.grid.toggleAttribute("data-hidden", !run.shown);
      exact.whole.hidden = run.over;
      put(this.says, run.description());
      this.chart.draw({
        curves: [{ points: run.curve, line: "ink" }],
        low: 0,
        high: 1,
        games: Math.max(done, 10)
      });
      this.reply.setAttribute("aria-disabled", String(run.over));
    }
  }

  ttt.lab.define("uct_search", SETTINGS, async (texts) => new Run(texts), View);
})();
