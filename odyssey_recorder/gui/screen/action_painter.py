"""Draws actions on images of the device: the same marks on the mirror and on thumbnails."""

from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QPolygonF

from odyssey_recorder.gui.kit.icons import glyph, glyph_font
from odyssey_recorder.gui.kit.parts import breakable
from odyssey_recorder.gui.kit.theme import MARK, PREDICTED, Theme
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.geometry import GRID, Box, Point, Size

_HALO = QColor(255, 255, 255, 230)
_FULL_TURN = 360 * 16
_DARK = QColor("#16181d")
_MISSED = QColor("#a85f00")
_CROSS_PX = 9.0
_BAR_SHARE = 0.08
"""The largest share of the screen's height that a navigation bar takes."""
_KEY_GLYPHS = {SystemKey.HOME: "circle_outline", SystemKey.BACK: "arrow_left", SystemKey.RECENT: "square_outline"}


@cache
def prepare_other_threads() -> None:
    """Draw every action once, on the GUI thread, before another thread draws or scales an image.

    Qt's enums are created on first use, and two threads that do so at once crash the program (PySide6 6.11).
    """
    image = QImage(8, 8, QImage.Format.Format_RGB32).convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    for mode in (Qt.TransformationMode.SmoothTransformation, Qt.TransformationMode.FastTransformation):
        image = image.scaled(8, 8, Qt.AspectRatioMode.KeepAspectRatio, mode)
    area, point = QRectF(0, 0, 8, 8), Point(0, 0)
    painter = QPainter(image)
    paint_box(painter, Box(0, 0, 8, 8), Size(8, 8), area)
    for action in (
        Click(point), LongPress(point), Scroll(point, point, (point, point)), Type(""), Press(SystemKey.BACK),
        Complete(), Impossible(""),
    ):  # fmt: skip
        paint_action(painter, action, area)
    painter.end()


def paint_action(painter: QPainter, action: Action, area: QRectF, *, is_predicted: bool = False) -> None:
    """Draw `action` on an image that fills `area`, in the painter's coordinates.

    A predicted action has its own colour, and its badge is to the right of a recorded one's.
    """
    colour = PREDICTED if is_predicted else MARK
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(area)
    match action:
        case Click(point):
            _ring(painter, _place(point, area), mark_radius(area), colour)
        case LongPress(point):
            centre, radius = _place(point, area), mark_radius(area)
            _ring(painter, centre, radius, colour)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(centre, radius * 0.62, radius * 0.62)
        case Scroll(path=path):
            _trajectory(painter, [_place(point, area) for point in path], mark_radius(area), colour)
        case Type():
            _badge(painter, "keyboard", area, is_predicted=is_predicted)
        case Press(key):
            _badge(painter, _KEY_GLYPHS[key], area, is_predicted=is_predicted)
        case Complete():
            _badge(painter, "check", area, is_predicted=is_predicted)
        case Impossible():
            _badge(painter, "cancel", area, is_predicted=is_predicted)
    painter.restore()


def box_place(box: Box, size: Size, area: QRectF) -> QRectF:
    """Where `box`, in pixels of a screenshot of `size`, lies while that fills `area`."""
    across, down = area.width() / size.width, area.height() / size.height
    return QRectF(
        QPointF(area.left() + box.left * across, area.top() + box.top * down),
        QPointF(area.left() + box.right * across, area.top() + box.bottom * down),
    )


def paint_cover(painter: QPainter, box: Box, size: Size, area: QRectF) -> None:
    """Black out `box`, in pixels of a screenshot of `size`, with an edge that shows on dark screens."""
    painter.save()
    painter.setPen(QPen(MARK, 1.5))
    painter.setBrush(Qt.GlobalColor.black)
    painter.drawRect(box_place(box, size, area))
    painter.restore()


