"""Has a language model write the memory of episodes: action results (G), screen information (H) and core texts (I).

For each, three candidates are asked for, and a judging call (J) marks them by three standards; the best is kept. In the
cheap mode one candidate is kept, unless what was recorded contradicts it. It also names the app in front (K) where the
recording does not say it; that is one question.
"""

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from odyssey_recorder.annotation.conversations import Conversation, Conversations, Part, StepWords, plain, step_question
from odyssey_recorder.annotation.findings import Evidence, Support
from odyssey_recorder.annotation.memory import SHORT_TERM, short_term
from odyssey_recorder.annotation.memory_checks import check_core, check_result
from odyssey_recorder.annotation.redacted_episode import RedactedEpisode, RedactedStep
from odyssey_recorder.annotation.screenshots import ShownScreenshot
from odyssey_recorder.annotation.semantics import (
    LONGEST_TEXT,
    Entry,
    RecordedCall,
    Remembered,
    Score,
    Scores,
    suggestion_id,
)
from odyssey_recorder.annotation.text_evidence import Course
from odyssey_recorder.annotation.text_kinds import MemoryKind
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.errors import DatasetError, LanguageModelError
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest
from odyssey_recorder.llm.prompts import IMAGES, Slots, chosen_prompts, read_prompt
from odyssey_recorder.model.episode import Json

PROMPTS = {
    MemoryKind.RESULT.value: (
        "memory_result/1", Slots(("screenshot", "next_screenshot"), ("marked_screenshot", "action")),
    ),
    MemoryKind.SCREEN.value: ("memory_screen/1", Slots(("screenshot", "task"), ("results",))),
    MemoryKind.CORE.value: ("memory_core/1", Slots(("task", "screen_info"), ("results",))),
    MemoryKind.APP.value: ("memory_app/1", Slots(("screenshot",), ("apps",))),
    "judge": ("memory_judge/1", Slots(("candidates",), ("kind", "standards", "told", *IMAGES))),
}  # fmt: skip
Mode = Literal["full", "cheap"]
_prompt = cache(read_prompt)
CANDIDATES = 3
_OPEN = 8
"""Episodes whose evidence is kept between two questions."""

_STANDARDS: dict[MemoryKind, list[Json]] = {
    MemoryKind.RESULT: [
        "True: everything it says can be seen on the two screens.",
        "Names the change: it says what the action changed, or that nothing changed.",
        "No more: it says nothing of what was there before and stays, and nothing of what comes next.",
    ],
    MemoryKind.SCREEN: [
        "Relevant: it has only what the task needs.",
        "Complete: it has everything on the screen that the task needs.",
        "Verbatim: names, numbers and texts are exactly as the screen shows them.",
    ],
    MemoryKind.CORE: [
        "Needed later: it keeps what a later action needs, and keeps nothing if no later action needs any.",
        "Founded: everything it says is in the information about the screen.",
        "Short: nothing can be left out.",
    ],
}


# These docstrings are part of the schemas, and so of the keys of cached answers: do not change them.


class _Result(BaseModel):
    """What an action changed."""

    action_result: StepWords


class _Screen(BaseModel):
    """What on the screen matters for the task."""

    screen_info: StepWords


class _Core(BaseModel):
    """Whether a later action needs something of this screen, and what."""

    is_needed_later: bool
    core: str = Field(max_length=LONGEST_TEXT)

    @field_validator("core")
    @classmethod
    def _says_what(cls, core: str, info: ValidationInfo) -> str:
        return plain(core) if info.data.get("is_needed_later") else ""


class _App(BaseModel):
    """The name of the app in front."""

    app: StepWords


class _Marks(BaseModel):
    """Marks for one candidate, from 1 to 5, by the three standards, and why."""

    first: Score
    second: Score
    third: Score
    why: str


class _Judgement(BaseModel):
    """Marks for the three candidates."""

    a: _Marks
    b: _Marks
    c: _Marks


