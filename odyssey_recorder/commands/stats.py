"""`stats`: the figures of a dataset, beside the published ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from odyssey_recorder.commands.listing import refreshed
from odyssey_recorder.commands.terminal import line, print_left_out, say
from odyssey_recorder.dataset_index.filter import parse_filter
from odyssey_recorder.figures.figure import Bars, Figure, TextTable
from odyssey_recorder.figures.page import cell_text, figures_as_json, write_figures_page
from odyssey_recorder.figures.published import PUBLISHED, PublishedFigures
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.reports import report_json
from odyssey_recorder.services.figures import count_figures, figures_to_compare

_BARS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class StatsOptions:
    """`against` is "v1", "v2" or the path of another dataset; `images` is the folder for PNG files."""

    path: Path
    filter: str = ""
    against: str = "v2"
    as_json: bool = False
    page: Path | None = None
    images: Path | None = None
    agents: bool = False


def show_figures(request: StatsOptions, out: Console) -> None:
    """Raises DatasetError, FilterError."""
    wanted, against = parse_filter(request.filter), _published(request.against)
    with refreshed(request.path) as index:
        counted_figures = count_figures(index, wanted, against, agents=request.agents)
    print_left_out(counted_figures.selection)
    figures = counted_figures.figures
    source = replace(counted_figures.source, dataset=str(request.path), selection=request.filter)
    if request.page is not None:
        write_figures_page(request.page, figures, source)
    if request.images is not None:
        from odyssey_recorder.gui.figures.painting import write_images

        write_images(request.images, figures)
    if request.as_json:
        typer.echo(report_json(figures_as_json(figures, source)))
        return
    _print(figures, out)
    for problem in source.unread:
        say((problem, "yellow"), to=out)
    if request.page is not None:
        say(f"Page: {request.page}", to=out)


def _published(name: str) -> PublishedFigures:
    if name in PUBLISHED:
        return PUBLISHED[name]
    with refreshed(Path(name)) as index:
        figures, selection = figures_to_compare(index, name)
    print_left_out(selection)
    return figures


def _print(figures: Sequence[Figure], out: Console) -> None:
    for figure in figures:
        for panel in figure.panels:
            if not isinstance(panel, TextTable | Bars):
                continue
            head, rows = panel.table()
            table = Table(*map(str, head), box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
            for row in rows[: _BARS_SHOWN if isinstance(panel, Bars) else None]:
                table.add_row(*(line(cell_text(cell)) for cell in row))
            say((figure.title, "bold"), f"  {panel.title}" if panel.title else "", to=out)
            out.print(table)
            if isinstance(panel, Bars) and len(rows) > _BARS_SHOWN:
                say(f"and {counted(len(rows) - _BARS_SHOWN, 'more', 'more')}. Use --html FILE to see all.", to=out)
