"""The board in Python: tables, storage, synchronisation and validation."""

import asyncio
import copy
import gzip
import html
import json
import random
import re
from inspect import signature
from itertools import product

import numpy as np
import pytest
from common import unpacked
from traitlets import TraitError

from ttt_lib import agents, evaluation, learning, menace, policy, search
from ttt_lib.agents import io, learners
from ttt_lib.board import Board, LearnerLab, mount, settings, standings, state
from ttt_lib.board import encode as board_tables
from ttt_lib.board import page as board_page
from ttt_lib.game import tables

GAME = tables()


def new_learner(method="q_learning"):
    return learning.new_learner(GAME, method, np.random.default_rng(3))


FRESH = {"game": 0, "first": "X", "start": "." * 9, "counted": False}
PUBLIC = ("position", "history", "shown", "score", "numbers", "agents")


def traits(board):
    return {name: getattr(board, name) for name in state.NAMES}


def changes_of(board):
    """Return a list that collects each change of a board."""
    events = []

    def hear(change):
        assert getattr(board, change.name) == change.new != change.old
        assert fits_together(board)
        events.append((change.name, change.old, change.new, board.position))

    board.observe(hear, PUBLIC)
    return events


def fits_together(board):
    """Return whether moves lead to the position, and a counted end is in the score."""
    began = board._game or FRESH | {"first": board._setup["starts"]}
    s = GAME.find(began["start"], began["first"])
    for a in board.history:
        s = GAME.next[s, a]
    text = GAME.string(s, began["first"])
    rows = "/".join([text[:3], text[3:6], text[6:]])
    ends = {0: "draw", 1: began["first"], -1: "O" if began["first"] == "X" else "X"}
    counted = GAME.terminal[s] and board.score[ends[int(GAME.outcome[s])]] > 0
    return board.position == rows and (counted or not began["counted"])


class Page:
    """A page in Python: it sends messages to boards, and records their answers."""

    def __init__(self, monkeypatch):
        self.monkeypatch, self.messages = monkeypatch, []

    def listen(self, board):
        def send(data=None, *_, **__):
            self.messages.append(data)

        self.monkeypatch.setattr(board.comm, "send", send)
        return board

    def give(self, board, data):
        board.comm.handle_msg({"content": {"data": data}, "buffers": []})

    def update(self, board, **parts):
        self.give(board, {"method": "update", "state": parts, "buffer_paths": []})

    def ask(self, board, **content):
        self.give(board, {"method": "custom", "content": content})

    def changed(self):
        return [m["state"] for m in self.messages if m["method"] == "update"]

    def said(self):
        return [m["content"] for m in self.messages if m["method"] == "custom"]


@pytest.fixture
def page(monkeypatch):
    return Page(monkeypatch)


@pytest.mark.slow
def test_builtin_agents_are_encoded_exactly():
    for name in io.builtin_names():
        agent, table = io.read_builtin(name), board_tables.shipped(name)
        assert (unpacked(table["policy"]) == agent.policy[GAME.legal]).all()
        if agent.Q is not None:
            shown = [f"{x:.3f}" for x in unpacked(table["q"])]
            right = [f"{x:.3f}" for x in agent.Q[GAME.legal]]
            assert shown == ["0.000" if x == "-0.000" else x for x in right]
            assert table["greedy"]
        assert len(board_tables.to_json(table)) < 50_000


def test_ties_large_values_and_any_probabilities_are_encoded_exactly():
    Q = np.where(GAME.legal, 0.0625, 0.0)
    for greatest in 32.767, 32.768, -32.768, -500.457:
        Q[0, :3] = greatest + 0.0003, 0.1875, 13.4375
        greedy = policy.greedy(Q, GAME.legal)
        table = board_tables.known(agents.Agent("x", "by hand", policy=greedy, Q=Q))
        assert unpacked(table["q"])[:4].tolist() == [greatest, 0.188, 13.438, 0.062]
    Q = np.where(GAME.legal, np.random.default_rng(0).random(GAME.legal.shape), 0.0)
    mixed = policy.softmax(Q, GAME.legal, 1.0)
    for states in len(GAME.code), 50:
        mixed[states:] = policy.uniform(GAME.legal)[states:]
        assert len(np.unique(mixed)) > 2**8
        table = board_tables.known(mixed)
        assert (unpacked(table["policy"]) == mixed[GAME.legal]).all()


