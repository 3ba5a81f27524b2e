// The lab of MENACE: the game against the reader, and the wall of all its boxes.

(() => {
  "use strict";

  const { capital, fixed, count, many } = ttt.format;
  const { pair } = ttt.game;
  const { OPPONENTS, SETTINGS, Run, grain } = ttt.matchboxRun;
  const { h, button } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Chart, LINEAR, rounded, columnHeads, tableRow } = ttt.chart;
  const { picture, fly, rollAway } = ttt.matchboxDrawing;
  const { Wall } = ttt.matchboxWall;
  const { Own } = ttt.ownMenace;

  const LESSONS = [20, 1000]; // games of training of the buttons at the board
  const APART = 70; // ms between the starts of two beads
  const MANY = 5; // beads of a box that move at most

  const sum = (numbers) => numbers.reduce((all, n) => all + (n ?? 0), 0);

  class View {
    constructor(lab) {
      this.lab = lab;
      this.opened = null; // the box of the wall that is shown open
      this.before = { run: null, games: 0, plies: 0 }; // what was drawn last
      this.grid = new Grid(lab.game, "The game: you are O", (cell) => this.press(cell));
      this.grid.element.classList.add("ttt-lab-board");
      this.caption = h("p", { class: "ttt-outlook" });
      this.begin = button("Let it begin", () => this.go(this.run.begun), { class: "ttt-first" });
      this.own = new Own(lab);
      this.card = h("div", { class: "ttt-card" });
      this.chart = new Chart("games", { ...LINEAR, ticks: (far) => [0, far] });
      this.chart.about.textContent = "Beads in the first box";
      this.table = h("table", { class: "ttt-scores" });
      this.wall = new Wall(lab.run, lab.id, (b) => this.open(b));
      this.says = h("p", { class: "ttt-says" });
      const lessons = LESSONS.map((n) =>
        button(count(n), () => this.go(this.run.after(n)), {
          "aria-label": `Let it play ${count(n)} games`
        })
      );
      this.element = h(
        "div",
        { class: "ttt-split ttt-menace" },
        h(
          "div",
          { class: "ttt-place" },
          this.grid.element,
          h(
            "div",
            { class: "ttt-line" },
            this.begin,
            this.own.goOn,
            this.caption,
            h("span", { class: "ttt-lessons" }, "Let it play", ...lessons)
          ),
          this.chart.element
        ),
        this.says,
        this.card,
        this.wall.element
      );
      this.below = [
        this.own.element,
        h("details", {}, h("summary", {}, "The next game, exactly"), this.table)
      ];
      this.actions = [button("Print the boxes", () => this.print())]; // inside the fold
    }

    get run() {
      return this.lab.run;
    }

    press(cell) {
      const { run, lab } = this;
      if (!run.moves) {
        if (run.parts.length)
          return lab.say(`This game is over. “${this.begin.textContent}” starts one against you.`);
        return this.go(run.begun);
      }
      if (pair(run.game, run.lookedAt, cell) < 0) return lab.say(`Cell ${cell} is taken.`);
      this.go(run.answered(cell));
    }

    go(mark) {
      if (this.lab.playing) return this.lab.say("It is learning: pause it first.");
      return this.lab.forth(mark);
    }

    // Show a box of the wall open, or again what is going on.
    open(b) {
      this.opened = b;
      if (b !== null) this.lab.whole.removeAttribute("data-fresh");
      this.drawCard();
    }

    draw() {
      const { run } = this,
        { game } = run,
        s = run.lookedAt,
        over = !run.moves && run.parts.length > 0;
      const trained = over && run.record.plies;
      const last = trained ? game.action[run.record.taken[trained - 1]] : run.moves?.at(-1);
      this.grid.show(s, {
        last,
        taken: (c) => over || pair(game, s, c) < 0,
        ghost: run.moves ? "O" : ""
      });
      this.begin.hidden = Boolean(run.moves);
      this.begin.textContent = run.parts.length ? "Play again" : "Let it begin";
      this.caption.hidden = !run.moves;
      this.caption.textContent = run.moves ? "You are O: press a cell." : "";
      this.drawCard();
      this.drawChart();
      this.drawTable();
      this.wall.draw(run, this.used());
      this.own.draw();
      this.moveBeads();
    }

    // The boxes that this game, or the last one, has asked.
    used() {
      const { run } = this;
      return run.moves ? run.asked : run.changes.map(({ b }) => b);
    }

    // A box of the wall; else the box that is asked, or those that the last game has changed.
    drawCard() {
      const { run, opened } = this;
      if (opened !== null) {
        this.says.textContent = run.ofBox(opened);
        return this.drawOpen(opened, null);
      }
      if (run.moves || !run.parts.length) {
        const { b, cell } = run.moves ? run.drawn : { b: 0, cell: null };
        this.says.textContent = run.description();
        return this.drawOpen(b, cell);
      }
      const used = run.changes.map(({ b, kind, before, after }) =>
        h(
          "li",
          {},
          this.picture(b, { drawn: kind, small: true }),
          h(
            "span",
            {},
            h("span", { class: "ttt-wide" }, `${capital(run.name(b))}, cell ${kind}: `),
            h("b", {}, h("span", { class: "ttt-wide" }, `${count(before)} `), `→ ${count(after)}`)
          )
        )
      );
      this.says.textContent = run.ofTraining() + run.ofResult();
      this.card.replaceChildren(h("ol", { class: "ttt-used" }, ...used));
    }

    drawOpen(b, drawn) {
      this.card.replaceChildren(h("div", { class: "ttt-big-box" }, this.picture(b, { drawn })));
    }

    // A bead that was drawn moves from its box to the board, and after the game beads move to
    // the boxes that were used, or one rolls away.
    moveBeads() {
      const { run, before } = this,
        plies = run.moves?.length ?? 0;
      this.before = { run, games: run.games, plies };
      if (before.run !== run || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      if (plies !== before.plies && run.moves) {
        const { b, cell, taken } = run.drawn;
        fly(this.element, cell, this.wall.middle(b), this.middle(taken));
      } else if (!run.moves && run.games === before.games + 1) this.returnBeads();
    }

    returnBeads() {
      const { run } = this;
      let beads = 0;
      for (const { b, kind, before, after, t } of run.changes) {
        const place = this.middle(run.game.action[run.record.taken[t]]);
        if (after < before) rollAway(this.element, kind, place, APART * beads++);
        for (let n = before; n < Math.min(after, before + MANY); n++)
          fly(this.element, kind, place, this.wall.middle(b), APART * beads++);
      }
    }

    // The middle of a cell in the window.
    middle(cell) {
      const { left, top, width, height } = this.grid.cells[cell].getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    }

    picture(b, more) {
      return picture(this.run.game, { ...this.run.shown(b), ...more });
    }

    drawChart() {
      const { run } = this,
        apart = Math.max(1, grain(run.games) / 10); // closer points are not visible
      const rows = [
        ...run.curve.filter(({ games }) => games < run.games && games % apart === 0),
        run.firstBox()
      ];
      /** @type {[string, (beads: number[]) => number, string, boolean][]} */
      const kinds = [
        ["all", sum, "ink", false],
        ["centre", (beads) => beads[4], "grey", false],
        ["corner", (beads) => beads[0], "quiet", true],
        ["edge", (beads) => beads[1], "violet", false]
      ];
      const curves = kinds.map(([name, of, line, dashed]) => ({
        name,
        line,
        dashed,
        points: rows.map(({ games, beads }) => [games, of(beads)]),
        end: rounded(of(rows.at(-1).beads))
      }));
      const most = Math.max(...rows.map(({ beads }) => sum(beads)));
      this.chart.draw({ curves, low: 0, high: nice(most), games: nice(Math.max(run.games, 20)) });
    }

    drawTable() {
      const [random, perfect] = this.run.scores(),
        games = many(this.run.games, "game");
      this.table.replaceChildren(
        h("caption", {}, `After ${games}`),
        h("tr", {}, h("td"), ...columnHeads("win", "draw", "loss")),
        tableRow(["random"], ...random.slice(0, 3).map(fixed)),
        tableRow(["perfect"], ...perfect.slice(0, 3).map(fixed))
      );
    }

    // Print all boxes, to be cut out.
    async print() {
      if (this.printing) return;
      this.printing = true;
      const { run, lab } = this,
        sheet = h(
          "div",
          { class: "ttt ttt-sheet" },
          h(
            "p",
            {},
            `${many(run.list.length, "box", "boxes")} of MENACE after ${many(run.games, "game")}. Cut along the dashed lines.`
          )
        );
      const grid = h("ol", {});
      sheet.append(grid);
      for (const [k, b] of run.list.entries()) {
        grid.append(h("li", {}, h("span", {}, String(k + 1)), this.picture(b)));
        if (k % 10 === 9) await lab.turn();
      }
      document.querySelector(".ttt-sheet")?.remove();
      document.body.append(sheet);
      document.documentElement.classList.add("ttt-prints-sheet");
      this.printing = false;
      addEventListener(
        "afterprint",
        () => {
          document.documentElement.classList.remove("ttt-prints-sheet");
          sheet.remove();
        },
        { once: true }
      );
      print();
    }
  }

  // A round upper end for an axis: 1, 2, 4, 6, 8 or 10 times a power of ten.
  function nice(n) {
    const ten = 10 ** Math.floor(Math.log10(n));
    return ten * [1, 2, 4, 6, 8, 10].find((k) => k * ten >= n);
  }

  // ---- the kind of lab

  async function begin(texts, lab) {
    const names = OPPONENTS.map(([name]) => name).filter((name) => name !== "self");
    const policies = await Promise.all(
      names.map(async (name) => [name, (await lab.player(name)).policy])
    );
    return new Run(lab, texts, { ...Object.fromEntries(policies), self: null });
  }

  ttt.lab.define("matchboxes", SETTINGS, begin, View);
})();
