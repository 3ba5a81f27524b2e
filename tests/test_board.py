"""The board as Python sees it: its tables, what it stores, hears and refuses."""

import asyncio
import base64
import copy
import html
import json
import random
import re
import zlib
from inspect import signature
from pathlib import Path

import board_extension
import numpy as np
import pytest
from ipywidgets import IntSlider, Play, Text, jslink
from traitlets import Int, TraitError, dlink, link, observe

from ttt_lib import agents, evaluation, learning, look, menace, policy, search
from ttt_lib.agents import io, learners
from ttt_lib.agents.builtin import AGENTS, FIVE
from ttt_lib.board import OPTIONS, OVERLAYS, Board, league, mount, settings, state
from ttt_lib.board import tables as board_tables
from ttt_lib.game import tables

GAME = tables()


def unpacked(packed):
    """Return the numbers of a packed array, as the script unpacks them."""
    raw = zlib.decompress(base64.b64decode(packed["data"]))
    numbers = np.frombuffer(raw, f"<{packed['type']}").astype(float)
    if "palette" in packed:
        return np.array(packed["palette"])[numbers.astype(int)]
    return numbers / packed.get("unit", 1)


def pupil(method="q_learning"):
    return learning.new_learner(GAME, method, np.random.default_rng(3))


FRESH = {"game": 0, "first": "X", "start": "." * 9, "counted": False}
PUBLIC = ("position", "history", "shown", "score", "numbers", "agents")


def parts(board):
    """Return all that a board is."""
    return {name: getattr(board, name) for name in state.NAMES}


def heard(board):
    """Return the list to which each change of a board will be added, as it was told."""
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
    """A page in Python: it tells boards what it shows, and keeps what they tell it."""

    def __init__(self, monkeypatch):
        self.monkeypatch, self.messages = monkeypatch, []

    def listen(self, board):
        """Keep what a board sends from now on."""
        self.monkeypatch.setattr(
            board.comm, "send", lambda data=None, *_, **__: self.messages.append(data)
        )

    def tell(self, board, **parts):
        """Tell a board of changed parts in one message."""
        self.give(board, {"method": "update", "state": parts, "buffer_paths": []})

    def ask(self, board, **content):
        """Ask a board for something."""
        self.give(board, {"method": "custom", "content": content})

    def changed(self):
        """Return the parts in each message that changed some on the page."""
        return [m["state"] for m in self.messages if m["method"] == "update"]

    def said(self):
        """Return all that was said beside that."""
        return [m["content"] for m in self.messages if m["method"] == "custom"]

    def give(self, board, data):
        """Give a board a message as it arrives."""
        board.comm.handle_msg({"content": {"data": data}, "buffers": []})


@pytest.fixture
def page(monkeypatch):
    return Page(monkeypatch)


# ---------------------------------------------------------------- tables


def test_the_tables_of_the_game_say_what_the_library_says():
    shared = board_tables.shared()
    assert unpacked(shared["codes"]).cumsum().tolist() == GAME.code.tolist()
    assert unpacked(shared["outcome"]).tolist() == GAME.outcome.tolist()
    assert (
        unpacked(shared["value"]).tolist() == search.solve(GAME).Q[GAME.legal].tolist()
    )
    assert shared["lines"] == GAME.lines.tolist()
    best = io.read_builtin("best-against-random").policy[GAME.legal]
    assert (unpacked(shared["best"]["policy"]) == best).all()
    assert shared["best"]["greedy"]


def test_legal_moves_follow_from_the_codes():
    # This is how the script finds them: a move leads to a position that is known.
    known = set(GAME.code.tolist())
    digit = np.where(GAME.to_move == 1, 1, 2)
    for s in range(len(GAME.code)):
        free = GAME.board[s] == 0
        found = [
            bool(free[a]) and int(GAME.code[s] + digit[s] * 3**a) in known
            for a in range(9)
        ]
        assert found == GAME.legal[s].tolist()


@pytest.mark.parametrize("name", io.builtin_names())
def test_agents_that_come_with_the_book_are_packed_exactly(name):
    agent, table = io.read_builtin(name), board_tables.shipped(name)
    assert (unpacked(table["policy"]) == agent.policy[GAME.legal]).all()
    if agent.Q is not None:
        shown = [f"{x:.3f}" for x in unpacked(table["q"])]
        right = [f"{x:.3f}" for x in agent.Q[GAME.legal]]
        assert shown == ["0.000" if x == "-0.000" else x for x in right]
        assert table["greedy"]
    assert len(board_tables.to_json(table)) < 50_000


@pytest.mark.parametrize("greatest", [32.767, 32.768, -32.768, -500.457])
def test_ties_and_great_numbers_keep_their_three_decimals(greatest):
    Q = np.where(GAME.legal, 0.0625, 0.0)
    Q[0, :3] = greatest + 0.0003, 0.1875, 13.4375
    table = board_tables.known(
        agents.Agent("x", "by hand", policy=policy.greedy(Q, GAME.legal), Q=Q)
    )
    assert unpacked(table["q"])[:4].tolist() == [greatest, 0.188, 13.438, 0.062]


@pytest.mark.parametrize("states", [50, len(GAME.code)])
def test_however_many_probabilities_a_policy_has_they_are_packed_exactly(states):
    Q = np.where(GAME.legal, np.random.default_rng(0).random(GAME.legal.shape), 0.0)
    mixed = policy.softmax(Q, GAME.legal, 1.0)
    mixed[states:] = policy.uniform(GAME.legal)[states:]
    assert len(np.unique(mixed)) > 2**8
    table = board_tables.known(mixed)
    assert (unpacked(table["policy"]) == mixed[GAME.legal]).all()


@pytest.mark.parametrize(
    ("rewards", "limits"),
    [((1, 0, -1), [-1, 1]), ((5, 2, -20), [-5, 5]), ((3, 1, 0), [0, 3])],
)
def test_colours_run_from_a_win_to_its_negative_if_anything_costs(rewards, limits):
    learner = pupil()._replace(rewards=rewards)
    assert board_tables.known(learner)["limits"] == limits


def test_what_is_said_of_an_agent_is_said_of_a_slider_by_its_last():
    board_tables.entries.cache_clear()
    for entry in board_tables.entries():
        last = board_tables.keys(entry)[-1]
        if last not in board_tables.SIMPLE:
            assert entry["made"] == io.read_builtin(last).made
            group = "snapshot" if "frames" in entry else entry.get("group", "learned")
            assert group == AGENTS[last].group


