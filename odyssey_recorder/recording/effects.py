"""What a session asks of the recorder: each effect is carried out in order, and answered with an event."""

from dataclasses import dataclass

from odyssey_recorder.model.flag import Flag
from odyssey_recorder.recording.events import Intent


@dataclass(frozen=True, slots=True)
class Watch:
    """Look for a screen at rest in frames asked for after `since_ns`; earlier ones show what was before.

    `after_input`: the screen may still be about to move because of the last step's input.
    """

    since_ns: int
    after_input: bool = False


@dataclass(frozen=True, slots=True)
class KeepFrame:
    """Write this frame to the draft; answer with FrameKept or StorageFailed."""

    number: int


@dataclass(frozen=True, slots=True)
class SaveStep:
    """Add a step to the draft's log; answer at once with StepSaved or StorageFailed.

    `check` is the frame that proves that the screen was the same after touch-down; None if it never rests, and
    where the stream of frames itself is the proof. `proven` is False where neither came. `sent` is from when to when
    the input went to the device, None for one that is still to go. `uncertainty_ns` is how far the moment of touch-down
    may be off, None for one that is known; `device_us` is that moment on the device's own clock. `age_ns` is how much
    older than the touch-down the picture is, None where the input was held back. `flags` say what is odd about the
    step.
    """

    frame: int
    check: int | None
    settled: bool
    touched_ns: int
    intent: Intent
    proven: bool = True
    sent: tuple[int, int] | None = None
    uncertainty_ns: int | None = None
    device_us: int | None = None
    age_ns: int | None = None
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class LowerFinger:
    """The frame under the finger is safe: let the device follow the finger from now on.

    Answer with FingerGoesDown, then FingerLifted; with InputRefused or InputUncertain where that fails.
    """

    frame: int


@dataclass(frozen=True, slots=True)
class DropTouch:
    """The finger that was lowered became no step: note why in the draft."""

    why: str


@dataclass(frozen=True, slots=True)
class SendInput:
    """Carry the input out on the device; answer with InputDone, InputRefused or InputUncertain."""

    intent: Intent


@dataclass(frozen=True, slots=True)
class RemoveSteps:
    """Take the last `count` steps out of the draft, and remember why; answer with StepsDropped or StorageFailed.

    With `leads_back` the device is to show again what it showed before the first of them.
    """

    why: str
    count: int = 1
    leads_back: bool = False


@dataclass(frozen=True, slots=True)
class ReturnDevice:
    """Bring the device back to the wanted screen by a snapshot; answer with Returned.

    Where there is none, the annotator brings it back.
    """


@dataclass(frozen=True, slots=True)
class JudgeReturn:
    """Compare frame `number` with the wanted screen; answer with ReturnJudged."""

    number: int


@dataclass(frozen=True, slots=True)
class JudgeLastStep:
    """The screen is still after the last step, on frame `number`: compare it with the step's picture.

    Unchanged: flag the step; if `uncertain`, the step was not carried out: take it away and say so. `turned`: the
    screen had another size before the input can have had an effect: flag the step. Answer with LastStepJudged or
    StorageFailed.
    """

    number: int
    uncertain: bool
    turned: bool = False


@dataclass(frozen=True, slots=True)
class CompareScreens:
    """The screen rests again, on frame `after`: say where it differs from `before`; answer with ScreensCompared."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class VouchForLastStep:
    """The annotator says that the last step, of which it was not known, was carried out: flag it.

    Answer with LastStepJudged or StorageFailed.
    """


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


Effect = (
    Watch
    | KeepFrame
    | SaveStep
    | LowerFinger
    | DropTouch
    | SendInput
    | RemoveSteps
    | ReturnDevice
    | JudgeReturn
    | JudgeLastStep
    | CompareScreens
    | VouchForLastStep
    | Publish
    | Abandon
    | Tell
)


# What a passive session asks for besides.


@dataclass(frozen=True, slots=True)
class LookAtScreen:
    """Read the device's clock, then ask how its screen is parted; answer with ScreenLooked, if need be after
    ClockJumped."""


@dataclass(frozen=True, slots=True)
class LookAtField:
    """Read the focused field; answer with FieldRead. A look that is under way already is followed by one more."""


@dataclass(frozen=True, slots=True)
class AskText:
    """What was typed in step `step` could not be read: ask the annotator, who answers with TextTold."""

    step: int
    guess: str


@dataclass(frozen=True, slots=True)
class AmendText:
    """Put the text into step `step`, a TYPE, and take the flag off; answer with TextAmended or StorageFailed."""

    step: int
    text: str


PassiveEffect = Effect | LookAtScreen | LookAtField | AskText | AmendText
