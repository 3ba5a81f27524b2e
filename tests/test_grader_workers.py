"""Worker processes that examine submissions."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import submissions
from test_grading_attacks import (  # noqa: F401  fixtures
    bubblewrap,
    living,
    until,
)

from assignments.grader import course, grading, processes, sandbox, submission, workers

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
RELEASE = course.of_notebook(submissions.GAME, submissions.solution(submissions.GAME))
LIMITS = sandbox.Limits(cell_seconds=60)
SECRET = "a secret of the tests"


def of(*sources):
    """Return a Submission with these cells."""
    cells = tuple(submission.Cell("", source) for source in sources)
    return submission.Submission("", (), cells, {}, "")


@pytest.fixture
def pool(bubblewrap):  # noqa: F811
    with workers.Workers(RELEASE, SECRET, LIMITS, True) as pool:
        yield pool
    assert not pool.living


def begun(pool, submission):
    """Return a thread that examines, and the list to which it appends the outcome."""
    outcome = []

    def work():
        try:
            outcome.append(pool.examine(submission))
        except RuntimeError as error:
            outcome.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    return thread, outcome


def below(process):
    """Return the descendants of a process."""
    return {*processes.descendants(process)} - {process}


def test_worker_matches_examine_and_survives_exceptions(pool):
    handed_in = of(*(cell.source for cell in RELEASE.cells))
    questionnaire = grading.Questionnaire(RELEASE, SECRET)
    with sandbox.Sandbox(LIMITS, pool.known[-1]) as box:
        direct = grading.examine(RELEASE, handed_in, questionnaire, box)
    result = pool.examine(of("1")._replace(cells=[5]))
    assert (result["status"], result["scores"]) == ("not graded", {})
    assert "THE GRADER FAILED: TypeError" in result["notes"][0]
    assert pool.examine(handed_in) == direct
    assert len(pool.living) == len(pool.idle) == 1


def test_killed_worker_loses_only_its_own_result(pool):
    thread, outcome = begun(pool, of("while True: pass"))
    until(lambda: pool.living and below(next(iter(pool.living)).pid))
    (worker,) = pool.living
    worker.kill()
    thread.join()
    assert outcome == ["the process that examined it has ended"]
    assert not pool.living
    assert pool.examine(of("1"))["status"] == "graded"
    (worker,) = pool.living  # an idle one
    worker.kill()
    worker.wait()
    assert pool.examine(of("1"))["status"] == "graded"


def test_ending_workers_does_not_wait_for_submissions(pool):
    thread, _ = begun(pool, of("while True: pass"))
    until(lambda: pool.living)
    (pid,) = (worker.pid for worker in pool.living)
    # Wait for bubblewrap, its first child and a student; before, it might not end.
    until(lambda: len(below(pid)) > 2)
    began = time.monotonic()
    pool.end()
    assert time.monotonic() - began < workers.TIMEOUT / 2
    assert pid not in living()
    thread.join()
    with pytest.raises(RuntimeError, match=r"^the grader was interrupted$"):
        pool.examine(of("1"))


GRADER = """
import sys
from test_grader_workers import LIMITS, RELEASE, SECRET, of, workers
with workers.Workers(RELEASE, SECRET, LIMITS, True) as some:
    some.examine(of("while True: pass"))
"""


def test_workers_end_when_grader_is_killed(bubblewrap):  # noqa: F811
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    grader = subprocess.Popen(
        [sys.executable, "-c", GRADER], env=os.environ | {"PYTHONPATH": path}
    )
    # The worker, and what it has started: bubblewrap and a student.
    until(lambda: len(below(grader.pid)) > 2)
    started = below(grader.pid)
    grader.kill()
    grader.wait()
    until(lambda: not started & living())
