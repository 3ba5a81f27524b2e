// Base of all labs: step, run, go back, start again, change settings, copy a link or the
// equivalent Python.
//
// A lab is a pure function of its settings, which are texts, and of its progress, one more
// text, its *mark*. So a link contains the whole state, and going back means running again
// from the start. A kind of lab is registered by `define(name, …)`:
//   settings     name → {label, options, read(text, lab), suggestions, names, says,
//                when(texts), view}: `options` are [value, text] to choose from; without them `read`
//                returns the canonical form of a typed text, or throws an Error that says
//                what to do; `suggestions` are suggestions, and `names` those of some texts
//                as chips; `when` says if it is visible, and `view` that a change needs no
//                new run
//   begin(texts, lab)   a promise of the run at its start; throws an Error, which may name
//                its `setting`, if settings contradict each other
//   View         a class, made with the lab: element; draw() shows lab.run in it; actions are
//                buttons for the fold; below are folds below the buttons; title, optional,
//                replaces that of the lab, and framed(whole) gives what stands in its place
// and a run has
//   first, mark, end   the first mark, the current one, and whether there is no next step
//   next         the mark after one step
//   goal()       optional: the mark at the next stop of Run, if not `next`
//   work(mark, ms)   run towards a mark for some milliseconds; return whether it is reached,
//                or a promise of that
//   readMark(text)   the canonical form of a mark; throws an Error
//   follow(run, name)   optional: adopt state of the previous run, from which the setting
//                `name` differs, if given
//   rests        optional: whether Run pauses here, because there is something to see
//   restart      optional: the setting that Start again sets back, too
//   ends         optional: a sentence that explains why there is no next step
//   answer()     optional: a sentence that answers the question of the title by the numbers of
//                this run, empty as long as they do not
//   description()      a text for screen readers at a stop
//   python()     the equivalent cell of Python

