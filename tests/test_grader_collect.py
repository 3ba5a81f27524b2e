"""Owners of files in a download, limits of a student's files, and tables."""

import csv
import errno
import io
import stat
import tracemalloc
import warnings
import zipfile
from itertools import product

import pytest

from assignments.grader import course, download, export_lms, import_lms
from assignments.grader.submission import TABLE
from ttt_lib.validation import escape_formula, escape_key, unescape_key

ROLL = "id,name\nada,Ada Able\nbob,Bob Bee\neve,Eve Eel\n"
MOODLE = "Identifier,Full name,Email address,Status,Grade,Maximum Grade\n" + "".join(
    f"Participant {number},{name},{who}@x.org,-,,22.00\n"
    for number, who, name in ((101, "ada", "Ada Able"), (102, "bob", "Bob Bee"))
)
CANVAS = "Student,ID,SIS Login ID,Section,boards (98)\n" + "".join(
    f'"{name}",{number},{who},One,\n'
    for number, who, name in ((101, "ada", "Able, Ada"), (102, "bob", "Bee, Bob"))
)


def packed(*files, way=zipfile.ZIP_DEFLATED):
    """Return the bytes of a zip of pairs (name or ZipInfo, content)."""
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about repeated names
        with zipfile.ZipFile(out, "w", way) as into:
            for name, content in files:
                into.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def planned(tmp_path):
    """Return a function that plans the import of files in a zip, or of a zip."""

    def plan(*files, roll=ROLL):
        content = files[0] if isinstance(files[0], bytes) else packed(*files)
        (tmp_path / "download.zip").write_bytes(content)
        (tmp_path / "roll.csv").write_text(roll, encoding="utf-8")
        return import_lms.plan(tmp_path / "download.zip", tmp_path / "roll.csv")

    return plan


def owners(plan):
    """Return {content: id}."""
    return {row.piece.read().decode(): row.student for row in plan.rows}


SCHEMES = {
    "a flat download of Moodle": "{name}_{number}_assignsubmission_file_",
    "folders of Moodle": "{name}_{number}_assignsubmission_file_/",
    "a download of Canvas": "{login}_{number}_555_",
    "a folder for each": "{id}/",
    "a file for each": "{id}_",
}
ADA = {"name": "Ada Able", "number": 101, "login": "ableada", "id": "ada"}
BOB = {"name": "Bob Bee", "number": 102, "login": "beebob", "id": "bob"}
CHOSEN = "{}", "../{}", "..\\{}", "/{}", "a.ipynb/{}", "\u202e{}", "{}\0.ipynb", "\n{}"
CHOSEN += "LATE_{}", "x_1_2_{}", "1_{}", "102_5_{}", "beebob_102_5_{}"
CHOSEN += "assignsubmission_file_{}", "x_102_assignsubmission_file_{}"
CHOSEN += ("B\u043eb Bee_102_assignsubmission_file_{}",)
IDS = {ROLL: ("ada", "bob"), MOODLE: ("ada@x.org", "bob@x.org"), CANVAS: ("101", "102")}
TRIES = [(kind, ROLL) for kind in SCHEMES]
TRIES += [(kind, MOODLE) for kind in SCHEMES if "Moodle" in kind]
TRIES += [(kind, CANVAS) for kind in SCHEMES if "Canvas" in kind]


@pytest.mark.parametrize(("kind", "roll"), TRIES, ids=[kind for kind, _ in TRIES])
def test_file_names_cannot_forge_another_owner(kind, roll, planned):
    (ada, bob), scheme = IDS[roll], SCHEMES[kind]
    forged = scheme.format(**BOB) + "game.ipynb"
    for chosen, alone in product(CHOSEN, (False, True)):
        files = [(scheme.format(**ADA) + chosen.format(forged), "ours")]
        files += [] if alone else [(forged, "theirs")]
        try:
            plan = planned(*files, roll=roll)
        except ValueError as error:
            assert alone, chosen
            assert "so nothing was written" in str(error)
            continue
        owner_of = owners(plan)
        assert owner_of.get("ours", ada) == ada, chosen
        assert alone or owner_of["theirs"] == bob, chosen
        assert ("ours" in owner_of) != bool(plan.left), chosen


