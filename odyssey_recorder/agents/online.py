"""An agent at work on a device: look at the screen at rest, ask the model, act through the recorder.

Its steps are recorded as a person's are, with the same provenance; each also has the answer that it was made from.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from odyssey_recorder.agents.adapter import Reading, Request
from odyssey_recorder.agents.asking import Agent, Asking, named
from odyssey_recorder.agents.guard import recorded_as
from odyssey_recorder.agents.outcome import EndedError, RunOutcome, StopReason
from odyssey_recorder.agents.ways import enter_key, icon_of
from odyssey_recorder.checking.one_episode.apps import is_launcher
from odyssey_recorder.control.inputs import input_for
from odyssey_recorder.dataset.provenance import AgentRecord
from odyssey_recorder.errors import (
    CancelledError,
    DatasetError,
    DeviceError,
    InputRefusedError,
    RecordingError,
)
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import (
    Action,
    Click,
    Complete,
    Impossible,
    Press,
    SystemKey,
)
from odyssey_recorder.model.answer_failure import failure_in
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.recording import events
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.step_writer import ShownScreen
from odyssey_recorder.recording.view import RecordingView

_REPEATS = 3
"""So many times the same action on the same screen end a run."""
_UNREADABLE = 3
"""So many answers in a row that cannot be carried out end a run."""
_MISSES = 3
"""So many actions in a row that the recorder does not carry out end a run."""
_REQUESTS = 10
"""So many requests in a row, without an action, end a run."""
_LONGEST_WAIT_S = 20.0
LOST_S = 15.0
"""How long a device may be silent; it may be slow, or come back. Longer than adb waits for one answer."""
_TREE_S = 15.0
"""How long to wait for a screen's view hierarchy; without one, a person is asked before a touch."""
_READY_S = 120.0
"""How long a device that answers may take to be ready."""
_ACTING_S = 2_100.0
"""How long an action may take: typing the longest answer."""
_WATCH_S = 0.1


_NO_ICON = "There is no icon of {:.60} on this screen. Find it as a person would, such as in the list of all apps."


class AgentRule(Protocol):
    """Decides what to do on a screen, in place of a model; `name` is recorded as adapter and model."""

    name: str

    def __call__(self, shown: ShownScreen) -> Reading: ...


class AgentSupervisor(Protocol):
    """Who supervises an agent; `is_there` is False if nobody does, and everything is allowed."""

    @property
    def is_there(self) -> bool: ...

    def report(self, step: int, words: str) -> None:
        """The agent is about to do this."""

    def allows(self, words: str, concern: str) -> bool | None:
        """Whether it may; None if nobody answered. Blocks."""

    def reply(self, question: str) -> str | None:
        """The person's answer to the agent's own question; None if nobody answered. Blocks."""

    def has_stopped(self) -> bool: ...


