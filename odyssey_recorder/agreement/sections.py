"""The quality report as sections of words, tables and bars: what the window, the page and the command show."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from odyssey_recorder.agreement.measures import Agreement, Interval
from odyssey_recorder.agreement.quality_report import (
    QUESTIONS,
    Breakdown,
    DefectBound,
    HitRate,
    Pace,
    QualityReport,
    QuestionAgreement,
    Reason,
    ReportPanel,
    Share,
    TextCheckFigures,
)
from odyssey_recorder.model.plain_text import counted, on_one_line
from odyssey_recorder.review.review import FASTEST_SCREEN_S

ROWS_AT_FIRST = 10
"""Longer tables are folded or cut."""
_KAPPA_FROM = -0.5
"""Start of a kappa's axis; it ends at 1."""
_SMALLEST_BOUND = 59
"""So many episodes without a defect are needed to say that less than 5% have one."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from `zero` to `value` and its interval, in percent of the axis."""

    value: float
    low: float
    high: float
    zero: float = 0.0
    grid: tuple[float, ...] = (25, 50, 75)

    @property
    def start(self) -> float:
        return min(self.zero, self.value)

    @property
    def length(self) -> float:
        return abs(self.value - self.zero)


@dataclass(frozen=True, slots=True)
class Measured:
    """A bar and its text; without a bar, the text says why there is none."""

    bar: Bar | None
    text: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """`count` is how many were measured; each bar has its own column. Names may contain anything."""

    name: str
    count: str = ""
    measures: tuple[Measured, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """`heads` are for the name, the count and each bar; `title` is for screen readers, and for folding."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[BarRow, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Text and tables under one title; `doubt` is a caveat about the figures."""

    title: str
    notes: tuple[str, ...] = ()
    doubt: str = ""
    tables: tuple[Table, ...] = ()


def summary(report: QualityReport) -> Sequence[tuple[str, str]]:
    """The figures that come first, each with what it counts."""
    accepted = report.accepted
    share = f"of them accepted ({interval_text(accepted.interval)})" if accepted.of else "of them accepted"
    return (
        (f"{report.episodes:,}", "episode" if report.episodes == 1 else "episodes"),
        (f"{accepted.of:,}", "finished"),
        (percent(accepted.share if accepted.of else None), share),
        (f"{report.verdicts:,}", "verdict" if report.verdicts == 1 else "verdicts"),
    )


def progress(report: QualityReport) -> Section:
    """How many episodes are in each stage of the review."""
    counts = ((stage.value, count) for stage, count in report.stages)
    table = Table("Episodes by review status", (), tuple(_counted(counts, max(1, report.episodes))))
    return Section("Progress", tables=(table,))


def sections(report: QualityReport) -> Iterator[Section]:
    """All sections but the progress, from the whole to the parts; those without answers are left out."""
    if report.verdicts:
        yield _sample(report.bound)
        yield from (_panel(report, panel) for panel in (report.pairs, *report.panels))
    else:
        yield Section("No reviews yet.", ("Figures appear after the first verdict.",))
    if report.accepted.of:
        yield Section("Accepted, of finished episodes", tables=tuple(map(_breakdown, report.breakdowns)))
    if report.reasons:
        yield Section("Reasons for answers other than pass", tables=tuple(_reasons(report.reasons)))
    if report.controls:
        yield Section("Control episodes, whose verdict is known", tables=(_controls(report.controls),))
    if report.pace:
        yield Section("Time per episode", doubt=hasty_text(report), tables=(_pace(report.pace),))
    if report.texts:
        yield Section("Texts of steps, compared with what was recorded", tables=(_texts(report.texts),))
    if report.problems:
        title = "Unreadable or not counted"
        yield Section(title, tables=(Table(title, (), tuple(map(BarRow, report.problems))),))


# Sections and their tables.


def _sample(bound: DefectBound) -> Section:
    is_small = 0 < bound.n < _SMALLEST_BOUND
    needed = f"{counted(bound.n)}: {_SMALLEST_BOUND} without a defect are needed to say less than 5%."
    return Section("What the sample shows", (bound_text(bound),), needed if is_small else "")


def _panel(report: QualityReport, panel: ReportPanel) -> Section:
    agreement = panel.questions[0].agreement
    trust, choice = trust_text(panel), _choice_text(report, panel)
    title = f"Agreement of {'two' if panel.reviewers == 2 else panel.reviewers} reviewers"
    heads = ("Question", "Episodes", "Raw agreement, 0 to 100%", f"{measure(panel)}, -0.5 to 1")
    table = Table(title, heads, tuple(map(_agreement, panel.questions)))
    notes = tuple(filter(None, ("" if agreement.is_few else trust, choice)))
    return Section(title, notes, trust if agreement.is_few else "", (table,) if agreement.n else ())


def _agreement(question: QuestionAgreement) -> BarRow:
    agreement = question.agreement
    raw, kappa = _share(agreement.raw, agreement.raw_interval), Measured(kappa_bar(agreement), kappa_text(agreement))
    return BarRow(question.name, f"{agreement.n:,}", (raw, kappa))


def _breakdown(breakdown: Breakdown) -> Table:
    rows = (
        BarRow(
            share.name.replace("_", " ") if breakdown.by == "Category" else share.name,
            f"{share.count:,} of {share.of:,}",
            (_share(share.share, share.interval),),
        )
        for share in breakdown.shares
    )
    return Table(f"By {breakdown.by.lower()}", (breakdown.by, "", "Accepted, with 95% interval"), tuple(rows))


def _reasons(reasons: Sequence[Reason]) -> Iterator[Table]:
    most = max(reason.count for reason in reasons)
    for criterion, statement in QUESTIONS.items():
        counts = [(reason.text, reason.count) for reason in reasons if reason.criterion is criterion]
        if counts:
            yield Table(f"Reasons: {statement}", (statement, "", "Answers"), tuple(_counted(counts, most)))


def _controls(rates: Sequence[HitRate]) -> Table:
    def measured(share: Share) -> Measured:
        return _share(share.share, share.interval) if share.of else Measured(None, "—")

    rows = (
        BarRow(rate.name, f"{rate.all.of:,}", (measured(rate.all), measured(rate.good), measured(rate.bad)))
        for rate in rates
    )
    return Table(
        "Control episodes", ("Reviewer", "Judged", "Right", "Good ones accepted", "Bad ones refused"), tuple(rows)
    )


def _pace(pace: Sequence[Pace]) -> Table:
    slowest = max(reviewer.p90_s for reviewer in pace)

    def measured(reviewer: Pace) -> Measured:
        text = f"{seconds(reviewer.median_s)}, 90% within {seconds(reviewer.p90_s)}"
        return Measured(_reaching(reviewer.median_s, reviewer.p90_s, slowest), text)

    rows = (BarRow(reviewer.name, counted(reviewer.n, "verdict"), (measured(reviewer),)) for reviewer in pace)
    return Table("Time per episode", ("Reviewer", "", "Median, and up to the 90th percentile"), tuple(rows))


def _texts(figures: Sequence[TextCheckFigures]) -> Table:
    most = max(check.contradicted + check.supported for check in figures)

    def row(check: TextCheckFigures) -> BarRow:
        compared = check.contradicted + check.supported
        contradicted = f"{check.contradicted:,} contradicted" if compared else ""
        rest = f"{check.not_comparable:,} not comparable" if check.not_comparable else ""
        bar = _reaching(check.contradicted, compared, most) if compared else None
        text = ", ".join(filter(None, (contradicted, rest)))
        return BarRow(f"{check.check}  {check.title}", f"{compared:,}", (Measured(bar, text),))

    return Table("Texts by check", ("Check", "Compared", "Contradicted, of those compared"), tuple(map(row, figures)))


def _counted(counts: Iterable[tuple[str, int]], most: int) -> Iterator[BarRow]:
    for name, count in counts:
        yield BarRow(name, "", (Measured(_reaching(count, count, most), f"{count:,}"),))


# Bars.


def _reaching(value: float, end: float, most: float) -> Bar:
    """A bar to `value` and a line from there to `end`, on an axis that ends at `most`."""
    return Bar(value / most * 100, value / most * 100, end / most * 100, grid=())


def _share(share: float | None, interval: Interval | None) -> Measured:
    bar = None if share is None or interval is None else Bar(share * 100, interval.low * 100, interval.high * 100)
    return Measured(bar, percent(share, interval))


def kappa_bar(agreement: Agreement) -> Bar | None:
    def place(kappa: float) -> float:
        return max(0.0, kappa - _KAPPA_FROM) / (1 - _KAPPA_FROM) * 100

    kappa = agreement.kappa
    if kappa is None:
        return None
    ends = agreement.kappa_interval or Interval(kappa, kappa)
    return Bar(place(kappa), place(ends.low), place(ends.high), place(0.0), (place(0.5),))


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
    whole = round(value)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60:02} s"


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
    agreement = panel.questions[0].agreement
    verdicts = "two verdicts" if panel.reviewers == 2 else f"{panel.reviewers} verdicts"
    if agreement.n == 0:
        return f"No episode has {verdicts} yet."
    few = ": too few to be meaningful" if agreement.is_few else ""
    return f"{counted(agreement.n)} with {verdicts}{few}."


def _choice_text(report: QualityReport, panel: ReportPanel) -> str:
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