def test_naming_scheme_is_decided_once_per_download(planned):
    ours = [(f"s{n} x_{n}_assignsubmission_file_/a.ipynb", f"{n}") for n in range(4)]
    others = ("ada/a.ipynb", "ada"), ("xs1_1_2_a.ipynb", "canvas")
    roll = ROLL + "".join(f"s{n},s{n} x\n" for n in range(4))
    plan = planned(*ours, *others, roll=roll)
    assert owners(plan) == {f"{n}": f"s{n}" for n in range(4)}
    reasons = {"is not named the way Moodle names submissions"}
    assert {reason for _, reason in plan.left} == reasons
    roll = "id,name\n101,Ada Able\n102,Bob Bee\n103,Eve Eel\n"
    many = [(f"101_{who}_{n}_x", f"{who} {n}") for who in (102, 103) for n in range(9)]
    plan = planned(*many, ("102_game.ipynb", "b"), ("103.ipynb", "e"), roll=roll)
    assert {row.student for row in plan.rows if row.piece.size > 1} == {"101"}
    assert owners(plan).items() >= {"b": "102", "e": "103"}.items()
    # No owner is guessed if one id begins with another.
    files = ("ann_b.ipynb", "1"), ("ann.ipynb", "2"), ("ann_b/x", "3")
    plan = planned(*files, roll="id\nann\nann_b\n")
    assert owners(plan) == {"2": "ann", "3": "ann_b"}
    assert "may belong to ann or ann_b: put it into a folder" in plan.left[0][1]


def test_students_with_the_same_name_are_left_out(planned):
    name = "{}_{}_assignsubmission_file_/a.ipynb"
    more = name.format("Ada Able", 101), "a"
    both = {"a": "ada@x.org", "b": "bob@x.org"}
    for other in ("Bob Bee", "BOB BEE", "Bo\u0301b Bee"):
        ours = (name.format(other, 666), "x"), (name.format("Bob Bee", 102), "b")
        plan = planned(*ours, more)
        assert owners(plan) == {"a": "ada"}
        assert "102 and 666 have that name" in plan.left[0][1]
        assert owners(planned(*ours, more, roll=MOODLE)) == both
    # Moodle's worksheet of another assignment has other numbers.
    plan = planned(more, (name.format("Bob Bee", 202), "b"), roll=MOODLE)
    assert owners(plan) == {"a": "ada@x.org"}
    files = (name.format("Ada Able", 201), "a"), (name.format("Bob Bee", 202), "b")
    plan = planned(*files, roll=MOODLE)
    assert owners(plan) == both
    assert "identified only by a name, which people can change: 2" in plan.notes[0]


def test_moodle_group_prefix_is_ignored(planned):
    name = "{}_{}_assignsubmission_file_/a.ipynb"
    roll = ROLL + "amy,Anne-Marie Smith\nmay,Marie Smith\n"
    names = "Team 1-Ada Able", "Team-2-Bob Bee", "Default group-Eve Eel"
    files = [(name.format(each, n), f"{n}") for n, each in enumerate(names)]
    assert owners(planned(*files, roll=roll)) == {"0": "ada", "1": "bob", "2": "eve"}
    plan = planned(*files, (name.format("T-Anne-Marie Smith", 9), "x"), roll=roll)
    assert "may belong to amy or may" in plan.left[0][1]
    # Without groups, a hyphen is part of the name.
    roll = roll.replace("amy,Anne-Marie Smith\n", "")
    ours = (name.format("Ada Able", 1), "a"), (name.format("Anne-Marie Smith", 2), "x")
    assert owners(planned(*ours, roll=roll)) == {"a": "ada"}


def test_ambiguous_canvas_names_are_left_out(planned):
    """`xu_1_2_3_g` is of xu, with the number 1, or of xu_1, with the number 2."""
    both, ours, bo = ("xu_1_2_3_g", "?"), ("xu_1_8_g", "a"), ("bo_2_7_g", "b")
    roll = "id,name\na,Xu\nb,Bo\n"
    assert owners(planned(both, roll=roll)) == {"?": "a"}
    assert owners(planned(both, ("bo_9_7_g", "b"), roll=roll)) == {"?": "a", "b": "b"}
    plan = planned(both, bo, roll=roll)  # bo's number is known to be 2
    assert owners(plan) == {"b": "b"}
    assert plan.left == (("xu_1_2_3_g", "may belong to a or b: each matches xu (1)"),)
    plan = planned(ours, both, roll="id,name\na,Xu\nc,Xu 1\n")
    assert owners(plan) == {"a": "a"}
    assert "may belong to a or c" in plan.left[0][1]
    assert owners(planned(both, roll="id,name\nc,Xu 1\n")) == {"?": "c"}
    # Moodle's names are not ambiguous.
    name = "Xu_1_assignsubmission_file_2_3_g"
    assert owners(planned((name, "?"), roll="id,name\na,Xu\nc,Xu 1\n")) == {"?": "a"}


