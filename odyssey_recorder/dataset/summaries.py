"""What a list of episodes shows of each: read from its annotation, and from its proof who recorded it and when."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.dataset.durable import dataset_of
from odyssey_recorder.dataset.lenient import read_loosely
from odyssey_recorder.dataset.provenance import Origin, Whole
from odyssey_recorder.errors import DatasetError, InvalidEpisodeError
from odyssey_recorder.files import Largest, read_json
from odyssey_recorder.model.episode import Episode


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """An episode as a list shows it; `problem` says why its annotation cannot be read, and is empty where it can.

    `template` is its meta_task. `annotator` is empty and `recorded_at` None where there is no proof of the episode, as
    in released data; `task_id` is empty there, too, and where it was recorded for no task of a list.
    """

    episode_id: str
    instruction: str = ""
    category: str = ""
    device: str = ""
    steps: int = 0
    annotator: str = ""
    recorded_at: datetime | None = None
    problem: str = ""
    template: str = ""
    task_id: str = ""


def summarise(root: Path, episode_id: str) -> EpisodeSummary | None:
    """One episode of the dataset folder `root`; None where it is gone."""
    path = root / "annotations" / f"{episode_id}.json"
    try:
        summary = _summary(read_annotation(path))
    except DatasetError as error:
        if not path.exists():
            return None
        summary = replace(_understood(path), problem=str(error))
    return _with_proof(summary, root / "provenance" / f"{episode_id}.json")


def _understood(path: Path) -> EpisodeSummary:
    """What can be told of an episode that breaks the format."""
    try:
        told = read_loosely(read_json(path, Largest.ANNOTATION, within=dataset_of(path)), source=path.name)
    except (OSError, InvalidEpisodeError):
        return EpisodeSummary(path.stem)
    device, task = "" if told.device is None else told.device.device_name, told.task
    return EpisodeSummary(path.stem, task.instruction, task.category, device, len(told.steps), template=task.meta_task)


def read_annotation(path: Path) -> Episode:
    """The episode in an annotation file. Raises DatasetError, also where it is not that of the file's name."""
    episode = read_episode(path)
    if episode.episode_id != path.stem:
        raise InvalidEpisodeError(f"{path.name} holds the episode {episode.episode_id}; expected that of its name.")
    return episode


def _summary(episode: Episode) -> EpisodeSummary:
    return EpisodeSummary(
        episode.episode_id,
        episode.task.instruction,
        episode.task.category,
        episode.device.device_name,
        len(episode.steps),
        template=episode.task.meta_task,
    )


class _Proof(BaseModel):
    """The part of an episode's proof that lists show; the records of the steps are left unread."""

    model_config = ConfigDict(extra="ignore")

    origin: Origin
    started_us: Whole


def _with_proof(summary: EpisodeSummary, path: Path) -> EpisodeSummary:
    try:
        proof = _Proof.model_validate_json(read_json(path, Largest.PROOF, within=dataset_of(path)))
        recorded_at = datetime.fromtimestamp(proof.started_us / 1_000_000, UTC)
    except (OSError, ValidationError, ValueError):
        return summary  # whoever opens the episode is told why
    return replace(summary, annotator=proof.origin.annotator, recorded_at=recorded_at, task_id=proof.origin.task_id)
