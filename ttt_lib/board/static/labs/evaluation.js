// Exact scores of a policy against random moves and against its worst opponent, as in
// `ttt_lib/evaluation.py`; values of ε-soft optimal play, as in `ttt_lib/studies/parts.py`.

ttt.evaluation = (() => {
  "use strict";

  const { winDrawLoss, seenBy } = ttt.policy;

  // Values of the best among all players that move at random with probability ε, for a side
  // against a fixed opponent: V of positions, and q of that side's moves. A win counts +1, a
  // draw 0 and a loss −1.
  function softOptimum({ size, first, successor, toMove, outcome }, opponent, side, epsilon) {
    const V = new Float64Array(size),
      q = new Float64Array(successor.length);
    for (let s = size - 1; s >= 0; s--) {
      const start = first[s],
        end = first[s + 1];
      if (start === end) {
        V[s] = side * outcome[s]; // the library has the reward on the transition, and V = 0 here
        continue;
      }
      let expected = 0,
        sum = 0,
        largest = -Infinity;
      for (let i = start; i < end; i++) {
        const worth = V[successor[i]];
        if (toMove[s] === side) q[i] = worth;
        expected += opponent[i] * worth;
        sum += worth;
        if (worth > largest) largest = worth;
      }
      V[s] =
        toMove[s] === side ? (1 - epsilon) * largest + (epsilon * sum) / (end - start) : expected;
    }
    return { V, q };
  }

  // V of the exact best response of a side.
  const bestResponse = (game, opponent, side) => softOptimum(game, opponent, side, 0).V;

  // Exact V of each position for a side: its return under its own policy against an
  // opponent's. γ discounts per decision.
  function valuesOf(
    { size, first, successor, toMove, outcome },
    policy,
    opponent,
    side,
    gamma,
    rewards
  ) {
    const V = new Float64Array(size);
    const over = (s) => first[s] === first[s + 1];
    for (let s = size - 1; s >= 0; s--) {
      const own = toMove[s] === side,
        discount = own ? 1 : gamma;
      for (let i = first[s]; i < first[s + 1]; i++) {
        const next = successor[i];
        V[s] +=
          (own ? policy : opponent)[i] *
          (over(next) ? rewards[1 - side * outcome[next]] : discount * V[next]);
      }
    }
    return V;
  }

  // Win, draw and loss of a policy against random moves, and its value against its worst
  // opponent; for side 0, the means of both sides.
  function scores(game, policy, side) {
    const { random } = game.policies,
      sides = side === 0 ? [1, -1] : [side];
    const all = sides.map((one) => {
      const table =
        one === 1 ? winDrawLoss(game, policy, random) : winDrawLoss(game, random, policy);
      return [...seenBy(one, table, 0), -bestResponse(game, policy, -one)[0]];
    });
    const [win, draw, loss, worst] = [0, 1, 2, 3].map(
      (k) => all.reduce((sum, row) => sum + row[k], 0) / all.length
    );
    return { win, draw, loss, worst: worst + 0, random: win - loss };
  }

  return { softOptimum, bestResponse, valuesOf, scores };
})();
