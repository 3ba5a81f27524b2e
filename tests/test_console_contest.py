"""The contest of a class: entries, exact matches, ranks, most expensive mistakes."""

import csv
import io
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from bs4 import BeautifulSoup

from ttt_lib import evaluation, search
from ttt_lib.agents import as_agent, save
from ttt_lib.console import contest, contest_page
from ttt_lib.game import tables
from ttt_lib.policy import mixture, uniform

pytestmark = pytest.mark.slow

game = tables()
at_random = uniform(game.legal)
perfect = search.perfect(game)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder of saved built-in agents."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("sarsa", "q-learning", "menace", "p4", "random", "perfect:lowest"):
        save(as_agent(game, name), folder / f"{name}.json")
    return folder


def cross_table(policies):
    return evaluation.cross_table(game, [*policies.values()], [*policies.values()])


lowest = search.perfect(game, ties="lowest")


@pytest.fixture
def folder(tmp_path, files):
    """Return a folder of submissions, some valid and some not."""
    place = tmp_path / "in"
    shutil.copytree(files, place)
    (place / "random.json").rename(place / "=SUM(A1).json")
    (place / "perfect:lowest.json").rename(place / "<b>bold.json")
    (place / "code.py").write_text("raise SystemExit('run!')")
    (place / "cut.json").write_text((place / "sarsa.json").read_text()[:500])
    (place / "deep.json").write_text("[" * 100_000)
    (place / "nan.json").write_text('{"format": NaN}')
    (place / "a folder.json").mkdir()
    (place / "link.json").symlink_to(place / "sarsa.json")
    (place / ".DS_Store").write_bytes(b"\0")
    whole = json.loads((place / "=SUM(A1).json").read_text())
    whole["policy"]["........."] = {"0": 0.5}
    (place / "half a move.json").write_text(json.dumps(whole))
    return place


def test_entries_accepts_or_explains_each_file(folder):
    policies, faults = contest.entries(game, folder)
    assert list(policies) == ["<b>bold", "=SUM(A1)", "q-learning", "sarsa"]
    reasons = {fault.file: fault.why for fault in faults}
    broken = ("a folder", "cut", "deep", "nan", "link", "half a move", "menace", "p4")
    assert reasons.keys() == {"code.py", *(f"{name}.json" for name in broken)}
    for fault in faults:
        assert re.fullmatch(r"[A-Z].*\.", fault.why)
        assert str(folder) not in fault.why
    assert "made for the first player only" in reasons["menace.json"]
    assert "made for the first player only" in reasons["p4.json"], (
        "though it plays both"
    )
    assert "link" in reasons["link.json"]
    np.testing.assert_array_equal(policies["=SUM(A1)"], at_random)


def test_entries_accepts_folders_of_students(tmp_path, files, ttt):
    place = tmp_path / "collected"
    for file in ("ada/my agent.JSON", "bob/deep/er/x.json", "ada.b/a.json"):
        (place / file).parent.mkdir(parents=True)
        shutil.copy(files / "sarsa.json", place / file)
    (place / "ada" / "report.pdf").write_bytes(b"%PDF")
    (place / "ada" / ".hidden.json").write_text("")
    (place / "handed_in.csv").write_text("id,file\n")
    for student in ("two", "none", "long", "linked"):
        (place / student).mkdir()
    for name in ("a.json", "b.json"):
        shutil.copy(files / "sarsa.json", place / "two" / name)
    for number in range(contest.MAX_FILES + 1):
        (place / "long" / str(number)).touch()
    (place / "linked" / "x.json").symlink_to(files / "sarsa.json")
    shutil.copy(files / "sarsa.json", place / "ada.json")  # next to the folder ada
    policies, faults = contest.entries(game, place)
    assert list(policies) == ["ada", "ada.b", "ada (2)", "bob"]
    assert {fault.file: fault.why for fault in faults} == {
        "linked": "It is a link: hand in the file itself.",
        "long": "It is a folder of more than 1,000 files.",
        "none": "It is a folder without a JSON file.",
        "two": "It holds 2 JSON files, such as a.json and b.json: keep one.",
    }
    assert ttt(f"contest {place}")[0] == 0


NAMES = ["\udcff\udcfe", "Zoë", "a\nb", "\x1b[31mred", "\u202egpj", "＝1", "\t=1"]
NAMES += [";=1", "中" * 83, " "]


