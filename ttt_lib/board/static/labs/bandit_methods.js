// The bandit of chapter 6: nine openings, after which both players move at random, methods to
// choose among them, and their regret in many runs.
//
// Each game uses three random numbers: whether to explore, which of equal arms to take, and
// how the game ends. All methods use all three, so that they can be compared on the same
// random numbers.

ttt.bandits = (() => {
  "use strict";

  const { winDrawLoss } = ttt.policy;
  const NEVER = 99; // the bound of an untried arm: above all others

  // The arms: win, draw and loss of the first player after each opening if all later moves
  // are random, and its value.
  function openings(game) {
    const { random } = game.policies,
      table = winDrawLoss(game, random, random);
    return Array.from({ length: game.first[1] }, (_, i) => {
      const [win, draw, loss] = table.subarray(3 * game.successor[i], 3 * game.successor[i] + 3);
      return { win, draw, loss, value: win - loss };
    });
  }

  // The result of an arm: +1, 0 or −1.
  function result({ win, draw }, ending) {
    if (ending < win) return 1;
    return ending < win + draw ? 0 : -1;
  }

  // An arm with the largest value; `which` from 0 to 1 breaks ties. It makes no arrays, and
  // the methods below have plain loops, because a page plays a million games.
  function best(values, which) {
    let most = -Infinity,
      ties = 0;
    for (const value of values) most = value > most ? value : most;
    for (const value of values) if (value > most - 1e-9) ties++;
    let before = Math.floor(which * ties);
    for (let a = 0; a < values.length; a++) if (values[a] > most - 1e-9 && before-- === 0) return a;
  }

  // ---- methods: functions of a bandit, `explore` and `which`

  // At random with probability ε, else greedily.
  const greedily =
    (epsilon) =>
    ({ Q }, explore, which) =>
      explore < epsilon ? Math.floor(Q.length * which) : best(Q, which);

  // The upper confidence bounds of all arms in game t.
  function upperBounds(c, { Q, N, t }) {
    const bounds = new Float64Array(Q.length),
      log = Math.log(t);
    for (let a = 0; a < Q.length; a++)
      bounds[a] = N[a] > 0 ? Q[a] + c * Math.sqrt(log / N[a]) : NEVER;
    return bounds;
  }

  // Greedily, with a bonus for arms that have been tried seldom.
  const ucb = (c) => (bandit, explore, which) => best(upperBounds(c, bandit), which);

  // With probabilities ∝ exp(Q / temperature).
  const softmax =
    (temperature) =>
    ({ Q }, explore, which) => {
      const p = new Float64Array(Q.length);
      let most = -Infinity, // subtracted so that exp cannot overflow; p stays the same
        total = 0,
        below = 0;
      for (const q of Q) most = q > most ? q : most;
      for (let a = 0; a < Q.length; a++) total += p[a] = Math.exp((Q[a] - most) / temperature);
      for (let a = 0; a < Q.length; a++) if (which < (below += p[a] / total)) return a;
      return 0; // if rounding leaves a gap below 1, as in the chapter
    };

  // ---- playing

  // A new bandit learner. An optimistic one begins with a larger estimate, as if it were the
  // mean of `weight` games.
  const newBandit = (arms, initial = 0, weight = 0) => ({
    arms,
    t: 1,
    regret: 0,
    Q: new Float64Array(arms.length).fill(initial),
    N: new Float64Array(arms.length).fill(weight),
    most: Math.max(...arms.map(({ value }) => value))
  });

  const drawThree = (rng) => [rng.random(), rng.random(), rng.random()];

  // Play game number t, and learn from it. For a person, `choose` is () => a.
  function pull(bandit, choose, [explore, which, ending]) {
    const { arms, Q, N, most } = bandit,
      a = choose(bandit, explore, which);
    const r = result(arms[a], ending),
      old = Q[a];
    N[a] += 1;
    Q[a] += (r - old) / N[a];
    bandit.t += 1;
    bandit.regret += most - arms[a].value;
    return { a, r, old, new: Q[a], alpha: 1 / N[a] };
  }

  // ---- many runs

  // The regret of each method in one run with the same `draws`, a row of three random numbers
  // for each game; a list for each method, after each of the numbers of games in `at`.
  function regrets(arms, methods, draws, at) {
    const last = at.at(-1);
    return methods.map(({ choose, begins }) => {
      const bandit = newBandit(arms, ...begins),
        path = [0];
      for (let t = 0; t < last; t++) {
        pull(bandit, choose, draws[t]);
        path.push(bandit.regret);
      }
      return at.map((n) => path[n]);
    });
  }

  // Of a sample: its mean with half of the 95 % interval, and its quartiles.
  function summary(sample) {
    const n = sample.length,
      mean = sample.reduce((sum, x) => sum + x) / n,
      variance = sample.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
    const sorted = Float64Array.from(sample).sort();
    const quantile = (share) => {
      const place = share * (n - 1),
        low = Math.floor(place),
        high = Math.ceil(place);
      return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
    };
    return {
      mean,
      half: 1.96 * Math.sqrt(variance / n),
      low: quantile(0.25),
      high: quantile(0.75)
    };
  }

  return {
    openings,
    best,
    upperBounds,
    greedily,
    ucb,
    softmax,
    newBandit,
    drawThree,
    pull,
    regrets,
    summary
  };
})();
