"""Which episodes of a dataset are ready for others, and why the rest is not."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from odyssey_recorder.dataset.boxes import repaired_steps
from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.finding import EpisodeReport, Finding
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.review.status import ReviewStage
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset

_CHECKING = "Checking the episodes…"
_SPELLING = "EXP01"
"""An export writes every annotation anew, so how it is spelled does not matter."""


def reason_left_out(
    reviews: ReviewedDataset, progress: Progress = untold, cancelled: Cancelled = never
) -> Callable[[Path], str]:
    """A function that gives the reason why an annotation file is left out, empty if it is not.

    An episode is ready once it is accepted and without errors. Settles an interrupted fix, and checks what has changed.
    Raises DatasetError, CancelledError.
    """
    reviews.recover()
    found = reviews.check_all(lambda share, _text: progress(share, _CHECKING), cancelled)
    reports = {report.episode_id: report for report in found}

    def reason(annotation: Path) -> str:
        report = reports.get(annotation.stem)
        if report is None:
            return f"{annotation.name} is new, or has changed since it was checked. Try again."
        if (error := _error(report, annotation)) is not None:
            return f"{annotation.name}: {error.found} {error.todo} ({error.name})"
        try:
            stage = reviews.stage(annotation.stem)
        except (DatasetError, ReviewError) as error:
            return str(error)
        return "" if stage is ReviewStage.ACCEPTED else f"{annotation.name} is not accepted: {stage.value.lower()}."

    return reason


def _error(report: EpisodeReport, annotation: Path) -> Finding | None:
    """The first error that the written file would still have."""
    repaired: frozenset[int] = frozenset()
    if "ACT09" in report.failed:
        with suppress(DatasetError):  # an unreadable file is a finding of its own
            repaired = frozenset(repaired_steps(read_episode(annotation)))
    kept = (
        finding
        for finding in report.findings
        if finding.check != _SPELLING and not (finding.check == "ACT09" and finding.step in repaired)
    )
    report = replace(report, findings=tuple(kept))
    return report.worst if report.has_errors else None
