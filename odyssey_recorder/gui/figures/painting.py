"""Paints drawings of figures: on a widget, or into PNG files."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage, QImageWriter, QPainter, QPen

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.figures.drawing import Drawing, FilledRect, Label, Line, drawn
from odyssey_recorder.figures.figure import Figure
from odyssey_recorder.figures.page import file_names
from odyssey_recorder.files import write_durably

_TEXT_PX = 12
_SCALE = 2
"""Pixels of a PNG file per unit of a drawing."""
_MARGIN = 16
_TITLE = 420


@dataclass(frozen=True, slots=True)
class Colours:
    """A colour for each tone of a drawing."""

    bar: QColor
    published: QColor
    text: QColor
    faint: QColor
    grid: QColor
    ground: QColor


PAPER = Colours(
    QColor("#2f6db5"), QColor("#b4540a"), QColor("#1f2328"), QColor("#5d6570"), QColor("#dcdfe4"), QColor("white")
)


def paint(painter: QPainter, drawing: Drawing, colours: Colours, *, marked: FilledRect | None = None) -> None:
    """Paint at the painter's origin; the `marked` rectangle gets an outline."""
    font = QFont(painter.font())
    font.setPixelSize(_TEXT_PX)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    for shape in drawing.shapes:
        match shape:
            case FilledRect(x, y, width, height, level):
                fill = QColor(colours.bar)
                fill.setAlphaF(min(max(level, 0.0), 1.0))
                painter.fillRect(QRectF(x, y, width, height), fill)
            case Line(x, y, to_x, to_y, tone, width):
                painter.setPen(QPen(getattr(colours, tone), width))
                painter.drawLine(QPointF(x, y), QPointF(to_x, to_y))
            case Label():
                painter.setPen(getattr(colours, shape.tone))
                _write(painter, shape, metrics)
    if marked is not None:
        painter.setPen(QPen(colours.text, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(marked.x, marked.y, marked.width, marked.height))


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
    painter.setPen(PAPER.text)
    painter.drawText(QPointF(0, 12), title)
    painter.translate(0, 24)
    paint(painter, drawing, PAPER)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(buffer.data().data())


def _write(painter: QPainter, label: Label, metrics: QFontMetricsF) -> None:
    width = metrics.horizontalAdvance(label.text)
    back = {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    if not label.upright:
        painter.drawText(QPointF(label.x - back, label.y), label.text)
        return
    painter.save()
    painter.translate(label.x, label.y)
    painter.rotate(-90)
    painter.drawText(QPointF(-back, 0), label.text)
    painter.restore()
