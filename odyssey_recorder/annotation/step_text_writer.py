"""Has a language model write the texts of steps: stages D, E and F of the paper's second release.

A step takes three calls: its instruction (D), from the screenshot and the action; its context (E), from the actions and
intentions before it; and its description and intention (F), from both. E and F are a chain for each episode, D
depends on nothing else.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from odyssey_recorder.annotation.conversations import (
    Conversation,
    Conversations,
    Part,
    Plan,
    StepWords,
    plan_episodes,
)
from odyssey_recorder.annotation.redacted_episode import RedactedEpisode
from odyssey_recorder.annotation.semantics import Entry, Suggestion, suggestion_id
from odyssey_recorder.annotation.text_kinds import FIRST_CONTEXT, TextKind
from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import BATCH_PRICE, ModelAnswer, ModelRequest
from odyssey_recorder.llm.prompts import SlotPrompt, Slots, chosen_prompts
from odyssey_recorder.model.episode import Json

_OF_PRESS = ("marked_screenshot", "task")
PROMPTS = {
    "instruction": ("step_instruction/1", Slots(("screenshot",), (*_OF_PRESS, "action"))),
    "context": ("step_context/1", Slots(("done",), ("task",))),
    "screen": ("step_screen/1", Slots(("screenshot", "action"), (*_OF_PRESS, "context"))),
    "combined": ("step_all/1", Slots(("screenshot", "action", "done"), (*_OF_PRESS, "context"))),
}
"""By stage; `done` are the actions before with their intentions."""
Calls = Literal["three", "combined"]
"""For each step: the paper's three calls, or one for all four texts."""


# These docstrings are part of the schemas, and so of the keys of cached answers: do not change them.


class _Instruction(BaseModel):
    """What to do in this step."""

    low_level_instruction: StepWords


class _InstructionOfPaper(BaseModel):
    """The low-level instruction that the action represents."""

    model_config = ConfigDict(populate_by_name=True)
    low_level_instruction: StepWords = Field(alias="instruction")


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


_ANSWERS: dict[str, type[BaseModel]] = {
    "instruction": _Instruction,
    "context": _Context,
    "screen": _Screen,
    "combined": _All,
}
_Asking: TypeAlias = Generator[ModelRequest, ModelAnswer, dict[TextKind, str]]
"""Gives the texts that were added, by kind."""


