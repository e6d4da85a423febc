"""Has a language model write the texts of steps: stages D, E and F of the paper's second release.

A step takes three calls: its instruction (D), from the screenshot and the action; its context (E), from the actions and
intentions before it; and its description and intention (F), from both. E and F are a chain for each episode, D
depends on nothing else.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel

from odyssey_recorder.annotation.conversations import (
    Conversation,
    Conversations,
    Part,
    Plan,
    StepWords,
    screenshots_leaving,
)
from odyssey_recorder.annotation.redacted_episode import RedactedEpisode
from odyssey_recorder.annotation.semantics import Entry, Suggestion, suggestion_id
from odyssey_recorder.annotation.text_kinds import FIRST_CONTEXT, TextKind
from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import BATCH_PRICE, ModelAnswer, ModelRequest
from odyssey_recorder.model.episode import Json

PROMPTS = {
    "instruction": "step_instruction/1",
    "context": "step_context/1",
    "screen": "step_screen/1",
    "combined": "step_all/1",
}
Calls = Literal["three", "combined"]
"""For each step: the paper's three calls, or one for all four texts."""


# These docstrings are part of the schemas, and so of the keys of cached answers: do not change them.


class _Instruction(BaseModel):
    """What to do in this step."""

    low_level_instruction: StepWords


class _Context(BaseModel):
    """What has been done before this step."""

    context: StepWords


class _Screen(BaseModel):
    """What the screen shows, and why the action is chosen."""

    description: StepWords
    intention: StepWords


class _All(BaseModel):
    """All four texts of a step."""

    low_level_instruction: StepWords
    context: StepWords
    description: StepWords
    intention: StepWords


BATCHED_ANSWERS: dict[str, type[BaseModel]] = {PROMPTS["instruction"]: _Instruction}
"""The answers that a Batch API may give, by prompt."""

_Answer: TypeAlias = _Instruction | _Context | _Screen | _All


