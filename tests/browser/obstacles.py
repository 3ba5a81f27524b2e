"""What axe finds in a page, soon: of what looks alike, ten are asked for contrast.

Contrast is by far the slowest of axe's rules, and a page may have thousands of pieces
that look alike. A piece's kind is all that the rule computes with: the colours, sizes
and effects of its own words and of everything it stands in, as the browser computes
them; classes too, so that what only seems alike is two kinds. Where axe can decide
about none of the ten, covered or scrolled away as they are, it is asked about all.
"""

from axe_playwright_python.sync_playwright import Axe

SCRIPT = (
    Axe().axe_script
    + r""";
(() => {
  const MOST = 10, RULE = 'color-contrast';
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
      const style = getComputedStyle(e), words = [...e.childNodes]
        .map((node) => (node.nodeType === Node.TEXT_NODE ? node.data.trim() : ''))
        .join('');
      // axe leaves out what is hidden, disabled or without words, and lets signs pass;
      // of controls each is a kind of its own.
      const kind = [around(e), ...OWN.map((name) => style[name]), e.checkVisibility(),
        e.matches(':disabled, [aria-disabled]'), Math.min(words.length, 2),
        /[\p{L}\p{N}]/u.test(words),
        e.matches('input, select, textarea, button') && kinds.size].join();
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
    const some = kinds.flatMap((alike) => alike.slice(0, MOST));
    const first = await ask(where ?? document, some, options);
    const open = new Set(first.incomplete.filter(({ id }) => id === RULE)
      .flatMap(({ nodes }) => nodes).map(({ element }) => element));
    const rest = kinds.filter((alike) => alike.slice(0, MOST).every((e) => open.has(e)))
      .flatMap((alike) => alike.slice(MOST));
    const more = rest.length
      ? await ask(where ?? document, rest, { runOnly: [RULE] }) : { violations: [] };
    return [...first.violations, ...more.violations].map(({ id, nodes }) => ({ id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) }));
  };
})();
"""
)
