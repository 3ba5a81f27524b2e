// The bandit of chapter 7: nine openings, after which both players move at random, and four
// methods to choose among them.
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

  // An arm with the largest estimate; `which` from 0 to 1 breaks ties.
  function best(Q, which) {
    const threshold = Math.max(...Q) - 1e-9,
      winners = [];
    for (let a = 0; a < Q.length; a++) if (Q[a] > threshold) winners.push(a);
    return winners[Math.floor(which * winners.length)];
  }

  // ---- methods: functions of a bandit, `explore` and `which`

  // At random with probability epsilon(t) in game t, else greedily.
  const greedily =
    (epsilon) =>
    ({ Q, t }, explore, which) =>
      explore < epsilon(t) ? Math.floor(Q.length * which) : best(Q, which);

  const always = (epsilon) => greedily(() => epsilon);

  // Greedily, with a bonus for arms that have been tried seldom.
  const ucb =
    (c) =>
    ({ Q, N, t }, explore, which) =>
      best(
        Q.map((q, a) => (N[a] > 0 ? q + c * Math.sqrt(Math.log(t) / N[a]) : NEVER)),
        which
      );

  // With probabilities ∝ exp(Q / temperature).
  const softmax =
    (temperature) =>
    ({ Q }, explore, which) => {
      const most = Math.max(...Q); // subtracted so that exp cannot overflow; p stays the same
      const p = Q.map((q) => Math.exp((q - most) / temperature));
      const total = p.reduce((sum, x) => sum + x);
      let below = 0;
      // If rounding leaves a gap below 1, it belongs to arm 0, as in the chapter.
      return Math.max(
        p.findIndex((x) => which < (below += x / total)),
        0
      );
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

  return { openings, result, best, greedily, always, ucb, softmax, newBandit, drawThree, pull };
})();
