// MENACE, as in `ttt_lib/menace.py`: matchboxes that learn, bead by bead.
//
// Symmetric positions share a box, and equivalent cells a kind of bead. Beads are packed like the game's moves: beads[kind[i]] is how many there are
// for move i, where kind[i] is a move on the box.

ttt.menace = (() => {
  "use strict";

  const { pair, positions } = ttt.game;
  const { sampleAction } = ttt.policy;
  const { labels } = ttt.symmetry;

  // ---- the boxes

  // New matchboxes with random number generator `rng`. `beads` are the numbers of beads of
  // each kind in the boxes of a side's first, second, … decision, the last number for all
  // later ones; `reinforcement` is added after a win, a draw and a loss.
  function newMatchboxes(game, rng, beads = [4, 3, 2, 1], reinforcement = [3, 1, -1]) {
    const { size, cells, first, action } = game,
      { box, kind } = labels(game);
    const filled = new Float64Array(action.length),
      alike = new Uint8Array(action.length);
    for (let s = 0; s < size; s++) {
      const count = first[s + 1] - first[s],
        decision = (cells - count) >> 1;
      for (let i = first[s]; i < first[s + 1]; i++) {
        for (let j = first[s]; j < first[s + 1]; j++) if (kind[j] === kind[i]) alike[i] += 1;
        // A position with one free cell needs no box.
        if (kind[i] === i && count > 1) filled[i] = beads[Math.min(decision, beads.length - 1)];
      }
    }
    return { beads: filled, box, kind, alike, games: 0, reinforcement, rng };
  }

  // Whether the side to move would resign: its box is empty.
  function isEmpty({ first }, { beads, box }, s) {
    if (first[s + 1] - first[s] < 2) return false;
    for (let i = first[box[s]]; i < first[box[s] + 1]; i++) if (beads[i] > 0) return false;
    return true;
  }

  // The policy of drawing a bead; with an empty box, all legal moves are equally likely.
  function beadPolicy({ size, first }, { beads, kind, alike }) {
    const policy = new Float64Array(kind.length);
    for (let s = 0; s < size; s++) {
      const start = first[s],
        end = first[s + 1];
      let total = 0;
      for (let i = start; i < end; i++) total += policy[i] = beads[kind[i]] / alike[i];
      for (let i = start; i < end; i++)
        policy[i] = total > 0 ? policy[i] / total : 1 / (end - start);
    }
    return policy;
  }

  // Exact probabilities of win, draw, loss and resignation of a side in a whole game.
  // Losses include resigned games.
  function winDrawLoss(game, boxes, opponent, side = 1) {
    const { size, first, successor, toMove, outcome } = game;
    const boxPolicy = beadPolicy(game, boxes),
      ends = new Float64Array(4 * size);
    for (let s = size - 1; s >= 0; s--) {
      if (first[s] === first[s + 1]) ends[4 * s + 1 - side * outcome[s]] = 1;
      else if (toMove[s] === side && isEmpty(game, boxes, s)) ends[4 * s + 2] = ends[4 * s + 3] = 1;
      else {
        const policy = toMove[s] === side ? boxPolicy : opponent;
        for (let i = first[s]; i < first[s + 1]; i++) {
          for (let k = 0; k < 4; k++) ends[4 * s + k] += policy[i] * ends[4 * successor[i] + k];
        }
      }
    }
    return [...ends.subarray(0, 4)];
  }

  // ---- playing and learning

  // The buffers of a game: positions, moves, the winner, whether it was resigned; and in
  // `changes`, for each move, the box, the cell of the kind of bead, and the beads before
  // and after, null if no box was used.
  const newRecord = ({ cells }) => ({
    position: new Int32Array(cells + 1),
    taken: new Int32Array(cells),
    plies: 0,
    winner: 0,
    resigned: false,
    changes: Array(cells).fill(null)
  });

  // Train matchboxes in place for more games. `opponent` is a policy and `side` that of the
  // boxes; if it is null, both sides use the boxes, and both learn. The record receives the
  // last game.
  function train(game, boxes, games, opponent, side, record) {
    const learningSide = opponent ? side : 0;
    for (let left = games; left > 0; left--) {
      play(game, boxes, opponent, learningSide, record);
      learn(game, boxes, learningSide, record);
      boxes.games += 1;
    }
  }

  // Let matchboxes learn from a game, given as cells; return its record. `side` is 0 if both
  // sides learn. A game that stops at an empty box of the side has been resigned. Throws an
  // Error if the game is not complete.
  function learnGame(game, boxes, actions, side = 1, record = newRecord(game)) {
    const { first, toMove } = game,
      path = positions(game, 0, actions),
      end = path.at(-1);
    const resigned = (side === 0 || toMove[end] === side) && isEmpty(game, boxes, end);
    if (first[end] < first[end + 1] && !resigned) throw Error("The game is not finished.");
    record.position.set(path);
    record.taken.set(actions.map((a, t) => pair(game, path[t], a)));
    record.plies = actions.length;
    learn(game, boxes, side, record);
    boxes.games += 1;
    return record;
  }

  // Draw a bead from the box of s: the move of its kind, −1 if the box is empty.
  function drawBead({ first }, { beads, kind, alike, rng }, s) {
    const start = first[s],
      end = first[s + 1];
    if (end - start === 1) return start; // the only move has no box
    let total = 0,
      last = start;
    for (let i = start; i < end; i++) total += beads[kind[i]] / alike[i];
    if (total === 0) return -1;
    let threshold = rng.random() * total;
    for (let i = start; i < end; i++) {
      const weight = beads[kind[i]] / alike[i];
      if (weight > 0) {
        last = i;
        if (threshold < weight) break;
      }
      threshold -= weight;
    }
    return last;
  }

  // Add beads of the kind of move i to the box of s; counts do not go below 0.
  function reinforce({ action }, { beads, box, kind }, s, i, gain) {
    const entry = kind[i],
      before = beads[entry];
    beads[entry] = Math.max(before + gain, 0);
    return { box: box[s], kind: action[entry], before, after: beads[entry] };
  }

  function play(game, boxes, opponent, side, record) {
    const { first, successor, toMove } = game,
      { position, taken } = record;
    let s = 0,
      t = 0;
    for (; first[s] < first[s + 1]; t++) {
      position[t] = s;
      const usesBox = side === 0 || toMove[s] === side;
      const i = usesBox ? drawBead(game, boxes, s) : sampleAction(game, opponent, s, boxes.rng);
      if (i < 0) break;
      taken[t] = i;
      s = successor[i];
    }
    position[t] = s;
    record.plies = t;
  }

  // Reinforce the boxes that `side`, 0 for both, used in the game of the record.
  function learn(game, boxes, side, record) {
    const { first, toMove, outcome } = game,
      { position, taken, plies: T } = record;
    const end = position[T];
    record.resigned = first[end] < first[end + 1];
    record.winner = record.resigned ? -toMove[end] : outcome[end];
    record.changes.fill(null);
    for (let t = 0; t < T; t++) {
      const s = position[t];
      if (first[s + 1] - first[s] < 2 || (side !== 0 && toMove[s] !== side)) continue;
      const gain = boxes.reinforcement[1 - toMove[s] * record.winner];
      record.changes[t] = reinforce(game, boxes, s, taken[t], gain);
    }
  }

  return {
    newMatchboxes,
    isEmpty,
    beadPolicy,
    winDrawLoss,
    newRecord,
    train,
    learnGame,
    drawBead,
    reinforce
  };
})();
