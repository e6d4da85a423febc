"""Asks a language model about the episodes of a dataset, and adds its answers to the dataset's semantics files.

What is asked of an episode is a conversation: each question may depend on the answers before it. Every request follows
from the dataset and from earlier answers, which are cached: a run that was killed and is started again asks nothing
twice.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, Field

from odyssey_recorder.annotation.redacted_episode import RedactedEpisode, read_redacted_episode
from odyssey_recorder.annotation.screenshots import ShownScreenshot, leaving
from odyssey_recorder.annotation.semantics import LONGEST_TEXT, Entry, RecordedCall, SemanticsStore
from odyssey_recorder.errors import DatasetError, LanguageModelError, ReviewError
from odyssey_recorder.llm.batch import Ask, Batch, BatchProgress, Estimate
from odyssey_recorder.llm.model import LazyImage, ModelAnswer, ModelRequest, Usage
from odyssey_recorder.llm.prompts import IMAGES, Prompt
from odyssey_recorder.llm.schema import FreeText
from odyssey_recorder.model.episode import Json

_TOKENS = 4_000
"""Token limit of an answer: a few sentences and the reasoning for them."""
_OPEN = 8
"""Episodes that are kept open between two questions; more are read again."""
_MARKUP = re.compile(r"</?[a-zA-Z][\w-]*[^<>]*>|```")
_Result = TypeVar("_Result")
_USUAL = "A sentence of usual length. " * 3


def plain(text: str) -> str:
    """Raises ValueError unless it is a few sentences of plain text."""
    text = text.strip()
    if not text:
        raise ValueError("it is empty")
    if not text.replace("\n", " ").isprintable():
        raise ValueError("it contains control characters")
    if _MARKUP.search(text):
        raise ValueError("it contains markup")
    return " ".join(text.split())


StepWords = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(plain)]
"""A few sentences about a step, as a model answers them."""

Conversation: TypeAlias = Generator[ModelRequest, ModelAnswer, None]
Part: TypeAlias = int | None
"""A step with its own conversation, or None for the conversation about the whole episode."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would ask. `screenshots` counts the different ones that would be sent, about `bytes` in all.

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


class Conversations(ABC):
    """Asks about episodes of the dataset `root`, through `batch`.

    `prompts` are by stage. `effort` is the reasoning effort to ask for; empty to send
    none.
    """

    def __init__(self, batch: Batch, root: Path, prompts: Mapping[str, Prompt], effort: str) -> None:
        self._batch = batch
        self._root = root
        self._store = SemanticsStore(root)
        self._effort = effort
        self._prompts = prompts
        self._episode = lru_cache(_OPEN)(self._read)

    @abstractmethod
    def parts(self, episode: RedactedEpisode) -> Iterator[Part]:
        """The conversations that the episode still needs."""

    @abstractmethod
    def conversation(self, episode: RedactedEpisode, part: Part, made: list[Entry]) -> Conversation:
        """Yields questions and is sent their answers; adds to `made` what follows from them."""

    def plan(self, episode_ids: Sequence[str]) -> Plan:
        """Blocks: reads every episode, and asks the server for its models."""
        return plan_episodes(self._batch, episode_ids, self._likely)

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
        jobs: list[tuple[str, Part]] = []
        ended: list[Ended] = []
        for episode_id in episode_ids:
            try:
                jobs += ((episode_id, part) for part in self.parts(self._read(episode_id)))
            except LanguageModelError as error:
                ended.append(Ended(episode_id, 0, str(error)))
        outcomes = self._batch.run(
            [partial(self._answered, *job) for job in jobs], progress=progress, cancelled=cancelled
        )
        return ended + list(_by_episode(jobs, outcomes))

    def _read(self, episode_id: str) -> RedactedEpisode:
        return read_shown(self._root, episode_id)

    def _ask(
        self,
        stage: str,
        answer: type[BaseModel],
        data: dict[str, Json],
        views: Sequence[ShownScreenshot] = (),
        *,
        candidate: int = 0,
    ) -> ModelRequest:
        return step_question(self._prompts[stage], stage, answer, data, views, candidate=candidate, effort=self._effort)

    def _call(self, question: ModelRequest, answer: ModelAnswer, views: Sequence[ShownScreenshot]) -> RecordedCall:
        made = asdict(self._batch.call(question, answer))
        return RecordedCall(**made, effort=self._effort, images=tuple(view.shown for view in views))

    async def _answered(self, episode_id: str, part: Part, ask: Ask) -> int:
        """How many texts were added."""
        episode = self._episode(episode_id)
        made: list[Entry] = []
        conversation = self.conversation(episode, part, made)
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

    def _likely(self, episode_id: str) -> Iterator[ModelRequest]:
        episode = self._read(episode_id)
        for part in self.parts(episode):
            yield from likely(self._batch, self.conversation(episode, part, []))


