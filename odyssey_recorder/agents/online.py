"""An agent at work on a device: look at the screen at rest, ask the model, act through the recorder.

Its steps are recorded as a person's are, with the same provenance; each also has the answer that it was made from.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, Protocol

from odyssey_recorder.agents.adapter import Adapter, History, PastStep, Reading, Screenshot
from odyssey_recorder.agents.guard import Guard
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.predict import next_step
from odyssey_recorder.annotation.pictures import View
from odyssey_recorder.control.inputs import input_for
from odyssey_recorder.dataset.provenance import AgentRecord
from odyssey_recorder.errors import (
    AnswerError,
    BudgetError,
    CancelledError,
    DeviceError,
    InputRefusedError,
    LanguageModelError,
    RecordingError,
)
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, Type, in_words
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording import script
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.step_writer import ShownScreen
from odyssey_recorder.recording.view import RecordingView

_REPEATS = 3
"""So many times the same action on the same screen end a run."""
_UNREADABLE = 3
"""So many answers in a row that cannot be carried out end a run."""
_ATTEMPTS = 10_000
"""More than the questions of a run: so the seeds have different candidates."""
_LONGEST_RAW = 20_000
_TREE_S = 15.0
"""How long to wait for a screen's view hierarchy; without one, a person is asked before a touch."""
_LOST_S = 20.0
"""How long a device may be lost."""
_WATCH_S = 0.1


class Stop(StrEnum):
    COMPLETE = "complete"
    IMPOSSIBLE = "impossible"
    STEP_LIMIT = "step limit"
    REPEATED = "repeated"
    UNREADABLE = "unreadable"
    GUARD = "guard"
    FAULTY_TASK = "faulty task"
    DRY_RUN = "dry run"
    BUDGET = "budget"
    MODEL = "model"
    DEVICE = "device"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        """Whether the agent or the task ended the run; other runs are repeated."""
        return self not in (Stop.DRY_RUN, Stop.BUDGET, Stop.MODEL, Stop.DEVICE, Stop.INTERRUPTED)


@dataclass(slots=True)
class Run:
    """The result of a run so far; times are in seconds, `cost` in US dollars, None without a price."""

    stop: Stop = Stop.INTERRUPTED
    why: str = ""
    note: str = ""
    steps: int = 0
    asked: int = 0
    unreadable: int = 0
    interventions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    model_s: float = 0.0
    device_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Agent:
    """Each `seed` has answers of its own in the cache."""

    adapter: Adapter[Any]
    batch: Batch
    history: HistoryRule
    guard: Guard
    seed: int = 0


class Person(Protocol):
    """Who supervises an agent; `is_there` is False if nobody does, and everything is allowed."""

    @property
    def is_there(self) -> bool: ...

    def told(self, step: int, words: str) -> None:
        """The agent is about to do this."""

    def allows(self, words: str, concern: str) -> bool:
        """Whether it may; blocks."""

    def has_stopped(self) -> bool: ...


