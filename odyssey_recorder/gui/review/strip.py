"""The filmstrip of a review: the steps side by side, with what the checks and a replay say of each."""

from collections.abc import Mapping, Sequence
from typing import Literal

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.gui.dataset.filmstrip import paint_thumbnail, small_font
from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.review.screenshot_loader import THUMBNAIL, ScreenshotLoader
from odyssey_recorder.gui.review.shown_step import ShownStep
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.quality.finding import Severity

_Index = QModelIndex | QPersistentModelIndex
ReplayVerdict = Literal["match", "drift", "diverged"]

SEVERITY_GLYPHS = {Severity.ERROR: "alert_circle", Severity.WARNING: "alert", Severity.NOTE: "information_outline"}
VERDICT_GLYPHS: Mapping[str, str] = {
    "match": "check_circle",
    "drift": "approximately_equal",
    "diverged": "close_circle",
}

_MARGIN = 8
_BADGE_PX = 20
_BROKEN_PX = 28
_SEVERITY, _VERDICT, _SEEN = (Qt.ItemDataRole.UserRole + number for number in range(3))


def severity_colour(severity: Severity) -> QColor:
    """The colour of a finding's mark."""
    theme = Theme.current()
    return {Severity.ERROR: theme.danger, Severity.WARNING: theme.warning, Severity.NOTE: theme.muted}[severity]


def verdict_colour(verdict: str) -> QColor:
    """The colour of a replay's badge."""
    theme = Theme.current()
    return {"match": theme.success, "drift": theme.warning}.get(verdict, theme.danger)


class Strip(QListView):
    """One row of steps, one of them chosen."""

    step_chosen = Signal(int)

    def __init__(self, loader: ScreenshotLoader) -> None:
        super().__init__()
        self.setAccessibleName("Steps")
        self._film = _Film(self)
        loader.thumbnail_came.connect(self._film.take_thumbnail)
        self.setModel(self._film)
        delegate = _FrameDelegate(self)
        self.setItemDelegate(delegate)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(delegate.height(self.font()) + self.horizontalScrollBar().sizeHint().height() + 2)
        self.selectionModel().currentChanged.connect(self._tell)

    def load(self, steps: Sequence[ShownStep]) -> None:
        """Show the steps of another episode."""
        self._film.load(steps)

    def turn_to(self, number: int) -> None:
        """Choose a step, which is looked at now."""
        self.see(number)
        self.setCurrentIndex(self._film.index(number))

    def see(self, number: int) -> None:
        """Show that a step was looked at."""
        self._film.see(number)

    def show_verdict(self, number: int, verdict: ReplayVerdict) -> None:
        """Put the badge of a replay on a step."""
        self._film.show_verdict(number, verdict)

    def clear_verdicts(self) -> None:
        """Take the badges of a replay away."""
        self._film.clear_verdicts()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            event.ignore()  # it is the viewer's; a list would choose what is chosen already
        else:
            super().keyPressEvent(event)

    def _tell(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.step_chosen.emit(now.row())


class _Film(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: tuple[ShownStep, ...] = ()
        self._thumbnails: dict[int, QImage] = {}
        self._verdicts: dict[int, str] = {}
        self._seen: set[int] = set()

    def load(self, steps: Sequence[ShownStep]) -> None:
        self.beginResetModel()
        self._steps = tuple(steps)
        self._thumbnails, self._verdicts, self._seen = {}, {}, set()
        self.endResetModel()

    def take_thumbnail(self, number: int, picture: QImage) -> None:
        self._thumbnails[number] = picture
        self._tell(number, Qt.ItemDataRole.DecorationRole)

    def see(self, number: int) -> None:
        self._seen.add(number)
        self._tell(number, _SEEN)

    def show_verdict(self, number: int, verdict: str) -> None:
        self._verdicts[number] = verdict
        self._tell(number, _VERDICT)

    def clear_verdicts(self) -> None:
        self._verdicts = {}
        if self._steps:
            self.dataChanged.emit(self.index(0), self.index(len(self._steps) - 1), [_VERDICT])

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._steps)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._steps):
            return None
        step = self._steps[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return step.words
            case Qt.ItemDataRole.DecorationRole:
                return self._thumbnails.get(step.number)
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                return self._spoken(step)
            case _ if role == _SEVERITY:
                return min((one.severity for one in step.findings), key=list(Severity).index, default=None)
            case _ if role == _VERDICT:
                return self._verdicts.get(step.number, "")
            case _ if role == _SEEN:
                return step.number in self._seen
            case _:
                return None

    def _spoken(self, step: ShownStep) -> str:
        """All that the cell shows, in words."""
        findings = [f"{one.severity.value} {one.check}" for one in step.findings]
        verdict = self._verdicts.get(step.number, "")
        seen = "" if step.number in self._seen else "not looked at yet"
        picture = self._thumbnails.get(step.number)
        broken = "" if picture is None or not picture.isNull() else "no picture"
        words = (step.words, broken, *findings, verdict and f"replay: {verdict}", *step.flags, step.note, seen)
        return f"Step {step.number}: " + ", ".join(filter(None, words))

    def _tell(self, number: int, role: int) -> None:
        self.dataChanged.emit(self.index(number), self.index(number), [role])


class _FrameDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(THUMBNAIL.width() + 2 * _MARGIN + 8, self.height(option.font))

    def height(self, font: QFont) -> int:
        """How high a cell is."""
        return THUMBNAIL.height() + 2 * QFontMetrics(small_font(font)).height() + 4 + 2 * _MARGIN

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme = Theme.current()
        cell = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.accent, 2 if focused else 1))
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(cell.adjusted(1, 1, -1, -1), 8, 8)
        room = QRectF(cell.left() + _MARGIN + 4, cell.top() + _MARGIN, THUMBNAIL.width(), THUMBNAIL.height())
        picture = index.data(Qt.ItemDataRole.DecorationRole)
        paint_thumbnail(painter, room, picture, theme)
        if isinstance(picture, QImage) and picture.isNull():
            painter.setFont(glyph_font(_BROKEN_PX))
            painter.setPen(theme.muted)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, glyph("image_broken_variant"))
            painter.setFont(option.font)
        _paint_words(painter, cell, room, index)
        _paint_badges(painter, cell, index)
        painter.restore()


