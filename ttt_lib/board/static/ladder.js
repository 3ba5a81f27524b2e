// Beat it before it learns: a reader, who is X, against five stages of one learner. After a
// game one sentence names the first move that gave something away.

ttt.ladder = (() => {
  "use strict";

  const { terminal, pair, signs } = ttt.game;
  const { cellsNamed, count, many } = ttt.format;
  const { labels } = ttt.symmetry;
  const { classes, exactValues } = ttt.skyline;
  const { h, button, put } = ttt.elements;
  const { Grid } = ttt.grid;

  const PAUSE = 350; // ms before the learner moves
  const GETS = { 1: "a win", 0: "a draw", "-1": "nothing" };
  const LOSES = { 1: "the win", 0: "the draw" };
  const SIGN = { 1: "✓", 0: "=", "-1": "✗" }; // results of the reader
  const SHARED = { 1: "🟦", 0: "⬜", "-1": "🟧" };

  // The classes of positions in which the second player moves, in rising order.
  const replyClasses = (game) =>
    classes(game).filter((s) => game.toMove[s] === -1 && !terminal(game, s));

  // The cell that a stage takes in each position in which it moves, from its cell in each of
  // the `replyClasses`: the lowest of the equivalent ones.
  function replies(game, cells) {
    const { box, kind } = labels(game);
    const cellOf = new Map(replyClasses(game).map((s, n) => [s, Number(cells[n])]));
    return Array.from({ length: game.size }, (_, s) => {
      if (game.toMove[s] !== -1 || terminal(game, s)) return null;
      const chosen = kind[pair(game, box[s], cellOf.get(box[s]))];
      for (let i = game.first[s]; i < game.first[s + 1]; i++)
        if (kind[i] === chosen) return game.action[i];
      return null;
    });
  }

  // The value of each position for the first player who replies best to a stage.
  function bestReply(game, reply) {
    const V = Int8Array.from(game.outcome);
    for (let s = game.size - 1; s >= 0; s--) {
      if (terminal(game, s)) continue;
      if (game.toMove[s] === -1) {
        V[s] = V[game.successor[pair(game, s, reply[s])]];
      } else {
        V[s] = -1;
        for (let i = game.first[s]; i < game.first[s + 1]; i++)
          V[s] = Math.max(V[s], V[game.successor[i]]);
      }
    }
    return V;
  }

  // The first move of a side after which it could get less: {number, before, kept} with the
  // cells that kept what it had; undefined if there is none. `path` has all positions of the
  // game, and `value` is that of positions for the first player.
  function firstLoss(game, path, side, value) {
    let number = 0;
    for (let t = 0; t + 1 < path.length; t++) {
      const s = path[t];
      if (game.toMove[s] !== side) continue;
      number++;
      if (side * value[path[t + 1]] >= side * value[s]) continue;
      const kept = [];
      for (let i = game.first[s]; i < game.first[s + 1]; i++)
        if (value[game.successor[i]] === value[s]) kept.push(game.action[i]);
      return { number, before: side * value[s], kept };
    }
    return undefined;
  }

  // What a finished game shows, in one sentence.
  function review(game, path, V) {
    const outcome = game.outcome[path.at(-1)];
    const told = (whose, { number, before, kept }) =>
      `${whose} move ${number} gave away ${LOSES[before]}: ${cellsNamed(kept)} kept it.`;
    const mine = firstLoss(game, path, 1, V);
    if (outcome === 1) {
      const its = firstLoss(game, path, -1, exactValues(game));
      return `You won. ${its ? told("Its", its) : ""}`;
    }
    const result = outcome === 0 ? "A draw." : "It won.";
    if (mine) return `${result} ${told("Your", mine)}`;
    return `${result} You gave nothing away: against this player a draw is the most.`;
  }

  class Ladder {
    constructor(element, game, { games, cells }) {
      this.game = game;
      this.games = games;
      this.stages = cells.map((text) => replies(game, text));
      this.values = this.stages.map((reply) => bestReply(game, reply));
      this.results = games.map(() => null);
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
        button("", () => this.begin(n), { "aria-label": `After ${many(games, "game")}` })
      );
      this.next = button("", () => this.begin(this.stage + 1), { class: "ttt-first" });
      this.again = button("Again", () => this.begin(this.stage));
      this.share = button("Copy result", () => this.copy());
      element.classList.add("ttt");
      element.replaceChildren(
        h("h2", {}, "Beat it before it learns"),
        this.who,
        h("div", { class: "ttt-ladder-rungs", role: "group", "aria-label": "Games it has played" },
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
        if (path === this.path) this.move(pair(game, this.s, this.stages[this.stage][this.s]));
      }, PAUSE);
    }

    move(i) {
      this.path.push(this.game.successor[i]);
      if (this.over) {
        const outcome = this.game.outcome[this.s];
        this.results[this.stage] = Math.max(outcome, this.results[this.stage] ?? -1);
        put(this.status, review(this.game, this.path, this.values[this.stage]));
      }
      this.draw();
    }

    draw() {
      const { game, s, stage } = this,
        marks = signs(game, s, "X");
      this.grid.show(s, {
        taken: (cell) => this.over || marks[cell] !== ".",
        ghost: this.over || game.toMove[s] !== 1 ? "" : "X"
      });
      const games = this.games[stage];
      const knows = games === 0 ? ", so it knows nothing" : "";
      put(this.who, `You are X. It has played ${many(games, "game")}${knows}.`);
      this.rungs.forEach((rung, n) => {
        const result = this.results[n];
        put(rung, `${this.games[n] >= 1000 ? `${this.games[n] / 1000}k` : this.games[n]}${result === null ? "" : ` ${SIGN[result]}`}`);
        rung.setAttribute("aria-pressed", String(n === stage));
      });
      const still = this.over ? null : this.values[stage][s];
      this.gets.dataset.gets = still ?? "";
      put(this.gets, still === null ? "" : `You can still get ${GETS[still]}.`);
      const last = stage === this.games.length - 1;
      this.next.hidden = !this.over || last;
      if (!last) {
        const more = this.games[stage + 1] - games;
        put(this.next, `Let it play ${count(more)}${games ? " more" : ""}`);
      }
      this.again.hidden = s === 0;
      this.share.hidden = this.results.every((result) => result === null);
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

  return { Ladder, replies, bestReply, review, firstLoss };
})();
