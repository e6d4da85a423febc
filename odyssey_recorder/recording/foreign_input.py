"""Distinguishes foreign input and unexplained screen changes from our own input and recurring changes.

A change is explained if it comes soon after our own input, or if all of it is where the screen has changed by itself
before: a small area (a clock, a badge) is remembered for the whole recording, a larger one (a rotating banner) until
our next input, half of the screen or more never. Without I/O, clock or threads.
"""

from collections import deque
from dataclasses import dataclass

from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import CELLS
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.restore import ScreenRestore

LATE_CHANGE_NS = 5_000_000_000
"""For this long after our own input a screen change counts as its effect, such as a page that loads."""

SLACK_NS = 1_000_000_000
"""Kernel events within this time of our own input count as ours: their clock is a different one."""

SMALL = CELLS.width * CELLS.height // 16
LARGE = CELLS.width * CELLS.height // 2
"""Grid cells. Areas up to SMALL are remembered for the recording, up to LARGE until our next input."""

MAX_NAMED = 3
"""The most foreign inputs that the flags of one step name."""

_SMALL_AREAS = 8
_OWN_INPUTS = 32

FOREIGN_INPUT_NOTICE = (
    "Something else acted on the device: {}. It was not recorded. If the screen has changed, "
    "undo the last step. Your next step will be flagged."
)
TELL_UNEXPLAINED = (
    "The screen changed by itself. If it is no longer the right screen, undo the last step. "
    "Your next step will be flagged."
)


@dataclass(frozen=True, slots=True)
class ForeignRules:
    late_change_ns: int = LATE_CHANGE_NS
    slack_ns: int = SLACK_NS


DEFAULT_RULES = ForeignRules()


class ForeignInput:
    """Tracks our own inputs to identify foreign ones. All times are the host's monotonic clock.

    What is foreign is flagged with the next step; during a restore any input is fine.
    """

    def __init__(self, rules: ForeignRules, restore: ScreenRestore) -> None:
        self._rules = rules
        self._restore = restore
        self._began_ns: int | None = 0  # nothing before the recording counts
        self._own_inputs: deque[tuple[int, int]] = deque(maxlen=_OWN_INPUTS)
        self._explained_ns = 0
        self._small_areas: deque[frozenset[int]] = deque(maxlen=_SMALL_AREAS)
        self._areas_until_input: frozenset[int] = frozenset()

    def begin(self, now_ns: int) -> None:
        """Our own input begins, or anything else that may change the device, such as an undo."""
        self._began_ns = now_ns if self._began_ns is None else self._began_ns
        self._areas_until_input = frozenset()

    def end(self, now_ns: int, *, explains: bool = True) -> None:
        """The input is over; `explains`: the next screen changes may be its effect (False for a refused input)."""
        self._own_inputs.append((now_ns if self._began_ns is None else self._began_ns, now_ns))
        self._began_ns = None
        if explains:
            self._explained_ns = now_ns + self._rules.late_change_ns

    def felt(self, event: events.KernelInputSeen) -> list[effects.Effect]:
        if (
            self._restore.is_active
            or self.is_ours(event.at_ns, event.uncertainty_ns)
            or self.is_ours(event.arrived_ns, 0)
        ):
            return []
        if self._named_inputs < MAX_NAMED:
            self._restore.owe((Flag(FlagCode.FOREIGN_INPUT, (event.text,)),))
        return [effects.Tell(FOREIGN_INPUT_NOTICE.format(event.text))]

    def changed(self, cells: frozenset[int], at_ns: int) -> list[effects.Effect]:
        """These grid cells of the screen changed at `at_ns`."""
        if self.explains(cells, at_ns) or self._named_inputs:
            return []
        self._restore.owe((Flag(FlagCode.UNEXPLAINED),))
        return [effects.Tell(TELL_UNEXPLAINED)]

    @property
    def _named_inputs(self) -> int:
        return sum(flag.code is FlagCode.FOREIGN_INPUT for flag in self._restore.flags)

    def is_ours(self, at_ns: int, uncertainty_ns: int) -> bool:
        """Whether a kernel event of the device may come from our own input."""
        slack_ns = self._rules.slack_ns + uncertainty_ns
        under_way = self._began_ns is not None and at_ns >= self._began_ns - slack_ns
        return under_way or any(began - slack_ns <= at_ns <= ended + slack_ns for began, ended in self._own_inputs)

    def explains(self, cells: frozenset[int], at_ns: int) -> bool:
        """Whether a change of these grid cells at `at_ns` is explained; the change is remembered."""
        is_effect = at_ns <= self._explained_ns
        known = cells <= self._areas_until_input.union(*self._small_areas)
        if is_effect or len(cells) > SMALL:
            self._areas_until_input |= _with_neighbours(cells) if len(cells) <= LARGE else frozenset()
        elif not known:
            self._small_areas.append(_with_neighbours(cells))
        return is_effect or known


def _with_neighbours(cells: frozenset[int]) -> frozenset[int]:
    """The cells and their neighbours: the next time on a clock may be a digit wider."""
    places = [divmod(cell, CELLS.width) for cell in cells]
    return frozenset(
        row * CELLS.width + column
        for down, across in places
        for row in range(max(0, down - 1), min(CELLS.height, down + 2))
        for column in range(max(0, across - 1), min(CELLS.width, across + 2))
    )
