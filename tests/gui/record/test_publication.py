"""What the window says about an episode after publishing."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.commands import Commands
from odyssey_recorder.gui.record.publication import Publication

ID = "0000000000000007"
FILE = Path("/data/annotations") / f"{ID}.json"


@pytest.fixture
def publication(qtbot: QtBot) -> Publication:
    window = QWidget()
    qtbot.addWidget(window)
    shown = Publication(Commands(window))
    qtbot.addWidget(shown)
    shown.show_published(FILE)
    return shown


def said(publication: Publication) -> str:
    return "\n".join(label.text().replace("\u200b", "") for label in publication.findChildren(QLabel))


def test_it_says_where_the_episode_is(publication: Publication) -> None:
    assert publication.words == "The episode is published."
    assert FILE.name in said(publication)
    assert publication.toolTip() == str(FILE)
    assert publication.annotation == FILE
