"""One episode of a dataset: all that can be read of its files."""

from dataclasses import dataclass, replace
from pathlib import Path

from odyssey_recorder.dataset.codec import read_annotation, read_episode
from odyssey_recorder.dataset.layout import EpisodeFiles, read_dataset_file
from odyssey_recorder.dataset.lenient import read_damaged
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord, read_provenance
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
