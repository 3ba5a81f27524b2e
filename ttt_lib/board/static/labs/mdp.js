// Decision problems, as in `ttt_lib/mdp.py`: the game against a fixed policy, and a floor of
// squares (a gridworld), as in chapters 3 and 4.
//
// An MDP has n states, N pairs of state and action, and M transitions, packed:
//   position[s]                   the position of the game, or the square
//   first[s]                      the first pair of a state (n + 1 entries)
//   action[i], reward[i]          of a pair; the expected reward, including endings
//   indptr[i]                     the first transition of a pair (N + 1 entries)
//   successor[m], probability[m]  of a transition; the rest up to 1 ends the episode
//   start[s]                      the probability that the episode begins there

ttt.mdp = (() => {
  "use strict";

  const { terminal } = ttt.game;

  // The MDP of the first (+1) or second (−1) player against a policy. `rewards` are those of
  // win, draw and loss. Throws an Error if the game is over before that side's turn.
  function fromOpponent(game, opponent, side = 1, rewards = [1, 0, -1]) {
    const { size, first, action, successor, toMove, outcome } = game;
    const number = new Int32Array(size).fill(-1),
      position = [];
    for (let s = 0; s < size; s++) {
      if (toMove[s] === side && !terminal(game, s)) number[s] = position.push(s) - 1;
    }
    const problem = packer(position);
    for (const s of position) {
      for (let i = first[s]; i < first[s + 1]; i++) {
        const after = successor[i],
          next = [],
          chances = [];
        let gain = terminal(game, after) ? rewards[1 - side * outcome[after]] : 0;
        for (let j = first[after]; j < first[after + 1]; j++) {
          const sNext = successor[j];
          if (opponent[j] === 0) continue;
          if (number[sNext] < 0) gain += opponent[j] * rewards[1 - side * outcome[sNext]];
          else {
            next.push(number[sNext]);
            chances.push(opponent[j]);
          }
        }
        problem.pair(action[i], gain, next, chances);
      }
      problem.endState();
    }
    const start = new Float64Array(position.length);
    if (side === 1) start[0] = 1;
    else for (let i = first[0]; i < first[1]; i++) start[number[successor[i]]] = opponent[i];
    return problem.packed(start);
  }

  const DIRECTIONS = [
    [-1, 0],
    [1, 0],
    [0, -1],
    [0, 1]
  ]; // up, down, left, right

  // The MDP of a floor such as "E..|.#.|..E", rows from the top with | between them: "." is a
  // free square, "E" an exit, which ends the episode, "#" a wall. A step into a wall or off
  // the floor leaves the agent where it is. Each step earns `step`, a step into an exit
  // `end` in addition. Episodes begin anywhere. Throws an Error if no square is free.
  function gridworld(squares, step = -1, end = 0) {
    const rows = squares.split("|"),
      columns = rows[0].length,
      signs = rows.join("");
    const number = new Int32Array(signs.length).fill(-1),
      position = [];
    for (let square = 0; square < signs.length; square++) {
      if (signs[square] === ".") number[square] = position.push(square) - 1;
    }
    const problem = packer(position);
    for (const square of position) {
      const row = Math.floor(square / columns),
        column = square % columns;
      DIRECTIONS.forEach(([down, right], a) => {
        const r = row + down,
          c = column + right,
          sign = rows[r]?.[c] ?? "#";
        const there = sign === "#" ? square : r * columns + c,
          goesOn = number[there] >= 0;
        problem.pair(
          a,
          step + (sign === "E" ? end : 0),
          goesOn ? [number[there]] : [],
          goesOn ? [1] : []
        );
      });
      problem.endState();
    }
    return problem.packed(new Float64Array(position.length).fill(1 / position.length));
  }

  // A builder of packed arrays; pairs are added in the order of their states.
  function packer(position) {
    if (position.length === 0) throw Error("There is no state in which to decide.");
    const first = [0],
      action = [],
      indptr = [0],
      successor = [],
      probability = [],
      reward = [];
    return {
      pair(a, gain, next, chances) {
        action.push(a);
        reward.push(gain);
        successor.push(...next);
        probability.push(...chances);
        indptr.push(successor.length);
      },
      endState: () => first.push(action.length),
      packed: (start) => ({
        position: Int32Array.from(position),
        first: Int32Array.from(first),
        action: Uint8Array.from(action),
        indptr: Int32Array.from(indptr),
        successor: Int32Array.from(successor),
        probability: Float64Array.from(probability),
        reward: Float64Array.from(reward),
        start
      })
    };
  }

  // Values of the pairs, from a table of packed moves.
  function fromCells(game, mdp, table) {
    const q = new Float64Array(mdp.action.length);
    eachPair(game, mdp, (i, pair) => (q[pair] = table[i]));
    return q;
  }

  // The actions of a state are its legal moves, in the same order.
  function eachPair({ first }, mdp, visit) {
    mdp.position.forEach((s, state) => {
      for (let pair = mdp.first[state], i = first[s]; i < first[s + 1]; pair++, i++) visit(i, pair);
    });
  }

  return { DIRECTIONS, fromOpponent, gridworld, fromCells };
})();
