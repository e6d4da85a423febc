"""How bars are painted: length, interval and colours."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.review.figure_tables import BarList, BarRow, Measured, Table
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.quality.agreement.quality_page import Bar

WIDTH = 800


@pytest.fixture
def paint(qtbot: QtBot) -> Callable[[Bar], QImage]:

    def paint(bar: Bar) -> QImage:
        bars = BarList(Table("Shares", (), (BarRow("Ada", "", (Measured(bar, "50%"),)),)))
        qtbot.addWidget(bars)
        bars.resize(WIDTH, 100)
        bars.show()
        return bars.grab().toImage()

    return paint


def middle(image: QImage, colour: QColor) -> int:
    """The number of pixels of a colour in a row a little below the bar's middle."""
    y = image.height() // 2 + 2
    return sum(image.pixelColor(x, y) == colour for x in range(image.width()))


def test_a_bar_is_as_long_as_its_share_and_without_a_value_there_is_none(paint: Callable[[Bar], QImage]) -> None:
    theme = Theme.current()
    none, quarter, whole = (middle(paint(Bar(share, share, share, grid=())), theme.accent) for share in (0, 25, 100))
    assert none == 0
    assert whole > WIDTH / 3
    assert quarter == pytest.approx(whole / 4, abs=3)
    empty = paint(Bar(None, 0.0, 0.0))
    assert (middle(empty, theme.accent), middle(empty, theme.tint)) == (0, 0)


def test_a_bar_that_is_less_than_nothing_leads_back_from_its_zero(paint: Callable[[Bar], QImage]) -> None:
    accent = Theme.current().accent
    above, below = (paint(Bar(value, value, value, zero=50.0)) for value in (75, 25))
    assert middle(below, accent) == pytest.approx(middle(above, accent), abs=3)
    assert below != above


def test_an_interval_is_a_line_over_the_bar(paint: Callable[[Bar], QImage]) -> None:
    certain, uncertain = (paint(Bar(50.0, low, high, grid=())) for low, high in ((50.0, 50.0), (25.0, 75.0)))
    y = certain.height() // 2
    line = sum(certain.pixelColor(x, y) != uncertain.pixelColor(x, y) for x in range(WIDTH))
    whole = middle(paint(Bar(100.0, 100.0, 100.0, grid=())), Theme.current().accent)
    assert line == pytest.approx(whole / 2, abs=4)
