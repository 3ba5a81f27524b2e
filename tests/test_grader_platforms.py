"""Import from and export to learning platforms: names, zips, dates and points."""

import csv
import io
import os
import re
import zipfile
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from submissions import GAME
from test_grader_collect import CANVAS, given_back, graded, packed, planned

from assignments.grader import (
    course,
    dates,
    download,
    grade,
    import_lms,
    owners,
)
from assignments.grader.__main__ import main
from assignments.grader.submission import TABLE
from assignments.grader.work import of_class

__all__ = ["graded", "planned"]  # fixtures
ROLL = 'id,name,email\nada,Ada Lovelace,ada@x.org\nbob,"Byrne, Bob",b@x.org\n'
ROLL += "kim_l,Kim Larsen,kim@x.org\nzoe,Zoë Ångström,z@x.org\n"
WORKSHEET = (
    "\ufeffIdentifier,Full name,ID number,Email address,Status,Grade,Maximum Grade\n"
    "Participant 1234,Ada Lovelace,ada,ada@x.org,Submitted,,22.00\n"
    "Participant 1235,Bob Byrne,bob,b@x.org,Submitted,,22.00\n"
)


@pytest.fixture
def imported(planned):
    return partial(planned, roll=ROLL)


@pytest.fixture
def roll(tmp_path):
    (tmp_path / "roll.csv").write_text(ROLL, encoding="utf-8")
    return tmp_path / "roll.csv"


def targets(plan):
    return {str(row.target): row.piece.read() for row in plan.rows}


MOODLE = "Ada Lovelace_1234_assignsubmission_file"
TELLS = {
    f"{MOODLE}/game.ipynb": "ada/game.ipynb",
    f"{MOODLE}_/deep/game.ipynb": "ada/deep/game.ipynb",
    f"{MOODLE}_game_2.ipynb": "ada/game_2.ipynb",
    f"CS101-game-77/{MOODLE}_/game.ipynb": "ada/game.ipynb",
    "lovelaceada_LATE_555_777_game.ipynb": "ada/game.ipynb",
    "submissions/lovelaceada_555_777_my_game.ipynb": "ada/my_game.ipynb",
    "Bob Byrne_9_assignsubmission_file_/a.ipynb": "bob/a.ipynb",
    "larsenkim_9_9_a.ipynb": "kim_l/a.ipynb",
    "Zoe\u0308 A\u030angstro\u0308m_9_assignsubmission_file_a": "zoe/a",
    "ada.ipynb": "ada/ada.ipynb",
    "kim_l_game.ipynb": "kim_l/kim_l_game.ipynb",
    "ada/byrnebob_9_9_a.ipynb": "ada/byrnebob_9_9_a.ipynb",
    "ada@x.org/thing.ipynb": "ada/thing.ipynb",
}


def test_owner_is_found_by_file_name(imported):
    for name, target in TELLS.items():
        plan = imported((name, "{}"))
        assert targets(plan) == {target: b"{}"}
        assert (plan.left, len(plan.without)) == ((), 3)


def test_platform_number_overrides_name(imported, tmp_path):
    for text, name, target in (
        (WORKSHEET, "Other Name_1235_assignsubmission_file_/a", "bob/a"),
        (CANVAS, "x_101_1_a", "101/a"),
    ):
        plan = imported((name, "a"), roll=text)
        assert targets(plan) == {target: b"a"}
        assert not plan.notes
    for head, cells, student in (  # without an ID number, Moodle has other ids
        ("ID number,Email address,Username", ",,al", "al"),
        ("ID number,Email address", ",o'hara@x.org", "1234"),
        ("Email address", "ada@x.org", "ada@x.org"),
    ):
        text = f"Identifier,Full name,{head},Grade\nParticipant 1234,Ada L,{cells},\n"
        plan = imported(("Ada L_1234_assignsubmission_file_/a", "a"), roll=text)
        assert targets(plan) == {f"{student}/a": b"a"}
        students = course.read_roll(tmp_path / "roll.csv")
        assert students == [course.Student(student, "Ada L")]


def test_files_without_owner_are_left_with_a_reason(imported):
    twins = "id,name\nkim1,Kim Larsen\nkim2,Kim Larsen\nada,Ada L\n"
    names = "lada_4_5_a.ipynb", "larsenkim_1_5_a.ipynb", "strangersue_5_6_a", "readme"
    plan = imported(*((name, "") for name in names), roll=twins)
    left = dict(plan.left)
    assert "may belong to kim1 or kim2: each matches larsenkim" in left[names[1]]
    assert "belongs to strangersue (5), who is not on the roll" in left[names[2]]
    assert left["readme"] == "is not named the way Canvas names submissions"
    assert plan.without == ("kim1", "kim2")
    output = "\n".join(import_lms.summary(plan))
    assert output.count("LEFT: ") == 3
    assert "NOTHING from kim1, kim2" in output
    assert output.endswith("1 file of 1 student; left: 3; missing: 2.")


