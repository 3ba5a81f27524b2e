"""What student code may try against the grader, in a sandbox and without one."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
import zipfile
from pathlib import Path

import bank
import pytest

from assignments.grader import (
    __main__,
    course,
    examine,
    gradebook,
    keeper,
    sandbox,
    signals,
    submission,
    watch,
    work,
)

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PATIENCE = 60  # seconds until a state that must come counts as one that never does


@pytest.fixture(params=["isolated", "not isolated"])
def isolated(request):
    if request.param == "isolated" and (reason := sandbox.isolation()):
        assert os.environ.get("REQUIRE_ISOLATION") != "1"
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")
    return request.param == "isolated"


@pytest.fixture
def place(isolated):
    limits = sandbox.Limits(cell_seconds=60, call_seconds=60, memory=600 * 2**20)
    with sandbox.Sandbox(limits, isolated) as place:
        yield place


def until(state):
    """Wait for a state."""
    end = time.monotonic() + PATIENCE
    while not state():
        assert time.monotonic() < end
        time.sleep(0.02)


def with_word(word):
    """Return the processes that carry a word in their command."""
    found = []
    for process in keeper.processes():
        with contextlib.suppress(OSError):
            if word.encode() in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


# A process that leaves its group and loses its parent, and then its keeper is ended.
STAYS = """
import ctypes, os, signal
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            what = "import signal; signal.pause()"
            os.execv({python!r}, [{python!r}, "-c", what, {word!r}])
        os._exit(0)
"""
ENDS_KEEPER = "os.kill(os.getppid(), signal.SIGKILL)"
STOPS_KEEPER = "os.kill(os.getppid(), signal.SIGSTOP)"


@pytest.fixture
def stays():
    word = uuid.uuid4().hex
    yield word, STAYS.format(python=sys.executable, word=word)
    for process in with_word(word):
        os.kill(process, signal.SIGKILL)


@pytest.mark.skipif(not keeper.LINUX, reason="elsewhere some outlive their keeper")
@pytest.mark.parametrize("more", ["", ENDS_KEEPER, STOPS_KEEPER])
def test_no_process_of_a_student_stays(place, stays, more):
    word, source = stays
    with place.student() as student, contextlib.suppress(sandbox.Gone):
        student.run(source)
        until(lambda: len(with_word(word)) == 2)
        student.run(more)
        student.run("1")
    until(lambda: not with_word(word))
    assert not student.home or not Path(student.home).exists()


GRADER = """
import signal
from assignments.grader import sandbox, signals
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
signal.signal(signal.SIGHUP, signal.SIG_DFL)
limits = sandbox.Limits(cell_seconds=999)
with signals.as_interrupts(), sandbox.Sandbox(limits, {isolated}) as place:
    with place.student() as student:
        student.run({source!r})
        print(student.home, flush=True)
        student.run("while True: pass")
"""


@pytest.mark.skipif(not keeper.LINUX, reason="elsewhere some outlive their keeper")
def test_no_process_outlives_a_grader_however_that_dies(isolated, stays, tmp_path):
    word, source = stays
    program = tmp_path / "grader.py"
    program.write_text(GRADER.format(isolated=isolated, source=source))
    ends = [signal.SIGKILL]
    ends += [] if isolated else [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
    graders = [
        subprocess.Popen(
            [sys.executable, program],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            text=True,
        )
        for _ in ends
    ]
    homes = [process.stdout.readline().strip() for process in graders]
    until(lambda: len(with_word(word)) == 2 * len(ends))
    for process, end in zip(graders, ends, strict=True):
        process.send_signal(end)
        process.wait(PATIENCE)
        process.stdout.close()
    until(lambda: not with_word(word))
    until(lambda: not any(Path(home).exists() for home in homes))


def test_a_sandbox_has_little_room_and_no_other_within():
    if reason := sandbox.isolation():
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")
    limits = sandbox.Limits(disk=2**20)
    with sandbox.Sandbox(limits, True) as place, place.student() as student:
        student.run(
            "import ctypes, os\n"
            "def fill(folder):\n"
            "    with open(folder + '/x', 'wb') as file:\n"
            "        file.write(bytes(2 * 2**20))\n"
            "def write(folder):\n    open(folder + '/y', 'w').close()\n"
            "def sandbox():\n    return ctypes.CDLL(None).unshare(0x10000000)"
        )
        for folder in ("/tmp", "/dev/shm"):
            assert student.call("fill", [folder])["error"] == "OSError"
        for folder in ("/", "/dev", "/etc", str(sandbox.LIBRARY)):
            assert student.call("write", [folder])["error"] == "OSError"
        if sandbox._narrow():
            assert student.call("sandbox", [])["value"] == -1


FORKS = """
import os, signal
for _ in range({}):
    if os.fork() == 0:
        hoard = b"x" * {} * 2**20
        signal.pause()
