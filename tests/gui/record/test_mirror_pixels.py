"""The mirror draws each pixel where a finger finds it, exactly if the mirror has the frame's size."""

from itertools import cycle
from random import Random

import pytest
from PIL import Image, ImageChops
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.panning import ENLARGED, PIXELS, Magnifier, beside
from odyssey_recorder.gui.screen.canvas import FRAME_PX
from odyssey_recorder.gui.screen.viewport import ZOOMS
from odyssey_recorder.model.geometry import Pixel, Size
from tests.gui.pilot import LEFT, NONE
from tests.gui.record.screens import fit_of, frame_of

FOLDED = Size(1080, 2092)
UPRIGHT = [profile.size for profile in profiles()] + [FOLDED]
SCREENS = UPRIGHT + [size.turned() for size in UPRIGHT]
MARK = (255, 0, 0)
MIRROR_AREA = QRectF(0, 0, 400, 700)


def frame_with_mark(size: Size, at: Pixel, *, width: int) -> Frame:
    """A dark frame with a square mark centred on `at`."""
    image = Image.new("RGBA", (size.width, size.height), (0, 0, 40, 255))
    half = width // 2
    image.paste((*MARK, 255), (at.x - half, at.y - half, at.x + half + 1, at.y + half + 1))
    return frame_of(size, image.tobytes())


def mirror_with(qtbot: QtBot, frame: Frame, size: QSize) -> MirrorView:
    mirror = MirrorView()
    qtbot.addWidget(mirror)
    mirror.setMinimumSize(1, 1)
    mirror.resize(size)
    mirror.show_frame(frame)
    mirror.set_overlay(None)
    mirror.show()
    return mirror


def mark_position(mirror: MirrorView) -> QPointF:
    """The centre of the painted mark in device-independent pixels."""
    image = mirror.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    screenshot = Image.frombuffer(
        "RGB", (image.width(), image.height()), bytes(image.constBits()), "raw", "RGB", image.bytesPerLine(), 1
    )
    redness = ImageChops.subtract(screenshot.getchannel("R"), screenshot.getchannel("G"))
    box = redness.point(lambda red: 255 if red > 127 else 0).getbbox()
    assert box is not None
    return QPointF((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def click_on_mark(mirror: MirrorView) -> tuple[QPointF, Pixel]:
    """Where the mark is drawn, and the pixel that a click there touches."""
    strokes = list[TouchStroke]()
    mirror.stroke_made.connect(strokes.append)
    drawn = mark_position(mirror)
    QTest.mouseClick(mirror, LEFT, NONE, QPoint(int(drawn.x()), int(drawn.y())))
    (stroke,) = strokes
    return drawn, stroke.start


@pytest.mark.parametrize("size", UPRIGHT, ids=str)
def test_touch_hits_the_drawn_pixel_at_full_size(qtbot: QtBot, size: Size) -> None:
    random = Random(str(size))
    at = Pixel(random.randrange(20, size.width - 20), random.randrange(20, size.height - 20))
    mirror_size = QSize(size.width + 2 * FRAME_PX, size.height + 2 * FRAME_PX)
    mirror = mirror_with(qtbot, frame_with_mark(size, at, width=1), mirror_size)
    assert click_on_mark(mirror) == (fit_of(mirror).point_of(at), at)


@pytest.mark.parametrize(("size", "scale"), list(zip(SCREENS, cycle((None, *ZOOMS)), strict=False)), ids=str)
def test_touch_hits_the_drawn_mark_at_every_zoom(qtbot: QtBot, size: Size, scale: float | None) -> None:
    random = Random(f"{size} {scale}")
    at = Pixel(random.randrange(40, size.width - 40), random.randrange(40, size.height - 40))
    mirror = mirror_with(qtbot, frame_with_mark(size, at, width=5 if scale else 41), QSize(457, 613))
    if scale is not None:
        mirror.viewport.show_scale(scale)
    mirror.viewport.pan(QPointF(228, 306) - fit_of(mirror).point_of(at))
    fit = fit_of(mirror)
    drawn, touched = click_on_mark(mirror)
    assert touched == fit.pixel_at(QPointF(int(drawn.x()), int(drawn.y())))
    found, shown = fit.nearest_pixel(drawn), fit.area.width() / size.width
    assert max(abs(found.x - at.x), abs(found.y - at.y)) <= 0.5 / shown + (scale is None)
    offset = drawn - fit.point_of(at)
    assert max(abs(offset.x()), abs(offset.y())) <= (0.5 if scale else 1)


def test_pixels_are_drawn_unchanged_at_full_scale(qtbot: QtBot) -> None:
    size = Size(1080, 2340)
    noise = Random("noise").randbytes(size.width * size.height * 3)
    mirror = mirror_with(qtbot, frame_of(size, noise), QSize(457, 613))
    mirror.viewport.show_scale(1.0)
    fit = fit_of(mirror)
    image = mirror.grab().toImage()
    for x in range(20, 440, 7):
        for y in range(20, 600, 11):
            pixel = fit.pixel_at(QPointF(x, y))
            assert pixel is not None
            start = (pixel.y * size.width + pixel.x) * 3
            assert image.pixelColor(x, y).getRgb()[:3] == tuple(noise[start : start + 3])  # type: ignore[index]


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(MIRROR_AREA.size().toSize())
    window.show()
    return window


def test_magnifier_enlarges_the_pixel_four_times(window: QWidget) -> None:
    magnifier, at, size = Magnifier(window), Pixel(120, 333), Size(300, 500)
    magnifier.show_at(frame_with_mark(size, at, width=1), at, QPointF(200, 350), MIRROR_AREA)
    image = magnifier.grab().toImage()
    first = 2 + PIXELS // 2 * ENLARGED
    enlarged = {image.pixelColor(x, y).name() for x in range(first, first + 4) for y in range(first, first + 4)}
    assert enlarged == {QColor(*MARK).name()}
    assert image.pixelColor(first - 4 * ENLARGED, first - 4 * ENLARGED) == QColor(0, 0, 40)
    assert magnifier.pixel == at
    assert magnifier.accessibleDescription() == "120, 333"


def test_magnifier_is_empty_beyond_the_screenshot(window: QWidget) -> None:
    magnifier, at, size = Magnifier(window), Pixel(299, 250), Size(300, 500)
    magnifier.show_at(frame_with_mark(size, at, width=5), at, QPointF(10, 10), MIRROR_AREA)
    image = magnifier.grab().toImage()
    middle = 2 + PIXELS * ENLARGED // 2
    assert image.pixelColor(middle + 3 * ENLARGED // 2 + 2, middle + 10 * ENLARGED) != QColor(0, 0, 40)


@pytest.mark.parametrize("x", [0, 5, 200, 395, 399])
@pytest.mark.parametrize("y", [0, 5, 350, 695, 699])
def test_magnifier_stays_in_the_mirror_and_off_the_pointer(x: int, y: int) -> None:
    size = QSizeF(170, 194)
    area = QRectF(beside(QPointF(x, y), size, MIRROR_AREA), size)
    assert MIRROR_AREA.contains(area)
    assert not area.contains(QPointF(x, y))
