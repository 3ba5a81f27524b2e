// The tables of the game, as in `ttt_lib/game.py`, and parsing of boards.
//
// A position is an index s: 0 is the empty board, and every successor has a larger
// index. The first player is +1; X and O are only how a side is shown.

ttt.game = (() => {
  "use strict";

  const MARKS = ["X", "O"];
  const other = (mark) => (mark === "X" ? "O" : "X");

  // Unpack an array that Python has packed: zlib, then base64 (browsers since 2023).
  /** @returns {Promise<Float64Array>} */
  async function unpack(packed) {
    if (packed instanceof Float64Array) return packed; // computed on the page
    const bytes = Uint8Array.from(atob(packed.data), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const raw = await new Response(stream).arrayBuffer();
    const kinds = {
      i1: Int8Array,
      u1: Uint8Array,
      i2: Int16Array,
      u2: Uint16Array,
      i4: Int32Array
    };
    const numbers = Float64Array.from(new kinds[packed.type](raw));
    if (packed.palette) return numbers.map((i) => packed.palette[i]);
    return packed.unit ? numbers.map((i) => i / packed.unit) : numbers;
  }

  // The tables of all positions s and of all legal moves i. Arrays over moves are packed:
  // the moves of s are at first[s] up to, not including, first[s + 1], in rising order of
  // their cells.
  //   rows, columns, cells, lines   the shape of the board
  //   size, index                   the number of positions; base-3 code → s
  //   toMove[s], outcome[s]         +1 first player, −1 second; the winner, 0 for none
  //   first, action[i], successor[i]   the moves: cell, and next position
  //   q[i]                          the value of a move for its side, under perfect play
  /** @returns {Promise<Game>} */
  async function tables(packed) {
    const { rows, columns, lines } = packed;
    const cells = rows * columns;
    const [steps, outcome, q] = await Promise.all(
      [packed.codes, packed.outcome, packed.value].map(unpack)
    );
    let code = 0;
    const codes = Array.from(steps, (step) => (code += step));
    const index = new Map(codes.map((c, s) => [c, s]));
    const size = codes.length;
    const digit = (s, cell) => Math.floor(codes[s] / 3 ** cell) % 3;
    const board = (s) => Array.from({ length: cells }, (_, cell) => [0, 1, -1][digit(s, cell)]);
    const toMove = new Int8Array(size);
    const first = new Int32Array(size + 1);
    const action = [],
      successor = [];
    for (let s = 0; s < size; s++) {
      const marks = board(s);
      toMove[s] = marks.reduce((sum, mark) => sum + mark) > 0 ? -1 : 1;
      for (let a = 0; a < cells; a++) {
        // A move is legal if it leads to a position in the table.
        const next = marks[a] === 0 && index.get(codes[s] + (toMove[s] === 1 ? 1 : 2) * 3 ** a);
        if (next) {
          action.push(a);
          successor.push(next);
        }
      }
      first[s + 1] = action.length;
    }
    return {
      rows,
      columns,
      cells,
      lines,
      size,
      index,
      board,
      toMove,
      outcome,
      first,
      action: Uint8Array.from(action),
      successor: Uint16Array.from(successor),
      q
    };
  }

  const terminal = ({ first }, s) => first[s] === first[s + 1];

  const signOf = (player) => (player === 1 ? "X" : "O");

  // An array over cells with number(i) of the move i in each cell, null without a move.
  function cellsOf({ first, action, cells }, s, number) {
    const numbers = Array(cells).fill(null);
    for (let i = first[s]; i < first[s + 1]; i++) numbers[action[i]] = number(i);
    return numbers;
  }

  // The index i of a move in packed arrays; −1 if it is illegal.
  function pair({ first, action }, s, a) {
    for (let i = first[s]; i < first[s + 1]; i++) if (action[i] === a) return i;
    return -1;
  }

  // All positions of a game that starts in s. Throws an Error if a move is illegal.
  function positions(game, s, moves) {
    const line = [s];
    for (const a of moves) {
      const i = pair(game, line.at(-1), a);
      if (i < 0) throw Error(`Cell ${a} cannot be taken.`);
      line.push(game.successor[i]);
    }
    return line;
  }

  // The position of a text, and the mark that moved first: `first`, unless only the other is
  // possible. Throws an Error with the reason if no game can reach the position.
  function find(game, text, first) {
    const plain = text.toUpperCase().replace(/[\n/|]/g, "");
    const unknown = [...plain].find((c) => !"XO ._".includes(c));
    if (unknown)
      throw Error(`“${unknown}” is not a mark: use X, O, and a full stop for an empty cell.`);
    if (plain.length !== game.cells)
      throw Error(`A board has ${game.cells} cells, and this text has ${plain.length}.`);
    const count = (mark) => [...plain].filter((c) => c === mark).length;
    const more = count("X") - count("O");
    if (Math.abs(more) > 1)
      throw Error(
        `X has ${count("X")} marks and O ${count("O")}: ` +
          "players take turns, so one can be ahead by one mark at most."
      );
    for (const began of more === 0 ? [first, other(first)] : [more > 0 ? "X" : "O"]) {
      const digits = { [began]: 1, [other(began)]: 2 };
      const code = [...plain].reduce((sum, c, cell) => sum + (digits[c] ?? 0) * 3 ** cell, 0);
      if (game.index.has(code)) return { s: game.index.get(code), first: began };
    }
    throw Error("No game can reach this position: it was won before the last mark was made.");
  }

  // The marks of s, cell by cell: X, O, and a full stop for an empty cell.
  const signs = (game, s, first) =>
    game.board(s).map((mark) => ({ 0: ".", 1: first, "-1": other(first) })[mark]);

  // Signs as a text, with / between rows.
  const string = ({ rows, columns }, signs) =>
    Array.from({ length: rows }, (_, r) =>
      signs.slice(r * columns, (r + 1) * columns).join("")
    ).join("/");

  return {
    MARKS,
    other,
    unpack,
    tables,
    terminal,
    pair,
    positions,
    find,
    signs,
    signOf,
    cellsOf,
    string
  };
})();