signal.pause()
"""


@pytest.mark.skipif(not keeper.LINUX, reason="elsewhere nobody counts")
@pytest.mark.parametrize(("processes", "megabytes"), [(20, 100), (99, 0)])
def test_all_processes_together_have_limits(isolated, processes, megabytes):
    limits = sandbox.Limits(cell_seconds=60, memory=600 * 2**20, processes=12)
    with sandbox.Sandbox(limits, isolated) as place, place.student() as student:
        try:
            error = student.run(FORKS.format(processes, megabytes))["error"]
        except sandbox.Gone as gone:
            error = str(gone)
    # Whoever is not the superuser is stopped by the system already.
    assert error in ("crashed", "BlockingIOError")


# Processes of which the first thread has ended, and another one goes on.
HEADLESS = """
import ctypes, os, threading, time
def rest():
    while open("/proc/self/stat").read().split()[2] != "Z":
        time.sleep(0.01)
    hoard = bytearray(b"x") * 100 * 2**20
    time.sleep({patience})
for _ in range(6):
    if os.fork() == 0:
        os.setsid()
        threading.Thread(target=rest).start()
        ctypes.CDLL(None).syscall({exit}, 0)
time.sleep({patience})
"""


@pytest.mark.skipif(not keeper.LINUX, reason="elsewhere nobody counts")
def test_whose_first_thread_has_ended_is_weighed_and_ended(isolated):
    number = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
    limits = sandbox.Limits(cell_seconds=PATIENCE / 2, memory=400 * 2**20)
    with (
        sandbox.Sandbox(limits, isolated) as place,
        place.student() as student,
        pytest.raises(sandbox.Gone, match="crashed"),
    ):
        student.run(HEADLESS.format(exit=number, patience=PATIENCE))
    until(lambda: not any(map(says_it_is_dead, keeper.processes())))


def says_it_is_dead(process):
    with contextlib.suppress(OSError):
        return b") Z " in Path(f"/proc/{process}/stat").read_bytes()


FILES = """
for folder in ("/tmp", "/dev/shm"):
    for number in range({}):
        open(f"{{folder}}/{{number}}", "w").close()
import time; time.sleep(2)
"""


def test_a_sandbox_has_room_for_some_files_and_no_more(monkeypatch):
    if reason := sandbox.isolation():
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")
    monkeypatch.setattr(sandbox, "FILES", 1000)
    with sandbox.Sandbox(sandbox.Limits(), True) as place, place.student() as student:
        assert student.run(FILES.format(400)) is None
        with pytest.raises(sandbox.Gone, match="crashed"):
            student.run(FILES.format(600))


@pytest.mark.skipif(not keeper.LINUX, reason="elsewhere nobody counts")
def test_the_dead_count_until_somebody_asks_how_they_ended(isolated):
    limits = sandbox.Limits(cell_seconds=60, processes=12)
    source = "import os\nfor _ in range(300):\n    os.fork() or os._exit(0)"
    with sandbox.Sandbox(limits, isolated) as place, place.student() as student:
        try:
            error = student.run(f"{source}\nimport time; time.sleep(9)")["error"]
        except sandbox.Gone as gone:
            error = str(gone)
    assert error in ("crashed", "BlockingIOError")


THREADS = """
import threading
threading.stack_size(32768)
wait = threading.Event().wait
for _ in range({}):
    threading.Thread(target=wait, daemon=True).start()
