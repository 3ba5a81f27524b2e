// The view of a board: it draws the state of a Play and handles input.

ttt.view = (() => {
  "use strict";

  const { fixed } = ttt.format;
  const { MARKS, other, terminal, pair, signs, string } = ttt.game;
  const { OVERLAYS, numbers, outlook } = ttt.overlays;
  const { KEYS, status, outlookText, hint, why } = ttt.messages;
  const { PERSON, opening } = ttt.agents;
  const { EXPLORED, ENDS } = ttt.play;
  const { h, button, rest, pressByKey, put, select, slider } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Match } = ttt.match;
  const scripts = ttt; // in a notebook each board has its own copy of `ttt`

  class View {
    // `learning`: the panel of a live agent that can learn, if there is one.
    // eslint-disable-next-line max-lines-per-function -- one list of all elements, in their order
    constructor(play, element, learning) {
      this.play = play;
      this.learning = learning;
      const { game, setup, arena } = play;
      this.grid = new Grid(game, setup.title ?? "Tic-tac-toe", (cell) => this.press(cell));
      this.bar = h(
        "div",
        { class: "ttt-bar", "aria-hidden": "true" },
        ...ENDS.map((end) => h("div", { class: `ttt-bar-${end}` }))
      );
      this.outlook = h("p", { class: "ttt-outlook" });
      this.last = h("span", { class: "ttt-came" });
      this.state = h("strong", { class: "ttt-stands" });
      this.status = h("p", { class: "ttt-status", role: "status" }, this.last, " ", this.state);
      // Always present, because a live region that is added with its text is often not read.
      this.message = h("p", { class: "ttt-words", role: "status" });
      this.legend = h("div", { class: "ttt-legend" });
      this.score = h("p", { class: "ttt-score" });
      this.numbers = select(
        "Numbers",
        Object.entries(OVERLAYS).map(([name, { label }]) => [name, label]),
        (name) => play.showNumbers(name)
      );
      this.undo = button("Undo", () => play.undo());
      this.next = button("Next move", () => play.next());
      this.hint = button("Hint", () => this.say(hint(play)));
      this.why = button("Why?", () => this.say(why(play)), {
        title: "Why the agent made its last move, and what you gave away"
      });
      this.help = button("?", () => this.say(KEYS), { "aria-label": "Keys", title: "Keys" });
      this.newGame = button("New game", () => play.newGame());
      const buttons = h(
        "div",
        { class: "ttt-buttons" },
        this.newGame,
        this.undo,
        this.hint,
        this.why,
        this.help,
        this.next
      );
      // `arena.js` is loaded only if `arena` was set; otherwise two agents just play a match.
      this.cards = setup.arena ? new scripts.arena.Cards(play) : null;
      this.root = h(
        "div",
        { class: `ttt${arena ? " ttt-arena" : ""}`, onkeydown: (event) => this.key(event) },
        h("div", { class: "ttt-who" }, ...this.buildPlayers()),
        h(
          "div",
          { class: "ttt-main" },
          h("div", { class: "ttt-place" }, this.bar, this.grid.element, this.outlook),
          h(
            "div",
            { class: "ttt-side" },
            this.status,
            buttons,
            this.message,
            this.score,
            this.numbers.label
          ),
          this.legend
        ),
        arena ? this.buildMatch() : null,
        this.cards?.element,
        learning?.element,
        this.buildMore()
      );
      element.replaceChildren(this.root);
    }

    // The selects for the players: both sides in the arena, else the opponent.
    buildPlayers() {
      const { play } = this;
      const groups = [
        ["exact", "Computed"],
        ["own", "On this page"],
        ["learned", "Learned"],
        ["person", "At the board"]
      ]
        .map(([key, title]) => [title, play.offered.filter((a) => a.group === key)])
        .filter(([, agents]) => agents.length)
        .map(([title, agents]) => [title, agents.map((a) => [a.name, a.label])]);
      const starts = select(
        "First move",
        [
          ["X", "X"],
          ["O", "O"],
          ["lot", "at random"]
        ],
        (value) => play.begins(value)
      );
      this.starts = starts;
      this.tuning = {};
      for (const mark of MARKS) {
        const level = slider("Level", { min: 0, max: 1, step: 0.05 }, (value) =>
          play.setLevel(mark, value)
        );
        const frame = slider("", { min: 0, step: 1 }, (value) => play.setFrame(mark, value));
        this.tuning[mark] = { level, frame };
      }
      if (play.arena) {
        this.choices = {};
        return MARKS.map((mark) => {
          const { label, choice } = select(`${mark} is played by`, groups, (who) =>
            play.choose(mark, who)
          );
          this.choices[mark] = choice;
          return h("div", { class: "ttt-player" }, label, this.tuning[mark].frame.line);
        });
      }
      const opponent = select("Opponent", groups, (who) => play.choose(this.seat, who));
      const you = select(
        "You are",
        MARKS.map((mark) => [mark, mark]),
        (mark) => play.exchange(mark)
      );
      this.opponent = opponent.choice;
      this.you = you.choice;
      const sliders = MARKS.flatMap((mark) => Object.values(this.tuning[mark]));
      return [opponent.label, you.label, starts.label, ...sliders.map(({ line }) => line)];
    }

    // The mark of the opponent.
    get seat() {
      return this.play.asked.X.who === PERSON ? "O" : "X";
    }

    buildMatch() {
      const { play } = this;
      this.match = new Match(play);
      const still = matchMedia("(prefers-reduced-motion: reduce)");
      this.playMany = button("Play 100 games", () => play.playMatch(still.matches));
      this.playOut = button("Play to the end", () => {
        while (play.answer());
      });
      return h("div", { class: "ttt-line" }, this.playMany, this.playOut, this.match.element);
    }

    buildMore() {
      const { play } = this;
      this.replay = slider("Move", { min: 0, step: 1 }, (at) => play.lookAt(at));
      const step = (by) => play.lookAt((play.at ?? play.moves.length) + by);
      this.text = h("input", {
        type: "text",
        class: "ttt-text",
        spellcheck: "false",
        autocomplete: "off",
        oninput: () => play.typed(this.text.value),
        onfocus: () => this.text.select()
      });
      this.about = h("p", {});
      this.setUp = button("Set up a position", () => play.setUp());
      this.playHere = button("Play from here", () => {
        if (play.playFrom(this.text.value)) this.setUp.focus(); // the pressed button is hidden now
      });
      this.wipe = button("Empty the board", () => play.edit(Array(play.game.cells).fill(".")));
      return h(
        "details",
        { class: "ttt-more" },
        h(
          "summary",
          {},
          play.arena ? "First move, slips, replay, set up, copy" : "Replay, set up, copy"
        ),
        play.arena
          ? h(
              "div",
              { class: "ttt-line" },
              this.starts.label,
              ...MARKS.map((mark) => this.tuning[mark].level.line)
            )
          : null,
        this.about,
        h(
          "div",
          { class: "ttt-line" },
          button("Back", () => step(-1)),
          this.replay.line,
          button("Forward", () => step(+1))
        ),
        h(
          "div",
          { class: "ttt-line" },
          h("label", {}, h("span", {}, "Position"), this.text),
          button("Copy", () => this.copy()),
          this.setUp,
          this.playHere,
          this.wipe
        )
      );
    }

    // ---- drawing the state

    draw() {
      const { play } = this,
        { game, shown: s, editing } = play;
      const seen = editing ? null : numbers(play, s, play.numbers);
      const marks = (editing ?? signs(game, s, play.state.first)).map((sign) =>
        sign === "." ? null : sign
      );
      const moves = play.at ?? play.moves.length;
      const last = moves > 0 ? play.moves[moves - 1] : null;
      const won = !editing && play.winner(s);
      const lines = won ? game.lines.filter((cells) => cells.every((c) => marks[c] === won)) : [];
      const person = !editing && !play.busy && play.isPerson(play.mover(s)) && play.at === null;
      const colours = this.grid.draw({
        marks,
        lines,
        ring: !seen?.chosen,
        last: editing ? null : last,
        values: seen?.cells,
        exact: seen?.exact,
        limits: seen?.limits,
        mark: editing ? null : play.mover(s),
        taken: (c) => !editing && pair(game, s, c) < 0,
        explored: play.how[moves - 1]?.how === EXPLORED,
        ghost: person ? play.mover(s) : ""
      });
      this.drawOutlook(editing || play.busy ? null : outlook(play, s), terminal(game, s));
      this.newGame.classList.toggle("ttt-first", terminal(game, play.now) && !editing);
      this.drawStatus();
      this.drawLegend(seen, colours);
      put(
        this.score,
        `Score: ${play.label("X")} ${play.score.X}, draws ${play.score.draw}, ` +
          `${play.label("O")} ${play.score.O}`
      );
      this.drawPlayers();
      this.drawMore(s);
      if (this.match) this.drawMatch();
      this.cards?.draw();
      this.learning?.draw();
    }

    drawOutlook(seen, over) {
      this.bar.classList.toggle("ttt-empty", !seen);
      put(this.outlook, seen && !over ? outlookText(seen) : "");
      ENDS.forEach((end, k) => {
        this.bar.children[k].style.flexGrow = seen ? seen.ends[k].toFixed(4) : 0;
      });
    }

    // An agent is being loaded.
    wait() {
      this.drawStatus();
    }

    say(text) {
      this.message.textContent = text;
    }

    drawStatus() {
      const { play } = this,
        off = play.busy || terminal(play.game, play.now);
      const { state, last } = status(play);
      // A move and its reply are announced together.
      this.status.setAttribute("aria-busy", String(play.answering));
      if (!play.answering) {
        const untaught = play.busy || play.moves.length > 1 ? [] : play.untaught;
        put(this.last, [play.remark, play.fault, ...untaught, last].filter(Boolean).join(" "));
        put(this.state, state);
        if (!play.busy) play.fault = null;
      }
      for (const each of [this.next, this.playMany, this.playOut]) if (each) rest(each, off);
    }

    drawLegend(seen, colours) {
      const parts = [];
      if (seen?.sentence) parts.push(h("p", {}, seen.sentence));
      if (colours) {
        const { low, high, stretched, tone } = colours,
          steps = Array.from({ length: 11 }, (_, n) => low + (n / 10) * (high - low));
        const plain = (x) => fixed(x).replace(/\.?0+$/, "");
        parts.push(
          h(
            "div",
            { class: "ttt-scale", "aria-hidden": "true" },
            h(
              "div",
              {},
              ...steps.map((x) => {
                const { mark, share } = tone(x);
                return h("span", {
                  class: `ttt-for-${mark}`,
                  style: `--ttt-share: ${share.toFixed(4)}`
                });
              })
            ),
            h(
              "div",
              {},
              ...[
                plain(low),
                stretched ? "from the smallest to the largest" : plain(steps[5]),
                plain(high)
              ].map((text) => h("span", {}, text))
            )
          )
        );
      }
      this.legend.replaceChildren(...parts);
    }

    drawPlayers() {
      const { play } = this;
      this.starts.choice.value = play.starts;
      this.numbers.choice.value = play.numbers;
      const show = (choice, { name, label }) => {
        if (![...choice.options].some(({ value }) => value === name))
          choice.append(h("option", { value: name }, label));
        choice.value = name;
      };
      if (play.arena) {
        for (const mark of MARKS) {
          show(this.choices[mark], play.entryOf(play.asked[mark]));
        }
      } else {
        show(this.opponent, play.entryOf(play.asked[this.seat]));
        this.you.value = other(this.seat);
      }
      const agents = new Set(
        MARKS.map((mark) => play.entryOf(play.asked[mark])).filter(({ name }) => name !== PERSON)
      );
      put(
        this.about,
        [...agents].map((entry) => (entry.made ? `${opening(entry)}: ${entry.made}` : "")).join(" ")
      );
      for (const mark of MARKS) this.drawTuning(this.tuning[mark], mark);
      this.next.hidden = play.persons !== 0;
      rest(this.undo, play.moves.length === 0 || Boolean(play.editing));
    }

    drawTuning({ level, frame }, mark) {
      const { play } = this,
        seat = play.asked[mark],
        entry = play.entryOf(seat);
      level.line.hidden = !play.hasLevel(seat);
      level.input.value = seat.level;
      level.value.textContent = play.level(seat).toFixed(2);
      level.line.firstChild.textContent = play.arena
        ? `${mark} keeps to its policy`
        : "Perfect moves";
      frame.line.hidden = !entry.frames;
      if (!entry.frames) return;
      const shown = entry.frames[seat.frame];
      frame.line.firstChild.textContent = entry.slider ?? "Trained";
      frame.input.max = entry.frames.length - 1;
      frame.input.value = seat.frame;
      frame.input.setAttribute("aria-valuetext", shown);
      frame.value.textContent = shown;
    }

    drawMore(s) {
      const { play } = this,
        { editing } = play,
        length = play.moves.length,
        at = play.at ?? length;
      this.replay.input.max = length;
      this.replay.input.value = at;
      this.replay.input.disabled = length === 0 || Boolean(editing);
      this.replay.value.textContent = `${at} of ${length}`;
      if (document.activeElement !== this.text || !editing) {
        this.text.value = editing ? string(play.game, editing) : play.text(s);
      }
      this.text.readOnly = !editing;
      this.setUp.textContent = editing ? "Cancel" : "Set up a position";
      this.playHere.hidden = this.wipe.hidden = !editing;
    }

    drawMatch() {
      const { play } = this,
        seen = play.persons === 0;
      this.playMany.hidden = this.playOut.hidden = !seen;
      this.match.draw();
      const begin = this.match.left ? "Go on" : "Play 100 games";
      put(this.playMany, play.running ? "Pause" : begin);
    }

    // ---- input: cells, keys, copying

    press(cell) {
      this.play.press(cell);
      if (this.play.editing) this.text.value = string(this.play.game, this.play.editing);
    }

    // Keyboard shortcuts of buttons, except in text fields.
    key(event) {
      pressByKey(event, {
        n: this.newGame,
        u: this.undo,
        h: this.hint,
        w: this.why,
        "?": this.help,
        ...this.grid.cells // keys 0 to 8
      });
    }

    async copy() {
      this.text.select();
      try {
        await navigator.clipboard.writeText(this.text.value);
        this.say('Copied. In a notebook, game.find("…") reads it.');
      } catch {
        this.say("The text is selected: copy it with the keyboard.");
      }
    }
  }

  return { View };
})();
