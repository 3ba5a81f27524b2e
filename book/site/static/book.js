(() => {
  // Paper is light: the colours of code are the theme's, which asks for the mode of the page. And it
  // cannot be clicked: all that folds is open on it.
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

  // What is too wide for the window scrolls inside the page. Whoever reads by keyboard must be able to
  // reach it, in order to scroll it. To ask all of a page how wide it is, as the theme does, would lay
  // out what is folded or far from the screen, too: so what comes near is asked. Formulas are asked
  // all at once, where they are not folded: their letters decide where all below them stands.
  const WIDE = ".ttt-scroll, pre, .cell_output > .output, .pst-scrollable-table-container";
  const near = new Set();
  const unknown = (box) =>
    box.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }) === false;
  const scrolls = (box) =>
    unknown(box) ||
    box.scrollWidth > box.clientWidth ||
    (!box.matches(".ttt-scroll") && box.scrollHeight > box.clientHeight);
  const reachable = () => {
    const formulas = [...document.querySelectorAll(".formula")].filter((formula) =>
      formula.checkVisibility()
    );
    for (const formula of formulas) formula.classList.remove("long"); // smaller letters, before it has to scroll
    const long = formulas.filter((formula) => formula.scrollWidth > formula.clientWidth);
    for (const formula of long) formula.classList.add("long");
    const wide = new Set([...near].filter(scrolls)); // all is read before anything is written
    for (const box of near) {
      if (wide.has(box)) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  let asked;
  const soon = () => {
    // once a frame, and when what came near has been laid out
    asked ??= requestAnimationFrame(() => {
      asked = undefined;
      reachable();
    });
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) near.add(target);
        else {
          near.delete(target);
          /** @type {HTMLElement} */ (target).tabIndex = 0; // nobody knows what a window of another size makes of it
        }
      }
      soon();
    },
    { rootMargin: "100% 0px" }
  );
  const observe = () => {
    /** @type {NodeListOf<HTMLElement>} */
    const boxes = document.querySelectorAll(WIDE);
    for (const box of boxes) {
      box.tabIndex = 0; // as long as nobody knows
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
  // A sandboxed frame sends no form: a search is an address like any other.
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
  addEventListener("DOMContentLoaded", mark);
  addEventListener("DOMContentLoaded", observe);
  addEventListener("load", soon);
  addEventListener("contentvisibilityautostatechange", soon, true); // it may have come near a frame before
  addEventListener("resize", soon);
  addEventListener("toggle", soon, true); // what was folded has a size now
  document.fonts.addEventListener("loadingdone", soon);
})();
