"""What can happen to a recording: what the annotator wants, and what device and disk answer."""

from dataclasses import dataclass

from odyssey_recorder.gesture.areas import ScreenAreas
from odyssey_recorder.gesture.contacts import TouchNews
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.flag import Flag
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.state import Goal


@dataclass(frozen=True, slots=True)
class Touch:
    """A finger on the mirror, complete."""

    stroke: TouchStroke


@dataclass(frozen=True, slots=True)
class KeyPress:
    """A system key."""

    key: SystemKey


@dataclass(frozen=True, slots=True)
class TextEntered:
    """Text for the focused field."""

    text: str


Intent = Touch | KeyPress | TextEntered | Complete | Impossible
"""What the annotator wants to do; the last two end the episode and send nothing to the device."""


@dataclass(frozen=True, slots=True)
class Started:
    """Recording begins, or goes on with a draft.

    `complete`: the draft's last step is terminal. `steps` are in the draft already. `goal` is the screen that the
    device is to show before the next step, which must say `flags`.
    """

    now_ns: int
    complete: bool = False
    steps: int = 0
    goal: Goal | None = None
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class FrameSeen:
    """A frame came that was asked for at `started_ns`, after the moment that `Watch` named.

    `anchor` is the first frame of the run of frames that show the same as this one; `still`: that run is long
    enough for a screen at rest; `restless`: the screen has moved for longer than anyone should wait. A `streamed`
    frame came because the screen had changed at `started_ns`; whatever was shown before it has been seen before it.
    """

    number: int
    anchor: int
    started_ns: int
    still: bool = False
    restless: bool = False
    streamed: bool = False
    arrived_ns: int = 0
    size: Size | None = None

    @property
    def same(self) -> bool:
        """Whether it shows the same as the frame before."""
        return self.anchor != self.number


@dataclass(frozen=True, slots=True)
class FrameKept:
    """A frame is safe in the draft."""

    number: int


@dataclass(frozen=True, slots=True)
class TouchedDown:
    """A finger came down on the mirror while it showed frame `number`.

    `live`: the device can follow it while it is down.
    """

    number: int
    now_ns: int
    live: bool = False


@dataclass(frozen=True, slots=True)
class FingerGoesDown:
    """A live finger is about to come down on the device's screen."""

    now_ns: int


@dataclass(frozen=True, slots=True)
class FingerLifted:
    """A live finger has left the device's screen; `touch` is what the device got.

    It came down before `landed_ns`, when the device had answered for that.
    """

    touch: Touch
    now_ns: int
    landed_ns: int = 0


@dataclass(frozen=True, slots=True)
class TouchCancelled:
    """The finger left without a gesture."""


@dataclass(frozen=True, slots=True)
class Intended:
    """The annotator wants something done; for a `Strike` the touch-down came before."""

    intent: Intent
    now_ns: int


@dataclass(frozen=True, slots=True)
class StepSaved:
    """The step of this intent is in the draft's log."""

    intent: Intent


@dataclass(frozen=True, slots=True)
class InputDone:
    """The device carried the input out."""

    now_ns: int


@dataclass(frozen=True, slots=True)
class InputRefused:
    """The device would not take the input; it was not carried out."""

    reason: str
    now_ns: int


@dataclass(frozen=True, slots=True)
class InputUncertain:
    """The way to the device failed in the middle of the input: whether it was carried out is not known."""

    reason: str


@dataclass(frozen=True, slots=True)
class StepsDropped:
    """The last steps are out of the draft. `leads_back`: the device shall show again what it did before them.

    `flags` are to be said of the next step, because of the screen that the first of them was made on. `lost`: its
    picture cannot be read, so that it cannot be restored.
    """

    leads_back: bool = False
    flags: tuple[Flag, ...] = ()
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Returned:
    """A snapshot has brought the device back, or there is none that could; `reason` if it failed."""

    now_ns: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReturnJudged:
    """Whether the screen is the one that the device is to be brought back to."""

    matches: bool


@dataclass(frozen=True, slots=True)
class ScreenAccepted:
    """The annotator says that the screen is as it should be, though it is not the same."""

    now_ns: int


