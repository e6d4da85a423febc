"""`quality-report`: the figures of a reviewed dataset."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from odyssey_recorder.agreement.quality_page import (
    bound_text,
    hasty_text,
    kappa_text,
    measure,
    percent,
    report_as_json,
    seconds,
    trust_text,
    write_quality_page,
)
from odyssey_recorder.agreement.quality_report import Breakdown, QualityReport, ReportPanel
from odyssey_recorder.commands.terminal import line, say
from odyssey_recorder.dataset.layout import ANNOTATIONS
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.plain_text import on_one_line
from odyssey_recorder.reports import report_json
from odyssey_recorder.services.review import ReviewService

_SHOWN = 10
"""Rows of a breakdown that are printed; the page has all."""


def report_quality(service: ReviewService, out: Console, *, html: Path | None, as_json: bool) -> None:
    """Print the figures and write the page to `html`; checks unchecked episodes first. Raises OdysseyError."""
    dataset = service.root
    if not (dataset / ANNOTATIONS).is_dir():
        raise DatasetError(f"{dataset} is not a dataset folder: {ANNOTATIONS}/ with episode files is missing.")
    with Console(stderr=True).status(line(f"Checking {dataset} …")) as status:
        report = service.figures(
            lambda share, _: status.update(
                line(f"Checking {dataset} … {share:.0%}" if share else f"Reading {dataset} …")
            )
        )
    made_at = datetime.now().astimezone()
    if html is not None:
        write_quality_page(html, report, dataset=str(dataset), made_at=made_at)
    if as_json:
        tree = report_as_json(report, dataset=str(dataset), made_at=made_at)
        out.print(report_json(tree), markup=False, soft_wrap=True)
        return
    _print(report, out)
    if html is not None:
        say(f"Page: {html}", to=out)


def _print(report: QualityReport, out: Console) -> None:
    accepted = report.accepted
    stages = ", ".join(f"{count} {stage.value.lower()}" for stage, count in report.stages if count)
    say(f"{report.episodes} episodes, {report.verdicts} verdicts: {stages or 'none'}", to=out)
    if accepted.of:
        text = f"{accepted.count} of {accepted.of} accepted: {percent(accepted.share, accepted.interval)}"
        say(text, to=out)
    out.print(line(bound_text(report.bound)))
    for panel in (report.pairs, *report.panels):
        _print_panel(panel, out)
    for breakdown in report.breakdowns:
        _print_breakdown(breakdown, out)
    _print_rows(
        ("Reason", "Times"),
        ((f"{reason.criterion.value}: {reason.text}", str(reason.count)) for reason in report.reasons),
        out,
    )
    _print_rows(
        ("Reviewer", "Verdicts", "Median", "90% within"),
        ((pace.name, str(pace.n), seconds(pace.median_s), seconds(pace.p90_s)) for pace in report.pace),
        out,
    )
    _print_rows(
        ("Texts", "Supported", "Contradicted", "Not comparable"),
        (
            (f"{check.check}  {check.title}", str(check.supported), str(check.contradicted), str(check.not_comparable))
            for check in report.texts
        ),
        out,
    )
    if hasty := hasty_text(report):
        say((hasty, "yellow"), to=out)
    for problem in report.problems:
        say((problem, "yellow"), to=out)


def _print_panel(panel: ReportPanel, out: Console) -> None:
    out.print()
    say((trust_text(panel), "yellow" if panel.questions[0].agreement.is_few else ""), to=out)
    if panel.questions[0].agreement.n:
        rows = (
            (
                question.name,
                percent(question.agreement.raw, question.agreement.raw_interval),
                kappa_text(question.agreement),
            )
            for question in panel.questions
        )
        _print_rows(("Question", "Raw agreement", measure(panel)), rows, out)


def _print_breakdown(breakdown: Breakdown, out: Console) -> None:
    shown = breakdown.shares[:_SHOWN]
    rows = ((share.name, f"{share.count} of {share.of}", percent(share.share, share.interval)) for share in shown)
    _print_rows((breakdown.by, "Accepted", "Share"), rows, out)
    if len(breakdown.shares) > _SHOWN:
        out.print(line(f" and {len(breakdown.shares) - _SHOWN} more, with --html"))


def _print_rows(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], out: Console) -> None:
    table = Table(*heads, box=box.SIMPLE, pad_edge=False)
    for row in rows:
        table.add_row(*(line(on_one_line(cell)) for cell in row))
    if table.row_count:
        out.print(table)
