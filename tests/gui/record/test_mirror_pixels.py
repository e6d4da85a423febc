"""The mirror draws each pixel where a finger finds it, exactly if the mirror has the frame's size."""

import time
from random import Random

import pytest
from PIL import Image, ImageChops
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.viewport import ZOOMS
from odyssey_recorder.model.geometry import Pixel, Size

FOLDED = Size(1080, 2092)
UPRIGHT = [profile.size for profile in profiles()] + [FOLDED]
SCREENS = UPRIGHT + [size.turned() for size in UPRIGHT]
MARK = (255, 0, 0)
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def marked(size: Size, at: Pixel, *, width: int) -> Frame:
    """A dark frame with a square mark centred on `at`."""
    image = Image.new("RGBA", (size.width, size.height), (0, 0, 40, 255))
    half = width // 2
    image.paste((*MARK, 255), (at.x - half, at.y - half, at.x + half + 1, at.y + half + 1))
    now = time.monotonic_ns()
    return Frame(1, size, image.tobytes(), now, now, "test")


def mirror_of(qtbot: QtBot, frame: Frame, room: QSize) -> MirrorView:
    mirror = MirrorView()
    qtbot.addWidget(mirror)
    mirror.setMinimumSize(1, 1)
    mirror.resize(room)
    mirror.show_frame(frame)
    mirror.set_overlay(None)
    mirror.show()
    return mirror


def drawn_at(mirror: MirrorView) -> QPointF:
    """The centre of the painted mark in device-independent pixels."""
    image = mirror.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    picture = Image.frombuffer(
        "RGB", (image.width(), image.height()), bytes(image.constBits()), "raw", "RGB", image.bytesPerLine(), 1
    )
    redness = ImageChops.subtract(picture.getchannel("R"), picture.getchannel("G"))
    box = redness.point(lambda red: 255 if red > 127 else 0).getbbox()
    assert box is not None
    return QPointF((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


@pytest.mark.parametrize("size", SCREENS, ids=str)
def test_a_mirror_as_large_as_the_picture_draws_each_pixel_where_a_finger_finds_it(qtbot: QtBot, size: Size) -> None:
    random = Random(str(size))
    at = Pixel(random.randrange(20, size.width - 20), random.randrange(20, size.height - 20))
    mirror = mirror_of(qtbot, marked(size, at, width=1), QSize(size.width, size.height))
    fit, strokes = mirror.fit(), list[TouchStroke]()
    assert fit is not None
    mirror.stroke_made.connect(strokes.append)

    drawn = drawn_at(mirror)
    QTest.mouseClick(mirror, LEFT, NONE, QPoint(int(drawn.x()), int(drawn.y())))

    assert drawn == fit.point_of(at)
    assert [stroke.start for stroke in strokes] == [at]


@pytest.mark.parametrize("size", SCREENS, ids=str)
def test_a_small_mirror_draws_what_a_finger_finds_there(qtbot: QtBot, size: Size) -> None:
    """To half a pixel of the mirror, which is several pixels of the frame."""
    at = Pixel(size.width // 3, size.height * 2 // 3)
    mirror = mirror_of(qtbot, marked(size, at, width=41), QSize(457, 613))
    fit = mirror.fit()
    assert fit is not None
    scale = fit.area.width() / size.width

    found = fit.nearest_pixel(drawn_at(mirror))

    assert abs(found.x - at.x) <= 0.5 / scale + 1
    assert abs(found.y - at.y) <= 0.5 / scale + 1


@pytest.mark.parametrize("scale", ZOOMS)
@pytest.mark.parametrize("size", SCREENS[:6], ids=str)
def test_a_part_of_the_picture_is_drawn_where_a_finger_finds_it_at_every_zoom(
    qtbot: QtBot, size: Size, scale: float
) -> None:
    random = Random(f"{size} {scale}")
    at = Pixel(random.randrange(40, size.width - 40), random.randrange(40, size.height - 40))
    mirror = mirror_of(qtbot, marked(size, at, width=5), QSize(457, 613))
    mirror.viewport.show_scale(scale)
    fit = mirror.fit()
    assert fit is not None
    mirror.viewport.pan(QPointF(228, 306) - fit.point_of(at))
    fit = mirror.fit()
    assert fit is not None

    strokes = list[TouchStroke]()
    mirror.stroke_made.connect(strokes.append)

    drawn = drawn_at(mirror)
    QTest.mouseClick(mirror, LEFT, NONE, QPoint(int(drawn.x()), int(drawn.y())))

    clicked = fit.pixel_at(QPointF(int(drawn.x()), int(drawn.y())))
    assert [stroke.start for stroke in strokes] == [clicked]
    found = fit.nearest_pixel(drawn)
    assert abs(found.x - at.x) <= 0.5 / scale
    assert abs(found.y - at.y) <= 0.5 / scale
    assert abs(drawn.x() - fit.point_of(at).x()) <= 0.5
    assert abs(drawn.y() - fit.point_of(at).y()) <= 0.5


def test_at_one_to_one_each_pixel_is_drawn_as_it_is(qtbot: QtBot) -> None:
    size = Size(1080, 2340)
    noise = Random("noise").randbytes(size.width * size.height * 3)
    now = time.monotonic_ns()
    mirror = mirror_of(qtbot, Frame(1, size, noise, now, now, "test"), QSize(457, 613))
    mirror.viewport.show_scale(1.0)
    fit = mirror.fit()
    assert fit is not None

    image = mirror.grab().toImage()

    for x in range(20, 440, 7):
        for y in range(20, 600, 11):
            pixel = fit.pixel_at(QPointF(x, y))
            assert pixel is not None
            start = (pixel.y * size.width + pixel.x) * 3
            assert image.pixelColor(x, y).getRgb()[:3] == tuple(noise[start : start + 3])  # type: ignore[index]