INVALID = b"", b"no zip", b"PK\x05\x06"


def test_plan_rejects_invalid_downloads_with_one_sentence(imported, tmp_path):
    stranger = "strangersue_5_6_a.ipynb", "3"
    for content, text, sentence in (
        (stranger, ROLL, "a student on the roll, so nothing was wr"),
        (stranger, "id,name\nada,Ada\n,Bob\n", r"roll\.csv, Bob has no id\."),
        *((raw, ROLL, "folder nor a zip|no folder or") for raw in INVALID),
    ):
        with pytest.raises(ValueError, match=sentence):
            imported(content, roll=text)
        assert len([*tmp_path.iterdir()]) == 2  # the zip and the roll


def test_last_canvas_resubmission_is_taken(imported):
    names = [f"lovelaceada_555_77{n}_game{f'-{n}' * bool(n)}.ipynb" for n in (0, 1, 10)]
    files = [(name, str(number)) for number, name in enumerate(names)]
    files.append(("lovelaceada_555_790_data-2.csv", "other"))
    files.append(("byrnebob_556_780_game.ipynb", "of bob"))
    plan = imported(*files)
    expected = {"ada/game-10.ipynb": b"2", "ada/data-2.csv": b"other"}
    assert targets(plan) == expected | {"bob/game.ipynb": b"of bob"}
    assert [why for _, why in plan.left] == ["is older than -10"] * 2
    assert "largest number, game-10.ipynb, is taken" in " ".join(plan.notes)
    files = ("ada/g-1.ipynb", "1"), ("ada/g-2.ipynb", "2")  # named by the student
    assert len(imported(*files).rows) == 2


def test_nested_zips_are_opened_up_to_max_depth(imported):
    inner = packed(("a.ipynb", "deep"), ("__MACOSX/a.ipynb", "no"))
    for _ in range(2):
        inner = packed(("more.zip", inner))
    files = ("ada_all.zip", inner), ("bob.zip", packed(("more.zip", inner)))
    plan = imported(*files)
    assert targets(plan) == {"ada/ada_all/more/more/a.ipynb": b"deep"}
    assert "is nested in more than 3 zips" in plan.left[0][1]


def test_zip_bomb_and_path_traversal_are_rejected(imported, monkeypatch):
    monkeypatch.setattr(download, "MAX_FILES", 6)  # including the zip
    monkeypatch.setattr(download, "MAX_FILE_BYTES", 20_000)
    many = packed(*((f"{n}.ipynb", "x") for n in range(50)))
    out = packed(("../../bob/game.ipynb", "x"), ("/etc/x", "y"), ("fine.ipynb", "z"))
    files = ("ada.zip", many), ("bob.zip", out), ("kim_l.ipynb", "x" * 50_000)
    plan = imported(*files)
    rows = [(row.student, str(row.target)) for row in plan.rows]
    assert [who for who, _ in rows].count("ada") == 5
    assert [path for who, path in rows if who == "bob"] == ["bob/bob/fine.ipynb"]
    reasons = " ".join(reason for _, reason in plan.left)
    assert "leads out of the zip" in reasons
    assert "exceeds the limits" in reasons
    assert "kim_l" in plan.without


def test_control_characters_in_file_names_are_not_printed(imported):
    plan = imported(("ada_\x1b[31m\n.ipynb", "x"), ("\x07.txt", ""))
    assert all(line.isprintable() for line in import_lms.summary(plan))


def test_carry_out_writes_folders_and_table_with_times(roll, tmp_path):
    folder, out = tmp_path / "folder", tmp_path / "out"
    (folder / f"{MOODLE}_").mkdir(parents=True)
    (folder / f"{MOODLE}_" / "g.ipynb").write_text("{}")
    (folder / "Bob Byrne_9_assignsubmission_file_h.ipynb").write_text("{1}")
    (folder / f"{MOODLE}_k.ipynb").symlink_to("/etc/passwd")
    when = datetime(2026, 10, 12, 20, 0, tzinfo=UTC)
    os.utime(folder / f"{MOODLE}_" / "g.ipynb", (when.timestamp(),) * 2)
    plan = import_lms.plan(folder, roll)
    assert plan.left == ((f"{MOODLE}_k.ipynb", "is not a regular file"),)
    import_lms.carry_out(plan, out)
    paths, rest = of_class(out, ["ada", "bob", "zoe"])
    assert (paths, rest) == ({who: [out / who] for who in ("ada", "bob")}, [])
    first = f"ada,./g.ipynb,2026-10-12T20:00:00+00:00,file,Moodle,,./{MOODLE}_/"
    assert first in (out / TABLE).read_text("utf-8").splitlines()
    names = {row["named"] for row in course.submissions_table(out)}
    assert names == {f"{MOODLE}_/", "Bob Byrne_9_assignsubmission_file_"}
    with pytest.raises(ValueError, match="is not empty: name a new folder"):
        import_lms.carry_out(plan, out)


