"""`stats`: the figures of a dataset, beside the published ones."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import typer
from rich import box
from rich.table import Table

from odyssey_recorder.commands.listing import refreshed
from odyssey_recorder.commands.terminal import line, out, print_left_out, say
from odyssey_recorder.dataset_index.filter import parse_filter
from odyssey_recorder.figures.figure import Bars, Figure, TextTable
from odyssey_recorder.figures.page import FiguresSource, cell_text, figures_as_json, write_figures_page
from odyssey_recorder.figures.published import PUBLISHED, PublishedFigures
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.reports import report_json
from odyssey_recorder.services.figures import count_figures, figures_to_compare

_BARS_SHOWN = 10


def read_figures(path: Path, text: str, against: str, *, agents: bool) -> tuple[Sequence[Figure], FiguresSource]:
    """Of the episodes that a filter selects; `against` is "v1", "v2" or the path of another dataset.

    Raises DatasetError, FilterError.
    """
    wanted, published = parse_filter(text), _published(against)
    with refreshed(path) as index:
        found = count_figures(index, wanted, published, agents=agents)
    print_left_out(found.selection)
    return found.figures, replace(found.source, dataset=str(path), selection=text)


def show_figures(
    figures: Sequence[Figure], source: FiguresSource, *, page: Path | None, images: Path | None, as_json: bool
) -> None:
    """`images` is the folder for PNG files. Raises DatasetError."""
    if page is not None:
        write_figures_page(page, figures, source)
    if images is not None:
        from odyssey_recorder.gui.figures.painting import write_images

        write_images(images, figures)
    if as_json:
        typer.echo(report_json(figures_as_json(figures, source)))
        return
    _print(figures)
    for problem in source.unread:
        say((problem, "yellow"))
    if page is not None:
        say(f"Page: {page}")


def _published(name: str) -> PublishedFigures:
    if name in PUBLISHED:
        return PUBLISHED[name]
    with refreshed(Path(name)) as index:
        figures, selection = figures_to_compare(index, name)
    print_left_out(selection)
    return figures


def _print(figures: Sequence[Figure]) -> None:
    for figure in figures:
        for panel in figure.panels:
            if not isinstance(panel, TextTable | Bars):
                continue
            head, rows = panel.table()
            table = Table(*map(str, head), box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
            for row in rows[: _BARS_SHOWN if isinstance(panel, Bars) else None]:
                table.add_row(*(line(cell_text(cell)) for cell in row))
            say((figure.title, "bold"), f"  {panel.title}" if panel.title else "")
            out.print(table)
            if isinstance(panel, Bars) and len(rows) > _BARS_SHOWN:
                say(f"and {counted(len(rows) - _BARS_SHOWN, 'more', 'more')}. Use --html FILE to see all.")
