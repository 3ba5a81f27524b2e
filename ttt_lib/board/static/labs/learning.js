// Learning from play, as in `ttt_lib/learning.py`: the equations, the learner, the loops.
//
// Q is packed: one entry for each legal move i of the game's tables; V has one for each
// position. A game is played to its end, and then the learner is updated, move by move.

ttt.learning = (() => {
  "use strict";

  const { LEARNED_ATOL, sampleAction, greedy } = ttt.policy;
  const { scheduled } = ttt.schedules;

  // ---- the equations

  // Move table[entry] by α (target − old).
  function update(table, entry, target, alpha) {
    const old = table[entry],
      delta = target - old;
    table[entry] = old + alpha * delta;
    return { old, target, delta, new: table[entry] };
  }

  const tdTarget = (V, r, sNext, gamma) => r + gamma * V[sNext];

  const lambdaReturn = (V, r, sNext, GNext, gamma, lambda_) =>
    r + gamma * ((1 - lambda_) * V[sNext] + lambda_ * GNext);

  const monteCarloTarget = (r, gamma, decisions) => gamma ** decisions * r;

  // iNext is −1 if the game is over.
  const sarsaTarget = (Q, r, iNext, gamma) => r + gamma * (iNext < 0 ? 0 : Q[iNext]);

  const expectedSarsaTarget = (Q, r, sNext, gamma, epsilon, first) =>
    r + gamma * expectedQ(Q, Q, sNext, epsilon, first);

  function qLearningTarget(Q, r, sNext, gamma, first) {
    let largest = first[sNext] < first[sNext + 1] ? -Infinity : 0;
    for (let i = first[sNext]; i < first[sNext + 1]; i++) if (Q[i] > largest) largest = Q[i];
    return r + gamma * largest;
  }

  const doubleQTarget = (Q1, Q2, r, sNext, gamma, first) =>
    r + gamma * expectedQ(Q2, Q1, sNext, 0, first);

  // The opponent moves in sNext.
  const minimaxQTarget = (Q, r, sNext, gamma, first) => qLearningTarget(Q, r, sNext, -gamma, first);

  // Σ_a π(a|s) Q(s, a), π being ε-greedy in QPolicy; 0 at the end.
  function expectedQ(Q, QPolicy, s, epsilon, first) {
    const count = first[s + 1] - first[s];
    let largest = -Infinity,
      ties = 0,
      best = 0,
      total = 0;
    for (let i = first[s]; i < first[s + 1]; i++) {
      total += Q[i];
      if (QPolicy[i] > largest + LEARNED_ATOL) {
        largest = QPolicy[i];
        ties = best = 0;
      }
      if (QPolicy[i] >= largest - LEARNED_ATOL) {
        ties += 1;
        best += Q[i];
      }
    }
    return ((1 - epsilon) * best) / Math.max(ties, 1) + (epsilon * total) / Math.max(count, 1);
  }

  // ---- the learner

  const [
    PREDICTION,
    AFTERSTATES,
    ALL_MOVES,
    SWEEP,
    MONTE_CARLO,
    SARSA,
    EXPECTED_SARSA,
    Q_LEARNING,
    DOUBLE_Q,
    MINIMAX_Q
  ] = Array(10).keys();

  // A new learner. `method` is {code, learns, steps, lambda_, …}, a row of the library's
  // METHODS; alpha and epsilon are schedules; `rng` is its random number generator.
  function newLearner(game, method, rng, { alpha, epsilon, gamma, initial, lambda_, n, rewards }) {
    const entries = method.learns === "V" ? game.size : game.action.length;
    const estimates = () =>
      Float64Array.from({ length: entries }, (_, entry) =>
        method.learns === "Q" || game.first[entry] < game.first[entry + 1] ? initial : 0
      );
    const double = method.code === DOUBLE_Q;
    return {
      method,
      table: estimates(), // V of positions, or Q of moves
      Q1: double ? estimates() : null,
      Q2: double ? estimates() : null,
      updates: new Int32Array(entries),
      updates1: double ? new Int32Array(entries) : null,
      visits: new Int32Array(game.size),
      games: 0,
      alpha,
      epsilon,
      gamma,
      rewards,
      rng,
      lambda_: method.steps ? lambda_ : method.lambda_,
      n: method.steps ? n : game.cells
    };
  }

  // Train a learner in place for more games. `opponent` is a policy, null in self-play;
  // `behaviour` is a policy that moves for the learner, or null. The record receives the
  // last game, and in `changes` the update after each move, null if there was none.
  function train(game, learner, games, opponent, side, behaviour, record) {
    const { method } = learner;
    const learnTable = method.learns === "V" ? learnV : learnQ;
    const learn = method.code === DOUBLE_Q ? learnDoubleQ : learnTable;
    for (let left = games; left > 0; left--) {
      const playedSide = play(game, learner, opponent, side, behaviour, record);
      learn(game, learner, playedSide, record);
      learner.games += 1;
    }
  }

  // The buffers of a game: positions, moves, and which moves were exploratory.
  const newRecord = ({ cells }) => ({
    position: new Int32Array(cells + 2),
    taken: new Int32Array(cells + 2),
    exploratory: new Uint8Array(cells + 2),
    plies: 0,
    own: 0,
    changes: Array(cells).fill(null),
    // for each change: step size, reward, and the ply of the board that the target uses
    alpha: new Float64Array(cells),
    reward: new Float64Array(cells),
    looks: new Int32Array(cells)
  });

  function note({ changes, alpha, reward, looks }, t, change, size, r, ply) {
    changes[t] = change;
    alpha[t] = size;
    reward[t] = r;
    looks[t] = ply;
  }

  // The learner's action values, packed. From values of afterstates they are r + V(s′), with
  // r = 0 unless the game ends.
  function actionValues(game, { method, table, rewards }) {
    if (method.learns === "Q") return table;
    const { size, first, successor, outcome, toMove } = game;
    const q = new Float64Array(successor.length);
    for (let s = 0; s < size; s++)
      for (let i = first[s]; i < first[s + 1]; i++) {
        const sNext = successor[i],
          over = first[sNext] === first[sNext + 1];
        q[i] = (over ? reward(rewards, toMove[s], outcome[sNext]) : 0) + table[sNext];
      }
    return q;
  }

  const greedyPolicy = (game, learner) => greedy(game, actionValues(game, learner));

  // ---- the loops

  const reward = (rewards, side, outcome) => rewards[1 - side * outcome];

  // Play a game into the record; return the learner's side, 0 for both. A move is
  // exploratory if its estimate is below the best.
  function play(game, learner, opponent, side, behaviour, record) {
    const { first, successor, toMove } = game;
    const { table, visits, epsilon, games, rewards, rng } = learner;
    const { position, taken, exploratory } = record;
    const ofMoves = learner.method.learns === "Q";
    const learningSide = side === 0 && opponent ? 1 - 2 * (games % 2) : side;
    let s = 0,
      t = 0;
    for (; first[s] < first[s + 1]; t++) {
      const start = first[s],
        count = first[s + 1] - start,
        mover = toMove[s];
      position[t] = s;
      exploratory[t] = 0;
      let i;
      if (learningSide === 0 || mover === learningSide) {
        visits[s] += 1;
        let largest = -Infinity,
          ties = 0,
          best = start;
        for (let j = start; j < start + count; j++) {
          const value = ofMoves ? table[j] : worth(game, table, rewards, mover, successor[j]);
          if (value > largest + LEARNED_ATOL) {
            largest = value;
            ties = 1;
            best = j;
          } else if (value >= largest - LEARNED_ATOL) {
            ties += 1;
            if (Math.floor(rng.random() * ties) === 0) best = j;
          }
        }
        i = best;
        if (behaviour) i = sampleAction(game, behaviour, s, rng);
        else if (rng.random() < scheduled(epsilon, games, visits[s]))
          i = start + Math.floor(rng.random() * count);
        const value = (j) =>
          ofMoves ? table[j] : worth(game, table, rewards, mover, successor[j]);
        exploratory[t] = value(i) < value(best) - LEARNED_ATOL ? 1 : 0;
      } else {
        i = sampleAction(game, opponent, s, rng);
      }
      taken[t] = i;
      s = successor[i];
    }
    position[t] = s;
    exploratory[t] = 0;
    record.plies = t;
    record.own = learningSide;
    record.changes.fill(null);
    return learningSide;
  }

  // r + V(s′) of a move to an afterstate.
  function worth({ first, outcome }, V, rewards, mover, sNext) {
    return first[sNext] === first[sNext + 1] ? reward(rewards, mover, outcome[sNext]) : V[sNext];
  }

  function learnV(game, learner, side, record) {
    const { toMove, outcome } = game,
      { position, exploratory, plies: T } = record;
    const {
      table: V,
      updates,
      gamma,
      lambda_,
      rewards,
      alpha,
      games,
      method: { code }
    } = learner;
    const after = code === PREDICTION ? 0 : 1; // plies from a decision to the position that is updated
    const n = lambda_ > 0 ? learner.n : 1; // λ = 0 is one-step
    const result = outcome[position[T]];
    for (let m = 0; m < T; m++) {
      const t = code === SWEEP ? T - 1 - m : m,
        mover = toMove[position[t]];
      if (side !== 0 && mover !== side) continue;
      // Look ahead from the decision at t to the one at k, or to the end.
      let k = t;
      while (k + after < T && k < t + 2 * n) {
        if (code === AFTERSTATES && exploratory[k + 2]) break;
        k += 2;
      }
      if (k === t) continue; // the move ends the game, or the next one is exploratory
      let r = k + after >= T ? reward(rewards, mover, result) : 0;
      if (after === 1 && k < T) r *= gamma; // the reward came one decision later
      let G = tdTarget(V, r, position[Math.min(k + after, T)], gamma);
      for (let j = k - 2; j > t; j -= 2)
        G = lambdaReturn(V, 0, position[j + after], G, gamma, lambda_);
      const s = position[t + after];
      updates[s] += 1;
      const size = scheduled(alpha, games, updates[s]);
      note(record, t, update(V, s, G, size), size, r, Math.min(k + after, T));
    }
  }

  function learnQ(game, learner, side, record) {
    const { first, toMove, outcome } = game,
      { position, taken, plies: T } = record;
    const {
      table: Q,
      updates,
      visits,
      epsilon,
      gamma,
      rewards,
      alpha,
      games,
      method: { code }
    } = learner;
    const plies = code === MINIMAX_Q ? 1 : 2;
    const result = outcome[position[T]];
    for (let t = 0; t < T; t++) {
      const s = position[t],
        i = taken[t];
      if (side !== 0 && toMove[s] !== side && code !== MINIMAX_Q) continue;
      const sNext = position[Math.min(t + plies, T)];
      const ends = t + plies >= T || code === MONTE_CARLO;
      const r = ends ? reward(rewards, toMove[s], result) : 0;
      let target;
      if (code === MONTE_CARLO) target = monteCarloTarget(r, gamma, (T - 1 - t) >> 1);
      else if (code === SARSA) target = sarsaTarget(Q, r, ends ? -1 : taken[t + 2], gamma);
      else if (code === EXPECTED_SARSA) {
        const now = scheduled(epsilon, games, visits[sNext]);
        target = expectedSarsaTarget(Q, r, sNext, gamma, now, first);
      } else if (code === MINIMAX_Q) target = minimaxQTarget(Q, r, sNext, gamma, first);
      else target = qLearningTarget(Q, r, sNext, gamma, first);
      updates[i] += 1;
      const size = scheduled(alpha, games, updates[i]);
      note(
        record,
        t,
        update(Q, i, target, size),
        size,
        r,
        code === MONTE_CARLO ? T : Math.min(t + plies, T)
      );
    }
  }

  // A fair coin decides which of the two tables a move updates.
  function learnDoubleQ(game, learner, side, record) {
    const { first, toMove, outcome } = game,
      { position, taken, plies: T } = record;
    const { table: Q, Q1, Q2, updates, updates1, gamma, rewards, alpha, games, rng } = learner;
    const result = outcome[position[T]];
    for (let t = 0; t < T; t++) {
      const s = position[t],
        i = taken[t];
      if (side !== 0 && toMove[s] !== side) continue;
      const sNext = position[Math.min(t + 2, T)];
      const r = t + 2 >= T ? reward(rewards, toMove[s], result) : 0;
      const one = rng.random() < 0.5 ? 1 : 0;
      updates[i] += 1;
      updates1[i] += one;
      const [mine, other] = one ? [Q1, Q2] : [Q2, Q1];
      const n = one ? updates1[i] : updates[i] - updates1[i];
      const target = doubleQTarget(mine, other, r, sNext, gamma, first);
      const size = scheduled(alpha, games, n);
      note(record, t, update(mine, i, target, size), size, r, Math.min(t + 2, T));
      Q[i] = (Q1[i] + Q2[i]) / 2;
    }
  }

  const CODES = {
    PREDICTION,
    AFTERSTATES,
    ALL_MOVES,
    SWEEP,
    MONTE_CARLO,
    SARSA,
    EXPECTED_SARSA,
    Q_LEARNING,
    DOUBLE_Q,
    MINIMAX_Q
  };

  return { CODES, update, newLearner, newRecord, train, actionValues, greedyPolicy, reward };
})();
