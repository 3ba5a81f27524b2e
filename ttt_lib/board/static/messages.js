// Messages of a board: the status of the game, a hint, and why an agent made its move.

ttt.messages = (() => {
  "use strict";

  const { list, cellsNamed, fixed, signed } = ttt.format;
  const { terminal, pair } = ttt.game;
  const { opening } = ttt.agents;
  const { exactValues, listed, losses, summary, valuesOf } = ttt.review;
  const { numbers } = ttt.overlays;

  const LOADING = "One moment: an agent is being loaded.";
  const SETTING_UP = "First choose “Play from here”, or “Cancel”.";

  const KEYS =
    "Keys: 0 to 8 take a cell, arrows go from cell to cell; N new game, U undo, H hint, W why.";

  // The status: {state, last}, a sentence on the state of the game, and the last moves.
  function status(play) {
    const { moves, line } = play;
    if (play.busy) return { state: LOADING, last: "" };
    if (play.editing)
      return { state: "Setting up", last: "Choose cells to put X, O or nothing there." };
    if (play.at !== null)
      return { state: `Looking back: after move ${play.at} of ${moves.length}.`, last: "" };
    const sentences = [],
      one = play.persons === 1;
    for (let ply = Math.max(0, moves.length - (one ? 2 : 1)); ply < moves.length; ply++) {
      const how = play.how[ply] ? `, ${play.how[ply].how}` : "";
      const mark = play.mover(line[ply]);
      const verb = one && play.isPerson(mark) ? "take" : "takes";
      sentences.push(`${play.opening(mark)} ${verb} cell ${moves[ply]}${how}.`);
    }
    return { state: statusSentence(play), last: sentences.join(" ") };
  }

  function statusSentence(play) {
    const { game, now } = play,
      over = terminal(game, now);
    const mark = over ? play.winner(now) : play.mover(now);
    if (!mark) return "A draw.";
    if (play.persons === 1 && play.isPerson(mark))
      return over ? "You win." : `Your move: you are ${mark}.`;
    return `${play.opening(mark)} ${over ? "wins" : "to move"}.`;
  }

  const ROUNDED = 1e-9; // sums of thirds are not exactly 1
  function percent(p) {
    if (p > ROUNDED && p < 0.01) return "under 1";
    return p > 0.99 && p < 1 - ROUNDED ? "over 99" : String(Math.round(100 * p));
  }

  // The probabilities of the results, which the bar beside the board shows.
  function outlookText({ ends, how, you }) {
    const [x, draw, o] = ends.map((p) => `${percent(p)} %`);
    if (!you) return `${how}: X wins ${x}, draw ${draw}, O wins ${o}.`;
    const [win, loss] = you === "X" ? [x, o] : [o, x];
    return `${how}: you win ${win}, draw ${draw}, lose ${loss}.`;
  }

  // What each person gave away in the moves shown, in their order: [whose, losses]. The
  // measure is the best reply to the opponent, or perfect play if both are persons.
  function given(play) {
    const { game, state } = play,
      path = play.line.slice(0, (play.at ?? play.moves.length) + 1);
    if (play.persons === 0) return [];
    if (play.persons === 1) {
      const { side, table } = play.reply;
      return [["Your", losses(game, path, side, valuesOf(table))]];
    }
    const sides = ["X", "O"].map((mark) => [
      `${mark}’s`,
      losses(game, path, mark === state.first ? 1 : -1, exactValues(game))
    ]);
    return sides.sort(([, [one]], [, [two]]) => (one?.ply ?? 9) - (two?.ply ?? 9));
  }

  // What a finished game shows, in one sentence: the first move of a person that gave
  // something away.
  function review(play) {
    const [first] = given(play);
    if (!first) return "";
    const [whose, found] = first;
    if (found.length) return summary(whose, found);
    return play.persons === 2
      ? "Neither side gave anything away."
      : `You gave nothing away: all your moves were best against ${play.reply.agent.label}.`;
  }

  function hint(play) {
    const { game, shown: s } = play;
    if (play.editing) return SETTING_UP;
    if (terminal(game, s)) return "The game is over: there is nothing to choose.";
    const by = { 1: [], 0: [], "-1": [] }; // value → cells
    for (let i = game.first[s]; i < game.first[s + 1]; i++) by[game.q[i]].push(game.action[i]);
    const parts = [
      [1, "win"],
      [0, "draw"],
      [-1, "lose"]
    ]
      .filter(([v]) => by[v].length)
      .map(
        ([v, verb]) => `${cellsNamed(by[v])} ${verb}${by[v].length > 1 ? "" : "s"} (${signed(v)})`
      );
    const best = [1, 0, -1].map((v) => by[v]).find((cells) => cells.length);
    const chance = numbers(play, s, "best").cells.map((three) => three && fixed(three[0]));
    const most = best
      .map((a) => chance[a])
      .sort()
      .at(-1);
    const easy = best.filter((a) => chance[a] === most);
    const also =
      easy.length === best.length
        ? ""
        : ` Of the best, ${cellsNamed(easy)} ` +
          `win${easy.length > 1 ? "" : "s"} most often against random play: ${most}.`;
    return `${play.mover(s)} to move. Against perfect play, ${list(parts)}.${also}`;
  }

  function why(play) {
    const { game, line, moves } = play;
    if (play.editing) return SETTING_UP;
    const by = (ply) => play.how[ply]?.agent ?? play.seats[play.mover(line[ply])].agent;
    const own = given(play)
      .map(([whose, found]) => listed(whose, found))
      .filter(Boolean);
    let ply = (play.at ?? moves.length) - 1;
    while (ply >= 0 && !by(ply)) ply--;
    if (ply < 0) return own.join(" ") || nothingYet(play);
    const s = line[ply],
      mark = play.mover(s),
      agent = by(ply),
      cell = moves[ply];
    const { how, policy = play.policy(mark) } = play.how[ply] ?? {};
    const at = pair(game, s, cell),
      q = agent.q ?? game.q;
    const exact = q === game.q,
      say = exact ? signed : fixed;
    const others = new Map(); // value → cells
    for (let i = game.first[s]; i < game.first[s + 1]; i++) {
      if (i !== at) others.set(q[i], [...(others.get(q[i]) ?? []), game.action[i]]);
    }
    const rest = [...others]
      .sort(([one], [two]) => two - one)
      .map(([value, cells]) => `${say(value)} for ${cellsNamed(cells)}`);
    const drawn = agent.q ? "" : `, with probability ${fixed(policy[at])}`;
    const last = agent.q && how ? ` (${how})` : drawn;
    const reasons =
      `${opening(agent)} (${mark}) took cell ${cell}${last}. ` +
      (agent.q ? "It expected " : `It has no values of its own. The exact values for ${mark}: `) +
      `${say(q[at])} for this cell, ${rest.length ? list(rest) : "the only free one"}.` +
      (exact ? " Against perfect play +1 wins, 0 draws and −1 loses." : "");
    return [reasons, ...own].join(" ");
  }

  const nothingYet = ({ persons }) =>
    persons === 2 ? "Nothing was given away so far." : "No agent has moved yet.";

  return { LOADING, KEYS, status, outlookText, review, hint, why };
})();
