// Symmetries of the board, as in `ttt_lib/game.py`, and classes of equivalent positions and
// moves, as `labels` in `ttt_lib/menace.py`.

ttt.symmetry = (() => {
  "use strict";

  const { pair, terminal } = ttt.game;

  // Index maps of the rotations and reflections: cell c gets the content of map[c].
  function symmetries({ rows, columns }) {
    const maps = [];
    for (const turned of rows === columns ? [false, true] : [false]) {
      for (const down of [false, true])
        for (const right of [false, true]) {
          maps.push(
            Array.from({ length: rows * columns }, (_, cell) => {
              let r = Math.floor(cell / columns),
                c = cell % columns;
              if (down) r = rows - 1 - r;
              if (right) c = columns - 1 - c;
              return turned ? c * columns + r : r * columns + c;
            })
          );
        }
    }
    return maps;
  }

  const inverse = (map) => map.map((_, cell) => map.indexOf(cell));

  // {box, kind}: of each position the representative of its class, the smallest index; of
  // each move the representative move there, in the lowest of the equivalent cells. Cached
  // per game.
  const cache = new WeakMap();
  function labels(game) {
    if (!cache.has(game)) cache.set(game, computeLabels(game));
    return cache.get(game);
  }

  function computeLabels(game) {
    const { size, first, action, index } = game;
    const box = new Int32Array(size),
      kind = new Int32Array(action.length);
    const arrives = symmetries(game).map(inverse); // the cell to which each map moves each cell
    const powers = arrives.map((to) => to.map((cell) => 3 ** cell));
    const seen = new Int32Array(arrives.length);
    for (let s = 0; s < size; s++) {
      const marks = game.board(s);
      for (let g = 0; g < seen.length; g++) {
        let code = 0;
        for (let a = 0; a < marks.length; a++) code += ((marks[a] + 3) % 3) * powers[g][a]; // −1 becomes 2
        seen[g] = index.get(code);
      }
      box[s] = Math.min(...seen);
      const toBox = arrives.filter((_, g) => seen[g] === box[s]);
      for (let i = first[s]; i < first[s + 1]; i++) {
        kind[i] = pair(game, box[s], Math.min(...toBox.map((to) => to[action[i]])));
      }
    }
    return { box, kind };
  }

  // The representatives of all classes, in rising order.
  function classes(game) {
    const { box } = labels(game);
    return Array.from(box.keys()).filter((s) => box[s] === s);
  }

  // The mean of the values of each class over its positions, null if all are null.
  function meansOfClasses(game, values) {
    const { box } = labels(game);
    const sums = new Map();
    box.forEach((representative, s) => {
      const [sum, times] = sums.get(representative) ?? [0, 0];
      const counts = values[s] !== null;
      sums.set(representative, [sum + (counts ? values[s] : 0), times + Number(counts)]);
    });
    return classes(game).map((s) => {
      const [sum, times] = sums.get(s);
      return times ? sum / times : null;
    });
  }

  // The policy of a second player, from its cell in each class of positions in which it
  // moves, in rising order: elsewhere it takes the lowest of the equivalent cells.
  function replies(game, cells) {
    const { box, kind } = labels(game);
    const moves = (s) => game.toMove[s] === -1 && !terminal(game, s);
    const cellOf = new Map(
      classes(game)
        .filter(moves)
        .map((s, n) => [s, Number(cells[n])])
    );
    const policy = new Float64Array(game.action.length);
    for (let s = 0; s < game.size; s++) {
      if (!moves(s)) continue;
      const chosen = kind[pair(game, box[s], cellOf.get(box[s]))];
      policy[kind.indexOf(chosen, game.first[s])] = 1;
    }
    return policy;
  }

  return { symmetries, labels, classes, meansOfClasses, replies };
})();
