"""What was typed: told by what the field held before the first key stroke and after the last."""

from collections import deque
from dataclasses import dataclass

_READINGS = 32


@dataclass(frozen=True, slots=True)
class FieldReading:
    """What the focused field held at some moment from `asked_ns` to `answered_ns`; None where none could be read.

    `field` tells it from others. On a device that does not tell hints apart, an empty field's text is its hint.
    """

    text: str | None
    asked_ns: int
    answered_ns: int
    field: str = ""


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed; where it is not `certain` the annotator is asked, with `text` as the guess."""

    text: str
    certain: bool


def typed_text(before: str, after: str) -> str | None:
    """What must have been typed to make `after` of `before`; None where it cannot be told, or nothing was.

    Text at the end is the most likely, wherever else it may have been put; elsewhere only one may be possible.
    """
    if after == before:
        return None
    if after.startswith(before):
        return after[len(before) :]
    length = len(after) - len(before)
    possible = {
        after[at : at + length]
        for at in range(len(before))
        if length > 0 and after[:at] == before[:at] and after[at + length :] == before[at:]
    }
    return possible.pop() if len(possible) == 1 else None


class FieldReadings:
    """The last readings of the field, and what they say of a spell of typing."""

    def __init__(self) -> None:
        self._readings: deque[FieldReading] = deque(maxlen=_READINGS)

    def add(self, reading: FieldReading) -> None:
        """Take in a reading."""
        self._readings.append(reading)

    def tells_end_of(self, last_ns: int) -> bool:
        """Whether a reading was asked for after the last key stroke at `last_ns`."""
        return any(reading.asked_ns >= last_ns for reading in self._readings)

    def typed(self, since_ns: int, first_ns: int, last_ns: int, closed_ns: int, *, strokes: int) -> Typed:
        """What was typed with `strokes` key strokes, from the one at `first_ns` to the one at `last_ns`.

        Before it the field was put where it is by something at `since_ns`; the next thing was done at `closed_ns`.
        Only readings that lie between these tell for certain.
        """
        before = self._last(since_ns, first_ns)
        after = self._last(last_ns, closed_ns)
        if before is not None and after is not None and before.field == after.field:
            return _difference(before.text or "", after.text or "", strokes)
        best = after if after is not None else self._last(first_ns, closed_ns)
        if best is None or best.text is None:
            return Typed("", certain=False)
        held = before.text if before is not None and before.field == best.field else None
        return Typed(typed_text(held or "", best.text) or best.text, certain=False)

    def _last(self, asked_ns: int, answered_ns: int) -> FieldReading | None:
        readings = (r for r in reversed(self._readings) if asked_ns <= r.asked_ns and r.answered_ns <= answered_ns)
        return next((reading for reading in readings if reading.text is not None), None)


def _difference(before: str, after: str, strokes: int) -> Typed:
    """What made `after` of `before`, which may have been but a hint: then nothing of it is left.

    All of a text is new if nothing of the former one is left at its ends, or if it took as many key strokes.
    """
    put = typed_text(before, after)
    took_all = len(after) == strokes
    if put is not None:
        return Typed(put, certain=put == after or not took_all)
    is_new = bool(after) and after != before and (took_all or (before[0] != after[0] and before[-1] != after[-1]))
    return Typed(after, certain=is_new)
