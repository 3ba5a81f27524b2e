// Turns and mirrors, as in `ttt_lib/game.py`, and what they make alike, as `labels` in
// `ttt_lib/menace.py`.

ttt.symmetry = (() => {
  "use strict";

  const { pair } = ttt.game;

  // Index maps of the board's turns and mirrors: cell c shows what map[c] shows.
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

  // The box of each position, which names its class: that of smallest index. And of each
  // move the kind, a move there: that to the lowest of the equivalent cells. Worked out once
  // for a game.
  const cache = new WeakMap();
  function labels(game) {
    if (!cache.has(game)) cache.set(game, computeLabels(game));
    return cache.get(game);
  }

  function computeLabels(game) {
    const { size, first, action, index } = game;
    const box = new Int32Array(size),
      kind = new Int32Array(action.length);
    const arrives = symmetries(game).map(inverse); // where each map brings each cell
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
      const leads = arrives.filter((_, g) => seen[g] === box[s]);
      for (let i = first[s]; i < first[s + 1]; i++) {
        kind[i] = pair(game, box[s], Math.min(...leads.map((to) => to[action[i]])));
      }
    }
    return { box, kind };
  }

  return { symmetries, labels };
})();