wait(9)
"""


@pytest.mark.skipif(not keeper.LINUX, reason="elsewhere nobody counts")
def test_threads_count_as_processes_do(isolated):
    limits = sandbox.Limits(cell_seconds=60, processes=12)
    with sandbox.Sandbox(limits, isolated) as place, place.student() as student:
        try:
            error = student.run(THREADS.format(300))["error"]
        except sandbox.Gone as gone:
            error = str(gone)
    assert error in ("crashed", "RuntimeError")


# What bubblewrap starts first forgets that it ends with the grader.
FORGETS = """
import ctypes, os
libc = ctypes.CDLL(None)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
ATTACH, DETACH, SINGLESTEP, GETREGS, SETREGS = 16, 17, 9, 12, 13
NUMBERS = 27 * ctypes.c_ulonglong
RAX, RSI, RDI, ORIG_RAX, RIP = 10, 13, 14, 15, 16
PRCTL, PR_SET_PDEATHSIG, WALL = 157, 1, 1 << 30

def attach():
    if libc.ptrace(ATTACH, 1, None, None):
        return False
    libc.waitpid(1, None, WALL)
    before, numbers = NUMBERS(), NUMBERS()
    libc.ptrace(GETREGS, 1, None, before)
    libc.ptrace(GETREGS, 1, None, numbers)
    numbers[RIP] -= 2  # to the call in which it waits
    numbers[RAX], numbers[RDI], numbers[RSI] = PRCTL, PR_SET_PDEATHSIG, 0
    numbers[ORIG_RAX] = 2**64 - 1
    libc.ptrace(SETREGS, 1, None, numbers)
    libc.ptrace(SINGLESTEP, 1, None, None)
    libc.waitpid(1, None, WALL)
    libc.ptrace(SETREGS, 1, None, before)
    libc.ptrace(DETACH, 1, None, None)
    return True