def test_table_has_limits_of_values_and_greedy_flag():
    rewards = {(1, 0, -1): [-1, 1], (5, 2, -20): [-5, 5], (3, 1, 0): [0, 3]}
    for each, limits in rewards.items():
        table = board_tables.known(new_learner()._replace(rewards=each))
        assert table["limits"] == limits
    Q = search.solve(GAME).Q
    careless = policy.epsilon_greedy(Q, GAME.legal, 0.1)
    agent = agents.Agent("x", "by hand", policy=careless, Q=Q)
    assert not board_tables.known(agent)["greedy"]


@pytest.mark.slow
def test_cards_have_exact_losses_and_are_sorted_by_safety():
    board_tables.entries.cache_clear()
    entries = board_tables.entries()
    cards = standings.cards(entries)
    assert {*cards} == {*board_tables.names()}
    danger = []
    for card in cards.values():
        taught = [lost for lost in card["loses"] if lost]
        danger.append((-len(taught), *np.mean(taught, axis=0)[::-1].round(9)))
    assert danger == sorted(danger)
    for entry in entries:
        card, last = cards[entry["name"]], board_tables.keys(entry)[-1]
        agent = agents.as_agent(GAME, "teacher 0.9" if last == "teacher" else last)
        for side, lost in zip((+1, -1), card["loses"], strict=True):
            if card.get("side", side) != side:
                assert lost is None, "it was not taught this side"
                continue
            right = standings.loses(GAME, agent.on(side), side)
            assert lost == pytest.approx(right, abs=1e-12), entry["name"]
    for name, side in {"menace": 1, "p3": 1, "p1": -1, "perfect": None}.items():
        assert cards[name].get("side") == side


def brought(page):
    """Return the names of the agents whose tables a page with a board embeds."""
    assert page.count("ttt.board.tables(") == 1
    names = set(io.builtin_names()) - set(board_tables.SIMPLE)
    return {name for name in names if f'ttt.board.register("{name}"' in page}


@pytest.mark.slow
def test_page_embeds_only_agents_that_can_be_chosen():
    scripts = {file for file in board_tables.scripts() if file.startswith("agents/")}
    names = {file.removeprefix("agents/").removesuffix(".js") for file in scripts}
    snapshots = {name for name in names if name.startswith("snapshot-")}
    assert len(snapshots) == 6
    for setup, embedded in (
        ({}, names),
        ({"arena": True}, names),
        ({"choices": ["menace", "perfect"], "o": "menace"}, {"menace"}),
        ({"choices": ["sarsa", "snapshot"]}, snapshots | {"sarsa"}),
    ):
        page = board_page.page(settings(**setup))
        assert brought(page) == embedded
        assert ("ttt.CARDS = " in page) == ("arena" in setup)
        assert not re.search(r"(src|href)=", page)


def test_settings_in_a_page_are_escaped():
    title = '</script>"><b>&'
    text = mount(settings(title=title))
    assert text.count("<") == 4
    setup = re.search('data-ttt-board="(.*?)"', text).group(1)
    assert json.loads(html.unescape(setup))["title"] == title
    assert Board(title=title, choices=["sarsa"]).to_html().count("</script>") == 1


def test_learner_lab_has_comparison_only_of_stored_settings():
    choose = {"epsilon": ["0", "0.1", "0.5", "1"]}
    lab = LearnerLab("?", choose, step="game", seed=3)
    assert lab._setup["runs"] == "exploration"
    script = board_tables.lab_script("runs_exploration")
    assert lab._esm.endswith(script)
    assert len(gzip.compress(script.encode())) < 12_000
    for other in (LearnerLab("?", choose, gamma=0.9), LearnerLab("?", epsilon=0.3)):
        assert "runs" not in other._setup


