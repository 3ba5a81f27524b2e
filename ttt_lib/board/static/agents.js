// Players: their names, as in `ttt_lib/agents/names.py`, and their tables.

ttt.agents = (() => {
  "use strict";

  const { capital } = ttt.format;
  const { unpack, tables } = ttt.game;
  const { uniform, greedy, mixture } = ttt.policy;

  const PERSON = "person";
  const LEVEL = 0.9; // of a teacher, by default

  // ---- entries

  // An entry describes a player: {name, label, group, made, frames, files, slider}. Agents
  // that break ties by the lowest cell are not listed, but can be given by name.
  const LOWEST = {
    perfect: "It makes no mistakes, and takes the lowest cell of its best moves.",
    teacher: "Perfect lowest with a probability of its own at each move, else random."
  };

  // The entries of all players: built-in agents, agents of the page, and a person.
  function entries(builtin, { own, arena }) {
    const array = (thing) => (Array.isArray(thing) ? thing : null);
    const book = builtin.map((a) => ({ label: a.name, group: "learned", ...a }));
    return [
      ...book,
      ...book
        .filter(({ name }) => name in LOWEST)
        .map((entry) => ({
          ...entry,
          aside: true,
          name: `${entry.name} lowest`,
          label: `${entry.label} lowest`,
          made: LOWEST[entry.name]
        })),
      ...(array(own) ?? [])
        .filter((a) => typeof a?.name === "string")
        .map((a) => ({ label: a.name, ...a, group: "own", frames: array(a.frames) })),
      {
        name: PERSON,
        label: arena ? "a person" : "a second person",
        group: "person",
        made: "A person at the same board."
      }
    ];
  }

  // ---- names

  // A seat is a player at the board: {who, level, frame}, the name of its entry, how often
  // it follows its policy, and the frame of a learner on a slider, else null.

  const isTeacher = (name) => /^teacher( lowest)?$/.test(name);

  // The entry of a name, and a teacher's level: "teacher 0.9 lowest" is the entry
  // "teacher lowest" with level 0.9.
  function parse(name) {
    const [, teacher, level = LEVEL, ties = ""] =
      /^(teacher)(?: ([\d.e-]+))?( lowest)?$/.exec(name) ?? [];
    const fits = teacher && Number(level) >= 0 && Number(level) <= 1;
    return fits ? { who: teacher + ties, level: Number(level) } : { who: name, level: 1 };
  }

  // The seat of a name, or undefined if there is no such player.
  function seatOf(entries, name) {
    const { who, level } = parse(name);
    const entry = entries.find((each) => each.name === who);
    if (entry) return { who, level, frame: entry.frames ? entry.frames.length - 1 : null };
    for (const each of entries) {
      const frame = (each.frames ?? []).findIndex((_, n) => keyOf(each, n) === name);
      if (frame >= 0) return { who: each.name, level: 1, frame };
    }
  }

  // The canonical name of a seat, as in Python.
  function nameOf(entry, { who, level, frame }) {
    if (isTeacher(who)) return who.replace("teacher", `teacher ${level}`);
    return entry.frames ? keyOf(entry, frame) : who;
  }

  // A label at the beginning of a sentence; names are not capitalised.
  const opening = ({ name, label }) => (name === label ? label : capital(label));

  // The key of the table of an agent, or of one of its frames.
  const keyOf = ({ name, frames, files }, frame) =>
    !frames ? name : (files?.[frame] ?? `${name}-${frame}`);

  // ---- tables

  // Shared by all boards of a page: packed tables of the game and of agents.
  const registry = { packed: null, game: null, agents: {} };

  // The tables of the game, with the policies computed from them.
  async function shared(packed) {
    const game = await tables(packed);
    game.policies = {
      random: uniform(game),
      perfect: greedy(game, game.q),
      "perfect lowest": greedy(game, game.q, "lowest")
    };
    game.best = (await unpackAgent(packed.best, game)).policy; // against random moves
    return game;
  }

  // An agent that is computed from the tables of the game, else null.
  //   policy[i], q[i]   probabilities and action values of packed moves; q null if none
  //   side              +1 or −1 if it plays only first or second, else 0
  //   taught            +1 or −1 if it plays both sides, but was trained on one only
  //   greedy            whether all moves of its policy are best by its q
  //   limits            the values at the ends of its colour scale
  function computed({ policies, best, q }, name) {
    if (name === "random") return { policy: policies.random, side: 0, greedy: false, q: null };
    if (name === "best-against-random") return { policy: best, side: 0, greedy: true, q: null };
    const kind = name.replace("teacher", "perfect"); // its level is part of the seat
    if (!Object.hasOwn(policies, kind)) return null;
    return { policy: policies[kind], side: 0, greedy: true, q, limits: [-1, 1] };
  }

  async function unpackAgent(packed, { action }) {
    const [policy, q] = await Promise.all([
      unpack(packed.policy),
      packed.q ? unpack(packed.q) : null
    ]);
    if ([policy, q ?? policy].some((table) => table.length !== action.length))
      throw Error("its table has another size");
    return { ...packed, policy, q };
  }

  // The policy of an agent that follows its own policy with probability `level`.
  const played = ({ policies }, agent, level) =>
    level === 1 ? agent.policy : mixture(level, agent.policy, policies.random);

  return {
    PERSON,
    entries,
    isTeacher,
    seatOf,
    nameOf,
    opening,
    keyOf,
    registry,
    shared,
    computed,
    unpackAgent,
    played
  };
})();
