// Everything that the book keeps in this browser: one JSON object under one key of the storage.
// Nothing else writes there, except the theme (its colour mode).
globalThis.bookStore = (() => {
  "use strict";

  const KEY = "three-in-a-row",
    VERSION = 1;

  // The items, name → value. What cannot be read counts as nothing, and a newer format is not
  // overwritten.
  function load() {
    try {
      const { version, items } = JSON.parse(localStorage.getItem(KEY)) ?? { version: VERSION };
      return version === VERSION ? { items: Object(items) } : { items: {}, foreign: true };
    } catch {
      return { items: {} };
    }
  }

  // Whether items will still be there tomorrow: not if a replacement stands for the storage.
  const lasts = () => localStorage instanceof Storage;

  // Change the items; return whether they are kept.
  function change(act) {
    const { items, foreign } = load();
    if (foreign) return false;
    act(items);
    try {
      localStorage.setItem(KEY, JSON.stringify({ version: VERSION, items }));
      return lasts();
    } catch {
      return false; // it is full
    }
  }

  const get = (name) => load().items[name];
  const names = () => Object.keys(load().items);
  const set = (name, value) => change((items) => (items[name] = value));
  const remove = (name) => change((items) => delete items[name]);

  // All items as a text, for a file.
  const exported = () =>
    JSON.stringify({ book: KEY, version: VERSION, items: load().items }, null, 1);

  // Add the items of such a text; those of the same name are replaced. Return their number, or
  // throw an Error with one sentence.
  function imported(text) {
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      data = null;
    }
    if (data?.book !== KEY || typeof data.items !== "object" || data.items === null)
      throw Error("This file does not come from this book: choose one that “Save to a file” made.");
    if (data.version !== VERSION)
      throw Error(`This file has the format ${data.version}; this book reads format ${VERSION}.`);
    change((items) => Object.assign(items, data.items));
    return Object.keys(data.items).length;
  }

  function forget() {
    localStorage.removeItem(KEY);
  }

  // The page in names of items: its address below the root of the book, so that a file and a
  // server agree.
  const depth = (document.documentElement.dataset.content_root ?? "./").split("../").length;
  const page = location.pathname
    .split("/")
    .slice(-depth)
    .join("/")
    .replace(/\.html$/, "");

  // The switches of a reader, before the page is drawn.
  const { dataset } = document.documentElement;
  dataset.guess = get("switch guess") ?? "first";
  dataset.code = get("switch code") ?? "folded";

  return { get, set, remove, names, exported, imported, forget, lasts, page };
})();
