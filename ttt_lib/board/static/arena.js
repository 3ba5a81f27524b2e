// What an arena has in addition: medals, and the standings, a card for each agent, the safest
// first. The data, `ttt.CARDS`, are computed by `standings.py`.

ttt.arena = (() => {
  "use strict";

  const { CARDS } = ttt;
  const { capital, fixed } = ttt.format;
  const { MARKS } = ttt.game;
  const { PERSON } = ttt.agents;
  const { h, button, hidden } = ttt.elements;
  const { Medals } = ttt.medals;

  const NEVER = 1e-9;

  class Cards {
    constructor(play) {
      this.play = play;
      this.seats = []; // [mark, name, its button]
      const order = Object.keys(CARDS),
        place = ({ name }) => order.indexOf(name) + 1 || Infinity;
      const agents = play.offered
        .filter(({ name }) => name !== PERSON)
        .sort((one, two) => place(one) - place(two));
      this.medals = new Medals(play);
      const cards = h(
        "details",
        {},
        h("summary", {}, "All agents, the safest first, with the answers"),
        h(
          "p",
          {},
          "Each number is the share of games that an agent loses, as first and as second player: to random moves, and" +
            " in the worst case, to the opponent that beats it most often. Agents that were trained on only one side" +
            " come last, and have no number for the other side. Seat two agents to let them play a match."
        ),
        h("ul", { class: "ttt-cards" }, ...agents.map((entry) => this.card(entry)))
      );
      this.element = h("div", { class: "ttt-league" }, this.medals.element, cards);
    }

    card({ name, label, group, frames }) {
      const card = CARDS[name] ?? { method: group === "own" ? "from this page" : null };
      const { method, year, by, side, loses } = card;
      const taught = [
        by && `taught by ${by}`,
        side && `as ${side === 1 ? "first" : "second"} player`,
        loses && frames && `after ${frames.at(-1)}`
      ]
        .filter(Boolean)
        .join(", ");
      return h(
        "li",
        { class: "ttt-card" },
        h("div", {}, h("b", {}, label), year ? h("span", {}, String(year)) : null),
        h(
          "p",
          {},
          [method, taught]
            .filter(Boolean)
            .map((text) => `${capital(text)}.`)
            .join(" ")
        ),
        loses ? this.lost(loses) : null,
        h(
          "div",
          { class: "ttt-seats" },
          ...MARKS.map((mark) => {
            const seat = button(`as ${mark}`, () => this.play.choose(mark, name), {
              "aria-label": `${label} as ${mark}`
            });
            this.seats.push([mark, name, seat]);
            return seat;
          })
        )
      );
    }

    // A table of the shares lost as first and as second player, null for an untrained side.
    lost(loses) {
      const share = (lost, n) => {
        if (!lost) return n === 0 ? h("td", { rowspan: 2 }, "not taught") : null;
        return h(
          "td",
          {},
          lost[n] < NEVER ? "never" : fixed(lost[n]),
          h(
            "div",
            { class: "ttt-lost", "aria-hidden": "true" },
            h("div", { style: `width: ${(100 * lost[n]).toFixed(1)}%` })
          )
        );
      };
      return h(
        "table",
        {},
        h(
          "tr",
          {},
          h("td", {}, hidden("Loses")),
          ...["first", "second"].map((side) => h("th", { scope: "col" }, side))
        ),
        ...["to random moves", "in the worst case"].map((text, n) =>
          h("tr", {}, h("th", { scope: "row" }, text), ...loses.map((lost) => share(lost, n)))
        )
      );
    }

    draw() {
      this.medals.draw();
      for (const [mark, name, seat] of this.seats) {
        const sits = this.play.asked[mark].who === name;
        seat.setAttribute("aria-pressed", String(sits));
        seat.closest(".ttt-card").classList.toggle("ttt-seated-" + mark, sits);
      }
    }
  }

  return { Cards };
})();
