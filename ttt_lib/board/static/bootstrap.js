// Mounting of boards. A page without Python holds <div data-ttt-board='{…}'> and loads the
// scripts and tables; in Jupyter, anywidget calls `render`. In both, the board plays from
// tables that Python has made; a live kernel is only notified.

ttt.board = (() => {
  "use strict";

  const { registry } = ttt.agents;
  const { ENDS, Play } = ttt.play;
  const { h } = ttt.elements;
  const { View } = ttt.view;
  const { Model, listen, Learning } = ttt.kernel;

  // ---- on a page

  const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  const here = script?.src; // the folder of this script has the agents
  const loading = {}; // key of an agent → the promise of its table

  // Called by the scripts of tables and of agents. With the tables, boards can start.
  function tables(packed) {
    registry.packed = packed;
    const start = () => {
      mountAll();
      ttt.lab?.mountAll();
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
    else start();
  }
  function register(name, packed) {
    registry.agents[name] = packed;
  }

  // Agents are loaded when they are chosen: as scripts, because that works from file://,
  // too.
  function loadScript(key) {
    return (loading[key] ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = new URL(`agents/${encodeURIComponent(key)}.js`, here).href;
      script.onload = () => done(registry.agents[key]);
      script.onerror = () => {
        delete loading[key];
        failed(Error(`the file of ${key} is missing`));
      };
      document.head.append(script);
    }));
  }

  // A substitute for the widget's model on a page without Python.
  function staticModel(setup) {
    const traits = { _setup: setup };
    if (setup.state) {
      const { moves, score, ..._game } = setup.state;
      Object.assign(traits, {
        _game,
        history: moves,
        score: Object.fromEntries(ENDS.map((end, n) => [end, score?.[n]]))
      });
    }
    return { get: (name) => traits[name], set() {}, save_changes() {}, fetch: loadScript };
  }

  function mount(element) {
    element.dataset.mounted = "";
    let setup = {},
      trouble;
    try {
      const read = JSON.parse(element.dataset.tttBoard);
      if (read?.constructor !== Object) throw Error("no settings");
      setup = read;
    } catch {
      trouble = "The settings of this board cannot be read, so it uses the defaults.";
    }
    place(setup, element, trouble);
  }

  // Put a board with these settings into an element; report errors in the settings there.
  function place(setup, element, trouble) {
    const play = new Play(staticModel(setup));
    return show(play, element)
      .then((fault) => play.start(fault ?? trouble))
      .catch((fault) => {
        element.replaceChildren(h("p", {}, `This board cannot play here: ${fault.message}`));
      });
  }

  function mountAll() {
    document.querySelectorAll("[data-ttt-board]:not([data-mounted])").forEach(mount);
  }

  // Load and show a board; return an error message if something was invalid.
  async function show(play, element, learning) {
    element.tttPlay = play; // for tests and the console
    const trouble = await play.load();
    play.view = new View(play, element, learning);
    return trouble;
  }

  // ---- in Jupyter

  async function render({ model, el }) {
    // Tells the notebook not to handle keys that are pressed here.
    const element = h("div", { "data-ttt-live": true, "data-lm-suppress-shortcuts": "true" });
    el.append(element);
    const play = new Play(new Model(model));
    const learning = play.setup.learner ? new Learning(play) : undefined;
    const trouble = await show(play, element, learning);
    const stop = listen(play, learning);
    await play.start(trouble);
    return stop;
  }

  return { tables, register, render, place, fetch: loadScript };
})();
