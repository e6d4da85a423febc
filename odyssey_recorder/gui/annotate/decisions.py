"""Saves the decisions on texts one after the other, and undoes them; keeps what the person wrote until it is saved."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

from PySide6.QtCore import QObject, Signal

from odyssey_recorder.annotation.reviewing import OpenedTexts, TextReviewing
from odyssey_recorder.annotation.semantics import Planted, TextDecision
from odyssey_recorder.gui.frame.background import Background, error_text

Place: TypeAlias = tuple[str, int]
"""An episode, and the number of the text in it."""

T = TypeVar("T")
_OnSaved = Callable[[OpenedTexts], object]


class DecisionSaver(QObject):
    """`unsaved` is what the person wrote and the dataset lacks, `saving` counts the decisions being saved, and `done`
    are those that can be undone.
    """

    saved = Signal(object, object)
    """The Decision or Planted, and the texts since then."""
    undone = Signal(object, object)
    """The first Decision that was undone, and the texts since then."""
    failed = Signal(object, str)
    """The place, and why."""
    settled = Signal()
    """No decision is being saved any more."""

    def __init__(self, texts: TextReviewing, in_order: Background) -> None:
        super().__init__()
        self._texts = texts
        self._in_order = in_order
        self.unsaved: dict[Place, str] = {}
        self.saving: Counter[Place] = Counter()
        self.done: list[list[TextDecision]] = []

    def save(self, place: Place, entries: Sequence[TextDecision | Planted], text: str = "") -> None:
        """`text` is what the person wrote themselves."""
        kept = [entry for entry in entries if isinstance(entry, TextDecision)]
        if text:
            self.unsaved[place] = text
        if kept:
            self.done.append(kept)

        def on_saved(opened: OpenedTexts) -> None:
            if text and kept:
                self.unsaved.pop(place, None)
            self.saved.emit(entries[0], opened)

        def on_failure() -> None:
            self.done = [batch for batch in self.done if batch is not kept]

        self._run(place, partial(self._texts.save, place[0], *entries), on_saved, on_failure)

    def undo(self, place: Place) -> None:
        entries = self.done.pop()
        call = partial(self._texts.undo, place[0], entries)
        self._run(place, call, partial(self.undone.emit, entries[0]), partial(self.done.append, entries))

    def _run(
        self, place: Place, call: Callable[[], OpenedTexts], on_saved: _OnSaved, on_fail: Callable[[], object]
    ) -> None:
        self.saving[place] += 1
        self._in_order.run(call, partial(self._end, place, on_saved), partial(self._fail, place, on_fail))

    def _end(self, place: Place, then: Callable[[T], object], outcome: T) -> None:
        self.saving -= Counter([place])
        then(outcome)
        if not self.saving:
            self.settled.emit()

    def _fail(self, place: Place, on_failure: Callable[[], object], error: Exception) -> None:
        on_failure()
        self._end(place, partial(self.failed.emit, place), error_text(error))
