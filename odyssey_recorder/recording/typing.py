"""Derives typed text from what a field held before and after it, or from the keys and any screen that shows it."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from odyssey_recorder.gesture.typed_keys import ENTER, Key, exact, spell
from odyssey_recorder.recording.events import FieldRead
from odyssey_recorder.recording.raw_input import RawInput, Stroke

READ_AGAIN_NS = 1_000_000_000
"""Between readings of the fields of a screen that changes by itself."""
RESTLESS_NS = 1_000_000_000
"""This long after the last input a field is read even if the screen is not settled."""

ECHO_NS = 150_000_000
"""This long after a touch or a key stroke the right field has the focus and shows the typed text."""

_READINGS = 32

SHORTEST_LABEL = 3
"""In characters: a shorter text outside of fields may be there for another reason."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Typed text; if it is not `certain`, the annotator is asked, with `text` as the guess."""

    text: str
    certain: bool


@dataclass(slots=True)
class TypingRun:
    """Consecutive key strokes: one text, with the screenshot of the first.

    The previous input ended at `since_ns`; the last of the `keys` ended at `last_ns`. `entered`: if the last is Enter,
    which may have submitted the text, the interval before it in which the text was in the field.
    """

    first: RawInput
    stroke: Stroke
    since_ns: int
    last_ns: int
    keys: tuple[Key, ...]
    entered: tuple[int, int] | None = None

    def add(self, raw_input: RawInput, done_ns: int, key: Key) -> None:
        self.entered = (self.last_ns, raw_input.at_ns) if key == ENTER else None
        self.last_ns, self.keys = done_ns, (*self.keys, key)


@dataclass(frozen=True, slots=True)
class UnreadText:
    """The text of a run that `closed_ns` ended: a later screen may still show it."""

    run: TypingRun
    closed_ns: int
    guess: str


def typed_text(before: str, after: str) -> str | None:
    """The text that turns `before` into `after`; None if that is ambiguous or nothing was typed.

    Text at the end is the most likely, even if other places are possible; elsewhere only one text may be possible.
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
    def __init__(self) -> None:
        self._readings: deque[FieldRead] = deque(maxlen=_READINGS)
        self._runs: deque[TypingRun] = deque(maxlen=_READINGS)
        self._done_ns = 0
        self._wanted = True
        self._under_way = False
        self._tried_ns = -READ_AGAIN_NS
        self._screen: int | None = None

    @property
    def pending(self) -> bool:
        return self._wanted or self._under_way

    def want(self, done_ns: int) -> None:
        """The screen may show something else since `done_ns`."""
        self._wanted, self._done_ns = self._wanted or done_ns > self._done_ns, max(done_ns, self._done_ns)

    def is_due(self, now_ns: int, screen: int | None, *, still: bool) -> bool:
        """Whether to read now. An input or a new screen may have changed a field; both must settle first."""
        is_new = screen != self._screen and now_ns - self._tried_ns >= READ_AGAIN_NS
        if self._under_way or not (self._wanted or is_new):
            return False
        return now_ns - self._done_ns >= (ECHO_NS if still else RESTLESS_NS)

    def begin(self, now_ns: int, screen: int | None) -> None:
        self._under_way, self._wanted, self._tried_ns, self._screen = True, False, now_ns, screen

    def add(self, reading: FieldRead) -> None:
        self._under_way = False
        self._readings.append(reading)

    def tells_end_of(self, last_ns: int) -> bool:
        """Whether a reading was requested after the last key stroke at `last_ns`."""
        return any(reading.requested_ns >= last_ns for reading in self._readings)

    def looked_since(self, closed_ns: int) -> int:
        """How often all views were read after `closed_ns`."""
        return sum(reading.labels is not None and reading.answered_ns >= closed_ns for reading in self._readings)

    def follow(self, run: TypingRun) -> None:
        """A run has begun."""
        self._runs.append(run)

    def shown_text(self, run: TypingRun) -> str | None:
        """The text of a run if a screen after its last key shows just what its keys may have typed.

        None if it may be the text of another run.
        """
        old = self._before(run)
        seen_ns = 0 if old is None else old.answered_ns
        others = [other for other in self._runs if other is not run and other.last_ns > seen_ns]
        found = {
            text
            for reading in self._readings
            if reading.answered_ns > run.last_ns
            for text in (*_in_fields(run, reading, old), *_in_labels(run, reading, old))
            if not any(spell(_any_case(other.keys), text.lower()) for other in others)
        }
        return found.pop() if len(found) == 1 else None

    def _before(self, run: TypingRun) -> FieldRead | None:
        """The last reading of all views before the first key."""
        first_ns = run.first.at_ns
        known = (reading for reading in reversed(self._readings) if reading.labels is not None)
        return next((reading for reading in known if reading.answered_ns <= first_ns), None)

    def typed(self, since_ns: int, first_ns: int, last_ns: int, closed_ns: int, *, strokes: int) -> Typed:
        """The text of `strokes` key strokes from `first_ns` to `last_ns`.

        Only readings after `since_ns`, the end of the previous input, and before `closed_ns`, the next one, are
        certain.
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

    def typed_in_run(self, run: TypingRun, closed_ns: int) -> Typed:
        """The text of a run; a submitted text was in its field before the key that submitted it."""
        since_ns, first_ns = run.since_ns + ECHO_NS, run.first.at_ns
        typed = self.typed(since_ns, first_ns, run.last_ns + ECHO_NS, closed_ns, strokes=len(run.keys))
        if typed.certain or run.entered is None:
            return typed
        last_ns, entered_ns = run.entered
        before = self.typed(since_ns, first_ns, last_ns + ECHO_NS, entered_ns, strokes=len(run.keys) - 1)
        return before if before.text and run.keys.count(ENTER) == 1 else typed

    def _last(self, requested_ns: int, answered_ns: int) -> FieldRead | None:
        for reading in reversed(self._readings):
            is_within = requested_ns <= reading.requested_ns and reading.answered_ns <= answered_ns
            if is_within and reading.text is not None:
                return reading
        return None


