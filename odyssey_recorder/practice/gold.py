"""The gold episode of a practice task, in one file without pictures: the annotation, and what its screens said."""

import json
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from odyssey_recorder.dataset.codec import decode, encode
from odyssey_recorder.errors import InvalidEpisodeError, PracticeError
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.model.episode import Episode, Step, screenshot_name
from odyssey_recorder.practice.passages import Passed, Trail
from odyssey_recorder.practice.tasks import PracticeTask

FORMAT = 1
_ID = "0" * 16
"""The id that every gold episode has here, so that one that is recorded anew is the same file."""


@dataclass(frozen=True, slots=True)
class Gold:
    """How the task is done, once: the episode, and what it came by."""

    episode: Episode
    trail: Trail


class _Screen(BaseModel):
    model_config = ConfigDict(frozen=True)

    package: str
    activity: str
    texts: tuple[str, ...] | None
    is_idle: bool = False


class _File(BaseModel):
    model_config = ConfigDict(frozen=True)

    format: int
    episode: dict[str, JsonValue]
    screens: tuple[_Screen, ...]


def read_gold(task: PracticeTask) -> Gold:
    """The gold episode of a task. Raises PracticeError."""
    path = task.gold_file
    try:
        read = _File.model_validate_json(read_file(path, Largest.PROOF))
        episode = decode(json.dumps(read.episode), source=path.name)
    except (OSError, ValidationError, InvalidEpisodeError) as error:
        raise PracticeError(f"The gold episode {path} cannot be read: {error}.") from error
    if read.format != FORMAT or len(episode.steps) != len(read.screens):
        raise PracticeError(f"The gold episode {path} is not whole: record it anew (docs/practice.md).")
    pairs = zip(episode.steps, read.screens, strict=True)
    trail = tuple(Passed(step.action, s.package, s.activity, s.texts, s.is_idle) for step, s in pairs)
    return Gold(episode, trail)


def gold_as_json(episode: Episode, trail: Trail) -> bytes:
    """The file of a gold episode; the same for every recording of the same doing."""
    steps = tuple(Step(screenshot_name(_ID, number), step.action) for number, step in enumerate(episode.steps))
    annotation = json.loads(encode(replace(episode, episode_id=_ID, steps=steps)))
    screens = [
        {"package": p.package, "activity": p.activity, "texts": p.texts and list(p.texts), "is_idle": p.is_idle}
        for p in trail
    ]
    lines = ",\n  ".join(json.dumps(screen, ensure_ascii=False) for screen in screens)
    head = json.dumps(annotation, ensure_ascii=False)
    return f'{{"format": {FORMAT},\n "episode": {head},\n "screens": [\n  {lines}\n ]}}\n'.encode()
