"""What a model is told of a recording, and how its answer is taken: the screen, the steps before, and its memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from odyssey_recorder.agents.adapter import Adapter, History, Moment, PastStep, Reading, Said, SentScreenshot
from odyssey_recorder.agents.guard import Guard
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.live_memory import LiveMemory, refuse_memory
from odyssey_recorder.agents.marks import elements
from odyssey_recorder.agents.outcome import EndedError, RunOutcome, StopReason
from odyssey_recorder.agents.parsing import LONGEST
from odyssey_recorder.agents.predict import next_step, reading_of, sent_as
from odyssey_recorder.agents.ways import icons_in
from odyssey_recorder.annotation.memory import told
from odyssey_recorder.annotation.memory_writer import ToldTask
from odyssey_recorder.annotation.redacted_episode import HIDDEN, RedactedStep, redacted_step
from odyssey_recorder.annotation.screenshots import ShownScreenshot
from odyssey_recorder.dataset.draft import DraftStep
from odyssey_recorder.dataset.layout import read_dataset_file
from odyssey_recorder.dataset.provenance import AgentRecord, FrameRecord
from odyssey_recorder.device.view_hierarchy import ViewNode, name_at, parse
from odyssey_recorder.errors import AnswerError, BrokenReplyError, BudgetError, LanguageModelError
from odyssey_recorder.files import Largest
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest, Usage
from odyssey_recorder.model.action import Action, Click, Complete, LongPress, Type, in_words, in_words_at
from odyssey_recorder.model.answer_failure import failure_of
from odyssey_recorder.model.geometry import Size, to_pixel
from odyssey_recorder.recording.step_writer import ShownScreen

_ATTEMPTS = 10_000
"""More than the questions of a run: so the seeds have different candidates."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Each `seed` has its own cached answers. Without a `batch` no model is asked: the run has a rule."""

    adapter: Adapter[Any]
    batch: Batch | None
    history: HistoryRule
    guard: Guard
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises SettingsError if the model cannot be told this history."""
        refuse_memory(self.adapter, self.history)


@dataclass(slots=True)
class Asking:
    """The questions of one run about one task. `answers` are told from now on, `told` until the next step."""

    agent: Agent
    instruction: str
    run: RunOutcome
    is_stopped: Callable[[], bool]
    answers: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    _past: dict[int, PastStep] = field(default_factory=dict)
    _seen: dict[int, RedactedStep] = field(default_factory=dict)
    _apps: dict[str, None] = field(default_factory=dict)
    _memory: LiveMemory = field(init=False)

    def __post_init__(self) -> None:
        self._memory = LiveMemory(ToldTask(self.instruction, length=self.agent.history.recall.length))

    def ask(self, shown: ShownScreen) -> tuple[AgentRecord, Reading]:
        kept = shown.kept
        screenshot = self._sent(self._view(kept.path, kept.record, shown.nodes), shown.nodes)
        answer, reading = self._ask(self._history(shown), screenshot, self._moment(shown))
        return self._credit(answer, reading), reading

    # What is told.

    def _view(self, path: Path, frame: FrameRecord, nodes: Sequence[ViewNode]) -> ShownScreenshot:
        """What is typed into a password field stays black, as in `predict`."""
        boxes = (node.box for node in nodes if node.password)
        masks = tuple((box.left, box.top, box.right, box.bottom) for box in boxes)
        return ShownScreenshot(path, frame.png_sha256, frame.size, masks)

    def _sent(self, view: ShownScreenshot, nodes: Sequence[ViewNode]) -> SentScreenshot:
        adapter = self.agent.adapter
        return sent_as(adapter, view, view.size, elements(tuple(nodes), view.size) if adapter.needs_marks else ())

    def _moment(self, shown: ShownScreen) -> Moment:
        package = "" if shown.state is None else shown.state.package
        self._apps |= dict.fromkeys(icons_in(shown.nodes))
        return Moment(datetime.now(UTC).date(), package, tuple(self._apps))

    def _history(self, shown: ShownScreen) -> History:
        """The earlier steps as shown to the model, by agent or person, or its memory."""
        rule, now = self.agent.history, len(shown.steps)
        pictured = rule.with_screenshot(now, self.agent.adapter.pictures)
        past = {at: self._past_step(shown.steps[at]) for at in rule.earlier_steps(now)}
        kept = tuple(step if at in pictured else replace(step, screenshot=None) for at, step in past.items())
        return History(kept, self._remembered(shown) if rule.is_live else "", (*self.answers, *self.told))

    def _remembered(self, shown: ShownScreen) -> str:
        """What the model wrote into its memory until it saw this screen; what it could not write is missing."""
        steps = [self._redacted(step) for step in shown.steps]
        now = self._view(shown.kept.path, shown.kept.record, shown.nodes)
        app = "" if shown.state is None else shown.state.package
        writing = self._memory.write([*steps, RedactedStep("", Complete(), (now,), is_terminal=False, app=app)])
        try:
            question = next(writing)
            while True:
                question = writing.send(self._usable(question))
        except StopIteration as ended:
            return told(ended.value, self.agent.history.recall)

    def _usable(self, question: ModelRequest) -> ModelAnswer | None:
        """None for an answer that the server refuses every time, such as a content filter."""
        try:
            return self._answer(question)
        except EndedError as ended:
            if ended.stop is StopReason.UNREADABLE:
                return None
            raise

    def _redacted(self, step: DraftStep) -> RedactedStep:
        if step.key not in self._seen:
            record, nodes = step.record, nodes_in(step.tree)
            view = self._view(step.screenshot, record.frame, nodes)
            self._seen[step.key] = redacted_step(step.action, view, nodes, record, record.bbox)
        return self._seen[step.key]

    def _past_step(self, step: DraftStep) -> PastStep:
        """Raises DatasetError, DeviceError if the step's view hierarchy is unreadable: it might hide a password."""
        if step.key not in self._past:
            nodes = nodes_in(step.tree)
            is_secret = isinstance(step.action, Type) and any(node.password and node.focused for node in nodes)
            screenshot = self._sent(self._view(step.screenshot, step.record.frame, nodes), nodes)
            action = Type(HIDDEN) if is_secret else step.action
            moment = Moment(step.record.day, step.record.package)
            raw = "" if is_secret else self._own_answer(step, screenshot)
            said = Said(sentence=named(action, nodes, step.record.frame.size))
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
        with self.run.timed("model_s"):
            (answer,) = batch.ask_all([question], cancelled=self.is_stopped)
        if isinstance(answer, ModelAnswer):
            self.run.tokens_in += answer.usage.tokens_in
            self.run.tokens_out += answer.usage.tokens_out
            self._pay(batch.call(question, answer).cost)
            return answer
        self.run.tokens_in += answer.tokens_in
        self.run.tokens_out += answer.tokens_out
        self._pay(batch.cost(Usage(answer.tokens_in, answer.tokens_out)))
        self.run.failures.update(filter(None, [failure_of(answer)]))
        match answer:
            case AnswerError() if not isinstance(answer, BrokenReplyError):  # such as a content filter
                raise EndedError(StopReason.UNREADABLE, str(answer))
            case BudgetError():
                raise EndedError(StopReason.BUDGET, str(answer))
            case LanguageModelError():
                raise EndedError(StopReason.MODEL, str(answer))

    def _pay(self, cost: float | None) -> None:
        self.run.cost = None if cost is None or self.run.cost is None else self.run.cost + cost

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


def named(action: Action, nodes: tuple[ViewNode, ...], size: Size) -> str:
    """What the action does, to which element or where."""
    if not isinstance(action, Click | LongPress):
        return in_words(action)
    element = name_at(nodes, to_pixel(action.point, size), size)
    return in_words(action, element) if element else in_words_at(action)


def nodes_in(tree: Path | None) -> tuple[ViewNode, ...]:
    return () if tree is None else parse(read_dataset_file(tree, Largest.TREE).decode(errors="replace"))
