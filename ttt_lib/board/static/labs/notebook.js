// A lab in a notebook: it keeps the state that Python has, and asks it for agents.

ttt.lab.render = (() => {
  "use strict";

  const { h, put } = ttt.elements;

  class LiveLab extends ttt.lab.Lab {
    // Take over what Python or another widget has set, if it makes sense.
    async hear() {
      if (!this.run) return;
      const given = this.asked();
      const same =
        given.mark === this.run.mark &&
        Object.entries(given.texts).every(([name, text]) => text === this.texts[name]);
      if (same) return;
      this.playing = false;
      try {
        await this.busily(() => this.open(given.texts, given.mark));
        this.draw();
        this.say("");
        put(this.words, this.run.words());
      } catch (fault) {
        this.tell();
        this.say(`All stays as it was: ${fault.message}`);
      }
    }
  }

  return async ({ model, el }) => {
    // The notebook leaves keys alone that are pressed in here.
    const element = h("div", { "data-ttt-live": true, "data-lm-suppress-shortcuts": "true" });
    el.append(element);
    const wrapped = new ttt.kernel.Model(model),
      lab = new /** @type {any} */ (LiveLab)(element, model.get("_setup"), wrapped);
    const heard = {
      change: () => lab.hear(),
      "msg:custom": ({ agent, table, fault }) =>
        wrapped.waiting[agent]?.(fault ? Promise.reject(Error(fault)) : table)
    };
    element.tttLab = lab;
    for (const [name, hear] of Object.entries(heard)) model.on(name, hear);
    await lab.start();
    return () => {
      lab.playing = false;
      for (const [name, hear] of Object.entries(heard)) model.off(name, hear);
    };
  };
})();
