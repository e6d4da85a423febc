"""Rewrites filled tasks as instructions with a language model, and has the result judged.

Each task is one conversation: the model phrases the task, the rules check the result, the model fixes what they find,
and a judge checks what passed the rules. Every request depends only on the filled template, not on its current
instruction or on other tasks: after a crash, a run repeats no request. Only asking again sends a new one, and its
answer is the one that later runs use.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import count
from typing import TypeAlias

from pydantic import BaseModel

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.batch import Ask, Batch, BatchProgress
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest
from odyssey_recorder.llm.prompts import Slots, chosen_prompts, read_prompt
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.text_origin import Equivalence, ModelCall, TextOrigin, Writer
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from odyssey_recorder.tasks.wording.equivalence import LONGEST, bare_words, rule_faults, said_already

REWRITE, JUDGE = "rewrite/1", "judge/1"
_SLOTS = Slots(("task",), ("template", "items", "apps", "refused", "faults"))

_TOKENS = 4_000
"""Token limit of an answer: a few sentences and the reasoning for them."""
_TURNS = 840
"""A hash modulo this chooses a prompt's style for a task; it has many divisors."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The result for one task: with its new instruction, or unchanged if there is none, with the reason in `trouble`.

    Instructions that a rule or the judge objects to are kept, with the objections in `task.text.equivalence`; a person
    decides.
    """

    task: ListedTask
    trouble: str = ""


def failures(results: Iterable[Rewritten]) -> Sequence[tuple[str, Sequence[str]]]:
    """The reasons with the ids of the tasks that failed for them, the most frequent reason first."""
    found: dict[str, list[str]] = {}
    for rewritten in results:
        if rewritten.trouble:
            found.setdefault(rewritten.trouble, []).append(rewritten.task.task_id)
    return sorted(found.items(), key=lambda entry: -len(entry[1]))


OnRewritten: TypeAlias = Callable[[Rewritten], None]

_Conversation: TypeAlias = Generator[ModelRequest, ModelAnswer, Rewritten]
"""Yields requests and is sent their answers, or thrown the LanguageModelError instead."""


# These docstrings are part of the schemas, and so of the keys of cached answers: do not change them.


class _RewriteAnswer(BaseModel):
    """What is answered by a model that puts a task into words."""

    instruction: str


class _JudgeAnswer(BaseModel):
    """What is answered by a model that judges: A is the task, B the instruction."""

    missing_requirements: list[str]
    added_requirements: list[str]
    a_entails_b: bool
    b_entails_a: bool


@dataclass(frozen=True, slots=True)
class _Attempt:
    text: str
    call: ModelCall
    faults: tuple[str, ...]


class Rewriting:
    """Rewrites tasks and has instructions judged, through `batch`.

    `library` gives the apps on the devices of a task. An instruction must differ from those of `others`, not counting
    the tasks being rewritten. `again` asks for other words than those in the answer cache. `prompt` is one of
    `chosen_prompts`, and `temperature` is sent unless it is None.
    """

    def __init__(  # noqa: PLR0913 - the options, by keyword
        self,
        batch: Batch,
        library: TemplateLibrary,
        others: Iterable[ListedTask] = (),
        *,
        again: bool = False,
        prompt: str = "ours",
        temperature: float | None = None,
    ) -> None:
        self._batch = batch
        self._again = again
        self._library = library
        self._others = tuple(others)
        self._rewrite = chosen_prompts([prompt], {"rewrite": (REWRITE, _SLOTS)})["rewrite"]
        self._temperature: dict[str, Json] = {} if temperature is None else {"temperature": temperature}
        self._judge = read_prompt(JUDGE)

    def rewrite(
        self,
        tasks: Sequence[ListedTask],
        *,
        names_apps: bool,
        on_rewritten: OnRewritten = lambda _: None,
        progress: Callable[[BatchProgress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Rewritten]:
        """The results in the order of the tasks; `on_rewritten` is called as soon as each is ready.

        Blocks, and calls all three in the calling thread. Raises CancelledError once `cancelled` returns True, and
        whatever `on_rewritten` raises.
        """
        own = {task.task_id for task in tasks}
        taken = {bare_words(other.task.instruction) for other in self._others if other.task_id not in own}

        async def rewritten_by(task: ListedTask, ask: Ask) -> Rewritten:
            try:
                rewritten = _alone(await _held_by(ask, self._put_into_words(task, names_apps)), taken)
            except LanguageModelError as error:
                on_rewritten(_as_it_was(task, error))
                raise
            on_rewritten(rewritten)
            return rewritten

        jobs = [partial(rewritten_by, task) for task in tasks]
        ended = self._batch.run(jobs, progress=progress, cancelled=cancelled)
        return [_as_it_was(task, rewritten) for task, rewritten in zip(tasks, ended, strict=True)]

    def likely_questions(self, tasks: Iterable[ListedTask], *, names_apps: bool) -> Iterator[ModelRequest]:
        """For `Batch.estimate`, cached ones first. Assumes that a judge gets instructions of the present length."""
        for task in tasks:
            conversation = self._put_into_words(task, names_apps)
            question = next(conversation)
            try:
                while (answer := self._batch.kept(question)) is not None:
                    yield question
                    question = conversation.send(answer)
            except StopIteration:
                continue
            yield question
            if question.prompt == self._rewrite.name:
                yield self._judging(task, task.task.instruction, names_apps)

    # Requests for a task.

    def _put_into_words(self, task: ListedTask, names_apps: bool) -> _Conversation:
        attempts = next(time for time in count() if self._batch.kept(self._wording(task, names_apps, time)) is None)
        time = attempts if self._again else max(0, attempts - 1)
        best = yield from self._attempt(task, names_apps, time)
        trouble = ""
        if best.faults:
            try:
                corrected = yield from self._attempt(task, names_apps, time, best)
            except LanguageModelError as error:
                trouble = str(error)
            else:
                best = best if len(best.faults) < len(corrected.faults) else corrected
        if not best.text:
            return Rewritten(task, trouble or f"The model {best.call.model_answered} gave no usable answer.")
        equivalence, unjudged = yield from self._held(task, best.text, best.faults, names_apps)
        text = TextOrigin(Writer.MODEL, names_apps, best.call, equivalence)
        return Rewritten(replace(task, task=replace(task.task, instruction=best.text), text=text), trouble or unjudged)

    def _attempt(
        self, task: ListedTask, names_apps: bool, time: int, before: _Attempt | None = None
    ) -> Generator[ModelRequest, ModelAnswer, _Attempt]:
        question = self._wording(task, names_apps, time, before)
        answer = yield question
        instruction = _RewriteAnswer.model_validate(answer.data).instruction.strip()
        faults = rule_faults(
            task,
            instruction,
            names_apps=names_apps,
            catalogue=self._library.catalogue_for(task.template, task.task.apps),
        )
        # What is too long is neither sent back to the model nor shown.
        words = " ".join(instruction.split()) if len(instruction) <= LONGEST else ""
        return _Attempt(words, self._batch.call(question, answer), faults)

    def _held(
        self, task: ListedTask, words: str, faults: tuple[str, ...], names_apps: bool
    ) -> Generator[ModelRequest, ModelAnswer, tuple[Equivalence, str]]:
        """The judge's finding on an instruction with rule `faults`, and why there is none."""
        if faults:
            return Equivalence(faults), ""
        question = self._judging(task, words, names_apps)
        try:
            answer = yield question
        except LanguageModelError as error:
            return Equivalence(), f"Not judged: {error}"
        judged = _JudgeAnswer.model_validate(answer.data)
        equivalence = Equivalence(
            task_entails_instruction=judged.a_entails_b,
            instruction_entails_task=judged.b_entails_a,
            missing=tuple(judged.missing_requirements),
            added=tuple(judged.added_requirements),
            judge=self._batch.call(question, answer),
        )
        return equivalence, ""

    def _wording(self, task: ListedTask, names_apps: bool, time: int, before: _Attempt | None = None) -> ModelRequest:
        """The question asked for the `time`-th time, from 0, each in another style."""
        data: dict[str, Json] = {
            "task": task.task.task,
            "template": task.task.meta_task,
            "items": dict(task.slots),
            "turn": (int(sha256(task.task.task.encode()).hexdigest(), 16) + time) % _TURNS,
            "apps": _apps(task, names_apps),
            "refused": before.text if before else "",
            "faults": list(before.faults) if before else [],
        }
        candidate = 2 * time + (before is not None)
        question = self._rewrite.question(
            data, schema_name="rewritten", answer=_RewriteAnswer, longest=_TOKENS, candidate=candidate
        )
        return replace(question, parameters={**question.parameters, **self._temperature})

    def _judging(self, task: ListedTask, words: str, names_apps: bool) -> ModelRequest:
        data: dict[str, Json] = {"task": task.task.task, "instruction": words, "apps": _apps(task, names_apps)}
        return self._judge.question(data, schema_name="judgement", answer=_JudgeAnswer, longest=_TOKENS)


def _alone(rewritten: Rewritten, taken: set[str]) -> Rewritten:
    """With a fault if another task has the same instruction. Not retried: which of them comes first is chance."""
    words, text = rewritten.task.task.instruction, rewritten.task.text
    faults = said_already(words, taken)
    taken.add(bare_words(words))
    if not faults or text is None or text.equivalence is None:
        return rewritten
    equivalence = replace(text.equivalence, faults=(*text.equivalence.faults, *faults))
    return replace(rewritten, task=replace(rewritten.task, text=replace(text, equivalence=equivalence)))


async def _held_by(ask: Ask, conversation: _Conversation) -> Rewritten:
    try:
        question = next(conversation)
        while True:
            try:
                answer = await ask(question)
            except LanguageModelError as error:
                question = conversation.throw(error)
            else:
                question = conversation.send(answer)
    except StopIteration as end:
        rewritten: Rewritten = end.value
        return rewritten


def _as_it_was(task: ListedTask, ended: Rewritten | LanguageModelError) -> Rewritten:
    return ended if isinstance(ended, Rewritten) else Rewritten(task, str(ended))


def _apps(task: ListedTask, names_apps: bool) -> Json:
    if not names_apps:
        return []
    return dict(task.roles) or list(task.task.apps)
