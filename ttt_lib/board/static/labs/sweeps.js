// The lab of sweeps over a decision problem: a table of layers × sweeps, and a board or floor
// with the current values.

(() => {
  "use strict";

  const { fixed, count } = ttt.format;
  const { terminal, pair, signOf } = ttt.game;
  const { DIRECTIONS } = ttt.mdp;
  const { backup } = ttt.planning;
  const { SETTINGS, ofGame, begin } = ttt.sweeps;
  const { h, button, rest } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Floor } = ttt.floor;
  const { columnHeads } = ttt.chart;

  const KEPT = 4; // decimals of the values that are kept when the floor changes
  const COLUMNS = 6; // of the table, in addition to the start

  class View {
    constructor(lab) {
      this.lab = lab;
      this.grid = new Grid(lab.game, "What a board is worth", (cell) => this.press(cell));
      this.place = h("div", { class: "ttt-lab-board" }, this.grid.element);
      this.caption = h("p", { class: "ttt-outlook" });
      this.empty = lab.emptyBoard();
      this.walkButton = button("Walk", () => {
        const { run } = this;
        if (run.mark !== run.first) lab.say(run.describeWay(this.walk()));
      });
      this.walks = 0; // in this run
      this.seen = {}; // the run and its mark, when they were drawn
      this.says = h("p", { class: "ttt-says" });
      this.table = h("table", { class: "ttt-layers" });
      this.element = h(
        "div",
        { class: "ttt-split ttt-sweep" },
        h(
          "div",
          { class: "ttt-place" },
          this.place,
          h("div", { class: "ttt-line" }, this.caption, this.empty, this.walkButton)
        ),
        this.says,
        this.table
      );
      this.actions = [];
    }

    get run() {
      return this.lab.run;
    }

    // Show the board after a move in this cell.
    press(cell) {
      this.run.last = null;
      this.lab.walk(cell, "The game is over there: such a board has no value, only a reward.");
    }

    // Change a free square to a wall, a wall to an exit, an exit to free.
    edit(c) {
      const next = { ".": "#", "#": "E", E: "." }[this.floor.signs[c]];
      return this.rebuild([c], next, c);
    }

    // Make a line of squares walls or free; exits stay.
    drawLine(squares, sign) {
      const { signs } = this.floor,
        changed = squares.filter((c) => signs[c] !== "E" && signs[c] !== sign);
      if (changed.length) this.rebuild(changed, sign, squares.at(-1));
    }

    // Change squares. The values of the others stay, and a run goes on.
    async rebuild(squares, next, focus) {
      const { lab, run } = this,
        signs = [...this.floor.signs],
        { columns } = this.floor.game,
        running = lab.playing,
        kept = signs.map(() => "0");
      for (const c of squares) signs[c] = next;
      run.values().forEach((value, state) => {
        kept[run.mdp.position[state]] = String(Number(value.toFixed(KEPT)));
      });
      const floor = signs.join("").match(RegExp(`.{${columns}}`, "g"));
      await lab.set("floor", floor.join("|"), run.mark === "0" ? {} : { initial: kept.join(", ") });
      this.floor.cells[focus]?.focus();
      if (running) lab.play();
    }

    // Go the greedy way from the square with the smallest value, the next time from the next.
    walk() {
      const { run, floor } = this,
        way = run.way(this.walks++),
        [down, right] = DIRECTIONS[way.last],
        exit = way.squares.at(-1) + down * floor.game.columns + right;
      floor.walk(way.squares, way.ended ? exit : null);
      return way;
    }

    draw() {
      const { run } = this,
        game = run.texts.problem === "game";
      if (game) this.drawBoard();
      else this.drawFloor();
      this.walkButton.hidden = game;
      rest(this.walkButton, run.mark === run.first);
      this.empty.hidden = !game || Boolean(run.last);
      rest(this.empty, run.lab.lookedAt === 0);
      this.says.textContent = run.description();
      this.drawTable();
    }

    show(grid) {
      if (this.place.firstChild !== grid.element) this.place.replaceChildren(grid.element);
    }

    // The backups of the cells, or, if the opponent is to move, the values after each reply.
    drawBoard() {
      const { run } = this,
        { game, mdp, last, side } = run,
        s = last ? mdp.position[last.state] : run.lab.lookedAt;
      const decides = game.toMove[s] === side,
        state = mdp.position.indexOf(s),
        V = run.values();
      const cells = Array(game.cells).fill(null);
      const backups =
        decides && (last?.cells ?? run.pairs(state).map((i) => backup(mdp, i, V, run.gamma)));
      for (let i = game.first[s], k = 0; i < game.first[s + 1]; i++, k++) {
        const after = game.successor[i];
        const replied = () =>
          terminal(game, after) ? this.reward(after) : V[mdp.position.indexOf(after)];
        cells[game.action[i]] = decides ? backups[k] : replied();
      }
      const most = Math.max(...run.texts.rewards.split(",").map((r) => Math.abs(Number(r)))) || 1;
      this.show(this.grid);
      this.grid.show(s, {
        values: cells,
        limits: [-most, most],
        still: true,
        mark: signOf(side),
        ring: decides,
        taken: (c) => pair(game, s, c) < 0
      });
      const truth = run.truth[state];
      this.caption.textContent = !decides
        ? `The opponent moves here. Cells show the value for ${signOf(side)} after that reply.`
        : `Value of this board: ${fixed(V[state])} (exact: ${fixed(truth)}). Cells show what the next backup uses.`;
    }

    reward(s) {
      const { game, side, texts } = this.run;
      return Number(texts.rewards.split(",")[1 - side * game.outcome[s]]);
    }

    drawFloor() {
      const { run } = this,
        { mdp } = run,
        V = run.values();
      if (this.floor?.texts !== run.texts.floor) {
        this.floor = new Floor(
          run.texts.floor,
          (c) => this.edit(c),
          (squares, sign) => this.drawLine(squares, sign)
        );
      }
      const pi = run.greedy(),
        wrong = run.wrong,
        values = Array(this.floor.signs.length).fill(null);
      this.floor.ways = values.map(() => []);
      this.floor.wrong = values.map(() => false);
      mdp.position.forEach((square, state) => {
        values[square] = V[state];
        this.floor.wrong[square] = wrong[state];
        if (run.sweeper.sweeps + run.done.length)
          this.floor.ways[square] = run
            .pairs(state)
            .filter((i) => pi[i] > 0)
            .map((i) => mdp.action[i]);
        if (this.floor.ways[square].length === DIRECTIONS.length) this.floor.ways[square] = []; // all directions: no information
      });
      const most = Math.max(...V.map(Math.abs), 1e-9);
      this.show(this.floor);
      this.floor.draw({
        marks: [],
        values,
        limits: [-most, most],
        still: true,
        mark: "X",
        last: run.last ? mdp.position[run.last.state] : null
      });
      this.caption.textContent =
        "Press: wall, exit, free. Drag: walls." + (run.restart ? " Dashed: now wrong." : "");
      if (this.seen.run === run && this.seen.mark === run.mark) return;
      this.seen = { run, mark: run.mark };
      this.walks = 0;
      this.floor.leave();
      if (run.end) this.walk();
    }

    // The table of layers × sweeps: for the game the share of right values, for a floor,
    // where all converge slowly, the largest error.
    drawTable() {
      const { run } = this,
        { history, layers, size, texts } = run,
        now = history.length - 1,
        shares = ofGame(texts);
      const back =
        now <= COLUMNS
          ? history.keys()
          : [now / 8, now / 4, now / 2, now - 2, now - 1, now].map(Math.floor);
      const shown = [...new Set([0, ...back])],
        scores = shown.map((n) => history[n]);
      const heads = shown.map((n) => (n === 0 ? "start" : count(n)));
      if (run.done.length) {
        heads.push("now");
        scores.push(run.score());
      }
      const off = (whole, error) => {
        if (whole) return "right";
        if (error === Infinity) return "∞";
        return error < 0.1 ? error.toPrecision(1) : error.toFixed(error < 10 ? 2 : 1);
      };
      const cell = ({ right, error }, k) => {
        const whole = right === size[k],
          share =
            shares || whole ? right / size[k] : Math.max(0, 1 - error / history[0][k].error) || 0;
        return h(
          "td",
          { class: whole ? "ttt-whole" : "", style: `--ttt-share: ${share.toFixed(4)}` },
          shares ? `${Math.floor(100 * share)}%` : off(whole, error)
        );
      };
      this.table.replaceChildren(
        h(
          "caption",
          {},
          shares ? "Right to three decimals, after each sweep" : "Largest error, after each sweep"
        ),
        h("tr", {}, h("td"), ...columnHeads(...heads)),
        ...layers.map((name, k) =>
          h("tr", {}, h("th", { scope: "row" }, name), ...scores.map((score) => cell(score[k], k)))
        )
      );
    }
  }

  ttt.lab.define("sweeps", SETTINGS, begin, View);
})();
