"""A model's opinion on whether a task is done: an agent's without goals, or that of a recorded episode.

Never treated as a fact.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from odyssey_recorder.annotation.conversations import Plan, plan_episodes, read_shown
from odyssey_recorder.annotation.redacted_episode import RedactedEpisode
from odyssey_recorder.checking.one_episode import JUDGED
from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.batch import Ask, Batch, BatchProgress
from odyssey_recorder.llm.model import ModelRequest
from odyssey_recorder.llm.prompts import read_prompt
from odyssey_recorder.model.action import Complete, in_words
from odyssey_recorder.model.finding import Criterion, Finding, NotChecked, Severity
from odyssey_recorder.model.plain_text import on_one_line

_PROMPT = "agent_verdict/1"
_SCREENS, _RECORDED_SCREENS = 3, 12
"""The last ones, of an agent's run and of a recorded episode."""
_LONGEST = 2_000


class TaskVerdict(BaseModel):
    """Whether the task was done."""

    reason: str
    done: bool


def verdict_on(batch: Batch, root: Path, episode_id: str) -> tuple[TaskVerdict, str]:
    """On a published episode, and the model that answered. Raises LanguageModelError."""
    episode = read_shown(root, episode_id)
    (answer,) = batch.ask_all([_question(episode, _SCREENS)])
    if isinstance(answer, LanguageModelError):
        raise answer
    assert isinstance(answer.data, TaskVerdict)
    return answer.data, answer.model_answered


class EpisodeJudging:
    """Asks through `batch` whether the steps of episodes of the dataset `root` complete their instruction."""

    def __init__(self, batch: Batch, root: Path) -> None:
        self._batch = batch
        self._root = root

    def plan(self, episode_ids: Iterable[str]) -> Plan:
        """Blocks: reads every episode, and asks the server for its models."""
        return plan_episodes(self._batch, episode_ids, lambda episode_id: [self._question(episode_id)])

    def run(
        self, episode_ids: Sequence[str], *, progress: Callable[[BatchProgress], None]
    ) -> dict[str, Finding | NotChecked | None]:
        """What is to be reported of each episode: nothing if the model sees that all was done. Blocks."""
        outcomes = self._batch.run([partial(self._judged, each) for each in episode_ids], progress=progress)
        return {
            episode_id: NotChecked(JUDGED, str(outcome)) if isinstance(outcome, LanguageModelError) else outcome
            for episode_id, outcome in zip(episode_ids, outcomes, strict=True)
        }

    async def _judged(self, episode_id: str, ask: Ask) -> Finding | None:
        answer = await ask(self._question(episode_id))
        assert isinstance(answer.data, TaskVerdict)
        if answer.data.done:
            return None
        model, reason = on_one_line(answer.model_answered), on_one_line(answer.data.reason)
        found = f"In the opinion of {model}, which is no proof, the steps do not complete the instruction: “{reason}”"
        todo = "Compare the last screens with the instruction. The model may be wrong."
        return Finding(JUDGED, Severity.NOTE, Criterion.SEQUENCE, episode_id, None, found, todo)

    def _question(self, episode_id: str) -> ModelRequest:
        episode = read_shown(self._root, episode_id)
        if not episode.steps or not isinstance(episode.steps[-1].act, Complete):
            raise LanguageModelError("it does not end with COMPLETE")
        return _question(episode, _RECORDED_SCREENS)


def _question(episode: RedactedEpisode, screens: int) -> ModelRequest:
    *steps, last = episode.steps
    views = {f"screen {at}": step.views[0].lazy for at, step in enumerate(episode.steps[-screens:])}
    return read_prompt(_PROMPT).question(
        {
            "task": episode.instruction,
            "actions": [in_words(step.act) for step in steps],
            "ended": in_words(last.act),
            "images": len(views),
        },
        schema_name="verdict",
        answer=TaskVerdict,
        longest=_LONGEST,
        images=views,
    )
