"""Has a language model write the texts of steps: stages D, E and F of the paper's second release.

A step takes three calls: its instruction (D), from the screenshot and the action; its context (E), from the actions and
intentions before it; and its description and intention (F), from both. E and F are a chain for each episode, D
depends on nothing else. Every request follows from the dataset and from earlier answers, which are cached: a run that
was killed and is started again asks nothing twice.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, Field

from odyssey_recorder.annotation.asked import AskedEpisode, read_asked
from odyssey_recorder.annotation.inputs import FIRST_CONTEXT
from odyssey_recorder.annotation.kinds import TextKind
from odyssey_recorder.annotation.semantics import (
    LONGEST_TEXT,
    Call,
    SemanticsStore,
    ShownImage,
    State,
    Suggestion,
    suggestion_id,
)
from odyssey_recorder.errors import DatasetError, LanguageModelError, ReviewError
from odyssey_recorder.llm.batch import Ask, Batch, BatchProgress, Estimate
from odyssey_recorder.llm.model import LazyImage, ModelAnswer, ModelRequest, Usage
from odyssey_recorder.llm.prompts import read_prompt
from odyssey_recorder.model.episode import Json

PROMPTS = {
    "instruction": "step_instruction/1",
    "context": "step_context/1",
    "screen": "step_screen/1",
    "combined": "step_all/1",
}
Calls = Literal["three", "combined"]
"""For each step: the paper's three calls, or one for all four texts."""

_TOKENS = 4_000
"""Token limit of an answer: a few sentences and the reasoning for them."""
_OPEN = 8
"""Episodes that are kept open between two questions; more are read again."""
_MARKUP = re.compile(r"</?[a-zA-Z][\w-]*[^<>]*>|```")


def _plain(words: str) -> str:
    """Raises ValueError for what is not a few sentences of text."""
    words = words.strip()
    if not words:
        raise ValueError("it is empty")
    if not words.replace("\n", " ").isprintable():
        raise ValueError("it contains control characters")
    if _MARKUP.search(words):
        raise ValueError("it contains markup")
    return " ".join(words.split())


_Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_plain)]


# These docstrings are part of the schemas, and so of the keys of cached answers: do not change them.


class _Instruction(BaseModel):
    """What to do in this step."""

    low_level_instruction: _Text


class _Context(BaseModel):
    """What has been done before this step."""

    context: _Text


class _Screen(BaseModel):
    """What the screen shows, and why the action is chosen."""

    description: _Text
    intention: _Text


class _All(BaseModel):
    """All four texts of a step."""

    low_level_instruction: _Text
    context: _Text
    description: _Text
    intention: _Text


