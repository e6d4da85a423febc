"""`stats`: the figures of a dataset, beside the published ones."""

from dataclasses import dataclass
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from odyssey_recorder.commands.listing import selected
from odyssey_recorder.commands.terminal import line, say
from odyssey_recorder.dataset_index.figures import figures_of
from odyssey_recorder.figures.counting import Against, all_figures, mean_steps
from odyssey_recorder.figures.episodes import EpisodeFigures, class_of_app
from odyssey_recorder.figures.figure import Bars, Figure, TextTable
from odyssey_recorder.figures.page import FiguresSource, cell_text, figures_as_json, write_figures_page
from odyssey_recorder.figures.published import V1, V2, PublishedFigures, published_of
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.reports import report_json

_BARS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class StatsOptions:
    """`against` is "v1", "v2" or the path of another dataset; `screenshots` is the folder for PNG files."""

    path: Path
    filter: str = ""
    against: str = "v2"
    as_json: bool = False
    page: Path | None = None
    images: Path | None = None
    agents: bool = False


def show_figures(request: StatsOptions, out: Console) -> None:
    """Raises DatasetError."""
    episodes, unread = _read(request.path, request.filter, agents=request.agents)
    against = Against(_published(request.against), class_of_app())
    figures = all_figures(episodes, against)
    context = FiguresSource(str(request.path), len(episodes), against.published.name, request.filter, unread)
    if request.page is not None:
        write_figures_page(request.page, figures, context)
    if request.images is not None:
        from odyssey_recorder.gui.figures.painting import write_images

        write_images(request.images, figures)
    if request.as_json:
        typer.echo(report_json(figures_as_json(figures, context)))
        return
    _print(figures, out)
    for problem in unread:
        say((problem, "yellow"), to=out)
    if request.page is not None:
        say(f"Page: {request.page}", to=out)


def _read(root: Path, selection: str = "", *, agents: bool = False) -> tuple[list[EpisodeFigures], tuple[str, ...]]:
    with selected(root, selection, agents=agents) as (index, episode_filter):
        return figures_of(index, episode_filter)


def _published(name: str) -> PublishedFigures:
    for known in (V1, V2):
        if name == known.name:
            return known
    episodes, _ = _read(Path(name))
    alone = Against(PublishedFigures(name), class_of_app())
    return published_of(name, all_figures(episodes, alone), mean_steps(episodes))


def _print(figures: list[Figure], out: Console) -> None:
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
