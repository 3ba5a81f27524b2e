// Dynamic programming, as in `ttt_lib/planning.py`: backups of an MDP, and sweeps that can be
// interrupted after each backup.

ttt.planning = (() => {
  "use strict";

  const THETA = 1e-12; // sweeps stop when no value changes by more, in largest rewards
  const ROUNDING = 2 ** -50; // rounding error of a sum of a few numbers
  const EXACT_RTOL = 1e-13; // values are equal up to this share of the largest

  // ---- the operators

  // r(s, a) + γ Σ p(s′|s, a) V(s′) of one pair: one backup.
  function backup({ indptr, successor, probability, reward }, pair, V, gamma) {
    let expected = 0;
    for (let i = indptr[pair]; i < indptr[pair + 1]; i++)
      expected += probability[i] * V[successor[i]];
    return reward[pair] + gamma * expected;
  }

  // The largest backup among the pairs of a state.
  function bestBackup(mdp, s, V, gamma) {
    let value = -Infinity;
    for (let pair = mdp.first[s]; pair < mdp.first[s + 1]; pair++) {
      value = Math.max(value, backup(mdp, pair, V, gamma));
    }
    return value;
  }

  // Σ π(a|s) × backup of a state.
  function expectedBackup(mdp, policy, s, V, gamma) {
    let value = 0;
    for (let pair = mdp.first[s]; pair < mdp.first[s + 1]; pair++) {
      if (policy[pair] > 0) value += policy[pair] * backup(mdp, pair, V, gamma);
    }
    return value;
  }

  const qFromV = (mdp, V, gamma) => mdp.reward.map((_, pair) => backup(mdp, pair, V, gamma));

  // The policy that takes every action of a state equally often.
  function uniform({ first, action }) {
    const policy = new Float64Array(action.length);
    for (let s = 0; s + 1 < first.length; s++)
      policy.fill(1 / (first[s + 1] - first[s]), first[s], first[s + 1]);
    return policy;
  }

  // The greedy policy of q. Ties as in `ttt.policy.greedy`: actions are equally good if they
  // differ by at most `tie`, by default a little more than rounding error.
  function greedy({ first }, q, ties = "uniform", tie = null) {
    const n = first.length - 1,
      policy = new Float64Array(q.length);
    const best = Float64Array.from({ length: n }, (_, s) =>
      Math.max(...q.subarray(first[s], first[s + 1]))
    );
    const near = tie ?? EXACT_RTOL * largest(best);
    for (let s = 0; s < n; s++) {
      const chosen = [];
      for (let pair = first[s]; pair < first[s + 1]; pair++)
        if (q[pair] >= best[s] - near) chosen.push(pair);
      if (ties === "lowest") chosen.length = 1;
      for (const pair of chosen) policy[pair] = 1 / chosen.length;
    }
    return policy;
  }

  // The pairs of state and action from state s on, if each action has one successor, as on a
  // floor: {pairs, ended, earned}. It stops at the end of the episode, or before a state comes
  // again. Of equally likely actions the first is taken; `earned` is the discounted return.
  function rollout({ first, indptr, successor, reward }, policy, s, gamma) {
    const pairs = [],
      met = new Set();
    let ended = false;
    while (!ended && !met.has(s)) {
      met.add(s);
      const chances = policy.subarray(first[s], first[s + 1]),
        pair = first[s] + chances.indexOf(Math.max(...chances));
      pairs.push(pair);
      ended = indptr[pair] === indptr[pair + 1];
      s = successor[indptr[pair]];
    }
    return { pairs, ended, earned: pairs.reduceRight((sum, i) => reward[i] + gamma * sum, 0) };
  }

  // The largest absolute value.
  const largest = (numbers) => numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

  // ---- sweeps

  // Sweeps of a policy, or of the best actions if it is null, from V, by default 0. order:
  // "synchronous" reads the values of the previous sweep; "rising" and "falling" work in
  // place, and so does a list of states, in its order.
  //   V            the values that backups read
  //   next         the values that they write: V itself, if in place
  //   sweeps       the number of complete sweeps
  //   place        the number of states done in the current sweep
  //   backups      the number of pairs backed up
  //   converged    whether the last complete sweep changed no value
  //   step()       back up one state; returns {state, old, new}
  //   sweep()      finish the sweep; returns {change, old, new}: the largest change, and all
  //                values before and after the sweep
  function sweeper(
    mdp,
    gamma,
    { policy = null, order = "synchronous", V = null, theta = THETA } = {}
  ) {
    const n = mdp.position.length,
      states = inOrder(n, order);
    const values = V ? Float64Array.from(V) : new Float64Array(n);
    const before = values.slice(); // values before the sweep
    const now = {
      V: values,
      next: order === "synchronous" ? values.slice() : values,
      sweeps: 0,
      place: 0,
      backups: 0,
      converged: false,
      step,
      sweep
    };
    const unit = largest(mdp.reward) || largest(values),
      tolerance = theta * unit;
    let change = 0;

    function step() {
      const s = states[now.place],
        old = now.V[s];
      if (now.place === 0) {
        before.set(now.V);
        change = 0;
      }
      const value = policy
        ? expectedBackup(mdp, policy, s, now.V, gamma)
        : bestBackup(mdp, s, now.V, gamma);
      now.next[s] = value;
      for (let pair = mdp.first[s]; pair < mdp.first[s + 1]; pair++) {
        if (!policy || policy[pair] !== 0) now.backups += 1;
      }
      change = Math.max(change, Math.abs(value - old));
      now.place += 1;
      if (now.place === states.length) {
        [now.V, now.next] = [now.next, now.V];
        now.place = 0;
        now.sweeps += 1;
        now.converged = change <= Math.max(tolerance, 4 * ROUNDING * largest(now.V));
      }
      return { state: s, old, new: value };
    }

    function sweep() {
      do step();
      while (now.place > 0);
      return { change, old: before.slice(), new: now.V.slice() };
    }

    return now;
  }

  function inOrder(n, order) {
    if (typeof order !== "string") return Int32Array.from(order);
    const rising = Int32Array.from({ length: n }, (_, s) => s);
    return order === "falling" ? rising.reverse() : rising;
  }

  return {
    THETA,
    backup,
    bestBackup,
    expectedBackup,
    qFromV,
    uniform,
    greedy,
    rollout,
    sweeper
  };
})();
