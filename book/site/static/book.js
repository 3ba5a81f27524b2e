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

  // A formula or drawing too wide for the window scrolls inside the page. Whoever reads by keyboard
  // must be able to reach it, in order to scroll it: the theme sees to that for code and tables alone.
  const reachable = () => {
    for (const formula of document.querySelectorAll(".formula")) {
      formula.classList.remove("long"); // smaller letters, before it has to scroll
      formula.classList.toggle("long", formula.scrollWidth > formula.clientWidth);
    }
    for (const wide of document.querySelectorAll(".ttt-scroll")) {
      if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
      else wide.removeAttribute("tabindex");
    }
  };
  // The reason of the right option of a quiz begins with "Yes".
  const mark = () => {
    for (const option of document.querySelectorAll("details.quiz")) {
      const reason = option.querySelector("summary").nextElementSibling?.textContent ?? "";
      option.classList.toggle("right", /^Yes\b/.test(reason.trim()));
    }
  };
  addEventListener("DOMContentLoaded", mark);
  addEventListener("load", reachable);
  addEventListener("resize", reachable);
  addEventListener("toggle", reachable, true); // what was folded has a size now
})();
