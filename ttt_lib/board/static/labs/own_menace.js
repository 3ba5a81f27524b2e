// The reader's own MENACE: kept in the browser after each game with the reader, saved to a file
// and loaded again. Its settings and its history are enough, because the same seed gives the
// same beads.

ttt.ownMenace = (() => {
  "use strict";

  const { ME, lessonsOf, partsOf, write } = ttt.matchboxRun;
  const { h, button, put } = ttt.elements;

  const ITEM = "menace"; // its name in the store
  const FILE = { book: "three-in-a-row", kind: "MENACE", version: 1 };
  const SETTINGS = ["beads", "reinforcement", "seed"];

  // The MENACE in the text of a file: its settings and its history `at`. Throws an Error with
  // one sentence.
  /** @param {string} text @returns {any} */
  function parsed(text) {
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      data = null;
    }
    if (data?.book !== FILE.book || data.kind !== FILE.kind)
      throw Error("This file holds no MENACE: choose one that “Save to a file” made here.");
    if (data.version !== FILE.version)
      throw Error(`This file has the format ${data.version}; this page reads ${FILE.version}.`);
    return Object.fromEntries([...SETTINGS, "at"].map((name) => [name, String(data[name])]));
  }

  // Whether a history goes on from an earlier one.
  const goesOn = (parts, earlier) =>
    earlier.length <= parts.length &&
    earlier.every(({ who, what }, k) => {
      const isLast = k === earlier.length - 1,
        now = parts[k];
      return who === now.who && (isLast && who !== ME ? now.what >= what : now.what === what);
    });

  class Own {
    constructor(lab) {
      this.lab = lab;
      this.store = globalThis.bookStore; // in a notebook there is none
      this.lasts = Boolean(this.store?.lasts());
      this.forgotten = null; // the history that is not kept again at once
      this.head = h("summary", {});
      this.words = h("p", { class: "ttt-about", role: "status" });
      this.goOn = button("Go on with yours", () => this.show(this.kept)); // beside the board
      this.instead = button("Keep this one instead", () => this.keep());
      this.forgets = button("Forget yours", () => this.forget());
      this.save = button("Save to a file", () => this.saveFile());
      this.file = h("input", {
        type: "file",
        accept: ".json",
        hidden: true,
        onchange: () => this.loadFile()
      });
      this.element = h(
        "details",
        { class: "ttt-own" },
        this.head,
        this.words,
        h(
          "div",
          { class: "ttt-line" },
          this.instead,
          this.save,
          button("Load from a file", () => this.file.click()),
          this.forgets,
          this.file
        )
      );
    }

    // What is kept, undefined if nothing is.
    get kept() {
      const kept = this.store?.get(ITEM);
      return typeof kept?.at === "string" ? kept : undefined; // a loaded store may hold anything
    }

    // What is shown, without an unfinished game.
    get shown() {
      const { texts, run } = this.lab;
      const settings = Object.fromEntries(SETTINGS.map((name) => [name, texts[name]]));
      return { ...settings, at: write(run.parts) };
    }

    keep() {
      this.lasts = this.store.set(ITEM, this.shown) && this.lasts;
      this.draw();
    }

    forget() {
      if (!confirm("Forget your own MENACE?")) return;
      this.forgotten = this.shown.at;
      this.store.remove(ITEM);
      this.draw();
    }

    // Run a MENACE in the lab; if its history is invalid, say so.
    async show({ at, ...settings }) {
      const { lab } = this;
      let fault = null;
      if (lab.busy) return;
      lab.playing = false;
      this.forgotten = null;
      await lab.attempt(() =>
        lab.busily(async () => {
          try {
            await lab.open({ ...lab.texts, ...settings }, at);
            lab.stops = [];
          } catch (wrong) {
            fault = wrong;
          }
        })
      );
      if (fault) lab.say(`This MENACE cannot be read: ${fault.message} Nothing has changed.`);
    }

    async loadFile() {
      const [chosen] = this.file.files;
      this.file.value = "";
      if (!chosen) return;
      try {
        await this.show(parsed(await chosen.text()));
      } catch (wrong) {
        this.lab.say(`${wrong.message} Nothing has changed.`);
      }
    }

    saveFile() {
      const text = JSON.stringify({ ...FILE, ...this.shown }, null, 1),
        url = URL.createObjectURL(new Blob([text]));
      h("a", { href: url, download: "menace.json" }).click();
      setTimeout(() => URL.revokeObjectURL(url));
    }

    // At a stop: keep what is shown, if it is new or goes on from what is kept.
    draw() {
      const { lab, kept, shown } = this,
        { parts } = lab.run;
      if (lab.busy || lab.playing) return;
      const same = kept && SETTINGS.every((name) => kept[name] === shown[name]),
        later = !kept || (same && goesOn(parts, partsOf(kept.at))),
        taught = parts.some(({ who }) => who === ME) && shown.at !== this.forgotten;
      if (this.store && taught && later && kept?.at !== shown.at) return this.keep();
      const isOther = Boolean(kept) && !later;
      this.goOn.hidden = !isOther && !(kept && !parts.length);
      this.instead.hidden = !isOther || !taught;
      this.forgets.hidden = !kept;
      this.save.hidden = !parts.length;
      put(this.head, kept ? `Your own MENACE: ${lessonsOf(partsOf(kept.at))}` : "Your own MENACE");
      put(this.words, this.says(isOther));
    }

    says(isOther) {
      if (!this.lasts)
        return "Nothing is kept here when you close the page: save what you have taught to a file.";
      if (!this.kept)
        return "The first game that you play against it makes it yours: from then on it is kept in this browser.";
      return isOther
        ? "It is kept in this browser, and it is not the one that plays here now."
        : "It is kept in this browser after each game.";
    }
  }

  return { Own };
})();
