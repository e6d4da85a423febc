"""What a quality report says to a reader at the window: titled sections of sentences, and of rows with bars."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.quality.agreement.quality_page import (
    Bar,
    bound_words,
    choice_words,
    interval_words,
    kappa_bar,
    kappa_words,
    measure,
    percent,
    raw_bar,
    seconds,
    share_bar,
    trust_words,
)
from odyssey_recorder.quality.agreement.quality_report import (
    QUESTIONS,
    Breakdown,
    Pace,
    QualityReport,
    QuestionAgreement,
    Reason,
    ReportPanel,
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A bar and what it says; without a value there is no bar, and the words say why."""

    bar: Bar
    words: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """What was measured of something: how many there are, and the bars, which stand in columns."""

    name: str
    count: str = ""
    measures: tuple[Measured, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under their `heads`: those of name, count and each bar; `title` is what a screen reader calls it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[BarRow, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Sentences and tables under one title; `doubt` is why not to trust them too much."""

    title: str
    said: tuple[str, ...] = ()
    doubt: str = ""
    tables: tuple[Table, ...] = ()


def sections(report: QualityReport) -> Iterator[Section]:
    """All that the report says, from the whole to the parts; what nobody was asked yet is left out."""
    if report.episodes:
        yield Section("How far it is", tables=(_stages(report),))
    if report.verdicts:
        yield Section("What the sample proves", (bound_words(report.bound),))
        yield from (_panel(report, panel) for panel in (report.pairs, *report.panels))
    if report.accepted.of:
        tables = tuple(_breakdown(one) for one in report.breakdowns)
        yield Section("Accepted, of those judged to the end", tables=tables)
    if report.reasons:
        yield Section("Why answers were no pass", tables=tuple(_reasons(report.reasons)))
    if report.pace:
        yield Section("Time per episode", tables=(_pace(report.pace),))
    if report.problems:
        rows = tuple(map(BarRow, report.problems))
        title = "What could not be read, or does not count"
        yield Section(title, tables=(Table(title, (), rows),))


def summary(report: QualityReport) -> Sequence[tuple[str, str]]:
    """The four figures that stand above all, each with what it is of."""
    accepted = report.accepted
    share = f"of these accepted ({interval_words(accepted.interval)})" if accepted.of else "of these accepted"
    return (
        (f"{report.episodes:,}", "episode" if report.episodes == 1 else "episodes"),
        (f"{accepted.of:,}", "judged to the end"),
        (percent(accepted.share if accepted.of else None), share),
        (f"{report.verdicts:,}", "verdict" if report.verdicts == 1 else "verdicts"),
    )


def _stages(report: QualityReport) -> Table:
    counts = ((stage.value, count) for stage, count in report.stages)
    return Table("Episodes by stage", (), tuple(_counted(counts, report.episodes)))


def _panel(report: QualityReport, panel: ReportPanel) -> Section:
    trust, is_few = trust_words(panel), panel.questions[0].agreement.is_few
    choice = choice_words(report, panel)
    title = f"Agreement of {'two' if panel.reviewers == 2 else panel.reviewers} reviewers"
    heads = ("Question", "Episodes", "Raw agreement, 0 to 100 %", f"{measure(panel)}, -0.5 to 1")
    table = Table(title, heads, tuple(map(_agreement, panel.questions)))
    said = tuple(filter(None, (trust if not is_few else "", choice)))
    return Section(title, said, trust if is_few else "", (table,) if panel.questions[0].agreement.n else ())


def _agreement(question: QuestionAgreement) -> BarRow:
    told = question.agreement
    raw = Measured(raw_bar(told), percent(told.raw, told.raw_interval))
    return BarRow(question.name, f"{told.n:,}", (raw, Measured(kappa_bar(told), kappa_words(told))))


def _breakdown(breakdown: Breakdown) -> Table:
    rows = (
        BarRow(
            category_words(one.name) if breakdown.by == "Category" else one.name,
            f"{one.count:,} of {one.of:,}",
            (Measured(share_bar(one), percent(one.share, one.interval)),),
        )
        for one in breakdown.shares
    )
    return Table(f"By {breakdown.by.lower()}", (breakdown.by, "", "Accepted, with 95 % interval"), tuple(rows))


def _reasons(reasons: Sequence[Reason]) -> Iterator[Table]:
    """A table for each question."""
    most = max(one.count for one in reasons)
    for criterion, statement in QUESTIONS.items():
        counts = [(one.words, one.count) for one in reasons if one.criterion is criterion]
        if counts:
            yield Table(f"Not so: {statement}", (statement, "", "Answers"), tuple(_counted(counts, most)))


def _pace(pace: Sequence[Pace]) -> Table:
    slowest = max(one.p90_s for one in pace)
    rows = (
        BarRow(
            one.name,
            f"{one.n:,} verdict{'s' if one.n > 1 else ''}",
            (
                Measured(
                    _reaching(one.median_s, one.p90_s, slowest),
                    f"{seconds(one.median_s)}, 90 % within {seconds(one.p90_s)}",
                ),
            ),
        )
        for one in pace
    )
    return Table("Time per episode", ("Reviewer", "", "Median, and up to the 90th percentile"), tuple(rows))


def _counted(counts: Iterable[tuple[str, int]], most: int) -> Iterator[BarRow]:
    for name, count in counts:
        yield BarRow(name, "", (Measured(_reaching(count, count, most), f"{count:,}"),))


def _reaching(value: float, end: float, most: float) -> Bar:
    """A bar to `value` with a line on to `end`, on an axis that ends at `most`."""
    return Bar(value / most * 100, value / most * 100, end / most * 100, grid=())
