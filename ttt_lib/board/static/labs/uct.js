// UCT, as in `ttt_lib/large_boards/uct.py`: a position is two bit masks of marks, of the
// player to move and of the other; bit a is cell a. Also exact values on 3 × 3 and 4 × 4, by
// memoised search.

ttt.uct = (() => {
  "use strict";

  const NONE = -1;

  // The data of a board: its cells, and the masks of the lines through each.
  function shape(rows, columns, k) {
    const lines = [],
      cells = rows * columns,
      inside = (r, c) => r >= 0 && r < rows && c >= 0 && c < columns;
    for (let cell = 0; cell < cells; cell++) {
      const r = Math.floor(cell / columns),
        c = cell % columns;
      for (const [down, right] of [
        [0, 1],
        [1, 0],
        [1, 1],
        [1, -1]
      ]) {
        if (!inside(r + (k - 1) * down, c + (k - 1) * right)) continue;
        lines.push(Array.from({ length: k }, (_, i) => cell + i * (down * columns + right)));
      }
    }
    const masks = lines.map((line) => line.reduce((mask, cell) => mask | (1 << cell), 0));
    const through = Array.from({ length: cells }, (_, a) =>
      masks.filter((mask) => (mask >> a) & 1)
    );
    return { rows, columns, k, cells, lines, through, everywhere: (1 << cells) - 1 };
  }

  const closes = (marks, through) => through.some((line) => (marks & line) === line);
  const hasLine = ({ through }, marks) => through.some((lines) => closes(marks, lines));

  // An empty tree: row n of its tables, `cells` long, is node n.
  const newTree = ({ cells }) => ({
    cells,
    nodes: 1,
    child: new Int32Array(cells),
    visits: new Int32Array(cells),
    total: new Int32Array(cells)
  });

  function makeRoom(tree, playouts) {
    const needed = (tree.nodes + playouts) * tree.cells;
    if (needed <= tree.child.length) return;
    for (const name of ["child", "visits", "total"]) {
      const table = new Int32Array(Math.max(needed, 2 * tree.child.length));
      table.set(tree[name]);
      tree[name] = table;
    }
  }

  // Add playouts to a tree in place, from the position of two masks.
  function grow(tree, board, mine, theirs, playouts, c, rng) {
    makeRoom(tree, playouts);
    const { cells, through, everywhere } = board,
      { child, visits, total } = tree,
      path = [];
    for (; playouts > 0; playouts--) {
      let own = mine,
        other = theirs,
        node = 0,
        reward = 0,
        selecting = true;
      path.length = 0;
      while (selecting) {
        const free = everywhere & ~(own | other),
          row = node * cells;
        let a = visited(0, visits, row, cells, free, rng);
        selecting = a === NONE;
        if (selecting) a = ucb1(visits, total, row, cells, free, c);
        path.push(row + a);
        own |= 1 << a;
        if (closes(own, through[a])) {
          reward = 1; // of the player that has just moved
          break;
        }
        if ((own | other) === everywhere) break;
        [own, other] = [other, own];
        if (selecting) node = child[row + a];
        else {
          child[row + a] = tree.nodes++;
          reward = -simulate(board, own, other, rng);
        }
      }
      for (let i = path.length - 1; i >= 0; i--) {
        visits[path[i]] += 1;
        total[path[i]] += reward;
        reward = -reward;
      }
    }
  }

  // Add random games to the root of a tree in place, in equal numbers after each free cell:
  // flat search. As long as a cell is untried, these are the playouts of `grow`.
  function growFlat(tree, board, mine, theirs, playouts, rng) {
    const { cells, through, everywhere } = board,
      { visits, total } = tree,
      free = everywhere & ~(mine | theirs);
    for (; playouts > 0; playouts--) {
      let least = Infinity;
      for (let a = 0; a < cells; a++) if ((free >> a) & 1) least = Math.min(least, visits[a]);
      const a = visited(least, visits, 0, cells, free, rng),
        own = mine | (1 << a);
      visits[a] += 1;
      total[a] += closes(own, through[a]) ? 1 : -simulate(board, theirs, own, rng);
    }
  }

  // A random free cell with n visits.
  function visited(n, visits, row, cells, free, rng) {
    let many = 0;
    for (let a = 0; a < cells; a++) if ((free >> a) & 1 && visits[row + a] === n) many++;
    if (many === 0) return NONE;
    let skip = Math.floor(rng.random() * many);
    for (let a = 0; a < cells; a++)
      if ((free >> a) & 1 && visits[row + a] === n && skip-- === 0) return a;
    return NONE;
  }

  // The free cell with the largest bound; the lowest of equals.
  function ucb1(visits, total, row, cells, free, c) {
    let t = 0,
      best = NONE,
      bound = -Infinity;
    for (let a = 0; a < cells; a++) t += visits[row + a];
    for (let a = 0; a < cells; a++) {
      if (!((free >> a) & 1)) continue;
      const n = visits[row + a],
        u = total[row + a] / n + c * Math.sqrt(Math.log(t) / n);
      if (u > bound) [best, bound] = [a, u];
    }
    return best;
  }

  // The outcome of random moves for the player to move.
  function simulate({ cells, through, everywhere }, own, other, rng) {
    const open = [];
    for (let a = 0; a < cells; a++) if (((everywhere & ~(own | other)) >> a) & 1) open.push(a);
    for (let sign = 1; open.length; sign = -sign) {
      const i = Math.floor(rng.random() * open.length),
        a = open[i],
        last = open.pop();
      if (i < open.length) open[i] = last;
      own |= 1 << a;
      if (closes(own, through[a])) return sign;
      [own, other] = [other, own];
    }
    return 0;
  }

  // The move with the most visits; the lowest cell of equals.
  const move = ({ cells, visits }) =>
    visits.subarray(0, cells).reduce((best, n, a, all) => (n > all[best] ? a : best), 0);

  // The move with the largest mean outcome; the lowest cell of equals.
  function bestMean({ cells, visits, total }) {
    let best = NONE;
    for (let a = 0; a < cells; a++)
      if (visits[a] > 0 && (best === NONE || total[a] / visits[a] > total[best] / visits[best]))
        best = a;
    return best;
  }

  // ---- exact values

  const marks = (mask) => {
    let n = 0;
    for (; mask; mask &= mask - 1) n++;
    return n;
  };

  // The value of a position for the side to move, under perfect play; `memo` is a cache.
  function value(board, own, other, memo) {
    const free = board.everywhere & ~(own | other),
      key = own * 65536 + other;
    if (free === 0) return 0;
    const before = memo.get(key);
    if (before !== undefined) return before;
    let best = -1;
    for (let a = 0; a < board.cells && best < 1; a++)
      if ((free >> a) & 1 && closes(own | (1 << a), board.through[a])) best = 1;
    for (let a = 0; a < board.cells && best < 1; a++) {
      if ((free >> a) & 1) best = Math.max(best, -value(board, other, own | (1 << a), memo));
    }
    memo.set(key, best);
    return best;
  }

  // The value of each move for the side to move, null if the cell is taken. On 4 × 4 all
  // positions with up to five marks are draws, and with six the side to move wins only if it
  // can close a line at once (chapter 11 has counted them), so the search starts there.
  function exactValues(board, own, other) {
    const memo = new Map(),
      early = board.cells === 16;
    return Array.from({ length: board.cells }, (_, a) => {
      const after = own | (1 << a),
        n = marks(own | other) + 1;
      if (((own | other) >> a) & 1) return null;
      if (closes(after, board.through[a])) return 1;
      if (early && n < 6) return 0;
      if (early && n === 6) return wins(board, other, after) ? -1 : 0;
      return 0 - value(board, other, after, memo);
    });
  }

  const wins = ({ cells, through, everywhere }, own, other) =>
    Array.from({ length: cells }, (_, a) => a).some(
      (a) => ((everywhere & ~(own | other)) >> a) & 1 && closes(own | (1 << a), through[a])
    );

  return { shape, hasLine, newTree, grow, growFlat, move, bestMean, marks, exactValues };
})();
