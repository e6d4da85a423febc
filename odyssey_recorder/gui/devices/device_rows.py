"""The list of devices: a row for each of the six profiles and for whatever else runs."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QListView

from odyssey_recorder.device.inventory import InventoryDevice
from odyssey_recorder.gui.kit.icons import glyph, glyph_font
from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark, paint_line, small_font
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, fill_list
from odyssey_recorder.gui.kit.theme import Theme

_ROW_HEIGHT = 60
_GLYPH_PX = 26
_GLYPH_ROOM = 52
_DOT_PX = 9

WorkWords = Callable[[str], str]
"""The work in progress on the device of a key; empty for none."""


def state_text(device: InventoryDevice) -> str:
    if device.serial:
        kind = "Simulated" if device.simulated else "Running"
        if device.is_ready:
            return f"{kind} · {device.serial}" if device.name != device.serial else kind
        return f"{device.serial} is {device.state}" if device.name != device.serial else device.state.capitalize()
    return "Stopped" if device.avd is not None else "Not created yet"


def device_model(work_words: WorkWords, parent: QObject) -> TableModel[InventoryDevice]:
    """A device keeps its row, and with it the selection."""

    def state(device: InventoryDevice) -> str:
        return work_words(device.key) or state_text(device)

    column = TableColumn[InventoryDevice](
        "",
        lambda device: device.name,
        spoken=lambda device: f"{device.name}: {state(device)}",
        tip=state,
        value=lambda device: (device, work_words(device.key)),
    )
    return TableModel((column,), key=lambda device: device.key, steady=True, parent=parent)


def device_list(model: TableModel[InventoryDevice]) -> QListView:
    view = QListView()
    view.setToolTip("Up and Down select a device")
    return fill_list(view, "Devices", model, RowDelegate(_paint, QSize(200, _ROW_HEIGHT), view, RowMark((4, 2))))


def _paint(painter: QPainter, area: QRectF, value: tuple[InventoryDevice, str], font: QFont) -> None:
    theme, (device, work) = Theme.current(), value
    is_there = bool(device.serial or device.avd)
    painter.setFont(glyph_font(_GLYPH_PX))
    painter.setPen(theme.text if is_there else theme.off)
    place = QRectF(area.left() + 6, area.top(), _GLYPH_ROOM - 8, area.height())
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, glyph(_kind(device)))
    text = area.adjusted(_GLYPH_ROOM, 0, -16 - 2 * _DOT_PX, 0)
    strong, small = QFont(font), small_font(font)
    strong.setWeight(QFont.Weight.DemiBold)
    _paint_lines(
        painter,
        text,
        (device.name, strong, theme.text if is_there else theme.muted),
        (work or state_text(device), small, theme.muted),
    )
    if colour := _dot(device, at_work=bool(work), theme=theme):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(area.right() - 20, area.center().y()), _DOT_PX / 2, _DOT_PX / 2)


def _paint_lines(painter: QPainter, area: QRectF, *lines: tuple[str, QFont, QColor]) -> None:
    heights = [QFontMetrics(font).height() + 2 for _, font, _ in lines]
    top = area.center().y() - (sum(heights) - 2) / 2
    for (text, font, colour), height in zip(lines, heights, strict=True):
        paint_line(painter, QRectF(area.left(), top, area.width(), height), text, font, colour)
        top += height


def _kind(device: InventoryDevice) -> str:
    if device.folds:
        return "book_open_outline"
    profile = device.profile
    return "tablet" if profile is not None and profile.width > profile.height else "cellphone"


def _dot(device: InventoryDevice, *, at_work: bool, theme: Theme) -> QColor | None:
    if at_work:
        return theme.accent
    if not device.serial:
        return None
    return theme.success if device.is_ready else theme.warning