ROLL_OF_SIX = "id,name\n" + "".join(f"s{n},S{n} X\n" for n in range(6))
NOON = datetime(2026, 10, 14, 12, 0, 0)


def stamped(*minutes):
    """Return a file of each student for a zip, some minutes after noon."""
    times = [(NOON + timedelta(minutes=each)).timetuple()[:6] for each in minutes]
    return [(zipfile.ZipInfo(f"s{n}.ipynb", t), "{}") for n, t in enumerate(times)]


@pytest.mark.parametrize(
    ("minutes", "known"),
    [((0, 1, 2, 3, 10), False), ((0, 1, 2, 3, 11), True), ((0, 0, 0, 0), True)],
)
def test_times_of_the_download_itself_are_unknown(minutes, known, imported, tmp_path):
    files = stamped(*minutes)
    plan = imported(*files, roll=ROLL_OF_SIX)
    assert {row.piece.time is not None for row in plan.rows} == {known}
    output = "\n".join(import_lms.summary(plan))
    assert ("is unknown for s0, s1, s2, s3, s4, unless" in output) != known
    import_lms.carry_out(plan, tmp_path / "out")
    (tmp_path / "dates.toml").write_text(DATES.replace("10-12T", "10-10T"))
    messages, ids = [], [f"s{n}" for n in range(len(minutes))]
    arguments = tmp_path / "dates.toml", GAME, tmp_path / "out", [*ids, "s5"]
    lateness = dates.lateness(*arguments, messages.append)
    late = dates.cells(lateness["s0"], 20)
    if known:
        assert late[1:] == ["zip", "4 days", "0"]
    else:
        assert late == ["", "unknown", "", "20"]
        assert "time of submission is unknown" in dates.sentence(lateness["s0"], 20)
        assert "unknown for s0, s1, s2, s3, s4: counted as" in messages[-1]
    assert len(messages) == 2 - known  # bob has an extension and is not on the roll
    assert dates.cells(lateness["s5"], 0) == ["", "", "", "0"]


def test_roll_time_overrides_download_time(imported):
    expected = datetime(2026, 10, 14, 23, 59).astimezone(UTC)
    for text in (
        "Wednesday, 14 October 2026, 11:59\u202fPM",
        "14 October 2026, 23:59",
        "Wednesday, October 14, 2026, 11:59 PM",
        "2026-10-14T23:59:00",
    ):
        assert owners.read_time(text) == expected
    for other in ("-", "", "Mittwoch, 14. Oktober 2026", "0001-01-01"):
        assert owners.read_time(other) is None
    head = "Identifier,Full name,ID number,Last modified (submission)\n"
    rows = [f"Participant {n},S{n} X,s{n},{'-' * (n > 1)}\n" for n in range(1, 5)]
    rows.append('Participant 5,S5 X,s5,"Mittwoch, 14. Oktober 2026, 23:59"\n')
    first = 'Participant 0,S0 X,s0,"Wednesday, 14 October 2026, 11:59 PM"\n'
    plan = imported(*stamped(*[0] * 6), roll="".join([head, first, *rows]))
    pieces = {row.student: row.piece for row in plan.rows}
    assert (pieces["s0"].time, pieces["s0"].source) == (expected, "roll")
    assert {pieces[f"s{n}"].source for n in range(1, 6)} == {"unknown"}
    assert plan.notes[0].startswith("the roll's time of s5 cannot be read (s5: 'Mittw")
    assert "set Moodle to English" in plan.notes[0]


def test_times_inside_student_zips_are_ignored(imported):
    early = zipfile.ZipInfo("a.ipynb", (2001, 1, 1, 0, 0, 0))
    outer = zipfile.ZipInfo("ada.zip", NOON.timetuple()[:6])
    twice = packed(("more.zip", packed((early, "{}"))))
    plan = imported((outer, twice))
    (piece,) = [row.piece for row in plan.rows]
    assert (piece.time, piece.source) == (NOON.astimezone(UTC), "zip")


