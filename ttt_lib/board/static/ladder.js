// Beat it before it learns: a reader, who is X, against five stages of one learner. After a
// game one sentence names the first move that gave something away.

ttt.ladder = (() => {
  "use strict";

  const { terminal, pair, signs } = ttt.game;
  const { count, many } = ttt.format;
  const { bestReply, exactValues, losses, summary, valuesOf } = ttt.review;
  const { replies } = ttt.symmetry;
  const { h, button, put, rest } = ttt.elements;
  const { Grid } = ttt.grid;

  const KEPT = "ladder"; // in the store: games → result
  const PAUSE = 350; // ms before the learner moves
  const GETS = {
    1: "You can still get a win from it.",
    0: "You can still get a draw from it.",
    "-1": "You can no longer stop it."
  };
  const SIGN = { 1: "✓", 0: "=", "-1": "✗" }; // results of the reader
  const SHARED = { 1: "🟦", 0: "⬜", "-1": "🟧" };

  class Ladder {
    constructor(element, game, { games, cells }) {
      this.game = game;
      this.games = games;
      this.stages = cells.map((text) => replies(game, text));
      this.values = this.stages.map((policy) => valuesOf(bestReply(game, policy, 1)));
      const kept = globalThis.bookStore?.get(KEPT);
      this.results = games.map((n) => kept?.[n] ?? null); // the best against each stage
      this.stage = 0;
      this.path = [0];
      this.build(element);
      this.begin(0);
    }

    get s() {
      return this.path.at(-1);
    }
    get over() {
      return terminal(this.game, this.s);
    }

    build(element) {
      this.grid = new Grid(this.game, "Board against the learner", (cell) => this.press(cell));
      this.who = h("p", { class: "ttt-ladder-who" });
      this.status = h("p", { class: "ttt-ladder-says", role: "status" });
      this.gets = h("p", { class: "ttt-ladder-gets" });
      this.rungs = this.games.map((games, n) =>
        button("", () => this.begin(n), { title: `After ${many(games, "game")}` })
      );
      this.next = button("", () => this.begin(this.stage + 1), { class: "ttt-first" });
      this.again = button("Again", () => this.begin(this.stage));
      this.share = button("Copy result", () => this.copy());
      element.classList.add("ttt");
      element.replaceChildren(
        h("h2", {}, "Beat it before it learns"),
        this.who,
        h(
          "div",
          { class: "ttt-ladder-rungs", role: "group", "aria-label": "Games it has played" },
          ...this.rungs
        ),
        this.grid.element,
        this.gets,
        this.status,
        h("div", { class: "ttt-line" }, this.next, this.again, this.share)
      );
    }

    // Begin a game against a stage.
    begin(stage) {
      this.stage = stage;
      this.path = [0];
      put(this.status, "");
      this.draw();
    }

    press(cell) {
      const { game, s } = this,
        i = pair(game, s, cell);
      if (this.over || game.toMove[s] !== 1) return;
      if (i < 0) return put(this.status, `Cell ${cell} is taken.`);
      put(this.status, "");
      this.move(i);
      if (this.over) return;
      const { path } = this;
      setTimeout(() => {
        if (path === this.path) this.move(this.stages[this.stage].indexOf(1, game.first[this.s]));
      }, PAUSE);
    }

    move(i) {
      this.path.push(this.game.successor[i]);
      if (this.over) {
        const outcome = this.game.outcome[this.s];
        this.results[this.stage] = Math.max(outcome, this.results[this.stage] ?? -1);
        const results = this.games.map((n, k) => [n, this.results[k]]);
        globalThis.bookStore?.set(KEPT, Object.fromEntries(results));
        put(this.status, this.review());
      }
      this.draw();
    }

    // What the finished game shows.
    review() {
      const { game, path } = this,
        outcome = game.outcome[this.s];
      if (outcome === 1) {
        const its = losses(game, path, -1, exactValues(game));
        return `You won. ${its.length ? summary("Its", its) : ""}`;
      }
      const result = outcome === 0 ? "A draw." : "It won.";
      const mine = losses(game, path, 1, this.values[this.stage]);
      if (mine.length) return `${result} ${summary("Your", mine)}`;
      return `${result} You gave nothing away: against this player a draw is the most.`;
    }

    draw() {
      const { game, s, stage } = this,
        marks = signs(game, s, "X");
      this.grid.show(s, {
        taken: (cell) => this.over || marks[cell] !== ".",
        ghost: this.over || game.toMove[s] !== 1 ? "" : "X"
      });
      const games = this.games[stage];
      const played = games === 0 ? "no game, and knows nothing" : many(games, "game");
      put(this.who, `You are X. It has played ${played}.`);
      this.rungs.forEach((rung, n) => {
        const result = this.results[n];
        const name = this.games[n] < 1000 ? String(this.games[n]) : `${this.games[n] / 1000}k`;
        put(rung, result === null ? name : `${name}\u2002${SIGN[result]}`);
        rung.setAttribute("aria-pressed", String(n === stage));
      });
      const still = this.over ? null : this.values[stage][s];
      put(this.gets, still === null ? "" : GETS[still]);
      const last = stage === this.games.length - 1;
      this.next.hidden = !this.over || last;
      if (!last) {
        const more = this.games[stage + 1] - games;
        put(this.next, `Let it play ${count(more)}${games ? " more" : ""}`);
      }
      rest(this.again, s === 0);
      this.share.hidden = !this.over || !last;
    }

    get text() {
      const stages = this.games.map((n, k) => `${n} ${SHARED[this.results[k]] ?? "▫️"}`);
      return `Three in a Row, beat it before it learns: ${stages.join("  ")} games`;
    }

    async copy() {
      try {
        await navigator.clipboard.writeText(this.text);
        put(this.status, "Copied: your results.");
      } catch {
        put(this.status, this.text); // to be copied by hand
      }
    }
  }

  return { Ladder };
})();