@pytest.mark.slow
def test_cross_table_has_only_trained_sides():
    cross, policies = standings.cross(), []
    for side, seats in ((+1, "firsts"), (-1, "seconds")):
        seated = [agents.as_agent(GAME, name) for name in cross[seats]]
        policies.append([who.policy for who in seated])
        taught = [who.taught for who in seated]
        assert {*taught} == {0, side}
        assert taught == sorted(taught, key=abs), "first those of both sides"
    table = evaluation.cross_table(GAME, *policies)
    exact = 1000 * (table[..., 0] - table[..., 2])
    np.testing.assert_allclose(cross["value"], exact, atol=0.5 + 1e-9)
    n = taught.count(0)
    both = exact[:n, :n]
    assert (np.diff(both.mean(axis=1) - both.mean(axis=0)) <= 1e-9).all(), "best first"
    total = both.sum(axis=1) - both.sum(axis=0)
    np.testing.assert_allclose(cross["total"], total, atol=0.5 + 1e-9)
    for k, found in enumerate(cross["worst"]):
        ends = (evaluation.best_response(GAME, policies[0][k], s).V[0] for s in (-1, 1))
        np.testing.assert_allclose(found, [-1000 * v for v in ends], atol=0.5 + 1e-9)


def test_table_names_the_only_trained_side():
    learner, at_random = new_learner(), policy.uniform(GAME.legal)
    for side in (+1, -1):
        once = learning.train(GAME, learner, 10, at_random, side)
        assert board_tables.known(once)["taught"] == side
    for both in learner, learning.train(GAME, learner, 10):
        assert "taught" not in board_tables.known(both)
    sides = [board_tables.shipped(n).get("taught") for n in ("p4", "p1", "menace")]
    assert sides == [+1, -1, None], "the side of menace says it"


def test_json_is_finite_and_cannot_close_script_element():
    for thing in ("</script>", ["<\\/b></b>", "<!--"], {"</": 0.5}):
        assert "</" not in board_tables.to_json(thing)
        assert json.loads(board_tables.to_json(thing)) == thing
    with pytest.raises(ValueError, match="JSON compliant"):
        board_tables.to_json([float("nan")])


def stored(board):
    """Return the settings in a stored board, as the page reads them."""
    text = board._repr_mimebundle_()[0]["text/html"]
    return json.loads(html.unescape(re.search('data-ttt-board="(.*?)"', text).group(1)))


def test_stored_settings_are_short_and_complete():
    one, two = Board()._repr_mimebundle_()[0], Board()._repr_mimebundle_()[0]
    assert [one[k] == two[k] for k in ("text/html", "text/plain")] == [True, True]
    assert len(one["text/html"]) < 400
    board = Board(agent=new_learner(), name="learner", position="X../.../...")
    board.history = [4, 1]
    setup = stored(board)
    assert (setup["state"]["start"], setup["state"]["moves"]) == ("X........", [4, 1])
    assert (setup["o"], {*setup["tables"]}) == ("learner", {"learner"})
    assert "learner" not in setup, "a page cannot teach"
    stages = {"new": new_learner(), 10: new_learner()}
    setup = stored(Board(agent=stages, name="q", slider="Games"))
    (own,) = setup["own"]
    assert (own["frames"], own["slider"]) == (["new", "10"], "Games")
    assert {*setup["tables"]} == {"q-0", "q-1"}


def test_set_position_history_and_score():
    board = Board()
    board.position = "xo......."
    assert (board.position, board.history) == ("XO./.../...", [])
    board.score = {"X": 2, "draw": 1, "O": 0}
    board.position = "...O....."  # the side with more marks moved first
    board.history = [4]
    assert (board.position, board.score["X"]) == (".../OX./...", 2)
    board.position = "XXX/OO./O.."  # O must have begun, or X had won before
    assert board.position == "XXX/OO./O.."
    board.position = GAME.array(GAME.find("XO......."))
    assert board.position == "XO./.../..."
    board.history = list(np.array([4, 8]))
    assert json.dumps([board.history, board.shown]) == "[[4, 8], 2]"


