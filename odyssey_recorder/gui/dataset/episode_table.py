"""The published episodes as a table: which of them are shown, in which order, and what stands in each cell."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from odyssey_recorder.dataset.published import DatasetChange
from odyssey_recorder.dataset.summaries import EpisodeSummary
from odyssey_recorder.gui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class EpisodeFilter:
    """Which episodes are shown: those that are all of this; what is empty shuts none out."""

    category: str = ""
    device: str = ""
    annotator: str = ""
    text: str = ""

    def lets_through(self, episode: EpisodeSummary) -> bool:
        """Whether `episode` is shown; `text` is looked for in its instruction and its id, in either case."""
        return (
            self.category in ("", episode.category)
            and self.device in ("", episode.device)
            and self.annotator in ("", episode.annotator)
            and (not self.text or self.text.casefold() in f"{episode.instruction}\n{episode.episode_id}".casefold())
        )


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    width: int
    shown: Callable[[EpisodeSummary], str]
    order: Callable[[EpisodeSummary], object]


def _when(episode: EpisodeSummary) -> str:
    return f"{episode.recorded_at.astimezone():%Y-%m-%d %H:%M}" if episode.recorded_at is not None else "—"


def spoken(category: str) -> str:
    """A category in words."""
    return category.replace("_", " ")


_COLUMNS = (
    _Column("Instruction", 0, lambda one: " ".join(one.instruction.split()), lambda one: one.instruction.casefold()),
    _Column("Category", 172, lambda one: spoken(one.category), lambda one: one.category.casefold()),
    _Column("Device", 116, lambda one: one.device, lambda one: one.device.casefold()),
    _Column("Steps", 56, lambda one: str(one.steps), lambda one: one.steps),
    _Column("Annotator", 104, lambda one: one.annotator or "—", lambda one: one.annotator.casefold()),
    _Column("Recorded", 128, _when, lambda one: one.recorded_at.timestamp() if one.recorded_at is not None else 0.0),
)
WIDTHS = tuple(column.width for column in _COLUMNS)
"""The width of each column in pixels; 0 takes what is left."""

_STEPS, _RECORDED = 3, 5


class EpisodeTable(QAbstractTableModel):
    """A row for each episode that the filter lets through, at first the newest above."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: dict[str, EpisodeSummary] = {}
        self._rows: list[EpisodeSummary] = []
        self._places: dict[str, int] = {}
        self._filter = EpisodeFilter()
        self._sorted_by = _RECORDED
        self._descending = True

    @property
    def episodes(self) -> Mapping[str, EpisodeSummary]:
        """All episodes by their id, shown or not."""
        return self._all

    @property
    def filter(self) -> EpisodeFilter:
        """Which episodes are shown."""
        return self._filter

    def take(self, news: DatasetChange) -> None:
        """Show what has become of the episodes."""
        for gone in news.gone:
            self._all.pop(gone, None)
        self._all.update((one.episode_id, one) for one in news.read)
        self._arrange()

    def show_only(self, chosen: EpisodeFilter) -> None:
        """Show those episodes that `chosen` lets through."""
        self._filter = chosen
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._arrange()

    def episode(self, row: int) -> EpisodeSummary:
        """The episode in a row."""
        return self._rows[row]

    def episode_id(self, row: int) -> str:
        """The id of the episode in a row."""
        return self._rows[row].episode_id

    def row(self, episode_id: str) -> int | None:
        """The row of an episode; None where it is not shown."""
        return self._places.get(episode_id)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _COLUMNS[section].title
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
            case _:
                return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        episode, column = self._rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _broken(episode, column) if episode.problem else _COLUMNS[column].shown(episode)
            case Qt.ItemDataRole.ToolTipRole if column == 0:
                return f"<p>{escape(episode.problem or episode.instruction)}</p>"
            case Qt.ItemDataRole.ForegroundRole if episode.problem:
                return Theme.current().danger
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case _:
                return None

    def _arrange(self) -> None:
        self.beginResetModel()
        wanted = filter(self._filter.lets_through, self._all.values())
        self._rows = sorted(wanted, key=_order(self._sorted_by), reverse=self._descending)
        self._places = {episode.episode_id: row for row, episode in enumerate(self._rows)}
        self.endResetModel()


def counted(values: Iterable[str]) -> list[tuple[str, int]]:
    """Each value that is not empty with how often it comes, the most frequent first."""
    counts: dict[str, int] = {}
    for value in filter(None, values):
        counts[value] = counts.get(value, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0].casefold()))


def _order(column: int) -> Callable[[EpisodeSummary], tuple[bool, object, str]]:
    """Those that cannot be read stand together, whatever the order: above, where the newest are."""
    value = _COLUMNS[column].order
    return lambda episode: (bool(episode.problem), value(episode), episode.episode_id)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column == _STEPS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _broken(episode: EpisodeSummary, column: int) -> str:
    return f"Cannot be read: {episode.problem}" if column == 0 else ""
