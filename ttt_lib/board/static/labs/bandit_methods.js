// The bandit of chapter 6, as its cells have it: nine openings, after which both players
// move at random, and four ways to choose among them.
//
// Three numbers of luck go into each game: whether to explore, which arm if there is a
// choice, and how the game ends. All ways draw all three, so that they can be compared on
// equal luck.

ttt.bandits = (() => {
  "use strict";

  const { winDrawLoss } = ttt.policy;
  const NEVER = 99; // what an arm that was never tried is worth: more than all others

  // The arms: win, draw and loss of the first player after each opening if all later moves
  // are random, and what it is worth.
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
    const least = Math.max(...Q) - 1e-9,
      winners = [];
    for (let a = 0; a < Q.length; a++) if (Q[a] > least) winners.push(a);
    return winners[Math.floor(which * winners.length)];
  }

  // ---- ways to choose: functions of a bandit, `explore` and `which`

  // At random with probability epsilon(t) in game t, else greedily.
  const greedily =
    (epsilon) =>
    ({ Q, t }, explore, which) =>
      explore < epsilon(t) ? Math.floor(Q.length * which) : best(Q, which);

  const always = (epsilon) => greedily(() => epsilon);

  // Greedily, with a bonus for what has been tried seldom.
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
      const most = Math.max(...Q); // subtracted, it changes nothing, and exp cannot overflow
      const p = Q.map((q) => Math.exp((q - most) / temperature));
      const total = p.reduce((sum, x) => sum + x);
      let below = 0;
      // Where rounding leaves a gap below 1, it belongs to arm 0, as in the chapter.
      return Math.max(
        p.findIndex((x) => which < (below += x / total)),
        0
      );
    };

  // ---- playing

  // A learner that has seen no game. An optimistic one begins with a larger estimate, as if
  // it were the mean of `weight` games.
  const newBandit = (arms, initial = 0, weight = 0) => ({
    arms,
    t: 1,
    regret: 0,
    Q: new Float64Array(arms.length).fill(initial),
    N: new Float64Array(arms.length).fill(weight),
    most: Math.max(...arms.map(({ value }) => value))
  });

  const drawThree = (rng) => [rng.random(), rng.random(), rng.random()];

  // Play one game, number t, and learn from it. A person chooses by () => a.
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
