// What a player gave away: exact values, the best reply to an opponent, and a sentence about
// a finished game.

ttt.review = (() => {
  "use strict";

  const { terminal, pair } = ttt.game;
  const { cellsNamed } = ttt.format;
  const { labels } = ttt.symmetry;

  const LOSES = { 1: "the win", 0: "the draw" };

  // The exact value of each position for the first player, who moves first.
  const cache = new WeakMap();
  function exactValues(game) {
    if (!cache.has(game)) {
      const u = Int8Array.from(game.outcome);
      for (let s = game.size - 1; s >= 0; s--) {
        if (terminal(game, s)) continue;
        const after = game.successor.subarray(game.first[s], game.first[s + 1]);
        const values = Array.from(after, (next) => game.toMove[s] * u[next]);
        u[s] = game.toMove[s] * Math.max(...values);
      }
      cache.set(game, u);
    }
    return cache.get(game);
  }

  // The representatives of all classes, in rising order.
  function classes(game) {
    const { box } = labels(game);
    return Array.from(box.keys()).filter((s) => box[s] === s);
  }

  // The classes of positions in which the second player moves, in rising order.
  const replyClasses = (game) =>
    classes(game).filter((s) => game.toMove[s] === -1 && !terminal(game, s));

  // The cell that a stage takes in each position in which it moves, from its cell in each of
  // the `replyClasses`: the lowest of the equivalent ones.
  function replies(game, cells) {
    const { box, kind } = labels(game);
    const cellOf = new Map(replyClasses(game).map((s, n) => [s, Number(cells[n])]));
    return Array.from({ length: game.size }, (_, s) => {
      if (game.toMove[s] !== -1 || terminal(game, s)) return null;
      const chosen = kind[pair(game, box[s], cellOf.get(box[s]))];
      for (let i = game.first[s]; i < game.first[s + 1]; i++)
        if (kind[i] === chosen) return game.action[i];
      return null;
    });
  }

  // The value of each position for the first player who replies best to a stage.
  function bestReply(game, reply) {
    const V = Int8Array.from(game.outcome);
    for (let s = game.size - 1; s >= 0; s--) {
      if (terminal(game, s)) continue;
      if (game.toMove[s] === -1) {
        V[s] = V[game.successor[pair(game, s, reply[s])]];
      } else {
        V[s] = -1;
        for (let i = game.first[s]; i < game.first[s + 1]; i++)
          V[s] = Math.max(V[s], V[game.successor[i]]);
      }
    }
    return V;
  }

  // The first move of a side after which it could get less: {number, before, kept} with the
  // cells that kept what it had; undefined if there is none. `path` has all positions of the
  // game, and `value` is that of positions for the first player.
  function firstLoss(game, path, side, value) {
    let number = 0;
    for (let t = 0; t + 1 < path.length; t++) {
      const s = path[t];
      if (game.toMove[s] !== side) continue;
      number++;
      if (side * value[path[t + 1]] >= side * value[s]) continue;
      const kept = [];
      for (let i = game.first[s]; i < game.first[s + 1]; i++)
        if (value[game.successor[i]] === value[s]) kept.push(game.action[i]);
      return { number, before: side * value[s], kept };
    }
    return undefined;
  }

  // What a finished game shows, in one sentence.
  function review(game, path, V) {
    const outcome = game.outcome[path.at(-1)];
    const told = (whose, { number, before, kept }) =>
      `${whose} move ${number} gave away ${LOSES[before]}: ${cellsNamed(kept)} kept it.`;
    const mine = firstLoss(game, path, 1, V);
    if (outcome === 1) {
      const its = firstLoss(game, path, -1, exactValues(game));
      return `You won. ${its ? told("Its", its) : ""}`;
    }
    const result = outcome === 0 ? "A draw." : "It won.";
    if (mine) return `${result} ${told("Your", mine)}`;
    return `${result} You gave nothing away: against this player a draw is the most.`;
  }

  return { bestReply, classes, exactValues, firstLoss, replies, review };
})();