@dataclass(slots=True)
class AgentRun:
    """One task by one agent on one device. `play` blocks, and leaves the recorder as it is at the end."""

    agent: Agent
    recorder: Recorder
    person: AgentSupervisor
    instruction: str
    most_steps: int
    is_dry: bool = False
    rule: AgentRule | None = None
    lost_s: float = LOST_S
    tree_s: float = _TREE_S
    run: RunOutcome = field(default_factory=RunOutcome)
    _seen: Counter[tuple[Action, bytes]] = field(default_factory=Counter)
    _asking: Asking = field(init=False)
    _opening: tuple[str, AgentRecord] | None = None
    """The app whose icon is looked for on the launcher, and the answer that asked for it."""
    _requested: int = 0
    _failed: int = 0
    _missed: int = 0

    def __post_init__(self) -> None:
        self._asking = Asking(self.agent, self.instruction, self.run, self._is_stopped)

    def play(self) -> RunOutcome:
        """One turn of the agent; begins with `Recorder.hand_over`, and may be played again after a person's turn.

        Never raises for what the model or the device does.
        """
        self.run.stop, self.run.why = StopReason.INTERRUPTED, ""
        self._seen.clear()
        self._failed = self._missed = self._requested = 0
        self._opening = None
        last = self.run.steps + self.most_steps
        try:
            self.recorder.shown()  # answered once the turn was given
            while self.run.stop not in (StopReason.COMPLETE, StopReason.IMPOSSIBLE):
                self._refuse_if_stopped()
                if self.run.steps >= last:
                    raise EndedError(StopReason.STEP_LIMIT, f"{self.run.steps} steps")
                self._step()
        except EndedError as ended:
            self.run.stop, self.run.why = ended.stop, ended.why
        except CancelledError:
            pass
        except (RecordingError, DeviceError, DatasetError) as error:
            self.run.stop, self.run.why = StopReason.DEVICE, str(error)
        self.recorder.take_over()
        return self.run

    def _is_stopped(self) -> bool:
        """Raises RecordingError if the device is gone."""
        view = self.recorder.view
        if view.state is State.DEVICE_LOST and self.recorder.silent_s > self.lost_s:
            raise RecordingError(f"{view.message} The draft is saved.")
        return self.person.has_stopped() or not self.recorder.is_agents_turn

    def _refuse_if_stopped(self) -> None:
        if self._is_stopped():
            raise CancelledError("Stopped.")

    def _step(self) -> None:
        with self.run.timed("device_s"):
            shown = self._screen()
        if self._opening is not None:
            self._open_from_launcher(*self._opening, shown)
            return
        credit, reading = self._asking.ask(shown) if self.rule is None else self._decided(shown, self.rule)
        action = reading.action
        if reading.request is not None:
            action = self._action_for(reading.request, shown, credit)
        elif action is None:
            self._failed_answer(reading.problem, shown)
        if action is not None:
            self._do(action, shown, credit)

    def _do(self, action: Action, shown: ShownScreen, credit: AgentRecord) -> None:
        done = recorded_as(action, shown)
        self._refuse_repetition(done, shown)
        self.person.report(step_number(len(shown.steps)), _words(done, shown))
        if self.is_dry:
            raise EndedError(StopReason.DRY_RUN, _words(done, shown))
        self._act(action, shown, self._allowed(action, shown, credit))

    def _decided(self, shown: ShownScreen, rule: AgentRule) -> tuple[AgentRecord, Reading]:
        reading = rule(shown)
        self.run.asked += 1  # so that equal actions on equal screens are told apart
        raw = f"{rule.name} {self.run.asked}"
        return AgentRecord(adapter=rule.name, model=rule.name, raw=raw, problem=reading.problem), reading

    # Look.

    def _screen(self) -> ShownScreen:
        """The screen at rest, if possible with its view hierarchy. Raises RecordingError, CancelledError."""
        self._await_ready()
        number = self.recorder.view.frame_number
        is_read = self._wait(lambda view: view.is_read, self.tree_s)
        shown = self.recorder.shown()
        if shown is None:
            return self._screen()
        if shown.kept.frame.number == number and shown.state is None and not is_read:  # frames come over gRPC only
            raise RecordingError(f"{self.recorder.serial} does not answer over adb any more. The draft is saved.")
        return shown

    def _await_ready(self) -> None:
        if not self._wait(lambda _: True, _READY_S):
            raise RecordingError(f"{self.recorder.serial} was not ready within {_READY_S:g} s. The draft is saved.")

    def _wait(self, is_wanted: Callable[[RecordingView], bool], timeout_s: float) -> bool:
        """Wait for a view that is ready and wanted; False if none came. Raises RecordingError, and CancelledError."""
        give_up_s = time.monotonic() + timeout_s
        broken = State.STORAGE_LOST, State.RESTORING

        def is_over(view: RecordingView) -> bool:
            ready = view.state is State.READY and view.frame_number is not None and is_wanted(view)
            return ready or view.state in broken

        while True:
            self._refuse_if_stopped()
            try:
                view = self.recorder.wait_for(is_over, _WATCH_S)
            except RecordingError:
                if self.recorder.has_ended:
                    raise
                if time.monotonic() > give_up_s:
                    return False
                continue
            if view.state in broken:
                self._refuse_if_stopped()
                raise RecordingError(f"{view.message} The draft is saved.")
            return True

    def _failed_answer(self, problem: str, shown: ShownScreen) -> None:
        self.run.unreadable += 1
        self.run.failures[failure_in(problem) or "unreadable"] += 1
        self._failed += 1
        self.person.report(step_number(len(shown.steps)), f"nothing ({problem})")
        if self._failed >= _UNREADABLE:
            raise EndedError(StopReason.UNREADABLE, problem)

    # What a model asks for besides actions.

    def _action_for(self, request: Request, shown: ShownScreen, credit: AgentRecord) -> Action | None:
        """What a person would do for it; if that is nothing, the model is told what came of it."""
        self.run.failures["not an action"] += 1
        self._requested += 1
        words = str(request)
        self.person.report(step_number(len(shown.steps)), words[:1].upper() + words[1:])
        if self._requested > _REQUESTS:
            raise EndedError(StopReason.REPEATED, f"{_REQUESTS} answers in a row that are no actions")
        if self.is_dry:
            raise EndedError(StopReason.DRY_RUN, str(request))
        match request.kind:
            case "OPEN":
                return self._way_to(request.text, shown, credit)
            case "KEY":
                return self._key(request.text, shown)
            case "WAIT":
                self._await_change(min(request.seconds, _LONGEST_WAIT_S), shown)
            case "ASK":
                self._put_to_person(request.text)
            case "NOTE":
                self._asking.answers += (f"You noted: {request.text}",)
            case "LOOK":
                self._asking.told += ("The screenshot is the newest one.",)
        return None

    def _way_to(self, app: str, shown: ShownScreen, credit: AgentRecord) -> Action | None:
        """No intent is sent, because no step would show it: a person goes home, and clicks on the icon."""
        place = icon_of(app, shown.nodes, shown.kept.frame.size)
        if place is not None:
            return Click(place)
        if shown.state is not None and is_launcher(shown.state.package):
            self._asking.told += (_NO_ICON.format(app),)
            return None
        self._opening = (app, credit)
        return Press(SystemKey.HOME)

    def _open_from_launcher(self, app: str, credit: AgentRecord, shown: ShownScreen) -> None:
        self._opening = None
        place = icon_of(app, shown.nodes, shown.kept.frame.size)
        if place is None:
            self._asking.told += (_NO_ICON.format(app),)
        else:
            self._do(Click(place), shown, credit)

    def _key(self, name: str, shown: ShownScreen) -> Action | None:
        is_enter = name.lower() in ("enter", "return", "keycode_enter")
        place = enter_key(shown.nodes, shown.kept.frame.size) if is_enter else None
        if place is not None:
            return Click(place)
        self._asking.told += (f"The key {name:.40} cannot be pressed here. Use what is on the screen.",)
        return None

    def _await_change(self, seconds: float, shown: ShownScreen) -> None:
        """Until the screen has changed and is at rest, or the time is over."""
        number = shown.kept.frame.number
        with self.run.timed("device_s"):
            if not self._wait(lambda view: view.frame_number != number, seconds):
                self._asking.told += (f"You waited {seconds:g} s, and the screen has not changed.",)

    def _put_to_person(self, question: str) -> None:
        self.run.interventions += 1
        answer = self.person.reply(question or "The agent asks for you.")
        self._refuse_if_stopped()
        said = "Nobody is there to answer it." if answer is None else f"The answer: {answer}"
        self._asking.answers += (f"You asked: {question} {said}",)

    # Act.

    def _refuse_repetition(self, action: Action, shown: ShownScreen) -> None:
        top = 0 if shown.state is None else shown.state.status_bar_px  # a clock is no other screen
        frame = shown.kept.frame
        looks = sha256(memoryview(frame.pixels)[top * frame.size.width * frame.bytes_per_pixel :]).digest()
        self._seen[action, looks] += 1
        if self._seen[action, looks] >= _REPEATS:
            raise EndedError(StopReason.REPEATED, f"{_words(action, shown)}, {_REPEATS} times on the same screen")

    def _allowed(self, action: Action, shown: ShownScreen, credit: AgentRecord) -> AgentRecord:
        """With whether a person allowed it; what a person refuses is kept for the step that is shown instead."""
        concern = self.agent.guard.concern(action, shown, credit.raw)
        if not concern:
            return credit
        self.run.interventions += 1
        done = recorded_as(action, shown)
        is_allowed = self.person.allows(_words(done, shown), concern)
        if is_allowed:
            return credit.model_copy(update={"approved": self.person.is_there})
        if is_allowed is False:
            self.recorder.refuse(done, shown.kept.frame.number, credit)
        self._refuse_if_stopped()
        raise EndedError(StopReason.GUARD, concern)

    def _act(self, action: Action, shown: ShownScreen, credit: AgentRecord) -> None:
        frame = shown.kept.frame
        try:
            with self.run.timed("device_s"):
                begins = self.recorder.act(
                    intent_for(action, frame.size, self.recorder.long_press_ms), frame.number, credit
                )
                is_step = begins and self._becomes_step(frame.number, len(shown.steps), credit)
        except InputRefusedError as error:
            self._failed_answer(str(error), shown)
            return
        if not is_step:
            self._miss(_words(action, shown))
            return
        self._failed = self._missed = self._requested = 0
        self._asking.told = ()
        self.run.steps += 1
        match action:
            case Complete(note):
                self.run.stop, self.run.note = StopReason.COMPLETE, note
            case Impossible(reason):
                self.run.stop, self.run.note = StopReason.IMPOSSIBLE, reason
            case _:
                pass

    def _becomes_step(self, frame_number: int, steps: int, credit: AgentRecord) -> bool:
        """Wait until the action is over. A person may have acted, and undone steps, since."""
        over = State.FINISHED, State.DEVICE_LOST, State.STORAGE_LOST, State.RESTORING

        def is_over(view: RecordingView) -> bool:
            is_next = view.state is State.READY and view.frame_number not in (None, frame_number)
            return is_next or view.state in over

        view = self.recorder.wait_for(is_over, _ACTING_S)
        if view.state is State.DEVICE_LOST:  # only when it is back is it known whether the step stays
            self._await_ready()
            view = self.recorder.view
        return any(step.agent == credit for step in view.steps[steps:])

    def _miss(self, action: str) -> None:
        """The screen changed before the action, or the device refused it: look again."""
        self._refuse_if_stopped()
        self._missed += 1
        if self._missed >= _MISSES:
            why = f"{_MISSES} actions in a row came too late or were refused."
            raise RecordingError(f"{action} was not carried out: {why} The draft is saved.")


def _words(action: Action, shown: ShownScreen) -> str:
    return named(action, shown.nodes, shown.kept.frame.size)


def intent_for(action: Action, size: Size, long_press_ms: int) -> events.Intent:
    """What is asked of the recorder on a screen of `size`; a text must not be empty."""
    match action:
        case Complete():
            return action
        case Impossible(reason):
            return Impossible(reason.strip() or "The agent gave no reason.")
        case _:
            pass
    match input_for(action, size, long_press_ms=long_press_ms):
        case TouchStroke() as stroke:
            return events.Touch(stroke)
        case SystemKey() as key:
            return events.KeyPress(key)
        case str(text):
            return events.TextEntered(text)
        case None:
            raise AssertionError(f"{action} has no input")