def test_file_names_of_any_bytes_take_part(tmp_path, files, ttt):
    place = tmp_path / "in"
    place.mkdir()
    for name in NAMES:
        shutil.copy(files / "sarsa.json", os.fsencode(place / f"{name}.json"))
    shutil.copy(files / "menace.json", os.fsencode(place) + b"/\xfe.json")
    policies, _ = contest.entries(game, place)
    assert set(policies) == {
        "".join(c if c.isprintable() else repr(c)[1:-1] for c in name) for name in NAMES
    }
    status, out, err = ttt(f"contest {place} --title \udcff")
    assert (status, err) == (0, "")
    message = r"\udcfe.json does not take part: It was made for the first player only"
    assert message in " ".join(out.split())
    for file in contest.files(Path("contest")):
        text = file.read_text(encoding="utf-8")
        assert all(c.isprintable() or c == "\n" for c in text)
        if file.suffix == ".csv":
            for delimiter in ",;|\t":
                for row in csv.reader(io.StringIO(text), delimiter=delimiter):
                    assert not any(re.match("[=+@＝]|-[^0-9]", cell) for cell in row)


def test_standings_rank_by_total_then_worst_case():
    policies = {"b": perfect, "a": perfect, "random": at_random}
    policies |= {"poor": mixture(0.5, at_random, perfect)}
    table = cross_table(policies)
    ranked = contest.standings(game, policies, table)
    ranks = [(1, "a"), (1, "b"), (3, "poor"), (4, "random")]
    assert [(one.rank, one.name) for one in ranked] == ranks
    value = table[..., 0] - table[..., 2]
    for one in ranked:
        i = list(policies).index(one.name)
        assert one.total == pytest.approx(value[i].sum() - value[:, i].sum())
    assert sum(one.total for one in ranked) == pytest.approx(0)
    assert ranked[0].worst == (0, 0)
    # The worst case breaks a tie of totals.
    two = {"careless": best_against_random(), "careful": perfect}
    tied = contest.standings(game, two, np.zeros((2, 2, 3)))
    assert [(one.rank, one.name) for one in tied] == [(1, "careful"), (2, "careless")]


def best_against_random():
    sides = (evaluation.best_response(game, at_random, side).policy for side in (1, -1))
    return sum(sides)


def test_most_expensive_mistake_is_reachable():
    assert contest.most_expensive(game, perfect) is None
    for policy in (best_against_random(), at_random, mixture(0.2, at_random, lowest)):
        mistake = contest.most_expensive(game, policy)
        exact, reach = search.solve(game), np.zeros(len(game.code), dtype=bool)
        for side in (1, -1):
            reach |= evaluation.reachable_against_any(game, policy, side)
        costs = {}
        for s in np.flatnonzero(reach):
            for a in np.flatnonzero(game.legal[s]):
                best = max(exact.Q[s, game.legal[s]])
                costs[int(s), int(a)] = policy[s, a] * (best - exact.Q[s, a])
        largest = max(costs.values())
        assert min(move for move in costs if costs[move] == largest) == mistake[:2]
        s, a, chance, right, before, after = mistake
        assert chance == policy[s, a]
        assert (before, after) == (exact.Q[s, right[0]], exact.Q[s, a])
        assert all(exact.Q[s, cell] == before for cell in right)
        assert a not in right


def test_contest_escapes_names(folder):
    policies, faults = contest.entries(game, folder)
    table, names = cross_table(policies), list(policies)
    ranked = contest.standings(game, policies, table)
    page = contest_page.page(game, "<i>A & B", ranked, names, table, faults)
    seen = BeautifulSoup(page, "html.parser")
    assert "<b>bold" in seen.get_text()
    assert "<i>A & B" in seen.get_text()
    assert not seen.find(["b", "i", "script", "link", "img", "iframe"])
    assert "http" not in page
    rows = list(csv.DictReader(io.StringIO(contest.standings_csv(game, ranked))))
    assert {row["name"] for row in rows} >= {"'=SUM(A1)", "<b>bold"}
    matches = list(csv.DictReader(io.StringIO(contest.matches_csv(names, table))))
    assert len(matches) == 4 * 3


def test_contest_replaces_no_file_and_is_reproducible(folder, ttt):
    assert ttt(f"contest {folder}")[::2] == (0, "")
    first = [path.read_bytes() for path in contest.files(Path("contest"))]
    message = "ttt: contest/contest.html exists: --force replaces it.\n"
    assert ttt(f"contest {folder}")[::2] == (1, message)
    assert ttt(f"contest {folder} --force")[0] == 0
    assert [path.read_bytes() for path in contest.files(Path("contest"))] == first


def test_contest_needs_two_agents(tmp_path, files, ttt):
    place = tmp_path / "few"
    place.mkdir()
    (place / "code.py").write_text("")
    for count in (0, 1):
        status, out, err = ttt(f"contest {place}")
        assert (status, out) == (2, "")
        assert err.startswith("code.py does not take part: It is not a JSON file: only")
        assert f"holds {count} agent" in err
        assert err.count("\n") == 2
        assert not Path("contest").exists()
        shutil.copy(files / "sarsa.json", place)
