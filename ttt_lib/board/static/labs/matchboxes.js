// The lab of MENACE: it plays against the reader, or trains against other players; its boxes
// and beads are shown.
//
// The mark is its history, in order: "random:20,me:4081263" is 20 games against random play
// and one against the reader, with all moves as cells. The last game against the reader may
// be unfinished. Training uses one random number generator, and each game against the reader
// one of its own, so that a discarded game leaves no trace.

(() => {
  "use strict";

  const { capital, fixed, list, cellsNamed, count, many } = ttt.format;
  const { terminal, pair, positions, signs } = ttt.game;
  const { newMatchboxes, isEmpty, winDrawLoss, newRecord, train, learnGame, drawBead } = ttt.menace;
  const { mt19937, MAX_SEED } = ttt.mt19937;
  const { h, button } = ttt.elements;
  const { Grid } = ttt.grid;
  const { Chart, LINEAR, rounded, columnHeads, tableRow } = ttt.chart;
  const { picture } = ttt.matchboxDrawing;
  const read = ttt.parsing;

  const MAX_GAMES = 100_000; // games of training
  const ENOUGH = 20; // games of training after which it is judged
  const SLICE = 100; // games between two checks of the clock
  const ME = "me",
    NEW = "new";
  const OPPONENTS = [
    ["random", "random play"],
    ["perfect", "perfect play"],
    ["perfect lowest", "perfect play, lowest cell"],
    ["teacher 0.5", "half perfect, half random"],
    ["self", "another MENACE"]
  ];
  const labelOf = (who) => OPPONENTS.find(([name]) => name === who)[1];

  // ---- settings

  // `few` to `most` whole numbers.
  const wholes = (what, low, high, few, most) => (text) => {
    const parts = text.split(",");
    if (parts.length < few || parts.length > most) {
      const right = few < most ? `${few} to ${most}` : most;
      throw Error(`“${text}”: give ${right} whole numbers with commas between them.`);
    }
    return parts.map(read.whole(what, low, high)).join(", ");
  };

  const SETTINGS = {
    opponent: { label: "It learns from", options: OPPONENTS, view: true },
    step: {
      label: "Games in a step",
      view: true,
      options: [
        ["1", "1"],
        ["20", "20"],
        ["1000", "1,000"]
      ]
    },
    beads: {
      label: "Beads at first",
      read: wholes("beads", 1, 1000, 1, 4),
      says: "Of each kind, in the boxes of the first, second, third and fourth move"
    },
    reinforcement: {
      label: "Beads for win, draw, loss",
      read: wholes("a reinforcement", -1000, 1000, 3, 3)
    },
    seed: { label: "Seed", read: read.whole("a seed", 0, MAX_SEED) }
  };

  // ---- the run

  const write = (parts) => parts.map(({ who, what }) => `${who}:${what}`).join(",") || NEW;

  function partsOf(mark) {
    return mark === NEW
      ? []
      : mark.split(",").map((part) => {
          const [who, what] = part.split(":");
          return { who, what: who === ME ? what : Number(what) };
        });
  }

  // The games between points of the curve: 1, later 10, 100, …
  const grain = (games) => 10 ** Math.max(0, String(games).length - 2);

  class Run {
    constructor(lab, texts, policies) {
      const numbers = (text) => text.split(", ").map(Number);
      this.lab = lab;
      this.game = lab.game;
      this.policies = policies;
      this.seed = Number(texts.seed);
      this.first = NEW;
      this.boxes = newMatchboxes(
        lab.game,
        mt19937(this.seed),
        numbers(texts.beads),
        numbers(texts.reinforcement)
      );
      this.parts = []; // the history
      this.moves = null; // of the unfinished game against the reader, or null
      this.record = newRecord(lab.game); // of the last game
      this.curve = [this.firstBox()];
      /** @type {number[] | undefined} */
      this.listed = undefined;
    }

    get games() {
      return this.boxes.games;
    }
    get trained() {
      return this.parts.reduce((sum, { who, what }) => sum + (who === ME ? 0 : what), 0);
    }
    get mark() {
      return write(this.moves ? this.with(ME, this.moves.join("")) : this.parts);
    }
    get isFirstEmpty() {
      return isEmpty(this.game, this.boxes, 0);
    }
    get end() {
      return this.isFirstEmpty || this.trained >= MAX_GAMES;
    }
    get next() {
      return this.after(Number(this.lab.texts.step));
    }

    // Run takes larger steps each time.
    goal() {
      return this.after(Math.ceil((this.trained + 1) / 10));
    }

    with(who, what) {
      return [...this.parts, { who, what }];
    }

    // The mark after more games of training.
    after(games) {
      const who = this.lab.texts.opponent,
        n = Math.min(games, MAX_GAMES - this.trained),
        last = this.parts.at(-1);
      return write(
        last?.who === who
          ? [...this.parts.slice(0, -1), { who, what: last.what + n }]
          : this.with(who, n)
      );
    }

    // The marks after the start of a game, and after a move of the reader.
    get begun() {
      return write(this.with(ME, ""));
    }
    answered(cell) {
      return write(this.with(ME, `${this.moves.join("")}${cell}`));
    }

    readMark(text) {
      let trained = 0;
      const wrong = (why) => {
        throw Error(`at=${text}: ${why}.`);
      };
      for (const { who, what } of partsOf(text)) {
        if (who === ME) {
          if (!/^\d*$/.test(what)) wrong("a game is given by its cells, as in me:4081263");
          positions(this.game, 0, [...what].map(Number));
        } else {
          if (!Object.hasOwn(this.policies, who))
            wrong(`give ${NEW}, or parts such as random:20 and me:4081263`);
          if (!(Number.isInteger(what) && what > 0)) wrong("give a number of games from 1 up");
          trained += what;
        }
      }
      if (trained > MAX_GAMES) wrong(`a page trains ${count(MAX_GAMES)} games at most`);
      return text;
    }

    // Run on to a mark that begins like the current one, except for an unfinished game.
    work(mark, ms) {
      const goal = partsOf(mark),
        until = performance.now() + ms;
      this.moves = null;
      while (performance.now() < until) {
        const k = this.parts.length,
          part = this.parts[k - 1];
        if (part && part.who !== ME && part.what < goal[k - 1].what) {
          this.train(part, Math.min(goal[k - 1].what - part.what, SLICE));
        } else if (k === goal.length) return true;
        else if (goal[k].who !== ME)
          this.parts.push({ who: goal[k].who, what: 0, tally: [0, 0, 0] });
        else {
          this.playReader([...goal[k].what].map(Number));
          if (!this.moves) continue;
          if (k + 1 < goal.length) throw Error(`The game me:${goal[k].what} is not finished.`);
          return true;
        }
      }
      return false;
    }

    train(part, games) {
      for (; games > 0; games--) {
        train(this.game, this.boxes, 1, this.policies[part.who], 1, this.record);
        part.what += 1;
        part.tally[1 - this.record.winner] += 1;
        this.note();
      }
    }

    // A game against the reader: add MENACE's reply, and learn if the game is over.
    playReader(moves) {
      const { game, boxes } = this;
      let s = positions(game, 0, moves).at(-1);
      if (game.toMove[s] === 1 && !terminal(game, s) && !isEmpty(game, boxes, s)) {
        const i = drawBead(game, { ...boxes, rng: this.gameRng(moves.length) }, s);
        moves.push(game.action[i]);
        s = game.successor[i];
      }
      if (terminal(game, s) || game.toMove[s] === 1) {
        this.record = learnGame(game, boxes, moves);
        this.parts.push({ who: ME, what: moves.join("") });
        this.note();
      } else this.moves = moves;
    }

    // The generator of the current game, after `plies` moves.
    gameRng(plies) {
      const rng = mt19937((this.seed + this.games) % (MAX_SEED + 1));
      for (let t = 0; t < plies; t += 2) rng.random();
      return rng;
    }

    note() {
      if (this.games % grain(this.games) === 0) this.curve.push(this.firstBox());
    }

    // ---- boxes

    // The first player's boxes, as positions in the library's order.
    get list() {
      const {
        game: { size, first, toMove },
        boxes: { box }
      } = this;
      return (this.listed ??= Array.from({ length: size }, (_, s) => s).filter(
        (s) => box[s] === s && toMove[s] === 1 && first[s + 1] - first[s] > 1
      ));
    }

    name(b) {
      return `box ${this.list.indexOf(b) + 1}`;
    }

    // The beads of a box by cell, null for cells without their own kind.
    inside(b) {
      const {
          game: { first, action, cells },
          boxes: { kind, beads }
        } = this,
        counts = Array(cells).fill(null);
      for (let i = first[b]; i < first[b + 1]; i++) if (kind[i] === i) counts[action[i]] = beads[i];
      return counts;
    }

    firstBox() {
      return { games: this.games, beads: this.inside(0) };
    }

    // The content of a box, for `picture`.
    shown(b) {
      return { marks: signs(this.game, b, "X"), beads: this.inside(b) };
    }

    // MENACE's last move in the game against the reader, and the box it was drawn from.
    get drawn() {
      const { game, boxes, moves } = this,
        path = positions(game, 0, moves),
        s = path.at(-2);
      const i = pair(game, s, moves.at(-1)),
        b = boxes.box[s],
        beads = this.inside(b);
      const alike = [];
      for (let j = game.first[s]; j < game.first[s + 1]; j++)
        if (boxes.kind[j] === boxes.kind[i]) alike.push(game.action[j]);
      const cell = game.action[boxes.kind[i]];
      return { b, cell, taken: moves.at(-1), alike, n: beads[cell], all: sum(beads) };
    }

    // The position on the board.
    get lookedAt() {
      if (this.moves) return positions(this.game, 0, this.moves).at(-1);
      return this.parts.length ? this.record.position[this.record.plies] : 0;
    }

    // ---- descriptions

    description() {
      if (this.moves) return this.ofDrawn();
      if (!this.parts.length) {
        return `MENACE plays X and begins. Its first box holds ${this.contents(0)}. Let it begin and answer with O, or let it learn from others.`;
      }
      return `${this.ofTraining()}${this.ofResult()} ${this.ofChanges().join(" ")}`;
    }

    // The content of a box, as a text.
    contents(b) {
      const beads = this.inside(b),
        held = [...beads.keys()].filter((c) => beads[c] > 0);
      return held.length
        ? list(held.map((c) => `${many(beads[c], "bead")} of cell ${c}`))
        : "nothing";
    }

    ofDrawn() {
      const { b, cell, taken, alike, n, all } = this.drawn;
      let where = "";
      if (alike.length > 1)
        where = ` On your board it stands for ${cellsNamed(alike)}, which are equivalent; MENACE took cell ${taken}.`;
      else if (cell !== taken)
        where = ` The box shows your board turned or mirrored: on your board this is cell ${taken}.`;
      return `MENACE shook ${this.name(b)} and drew a bead of cell ${cell}: ${count(n)} of the ${many(all, "bead")} there are of this kind.${where} Your move.`;
    }

    ofTraining() {
      const { who, what, tally } = this.parts.at(-1);
      if (who === ME) return "";
      const [won, drawn, lost] = tally.map(count);
      return `${many(what, "game")} against ${labelOf(who)}: MENACE won ${won}, drew ${drawn} and lost ${lost}. The last one: `;
    }

    ofResult() {
      const {
          boxes: { reinforcement },
          record: { winner, resigned }
        } = this,
        gain = reinforcement[1 - winner];
      let what = ["MENACE wins.", "The game is a draw.", "MENACE loses."][1 - winner];
      if (resigned) what = "The box that MENACE needs is empty, so it resigns and has lost.";
      if (this.isFirstEmpty)
        return "MENACE has lost, and its first box is empty: it resigns from now on.";
      let each = gain < 0 ? "is kept out" : "goes back";
      if (gain > 0) each += ` with ${count(gain)} more of its kind`;
      if (gain < -1) each += `, with up to ${count(-gain - 1)} more of its kind`;
      return `${what} Each bead that it drew ${each}.`;
    }

    // MENACE's boxes that changed: [{b, kind, before, after}].
    get changes() {
      const {
        record: { changes, plies, position }
      } = this;
      return changes
        .slice(0, plies)
        .map((change, t) => change && { ...change, b: change.box, t, s: position[t] })
        .filter((change) => change && this.game.toMove[change.s] === 1);
    }

    ofChanges() {
      return this.changes.map(
        ({ b, kind, before, after }) =>
          `In ${this.name(b)}, cell ${kind}: ${count(before)} → ${count(after)}.`
      );
    }

    // What it has learned, once it has played some games.
    answer() {
      const { games, trained, isFirstEmpty } = this,
        teachers = [...new Set(this.parts.map(({ who }) => who))]
          .filter((who) => who !== ME)
          .map(labelOf);
      if (isFirstEmpty) {
        const by = teachers.length ? `, by ${list(teachers)}` : "";
        return `Killed${by}: after ${many(games, "game")} its first box is empty.`;
      }
      if (this.moves || trained < ENOUGH) return "";
      const [random, perfect] = this.scores();
      return `Taught by ${list(teachers)}, after ${many(games, "game")}: it loses ${fixed(perfect[2])} of its games against perfect play, and ${fixed(random[2])} against random play.`;
    }

    // Exact probabilities of win, draw and loss against random and perfect play.
    scores() {
      return ["random", "perfect"].map((who) =>
        winDrawLoss(this.game, this.boxes, this.policies[who])
      );
    }

    python() {
      const { texts } = this.lab;
      const lines = this.parts.map(({ who, what }) =>
        who === ME
          ? `boxes, _ = menace.learn_game(game, boxes, [${[...what].join(", ")}])`
          : `boxes = menace.train(game, boxes, ${what}, agents.opponent(game, "${who}"))`
      );
      const tuple = (text) => (text.includes(",") ? `(${text})` : `(${text},)`);
      return ttt.lab.pythonCell(
        `rng = experiments.mt19937(${texts.seed})  # the random numbers of the page`,
        "boxes = menace.new_matchboxes(",
        `    game, rng, beads=${tuple(texts.beads)}, reinforcement=${tuple(texts.reinforcement)}`,
        ")._replace(rng=rng)",
        ...lines,
        'opponents = [agents.opponent(game, who) for who in ("random", "perfect")]',
        "boxes, [menace.win_draw_loss(game, boxes, opponent) for opponent in opponents]"
      );
    }
  }

  const sum = (numbers) => numbers.reduce((all, n) => all + (n ?? 0), 0);

  // ---- view

  class View {
    constructor(lab) {
      this.lab = lab;
      const { game } = lab;
      this.grid = new Grid(game, "The game: you are O", (cell) => this.press(cell));
      this.grid.element.classList.add("ttt-lab-board");
      this.caption = h("p", { class: "ttt-outlook" });
      this.begin = button("Let it begin", () => this.go(this.run.begun));
      this.card = h("div", { class: "ttt-card" });
      this.chart = new Chart("games", LINEAR);
      this.chart.about.textContent = "Beads in the first box";
      this.table = h("table", { class: "ttt-scores" });
      this.wall = new Wall(this);
      this.says = h("p", { class: "ttt-says" });
      this.element = h(
        "div",
        { class: "ttt-split ttt-menace" },
        h(
          "div",
          { class: "ttt-place" },
          this.grid.element,
          h("div", { class: "ttt-line" }, this.begin, this.caption)
        ),
        this.says,
        this.card,
        this.chart.element,
        this.table
      );
      this.below = [this.wall.element];
      this.actions = [button("Print the boxes", () => this.print())]; // inside the fold
    }

    get run() {
      return this.lab.run;
    }

    press(cell) {
      const { run, lab } = this;
      if (!run.moves) {
        if (run.parts.length)
          return lab.say(`This game is over. “${this.begin.textContent}” starts one against you.`);
        return this.go(run.begun);
      }
      if (pair(run.game, run.lookedAt, cell) < 0) return lab.say(`Cell ${cell} is taken.`);
      this.go(run.answered(cell));
    }

    go(mark) {
      if (this.lab.playing) return this.lab.say("It is learning: pause it first.");
      return this.lab.forth(mark);
    }

    draw() {
      const { run } = this,
        { game } = run,
        s = run.lookedAt,
        over = !run.moves && run.parts.length > 0;
      const trained = over && run.record.plies;
      const last = trained ? game.action[run.record.taken[trained - 1]] : run.moves?.at(-1);
      this.grid.show(s, {
        last,
        taken: (c) => over || pair(game, s, c) < 0,
        ghost: run.moves ? "O" : ""
      });
      this.begin.hidden = Boolean(run.moves);
      this.begin.textContent = run.parts.length ? "Play against it" : "Let it begin";
      const yours = over ? "" : "You are O.";
      this.caption.textContent = run.moves
        ? "You are O: press a cell. Step and Run discard this game; Back restores it."
        : yours;
      this.drawCard();
      this.drawChart();
      this.drawTable();
      this.wall.draw();
    }

    // The box that is asked, or the boxes that the last game has changed.
    drawCard() {
      const { run } = this;
      if (run.moves || !run.parts.length) {
        const { b, cell } = run.moves ? run.drawn : { b: 0 };
        this.says.textContent = run.description();
        this.card.replaceChildren(
          h("div", { class: "ttt-big-box" }, this.picture(b, { drawn: cell }))
        );
        return;
      }
      const used = run.changes.map(({ b, kind, before, after }) =>
        h(
          "li",
          {},
          this.picture(b, { drawn: kind, small: true }),
          h(
            "span",
            {},
            h("span", { class: "ttt-wide" }, `${capital(run.name(b))}, cell ${kind}: `),
            h("b", {}, `${count(before)} → ${count(after)}`)
          )
        )
      );
      this.says.textContent = run.ofTraining() + run.ofResult();
      this.card.replaceChildren(h("ol", { class: "ttt-used" }, ...used));
    }

    picture(b, more) {
      return picture(this.run.game, { ...this.run.shown(b), ...more });
    }

    drawChart() {
      const { run } = this,
        apart = Math.max(1, grain(run.games) / 10); // closer points are not visible
      const rows = [
        ...run.curve.filter(({ games }) => games < run.games && games % apart === 0),
        run.firstBox()
      ];
      /** @type {[string, (beads: number[]) => number, string, boolean][]} */
      const kinds = [
        ["all", sum, "ink", false],
        ["centre", (beads) => beads[4], "grey", false],
        ["corner", (beads) => beads[0], "quiet", true],
        ["edge", (beads) => beads[1], "violet", false]
      ];
      const curves = kinds.map(([name, of, line, dashed]) => ({
        name,
        line,
        dashed,
        points: rows.map(({ games, beads }) => [games, of(beads)]),
        end: rounded(of(rows.at(-1).beads))
      }));
      const most = Math.max(...rows.map(({ beads }) => sum(beads)));
      this.chart.draw({ curves, low: 0, high: nice(most), games: nice(Math.max(run.games, 20)) });
    }

    drawTable() {
      const [random, perfect] = this.run.scores(),
        games = many(this.run.games, "game");
      this.table.replaceChildren(
        h("caption", {}, `Next game, after ${games}`),
        h("tr", {}, h("td"), ...columnHeads("win", "draw", "loss")),
        tableRow(["random"], ...random.slice(0, 3).map(fixed)),
        tableRow(["perfect"], ...perfect.slice(0, 3).map(fixed))
      );
    }

    // Print all boxes, to be cut out.
    async print() {
      if (this.printing) return;
      this.printing = true;
      const { run, lab } = this,
        sheet = h(
          "div",
          { class: "ttt ttt-sheet" },
          h(
            "p",
            {},
            `${many(run.list.length, "box", "boxes")} of MENACE after ${many(run.games, "game")}. Cut along the dashed lines.`
          )
        );
      const grid = h("ol", {});
      sheet.append(grid);
      for (const [k, b] of run.list.entries()) {
        grid.append(h("li", {}, h("span", {}, String(k + 1)), this.picture(b)));
        if (k % 10 === 9) await lab.turn();
      }
      document.querySelector(".ttt-sheet")?.remove();
      document.body.append(sheet);
      document.documentElement.classList.add("ttt-prints-sheet");
      this.printing = false;
      addEventListener(
        "afterprint",
        () => {
          document.documentElement.classList.remove("ttt-prints-sheet");
          sheet.remove();
        },
        { once: true }
      );
      print();
    }
  }

  // A round upper end for an axis: 1, 2, 4, 6, 8 or 10 times a power of ten.
  function nice(n) {
    const ten = 10 ** Math.floor(Math.log10(n));
    return ten * [1, 2, 4, 6, 8, 10].find((k) => k * ten >= n);
  }

  // The grid of all boxes: created when it is opened, then only changed boxes are redrawn.
  // Arrow keys move between boxes.
  class Wall {
    constructor(view) {
      this.view = view;
      this.places = [];
      this.grid = h("div", {
        class: "ttt-wall",
        role: "group",
        "aria-label": "All boxes",
        onkeydown: (event) => this.key(event)
      });
      this.detail = h("div", { class: "ttt-detail", role: "status" });
      this.element = h(
        "details",
        { class: "ttt-fold", ontoggle: () => this.draw() },
        h(
          "summary",
          {},
          `All ${view.run.list.length} boxes: the larger a bead, the more likely its cell`
        ),
        this.detail,
        this.grid
      );
    }

    get run() {
      return this.view.run;
    }

    async draw() {
      if (!this.element.open) return;
      const {
          run,
          view: { lab }
        } = this,
        turn = (this.turn = {}),
        went = this.last === run && this.games !== run.games;
      this.last = run;
      this.games = run.games;
      let until = 0; // 0: yield before the first box
      for (const [k, b] of run.list.entries()) {
        const place = (this.places[k] ??= this.make(k)),
          beads = run.inside(b),
          now = String(beads);
        place.classList.toggle("ttt-changed", went && now !== place.now);
        if (now !== place.now) {
          place.now = now;
          place.replaceChildren(this.view.picture(b, { sized: true }));
          place.setAttribute("aria-label", `Box ${k + 1}: ${run.contents(b)}`);
        }
        if (performance.now() < until) continue;
        await lab.turn();
        if (turn !== this.turn) return;
        until = performance.now() + 6;
      }
      this.look(this.at ?? 0);
    }

    make(k) {
      const place = h("button", {
        type: "button",
        class: "ttt-cell",
        tabindex: k === 0 ? 0 : -1,
        onclick: () => this.look(k)
      });
      this.grid.append(place);
      return place;
    }

    // Show one box enlarged, with its content.
    look(k) {
      const { run } = this,
        b = run.list[k];
      this.places.forEach((place, n) => {
        place.setAttribute("tabindex", n === k ? 0 : -1);
        place.setAttribute("aria-pressed", String(n === k));
      });
      this.at = k;
      const changed = this.places.filter((place) => place.classList.contains("ttt-changed")).length;
      const says = changed
        ? ` ${many(changed, "box has", "boxes have")} a green frame: the last step changed ${changed > 1 ? "them" : "it"}.`
        : "";
      this.detail.replaceChildren(
        h("div", { class: "ttt-big-box" }, this.view.picture(b)),
        h(
          "p",
          {},
          `Box ${k + 1} of ${run.list.length}, for move ${1 + signs(run.game, b, "X").filter((sign) => sign === "X").length}: ${run.contents(b)}.${says}`
        )
      );
    }

    key(event) {
      const columns = getComputedStyle(this.grid).gridTemplateColumns.split(" ").length;
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
      const place = this.places[(this.at ?? 0) + by];
      if (!by) return;
      event.preventDefault();
      if (!place) return;
      place.focus();
      place.click();
    }
  }

  // ---- the kind of lab

  async function begin(texts, lab) {
    const names = OPPONENTS.map(([name]) => name).filter((name) => name !== "self");
    const policies = await Promise.all(
      names.map(async (name) => [name, (await lab.player(name)).policy])
    );
    return new Run(lab, texts, { ...Object.fromEntries(policies), self: null });
  }

  ttt.lab.define("matchboxes", SETTINGS, begin, View);
})();