def _in_fields(run: TypingRun, reading: FieldRead, old: FieldRead | None) -> Iterator[str]:
    """Texts that fields hold, whole or behind what they held before."""
    keys, written = _any_case(run.keys), exact(run.keys).lower()
    for name, text in reading.fields:
        held = [was for known, was in old.fields if known == name] if old is not None else []
        added = typed_text(held[0], text) if len(held) == 1 else None
        if added is not None and spell(keys, added.lower()):
            yield added
        elif text and text not in _texts(old) and spell(keys, text.lower()):
            yield text
        elif written and not held and text.lower().endswith(written):
            yield text[-len(written) :]


def _in_labels(run: TypingRun, reading: FieldRead, old: FieldRead | None) -> Iterator[str]:
    """Texts that were not there before, which a list or a conversation shows after they were submitted."""
    if old is None or reading.labels is None:
        return
    for text in reading.labels - _texts(old):
        if len(text) >= SHORTEST_LABEL and spell(run.keys, text):
            yield text


def _texts(reading: FieldRead | None) -> frozenset[str]:
    return frozenset() if reading is None else (reading.labels or frozenset()) | {text for _, text in reading.fields}


def _any_case(keys: tuple[Key, ...]) -> tuple[Key, ...]:
    """Android may put the first letter of a field into upper case."""
    return tuple(Key(key.characters.lower(), key.deletes, key.silent) for key in keys)


def _difference(before: str, after: str, strokes: int) -> Typed:
    """The text that turns `before` into `after`; `before` may be a hint, of which nothing remains.

    The whole text is new if nothing of the old one remains at its ends, or if its length is the number of key strokes.
    """
    put = typed_text(before, after)
    took_all = len(after) == strokes
    if put is not None:
        return Typed(put, certain=put == after or not took_all)
    is_new = bool(after) and after != before and (took_all or (before[0] != after[0] and before[-1] != after[-1]))
    return Typed(after, certain=is_new)
