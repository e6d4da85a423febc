"""The quality report as a self-contained HTML page, and as JSON."""

from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from odyssey_recorder.agreement.measures import FEW, Agreement, Interval
from odyssey_recorder.agreement.quality_report import QualityReport, ReportPanel, Share
from odyssey_recorder.agreement.sections import ROWS_AT_FIRST, measure, progress, sections, summary
from odyssey_recorder.model.episode import Json
from odyssey_recorder.reports import render_page, write_page


def write_quality_page(path: Path, report: QualityReport, *, dataset: str, made_at: datetime) -> None:
    """Write the HTML page atomically. Raises DatasetError."""
    write_page(path, render_quality_page(report, dataset=dataset, made_at=made_at))


def render_quality_page(report: QualityReport, *, dataset: str, made_at: datetime) -> str:
    return render_page(
        "quality_report.html",
        {},
        report=report,
        dataset=dataset,
        made_at=f"{made_at:%d %B %Y, %H:%M}",
        summary=summary(report),
        progress=progress(report),
        sections=tuple(sections(report)),
        rows_at_first=ROWS_AT_FIRST,
        few=FEW,
    )


def report_as_json(report: QualityReport, *, dataset: str, made_at: datetime) -> dict[str, Json]:
    """The report for programs; docs/quality.md describes the keys."""
    bound = report.bound
    return {
        "dataset": dataset,
        "made_at": made_at.isoformat(),
        "episodes": report.episodes,
        "stages": {stage.value: count for stage, count in report.stages},
        "verdicts": report.verdicts,
        "accepted": _share_as_json(report.accepted),
        "acceptance": {
            breakdown.by.lower(): [_share_as_json(share) for share in breakdown.shares]
            for breakdown in report.breakdowns
        },
        "agreement": [_panel_as_json(panel) for panel in (report.pairs, *report.panels)],
        "sampled_pairs": report.sampled_pairs,
        "defects": {"n": bound.n, "found": bound.defects, "waiting": bound.waiting, "rate_below": bound.below},
        "seconds": [
            {"reviewer": pace.name, "n": pace.n, "median": pace.median_s, "p90": pace.p90_s, "hasty": pace.hasty}
            for pace in report.pace
        ],
        "controls": [
            {"reviewer": rate.name, "good": _hits_as_json(rate.good), "bad": _hits_as_json(rate.bad)}
            for rate in report.controls
        ],
        "reasons": [
            {"criterion": reason.criterion.value, "reason": reason.text, "count": reason.count}
            for reason in report.reasons
        ],
        "texts": [asdict(text) for text in report.texts],
        "problems": list(report.problems),
    }


def _share_as_json(share: Share) -> dict[str, Json]:
    return {
        "name": share.name,
        "accepted": share.count,
        "of": share.of,
        "interval": _ends(share.interval),
    }


def _hits_as_json(share: Share) -> dict[str, Json]:
    return {"right": share.count, "of": share.of, "interval": _ends(share.interval) if share.of else None}


def _panel_as_json(panel: ReportPanel) -> dict[str, Json]:
    return {
        "reviewers": panel.reviewers,
        "measure": measure(panel),
        "questions": [
            {"question": question.name, **_agreement_as_json(question.agreement)} for question in panel.questions
        ],
    }


def _agreement_as_json(agreement: Agreement) -> dict[str, Json]:
    intervals = {"raw_interval": _ends(agreement.raw_interval), "kappa_interval": _ends(agreement.kappa_interval)}
    return asdict(agreement) | intervals


def _ends(interval: Interval | None) -> Json:
    return None if interval is None else [interval.low, interval.high]