def _paint_badges(painter: QPainter, cell: QRectF, index: _Index) -> None:
    severity, verdict = index.data(_SEVERITY), str(index.data(_VERDICT))
    top = cell.top() + 4
    if severity is not None:
        place = QRectF(cell.left() + 4, top, _BADGE_PX, _BADGE_PX)
        _paint_badge(painter, place, SEVERITY_GLYPHS[severity], severity_colour(severity))
    if verdict:
        place = QRectF(cell.right() - 4 - _BADGE_PX, top, _BADGE_PX, _BADGE_PX)
        _paint_badge(painter, place, VERDICT_GLYPHS[verdict], verdict_colour(verdict))


def _paint_badge(painter: QPainter, place: QRectF, name: str, colour: QColor) -> None:
    """A glyph on a disc of the card's colour, so that it is read on any picture."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(Theme.current().card)
    painter.drawEllipse(place)
    painter.setFont(glyph_font(_BADGE_PX - 3))
    painter.setPen(colour)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, glyph(name))


def _paint_words(painter: QPainter, cell: QRectF, room: QRectF, index: _Index) -> None:
    theme = Theme.current()
    name, _, rest = str(index.data()).partition(" ")
    font = small_font(painter.font())
    strong = QFont(font)
    strong.setWeight(QFont.Weight.Normal if index.data(_SEEN) else QFont.Weight.Bold)
    metrics = QFontMetrics(strong)
    top = room.bottom() + 4
    for words, style, colour in ((f"{index.row()}  {name}", strong, theme.text), (rest, font, theme.muted)):
        painter.setFont(style)
        painter.setPen(colour)
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, round(cell.width() - _MARGIN))
        place = QRectF(cell.left() + _MARGIN / 2, top, cell.width() - _MARGIN, metrics.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignHCenter, shown)
        top += metrics.height()
