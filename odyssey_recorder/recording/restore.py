"""Restoring an earlier screen, after an undo and when a recording is resumed: until the device shows it, or the
annotator accepts another one for it, no input is a step.
"""

from enum import Enum

from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.state import Goal

BRING_BACK_FIRST = "First bring the device back to the wanted screen, or say that it is as it should be."
NOT_RETURNED = "The snapshot could not be loaded: bring the device back by hand. {}"

_FLAGS = {
    Goal.UNDONE: Flag(FlagCode.UNLIKE),
    Goal.LEFT: Flag(FlagCode.RESUMED_ELSEWHERE),
    Goal.UNKNOWN: Flag(FlagCode.RESUMED_UNSEEN),
    Goal.UNCERTAIN: Flag(FlagCode.RESUMED_UNSEEN),
}


def is_of_screen(flag: Flag) -> bool:
    """Whether a step's flag is about how its screen came to be, so that it holds of any step on that screen."""
    return flag in _FLAGS.values() or flag.code in {FlagCode.UNEXPLAINED, FlagCode.FOREIGN_INPUT}


class _Part(Enum):
    BEHIND = "behind"
    LOOKING = "looking"
    """The device may be there already."""
    BY_SNAPSHOT = "by snapshot"
    BY_HAND = "by hand"
    UNLIKE = "unlike"
    """The screen has been looked at, and is another one."""


class ScreenRestore:
    """A restore: by a snapshot if there is one, then by the annotator's hand.

    The part of a session's state that both kinds of session share; without I/O, clock or threads, as they are.
    """

    def __init__(self) -> None:
        self._part = _Part.BEHIND
        self._goal = Goal.UNDONE
        self._seen: int | None = None
        self._judged: int | None = None
        self._judging = False
        self._flags: tuple[Flag, ...] = ()

    @property
    def is_active(self) -> bool:
        """Whether a restore is under way: what is done on the device is no step."""
        return self._part is not _Part.BEHIND

    @property
    def goal(self) -> Goal | None:
        """The screen to restore, while that is under way."""
        return self._goal if self.is_active else None

    @property
    def is_by_snapshot(self) -> bool:
        """Whether a snapshot is being loaded."""
        return self._part is _Part.BY_SNAPSHOT

    @property
    def is_looking(self) -> bool:
        """Whether the device may show the screen already."""
        return self._part is _Part.LOOKING

    @property
    def is_by_hand(self) -> bool:
        """Whether the annotator must bring the device back: the screen is known to be another one."""
        return self._part is _Part.UNLIKE

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What is to be said of the next step."""
        return self._flags

    def owe(self, flags: tuple[Flag, ...]) -> None:
        """Let the next step say this, too."""
        self._flags = (*self._flags, *(flag for flag in flags if flag not in self._flags))

    def begin(self, flags: tuple[Flag, ...] = ()) -> list[effects.Effect]:
        """Begin, or begin again for an earlier screen; the next step gets `flags`."""
        self._goal, self._flags = Goal.UNDONE, flags
        return self._load_snapshot()

    def resume(self, goal: Goal) -> None:
        """Begin for where the recording broke off; by hand where that screen cannot be recognized."""
        self._goal, self._part = goal, _Part.LOOKING

    def snapshot_done(self, reason: str) -> list[effects.Effect]:
        """The snapshot is loaded, or not, for `reason`; words for the annotator."""
        if self.is_by_snapshot:
            self._part = _Part.BY_HAND
        return [effects.Tell(NOT_RETURNED.format(reason))] if reason else []

    def look_again(self) -> None:
        """The screen may be another one from now on, and what is said of the one before means nothing."""
        self._judged = None

    def look(self, frame: events.FrameSeen) -> list[effects.Effect]:
        """Have a screen at rest compared with the wanted one, once; one comparison at a time."""
        self._seen = frame.anchor
        if self.is_by_snapshot or self._judging or frame.anchor == self._judged or not (frame.still or frame.restless):
            return []
        if not self._goal.has_picture:
            self._part = _Part.UNLIKE
            return []
        self._judged, self._judging = frame.anchor, True
        return [effects.JudgeReturn(frame.number)]

    def judge(self, *, matches: bool) -> list[effects.Effect]:
        """Take in what the comparison said; where the device was only looked at, a snapshot is tried next.

        A screen that is shown no more is not the wanted one, whatever it was.
        """
        self._judging = False
        if not self.is_active or self._judged is None or (matches and self._judged != self._seen):
            return []
        if self.is_looking and not matches:
            return self._load_snapshot()
        self._part = _Part.BEHIND if matches else _Part.UNLIKE
        return []

    def accept(self) -> bool:
        """Take the screen for the wanted one; the next step says so. Whether there was a restore to end."""
        accepted = self._part in {_Part.BY_HAND, _Part.UNLIKE}
        if accepted:
            self.give_up()
        return accepted

    def give_up(self) -> None:
        """End the restore where it is; the next step says so."""
        if self.is_active:
            self._part = _Part.BEHIND
            self.owe((_FLAGS[self._goal],))

    def step_saved(self) -> None:
        """What was to be said of the next step is said."""
        self._flags = ()

    def _load_snapshot(self) -> list[effects.Effect]:
        self._part = _Part.BY_SNAPSHOT
        self.look_again()
        return [effects.ReturnDevice()]
