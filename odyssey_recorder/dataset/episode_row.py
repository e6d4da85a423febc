"""One episode of a dataset as a list shows it: what its files say, a damaged one's too."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from odyssey_recorder.dataset.lenient import read_leniently
from odyssey_recorder.dataset.quick_reading import ReadEpisode, moment, read_episodes
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Size


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """What the files of an episode say, in a few words.

    `problem` says why its annotation is unreadable, or is empty; what could be read is here. `ending` is "complete",
    "impossible" or empty. `revision` is the SHA-256 of the annotation, or empty if that cannot be read. Without
    provenance, as in released data, `annotator` and `task_id` are empty and both moments are None.
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
    apps: tuple[str, ...] = ()
    size: Size | None = None
    ending: str = ""
    published_at: datetime | None = None


def read_row(root: Path, episode_id: str) -> EpisodeRow | None:
    """None if the episode no longer exists."""
    return next(map(row_of, read_episodes(root, [episode_id])), None)


def row_of(episode: ReadEpisode) -> EpisodeRow:
    read, origins = episode.contents, episode.origins
    known = (read.task, read.device, Size(read.width, read.height), len(read.steps))
    task, device, size, steps = _understood(episode) if read.problem else known
    return EpisodeRow(
        episode.episode_id, task.instruction, task.category, device, steps, episode.annotator, episode.recorded_at,
        read.problem, task.meta_task, episode.task_id, read.sha256, task.apps, size, read.ending,
        None if origins is None else moment(origins.published_us),
    )  # fmt: skip


def _understood(episode: ReadEpisode) -> tuple[TaskInfo, str, Size | None, int]:
    """What can be read of a damaged annotation: task, device with size, and the number of steps."""
    try:
        read = read_leniently(episode.data, source=episode.episode_id)
    except DatasetError:
        return episode.contents.task, "", None, 0
    name, size = ("", None) if read.device is None else (read.device.device_name, read.device.size)
    return read.task, name, size, len(read.steps)