def step_question(  # noqa: PLR0913 - what a request consists of, by keyword
    prompt: Prompt,
    stage: str,
    answer: type[BaseModel],
    data: dict[str, Json],
    views: Sequence[ShownScreenshot],
    *,
    candidate: int = 0,
    effort: str = "",
) -> ModelRequest:
    """Raises LanguageModelError if the prompt cannot be filled."""
    return prompt.question(
        data,
        schema_name=f"step_{stage}",
        answer=answer,
        longest=_TOKENS,
        candidate=candidate,
        images=_named(views),
        effort=effort,
    )


def likely(
    batch: Batch, conversation: Generator[ModelRequest, ModelAnswer, _Result]
) -> Generator[ModelRequest, None, _Result]:
    """The questions, answered from the cache or else with texts of usual length."""
    try:
        question = next(conversation)
        while True:
            yield question
            answer = batch.kept(question)
            if answer is None:
                is_judged = question.is_judged  # then its answer has no form
                data = FreeText(text=_USUAL) if is_judged else usual(question.answer, question.candidate)
                answer = ModelAnswer(data, "", "", "", "", datetime.now(UTC), Usage(0, 0))
            question = conversation.send(answer)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return]


def _named(views: Sequence[ShownScreenshot]) -> dict[str, LazyImage]:
    """By the slots of prompts: a screenshot, its marked copy, and the screenshot after the action."""
    screenshot, marked, following = IMAGES
    found: dict[str, LazyImage] = {}
    for view in views:
        found[marked if view.mark else following if screenshot in found else screenshot] = view.lazy
    return found


def plan_episodes(
    batch: Batch,
    episode_ids: Iterable[str],
    questions: Callable[[str], Iterable[ModelRequest]],
    *,
    share: float = 1.0,
) -> Plan:
    """`questions` of an episode raise LanguageModelError if there can be none; `share` is of the usual price.

    Blocks: reads every episode, and asks the server for its models.
    """
    screenshots: dict[bytes, int] = {}
    problems: dict[str, str] = {}

    def asked() -> Iterator[ModelRequest]:
        for episode_id in episode_ids:
            try:
                for question in questions(episode_id):
                    yield question
                    if batch.kept(question) is None:
                        screenshots.update(_screenshots_leaving(question))
            except LanguageModelError as error:
                problems[episode_id] = str(error)

    estimate = batch.estimate(asked(), share=share)
    return Plan(estimate, len(screenshots), sum(screenshots.values()), problems)


def _screenshots_leaving(question: ModelRequest) -> Iterator[tuple[bytes, int]]:
    for message in question.messages:
        yield from (leaving(part) for part in message.parts if isinstance(part, LazyImage))


def read_shown(root: Path, episode_id: str) -> RedactedEpisode:
    """The episode as a model may see it. Raises LanguageModelError if it cannot be read."""
    try:
        return read_redacted_episode(root, episode_id)
    except (DatasetError, ReviewError) as error:
        raise LanguageModelError(str(error)) from error


def usual(answer: type[BaseModel], candidate: int) -> BaseModel:
    """An answer of usual length; another one for each candidate."""
    values: dict[type, object] = {str: f"{_USUAL}{candidate or ''}", bool: True, int: 3}
    given: dict[str, object] = {}
    for name, field in answer.model_fields.items():
        kind: Any = field.annotation
        given[name] = usual(kind, 0) if issubclass(kind, BaseModel) else values[kind]
    return answer.model_validate(given)


def _by_episode(jobs: Sequence[tuple[str, Part]], outcomes: Sequence[int | LanguageModelError]) -> Iterator[Ended]:
    ended: dict[str, Ended] = {}
    for (episode_id, _), outcome in zip(jobs, outcomes, strict=True):
        so_far = ended.setdefault(episode_id, Ended(episode_id, 0))
        match outcome:
            case LanguageModelError() as error:
                ended[episode_id] = replace(so_far, problem=so_far.problem or str(error))
            case int(count):
                ended[episode_id] = replace(so_far, texts=so_far.texts + count)
    yield from ended.values()
