"""Model of the rest of a game against an opponent that moves at random."""

from ttt_lib.game import tables

GAMMA = 0.9


def rest_of_game(rng):
    """Return (model, order): X's states, and an order with later states first.

    The model has {action: [(p, r, next state, None at the end), …]} for each state.
    X opens, and O has its own move probabilities on each board. The opening, these
    probabilities, and the numbers of the states are random.
    """
    game = tables()
    opening = int(rng.choice(game.successor[0, : game.count[0]]))
    queue = game.successor[opening, : game.count[opening]].tolist()
    seen, states = set(queue), []
    while queue:  # breadth first, so that later boards come after earlier ones
        s = queue.pop(0)
        states.append((s, state := {}))
        for a in game.action[s, : game.count[s]].tolist():
            state[a] = list(_replies(game, rng, int(game.next[s, a])))
            after = [n for _, _, n in state[a] if n is not None and n not in seen]
            queue += after
            seen.update(after)
    number = list(range(len(states)))
    rng.shuffle(number)
    new = {s: number[i] for i, (s, _) in enumerate(states)}
    model = [None] * len(states)
    for s, state in states:
        model[new[s]] = {
            a: [(p, r, None if n is None else new[n]) for p, r, n in outcomes]
            for a, outcomes in state.items()
        }
    return model, number[::-1]


def _replies(game, rng, s):
    """Yield (probability, reward, next position or None) after X's move to s."""
    if game.terminal[s]:
        yield 1.0, float(game.outcome[s]), None
        return
    replies = game.successor[s, : game.count[s]].tolist()
    weights = [rng.random() + 0.1 for _ in replies]
    for n, weight in zip(replies, weights, strict=True):
        over = game.terminal[n]
        yield weight / sum(weights), float(game.outcome[n]), None if over else n


def action_value(outcomes, V):
    """Return Σ p (r + γ V(s′)) over the outcomes of an action."""
    return sum(p * (r + GAMMA * (0.0 if n is None else V[n])) for p, r, n in outcomes)


def exact(model, order, actions=None):
    """Return the exact V of a policy, a list of actions, or of the best policy.

    `order` has each state after its next states.
    """
    V = [0.0] * len(model)
    for s in order:
        chosen = model[s] if actions is None else [actions[s]]
        V[s] = max(action_value(model[s][a], V) for a in chosen)
    return V