def test_a_card_for_everybody_says_what_is_lost_exactly_the_safest_first():
    entries = board_tables.entries()
    cards = league.cards(entries)
    assert {*cards} == {*board_tables.names()}
    taught = [[lost for lost in card["loses"] if lost] for card in cards.values()]
    danger = [
        (-len(lost), *np.mean(lost, axis=0)[::-1].round(9).tolist()) for lost in taught
    ]
    assert danger == sorted(danger)
    for entry in entries:
        card, last = cards[entry["name"]], board_tables.keys(entry)[-1]
        agent = agents.as_agent(GAME, "teacher 0.9" if last == "teacher" else last)
        at_random = policy.uniform(GAME.legal)
        for side, lost in zip((+1, -1), card["loses"], strict=True):
            if card.get("side", side) != side:
                assert lost is None, "it was not taught this side"
                continue
            moves = agent.on(side)
            to_random = evaluation.result(GAME, moves, at_random, side).loss
            wins = (1, 0, 0)
            answer = evaluation.best_response(GAME, moves, -side, rewards=wins).policy
            at_worst = evaluation.result(GAME, moves, answer, side).loss
            right = [to_random, at_worst]
            assert lost == pytest.approx(right, abs=1e-12), entry["name"]
    assert {name for name in cards if cards[name].get("side") == 1} == {
        name for name in cards if name.startswith("menace") or name in FIVE
    }
    assert [name for name in cards if cards[name].get("side") == -1] == ["p1"]


def test_the_cross_table_has_only_sides_that_were_taught():
    cross = league.cross()
    rows = [agents.as_agent(GAME, name) for name in cross["firsts"]]
    columns = [agents.as_agent(GAME, name) for name in cross["seconds"]]
    assert {who.taught for who in rows} == {0, +1}
    assert {who.taught for who in columns} == {0, -1}
    for names in (rows, columns):
        sides = [who.taught != 0 for who in names]
        assert sides == sorted(sides), "who was taught both sides comes first"
    table = evaluation.cross_table(
        GAME, [who.policy for who in rows], [who.policy for who in columns]
    )
    exact = 1000 * (table[..., 0] - table[..., 2])
    np.testing.assert_allclose(cross["value"], exact, atol=0.5 + 1e-9)


def test_a_board_is_told_which_side_its_agent_was_not_taught():
    learner = learning.new_learner(GAME, "q_learning", np.random.default_rng(0))
    at_random = policy.uniform(GAME.legal)
    for side in (+1, -1):
        once = learning.train(GAME, learner, 10, at_random, side)
        assert board_tables.known(once)["taught"] == side
    assert "taught" not in board_tables.known(learning.train(GAME, learner, 10))
    assert "taught" not in board_tables.known(learner)
    assert board_tables.shipped("p4")["taught"] == +1
    assert board_tables.shipped("p1")["taught"] == -1
    assert "taught" not in board_tables.shipped("menace"), "its side says it"


def test_a_card_s_year_is_that_of_its_source():
    book = Path(__file__).parents[1] / "book"
    references = (book / "references.bib").read_text("utf-8")
    for _, source in league.WAYS.values():
        if source:
            entry = re.search(rf"@\w+{{{source},(.*?)\n}}", references, re.DOTALL)[1]
            assert re.search(r"year *= *{(\d+)}", entry)[1] == source[-4:]
    cards = league.cards(board_tables.entries())
    assert cards["q-learning"]["year"] == 1989
    assert "year" not in cards["random"]
    taught = {name: cards[name].get("by") for name in ("perfect", "p3", "minimax-q")}
    assert taught == {"perfect": None, "p3": "p1", "minimax-q": "itself"}
    assert cards["sarsa-teacher-0.9"]["by"] == "teacher 0.9"


@pytest.mark.parametrize("thing", ["</script>", ["<\\/b></b>", "<!--"], {"</": 0.5}])
def test_json_in_a_script_says_the_same_and_does_not_end_it(thing):
    assert "</" not in board_tables.to_json(thing)
    assert json.loads(board_tables.to_json(thing)) == thing


def test_json_holds_numbers_alone():
    with pytest.raises(ValueError, match="JSON compliant"):
        board_tables.to_json([float("nan")])


def test_a_policy_that_is_not_greedy_in_its_values_is_not_called_so():
    Q = search.solve(GAME).Q
    careless = policy.epsilon_greedy(Q, GAME.legal, 0.1)
    agent = agents.Agent("x", "by hand", policy=careless, Q=Q)
    assert not board_tables.known(agent)["greedy"]


def test_values_of_afterstates_become_values_of_actions():
    learner = learning.train(GAME, pupil("td_afterstates"), 100)
    table = board_tables.known(learner)
    Q = learning.action_values(GAME, learner)[GAME.legal]
    assert np.abs(unpacked(table["q"]) - Q).max() <= 0.0005 + 1e-12
    assert np.abs(Q).max() > 0.1


def test_a_page_with_one_board_loads_32_kb_at_most_as_servers_send_them():
    files = board_tables.scripts()
    files = {name: board_extension.minified(name, files[name]) for name in files}
    first = ("look.css", "board.css", "board.js", "tables.js")
    assert sum(len(zlib.compress(files[name].encode())) for name in first) <= 32_000
    for name, text in files.items():
        if name not in first:
            assert len(text.encode()) <= 50_000, name
            agent = name.removeprefix("agents/")[:-3] in io.builtin_names()
            assert agent or name.startswith("labs") or name == "arena.js"


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("mark", "xo")
def test_ink_can_be_read_on_the_strongest_tile(mark, mode):
    # And the tile is a colour: a pale mix would be grey by half.
    known = look.values()
    surface, ink = (rgb(known[mode][name]) for name in ("surface", "ink"))
    share, tone = known[mode]["strength"], rgb(known["light"][mark])
    assert f"--ttt-tile-{mark}: {known['light'][mark]};" in look.css()
    tile = share * tone + (1 - share) * surface
    dark, bright = sorted(map(luminance, (tile, ink)))
    assert (bright + 0.05) / (dark + 0.05) >= 4.5
    assert np.ptp(tile) > 0.4


