// The lab of UCT search, beside flat search and the exact values. The reader can play against
// it, on 3 × 3 or 4 × 4. A mark is the number of playouts of each search.

(() => {
  "use strict";

  const { count, cellsNamed, many, signed } = ttt.format;
  const { shape, hasLine, newTree, grow, growFlat, move, bestMean, marks, exactValues } = ttt.uct;
  const { mt19937, MAX_SEED } = ttt.mt19937;
  const { h, button, put } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Chart } = ttt.chart;
  const read = ttt.parsing;

  const BOARDS = { 9: shape(3, 3, 3), 16: shape(4, 4, 4) };
  const MAX_PLAYOUTS = 10_000,
    CHUNK_SIZE = 50; // CHUNK_SIZE: playouts of each search between two checks of the clock
  const SEEDS = 30; // searches of each kind: the one that is shown, and those with the next seeds
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
      suggestions: ["X...O...X", "..OX.....", ".........", "XX..OOXO.XO.....", "................"],
      names: {
        "X...O...X": "O must answer",
        ".........": "empty 3 × 3",
        "................": "empty 4 × 4"
      }
    },
    c: {
      label: "Exploration c",
      read: read.number("c", 0, 10),
      suggestions: ["0", "0.5", "1.41", "4"]
    },
    seed: { label: "Seed", read: read.whole("the seed", 0, MAX_SEED) }
  };

  // The stop after n playouts: 1, 2, 5, 10, …
  function stopAfter(n) {
    const power = 10 ** Math.floor(Math.log10(Math.max(n, 1)) + 1e-9);
    return [1, 2, 5, 10].map((k) => k * power).find((stop) => stop > n);
  }

  // A search with a tree and one without, with the same seed.
  const pairOfSearches = (size, seed) => ({
    uct: newTree(size),
    flat: newTree(size),
    uctRng: mt19937(seed),
    flatRng: mt19937(seed)
  });

  class Run {
    constructor(texts) {
      const { board } = texts,
        [x, o] = masks(board),
        size = BOARDS[board.length];
      this.texts = texts;
      this.size = size;
      this.first = "0";
      this.done = 0;
      this.curve = []; // at each stop {n, uct, flat}: of how many seeds the choice is right
      this.toMove = marks(x) === marks(o) ? "X" : "O";
      this.mine = this.toMove === "X" ? x : o;
      this.theirs = x + o - this.mine;
      this.won = hasLine(size, this.theirs);
      this.over = this.won || (x | o) === size.everywhere;
      this.truth = this.over ? [] : exactValues(size, this.mine, this.theirs);
      this.most = Math.max(...this.truth.filter((value) => value !== null));
      this.searches = Array.from({ length: SEEDS }, (_, k) =>
        pairOfSearches(size, (Number(texts.seed) + k) % (MAX_SEED + 1))
      );
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
    get next() {
      return String(Math.min(MAX_PLAYOUTS, stopAfter(this.done)));
    }

    readMark(text) {
      const most = this.over ? 0 : MAX_PLAYOUTS;
      if (!/^\d+$/.test(text) || Number(text) > most)
        throw Error(`at=${text}: give a number of playouts from 0 to ${count(most)}.`);
      return String(Number(text));
    }

    work(mark, ms) {
      const goal = Number(mark),
        until = performance.now() + ms;
      while (this.done < goal && performance.now() < until)
        this.grow(Math.min(CHUNK_SIZE, Math.min(goal, stopAfter(this.done)) - this.done));
      return this.done >= goal;
    }

    // Add playouts to all searches, and note at stops how many of them are right.
    grow(playouts) {
      const { size, mine, theirs, searches, best } = this,
        c = Number(this.texts.c),
        stop = stopAfter(this.done);
      for (const { uct, flat, uctRng, flatRng } of searches) {
        grow(uct, size, mine, theirs, playouts, c, uctRng);
        growFlat(flat, size, mine, theirs, playouts, flatRng);
      }
      this.done += playouts;
      if (this.done < stop) return;
      const right = (choice) => searches.filter((one) => best.includes(choice(one))).length;
      this.curve.push({
        n: this.done,
        uct: right(({ uct }) => move(uct)),
        flat: right(({ flat }) => bestMean(flat))
      });
    }

    // Visits and means of the moves at the root, of UCT or flat search with the first seed.
    visitsOf(name) {
      return [...this.searches[0][name].visits.subarray(0, this.size.cells)];
    }
    meansOf(name) {
      const { total } = this.searches[0][name];
      return this.visitsOf(name).map((n, a) => (n ? total[a] / n : null));
    }
    get choice() {
      return move(this.searches[0].uct);
    }
    get flatChoice() {
      return bestMean(this.searches[0].flat);
    }

    // The exactly best cells.
    get best() {
      return [...this.truth.keys()].filter((a) => this.truth[a] === this.most);
    }
    // Whether the exact values may be seen: after a guess, or after many playouts.
    get shown() {
      return this.over || this.guess !== undefined || this.done >= PLAYOUTS_PER_MOVE;
    }
    // The guess is kept with the board: another c or seed, or a new run, does not undo it.
    follow(run) {
      if (run.texts.board === this.texts.board) this.guess = run.guess;
    }

    // The board after a move, as a text.
    after(a) {
      return this.texts.board.slice(0, a) + this.toMove + this.texts.board.slice(a + 1);
    }

    description() {
      const { toMove: mark, done, best, most, guess } = this;
      const winner = mark === "X" ? -1 : 1;
      if (this.over) return `The game is over: ${ENDS[this.won ? winner : 0]}.`;
      const worth = best.includes(guess) ? "right" : `worth ${signed(this.truth[guess])}`;
      const guessed = guess === undefined ? "" : `Your guess, cell ${guess}, is ${worth}. `;
      const right = this.shown
        ? ` ${guessed}Exact answer: ${cellsNamed(best)}, worth ${signed(most)} to ${mark}.`
        : "";
      if (done === 0)
        return `${mark} moves.${right || " Which cell is best? Press one of the question marks as a guess."} Step makes each search play one random game.`;
      const judged = (a) => {
        if (!this.shown) return "";
        return best.includes(a) ? ", which is right" : ", a mistake";
      };
      const said = (a) => `cell ${a}${judged(a)}`;
      return `After ${many(done, "playout")} UCT would take ${said(this.choice)}, and flat search ${said(this.flatChoice)}.${right}`;
    }

    answer() {
      const { done, curve, over, best } = this;
      if (over || done < PLAYOUTS_PER_MOVE) return "";
      if (best.length === this.truth.filter((value) => value !== null).length)
        return "Every move is worth the same here, so that any choice is right.";
      const { n, uct, flat } = curve.at(-1),
        all = curve.findLastIndex((each) => each.uct < SEEDS) + 1;
      const known =
        all < curve.length
          ? `from ${many(curve[all].n, "playout")} on, with all ${SEEDS} seeds`
          : `with ${uct} of ${SEEDS} seeds after ${many(n, "playout")}`;
      return `UCT is right ${known}; flat search with ${flat} of ${SEEDS}.`;
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
      this.places = ["flat", "uct", "truth"].map((name) => h("div", { class: `ttt-${name}` }));
      this.chart = new Chart("playouts");
      this.chart.about.textContent = `Right choices, of ${SEEDS} seeds`;
      this.reply = button("Let it move", () => this.letMove());
      this.element = h(
        "div",
        { class: "ttt-split ttt-thinking" },
        ...this.places,
        this.says,
        h("div", { class: "ttt-line" }, this.reply),
        this.chart.element
      );
      this.actions = [];
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

    // Create the boards, if the size has changed.
    boards(size) {
      if (this.size === size) return;
      this.size = size;
      const game = { ...size, cells: size.cells };
      this.element.dataset.cells = size.cells;
      this.flat = new Grid(game, "");
      this.uct = new Grid(game, "The board: a press moves", (a) => this.take(a));
      this.exact = new Grid(game, "Exact values: a press is a guess", (a) => this.guess(a));
      this.guessed = h("p", { class: "ttt-head" });
      const head = (text) => h("p", { class: "ttt-head" }, text);
      this.places[0].replaceChildren(head("Flat, no tree"), this.flat.element);
      this.places[1].replaceChildren(head("UCT, a tree"), this.uct.element);
      this.places[2].replaceChildren(this.guessed, this.exact.element);
    }

    draw() {
      const { run } = this.lab,
        { size, done, over } = run;
      this.boards(size);
      const signs = [...run.texts.board].map((sign) => (sign === "." ? null : sign));
      const lines = size.lines.filter(
        (cells) => signs[cells[0]] && cells.every((a) => signs[a] === signs[cells[0]])
      );
      const look = { marks: signs, lines, mark: run.toMove, still: true, limits: [-1, 1] };
      const searched = done > 0 && !over;
      this.drawSearch(this.flat, look, searched && "flat", run.flatChoice);
      this.drawSearch(this.uct, look, searched && "uct", run.choice);
      this.exact.draw({
        ...look,
        values: over || !run.shown ? undefined : run.truth,
        exact: true,
        ring: true,
        last: run.guess,
        taken: (a) => run.shown || signs[a] !== null
      });
      this.exact.grid.toggleAttribute("data-hidden", !run.shown);
      this.places[2].classList.toggle("ttt-later", over);
      put(this.guessed, run.shown ? "Exact values" : "Your guess");
      put(this.says, run.description());
      const curve = (name) => run.curve.map((each) => [each.n, each[name] / SEEDS]);
      const end = (name) => `${run.curve.at(-1)?.[name] ?? 0} of ${SEEDS}`;
      this.chart.draw({
        curves: [
          { name: "UCT", points: curve("uct"), line: "ink", end: end("uct") },
          { name: "flat", points: curve("flat"), line: "quiet", dashed: true, end: end("flat") }
        ],
        low: 0,
        high: 1,
        games: Math.max(done, 10)
      });
      this.reply.setAttribute("aria-disabled", String(over));
    }

    // Means and visits of a search in the cells of its board; none without a name.
    drawSearch(grid, look, name, choice) {
      const { run } = this.lab,
        visits = name ? run.visitsOf(name) : [],
        most = Math.max(...visits, 1);
      grid.draw({
        ...look,
        values: name
          ? run.meansOf(name).map((mean, a) => (look.marks[a] ? null : mean))
          : undefined,
        taken: (a) => run.over || look.marks[a] !== null
      });
      grid.cells.forEach((cell, a) => {
        cell.classList.toggle("ttt-best", Boolean(name) && a === choice);
        cell.style.setProperty("--ttt-visits", name ? (visits[a] / most).toFixed(3) : "0");
      });
    }
  }

  ttt.lab.define("uct_search", SETTINGS, async (texts) => new Run(texts), View);
})();