WRONG = [
    ("position", "XXX/OOO/...", "both have a line"),
    ("position", "XX", "has 9 cells"),
    ("position", None, "mark"),
    ("history", [4, 4], "move 2, in cell 4, is illegal"),
    ("history", [9], "cell 9"),
    ("history", ["x"], "'x'"),
    ("history", 4, "a list of cells"),
    ("shown", 10, "from 0 to 9"),
    ("shown", True, "True"),
    ("score", {"X": 1}, "counts of 'X', 'draw' and 'O'"),
    ("score", {"X": -1, "draw": 0, "O": 0}, "-1"),
    ("numbers", "all", "'all'"),
    ("agents", {"X": "perfect", "O": "random"}, "one side is a person here"),
    ("agents", {"X": "perfect"}, "who plays 'X' and who plays 'O'"),
    ("agents", {"X": "perfect", "O": "teacher 1.5"}, "'teacher 1.5' cannot play"),
    ("agents", {"X": "new:q_learning", "O": "person"}, "cannot play"),
]


def test_invalid_values_raise_and_change_nothing(page):
    board = Board()
    board.history = [0, 4]
    board.score = {"X": 1, "draw": 2, "O": 3}
    before, events = traits(board), changes_of(board)
    page.listen(board)
    for name, value, words in WRONG:
        with pytest.raises(TraitError, match=re.escape(words)) as error:
            setattr(board, name, value)
        assert str(error.value).endswith(".")
        assert str(error.value).count(". ") == 0, "one sentence"
        assert page.messages == []
        # A page, or a link in a page, that sends it gets the old values back.
        page.update(board, **{name: value})
        assert page.changed()[-1] == before
        assert page.said()[-1] == {"fault": str(error.value)}
        page.messages.clear()
    assert traits(board) == before
    assert events == []
    board.history = [0, 4, 8]
    assert board.position == "X../.O./..X"


def test_player_names_are_canonical():
    mine = {"agent": {0: new_learner(), 9: new_learner()}, "name": "this one"}
    last = "snapshot-100000", "this one-1"  # of the two sliders
    for asked, named in [
        (("Perfect:Lowest", "teacher"), ("perfect lowest", "teacher 0.9")),
        (("snapshot-10", "this one-0"), ("snapshot-10", "this one-0")),
        (("snapshot", "this one"), last),
    ]:
        board = Board(*asked, arena=True, **mine)
        assert tuple(board.agents.values()) == named
        assert [*map(stored(board).get, "xo")] == [*(asked if named == last else named)]
        board.agents = {"X": "Sarsa", "O": "teacher 0.10"}
        assert tuple(board.agents.values()) == ("sarsa", "teacher 0.1")
        assert [*map(stored(board).get, "xo")] == ["sarsa", "teacher 0.1"]
    few = Board(choices="sarsa, teacher", o="q-learning")
    choices = "choose from person, teacher, q-learning, sarsa"
    with pytest.raises(TraitError, match=choices):
        few.agents = {"X": "menace", "O": "person"}


def test_observers_hear_each_move_even_of_one_message(page):
    # While a kernel is busy, pages collect their changes in one message.
    by_code, at_once = Board(), Board()
    told, told_at_once = changes_of(by_code), changes_of(at_once)
    known, rng = traits(by_code), np.random.default_rng(1)
    page.listen(at_once)
    for _ in range(20):
        by_code.position, s = ".../.../...", 0
        while not GAME.terminal[s]:
            a = int(rng.choice(np.flatnonzero(GAME.legal[s])))
            by_code.history, s = [*by_code.history, a], GAME.next[s, a]
            if GAME.terminal[s] or rng.random() < 0.3:
                now = traits(by_code)
                page.update(at_once, **{n: now[n] for n in now if now[n] != known[n]})
                known = now
        assert traits(at_once) == known
        # Moves come in order; the order of traits within a move does not matter.
        assert sorted(map(repr, told_at_once)) == sorted(map(repr, told))
        told_at_once.clear()
        told.clear()
    assert min(at_once.score.values()) > 0
    sent_back = {m["method"] for m in page.messages} - {"echo_update"}
    assert not sent_back


def test_looking_back_changes_only_shown():
    board = Board()
    board.history = [4, 0, 8]
    events = changes_of(board)
    board.shown = 1
    assert events == [("shown", 3, 1, "O../.X./..X")]
    board.history = [4, 0, 8, 2]
    assert board.shown == 4
    board.shown = 9  # more than all moves: all are shown


