// Readers for the settings of labs: each returns the canonical form of a text, or throws an
// Error that says what to do.

ttt.parsing = (() => {
  "use strict";

  const { count, minus } = ttt.format;
  const { find, signs } = ttt.game;
  const { entries, seatOf, nameOf, PERSON } = ttt.agents;

  const normalised = (text) => text.trim().replaceAll("−", "-");

  function numberIn(text, what, low, high) {
    const value = normalised(text) === "" ? NaN : Number(normalised(text));
    if (!(value >= low && value <= high)) {
      throw Error(
        `“${text}” is not a valid value for ${what}: give a number from ${minus(count(low))} to ${minus(count(high))}.`
      );
    }
    return value;
  }

  const number = (what, low, high) => (text) => String(numberIn(text, what, low, high));

  // A number, or an agent.
  const numberOrAgent = (what, low, high) => (text, lab) => {
    if (!Number.isNaN(Number(normalised(text)))) return number(what, low, high)(text);
    try {
      return player([])(text, lab);
    } catch {
      throw Error(
        `“${text}” is not a valid value for ${what}: give a number, or an agent of the book.`
      );
    }
  };

  const whole = (what, low, high) => (text) => {
    const value = numberIn(text, what, low, high);
    if (!Number.isInteger(value))
      throw Error(`“${text}” is not a valid value for ${what}: give a whole number.`);
    return String(value);
  };

  // As many numbers as there are names, with commas between them.
  const numbers = (names) => (text) => {
    const parts = text.split(",");
    if (parts.length !== names.length)
      throw Error(`“${text}”: give ${names.length} numbers with commas between them.`);
    return parts.map((part, k) => numberIn(part, names[k], -1e6, 1e6)).join(", ");
  };

  // A schedule from 0 to 1, or from above 0.
  const schedule =
    ({ above = false }) =>
    (text) => {
      const { start } = ttt.schedules.read(normalised(text));
      if (above && start === 0)
        throw Error("With a step size of 0 nothing is learnt: begin above 0.");
      return normalised(text);
    };

  // A player, by the grammar of names; `others` are additional names.
  const player =
    (others) =>
    (text, { packed }) => {
      const name = text.trim().toLowerCase().replaceAll(":", " ");
      if (others.includes(name)) return name;
      const agents = entries(packed.agents, {}).filter((entry) => entry.name !== PERSON);
      const seat = seatOf(agents, name);
      if (!seat)
        throw Error(
          `There is no player named “${text}”: give ${[...others, "random", "perfect", "teacher 0.9"].join(", ")}, or an agent of the book.`
        );
      return nameOf(
        agents.find((entry) => entry.name === seat.who),
        seat
      );
    };

  // A position as a text, X moving first.
  const board = (text, { game }) => signs(game, find(game, text, "X").s, "X").join("");

  // Settings shared by several labs.
  const REWARDS = {
    label: "Rewards of win, draw, loss",
    read: numbers(["a win", "a draw", "a loss"])
  };
  const LOOK = { label: "The board shows", view: true, read: board };

  // A mark: a number, and optionally another after a colon, as numbers; NaN if invalid.
  const mark = (text) => (/^\d+(:\d+)?$/.test(text) ? text.split(":").map(Number) : [NaN]);

  // Throw an error about settings that contradict each other, shown beside one of them.
  const reject = (setting, sentence) => {
    throw Object.assign(Error(sentence), { setting });
  };

  return {
    number,
    numberOrAgent,
    whole,
    numbers,
    schedule,
    player,
    board,
    REWARDS,
    LOOK,
    mark,
    reject
  };
})();
