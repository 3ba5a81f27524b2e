(() => {
  // Print in light mode, because the theme colours code by the mode of the page, and with all folds
  // open.
  const page = document.documentElement.dataset;
  let mode, closed;
  let printing = false;
  addEventListener("beforeprint", () => {
    printing = true;
    mode = page.theme;
    page.theme = "light";
    closed = document.querySelectorAll("details:not([open])");
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    page.theme = mode;
    for (const fold of closed) fold.open = false;
    setTimeout(() => (printing = false)); // `toggle` comes later
  });

  // Boxes that are too wide scroll inside the page, and must be focusable to be scrolled by keyboard.
  // To measure all boxes of a page, as the theme does, would lay out those that are folded or outside
  // the viewport, so boxes are measured when they come near. Formulas that are not folded are all
  // measured at once, because their letter size changes the position of everything below them.
  const WIDE = ".ttt-scroll, pre, .cell_output > .output, .pst-scrollable-table-container";
  const near = new Set();
  const unknown = (box) =>
    box.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }) === false;
  const scrolls = (box) =>
    unknown(box) ||
    box.scrollWidth > box.clientWidth ||
    (!box.matches(".ttt-scroll") && box.scrollHeight > box.clientHeight);
  const updateFocusable = () => {
    const formulas = [...document.querySelectorAll(".formula")].filter((formula) =>
      formula.checkVisibility()
    );
    for (const formula of formulas) formula.classList.remove("long"); // long formulas get smaller letters before they scroll
    const long = formulas.filter((formula) => formula.scrollWidth > formula.clientWidth);
    for (const formula of long) formula.classList.add("long");
    const wide = new Set([...near].filter(scrolls)); // read all sizes before writing, to avoid layout thrashing
    for (const box of near) {
      if (wide.has(box)) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  let frame;
  const schedule = () => {
    // once a frame, after layout
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      updateFocusable();
    });
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) near.add(target);
        else {
          near.delete(target);
          /** @type {HTMLElement} */ (target).tabIndex = 0; // its size is unknown when the window is resized
        }
      }
      schedule();
    },
    { rootMargin: "100% 0px" }
  );
  const observe = () => {
    /** @type {NodeListOf<HTMLElement>} */
    const boxes = document.querySelectorAll(WIDE);
    for (const box of boxes) {
      box.tabIndex = 0; // until it is measured
      observer.observe(box);
    }
  };
  // Quizzes. The reason of the right option begins with "Yes". The options of one question follow
  // each other; the first that is opened counts.
  const quiz = () => {
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const found = document.querySelectorAll("details.quiz");
    const options = [...found];
    const questions = [];
    for (const option of options) {
      const reason = option.querySelector("summary").nextElementSibling?.textContent ?? "";
      option.classList.toggle("right", /^Yes\b/.test(reason.trim()));
      if (option.previousElementSibling?.matches("details.quiz")) questions.at(-1).push(option);
      else questions.push([option]);
    }
    if (!questions.length) return;
    const score = document.createElement("p");
    score.className = "quiz-score";
    score.setAttribute("role", "status");
    options.at(-1).after(score);
    const first = new Map(); // question → the option that was opened first
    for (const question of questions)
      for (const option of question)
        option.addEventListener("toggle", () => {
          if (!option.open || printing || first.has(question)) return;
          first.set(question, option);
          const right = [...first.values()].filter((each) => each.matches(".right")).length;
          const open = questions.length - first.size;
          const rest = open ? `; ${open} still open` : "";
          score.textContent = `Right at the first try: ${right} of ${first.size}${rest}.`;
        });
  };
  // The switches in the header: guess first or read on, code open or folded. `store.js` has set
  // them before the page was drawn.
  const { dataset } = document.documentElement;
  const CODE = ["plain", "result", "call", "drawing", "setup"].map((kind) => `.ttt-${kind}`);
  const apply = () => {
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const guesses = document.querySelectorAll("details.predict");
    for (const fold of guesses)
      if (dataset.guess === "read") fold.open = true;
      else if (!fold.classList.contains("answered")) fold.open = false;
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const codes = document.querySelectorAll(CODE.join());
    for (const fold of codes) fold.open = dataset.code === "open";
  };
  // Change the page so that the first thing below the header stays where it is.
  const BLOCKS = "h1, h2, h3, p, li, summary, pre, table, svg";
  const inPlace = (change) => {
    let seen = [...document.querySelector("article").querySelectorAll(BLOCKS)].find(
      (each) => each.checkVisibility() && each.getBoundingClientRect().bottom > 80
    );
    const before = seen.getBoundingClientRect().top;
    change();
    while (!seen.checkVisibility()) seen = seen.parentElement; // it was in a fold
    scrollBy({ top: seen.getBoundingClientRect().top - before, behavior: "instant" });
  };
  const switches = () => {
    /** @type {NodeListOf<HTMLInputElement>} */
    const boxes = document.querySelectorAll("input[data-switch]");
    for (const box of boxes) {
      const { switch: name, on, off } = box.dataset;
      box.checked = dataset[name] === on;
      box.addEventListener("change", () => {
        dataset[name] = box.checked ? on : off;
        bookStore.set(`switch ${name}`, dataset[name]);
        inPlace(apply);
      });
    }
    if (dataset.guess === "read" || dataset.code === "open") apply();
  };
  // A chapter counts as read when its end comes into sight; the contents mark it.
  const progress = () => {
    const end = document.querySelector(".prev-next-footer");
    const links = [...document.querySelectorAll(".bd-sidebar-primary .toctree-l1 > a")].filter(
      (a) => /^\d+\./.test(a.textContent.trim())
    );
    const mark = () => {
      const read = new Set(bookStore.get("read"));
      for (const link of links) {
        const file = /** @type {HTMLAnchorElement} */ (link).href.split("#")[0];
        const name = file
          .split("/")
          .pop()
          .replace(/\.html$/, "");
        link.classList.toggle("was-read", read.has(name));
      }
    };
    const here = bookStore.page.split("/").pop();
    if (end && /^\d\d_/.test(here))
      new IntersectionObserver(([{ isIntersecting }], observer) => {
        if (!isIntersecting) return;
        observer.disconnect();
        bookStore.set("read", [...new Set([...(bookStore.get("read") ?? []), here])]);
        mark();
      }).observe(end);
    mark();
  };
  // A sandboxed frame cannot submit forms, so Enter in the search field opens the address.
  addEventListener("keydown", (event) => {
    const { form, name } = /** @type {HTMLInputElement} */ (event.target);
    if (event.key !== "Enter" || event.isComposing || name !== "q") return;
    event.preventDefault();
    const address = new URL(form.action);
    address.hash = "";
    const fields = /** @type {[string, string][]} */ ([...new FormData(form)]);
    address.search = String(new URLSearchParams(fields));
    location.assign(address);
  });
  addEventListener("DOMContentLoaded", quiz);
  addEventListener("DOMContentLoaded", switches);
  addEventListener("DOMContentLoaded", progress);
  // The other typefaces, which until now were for print only; the boards are there.
  const loadFonts = () => {
    /** @type {HTMLLinkElement | null} */
    const sheet = document.querySelector('link[href*="/fonts.css"]');
    if (sheet) sheet.media = "all";
  };
  addEventListener("load", loadFonts);
  addEventListener("DOMContentLoaded", observe);
  addEventListener("load", schedule);
  addEventListener("contentvisibilityautostatechange", schedule, true); // its layout may come a frame later
  addEventListener("resize", schedule);
  addEventListener("toggle", schedule, true); // the contents of the fold have a size now
  document.fonts.addEventListener("loadingdone", schedule);
})();