def test_equal_values_notify_no_one(page):
    board = Board(o="perfect")
    board.history = [0, 3, 1, 4, 2]
    board.score = {"X": 0, "draw": 5, "O": 0}  # the result is not counted any more
    events = changes_of(board)
    page.listen(board)
    board.agents = {"X": "Person", "O": "perfect"}
    board.score = {"O": 0, "X": 0, "draw": 5}
    board.history.append(8)  # reading gives a copy
    assert events == page.messages == []
    assert len(board.history) == 5


def test_new_position_begins_game_and_new_players_reset_score():
    board = Board()
    board.history = [0, 3, 1, 4, 2]
    assert board.score == {"X": 1, "draw": 0, "O": 0}
    board.position = ".../.../..."
    assert stored(board)["state"]["game"] == 1
    board.history = [0, 3, 1, 4, 2]
    assert board.score == {"X": 2, "draw": 0, "O": 0}
    board.agents = {"X": "perfect", "O": "person"}
    assert board.score == {"X": 0, "draw": 0, "O": 0}
    board.history = [0, 3, 1, 4]  # a result that is no longer counted stays out
    assert board.score["X"] == 0
    board.history = [0, 3, 1, 4, 2]
    board.score = {"X": 0, "draw": 5, "O": 0}
    board.history = [0]
    assert board.score == {"X": 0, "draw": 5, "O": 0}


def test_several_traits_are_set_together_or_not_at_all():
    board = Board()
    events = changes_of(board)
    wrong = {"history": [4], "position": "X../.../..."}
    with (
        pytest.raises(TraitError, match="the moves lead to"),
        board.hold_trait_notifications(),
    ):
        board.history, board.position = wrong.values()
    assert (board.history, board.position, events) == ([], ".../.../...", [])
    with board.hold_trait_notifications():
        board.history, board.shown, board.numbers = [4, 0], 1, "value"
    assert (board.position, board.shown) == ("O../.X./...", 1)
    assert [name for name, *_ in events] == ["history", "shown", "numbers", "position"]


def test_page_gets_all_changes_in_one_message(page):
    board = page.listen(Board())
    board.history = [4]
    (message,) = page.messages
    now = {"history": [4], "position": ".../.X./...", "shown": 1}
    assert message["state"] == now | {"_game": FRESH}
    page.messages.clear()
    # A link in the page sets one trait; only the consequences come back.
    page.update(board, position="XO./.../...")
    assert [set(state) for state in page.changed()] == [{"_game", "history", "shown"}]
    page.messages.clear()
    page.update(board, position="x........", agents={"X": "person", "O": "Perfect"})
    (state,) = page.changed()
    assert state["position"] == "X../.../..."
    assert state["agents"] == {"X": "person", "O": "perfect"}


def test_failing_observer_leaves_board_and_page_consistent(page):
    for by_code in True, False:
        board, moves = Board(), [4, 0, 8]
        board.observe(lambda change: 1 / 0, "history")
        page.listen(board)
        if by_code:
            with pytest.raises(ZeroDivisionError):
                board.history = moves
            assert {"position", "shown", "_game"} <= set().union(*page.changed())
        else:
            page.update(board, history=moves, position="O../.X./..X", shown=3)
        assert board.history == moves
        assert fits_together(board)


# Values that a broken page might send, and valid values in the wrong place.
ODD = [
    *(None, True, False, 0, 1, -1, 9, 0.5, 10**30, float("inf"), float("nan"), "", "X"),
    *("random", "self", "nobody", "value", "XO./.../...", "\0", "x" * 5000, [], {}),
    *([4], [4, 0], [0, 3, 1, 4, 2], [4, 4], ["4"], [True], [None], [[]], ["O", "X"]),
    *({"X": 1}, {"X": "person", "O": "sarsa"}, {"X": True, "draw": 0, "O": 0}),
    *({"X": 10**30, "draw": 0, "O": 0}, {"X": 1, "draw": 2, "O": 0}, FRESH),
    *(FRESH | {"counted": odd} for odd in (True, 1, None)),
    *(FRESH | {"game": odd} for odd in (True, -1, 1.0, 10**30, "0")),
    *(FRESH | {"first": odd} for odd in ("O", "Y", ["X"], None)),
    *(FRESH | {"start": odd} for odd in ("XO.......", "XXXOO....", "XXX", 5, None)),
]
NAMED = (*state.NAMES, "_setup", "_tables", "_esm", "layout", "moves", "")
ASKED = ("load", "learn", "train", "against", "stop", "fault", "")


