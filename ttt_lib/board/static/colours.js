// The colours of numbers on cells: whose good a number is, and how much of it.

ttt.colours = (() => {
  "use strict";

  const { other } = ttt.game;

  const NARROW = 1 / 4; // a smaller share of the range than that is shown stretched

  // How the numbers of the cells, seen by the player `mark`, become colours. `limits` are
  // the ends of what they could be; 0 is neutral where it lies between them. `still` is for
  // numbers that change under the eye: then the colours are never stretched.
  //   low, high   where the colours begin and end
  //   stretched   whether that is at the least and the largest number of these
  //   tone(v)     {mark, share}: the colour of X or O over the surface, from 0 to 1 of it
  function scale(numbers, [low, high], mark, still = false) {
    const least = Math.min(...numbers),
      largest = Math.max(...numbers);
    const stretched = !still && largest > least && largest - least < NARROW * (high - low);
    if (stretched) [low, high] = [least, largest];
    const neutral = !stretched && low < 0 && high > 0 ? 0 : low;
    const tone = (value) => ({
      mark: value < neutral ? other(mark) : mark,
      share: Math.min(
        1,
        Math.abs(value - neutral) / ((value < neutral ? neutral - low : high - neutral) || 1)
      )
    });
    return { low, high, stretched, tone };
  }

  return { scale };
})();
