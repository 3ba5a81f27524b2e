(() => {
  // Print in light mode, because the theme colours code by the mode of the page, and with all folds
  // open.
  const page = document.documentElement.dataset;
  let mode, closed;
  addEventListener("beforeprint", () => {
    mode = page.theme;
    page.theme = "light";
    closed = document.querySelectorAll("details:not([open])");
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    page.theme = mode;
    for (const fold of closed) fold.open = false;
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
  // The reason of the right option of a quiz begins with "Yes".
  const mark = () => {
    for (const option of document.querySelectorAll("details.quiz")) {
      const reason = option.querySelector("summary").nextElementSibling?.textContent ?? "";
      option.classList.toggle("right", /^Yes\b/.test(reason.trim()));
    }
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
  // The other typefaces, which until now were for print only; the boards are there.
  const loadFonts = () => {
    /** @type {HTMLLinkElement | null} */
    const sheet = document.querySelector('link[href*="/fonts.css"]');
    if (sheet) sheet.media = "all";
  };
  addEventListener("load", loadFonts);
  addEventListener("DOMContentLoaded", mark);
  addEventListener("DOMContentLoaded", observe);
  addEventListener("load", schedule);
  addEventListener("contentvisibilityautostatechange", schedule, true); // its layout may come a frame later
  addEventListener("resize", schedule);
  addEventListener("toggle", schedule, true); // the contents of the fold have a size now
  document.fonts.addEventListener("loadingdone", schedule);
})();
