"""What a model is asked at each step, and what it should answer.

A question is that of `predict` with the same adapter and history, so that a model is trained on what it will be asked.
Paths of screenshots are relative to the export.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from odyssey_recorder.agents.adapter import Adapter, History, Moment, PastStep, Said, SentScreenshot, adapter_named
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.annotation.memory import refuse_lacking
from odyssey_recorder.annotation.redacted_episode import read_redacted_episode
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.dataset.layout import SCREENSHOTS
from odyssey_recorder.dataset.png import png_size
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.episodes import ExportedEpisode, read_exported
from odyssey_recorder.exporting.export_plan import Options, Sampling
from odyssey_recorder.exporting.memory_targets import memory_targets
from odyssey_recorder.exporting.official_chat import CONTEXT, DESCRIBE, INTENTION, TASK
from odyssey_recorder.llm.model import ChatMessage, Image, LazyImage, Words
from odyssey_recorder.model.action import Action, Complete, Impossible, Type
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.plain_text import step_number

_RESERVED = re.compile(r"<\|[^|<>]*\|>|</?(?:image|video|audio|img|ref|box|quad|bbox|ref-object|point|tool_call)>")
"""What a trainer or a tokenizer takes for markup."""


def read_sampled(root: Path, episode_id: str, options: Options) -> ExportedEpisode:
    """Raises as `read_exported`."""
    rule = HistoryRule.parse(options.samples.history)
    exported = read_exported(root, episode_id, options.texts, rule.recall if rule.kind == "memory" else None)
    if not options.samples.memory_texts:
        return exported
    redacted = read_redacted_episode(root, episode_id)
    refuse_lacking(episode_id, redacted.memory)
    return replace(exported, redacted=redacted)


@dataclass(frozen=True, slots=True)
class Sample:
    """`id` names episode, step, and what is asked. Images are LazyImages, whose `identity` is the path.

    With `rejected`, the answer is the better of the two. `gold` is what a trainer needs to score other answers as the
    official evaluation does.
    """

    id: str
    messages: tuple[ChatMessage, ...]
    answer: str
    rejected: str = ""
    gold: Json = None

    @property
    def images(self) -> list[Json]:
        return [part.identity for message in self.messages for part in message.parts if isinstance(part, LazyImage)]


class Questions:
    """The questions about the steps of one episode. Raises DatasetError if a screenshot cannot be read."""

    def __init__(self, exported: ExportedEpisode, sampling: Sampling) -> None:
        self._episode = exported.episode
        self._adapter: Adapter[Any] = adapter_named(sampling.adapter)
        self._rule = HistoryRule.parse(sampling.history)
        self._sampling = sampling
        self._pairs = exported.pairs
        self._memory = exported.memory
        self._moments = [Moment(record.day, record.package) for record in exported.records]
        self._memories = memory_targets(exported.redacted, sampling.memory_texts)
        self._screens = [self._screen(exported.screenshots / step.screenshot) for step in exported.episode.steps]

    def samples(self) -> Iterator[Sample]:
        if self._sampling.pairs:
            yield from self._of_pairs()
            return
        for number in range(len(self._screens)):
            for level in self._sampling.levels:
                yield from self._of_step(number, level)
            yield from self._semantic(number)
            yield from (Sample(self._id(number, one.kind), one.messages, one.answer) for one in self._memories[number])

    def answer(self, number: int) -> str | None:
        """None if the model's grammar has no word for the action."""
        return self._written(self._episode.steps[number].action, number, self._said(number))

    def _written(self, action: Action, number: int, said: Said) -> str | None:
        screen = self._screens[number]
        return self._adapter.written(action, self._adapter.frame(screen.sent_size, screen.true_size), said)

    def _prompt(self, task: str, number: int) -> tuple[ChatMessage, ...]:
        return self._adapter.prompt(task, self._past(number), self._screens[number], self._moment(number))

    def _moment(self, number: int) -> Moment:
        return self._moments[number] if number < len(self._moments) else Moment()

    def _said(self, number: int) -> Said:
        steps = self._episode.steps
        texts, following = steps[number].annotations, steps[number + 1 : number + 2]
        summary = following[0].annotations.context if following else ""
        return Said(texts.intention or "", texts.low_level_instruction or "", summary or "")

    def _of_pairs(self) -> Iterator[Sample]:
        for place, pair in enumerate(self._pairs):
            chosen, rejected = (self._written(one, pair.step, Said()) for one in (pair.chosen, pair.rejected))
            if chosen and rejected and chosen != rejected:
                task = self._episode.task.instruction
                yield Sample(self._id(pair.step, f"pair_{place}"), self._prompt(task, pair.step), chosen, rejected)

    def _of_step(self, number: int, level: str) -> Iterator[Sample]:
        answer = self.answer(number)
        if answer is not None:
            step = self._episode.steps[number]
            task = self._episode.task.instruction if level == "high" else step.annotations.low_level_instruction or ""
            messages = self._prompt(task, number)
            name = self._id(number, "" if level == "high" else level)
            yield Sample(name, messages, answer, gold=self._gold(number))

    def _gold(self, number: int) -> Json:
        from odyssey_recorder.evaluation.gold import gold_step  # imported late: needs numpy

        answer, box = gold_step(self._episode.steps[number])
        size = self._screens[number].true_size
        return {"adapter": self._adapter.name, "size": [size.width, size.height], "answer": answer, "box": box}

    def _semantic(self, number: int) -> Iterator[Sample]:
        annotations, screen = self._episode.steps[number].annotations, self._screens[number]
        done = [self.answer(at) or "" for at in self._rule.earlier_steps(number)]
        listed = "".join(f"{place}. {words}\n" for place, words in enumerate(done, 1)) or "None"
        task = f"{TASK}{self._episode.task.instruction}\nPrevious Actions: {listed}\n"
        for kind, words, answer in (
            (TextKind.DESCRIPTION, DESCRIBE, annotations.description),
            (TextKind.INTENTION, task + INTENTION, annotations.intention),
            (TextKind.CONTEXT, task + CONTEXT, annotations.context),
        ):
            if kind in self._sampling.semantic_texts:
                yield Sample(self._id(number, kind), (ChatMessage("user", (screen.image, Words(words))),), answer or "")

    def _id(self, number: int, kind: str) -> str:
        return "_".join(filter(None, (self._episode.episode_id, str(number), kind)))

    def _past(self, number: int) -> History:
        steps, with_screenshot = self._episode.steps, self._rule.with_screenshot(number, self._adapter.pictures)
        words = steps[number].annotations.context or "" if self._rule.kind == "context" else ""
        screens = {at: self._screens[at] for at in with_screenshot}
        past = (
            PastStep(steps[at].action, screens.get(at), said=self._said(at), moment=self._moment(at))
            for at in self._rule.earlier_steps(number)
        )
        return History(tuple(past), self._memory[number] if self._memory else words)

    def _screen(self, path: Path) -> SentScreenshot:
        try:
            true_size = png_size(path)
            fitted = self._adapter.fit(true_size)
        except (OSError, ValueError) as error:
            raise DatasetError(f"{path} cannot be exported: {error}.") from error
        return SentScreenshot(
            LazyImage(f"{SCREENSHOTS}/{path.name}", (fitted.width, fitted.height), _unread), true_size
        )


