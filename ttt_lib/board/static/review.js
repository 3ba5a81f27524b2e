// What players gave away: exact values, the best reply to an opponent, and the moves of a
// game after which a player could get less than before.

ttt.review = (() => {
  "use strict";

  const { cellsNamed, minus } = ttt.format;
  const { LEARNED_ATOL } = ttt.policy;

  const NUMBERS = ["first", "second", "third", "fourth", "fifth"];
  const GIVEN = { 1: "the win", 0: "the draw" };

  // The exact value of each position for the first player, if both play perfectly.
  function exactValues({ size, first, toMove, outcome, q }) {
    const V = Float64Array.from(outcome);
    for (let s = 0; s < size; s++) {
      const values = q.subarray(first[s], first[s + 1]);
      if (values.length) V[s] = toMove[s] * Math.max(...values);
    }
    return V;
  }

  // Win, draw and loss of the first player from every position, three numbers each, if one
  // side replies best to a policy of the other: it takes the moves with the most wins minus
  // losses, and of equal ones that with the most wins. Where the policy has no
  // probabilities, all moves are equally likely.
  function bestReply(game, policy, side) {
    const { size, first, successor, toMove, outcome } = game;
    const result = new Float64Array(3 * size);
    const won = (s, end = side) => result[3 * s + 1 - end];
    for (let s = size - 1; s >= 0; s--) {
      const start = first[s],
        end = first[s + 1];
      if (start === end) {
        result[3 * s + 1 - outcome[s]] = 1;
      } else if (toMove[s] === side) {
        let best = successor[start];
        for (let i = start + 1; i < end; i++) {
          const next = successor[i];
          const gain = won(next) - won(next, -side) - (won(best) - won(best, -side));
          if (gain > LEARNED_ATOL || (gain > -LEARNED_ATOL && won(next) > won(best))) best = next;
        }
        result.copyWithin(3 * s, 3 * best, 3 * best + 3);
      } else {
        const plays = policy.subarray(start, end).some((p) => p > 0);
        for (let i = start; i < end; i++) {
          const p = plays ? policy[i] : 1 / (end - start);
          for (let k = 0; k < 3; k++) result[3 * s + k] += p * result[3 * successor[i] + k];
        }
      }
    }
    return result;
  }

  // Wins minus losses of the first player, in a table of win, draw and loss.
  const valuesOf = (table) =>
    Float64Array.from({ length: table.length / 3 }, (_, s) => table[3 * s] - table[3 * s + 2]);

  // The moves of a side after which it could get less, in their order: {number, cell, before,
  // after, kept}: its number among the moves of this side, what the side could get before and
  // after it, and the cells that kept that. `path` has all positions of the game, and `value`
  // is that of positions for the first player.
  function losses(game, path, side, value) {
    const found = [];
    let number = 0;
    for (let t = 0; t + 1 < path.length; t++) {
      const s = path[t];
      if (game.toMove[s] !== side) continue;
      number++;
      const before = side * value[s],
        after = side * value[path[t + 1]];
      if (after >= before - LEARNED_ATOL) continue;
      const kept = [];
      let cell;
      for (let i = game.first[s]; i < game.first[s + 1]; i++) {
        if (side * value[game.successor[i]] >= before - LEARNED_ATOL) kept.push(game.action[i]);
        if (game.successor[i] === path[t + 1]) cell = game.action[i];
      }
      found.push({ ply: t, number, cell, before, after, kept });
    }
    return found;
  }

  const isWhole = (x) => Math.abs(x - Math.round(x)) < LEARNED_ATOL;
  const points = (x) => minus(isWhole(x) ? Math.round(x) : x.toFixed(2));
  const lost = ({ before, after }) => before - after;
  // What was lost, as the difference of the two numbers that are shown.
  function amount({ before, after }) {
    const [had, has] = [before, after].map((x) => Number(x.toFixed(2)));
    return had === has ? "less than 0.01" : (had - has).toFixed(2);
  }

  // One of the `losses` in a sentence; `whose` is "Your" or "Its".
  function told(whose, loss) {
    const { number, cell, before, after, kept } = loss;
    const move = `${whose} ${NUMBERS[number - 1]} move, cell ${cell}, gave away`;
    const against = whose === "Your" ? " against this opponent" : "";
    if (isWhole(before) && isWhole(after))
      return `${move} ${GIVEN[Math.round(before)]}: ${cellsNamed(kept)} kept it${against}.`;
    return (
      `${move} ${amount(loss)} points a game: ${cellsNamed(kept)} kept ${points(before)}, ` +
      `and after it best play gets ${points(after)} against this opponent.`
    );
  }

  const explained = (sentences) =>
    sentences.some((text) => text.includes("points"))
      ? [...sentences, "A win counts 1, a draw 0 and a loss −1."]
      : sentences;

  // What a player gave away: the first loss, and the largest if that came later.
  function summary(whose, found) {
    const [first] = found;
    const most = found.reduce((one, two) => (lost(two) > lost(one) + LEARNED_ATOL ? two : one));
    const { number, cell } = most;
    const later = `The ${NUMBERS[number - 1]}, cell ${cell}, cost more: ${amount(most)} points.`;
    return explained([told(whose, first), ...(most === first ? [] : [later])]).join(" ");
  }

  // All losses in words.
  const listed = (whose, found) => explained(found.map((loss) => told(whose, loss))).join(" ");

  return { exactValues, bestReply, valuesOf, losses, summary, listed };
})();
