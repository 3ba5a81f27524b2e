// The numbers on the cells. A new kind of them is an entry of OVERLAYS here, and a name
// in Python's.

ttt.overlays = (() => {
  "use strict";

  const { fixed, signed } = ttt.format;
  const { terminal, cellsOf } = ttt.game;
  const { TIE, winDrawLoss, seenBy } = ttt.policy;

  // What stands on the cells of a position s, seen by the player `mark`, who moves there:
  //   cell(i)    of the move i, a number or three: win, draw, loss; without it, nothing
  //   limits     between which values they can lie
  //   exact      whether the numbers are +1, 0 and −1, for win, draw and loss
  //   chosen     whether they say how often a cell is chosen, not how good it is
  //   sentence   what the numbers are
  const OVERLAYS = {
    none: { label: "no numbers", shown: () => ({ sentence: "" }) },
    value: {
      label: "exact values",
      shown: ({ game }, s, mark) => ({
        cell: (i) => game.q[i],
        limits: [-1, 1],
        exact: true,
        sentence: `The exact value for ${mark} of each cell, if both play perfectly from then on.`
      })
    },
    best: {
      label: "best v random",
      shown: ({ game }, s, mark) =>
        chances(game, s, mark, "best", "it then plays best against random moves")
    },
    random: {
      label: "random v random",
      shown: ({ game }, s, mark) => chances(game, s, mark, "random", "both then move at random")
    },
    agent: {
      label: "agent's values",
      shown: (play, s, mark) =>
        ofAgent(play, s, mark, ({ agent, policy, turn }) => {
          if (notTaught(agent, play.game.toMove[s]))
            return { sentence: `${notTaught(agent, play.game.toMove[s])}.` };
          if (!agent.q)
            return probabilities(
              { agent, policy, turn },
              `${agent.label} keeps no values of its own. `
            );
          const sentence = `What ${agent.label} expects from taking each cell${turn}. A win counts ${agent.limits[1]}.`;
          return { cell: (i) => agent.q[i], limits: agent.limits, sentence };
        })
    },
    policy: {
      label: "agent's policy",
      shown: (play, s, mark) => ofAgent(play, s, mark, (known) => probabilities(known))
    }
  };

  // How games end that one side, the first or the second player, plays against random
  // moves: itself at random, or best.
  function againstRandom(game, kind, side) {
    const { policies, best } = game;
    game.chances ??= {
      random: Array(2).fill(winDrawLoss(game, policies.random, policies.random)),
      best: [winDrawLoss(game, best, policies.random), winDrawLoss(game, policies.random, best)]
    };
    return game.chances[kind][side === 1 ? 0 : 1];
  }

  function chances(game, s, mark, kind, after) {
    const side = game.toMove[s],
      table = againstRandom(game, kind, side);
    return {
      cell: (i) => seenBy(side, table, game.successor[i]),
      limits: [-1, 1],
      sentence: `Chances of ${mark} if ${after}. Colour: win minus loss.`
    };
  }

  const probabilities = ({ agent, policy, turn }, before = "") => ({
    cell: (i) => policy[i],
    limits: [0, 1],
    chosen: true,
    sentence: `${before}How often ${agent.label} takes each cell${turn}.`
  });

  // What is shown of the agent that moves in s, else of the one that plays against it.
  function ofAgent(play, s, mark, shown) {
    const subject = play.subject(s);
    if (!subject)
      return { sentence: "Two persons play: there is no agent whose numbers could be shown." };
    const { agent } = subject;
    if (agent.side !== 0 && agent.side !== play.game.toMove[s]) {
      return {
        sentence:
          `${madeFor(agent)} and knows nothing of the cells of ${mark}. ` +
          "Go one move back to see what it saw."
      };
    }
    const turn = subject.mark === mark ? "" : `, were it ${mark}`;
    return shown({ ...subject, turn });
  }

  const madeFor = ({ label, side }) =>
    `${label} was made to move ${side === 1 ? "first" : "second"} only`;

  // That an agent plays a side which it was not taught; empty if it was.
  const notTaught = ({ label, taught = 0 }, side) =>
    taught === 0 || taught === side
      ? ""
      : `${label} was taught to move ${taught === 1 ? "first" : "second"} only, and not as ${side === 1 ? "first" : "second"} player`;

  // {cells: cell → number, three, or null; limits, exact, chosen, sentence}: what is seen
  // in s.
  function numbers(play, s, overlay) {
    const { game } = play;
    const { cell, ...more } = terminal(game, s)
      ? { sentence: "" }
      : OVERLAYS[overlay].shown(play, s, play.mover(s));
    return { cells: cellsOf(game, s, cell ?? (() => null)), ...more };
  }

  // How good a cell is: its number, or win minus loss.
  const worth = (value) => (Array.isArray(value) ? value[0] - value[2] : value);

  // The cells with the largest number, unless all are equal.
  function bestCells(cells) {
    const free = [...cells.keys()].filter((c) => cells[c] !== null);
    const most = Math.max(...free.map((c) => worth(cells[c])));
    const best = free.filter((c) => worth(cells[c]) > most - TIE);
    return best.length < free.length ? best : [];
  }

  // How the game shown may go on: the probabilities that X wins, of a draw, that O wins.
  function outlook(play, s) {
    if (play.persons === 0)
      return { ends: play.match(s).exact, how: "As these two play from here" };
    const side = play.state.first === "X" ? 1 : -1;
    return {
      ends: seenBy(side, againstRandom(play.game, "random", side), s),
      how: "With random moves from here"
    };
  }

  // What is written on a cell: [word, number] for each number.
  const ENDS = ["win", "draw", "loss"];
  function written(value, exact) {
    if (Array.isArray(value)) return value.map((x, k) => [ENDS[k], fixed(x)]);
    return exact ? [[ENDS[1 - value], signed(value)]] : [["", fixed(value)]];
  }

  return { OVERLAYS, madeFor, notTaught, numbers, worth, bestCells, outlook, written };
})();
