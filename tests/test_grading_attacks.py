"""Attacks of student code on the grader, with and without a sandbox."""

import contextlib
import os
import secrets
import signal
import sys
import time
import uuid
from itertools import product
from pathlib import Path

import pytest
import submissions

from assignments.grader import __main__, course, grading, processes, sandbox, submission

pytestmark = pytest.mark.slow

TIMEOUT = 60  # seconds to wait for a state that must come


@pytest.fixture
def bubblewrap():
    if reason := sandbox.isolation():
        assert os.environ.get("REQUIRE_ISOLATION") != "1"
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")


@pytest.fixture(params=["isolated", "not isolated"])
def isolated(request):
    if request.param == "isolated":
        request.getfixturevalue("bubblewrap")
    return request.param == "isolated"


def until(state):
    """Wait until a function returns a true value."""
    end = time.monotonic() + TIMEOUT
    while not state():
        assert time.monotonic() < end
        time.sleep(0.02)


def living():
    """Return all processes except zombies."""
    pids = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b") Z " not in (folder / "stat").read_bytes():
                pids.add(int(folder.name))
    return pids


def with_word(word):
    """Return the processes with a word in their command line."""
    pids = []
    for process in living():
        with contextlib.suppress(OSError):
            if word.encode() in Path(f"/proc/{process}/cmdline").read_bytes():
                pids.append(process)
    return pids


# A process that leaves its group and loses its parent.
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


@pytest.fixture
def stays():
    word = uuid.uuid4().hex
    yield word, STAYS.format(python=sys.executable, word=word)
    for process in with_word(word):
        os.kill(process, signal.SIGKILL)


def test_sandbox_ends_all_student_processes(bubblewrap, stays):
    word, source = stays
    limits = sandbox.Limits(cell_seconds=60)
    with sandbox.Sandbox(limits, True) as place, place.student() as student:
        student.run(source)
        until(lambda: len(with_word(word)) == 2)
    until(lambda: not with_word(word))


FOREVER = b'{"order": "", "cell": "while True: pass"}\n'


def test_student_ended_during_bubblewrap_start_leaves_no_process(bubblewrap):
    limits = sandbox.Limits(memory=2**30 + secrets.randbelow(2**20))
    word = str(limits.memory)  # in the command line of its processes
    try:
        with sandbox.Sandbox(limits, True) as place, contextlib.ExitStack() as after:
            for wait in range(0, 40, 2):
                student = place.student()
                after.callback(student.__exit__)
                student._send(FOREVER, time.monotonic() + TIMEOUT)
                time.sleep(wait / 2000)
                with place.lock:
                    student.let_go()
            until(lambda: not with_word(word))
    finally:
        for process in with_word(word):
            os.kill(process, signal.SIGKILL)


BEGINS = """
import subprocess, sys
what = "import time; time.sleep(60)"
other = subprocess.Popen([sys.executable, "-c", what, {!r}])
"""


@pytest.mark.skipif(not processes.LINUX, reason="resources are counted on Linux only")
def test_without_isolation_process_group_and_folder_are_removed(stays):
    word, _ = stays
    limits = sandbox.Limits(cell_seconds=60)
    with sandbox.Sandbox(limits, False) as place, place.student() as student:
        home = Path(student.home.name)
        assert student.run(f"open('left', 'w').close(){BEGINS.format(word)}") is None
        until(lambda: len(with_word(word)) == 1)
        assert (home / "left").exists()
    until(lambda: not with_word(word))
    assert not home.exists()


def test_sandbox_disk_is_limited_and_nested_sandbox_fails(bubblewrap):
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
TOO_MANY = {
    "memory": FORKS.format(20, 100),
    "processes": FORKS.format(99, 0),
    "zombies": (
        "import os, time\nfor _ in range(300):\n    os.fork() or os._exit(0)\n"
        "time.sleep(9)"
    ),
    "threads": (
        "import threading\nthreading.stack_size(32768)\nwait = threading.Event().wait\n"
        "for _ in range(300):\n"
        "    threading.Thread(target=wait, daemon=True).start()\nwait(9)"
    ),
}


