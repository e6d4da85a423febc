"""Drawings of figures as pictures: for a widget, or in PNG files."""

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.figures.drawing import Drawing, drawn
from odyssey_recorder.figures.figure import Figure
from odyssey_recorder.figures.page import file_names
from odyssey_recorder.figures.svg import styled, svg
from odyssey_recorder.files import write_durably

_SCALE = 2
"""Pixels of a PNG file per unit of a drawing."""
_MARGIN = 16
_TITLE = 420


def picture(drawing: Drawing, font: QFont, **colours: str) -> QSvgRenderer:
    """`colours` are those of the variables of the style."""
    style = styled({"font": f'"{font.family()}"', **colours})
    return QSvgRenderer(QByteArray(svg(drawing, "", style).encode()))


def write_images(folder: Path, figures: Iterable[Figure]) -> list[Path]:
    """Write a PNG file for each drawn panel into `folder`. Raises DatasetError."""
    application = QGuiApplication.instance() or QGuiApplication(["odyssey-recorder", "-platform", "offscreen"])
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatasetError(f"{folder} cannot be created: {error.strerror}. Choose another folder.") from error
    for figure in figures:
        for panel, name in file_names(figure):
            drawing = drawn(panel)
            if drawing is not None:
                path = folder / f"{name}.png"
                write_durably(path, _png(drawing, f"{figure.title}  {panel.title}".strip()))
                written.append(path)
    del application
    return written


def _png(drawing: Drawing, title: str) -> bytes:
    width, height = max(drawing.width, _TITLE) + 2 * _MARGIN, drawing.height + 2 * _MARGIN + 24
    image = QImage(round(width * _SCALE), round(height * _SCALE), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(_SCALE, _SCALE)
    painter.translate(_MARGIN, _MARGIN)
    font = QFont(painter.font())
    font.setPixelSize(15)
    painter.setFont(font)
    painter.setPen(QColor("#1f2328"))
    painter.drawText(QPointF(0, 12), title)
    picture(drawing, font).render(painter, QRectF(0, 24, drawing.width, drawing.height))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(buffer.data().data())
