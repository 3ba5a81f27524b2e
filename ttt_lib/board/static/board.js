// The playable board: what is seen and pressed. It stands on the shoulders of
// `board_play.js`, and both are classic scripts without imports.
//
// A page without Python holds <div data-ttt-board='{…}'> and loads the scripts and the
// tables; in Jupyter, anywidget calls `render`. Both go the same way: the board plays
// from tables that Python made, and a live kernel only listens.

globalThis.tttBoard = (() => {
  "use strict";

  const { MARKS, NUMBERS, EXPLORED, Play, registry, other, capital, fixed, signed, chances, read,
    write, inRows } = globalThis.tttPlay;

  // ------------------------------------------------------------------ colours

  // ColorBrewer's YlGnBu for what runs from 0 up, and PuOr for what has two sides: both
  // run evenly in lightness, so they can be told apart without seeing hues.
  const SCALES = {
    one: ["ffffd9", "edf8b1", "c7e9b4", "7fcdbb", "41b6c4", "1d91c0", "225ea8", "253494", "081d58"],
    two: ["7f3b08", "b35806", "e08214", "fdb863", "fee0b6", "f7f7f7", "d8daeb", "b2abd2", "8073ac", "542788", "2d004b"],
  };
  const rgb = (hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const scaleOf = (low, high) => SCALES[low < 0 && high > 0 ? "two" : "one"];

  function colour(value, [low, high]) {
    const stops = scaleOf(low, high);
    const at = Math.min(1, Math.max(0, (value - low) / (high - low || 1))) * (stops.length - 1);
    const i = Math.min(Math.floor(at), stops.length - 2);
    const [one, two] = [rgb(stops[i]), rgb(stops[i + 1])];
    return one.map((c, k) => Math.round(c + (at - i) * (two[k] - c)));
  }

  // Black or white, whichever reads better: relative luminance of WCAG 2.
  function inkOn(channels) {
    const [r, g, b] = channels.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
  }

  // ------------------------------------------------------------------ elements

  function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
  }

  const button = (text, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, text);
  // Not `disabled`: a button that switches itself off should not lose the focus.
  const rest = (element, off) => element.setAttribute("aria-disabled", String(off));
  const hidden = (text) => h("span", { class: "ttt-hidden" }, text);

  // options: [value, text] or [group, [[value, text], …]]
  function select(label, options, onchange) {
    const make = ([value, text]) => Array.isArray(text)
      ? h("optgroup", { label: value }, ...text.map(make))
      : h("option", { value }, text);
    const choice = h("select", { onchange: () => onchange(choice.value) }, ...options.map(make));
    return { label: h("label", {}, h("span", {}, label), choice), choice };
  }

  function slider(label, attributes, oninput) {
    const value = h("output", {});
    const input = h("input", { type: "range", ...attributes, oninput: () => oninput(Number(input.value)) });
    const line = h("label", { class: "ttt-slider" }, h("span", {}, label), input, value);
    return { line, input, value };
  }

  // The mark as a drawing; what it is stands beside it in hidden words.
  function drawing(mark) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "-50 -50 100 100");
    svg.setAttribute("aria-hidden", "true");
    const shape = document.createElementNS(space, mark === "X" ? "path" : "circle");
    if (mark === "X") shape.setAttribute("d", "M-27-27 27 27M-27 27 27-27");
    else shape.setAttribute("r", "29");
    shape.setAttribute("class", `ttt-${mark}`);
    svg.append(shape);
    return svg;
  }

  // ------------------------------------------------------------------ what is seen

  class Board extends Play {
    build() {
      const { game, setup } = this;
      this.cells = Array.from({ length: game.cells }, (_, cell) => h("button", {
        type: "button", role: "gridcell", class: "ttt-cell", tabindex: cell === 0 ? 0 : -1,
        onclick: () => this.press(cell), onfocus: () => this.reach(cell),
      }));
      const rows = Array.from({ length: game.rows }, (_, r) => h("div", { role: "row", class: "ttt-row" },
        ...this.cells.slice(r * game.columns, (r + 1) * game.columns)));
      this.grid = h("div", { role: "grid", class: "ttt-grid", "aria-label": setup.title ?? "Tic-tac-toe",
        onkeydown: (event) => this.key(event) }, ...rows);
      this.told = h("p", { class: "ttt-status", role: "status" });
      this.words = h("p", { class: "ttt-words", "aria-live": "polite" });
      this.legend = h("div", { class: "ttt-legend" });
      this.score = h("p", { class: "ttt-score" });
      this.numbersChoice = select("Numbers", NUMBERS, (value) => {
        this.settings.overlay = value;
        this.draw();
      });
      this.undoButton = button("Undo", () => this.undo());
      this.next = button("Next move", () => {
        this.say(this.game.over(this.now) ? "The game is over. “New game” starts another." : "");
        this.answer();
      });
      const buttons = h("div", { class: "ttt-buttons" },
        button("New game", () => this.newGame()), this.undoButton,
        button("Hint", () => this.say(this.hint())),
        button("Why?", () => this.say(this.why()), { title: "Why the agent made its last move" }),
        this.next);
      this.root = h("div", { class: `ttt${this.arena ? " ttt-arena" : ""}` },
        h("div", { class: "ttt-who" }, ...this.buildPlayers()),
        h("div", { class: "ttt-main" }, this.grid,
          h("div", { class: "ttt-side" }, this.told, buttons, this.words, this.score,
            h("div", { class: "ttt-numbers" }, this.numbersChoice.label, this.legend))),
        this.arena ? this.buildMatch() : null,
        this.live && setup.learner ? this.buildLearning() : null,
        this.buildMore());
      this.element.replaceChildren(this.root);
    }

    // Who plays: two agents in the arena, an opponent elsewhere.
    buildPlayers() {
      const groups = [["exact", "Computed"], ["own", "On this page"], ["learned", "Learned"],
        ["person", "At the board"]]
        .map(([key, title]) => [title, this.listed.filter((a) => a.group === key)])
        .filter(([, agents]) => agents.length)
        .map(([title, agents]) => [title, agents.map((a) => [a.name, a.label])]);
      const starts = select("First move", [["X", "X"], ["O", "O"], ["lot", "by lot"]], (value) => {
        this.settings.starts = value;
        if (this.state.moves.length === 0 || this.game.over(this.now)) this.newGame();
      });
      this.startsChoice = starts.choice;
      this.tuning = {};
      const tuned = (mark) => {
        const level = slider("Level", { min: 0, max: 1, step: 0.05 }, (value) => {
          this.settings.level[mark] = value;
          this.rescore();
        });
        const frame = slider("", { min: 0, step: 1 }, (value) => this.pickFrame(mark, value));
        this.tuning[mark] = { level, frame };
        return [level.line, frame.line];
      };
      if (this.arena) {
        this.choices = {};
        this.made = {};
        return [...MARKS.flatMap((mark) => {
          const choice = select(`${mark} is played by`, groups, (value) => this.choose(mark, value));
          this.choices[mark] = choice.choice;
          this.made[mark] = h("p", { class: "ttt-made" });
          return [h("div", { class: "ttt-player" }, choice.label, ...tuned(mark), this.made[mark])];
        }), starts.label];
      }
      const opponent = select("Opponent", groups, (value) => this.choose(this.seat, value));
      const seat = select("You are", MARKS.map((mark) => [mark, mark]), (value) => this.exchange(value));
      this.opponentChoice = opponent.choice;
      this.seatChoice = seat.choice;
      return [opponent.label, seat.label, starts.label, ...MARKS.flatMap(tuned)];
    }

    // The mark of the opponent.
    get seat() { return this.isPerson("X") ? "O" : "X"; }

    async pickFrame(mark, frame) {
      this.settings.frame[mark] = frame;
      await this.prepare();
      this.rescore();
    }

    // The same players in another shape: the game goes on, with a new score.
    rescore() {
      this.say("");
      this.noScore();
      this.commit();
      this.draw();
      this.proceed();
    }

    buildMore() {
      this.replay = slider("Move", { min: 0, step: 1 }, (value) => this.lookAt(value));
      const step = (by) => this.lookAt((this.at ?? this.state.moves.length) + by);
      this.text = h("input", { type: "text", class: "ttt-text", spellcheck: "false", autocomplete: "off",
        oninput: () => this.typed(), onfocus: () => this.text.select() });
      this.about = h("p", {});
      this.setUpButton = button("Set up a position", () => this.setUp());
      this.playHere = button("Play from here", () => this.playFrom());
      this.wipe = button("Empty the board", () => { this.editing.fill("."); this.draw(); });
      return h("details", { class: "ttt-more" }, h("summary", {}, "Replay, set up, copy"),
        this.about,
        h("div", { class: "ttt-line" }, button("Back", () => step(-1)), this.replay.line,
          button("Forward", () => step(+1))),
        h("div", { class: "ttt-line" }, h("label", {}, h("span", {}, "Position"), this.text),
          button("Copy", () => this.copy()), this.setUpButton, this.playHere, this.wipe));
    }

    // ---- drawing

    draw() {
      const { game, state } = this, s = this.shown, editing = this.editing;
      const numbers = editing ? null : this.numbers(s);
      const marks = game.marks(s).map((d) => (d === 0 ? null : d === 1 ? state.first : other(state.first)));
      const shown = this.at ?? state.moves.length;
      const last = shown > 0 ? state.moves[shown - 1] : null;
      const won = !editing && this.winner(s);
      const line = won ? game.lines.filter((cells) => cells.every((c) => marks[c] === won)).flat() : [];
      this.cells.forEach((cell, c) => {
        const mark = editing ? { X: "X", O: "O" }[editing[c]] : marks[c];
        const value = numbers?.cells[c] ?? null;
        cell.replaceChildren(...this.inside(c, mark, value, numbers));
        const free = editing || game.pair(s, c) >= 0;
        cell.setAttribute("aria-disabled", String(!free));
        cell.classList.toggle("ttt-won", line.includes(c));
        cell.classList.toggle("ttt-last", !editing && c === last);
        cell.classList.toggle("ttt-explored", !editing && c === last && this.how[shown - 1]?.how === EXPLORED);
        const paint = value !== null && numbers.limits && !mark;
        const tone = paint && colour(Array.isArray(value) ? value[0] - value[2] : value, numbers.limits);
        cell.style.backgroundColor = paint ? `rgb(${tone.join(" ")})` : "";
        cell.style.color = paint ? inkOn(tone) : "";
      });
      this.put(this.told, [this.said, this.fault, this.status()].filter(Boolean).join(" "));
      this.fault = null;
      this.drawLegend(numbers);
      this.drawScore();
      this.drawPlayers();
      this.drawMore(s);
      this.drawMatch();
      this.drawLearning();
    }

    // While an agent is loaded nothing moves.
    drawWaiting() {
      this.put(this.told, this.status());
      this.drawTurns();
    }

    drawTurns() {
      const off = this.busy || this.game.over(this.now);
      for (const each of [this.next, this.playMany, this.playOut]) if (each) rest(each, off);
    }

    // A live region speaks when its text changes, so it is left alone when it does not.
    put(element, text) {
      if (element.textContent !== text) element.textContent = text;
    }

    say(text) { this.words.textContent = text; }

    inside(cell, mark, value, numbers) {
      const name = h("span", { class: "ttt-name", "aria-hidden": "true" }, String(cell));
      if (mark) return [drawing(mark), hidden(`Cell ${cell}: ${mark}`)];
      if (value === null) return [name, hidden(`Cell ${cell}: free`)];
      if (Array.isArray(value)) {
        return [name, hidden(`Cell ${cell}: free,`), h("span", { class: "ttt-three" },
          ...["win", "draw", "loss"].map((word, k) =>
            h("span", {}, h("small", {}, `${word} `), h("b", {}, fixed(value[k])))))];
      }
      const word = numbers.exact ? h("small", {}, { 1: " win", 0: " draw", "-1": " loss" }[value]) : null;
      return [name, hidden(`Cell ${cell}: free,`), h("span", { class: "ttt-number" },
        h("b", {}, numbers.exact ? signed(value) : fixed(value)), word)];
    }

    drawLegend(numbers) {
      const parts = [];
      if (numbers?.sentence) parts.push(h("p", {}, numbers.sentence));
      if (numbers?.limits && numbers.cells.some((v) => v !== null)) {
        const [low, high] = numbers.limits, middle = (low + high) / 2;
        const stops = scaleOf(low, high).map((hex) => `#${hex}`).join(", ");
        const plain = (x) => String(Number(x.toFixed(3))).replace("-", "−");
        parts.push(h("div", { class: "ttt-scale", "aria-hidden": "true" },
          h("div", { style: `background: linear-gradient(to right, ${stops})` }),
          h("div", {}, ...[low, middle, high].map((x) => h("span", {}, plain(x))))));
      }
      this.legend.replaceChildren(...parts);
    }

    drawScore() {
      const [x, draws, o] = this.state.score;
      this.put(this.score, `Score: ${this.label("X")} ${x}, draws ${draws}, ${this.label("O")} ${o}`);
    }

    drawPlayers() {
      const { settings } = this;
      this.startsChoice.value = settings.starts;
      this.numbersChoice.choice.value = settings.overlay;
      if (this.arena) {
        for (const mark of MARKS) {
          this.choices[mark].value = settings.who[mark];
          this.made[mark].textContent = this.entry(settings.who[mark]).made ?? "";
        }
      } else {
        const opponent = this.entry(settings.who[this.seat]);
        this.about.textContent = opponent.made ? `${capital(opponent.label)}: ${opponent.made}` : "";
        this.opponentChoice.value = opponent.name;
        this.seatChoice.value = other(this.seat);
      }
      for (const mark of MARKS) {
        const { level, frame } = this.tuning[mark];
        level.line.hidden = !this.hasLevel(mark);
        level.input.value = settings.level[mark];
        level.value.textContent = this.level(mark).toFixed(2);
        level.line.firstChild.textContent = this.arena ? "Keeps to its policy" : "Perfect moves";
        const frames = this.entry(settings.who[mark])?.frames;
        frame.line.hidden = !frames;
        if (frames) {
          frame.line.firstChild.textContent = this.entry(settings.who[mark]).slider ?? "Trained";
          frame.input.max = frames.length - 1;
          frame.input.value = settings.frame[mark];
          frame.input.setAttribute("aria-valuetext", frames[settings.frame[mark]]);
          frame.value.textContent = frames[settings.frame[mark]];
        }
      }
      this.next.hidden = this.persons !== 0;
      this.drawTurns();
      rest(this.undoButton, this.state.moves.length === 0 || Boolean(this.editing));
    }

    drawMore(s) {
      const length = this.state.moves.length, at = this.at ?? length;
      this.replay.input.max = length;
      this.replay.input.value = at;
      this.replay.input.disabled = length === 0 || Boolean(this.editing);
      this.replay.value.textContent = `${at} of ${length}`;
      if (document.activeElement !== this.text || !this.editing) {
        this.text.value = this.editing ? inRows(this.game, this.editing) : write(this.game, s, this.state.first);
      }
      this.text.readOnly = !this.editing;
      this.setUpButton.textContent = this.editing ? "Cancel" : "Set up a position";
      this.playHere.hidden = this.wipe.hidden = !this.editing;
    }

    // ---- reaching cells by keyboard

    reach(cell) {
      this.cells.forEach((each, c) => each.setAttribute("tabindex", c === cell ? 0 : -1));
    }

    key(event) {
      const { rows, columns, cells } = this.game;
      const cell = this.cells.indexOf(document.activeElement);
      const row = Math.floor(cell / columns), column = cell % columns;
      const goal = {
        ArrowLeft: column > 0 && cell - 1, ArrowRight: column < columns - 1 && cell + 1,
        ArrowUp: row > 0 && cell - columns, ArrowDown: row < rows - 1 && cell + columns,
        Home: event.ctrlKey ? 0 : row * columns, End: event.ctrlKey ? cells - 1 : (row + 1) * columns - 1,
      }[event.key];
      if (goal === undefined) return;
      event.preventDefault();
      event.stopPropagation(); // pages and notebooks have their own use for arrows
      if (goal !== false) this.cells[goal].focus();
    }

    // ---- replay, positions

    lookAt(at) {
      const length = this.state.moves.length;
      if (this.editing || at < 0 || at > length) return;
      this.at = at === length ? null : at;
      this.say("");
      this.draw();
    }

    setUp() {
      clearTimeout(this.timer);
      this.say("");
      this.editing = this.editing ? null : [...write(this.game, this.shown, this.state.first, "")];
      this.draw();
      if (!this.editing) this.proceed();
    }

    cycle(cell) {
      this.editing[cell] = { ".": "X", X: "O", O: "." }[this.editing[cell]];
      this.text.value = inRows(this.game, this.editing);
      this.say(`Cell ${cell}: ${this.editing[cell].replace(".", "free")}.`);
      this.draw();
    }

    typed() { // letters in the field go onto the board as far as they make one
      const plain = [...this.text.value.toUpperCase().replace(/\//g, "").replace(/[ _]/g, ".")];
      if (!this.editing || plain.length !== this.game.cells || plain.some((c) => !"XO.".includes(c))) return;
      this.editing = plain;
      this.draw();
    }

    playFrom() {
      try {
        const { starts } = this.settings;
        const { s, first } = read(this.game, this.text.value, starts === "lot" ? "X" : starts);
        this.editing = null;
        const start = write(this.game, s, first, "");
        this.begin({ game: this.nextGame, first, start, moves: [], score: this.state.score, counted: false });
        this.said = "";
        this.say("");
        this.commit();
        this.draw();
        this.setUpButton.focus(); // the one that was pressed is gone
        this.proceed();
      } catch (fault) {
        this.say(`This position is refused. ${fault.message}`);
      }
    }

    async copy() {
      this.text.select();
      try {
        await navigator.clipboard.writeText(this.text.value);
        this.say("Copied. In a notebook, game.find(\"…\") reads it.");
      } catch {
        this.say("The text is marked: copy it with the keyboard.");
      }
    }

    // ---- a match of two agents

    buildMatch() {
      this.match = h("div", { class: "ttt-match" });
      this.playMany = button("Play 100 games", () => this.playGames(100));
      this.playOut = button("Play to the end", () => { while (this.answer()); });
      return h("div", { class: "ttt-line" }, this.playMany, this.playOut, this.match);
    }

    // Games from the position shown, so that they compare with its exact probabilities.
    playGames(games) {
      const { game } = this, start = this.shown;
      if (this.persons > 0 || this.busy || game.over(start)) return;
      const match = this.matchFrom(start);
      for (let n = 0; n < games; n++) {
        let s = start;
        while (!game.over(s)) s = game.successor[game.pair(s, this.drawMove(s, this.mover(s)).cell)];
        const winner = this.winner(s), end = winner === "X" ? 0 : winner === "O" ? 2 : 1;
        this.state.score[end] += 1;
        match[end] += 1;
      }
      this.commit();
      this.draw();
    }

    // The exact chances of these two players, and their matches: start → [X, draws, O].
    get pairing() {
      const { who, level, frame } = this.settings, { first } = this.state;
      const key = JSON.stringify([first, who, level, frame, this.learning.told]);
      if (this.paired?.key !== key) {
        const policies = MARKS.map((mark) => this.policy(mark));
        const table = chances(this.game, ...(first === "X" ? policies : policies.reverse()));
        this.paired = { key, table, matches: {} };
      }
      return this.paired;
    }

    matchFrom(s) { return (this.pairing.matches[s] ??= [0, 0, 0]); }

    drawMatch() {
      if (!this.match) return;
      this.playMany.hidden = this.playOut.hidden = this.persons !== 0;
      if (this.persons !== 0 || this.busy) return this.match.replaceChildren();
      const { first } = this.state, s = this.shown, games = this.matchFrom(s);
      const exact = this.seenBy(first === "X" ? 1 : -1, this.pairing.table, s);
      const all = games[0] + games[1] + games[2];
      const row = (name, k) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, String(games[k])),
        h("td", {}, all ? fixed(games[k] / all) : "–"), h("td", {}, fixed(exact[k])));
      this.match.replaceChildren(h("table", {},
        h("caption", {}, `Games from the position shown, and its exact probabilities, ${first} having moved first`),
        h("tr", {}, h("td"), ...["games", "share", "exact"].map((t) => h("th", { scope: "col" }, t))),
        row("X wins", 0), row("draw", 1), row("O wins", 2)));
    }

    // ---- live: Python listens, and may teach the agent

    listen() {
      const { model } = this;
      const stop = [];
      const on = (name, handler) => { model.on(name, handler); stop.push(() => model.off(name, handler)); };
      if (!this.live) return;
      on("change:_state", () => {
        const given = model.get("_state");
        if (JSON.stringify(given) === this.sent || JSON.stringify(given) === JSON.stringify(this.state)) return;
        if (!this.adopt(given)) return this.say("Python sent a position that makes no sense; the board stays as it was.");
        this.sent = null;
        this.editing = null;
        this.draw();
        this.proceed();
      });
      on("msg:custom", (message) => this.hear(message));
      on("comm_live_update", () => {
        this.dead = true;
        this.learning.progress = null;
        this.draw();
        this.say("The kernel is gone. The board goes on with the tables it has; run the cell again to connect it.");
      });
      this.stop = () => { clearTimeout(this.timer); stop.forEach((each) => each()); };
    }

    async hear(message) {
      if (message.agent) {
        registry.agents[message.agent] = message.table;
        registry.waiting[message.agent]?.(message.table);
      }
      if (message.fault) {
        this.learning.progress = null;
        this.say(message.fault);
        this.drawLearning();
      }
      if (message.progress) {
        this.learning.progress = message.progress;
        this.drawLearning();
      }
      if (message.learnt) { // the new table has come before, with the settings
        this.learning = { progress: null, rows: message.rows, told: message.learnt };
        this.setup = this.model.get("_setup");
        await this.prepare();
        this.draw();
      }
    }

    buildLearning() {
      const send = (what) => {
        if (this.dead) return this.say("The kernel is gone: nothing can be learnt. Run the cell again.");
        if (this.learning.progress !== null && !what.stop) return this.say("It is training already.");
        if (what.train) {
          this.learning.progress = 0;
          this.drawLearning();
        }
        this.model.send(what);
      };
      const played = () => MARKS.filter((mark) => this.settings.who[mark] === this.setup.learner);
      this.learnGame = button("Learn from this game", () => send({ learn: played() }));
      const counts = [1, 100, 10000, 1000000, 10000000];
      const name = (n) => `${n.toLocaleString("en")} game${n > 1 ? "s" : ""}`;
      this.games = select("Train for", counts.map((n) => [n, name(n)]), () => {});
      this.games.choice.value = "10000";
      const whom = [["self", "itself"], ["random", "random"], ["perfect", "perfect"]];
      this.against = select("against", whom, () => {});
      this.train = button("Train", () =>
        send({ train: Number(this.games.choice.value), against: this.against.choice.value }));
      this.stopTraining = button("Stop", () => send({ stop: true }));
      this.progress = h("progress", { max: 1, value: 0, "aria-label": "Training" });
      this.learnt = h("div", { class: "ttt-learnt", role: "status" });
      return h("div", { class: "ttt-learning" },
        h("div", { class: "ttt-line" }, this.learnGame, this.games.label, this.against.label,
          this.train, this.stopTraining, this.progress),
        this.learnt);
    }

    drawLearning() {
      if (!this.learnt) return;
      const { progress, rows, told } = this.learning;
      const training = progress !== null;
      rest(this.learnGame, training || !this.game.over(this.now) || this.state.moves.length === 0);
      rest(this.train, training);
      this.stopTraining.hidden = this.progress.hidden = !training;
      this.progress.value = progress ?? 0;
      const heads = ["move", "cell", "old", "target", "target − old", "new"];
      const row = ([ply, cell, ...n]) => [ply, cell, ...n.map(fixed)].map((x) => h("td", {}, String(x)));
      const table = rows && h("table", {},
        h("caption", {}, "What it learnt from the game, in the order of the moves: new = old + step size × (target − old)"),
        h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text))),
        ...rows.map((numbers) => h("tr", {}, ...row(numbers))));
      this.learnt.replaceChildren(h("p", {}, told), ...(table ? [table] : []));
    }
  }

  // ------------------------------------------------------------------ mounting

  // Called by the scripts of tables and of agents. With the tables, boards can start.
  function tables(packed) {
    registry.packed = packed;
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", mountAll);
    else mountAll();
  }
  function register(name, packed) { registry.agents[name] = packed; }

  // What stands in for the widget model on a page without Python.
  function standIn(setup) {
    const state = { _setup: setup, _state: setup.state };
    return { get: (name) => state[name], set: (name, value) => { state[name] = value; },
      on() {}, off() {}, save_changes() {} };
  }

  function mount(element) {
    element.dataset.mounted = "";
    let setup = {}, trouble = null;
    try {
      const read = JSON.parse(element.dataset.tttBoard);
      if (read?.constructor !== Object) throw Error("no settings");
      setup = read;
    } catch {
      trouble = "The settings of this board cannot be read, so it has its usual ones.";
    }
    const board = new Board(standIn(setup), element);
    element.tttBoard = board; // for tests, and for the curious
    board.start().then(() => trouble && board.say(trouble), (fault) => {
      element.replaceChildren(h("p", {}, `This board cannot play here: ${fault.message}`));
    });
  }

  function mountAll() {
    document.querySelectorAll("[data-ttt-board]:not([data-mounted])").forEach(mount);
  }

  // Called by anywidget.
  async function render({ model, el }) {
    // The notebook leaves keys alone that are pressed in here.
    const element = h("div", { "data-ttt-live": true, "data-lm-suppress-shortcuts": "true" });
    el.append(element);
    const live = { live: true, get: (name) => model.get(name), set: (name, value) => model.set(name, value),
      on: (name, handler) => model.on(name, handler), off: (name, handler) => model.off(name, handler),
      save_changes: () => model.save_changes(), send: (content) => model.send(content) };
    const board = new Board(live, element);
    element.tttBoard = board;
    await board.start();
    return () => board.stop?.();
  }

  return { tables, register, render };
})();
