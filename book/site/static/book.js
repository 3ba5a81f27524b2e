// A formula too wide for the window scrolls inside the page. Whoever reads by keyboard must be able
// to reach it, in order to scroll it: the theme sees to that for code and tables, not for formulas.
(() => {
  const reachable = () => {
    for (const formula of document.querySelectorAll("mjx-container[display]")) {
      if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
      else formula.removeAttribute("tabindex");
    }
  };
  addEventListener("load", () => window.MathJax?.startup?.promise?.then(reachable));
  addEventListener("resize", reachable);
})();
