"""What a session asks of the recorder: each effect is carried out in order, and answered with an event."""

from dataclasses import dataclass

from odyssey_recorder.recording.events import Intent


@dataclass(frozen=True, slots=True)
class Watch:
    """Look for a screen at rest in frames asked for after `since_ns`; earlier ones show what was before."""

    since_ns: int


@dataclass(frozen=True, slots=True)
class KeepFrame:
    """Write this frame to the draft; answer with FrameKept or StorageFailed."""

    number: int


@dataclass(frozen=True, slots=True)
class SaveStep:
    """Add a step to the draft's log; answer at once with StepSaved or StorageFailed.

    `check` is the frame that proves that the screen was the same after touch-down; None if it never rests.
    """

    frame: int
    check: int | None
    settled: bool
    touched_ns: int
    intent: Intent


@dataclass(frozen=True, slots=True)
class SendInput:
    """Carry the input out on the device; answer with InputDone, InputRefused or InputUncertain."""

    intent: Intent


@dataclass(frozen=True, slots=True)
class DropLastStep:
    """Take the last step out of the draft, and remember why; answer with LastStepDropped or StorageFailed."""

    why: str


@dataclass(frozen=True, slots=True)
class JudgeLastStep:
    """The screen is still after the last step, on frame `number`: compare it with the step's picture.

    Unchanged: flag the step; if `uncertain`, the step was not carried out: take it away and say so. Answer with
    LastStepJudged or StorageFailed.
    """

    number: int
    uncertain: bool


@dataclass(frozen=True, slots=True)
class Publish:
    """The terminal step is saved: put the episode into the dataset.

    Answer with Published or StorageFailed.
    """


@dataclass(frozen=True, slots=True)
class Abandon:
    """Move the draft to the trash."""


@dataclass(frozen=True, slots=True)
class Tell:
    """Words for the annotator."""

    text: str


Effect = Watch | KeepFrame | SaveStep | SendInput | DropLastStep | JudgeLastStep | Publish | Abandon | Tell
