"""Submissions examined in processes beside the grader, several at once.

A training asks a student's function thousands of times, and what happens between two
questions takes about as long as the answer: one process for all would be waited for.
"""

import contextlib
import json
import os
import pickle
import subprocess
import sys
import threading
from queue import SimpleQueue

from assignments.grader import keeper
from assignments.grader.examine import Questionnaire, examine, not_graded
from assignments.grader.sandbox import PATIENCE, Sandbox


class Workers:
    """Processes that examine submissions; `with` leaves none of them.

    `known` is what all submissions have in common: release, secret, limits, isolated.
    """

    def __init__(self, *known):
        self.known = known
        self.ended, self.lock = False, threading.Lock()
        self.living, self.idle = set(), []

    def __enter__(self):
        if not self.known[-1]:
            # If code ends a worker and a keeper, what it started becomes ours.
            keeper.control(keeper.PR_SET_CHILD_SUBREAPER, 1)
        return self

    def __exit__(self, *_):
        self.end()
        if not self.known[-1]:
            keeper.control(keeper.PR_SET_CHILD_SUBREAPER, 0)

    def examine(self, submission):
        """Return the result of a submission, from a worker that nobody else asks.

        Raises RuntimeError if the worker ends.
        """
        worker = self._take()
        answer = b""
        with contextlib.suppress(OSError, ValueError):  # ValueError: `end` closed that
            _put(submission, worker.stdin)
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
        with contextlib.suppress(OSError, ValueError):
            _put(self.known, worker.stdin)
        return worker

    def end(self):
        """End all workers, and let no other begin."""
        with self.lock:
            self.ended = True
            for worker in self.living:
                _close(worker.stdin)  # at which it ends
            for worker in [*self.living]:
                self._end(worker, 2 * PATIENCE)

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
        if worker.returncode and not self.known[-1]:
            known = [each.pid for each in self.living]
            keeper.end(lambda: keeper.started_here() - keeper.descendants(known))


def _put(something, stream):
    pickle.dump(something, stream)
    stream.flush()


def _close(stream):
    with contextlib.suppress(OSError):  # nobody reads what was left to write
        stream.close()


def main():
    """Examine what comes in, and write the results, until nothing more can come."""
    orders, waiting = sys.stdin.buffer, SimpleQueue()
    release, secret, limits, isolated = pickle.load(orders)
    questionnaire = Questionnaire(release, secret)

    def listen():
        try:
            while True:
                waiting.put(pickle.load(orders))
        except (EOFError, pickle.UnpicklingError):  # the grader has ended, or wants it
            waiting.put(None)
            place.end()

    with Sandbox(limits, isolated) as place:
        threading.Thread(target=listen).start()
        while submission := waiting.get():
            try:
                result = examine(release, submission, questionnaire, place)
            except Exception as error:  # the others must not wait for our mistake
                result = not_graded(release, error)
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    with contextlib.suppress(EOFError, BrokenPipeError):
        main()