_ANSWERS: dict[MemoryKind, type[BaseModel]] = {
    MemoryKind.RESULT: _Result,
    MemoryKind.SCREEN: _Screen,
    MemoryKind.CORE: _Core,
    MemoryKind.APP: _App,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text of the memory of a step, and what is told and shown to the model that writes it."""

    kind: MemoryKind
    data: dict[str, Json]
    views: Sequence[ShownScreenshot] = ()


@dataclass(frozen=True, slots=True)
class ToldTask:
    """What is told at every step: `apps` are those of the task, `length` is the most action results."""

    instruction: str
    apps: tuple[str, ...] = ()
    length: int = SHORT_TERM


def wanted_of_step(
    task: ToldTask, before: RedactedStep | None, step: RedactedStep, results: list[str]
) -> Generator[Wanted, str, None]:
    """The texts of a step in the order of Algorithm 1; each is sent what was written for it.

    `results` are those of the steps before, and the step's own is added to them.
    """
    views = step.views[:1]
    if before is not None:
        action: dict[str, Json] = {"action": before.action, "marked": len(before.views) > 1}
        results.append((yield Wanted(MemoryKind.RESULT, action, (*before.views, *views))))
    data: dict[str, Json] = {"task": task.instruction, "results": list[Json](short_term(results, task.length))}
    info = yield Wanted(MemoryKind.SCREEN, data, views)
    if not step.app:
        yield Wanted(MemoryKind.APP, {"apps": list[Json](task.apps)}, views)
    yield Wanted(MemoryKind.CORE, {**data, "screen_info": info})


def memory_question(wanted: Wanted) -> ModelRequest:
    """The first question of the writer, whose answer `memory_words` reads. Raises LanguageModelError."""
    kind = wanted.kind
    return step_question(_prompt(PROMPTS[kind][0]), kind, _ANSWERS[kind], wanted.data, wanted.views)


def memory_answer(kind: MemoryKind, words: str) -> str:
    """What a model answers that writes these words."""
    whole: dict[str, Json] = {"is_needed_later": bool(words)} if kind is MemoryKind.CORE else {}
    return json.dumps({**whole, kind.value: words}, ensure_ascii=False)


class MemoryWriter(Conversations):
    """The memory of episodes of the dataset `root`, through `batch`, where it is missing or stale.

    `evidence` is of an annotation file; the cheap mode asks it whether an action changed the screen.
    """

    def __init__(  # noqa: PLR0913 - the options, by keyword
        self,
        batch: Batch,
        root: Path,
        evidence: Callable[[Path], EpisodeEvidence],
        *,
        mode: Mode = "full",
        effort: str = "",
        prompts: Sequence[str] = (),
    ) -> None:
        super().__init__(batch, root, chosen_prompts(prompts, PROMPTS), effort)
        self._mode = mode
        self._course = lru_cache(_OPEN)(lambda episode_id: Course(evidence(root / annotation_path(episode_id))))

    def parts(self, episode: RedactedEpisode) -> Iterator[Part]:
        if any(text.is_open for step in episode.memory for text in step.kept.values()):
            yield None

    def conversation(self, episode: RedactedEpisode, part: Part, made: list[Entry]) -> Conversation:
        task, results = ToldTask(episode.instruction, episode.apps), list[str]()
        for number, step in enumerate(episode.steps):
            before = episode.steps[number - 1] if number else None
            asking, words = wanted_of_step(task, before, step, results), None
            with suppress(StopIteration):
                while True:
                    wanted = next(asking) if words is None else asking.send(words)
                    words = yield from self._written(episode, number, wanted, made)

    def _written(
        self, episode: RedactedEpisode, number: int, wanted: Wanted, made: list[Entry]
    ) -> Generator[ModelRequest, ModelAnswer, str]:
        """The words that are kept for the step; asks for them if they are open."""
        kind, data, views, step = wanted.kind, wanted.data, wanted.views, episode.memory[number]
        if not step.kept[kind].is_open:
            return step.words(kind)
        first = step.kept[kind].rejected * CANDIDATES
        numbers = range(first, first + CANDIDATES)
        questions = [self._ask(kind, _ANSWERS[kind], data, views, candidate=at) for at in numbers]
        answers = [(yield questions[0])]
        is_one = kind is MemoryKind.APP
        if not is_one and (self._mode == "full" or self._is_contradicted(episode, number, kind, answers[0], data)):
            for question in questions[1:]:
                answers.append((yield question))
        candidates = [memory_words(answer) for answer in answers]
        best, judge = 0, None
        scores: Scores = ()
        if len(set(candidates)) > 1:
            best, judge, scores = yield from self._judged(kind, data, views, candidates)
        key, answer = episode.texts.inputs[number].step_key, answers[best]
        made.append(
            Remembered(
                id=suggestion_id(key, kind, candidates[best], f"{answer.key} {step.inputs[kind]}"),
                at=answer.at,
                step_key=key,
                field=kind,
                words=candidates[best],
                inputs_sha=step.inputs[kind],
                call=self._call(questions[best], answer, views),
                candidate=first + best,
                judge=judge,
                scores=scores,
            )
        )
        return candidates[best]

    def _is_contradicted(
        self, episode: RedactedEpisode, number: int, kind: MemoryKind, answer: ModelAnswer, data: dict[str, Json]
    ) -> bool:
        words = memory_words(answer)
        if kind is MemoryKind.RESULT:
            had_effect = self._had_effect(episode, number - 1, is_estimate=not answer.key)
            result = check_result(words, had_effect=had_effect, evidence=Evidence("screenshots", "compared"))
            return result.verdict is Support.CONTRADICTS
        return kind is MemoryKind.CORE and check_core(words, str(data["screen_info"])).verdict is Support.CONTRADICTS

    def _had_effect(self, episode: RedactedEpisode, number: int, *, is_estimate: bool) -> bool | None:
        """As the checks see it: a clock or a cursor is no change. An estimate opens no screenshot."""
        before, after = episode.texts.inputs[number : number + 2]
        if before.png_sha256 == after.png_sha256:
            return False
        try:
            return None if is_estimate else self._course(episode.episode_id).had_effect(number)
        except DatasetError as error:
            raise LanguageModelError(str(error)) from error

    def _judged(
        self, kind: MemoryKind, data: dict[str, Json], views: Sequence[ShownScreenshot], candidates: Sequence[str]
    ) -> Generator[ModelRequest, ModelAnswer, tuple[int, RecordedCall, Scores]]:
        """The best candidate, the first of equal ones; shown in an order that depends only on their text."""
        order = sorted(range(CANDIDATES), key=lambda number: sha256(candidates[number].encode()).digest())
        told = {name: value for name, value in data.items() if name != "marked"}
        shown: dict[str, Json] = {
            "kind": kind.value,
            "standards": _STANDARDS[kind],
            "told": told,
            "marked": bool(data.get("marked")),
            "images": len(views),
            "candidates": [candidates[number] for number in order],
        }
        question = self._ask("judge", _Judgement, shown, views)
        answer = yield question
        marks = list(answer.data.model_dump().values())
        scores = [(0, 0, 0)] * CANDIDATES
        for place, candidate in enumerate(order):
            scores[candidate] = (marks[place]["first"], marks[place]["second"], marks[place]["third"])
        best = max(range(CANDIDATES), key=lambda number: (sum(scores[number]), -number))
        return best, self._call(question, answer, views), tuple(scores)


def memory_words(answer: ModelAnswer) -> str:
    """Empty for a core that is not needed."""
    match answer.data:
        case _Core(core=words) | _Result(action_result=words) | _Screen(screen_info=words) | _App(app=words):
            return words
        case _:
            raise TypeError(answer.data)
