"""What a session asks of the engine: effects are carried out in order, and most are answered with an event."""

from dataclasses import dataclass

from odyssey_recorder.model.flag import Flag
from odyssey_recorder.recording.events import Intent


@dataclass(frozen=True, slots=True)
class Watch:
    """Wait for a settled screen in frames requested after `since_ns`; older frames show what was before.

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

    `check`: the frame that proves that the screen was the same after touch-down; None if the screen never settles, or
    if the stream of frames itself is the proof. `proven` is False without either.
    `sent`: the interval in which the input went to the device; None if it is still to be sent.
    `uncertainty_ns`: the possible error of the touch-down time; None if the time is known. `device_us`: the touch-down
    on the device's own clock.
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
    """The frame under the finger is safe: let the device follow the finger.

    Answer with FingerGoesDown, then FingerLifted; on failure with InputRefused or InputUncertain.
    """

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
    """Remove the last `count` steps from the draft and note why; answer with StepsDropped or StorageFailed.

    `leads_back`: the device must show the screen from before them again.
    """

    why: str
    count: int = 1
    leads_back: bool = False


@dataclass(frozen=True, slots=True)
class ReturnDevice:
    """Restore the wanted screen by a snapshot; answer with Returned.

    Without a snapshot the annotator restores it.
    """


@dataclass(frozen=True, slots=True)
class JudgeReturn:
    """Compare frame `number` with the wanted screen; answer with ReturnJudged."""

    number: int


@dataclass(frozen=True, slots=True)
class JudgeLastStep:
    """The screen settled after the last step, on frame `number`: compare it with the step's screenshot.

    Unchanged: flag the step; if `uncertain`, it was not carried out, so remove it and notify the annotator. `turned`:
    the screen had another size before the input can have had an effect, so flag the step. Answer with LastStepJudged or
    StorageFailed.
    """

    number: int
    uncertain: bool
    turned: bool = False


@dataclass(frozen=True, slots=True)
class CompareScreens:
    """The screen settled on frame `after`: compare it with `before`; answer with ScreensCompared."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class VouchForLastStep:
    """The annotator confirms that an uncertain last step was carried out: flag it.

    Answer with LastStepJudged or StorageFailed.
    """


@dataclass(frozen=True, slots=True)
class Publish:
    """The terminal step is saved: publish the episode; answer with Published or StorageFailed."""


@dataclass(frozen=True, slots=True)
class Abandon: ...


@dataclass(frozen=True, slots=True)
class Tell:
    """A message for the annotator."""

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


# Effects of passive mode only.


@dataclass(frozen=True, slots=True)
class LookAtScreen:
    """Read the device's clock, then the areas of its screen; answer with ScreenLooked, after ClockJumped if the clock
    was changed."""


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
