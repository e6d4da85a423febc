"""The events of a recording: what the annotator wants, and what device and disk report."""

from dataclasses import dataclass

from odyssey_recorder.gesture.areas import ScreenAreas
from odyssey_recorder.gesture.contacts import TouchUpdate
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.flag import Flag
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.state import Goal


@dataclass(frozen=True, slots=True)
class Touch:
    """A complete touch on the mirror."""

    stroke: TouchStroke


@dataclass(frozen=True, slots=True)
class KeyPress:
    key: SystemKey


@dataclass(frozen=True, slots=True)
class TextEntered:
    text: str


Intent = Touch | KeyPress | TextEntered | Complete | Impossible
"""What the annotator wants to do. Complete and Impossible end the episode and send nothing to the device."""


@dataclass(frozen=True, slots=True)
class Started:
    """Recording starts, or resumes a draft that has `steps`; `complete` if the last of them is terminal.

    `goal` is the screen that the device must show before the next step, which gets `flags`.
    """

    now_ns: int
    complete: bool = False
    steps: int = 0
    goal: Goal | None = None
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class FrameSeen:
    """A frame requested at `started_ns`, after the moment named in `Watch`.

    `anchor`: the first frame of the run of equal frames that this one belongs to. `still`: that run is long enough for
    a settled screen. `restless`: the screen has moved for longer than anyone should wait. `streamed`: the screen
    changed at `started_ns`; frames of all earlier screens arrived before this one.
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
        return self.anchor != self.number


@dataclass(frozen=True, slots=True)
class FrameKept:
    """A frame is safe in the draft."""

    number: int


@dataclass(frozen=True, slots=True)
class TouchedDown:
    """A finger came down on the mirror while it showed frame `number`; `live` if the device can follow the finger."""

    number: int
    now_ns: int
    live: bool = False


@dataclass(frozen=True, slots=True)
class FingerGoesDown:
    """A live finger is about to touch the device's screen."""

    now_ns: int


@dataclass(frozen=True, slots=True)
class FingerLifted:
    """A live finger left the device's screen; `touch` is what the device received. It came down before `landed_ns`."""

    touch: Touch
    now_ns: int
    landed_ns: int = 0


@dataclass(frozen=True, slots=True)
class TouchCancelled:
    """The finger left without a gesture."""


@dataclass(frozen=True, slots=True)
class Intended:
    """The annotator wants something done; the touch-down of a `Touch` came earlier."""

    intent: Intent
    now_ns: int


@dataclass(frozen=True, slots=True)
class StepSaved:
    """The step of this intent is in the draft's log."""

    intent: Intent


@dataclass(frozen=True, slots=True)
class InputDone:
    now_ns: int


@dataclass(frozen=True, slots=True)
class InputRefused:
    """The device refused the input; it was not carried out, or, of a live gesture, only a part."""

    reason: str
    now_ns: int
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class InputUncertain:
    """The connection failed during the input: it is unknown whether it was carried out."""

    reason: str


@dataclass(frozen=True, slots=True)
class StepsDropped:
    """The last steps were removed. `flags` go to the next step, because of the screen of the first removed one.

    `leads_back`: the device must show that screen again. `lost`: it cannot, because the screenshot is unreadable.
    """

    leads_back: bool = False
    flags: tuple[Flag, ...] = ()
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Returned:
    """A snapshot restored the device, or there is none, or it failed for `reason`."""

    now_ns: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReturnJudged:
    matches: bool


@dataclass(frozen=True, slots=True)
class ScreenAccepted:
    """The annotator accepts a screen that is not the wanted one."""

    now_ns: int


@dataclass(frozen=True, slots=True)
class LastStepJudged:
    """What the screen says about the last step is in the draft.

    `is_doubtful`: the screen changed, but it is unknown whether the step's input did it.
    """

    is_doubtful: bool = False


@dataclass(frozen=True, slots=True)
class ScreensCompared:
    """The grid cells in which two screens differ."""

    cells: frozenset[int]


@dataclass(frozen=True, slots=True)
class KernelInputSeen:
    """The device's kernel reported an input at `at_ns` ± `uncertainty_ns`; `text` describes it with place and time.

    A loaded snapshot sets the device's clock back and makes `at_ns` wrong, but not `arrived_ns`, the report's arrival.
    """

    text: str
    at_ns: int
    uncertainty_ns: int
    arrived_ns: int


@dataclass(frozen=True, slots=True)
class ErrorDialogSeen:
    """Android's dialog about an app that failed is in front, with this title."""

    title: str


@dataclass(frozen=True, slots=True)
class UndoWanted:
    """`rejects`: the first of these steps is wrong, and the right action follows."""

    now_ns: int
    steps: int = 1
    rejects: bool = False


@dataclass(frozen=True, slots=True)
class DeviceWentAway:
    """No frames arrive: the device or the connection failed."""

    reason: str


@dataclass(frozen=True, slots=True)
class DeviceCameBack:
    now_ns: int


@dataclass(frozen=True, slots=True)
class StorageFailed:
    """A write failed; earlier writes are intact. `frame`: the one that was to be kept."""

    reason: str
    now_ns: int
    frame: int | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """The episode is in the dataset."""


@dataclass(frozen=True, slots=True)
class AbandonWanted:
    """The annotator discards the recording."""


@dataclass(frozen=True, slots=True)
class FramesEnded:
    """The recording is stopping: no more frames arrive, so nothing more can be proved."""


@dataclass(frozen=True, slots=True)
class Tick:
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
    | KernelInputSeen
    | ErrorDialogSeen
    | UndoWanted
    | DeviceWentAway
    | DeviceCameBack
    | StorageFailed
    | Published
    | AbandonWanted
    | FramesEnded
    | Tick
)

RestoreEvent = StepsDropped | Returned | ReturnJudged | ScreenAccepted | ErrorDialogSeen
InputAnswer = InputDone | InputRefused | InputUncertain


# Events of passive mode only.


@dataclass(frozen=True, slots=True)
class InputFollowed:
    """The recorder now reads the device's input; these are its nodes."""

    nodes: tuple[InputDeviceNode, ...]


@dataclass(frozen=True, slots=True)
class InputBroke:
    reason: str


@dataclass(frozen=True, slots=True)
class InputHeard:
    """An input on the device itself, reported at `arrived_ns`.

    `at_ns`: its beginning (the touch-down of a contact) on the host's clock, ± `uncertainty_ns`.
    """

    news: TouchUpdate
    at_ns: int
    uncertainty_ns: int
    arrived_ns: int


@dataclass(frozen=True, slots=True)
class ScreenLooked:
    """The answer to `LookAtScreen`; no `areas` if there was none. `clock_agreed`: the device's clock is unchanged."""

    areas: ScreenAreas | None
    requested_ns: int
    answered_ns: int
    clock_agreed: bool


@dataclass(frozen=True, slots=True)
class ClockJumped:
    """The device's clock was changed, so the times of its last events are unknown."""


@dataclass(frozen=True, slots=True)
class FieldRead:
    """The text of the focused field at some moment between these two; None if no field could be read.

    `field` identifies the field. Where a device does not mark hints, an empty field's text is its hint. `fields` are
    all fields in view by what identifies them, each with its text, and `labels` the texts of all other views; None if
    the views could not be read. `overview`: whether the launcher shows the recent apps; None if that is unknown.
    """

    text: str | None
    requested_ns: int
    answered_ns: int
    field: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    labels: frozenset[str] | None = None
    overview: bool | None = None


@dataclass(frozen=True, slots=True)
class FrameMissing:
    """A frame that was to be kept is no longer in memory."""

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
