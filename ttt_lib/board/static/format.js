// Formatting of numbers and lists, as in the library.
//
// This is the first script. Each script adds one namespace to `ttt` and uses those loaded
// before it. They are classic scripts, because modules do not load from file://.

// In a notebook each board has its own copy.
var ttt = {};

ttt.format = (() => {
  "use strict";

  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  const list = (items) =>
    items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

  const cellsNamed = (cells) => `cell${cells.length > 1 ? "s" : ""} ${list(cells)}`;

  // Three decimals, rounding half to even as Python does. Only odd multiples of 1/16 are ties.
  function fixed(x) {
    const sixteenths = x * 16;
    let text = x.toFixed(3);
    if (Number.isInteger(sixteenths) && sixteenths % 2 !== 0) {
      const low = Math.floor(x * 1000);
      text = ((low % 2 === 0 ? low : low + 1) / 1000).toFixed(3);
    }
    return /^-0\.000$/.test(text) ? "0.000" : text.replace("-", "−");
  }

  const signed = (x) => ["−1", "0", "+1"][Math.sign(x) + 1];

  // As in 1,000; toLocaleString is many times slower.
  const { format: count } = new Intl.NumberFormat("en");

  const minus = (x) => String(x).replace("-", "−");

  // A number with its noun, as in 1 game or 1,000 games.
  const many = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

  return { capital, list, cellsNamed, fixed, signed, count, minus, many };
})();
