"""`convert`: which episodes of a dataset are converted, and why others are not."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.dataset.boxes import repaired_steps
from odyssey_recorder.dataset.codec import Dialect, read_episode
from odyssey_recorder.dataset.convert import Conversion, convert
from odyssey_recorder.dataset.layout import annotation_files, redaction_path
from odyssey_recorder.errors import DatasetError, ReviewError

if TYPE_CHECKING:
    from odyssey_recorder.quality.finding import EpisodeReport


@dataclass(frozen=True, slots=True)
class Admission:
    checked: bool = False
    accepted: bool = False


def convert_admitted(
    source: Path, target: Path, dialect: Dialect, admission: Admission, *, with_screenshots: bool
) -> Conversion:
    """Convert what is admitted of `source`, as `dataset.convert` does; the others are among the failures."""
    if not source.is_dir() and admission.accepted:
        raise DatasetError(f"{source} is not a dataset folder, so its reviews are unknown.")
    if not source.is_dir():
        return convert(source, target, dialect, with_screenshots=with_screenshots)
    admit = refusal(source, admission, dialect) if admission != Admission() else lambda _: ""

    def refuse(annotation: Path) -> str:
        if with_screenshots and os.path.lexists(source / redaction_path(annotation.stem)):
            return f"{annotation.name} has a redaction, which only `export` applies. Export the episode."
        return admit(annotation)

    return convert(source, target, dialect, with_screenshots=with_screenshots, refuse=refuse)


def refusal(source: Path, admission: Admission, dialect: Dialect) -> Callable[[Path], str]:
    """A function from an annotation file to the reason why it is left out, or an empty text. Checks every episode."""
    from odyssey_recorder.quality.reviewing.status import ReviewStage
    from odyssey_recorder.review_service import ReviewService
    from odyssey_recorder.wiring import user_checker

    checker = user_checker()
    service = ReviewService(source, checker, str)
    service.recover()
    if admission.accepted:
        service.check_all()
    reports: dict[str, EpisodeReport] = {}
    if admission.checked:
        checker.check_all(
            annotation_files(source),
            lambda report: reports.update({report.episode_id: report}),
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
        kept = (one for one in report.findings if one.check != "ACT09" or one.step not in repaired)
        return replace(report, findings=tuple(kept))
    return report
