"""A model's opinion on whether an agent has done its task, for tasks without goals; never treated as a fact."""

from pathlib import Path

from pydantic import BaseModel

from odyssey_recorder.annotation.redacted_episode import read_redacted_episode
from odyssey_recorder.annotation.semantics import SemanticsStore
from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ModelAnswer
from odyssey_recorder.llm.prompts import read_prompt
from odyssey_recorder.model.action import in_words

_PROMPT = "agent_verdict/1"
_SCREENS = 3
_LONGEST = 2_000


class TaskVerdict(BaseModel):
    """Whether the task was done."""

    reason: str
    done: bool


def verdict_on(batch: Batch, root: Path, episode_id: str) -> tuple[TaskVerdict, str]:
    """On a published episode, and the model that answered. Raises LanguageModelError, DatasetError, ReviewError."""
    episode = read_redacted_episode(root, episode_id, SemanticsStore(root).read(episode_id))
    *steps, last = episode.steps
    views = [step.views[0].lazy for step in episode.steps[-_SCREENS:]]
    question = read_prompt(_PROMPT).question(
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
    (answer,) = batch.ask_all([question])
    if not isinstance(answer, ModelAnswer):
        raise answer if isinstance(answer, LanguageModelError) else LanguageModelError(str(answer))
    assert isinstance(answer.data, TaskVerdict)
    return answer.data, answer.model_answered