@dataclass(slots=True)
class AgentRun:
    """One task by one agent on one device. `play` blocks, and leaves the recorder as it is at the end."""

    agent: Agent
    recorder: Recorder
    player: script.ScriptPlayer
    person: Person
    instruction: str
    most_steps: int
    is_dry: bool = False
    run: Run = field(default_factory=Run)
    _past: list[PastStep] = field(default_factory=list)
    _seen: Counter[tuple[Action, bytes]] = field(default_factory=Counter)
    _failed: int = 0

    def play(self) -> Run:
        """Never raises for what the model or the device does."""
        try:
            while not self._is_over():
                self._step()
        except _EndedError as ended:
            self.run.stop, self.run.why = ended.stop, ended.why
        except CancelledError:
            self.run.stop = Stop.INTERRUPTED
        except (RecordingError, DeviceError) as error:
            self.run.stop, self.run.why = Stop.DEVICE, str(error)
        self.recorder.credit(None)
        return self.run

    def _is_over(self) -> bool:
        if self.person.has_stopped():
            raise CancelledError("Stopped.")
        if self.run.steps >= self.most_steps:
            raise _EndedError(Stop.STEP_LIMIT, f"{self.run.steps} steps")
        return self.run.stop in (Stop.COMPLETE, Stop.IMPOSSIBLE)

    def _step(self) -> None:
        with self._timed("device_s"):
            shown = self._screen()
        screenshot = self._screenshot(shown)
        answer, reading = self._ask(screenshot)
        if reading.action is None:
            self._failed_answer(reading.problem)
            return
        self._refuse_repetition(reading.action, shown)
        self.person.told(self.run.steps + 1, in_words(reading.action))
        if self.is_dry:
            raise _EndedError(Stop.DRY_RUN, in_words(reading.action))
        was_allowed = self._allowed(reading.action, shown, answer.raw)
        self.recorder.credit(self._credit(answer, reading, approved=was_allowed))
        self._act(reading.action, shown.kept.frame.size)
        self._past.append(PastStep(reading.action, screenshot))

    # Look.

    def _screen(self) -> ShownScreen:
        """The screen at rest, if possible with its view hierarchy."""
        try:
            self._wait(lambda view: view.is_read, _TREE_S)
        except RecordingError:
            self._wait(lambda _: True, _LOST_S)
        shown = self.recorder.shown()
        return self._screen() if shown is None else shown

    def _wait(self, is_wanted: Callable[[RecordingView], bool], timeout_s: float) -> None:
        """Wait for a view that is ready and wanted. Raises RecordingError, and CancelledError."""
        give_up_s = time.monotonic() + timeout_s
        broken = State.STORAGE_LOST, State.RESTORING

        def is_over(view: RecordingView) -> bool:
            ready = view.state is State.READY and view.frame_number is not None and is_wanted(view)
            return ready or view.state in broken

        while True:
            if self.person.has_stopped():
                raise CancelledError("Stopped.")
            try:
                view = self.recorder.wait_for(is_over, _WATCH_S)
            except RecordingError:
                if time.monotonic() > give_up_s or self.recorder.has_ended:
                    raise
                continue
            if view.state in broken:
                raise RecordingError(f"{view.message} The draft is saved.")
            return

    def _screenshot(self, shown: ShownScreen) -> Screenshot:
        """What is typed into a password field stays black, as in `predict`."""
        kept, size = shown.kept, shown.kept.frame.size
        boxes = (node.box for node in shown.nodes if node.password)
        masks = tuple((one.left, one.top, one.right, one.bottom) for one in boxes)
        view = View(kept.path, kept.record.png_sha256, size, masks, sent=self.agent.adapter.fit(size))
        return Screenshot(view.lazy, size)

    # Ask.

    def _ask(self, screenshot: Screenshot) -> tuple[ModelAnswer, Reading]:
        answer = self._answer(self._question(screenshot))
        self.run.tokens_in += answer.usage.tokens_in
        self.run.tokens_out += answer.usage.tokens_out
        reading = self.agent.adapter.read(answer.raw, screenshot.sent_size, screenshot.true_size)
        if isinstance(reading.action, Type) and not reading.action.text:
            reading = Reading(None, "unreadable: there is no text to type")
        return answer, reading

    def _question(self, screenshot: Screenshot) -> ModelRequest:
        rule, now = self.agent.history, len(self._past)
        pictured = rule.pictured(now)
        told = [self._past[at] if at in pictured else PastStep(self._past[at].action) for at in rule.told(now)]
        messages = self.agent.adapter.prompt(self.instruction, History(tuple(told)), screenshot)
        self.run.asked += 1
        return next_step("agent", self.agent.adapter, messages, self.agent.seed * _ATTEMPTS + self.run.asked)

    def _answer(self, question: ModelRequest) -> ModelAnswer:
        with self._timed("model_s"):
            (answer,) = self.agent.batch.ask_all([question], cancelled=self.person.has_stopped)
        match answer:
            case ModelAnswer():
                cost = self.agent.batch.call(question, answer).cost
                self.run.cost = None if cost is None or self.run.cost is None else self.run.cost + cost
                return answer
            case AnswerError():  # such as a content filter
                self.run.tokens_in += answer.tokens_in
                self.run.tokens_out += answer.tokens_out
                raise _EndedError(Stop.UNREADABLE, str(answer))
            case BudgetError():
                raise _EndedError(Stop.BUDGET, str(answer))
            case LanguageModelError():
                raise _EndedError(Stop.MODEL, str(answer))

    def _failed_answer(self, problem: str) -> None:
        self.run.unreadable += 1
        self._failed += 1
        self.person.told(self.run.steps + 1, f"nothing ({problem})")
        if self._failed >= _UNREADABLE:
            raise _EndedError(Stop.UNREADABLE, problem)

    # Act.

    def _refuse_repetition(self, action: Action, shown: ShownScreen) -> None:
        top = 0 if shown.state is None else shown.state.status_bar_px  # a clock is no other screen
        frame = shown.kept.frame
        looks = sha256(memoryview(frame.pixels)[top * frame.size.width * frame.bytes_per_pixel :]).digest()
        self._seen[action, looks] += 1
        if self._seen[action, looks] >= _REPEATS:
            raise _EndedError(Stop.REPEATED, f"{in_words(action)}, {_REPEATS} times on the same screen")

    def _allowed(self, action: Action, shown: ShownScreen, raw: str) -> bool:
        """Whether a person allowed it."""
        concern = self.agent.guard.concern(action, shown, raw)
        if not concern:
            return False
        self.run.interventions += 1
        if not self.person.allows(in_words(action), concern):
            raise _EndedError(Stop.GUARD, concern)
        return self.person.is_there

    def _credit(self, answer: ModelAnswer, reading: Reading, *, approved: bool) -> AgentRecord:
        return AgentRecord(
            adapter=self.agent.adapter.name,
            model=answer.model_answered,
            raw=answer.raw[:_LONGEST_RAW],
            problem=reading.problem,
            tokens_in=answer.usage.tokens_in,
            tokens_out=answer.usage.tokens_out,
            seconds=answer.seconds,
            approved=approved,
        )

    def _act(self, action: Action, size: Size) -> None:
        try:
            with self._timed("device_s"):
                self.player.perform(command_for(action, size), self.recorder)
        except InputRefusedError as error:
            self._failed_answer(str(error))
            return
        self._failed = 0
        self.run.steps += 1
        match action:
            case Complete(note):
                self.run.stop, self.run.note = Stop.COMPLETE, note
            case Impossible(reason):
                self.run.stop, self.run.note = Stop.IMPOSSIBLE, reason
            case _:
                pass

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began_s = time.monotonic()
        try:
            yield
        finally:
            setattr(self.run, name, getattr(self.run, name) + time.monotonic() - began_s)


class _EndedError(Exception):
    def __init__(self, stop: Stop, why: str) -> None:
        super().__init__(why)
        self.stop = stop
        self.why = why


def command_for(action: Action, size: Size) -> script.Command:
    """The action as a command of a script, in pixels of a screen of `size`."""
    done = input_for(action, size)
    match action, done:
        case Click(), TouchStroke(start=at):
            return script.Tap(tap=(at.x, at.y))
        case LongPress(), TouchStroke(start=at):
            return script.ScriptLongPress(long_press=(at.x, at.y))
        case Scroll(), TouchStroke(samples=samples, duration_us=us):
            return script.Swipe(swipe=tuple((one.at.x, one.at.y) for one in samples), ms=us // 1000)
        case Press(key), _:
            return script.PressKey(key=key.value)
        case Type(text), _:
            return script.TypeText(type=text)
        case Impossible(reason), _:
            return script.ScriptImpossible(impossible=reason.strip() or "The agent gave no reason.")
        case Complete(note), _:
            return script.ScriptComplete(complete=note)
        case _:
            raise AssertionError(f"{action} has no input")
