"""The colours are readable on a light and on a dark system."""

import pytest
from PySide6.QtGui import QColor, QPalette
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.theme import READABLE, Theme, contrast


def palette(window: str, text: str, accent: str) -> QPalette:
    made = QPalette()
    made.setColor(QPalette.ColorRole.Window, QColor(window))
    made.setColor(QPalette.ColorRole.WindowText, QColor(text))
    made.setColor(QPalette.ColorRole.Accent, QColor(accent))
    return made


PALETTES = {
    "light": ("#efefef", "#000000", "#308cc6"),
    "dark": ("#2b2d31", "#f0f0f0", "#308cc6"),
    "black": ("#000000", "#ffffff", "#ffd400"),
    "pale accent": ("#ffffff", "#202020", "#ffe680"),
}


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_text_can_be_read_on_what_it_stands_on(qtbot: QtBot, colours: tuple[str, str, str]) -> None:
    theme = Theme.of(palette(*colours))
    pairs = [
        (theme.text, theme.window),
        (theme.text, theme.card),
        (theme.text, theme.field),
        (theme.text, theme.tint),
        (theme.muted, theme.card),
        (theme.warning, theme.card),
        (theme.danger, theme.card),
        (theme.on_accent, theme.accent),
    ]
    assert [contrast(ink, ground) >= READABLE for ink, ground in pairs] == [True] * len(pairs)


def test_black_on_white_has_the_highest_contrast() -> None:
    assert contrast(QColor("white"), QColor("black")) == pytest.approx(21)
    assert contrast(QColor("red"), QColor("red")) == pytest.approx(1)