@dataclass(frozen=True, slots=True)
class LastStepJudged:
    """What the screen said of the last step is in the draft."""


@dataclass(frozen=True, slots=True)
class ScreensCompared:
    """The cells of the grid in which two screens differ."""

    cells: frozenset[int]


@dataclass(frozen=True, slots=True)
class InputFelt:
    """The device's kernel reported an input of `at_ns` ± `uncertainty_ns`; `words` name it, place and time.

    The report came at `arrived_ns`: a loaded snapshot sets the device's clock back, and `at_ns` is wrong then.
    """

    words: str
    at_ns: int
    uncertainty_ns: int
    arrived_ns: int


@dataclass(frozen=True, slots=True)
class UndoWanted:
    """The annotator takes the last `steps` steps away."""

    now_ns: int
    steps: int = 1


@dataclass(frozen=True, slots=True)
class DeviceWentAway:
    """No frame comes: the device, or the way to it, failed."""

    reason: str


@dataclass(frozen=True, slots=True)
class DeviceCameBack:
    """The device answers again."""

    now_ns: int


@dataclass(frozen=True, slots=True)
class StorageFailed:
    """Something could not be written; what was written before is whole. `frame`: the one that was to be kept."""

    reason: str
    now_ns: int
    frame: int | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """The episode is in the dataset."""


@dataclass(frozen=True, slots=True)
class AbandonWanted:
    """The annotator throws the recording away."""


@dataclass(frozen=True, slots=True)
class FramesEnded:
    """The recording is being stopped: no frame comes any more, and so no proof."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""

    now_ns: int


Event = (
    Started
    | FrameSeen
    | FrameKept
    | TouchedDown
    | FingerGoesDown
    | FingerLifted
    | TouchCancelled
    | Intended
    | StepSaved
    | InputDone
    | InputRefused
    | InputUncertain
    | StepsDropped
    | Returned
    | ReturnJudged
    | ScreenAccepted
    | LastStepJudged
    | ScreensCompared
    | InputFelt
    | UndoWanted
    | DeviceWentAway
    | DeviceCameBack
    | StorageFailed
    | Published
    | AbandonWanted
    | FramesEnded
    | Tick
)


# What happens in passive mode besides.


@dataclass(frozen=True, slots=True)
class InputFollowed:
    """The device's input is listened to from now on; these are its nodes."""

    nodes: tuple[InputDeviceNode, ...]


@dataclass(frozen=True, slots=True)
class InputBroke:
    """The device's input is listened to no more."""

    reason: str


@dataclass(frozen=True, slots=True)
class InputHeard:
    """Something was done on the device itself.

    It began, which is the touch-down of a contact, at `at_ns` of the host's clock, give or take `uncertainty_ns`; the
    word of it came at `arrived_ns`.
    """

    news: TouchNews
    at_ns: int
    uncertainty_ns: int
    arrived_ns: int


@dataclass(frozen=True, slots=True)
class ScreenLooked:
    """The answer to `LookAtScreen`, asked for and given at these moments; no `areas` if there was none.

    `clock_agreed`: the device's clock was read, too, and is what it was.
    """

    areas: ScreenAreas | None
    asked_ns: int
    answered_ns: int
    clock_agreed: bool


@dataclass(frozen=True, slots=True)
class ClockJumped:
    """The device's clock was changed: when its last events were is not known."""


@dataclass(frozen=True, slots=True)
class FieldRead:
    """What the focused field held at some moment between these; None if no field could be read.

    `field` tells it from others. On a device that does not tell hints apart, an empty field's text is its hint.
    """

    text: str | None
    asked_ns: int
    answered_ns: int
    field: str = ""


@dataclass(frozen=True, slots=True)
class FrameMissing:
    """A frame that was to be kept is not held any more."""

    number: int


@dataclass(frozen=True, slots=True)
class TextAnswered:
    """The annotator's answer to `AskText`."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class TextAmended:
    """The text of this step is in the draft."""

    step: int


PassiveNews = (
    InputFollowed
    | InputBroke
    | InputHeard
    | ScreenLooked
    | ClockJumped
    | FieldRead
    | FrameMissing
    | TextAnswered
    | TextAmended
)

PassiveEvent = Event | PassiveNews
