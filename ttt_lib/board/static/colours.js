// Colour scales of numbers on cells: which side a number favours, and how much.

ttt.colours = (() => {
  "use strict";

  const { other } = ttt.game;

  const NARROW = 1 / 4; // numbers within a smaller share of the range get a stretched scale

  // The colour scale of numbers on cells, from the view of `mark`. [low, high] are the
  // smallest and largest possible numbers, and a third is neutral; without it 0 is, if it
  // lies between them. With `still`, for numbers that change while they are shown, it is
  // never stretched.
  //   low, high   the ends of the scale
  //   stretched   whether these are the smallest and the largest of the numbers
  //   tone(v)     {mark, share}: the colour of X or O over the surface, from 0 to 1 of it
  function scale(numbers, [low, high, middle = 0], mark, still = false) {
    const smallest = Math.min(...numbers),
      largest = Math.max(...numbers);
    const stretched = !still && largest > smallest && largest - smallest < NARROW * (high - low);
    if (stretched) [low, high] = [smallest, largest];
    const neutral = !stretched && low < middle && high > middle ? middle : low;
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
