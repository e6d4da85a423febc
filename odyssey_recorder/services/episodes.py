"""Which episodes of a dataset are meant, and their checks."""

from dataclasses import dataclass

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.whole_dataset.dataset_checks import DatasetChecks
from odyssey_recorder.dataset.layout import ANNOTATIONS
from odyssey_recorder.dataset_index.filter import Filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.finding import EpisodeReport
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


def check_all(index: EpisodeIndex, checker: Checker) -> dict[str, EpisodeReport]:
    """Check what has changed, for the index too; returns all reports by id."""
    checks = DatasetChecks(index.root, checker, lambda _: None)
    checks.run()
    reports = {report.episode_id: report for report in checks.reports()}
    index.take_reports(reports.values(), settled=True)
    return reports
