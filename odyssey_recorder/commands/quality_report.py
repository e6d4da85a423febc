"""`quality-report`: the figures of a reviewed dataset."""

from datetime import datetime
from pathlib import Path

import rich.table
from rich import box

from odyssey_recorder.agreement.page import report_as_json, write_quality_page
from odyssey_recorder.agreement.quality_report import QualityReport
from odyssey_recorder.agreement.sections import ROWS_AT_FIRST, Table, percent, sections
from odyssey_recorder.commands.terminal import line, out, progress_bar, say
from odyssey_recorder.dataset.layout import ANNOTATIONS
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.plain_text import on_one_line
from odyssey_recorder.reports import report_json
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset


def report_quality(service: ReviewedDataset, *, html: Path | None, as_json: bool) -> None:
    """Print the figures and write the page to `html`; checks unchecked episodes first. Raises OdysseyError."""
    dataset = service.root
    if not (dataset / ANNOTATIONS).is_dir():
        raise DatasetError(f"{dataset} is not a dataset folder: {ANNOTATIONS}/ with episode files is missing.")
    with progress_bar(f"Checking {dataset}") as progress:
        report = service.figures(progress)
    made_at = datetime.now().astimezone()
    if html is not None:
        write_quality_page(html, report, dataset=str(dataset), made_at=made_at)
    if as_json:
        tree = report_as_json(report, dataset=str(dataset), made_at=made_at)
        out.print(report_json(tree), markup=False, soft_wrap=True)
        return
    _print(report)
    if html is not None:
        say(f"Page: {html}")


def _print(report: QualityReport) -> None:
    accepted = report.accepted
    stages = ", ".join(f"{count} {stage.value.lower()}" for stage, count in report.stages if count)
    say(f"{report.episodes} episodes, {report.verdicts} verdicts: {stages or 'none'}")
    if accepted.of:
        say(f"{accepted.count} of {accepted.of} accepted: {percent(accepted.share, accepted.interval)}")
    for section in sections(report):
        out.print()
        out.print(line((section.title, "bold")))
        if section.doubt:
            out.print(line((section.doubt, "yellow")))
        for note in section.notes:
            out.print(line(note))
        for table in section.tables:
            _print_table(table)


def _print_table(table: Table) -> None:
    if not table.heads:
        for row in table.rows:
            say((row.name, "yellow"))
        return
    rows = [(row.name, row.count, *(measured.text for measured in row.measures)) for row in table.rows]
    columns = [column for column in zip(table.heads, *rows, strict=True) if any(column)]
    grid = rich.table.Table(box=box.SIMPLE, pad_edge=False)
    for head, *_ in columns:
        grid.add_column(head.replace(", ", ",\n"))  # leaves room for the names
    for cells in list(zip(*columns, strict=True))[1 : ROWS_AT_FIRST + 1]:
        grid.add_row(*(line(on_one_line(cell)) for cell in cells))
    out.print(grid)
    if len(rows) > ROWS_AT_FIRST:
        out.print(line(f" and {len(rows) - ROWS_AT_FIRST} more, with --html"))
