"""What happens on the device without the recorder: which changes of the screen need no other cause than our own input
or the screen's own habits, and which input is not ours.

A change is explained if it comes soon after our own input, or if all of it lies where the screen has changed by itself
before: a small area (a clock, a badge) is remembered for the whole recording, a larger one (a banner that goes round)
until our next input, half of the screen or more never. Without I/O, clock or threads.
"""

from collections import deque
from dataclasses import dataclass

from odyssey_recorder.model.geometry import CELLS

LATE_CHANGE_NS = 5_000_000_000
"""For this long after our own input a change of the screen is its effect, such as a page that loads."""

SLACK_NS = 1_000_000_000
"""For this long around our own input the kernel's events are of it: their clock is another."""

SMALL = CELLS.width * CELLS.height // 16
LARGE = CELLS.width * CELLS.height // 2
"""Cells of the grid: an area of more than so many changes by a cause of its own."""

MOST_NAMED = 3
"""So many inputs of others are named in one step's flags."""

_SMALL_AREAS = 8
_OWN_INPUTS = 32

TELL_TOUCHED = (
    "Something else acted on the device: {}. It was not recorded. Check that the screen is still the right one; if not,"
    " undo the last step. Your next step is flagged."
)
TELL_UNEXPLAINED = (
    "The screen changed, and none of your steps explains it. Check that it is still the right one; if not, undo the"
    " last step. Your next step is flagged."
)


@dataclass(frozen=True, slots=True)
class ForeignRules:
    """How far the effects of our own input reach."""

    late_change_ns: int = LATE_CHANGE_NS
    slack_ns: int = SLACK_NS


AS_USUAL = ForeignRules()


class ForeignInput:
    """Follows our own inputs, and tells by them what was not ours. All times are the host's monotonic clock."""

    def __init__(self, rules: ForeignRules) -> None:
        self._rules = rules
        self._began_ns: int | None = 0  # whatever was before the recording is not looked into
        self._own: deque[tuple[int, int]] = deque(maxlen=_OWN_INPUTS)
        self._explained_ns = 0
        self._habits: deque[frozenset[int]] = deque(maxlen=_SMALL_AREAS)
        self._here: frozenset[int] = frozenset()

    def begin(self, now_ns: int) -> None:
        """Our own input begins, or something else that may do anything with the device, as an undo does."""
        self._began_ns = now_ns if self._began_ns is None else self._began_ns
        self._here = frozenset()

    def end(self, now_ns: int, *, explains: bool = True) -> None:
        """It is over; whether it `explains` what the screen does next, as one that was refused does not."""
        self._own.append((now_ns if self._began_ns is None else self._began_ns, now_ns))
        self._began_ns = None
        if explains:
            self._explained_ns = now_ns + self._rules.late_change_ns

    def is_ours(self, at_ns: int, uncertainty_ns: int) -> bool:
        """Whether an event of the device's kernel may be of our own input."""
        slack_ns = self._rules.slack_ns + uncertainty_ns
        under_way = self._began_ns is not None and at_ns >= self._began_ns - slack_ns
        return under_way or any(began - slack_ns <= at_ns <= ended + slack_ns for began, ended in self._own)

    def explains(self, cells: frozenset[int], at_ns: int) -> bool:
        """Whether a change of these cells of the grid at `at_ns` needs no other cause; it is remembered."""
        is_late = at_ns <= self._explained_ns
        known = cells <= self._here.union(*self._habits)
        if is_late or len(cells) > SMALL:
            self._here |= _grown(cells) if len(cells) <= LARGE else frozenset()
        elif not known:
            self._habits.append(_grown(cells))
        return is_late or known


def _grown(cells: frozenset[int]) -> frozenset[int]:
    """The cells and their neighbours: the next time of a clock may be a digit wider."""
    places = [divmod(cell, CELLS.width) for cell in cells]
    return frozenset(
        row * CELLS.width + column
        for down, across in places
        for row in range(max(0, down - 1), min(CELLS.height, down + 2))
        for column in range(max(0, across - 1), min(CELLS.width, across + 2))
    )
