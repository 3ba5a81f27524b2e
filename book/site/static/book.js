(() => {
  // Paper is light: the colours of code are the theme's, which asks for the mode of the page.
  const page = document.documentElement.dataset;
  let mode;
  addEventListener("beforeprint", () => { mode = page.theme; page.theme = "light"; });
  addEventListener("afterprint", () => { page.theme = mode; });

  // A formula too wide for the window scrolls inside the page. Whoever reads by keyboard must be able
  // to reach it, in order to scroll it: the theme sees to that for code and tables, not for formulas.
  const reachable = () => {
    for (const formula of document.querySelectorAll(".formula")) {
      if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
      else formula.removeAttribute("tabindex");
    }
  };
  addEventListener("load", reachable);
  addEventListener("resize", reachable);
})();
