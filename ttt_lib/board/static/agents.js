// Who can play: names, as in `ttt_lib/agents/names.py`, and the tables behind them.

ttt.agents = (() => {
  "use strict";

  const { capital } = ttt.format;
  const { unpack, tables } = ttt.game;
  const { uniform, greedy, mixture } = ttt.policy;

  const PERSON = "person";
  const LEVEL = 0.9; // of a teacher where none is said

  // ---- who there is

  // An entry says who can play: {name, label, group, made, frames, files, slider}. Those
  // that break ties by the lowest cell are offered nowhere, but may be asked for.
  const LOWEST = {
    perfect: "It makes no mistakes, and takes the lowest cell of its best moves.",
    teacher: "Perfect lowest with a probability of its own at each move, else random."
  };

  // The entries of all who can play: agents of the book, those of the page, a person.
  function entries(shipped, { own, arena }) {
    const array = (thing) => (Array.isArray(thing) ? thing : null);
    const book = shipped.map((a) => ({ label: a.name, group: "learned", ...a }));
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

  // A seat is who sits there: {who, level, frame}, the name of an entry, how often it
  // keeps to its policy, and which of its frames plays, if it is a learner on a slider.

  const isTeacher = (name) => /^teacher( lowest)?$/.test(name);

  // The entry that a name means, and a teacher's level: "teacher 0.9 lowest" is a
  // "teacher lowest", of level 0.9.
  function parse(name) {
    const [, teacher, level = LEVEL, ties = ""] =
      /^(teacher)(?: ([\d.e-]+))?( lowest)?$/.exec(name) ?? [];
    const fits = teacher && Number(level) >= 0 && Number(level) <= 1;
    return fits ? { who: teacher + ties, level: Number(level) } : { who: name, level: 1 };
  }

  // The seat that a name gives, or nothing if nobody is called so.
  function seatOf(known, name) {
    const { who, level } = parse(name);
    const entry = known.find((each) => each.name === who);
    if (entry) return { who, level, frame: entry.frames ? entry.frames.length - 1 : null };
    for (const each of known) {
      const frame = (each.frames ?? []).findIndex((_, n) => keyOf(each, n) === name);
      if (frame >= 0) return { who: each.name, level: 1, frame };
    }
  }

  // The name of who sits there, in the form in which Python writes it.
  function nameOf(entry, { who, level, frame }) {
    if (isTeacher(who)) return who.replace("teacher", `teacher ${level}`);
    return entry.frames ? keyOf(entry, frame) : who;
  }

  // A label at the beginning of a sentence: a name stays as one types it.
  const opening = ({ name, label }) => (name === label ? label : capital(label));

  // The key of the table of an agent, or of one of its frames.
  const keyOf = ({ name, frames, files }, frame) =>
    !frames ? name : (files?.[frame] ?? `${name}-${frame}`);

  // ---- tables

  // What all boards of a page share: packed tables of the game and of agents.
  const registry = { packed: null, game: null, agents: {} };

  // The tables of the game, with the policies that follow from them.
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

  // An agent of which the tables of the game say all, else null.
  //   policy[i], q[i]   probabilities and action values of packed moves; q null if none
  //   side              +1 or −1 if it plays only first or second, else 0
  //   taught            +1 or −1 if it plays both, and was taught one side only
  //   greedy            whether all moves of its policy are best by its q
  //   limits            between which values its colours run
  function computed({ policies, best, q }, name) {
    if (name === "random") return { policy: policies.random, side: 0, greedy: false, q: null };
    if (name === "best-against-random") return { policy: best, side: 0, greedy: true, q: null };
    const kind = name.replace("teacher", "perfect"); // how often it errs is its level
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

  // The probabilities with which an agent plays that keeps to its policy at `level`.
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
