"""The quality report as a self-contained HTML page, as JSON and as text."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from math import ceil
from pathlib import Path

from odyssey_recorder.agreement.measures import FEW, Agreement, Interval
from odyssey_recorder.agreement.quality_report import QUESTIONS, DefectBound, QualityReport, ReportPanel, Share
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.plain_text import on_one_line
from odyssey_recorder.reports import render_page, write_page
from odyssey_recorder.review.review import FASTEST_SCREEN_S

_KAPPA_FROM = -0.5
"""Start of a kappa's axis on the page; it ends at 1."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the page, in percent of its axis. `value` is None if there is nothing to show."""

    value: float | None
    low: float
    high: float
    zero: float = 0.0
    grid: tuple[float, ...] = (25, 50, 75)

    @property
    def start(self) -> float:
        return self.zero if self.value is None else min(self.zero, self.value)

    @property
    def length(self) -> float:
        return 0.0 if self.value is None else abs(self.value - self.zero)


def write_quality_page(path: Path, report: QualityReport, *, dataset: str, made_at: datetime) -> None:
    """Write the HTML page atomically. Raises DatasetError."""
    write_page(path, render_quality_page(report, dataset=dataset, made_at=made_at))


def render_quality_page(report: QualityReport, *, dataset: str, made_at: datetime) -> str:
    filters: dict[str, Callable[..., object]] = {
        "percent": percent,
        "seconds": seconds,
        "kappa": kappa_text,
        "share_bar": share_bar,
        "raw_bar": raw_bar,
        "kappa_bar": kappa_bar,
    }
    return render_page(
        "quality_report.html",
        filters,
        report=report,
        dataset=dataset,
        made_at=f"{made_at:%d %B %Y, %H:%M}",
        questions=QUESTIONS,
        few=FEW,
        bound=bound_text(report.bound),
        trust=trust_text,
        choice=choice_text,
        hasty=hasty_text(report),
        slowest=max((pace.p90_s for pace in report.pace), default=1.0),
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
        "interval": [share.interval.low, share.interval.high],
    }


def _panel_as_json(panel: ReportPanel) -> dict[str, Json]:
    return {
        "reviewers": panel.reviewers,
        "measure": measure(panel),
        "questions": [
            {"question": question.name, **_agreement_as_json(question.agreement)} for question in panel.questions
        ],
    }


def _agreement_as_json(agreement: Agreement) -> dict[str, Json]:
    return {
        "n": agreement.n,
        "raw": agreement.raw,
        "raw_interval": _ends(agreement.raw_interval),
        "kappa": agreement.kappa,
        "kappa_interval": _ends(agreement.kappa_interval),
    }


def _ends(interval: Interval | None) -> Json:
    return None if interval is None else [interval.low, interval.high]


# Words.


def percent(share: float | None, interval: Interval | None = None) -> str:
    """``93%``, with its interval ``93% (78 to 98%)``; a dash for None."""
    if share is None:
        return "—"
    reach = f" ({interval_text(interval)})" if interval is not None else ""
    return f"{share * 100:.0f}%{reach}"


def interval_text(interval: Interval) -> str:
    """``78 to 98%``, with as many decimals as needed to tell both ends apart."""
    low, high = interval.low * 100, interval.high * 100
    digits = next((digits for digits in range(6) if f"{low:.{digits}f}" != f"{high:.{digits}f}"), 0)
    return f"{low:.{digits}f} to {high:.{digits}f}%"


def seconds(value: float) -> str:
    """``42 s``, from two minutes on ``2 min 05 s``."""
    return f"{value:.0f} s" if value < 120 else f"{value // 60:.0f} min {value % 60:02.0f} s"


def kappa_text(agreement: Agreement) -> str:
    """``0.61 (0.40 to 0.79)``; if it or its interval is undefined, the reason."""
    if agreement.n == 0:
        return "—"
    if agreement.kappa is None:
        return "undefined: all gave the same answer"
    reach = agreement.kappa_interval
    ends = "too few cases for an interval" if reach is None else f"{reach.low:z.2f} to {reach.high:z.2f}"
    return f"{agreement.kappa:z.2f} ({ends})"


def measure(panel: ReportPanel) -> str:
    return "Cohen's kappa" if panel.reviewers == 2 else "Fleiss' kappa"


def trust_text(panel: ReportPanel) -> str:
    n = panel.questions[0].agreement.n
    verdicts = "two verdicts" if panel.reviewers == 2 else f"{panel.reviewers} verdicts"
    if n == 0:
        return f"No episode has {verdicts} yet."
    counted = f"{n} episode{'s' if n > 1 else ''} with {verdicts}"
    return f"{counted}: too few to be meaningful." if panel.questions[0].agreement.is_few else f"{counted}."


def choice_text(report: QualityReport, panel: ReportPanel) -> str:
    """How the episodes of a panel came to have so many verdicts, which biases its figures; may be empty."""
    if panel.reviewers > 2:
        return (
            "A third reviewer decides where two differ, so this shows how hard the disputed episodes "
            "are, not the overall agreement."
        )
    count = panel.questions[0].agreement.n
    if count == 0:
        return ""
    if report.sampled_pairs == count:
        return "All were chosen at random."
    return (
        f"{report.sampled_pairs} of them chosen at random; the others got a second review because "
        "of warnings, or by choice."
    )


def bound_text(bound: DefectBound) -> str:
    if bound.n == 0:
        text = "No accepted episode of the sample has a second review yet, so no estimate is possible."
    else:
        judged = "accepted episode that was" if bound.n == 1 else "accepted episodes that were"
        text = (
            f"Of {bound.n} {judged} reviewed again, at random and blind, {bound.defects or 'none'} "
            f"{'was' if bound.defects < 2 else 'were'} not accepted the second time: with 95% "
            f"confidence, less than {ceil(bound.below * 1000) / 10}% of the episodes that one "
            "reviewer accepts are defective."
        )
    waiting = f" {bound.waiting} more of the sample wait for their second review." if bound.waiting else ""
    return text + waiting


def hasty_text(report: QualityReport) -> str:
    """Who accepted episodes too fast; empty if nobody did."""
    hasty = ", ".join(f"{on_one_line(pace.name)} {pace.hasty} of {pace.n}" for pace in report.pace[1:] if pace.hasty)
    return f"Accepted faster than the screens can be read ({FASTEST_SCREEN_S:g} s each): {hasty}." if hasty else ""


# Bars.


def share_bar(share: Share) -> Bar:
    return Bar(share.share * 100, share.interval.low * 100, share.interval.high * 100)


def raw_bar(agreement: Agreement) -> Bar:
    interval = agreement.raw_interval
    if agreement.raw is None or interval is None:
        return Bar(None, 0.0, 0.0)
    return Bar(agreement.raw * 100, interval.low * 100, interval.high * 100)


def kappa_bar(agreement: Agreement) -> Bar:
    def place(kappa: float) -> float:
        return max(0.0, kappa - _KAPPA_FROM) / (1 - _KAPPA_FROM) * 100

    zero, grid = place(0.0), (place(0.5),)
    if agreement.kappa is None:
        return Bar(None, zero, zero, zero, grid)
    ends = agreement.kappa_interval or Interval(agreement.kappa, agreement.kappa)
    return Bar(place(agreement.kappa), place(ends.low), place(ends.high), zero, grid)
