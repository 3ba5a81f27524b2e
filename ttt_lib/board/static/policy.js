// Policies as probabilities of packed moves, as in `ttt_lib/policy.py`; results of two
// policies, as in `ttt_lib/evaluation.py`; intervals, as in `ttt_lib/sampling.py`.

ttt.policy = (() => {
  "use strict";

  const { terminal } = ttt.game;
  const LEARNED_ATOL = 1e-9; // action values closer than this are equal

  // All legal moves equally likely.
  const uniform = (game) => greedy(game, new Float64Array(game.action.length));

  // The greedy policy of q. Ties: "uniform" shares the probability among the best moves,
  // "lowest" takes the lowest cell.
  function greedy({ size, first }, q, ties = "uniform") {
    const policy = new Float64Array(q.length);
    for (let s = 0; s < size; s++) {
      let largest = -Infinity,
        best = [];
      for (let i = first[s]; i < first[s + 1]; i++) largest = Math.max(largest, q[i]);
      for (let i = first[s]; i < first[s + 1]; i++)
        if (q[i] >= largest - LEARNED_ATOL) best.push(i);
      if (ties === "lowest") best = best.slice(0, 1);
      for (const i of best) policy[i] = 1 / best.length;
    }
    return policy;
  }

  // The policy that follows `policy` with probability p at each move, else `rest`.
  const mixture = (p, policy, rest) => policy.map((x, i) => p * x + (1 - p) * rest[i]);

  // Sample a move of s from a policy with `rng`.
  function sampleAction({ first }, policy, s, rng) {
    const last = first[s + 1] - 1;
    let threshold = rng.random(),
      i = first[s];
    while (i < last && threshold >= policy[i]) threshold -= policy[i++];
    return i;
  }

  // Win, draw and loss of the first player from every position, three numbers each,
  // exactly: one backward sweep.
  function winDrawLoss(game, one, two) {
    const { first, successor, toMove, outcome } = game;
    const result = new Float64Array(3 * game.size);
    for (let s = game.size - 1; s >= 0; s--) {
      if (terminal(game, s)) {
        result[3 * s + 1 - outcome[s]] = 1;
        continue;
      }
      const policy = toMove[s] === 1 ? one : two;
      for (let i = first[s]; i < first[s + 1]; i++) {
        for (let k = 0; k < 3; k++) result[3 * s + k] += policy[i] * result[3 * successor[i] + k];
      }
    }
    return result;
  }

  // Win, draw and loss for a side from s, in a table of `winDrawLoss`.
  function seenBy(side, table, s) {
    const three = [table[3 * s], table[3 * s + 1], table[3 * s + 2]];
    return side === 1 ? three : three.reverse();
  }

  // The Wilson score interval of a proportion; z is the number of standard errors.
  function wilson(successes, n, z = 1.959964) {
    const share = successes / n;
    const centre = (share + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
    const half =
      (z * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2))) / (1 + z ** 2 / n);
    return [centre - half, centre + half];
  }

  return { LEARNED_ATOL, uniform, greedy, mixture, sampleAction, winDrawLoss, seenBy, wilson };
})();
