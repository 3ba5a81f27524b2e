"""The board as Python sees it: its tables, what it stores, hears and refuses."""

import asyncio
import base64
import html
import json
import re
import zlib

import numpy as np
import pytest

from ttt_lib import learning, policy, search
from ttt_lib.agents import storage
from ttt_lib.board import OVERLAYS, Board, Move, mount, settings
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


def from_page(board, **change):
    """Let the page send a state, as anywidget does."""
    data = {"method": "update", "state": {"_state": board._now | change}}
    board._handle_msg({"content": {"data": data}, "buffers": []})


def sent(board, monkeypatch):
    """Return the list to which the board's messages will be added."""
    messages = []
    monkeypatch.setattr(board, "send", messages.append)
    return messages


# ---------------------------------------------------------------- tables


def test_the_tables_of_the_game_say_what_the_library_says():
    shared = board_tables.shared()
    assert unpacked(shared["codes"]).cumsum().tolist() == GAME.code.tolist()
    assert unpacked(shared["outcome"]).tolist() == GAME.outcome.tolist()
    assert (
        unpacked(shared["value"]).tolist() == search.solve(GAME).Q[GAME.legal].tolist()
    )
    assert shared["lines"] == GAME.lines.tolist()


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


@pytest.mark.parametrize("name", storage.shipped())
def test_agents_that_come_with_the_book_are_packed_exactly(name):
    agent, table = storage.load_shipped(name), board_tables.shipped(name)
    assert (unpacked(table["policy"]) == agent.policy[GAME.legal]).all()
    if agent.Q is not None:
        shown = [f"{x:.3f}" for x in unpacked(table["q"])]
        right = [f"{x:.3f}" for x in agent.Q[GAME.legal]]
        assert shown == ["0.000" if x == "-0.000" else x for x in right]
        assert table["greedy"]
    assert len(board_tables.to_json(table)) < 50_000


def test_ties_and_great_numbers_keep_their_three_decimals():
    Q = np.where(GAME.legal, 0.0625, 0.0)
    Q[0, :3] = -500.4567, 0.1875, 33.4375
    table = board_tables.known(
        storage.Agent("x", "by hand", policy=policy.greedy(Q, GAME.legal), Q=Q)
    )
    assert unpacked(table["q"])[:4].tolist() == [-500.457, 0.188, 33.438, 0.062]


def test_a_policy_that_is_not_greedy_in_its_values_is_not_called_so():
    Q = search.solve(GAME).Q
    careless = policy.epsilon_greedy(Q, GAME.legal, 0.1)
    agent = storage.Agent("x", "by hand", policy=careless, Q=Q)
    assert not board_tables.known(agent)["greedy"]


def test_values_of_afterstates_become_values_of_actions():
    learner = learning.train(GAME, pupil("td_afterstates"), 100)
    table = board_tables.known(learner)
    Q = learning.action_values(GAME, learner)[GAME.legal]
    assert np.abs(unpacked(table["q"]) - Q).max() <= 0.0005 + 1e-12
    assert np.abs(Q).max() > 0.1


def test_a_page_with_one_board_loads_less_than_80_kb():
    files = board_tables.scripts()
    first = ("board.css", "board.js", "tables.js")
    assert sum(len(files[name].encode()) for name in first) <= 80_000
    for name, text in files.items():
        if name not in first:
            assert len(text.encode()) <= 50_000, name
            assert name.removeprefix("agents/")[:-3] in storage.shipped()


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
    page = Board(agents=["sarsa"], o="q-learning").to_html()
    assert set(re.findall(r'ttt\.board\.register\("(.*?)"', page)) == {
        "sarsa",
        "q-learning",
    }
    whole = Board().to_html()
    assert whole.count("ttt.board.register(") == len(storage.shipped()) - 2
    assert not re.search(r"(src|href)=", whole)


# ---------------------------------------------------------------- read, set, hear


def test_position_history_and_score_are_read_and_set():
    board = Board()
    assert (board.position, board.history) == (".../.../...", [])
    board.history = [4, 0, 8]
    assert board.position == "O../.X./..X"
    board.position = "XO./.../..."
    assert (board.position, board.history) == ("XO./.../...", [])
    board.score = {"X": 2, "draw": 1, "O": 0}
    assert board.score == {"X": 2, "draw": 1, "O": 0}
    board.position = "...O....."  # who has more marks has moved first
    assert board.position == ".../O../..."
    board.history = [4]
    assert board.position == ".../OX./..."
    assert board.score["X"] == 2


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("position", "XXX/OOO/...", "both have a line|Marks were added|first line"),
        ("position", "XX", "has 9 cells"),
        ("position", "XXX......", "players take turns"),
        ("position", [1, 2, 3], "mark"),
        ("history", [4, 4], "move 2, in cell 4, is illegal"),
        ("history", [9], "cell 9"),
        ("history", ["x"], "'x'"),
        ("history", [0, 3, 1, 4, 2, 5], "move 6"),
        ("score", {"X": 1}, "counts of 'X', 'draw' and 'O'"),
        ("score", {"X": -1, "draw": 0, "O": 0}, "three counts"),
        ("score", 7, "counts"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(name, value, words):
    board = Board()
    board.history = [0, 4]
    before = board._state
    with pytest.raises(ValueError, match=words):
        setattr(board, name, value)
    assert board._state == before
    board.history = [0, 4, 8]
    assert board.position == "X../.O./..X"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"o": "nobody"}, "'nobody' cannot play: choose from person, random"),
        ({"agents": ["perfect", "me"]}, "'me' cannot play"),
        ({"overlay": "all"}, "overlay = 'all'"),
        ({"starts": "Y"}, "starts = 'Y'"),
        ({"first": "Y"}, "first = 'Y'"),
        ({"level": 2}, "level = 2"),
        ({"position": "XXX/OOO/..."}, "."),
        ({"agent": np.ones(3)}, "shape"),
        ({"agent": {}}, "at least one"),
        ({"agent": pupil(), "name": "perfect"}, "taken"),
        ({"agent": pupil("td_prediction")}, "none of its own"),
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