def test_what_stands_on_a_bead_can_be_read():
    sheet = look.css()
    for cell, colour in enumerate(look.beads()):
        assert f"--ttt-bead-{cell}: {colour};" in sheet
        on = re.search(f"--ttt-on-bead-{cell}: (#[0-9a-f]{{6}});", sheet)[1]
        dark, bright = sorted(luminance(rgb(each)) for each in (colour, on))
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, colour


def rgb(colour):
    """Return the three parts of a colour, from 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def luminance(parts):
    """Return the relative luminance of WCAG 2."""
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def test_the_script_imports_nothing_and_asks_no_other_host():
    script = board_tables.script()
    assert not re.search(r"^\s*(import|export)\b|\brequire\(", script, re.MULTILINE)
    hosts = set(re.findall(r"https?://[^\s\"')]+", script))
    assert hosts <= {"http://www.w3.org/2000/svg"}


# ---------------------------------------------------------------- what is stored


def test_a_stored_board_is_short_and_always_the_same():
    one, two = Board()._repr_mimebundle_()[0], Board()._repr_mimebundle_()[0]
    assert one["text/html"] == two["text/html"]
    assert one["text/plain"] == two["text/plain"]
    assert len(one["text/html"]) < 400
    view = "application/vnd.jupyter.widget-view+json"
    assert one[view]["model_id"] != two[view]["model_id"]
    assert "function" not in one["text/html"]


def stored(board):
    """Return the settings in a stored board, as the page reads them."""
    text = board._repr_mimebundle_()[0]["text/html"]
    return json.loads(html.unescape(re.search('data-ttt-board="(.*?)"', text).group(1)))


def test_what_is_stored_is_the_position_now_and_the_agents_of_the_page():
    board = Board(agent=pupil(), name="pupil", position="X../.../...")
    board.history = [4, 1]
    setup = stored(board)
    assert setup["state"]["start"] == "X........"
    assert setup["state"]["moves"] == [4, 1]
    assert set(setup["tables"]) == {"pupil"}
    assert setup["o"] == "pupil"
    assert "learner" not in setup, "a page cannot teach"


def test_agents_on_a_slider():
    board = Board(agent={"new": pupil(), 10: pupil()}, name="q", slider="Games")
    setup = stored(board)
    assert setup["own"][0]["frames"] == ["new", "10"]
    assert setup["own"][0]["slider"] == "Games"
    assert set(setup["tables"]) == {"q-0", "q-1"}


def test_nothing_in_the_settings_ends_the_place_of_the_board():
    title = '</script>"><b>&'
    text = mount(settings(title=title))
    assert text.count("<") == 4
    setup = re.search('data-ttt-board="(.*?)"', text).group(1)
    assert json.loads(html.unescape(setup))["title"] == title
    page = Board(title=title).to_html()
    assert page.count("</script>") == 1


def test_one_page_holds_the_agents_that_can_be_chosen():
    page = Board(choices=["sarsa"], o="q-learning").to_html()
    assert set(re.findall(r'ttt\.board\.register\("(.*?)"', page)) == {
        "sarsa",
        "q-learning",
    }
    whole = Board().to_html()
    assert whole.count("ttt.board.register(") == len(io.builtin_names()) - 2
    assert not re.search(r"(src|href)=", whole)


# ---------------------------------------------------------------- read, set, refuse


def test_position_history_and_score_are_read_and_set():
    board = Board()
    assert (board.position, board.history) == (".../.../...", [])
    board.history = [4, 0, 8]
    assert board.position == "O../.X./..X"
    board.position = "xo......."
    assert (board.position, board.history) == ("XO./.../...", [])
    board.score = {"X": 2, "draw": 1, "O": 0}
    assert board.score == {"X": 2, "draw": 1, "O": 0}
    board.position = "...O....."  # who has more marks has moved first
    assert board.position == ".../O../..."
    board.history = [4]
    assert board.position == ".../OX./..."
    assert board.score["X"] == 2
    board.position = "XXX/OO./O.."  # O must have begun, or X had won before
    assert board.position == "XXX/OO./O.."
    board.position = GAME.array(GAME.find("XO......."))
    assert board.position == "XO./.../..."
    board.history = list(np.array([4, 8]))
    assert json.dumps([board.history, board.shown]) == "[[4, 8], 2]"


WRONG = [
    ("position", "XXX/OOO/...", "both have a line"),
    ("position", "XX", "has 9 cells"),
    ("position", "XXX......", "players take turns"),
    ("position", [1, 2, 3], "mark"),
    ("position", None, "mark"),
    ("history", [4, 4], "move 2, in cell 4, is illegal"),
    ("history", [9], "cell 9"),
    ("history", ["x"], "'x'"),
    ("history", [-1], "cell -1"),
    ("history", 4, "a list of cells"),
    ("history", [0, 3, 1, 4, 2, 5], "move 6"),
    ("shown", 10, "from 0 to 9"),
    ("shown", -1, "-1"),
    ("shown", True, "True"),
    ("score", {"X": 1}, "counts of 'X', 'draw' and 'O'"),
    ("score", {"X": -1, "draw": 0, "O": 0}, "-1"),
    ("score", 7, "counts"),
    ("numbers", "all", "'all'"),
    ("agents", {"X": "perfect", "O": "random"}, "one side is a person here"),
    ("agents", {"X": "perfect"}, "who plays 'X' and who plays 'O'"),
    ("agents", {"X": "perfect", "O": "nobody"}, "'nobody' cannot play: choose from"),
    ("agents", {"X": "perfect", "O": "teacher 1.5"}, "'teacher 1.5' cannot play"),
    ("agents", {"X": "new:q_learning", "O": "person"}, "cannot play"),
]


@pytest.mark.parametrize(("name", "value", "words"), WRONG)
def test_what_makes_no_sense_is_refused_and_changes_nothing(name, value, words, page):
    board = Board()
    board.history = [0, 4]
    board.score = {"X": 1, "draw": 2, "O": 3}
    before, events = parts(board), heard(board)
    page.listen(board)
    with pytest.raises(TraitError, match=re.escape(words)) as refusal:
        setattr(board, name, value)
    assert str(refusal.value).endswith(".")
    assert str(refusal.value).count(". ") == 0, "one sentence"
    assert parts(board) == before
    assert events == []
    assert page.messages == []
    # A page, or a link in a page, that says so is told what holds.
    page.tell(board, **{name: value})
    assert parts(board) == before
    assert events == []
    assert page.changed()[-1] == before
    assert page.said()[-1] == {"fault": str(refusal.value)}
    board.history = [0, 4, 8]
    assert board.position == "X../.O./..X"


def test_what_is_read_is_a_copy():
    board = Board()
    board.history.append(4)
    board.score["X"] += 1
    board.agents["O"] = "perfect"
    assert (board.history, board.score["X"]) == ([], 0)
    assert board.agents == {"X": "person", "O": "random"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"o": "nobody"}, "'nobody' cannot play: choose from person, random"),
        ({"x": 5}, "5 cannot play"),
        ({"o": "teacher 2"}, "'teacher 2' cannot play"),
        ({"choices": ["perfect", "me"]}, "'me' cannot play"),
        ({"overlay": "all"}, "'all'"),
        ({"starts": "Y"}, "starts = 'Y'"),
        ({"first": "Y"}, "first = 'Y'"),
        ({"position": "XXX/OOO/..."}, "."),
        ({"agent": np.ones(3)}, "shape"),
        ({"agent": {}}, "at least one"),
        ({"agent": pupil(), "name": 5}, "name = 5"),
        ({"agent": pupil(), "name": ""}, "name = ''"),
        ({"arena": 1}, "arena = 1"),
        ({"agent": pupil(), "name": "new", "x": "new q_learning"}, "cannot play"),
        ({"agent": pupil(), "name": "perfect"}, "taken"),
        ({"agent": pupil(), "name": "Teacher:0.5"}, "taken"),
        ({"agent": pupil("td_prediction")}, "has no policy"),
        ({"agent": {1, 2}}, "agent: "),
    ],
)  # fmt: skip
def test_boards_that_make_no_sense_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words) as refusal:
        Board(**arguments)
    assert str(refusal.value).endswith(".")
    with pytest.raises(TypeError, match="colour"):
        Board(colour="red")


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_overlay_can_be_asked_for(overlay):
    assert stored(Board(overlay=overlay))["overlay"] == overlay
    board = Board()
    board.numbers = overlay
    assert stored(board)["overlay"] == overlay


def test_players_are_named_in_one_way():
    board = Board("Perfect:Lowest", "teacher")
    assert board.agents == {"X": "perfect lowest", "O": "teacher 0.9"}
    assert stored(board)["o"] == "teacher 0.9"
    board.agents = {"X": "person", "O": "TEACHER 0.50 uniform"}
    assert board.agents["O"] == "teacher 0.5"
    assert stored(board)["o"] == "teacher 0.5"
    slider = Board(
        "snapshot", "this one", agent={0: pupil(), 9: pupil()}, name="this one"
    )
    assert slider.agents == {"X": "snapshot-100000", "O": "this one-1"}
    assert (stored(slider)["x"], stored(slider)["o"]) == ("snapshot", "this one")
    first = Board(o="this one-0", agent={0: pupil(), 9: pupil()}, name="this one")
    assert first.agents["O"] == stored(first)["o"] == "this one-0"
    slider.agents = {"X": "snapshot-10", "O": "this one-0"}
    assert (stored(slider)["x"], stored(slider)["o"]) == ("snapshot-10", "this one-0")
    few = Board(choices="sarsa, teacher", o="q-learning")
    few.agents = {"X": "sarsa", "O": "person"}
    few.agents = {"X": "person", "O": "teacher 0.1 lowest"}
    with pytest.raises(
        TraitError, match="choose from person, teacher, q-learning, sarsa"
    ):
        few.agents = {"X": "menace", "O": "person"}


# ---------------------------------------------------------------- told of each move


class Script:
    """What a script tells of the games on its board: only what is new in it."""

    def __init__(self):
        self.told = parts(Board())
        self.game = {"game": -1, "first": "X", "start": "." * 9, "counted": False}
        self.score = {"X": 0, "draw": 0, "O": 0}
        self.begin("X")

    def begin(self, first):
        self.game |= {"game": self.game["game"] + 1, "first": first, "counted": False}
        self.moves, self.line = [], [0]

    def move(self, a):
        self.moves.append(int(a))
        self.line.append(int(GAME.next[self.line[-1], a]))
        self.count(+1)

    def undo(self):
        self.count(-1)
        self.moves.pop()
        self.line.pop()

    def count(self, by):
        s, first = self.line[-1], self.game["first"]
        if GAME.terminal[s]:
            winner = {0: "draw", 1: first, -1: "O" if first == "X" else "X"}
            self.score[winner[int(GAME.outcome[s])]] += by
            self.game["counted"] = by > 0

    def news(self):
        """Return the parts that are new since they were told last."""
        text = GAME.string(self.line[-1], self.game["first"])
        now = {
            "_game": dict(self.game),
            "history": list(self.moves),
            "position": "/".join([text[:3], text[3:6], text[6:]]),
            "shown": len(self.moves),
            "score": dict(self.score),
        }
        news = {name: now[name] for name in now if now[name] != self.told[name]}
        self.told |= now
        return news


def games(rng, number):
    """Yield who begins each of some games, and its acts: cells, None for an undo."""
    for _ in range(number):
        s, acts = [0], []
        while not GAME.terminal[s[-1]] or rng.random() < 0.3:
            if len(s) > 1 and (GAME.terminal[s[-1]] or rng.random() < 0.2):
                acts.append(None)
                s.pop()
            else:
                acts.append(int(rng.choice(np.flatnonzero(GAME.legal[s[-1]]))))
                s.append(int(GAME.next[s[-1], acts[-1]]))
        yield "XO"[rng.integers(2)], acts


def test_moves_by_code_and_by_the_script_are_told_alike(page):
    by_code, by_script = Board(), Board()
    told_code, told_script = heard(by_code), heard(by_script)
    script = Script()
    for _, acts in games(np.random.default_rng(0), 60):
        script.begin("X")
        page.tell(by_script, **script.news())
        by_code.position = ".../.../..."
        for a in acts:
            script.undo() if a is None else script.move(a)
            page.tell(by_script, **script.news())
            moves = by_code.history
            by_code.history = moves[:-1] if a is None else [*moves, a]
            for name in PUBLIC:
                assert getattr(by_code, name) == getattr(by_script, name)
        # Each act is told in full before the next; within it, order is nobody's matter.
        assert sorted(map(repr, told_code)) == sorted(map(repr, told_script))
        told_code.clear()
        told_script.clear()
    assert by_code.score == script.score
    assert min(script.score.values()) > 0


def test_moves_that_come_in_one_message_are_told_one_by_one(page):
    # While a kernel works, pages put what they have to tell into one message.
    one_by_one, at_once = Board(), Board()
    told, told_at_once = heard(one_by_one), heard(at_once)
    patient, script, rng = Script(), Script(), np.random.default_rng(1)
    page.listen(at_once)
    for first, acts in games(rng, 60):
        for each in (patient, script):
            each.begin(first)
        page.tell(one_by_one, **patient.news())
        for a in (a for a in acts if a is not None):
            if GAME.terminal[script.line[-1]] or not GAME.legal[script.line[-1], a]:
                continue
            patient.move(a)
            page.tell(one_by_one, **patient.news())
            script.move(a)
            if rng.random() < 0.3:
                page.tell(at_once, **script.news())
        page.tell(at_once, **script.news())
        assert parts(at_once) == parts(one_by_one)
        assert sorted(map(repr, told_at_once)) == sorted(map(repr, told))
        told_at_once.clear()
        told.clear()
    assert all(m["method"] == "echo_update" for m in page.messages), (
        "nothing comes back"
    )


def test_several_moves_by_code_are_one_event():
    board = Board()
    board.history = [4]
    events = heard(board)
    board.history = [4, 0, 8]
    assert [event[0] for event in events] == ["history", "position", "shown"]
    assert events[0][1:3] == ([4], [4, 0, 8])


def test_to_set_what_is_there_is_no_event(page):
    board = Board(position="X../.../...")
    events = heard(board)
    page.listen(board)
    board.position = "x........"
    board.history = []
    board.agents = {"X": "Person", "O": "random"}
    board.score = {"O": 0, "X": 0, "draw": 0}
    assert events == page.messages == []


def test_looking_back_is_no_move():
    board = Board()
    board.history = [4, 0, 8]
    events = heard(board)
    board.shown = 1
    assert events == [("shown", 3, 1, "O../.X./..X")]
    board.history = [4, 0, 8, 2]
    assert board.shown == 4
    board.shown = 9  # a counter may run on: there is no more to see
    board.history = []
    assert board.shown == 0


@pytest.mark.parametrize("name", ["shown", "numbers", "score", "agents"])
def test_what_is_no_move_changes_only_the_score_and_nobody_looks_elsewhere(name):
    board = Board()
    board.history = [0, 3, 1, 4, 2]
    board.score = {"X": 0, "draw": 5, "O": 0}  # by hand: the end stands there no more
    board.shown = 2
    before = parts(board)
    others = {
        "shown": 3,
        "numbers": "value",
        "score": {"X": 0, "draw": 0, "O": 0},
        "agents": {"X": "person", "O": "perfect"},
    }
    setattr(board, name, others[name])
    changed = {part for part in before if before[part] != getattr(board, part)}
    assert changed == {name} | ({"score"} if name == "agents" else set())


def test_a_new_position_begins_a_game_and_new_players_a_score():
    board = Board()
    board.history = [0, 3, 1, 4, 2]
    assert board.score == {"X": 1, "draw": 0, "O": 0}
    board.position = ".../.../..."
    assert board.score == {"X": 1, "draw": 0, "O": 0}
    assert stored(board)["state"]["game"] == 1
    board.history = [0, 3, 1, 4, 2]
    assert board.score["X"] == 2
    board.agents = {"X": "perfect", "O": "person"}
    assert board.score == {"X": 0, "draw": 0, "O": 0}
    board.history = [0, 3, 1, 4]  # what no longer stands in the score stays out of it
    assert board.score["X"] == 0
    board.history = [0, 3, 1, 4, 2]
    board.score = {"X": 0, "draw": 5, "O": 0}
    board.history = [0]
    assert board.score == {"X": 0, "draw": 5, "O": 0}


def set_together(board, values):
    with board.hold_trait_notifications():
        for name, value in values.items():
            setattr(board, name, value)


def test_several_parts_are_set_together_or_not_at_all(page):
    board = Board()
    events = heard(board)
    page.listen(board)
    two_games = {"history": [4], "position": "X../.../..."}
    with pytest.raises(TraitError, match="the moves lead to"):
        set_together(board, two_games)
    assert (board.history, board.position, events) == ([], ".../.../...", [])
    set_together(board, {"history": [4, 0], "shown": 1, "numbers": "value"})
    assert (board.position, board.shown) == ("O../.X./...", 1)
    assert [name for name, *_ in events] == ["history", "shown", "numbers", "position"]


def test_the_page_hears_of_all_parts_in_one_message(page):
    board = Board()
    page.listen(board)
    board.history = [4]
    (message,) = page.messages
    assert message["state"] == {
        "_game": {"game": 0, "first": "X", "start": "." * 9, "counted": False},
        "history": [4],
        "position": ".../.X./...",
        "shown": 1,
    }
    page.messages.clear()
    # A link in the page sets one part; what follows comes back, and not that part.
    page.tell(board, position="XO./.../...")
    assert [set(state) for state in page.changed()] == [{"_game", "history", "shown"}]
    page.messages.clear()
    page.tell(board, position="x........", agents={"X": "person", "O": "Perfect"})
    (state,) = page.changed()
    assert state["position"] == "X../.../..."
    assert state["agents"] == {"X": "person", "O": "perfect"}


def test_an_observer_may_answer_with_a_move(page):
    board, events = Board("person", "person"), []

    def answer(change):
        events.append(change.new)
        if len(change.new) == 1:
            board.history = [*change.new, 0]

    board.observe(answer, "history")
    page.listen(board)
    page.tell(board, history=[4], position=".../.X./...", shown=1)
    assert board.history == [4, 0]
    assert events == [[4], [4, 0]]
    assert page.changed()[-1]["history"] == [4, 0]
    assert page.changed()[-1]["position"] == "O../.X./..."


def test_an_observer_that_fails_leaves_board_and_page_at_one(page):
    board = Board()

    def fail(change):
        raise RuntimeError

    board.observe(fail, "history")
    page.tell(board, history=[4, 0, 8], position="O../.X./..X", shown=3)
    assert board.history == [4, 0, 8]
    assert fits_together(board)


def test_all_observers_hear_even_where_one_fails(page):
    board, heard_too = Board(), []
    failure, other = RuntimeError("mine"), ValueError("mine as well")

    def fail(change):
        raise failure

    def fail_too(change):
        raise other

    board.observe(fail, ["history", "shown"])
    board.observe(lambda change: heard_too.append(change.name), PUBLIC)
    page.listen(board)
    with pytest.raises(ExceptionGroup) as caught:
        board.history = [4]
    assert caught.value.exceptions == (failure, failure)
    assert heard_too == ["history", "position", "shown"]
    (message,) = page.messages
    assert message["state"]["position"] == ".../.X./..."
    board.unobserve(fail, ["history", "shown"])
    board.history = [4, 0]
    board.observe(fail_too, "numbers")
    board.observe(lambda change: heard_too.append(change.new), "numbers")
    with pytest.raises(ValueError, match="mine as well"):
        board.numbers = "value"
    assert heard_too[-2:] == ["numbers", "value"]
    board.observe(fail, "tooltip")  # of ipywidgets, which knows nothing of this
    with pytest.raises(RuntimeError, match="mine"):
        board.tooltip = "a board"


def test_a_board_of_ones_own_may_fail_to_hear(page):
    class Mine(Board):
        @observe("history")
        def fail(self, change):
            if change.new:
                raise RuntimeError(change.new)

    board = Mine()
    page.tell(board, history=[4, 0, 8], position="O../.X./..X", shown=3)
    assert board.history == [4, 0, 8]
    with pytest.raises(RuntimeError, match=r"\[4\]"):
        board.history = [4]


def test_what_a_board_of_ones_own_keeps_the_page_is_not_told():
    class Mine(Board):
        secret = Int()

    assert set(state.NAMES) <= set(Mine().keys)
    assert "secret" not in Mine().keys


def test_who_cannot_be_told_is_refused_at_once():
    with pytest.raises(TypeError, match="handler = 'text': give a function"):
        Board().observe("text", "history")


def test_what_fails_while_parts_are_set_together_leaves_them_fitting():
    board = Board()
    events = heard(board)

    def set_and_fail(values):
        with board.hold_trait_notifications():
            set_together(board, values)
            raise KeyError

    with pytest.raises(KeyError):
        set_and_fail({"history": [4, 0]})
    assert board.position == "O../.X./..."
    assert len(events) == 3
    with pytest.raises(TraitError, match="the moves lead to"):
        set_and_fail({"history": [4], "position": "X../.../..."})
    assert (board.position, len(events)) == ("O../.X./...", 3)


# What a broken page might say, and what a sound one says at another time.
ODD = [
    *(None, True, False, 0, 1, -1, 9, 0.5, 1.0, 10**30, float("inf"), float("nan")),
    *(
        "",
        "X",
        "random",
        "self",
        "nobody",
        "value",
        "abc",
        "." * 9,
        "XO./.../...",
        "\0",
    ),
    *("x" * 5000, [], [4], [4, 0], [4, 0, 8], [0, 3, 1, 4, 2], [4, 4], ["4"], [True]),
    *([None], [[]], ["X"], ["O", "X"], {}, {"X": 1}, {"X": "person", "O": "sarsa"}),
    *(
        {"X": 0, "draw": 0, "O": 0},
        {"X": True, "draw": 0, "O": 0},
        {"X": None, "O": []},
    ),
    *({"X": 10**30, "draw": 0, "O": 0}, {"X": 1, "draw": 2, "O": 0}, FRESH),
    *(FRESH | {"counted": odd} for odd in (True, 1, None)),
    *(FRESH | {"game": odd} for odd in (True, -1, 1.0, 10**30, "0")),
    *(FRESH | {"first": odd} for odd in ("O", "Y", ["X"], None)),
    *(FRESH | {"start": odd} for odd in ("XO.......", "XXXOO....", "XXX", 5, None)),
]
NAMED = (
    *state.NAMES,
    "_setup",
    "_tables",
    "_esm",
    "_model_name",
    "layout",
    "moves",
    "",
)
ASKED = ("load", "learn", "train", "against", "stop", "fault", "")


def odd_messages(rng, number):
    """Yield what a page that has gone wrong, or somebody in its place, might send."""

    def some(names):
        return {rng.choice(names): rng.choice(ODD) for _ in range(rng.randint(1, 3))}

    for _ in range(number):
        telling = {"method": "update", "state": some(NAMED), "buffer_paths": []}
        asking = {"method": "custom", "content": some(ASKED)}
        key = rng.choice(["method", "state", "content", "buffer_paths"])
        spoilt = rng.choice([telling, asking]) | {key: rng.choice(ODD)}
        yield rng.choice([telling, telling, asking, asking, spoilt, rng.choice(ODD)])


@pytest.mark.parametrize("name", signature(settings).parameters)
def test_any_argument_makes_a_board_or_one_sentence_that_names_it(name):
    objects = [np.ones(3), np.full((5478, 9), np.nan), {1, 2}, b"X", len, GAME, pupil()]
    for odd in [*ODD, *objects, "\ud800", "a\nb", {"a": 5}, {"a\nb": pupil()}]:
        try:
            board = Board(**{"agent": pupil(), "name": "pupil"} | {name: odd})
        except ValueError as fault:
            sentence = str(fault)
            assert name in sentence
            assert sentence.endswith((".", "?"))
            assert len(sentence) < 400
        else:
            assert stored(board)
            json.dumps(board.get_state(("_setup", *state.NAMES)), allow_nan=False)
            board.to_html().encode()


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_page_sends_is_taken_whole_or_refused_in_a_sentence(
    seed, page, caplog
):
    rng = random.Random(seed)
    board = Board(agent=pupil(), name="pupil") if seed % 2 else Board("random", "sarsa")
    page.listen(board)
    mine = board._setup

    async def talk():
        for message in odd_messages(rng, 500):
            before, told = parts(board), len(page.said())
            page.give(board, copy.deepcopy(message))
            if board._training and not board._training.done():
                board._stopped = True
                await board._training
            assert not caplog.records, message
            assert fits_together(board), message
            faults = [said["fault"] for said in page.said()[told:] if "fault" in said]
            if faults:
                assert parts(board) == before, message
                assert faults[0].endswith("."), message
                assert len(faults[0]) < 200, message
            elif board._setup is not mine:
                assert {"learn", "train"} & message["content"].keys()
            if rng.random() < 0.1:
                board.history = [*board.history[:-1]]
                assert fits_together(board)

    asyncio.run(talk())
    json.dumps(page.messages, allow_nan=False)
    assert stored(board)["title"] == "Tic-tac-toe"
    board.position = ".../.../..."
    board.history = [0, 3, 1, 4, 2]
    assert fits_together(board)


def test_a_state_from_the_page_is_checked_too(page):
    board = Board()
    page.tell(board, history=[4])
    before = parts(board)
    for wrong in (
        {"history": [4, 4]},
        {"history": [4, 0, 0, 1]},
        {"history": [4, 0], "position": "XO./.../..."},
        {"_game": {"game": 0, "first": "X", "start": "XXX", "counted": False}},
        {"_game": {"game": 0, "first": "Z", "start": "." * 9, "counted": False}},
        {"_game": 7},
        {"_game": {"more": 1}},
        {"_game": FRESH | {"counted": True}},
        {"_game": FRESH | {"counted": True}, "history": [0, 3, 1, 4, 2]},
        {"score": []},
        {"shown": None},
        {"agents": 5},
        {"numbers": {}},
    ):
        page.tell(board, **wrong)
        assert parts(board) == before, wrong
    page.tell(board, history=[4, 0])
    assert board.history == [4, 0]


# ---------------------------------------------------------------- linked


def test_a_text_is_linked_to_the_position():
    board, text = Board(), Text()
    link((board, "position"), (text, "value"))
    assert text.value == ".../.../..."
    board.history = [4]
    assert text.value == ".../.X./..."
    text.value = "XO./.../..."
    assert (board.position, board.history) == ("XO./.../...", [])
    with pytest.raises(TraitError, match="has 9 cells"):
        text.value = "XO"
    assert board.position == "XO./.../..."


@pytest.mark.parametrize("stock", [IntSlider, Play])
def test_what_counts_is_linked_to_the_moves_shown(stock):
    board, counter = Board(), stock(max=0)
    dlink((board, "history"), (counter, "max"), len)
    link((board, "shown"), (counter, "value"))
    for moves in ([4], [4, 0], [4, 0, 8, 2], [4, 0, 8], [], [0, 1, 2]):
        board.history = moves
        assert counter.max == counter.value == board.shown == len(moves)
    counter.value = 1
    assert (board.shown, board.history) == (1, [0, 1, 2])
    board.position = "X........"
    assert (counter.max, counter.value) == (0, 0)


def test_two_boards_are_linked():
    one, other = Board(), Board()
    link((one, "position"), (other, "position"))
    dlink(
        (one, "agents"), (other, "agents"), lambda who: {"X": who["O"], "O": who["X"]}
    )
    one.history = [4, 0]
    assert other.position == one.position == "O../.X./..."
    other.history = [8]
    assert one.position == other.position == "O../.X./..X"
    one.agents = {"X": "perfect", "O": "person"}
    assert other.agents == {"X": "person", "O": "perfect"}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_part_can_be_linked_in_the_page(name):
    jslink((Board(), name), (Board(), name))


# ---------------------------------------------------------------- asked and teaching


def test_an_agent_is_sent_when_the_page_asks(page):
    board = Board()
    page.listen(board)
    page.ask(board, load="sarsa")
    sarsa = {"agent": "sarsa", "table": board_tables.shipped("sarsa")}
    assert page.said() == [sarsa]
    page.ask(board, load="nobody")
    assert "nobody" in page.said()[-1]["fault"]
    page.ask(board, dance=True)
    assert "dance" in page.said()[-1]["fault"]


def test_the_agent_learns_from_the_game_on_the_board(page):
    before = pupil()
    board = Board(agent=before, name="pupil")
    page.listen(board)
    board.history = moves = [0, 3, 1, 4, 2]  # X wins, and O was the pupil
    page.ask(board, learn=["O"])
    after, log = learning.learn_game(GAME, before, moves, -1)
    assert (board.learner.Q == after.Q).all()
    assert (after.Q != before.Q).any()
    (message,) = page.said()
    assert message["rows"] == [
        [2, 3, *log[1].tolist()],
        [4, 4, *log[3].tolist()],
    ]
    assert message["learnt"] == ("It has learnt from this game. It has seen 1 game.")
    # The page has the new table before it hears of it.
    assert page.messages[-2]["state"]["_setup"]["tables"] == {
        "pupil": board_tables.known(board.learner)
    }
    page.ask(board, learn=["X", "O"])
    assert len(page.said()[-1]["rows"]) == 5
    page.ask(board, learn=["X"])
    rows = page.said()[-1]["rows"]
    assert [row[0] for row in rows] == [1, 3, 5]
    assert any(old for _, _, old, _, _, _ in rows)
    assert all(row[4] == row[3] - row[2] for row in rows)


def test_a_page_is_told_who_learns_if_anybody_does():
    assert Board(agent=pupil(), name="pupil")._setup["learner"] == "pupil"
    for board in (Board(), Board(agent=policy.uniform(GAME.legal))):
        assert "learner" not in board._setup


def test_what_is_no_whole_game_is_not_learnt_from(page):
    board = Board(agent=pupil(), name="pupil")
    page.listen(board)
    page.ask(board, learn=["O"])
    board.history = [0, 3]
    page.ask(board, learn=["O"])
    board.position = "XX.OO...."
    board.history = [2]
    page.ask(board, learn=["O"])
    first, second, third = (said["fault"] for said in page.said())
    assert "not finished" in first
    assert "not finished" in second
    assert "empty board" in third
    assert board.learner.games == 0


def test_training_in_chunks_is_training(page):
    board = Board(agent=pupil(), name="pupil")
    page.listen(board)

    async def train():
        page.ask(board, train=1234, against="random")
        await board._training

    asyncio.run(train())
    whole = learning.train(GAME, pupil(), 1234, policy.uniform(GAME.legal))
    assert (board.learner.Q == whole.Q).all()
    shares = [m["progress"] for m in page.said() if "progress" in m]
    assert shares == sorted(shares)
    assert len(shares) > 40
    assert shares[-1] == 1
    assert page.said()[-1]["learnt"] == (
        "Trained for 1,234 games against random. It has seen 1,234 games."
    )


def test_training_can_be_stopped(page):
    board = Board(agent=pupil(), name="pupil")
    page.listen(board)

    async def train():
        page.ask(board, train=5000, against="self")
        while not page.said():
            await asyncio.sleep(0)
        page.ask(board, stop=True)
        await board._training

    asyncio.run(train())
    assert 0 < board.learner.games < 5000
    assert board.learner.games % 100 == 0
    games = f"{board.learner.games:,} games"
    assert page.said()[-1]["learnt"].startswith(f"Trained for {games} against itself.")


def test_what_nobody_can_learn_from_is_refused(page):
    board = Board(agent=pupil(), name="pupil")
    page.listen(board)
    page.ask(board, train=5, against="nobody")
    page.ask(board, train=True, against="self")
    page.ask(board, train=0, against="self")
    board.history = [0, 3, 1, 4, 2]
    page.ask(board, learn=["X", "X"])
    without = Board()
    page.listen(without)
    page.ask(without, train=5, against="self")
    without.history = [0, 3, 1, 4, 2]
    page.ask(without, learn=["X"])
    words = ("nobody", "True", "0", r"\['X', 'X'\]", "Nobody", "Nobody")
    for said, word in zip(page.said(), words, strict=True):
        assert re.search(word, said["fault"])
    assert board.learner.games == 0


def test_nobody_learns_two_things_at_once(page):
    board = Board(agent=pupil(), name="pupil")
    board.history = [0, 3, 1, 4, 2]
    page.listen(board)

    async def train():
        page.ask(board, train=500, against="random")
        page.ask(board, train=300, against="self")
        page.ask(board, learn=["O"])
        await board._training
        page.ask(board, learn=["O"])

    asyncio.run(train())
    first, second = page.said()[:2]
    assert first == second
    assert first["fault"].startswith("It is training already")
    assert board.learner.games == 501
    page.messages.clear()
    asyncio.run(train())
    assert board.learner.games == 1002


def test_a_long_training_hears_that_it_is_to_stop(page):
    board = Board(agent=pupil(), name="pupil")
    page.listen(board)

    async def train():
        page.ask(board, train=10**30, against="random")
        while not page.said():
            await asyncio.sleep(0)
        page.ask(board, stop=True)
        await board._training

    asyncio.run(train())
    assert board.learner.games <= 200_000


class Tired(agents.OwnLearner):
    """A learner that learns, and fails at its third game."""

    def learn(self, game, steps):
        if self.games == 2:
            raise ZeroDivisionError("tired")
        self.Q[steps[0][0], steps[0][1]] += 0.5


def test_a_learner_that_fails_is_told_of_and_keeps_what_it_learnt(page, caplog):
    board = Board(agent=Tired(GAME, np.random.default_rng(0)), name="tired")
    page.listen(board)

    async def train():
        page.ask(board, train=5, against="random")
        await board._training

    with pytest.raises(ZeroDivisionError):
        asyncio.run(train())
    learnt, fault = page.said()[-2:]
    assert learnt["learnt"].startswith("Trained for 2 games against random.")
    assert fault == {"fault": "The agent could not learn: ZeroDivisionError('tired')."}
    assert learners.of(board.learner).games == 2
    board.history = [0, 3, 1, 4, 2]
    page.ask(board, learn=["O"])
    assert page.said()[-1] == fault
    assert "ZeroDivisionError" in caplog.text, "its author sees where it failed"


def test_a_table_that_no_page_can_show_changes_nothing(page):
    class Wild(agents.OwnLearner):
        def learn(self, game, steps):
            self.Q = np.where(game.legal, np.nan, 0)

    board = Board(agent=Wild(GAME, np.random.default_rng(0)), name="wild")
    setup, learner = board._setup, board.learner
    page.listen(board)
    board.history = [0, 3, 1, 4, 2]
    page.ask(board, learn=["O"])
    assert "fault" in page.said()[-1]
    assert (board._setup, board.learner) == (setup, learner)


def test_matchboxes_and_learners_of_ones_own_play_and_learn(page):
    boxes = menace.new_matchboxes(GAME, np.random.default_rng(0))

    class Careful(agents.OwnLearner):
        def learn(self, game, steps):
            for s, a, r, _ in steps:
                self.Q[s, a] += 0.5 * (r - self.Q[s, a])

    for learner in (boxes, Careful(GAME, np.random.default_rng(0))):
        board = Board(x="it", o="person", agent=learner, name="it")
        policy_ = learners.of(learner).policy(GAME)
        table = board._setup["tables"]["it"]
        assert (unpacked(table["policy"]) == policy_[GAME.legal]).all()
        page.messages.clear()
        page.listen(board)
        board.history = [0, 3, 1, 4, 2]
        page.ask(board, learn=["X"])
        rows = page.said()[-1]["rows"]
        assert [row[:2] for row in rows] == [[1, 0], [3, 1], [5, 2]]
        for _, _, old, target, difference, new in rows:
            assert target is None
            assert difference == new - old
        assert rows[-1][4] > 0
        assert learners.of(board.learner).games == 1
        json.dumps(page.messages)


# ---------------------------------------------------------------- told once


def test_the_script_has_the_same_overlays():
    script = board_tables.file("overlays.js")
    table = re.search(r"\n( *)const OVERLAYS = \{\n(.*?)\n\1\};", script, re.DOTALL)
    assert (
        tuple(re.findall(r"^    (\w+): \{", table.group(2), re.MULTILINE)) == OVERLAYS
    )


def test_what_a_page_can_say_are_settings():
    said = {
        "x": "teacher 0.5",
        "o": "sarsa",
        "position": "X../.../...",
        "first": "X",
        "starts": "lot",
        "overlay": "value",
        "choices": "sarsa, perfect",
        "arena": True,
        "title": "All of them",
    }
    assert set(said) == set(OPTIONS)
    assert settings(**said) == {
        "x": "teacher 0.5",
        "o": "sarsa",
        "starts": "lot",
        "overlay": "value",
        "title": "All of them",
        "choices": ["sarsa", "perfect", "teacher"],
        "arena": True,
        "state": {**FRESH, "start": "X........", "moves": [], "score": [0, 0, 0]},
    }
