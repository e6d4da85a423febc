"""Unfinished gestures on the mirror, and when their frames are proved."""

from dataclasses import dataclass, replace

from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording import effects, events


@dataclass(frozen=True, slots=True)
class HeldGesture:
    """A gesture whose input is held: the frame it was made on, and what is known so far."""

    frame: int
    touched_ns: int
    intent: events.Intent | None = None
    check: int | None = None
    disturbed: bool = False

    def seen(self, frame: events.FrameSeen, *, replaced: bool) -> "HeldGesture":
        """Add another frame; `replaced`: it shows another screen."""
        if replaced:
            return replace(self, disturbed=True)
        return replace(self, check=frame.number) if frame.started_ns >= self.touched_ns else self


@dataclass(frozen=True, slots=True)
class LiveGesture:
    """A finger that the device follows: its frame, whether that is `safe` on disk, and what is known so far.

    `anchor` identifies the frames that are equal to it. `late`: it is not the frame that the annotator saw, but a newer
    one from before the touch-down. The finger came down after `touched_ns` and before `landed_ns`. `check`: the newest
    equal frame, requested at `checked_ns`. At `changed_ns` the screen changed, perhaps after another change that the
    stream did not show (`gap`); at `turned_ns` it had another size than the `size` that the annotator saw.
    """

    frame: int
    anchor: int | None
    size: Size | None
    safe: bool = True
    late: bool = False
    touched_ns: int | None = None
    landed_ns: int = 0
    check: int | None = None
    checked_ns: int | None = None
    changed_ns: int | None = None
    gap: bool = False
    turned_ns: int | None = None
    touch: events.Touch | None = None
    lifted_ns: int = 0

    @property
    def is_doubtful(self) -> bool:
        """Whether the screen changed while the finger was on its way down."""
        return self.changed_ns is not None and self.changed_ns < self.landed_ns

    @property
    def is_astray(self) -> bool:
        """Whether the screen already had another size when the finger came down."""
        return self.turned_ns is not None and self.turned_ns < max(self.landed_ns, self.touched_ns or 0)

    @property
    def is_proven(self) -> bool:
        """Whether it is known that the finger met the frame."""
        if self.is_doubtful:
            return False
        checked = self.checked_ns is not None and self.checked_ns >= self.landed_ns
        return checked or (self.changed_ns is not None and not self.gap)

    def seen(self, frame: events.FrameSeen, *, gap: bool = False) -> "LiveGesture":
        """Add a frame. A change from before the touch-down makes it the gesture's `frame`, which is not safe yet.

        `gap`: frames between the last one and this one are missing.
        """
        changed = frame.anchor != self.anchor
        before_touch = self.touched_ns is None or frame.started_ns < self.touched_ns
        if not changed:
            return self if before_touch else replace(self, check=frame.number, checked_ns=frame.started_ns)
        turned_ns = frame.started_ns if self.turned_ns is None and frame.size != self.size else self.turned_ns
        if not frame.streamed:
            return replace(self, turned_ns=turned_ns)
        if before_touch and turned_ns is None:
            return replace(self, frame=frame.number, anchor=frame.anchor, safe=False, late=True)
        if self.changed_ns is not None:
            return replace(self, turned_ns=turned_ns)
        return replace(self, turned_ns=turned_ns, changed_ns=frame.started_ns, gap=gap)

    def step(self, *, patient: bool) -> effects.SaveStep | None:
        """The step of a finished gesture whose frame is safe; None while a `patient` caller waits for the proof."""
        is_open = self.changed_ns is None and not self.is_proven
        if self.touch is None or self.touched_ns is None or not self.safe or (patient and is_open):
            return None
        doubts = {
            FlagCode.NEWER: self.late,
            FlagCode.CHANGING: self.is_doubtful,
            FlagCode.UNPROVEN: not (self.is_proven or self.is_doubtful),
        }
        return effects.SaveStep(
            self.frame,
            self.check,
            not self.late,
            self.touched_ns,
            self.touch,
            proven=self.is_proven,
            sent=(self.touched_ns, self.lifted_ns),
            flags=tuple(Flag(code) for code, applies in doubts.items() if applies),
        )