def odd_messages(rng, number):
    """Yield random messages, as a broken or hostile page might send them."""

    def some(names):
        return {rng.choice(names): rng.choice(ODD) for _ in range(rng.randint(1, 3))}

    for _ in range(number):
        telling = {"method": "update", "state": some(NAMED), "buffer_paths": []}
        asking = {"method": "custom", "content": some(ASKED)}
        yield rng.choice([telling, asking])


def test_any_argument_is_valid_or_raises_one_sentence_with_its_name():
    objects = [np.ones(3), {1, 2}, b"X", len, GAME, "\ud800", "a\nb", {"a": 5}]
    names = signature(settings).parameters
    for name, odd in product(names, [*ODD[::4], *objects]):
        try:
            board = Board(**{"agent": new_learner(), "name": "learner"} | {name: odd})
        except ValueError as fault:
            assert name in str(fault)
            assert str(fault)[-1] in ".?"
            assert len(str(fault)) < 400
        else:
            assert stored(board)
            json.dumps(board.get_state(("_setup", *state.NAMES)), allow_nan=False)
            mount(board._setup).encode()


@pytest.mark.parametrize("seed", range(2))
def test_any_page_message_is_adopted_or_rejected_in_one_sentence(seed, page, caplog):
    rng = random.Random(seed)
    mine = {"agent": new_learner(), "name": "learner"}
    board = page.listen(Board(**mine) if seed % 2 else Board("random", "sarsa"))
    mine = board._setup

    async def talk():
        for message in odd_messages(rng, 500):
            before, told = traits(board), len(page.said())
            page.give(board, copy.deepcopy(message))
            if board._training and not board._training.done():
                board._stopped = True
                await board._training
            assert not caplog.records, message
            assert fits_together(board), message
            faults = [said["fault"] for said in page.said()[told:] if "fault" in said]
            if faults:
                assert traits(board) == before, message
                assert faults[0].endswith("."), message
                assert len(faults[0]) < 200, message
            elif board._setup is not mine:
                assert {"learn", "train"} & message["content"].keys()
            if rng.random() < 0.1:
                board.history = [*board.history[:-1]]
                assert fits_together(board)

    asyncio.run(talk())
    json.dumps(page.messages, allow_nan=False)


def test_agent_is_sent_on_request(page):
    board = page.listen(Board())
    page.ask(board, load="sarsa")
    sarsa = {"agent": "sarsa", "table": board_tables.shipped("sarsa")}
    assert page.said() == [sarsa]
    for word, wrong in {"nobody": {"load": "nobody"}, "dance": {"dance": 1}}.items():
        page.ask(board, **wrong)
        assert word in page.said()[-1]["fault"]


def test_agent_learns_from_the_game_on_the_board(page):
    before = new_learner()
    board = page.listen(Board(agent=before, name="learner"))
    board.history = moves = [0, 3, 1, 4, 2]  # X wins, and the learner was O
    page.ask(board, learn=["O"])
    after, log = learning.learn_game(GAME, before, moves, -1)
    assert (board.learner.Q == after.Q).all()
    assert (after.Q != before.Q).any()
    (message,) = page.said()
    assert message["rows"] == [[2, 3, *log[1].tolist()], [4, 4, *log[3].tolist()]]
    assert "1 game." in message["learnt"]
    # The page gets the new table before the message.
    assert page.messages[-2]["state"]["_setup"]["tables"] == {
        "learner": board_tables.known(board.learner)
    }
    page.ask(board, learn=["X", "O"])
    assert len(page.said()[-1]["rows"]) == 5


def trained(page, board, *asked):
    """Send requests to a board, and wait until its training is done."""

    async def train():
        for each in asked:
            page.ask(board, **each)
        await board._training

    asyncio.run(train())


