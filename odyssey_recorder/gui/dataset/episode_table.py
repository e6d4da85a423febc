"""The episodes of a filter as a table, in an order that is made elsewhere."""

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor

from odyssey_recorder.dataset_index.index import IndexedEpisode
from odyssey_recorder.gui.kit.table import TableColumn, TableModel
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.kit.theme import Theme

RECORDED = 6
BESIDE_FACETS = (1, 5)


class EpisodeTable(TableModel[IndexedEpisode]):
    sort_requested = Signal(int, bool)
    """By a column, descending or not: thousands of rows are not sorted on the GUI thread."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, key=lambda row: row.episode_id, parent=parent)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sort_requested.emit(column, order is Qt.SortOrder.DescendingOrder)


def _column(
    title: str,
    width: int,
    text: Callable[[IndexedEpisode], str],
    order: Callable[[IndexedEpisode], object] | None = None,
    *,
    is_number: bool = False,
) -> TableColumn[IndexedEpisode]:
    """Unreadable episodes show their problem in the first column and sort above the newest."""
    key = order or (lambda row: text(row).casefold())
    is_first = not width
    return TableColumn(
        title,
        lambda row: text(row) if not row.problem else f"Cannot be read: {row.problem}" if is_first else "",
        tip=lambda row: f"<p>{escape(row.problem or row.instruction)}</p>" if is_first else None,
        colour=_colour,
        order=lambda row: (bool(row.problem), key(row), row.episode_id),
        is_number=is_number,
        width=width,
    )


def _colour(row: IndexedEpisode) -> QColor | None:
    return Theme.current().danger if row.problem else None


def _when(row: IndexedEpisode) -> str:
    return f"{row.recorded_at.astimezone():%Y-%m-%d %H:%M}" if row.recorded_at is not None else "—"


def _recorded(row: IndexedEpisode) -> float:
    return row.recorded_at.timestamp() if row.recorded_at is not None else 0.0


COLUMNS = (
    _column("Instruction", 0, lambda row: " ".join(row.instruction.split())),
    _column("Category", 160, lambda row: category_text(row.category)),
    _column("Device", 118, lambda row: row.device),
    _column("Steps", 52, lambda row: str(row.steps), lambda row: row.steps, is_number=True),
    _column("Verdict", 108, lambda row: row.verdict.value),
    _column("Annotator", 96, lambda row: row.annotator or "—", lambda row: row.annotator.casefold()),
    _column("Recorded", 128, _when, _recorded),
)