def test_owner_is_found_for_every_order_of_names(planned):
    rolls = [
        "id,name\nann,Ann Mary Lee\n",
        'id,full name\nann,"Lee, Ann Mary"\n',
        'id,student\nann,"Lee, Ann Mary"\n',
        "id,first_name,last_name\nann,Ann Mary,Lee\n",
    ]
    for roll, name in product(rolls, ("Ann Mary Lee", "leeannmary", "Lee Ann-Mary")):
        file = f"{name}_7_assignsubmission_file_/g"
        assert owners(planned((file, "x"), roll=roll)) == {"x": "ann"}, (roll, name)
        with pytest.raises(ValueError, match="who is not on the roll"):
            planned((f"mary{file}", "x"), roll=roll)


NAMES_REJECTED = "NAMETOOLONG", "INVAL", "ILSEQ", "NOTDIR", "ISDIR", "EXIST", "LOOP"


def test_carry_out_skips_invalid_names_and_raises_other_errors(
    planned, tmp_path, monkeypatch
):
    plan, write = planned(("ada/odd", "1"), ("bob/b", "2")), import_lms.write

    def carried_out(number, out):
        def failing(path, content):
            if path.name == "odd":
                raise OSError(number, "no")
            write(path, content)

        monkeypatch.setattr(import_lms, "write", failing)
        return import_lms.carry_out(plan, out)

    for name in NAMES_REJECTED:
        out = tmp_path / name
        odd = [("ada/odd", "was not written: no")]
        assert carried_out(getattr(errno, f"E{name}"), out) == odd
        (row,) = csv.DictReader(io.StringIO((out / TABLE).read_text()))
        assert (row["id"], unescape_key(row["file"])) == ("bob", "b")
        assert (out / "bob" / "b").read_text() == "2"
    for number in (errno.ENOSPC, errno.EACCES):
        with pytest.raises(OSError, match="no"):
            carried_out(number, tmp_path / "new")
        assert not (tmp_path / "new").exists()
    (tmp_path / "before").mkdir()
    with pytest.raises(OSError, match="no"):
        carried_out(errno.ENOSPC, tmp_path / "before")
    assert (tmp_path / "before").exists(), "a folder that existed before stays"


def test_zip_name_encodings_are_detected(planned):
    roll = "id,name\nzoe,Zoë Müller\nada,Ada\n"
    for code in ("utf-8", "cp437", "cp1252", "cp850"):
        name = "Zoë Müller".encode(code)
        plain = b"Z" * len(name)
        raw = packed((f"{plain.decode()}_7_assignsubmission_file_/a.ipynb", "z"))
        assert owners(planned(raw.replace(plain, name), roll=roll)) == {"z": "zoe"}
        inner = packed((plain.decode(), "z")).replace(plain, name)
        plan = planned(("zoe.zip", inner), roll=roll)
        assert [row.target.name for row in plan.rows] == ["Zoë Müller"]


