"""One episode of a dataset: a summary for lists, or all that can be read of its files."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from odyssey_recorder.dataset.codec import read_annotation, read_episode
from odyssey_recorder.dataset.layout import EpisodeFiles, read_dataset_file
from odyssey_recorder.dataset.lenient import read_damaged, read_leniently
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord, read_provenance
from odyssey_recorder.dataset.quick_reading import Entry, read_entries
from odyssey_recorder.errors import DatasetError, InvalidEpisodeError
from odyssey_recorder.files import Largest
from odyssey_recorder.model.episode import DeviceInfo, Episode, TaskInfo
from odyssey_recorder.model.geometry import Size


@dataclass(frozen=True, slots=True)
class OpenedEpisode:
    """`provenance` is None if there is none or it is unreadable: then `problem` says why.

    `damage` says why the annotation is unreadable, or is empty; `episode` is then what could be read, perhaps without
    steps.
    """

    episode: Episode
    files: EpisodeFiles
    provenance: EpisodeProvenance | None = None
    problem: str = ""
    damage: str = ""

    def record(self, step: int) -> StepRecord | None:
        records = self.provenance.steps if self.provenance is not None else ()
        return records[step] if step < len(records) else None


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """An episode in a list; `problem` says why its annotation is unreadable, or is empty.

    `revision` is the SHA-256 of the annotation, or empty if that cannot be read. Without provenance, as in released
    data, `annotator` and `task_id` are empty and `recorded_at` is None.
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
    revision: str = ""


def open_episode(annotation: Path) -> OpenedEpisode:
    """Open an annotation, in a dataset or alone. Raises DatasetError."""
    return opened(annotation, read_episode(annotation))


def open_published(annotation: Path) -> OpenedEpisode:
    """Open an annotation that is named by its id. Raises DatasetError."""
    return opened(annotation, read_annotation(annotation))


def open_damaged(annotation: Path) -> OpenedEpisode:
    """Open an annotation that is named by its id, a damaged one too. Raises DatasetError if nothing can be read."""
    try:
        return open_published(annotation)
    except InvalidEpisodeError as error:
        episode_id = annotation.stem
        understood = read_damaged(read_dataset_file(annotation, Largest.ANNOTATION), episode_id)
        nothing = Episode(episode_id, DeviceInfo("", Size(1, 1)), TaskInfo("", (), "", "", ""), ())
        return replace(opened(annotation, understood or nothing), damage=str(error))


def opened(annotation: Path, episode: Episode) -> OpenedEpisode:
    files = EpisodeFiles(annotation, episode.episode_id)
    if files.provenance is None:
        return OpenedEpisode(episode, files)
    try:
        return OpenedEpisode(episode, files, read_provenance(files.provenance))
    except DatasetError as error:
        return OpenedEpisode(episode, files, problem=str(error))


def summarise(root: Path, episode_id: str) -> EpisodeSummary | None:
    """None if the episode no longer exists."""
    for entry in read_entries(root, [episode_id]):
        read, task = entry.contents, entry.contents.task
        if read.problem:
            found = replace(_understood(entry), problem=read.problem)
        else:
            found = EpisodeSummary(episode_id, task.instruction, task.category, read.device, len(read.steps))
            found = replace(found, template=task.meta_task)
        found = replace(found, annotator=entry.annotator, recorded_at=entry.recorded_at, task_id=entry.task_id)
        return replace(found, revision=read.sha256)
    return None


def _understood(entry: Entry) -> EpisodeSummary:
    """What can be read of a damaged annotation."""
    try:
        read = read_leniently(entry.data, source=entry.episode_id)
    except DatasetError:
        return EpisodeSummary(entry.episode_id)
    task, device = read.task, "" if read.device is None else read.device.device_name
    steps = len(read.steps)
    return EpisodeSummary(entry.episode_id, task.instruction, task.category, device, steps, template=task.meta_task)
