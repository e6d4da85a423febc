"""Predictions: what a model would do at each step of a dataset, given the steps that a person did before.

Each step is one request, which follows from the dataset alone: steps are asked in parallel, answers are cached, and a
run that was killed and is started again asks nothing twice and gives the same predictions.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from odyssey_recorder.agents.adapter import Adapter, History, Moment, PastStep, Reading, Said, SentScreenshot
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.live_memory import LiveMemory, Writing, refuse_memory
from odyssey_recorder.agents.marks import Marks, middle_of, on_screen
from odyssey_recorder.annotation.conversations import Plan, likely, plan_episodes, read_shown
from odyssey_recorder.annotation.memory import Memorized, recalled, told_at_each
from odyssey_recorder.annotation.memory_writer import ToldTask
from odyssey_recorder.annotation.redacted_episode import RedactedEpisode, RedactedStep
from odyssey_recorder.annotation.screenshots import ShownScreenshot
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.dataset.png import png_size
from odyssey_recorder.errors import AnswerError, BrokenReplyError, DatasetError, LanguageModelError
from odyssey_recorder.evaluation.predictions import Prediction, spelled
from odyssey_recorder.llm.batch import Ask, Batch, BatchProgress
from odyssey_recorder.llm.chat_completions import cut_off_after
from odyssey_recorder.llm.model import LONGEST_ANSWER, ChatMessage, ModelAnswer, ModelRequest
from odyssey_recorder.model.answer_failure import failure_of
from odyssey_recorder.model.geometry import Box, Size, to_grid
from odyssey_recorder.model.plain_text import step_number

_TOKENS = 4_000
"""Token limit of an answer, with the thoughts before it."""
_OPEN = 8
"""Episodes that are kept open between two questions; more are read again."""
Level = Literal["high", "low"]
ChosenSteps = Mapping[str, Collection[int] | None]
"""Steps to predict by episode, from 0; None: all."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """`unasked` counts steps by the reason why there is no answer yet; the same run asks them again.

    `problems` are of episodes that cannot be read, by id: they have no predictions.
    """

    predictions: list[Prediction]
    unasked: Counter[str]
    problems: dict[str, str]


class Predicting:
    """Predictions for episodes of the dataset `root` by the model of `batch`, asked through `adapter`.

    The task that a model is told is the episode's instruction or, at the level "low", that of each step. `marks` are
    the boxes of elements for adapters that need them.
    """

    def __init__(  # noqa: PLR0913 - the options
        self,
        batch: Batch,
        root: Path,
        adapter: Adapter[Any],
        history: HistoryRule,
        level: Level = "high",
        marks: Marks | None = None,
    ) -> None:
        self._batch = batch
        self._root = root
        self._adapter = adapter
        self._history = history
        self._level = level
        self._live: dict[str, list[str]] = {}
        self._marks = marks if adapter.needs_marks else None
        self._episode = lru_cache(_OPEN)(self._read)
        refuse_memory(adapter, history)

    def plan(self, chosen: ChosenSteps) -> Plan:
        """Blocks: reads every episode, and asks the server for its models."""
        return plan_episodes(self._batch, chosen, partial(self._questions, chosen))

    def run(self, chosen: ChosenSteps, *, progress: Callable[[BatchProgress], None]) -> Predicted:
        """Blocks."""
        jobs: list[tuple[str, int]] = []
        problems: dict[str, str] = {}
        for episode_id, wanted in chosen.items():
            try:
                count = len(self._episode(episode_id).steps)
                jobs += ((episode_id, number) for number in range(count) if wanted is None or number in wanted)
            except LanguageModelError as error:
                problems[episode_id] = str(error)
        unwritten = self._write_memories(dict(jobs), progress) if self._history.is_live else {}
        unasked = Counter(str(unwritten[episode_id]) for episode_id, _ in jobs if episode_id in unwritten)
        jobs = [job for job in jobs if job[0] not in unwritten]
        outcomes = self._batch.run([partial(self._predicted, *job) for job in jobs], progress=progress)
        outcomes = [
            _without_action(*job, outcome) if isinstance(outcome, AnswerError) else outcome
            for job, outcome in zip(jobs, outcomes, strict=True)
        ]
        predictions = [outcome for outcome in outcomes if isinstance(outcome, Prediction)]
        unasked += Counter(str(outcome) for outcome in outcomes if isinstance(outcome, LanguageModelError))
        return Predicted(predictions, unasked, problems)

    def _read(self, episode_id: str) -> RedactedEpisode:
        episode = read_shown(self._root, episode_id)
        lacking = [number for number in range(len(episode.steps)) if not self._task(episode, number)]
        if lacking:
            raise LanguageModelError(
                f"Step {step_number(lacking[0])} has no low-level instruction. Use annotate run first."
            )
        self._words_before(episode)  # refuses an episode without
        return episode

    def _task(self, episode: RedactedEpisode, number: int) -> str:
        if self._level == "high":
            return episode.instruction
        return episode.shown(episode.texts.steps[number][TextKind.INSTRUCTION].words)

    def _questions(self, chosen: ChosenSteps, episode_id: str) -> Iterator[ModelRequest]:
        episode, wanted = self._episode(episode_id), chosen[episode_id]
        if self._history.is_live:
            writing = self._writing(episode, max(wanted or (), default=len(episode.steps) - 1))
            self._keep(episode, (yield from likely(self._batch, writing)))
        for number in range(len(episode.steps)):
            if wanted is None or number in wanted:
                question, _ = self._question(episode, number)
                yield question

    async def _predicted(self, episode_id: str, number: int, ask: Ask) -> Prediction:
        question, shown = self._question(self._episode(episode_id), number)
        try:
            answer = await ask(question)
        except BrokenReplyError:  # perhaps it is asked again
            raise
        except AnswerError as error:  # such as a content filter, which refuses it every time
            return _without_action(episode_id, number, error)
        reading = reading_of(self._adapter, question, answer, shown)
        action = None if reading.action is None else spelled(reading.action)
        tokens = answer.usage.tokens_in, answer.usage.tokens_out
        return Prediction(episode_id, number, action, answer.raw, reading.problem, *tokens, answer.seconds)

    # The memory that the model writes itself.

    def _write_memories(
        self, last: Mapping[str, int], progress: Callable[[BatchProgress], None]
    ) -> dict[str, LanguageModelError]:
        """Of each episode up to this step; returns why that of some could not be written."""
        outcomes = self._batch.run([partial(self._written, *job) for job in last.items()], progress=progress)
        return {one: error for one, error in zip(last, outcomes, strict=True) if isinstance(error, LanguageModelError)}

    async def _written(self, episode_id: str, last: int, ask: Ask) -> None:
        episode = self._episode(episode_id)
        writing = self._writing(episode, last)
        try:
            question = next(writing)
            while True:
                question = writing.send(await _usable(question, ask))
        except StopIteration as ended:
            self._keep(episode, ended.value)

    def _writing(self, episode: RedactedEpisode, last: int) -> Writing:
        task = ToldTask(episode.instruction, episode.apps, self._history.recall.length)
        return LiveMemory(task).write(episode.steps[: last + 1])

    def _keep(self, episode: RedactedEpisode, memory: Sequence[Memorized]) -> None:
        self._live[episode.episode_id] = told_at_each(memory, self._history.recall)

    # The question of a step.

    def _question(self, episode: RedactedEpisode, number: int) -> tuple[ModelRequest, SentScreenshot]:
        boxes = () if self._marks is None else self._marks.of(episode, number)
        shown = shown_to(self._adapter, episode.steps[number].views[0], boxes)
        past, moment = self._past(episode, number), _moment(episode.steps[number])
        messages = self._adapter.prompt(self._task(episode, number), past, shown, moment)
        return next_step("predict", self._adapter, messages), shown

    def _past(self, episode: RedactedEpisode, number: int) -> History:
        with_screenshot = self._history.with_screenshot(number, self._adapter.pictures)
        past = []
        for at in self._history.earlier_steps(number):
            step = episode.steps[at]
            screenshot = shown_to(self._adapter, step.views[0]) if at in with_screenshot else None
            past.append(PastStep(step.act, screenshot, said=_said(episode, at), moment=_moment(step)))
        return History(tuple(past), self._words_before(episode)[number])

    def _words_before(self, episode: RedactedEpisode) -> list[str]:
        """The text history of each step; empty if there is none. Raises LanguageModelError if it is missing."""
        match self._history.kind:
            case "context":
                if lacking := [at for at, step in enumerate(episode.texts.steps) if step[TextKind.CONTEXT].is_open]:
                    raise LanguageModelError(f"Step {step_number(lacking[0])} has no context. Use annotate run first.")
                words = [step[TextKind.CONTEXT].words for step in episode.texts.steps]
            case "memory" if self._history.is_live:
                words = self._live.get(episode.episode_id, [""] * len(episode.steps))
            case "memory":
                try:
                    words = recalled(episode.episode_id, episode.memory, self._history.recall)
                except DatasetError as error:
                    raise LanguageModelError(str(error)) from error
            case _:
                return [""] * len(episode.steps)
        return [episode.shown(word) for word in words]


async def _usable(question: ModelRequest, ask: Ask) -> ModelAnswer | None:
    """None for an answer that the server refuses every time, such as a content filter."""
    try:
        return await ask(question)
    except BrokenReplyError:
        raise
    except AnswerError:
        return None


def _without_action(episode_id: str, number: int, error: AnswerError) -> Prediction:
    problem = f"{failure_of(error)}: {error}"
    return Prediction(episode_id, number, None, error.raw, problem, error.tokens_in, error.tokens_out)


def reading_of(adapter: Adapter[Any], question: ModelRequest, answer: ModelAnswer, shown: SentScreenshot) -> Reading:
    """Never raises. What a model declines is no action; nor is what was cut off before there was one."""
    if answer.failure == "refused":
        return Reading(None, f"refused: {answer.raw}")
    reading = adapter.read(answer.raw, shown.sent_size, shown.true_size, shown.marks)
    if answer.failure and reading.action is None:
        return Reading(None, cut_off_after(answer.usage, question))
    return reading


def _moment(step: RedactedStep) -> Moment:
    return Moment(step.day, step.app)


def _said(episode: RedactedEpisode, at: int) -> Said:
    """What the texts of the dataset say about a step."""

    def words(number: int, kind: TextKind) -> str:
        text = episode.texts.steps[number][kind] if number < len(episode.steps) else None
        return "" if text is None or text.is_open else episode.shown(text.words)

    intention, instruction = words(at, TextKind.INTENTION), words(at, TextKind.INSTRUCTION)
    return Said(intention, instruction, words(at + 1, TextKind.CONTEXT))


def shown_to(adapter: Adapter[Any], view: ShownScreenshot, boxes: Sequence[Box] = ()) -> SentScreenshot:
    """As `sent_as`. Raises LanguageModelError if the screenshot cannot be read."""
    try:
        return sent_as(adapter, view, png_size(view.path), boxes)  # the size in the episode may be turned
    except (OSError, ValueError) as error:
        raise LanguageModelError(f"{view.path} cannot be shown to a model: {error}.") from error


def sent_as(adapter: Adapter[Any], view: ShownScreenshot, size: Size, boxes: Sequence[Box]) -> SentScreenshot:
    """The screenshot of `size` as the adapter sends it; `boxes` of elements, in its pixels, get tags if it needs them.

    Raises ValueError for a size that no model takes.
    """
    view = replace(view, size=size, sent=adapter.fit(size), detail=adapter.detail)
    if not adapter.needs_marks:
        return SentScreenshot(view.lazy, size)
    tagged = on_screen(boxes, size)
    places = tuple(to_grid(middle_of(box), size) for box in tagged)
    edges = tuple((box.left, box.top, box.right, box.bottom) for box in tagged)
    return SentScreenshot(view.lazy, size, replace(view, tags=edges).lazy, places)


def next_step(
    purpose: str, adapter: Adapter[Any], messages: tuple[ChatMessage, ...], candidate: int = 0
) -> ModelRequest:
    """Asks for one action; each candidate is answered separately."""
    return ModelRequest(
        f"{purpose}/{adapter.name}",
        "" if adapter.asks is None else adapter.asks.sha256,
        messages,
        "next_step",
        adapter.answer,
        {LONGEST_ANSWER: _TOKENS, **adapter.sampling},
        candidate,
        is_judged=True,
        wire=adapter.wire,
        tools=adapter.tools,
    )


def sampled(categories: Mapping[str, str], count: int, seed: int) -> list[str]:
    """`count` of the episodes, or steps, or all if there are fewer, from each category in proportion.

    `categories` are by id. The same ones and seed give the same sample, in the order of the ids.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for episode_id in sorted(categories, key=lambda item: sha256(f"{seed}:sample:{item}".encode()).digest()):
        groups[categories[episode_id]].append(episode_id)
    share = min(1.0, count / max(1, len(categories)))
    exact = {name: share * len(ids) for name, ids in groups.items()}
    counts = {name: int(amount) for name, amount in exact.items()}
    by_rest = sorted(groups, key=lambda name: (counts[name] - exact[name], name))
    for name in by_rest[: min(count, len(categories)) - sum(counts.values())]:
        counts[name] += 1
    return sorted(member for name, ids in groups.items() for member in ids[: counts[name]])