def test_odd_zip_entries_do_not_stop_other_students(planned, tmp_path):
    odd = []
    for name, kind in (("l", stat.S_IFLNK), ("p", stat.S_IFIFO), ("d", stat.S_IFDIR)):
        info = zipfile.ZipInfo(f"eve/{name}")
        info.create_system, info.external_attr = 3, (kind | 0o777) << 16
        odd.append((info, ""))
    taken = ["中" * 106 + ".ipynb", "d/" * 2500 + "x.ipynb", "e" * 5000, "\U0001f600"]
    taken += ["n" * 250 + ".ipynb", "n" * 251 + ".ipynb", "w", "w/x", "W", "w.zip/x"]
    taken += ["CON", "a. . ", " ", ".hidden", "./a", "-rf", "?*:|<>", "\x1b[31m"]
    files = [(f"eve/{n}", f"{i}") for i, n in enumerate([*taken, "..", "../bob/x"])]
    files += [("eve/w.zip", packed(("x", "z"), ("../../bob/y", ""))), *odd]
    plan = planned(("bob.ipynb", "b"), *files)
    assert import_lms.carry_out(plan, tmp_path / "out") == []
    assert (tmp_path / "out" / "bob" / "bob.ipynb").read_text() == "b"
    contents = {row.piece.read().decode() for row in plan.rows if row.student == "eve"}
    assert contents == {*map(str, range(len(taken))), "z"}
    targets = {row.target for row in plan.rows}
    assert len({str(target).casefold() for target in targets}) == len(plan.rows)
    assert all(len(part.encode()) < 230 for target in targets for part in target.parts)
    assert sum(target.suffix == ".ipynb" for target in targets) == 5
    assert any("is too long or occurs twice" in note for note in plan.notes)
    assert len(plan.left) == 6
    assert all(line.isprintable() for line in import_lms.summary(plan))


def changed(raw, marker, offset, value):
    """Return a zip with bytes replaced at an offset from the first marker."""
    raw = bytearray(raw)
    start = raw.find(marker) + offset
    raw[start : start + len(value)] = value
    return bytes(raw)


DIRECTORY = b"PK\x01\x02"
LETTERS = packed(("x", "a" * 99))
BROKEN = {
    "a password": changed(LETTERS, DIRECTORY, 8, b"\x01"),
    "bzip2, which cannot be limited": packed(("x", "a" * 99), way=zipfile.ZIP_BZIP2),
    "a wrong checksum": changed(LETTERS, DIRECTORY, 16, b"\x01\x02\x03"),
    "a size that is too small": changed(LETTERS, DIRECTORY, 24, b"\x01"),
    "no header of the entry": changed(LETTERS, b"PK\x03\x04", 0, b"xxxx"),
    "half a zip": packed(("x", "a" * 9999))[:60],
    "invalid data": changed(packed(("x", "a" * 999)), b"x", 1, b"\xff" * 6),
    "a date of month 0": changed(LETTERS, DIRECTORY, 12, b"\0\0\0\0"),
}


def test_damaged_zips_are_left_with_a_reason(planned):
    for what, broken in BROKEN.items():
        plan = planned(("ada.zip", broken), ("bob.ipynb", "b"))
        rest = {"bob/bob.ipynb"} | ({"ada/ada/x"} if "month" in what else set())
        assert {str(row.target) for row in plan.rows} == rest, what
        assert len(plan.left) == 2 - len(rest)
        for path, reason in plan.left:
            assert (path[:7], reason[:3]) == ("ada.zip", "is ")
            assert ("password" in reason) == ("password" in what)


ZEROS = b"\0" * 2**18


def overlapping():
    """Return a zip whose directory lists the same file 1,500 times."""
    raw = packed(("x.zip", ZEROS))
    start = raw.find(DIRECTORY)
    entry, end = raw[start : raw.find(b"PK\x05\x06")], bytearray(raw[-22:])
    end[8:10] = end[10:12] = (1500).to_bytes(2, "little")
    end[12:16] = (1500 * len(entry)).to_bytes(4, "little")
    return raw[:start] + entry * 1500 + bytes(end)


BOMBS = {
    "one large file": lambda: packed(("x", ZEROS * 9)),
    "zips of zeros": lambda: packed(*((f"{n}.zip", ZEROS) for n in range(60))),
    "files of zeros": lambda: packed(*((f"{n}", ZEROS) for n in range(60))),
    "one entry many times": overlapping,
    "empty zips": lambda: packed(*((f"{n}.zip", packed()) for n in range(1000))),
    "a list without end": lambda: packed(*((f"{n}", "") for n in range(5000))),
}


@pytest.mark.parametrize("what", BOMBS)
def test_zip_bombs_are_limited_while_unpacking(what, planned, monkeypatch):
    monkeypatch.setattr(download, "MAX_BYTES", 10 * 2**18)
    monkeypatch.setattr(download, "MAX_FILE_BYTES", 8 * 2**18)
    monkeypatch.setattr(download, "MAX_FILES", 50)
    read, inside = [], download._inside

    def counted(opener, info):
        read.append(len(content := inside(opener, info)))
        return content

    monkeypatch.setattr(download, "_inside", counted)
    bomb = BOMBS[what]()
    tracemalloc.start()
    try:
        plan = planned(("ada.zip", bomb), ("bob.ipynb", "b"))
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()
    assert sum(read) <= 10 * 2**18 + 1
    assert len(read) <= 52
    assert "bob" in {row.student for row in plan.rows}
    assert 0 < len(plan.left) < 60


