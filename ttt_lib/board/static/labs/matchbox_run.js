// The run of the lab of MENACE: it plays against the reader, or trains against other players.
//
// The mark is its history, in order: "random:20,me:4081263" is 20 games against random play
// and one against the reader, with all moves as cells. The last game against the reader may
// be unfinished. Training uses one random number generator, and each game against the reader
// one of its own, so that a discarded game leaves no trace.

ttt.matchboxRun = (() => {
  "use strict";

  const { list, cellsNamed, count, many } = ttt.format;
  const { terminal, pair, positions, signs } = ttt.game;
  const { newMatchboxes, isEmpty, winDrawLoss, newRecord, train, learnGame, drawBead } = ttt.menace;
  const { mt19937, MAX_SEED } = ttt.mt19937;
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

  const percent = (x) => `${(100 * x).toFixed(1)} %`;
  const sum = (numbers) => numbers.reduce((all, n) => all + (n ?? 0), 0);

  const write = (parts) => parts.map(({ who, what }) => `${who}:${what}`).join(",") || NEW;

  function partsOf(mark) {
    return mark === NEW
      ? []
      : mark.split(",").map((part) => {
          const [who, what] = part.split(":");
          return { who, what: who === ME ? what : Number(what) };
        });
  }

  // Who taught it, as in "40 games with you and 1,000 with random play".
  function lessonsOf(parts) {
    const games = new Map();
    for (const { who, what } of parts)
      games.set(who, (games.get(who) ?? 0) + (who === ME ? 1 : what));
    const lessons = [...games].map(([who, n], k) => {
      const other = who === ME ? "you" : labelOf(who);
      return `${k ? count(n) : many(n, "game")} with ${other}`;
    });
    return list(lessons);
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
      return this.after(1);
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

    // What a box has learned: its likeliest cells, how probable they are together, and what
    // they are worth to MENACE under perfect play, on average; null without beads. As long as
    // all cells are equally likely, none is likeliest.
    learned(b) {
      const { game, boxes } = this,
        kinds = [];
      for (let i = game.first[b]; i < game.first[b + 1]; i++)
        if (boxes.kind[i] === i) kinds.push(i);
      const most = Math.max(...kinds.map((i) => boxes.beads[i]));
      if (most === 0) return null;
      const likeliest = kinds.filter((i) => boxes.beads[i] === most),
        share = (most * likeliest.length) / sum(kinds.map((i) => boxes.beads[i]));
      if (likeliest.length === kinds.length && kinds.length > 1) return { cells: [], share };
      return {
        cells: likeliest.map((i) => game.action[i]),
        share,
        worth: sum(likeliest.map((i) => game.q[i])) / likeliest.length
      };
    }

    // A box in words.
    ofBox(b) {
      const { list: boxes, game } = this,
        move = 1 + signs(game, b, "X").filter((sign) => sign === "X").length;
      return `Box ${boxes.indexOf(b) + 1} of ${boxes.length}, for move ${move}: ${this.contents(b)}. ${this.ofLearned(b)}`;
    }

    ofLearned(b) {
      const learned = this.learned(b);
      if (!learned) return "Here it resigns.";
      const { cells, worth } = learned;
      if (!cells.length) return "Each kind is equally likely.";
      let result = worth > 0 ? "wins" : "draws";
      if (worth < 0) result = "loses";
      return `Likeliest is ${cellsNamed(cells)}, which ${result} if both go on perfectly.`;
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

    // The boxes that were asked in the game against the reader.
    get asked() {
      const { game, boxes, moves } = this;
      return positions(game, 0, moves)
        .filter((s, t) => t < moves.length && game.toMove[s] === 1)
        .map((s) => boxes.box[s]);
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

    // What it has learned, as exact scores, once it has played enough or a game with the reader.
    answer() {
      const { games, trained, isFirstEmpty } = this,
        lessons = lessonsOf(this.parts),
        withMe = trained < games;
      if (isFirstEmpty) return `Killed: after ${lessons} its first box is empty.`;
      if (this.moves || !(withMe || trained >= ENOUGH)) return "";
      const [, [, draws, loses]] = this.scores(),
        enough = loses > 0 ? "it has not learned enough" : "it has learned enough";
      return `After ${lessons} ${enough}: it draws ${percent(draws)} of its games against perfect play.`;
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

  return { SETTINGS, OPPONENTS, ME, Run, grain, lessonsOf, partsOf, write };
})();
