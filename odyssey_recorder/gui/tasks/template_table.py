"""The templates as a table, the proposals of a model before them: what its columns say, and which a filter leaves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.task.templates.template import Template, TemplateLibrary
from odyssey_recorder.task.wording.proposing import Proposal

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class TemplateRow:
    """A template with how many distinct tasks it can still give; a `proposal` is none yet."""

    template: Template
    left: int = 0
    proposal: Proposal | None = None

    @property
    def words(self) -> str:
        """What is searched."""
        one = self.template
        roles = (role.name for role in one.roles)
        return "\n".join((one.template_id, one.meta_task, *roles, *one.phrasings)).casefold()


@dataclass(frozen=True, slots=True)
class TemplateFilter:
    """Which templates are shown: those that are all of this; what is empty shuts none out."""

    category: str = ""
    catalogue: str = ""
    text: str = ""


def _left(row: TemplateRow) -> str:
    if row.proposal is None:
        return f"{row.left:,}"
    return "Has faults" if row.proposal.faults else "Proposed"


_COLUMNS: tuple[tuple[str, Callable[[TemplateRow], str]], ...] = (
    ("Template", lambda row: row.template.meta_task),
    ("Category", lambda row: category_words(row.template.category.value)),
    ("Roles", lambda row: ", ".join(role.name for role in row.template.roles)),
    ("Left", _left),
)
META_TASK, CATEGORY, ROLES, LEFT = range(len(_COLUMNS))


class TemplateTable(QAbstractTableModel):
    """A row for each template that the filter lets through."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[TemplateRow, ...] = ()
        self._proposals: tuple[Proposal, ...] = ()
        self._rows: Sequence[TemplateRow] = ()
        self._filter = TemplateFilter()
        self._column = -1
        self._descending = False

    @property
    def total(self) -> int:
        """How many templates there are, shown or not."""
        return len(self._all)

    @property
    def left(self) -> int:
        """How many distinct tasks those that are shown can still give."""
        return sum(row.left for row in self._rows)

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """What a model thought of, and nobody kept or dropped yet."""
        return self._proposals

    def show(self, library: TemplateLibrary, left: Mapping[str, int]) -> None:
        """Show these templates."""
        self._all = tuple(TemplateRow(one, left.get(one.template_id, 0)) for one in library.templates)
        self._arrange()

    def propose(self, proposals: Sequence[Proposal]) -> None:
        """Show these proposals before all templates."""
        self._proposals = tuple(proposals)
        self._arrange()

    def narrow(self, wanted: TemplateFilter) -> None:
        """Show only what `wanted` lets through."""
        self._filter = wanted
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by `column`; -1 is the order of the files. Proposals stay first."""
        self._column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._arrange()

    def at(self, row: int) -> TemplateRow | None:
        """What a row shows; None for no row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def place(self, template_id: str) -> int:
        """The row of a template, -1 where it is not shown."""
        return next((row for row, one in enumerate(self._rows) if one.template.template_id == template_id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section][0]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.at(index.row()) if index.isValid() else None
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return _COLUMNS[index.column()][1](row)
            case Qt.ItemDataRole.ForegroundRole if index.column() == LEFT:
                return _colour(row)
            case _:
                return None

    def _arrange(self) -> None:
        proposed = [TemplateRow(one.template, proposal=one) for one in self._proposals]
        templates = [row for row in self._all if self._lets_through(row)]
        if self._column == LEFT:
            templates.sort(key=lambda row: row.left, reverse=self._descending)
        elif self._column >= 0:
            cell = _COLUMNS[self._column][1]
            templates.sort(key=lambda row: cell(row).casefold(), reverse=self._descending)
        self.beginResetModel()
        self._rows = [*proposed, *templates]
        self.endResetModel()

    def _lets_through(self, row: TemplateRow) -> bool:
        wanted, one = self._filter, row.template
        return (
            wanted.category in ("", one.category.value)
            and wanted.catalogue in ("", one.catalogue)
            and wanted.text in row.words
        )


def _colour(row: TemplateRow) -> object:
    theme = Theme.current()
    if row.proposal is not None:
        return theme.warning if row.proposal.faults else theme.success
    return theme.text if row.left else theme.warning
