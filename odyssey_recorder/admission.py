"""Which episodes of a dataset are ready for others, and why the rest is not."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.dataset.boxes import repaired_steps
from odyssey_recorder.dataset.codec import Dialect, read_episode
from odyssey_recorder.dataset.layout import annotation_files
from odyssey_recorder.errors import DatasetError, ReviewError

if TYPE_CHECKING:
    from odyssey_recorder.model.finding import EpisodeReport


@dataclass(frozen=True, slots=True)
class Admission:
    checked: bool = False
    accepted: bool = False


def refusal(
    source: Path, admission: Admission, dialect: Dialect, cancelled: Callable[[], bool] = lambda: False
) -> Callable[[Path], str]:
    """A function that gives the reason why an annotation file is left out, empty if it is not. Checks every episode.

    Raises CancelledError.
    """
    from odyssey_recorder.review.status import ReviewStage
    from odyssey_recorder.services.review import ReviewService
    from odyssey_recorder.wiring import user_checker, user_index

    checker = user_checker()
    service = ReviewService(user_index(source, checker), checker, str)
    service.recover()
    if admission.accepted:
        service.check_all(cancelled=cancelled)
    reports: dict[str, EpisodeReport] = {}
    if admission.checked:
        checker.check_all(
            annotation_files(source), lambda report: reports.update({report.episode_id: report}), cancelled
        )

    def refuse(annotation: Path) -> str:
        report = reports.get(annotation.stem)
        if report is not None and dialect is Dialect.RELEASE:
            report = _without_repaired(report, annotation)
        if report is not None and report.has_errors:
            return f"{annotation.name}: {report.worst.found} {report.worst.todo} ({report.worst.name})"
        if not admission.accepted:
            return ""
        try:
            stage = service.stage(annotation.stem)
        except (DatasetError, ReviewError) as error:
            return str(error)
        return "" if stage is ReviewStage.ACCEPTED else f"{annotation.name} is not accepted: {stage.value.lower()}."

    return refuse


def _without_repaired(report: "EpisodeReport", annotation: Path) -> "EpisodeReport":
    if "ACT09" not in report.failed:
        return report
    with suppress(DatasetError):  # an unreadable file is a finding of its own
        repaired = frozenset(repaired_steps(read_episode(annotation)))
        kept = (finding for finding in report.findings if finding.check != "ACT09" or finding.step not in repaired)
        return replace(report, findings=tuple(kept))
    return report
