// A board in a notebook: Python receives each move, sends agents, and can train one.

ttt.kernel = (() => {
  "use strict";

  const { fixed, many } = ttt.format;
  const { MARKS, terminal } = ttt.game;
  const { registry } = ttt.agents;
  const { h, button, rest, select } = ttt.elements;

  // Adapter of a widget's model for Play.
  class Model {
    constructor(widget) {
      this.widget = widget;
      this.dead = false; // whether the kernel is gone
      this.waiting = {}; // key of an agent → resolver of its promise
    }
    get(name) {
      return this.widget.get(name);
    }
    set(traits) {
      this.widget.set(traits);
    }
    save_changes() {
      this.widget.save_changes();
    }

    fetch(key) {
      if (this.dead) return Promise.reject(Error("the kernel is gone"));
      return new Promise((done, failed) => {
        this.waiting[key] = done;
        setTimeout(() => failed(Error("Python did not answer")), 20000);
        this.widget.send({ load: key });
      });
    }
  }

  // Listen to Python; return a function that stops it.
  function listen(play, learning) {
    const { model } = play,
      { widget } = model;
    const handlers = {
      change: () => play.receive(),
      "msg:custom": async ({ agent, table, fault, progress, learnt, rows }) => {
        if (agent) {
          registry.agents[agent] = table;
          model.waiting[agent]?.(table);
        }
        if (fault) {
          play.say(fault);
          learning?.update({ progress: null });
        }
        if (progress) learning?.update({ progress });
        if (learnt) {
          // the new table is in the settings, which were sent before
          learning.update({ progress: null, rows, sentence: learnt });
          play.setup = model.get("_setup");
          await play.sit(play.asked);
          play.view.draw();
        }
      },
      comm_live_update: () => {
        model.dead = true;
        learning?.update({ progress: null });
        play.view.draw();
        play.say(
          "The kernel is gone. You can play on with the tables that are loaded; run the cell again to reconnect."
        );
      }
    };
    for (const [name, handler] of Object.entries(handlers)) widget.on(name, handler);
    return () => {
      clearTimeout(play.timer);
      play.pauseMatch();
      for (const [name, handler] of Object.entries(handlers)) widget.off(name, handler);
    };
  }

  // The panel for training an agent, with the changes of the last game.
  class Learning {
    constructor(play) {
      this.play = play;
      this.state = { progress: null, rows: null, sentence: "" };
      const played = () => MARKS.filter((mark) => play.asked[mark].who === play.setup.learner);
      this.learnGame = button("Learn from this game", () => this.send({ learn: played() }));
      const counts = [1, 100, 10000, 1000000, 10000000];
      const games = select(
        "Train for",
        counts.map((n) => [n, many(n, "game")]),
        () => {}
      );
      games.choice.value = "10000";
      const opponents = [
        ["self", "itself"],
        ["random", "random"],
        ["perfect", "perfect"]
      ];
      const against = select("against", opponents, () => {});
      this.train = button("Train", () =>
        this.send({ train: Number(games.choice.value), against: against.choice.value })
      );
      this.stop = button("Stop", () => this.send({ stop: true }));
      this.progress = h("progress", { max: 1, value: 0, "aria-label": "Training" });
      this.learnt = h("div", { class: "ttt-learnt", role: "status" });
      this.element = h(
        "div",
        { class: "ttt-learning" },
        h(
          "div",
          { class: "ttt-line" },
          this.learnGame,
          games.label,
          against.label,
          this.train,
          this.stop,
          this.progress
        ),
        this.learnt
      );
    }

    send(command) {
      const { model } = this.play;
      if (model.dead)
        return this.play.say("The kernel is gone, so the agent cannot learn. Run the cell again.");
      if (this.state.progress !== null && !command.stop)
        return this.play.say("It is training already.");
      if (command.train) this.update({ progress: 0 });
      model.widget.send(command);
    }

    update(changes) {
      Object.assign(this.state, changes);
      this.draw();
    }

    draw() {
      const {
          play,
          state: { progress, rows, sentence }
        } = this,
        training = progress !== null;
      rest(this.learnGame, training || !terminal(play.game, play.now) || play.moves.length === 0);
      rest(this.train, training);
      this.stop.hidden = this.progress.hidden = !training;
      this.progress.value = progress ?? 0;
      const table = rows && this.table(rows);
      this.learnt.replaceChildren(h("p", {}, sentence), ...(table ? [table] : []));
    }

    // rows: [number, cell, old, target, difference, new] per move; no targets with beads.
    table(rows) {
      const targets = rows.every(([, , , target]) => target !== null);
      const heads = [
        "move",
        "cell",
        "old",
        "target",
        targets ? "target − old" : "new − old",
        "new"
      ];
      const texts = ([ply, cell, ...n]) => [
        ply,
        cell,
        ...n.map((x) => (x === null ? "–" : fixed(x)))
      ];
      return h(
        "table",
        {},
        h(
          "caption",
          {},
          "What it learnt from the game, in the order of the moves" +
            (targets ? ": new = old + step size × (target − old)" : "")
        ),
        h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text))),
        ...rows.map((row) => h("tr", {}, ...texts(row).map((text) => h("td", {}, String(text)))))
      );
    }
  }

  return { Model, listen, Learning };
})();
