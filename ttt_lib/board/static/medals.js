// Can it be beaten? A medal for each agent of the library that a reader beats, or of which a
// reader says rightly that nobody can beat it.

ttt.medals = (() => {
  "use strict";

  const { PERSON, keyOf } = ttt.agents;
  const { other, terminal } = ttt.game;
  const { notTaught } = ttt.overlays;
  const { LEARNED_ATOL, seenBy } = ttt.policy;
  const { bestReply } = ttt.review;
  const { h, button, put } = ttt.elements;

  const NONE = [PERSON, "random", "teacher", "teacher lowest", "perfect lowest"];
  const WON = "won",
    SAFE = "safe"; // how a medal was earned
  const visit = new Map(); // agent → how, in case that nothing can be kept

  const itemOf = (agent) => `medal ${agent}`;
  const earned = (agent) => visit.get(agent) ?? globalThis.bookStore?.get(itemOf(agent));

  // Keep a medal; return whether it will last.
  function keep(agent, how) {
    visit.set(agent, how);
    return globalThis.bookStore?.set(itemOf(agent), how) === true;
  }

  // How the best reply beats an agent at the start of a game, on the sides that it was taught:
  // [{side, loses}], its side and its share of lost games.
  function defeats(game, agent) {
    return [1, -1]
      .filter((side) => agent.side !== -side && !notTaught(agent, side))
      .map((side) => ({ side, three: seenBy(-side, bestReply(game, agent.policy, -side), 0) }))
      .filter(({ three: [win, , loss] }) => win - loss > LEARNED_ATOL)
      .map(({ side, three }) => ({ side, loses: three[0] }));
  }

  class Medals {
    constructor(play) {
      this.play = play;
      this.names = play.offered
        .filter(({ name, group }) => group !== "own" && !NONE.includes(name))
        .flatMap((entry) => entry.frames?.map((_, n) => keyOf(entry, n)) ?? [entry.name]);
      this.refuted = new Map(); // agent → sentence, after a wrong answer
      this.lasts = Boolean(globalThis.bookStore?.lasts());
      this.line = h("b", {});
      this.words = h("span", { role: "status" });
      this.nobody = button("Nobody can", () => this.deny(), { hidden: true });
      this.element = h("p", { class: "ttt-medals" }, this.line, " ", this.words, " ", this.nobody);
    }

    // The seat of the agent that the reader faces, null if it has no medal.
    get facing() {
      const { play } = this;
      if (play.busy || play.persons !== 1) return null;
      const mark = play.isPerson("X") ? "O" : "X",
        name = play.nameOf(mark);
      return this.names.includes(name) ? { mark, name, agent: play.seats[mark].agent } : null;
    }

    // What to call the agent in a sentence.
    label(mark) {
      const { play } = this,
        { frames, label } = play.entryOf(play.seats[mark]);
      return frames ? `${label} (${frames[play.seats[mark].frame]})` : label;
    }

    // Whether the finished game shows that the agent can be beaten: from the empty board, and
    // it always kept to its policy, on a side that it was taught.
    hasWon({ mark, agent }) {
      const { play } = this,
        { game, moves, line, state } = play;
      if (!terminal(game, play.now) || play.winner(play.now) !== other(mark)) return false;
      const side = state.first === mark ? 1 : -1;
      const kept = moves.every(
        (_, ply) => play.mover(line[ply]) !== mark || play.how[ply]?.policy === agent.policy
      );
      return line[0] === 0 && kept && agent.side !== -side && !notTaught(agent, side);
    }

    award(name, how) {
      this.lasts = keep(name, how) && this.lasts;
    }

    // "Nobody can beat it."
    deny() {
      const { name, agent } = this.facing,
        [worst] = defeats(this.play.game, agent).sort((a, b) => b.loses - a.loses);
      if (worst) {
        const seat = worst.side === 1 ? "first" : "second";
        const share =
          worst.loses > 0.995 ? "every game" : `${Math.round(100 * worst.loses)} % of its games`;
        this.refuted.set(
          name,
          `Somebody can: as ${seat} player it loses ${share} to its best opponent. Beat it for the medal.`
        );
      } else this.award(name, SAFE);
      this.draw();
    }

    draw() {
      const { facing } = this;
      if (facing && !earned(facing.name) && this.hasWon(facing)) this.award(facing.name, WON);
      const n = this.names.filter(earned).length;
      put(
        this.line,
        `${n} of ${this.names.length} medals${this.lasts ? "" : ", for this visit only"}.`
      );
      const how = facing && earned(facing.name);
      this.nobody.hidden = !facing || Boolean(how) || this.refuted.has(facing.name);
      put(this.words, this.says(facing, how));
    }

    says(facing, how) {
      if (!facing) return "Play against an agent to win its medal; random and teacher have none.";
      const label = this.label(facing.mark);
      if (how === WON) return `You have beaten ${label}.`;
      if (how) return `You were right: nobody can beat ${label}, neither as X nor as O.`;
      return (
        this.refuted.get(facing.name) ?? `Can ${label} be beaten? Win a game against it, or say:`
      );
    }
  }

  return { Medals };
})();
