// Overlays: the numbers on the cells. A new overlay is an entry of OVERLAYS here and a
// name in OVERLAYS of `state.py`.

ttt.overlays = (() => {
  "use strict";

  const { fixed, signed } = ttt.format;
  const { terminal, cellsOf } = ttt.game;
  const { LEARNED_ATOL, winDrawLoss, seenBy } = ttt.policy;

  // The numbers on the cells of a position s, from the view of `mark`, who is to move:
  //   cell(i)    of the move i, a number or three: win, draw, loss; without it, nothing
  //   limits     the smallest and the largest possible value
  //   exact      whether the numbers are +1, 0 and −1, for win, draw and loss
  //   chosen     whether they are probabilities of choosing a cell, not its values
  //   sentence   a description of the numbers
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
              `${agent.label} has no values of its own. `
            );
          const verb = turn ? "would expect" : "expects";
          const sentence = `What ${agent.label} ${verb} from each cell${turn}. A win counts ${agent.limits[1]}.`;
          return { cell: (i) => agent.q[i], limits: agent.limits, sentence };
        })
    },
    policy: {
      label: "agent's policy",
      shown: (play, s, mark) => ofAgent(play, s, mark, (subject) => probabilities(subject))
    }
  };

  // Win, draw and loss of one side, first or second, against random moves, if it plays
  // at random itself, or best.
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
    sentence: `${before}How often ${agent.label} ${turn ? "would take" : "takes"} each cell${turn}.`
  });

  // The numbers of the agent that moves in s, or else of its opponent.
  function ofAgent(play, s, mark, shown) {
    const subject = play.subject(s);
    if (!subject)
      return {
        sentence: "Two people are playing, so there is no agent whose numbers could be shown."
      };
    const { agent } = subject;
    if (agent.side !== 0 && agent.side !== play.game.toMove[s]) {
      return {
        sentence:
          `${madeFor(agent)}, so it has no numbers for the cells of ${mark}. ` +
          "Go one move back to see what it saw."
      };
    }
    const turn = subject.mark === mark ? "" : ` if it were ${mark}`;
    return shown({ ...subject, turn });
  }

  const madeFor = ({ label, side }) => `${label} can only move ${side === 1 ? "first" : "second"}`;

  // A warning if an agent plays a side that it was not trained for, else an empty text.
  const notTaught = ({ label, taught = 0 }, side) =>
    taught === 0 || taught === side
      ? ""
      : `${label} was trained only as ${taught === 1 ? "first" : "second"} player, and not as ${side === 1 ? "first" : "second"} player`;

  // The overlay in s: {cells: cell → number, three numbers, or null; limits, exact, chosen,
  // sentence}.
  function numbers(play, s, overlay) {
    const { game } = play;
    const { cell, ...more } = terminal(game, s)
      ? { sentence: "" }
      : OVERLAYS[overlay].shown(play, s, play.mover(s));
    return { cells: cellsOf(game, s, cell ?? (() => null)), ...more };
  }

  // The value of a cell: its number, or win minus loss.
  const worth = (value) => (Array.isArray(value) ? value[0] - value[2] : value);

  // The cells with the largest number, unless all are equal.
  function bestCells(cells) {
    const free = [...cells.keys()].filter((c) => cells[c] !== null);
    const most = Math.max(...free.map((c) => worth(cells[c])));
    const best = free.filter((c) => worth(cells[c]) > most - LEARNED_ATOL);
    return best.length < free.length ? best : [];
  }

  // The outlook from s: the probabilities that X wins, of a draw, and that O wins; against an
  // agent those of the person's best reply.
  function outlook(play, s) {
    if (play.persons === 0)
      return { ends: play.match(s).exact, how: "As these two play from here" };
    const side = play.state.first === "X" ? 1 : -1;
    if (play.persons === 1) {
      const { you, agent, table } = play.reply;
      return {
        ends: seenBy(side, table, s),
        how: `With your best play against ${agent.label} from here`,
        you
      };
    }
    return {
      ends: seenBy(side, againstRandom(play.game, "random", side), s),
      how: "With random moves from here"
    };
  }

  // The text on a cell: [word, number] for each number.
  const ENDS = ["win", "draw", "loss"];
  function written(value, exact) {
    if (Array.isArray(value)) return value.map((x, k) => [ENDS[k], fixed(x)]);
    return exact ? [[ENDS[1 - value], signed(value)]] : [["", fixed(value)]];
  }

  return { OVERLAYS, madeFor, notTaught, numbers, worth, bestCells, outlook, written };
})();
