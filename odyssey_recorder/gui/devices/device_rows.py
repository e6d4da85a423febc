"""The list of devices: a row for each of the six and for whatever else runs, with what is to be said of it in short."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.device.inventory import InventoryDevice
from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex

KEY_ROLE = Qt.ItemDataRole.UserRole
_MEMBER_ROLE = KEY_ROLE + 1
_AT_WORK_ROLE = KEY_ROLE + 2

_ROW_HEIGHT = 60
_GLYPH_PX = 26
_GLYPH_ROOM = 52
_DOT_PX = 9

WorkWords = Callable[[str], str]
"""What is under way on the device of a key, in words; empty for nothing."""


def state_words(member: InventoryDevice) -> str:
    if member.serial:
        kind = "Simulated" if member.simulated else "Running"
        if member.is_ready:
            return f"{kind} · {member.serial}" if member.name != member.serial else kind
        return f"{member.serial} is {member.state}" if member.name != member.serial else member.state.capitalize()
    return "Stopped" if member.avd is not None else "Not made yet"


class DeviceRows(QAbstractListModel):
    """The devices as a model; rows that stay keep their place, and with it the selection."""

    def __init__(self, work_words: WorkWords, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work_words = work_words
        self._members: tuple[InventoryDevice, ...] = ()

    def show_members(self, members: Sequence[InventoryDevice]) -> None:
        before, after = [one.key for one in self._members], [one.key for one in members]
        if before == after:
            self._members = tuple(members)
            self.show_work()
            return
        same = next((row for row, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
        kept = min(len(before), len(after)) if same is None else same
        if kept < len(before):
            self.beginRemoveRows(QModelIndex(), kept, len(before) - 1)
            self._members = self._members[:kept]
            self.endRemoveRows()
        self._members = (*members[:kept],)
        if kept < len(after):
            self.beginInsertRows(QModelIndex(), kept, len(after) - 1)
            self._members = tuple(members)
            self.endInsertRows()
        self.show_work()

    def show_work(self) -> None:
        if self._members:
            self.dataChanged.emit(self.index(0), self.index(len(self._members) - 1))

    def member(self, key: str) -> InventoryDevice | None:
        return next((one for one in self._members if one.key == key), None)

    def row_of(self, key: str) -> int:
        """Where the member of that key is; the first ready one, or the first, where there is none."""
        keys = [one.key for one in self._members]
        if key in keys:
            return keys.index(key)
        return next((row for row, one in enumerate(self._members) if one.is_ready), 0)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._members)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._members):
            return None
        member = self._members[index.row()]
        work = self._work_words(member.key)
        if role == Qt.ItemDataRole.DisplayRole:
            return member.name
        if role in (Qt.ItemDataRole.StatusTipRole, Qt.ItemDataRole.ToolTipRole):
            return work or state_words(member)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{member.name}: {work or state_words(member)}"
        return {KEY_ROLE: member.key, _MEMBER_ROLE: member, _AT_WORK_ROLE: bool(work)}.get(role)


class DeviceDelegate(QStyledItemDelegate):
    """Draws one device: what kind it is, its name, what is to be said of it, and a dot for one that runs."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(200, _ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme, area = Theme.current(), QRectF(option.rect)
        member = index.data(_MEMBER_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, area.adjusted(4, 2, -4, -2), option, theme)
        is_there = bool(member.serial or member.avd)
        painter.setFont(glyph_font(_GLYPH_PX))
        painter.setPen(theme.text if is_there else theme.off)
        place = QRectF(area.left() + 6, area.top(), _GLYPH_ROOM - 8, area.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, glyph(_kind(member)))
        words = area.adjusted(_GLYPH_ROOM, 0, -16 - 2 * _DOT_PX, 0)
        _paint_words(painter, option.font, words, index, theme.text if is_there else theme.muted)
        if colour := _dot(member, at_work=bool(index.data(_AT_WORK_ROLE)), theme=theme):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(QPointF(area.right() - 20, area.center().y()), _DOT_PX / 2, _DOT_PX / 2)
        painter.restore()

    def _paint_ground(self, painter: QPainter, area: QRectF, option: QStyleOptionViewItem, theme: Theme) -> None:
        if not option.state & QStyle.StateFlag.State_Selected:
            return
        has_focus = bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.setPen(QPen(theme.accent, 1) if has_focus else Qt.PenStyle.NoPen)
        painter.setBrush(theme.tint)
        painter.drawRoundedRect(area, 8, 8)


def _paint_words(painter: QPainter, font: QFont, area: QRectF, index: _Index, colour: QColor) -> None:
    strong, small = QFont(font), QFont(font)
    strong.setWeight(QFont.Weight.DemiBold)
    small.setPointSizeF(small.pointSizeF() * 0.9)
    name, state = QFontMetrics(strong), QFontMetrics(small)
    top = area.center().y() - (name.height() + 2 + state.height()) / 2
    lines = (
        (strong, name, str(index.data()), colour),
        (small, state, str(index.data(Qt.ItemDataRole.StatusTipRole)), Theme.current().muted),
    )
    for face, metrics, words, pen in lines:
        painter.setFont(face)
        painter.setPen(pen)
        line = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(QRectF(area.left(), top, area.width(), metrics.height()), Qt.AlignmentFlag.AlignLeft, line)
        top += metrics.height() + 2


def _kind(member: InventoryDevice) -> str:
    if member.folds:
        return "book_open_outline"
    profile = member.profile
    return "tablet" if profile is not None and profile.width > profile.height else "cellphone"


def _dot(member: InventoryDevice, *, at_work: bool, theme: Theme) -> QColor | None:
    if at_work:
        return theme.accent
    if not member.serial:
        return None
    return theme.success if member.is_ready else theme.warning