"""


def test_nobody_reaches_into_the_process_that_ends_the_others(stays):
    if reason := sandbox.isolation():
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")
    if os.uname().machine != "x86_64":
        pytest.skip("the attack is written for one machine")
    word, source = stays
    limits = sandbox.Limits(cell_seconds=60, call_seconds=60)
    with sandbox.Sandbox(limits, True) as place, place.student() as student:
        student.run(FORGETS)
        assert student.call("attach", []) == {"value": False}
        student.run(source)
        until(lambda: len(with_word(word)) == 2)
    until(lambda: not with_word(word))


def test_no_memory_is_kept_that_belongs_to_no_process():
    if reason := sandbox.isolation():
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")
    if os.uname().machine != "x86_64":
        pytest.skip("its system calls have other numbers")
    with sandbox.Sandbox(sandbox.Limits(), True) as place, place.student() as student:
        student.run(
            "import ctypes, os\n"
            "def get(call):\n"
            "    return ctypes.CDLL(None).syscall(call, 0, 4096, 0o1600)\n"
            "def memory():\n    return os.memfd_create('x')"
        )
        for shmget_semget in (29, 64):
            assert student.call("get", [shmget_semget]) == {"value": -1}
        assert student.call("memory", [])["error"] == "PermissionError"


def test_a_submission_as_a_whole_has_a_limit(isolated):
    release = course.of_notebook(bank.GAME, bank.solution(bank.GAME))
    cells = [submission.Cell("", "import time; time.sleep(0.5)")] * 99
    handed_in = submission.Submission("", (), tuple(cells), {}, "")
    questionnaire = examine.Questionnaire(release, "a secret of the tests")
    limits = sandbox.Limits(submission_seconds=3)
    with sandbox.Sandbox(limits, isolated) as place:
        result = examine.examine(release, handed_in, questionnaire, place)
    assert result["status"] == "timed out"
    assert "the notebook as a whole timed out" in result["notes"]
    whys = {verdict["why"] for verdict in result["questions"].values()}
    assert whys == {"it was never reached"}


def test_folders_of_graders_that_were_killed_are_swept(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox.tempfile, "tempdir", str(tmp_path))
    homes = [Path(sandbox._new_home()) for _ in range(3)]
    for home in homes[:2]:
        (home / "closed").mkdir(mode=0)
        os.utime(home, (0, 0))
    other = tmp_path / "submission-of-the-teacher"
    other.mkdir()
    held = sandbox._hold(homes[0])  # by a grader that lives
    sandbox.sweep()
    os.close(held)
    assert [home.exists() for home in homes] == [True, False, True]
    assert other.exists()


# What is read of a submission, where no sandbox is around


def test_a_long_expression_is_cut_out_and_not_written_anew():
    long = " + ".join(["1"] * 900)
    source = f"@decorated\ndef f():\n    return {long}\nx = 1; f()\nwhile True: pass"
    kept = submission.definitions(source)
    assert kept == f"@decorated\ndef f():\n    return {long}\nx = 1"
    assert submission.definitions("é = 1\r\ndef ü(): return 'ß'") == (
        "é = 1\ndef ü(): return 'ß'"
    )


def test_a_huge_cell_is_not_read_as_a_program(monkeypatch):
    monkeypatch.setattr(submission, "LONGEST_SOURCE", 1000)
    huge = "winner = 1\n" + "a.b\n" * submission.LONGEST_SOURCE
    read = []
    parse = submission.ast.parse
    monkeypatch.setattr(
        submission.ast, "parse", lambda x: read.append(len(x)) or parse(x)
    )
    assert submission.definitions(huge) == ""
    assert submission.shortcuts(huge, "winner") == []
    release = course.of_notebook("x", {"cells": []})
    asked = course.Question("q", "a", "winner", "winner", 4, "", False)
    release = release._replace(questions=(asked,))
    small = "winner = 1\n" + "a.b\n" * (submission.LONGEST_SOURCE // 5)
    for source in (huge, small):
        submission.beside([("code", "", "", source)] * 99, release)
    assert sum(read) < 5 * submission.LONGEST_SOURCE


def test_a_pipe_is_nobodys_work(tmp_path):
    os.mkfifo(tmp_path / "ada.ipynb")
    (tmp_path / "ada").mkdir()
    os.mkfifo(tmp_path / "ada" / "assignment_game.ipynb")
    found, nobody = work.of_class(tmp_path, {"ada"})
    assert work.files_in(found["ada"]) == ([], [])
    assert nobody == ["ada.ipynb is neither a file nor a folder"]


# What code that is not isolated may write


class Teacher:
    """A course, a program and packages that student code can write into."""

    def __init__(self, place, patch):
        self.course, self.root = place / "course", place / "root"
        self.program, self.packages = self.root / "program", place / "packages"
        for folder in (self.course / "feedback", self.program, self.packages):
            folder.mkdir(parents=True)
        (self.program / "judge.py").write_text("right")
        (self.packages / "numpy.py").write_text("right")
        (self.course / "feedback" / "page").write_text("right")
        self.book = gradebook.place(self.course)
        with contextlib.closing(sqlite3.connect(self.book)) as book:
            book.execute("CREATE TABLE mark (points)")
            book.commit()
        patch.setattr(watch, "ROOT", self.root)
        patch.setattr(watch, "PROGRAM", (self.program,))
        patch.setattr(watch, "packages", lambda: [self.packages])
        patch.setattr(watch.sys, "path", [str(self.root), str(self.packages)])
        self.said, self.spans = [], {}
        self.results = self.course / "x" / "results"

    def guard(self):
        return watch.Guard(self.course, self.results, self.spans, self.said.append)

    def run(self, *changes):
        """Let code change things, in the name of eve, between two others."""
        with self.guard():
            for name in ("ada", "eve", "zed"):
                file = self.results / f"{name}.json"
                begin = time.time()
                file.write_text("done")
                if name == "eve":
                    time.sleep(2 * watch.SLACK)
                    for change in changes:
                        change(self)
                self.spans[file] = begin, time.time()

    def kept(self):
        """Return what lies aside."""
        return {
            path.name: path.read_text(errors="replace")
            for path in (self.course / watch.ASIDE).rglob("*")
            if path.is_file()
        }


@pytest.fixture
def teacher(tmp_path, monkeypatch):
    return Teacher(tmp_path, monkeypatch)


def same_size_and_time(file):
    known = file.stat()
    file.write_text(file.read_text()[::-1])
    os.utime(file, ns=(known.st_atime_ns, known.st_mtime_ns))


def other_folder(folder):
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.with_name("elsewhere"))


PROGRAM = {
    "another line": lambda t: (t.program / "judge.py").write_text("wrong"),
    "size and time as before": lambda t: same_size_and_time(t.program / "judge.py"),
    "a module before all others": lambda t: (t.root / "json.py").write_text("wrong"),
    "run by Python itself": lambda t: (t.packages / "a.pth").write_text("wrong"),
    "nothing left": lambda t: (t.program / "judge.py").unlink(),
    "no folder": lambda t: shutil.rmtree(t.program),
    "a link": lambda t: other_folder(t.program),
    "make": lambda t: (t.root / "GNUmakefile").write_text("wrong"),
}


@pytest.mark.parametrize("what", PROGRAM)
def test_a_changed_program_is_named_and_put_back_and_nothing_counts(teacher, what):
    before = sorted(teacher.root.rglob("*")), sorted(teacher.packages.rglob("*"))
    with pytest.raises(ValueError, match="changed this program while eve ran"):
        teacher.run(PROGRAM[what])
    assert (teacher.program / "judge.py").read_text() == "right"
    assert not teacher.program.is_symlink()
    after = {*teacher.root.rglob("*")} - {teacher.root / "elsewhere"}
    after -= {*(teacher.root / "elsewhere").rglob("*")}
    assert (sorted(after), sorted(teacher.packages.rglob("*"))) == before
    assert any("PUT BACK" in line for line in teacher.said)
    assert [file.stem for file in teacher.results.iterdir()] == ["ada"]
    watch.settle(teacher.course, "", teacher.said.append)  # nothing is left to settle


def test_a_changed_package_stops_until_a_person_has_looked(teacher):
    with pytest.raises(ValueError, match="cannot be put back"):
        teacher.run(lambda t: (t.packages / "numpy.py").write_text("wrong"))
    for wish in ("", "undo"):
        with pytest.raises(ValueError, match="go on with CHANGES=keep"):
            watch.settle(teacher.course, wish, teacher.said.append)
    watch.settle(teacher.course, "keep", teacher.said.append)
    watch.settle(teacher.course, "", teacher.said.append)


def test_a_changed_course_is_named_and_put_back_and_grading_goes_on(teacher):
    marks = teacher.book.read_bytes()

    def pipe(t):
        t.book.unlink()
        os.mkfifo(t.book)

    teacher.run(
        lambda t: (t.course / "feedback" / "page").write_text("wrong"),
        lambda t: (t.course / "jupyter_server_config.py").write_text("wrong"),
        lambda t: other_folder(t.results),
        pipe,
    )
    assert teacher.book.read_bytes() == marks
    assert (teacher.course / "feedback" / "page").read_text() == "right"
    assert not (teacher.course / "jupyter_server_config.py").exists()
    assert not teacher.results.is_symlink()
    assert {"page": "wrong", "jupyter_server_config.py": "wrong"}.items() <= (
        teacher.kept().items()
    )


@pytest.mark.parametrize("kind", ["a link", "a file", "a link in the folder"])
def test_what_was_changed_is_kept_in_a_folder_of_the_course(teacher, tmp_path, kind):
    elsewhere, aside = tmp_path / "elsewhere", teacher.course / watch.ASIDE

    def instead(t):
        elsewhere.mkdir()
        if kind == "a link":
            aside.symlink_to(elsewhere)
        elif kind == "a file":
            aside.write_text("wrong")
        else:
            aside.mkdir()
            for second in range(9):
                then = time.localtime(time.time() + second)
                (aside / time.strftime("%Y%m%d-%H%M%S", then)).symlink_to(elsewhere)

    teacher.run(instead, lambda t: (t.course / "feedback" / "page").write_text("wrong"))
    assert teacher.kept()["page"] == "wrong"
    assert not list(elsewhere.iterdir())
    assert not aside.is_symlink()
    if kind != "a link in the folder":
        assert any(f"PUT BACK: {aside} was changed" in line for line in teacher.said)
        (kept,) = aside.glob(f"*/{watch.ASIDE}")
        assert kept.is_symlink() == (kind == "a link")
    assert {path.name for path in teacher.course.iterdir()} == {
        watch.ASIDE,
        "feedback",
        "gradebook.db",
        "x",
    }


def test_a_record_that_becomes_a_folder_is_set_aside(teacher):
    def folders(t):
        record = t.course / watch.RECORD
        record.unlink()
        for place in (record, record.with_name(f"{watch.RECORD}.part")):
            (place / "x").mkdir(parents=True)

    teacher.run(folders)
    assert any(f"{watch.RECORD} was changed" in line for line in teacher.said)
    teacher.run()
    watch.settle(teacher.course, "", teacher.said.append)


@pytest.mark.parametrize(
    "parts",
    [
        {"files": "[]", "known": '["x", true, true]', "names": "[]"},
        {"files": '{"x": [1]}', "known": '["x", true, true]', "names": "[]"},
        {"files": "[" * 10**5, "known": "", "names": ""},
    ],
)
def test_a_damaged_record_is_told_in_a_sentence(teacher, parts):
    with zipfile.ZipFile(teacher.course / watch.RECORD, "w") as record:
        for name, text in parts.items():
            record.writestr(name, text)
    with pytest.raises(ValueError, match="is damaged, which says"):
        watch.settle(teacher.course, "", teacher.said.append)


def mark(book, timeout=0):
    """Enter a mark, as another program does."""
    program = (
        "import sqlite3, sys\n"
        f"book = sqlite3.connect(sys.argv[1], timeout={timeout})\n"
        "book.execute('INSERT INTO mark VALUES (3)')\nbook.commit()"
    )
    command = [sys.executable, "-c", program, book]
    return subprocess.run(command, check=False, capture_output=True, text=True).stderr


def marks(book):
    with contextlib.closing(sqlite3.connect(book)) as known:
        return known.execute("SELECT points FROM mark").fetchall()


def test_a_mark_that_is_entered_meanwhile_is_refused_or_kept(teacher, monkeypatch):
    monkeypatch.setattr(gradebook, "PATIENCE", 0)
    assert mark(teacher.book) == ""
    with teacher.guard():
        assert "database is locked" in mark(teacher.book)
        with pytest.raises(ValueError, match="in use by another program"):
            gradebook.demand_sound(teacher.course)
    assert mark(teacher.book) == ""
    assert marks(teacher.book) == [(3,), (3,)]
    assert teacher.said == []


@pytest.mark.parametrize("wish", ["", "keep", "undo"])
def test_a_grader_that_was_killed_leaves_what_it_needs_to_compare(teacher, wish):
    guard = teacher.guard()
    guard.__enter__()
    guard.held.close()  # as the system does
    if wish:
        (teacher.program / "judge.py").write_text("wrong")
        mark(teacher.book)
        (teacher.results / "eve.json").write_text("forged")
        with pytest.raises(ValueError, match="CHANGES=undo puts back"):
            watch.settle(teacher.course, "", teacher.said.append)
        assert f"CHANGED: {teacher.program / 'judge.py'}" in teacher.said
    watch.settle(teacher.course, wish, teacher.said.append)
    is_undone = wish == "undo"
    assert (teacher.program / "judge.py").read_text() == (
        "wrong" if wish == "keep" else "right"
    )
    assert marks(teacher.book) == ([(3,)] if wish == "keep" else [])
    assert (teacher.results / "eve.json").exists() == (wish == "keep")
    if is_undone:  # a mark may have been a person's
        (aside,) = (teacher.course / watch.ASIDE).rglob("gradebook.db")
        assert marks(aside) == [(3,)]
    watch.settle(teacher.course, "", teacher.said.append)


def test_results_since_a_change_are_removed_and_no_others(teacher):
    ends = {"s1": (1, 3), "s2": (2, 9), "s3": (6, 8), "s4": (7, float("inf"))}
    teacher.results.mkdir(parents=True)
    for name, span in ends.items():
        file = teacher.results / f"{name}.json"
        teacher.spans[file] = span
        if name != "s4":  # its code still runs, and there is nothing to remove
            file.write_text("done")
    said = teacher.guard()._void(5, [])
    assert [path.stem for path in teacher.results.iterdir()] == ["s1"]
    assert [name for name in ends if name in said] == ["s2"]


@pytest.mark.parametrize("before", [False, True])
def test_while_student_code_runs_this_program_writes_no_bytecode(
    teacher, monkeypatch, before
):
    monkeypatch.setattr(sys, "dont_write_bytecode", before)
    with teacher.guard():
        assert sys.dont_write_bytecode
    assert sys.dont_write_bytecode == before


def test_python_and_what_is_installed_are_watched():
    places = watch.packages()
    run = [Path(contextlib.__file__), Path(pytest.__file__)]
    if sys.prefix != sys.base_prefix:
        run += [Path(sys.executable), Path(sys.prefix, "pyvenv.cfg")]
    for file in run:
        assert any(file.is_relative_to(place) for place in places), file


def test_who_interrupts_does_not_wait_for_the_packages(teacher):
    def interrupted(t):
        (t.program / "judge.py").write_text("wrong")
        (t.packages / "numpy.py").write_text("wrong")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teacher.run(interrupted)
    assert (teacher.program / "judge.py").read_text() == "right"
    assert mark(teacher.book) == ""  # which the next run must not mistake for a change
    teacher.said.clear()
    with pytest.raises(ValueError, match="CHANGES=keep"):
        watch.settle(teacher.course, "", teacher.said.append)
    assert teacher.said == [f"CHANGED: {teacher.packages / 'numpy.py'}"]


# The word for it, and the end of it


def test_where_there_is_no_bubblewrap_an_explicit_word_is_asked_for(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(sandbox, "isolation", lambda: "bubblewrap is not installed")
    (tmp_path / "roll.csv").write_text("id\nada\n")
    (tmp_path / "in").mkdir()
    words = [
        "grade",
        "--submissions",
        str(tmp_path / "in"),
        "--assignment",
        "assignment_game",
    ]
    words += ["--roll", str(tmp_path / "roll.csv"), "--course", str(tmp_path / "c")]
    for more in ([], ["--isolation", "on"]):
        assert "or say ISOLATION=off" in __main__.main([*words, *more])
    assert not (tmp_path / "c").exists()


def test_nothing_takes_the_number_of_a_closed_stream():
    program = (
        "import os, sys\nos.closerange(0, 3)\nfrom assignments.grader import __main__\n"
        "nowhere = os.stat(os.devnull)\n"
        "same = [os.path.samestat(os.fstat(n), nowhere) for n in range(3)]\n"
        "os._exit(not all(same))"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, check=False, cwd=ROOT).returncode == 0


@pytest.mark.parametrize("kind", [ValueError, ImportError, OSError])
def test_whoever_keeps_an_interrupt_to_himself_is_not_believed(monkeypatch, kind):
    def judge(said):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        raise kind("nbgrader could not release assignment_game: Canceled")

    monkeypatch.setattr(__main__, "judge", judge)
    words = ["grade", "--submissions", "x", "--roll", "y"]
    assert __main__.main(words) == __main__.INTERRUPTED


def test_who_interrupts_does_not_wait_for_python_to_clean_up(monkeypatch, capsys):
    ended = []
    monkeypatch.setattr(__main__.os, "_exit", ended.append)
    monkeypatch.setattr(__main__.signal, "signal", lambda *_: None)
    __main__.end(__main__.INTERRUPTED)
    assert (ended, capsys.readouterr().err) == ([1], f"{__main__.INTERRUPTED}\n")
    with pytest.raises(SystemExit, match="a sentence"):
        __main__.end("a sentence")


def test_what_is_begun_is_finished_before_an_interrupt():
    done = []

    def begin():
        with signals.as_interrupts():
            with signals.shielded():
                signal.raise_signal(signal.SIGTERM)
                done.append("finished")
            done.append("never")

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert done == ["finished"]


def test_an_interrupted_sandbox_ends_at_once_and_begins_nothing(isolated):
    limits = sandbox.Limits(cell_seconds=999)
    with sandbox.Sandbox(limits, isolated) as place, place.student() as student:
        place.end()
        with pytest.raises(sandbox.Gone):
            student.run("while True: pass")
        with pytest.raises(RuntimeError, match="interrupted"):
            place.student()