def test_training_in_chunks_equals_training_at_once(page):
    board = page.listen(Board(agent=new_learner(), name="learner"))
    trained(page, board, {"train": 1234, "against": "random"})
    whole = learning.train(GAME, new_learner(), 1234, policy.uniform(GAME.legal))
    assert (board.learner.Q == whole.Q).all()
    shares = [m["progress"] for m in page.said() if "progress" in m]
    assert shares == sorted(shares)
    assert len(shares) > 40
    assert shares[-1] == 1
    assert "1,234 games against random" in page.said()[-1]["learnt"]


def test_training_can_be_stopped(page):
    board = page.listen(Board(agent=new_learner(), name="learner"))

    async def train():
        page.ask(board, train=10**30, against="self")
        while not page.said():
            await asyncio.sleep(0)
        page.ask(board, stop=True)
        await board._training

    asyncio.run(train())
    assert 0 < board.learner.games < 200_001
    assert f" {board.learner.games:,} games against its" in page.said()[-1]["learnt"]


def test_invalid_learn_and_train_requests_are_rejected(page):
    board = page.listen(Board(agent=new_learner(), name="learner"))

    def refused(word, **asked):
        page.ask(board, **asked)
        assert re.search(word, page.said()[-1]["fault"])

    refused("not finished", learn=["O"])
    board.position = "XX.OO...."
    board.history = [2]
    refused("empty board", learn=["O"])
    board.position = "." * 9
    board.history = [0, 3, 1, 4, 2]
    refused(r"\['X', 'X'\]", learn=["X", "X"])
    refused("nobody", train=5, against="nobody")
    refused("True", train=True, against="self")
    assert board.learner.games == 0
    board = Board()
    board.history = [0, 3, 1, 4, 2]
    page.listen(board)
    refused("no learner", train=5, against="self")
    refused("no learner", learn=["X"])


def test_concurrent_training_requests_are_rejected(page):
    board = Board(agent=new_learner(), name="learner")
    board.history = [0, 3, 1, 4, 2]
    page.listen(board)
    more = {"train": 300, "against": "self"}
    trained(page, board, {"train": 500, "against": "random"}, more, {"learn": ["O"]})
    first, second = page.said()[:2]
    assert first == second
    assert first["fault"].startswith("It is training already")
    trained(page, board, more)
    assert board.learner.games == 800


def custom_board(**methods):
    """Return a board of a custom learner with these methods."""
    kind = type("Own", (agents.CustomLearner,), methods)
    return Board(agent=kind(GAME, np.random.default_rng(0)), name="own")


def test_failing_learner_is_reported_and_keeps_its_progress(page, caplog):
    def learn(self, game, steps):
        if self.games == 2:
            raise ZeroDivisionError("tired")
        self.Q[steps[0][0], steps[0][1]] += 0.5

    board = page.listen(custom_board(learn=learn))
    with pytest.raises(ZeroDivisionError):
        trained(page, board, {"train": 5, "against": "random"})
    learnt, fault = page.said()[-2:]
    assert learnt["learnt"].startswith("Trained for 2 games against random.")
    assert fault == {"fault": "The agent could not learn: ZeroDivisionError('tired')."}
    assert learners.adapter(board.learner).games == 2
    board.history = [0, 3, 1, 4, 2]
    page.ask(board, learn=["O"])
    assert page.said()[-1] == fault
    assert "ZeroDivisionError" in caplog.text, "its author sees where it failed"


def test_matchboxes_and_custom_learners_play_and_learn(page):
    def learn(self, game, steps):
        for s, a, r, _ in steps:
            self.Q[s, a] += 0.5 * (r - self.Q[s, a])

    boxes = menace.new_matchboxes(GAME, np.random.default_rng(0))
    for learner in (boxes, custom_board(learn=learn).learner):
        board = Board(x="it", o="person", agent=learner, name="it")
        policy_ = learners.adapter(learner).policy(GAME)
        table = board._setup["tables"]["it"]
        assert (unpacked(table["policy"]) == policy_[GAME.legal]).all()
        page.messages.clear()
        page.listen(board)
        board.history = [0, 3, 1, 4, 2]
        page.ask(board, learn=["X"])
        rows = page.said()[-1]["rows"]
        assert [row[:2] for row in rows] == [[1, 0], [3, 1], [5, 2]]
        for _, _, old, target, difference, new in rows:
            assert (target, difference) == (None, new - old)
        assert rows[-1][4] > 0
        json.dumps(page.messages)