_Answer: TypeAlias = _Instruction | _Context | _Screen | _All
_Conversation: TypeAlias = Generator[ModelRequest, ModelAnswer, None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would ask. `screenshots` would leave for the host, about `bytes` in all; they are different ones.

    `problems` are of episodes that cannot be annotated, by id.
    """

    estimate: Estimate
    screenshots: int
    bytes: int
    problems: dict[str, str]


@dataclass(frozen=True, slots=True)
class Ended:
    """`texts` were added; `problem` is why an episode did not get all, or empty."""

    episode_id: str
    texts: int
    problem: str = ""


class Annotating:
    """Texts for the episodes of the dataset `root`, through `batch`, where one is missing or stale.

    `effort` is the reasoning effort to ask for; empty to send none.
    """

    def __init__(self, batch: Batch, root: Path, *, calls: Calls = "three", effort: str = "") -> None:
        self._batch = batch
        self._root = root
        self._store = SemanticsStore(root)
        self._calls = calls
        self._effort = effort
        self._prompts = {stage: read_prompt(name) for stage, name in PROMPTS.items()}
        self._episode = lru_cache(_OPEN)(self._read)

    def plan(self, episode_ids: Sequence[str]) -> Plan:
        """Blocks: reads every episode, and asks the server for its models."""
        leaving: dict[bytes, int] = {}
        problems: dict[str, str] = {}
        estimate = self._batch.estimate(self._likely(episode_ids, leaving, problems))
        return Plan(estimate, len(leaving), sum(leaving.values()), problems)

    def run(
        self,
        episode_ids: Sequence[str],
        *,
        progress: Callable[[BatchProgress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Ended]:
        """Ask, and add the texts to the dataset as soon as a part of an episode is answered.

        Blocks. Raises CancelledError once `cancelled` returns True, and DatasetError or ReviewError if texts cannot be
        written; answers so far are kept.
        """
        self._episode.cache_clear()
        jobs: list[tuple[str, int | None]] = []
        ended: list[Ended] = []
        for episode_id in episode_ids:
            try:
                jobs += ((episode_id, part) for part in self._parts(self._read(episode_id)))
            except LanguageModelError as error:
                ended.append(Ended(episode_id, 0, str(error)))
        outcomes = self._batch.run(
            [partial(self._answered, *job) for job in jobs], progress=progress, cancelled=cancelled
        )
        return ended + list(_by_episode(jobs, outcomes))

    # The conversations of an episode: None is the chain, a number the instruction of that step.

    def _read(self, episode_id: str) -> AskedEpisode:
        try:
            return read_asked(self._root, episode_id, self._store.read(episode_id))
        except (DatasetError, ReviewError) as error:
            raise LanguageModelError(str(error)) from error

    def _parts(self, episode: AskedEpisode) -> Iterator[int | None]:
        of_chain = set(TextKind) - ({TextKind.INSTRUCTION} if self._calls == "three" else set())
        if any(_is_open(episode, number, *of_chain) for number in range(len(episode.steps))):
            yield None
        if self._calls == "three":
            yield from (n for n in range(len(episode.steps)) if _is_open(episode, n, TextKind.INSTRUCTION))

    def _conversation(self, episode: AskedEpisode, part: int | None, made: list[Suggestion]) -> _Conversation:
        if part is not None:
            question = self._question("instruction", _Instruction, episode, part, {})
            answer = yield question
            made += self._suggestions(question, answer, episode, part)
        elif self._calls == "three":
            yield from self._chain(episode, made)
        else:
            yield from self._combined(episode, made)

    def _chain(self, episode: AskedEpisode, made: list[Suggestion]) -> _Conversation:
        done: list[Json] = []
        for number, step in enumerate(episode.steps):
            if step.is_terminal:
                return
            context = _words(episode, number, TextKind.CONTEXT)
            if _is_open(episode, number, TextKind.CONTEXT):
                question = self._question("context", _Context, episode, number, {"done": done})
                answer = yield question
                made += self._suggestions(question, answer, episode, number)
                context = made[-1].words
            intention = _words(episode, number, TextKind.INTENTION)
            if _is_open(episode, number, TextKind.DESCRIPTION, TextKind.INTENTION):
                question = self._question("screen", _Screen, episode, number, {"context": context})
                answer = yield question
                new = self._suggestions(question, answer, episode, number)
                made += new
                intention = _newest(intention, new)
            done.append({"action": step.action, "intention": intention})

    def _combined(self, episode: AskedEpisode, made: list[Suggestion]) -> _Conversation:
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
        self, stage: str, answer: type[_Answer], episode: AskedEpisode, number: int, data: dict[str, Json]
    ) -> ModelRequest:
        step = episode.steps[number]
        whole: dict[str, Json] = {"task": episode.instruction, "marked": len(step.views) > 1, **data}
        if stage != "context":
            whole["action"] = step.action
        return self._prompts[stage].question(
            whole,
            schema_name=f"step_{stage}",
            answer=answer,
            longest=_TOKENS,
            candidate=_rejected(episode, number, [TextKind(name) for name in answer.model_fields]),
            images=() if stage == "context" else [view.lazy for view in step.views],
            effort=self._effort,
        )

    def _suggestions(
        self, question: ModelRequest, answer: ModelAnswer, episode: AskedEpisode, number: int
    ) -> list[Suggestion]:
        """Of an answer, those texts that are needed."""
        step, inputs = episode.steps[number], episode.texts.inputs[number]
        edited = episode.texts.edited[:number]
        images = () if question.prompt == PROMPTS["context"] else tuple(view.shown for view in step.views)
        call = self._call(question, answer, images)
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

    def _call(self, question: ModelRequest, answer: ModelAnswer, images: tuple[ShownImage, ...]) -> Call:
        made = self._batch.call(question, answer)
        return Call(
            prompt=made.prompt, model_asked=made.model_asked, model_answered=made.model_answered, host=made.host,
            at=made.at, tokens_in=made.tokens_in, tokens_out=made.tokens_out, cost=made.cost, key=made.key,
            effort=self._effort, images=images,
        )  # fmt: skip

    # Holding them.

    async def _answered(self, episode_id: str, part: int | None, ask: Ask) -> int:
        """How many texts were added."""
        episode = self._episode(episode_id)
        made: list[Suggestion] = []
        conversation = self._conversation(episode, part, made)
        try:
            question = next(conversation)
            while True:
                question = conversation.send(await ask(question))
        except StopIteration:
            pass
        finally:
            if made:
                self._store.add(episode_id, made)
        return len(made)

    def _likely(
        self, episode_ids: Iterable[str], leaving: dict[bytes, int], problems: dict[str, str]
    ) -> Iterator[ModelRequest]:
        for episode_id in episode_ids:
            try:
                episode = self._read(episode_id)
                for part in self._parts(episode):
                    yield from self._likely_in(self._conversation(episode, part, []), episode, leaving)
            except LanguageModelError as error:
                problems[episode_id] = str(error)

    def _likely_in(
        self, conversation: _Conversation, episode: AskedEpisode, leaving: dict[bytes, int]
    ) -> Iterator[ModelRequest]:
        """The questions, answered from the cache or else with texts of usual length."""
        of_images = {view.lazy.identity: view for step in episode.steps for view in step.views}
        try:
            question = next(conversation)
            while True:
                yield question
                answer = self._batch.kept(question)
                if answer is None:
                    for identity in _identities(question):
                        view = of_images[identity]
                        leaving[bytes.fromhex(view.png_sha256)] = view.about_bytes
                    answer = _usual(question)
                question = conversation.send(answer)
        except StopIteration:
            return


def _is_open(episode: AskedEpisode, number: int, *kinds: TextKind) -> bool:
    texts = episode.texts.steps[number]
    return any(texts[kind].state in (State.MISSING, State.STALE) for kind in kinds)


def _words(episode: AskedEpisode, number: int, kind: TextKind) -> str:
    return "" if _is_open(episode, number, kind) else episode.texts.steps[number][kind].words


def _newest(intention: str, new: Sequence[Suggestion]) -> str:
    return next((one.words for one in new if one.field is TextKind.INTENTION), intention)


def _rejected(episode: AskedEpisode, number: int, kinds: Sequence[TextKind]) -> int:
    """The number of the answer to ask for: one more for each that a person rejected."""
    return max(episode.texts.steps[number][kind].rejected for kind in kinds)


def _identities(question: ModelRequest) -> Iterator[str]:
    for message in question.messages:
        yield from (part.identity for part in message.parts if isinstance(part, LazyImage))


def _usual(question: ModelRequest) -> ModelAnswer:
    words = "A sentence of usual length. " * 3
    data = question.answer.model_validate(dict.fromkeys(question.answer.model_fields, words))
    return ModelAnswer(data, "", "", "", "", datetime.now(UTC), Usage(0, 0))


def _by_episode(
    jobs: Sequence[tuple[str, int | None]], outcomes: Sequence[int | LanguageModelError]
) -> Iterator[Ended]:
    ended: dict[str, Ended] = {}
    for (episode_id, _), outcome in zip(jobs, outcomes, strict=True):
        so_far = ended.setdefault(episode_id, Ended(episode_id, 0))
        match outcome:
            case LanguageModelError() as error:
                ended[episode_id] = replace(so_far, problem=so_far.problem or str(error))
            case int(count):
                ended[episode_id] = replace(so_far, texts=so_far.texts + count)
    yield from ended.values()
