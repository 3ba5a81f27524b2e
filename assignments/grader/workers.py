"""Worker processes that examine submissions in parallel.

A training calls a student's function thousands of times, and the work between two calls
takes about as long as a call: threads of one process would wait for each other.
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
    """Processes that examine submissions; `with` ends all of them.

    known: release, secret, limits and isolated, which all submissions share.
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
        """Return the result of a submission, from a worker that is idle or new.

        Raises RuntimeError if the worker dies.
        """
        worker = self._take()
        answer = b""
        with contextlib.suppress(OSError, ValueError):  # ValueError: closed by `end`
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
                start_new_session=True,  # Ctrl-C reaches the grader, which ends them
            )
            self.living.add(worker)
        release, *rest = self.known
        with contextlib.suppress(OSError, ValueError):
            _put((release.name, release.notebook, *rest), worker.stdin)
        return worker

    def end(self):
        """End all workers and prevent new ones."""
        with self.lock:
            self.ended = True
            for worker in self.living:
                _close(worker.stdin)  # then it ends
            for worker in [*self.living]:
                self._end(worker, TIMEOUT)

    def _end(self, worker, seconds):
        """Wait some seconds for a worker to end, then kill it; needs the lock."""
        _close(worker.stdin)
        try:
            worker.wait(seconds)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
        worker.stdout.close()
        self.living.discard(worker)


def _put(message, stream):
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def _close(stream):
    with contextlib.suppress(OSError):  # the reader is gone
        stream.close()


def main(orders, results):
    """Read submissions from `orders` and write their results, until `orders` ends."""
    name, notebook, secret, limits, isolated = json.loads(orders.readline())
    release, waiting = of_notebook(name, notebook), SimpleQueue()
    questionnaire = Questionnaire(release, secret)

    def listen():
        for line in orders:
            waiting.put(line)
        waiting.put(None)  # the grader has ended, or has closed this worker
        sandbox.end()

    with Sandbox(Limits(*limits), isolated) as sandbox:
        threading.Thread(target=listen).start()
        while line := waiting.get():
            try:
                submission = _submission(line)
                result = examine(release, submission, questionnaire, sandbox)
            except Exception as error:  # a fault of the grader must not stop the others
                result = not_graded(release, error)
            _put(result, results)


def _submission(line):
    submission = Submission(*json.loads(line))
    return submission._replace(cells=[Cell(*cell) for cell in submission.cells])


if __name__ == "__main__":
    # A worker that is ended early reads half a line or none; an orphan cannot write.
    with contextlib.suppress(json.JSONDecodeError, BrokenPipeError):
        main(sys.stdin.buffer, sys.stdout.buffer)
