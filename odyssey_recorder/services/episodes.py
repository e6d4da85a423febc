"""Which episodes of a dataset are meant."""

from dataclasses import dataclass

from odyssey_recorder.dataset.layout import ANNOTATIONS
from odyssey_recorder.dataset_index.filter import Filter
from odyssey_recorder.dataset_index.index import EpisodeIndex, IndexedEpisode
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.progress import Cancelled, Progress, never, untold


@dataclass(frozen=True, slots=True)
class Selection:
    """The episodes of `filter`, and how many it leaves out because they are `retired` or `by_agents`."""

    filter: Filter
    retired: int
    by_agents: int


def refresh(index: EpisodeIndex, progress: Progress = untold, cancelled: Cancelled = never) -> None:
    """Read what has changed in the dataset. Raises DatasetError, CancelledError."""
    if not (index.root / ANNOTATIONS).is_dir():
        raise DatasetError(f"{index.root} is not a dataset folder: {ANNOTATIONS}/ with episode files is missing.")
    text = "Reading the dataset…"
    progress(None, text)
    index.refresh(lambda done, of: progress(done / max(of, 1), text), cancelled)


def selected(index: EpisodeIndex, wanted: Filter, *, agents: bool = False) -> Selection:
    """Without retired episodes and, unless with `agents`, those by agents; if the filter asks for them, they stay.

    Raises FilterError.
    """
    present = wanted.leaving_out("retired")
    chosen = present if agents else present.leaving_out("agent")
    every, without_retired, count = map(index.count, (wanted, present, chosen))
    return Selection(chosen, every - without_retired, without_retired - count)


def find(index: EpisodeIndex, episode_id: str) -> IndexedEpisode:
    """The episode as its files are now. Raises DatasetError, also if there is none."""
    index.update([episode_id])
    for row in index.rows(among=[episode_id]):
        return row
    raise DatasetError(f"There is no episode {episode_id} in {index.root}.")


def row_as_json(row: IndexedEpisode) -> dict[str, object]:
    """As `list --json` and data frames have it: moments in ISO 8601, `size` as width and height."""
    recorded, published = (at and at.isoformat() for at in (row.recorded_at, row.published_at))
    return {
        "episode_id": row.episode_id, "instruction": row.instruction, "category": row.category,
        "template": row.template, "apps": list(row.apps), "device": row.device,
        "size": row.size and [row.size.width, row.size.height], "steps": row.steps, "ending": row.ending,
        "annotator": row.annotator, "task_id": row.task_id, "recorded_at": recorded, "published_at": published,
        "verdict": row.verdict.value, "is_checked": row.is_checked, "errors": row.errors, "warnings": row.warnings,
        "splits": list(row.splits), "sha256": row.revision, "problem": row.problem,
    }  # fmt: skip
