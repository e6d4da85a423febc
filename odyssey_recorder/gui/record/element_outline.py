"""The outline of the view under the pointer, which shows what a click there would hit."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from odyssey_recorder.device.view_hierarchy import ViewNode, clickable_at
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.screen.viewport import FitScale
from odyssey_recorder.model.geometry import Box, Pixel

_PAUSE_MS = 50
"""The view is looked up at most this often, however fast the mouse reports."""
_LINE_PX = 2


class ElementOutline(QObject):
    """Looks up the view under the pointer of `widget`, and repaints only where the outline was or is.

    `is_on` is False if the user does not want it.
    """

    def __init__(self, widget: QWidget, fit: Callable[[], FitScale | None]) -> None:
        super().__init__(widget)
        self.is_on = True
        self._widget = widget
        self._fit = fit
        self._nodes: tuple[ViewNode, ...] = ()
        self._pointer: QPointF | None = None
        self.box: Box | None = None
        """In pixels of the frame; None if no view is outlined."""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._look)

    def show_nodes(self, nodes: tuple[ViewNode, ...]) -> None:
        """The views of the shown screen; none while they are unknown."""
        if nodes is not self._nodes:
            self._nodes = nodes if self.is_on else ()
            self._look()

    def follow(self, pointer: QPointF | None) -> None:
        """None: the pointer has left, or a finger is down."""
        self._pointer = pointer
        if pointer is None:
            self._pause.stop()
            self._look()
        elif self._nodes and not self._pause.isActive():
            self._pause.start()

    def paint(self, painter: QPainter) -> None:
        area = self._area(self.box)
        if area is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for colour, width in ((Theme.current().card, 2 * _LINE_PX), (Theme.current().accent, _LINE_PX)):
                painter.setPen(QPen(colour, width))  # seen on light and on dark apps
                painter.drawRect(area)

    def _look(self) -> None:
        fit, box = self._fit(), None
        if fit is not None and self._pointer is not None and self._nodes:
            pixel = fit.pixel_at(self._pointer)
            box = None if pixel is None else clickable_at(self._nodes, pixel, fit.frame_size)
        if box != self.box:
            before, self.box = self._area(self.box), box
            for area in filter(None, (before, self._area(box))):
                self._widget.update(area.adjusted(-_LINE_PX, -_LINE_PX, _LINE_PX, _LINE_PX))

    def _area(self, box: Box | None) -> QRect | None:
        """In whole pixels of the widget: the line is sharp."""
        fit = self._fit()
        if fit is None or box is None:
            return None
        corners = (fit.point_of(Pixel(x, y)) for x, y in ((box.left, box.top), (box.right - 1, box.bottom - 1)))
        return QRect(*(corner.toPoint() for corner in corners))
