"""The way back after an undo: until the device shows again what the undone step was made on, nothing is a step."""

from enum import Enum

from odyssey_recorder.recording import effects, events

UNLIKE = "taken for the screen of the step that was undone, but not the same"
BRING_BACK_FIRST = "First bring the device back to the screen on which you undid, or say that it is as it should be."
NOT_RETURNED = "The snapshot could not be loaded: bring the device back by hand. {}"


class _Part(Enum):
    BEHIND = "behind"
    BY_SNAPSHOT = "by snapshot"
    BY_HAND = "by hand"
    UNLIKE = "unlike"
    """The screen has been looked at, and is another one."""


class WayBack:
    """Where the device is on its way back: brought by a snapshot if there is one, then by the annotator's hand.

    The part of a session's state that both kinds of session share; without I/O, clock or threads, as they are.
    """

    def __init__(self) -> None:
        self._part = _Part.BEHIND
        self._judged: int | None = None
        self._flags: tuple[str, ...] = ()

    @property
    def leads(self) -> bool:
        """Whether the device is on its way: what is done on it is no step."""
        return self._part is not _Part.BEHIND

    @property
    def by_snapshot(self) -> bool:
        """Whether a snapshot is being loaded."""
        return self._part is _Part.BY_SNAPSHOT

    @property
    def by_hand(self) -> bool:
        """Whether it is the annotator who must bring the device back: the screen is known to be another one."""
        return self._part is _Part.UNLIKE

    @property
    def flags(self) -> tuple[str, ...]:
        """What is to be said of the next step."""
        return self._flags

    def begin(self) -> list[effects.Effect]:
        """Set out, or set out anew for an earlier screen."""
        self._part, self._flags = _Part.BY_SNAPSHOT, ()
        self.look_again()
        return [effects.ReturnDevice()]

    def snapshot_done(self, reason: str) -> list[effects.Effect]:
        """The snapshot is loaded, or not, for `reason`; words for the annotator."""
        if self.by_snapshot:
            self._part = _Part.BY_HAND
        return [effects.Tell(NOT_RETURNED.format(reason))] if reason else []

    def look_again(self) -> None:
        """The screen may be another one from now on."""
        self._judged = None

    def look(self, frame: events.FrameSeen) -> list[effects.Effect]:
        """Have a screen at rest compared with the wanted one, once."""
        if self.by_snapshot or frame.anchor == self._judged or not (frame.still or frame.restless):
            return []
        self._judged = frame.anchor
        return [effects.JudgeReturn(frame.number)]

    def arrive(self, *, matches: bool) -> bool:
        """Take in what the comparison said; whether the way is behind now."""
        if not self.leads:
            return False
        self._part = _Part.BEHIND if matches else _Part.UNLIKE
        return matches

    def accept(self) -> bool:
        """The annotator takes the screen for the wanted one: the next step says so. Whether there was a way to end."""
        if not self.by_hand:
            return False
        self._part, self._flags = _Part.BEHIND, (UNLIKE,)
        return True

    def step_saved(self) -> None:
        """What was to be said of the next step is said."""
        self._flags = ()
