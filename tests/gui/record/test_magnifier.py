"""The magnifier beside the pointer: its content and its position."""

import pytest
from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.record.panning import ENLARGED, PIXELS, Magnifier, beside
from odyssey_recorder.model.geometry import Pixel, Size
from tests.gui.record.test_mirror_pixels import MARK, marked

ROOM = QRectF(0, 0, 400, 700)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(400, 700)
    window.show()
    return window


@pytest.fixture
def loupe(window: QWidget) -> Magnifier:
    return Magnifier(window)


def test_the_pixel_in_the_middle_is_shown_four_times_as_large(loupe: Magnifier) -> None:
    loupe.show_at(marked(Size(300, 500), Pixel(120, 333), width=1), Pixel(120, 333), QPointF(200, 350), ROOM)
    image = loupe.grab().toImage()
    first = 2 + PIXELS // 2 * ENLARGED
    enlarged = {image.pixelColor(x, y).name() for x in range(first, first + 4) for y in range(first, first + 4)}
    assert enlarged == {QColor(*MARK).name()}
    assert image.pixelColor(first - 4 * ENLARGED, first - 4 * ENLARGED) == QColor(0, 0, 40)
    assert loupe.pixel == Pixel(120, 333)
    assert loupe.accessibleDescription() == "120, 333"


def test_beyond_the_edge_of_the_picture_there_is_nothing_of_it(loupe: Magnifier) -> None:
    loupe.show_at(marked(Size(300, 500), Pixel(299, 250), width=5), Pixel(299, 250), QPointF(10, 10), ROOM)
    image = loupe.grab().toImage()
    middle = 2 + PIXELS * ENLARGED // 2
    assert image.pixelColor(middle + 3 * ENLARGED // 2 + 2, middle + 10 * ENLARGED) != QColor(0, 0, 40)


@pytest.mark.parametrize("x", [0, 5, 200, 395, 399])
@pytest.mark.parametrize("y", [0, 5, 350, 695, 699])
def test_it_lies_in_the_mirror_and_never_under_the_pointer(x: int, y: int) -> None:
    size = QSizeF(170, 194)
    place = QRectF(beside(QPointF(x, y), size, ROOM), size)
    assert ROOM.contains(place)
    assert not place.contains(QPointF(x, y))


def test_it_takes_no_clicks_of_its_own(loupe: Magnifier, window: QWidget) -> None:
    loupe.show_at(marked(Size(300, 500), Pixel(1, 1), width=1), Pixel(1, 1), QPointF(200, 350), ROOM)
    assert window.childAt(loupe.geometry().center()) is None