DATES = """
[due]
assignment_game = 2026-10-12T23:59:00+02:00

[extensions.bob]
assignment_game = 2026-10-15T23:59:00+02:00

[late]
grace_minutes = 10
percent_per_day = 20
most_days = 3
"""
OF_EVE = "[extensions.eve]\nassignment_game = 2026-10-15T23:59:00+02:00\n"
DUE = datetime.fromisoformat("2026-10-12T23:59:00+02:00")


def test_late_rule_days_and_share():
    rule = {"grace_minutes": 10, "percent_per_day": 20, "most_days": 3}
    for over, days, share in (
        (timedelta(minutes=10), 0, 1),
        (timedelta(minutes=10, seconds=1), 1, 0.8),
        (timedelta(days=1, minutes=10), 1, 0.8),
        (timedelta(days=3, minutes=10), 3, 0.4),
        (timedelta(days=3, minutes=11), 4, 0),
        (timedelta(days=-3), 0, 1),
    ):
        late = dates.lateness_of(DUE + over, "zip", DUE, rule)
        assert (late.days, late.share) == (days, pytest.approx(share))


@pytest.fixture
def laid_out(tmp_path):
    """A folder with files of ada, bob and zoe, 20 hours after the due date."""
    time = (DUE + timedelta(hours=20)).isoformat()
    rows = [f"{who},g.ipynb,{time},zip,,,{who}" for who in ("ada", "bob", "zoe")]
    (tmp_path / "laid out").mkdir()
    text = "\n".join([",".join(import_lms.HEAD), *rows, ""])
    (tmp_path / "laid out" / TABLE).write_text(text)
    return tmp_path / "laid out"


def test_extension_applies_to_one_student(laid_out, tmp_path):
    (tmp_path / "dates.toml").write_text(DATES.replace("[late]", f"{OF_EVE}[late]"))
    ids, messages = ["ada", "bob", "kim"], []
    files = tmp_path / "dates.toml", GAME
    lateness = dates.lateness(*files, laid_out, ids, messages.append)
    assert messages == ["LOOK: eve has an extension but is not on the roll"]
    with pytest.raises(ValueError, match="`make collect` writes it"):
        dates.lateness(*files, tmp_path, ids)
    judged = [(lateness[who].days, lateness[who].share) for who in ids]
    assert judged == [(1, 0.8), (0, 1), (0, 1)]
    time = (DUE + timedelta(hours=20)).isoformat(timespec="minutes")
    assert dates.cells(lateness["ada"], 20) == [time, "zip", "1 day", "16"]
    assert dates.cells(lateness["kim"], 0) == ["", "", "", "0"]
    ada, bob, kim = (dates.sentence(lateness[who], 20) for who in ids)
    assert "13 October 2026, 19:59 (UTC+02:00), 1 day late: 80% of the" in ada
    assert "16 of 20." in ada
    assert "in time: your extension is to 15 October 2026, 23:59 (UTC+02:00)." in bob
    assert kim == ""


def test_latest_file_decides_lateness(laid_out, tmp_path):
    (tmp_path / "dates.toml").write_text(DATES)
    for first, second, day in (
        ("17T00:00:00+00:00", "11T00:00:00+00:00", 17),
        ("", "17T00:00:00+00:00", 17),
        ("17T00:00:00+00:00", "", 17),
        # Later, although it comes first in alphabetical order.
        ("16T23:30:00+00:00", "16T20:00:00-05:00", 17),
        ("11T00:00:00+00:00", "12T09:00:00+00:00", 12),
    ):
        times = [time and f"2026-10-{time}" for time in (first, second)]
        rows = [f"bob,{n}.ipynb,{time},zip,,,bob" for n, time in enumerate(times)]
        rows.insert(1, "eve,a.ipynb,2026-11-01T00:00:00+00:00,zip,,,eve")
        table = "\n".join([",".join(import_lms.HEAD), *rows, ""])
        (laid_out / TABLE).write_text(table)
        late = dates.lateness(tmp_path / "dates.toml", GAME, laid_out, ["bob", "eve"])
        assert (late["bob"].time.day, late["bob"].days) == (day, max(0, day - 15))
        files = {laid_out / "bob" / f"{n}.ipynb": time for n, time in enumerate(times)}
        assert grade._times(laid_out).items() >= files.items()
    late = late["bob"]._replace(days=2)
    assert "2 days late after your extension to 15 October" in dates.sentence(late, 10)
    assert dates.cells(late, 10)[2] == "2 days after an extension"


