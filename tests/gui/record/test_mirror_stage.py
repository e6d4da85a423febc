"""The mirror's surroundings: scroll bars, zoom, and the wanted screen beside the current one."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QLabel, QScrollBar
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.mirror_stage import MirrorStage, WantedScreen
from odyssey_recorder.gui.screen.canvas import FRAME_PX
from odyssey_recorder.gui.window.pages import all_commands
from odyssey_recorder.model.geometry import Size
from tests.gui.record.screens import fit_of, frame, screenshot_in

PHONE, TABLET = Size(720, 1280), Size(2560, 1600)


@pytest.fixture
def mirror() -> MirrorView:
    mirror = MirrorView()
    mirror.show_frame(frame(PHONE))
    mirror.set_overlay(None)
    return mirror


@pytest.fixture
def commands(mirror: MirrorView) -> Commands:
    return Commands(mirror, all_commands())


@pytest.fixture
def stage(qtbot: QtBot, mirror: MirrorView, commands: Commands, background: Background) -> MirrorStage:
    stage = MirrorStage(mirror, background, commands)
    qtbot.addWidget(stage)
    stage.resize(600, 700)
    stage.show()
    return stage


def scroll_bar(stage: MirrorStage, name: str) -> QScrollBar:
    return next(bar for bar in stage.findChildren(QScrollBar) if bar.accessibleName() == name)


def shown_scale(stage: MirrorStage) -> str:
    return next(label.text() for label in stage.findChildren(QLabel) if label.accessibleName() == "Zoom")


def test_zoom_commands_change_the_shown_scale(stage: MirrorStage, commands: Commands, qtbot: QtBot) -> None:
    fitted = shown_scale(stage)
    assert not commands[RecordCommand.ZOOM_FIT].isEnabled()
    commands[RecordCommand.ZOOM_OUT].trigger()
    for scale in ("50%", "75%", "100%", "150%", "200%", "300%"):
        assert shown_scale(stage) == scale
        commands[RecordCommand.ZOOM_IN].trigger()
    assert shown_scale(stage) == "300%"
    commands[RecordCommand.ZOOM_PIXELS].trigger()
    assert shown_scale(stage) == "100%"
    assert not commands[RecordCommand.ZOOM_PIXELS].isEnabled()
    for _ in range(3):
        commands[RecordCommand.ZOOM_OUT].trigger()
    assert shown_scale(stage) == "50%"
    assert not commands[RecordCommand.ZOOM_OUT].isEnabled()
    commands[RecordCommand.ZOOM_FIT].trigger()
    qtbot.waitUntil(lambda: shown_scale(stage) == fitted)


def test_scroll_bars_pan(stage: MirrorStage, mirror: MirrorView, commands: Commands, qtbot: QtBot) -> None:
    across, down = scroll_bar(stage, "Left and right"), scroll_bar(stage, "Up and down")
    assert (across.isHidden(), down.isHidden()) == (True, True)
    commands[RecordCommand.ZOOM_PIXELS].trigger()
    qtbot.waitUntil(lambda: mirror.geometry().bottom() < across.geometry().top())
    fit = fit_of(mirror)
    assert (across.value(), down.value()) == (FRAME_PX - fit.area.left(), FRAME_PX - fit.area.top())
    down.setValue(down.maximum())
    across.setValue(0)
    area = fit_of(mirror).area
    assert (area.bottom(), area.left()) == (mirror.height() - FRAME_PX, FRAME_PX)


@pytest.mark.parametrize(
    ("screen", "size"),
    [(PHONE, QSize(600, 700)), (TABLET, QSize(600, 700)), (TABLET, QSize(1600, 500)), (PHONE, QSize(400, 1600))],
)
def test_wanted_screen_placement(stage: MirrorStage, qtbot: QtBot, tmp_path: Path, screen: Size, size: QSize) -> None:
    mirror, wanted = stage.findChildren(MirrorView)[0], stage.findChildren(WantedScreen)[0]
    mirror.show_frame(frame(screen, number=2))
    stage.resize(size)
    stage.show_wanted(screenshot_in(tmp_path, screen))
    qtbot.waitUntil(lambda: wanted.is_shown and wanted.size() == mirror.size())
    side_by_side = size.width() / screen.width > size.height() / screen.height
    current_at, wanted_at = mirror.mapTo(stage, QPoint()), wanted.mapTo(stage, QPoint())
    assert (current_at.y() == wanted_at.y()) is side_by_side
    assert (current_at.x() == wanted_at.x()) is not side_by_side


def test_wanted_screen_is_beside_if_banner_and_captions_take_the_height(
    stage: MirrorStage, mirror: MirrorView, qtbot: QtBot, tmp_path: Path
) -> None:
    mirror.show_frame(frame(TABLET, number=2))
    stage.resize(680, 490)
    stage.show_wanted(screenshot_in(tmp_path, TABLET), text="Nothing is recorded until both screens match.")
    (wanted,) = stage.findChildren(WantedScreen)
    qtbot.waitUntil(lambda: wanted.is_shown and wanted.size() == mirror.size())
    assert mirror.mapTo(stage, QPoint()).y() == wanted.mapTo(stage, QPoint()).y()


def test_restoring_fits_the_mirror(stage: MirrorStage, mirror: MirrorView, commands: Commands, tmp_path: Path) -> None:
    mirror.viewport.show_scale(1.5)
    assert not commands[RecordCommand.ACCEPT_SCREEN].isEnabled()
    stage.show_wanted(screenshot_in(tmp_path, PHONE))
    assert stage.is_restoring
    assert mirror.viewport.scale is None
    assert commands[RecordCommand.ACCEPT_SCREEN].isEnabled()
    stage.show_wanted(None)
    assert not stage.is_restoring
    assert mirror.viewport.scale == 1.5
    assert not commands[RecordCommand.ACCEPT_SCREEN].isEnabled()