FORMULAS = "=1+1", "@SUM(1+1)", "-2+3", "\uff1d1", "\x1b=1", "x;=1", "\t=1", "x\n=1"
FORMULAS += "x,-1", "a;b|\uff0b1", "x;'=1", "./=1", "x;;  =1;-2", "\ufeff=1"
BEGINS = set("=+@-\uff1d\uff0b\uff0d\uff20\ufe66")


def cells_of(text):
    """Yield the cells that a spreadsheet may read, for each delimiter."""
    for delimiter in ",;|\t":
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            for cell in row:
                yield from cell.splitlines()


def test_formulas_in_tables_are_escaped():
    for formula in FORMULAS:
        key = escape_key(formula)
        assert unescape_key(key) == formula
        assert key.startswith("./")
        more = escape_key(f"a{formula}"), escape_formula(f"a;{formula}")
        for text in (key, escape_formula(formula), *more):
            for cell in cells_of(text):
                assert cell.strip("\x1b \ufeff")[:1] not in BEGINS, formula
    for harmless in ("Ada = 1", "Anne-Marie; b-c, d+e", "3 cells; x=1"):
        assert escape_formula(harmless) == harmless


def test_table_of_files_round_trips(planned, tmp_path):
    names = "=HYPERLINK(1).ipynb", "x;=1.ipynb", "./=.ipynb", "-1, +2"
    plan = planned(*((f"ada/{name}", "a") for name in names), ("bob.ipynb", ""))
    import_lms.carry_out(plan, tmp_path / "out")
    text = (tmp_path / "out" / TABLE).read_text("utf-8")
    assert not any(cell[:1] in BEGINS for cell in cells_of(text))
    for row in course.submissions_table(tmp_path / "out"):
        assert (tmp_path / "out" / row["id"] / row["file"]).is_file()


GERMAN = (
    '\ufeffID,"Vollständiger Name",E-Mail-Adresse,Status,Bewertung,Bestwertung,'
    '"Bewertung kann geändert werden","Zuletzt geändert (Abgabe)",'
    '"Zuletzt geändert (Bewertung)","Feedback als Kommentar"\n'
    'Teilnehmer/in101,Ada Able,ada@x.org,"Zur Bewertung abgegeben",,"22,00",Ja,'
    '"Montag, 12. Oktober 2026, 23:59",-,\n'
    'Teilnehmer/in102,Bob Bee,bob@x.org,Keine Abgabe,,"22,00",Ja,-,-,\n'
)
# Languages with unknown headings: columns are recognised by their cells.
HUNGARIAN = (
    "Azonosító;Teljes név;E-mail cím;Állapot;Pontszám;Maximális pontszám;Módosítható;"
    "Utolsó módosítás (leadott munka);Utolsó módosítás (pontszám);Visszajelzés\n"
    "101. résztvevő;Ada Able;ada@x.org;Leadva;;22,00;Igen;-;-;\n"
    "102. résztvevő;Bob Bee;bob@x.org;Nincs leadva;3,5;22,00;Igen;-;-;\n"
)
BLIND = (
    "Identyfikator,Status,Ocena,Maksymalna ocena,Edycja,Zmodyfikowane (zadanie),"
    "Zmodyfikowane (ocena),Komentarz\n"
    "Uczestnik 101,Brak zadania,,22.00,Tak,-,-,\n"
    "Uczestnik 102,Brak zadania,,22.00,Tak,-,-,\n"
)
WORKSHEETS = {
    "German": (GERMAN, "ada@x.org", "bob@x.org"),
    "Hungarian": (HUNGARIAN, "ada@x.org", "bob@x.org"),
    "Polish, without names": (BLIND, "101", "102"),
}