WRONG_DATES = (
    (("[due]", "[duo]"), r"\[duo\] is unknown"),
    (("game = 2026-10-12", "mdp = 2026-10-12"), "has no date for"),
    (("12T23:59:00+02:00", "12"), "needs a date, time and zone"),
    (("12T23:59:00+02:00", "12T23:59:00"), "needs a date, time and zone"),
    (("grace_minutes = 10", "grace = 10"), "numbers from 0 to"),
    (("day = 20", "day = -1"), "numbers from 0 to"),
    (("day = 20", "day = true"), "numbers from 0 to"),
    (("day = 20", "day = "), "are not TOML"),
)


def test_invalid_dates_are_rejected_with_one_sentence(laid_out, tmp_path):
    for change, sentence in WRONG_DATES:
        assert DATES.count(change[0])
        (tmp_path / "dates.toml").write_text(DATES.replace(*change))
        with pytest.raises(ValueError, match=rf"dates\.toml.*{sentence}") as caught:
            dates.lateness(tmp_path / "dates.toml", GAME, laid_out, ["bob"])
        assert "\n" not in str(caught.value)


GUIDE = (Path(__file__).parents[1] / "book" / "teaching.md").read_text(encoding="utf-8")


def test_teaching_guide_dates_and_limits_match_the_program(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.S)
    (tmp_path / "dates.toml").write_text(text, encoding="utf-8")
    tables = dates.read(tmp_path / "dates.toml")
    assert tables["due"][GAME] == DUE
    assert tables["late"].keys() == dates.RULE.keys()
    never = dates.lateness_of(DUE + timedelta(seconds=1), "", DUE, dates.RULE)
    assert (never.days, never.share) == (1, 0)  # "late work counts nothing"
    files, size = download.MAX_FILES, download.MAX_BYTES // 2**20
    largest = download.MAX_FILE_BYTES // 2**20
    limits = f"{files} files and {size} MB a student, {largest} MB a"
    assert f"up to three in one another, {limits} file." in GUIDE
    assert download.MAX_DEPTH == 3


def test_export_uses_the_names_of_the_download(graded):
    course_folder = graded(("ada", "", ""), ("bob", "", ""), ("zoe", "missing", ""))
    folder = course_folder.parent / "in"
    (course_folder / GAME / "grades.csv").write_text(
        "id,name,status,total,of,to mark,counts\nada,Ada,graded,20,22,1,16\n"
        "bob,Bob,graded,7.5,22,0,7.5\nzoe,Zoe,missing,0,22,0,0\n"
    )
    rows = f"ada,g,,zip,Moodle,,{MOODLE}_/", "bob,g,,zip,Canvas,,byrnebob_556_8_"
    (folder / TABLE).write_text("\n".join([",".join(import_lms.HEAD), *rows, ""]))
    lines, _ = given_back(course_folder, ROLL)
    with zipfile.ZipFile(course_folder / "give_back" / f"{GAME}.zip") as pages:
        names = {f"{MOODLE}_/feedback.html", "byrnebob_556_8_feedback.html"}
        assert {*pages.namelist()} == names
        assert pages.read(f"{MOODLE}_/feedback.html") == b"page of ada"
    assert lines[0].startswith("NO PAGE for zoe")
    assert lines[-2].startswith("NO TABLE")
    assert "texts of 1 student are not marked" in lines[-1]
    ada, bob = csv.DictReader(io.StringIO(given_back(course_folder, WORKSHEET)[1]))
    assert (ada["ID number"], ada["Grade"], bob["Grade"]) == ("ada", "16", "7.5")
    (folder / TABLE).unlink()
    with pytest.raises(ValueError, match="`make collect` writes it"):
        given_back(course_folder, ROLL)
    (course_folder / GAME / "grades.csv").unlink()
    with pytest.raises(ValueError, match="grade assignment_game first"):
        given_back(course_folder, ROLL)


def test_collect_plan_writes_nothing(roll, tmp_path, capsys):
    path, out = tmp_path / "download.zip", tmp_path / "out"
    path.write_bytes(packed(("ada.ipynb", "{}"), ("x.txt", "")))
    arguments = ["collect", "--roll", str(roll), "--into", str(out), "--download"]
    assert main([*arguments, str(path), "--plan"]) is None
    assert not out.exists()
    output = capsys.readouterr().out
    assert "LEFT: x.txt belongs to no student on the roll" in output
    assert output.endswith("This is a plan: nothing was written.\n")
    assert main([*arguments, str(path)]) is None
    assert (out / "ada" / "ada.ipynb").read_text() == "{}"
    assert "is not empty" in main([*arguments, str(path)])
    assert "There is no folder or zip" in main([*arguments, "none"])
