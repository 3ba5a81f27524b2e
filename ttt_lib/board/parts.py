"""Traits that are set together with all that follows, and observers who all hear of it.

Traitlets alone stops telling at the first observer that fails, and tells before it
checks where something else fails while notifications are held.
"""

import copy
from contextlib import contextmanager

import traitlets


class Part(traitlets.TraitType):
    """A part of a board's state, set together with all that follows from it.

    `check(board, value)` returns the value as it is kept, or raises ValueError.
    """

    def __init__(self, check):
        super().__init__()
        self.check = check
        self.tag(sync=True)

    def get(self, board, cls=None):
        """Return a copy, so that nobody changes the board behind its back."""
        return copy.copy(super().get(board, cls))

    def set(self, board, value):
        """Set it; whoever is told of it finds the other parts set, too."""
        with board.telling(), board.hold_sync(), board.hold_trait_notifications():
            super().set(board, value)

    def validate(self, board, value):
        """Return the value as it is kept."""
        try:
            return self.check(board, value)
        except ValueError as fault:
            raise traitlets.TraitError(str(fault)) from None


class Told(traitlets.HasTraits):
    """Traits of which all observers are told, even where one of them fails.

    What an observer raises is raised when everybody has been told.
    """

    _failed = None  # what observers have raised, while others are told

    def observe(self, handler, names=traitlets.All, type="change"):
        """Tell `handler` of changes, as in traitlets.

        Raises TypeError if it cannot be called.
        """
        if not callable(handler):
            raise TypeError(f"handler = {handler!r}: give a function of a change.")
        if isinstance(handler, traitlets.EventHandler):  # a decorated method
            handler = getattr(self, handler.name)
        super().observe(_Observer(self, handler), names, type)

    @contextmanager
    def telling(self):
        """Raise what observers raise when everybody has been told."""
        if self._failed is not None:
            yield
            return
        self._failed = []
        try:
            yield
        finally:
            failed, self._failed = self._failed, None
        if len(failed) > 1:
            raise ExceptionGroup(f"{len(failed)} observers failed", failed)
        if failed:
            raise failed[0]

    @contextmanager
    def hold_trait_notifications(self):
        """Hold them as traitlets does; what is set is checked whatever goes wrong."""
        failure = None
        with self.telling(), super().hold_trait_notifications():
            try:
                yield
            except traitlets.TraitError:  # all is taken back
                raise
            except BaseException as error:
                failure = error
        if failure is not None:
            raise failure


class _Observer:
    """A function that is told of changes, and keeps nobody else from hearing."""

    def __init__(self, board, handler):
        self.board, self.handler = board, handler

    def __call__(self, change):
        try:
            self.handler(change)
        except Exception as error:
            if self.board._failed is None:
                raise
            self.board._failed.append(error)

    def __eq__(self, other):  # so that `unobserve` finds it
        return self.handler == getattr(other, "handler", other)

    __hash__ = None  # type: ignore[assignment]
