"""The handle of a recording for windows and scripts: commands that return at once, and the current view."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from odyssey_recorder.dataset.draft import Draft, DraftStep
from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.dataset.provenance import AgentRecord
from odyssey_recorder.dataset.publishing import publish
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.device import Device
from odyssey_recorder.errors import InputRefusedError, RecordingError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Complete, Impossible, SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording import events, messages
from odyssey_recorder.recording.engine import Engine, RecordingRules
from odyssey_recorder.recording.session import RETRY_NS
from odyssey_recorder.recording.step_writer import ShownScreen
from odyssey_recorder.recording.view import Listener, RecordingView

_Answer = TypeVar("_Answer")
TRIAL_S = 10.0
"""How long the engine may take to answer."""
_LISTEN_S = 0.1


class Recorder:
    def __init__(
        self, device: Device, draft: Draft, store: EpisodeStore, *, listener: Listener, rules: RecordingRules
    ) -> None:
        self._device = device
        self.serial = device.serial
        self.episode_id = draft.episode_id
        self.task, self.origin = draft.task, draft.origin
        self.mode, self.actor = draft.origin.mode, draft.origin.actor
        self.long_press_ms = draft.origin.long_press_ms
        self._engine = Engine(device, draft, store, listener=listener, rules=rules)
        self._draft = draft
        self._finger = self._engine.finger

    # Commands; from any thread.

    def start(self) -> None:
        self._engine.start()

    def touch_down(self, frame_number: int, at: Pixel | None = None) -> None:
        """A finger came down on the shown frame, which fixes the step's screenshot.

        With `at`, in pixels of the frame, the device follows the finger if it can.
        """
        live = at is not None and self._device.follows_finger and not self._engine.restoring
        if at is not None and live:
            self._finger.begin(at)
        self._engine.post(events.TouchedDown(frame_number, time.monotonic_ns(), live))
        self._engine.hurry()

    def move_touch(self, at: Pixel) -> None:
        self._finger.follow(at)

    def lift(self, stroke: TouchStroke) -> None:
        """The finger left the mirror; `stroke` is the whole contact, in pixels of the frame."""
        self._finger.leave(stroke.duration_us)
        self._engine.post(messages.TouchEnded(stroke, time.monotonic_ns()))

    def cancel_touch(self) -> None:
        """The finger left without a gesture: nothing is recorded, unless the device followed it."""
        self._finger.leave()
        self._engine.post(messages.TouchEnded(None, time.monotonic_ns()))

    def press(self, key: SystemKey) -> None:
        self._intend(events.KeyPress(key))

    def type_text(self, text: str) -> None:
        """Record and type a text. Raises InputRefusedError at once if the device cannot type it."""
        if not text:
            raise InputRefusedError("There is no text to type.")
        self._device.check_text(text)
        self._intend(events.TextEntered(text))

    def complete(self, note: str = "") -> None:
        self._intend(Complete(note))

    def impossible(self, reason: str) -> None:
        """Record why the task cannot be done, and publish. Raises RecordingError without a reason."""
        if not reason.strip():
            raise RecordingError("Enter why the task is impossible. The reason is part of the data.")
        self._intend(Impossible(reason))

    def keep_ending(self, ending: Complete | Impossible) -> None:
        """Keep what is written at the question for the end: the view has it, after a resume too."""
        self._engine.post(messages.EndingWritten(ending))

    def mark_goals(self, goals: Sequence[TaskGoal]) -> None:
        """Keep what proves that the task is done, for the provenance of an episode that ends with COMPLETE."""
        self._engine.post(messages.GoalsMarked(tuple(goals)))

    def write_trial(self, ending: Complete | Impossible, root: Path) -> Path:
        """Write the episode as it would be published now into the empty dataset `root`; returns its annotation.

        Nothing is recorded. Takes a while; from any thread but the engine's. Raises OdysseyError.
        """
        asked: Future[tuple[DraftStep, ...]] = Future()
        self._engine.post(messages.TrialRequested(ending, asked))
        return publish(self._draft, root, self._answered(asked))

    def answer_text(self, step: int, text: str) -> None:
        self._engine.post(events.TextAnswered(step, text))

    def undo(self, steps: int = 1, *, rejects: bool = False) -> None:
        """Undo the last `steps` steps, and restore the screen of the first of them.

        With `rejects` that one, an agent's, is kept with the step that is recorded in its place.

        A snapshot restores it if there is one. Otherwise the view's `wanted` shows the screen to the annotator, and
        inputs go to the device without becoming steps.
        """
        self._engine.post(events.UndoWanted(time.monotonic_ns(), steps, rejects))

    def redo(self) -> None:
        """Send the action of the last undone step again, if the device shows the screen that it was made on.

        That makes a new step with its own screenshot; the undone one stays removed.
        """
        self._engine.post(messages.RedoWanted(time.monotonic_ns()))
        self._engine.hurry()

    def accept_screen(self) -> None:
        """Continue from the current screen, although it is not the wanted one."""
        self._engine.post(events.ScreenAccepted(time.monotonic_ns()))

    def note_step(self, key: int, text: str) -> None:
        self._engine.post(messages.NoteWritten(key, text))

    # An agent's turn; it lasts until a person touches, types, presses, undoes or ends anything, or takes over.

    def hand_over(self) -> None:
        """From now on it is the agent's turn."""
        self._engine.post(messages.TurnGiven(to_agent=True))

    def take_over(self) -> None:
        """From now on it is the person's turn; an action of the agent that has begun is still completed."""
        self._engine.post(messages.TurnGiven(to_agent=False))

    @property
    def is_agents_turn(self) -> bool:
        return self._engine.is_agents_turn and not self.has_ended

    def act(self, intent: events.Intent, frame_number: int, agent: AgentRecord) -> bool:
        """Do what an agent wants on the frame that it judged; whether it begins.

        It does not if it is no longer the agent's turn, or the frame is no longer shown. Not from the engine's thread.
        Raises InputRefusedError if the device cannot type a text, RecordingError.
        """
        if isinstance(intent, events.TextEntered):
            self._device.check_text(intent.text)
        asked: Future[bool] = Future()
        self._engine.post(messages.AgentActed(intent, frame_number, agent, time.monotonic_ns(), asked))
        self._engine.hurry()
        return self._answered(asked)

    def refuse(self, action: Action, frame_number: int, agent: AgentRecord) -> None:
        """A person did not allow this on the frame that the agent judged: it is kept with the step recorded there."""
        self._engine.post(messages.AgentRefused(action, frame_number, agent))

    def shown(self) -> ShownScreen | None:
        """The screen that an action would be recorded with now; not from the engine's thread. Raises RecordingError."""
        asked: Future[ShownScreen | None] = Future()
        self._engine.post(messages.ScreenRequested(asked))
        return self._answered(asked)

    def _answered(self, asked: Future[_Answer]) -> _Answer:
        give_up_s = time.monotonic() + TRIAL_S
        while True:
            try:
                return asked.result(_LISTEN_S)
            except TimeoutError as error:
                if self.has_ended or time.monotonic() > give_up_s:
                    raise RecordingError("The recorder did not answer.") from error

    def retry(self) -> None:
        self._engine.post(events.Tick(time.monotonic_ns() + RETRY_NS))

    def abandon(self) -> None:
        """Discard the recording: move its draft to the trash."""
        self._engine.post(events.AbandonWanted())

    def stop(self) -> None:
        """End the recording and keep the draft; returns at once."""
        self._engine.stop()

    def join(self) -> None:
        """Wait until all threads have ended and the draft is closed."""
        self._engine.join()

    # State; from any thread.

    @property
    def view(self) -> RecordingView:
        return self._engine.publisher.newest

    @property
    def silent_s(self) -> float:
        """For how long the device has not answered requests for frames, 0 if it has answered the last one."""
        return self._engine.silent_s

    @property
    def has_ended(self) -> bool:
        return self._engine.publisher.has_ended

    def wait_for(self, wanted: Callable[[RecordingView], bool], timeout_s: float) -> RecordingView:
        """The first `wanted` view. Raises RecordingError after `timeout_s`, or when the recording ends."""
        return self._engine.publisher.wait_for(wanted, timeout_s)

    def _intend(self, intent: events.Intent) -> None:
        self._engine.post(events.Intended(intent, time.monotonic_ns()))
        self._engine.hurry()