def test_those_who_asked_hear_of_every_move_once():
    board, moves = Board(starts="O"), []
    board.on_move(moves.append)
    from_page(board, first="O", moves=[4])
    from_page(board, first="O", moves=[4, 0])
    from_page(board, first="O", moves=[4])  # undone: no move
    from_page(board, first="O", moves=[])
    from_page(board, first="O", moves=[8], game=1)
    from_page(board, first="O", moves=[8], game=2)  # the same opening again
    assert moves == [
        Move("O", 4, ".../.O./..."),
        Move("X", 0, "X../.O./..."),
        Move("O", 8, ".../.../..O"),
        Move("O", 8, ".../.../..O"),
    ]
    board.history = [0, 1, 2]
    assert [move.cell for move in moves[4:]] == [0, 1, 2]


def test_a_state_from_the_page_is_checked_too():
    board = Board()
    from_page(board, moves=[4])
    for wrong in ({"moves": [4, 4]}, {"start": "XXX"}, {"score": []}, {"more": 1}):
        from_page(board, **wrong)  # ipywidgets logs the refusal
        assert board.history == [4]
    from_page(board, moves=[4, 0])
    assert board.history == [4, 0]


def test_an_agent_is_sent_when_the_page_asks(monkeypatch):
    board = Board()
    messages = sent(board, monkeypatch)
    board._hear(None, {"load": "sarsa"}, [])
    assert messages == [{"agent": "sarsa", "table": board_tables.shipped("sarsa")}]
    board._hear(None, {"load": "nobody"}, [])
    assert "nobody" in messages[-1]["fault"]


# ---------------------------------------------------------------- learning


def test_the_agent_learns_from_the_game_on_the_board(monkeypatch):
    before = pupil()
    board = Board(agent=before, name="pupil")
    messages = sent(board, monkeypatch)
    board.history = moves = [0, 3, 1, 4, 2]  # X wins, and O was the pupil
    board._hear(None, {"learn": ["O"]}, [])
    after, log = learning.learn_game(GAME, before, moves, -1)
    assert (board.learner.Q == after.Q).all()
    assert (after.Q != before.Q).any()
    (message,) = messages
    assert message["rows"] == [
        [2, 3, *log[1].tolist()],
        [4, 4, *log[3].tolist()],
    ]
    assert message["learnt"] == ("It has learnt from this game. It has seen 1 game.")
    # The page has the new table before it hears of it.
    assert board._setup["tables"]["pupil"] == board_tables.known(board.learner)
    board._hear(None, {"learn": ["X", "O"]}, [])
    assert len(messages[-1]["rows"]) == 5
    board._hear(None, {"learn": ["X"]}, [])
    assert [row[0] for row in messages[-1]["rows"]] == [1, 3, 5]


def test_what_is_no_whole_game_is_not_learnt_from(monkeypatch):
    board = Board(agent=pupil(), name="pupil")
    messages = sent(board, monkeypatch)
    board.history = [0, 3]
    board._hear(None, {"learn": ["O"]}, [])
    board.position = "XX.OO...."
    board.history = [2]
    board._hear(None, {"learn": ["O"]}, [])
    assert ["fault" in message for message in messages] == [True, True]
    assert "not finished" in messages[0]["fault"]
    assert "empty board" in messages[1]["fault"]
    assert board.learner.games == 0


def test_training_in_chunks_is_training(monkeypatch):
    board = Board(agent=pupil(), name="pupil")
    messages = sent(board, monkeypatch)

    async def train():
        board._hear(None, {"train": 1234, "against": "random"}, [])
        await board._training

    asyncio.run(train())
    whole = learning.train(GAME, pupil(), 1234, policy.uniform(GAME.legal))
    assert (board.learner.Q == whole.Q).all()
    shares = [m["progress"] for m in messages if "progress" in m]
    assert shares == sorted(shares)
    assert len(shares) > 40
    assert shares[-1] == 1
    assert messages[-1]["learnt"] == (
        "Trained for 1,234 games against random. It has seen 1,234 games."
    )


def test_training_can_be_stopped(monkeypatch):
    board = Board(agent=pupil(), name="pupil")
    messages = sent(board, monkeypatch)

    async def train():
        board._hear(None, {"train": 5000, "against": "self"}, [])
        while not messages:
            await asyncio.sleep(0)
        board._hear(None, {"stop": True}, [])
        await board._training

    asyncio.run(train())
    assert 0 < board.learner.games < 5000
    assert board.learner.games % 100 == 0
    games = f"{board.learner.games:,} games"
    assert messages[-1]["learnt"].startswith(f"Trained for {games} against itself.")


def test_training_against_nobody_is_refused(monkeypatch):
    board = Board(agent=pupil(), name="pupil")
    messages = sent(board, monkeypatch)
    board._hear(None, {"train": 5, "against": "nobody"}, [])
    assert "nobody" in messages[0]["fault"]
