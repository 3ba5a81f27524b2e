// The colours of numbers on cells.

ttt.colours = (() => {
  "use strict";

  // ColorBrewer's YlGnBu for what runs from 0 up, and PuOr for what has two sides: both
  // run evenly in lightness, so they can be told apart without seeing hues.
  const SCALES = {
    one: ["ffffd9", "edf8b1", "c7e9b4", "7fcdbb", "41b6c4", "1d91c0", "225ea8", "253494", "081d58"],
    two: ["7f3b08", "b35806", "e08214", "fdb863", "fee0b6", "f7f7f7", "d8daeb", "b2abd2", "8073ac", "542788", "2d004b"],
  };
  const rgb = (hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const scaleOf = (low, high) => SCALES[low < 0 && high > 0 ? "two" : "one"];

  function colour(value, [low, high]) {
    const stops = scaleOf(low, high);
    const at = Math.min(1, Math.max(0, (value - low) / (high - low || 1))) * (stops.length - 1);
    const i = Math.min(Math.floor(at), stops.length - 2);
    const [one, two] = [rgb(stops[i]), rgb(stops[i + 1])];
    return one.map((c, k) => Math.round(c + (at - i) * (two[k] - c)));
  }

  // Black or white, whichever reads better: relative luminance of WCAG 2.
  function inkOn(channels) {
    const [r, g, b] = channels.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
  }

  return { scaleOf, colour, inkOn };
})();
