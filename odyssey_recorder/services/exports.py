"""Datasets for others: exported in a layout that they load, or converted to another dialect."""

import os
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

from odyssey_recorder.dataset.codec import Dialect
from odyssey_recorder.dataset.convert import Conversion
from odyssey_recorder.dataset.convert import convert as convert_files
from odyssey_recorder.dataset.layout import annotation_files, annotation_path, redaction_path, screenshot_path
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.exporting.episodes import read_exported, step_rows
from odyssey_recorder.exporting.job import ExportProgress, run_export
from odyssey_recorder.exporting.prepared import ExportWanted, Prepared, prepare
from odyssey_recorder.model.episode import Json
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.services.admission import READY, Admission, reason_left_out
from odyssey_recorder.services.review import ReviewService

__all__ = ["ExportProgress", "ExportWanted", "Prepared"]

_THREADS = 2


def prepare_export(  # noqa: PLR0913 - values by keyword, each with a plain default
    reviews: ReviewService,
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
    admission = READY if only_ready else Admission()
    refuse = reason_left_out(reviews, admission, Dialect.RELEASE, progress, cancelled)
    files = [wanted.root / annotation_path(episode_id) for episode_id in sorted(ids)]
    return prepare(wanted, files, refuse, cancelled)


def write_export(
    prepared: Prepared,
    executor: Executor | None = None,
    *,
    tell: Callable[[ExportProgress], object] = lambda _: None,
    cancelled: Cancelled = never,
) -> Path:
    """Write the export, by default in threads, and return its folder; the same call continues an interrupted one.

    Raises DatasetError.
    """
    with nullcontext(executor) if executor else ThreadPoolExecutor(_THREADS, thread_name_prefix="export") as workers:
        return run_export(prepared.request, prepared.episodes, workers, tell=tell, is_cancelled=cancelled)


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


def convert(  # noqa: PLR0913 - what is converted to what, and whose reviews count
    source: Path,
    target: Path,
    dialect: Dialect,
    open_reviews: Callable[[Path], ReviewService],
    *,
    admission: Admission,
    with_screenshots: bool,
) -> Conversion:
    """Convert what is admitted of `source`, as `dataset.convert` does; the others are among the failures.

    `open_reviews` is called with a dataset folder of which not everything is admitted. Raises DatasetError.
    """
    is_checked = source.is_dir() and admission != Admission()
    if admission.accepted and not is_checked:
        raise DatasetError(f"{source} is not a dataset folder, so its reviews are unknown.")
    admit = reason_left_out(open_reviews(source), admission, dialect) if is_checked else lambda _: ""

    def refuse(annotation: Path) -> str:
        if with_screenshots and os.path.lexists(source / redaction_path(annotation.stem)):
            return f"{annotation.name} has a redaction, which only `export` applies. Export the episode."
        return admit(annotation)

    return convert_files(source, target, dialect, with_screenshots=with_screenshots, refuse=refuse)
