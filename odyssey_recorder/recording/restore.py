"""Restores an earlier screen: after an undo, after the device was lost, or when a recording is resumed.

Until the device shows that screen, or the annotator accepts another, no input is a step.
"""

from enum import Enum

from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.state import Goal

BRING_BACK_FIRST = "First restore the required screen, or choose “Screens match, continue”."
ANSWER_ANDROID = "{}. Nothing is recorded until you have answered this message of Android on the device."
NOT_RETURNED = "The snapshot could not be loaded. Restore the screen by hand. {}"

_FLAGS = {
    Goal.UNDONE: Flag(FlagCode.UNLIKE),
    Goal.LEFT: Flag(FlagCode.RESUMED_ELSEWHERE),
    Goal.UNKNOWN: Flag(FlagCode.RESUMED_UNSEEN),
    Goal.UNCERTAIN: Flag(FlagCode.RESUMED_UNSEEN),
    Goal.LOST: Flag(FlagCode.AFTER_LOSS),
    Goal.ANSWERED: Flag(FlagCode.AFTER_DIALOG),
}


def is_of_screen(flag: Flag) -> bool:
    """Whether a flag is about the screen of its step, and so applies to any step on that screen."""
    return flag in _FLAGS.values() or flag.code in {FlagCode.UNEXPLAINED, FlagCode.FOREIGN_INPUT, FlagCode.OTHER_KEY}


class _Part(Enum):
    BEHIND = "behind"
    LOOKING = "looking"
    """The device may already show the screen."""
    BY_SNAPSHOT = "by snapshot"
    BY_HAND = "by hand"
    UNLIKE = "unlike"
    """The screen was compared, and is a different one."""


class ScreenRestore:
    """Restores a screen: by snapshot if there is one, otherwise by hand.

    The part of the state that both kinds of session share; without I/O, clock or threads.
    """

    def __init__(self) -> None:
        self._part = _Part.BEHIND
        self._goal = Goal.UNDONE
        self._seen: int | None = None
        self._judged: int | None = None
        self._judging = False
        self.flags: tuple[Flag, ...] = ()
        """Of the next step."""

    @property
    def is_active(self) -> bool:
        """Whether a restore is under way; inputs do not become steps meanwhile."""
        return self._part is not _Part.BEHIND

    @property
    def goal(self) -> Goal | None:
        return self._goal if self.is_active else None

    @property
    def is_by_snapshot(self) -> bool:
        return self._part is _Part.BY_SNAPSHOT

    @property
    def is_looking(self) -> bool:
        return self._part is _Part.LOOKING

    @property
    def is_by_hand(self) -> bool:
        """Whether the annotator must restore the screen: the current one is known to differ."""
        return self._part is _Part.UNLIKE

    def owe(self, flags: tuple[Flag, ...]) -> None:
        self.flags = (*self.flags, *(flag for flag in flags if flag not in self.flags))

    def begin(self, flags: tuple[Flag, ...] = ()) -> list[effects.Effect]:
        """Start, or start again for an earlier screen; the next step gets `flags`."""
        self._goal, self.flags = Goal.UNDONE, flags
        return self._load_snapshot()

    def resume(self, goal: Goal) -> None:
        """Start with the screen on which the recording stopped; by hand if it cannot be recognized."""
        self._goal, self._part = goal, _Part.LOOKING

    def device_came_back(self) -> None:
        """Compare the screen with the one from before the loss, unless another one is being restored."""
        if not self.is_active or self._goal is Goal.ANSWERED:
            self.resume(Goal.LOST)
            self.look_again()

    def await_answer(self) -> None:
        """Start with Android's dialog in front, which the annotator answers."""
        self._goal, self._part, self._judged = Goal.ANSWERED, _Part.UNLIKE, None

    def snapshot_done(self, reason: str) -> list[effects.Effect]:
        """The snapshot was loaded, or failed for `reason`."""
        if self.is_by_snapshot:
            self._part = _Part.BY_HAND
        return [effects.Tell(NOT_RETURNED.format(reason))] if reason else []

    def look_again(self) -> None:
        """Drop the last comparison: the screen may have changed."""
        self._judged = None

    def look(self, frame: events.FrameSeen) -> list[effects.Effect]:
        """Compare a settled screen with the wanted one, once; one comparison at a time."""
        self._seen = frame.anchor
        if self.is_by_snapshot or self._judging or frame.anchor == self._judged or not (frame.still or frame.restless):
            return []
        if not (self._goal.has_screenshot or self._goal is Goal.ANSWERED):
            self._part = _Part.UNLIKE
            return []
        self._judged, self._judging = frame.anchor, True
        return [effects.JudgeReturn(frame.number)]

    def judge(self, *, matches: bool) -> list[effects.Effect]:
        """Apply a comparison; after a first mismatch, try a snapshot. A screen no longer shown never matches."""
        self._judging = False
        if not self.is_active or self._judged is None or (matches and self._judged != self._seen):
            return []
        if self.is_looking and not matches:
            return self._load_snapshot()
        if matches and self._goal is Goal.ANSWERED:
            self.give_up()
        self._part = _Part.BEHIND if matches else _Part.UNLIKE
        return []

    def accept(self) -> bool:
        """Accept the current screen and flag the next step. Returns whether there was a restore to end."""
        accepted = self._part in {_Part.BY_HAND, _Part.UNLIKE}
        if accepted:
            self.give_up()
        return accepted

    def give_up(self) -> None:
        """End the restore and flag the next step."""
        if self.is_active:
            self._part = _Part.BEHIND
            self.owe((_FLAGS[self._goal],))

    def step_saved(self) -> None:
        self.flags = ()

    def _load_snapshot(self) -> list[effects.Effect]:
        self._part = _Part.BY_SNAPSHOT
        self.look_again()
        return [effects.ReturnDevice()]


class RestoringSession:
    """A session whose device may have to be restored first."""

    def __init__(self) -> None:
        self._restore = ScreenRestore()
        self._was_lost = False

    @property
    def was_lost(self) -> bool:
        """Whether the device was lost, and its screen has not been seen since."""
        return self._was_lost

    @property
    def restoring(self) -> bool:
        """Whether inputs are not recorded as steps, because the device is being restored."""
        return self._restore.is_active

    @property
    def goal(self) -> Goal | None:
        """The screen to restore; None if nothing is being restored."""
        return self._restore.goal

    @property
    def next_flags(self) -> tuple[Flag, ...]:
        """Flags for the next step, because of the screen that it starts on."""
        return self._restore.flags