ttt.lab = (() => {
  "use strict";

  const { terminal, pair, find, signs } = ttt.game;
  const { list } = ttt.format;
  const { h, button, rest, pressByKey, put, select, chips } = ttt.elements;
  const { registry, shared, entries, seatOf, keyOf, unpackAgent, computed, played } = ttt.agents;
  const { notTaught } = ttt.overlays;

  const SLICE = 12; // ms of work before the page can handle input
  const PACES = [
    ["600", "slow"],
    ["180", "usual"],
    ["0", "fast"]
  ]; // ms between two stops
  const KEYS = "Keys in the lab: S step, R run or pause, B back, A start again.";
  const CANNOT = "The link is invalid, so";
  const kinds = {};
  const define = (name, settings, begin, View) => {
    kinds[name] = { settings, begin, View };
  };

  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const turn = () =>
    new Promise((done) => {
      // let the page handle pending events first
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(port1.close());
      port2.postMessage(0);
    });

  // Shorten long texts that a message quotes.
  const shorten = (sentence) =>
    sentence?.replace(/(“[^”]{60})[^”]+(?=”)|(at=.{60}).+?(?=: )/gs, "$1$2…");

  // A cell of Python: the imports that its lines need, and the lines.
  const MODULES = [
    "agents",
    "evaluation",
    "experiments",
    "learning",
    "mdp",
    "menace",
    "planning",
    "policy",
    "experiments",
    "schedules",
    "search"
  ];
  function pythonCell(...lines) {
    const needs = (name) => lines.some((line) => RegExp(`\\b${name}[.,]`).test(line));
    return [
      ...(needs("np") ? ["import numpy as np", ""] : []),
      `from ttt_lib import ${MODULES.filter(needs).join(", ")}`,
      ...(needs("game") ? ["from ttt_lib.game import tables", "", "game = tables()"] : [""]),
      ...lines,
      ""
    ].join("\n");
  }

  let labs = 0;

  // `setup` is {kind, id, title, preset, choose, mark}: `preset` has the texts of settings,
  // and `choose` is the setting that is always visible, {name: texts to choose from}.
  // `model` is that of a notebook widget.
  class Lab {
    /** @type {Game} */ game;
    /** @type {Object<string, string>} the settings */ texts;
    /** @type {Run} */ run;

    /** @param {HTMLElement} element @param {any} setup @param {any} [model] */
    constructor(element, setup, model) {
      this.setup = setup;
      this.model = model;
      this.kind = kinds[setup.kind];
      this.id = setup.id ?? `${setup.kind}-${++labs}`;
      this.stops = []; // marks to go back to
      this.playing = false;
      this.pace = PACES[1][0];
      this.preset = setup.preset;
      this.initial = null;
      this.element = element;
    }

    // Start at the state in the address if there is one for this lab, else at the preset.
    async start() {
      const packed = registry.packed ?? this.model?.get("_tables");
      this.game = await (registry.game ??= shared(packed));
      this.packed = packed;
      const asked = this.asked();
      this.preset ??= asked.texts; // in a notebook
      let trouble = asked.trouble;
      try {
        await this.open({ ...this.preset, ...asked.texts }, asked.mark ?? this.setup.mark);
      } catch (fault) {
        trouble = `${CANNOT} the lab starts as usual: ${fault.message}`;
        await this.open(this.preset, this.setup.mark);
      }
      await turn();
      this.build();
      this.draw();
      this.whole.toggleAttribute("data-fresh", this.run.mark === this.run.first);
      this.sum(trouble);
      if (this.model) return;
      if (!asked.texts) {
        this.initial = this.state; // needs no link
        if (this.run.end) this.replay();
      }
      const there = this.whole.checkVisibility() ? this.whole : this.element;
      if (asked.texts || asked.trouble) there.scrollIntoView();
      addEventListener("hashchange", () => this.followAddress());
    }

    // A lab that is finished when the page opens runs once more as soon as it is seen, unless
    // the reader was quicker, or prefers reduced motion.
    replay() {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      const { run } = this;
      const seen = new IntersectionObserver(
        ([entry]) => {
          if (!entry.isIntersecting) return;
          seen.disconnect();
          if (run !== this.run || this.busy) return;
          this.busily(() => this.open(this.texts, run.first)).then(() => this.play());
        },
        { threshold: 0.5 }
      );
      seen.observe(this.whole);
    }

    // Begin a new run with these texts, and run it to a mark.
    async open(texts, mark) {
      const clean = {};
      for (const name in this.kind.settings) clean[name] = this.read(name, String(texts[name]));
      this.untaught = new Set();
      const run = await this.kind.begin(clean, this);
      run.untaught = this.untaught;
      const goal = mark === undefined ? run.mark : run.readMark(mark);
      const before = { texts: this.texts, run: this.run };
      this.texts = clean;
      this.run = run;
      try {
        await this.workTo(goal);
      } catch (fault) {
        Object.assign(this, before);
        throw fault;
      }
    }

    // The text of a setting in its canonical form.
    read(name, text) {
      const { label, options, read } = this.kind.settings[name];
      if (!options) return read(text, this);
      if (options.some(([value]) => value === text.trim())) return text.trim();
      throw Error(
        `“${text}” is not one of the choices of “${label}”: ${options.map(([value]) => value).join(", ")}.`
      );
    }

    async workTo(mark) {
      const { run } = this;
      while (run === this.run && !(await run.work(mark, SLICE))) await turn();
    }

    // ---- what the reader does

    async step() {
      if (this.busy) return;
      this.playing = false;
      if (this.run.end) return this.say("There is no next step: start again, or go back.");
      await this.forth(this.run.next);
    }

    // Run on to a later mark.
    async forth(mark) {
      if (this.busy) return;
      this.stops.push(this.run.mark);
      await this.attempt(() => this.busily(() => this.workTo(mark)));
    }

    // Run, pause, or start again at the end.
    async play() {
      if (this.playing) {
        this.playing = false;
        return;
      }
      if (this.busy) return;
      if (this.run.end) return this.reset();
      this.playing = true;
      this.stops.push(this.run.mark);
      this.say(""); // an answer would soon be out of date
      this.draw();
      if (this.looping) return; // the loop has not noticed the pause yet
      this.looping = true;
      await this.attempt(() => this.playOn());
      this.looping = false;
    }

    async playOn() {
      while (this.playing && !this.run.end) {
        const goal = this.run.goal?.() ?? this.run.next;
        while (this.playing && !(await this.run.work(goal, SLICE))) await turn();
        this.drawRun();
        if (this.run.rests) break;
        await pause(Number(this.pace));
      }
    }

    // Do something and stop; if it fails, stop at the current state and report the error.
    async attempt(act) {
      let trouble = null;
      await act().catch((fault) => {
        trouble = fault.message;
      });
      this.playing = false;
      this.stop();
      if (trouble) this.say(trouble);
    }

    back() {
      return this.go(this.stops.pop(), "There is nothing to go back to.");
    }

    async reset() {
      const { restart } = this.run;
      if (restart) return this.set(restart, this.preset[restart]);
      if (this.run.mark !== this.run.first) this.stops.push(this.run.mark);
      await this.go(this.run.first);
    }

    // Go to a mark, from the start.
    async go(mark, otherwise) {
      this.playing = false;
      if (this.busy) return;
      if (mark === undefined) return this.say(otherwise);
      const { run } = this;
      await this.attempt(() =>
        this.busily(async () => {
          await this.open(this.texts, mark);
          this.run.follow?.(run);
        })
      );
    }

    // Change a setting, and others in `more`, and begin a new run; or report an error.
    async set(name, text, more = {}) {
      this.playing = false;
      if (this.busy) return this.drawSettings();
      if (this.kind.settings[name].view) return this.look(name, text);
      const { run } = this;
      try {
        await this.busily(() => this.open({ ...this.texts, ...more, [name]: text }));
        this.stops = [];
        this.run.follow?.(run, name);
        this.fault(null);
        this.stop();
      } catch (fault) {
        this.fault(fault.setting ?? name, fault.message);
      }
    }

    // Change a setting that affects only the view.
    look(name, text) {
      try {
        this.texts = { ...this.texts, [name]: this.read(name, text) };
        this.fault(null);
        this.draw();
        this.sum();
        this.publish();
      } catch (fault) {
        this.fault(name, fault.message);
      }
    }

    async busily(act) {
      this.busy = true;
      try {
        await act();
      } finally {
        this.busy = false;
      }
    }

    // Remarks on a run at a stop: why it has ended, and players on sides they were not trained on.
    get remarks() {
      const { end, ends, untaught } = this.run;
      return [end && ends, ...[...untaught].map((text) => text && `${text}.`)]
        .filter(Boolean)
        .join(" ");
    }

    // At a stop: draw, announce, and publish the state to the address or to Python.
    stop() {
      this.draw();
      this.sum();
      put(this.announcement, this.run.description());
      this.publish();
    }

    // A promise that resolves after pending events of the page.
    turn() {
      return turn();
    }

    // A promise of the table of an agent that is not computed from the game.
    async fetch(key) {
      return (registry.agents[key] ??= await (this.model ?? ttt.board).fetch(key));
    }

    // An agent {side, policy, q}, with the policy that it plays. The run warns about those of
    // its `sides` on which the agent was not trained.
    async player(name, ...sides) {
      const { game } = this,
        agents = entries(this.packed.agents, {}),
        seat = seatOf(agents, name);
      const entry = agents.find((each) => each.name === seat.who);
      const agent =
        computed(game, seat.who) ??
        (await unpackAgent(await this.fetch(keyOf(entry, seat.frame)), game));
      for (const side of sides)
        this.untaught.add(notTaught({ label: name, taught: agent.taught }, side));
      return { side: agent.side, policy: played(game, agent, seat.level), q: agent.q };
    }

    // The agent that a setting names; an error at the setting if it plays only the other side.
    async agentFor(texts, setting, ...sides) {
      const name = texts[setting],
        agent = await this.player(name, ...sides);
      if (sides.includes(-agent.side))
        ttt.parsing.reject(
          setting,
          `${name} can only move ${agent.side === 1 ? "first" : "second"}: choose another player, or the other side.`
        );
      return agent;
    }

    // ---- labs that show a board: their setting `look`

    get lookedAt() {
      return find(this.game, this.texts.look, "X").s;
    }

    // Show the board after a move in a cell; `over` is the message if that ends the game.
    walk(cell, over) {
      const { game, lookedAt: s } = this,
        i = pair(game, s, cell),
        after = game.successor[i];
      if (i < 0)
        return this.say(terminal(game, s) ? "The game is over here." : `Cell ${cell} is taken.`);
      if (over && terminal(game, after)) return this.say(over);
      this.set("look", signs(game, after, "X").join(""));
    }

    emptyBoard() {
      return button("Empty board", () => this.set("look", ".".repeat(this.game.cells)));
    }

    // ---- links, Python, storage

    // The state as the text of a link: the mark, and settings that differ from the preset.
    get state() {
      const changed = Object.entries(this.texts).filter(
        ([name, text]) => text !== this.preset[name]
      );
      return new URLSearchParams([["lab", this.id], ...changed, ["at", this.run.mark]]).toString();
    }

    // The requested state {texts, mark, trouble}, from a notebook's model or from the address;
    // {} if there is none.
    asked() {
      if (this.model) {
        const texts = Object.keys(this.kind.settings).map((name) => [
          name,
          String(this.model.get(name))
        ]);
        return { texts: Object.fromEntries(texts), mark: this.model.get("at") };
      }
      const query = new URLSearchParams(location.hash.slice(1)),
        lab = query.get("lab");
      if (lab !== this.id) {
        const ids = [...document.querySelectorAll("[data-ttt-lab]")].map(
          ({ tttLab }) => tttLab?.id
        );
        if (lab === null || ids.includes(lab) || ids[0] !== this.id) return {};
        return {
          trouble: `The link is for the lab “${lab}”, which is not on this page. This page has ${list(ids)}.`
        };
      }
      const texts = [...query].filter(([name]) => Object.hasOwn(this.kind.settings, name));
      const unknown = [...query.keys()].filter(
        (name) => !["lab", "at"].includes(name) && !Object.hasOwn(this.kind.settings, name)
      );
      return {
        texts: Object.fromEntries(texts),
        mark: query.get("at") ?? undefined,
        trouble: unknown.length
          ? `The link contains a setting that this lab does not have: “${unknown[0]}”.`
          : null
      };
    }

    async followAddress() {
      const { texts, mark, trouble } = this.asked();
      if (!texts) return trouble && this.say(trouble);
      if (location.hash.slice(1) === this.state) return;
      this.playing = false;
      try {
        await this.busily(() => this.open({ ...this.preset, ...texts }, mark));
        this.whole.scrollIntoView({ block: "nearest" });
        this.draw();
        this.sum(trouble);
        put(this.announcement, this.run.description());
      } catch (fault) {
        this.say(`${CANNOT} nothing has changed: ${fault.message}`);
      }
    }

    publish() {
      if (this.model) {
        this.model.set({ ...this.texts, at: this.run.mark });
        this.model.save_changes();
      } else {
        if (this.state === this.initial && !location.hash) return;
        try {
          history.replaceState(null, "", `#${this.state}`);
        } catch {
          /* browsers limit calls per minute, and forbid them in some frames */
        }
      }
    }

    async copy(text, what) {
      try {
        await navigator.clipboard.writeText(text);
        this.say(`Copied: ${what}.`);
      } catch {
        this.say("This browser does not allow copying: take the text from the field below.");
      }
      this.taken.value = text;
      this.taken.hidden = false;
    }

    // Per page, because the state is relative to the preset of the page.
    get storedAs() {
      return `lab ${bookStore.page} ${this.id}`;
    }

    keep() {
      this.say(
        bookStore.set(this.storedAs, this.state)
          ? "Kept in this browser. “Fetch what was kept” brings it back."
          : "This browser keeps nothing for this page: copy a link instead."
      );
    }

    fetchKept() {
      const kept = bookStore.get(this.storedAs);
      if (!kept) return this.say("Nothing has been kept here.");
      location.hash = kept;
    }

    // ---- view

    // eslint-disable-next-line max-lines-per-function -- one list of all elements, in their order
    build() {
      const { setup } = this;
      this.view = new this.kind.View(this);
      this.announcement = h("p", { class: "ttt-hidden", role: "status" });
      this.notice = h("p", { class: "ttt-notice", role: "status" });
      this.stepButton = button("Step", () => this.step());
      this.playButton = button("Run", () => this.play(), { class: "ttt-first" });
      this.backButton = button("Back", () => this.back());
      this.resetButton = button("Start again", () => this.reset());
      this.taken = h("textarea", {
        readonly: true,
        rows: 8,
        hidden: true,
        "aria-label": "What was copied",
        class: "ttt-text"
      });
      const pace = select("Speed", PACES, (value) => {
        this.pace = value;
      });
      pace.choice.value = this.pace;
      this.fields = {};
      const shown = Object.keys(setup.choose ?? {})[0];
      const lines = Object.keys(this.kind.settings).map((name) =>
        this.field(name, setup.choose?.[name])
      );
      const inSight = lines.filter((_, n) => Object.keys(this.kind.settings)[n] === shown);
      const folded = lines.filter((line) => !inSight.includes(line));
      this.more = h(
        "details",
        { class: "ttt-more" },
        h("summary", {}, "More: go back, settings, link, Python"),
        h(
          "div",
          { class: "ttt-line" },
          this.backButton,
          this.resetButton,
          pace.label,
          button("Keys", () => this.say(KEYS))
        ),
        h("div", { class: "ttt-line" }, ...this.view.actions),
        h("div", { class: "ttt-settings" }, ...folded),
        h(
          "div",
          { class: "ttt-line" },
          this.model
            ? null
            : button("Copy link", () => this.copy(this.link, "a link to what you see")),
          button("Copy as Python", () =>
            this.copy(this.run.python(), "a cell of Python that computes the same")
          ),
          ...(globalThis.bookStore // the pages of the book have one
            ? [
                button("Keep", () => this.keep()),
                button("Fetch what was kept", () => this.fetchKept())
              ]
            : [])
        ),
        this.taken
      );
      const title = h(
        "p",
        { class: "ttt-question", id: `${this.id}-title` },
        this.view.title ?? setup.title
      );
      this.whole = h(
        "section",
        {
          class: "ttt ttt-lab",
          "aria-labelledby": `${this.id}-title`,
          onkeydown: (event) => this.key(event)
        },
        title,
        this.view.element,
        this.announcement,
        this.notice,
        h("div", { class: "ttt-line" }, this.stepButton, this.playButton, ...inSight),
        ...(this.view.below ?? []),
        this.more
      );
      this.element.replaceChildren(...(this.view.framed?.(this.whole) ?? [this.whole]));
      this.element.dataset.ready = "";
    }

    get link() {
      return `${location.href.split("#")[0]}#${this.state}`;
    }

    // The control of a setting: radio buttons, a select, or a text field.
    field(name, few) {
      const { label, options, suggestions, says, names } = this.kind.settings[name];
      const fault = h("span", { class: "ttt-fault", role: "alert" });
      let line, show;
      if (few) {
        const named = few.map((text) => [
          text,
          options?.find(([value]) => value === text)?.[1] ?? names?.[text] ?? text
        ]);
        const { group, choose } = chips(label, named, (text) => this.set(name, text));
        line = group;
        show = choose;
      } else if (options) {
        const chosen = select(label, options, (text) => this.set(name, text));
        line = chosen.label;
        show = (text) => {
          chosen.choice.value = text;
        };
      } else {
        const offered =
          suggestions &&
          h(
            "datalist",
            { id: `${this.id}-${name}` },
            ...suggestions.map((value) => h("option", { value }))
          );
        const input = h("input", {
          type: "text",
          class: "ttt-text",
          spellcheck: "false",
          autocomplete: "off",
          list: offered?.id,
          onchange: () => this.set(name, input.value)
        });
        line = h("label", { title: says }, h("span", {}, label), input, offered);
        show = (text) => {
          input.value = text;
        };
      }
      const whole = h("div", { class: "ttt-setting" }, line, fault);
      this.fields[name] = { fault, show, whole };
      return whole;
    }

    // Show an error beside its control and clear all others. If the control is folded away,
    // show it as a notice.
    fault(name, sentence) {
      const message = sentence ? shorten(`${sentence} Nothing has changed.`) : "";
      for (const [each, { fault }] of Object.entries(this.fields))
        put(fault, each === name ? message : "");
      if (name) this.say(this.fields[name].fault.checkVisibility() ? "" : message);
    }

    drawSettings() {
      for (const [name, field] of Object.entries(this.fields)) {
        field.show(this.texts[name]);
        field.whole.hidden = this.kind.settings[name].when?.(this.texts) === false;
      }
    }

    draw() {
      this.drawRun();
      this.drawSettings();
      const play = this.run.end ? "Start again" : "Run";
      put(this.playButton, this.playing ? "Pause" : play);
      rest(this.backButton, this.stops.length === 0);
      rest(this.stepButton, this.run.end);
      this.whole.removeAttribute("data-fresh");
    }

    drawRun() {
      this.view.draw();
    }

    // Show a notice; the next action clears it.
    say(text) {
      put(this.notice, shorten(text));
    }

    // At a stop: the answer of the run so far in bold, and what has to be said about it.
    sum(trouble) {
      const fresh = this.whole.hasAttribute("data-fresh"),
        answer = fresh ? "" : this.run.answer?.(),
        text = [answer, trouble ?? this.remarks].filter(Boolean).join(" ");
      this.say(text);
      if (answer) this.notice.replaceChildren(h("b", {}, answer), text.slice(answer.length));
    }

    key(event) {
      pressByKey(event, {
        s: this.stepButton,
        r: this.playButton,
        b: this.backButton,
        a: this.resetButton
      });
    }
  }

  // ---- on a page: <div data-ttt-lab='{…}'>

  function mountAll() {
    /** @type {NodeListOf<HTMLElement>} */
    const places = document.querySelectorAll("[data-ttt-lab]:not([data-mounted])");
    for (const element of places) {
      element.dataset.mounted = "";
      const lab = new Lab(element, JSON.parse(element.dataset.tttLab));
      element.tttLab = lab; // for tests and the console
      lab.start().catch((fault) => {
        element.replaceChildren(h("p", {}, `This lab cannot run here: ${fault.message}`));
      });
    }
  }

  return { define, Lab, mountAll, pythonCell };
})();
