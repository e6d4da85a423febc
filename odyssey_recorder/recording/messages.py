"""What comes into the inbox of a recording's engine: frames, outcomes of workers, acts of people and agents."""

from concurrent.futures import Future
from dataclasses import dataclass

from odyssey_recorder.dataset.draft import DraftStep
from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.dataset.provenance import AgentRecord
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Complete, Impossible
from odyssey_recorder.recording import events, slow_work
from odyssey_recorder.recording.input_listener import Report
from odyssey_recorder.recording.step_writer import ShownScreen


@dataclass(frozen=True, slots=True)
class FrameArrived:
    frame: Frame


@dataclass(frozen=True, slots=True)
class TouchEnded:
    """The finger left the mirror; `stroke` is None if the window lost it."""

    stroke: TouchStroke | None
    now_ns: int


@dataclass(frozen=True, slots=True)
class NoteWritten:
    key: int
    text: str


@dataclass(frozen=True, slots=True)
class EndingWritten:
    """What the annotator has written so far at the question how the episode ends."""

    ending: Complete | Impossible


@dataclass(frozen=True, slots=True)
class RedoWanted:
    """The annotator wants the action of the last undone step sent again, as a new step."""

    now_ns: int


@dataclass(frozen=True, slots=True)
class TurnGiven:
    """It is the agent's turn, or the person's."""

    to_agent: bool


@dataclass(frozen=True, slots=True)
class AgentActed:
    """An agent's action on the frame that it judged; the answer is whether it begins."""

    intent: events.Intent
    frame_number: int
    agent: AgentRecord
    now_ns: int
    answer: "Future[bool]"


@dataclass(frozen=True, slots=True)
class GoalsMarked:
    """The annotator marked what proves that the task is done."""

    goals: tuple[TaskGoal, ...]


@dataclass(frozen=True, slots=True)
class AgentRefused:
    """A person did not allow an agent's action on the frame that it judged."""

    action: Action
    frame_number: int
    agent: AgentRecord


@dataclass(frozen=True, slots=True)
class ScreenRequested:
    """Asks for the screen that an action would be recorded with; None if there is none at present."""

    answer: "Future[ShownScreen | None]"


@dataclass(frozen=True, slots=True)
class TrialRequested:
    """Asks for the steps that the episode would have if it ended now."""

    ending: Complete | Impossible
    answer: "Future[tuple[DraftStep, ...]]"


@dataclass(frozen=True, slots=True)
class Stop:
    pass


OfAgent = TurnGiven | AgentActed
Written = NoteWritten | EndingWritten | GoalsMarked | AgentRefused
Request = ScreenRequested | TrialRequested
Message = slow_work.Outcome | Report | FrameArrived | TouchEnded | Written | RedoWanted | OfAgent | Request | Stop

_ACTS = events.TouchedDown | events.Intended | events.UndoWanted | events.ScreenAccepted | events.AbandonWanted
BY_PERSON = _ACTS | RedoWanted
"""Messages that end an agent's turn at once."""
LAST_ANSWERS = (
    slow_work.Sent | slow_work.EpisodeInDataset | events.InputRefused | events.FingerGoesDown | events.FingerLifted
)
"""Messages that must not be lost if they arrive while the recording stops."""
