"""How bars are painted: length, interval and colours."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from odyssey_recorder.agreement.sections import Bar, BarRow, Measured, Table
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.review.bar_list import BarList

WIDTH = 800


@pytest.fixture
def paint(qtbot: QtBot) -> Callable[[Bar | None], QImage]:

    def paint(bar: Bar | None) -> QImage:
        bars = BarList(Table("Shares", (), (BarRow("Ada", "", (Measured(bar, "50%"),)),)))
        qtbot.addWidget(bars)
        bars.resize(WIDTH, 100)
        bars.show()
        return bars.grab().toImage()

    return paint


def pixels_of(image: QImage, colour: QColor) -> int:
    """The number of pixels of a colour in a row a little below the bar's middle."""
    y = image.height() // 2 + 2
    return sum(image.pixelColor(x, y) == colour for x in range(image.width()))


def test_bar_length_is_proportional_to_its_value(paint: Callable[[Bar | None], QImage]) -> None:
    theme = Theme.current()
    none, quarter, full = (pixels_of(paint(Bar(share, share, share, grid=())), theme.accent) for share in (0, 25, 100))
    assert none == 0
    assert full > WIDTH / 3
    assert quarter == pytest.approx(full / 4, abs=3)
    empty = paint(None)
    assert (pixels_of(empty, theme.accent), pixels_of(empty, theme.tint)) == (0, 0)


def test_negative_bar_extends_left_of_its_zero(paint: Callable[[Bar | None], QImage]) -> None:
    accent = Theme.current().accent
    above, below = (paint(Bar(value, value, value, zero=50.0)) for value in (75, 25))
    assert pixels_of(below, accent) == pytest.approx(pixels_of(above, accent), abs=3)
    assert below != above


def test_interval_is_drawn_as_a_line_over_the_bar(paint: Callable[[Bar | None], QImage]) -> None:
    certain, uncertain = (paint(Bar(50.0, low, high, grid=())) for low, high in ((50.0, 50.0), (25.0, 75.0)))
    y = certain.height() // 2
    line = sum(certain.pixelColor(x, y) != uncertain.pixelColor(x, y) for x in range(WIDTH))
    full = pixels_of(paint(Bar(100.0, 100.0, 100.0, grid=())), Theme.current().accent)
    assert line == pytest.approx(full / 2, abs=4)