def paint_box(painter: QPainter, box: Box, size: Size, area: QRectF) -> None:
    """Draw the bounds of the touched element: `box` in pixels of a screenshot of `size`, shown in `area`."""
    place = box_place(box, size, area)
    painter.save()
    painter.setClipRect(area)
    painter.fillRect(place, _with_alpha(MARK, 30))
    painter.setPen(QPen(_with_alpha(MARK, 190), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.restore()


def paint_holding(painter: QPainter, point: Point, area: QRectF, *, share: float) -> None:
    """Draw a finger that is held down: a ring that fills until `share` is 1, a long press."""
    if share >= 1:
        paint_action(painter, LongPress(point), area)
        return
    paint_action(painter, Click(point), area)
    centre, radius = _place(point, area), mark_radius(area) * 0.62
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_with_alpha(MARK, 170))
    painter.drawPie(_around(centre, radius), _FULL_TURN // 4, -round(share * _FULL_TURN))
    painter.restore()


def paint_finger(painter: QPainter, place: QPointF, area: QRectF) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(area)
    painter.setPen(QPen(_HALO, 2))
    painter.setBrush(_with_alpha(MARK, 110))
    painter.drawEllipse(place, mark_radius(area), mark_radius(area))
    painter.restore()


def mark_radius(area: QRectF) -> float:
    return max(6.0, min(18.0, 0.05 * min(area.width(), area.height())))


def paint_label(painter: QPainter, text: str, area: QRectF) -> None:
    """Write `text` near the bottom of an image that takes no touches."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    font = QFont(painter.font())
    font.setPixelSize(round(max(10.0, min(14.0, area.width() / 14))))
    font.setWeight(QFont.Weight.DemiBold)
    metrics = QFontMetricsF(font)
    padding = metrics.height() * 0.5
    available = max(1.0, area.width() - 2 * padding - 8)
    shown = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, available)
    pill = QRectF(0, 0, metrics.horizontalAdvance(shown) + 2 * padding, metrics.height() * 1.5)
    pill.moveCenter(_above_bar(area, pill.height() / 2 + 6))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_with_alpha(_DARK, 225))
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    painter.setFont(font)
    painter.setPen(QColor("white"))
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, shown)
    painter.restore()


def paint_missed(painter: QPainter, at: QPointF) -> None:
    """Draw a cross where an input was not accepted."""
    arm = QPointF(_CROSS_PX, _CROSS_PX)
    other = QPointF(_CROSS_PX, -_CROSS_PX)
    for colour, width in ((_HALO, 7), (_MISSED, 4)):
        painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(at - arm, at + arm)
        painter.drawLine(at - other, at + other)


def paint_problem(painter: QPainter, text: str, area: QRectF) -> None:
    painter.setPen(Theme.current().muted)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(area.adjusted(4, 4, -4, -4), int(flags), breakable(text))


def _badge(painter: QPainter, name: str, area: QRectF, *, is_predicted: bool) -> None:
    radius = 14.0
    centre = _above_bar(area, radius + 6) + QPointF(2.4 * radius if is_predicted else 0, 0)
    painter.setPen(QPen(_HALO, 1.5))
    painter.setBrush(PREDICTED if is_predicted else _DARK)
    painter.drawEllipse(centre, radius, radius)
    painter.setPen(QColor("white"))
    painter.setFont(glyph_font(16))
    painter.drawText(_around(centre, radius), Qt.AlignmentFlag.AlignCenter, glyph(name))


def _above_bar(area: QRectF, distance: float) -> QPointF:
    """`distance` above the device's navigation bar, whose buttons a mark must not hide."""
    return QPointF(area.center().x(), area.bottom() - _BAR_SHARE * area.height() - distance)


def _place(point: Point, area: QRectF) -> QPointF:
    return QPointF(area.left() + point.x * area.width() / GRID, area.top() + point.y * area.height() / GRID)


def _ring(painter: QPainter, centre: QPointF, radius: float, colour: QColor) -> None:
    width = max(2.0, radius * 0.22)
    painter.setBrush(_with_alpha(colour, 48))
    for ink, thickness in ((_HALO, width + 2.5), (colour, width)):
        painter.setPen(QPen(ink, thickness))
        painter.drawEllipse(centre, radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _trajectory(painter: QPainter, points: list[QPointF], radius: float, colour: QColor) -> None:
    line = QPainterPath(points[0])
    for point in points[1:]:
        line.lineTo(point)
    width = max(2.0, radius * 0.3)
    head = _arrow_head(points, radius)
    round_cap, round_join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    for ink, extra in ((_HALO, 2.5), (colour, 0.0)):
        painter.setPen(QPen(ink, width + extra, Qt.PenStyle.SolidLine, round_cap, round_join))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(line)
        painter.setBrush(ink)
        painter.drawEllipse(points[0], radius * 0.35, radius * 0.35)
        painter.drawPolygon(head)


def _arrow_head(points: list[QPointF], radius: float) -> QPolygonF:
    """A triangle at the last point, in the direction of the last stretch that is long enough to have one."""
    tip = points[-1]
    length = 0.0
    along = QPointF(0, -1)
    for point in reversed(points):
        stretch = tip - point
        length = float(QPointF.dotProduct(stretch, stretch)) ** 0.5
        if length >= radius:
            break
    if length > 0:
        along = stretch / length
    across = QPointF(-along.y(), along.x())
    base = tip - along * radius * 0.9
    return QPolygonF([tip + along * radius * 0.2, base + across * radius * 0.5, base - across * radius * 0.5])


def _around(centre: QPointF, radius: float) -> QRectF:
    return QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)


def _with_alpha(colour: QColor, alpha: int) -> QColor:
    translucent = QColor(colour)
    translucent.setAlpha(alpha)
    return translucent
