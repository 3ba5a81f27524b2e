// Learners side by side: a column for each value of a setting, with 20 learners that have been
// trained and stored, from the study `lab_runs`.

ttt.comparison = (() => {
  "use strict";

  const { list, many, minus, signed } = ttt.format;
  const { exactValues } = ttt.review;
  const { Skyline, tenths } = ttt.skyline;
  const { h, svg, button, put } = ttt.elements;

  const PAUSE = 350; // ms between two frames
  const TICKS = [
    [1, "1"],
    [100, "100"],
    [10_000, "10k"]
  ]; // games
  const ASKED =
    "Twenty learners of each kind. Which kind will most often be safe, so that nobody comes " +
    "out ahead against it? Press your guess.";
  const RUNNING =
    "Dots: what the first of them thinks of all 765 boards, hollow where it has never been. " +
    "Lines: the worst case of each; at the top it is safe.";

  class Column {
    // `worst` has, for each frame, the worst case of each learner as first and as second
    // player, in hundredths; `thinks` the letters of the first learner's values.
    constructor(game, { worst, thinks }, name, games, press) {
      const exact = exactValues(game);
      this.name = name;
      this.values = thinks.map(tenths);
      this.worst = worst.map((row) =>
        Array.from({ length: row.length / 2 }, (_, k) => [row[2 * k], row[2 * k + 1]])
      );
      this.sky = new Skyline(game, (s) => {
        const says = this.sky.values.get(s);
        return `For X it says ${says === null ? "nothing" : minus(says)}. The truth: ${signed(exact[s])}.`;
      });
      this.safe = h("span", {});
      this.head = button("", () => press(this), { "aria-pressed": "false" });
      this.head.append(h("b", {}, name), this.safe);
      const far = Math.log10(games.at(-1) + 1);
      this.along = (n) => (100 * Math.log10(n + 1)) / far;
      this.lines = this.worst[0].map(() => svg("path", { class: "ttt-run" }));
      this.lines[0].classList.add("ttt-run-first");
      const ticks = TICKS.map(([n, text]) =>
        h("span", { style: `left: ${this.along(n).toFixed(1)}%` }, text)
      );
      this.element = h(
        "div",
        { class: "ttt-column" },
        this.head,
        this.sky.element,
        h(
          "div",
          { class: "ttt-runs", "aria-hidden": "true" },
          h("span", {}, "0"),
          h("span", {}, "−1"),
          svg(
            "svg",
            { viewBox: "0 0 100 100", preserveAspectRatio: "none" },
            ...this.lines.slice(1),
            this.lines[0] // on top
          ),
          h("div", {}, ...ticks)
        )
      );
    }

    // How many learners have a draw in the worst case, on the sides that count.
    count(frame, counts = ([first, second]) => first === 0 && second === 0) {
      return this.worst[frame].filter(counts).length;
    }

    draw(frame, games) {
      const values = this.values[frame];
      const met = values.filter((value) => value !== null).length;
      put(this.safe, `${this.count(frame)} of ${this.lines.length} safe`);
      this.sky.show(
        values.map((value) => value && value / 10),
        `${this.name}: after ${many(games[frame], "game")} the first learner knows ${met} of ${values.length} kinds of boards.`
      );
      this.lines.forEach((line, k) => {
        const points = games.slice(0, frame + 1).map((n, t) => {
          const [first, second] = this.worst[t][k];
          return `${this.along(n).toFixed(1)} ${-(first + second) / 2}`;
        });
        line.setAttribute("d", `M${points.join("L")}`);
      });
    }
  }

  class Comparison {
    // `named(value)` is the name of a column.
    constructor(game, title, { games, columns }, named) {
      this.games = games;
      this.frame = 0;
      this.guess = null;
      this.timer = null;
      this.columns = columns.map(
        (each) => new Column(game, each, named(each.value), games, (column) => this.choose(column))
      );
      this.says = h("p", { class: "ttt-asks", role: "status" });
      this.runButton = button("Run", () => this.run(), { class: "ttt-first" });
      this.slider = h("input", {
        type: "range",
        min: 0,
        max: this.last,
        "aria-label": "Games",
        oninput: () => {
          const frame = Number(this.slider.value);
          this.pause();
          this.draw(frame);
        }
      });
      this.seen = h("output", {});
      this.element = h(
        "section",
        { class: "ttt ttt-lab ttt-compare", "aria-label": title },
        h("p", { class: "ttt-question" }, title),
        this.says,
        h(
          "div",
          { class: "ttt-columns", "data-columns": columns.length },
          ...this.columns.map(({ element }) => element)
        ),
        h("div", { class: "ttt-line" }, this.runButton, this.slider, this.seen)
      );
      this.draw(0);
    }

    get last() {
      return this.games.length - 1;
    }

    // The column is the reader's guess, and the learners begin.
    choose(column) {
      this.guess = column;
      for (const each of this.columns)
        each.head.setAttribute("aria-pressed", String(each === column));
      this.pause();
      this.draw(0);
      this.run();
    }

    run() {
      if (this.timer) return this.pause();
      if (this.frame === this.last) this.draw(0);
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.draw(this.last);
      this.timer = setInterval(() => this.draw(this.frame + 1), PAUSE);
      this.draw(this.frame + 1);
    }

    pause() {
      clearInterval(this.timer);
      this.timer = null;
      this.drawBar();
    }

    draw(frame) {
      this.frame = frame;
      for (const column of this.columns) column.draw(frame, this.games);
      if (frame === this.last) {
        clearInterval(this.timer);
        this.timer = null;
      }
      this.drawBar();
      this.say();
    }

    drawBar() {
      const games = many(this.games[this.frame], "game");
      const rest = this.frame === this.last ? "Run again" : "Run";
      put(this.runButton, this.timer ? "Pause" : rest);
      put(this.seen, games);
      this.slider.value = String(this.frame);
      this.slider.setAttribute("aria-valuetext", games);
    }

    say() {
      const fresh = this.frame === 0 && !this.guess; // any press on a column is a guess
      this.element.toggleAttribute("data-fresh", fresh);
      if (this.frame === this.last) {
        put(this.says, `${this.answer} ${this.chosen}`);
        this.says.replaceChildren(h("b", {}, this.answer), ` ${this.chosen}`);
      } else put(this.says, fresh ? ASKED : RUNNING);
    }

    get chosen() {
      return this.guess ? `You chose ${this.guess.name}.` : "";
    }

    // The answer to the title, from the numbers of the last frame.
    get answer() {
      const { columns, last } = this;
      const counts = (...which) => list(columns.map((each) => String(each.count(last, ...which))));
      const none = columns.every((each) => each.count(last) === 0);
      const all = `Of ${columns[0].lines.length} each, ${counts()} cannot be beaten`;
      if (!none) return `${all}.`;
      return `${all}; as first player, ${counts(([first]) => first === 0)} cannot.`;
    }
  }

  return { Comparison };
})();