def _unread() -> Image:
    raise AssertionError("an export links screenshots")


def refusal(exported: ExportedEpisode, sampling: Sampling) -> str:
    wanted = sampling.semantic_texts
    wanted |= {TextKind.INSTRUCTION} if "low" in sampling.levels else set()
    wanted |= {TextKind.CONTEXT} if sampling.history == "context" else set()
    episode = exported.episode
    for number, step in enumerate(episode.steps):
        place = f"{episode.episode_id}: step {step_number(number)}"
        texts = {name: getattr(step.annotations, name) for name in sorted(wanted)}
        lacking = [name for name, words in texts.items() if not words]
        if lacking:
            return f"{place} has no {lacking[0]}. Use annotate, and --texts."
        said = (step.annotations.intention, step.annotations.low_level_instruction, step.annotations.context)
        kept = exported.redacted.memory[number].kept.values() if exported.redacted else ()
        memory = (*(text.words for text in kept), *exported.memory[number : number + 1])
        for words in (*texts.values(), *said, _words(step.action), *memory):
            if found := _RESERVED.search(words or ""):
                return f"{place} has the text {found[0]}, which trainers take for markup."
    if found := _RESERVED.search(episode.task.instruction):
        return f"{episode.episode_id}: the instruction has the text {found[0]}, which trainers take for markup."
    return ""


def _words(action: Action) -> str:
    match action:
        case Type(words) | Complete(words) | Impossible(words):
            return words
        case _:
            return ""
