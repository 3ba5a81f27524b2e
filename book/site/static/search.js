/* global SEARCH_TEXTS */
// The search. `SEARCH_TEXTS` has the pages in the order of the book, each with its places: sections,
// boxes, terms of the glossary, names of the library. A page is shown once, with its best places.
(() => {
  const WORD = /\d{1,3}(?:,\d{3})+(?!\d)|\d+\.\d+|[\p{L}\p{N}_]+/gu; // 5,478 is one word, and is 5478
  const GREEK = new Map(
    Object.entries({
      alpha: "α",
      beta: "β",
      gamma: "γ",
      delta: "δ",
      epsilon: "ε",
      lambda: "λ",
      pi: "π",
      tau: "τ"
    })
  );
  const WEIGHT = { chapter: 1, "Closer looks": 0.5, Reference: 0.7, "About the book": 0.7 }; // by kind, else 0.8
  const LONGEST = 200; // letters of a query that are looked at
  const SHOWN = 3; // places of a page; the others fold

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  // A word as it is compared: without case, accents, and commas between its digits.
  const plain = (word) => {
    const bare = word
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{M}|,/gu, "");
    return GREEK.get(bare.replace(/_$/, "")) ?? bare;
  };
  const words = (text) =>
    [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
      word: plain(word),
      from: index,
      to: index + word.length
    }));

  // What a word and its inflections have in common: value, values, valued.
  const stem = (word) =>
    word.length < 4 || /[\d_]/.test(word)
      ? word
      : word
          .replace(/ies$/, "y")
          .replace(/(?<!s)s$/, "")
          .replace(/(?<=\w{3})(ed|ing)$/, "")
          .replace(/(?<=\w{2})e$/, "")
          .replace(/y$/, "i");

  // How well a word of a page fits a word of a query: 1 if it is the same, 0 if not at all.
  const fit = (word, asked) => {
    if (word === asked) return 1;
    if (asked.length < 3 || /^[\d.]+$/.test(asked)) return 0;
    if (stem(word) === stem(asked)) return 0.8;
    return word.startsWith(asked) ? 0.3 : 0;
  };

  // The parts of a query. What stands in quotes or without a blank, as Q-learning, are words side by side.
  const parts = (query) => {
    const joined = query.slice(0, LONGEST).replace(/(?<=\d)\s(?=\d{3}(?!\d))/g, ",");
    const pieces = joined.match(/["“][^"“”]*["”]|[^\s"“”]+/g) ?? [];
    const found = pieces
      .map((piece) => words(piece).map(({ word }) => word))
      .filter((part) => part.length);
    return [...new Map(found.map((part) => [part.join(" "), part])).values()]; // each once
  };

  // Where a part stands in a text: [{from, to, fit}].
  const hits = (text, part) =>
    text.flatMap(({ from }, n) => {
      const fits = part.map((asked, k) => (text[n + k] ? fit(text[n + k].word, asked) : 0));
      return Math.min(...fits)
        ? [{ from, to: text[n + part.length - 1].to, fit: Math.min(...fits) }]
        : [];
    });
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

  // A heading that says nothing else is worth more than one in which the word is one of many. A term of
  // the glossary may have several names.
  const headed = (names, part) =>
    Math.max(
      ...names.map((name) => {
        const best = Math.max(0, ...hits(name, part).map((hit) => hit.fit));
        return best * (0.3 + (0.7 * part.length) / Math.max(part.length, name.length));
      })
    );
  const often = (count) => Math.log2(1 + count);

  const pages = SEARCH_TEXTS.map((page) => ({
    ...page,
    // The titles of chapters are questions; their files are named by their topics.
    names: [
      page.title,
      ...(page.kind === "chapter" ? [page.address.match(/\d_(\w+)/)[1].replace(/_/g, " ")] : [])
    ].map(words),
    code: words(page.code),
    places: page.texts.map(([anchor, heading, text]) => ({
      anchor,
      text,
      heading: heading || anchor,
      names: (heading || anchor).split(", ").map(words),
      words: words(text)
    }))
  }));

  // What one part of a query finds on one page: {title, places: [{heading, hits}], code}.
  const look = (page, part) => ({
    title: headed(page.names, part),
    places: page.places.map((place) => ({
      heading: headed(place.names, part),
      hits: hits(place.words, part)
    })),
    code: hits(page.code, part).length
  });
  const has = (found) =>
    found.title || found.code || found.places.some(({ heading, hits }) => heading || hits.length);
  const count = (hits) => sum(hits.map((hit) => hit.fit));

  // All pages that have every part of a query, or if none has, those that have most: the best come first.
  function search(asked) {
    const looks = pages.map((page) => asked.map((part) => look(page, part)));
    const most = Math.max(...looks.map((found) => found.filter(has).length));
    if (!most) return { most, results: [] };
    // A word that every page has tells little.
    const rare = asked.map(
      (_, k) =>
        0.1 + Math.log(pages.length / Math.max(1, looks.filter((found) => has(found[k])).length))
    );
    const whole = asked.length > 1 ? asked.flat() : null; // side by side, the words are worth more
    const name = asked.length === 1 && asked[0].some((word) => word.includes("_"));
    const results = pages.flatMap((page, n) => {
      if (looks[n].filter(has).length < most) return [];
      const found = [...looks[n], ...(whole ? [look(page, whole)] : [])];
      const weight = [...rare, ...(whole ? [sum(rare)] : [])];
      const places = page.places
        .map((place, i) => ({
          ...place,
          full: looks[n].every(({ places }) => places[i].heading),
          marks: looks[n].map(({ places }) => places[i].hits),
          score: sum(
            found.map(
              ({ places }, k) =>
                weight[k] * (20 * places[i].heading + 4 * often(count(places[i].hits)))
            )
          )
        }))
        .filter(({ score }) => score);
      const score =
        (WEIGHT[page.kind] ?? 0.8) *
        sum(
          found.map(
            ({ title, places }, k) =>
              weight[k] *
              (40 * title +
                20 * Math.max(...places.map(({ heading }) => heading)) +
                4 * often(sum(places.map(({ hits }) => count(hits)))))
          )
        );
      const exact = whole && found.at(-1).places.some(({ heading }) => heading > 0.8);
      return [
        { page, score, exact, asked, rare, places: places.sort((a, b) => b.score - a.score) }
      ];
    });
    // Prose comes before the library, unless the library has a name that is written so in code; a heading
    // that says little more than several words is as good as prose.
    const turn = ({ page, places, exact }) => {
      if (page.kind !== "library" || exact) return 1;
      return name && places.some(({ full }) => full) ? 0 : 2;
    };
    results.sort((a, b) => turn(a) - turn(b) || b.score - a.score);
    return { most, results };
  }

  // --- What a reader sees ---------------------------------------------------------------------------

  // A text with what was found in it marked.
  function marked(text, hits) {
    const shown = document.createDocumentFragment();
    let end = 0;
    for (const { from, to } of [...hits].sort((a, b) => a.from - b.from)) {
      if (from < end) continue;
      shown.append(text.slice(end, from), make("mark", {}, text.slice(from, to)));
      end = to;
    }
    shown.append(text.slice(end));
    return shown;
  }

  // The sentence of a place that has most of what was asked, shortened around it; the first, if it has
  // less than the heading.
  function sentence({ text, marks, full }, rare) {
    const lines = [...text.matchAll(/[^\n]+/g)].map(({ 0: line, index }) => {
      const inside = marks.map((hits) =>
        hits.filter(({ from, to }) => from >= index && to <= index + line.length)
      );
      const row = line.includes(" · "); // of a table, which is read less well
      const score =
        (row ? 0.5 : 1) *
        sum(inside.map((hits, k) => rare[k] * Math.max(0, ...hits.map((hit) => hit.fit))));
      return { line, index, row, score, found: inside.filter((hits) => hits.length).length };
    });
    const best = Math.max(...lines.map(({ score }) => score));
    const whole = !full || lines.some(({ found }) => found === marks.length);
    const at = lines.findIndex(({ score }) => !whole || score === best);
    if (at < 0) return "";
    // A short one is understood with the one before it.
    const start =
      at && lines[at].line.length < 60 && !lines[at].row ? lines[at - 1].index : lines[at].index;
    const line = text.slice(start, lines[at].index + lines[at].line.length).replace("\n", " ");
    const hits = marks
      .flat()
      .filter(({ from, to }) => from >= start && to <= start + line.length)
      .map(({ from, to }) => ({ from: from - start, to: to - start }));
    if (line.length <= 240) return marked(line, hits);
    const middle = hits.length ? Math.min(...hits.map(({ from }) => from)) : 0;
    const from = middle < 160 ? 0 : line.indexOf(" ", middle - 100) + 1;
    const to = from + 220 >= line.length ? line.length : line.lastIndexOf(" ", from + 220);
    const within = hits
      .filter((hit) => hit.from >= from && hit.to <= to)
      .map((hit) => ({ from: hit.from - from, to: hit.to - from }));
    const shown = marked(line.slice(from, to), within);
    if (from) shown.prepend("… ");
    if (to < line.length) shown.append(" …");
    return shown;
  }

  // A page with its best places. One that has all of it in code alone begins with its first sentence.
  function shown({ page, asked, rare, places }) {
    const named = (text) =>
      marked(
        text,
        asked.flatMap((part) => hits(words(text), part))
      );
    const link = ({ anchor, heading }) =>
      make("a", { href: `${page.address}#${encodeURIComponent(anchor)}` }, named(heading));
    const item = make(
      "li",
      {},
      make("h2", {}, make("a", { href: page.address }, named(page.title)))
    );
    if (page.part) item.append(make("p", { class: "search-part" }, page.part));
    for (const place of places.slice(0, SHOWN)) {
      const text = make("p", {}, sentence(place, rare));
      if (place.anchor) text.prepend(link(place), make("br"));
      item.append(text);
    }
    if (!places.length)
      item.append(make("p", {}, "In the code of this page. ", page.texts[0][2].split("\n")[0]));
    const others = places.slice(SHOWN).filter(({ anchor }) => anchor);
    if (others.length) {
      const list = make("ul", {}, ...others.map((place) => make("li", {}, link(place))));
      const more = `${others.length} more ${others.length === 1 ? "place" : "places"} on this page`;
      item.append(make("details", {}, make("summary", {}, more), list));
    }
    return item;
  }

  // One sentence on what was found.
  function told(query, asked, { most, results }) {
    const short = query.length > 60 ? `${query.slice(0, 60)}…` : query;
    if (!query) return "Type a word or a number, and press Enter.";
    if (!asked.length) return `There is no letter and no digit in “${short}” to look for.`;
    if (!most) return `No page has “${short}”.`;
    const have = results.length === 1 ? "One page has" : `${results.length} pages have`;
    if (most < asked.length)
      return `No page has all of “${short}”; ${have.toLowerCase()} a part of it.`;
    return `${have} “${short}”.`;
  }

  const query = (new URLSearchParams(location.search).get("q") ?? "").trim();
  const asked = parts(query);
  const found = asked.length ? search(asked) : { most: 0, results: [] };
  const status = document.getElementById("search-status");
  status.textContent = told(query, asked, found);
  if (asked.length && !found.most)
    status.append(
      " The ",
      make("a", { href: "book/glossary.html" }, "glossary"),
      " lists the terms of this book."
    );
  document.getElementById("search-found").append(...found.results.map(shown));
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = document.querySelectorAll("input[name=q]");
  for (const field of fields) field.value = query;
  /** @type {HTMLInputElement} */
  const field = document.querySelector("main input[name=q]");
  field.setAttribute("aria-describedby", status.id); // whoever comes to the field hears what was found
  field.focus();
  field.select();
})();
