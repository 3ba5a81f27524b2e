"""Submissions examined in processes beside the grader, several at once.

A training asks a student's function thousands of times, and what happens between two
questions takes about as long as the answer: one process for all would be waited for.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
from queue import SimpleQueue

from assignments.grader.course import of_notebook
from assignments.grader.grading import Questionnaire, examine, not_graded
from assignments.grader.sandbox import Limits, Sandbox
from assignments.grader.submission import Cell, Submission

TIMEOUT = 60  # seconds for a worker to end


class Workers:
    """Processes that examine submissions; `with` leaves none of them.

    `known` is what all submissions have in common: release, secret, limits, isolated.
    """

    def __init__(self, *known):
        self.known = known
        self.ended, self.lock = False, threading.Lock()
        self.living, self.idle = set(), []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def examine(self, submission):
        """Return the result of a submission, from a worker that nobody else asks.

        Raises RuntimeError if the worker ends.
        """
        worker = self._take()
        answer = b""
        with contextlib.suppress(OSError, ValueError):  # ValueError: `end` closed that
            _put(submission._replace(texts=()), worker.stdin)
            answer = worker.stdout.readline()
        with self.lock:
            if answer.endswith(b"\n"):
                self.idle.append(worker)
                return json.loads(answer)
            self._end(worker, 0)
        raise RuntimeError("the process that examined it has ended")

    def _take(self):
        with self.lock:
            if self.ended:
                raise RuntimeError("the grader was interrupted")
            while self.idle:
                worker = self.idle.pop()
                if worker.poll() is None:
                    return worker
            path = os.pathsep.join(map(os.path.abspath, sys.path))
            worker = subprocess.Popen(
                [sys.executable, "-P", "-B", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": path},
                start_new_session=True,  # Ctrl-C is the grader's, which ends workers
            )
            self.living.add(worker)
        release, *rest = self.known
        with contextlib.suppress(OSError, ValueError):
            _put((release.name, release.notebook, *rest), worker.stdin)
        return worker

    def end(self):
        """End all workers, and let no other begin."""
        with self.lock:
            self.ended = True
            for worker in self.living:
                _close(worker.stdin)  # at which it ends
            for worker in [*self.living]:
                self._end(worker, TIMEOUT)

    def _end(self, worker, seconds):
        """End a worker that has to end by itself within some seconds; lock that."""
        _close(worker.stdin)
        try:
            worker.wait(seconds)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
        worker.stdout.close()
        self.living.discard(worker)


def _put(something, stream):
    stream.write(json.dumps(something).encode() + b"\n")
    stream.flush()


def _close(stream):
    with contextlib.suppress(OSError):  # nobody reads what was left to write
        stream.close()


def main(orders, results):
    """Examine what comes in, and write the results, until nothing more can come."""
    name, notebook, secret, limits, isolated = json.loads(orders.readline())
    release, waiting = of_notebook(name, notebook), SimpleQueue()
    questionnaire = Questionnaire(release, secret)

    def listen():
        for line in orders:
            waiting.put(line)
        waiting.put(None)  # the grader has ended, or wants it
        place.end()

    with Sandbox(Limits(*limits), isolated) as place:
        threading.Thread(target=listen).start()
        while line := waiting.get():
            try:
                submission = _submission(line)
                result = examine(release, submission, questionnaire, place)
            except Exception as error:  # the others must not wait for our mistake
                result = not_graded(release, error)
            _put(result, results)


def _submission(line):
    found = Submission(*json.loads(line))
    return found._replace(cells=[Cell(*cell) for cell in found.cells])


if __name__ == "__main__":
    # Who is ended early reads half a line, or none; who is left alone writes to nobody.
    with contextlib.suppress(json.JSONDecodeError, BrokenPipeError):
        main(sys.stdin.buffer, sys.stdout.buffer)
