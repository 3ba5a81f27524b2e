// The front page: a game against a learner, and what it thinks of every position.
(() => {
  "use strict";

  const TIME = 4000; // ms from the first frame to the last
  const RIGHT = 1; // tenths between a value and the exact one
  const FIRST = 1000; // games of the picture that is seen before it runs
  const { registry, shared } = ttt.agents;
  const { count, many } = ttt.format;
  const { exactValues } = ttt.review;
  const { classes } = ttt.symmetry;
  const { Skyline, key, tenths } = ttt.skyline;
  const { h, button, put, hidden } = ttt.elements;

  // What can be seen, by the share of positions that the learner values rightly.
  function words(games, right, of, safe) {
    if (games === 0) return "It has played no game: it knows only how finished games end.";
    if (right < of / 3)
      return "It plays against itself. Where the game is nearly over, it begins to see.";
    if (right < 0.65 * of)
      return "What it knows flows to the left, from the end of the game to its beginning.";
    if (!safe) return "A column can only be right when those to its right are.";
    if (right < of)
      return "Nobody wins against it any more. The last dots are those it hardly ever meets.";
    return "All of them are right, and nobody wins against it.";
  }

  class Frames {
    constructor(game, { games, values, safe }) {
      this.games = games;
      this.safe = safe;
      this.values = values.map(tenths);
      const u = exactValues(game);
      this.exact = classes(game).map((s) => 10 * u[s]);
    }
    right(n) {
      return this.values[n].filter((v, k) => v !== null && Math.abs(v - this.exact[k]) <= RIGHT)
        .length;
    }
    says(n) {
      return words(this.games[n], this.right(n), this.exact.length, this.safe[n]);
    }
    caption(n) {
      return `${many(this.games[n], "game")}, ${this.right(n)} of ${this.exact.length} right`;
    }
  }

  const WORTH = { 10: "X wins", 0: "a draw", "-10": "O wins" };

  // eslint-disable-next-line max-lines-per-function -- its parts share one animation
  function showSkyline(place, game) {
    const frames = new Frames(game, JSON.parse(place.dataset.tttSkyline));
    const number = new Map(classes(game).map((s, k) => [s, k]));
    const last = frames.games.length - 1;
    let now = 0,
      from = null,
      fresh = true; // it has not been touched
    const sky = new Skyline(game, (s) => {
      const k = number.get(s),
        value = frames.values[now][k],
        truth = WORTH[frames.exact[k]];
      const thinks =
        value === null
          ? "it has not met this board"
          : `it says ${(value / 10).toFixed(1).replace("-", "−")}`;
      return `After ${many(frames.games[now], "game")} ${thinks}. The truth: ${truth}.`;
    });
    const says = h("p", { class: "sky-says" }),
      caption = h("output", { for: "sky-games" }),
      announcement = hidden("");
    announcement.setAttribute("role", "status");
    const slider = h("input", {
      id: "sky-games",
      type: "range",
      min: 0,
      max: last,
      value: 0,
      "aria-label": "Games played",
      oninput: () => {
        fresh = false;
        stop();
        draw(Number(slider.value));
      }
    });
    const run = button("Run", press, { class: "ttt-first" });

    function draw(n) {
      now = n;
      slider.value = String(n);
      slider.setAttribute("aria-valuetext", frames.caption(n));
      put(caption, frames.caption(n));
      put(says, frames.says(n));
      sky.show(
        frames.values[n].map((value) => value && value / 10),
        `${count(frames.exact.length)} dots, one for each kind of position. ${frames.says(n)}`
      );
    }
    function step(time) {
      if (from === null) return;
      const n = Math.max(now, Math.min(last, Math.floor(((time - from) / TIME) * last)));
      if (n !== now) draw(n);
      if (n < last) requestAnimationFrame(step);
      else stop();
    }
    function stop() {
      if (from !== null) put(announcement, `${frames.caption(now)}. ${frames.says(now)}`);
      from = null;
      put(run, now === last ? "Run again" : "Run");
    }
    function press() {
      if (from !== null) return stop();
      if (now === last || fresh) draw(0);
      fresh = false;
      from = performance.now() - (now / last) * TIME;
      put(run, "Pause");
      requestAnimationFrame(step);
    }

    place.classList.add("ttt");
    place.replaceChildren(
      says,
      sky.element,
      h("div", { class: "sky-bar" }, run, slider, caption),
      key(),
      announcement
    );
    draw(frames.games.indexOf(FIRST));
    // It starts when it is first visible, unless the reader prefers reduced motion.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry.isIntersecting) return;
        seen.disconnect();
        if (fresh) press();
      },
      { threshold: 0.8 }
    );
    seen.observe(place);
  }

  async function start() {
    const game = await (registry.game ??= shared(registry.packed));
    /** @type {NodeListOf<HTMLElement>} */
    const ladders = document.querySelectorAll("[data-ttt-ladder]");
    for (const place of ladders) {
      place.tttLadder = new ttt.ladder.Ladder(place, game, JSON.parse(place.dataset.tttLadder));
    }
    document.querySelectorAll("[data-ttt-skyline]").forEach((place) => showSkyline(place, game));
  }
  start();
})();
