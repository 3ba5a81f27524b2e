// The cross table of all agents: a tile for each match, sorted by the players' total or by their
// worst case; a list box in which arrow keys move between matches.
//
// `ttt.CROSS`, computed by `standings.py`, has the names, the value of each match for the first
// player, and the players' totals and worst cases, in thousandths.

ttt.matchTable = (() => {
  "use strict";

  const { fixed, many } = ttt.format;
  const { scale } = ttt.colours;
  const { h, svg, put } = ttt.elements;
  const { CROSS } = ttt;

  const NARROW = 340; // px, the table on a phone, whose rows are lower and have no names
  const NAMES = 124; // px, the column of names
  const worth = (value) => (value > 0 ? `+${fixed(value)}` : fixed(value));

  // An agent in words: a number of its own says nothing to a reader.
  function agentInWords(name, agents) {
    const [, kind, games] = name.match(/^(snapshot|menace)-(\d+)$/) ?? [];
    if (kind) return `${kind === "menace" ? "menace, " : ""}trained ${many(Number(games), "game")}`;
    const made = agents.find((each) => each.name === name && /^p\d/.test(name))?.made;
    return made ? `${name}, trained ${made.match(/[\d,]+ games/)[0]}` : name;
  }

  // The score of each player that was taught both sides; the players come in the order of their
  // total, and so do players of equal worst case.
  const ORDERS = {
    total: { label: "total", score: CROSS.total },
    worst: {
      label: "worst case",
      score: CROSS.worst.map(([first, second]) => first + second)
    }
  };
  const place = (order, k) =>
    1 + ORDERS[order].score.filter((each) => each > ORDERS[order].score[k]).length;

  // The indices of rows or columns in an order; those that were taught one side stay last.
  function sorted(names, order) {
    const { score } = ORDERS[order];
    return [...names.keys()].sort(
      (a, b) => (score[b] ?? -Infinity) - (score[a] ?? -Infinity) || a - b
    );
  }

  class MatchTable {
    constructor(lab) {
      const { firsts, seconds } = CROSS;
      this.lab = lab;
      this.firsts = firsts;
      this.seconds = seconds;
      this.at = [0, 0];
      this.order = { sort: "", rows: [], columns: [] }; // of what is shown
      this.left = 0;
      this.names = this.tiles = [];
      this.option = h("span", {
        role: "option",
        id: `${lab.id}-match`,
        "aria-selected": "true",
        class: "ttt-hidden"
      });
      this.picture = h("div", { "aria-hidden": "true" });
      this.element = h(
        "div",
        {
          class: "ttt-cross",
          role: "listbox",
          tabindex: 0,
          "aria-activedescendant": this.option.id,
          "aria-label": `${many(firsts.length * seconds.length, "match", "matches")}; arrows go from one to the next, Enter takes it`,
          onkeydown: (event) => this.key(event),
          onclick: (event) => this.touch(event, true),
          onpointermove: (event) => this.touch(event),
          onpointerleave: () => this.point(this.chosen)
        },
        this.picture,
        this.option
      );
      this.says = h("p", { class: "ttt-outlook" });
      new ResizeObserver(() => this.drawTiles()).observe(this.element);
    }

    // The places of a player by both orders.
    places(name) {
      const k = this.firsts.indexOf(name),
        n = CROSS.total.length;
      if (k >= n) return "taught to play first only";
      if (k < 0) return this.seconds.includes(name) ? "taught to play second only" : "";
      return `number ${place("total", k)} by total, ${place("worst", k)} by worst case, of ${n}`;
    }

    // Who is best in the order that is shown.
    best() {
      const { worst } = ORDERS,
        n = worst.score.length,
        perfect = this.firsts.indexOf("perfect"),
        least = sorted(this.firsts, "worst")[n - 1];
      if (this.lab.texts.sort === "total")
        return `Rows move first. By total ${this.named(this.firsts[0])} is best; perfect play is number ${place("total", perfect)} of the ${n} that play both sides.`;
      const others = worst.score.filter((each) => each === worst.score[perfect]).length - 1;
      return `Rows move first. By worst case perfect play is number ${place("worst", perfect)}, with ${others} others; ${this.named(this.firsts[least])}, ${place("total", least)} by total, is last.`;
    }

    named(name) {
      return agentInWords(name, this.lab.packed.agents);
    }

    // Row and column of the current match as they are shown, −1 if it is not in the table.
    get chosen() {
      const { first, second } = this.lab.texts;
      return [
        this.order.rows.indexOf(this.firsts.indexOf(first)),
        this.order.columns.indexOf(this.seconds.indexOf(second))
      ];
    }

    // The names of the players in a row and a column.
    players([row, column]) {
      return [this.firsts[this.order.rows[row]], this.seconds[this.order.columns[column]]];
    }

    take(at) {
      const [first, second] = this.players(at);
      this.lab.set("first", first, { second });
    }

    touch({ clientX, clientY, target }, takes) {
      if (!this.drawing?.contains(target)) return;
      const box = this.drawing.getBoundingClientRect();
      const row = Math.floor((clientY - box.top) / this.high),
        column = Math.floor((clientX - box.left - this.left) / this.side);
      if (!(row in this.firsts && column in this.seconds)) return;
      this.point([row, column]);
      if (takes) this.take([row, column]);
    }

    key(event) {
      const [row, column] = this.at.map((n) => Math.max(n, 0)),
        last = [this.firsts.length - 1, this.seconds.length - 1];
      const goal = {
        ArrowUp: [row - 1, column],
        ArrowDown: [row + 1, column],
        ArrowLeft: [row, column - 1],
        ArrowRight: [row, column + 1],
        Home: [row, 0],
        End: [row, last[1]]
      }[event.key];
      const takes = event.key === "Enter" || event.key === " ";
      if (!goal && !takes) return;
      event.preventDefault();
      event.stopPropagation();
      if (takes) this.take([row, column]);
      else this.point(goal.map((n, k) => Math.min(Math.max(n, 0), last[k])));
      this.finger.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    // Announce a match, and frame it.
    point(at) {
      this.at = at;
      const [row, column] = at,
        inTable = row >= 0 && column >= 0;
      const text = inTable ? this.describe(at) : "This match is not in the table.";
      put(this.option, text);
      const rests = String(at) === String(this.chosen);
      put(this.says, rests ? this.best() : text);
      if (!this.drawing) return;
      [
        [this.here, this.chosen],
        [this.finger, at]
      ].forEach(([frame, [r, c]]) => {
        frame.style.display = r < 0 || c < 0 ? "none" : "";
        frame.setAttribute("x", this.left + c * this.side);
        frame.setAttribute("y", r * this.high);
      });
      this.names.forEach((name, r) =>
        name.classList.toggle("ttt-named", this.order.rows.indexOf(r) === row)
      );
    }

    describe([row, column]) {
      const [first, second] = this.players([row, column]),
        value = CROSS.value[this.order.rows[row]][this.order.columns[column]];
      return `${this.named(first)} first, ${this.named(second)} second: worth ${worth(value / 1000)} to the first.`;
    }

    drawTiles() {
      const wide = this.element.clientWidth,
        { firsts, seconds } = this;
      if (!wide || wide === this.drawn) return;
      this.drawn = wide;
      this.left = wide < NARROW ? 0 : NAMES;
      const side = (this.side = (wide - 2 - this.left) / seconds.length),
        high = (this.high = wide < NARROW ? 6 : 13);
      const { tone } = scale([], [-1, 1], "X", true);
      this.tiles = CROSS.value.map((row) =>
        row.map((value) => {
          const { mark, share } = tone(value / 1000);
          return svg("rect", {
            width: side - 1,
            height: high - 1,
            rx: 1,
            class: `ttt-for-${mark}`,
            style: `--ttt-share: ${share}`
          });
        })
      );
      this.names = (this.left ? firsts : []).map((name) =>
        svg(
          "text",
          { x: this.left - 6, y: high - 3, "text-anchor": "end" },
          /^snapshot/.test(name) ? this.named(name) : name
        )
      );
      const frame = (kind) => svg("rect", { width: side, height: high, rx: 1, class: kind });
      this.here = frame("ttt-here");
      this.finger = frame("ttt-finger");
      this.drawing = svg(
        "svg",
        { width: wide, height: firsts.length * high + 2 },
        ...this.names,
        ...this.tiles.flat(),
        this.here,
        this.finger
      );
      this.picture.replaceChildren(this.drawing);
      this.place();
      this.point(this.chosen);
    }

    // Move the tiles and the names to their places.
    place() {
      const move = (element, x, y) => {
        element.style.transform = `translate(${x}px, ${y}px)`;
      };
      const rows = this.order.rows.map((_, r) => this.order.rows.indexOf(r)),
        columns = this.order.columns.map((_, c) => this.order.columns.indexOf(c));
      this.names.forEach((name, r) => move(name, 0, rows[r] * this.high));
      this.tiles.forEach((row, r) =>
        row.forEach((tile, c) =>
          move(tile, this.left + columns[c] * this.side + 0.5, rows[r] * this.high + 0.5)
        )
      );
    }

    draw() {
      const { sort } = this.lab.texts;
      if (sort !== this.order.sort) {
        this.order = { sort, rows: sorted(this.firsts, sort), columns: sorted(this.seconds, sort) };
        if (this.drawing) this.place();
      }
      this.point(this.chosen);
    }
  }

  return { MatchTable, ORDERS, agentInWords, worth };
})();
