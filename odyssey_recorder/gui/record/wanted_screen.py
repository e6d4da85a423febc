"""The screen that the device must be brought back to after an undo, as it was recorded."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from odyssey_recorder.gui.action_painter import paint_problem, prepare_other_threads
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.image_reader import read_picture
from odyssey_recorder.gui.record.mirror_canvas import paint_outline, rounded
from odyssey_recorder.gui.record.scale import FitScale
from odyssey_recorder.model.geometry import Size


class WantedScreen(QWidget):
    """Shows one picture, fitted with its aspect kept; it takes no input and is read in the background."""

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._path: Path | None = None
        self._image = QImage()
        self._drawn = QPixmap()
        self._problem = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 120)
        self.setAccessibleName("Wanted screen")

    def show_picture(self, path: Path | None) -> None:
        """Show the picture at `path`; None: nothing."""
        if path == self._path:
            return
        self._path, self._image, self._drawn, self._problem = path, QImage(), QPixmap(), ""
        self.update()
        if path is not None:
            prepare_other_threads()
            self._background.run(partial(_read, path), partial(self._take, path), partial(self._tell, path))

    @property
    def is_shown(self) -> bool:
        """Whether the picture is there to be seen."""
        return self.isVisible() and not self._image.isNull()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image.isNull():
            paint_problem(QPainter(self), self._problem, QRectF(self.rect()))
            return
        ratio = self.devicePixelRatioF()
        picture = Size(self._image.width(), self._image.height())
        area = FitScale.inside(picture, QRectF(self.rect()), device_pixel_ratio=ratio).area
        size = (QPointF(area.width(), area.height()) * ratio).toPoint()
        if (self._drawn.width(), self._drawn.height()) != (size.x(), size.y()):
            smooth = Qt.TransformationMode.SmoothTransformation
            scaled = self._image.scaled(size.x(), size.y(), Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
            self._drawn = QPixmap.fromImage(scaled)
            self._drawn.setDevicePixelRatio(ratio)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(rounded(area))
        painter.drawPixmap(area.topLeft(), self._drawn)
        painter.setClipping(False)
        paint_outline(painter, area, focused=False)

    def _take(self, path: Path, image: QImage) -> None:
        if path == self._path:
            self._image = image
            self.update()

    def _tell(self, path: Path, error: Exception) -> None:
        if path == self._path:
            self._problem = str(error)
            self.setAccessibleDescription(self._problem)
            self.update()


def _read(path: Path) -> QImage:
    return read_picture(path)[0].convertToFormat(QImage.Format.Format_RGB32)
