// Numbers and lists in words, written as the library writes them.
//
// The first of the scripts: each puts what it holds into `ttt`, under its own name,
// and takes from those before it. They are classic scripts, so that a page works that
// was opened from a file.

// In a notebook each board has its own.
var ttt = {};

ttt.format = (() => {
  "use strict";

  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  const list = (words) =>
    words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

  const cellsNamed = (cells) => `cell${cells.length > 1 ? "s" : ""} ${list(cells)}`;

  // Three decimals, a tie to the even digit. Only odd multiples of 1/16 are ties.
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

  // As 1,000; toLocaleString takes many times as long.
  const { format: count } = new Intl.NumberFormat("en");

  const minus = (x) => String(x).replace("-", "−");

  // How many, as 1 game or 1,000 games.
  const many = (n, one, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

  return { capital, list, cellsNamed, fixed, signed, count, minus, many };
})();