class StepTextWriter(Conversations):
    """Texts for the episodes of the dataset `root`, through `batch`, where one is missing or stale.

    `effort` is the reasoning effort to ask for; empty to send none.
    """

    def __init__(self, batch: Batch, root: Path, *, calls: Calls = "three", effort: str = "") -> None:
        super().__init__(batch, root, PROMPTS, effort)
        self._calls = calls

    # Instructions depend on no other answer, so they can be asked for in a file.

    def plan_batch(self, episode_ids: Sequence[str], is_open: Callable[[ModelRequest], bool]) -> Plan:
        """Of the instructions, by the price of a Batch API. Blocks as `plan`."""
        screenshots: dict[bytes, int] = {}
        problems: dict[str, str] = {}

        def questions() -> Iterator[ModelRequest]:
            for _, _, question in self._instructions(episode_ids, problems):
                if is_open(question):
                    screenshots.update(screenshots_leaving(question))
                    yield question

        estimate = self._batch.estimate(questions(), share=BATCH_PRICE)
        return Plan(estimate, len(screenshots), sum(screenshots.values()), problems)

    def instruction_questions(self, episode_ids: Sequence[str]) -> Iterator[ModelRequest]:
        """Of all instructions that are missing or stale; leaves out episodes that cannot be annotated."""
        return (question for _, _, question in self._instructions(episode_ids, {}))

    def add_kept(self, episode_ids: Sequence[str]) -> int:
        """Add the instructions whose answers are cached to the dataset, and return their count.

        Raises DatasetError or ReviewError.
        """
        count = 0
        for episode_id in episode_ids:
            made: list[Suggestion] = []
            for episode, number, question in self._instructions([episode_id], {}):
                if (answer := self._batch.kept(question)) is not None:
                    made += self._suggestions(question, answer, episode, number)
            if made:
                self._store.add(episode_id, made)
            count += len(made)
        return count

    def _instructions(
        self, episode_ids: Sequence[str], problems: dict[str, str]
    ) -> Iterator[tuple[RedactedEpisode, int, ModelRequest]]:
        for episode_id in episode_ids:
            try:
                episode = self._read(episode_id)
            except LanguageModelError as error:
                problems[episode_id] = str(error)
                continue
            for number in self.parts(episode):
                if number is not None:
                    yield episode, number, self._question("instruction", _Instruction, episode, number, {})

    # The conversations of an episode: None is the chain, a number the instruction of that step.

    def parts(self, episode: RedactedEpisode) -> Iterator[Part]:
        of_chain = set(TextKind) - ({TextKind.INSTRUCTION} if self._calls == "three" else set())
        if any(_is_open(episode, number, *of_chain) for number in range(len(episode.steps))):
            yield None
        if self._calls == "three":
            yield from (n for n in range(len(episode.steps)) if _is_open(episode, n, TextKind.INSTRUCTION))

    def conversation(self, episode: RedactedEpisode, part: Part, made: list[Entry]) -> Conversation:
        if part is not None:
            question = self._question("instruction", _Instruction, episode, part, {})
            answer = yield question
            made += self._suggestions(question, answer, episode, part)
        elif self._calls == "three":
            yield from self._chain(episode, made)
        else:
            yield from self._combined(episode, made)

    def _chain(self, episode: RedactedEpisode, made: list[Entry]) -> Conversation:
        done: list[Json] = []
        for number, step in enumerate(episode.steps):
            if step.is_terminal:
                return
            context = _words(episode, number, TextKind.CONTEXT)
            if _is_open(episode, number, TextKind.CONTEXT):
                question = self._question("context", _Context, episode, number, {"done": done})
                answer = yield question
                new = self._suggestions(question, answer, episode, number)
                made += new
                context = new[-1].words
            intention = _words(episode, number, TextKind.INTENTION)
            if _is_open(episode, number, TextKind.DESCRIPTION, TextKind.INTENTION):
                question = self._question("screen", _Screen, episode, number, {"context": context})
                answer = yield question
                new = self._suggestions(question, answer, episode, number)
                made += new
                intention = _newest(intention, new)
            done.append({"action": step.action, "intention": intention})

    def _combined(self, episode: RedactedEpisode, made: list[Entry]) -> Conversation:
        done: list[Json] = []
        for number, step in enumerate(episode.steps):
            if step.is_terminal:
                return
            intention = _words(episode, number, TextKind.INTENTION)
            if _is_open(episode, number, *TextKind):
                data: dict[str, Json] = {"done": done, "context": "" if number else FIRST_CONTEXT}
                question = self._question("combined", _All, episode, number, data)
                answer = yield question
                new = self._suggestions(question, answer, episode, number)
                made += new
                intention = _newest(intention, new)
            done.append({"action": step.action, "intention": intention})

    def _question(
        self, stage: str, answer: type[_Answer], episode: RedactedEpisode, number: int, data: dict[str, Json]
    ) -> ModelRequest:
        step = episode.steps[number]
        whole: dict[str, Json] = {"task": episode.instruction, "marked": len(step.views) > 1, **data}
        if stage != "context":
            whole["action"] = step.action
        candidate = _rejected(episode, number, [TextKind(name) for name in answer.model_fields])
        return self._ask(stage, answer, whole, () if stage == "context" else step.views, candidate=candidate)

    def _suggestions(
        self, question: ModelRequest, answer: ModelAnswer, episode: RedactedEpisode, number: int
    ) -> list[Suggestion]:
        """Of an answer, those texts that are needed."""
        step, inputs = episode.steps[number], episode.texts.inputs[number]
        edited = episode.texts.edited[:number]
        call = self._call(question, answer, () if question.prompt == PROMPTS["context"] else step.views)
        found = []
        for name, words in answer.data.model_dump().items():
            kind = TextKind(name)
            if _is_open(episode, number, kind):
                found.append(
                    Suggestion(
                        id=suggestion_id(inputs.step_key, kind, words, answer.key),
                        at=answer.at,
                        step_key=inputs.step_key,
                        field=kind,
                        words=words,
                        inputs_sha=inputs.shown(kind, edited, with_box=True),
                        origin="model",
                        call=call,
                        candidate=question.candidate,
                    )
                )
        return found


def _is_open(episode: RedactedEpisode, number: int, *kinds: TextKind) -> bool:
    texts = episode.texts.steps[number]
    return any(texts[kind].is_open for kind in kinds)


def _words(episode: RedactedEpisode, number: int, kind: TextKind) -> str:
    return "" if _is_open(episode, number, kind) else episode.texts.steps[number][kind].words


def _newest(intention: str, new: Sequence[Suggestion]) -> str:
    return next((suggestion.words for suggestion in new if suggestion.field is TextKind.INTENTION), intention)


def _rejected(episode: RedactedEpisode, number: int, kinds: Sequence[TextKind]) -> int:
    """The number of the answer to ask for: one more for each that a person rejected."""
    return max(episode.texts.steps[number][kind].rejected for kind in kinds)
