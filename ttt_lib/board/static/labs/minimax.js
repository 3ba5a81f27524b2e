// Minimax and alpha-beta, as in `ttt_lib/search.py`, with events for each step.
//
// A search returns {value, nodes}, and emits events {what, node, …}; nodes are numbered in
// the order of entering, and moves are indices in the packed tables of the game:
//   enter   above, move, s   the parent and the move, −1 for both at the root, and the
//                            position; alpha and beta: its initial window
//   leaf    value            the game is over
//   update  move, value      the value that a move returns; best so far, alpha, beta
//   cut     left             the moves that are pruned
//   return  value            the value that the node returns, its best; and alpha, beta, one
//                            of which chapter 6 returns: alpha if MAX moves, beta if MIN

ttt.minimax = (() => {
  "use strict";

  const { pair } = ttt.game;
  const MAX = 1;

  const rising = ({ cells }) => Array.from({ length: cells }, (_, cell) => cell);

  // The minimax value of position s. `order` is the order in which cells are tried, rising
  // if null; it changes the events, not the value.
  const minimax = (game, s = 0, order = null, onEvent = null) =>
    look(game, s, order ?? rising(game), onEvent, false);

  // The same value, pruning moves that cannot matter.
  const alphaBeta = (game, s = 0, order = null, onEvent = null) =>
    look(game, s, order ?? rising(game), onEvent, true);

  // All events of a search, as a list.
  function events(search, game, s = 0, order = null) {
    const list = [];
    search(game, s, order, (event) => list.push(event));
    return list;
  }

  function look(game, root, order, onEvent, prune) {
    const { first, successor, toMove, outcome } = game;
    let nodes = 0;

    function valueOf(s, above, move, alpha, beta) {
      const node = nodes++,
        player = toMove[s];
      onEvent?.({ what: "enter", node, above, move, s, alpha, beta });
      if (first[s] === first[s + 1]) {
        onEvent?.({ what: "leaf", node, value: outcome[s] });
        return outcome[s];
      }
      let best = -2 * player; // worse than every outcome
      for (let place = 0; place < order.length; place++) {
        const i = pair(game, s, order[place]);
        if (i < 0) continue;
        const value = valueOf(successor[i], node, i, alpha, beta);
        best = player === MAX ? Math.max(best, value) : Math.min(best, value);
        if (prune && player === MAX) alpha = Math.max(alpha, best);
        if (prune && player !== MAX) beta = Math.min(beta, best);
        onEvent?.({ what: "update", node, move: i, value, best, alpha, beta });
        if (alpha >= beta) {
          // one of the two will not let the game come here
          if (onEvent) cut(s, node, order.slice(place + 1));
          break;
        }
      }
      onEvent?.({ what: "return", node, value: best, alpha, beta });
      return best;
    }

    function cut(s, node, rest) {
      const left = rest.map((a) => pair(game, s, a)).filter((i) => i >= 0);
      if (left.length > 0) onEvent({ what: "cut", node, left });
    }

    const value = valueOf(root, -1, -1, -2, 2);
    return { value, nodes };
  }

  return { minimax, alphaBeta, events };
})();
