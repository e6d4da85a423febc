"""The figures as one HTML page without scripts, and as JSON."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.figures.drawing import drawn
from odyssey_recorder.figures.figure import Cell, Figure, Panel
from odyssey_recorder.figures.svg import STYLE, svg
from odyssey_recorder.model.episode import Json
from odyssey_recorder.reports import render_page, write_page


@dataclass(frozen=True, slots=True)
class FiguresSource:
    """Of what the figures are: `selection` is the filter, or empty; `unread` are the files that cannot be read."""

    dataset: str
    episodes: int
    against: str
    selection: str = ""
    unread: tuple[str, ...] = ()


def figures_as_json(figures: Sequence[Figure], source: FiguresSource) -> dict[str, Json]:
    """docs/datasets.md describes the keys."""
    return {
        "dataset": source.dataset,
        "filter": source.selection,
        "episodes": source.episodes,
        "against": source.against,
        "unread": list(source.unread),
        "figures": [
            {
                "key": figure.key,
                "title": figure.title,
                "note": figure.note,
                "panels": [_panel_as_json(part) for part in figure.panels],
            }
            for figure in figures
        ],
    }


def write_figures_page(path: Path, figures: Sequence[Figure], source: FiguresSource) -> None:
    """Raises DatasetError."""
    filters: dict[str, Callable[..., object]] = {"drawings": _drawings, "cell": cell_text}
    write_page(path, render_page("figures.html", filters, figures=figures, source=source, style=STYLE))


def cell_text(cell: Cell) -> str:
    match cell:
        case None:
            return "–"  # noqa: RUF001 - the mark of an empty cell
        case float():
            return f"{cell:,.1f}"
        case int():
            return f"{cell:,}"
        case str():
            return cell


def file_names(figure: Figure) -> Iterator[tuple[Panel, str]]:
    """The panels that are drawn, with a file name stem each."""
    images = [part for part in figure.panels if drawn(part) is not None]
    for number, part in enumerate(images, start=1):
        yield part, figure.key if len(images) == 1 else f"{figure.key}-{number}"


def _panel_as_json(panel: Panel) -> dict[str, Json]:
    head, rows = panel.table()
    return {"title": panel.title, "columns": list(head), "rows": [list(row) for row in rows]}


def _drawings(figure: Figure) -> list[tuple[Panel, str]]:
    """The panels with their SVG, empty for one that is a table only."""
    found = [(part, drawn(part)) for part in figure.panels]
    return [
        (part, "" if drawing is None else svg(drawing, f"{figure.title} {part.title}".strip()))
        for part, drawing in found
    ]
