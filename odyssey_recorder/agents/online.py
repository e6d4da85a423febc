"""An agent at work on a device: look at the screen at rest, ask the model, act through the recorder.

Its steps are recorded as a person's are, with the same provenance; each also has the answer that it was made from.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from odyssey_recorder.agents.adapter import Adapter, History, Moment, PastStep, Reading, Request, Said, SentScreenshot
from odyssey_recorder.agents.guard import Guard, recorded_as
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.marks import elements
from odyssey_recorder.agents.parsing import LONGEST
from odyssey_recorder.agents.predict import next_step, reading_of, sent_as
from odyssey_recorder.agents.ways import enter_key, icon_of, icons_in
from odyssey_recorder.annotation.redacted_episode import HIDDEN
from odyssey_recorder.annotation.screenshots import ShownScreenshot
from odyssey_recorder.checking.one_episode.apps import is_launcher
from odyssey_recorder.control.inputs import input_for
from odyssey_recorder.dataset.draft import DraftStep
from odyssey_recorder.dataset.layout import read_dataset_file
from odyssey_recorder.dataset.provenance import AgentRecord, FrameRecord
from odyssey_recorder.device.view_hierarchy import ViewNode, name_at, parse
from odyssey_recorder.errors import (
    AnswerError,
    BrokenReplyError,
    BudgetError,
    CancelledError,
    DatasetError,
    DeviceError,
    InputRefusedError,
    LanguageModelError,
    RecordingError,
)
from odyssey_recorder.files import Largest
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest, Usage
from odyssey_recorder.model.action import (
    Action,
    Click,
    Complete,
    Impossible,
    LongPress,
    Press,
    SystemKey,
    Type,
    in_words,
    in_words_at,
)
from odyssey_recorder.model.answer_failure import Failure, failure_in, failure_of
from odyssey_recorder.model.geometry import Size, to_pixel
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
_ATTEMPTS = 10_000
"""More than the questions of a run: so the seeds have different candidates."""
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


class StopReason(StrEnum):
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
        return self not in (
            StopReason.DRY_RUN,
            StopReason.BUDGET,
            StopReason.MODEL,
            StopReason.DEVICE,
            StopReason.INTERRUPTED,
        )

    @property
    def cuts_short(self) -> bool:
        """Whether the task was neither carried out nor given up when the run ended for good."""
        return self in (StopReason.GUARD, StopReason.UNREADABLE, StopReason.REPEATED)


@dataclass(slots=True)
class RunOutcome:
    """The result of a run so far; times are in seconds, `cost` in US dollars, None without a price."""

    stop: StopReason = StopReason.INTERRUPTED
    why: str = ""
    note: str = ""
    steps: int = 0
    asked: int = 0
    unreadable: int = 0
    failures: Counter[Failure] = field(default_factory=Counter)
    interventions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    model_s: float = 0.0
    device_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Agent:
    """Each `seed` has its own cached answers. Without a `batch` no model is asked: the run has a rule."""

    adapter: Adapter[Any]
    batch: Batch | None
    history: HistoryRule
    guard: Guard
    seed: int = 0


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
    _past: dict[int, PastStep] = field(default_factory=dict)
    _seen: Counter[tuple[Action, bytes]] = field(default_factory=Counter)
    _apps: dict[str, None] = field(default_factory=dict)
    _answers: tuple[str, ...] = ()
    """What the model is told from now on: what the person answered, and what it noted."""
    _told: tuple[str, ...] = ()
    """What it is told until the next step."""
    _opening: tuple[str, AgentRecord] | None = None
    """The app whose icon is looked for on the launcher, and the answer that asked for it."""
    _requested: int = 0
    _failed: int = 0
    _missed: int = 0

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
                    raise _EndedError(StopReason.STEP_LIMIT, f"{self.run.steps} steps")
                self._step()
        except _EndedError as ended:
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
        with self._timed("device_s"):
            shown = self._screen()
        if self._opening is not None:
            self._open_from_launcher(*self._opening, shown)
            return
        credit, reading = self._asked(shown) if self.rule is None else self._decided(shown, self.rule)
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
            raise _EndedError(StopReason.DRY_RUN, _words(done, shown))
        self._act(action, shown, self._allowed(action, shown, credit))

    def _asked(self, shown: ShownScreen) -> tuple[AgentRecord, Reading]:
        kept = shown.kept
        screenshot = self._screenshot(kept.path, kept.record, shown.nodes)
        answer, reading = self._ask(self._history(shown.steps), screenshot, self._moment(shown))
        return self._credit(answer, reading), reading

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

    def _screenshot(self, path: Path, frame: FrameRecord, nodes: Sequence[ViewNode]) -> SentScreenshot:
        """What is typed into a password field stays black, as in `predict`."""
        boxes = (node.box for node in nodes if node.password)
        masks = tuple((box.left, box.top, box.right, box.bottom) for box in boxes)
        view = ShownScreenshot(path, frame.png_sha256, frame.size, masks)
        adapter = self.agent.adapter
        return sent_as(adapter, view, frame.size, elements(tuple(nodes), frame.size) if adapter.needs_marks else ())

    def _moment(self, shown: ShownScreen) -> Moment:
        package = "" if shown.state is None else shown.state.package
        self._apps |= dict.fromkeys(icons_in(shown.nodes))
        return Moment(datetime.now(UTC).date(), package, tuple(self._apps))

    def _history(self, steps: Sequence[DraftStep]) -> History:
        """The earlier steps as shown to the model, by agent or person."""
        rule, now = self.agent.history, len(steps)
        shown = rule.with_screenshot(now, self.agent.adapter.pictures)
        past = {at: self._past_step(steps[at]) for at in rule.earlier_steps(now)}
        kept = tuple(step if at in shown else replace(step, screenshot=None) for at, step in past.items())
        return History(kept, told=(*self._answers, *self._told))

    def _past_step(self, step: DraftStep) -> PastStep:
        """Raises DatasetError, DeviceError if the step's view hierarchy is unreadable: it might hide a password."""
        if step.key not in self._past:
            nodes = _nodes(step.tree)
            is_secret = isinstance(step.action, Type) and any(node.password and node.focused for node in nodes)
            screenshot = self._screenshot(step.screenshot, step.record.frame, nodes)
            action = Type(HIDDEN) if is_secret else step.action
            moment = Moment(step.record.day, step.record.package)
            raw = "" if is_secret else self._own_answer(step, screenshot)
            said = Said(sentence=_named(action, nodes, step.record.frame.size))
            self._past[step.key] = PastStep(action, screenshot, raw, said, moment)
        return self._past[step.key]

    def _own_answer(self, step: DraftStep, shown: SentScreenshot) -> str:
        """The answer that the step was made from, if it is one of this kind of model and says what was done."""
        agent, adapter = step.record.agent, self.agent.adapter
        if agent is None or agent.adapter != adapter.name:
            return ""
        action = adapter.read(agent.raw, shown.sent_size, shown.true_size, shown.marks).action
        return agent.raw if type(action) is type(step.action) else ""

    # Ask.

    def _ask(self, history: History, screenshot: SentScreenshot, moment: Moment) -> tuple[ModelAnswer, Reading]:
        question = self._question(history, screenshot, moment)
        answer = self._answer(question)
        self.run.tokens_in += answer.usage.tokens_in
        self.run.tokens_out += answer.usage.tokens_out
        reading = reading_of(self.agent.adapter, question, answer, screenshot)
        if isinstance(reading.action, Type) and not reading.action.text:
            reading = Reading(None, "unreadable: there is no text to type")
        return answer, reading

    def _question(self, history: History, screenshot: SentScreenshot, moment: Moment) -> ModelRequest:
        messages = self.agent.adapter.prompt(self.instruction, history, screenshot, moment)
        self.run.asked += 1
        return next_step("agent", self.agent.adapter, messages, self.agent.seed * _ATTEMPTS + self.run.asked)

    def _answer(self, question: ModelRequest) -> ModelAnswer:
        batch = self.agent.batch
        assert batch is not None
        with self._timed("model_s"):
            (answer,) = batch.ask_all([question], cancelled=self._is_stopped)
        if isinstance(answer, ModelAnswer):
            self._pay(batch.call(question, answer).cost)
            return answer
        self.run.tokens_in += answer.tokens_in
        self.run.tokens_out += answer.tokens_out
        self._pay(batch.cost(Usage(answer.tokens_in, answer.tokens_out)))
        self.run.failures.update(filter(None, [failure_of(answer)]))
        match answer:
            case AnswerError() if not isinstance(answer, BrokenReplyError):  # such as a content filter
                raise _EndedError(StopReason.UNREADABLE, str(answer))
            case BudgetError():
                raise _EndedError(StopReason.BUDGET, str(answer))
            case LanguageModelError():
                raise _EndedError(StopReason.MODEL, str(answer))

    def _pay(self, cost: float | None) -> None:
        self.run.cost = None if cost is None or self.run.cost is None else self.run.cost + cost

    def _failed_answer(self, problem: str, shown: ShownScreen) -> None:
        self.run.unreadable += 1
        self.run.failures[failure_in(problem) or "unreadable"] += 1
        self._failed += 1
        self.person.report(step_number(len(shown.steps)), f"nothing ({problem})")
        if self._failed >= _UNREADABLE:
            raise _EndedError(StopReason.UNREADABLE, problem)

    # What a model asks for besides actions.

    def _action_for(self, request: Request, shown: ShownScreen, credit: AgentRecord) -> Action | None:
        """What a person would do for it; if that is nothing, the model is told what came of it."""
        self.run.failures["not an action"] += 1
        self._requested += 1
        words = str(request)
        self.person.report(step_number(len(shown.steps)), words[:1].upper() + words[1:])
        if self._requested > _REQUESTS:
            raise _EndedError(StopReason.REPEATED, f"{_REQUESTS} answers in a row that are no actions")
        if self.is_dry:
            raise _EndedError(StopReason.DRY_RUN, str(request))
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
                self._answers += (f"You noted: {request.text}",)
            case "LOOK":
                self._told += ("The screenshot is the newest one.",)
        return None

    def _way_to(self, app: str, shown: ShownScreen, credit: AgentRecord) -> Action | None:
        """No intent is sent, because no step would show it: a person goes home, and clicks on the icon."""
        place = icon_of(app, shown.nodes, shown.kept.frame.size)
        if place is not None:
            return Click(place)
        if shown.state is not None and is_launcher(shown.state.package):
            self._told += (_NO_ICON.format(app),)
            return None
        self._opening = (app, credit)
        return Press(SystemKey.HOME)

    def _open_from_launcher(self, app: str, credit: AgentRecord, shown: ShownScreen) -> None:
        self._opening = None
        place = icon_of(app, shown.nodes, shown.kept.frame.size)
        if place is None:
            self._told += (_NO_ICON.format(app),)
        else:
            self._do(Click(place), shown, credit)

    def _key(self, name: str, shown: ShownScreen) -> Action | None:
        is_enter = name.lower() in ("enter", "return", "keycode_enter")
        place = enter_key(shown.nodes, shown.kept.frame.size) if is_enter else None
        if place is not None:
            return Click(place)
        self._told += (f"The key {name:.40} cannot be pressed here. Use what is on the screen.",)
        return None

    def _await_change(self, seconds: float, shown: ShownScreen) -> None:
        """Until the screen has changed and is at rest, or the time is over."""
        number = shown.kept.frame.number
        with self._timed("device_s"):
            if not self._wait(lambda view: view.frame_number != number, seconds):
                self._told += (f"You waited {seconds:g} s, and the screen has not changed.",)

    def _put_to_person(self, question: str) -> None:
        self.run.interventions += 1
        answer = self.person.reply(question or "The agent asks for you.")
        self._refuse_if_stopped()
        said = "Nobody is there to answer it." if answer is None else f"The answer: {answer}"
        self._answers += (f"You asked: {question} {said}",)

    # Act.

    def _refuse_repetition(self, action: Action, shown: ShownScreen) -> None:
        top = 0 if shown.state is None else shown.state.status_bar_px  # a clock is no other screen
        frame = shown.kept.frame
        looks = sha256(memoryview(frame.pixels)[top * frame.size.width * frame.bytes_per_pixel :]).digest()
        self._seen[action, looks] += 1
        if self._seen[action, looks] >= _REPEATS:
            raise _EndedError(StopReason.REPEATED, f"{_words(action, shown)}, {_REPEATS} times on the same screen")

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
        raise _EndedError(StopReason.GUARD, concern)

    def _credit(self, answer: ModelAnswer, reading: Reading) -> AgentRecord:
        return AgentRecord(
            adapter=self.agent.adapter.name,
            model=answer.model_answered,
            raw=answer.raw[:LONGEST],
            problem=reading.problem,
            tokens_in=answer.usage.tokens_in,
            tokens_out=answer.usage.tokens_out,
            seconds=answer.seconds,
        )

    def _act(self, action: Action, shown: ShownScreen, credit: AgentRecord) -> None:
        frame = shown.kept.frame
        try:
            with self._timed("device_s"):
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
        self._told = ()
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

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began_s = time.monotonic()
        try:
            yield
        finally:
            setattr(self.run, name, getattr(self.run, name) + time.monotonic() - began_s)


def _words(action: Action, shown: ShownScreen) -> str:
    return _named(action, shown.nodes, shown.kept.frame.size)


def _named(action: Action, nodes: tuple[ViewNode, ...], size: Size) -> str:
    """What the action does, to which element or where."""
    if not isinstance(action, Click | LongPress):
        return in_words(action)
    element = name_at(nodes, to_pixel(action.point, size), size)
    return in_words(action, element) if element else in_words_at(action)


def _nodes(tree: Path | None) -> tuple[ViewNode, ...]:
    return () if tree is None else parse(read_dataset_file(tree, Largest.TREE).decode(errors="replace"))


class _EndedError(Exception):
    def __init__(self, stop: StopReason, why: str) -> None:
        super().__init__(why)
        self.stop = stop
        self.why = why


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