class StepTextWriter(Conversations):
    """Texts for the episodes of the dataset `root`, through `batch`, where one is missing or stale.

    `effort` is the reasoning effort to ask for; empty to send none. `prompts` are those of `chosen_prompts`.
    """

    def __init__(
        self, batch: Batch, root: Path, *, calls: Calls = "three", effort: str = "", prompts: Sequence[str] = ()
    ) -> None:
        asked = {stage: PROMPTS[stage] for stage in PROMPTS if (stage == "combined") == (calls == "combined")}
        super().__init__(batch, root, chosen_prompts(prompts, asked), effort)
        self._calls = calls

    # Instructions depend on no other answer, so they can be asked for in a file.

    @property
    def batched(self) -> tuple[str, type[BaseModel]]:
        """The prompt of the instructions, and its answer."""
        return self._prompts["instruction"].name, self._answer("instruction")

    def plan_batch(self, episode_ids: Sequence[str], is_open: Callable[[ModelRequest], bool]) -> Plan:
        """Of the instructions, by the price of a Batch API. Blocks as `plan`."""

        def questions(episode_id: str) -> Iterator[ModelRequest]:
            return (question for _, _, question in self._instructions(episode_id) if is_open(question))

        return plan_episodes(self._batch, episode_ids, questions, share=BATCH_PRICE)

    def instruction_questions(self, episode_ids: Sequence[str]) -> Iterator[ModelRequest]:
        """Of all instructions that are missing or stale; leaves out episodes that cannot be annotated."""
        for episode_id in episode_ids:
            with suppress(LanguageModelError):
                yield from (question for _, _, question in self._instructions(episode_id))

    def add_kept(self, episode_ids: Sequence[str]) -> int:
        """Add the instructions whose answers are cached to the dataset, and return their count.

        Raises DatasetError or ReviewError.
        """
        count = 0
        for episode_id in episode_ids:
            made: list[Suggestion] = []
            with suppress(LanguageModelError):
                for episode, number, question in self._instructions(episode_id):
                    if (answer := self._batch.kept(question)) is not None:
                        made += self._suggestions("instruction", question, answer, episode, number)
            if made:
                self._store.add(episode_id, made)
            count += len(made)
        return count

    def _instructions(self, episode_id: str) -> Iterator[tuple[RedactedEpisode, int, ModelRequest]]:
        episode = self._read(episode_id)
        for number in self.parts(episode):
            if number is not None:
                yield episode, number, self._question("instruction", episode, number, {})

    # The conversations of an episode: None is the chain, a number the instruction of that step.

    def parts(self, episode: RedactedEpisode) -> Iterator[Part]:
        of_chain = set(TextKind) - ({TextKind.INSTRUCTION} if self._calls == "three" else set())
        if any(_is_open(episode, number, *of_chain) for number in range(len(episode.steps))):
            yield None
        if self._calls == "three":
            yield from (n for n in range(len(episode.steps)) if _is_open(episode, n, TextKind.INSTRUCTION))

    def conversation(self, episode: RedactedEpisode, part: Part, made: list[Entry]) -> Conversation:
        if part is not None:
            yield from self._asked("instruction", episode, part, {}, made)
            return
        texts_of_step = self._of_chain if self._calls == "three" else self._combined
        done: list[Json] = []
        for number, step in enumerate(episode.steps):
            if step.is_terminal:
                return
            new = yield from texts_of_step(episode, number, done, made)
            intention = new.get(TextKind.INTENTION) or _words(episode, number, TextKind.INTENTION)
            done.append({"action": step.action, "intention": intention})

    def _of_chain(self, episode: RedactedEpisode, number: int, done: list[Json], made: list[Entry]) -> _Asking:
        context, new = _words(episode, number, TextKind.CONTEXT), dict[TextKind, str]()
        if _is_open(episode, number, TextKind.CONTEXT):
            new = yield from self._asked("context", episode, number, {"done": done}, made)
            context = new[TextKind.CONTEXT]
        if _is_open(episode, number, TextKind.DESCRIPTION, TextKind.INTENTION):
            new = yield from self._asked("screen", episode, number, {"context": context}, made)
        return new

    def _combined(self, episode: RedactedEpisode, number: int, done: list[Json], made: list[Entry]) -> _Asking:
        if not _is_open(episode, number, *TextKind):
            return {}
        data: dict[str, Json] = {"done": done, "context": "" if number else FIRST_CONTEXT}
        return (yield from self._asked("combined", episode, number, data, made))

    def _asked(
        self, stage: str, episode: RedactedEpisode, number: int, data: dict[str, Json], made: list[Entry]
    ) -> _Asking:
        question = self._question(stage, episode, number, data)
        new = self._suggestions(stage, question, (yield question), episode, number)
        made += new
        return {suggestion.field: suggestion.words for suggestion in new}

    def _question(self, stage: str, episode: RedactedEpisode, number: int, data: dict[str, Json]) -> ModelRequest:
        step, answer = episode.steps[number], self._answer(stage)
        whole: dict[str, Json] = {"task": episode.instruction, "marked": len(step.views) > 1, **data}
        if stage != "context":
            whole["action"] = step.action
        # Another answer for each that a person rejected.
        candidate = max(episode.texts.steps[number][TextKind(name)].rejected for name in answer.model_fields)
        return self._ask(stage, answer, whole, () if stage == "context" else step.views, candidate=candidate)

    def _answer(self, stage: str) -> type[BaseModel]:
        """With the keys that the paper's prompts ask for, also for a user's."""
        is_of_paper = stage == "instruction" and isinstance(self._prompts[stage], SlotPrompt)
        return _InstructionOfPaper if is_of_paper else _ANSWERS[stage]

    def _suggestions(
        self, stage: str, question: ModelRequest, answer: ModelAnswer, episode: RedactedEpisode, number: int
    ) -> list[Suggestion]:
        """Of an answer, those texts that are needed."""
        step, inputs = episode.steps[number], episode.texts.inputs[number]
        edited = episode.texts.edited[:number]
        call = self._call(question, answer, () if stage == "context" else step.views)
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
