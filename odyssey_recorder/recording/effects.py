"""What a session asks of the engine: effects are carried out in order, and most are answered with an event."""

from dataclasses import dataclass

from odyssey_recorder.model.flag import Flag
from odyssey_recorder.recording.events import Intent
from odyssey_recorder.recording.notice import NoticeKind


@dataclass(frozen=True, slots=True)
class Watch:
    """Wait for a settled screen in frames requested after `since_ns`. `after_input`: it may still be about to move."""

    since_ns: int
    after_input: bool = False


@dataclass(frozen=True, slots=True)
class KeepFrame:
    """Write this frame to the draft; answer with FrameKept or StorageFailed."""

    number: int


@dataclass(frozen=True, slots=True)
class SaveStep:
    """Add a step to the draft's log; answer at once with StepSaved or StorageFailed.

    `check`: the frame that proves that the screen was the same after touch-down; None if the screen never settles, or
    if the stream of frames itself is the proof. `proven` is False without either.
    `sent`: when the input went to the device (start, end); None if it is still to be sent.
    `uncertainty_ns`: the possible error of `touched_ns`; None if it is exact. `device_us`: the touch-down on the
    device's clock.
    `age_ns`: how much older than the touch-down the screenshot is; None if the input was held.
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
    """Let the device follow the finger; answer with FingerGoesDown, then FingerLifted (or InputRefused,
    InputUncertain)."""

    frame: int


@dataclass(frozen=True, slots=True)
class DropTouch:
    """The lowered finger became no step: note why in the draft."""

    why: str


@dataclass(frozen=True, slots=True)
class SendInput:
    """Carry the input out on the device; answer with InputDone, InputRefused or InputUncertain."""

    intent: Intent


@dataclass(frozen=True, slots=True)
class RemoveSteps:
    """Remove the last `count` steps, and restore their screen if `leads_back`; answer with StepsDropped or
    StorageFailed. `rejects`: the first of them is wrong, and the right action follows."""

    why: str
    count: int = 1
    leads_back: bool = False
    rejects: bool = False


@dataclass(frozen=True, slots=True)
class ReturnDevice:
    """Restore the wanted screen by a snapshot, if there is one; answer with Returned."""


@dataclass(frozen=True, slots=True)
class JudgeReturn:
    """Compare frame `number` with the wanted screen; answer with ReturnJudged."""

    number: int


@dataclass(frozen=True, slots=True)
class JudgeLastStep:
    """Compare the settled frame `number` with the last step's screenshot; answer with LastStepJudged or StorageFailed.

    Unchanged: flag the step or, if `uncertain`, remove it and notify the annotator: it was not carried out. Changed and
    `uncertain`: flag it, and the annotator says whether the screen is its result. `turned`:
    the screen had another size before the input can have had an effect, so flag the step.
    """

    number: int
    uncertain: bool
    turned: bool = False


@dataclass(frozen=True, slots=True)
class CompareScreens:
    """Compare the settled frame `after` with `before`; answer with ScreensCompared."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class VouchForLastStep:
    """Flag the last step as confirmed by the annotator; answer with LastStepJudged or StorageFailed."""


@dataclass(frozen=True, slots=True)
class Publish:
    """Put the episode into the dataset; answer with Published or StorageFailed."""


@dataclass(frozen=True, slots=True)
class Abandon: ...


@dataclass(frozen=True, slots=True)
class Tell:
    text: str
    kind: NoticeKind = NoticeKind.WARNING


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


# Effects of passive mode only.


@dataclass(frozen=True, slots=True)
class LookAtScreen:
    """Read the device's clock (a changed one gives ClockJumped), then the areas of its screen; answer with
    ScreenLooked."""


@dataclass(frozen=True, slots=True)
class LookAtField:
    """Read the focused field; answer with FieldRead. A request during a reading causes one more."""


@dataclass(frozen=True, slots=True)
class AskText:
    """The text of step `step` could not be read: ask the annotator, who answers with TextAnswered."""

    step: int
    guess: str


@dataclass(frozen=True, slots=True)
class AmendText:
    """Put the text into step `step`, a TYPE, and remove the flag; answer with TextAmended or StorageFailed."""

    step: int
    text: str


PassiveEffect = Effect | LookAtScreen | LookAtField | AskText | AmendText
