// Linear values, as in `ttt_lib/approximation/features.py`: a weighted sum of features.
//
// A board is seen by the player who has just moved, its owner, and its value is the owner's.
// x is packed: the F features of position s are x[F * s], …, x[F * s + F − 1]. They are
// computed once; for other weights only the sums are.

ttt.features = (() => {
  "use strict";

  const { LEARNED_ATOL, greedy } = ttt.policy;
  const { bestResponse } = ttt.evaluation;

  // The names of the features for k marks in a row.
  function names(k) {
    const own = Array.from({ length: k }, (_, j) => `own ${j + 1}`);
    const other = Array.from({ length: k - 1 }, (_, j) => `other ${j + 1}`);
    return ["1", ...own, ...other, "fork", "threat", "cells"];
  }

  // The features x of all positions.
  function features(game) {
    const F = names(game.lines[0].length).length,
      x = new Float64Array(F * game.size);
    for (let s = 0; s < game.size; s++)
      writeFeatures(game, game.board(s), -game.toMove[s], x.subarray(F * s, F * s + F));
    return x;
  }

  // Write the features of one board, seen by its owner, into x.
  function writeFeatures({ lines }, board, owner, x) {
    const k = lines[0].length,
      [FORK, THREAT, CELLS] = [2 * k, 2 * k + 1, 2 * k + 2];
    let closes = -1; // the cell that closes the first line that lacks one mark
    x[0] = 1;
    for (const line of lines) {
      const own = line.filter((cell) => board[cell] === owner).length,
        other = line.filter((cell) => board[cell] === -owner).length,
        free = line.findLast((cell) => board[cell] === 0);
      x[CELLS] += (own - other) / lines.length;
      if (own > 0 && other === 0) {
        x[own] += 1;
        if (own === k - 1) {
          if (closes !== -1 && closes !== free) x[FORK] = 1;
          closes = free;
        }
      } else if (other > 0 && own === 0) {
        x[k + other] += 1;
        if (other === k - 1) x[THREAT] = 1;
      }
    }
  }

  // What position s is worth to its owner: w · x; a win counts 1, a full board 0.
  function worth({ first, outcome }, x, w, s) {
    if (first[s] === first[s + 1]) return Math.abs(outcome[s]);
    const start = w.length * s;
    let total = 0;
    for (let i = 0; i < w.length; i++) total += w[i] * x[start + i];
    return total;
  }

  // The value of each move i for the player who makes it.
  function actionValues(game, x, w) {
    const value = Float64Array.from({ length: game.size }, (_, s) => worth(game, x, w, s));
    return Float64Array.from(game.successor, (s) => value[s]);
  }

  // The moves of s with the largest value, as cells.
  function greedyMoves({ first, action }, q, s) {
    const moves = q.subarray(first[s], first[s + 1]),
      largest = Math.max(...moves);
    return [...action.subarray(first[s], first[s + 1])].filter(
      (_, i) => moves[i] >= largest - LEARNED_ATOL
    );
  }

  // The value of the game minus that of the greedy player against its worst opponent, as
  // first and as second player.
  function exploitability(game, q) {
    const policy = greedy(game, q),
      value = Math.max(...game.q.subarray(0, game.first[1]));
    return {
      first: value + bestResponse(game, policy, -1)[0],
      second: bestResponse(game, policy, 1)[0] - value
    };
  }

  // Learn w in place, from more games of one player against itself, by semi-gradient TD:
  // the board before each move learns from the board after it. Moves are ε-greedy.
  function selfPlay(game, x, w, games, alpha, epsilon, rng) {
    const { first, successor } = game;
    for (; games > 0; games--) {
      let s = 0;
      while (first[s] < first[s + 1]) {
        const after = successor[choose(game, x, w, s, epsilon, rng)];
        // The empty board has no owner, and learns nothing.
        if (s > 0) {
          const step = alpha * (-worth(game, x, w, after) - worth(game, x, w, s));
          for (let i = 0; i < w.length; i++) w[i] += step * x[w.length * s + i];
        }
        s = after;
      }
    }
  }

  // An ε-greedy move i of s, ties uniform.
  function choose(game, x, w, s, epsilon, rng) {
    const { first, successor } = game,
      explores = rng.random() < epsilon;
    let largest = -Infinity,
      ties = 0,
      chosen = -1;
    for (let i = first[s]; i < first[s + 1]; i++) {
      const q = explores ? 0 : worth(game, x, w, successor[i]);
      if (q > largest) {
        largest = q;
        ties = 0;
      }
      if (q === largest) {
        ties += 1;
        if (Math.floor(rng.random() * ties) === 0) chosen = i;
      }
    }
    return chosen;
  }

  return { names, features, actionValues, greedyMoves, exploitability, selfPlay };
})();