@pytest.mark.skipif(not processes.LINUX, reason="resources are counted on Linux only")
@pytest.mark.parametrize(
    ("what", "isolated"),
    [*product(TOO_MANY, ["isolated"]), *product([*TOO_MANY][:2], ["not isolated"])],
    indirect=["isolated"],
)
def test_memory_and_process_limits_apply_to_all_together(isolated, what):
    limits = sandbox.Limits(cell_seconds=60, memory=600 * 2**20, processes=12)
    with sandbox.Sandbox(limits, isolated) as place, place.student() as student:
        try:
            error = student.run(TOO_MANY[what])["error"]
        except sandbox.ProcessDied as gone:
            error = str(gone)
    # For other users than root, the limit of the system stops it first.
    assert error in ("crashed", "BlockingIOError", "RuntimeError")


# Processes whose first thread has ended while another one runs.
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


def test_memory_limit_covers_processes_without_first_thread(bubblewrap):
    number = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
    limits = sandbox.Limits(cell_seconds=TIMEOUT / 2, memory=400 * 2**20)
    with (
        sandbox.Sandbox(limits, True) as place,
        place.student() as student,
        pytest.raises(sandbox.ProcessDied, match="crashed"),
    ):
        student.run(HEADLESS.format(exit=number, patience=TIMEOUT))


FILES = """
for folder in ("/tmp", "/dev/shm"):
    for number in range({}):
        open(f"{{folder}}/{{number}}", "w").close()
import time; time.sleep(1)
"""


def test_sandbox_limits_number_of_files(bubblewrap, monkeypatch):
    monkeypatch.setattr(sandbox, "FILES", 1000)
    with sandbox.Sandbox(sandbox.Limits(), True) as place, place.student() as student:
        assert student.run(FILES.format(400)) is None
        with pytest.raises(sandbox.ProcessDied, match="crashed"):
            student.run(FILES.format(600))


CALLS = """
import ctypes, os
def attach():
    return ctypes.CDLL(None).ptrace(16, 1, None, None)
def get(call):
    return ctypes.CDLL(None).syscall(call, 0, 4096, 0o1600)
def memory():
    return os.memfd_create("x")
"""


def test_ptrace_of_sandbox_init_fails(bubblewrap):
    with sandbox.Sandbox(sandbox.Limits(), True) as place, place.student() as student:
        student.run(CALLS)
        assert student.call("attach", []) == {"value": -1}


def test_shared_memory_is_blocked(bubblewrap):
    if os.uname().machine != "x86_64":
        pytest.skip("its system calls have other numbers")
    with sandbox.Sandbox(sandbox.Limits(), True) as place, place.student() as student:
        student.run(CALLS)
        for shmget_semget in (29, 64):
            assert student.call("get", [shmget_semget]) == {"value": -1}
        assert student.call("memory", [])["error"] == "PermissionError"


def test_submission_has_total_time_limit(isolated):
    release = course.of_notebook(
        submissions.GAME, submissions.solution(submissions.GAME)
    )
    cells = [submission.Cell("", "import time; time.sleep(0.2)")] * 99
    handed_in = submission.Submission("", (), tuple(cells), {}, "")
    questionnaire = grading.Questionnaire(release, "a secret of the tests")
    limits = sandbox.Limits(submission_seconds=1)
    with sandbox.Sandbox(limits, isolated) as place:
        result = grading.examine(release, handed_in, questionnaire, place)
    assert result["status"] == "timed out"
    assert "the notebook as a whole timed out" in result["notes"]
    whys = {verdict["why"] for verdict in result["questions"].values()}
    assert whys == {"it was never reached"}


# Isolation off


def test_grading_without_bubblewrap_requires_isolation_off(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "isolation", lambda: "bubblewrap is not installed")
    (tmp_path / "roll.csv").write_text("id\nada\n")
    (tmp_path / "in").mkdir()
    words = ["grade", "--assignment", submissions.GAME]
    for word, name in {"submissions": "in", "roll": "roll.csv", "course": "c"}.items():
        words += [f"--{word}", str(tmp_path / name)]
    for more in ([], ["--isolation", "on"]):
        assert "or set ISOLATION=off" in __main__.main([*words, *more])
    assert not (tmp_path / "c").exists()
