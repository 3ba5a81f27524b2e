// A lab in a notebook: its state is synchronised with Python, which also sends agents.

ttt.lab.render = (() => {
  "use strict";

  const { h, put } = ttt.elements;

  class NotebookLab extends ttt.lab.Lab {
    // Adopt the state that Python or another widget has set, if it is valid.
    async receive() {
      if (!this.run) return;
      const asked = this.asked();
      const same =
        asked.mark === this.run.mark &&
        Object.entries(asked.texts).every(([name, text]) => text === this.texts[name]);
      if (same) return;
      this.playing = false;
      try {
        await this.busily(() => this.open(asked.texts, asked.mark));
        this.draw();
        this.say("");
        put(this.announcement, this.run.description());
      } catch (fault) {
        this.publish();
        this.say(`Nothing has changed: ${fault.message}`);
      }
    }
  }

  return async ({ model, el }) => {
    // Tells the notebook not to handle keys that are pressed here.
    const element = h("div", { "data-ttt-live": true, "data-lm-suppress-shortcuts": "true" });
    el.append(element);
    const wrapped = new ttt.kernel.Model(model),
      lab = new /** @type {any} */ (NotebookLab)(element, model.get("_setup"), wrapped);
    const handlers = {
      change: () => lab.receive(),
      "msg:custom": ({ agent, table, fault }) =>
        wrapped.waiting[agent]?.(fault ? Promise.reject(Error(fault)) : table)
    };
    element.tttLab = lab;
    for (const [name, handler] of Object.entries(handlers)) model.on(name, handler);
    await lab.start();
    return () => {
      lab.playing = false;
      for (const [name, handler] of Object.entries(handlers)) model.off(name, handler);
    };
  };
})();
