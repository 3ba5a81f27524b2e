// What one random move, a slip, costs a player after each of two moves, and a pair of games
// that shows it.

ttt.slips = (() => {
  "use strict";

  const { terminal, signOf, signs } = ttt.game;
  const { winDrawLoss, seenBy } = ttt.policy;

  // A player is {policy, opponent, side}: its policy, that of its opponent, and its side.

  const marksOf = (game, s, side) =>
    signs(game, s, "X").filter((sign) => sign === signOf(side)).length;

  // The player's policy, but random where it makes the mark with this number, from 1.
  function slipping(game, { policy, side }, mark) {
    const { size, first, toMove } = game,
      slips = policy.slice();
    for (let s = 0; s < size; s++)
      if (toMove[s] === side && marksOf(game, s, side) === mark - 1)
        slips.fill(1 / (first[s + 1] - first[s]), first[s], first[s + 1]);
    return slips;
  }

  // What the player earns after each of some moves i: win minus loss.
  function earned(game, { opponent, side }, policy, moves) {
    const table =
      side === 1 ? winDrawLoss(game, policy, opponent) : winDrawLoss(game, opponent, policy);
    return moves.map((i) => {
      const [win, , loss] = seenBy(side, table, game.successor[i]);
      return win - loss;
    });
  }

  // The mark of the slip that speaks most for the second of two moves i of s: {mark, costs},
  // the reward per game that such a slip costs after each move. null if none does.
  function tellingSlip(game, player, s, moves) {
    const own = marksOf(game, s, player.side),
      most = Math.ceil(game.cells / 2),
      without = earned(game, player, player.policy, moves);
    let best = null;
    for (let mark = own + 2; mark <= most; mark++) {
      const after = earned(game, player, slipping(game, player, mark), moves),
        costs = without.map((value, k) => value - after[k]),
        more = costs[0] - costs[1];
      if (more > 1e-9 && !(best && more <= best.costs[0] - best.costs[1])) best = { mark, costs };
    }
    return best;
  }

  // All games after a move i in which the player slips in one mark, into a cell that is not
  // best, and else takes its lowest best cell: {cells, slip, p, result}. `slip` is the place of
  // the slip in `cells`, p the probability of the game, and the result is 1, 0 or −1.
  function gamesWithSlip(game, { policy, opponent, side }, i, mark) {
    const { first, action, successor, toMove, outcome } = game,
      games = [];
    const go = (s, cells, slip, p) => {
      if (terminal(game, s)) {
        if (slip) games.push({ cells, slip, p, result: side * outcome[s] });
        return;
      }
      const isOwn = toMove[s] === side,
        slips = isOwn && marksOf(game, s, side) === mark - 1;
      let best = first[s];
      while (isOwn && policy[best] === 0) best++;
      for (let k = first[s]; k < first[s + 1]; k++) {
        let share = isOwn ? Number(k === best) : opponent[k];
        if (slips) share = policy[k] > 0 ? 0 : 1 / (first[s + 1] - first[s]);
        const next = slips ? cells.length : slip;
        if (share > 0) go(successor[k], [...cells, action[k]], next, p * share);
      }
    };
    go(successor[i], [action[i]], 0, 1);
    return games;
  }

  // What happens to the player up to its slip: the cell of each reply, and of the slip.
  const events = ({ cells, slip }) =>
    cells.slice(0, slip + 1).filter((_, t) => t % 2 === 1 || t === slip);

  // Two games in which the same slip comes after the same replies: after the first of two moves
  // i it loses, and after the second it cannot lose; its game is a worst one. Of these the
  // likeliest, and of equally likely ones that of the lowest cells. null if there are none.
  function twoGames(game, player, moves, mark) {
    const [ones, others] = moves.map((i) =>
      gamesWithSlip(game, player, i, mark).sort((a, b) => b.p - a.p)
    );
    const worst = new Map();
    for (const other of others) {
      const key = String(events(other));
      if (!(worst.get(key)?.result <= other.result)) worst.set(key, other);
    }
    for (const one of ones) {
      const other = worst.get(String(events(one)));
      if (one.result < 0 && other?.result >= 0) return [one, other];
    }
    return null;
  }

  return { tellingSlip, twoGames };
})();
