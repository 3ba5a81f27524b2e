"""What axe finds in a page, soon: of what looks alike, three are asked for contrast.

Contrast is by far the slowest of axe's rules, and a page may have thousands of pieces
that look alike. A piece's kind is all that the rule computes with: the colours, sizes
and effects of its own words and of everything it stands in, as the browser computes
them; classes too, so that what only seems alike is two kinds. What may still differ
is what lies behind: so the three are the first, the last and one between. Where axe can
decide about none of them, covered or scrolled away as they are, it is asked about all.
"""

from axe_playwright_python.sync_playwright import Axe

SCRIPT = (
    Axe().axe_script
    + r""";
(() => {
  const RULE = 'color-contrast';
  const OWN = ['color', 'fontSize', 'fontWeight', 'textShadow', 'webkitTextStroke'];
  const AROUND = ['backgroundColor', 'backgroundImage', 'opacity', 'position', 'zIndex',
    'display', 'visibility', 'mixBlendMode'];
  const kindsIn = (where) => {
    const known = new Map([[null, '']]), kinds = new Map();
    const around = (e) => {
      if (!known.has(e)) {
        const style = getComputedStyle(e), look = AROUND.map((name) => style[name]);
        look.push(e.tagName, e.getAttribute('class'));
        known.set(e, `${around(e.parentElement)} > ${look}`);
      }
      return known.get(e);
    };
    for (const e of document.querySelectorAll(`${where}, ${where} *`)) {
      // axe leaves out what is hidden, disabled or without words of its own, and lets
      // signs pass; of controls each is a kind of its own.
      const words = [...e.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.data.trim()).join('');
      const control = e.matches('input, select, textarea, button');
      if (!(words || control) || !e.checkVisibility()) continue;
      const style = getComputedStyle(e);
      const kind = [around(e), ...OWN.map((name) => style[name]),
        e.matches(':disabled, [aria-disabled]'), Math.min(words.length, 2),
        /[\p{L}\p{N}]/u.test(words), control && kinds.size].join();
      if (!kinds.has(kind)) kinds.set(kind, []);
      kinds.get(kind).push(e);
    }
    return [...kinds.values()];
  };
  const ask = async (where, pieces, options) => {
    pieces.forEach((e) => { e.dataset.asked = ''; });
    axe.configure({ rules: [{ id: RULE, selector: '[data-asked]' }] });
    const found = await axe.run(where, { preload: false, elementRef: true,
      resultTypes: ['violations', 'incomplete'], ...options });
    pieces.forEach((e) => { delete e.dataset.asked; });
    return found;
  };
  window.obstacles = async (where, options) => {
    const kinds = kindsIn(where ?? 'body');
    const shown = (alike) => [...new Set([0, 0.5, 1].map((part) =>
      alike[Math.floor(part * (alike.length - 1))]))];
    const some = kinds.flatMap(shown);
    const first = await ask(where ?? document, some, options);
    const open = new Set(first.incomplete.filter(({ id }) => id === RULE)
      .flatMap(({ nodes }) => nodes).map(({ element }) => element));
    const rest = kinds.filter((alike) => shown(alike).every((e) => open.has(e)))
      .flat().filter((e) => !open.has(e));
    const more = rest.length
      ? await ask(where ?? document, rest, { runOnly: [RULE] }) : { violations: [] };
    return [...first.violations, ...more.violations].map(({ id, nodes }) => ({ id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) }));
  };
})();
"""
)
