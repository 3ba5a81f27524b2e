/* global MiniSearch, SEARCH_TEXTS */
// Search page: MiniSearch finds the places that match a query, and this script lists them.
// `SEARCH_TEXTS` has the pages in the order of the book, each with its places: sections, boxes,
// terms of the glossary, names of the library. A page is listed once, with its best places.
(() => {
  // A word or number; numbers may contain commas and a point.
  const WORD = /(\d{1,3}(?:,\d{3})+(?!\d)|\d+\.\d+|[\p{L}\p{M}\p{N}_]+)/u;
  const GREEK = new Map(
    Object.entries({
      α: "alpha",
      β: "beta",
      γ: "gamma",
      δ: "delta",
      ε: "epsilon",
      λ: "lambda",
      π: "pi",
      τ: "tau"
    })
  );
  // Weights of the parts of the book: explanations come before lists.
  const WEIGHT = {
    "": 0.8, // the front page
    "Closer looks": 0.3,
    Reference: 0.22,
    "The library": 0.2
  };
  const LAST = "About the book";
  const MAX_QUERY = 200; // characters of a query that are used
  const MAX_SENTENCE = 240; // characters that are shown
  const SHOWN = 3; // places of a page; the others are folded

  const words = (text) => text.split(WORD).filter((_, n) => n % 2);

  // The stem of a word: the same for value, values, valued.
  function stem(word) {
    if (word.length < 4 || /[\d_]/.test(word)) return word;
    return word
      .replace(/ies$/, "y")
      .replace(/(?<!s)s$/, "")
      .replace(/(?<=\w{3})(ed|ing)$/, "")
      .replace(/(?<=\w{2})e$/, "")
      .replace(/y$/, "i");
  }

  // The normalised form of a word: stem, without case, accents and commas between digits.
  function term(word) {
    const bare = word
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{M}|,|_$/gu, "");
    return stem(GREEK.get(bare) ?? bare);
  }
  const joined = (text) => words(text).map(term).join("");

  // In titles and headings, pairs of words are also joined: “qlearning” finds Q-learning.
  function tokenize(text, field) {
    const all = words(text);
    if (field === "text" || field === "code") return all;
    return [...all, ...all.slice(1).map((word, n) => all[n] + word)];
  }

  const places = SEARCH_TEXTS.flatMap((page) => {
    // The titles of chapters are questions; the names of their files are topics.
    const topic = page.address.match(/(?:\d+_)?(\w+)\.html$/)[1].replace(/_/g, " ");
    page.names = [page.title, topic].map(joined);
    return page.texts.map(([anchor, name, text], n) => ({
      page,
      anchor,
      text,
      heading: name || anchor,
      names: (name || anchor).split(/, |\./).map(joined), // a term may have several
      ...(n ? {} : { title: `${page.title} / ${topic}`, code: page.code })
    }));
  });
  const index = new MiniSearch({
    fields: ["title", "heading", "text", "code"],
    tokenize,
    processTerm: term,
    searchOptions: {
      boost: { title: 6, heading: 3, code: 0.3 },
      boostDocument: (id) =>
        (WEIGHT[places[id].page.part] ?? 1) * (places[id].heading.startsWith("Exercise") ? 0.5 : 1),
      prefix: (word) => word.length > 2 && !/\d/.test(word),
      processTerm: (word) => word
    }
  });
  index.addAll(places.map((place, id) => ({ ...place, id })));

  const all = ({ title, heading, text }) => [title, heading, text].join("\n");

  // The share of a heading that the query makes up, from 0 to 1.
  const share = (names, whole) =>
    Math.max(...names.map((name) => (name.includes(whole) ? whole.length / name.length : 0)));

  // The pages with every word of a query, or, if there are none, with most of its words: first pages of
  // that name, then by score. If nothing is found, similar words match, too.
  function search(query, fuzzy = false) {
    const queryWords = [...new Set(words(query).map(term))];
    const parts = query.replace(/[“”]/g, '"').split('"');
    const phrases = parts.filter((_, n) => n % 2).map(joined);
    const whole = joined(query);
    const hits = index
      .search(query, {
        tokenize: () => queryWords,
        fuzzy: (word) => fuzzy && word.length > 3 && !/\d/.test(word) && 0.2,
        filter: ({ id }) => phrases.every((phrase) => joined(all(places[id])).includes(phrase))
      })
      .map(({ id, score, ...hit }) => {
        const place = places[id];
        return { ...hit, place, score: score * (1 + 3 * share(place.names, whole)) };
      })
      .sort((a, b) => b.score - a.score);
    const pages = new Map();
    for (const hit of hits) {
      const { page } = hit.place;
      pages.set(page, [...(pages.get(page) ?? []), hit]);
    }
    const found = [...pages].map(([page, its]) => ({
      page,
      hits: its,
      most: new Set(its.flatMap(({ queryTerms }) => queryTerms)).size,
      turn: page.names.includes(whole) ? 1 : -Number(page.part === LAST),
      terms: new Set(its.flatMap(({ terms }) => terms))
    }));
    const most = Math.max(0, ...found.map((result) => result.most));
    if (most < queryWords.length && !fuzzy) return search(query, true);
    const results = found.filter((result) => result.most === most);
    results.sort((a, b) => b.turn - a.turn || b.hits[0].score - a.hits[0].score);
    return { queryWords, fuzzy, most, results };
  }

  // --- The list of results --------------------------------------------------------------------------

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  // A text with the matches marked.
  function marked(text, terms) {
    const parts = text.split(WORD);
    const has = (word) => terms.has(term(word));
    const pair = (one, other) => !has(one) && !has(other) && has(one + other);
    const isFound = (n) =>
      n % 2 &&
      (has(parts[n]) || pair(parts[n], parts[n + 2] ?? "") || pair(parts[n - 2] ?? "", parts[n]));
    return parts.map((part, n) => (isFound(n) ? make("mark", {}, part) : part));
  }

  // The sentence of a place with most of the words of the query, shortened around them.
  function sentence({ place, match }, terms) {
    const fields = Object.values(match).flat();
    if (fields.every((field) => field === "code")) return ["In the code of this page."];
    const isFound = (word) => terms.has(term(word));
    const found = (line) => {
      const there = new Set(words(line).filter(isFound).map(term));
      return there.size * (line.includes(" · ") ? 0.5 : 1); // a row of a table counts less than a sentence
    };
    const line = place.text
      .split("\n")
      .reduce((best, next) => (found(next) > found(best) ? next : best));
    if (line.length <= MAX_SENTENCE) return marked(line, terms);
    const at = line.indexOf(words(line).find(isFound));
    const from = at < MAX_SENTENCE / 2 ? 0 : line.indexOf(" ", at - MAX_SENTENCE / 2) + 1;
    const rest = line.slice(from);
    const short = rest.length > MAX_SENTENCE;
    const part = short ? rest.slice(0, rest.lastIndexOf(" ", MAX_SENTENCE)) : rest;
    return [from ? "… " : "", ...marked(part, terms), short ? " …" : ""];
  }

  // A page with its best places; the others are folded.
  function shown({ page, hits, terms }) {
    const link = ({ place: { anchor, heading } }) =>
      make(
        "a",
        { href: `${page.address}#${encodeURIComponent(anchor)}` },
        ...marked(heading, terms)
      );
    const title = make("a", { href: page.address }, ...marked(page.title, terms));
    const item = make("li", {}, make("h2", {}, title));
    if (page.part) item.append(make("p", { class: "search-part" }, page.part));
    for (const hit of hits.slice(0, SHOWN)) {
      const text = make("p", {}, ...sentence(hit, terms));
      if (hit.place.anchor) text.prepend(link(hit), make("br"));
      item.append(text);
    }
    const others = hits.slice(SHOWN).filter(({ place }) => place.anchor);
    if (others.length) {
      const list = make("ul", {}, ...others.map((hit) => make("li", {}, link(hit))));
      const more = `${others.length} more ${others.length === 1 ? "place" : "places"} on this page`;
      item.append(make("details", {}, make("summary", {}, more), list));
    }
    return item;
  }

  // One sentence about the results.
  function summary(query, { queryWords, fuzzy, most, results }) {
    const short = query.length > 60 ? `${query.slice(0, 60)}…` : query;
    if (!query) return "Type a word or a number.";
    if (!queryWords.length) return `There is no letter and no digit in “${short}” to look for.`;
    if (!most) return `No page has “${short}”.`;
    const have = results.length === 1 ? "One page has" : `${results.length} pages have`;
    if (most < queryWords.length) {
      return `No page has all of “${short}”; ${have.toLowerCase()} some of its words.`;
    }
    if (fuzzy) return `No page has “${short}”; ${have.toLowerCase()} similar words.`;
    return `${have} “${short}”.`;
  }

  const status = document.getElementById("search-status");
  function show(text) {
    const query = text.trim();
    const found = search(query.slice(0, MAX_QUERY).replace(/(?<=\d)\s(?=\d{3}(?!\d))/g, ","));
    status.textContent = summary(query, found);
    if (found.queryWords.length && !found.most) {
      const glossary = make("a", { href: "book/glossary.html" }, "glossary");
      status.append(" The ", glossary, " lists the terms of this book.");
    }
    document.getElementById("search-found").replaceChildren(...found.results.map(shown));
  }

  const query = new URLSearchParams(location.search).get("q") ?? "";
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = document.querySelectorAll("input[name=q]");
  for (const each of fields) each.value = query;
  const field = [...fields].find((each) => each.closest("main"));
  field.setAttribute("aria-describedby", status.id); // screen readers announce the result with the field
  field.addEventListener("input", () => show(field.value));
  show(query);
  field.focus();
  field.select();
})();
