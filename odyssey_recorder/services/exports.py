"""Datasets for others, exported in a layout that they load."""

from collections.abc import Collection, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

from odyssey_recorder.dataset.layout import annotation_files, annotation_path, screenshot_path
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.exporting.episodes import read_exported, step_rows
from odyssey_recorder.exporting.job import run_export
from odyssey_recorder.exporting.prepared import ExportWanted, Prepared, prepare
from odyssey_recorder.model.episode import Json
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.services.admission import reason_left_out
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset

__all__ = ["ExportWanted", "Prepared"]

_THREADS = 2


def prepare_export(  # noqa: PLR0913 - values by keyword, each with a plain default
    reviews: ReviewedDataset,
    wanted: ExportWanted,
    ids: Collection[str],
    *,
    only_ready: bool = True,
    progress: Progress = untold,
    cancelled: Cancelled = never,
) -> Prepared:
    """Decide which of the episodes `ids` are exported, and why others are not; writes nothing.

    `only_ready` leaves out those that are not accepted or have errors. Raises DatasetError, CancelledError.
    """
    if not annotation_files(wanted.root):
        raise DatasetError(f"{wanted.root} is not a dataset folder: annotations/ with episode files is missing.")
    reviews.recover()
    refuse = reason_left_out(reviews, progress, cancelled) if only_ready else lambda _: ""
    files = [wanted.root / annotation_path(episode_id) for episode_id in sorted(ids)]
    return prepare(wanted, files, refuse, cancelled)


def write_export(
    prepared: Prepared,
    executor: Executor | None = None,
    *,
    progress: Progress = untold,
    cancelled: Cancelled = never,
) -> Path:
    """Write the export, by default in threads, and return its folder; the same call continues an interrupted one.

    Raises DatasetError.
    """
    with nullcontext(executor) if executor else ThreadPoolExecutor(_THREADS, thread_name_prefix="export") as workers:
        return run_export(prepared.request, prepared.episodes, workers, tell=progress, is_cancelled=cancelled)


def read_step_rows(root: Path, ids: Iterable[str]) -> tuple[list[dict[str, Json]], list[str]]:
    """The rows of steps as exports have them, with `path`, that of the screenshot; and why episodes have none."""
    rows: list[dict[str, Json]] = []
    unread: list[str] = []
    for episode_id in ids:
        try:
            steps = enumerate(step_rows(read_exported(root, episode_id)))
        except (DatasetError, ReviewError) as error:
            unread.append(str(error))
        else:
            rows += ({**row, "path": str(root / screenshot_path(episode_id, step))} for step, row in steps)
    return rows, unread
