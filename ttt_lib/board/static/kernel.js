// A live board: Python hears each move, brings agents, and may teach one of them.

ttt.kernel = (() => {
  "use strict";

  const { fixed, many } = ttt.format;
  const { MARKS, terminal } = ttt.game;
  const { registry } = ttt.agents;
  const { h, button, rest, select } = ttt.elements;

  // What the play needs of a widget's model.
  class Model {
    constructor(widget) {
      this.widget = widget;
      this.dead = false; // whether the kernel is gone
      this.waiting = {}; // key of an agent → what to do with its table
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

  // Hear Python; return what ends it.
  function listen(play, learning) {
    const { model } = play,
      { widget } = model;
    const heard = {
      change: () => play.hear(),
      "msg:custom": async ({ agent, table, fault, progress, learnt, rows }) => {
        if (agent) {
          registry.agents[agent] = table;
          model.waiting[agent]?.(table);
        }
        if (fault) {
          play.say(fault);
          learning?.tell({ progress: null });
        }
        if (progress) learning?.tell({ progress });
        if (learnt) {
          // the new table has come before, with the settings
          learning.tell({ progress: null, rows, told: learnt });
          play.setup = model.get("_setup");
          await play.sit(play.asked);
          play.view.draw();
        }
      },
      comm_live_update: () => {
        model.dead = true;
        learning?.tell({ progress: null });
        play.view.draw();
        play.say(
          "The kernel is gone. The board goes on with the tables it has; run the cell again to connect it."
        );
      }
    };
    for (const [name, hear] of Object.entries(heard)) widget.on(name, hear);
    return () => {
      clearTimeout(play.timer);
      play.pauseMatch();
      for (const [name, hear] of Object.entries(heard)) widget.off(name, hear);
    };
  }

  // Where an agent is taught, and what it has learnt.
  class Learning {
    constructor(play) {
      this.play = play;
      this.known = { progress: null, rows: null, told: "" };
      const played = () => MARKS.filter((mark) => play.asked[mark].who === play.setup.learner);
      this.learnGame = button("Learn from this game", () => this.ask({ learn: played() }));
      const counts = [1, 100, 10000, 1000000, 10000000];
      const games = select(
        "Train for",
        counts.map((n) => [n, many(n, "game")]),
        () => {}
      );
      games.choice.value = "10000";
      const whom = [
        ["self", "itself"],
        ["random", "random"],
        ["perfect", "perfect"]
      ];
      const against = select("against", whom, () => {});
      this.train = button("Train", () =>
        this.ask({ train: Number(games.choice.value), against: against.choice.value })
      );
      this.stop = button("Stop", () => this.ask({ stop: true }));
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

    ask(what) {
      const { model } = this.play;
      if (model.dead)
        return this.play.say("The kernel is gone: nothing can be learnt. Run the cell again.");
      if (this.known.progress !== null && !what.stop)
        return this.play.say("It is training already.");
      if (what.train) this.tell({ progress: 0 });
      model.widget.send(what);
    }

    tell(news) {
      Object.assign(this.known, news);
      this.draw();
    }

    draw() {
      const {
          play,
          known: { progress, rows, told }
        } = this,
        training = progress !== null;
      rest(this.learnGame, training || !terminal(play.game, play.now) || play.moves.length === 0);
      rest(this.train, training);
      this.stop.hidden = this.progress.hidden = !training;
      this.progress.value = progress ?? 0;
      const table = rows && this.table(rows);
      this.learnt.replaceChildren(h("p", {}, told), ...(table ? [table] : []));
    }

    // rows: [number, cell, old, target, difference, new] of each move; beads have no target.
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
