// Animation of a learner: its action values after more and more games, as a study stored them.
(() => {
  "use strict";

  const TIME = 2000; // ms from the first frame to the last

  // eslint-disable-next-line max-lines-per-function -- its parts share one animation
  function watch(place) {
    const { h, svg, button, put, hidden } = ttt.elements,
      { count } = ttt.format;
    const { board, frames } = JSON.parse(place.dataset.watch);
    const marks = [...board].map((sign) => (sign === "." ? null : sign));
    const mark = marks.filter(Boolean).length % 2 ? "O" : "X";
    const size = Math.sqrt(marks.length),
      last = frames.length - 1,
      most = frames[last][0];
    const tiles = new ttt.grid.Grid({ rows: size, columns: size, cells: marks.length });
    const point = ([games, , worst]) => `${(100 * games) / most},${50 - 50 * worst}`;
    const curve = svg("polyline"),
      caption = h("output", { for: "watch-games" }),
      announcement = hidden("");
    announcement.setAttribute("role", "status");
    const slider = h("input", {
      id: "watch-games",
      type: "range",
      min: 0,
      max: last,
      value: 0,
      "aria-label": "Games played",
      oninput: () => {
        stop();
        draw(Number(slider.value));
      }
    });
    let now = 0,
      from = null;

    const words = ([games, , worst]) => `${count(games)} games, exploitability ${worst.toFixed(3)}`;
    function draw(frame) {
      now = frame;
      slider.value = frame;
      slider.setAttribute("aria-valuetext", words(frames[frame]));
      tiles.draw({
        marks,
        mark,
        ring: true,
        limits: [-1, 1],
        values: frames[frame][1].map((value, cell) => (marks[cell] ? null : value))
      });
      curve.setAttribute(
        "points",
        frames
          .slice(0, frame + 1)
          .map(point)
          .join(" ")
      );
      put(caption, words(frames[frame]));
    }
    function step(time) {
      if (from === null) return;
      const frame = Math.max(now, Math.min(last, Math.floor(((time - from) / TIME) * last)));
      if (frame !== now) draw(frame);
      if (frame < last) requestAnimationFrame(step);
      else stop();
    }
    function stop() {
      if (from !== null) put(announcement, words(frames[now]));
      from = null;
      put(play, now === last ? "Watch again" : "Watch");
    }
    const play = button(
      "Watch",
      () => {
        if (from !== null) return stop();
        from = performance.now() - (now === last ? 0 : (now / last) * TIME);
        put(play, "Pause");
        requestAnimationFrame(step);
      },
      { class: "ttt-first" }
    );

    const chart = svg(
      "svg",
      { viewBox: "0 -2 100 54", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("path", { d: "M0 0V50H100" }),
      curve
    );
    place.replaceChildren(
      tiles.element,
      h("div", { class: "watch-side" }, caption, chart, slider, h("div", {}, play), announcement)
    );
    place.classList.add("ttt");
    draw(0);
    // It starts when it is first visible, unless the reader prefers reduced motion.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry.isIntersecting) return;
        seen.disconnect();
        if (now === 0 && from === null) play.click();
      },
      { threshold: 0.8 }
    );
    seen.observe(place);
  }

  for (const place of document.querySelectorAll("[data-watch]")) watch(place);
})();
