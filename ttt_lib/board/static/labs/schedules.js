// Schedules of step sizes and exploration, as in `ttt_lib/schedules.py`. A schedule is
// {kind, start, end, rate}.

ttt.schedules = (() => {
  "use strict";

  const [CONSTANT, LINEAR, EXPONENTIAL, BY_GAMES, BY_VISITS] = Array(5).keys();

  const constant = (value) => ({ kind: CONSTANT, start: value, end: value, rate: 0 });
  const linear = (start, end, games) => ({ kind: LINEAR, start, end, rate: 1 / games });
  const exponential = (start, end, games) => ({ ...linear(start, end, games), kind: EXPONENTIAL });
  const power = (start = 1, exponent = 1, by = "visits") => ({
    kind: by === "games" ? BY_GAMES : BY_VISITS,
    start,
    end: 0,
    rate: exponent
  });

  // The value of a schedule after `games` games, at visit number `visits`.
  function scheduled({ kind, start, end, rate }, games, visits) {
    if (kind === CONSTANT) return start;
    if (kind === BY_VISITS) return start * Math.max(visits, 1) ** -rate;
    if (kind === BY_GAMES) return start * (games + 1) ** -rate;
    const left = Math.max(1 - games * rate, 0); // share of the way that remains
    if (kind === LINEAR) return left * start + (1 - left) * end;
    return start ** left * end ** (1 - left);
  }

  // Parse a schedule, as on the command line of `ttt train`. Throws an Error if it is
  // invalid, or leaves the range from 0 to 1.
  const MAKERS = {
    constant: [constant, 1],
    "1/n": [power, 0],
    linear: [linear, 3],
    exponential: [exponential, 3],
    power: [power, 2]
  };
  function read(text) {
    let [maker, ...numbers] = text.trim().split(/[:,]/);
    if (!Object.hasOwn(MAKERS, maker)) [maker, numbers] = ["constant", [maker, ...numbers]];
    const [make, wanted] = MAKERS[maker];
    const values = numbers.map((each) => (each.trim() === "" ? NaN : Number(each)));
    if (values.length !== wanted || !values.every(Number.isFinite)) {
      throw Error(
        `“${text}” is not a schedule: give a number such as 0.5, 1/n, linear:START:END:GAMES, ` +
          "exponential:START:END:GAMES, or power:START:EXPONENT."
      );
    }
    const least = maker === "exponential" ? Number.MIN_VALUE : 0;
    if (!values.slice(0, maker === "power" ? 1 : 2).every((x) => x >= least && x <= 1)) {
      throw Error(`“${text}”: give values between 0 and 1, such as 0.5.`);
    }
    const games = values[2] ?? 1,
      exponent = maker === "power" ? values[1] : 0;
    if (!Number.isInteger(games) || games < 1)
      throw Error(`“${text}”: give a whole number of games from 1 up.`);
    if (exponent < 0) throw Error(`“${text}”: give an exponent of 0 or more.`);
    return make(...values);
  }

  return { scheduled, read };
})();
