// The lab of a custom learner: it plays in Python, and is shown as in the learner's lab.

(() => {
  "use strict";

  const { fixed } = ttt.format;
  const { unpackAgent } = ttt.agents;
  const { newRecord } = ttt.learning;
  const { Run, View, SETTINGS } = ttt.learner;

  const METHOD = { code: null, learns: "Q", is_prediction: false, name: "own" };

  class CustomRun extends Run {
    // Ask Python for the learner after this number of games, and for its last game.
    async work(mark) {
      const [games, frame = 0] = mark.split(":").map(Number);
      // Queue the requests, so that answers are shown in order.
      await (this.asked = Promise.allSettled([this.asked]).then(
        () => games !== this.games && this.fetch(games)
      ));
      this.frame = Math.min(frame, this.frames.length);
      return true;
    }

    async fetch(games) {
      const {
        lab,
        game,
        texts: { opponent, side },
        learners: [one]
      } = this;
      const reply = await lab.model.fetch(`own:${games}:${opponent}:${side}`);
      const [now, before] = await Promise.all(
        [reply, reply.before ?? reply].map((each) => unpackAgent(each, game))
      );
      one.before = {
        table: before.q,
        scores: ttt.evaluation.scores(game, before.policy, one.side)
      };
      Object.assign(one, {
        learner: { ...one.learner, games, table: now.q },
        policy: now.policy,
        record: newRecord(game)
      });
      const { position, taken } = one.record;
      reply.moves.forEach((cell, t) => {
        taken[t] = ttt.game.pair(game, position[t], cell);
        position[t + 1] = game.successor[taken[t]];
      });
      one.record.plies = reply.moves.length;
      one.record.own =
        reply.changes.length === reply.moves.length
          ? 0
          : game.toMove[position[reply.changes[0]?.[0] ?? 0]];
      for (const [t, old, changed] of reply.changes)
        one.record.changes[t] = { old, new: changed, target: null };
      this.score();
    }

    equation({ change }) {
      return [
        [fixed(change.old), "before"],
        [" → ", ""],
        [fixed(change.new), "after"]
      ];
    }
    target() {
      return "How it learns is defined in Python, by its method `learn`.";
    }
    nextBoard() {
      return {};
    }

    python() {
      const {
        games,
        texts: { opponent, side }
      } = this;
      const against = opponent === "self" ? "" : `, agents.opponent(game, "${opponent}"), ${side}`;
      return ttt.lab.pythonCell(
        "# learner: the one passed to this lab",
        `learner = learner.train(game, ${games}${against})`,
        "learner.action_values(game)[0]"
      );
    }
  }

  async function begin(texts, lab) {
    const side = texts.opponent === "self" ? 0 : Number(texts.side);
    const learner = {
      games: 0,
      table: new Float64Array(lab.game.action.length),
      rewards: [1, 0, -1],
      gamma: 1,
      method: METHOD
    };
    const run = new /** @type {any} */ (CustomRun)(lab, { ...texts, differs: "none" }, [
      {
        texts,
        row: METHOD,
        learner,
        side,
        policy: lab.game.policies.random,
        record: newRecord(lab.game),
        curve: []
      }
    ]);
    await run.fetch(0);
    return run;
  }

  const { opponent, side, to, step, look } = SETTINGS;
  const settings = {
    opponent,
    side,
    look,
    to: { ...to, options: to.options.slice(0, 3) },
    step: { ...step, options: step.options.slice(0, 2) }
  };
  ttt.lab.define("custom_learner", settings, begin, View);
})();