@pytest.fixture
def graded(tmp_path):
    """Return a function that writes a course with points and a table of files."""

    def make(*students, platform="Moodle"):
        place, name = tmp_path / "course", "assignment_game"
        (place / name).mkdir(parents=True, exist_ok=True)
        rows = [f"{who},,{status},{total},22,0" for who, status, total in students]
        text = "\n".join(["id,name,status,total,of,to mark", *rows, ""])
        (place / name / "grades.csv").write_text(text)
        lines = [",".join(import_lms.HEAD)]
        for who, status, _ in students:
            if status != "missing":
                lines.append(f"{who},./g,,zip,{platform},,./{who}_")
                page = place / "feedback" / who / name / f"{name}.html"
                page.parent.mkdir(parents=True, exist_ok=True)
                page.write_text(f"page of {who}")
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / TABLE).write_text("\n".join([*lines, ""]))
        return place

    return make


def given_back(course_folder, roll, column=""):
    """Return the lines that give-back prints, and its table."""
    path = course_folder.parent / "platform.csv"
    path.write_text(roll, encoding="utf-8")
    files = course_folder, "assignment_game", course_folder.parent / "in", path
    lines = list(export_lms.make(*files, column))
    table = course_folder / "give_back" / "assignment_game.csv"
    return lines, table.read_text("utf-8") if table.exists() else ""


@pytest.mark.parametrize("language", WORKSHEETS)
def test_moodle_worksheet_is_read_in_any_language(language, planned, graded):
    roll, ada, bob = WORKSHEETS[language]
    name = "X_{}_assignsubmission_file_/a"
    plan = planned((name.format(101), "a"), (name.format(102), "b"), roll=roll)
    assert owners(plan) == {"a": ada, "b": bob}
    if "2026" in roll:
        assert f"the roll's time of {ada} cannot be read" in plan.notes[0]
        assert "set Moodle to English (Preferences, Preferred" in plan.notes[0]
    course_folder = graded((ada, "graded", "7.5"), (bob, "missing", "0"))
    lines, table = given_back(course_folder, roll)
    before, after = (
        [*csv.reader(io.StringIO(text), delimiter=";" if "Hung" in language else ",")]
        for text in (roll.lstrip("\ufeff"), table)
    )
    (best,) = (n for n, cell in enumerate(before[1]) if cell in ("22,00", "22.00"))
    before[1][best - 1], before[1][-1] = "7.5", "See feedback.html."
    assert after == before  # a student without a submission gets no 0
    assert any(line.startswith(f"NO POINTS for {bob}: ") for line in lines)


def test_name_column_is_found_by_position(planned):
    name = "Ada Able_999_assignsubmission_file_/a"  # not on the roll
    assert owners(planned((name, "a"), roll=HUNGARIAN)) == {"a": "ada@x.org"}
    with pytest.raises(ValueError, match="so nothing was written"):
        planned((name.replace("Ada Able", "Brak zadania"), "a"), roll=BLIND)


GRADEBOOK = (
    "Student,ID,SIS Login ID,Section,{}Current Score\n"
    "    Points Possible,,,,{}(read only)\n"
    '"Able, Ada",101,ada,One,{}\n"Bee, Bob",102,bob,One,{}\n'
)


def gradebook(*heads):
    """Return a gradebook of Canvas with columns of these headings."""
    head = "".join(f'"{head}",' for head in heads)
    return GRADEBOOK.format(head, *["," * len(heads)] * 3)


UNCERTAIN = (
    (("x (1)", "y (2)"), "", r'COLUMN="x \(1\)", COLUMN="y \(2\)"'),
    (("assignment_game (1)", "assignment_game 2 (2)"), "", "has 2 columns for ass"),
    ((), "", "has no column for assignment_game. Create it on"),
    (("x (1)",), "z (1)", r"no column named 'z \(1\)'.*COLUMN=\"x \(1\)\""),
    (("x (1)", "x (1)"), "x (1)", "has 2 columns named"),
)


def test_uncertain_points_column_lists_candidates(graded):
    course_folder = graded(("101", "graded", "7.5"), platform="Canvas")
    for heads, column, sentence in UNCERTAIN:
        with pytest.raises(ValueError, match=sentence) as caught:
            given_back(course_folder, gradebook(*heads), column)
        assert "\n" not in str(caught.value)
        assert not (course_folder / "give_back").exists()
    roll = gradebook("x (1)", "boards, 2; x (9)")
    lines, table = given_back(course_folder, roll, " boards, 2; x (9) ")
    assert list(csv.reader(io.StringIO(table)))[2][5] == "7.5"
    assert "in the column 'boards, 2; x (9)'" in lines[-1]
