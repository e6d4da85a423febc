"""The place of the mirror: its scroll bars, the strip of zooms, and beside it the screen that is wanted back."""

from pathlib import Path

from PySide6.QtCore import QPointF, QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QScrollBar, QSizePolicy, QVBoxLayout, QWidget

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.banner import Banner, Tone
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import named, text_label
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.view_strip import ViewStrip
from odyssey_recorder.gui.record.wanted_screen import WantedScreen
from odyssey_recorder.recording.state import Goal

_GAP = 12
_WANTED = "Bring it to this screen"
_BEFORE = "Before the last step"


class MirrorStage(QWidget):
    """Shows `mirror`, and beside or above it the wanted screen, whichever way both are larger."""

    def __init__(self, mirror: MirrorView, background: Background, commands: Commands) -> None:
        super().__init__()
        self._mirror = mirror
        self._wanted = WantedScreen(background)
        self._banner = Banner(commands.button(Command.ACCEPT_SCREEN))
        self._across = named(QScrollBar(Qt.Orientation.Horizontal), "Left and right")
        self._down = named(QScrollBar(Qt.Orientation.Vertical), "Up and down")
        self._now = _Captioned("The device now", self._scrolled())
        self._back = _Captioned(_WANTED, self._wanted)
        self._screens = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._kept_zoom = ""
        self._lay_out(ViewStrip(mirror, commands))
        self._set_leading_back(False)
        commands.enable(Command.ACCEPT_SCREEN, on=False)
        self._commands = commands
        mirror.viewport.changed.connect(self._follow_viewport)
        self._across.valueChanged.connect(self._pan)
        self._down.valueChanged.connect(self._pan)
        self._follow_viewport()

    def show_wanted(self, picture: Path | None, goal: Goal = Goal.UNDONE, words: str = "") -> None:
        """Show the picture that the device must be brought back to, and what is to be done, until None."""
        self._back.caption.setText(_WANTED if goal.has_picture else _BEFORE)
        if picture is not None:
            self._banner.show_message(Tone.WARNING, words)
        else:
            self._banner.hide()
        if self.is_leading_back == (picture is not None):
            self._wanted.show_picture(picture)
            return
        viewport = self._mirror.viewport
        if picture is not None:
            self._kept_zoom = viewport.kept
            viewport.show_whole()
        else:
            viewport.recall(self._kept_zoom)
        self._wanted.show_picture(picture)
        self._set_leading_back(picture is not None)
        self._commands.enable(Command.ACCEPT_SCREEN, on=picture is not None)

    @property
    def is_leading_back(self) -> bool:
        """Whether the wanted screen is shown beside the present one."""
        return not self._back.isHidden()

    def repaint_icons(self) -> None:
        """Draw the icons anew for another palette."""
        self._banner.repaint_icons()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._choose_direction()
        super().resizeEvent(event)

    def _set_leading_back(self, leading: bool) -> None:
        self._back.setVisible(leading)
        self._now.caption.setVisible(leading)
        self._mirror.set_caution("Not recorded" if leading else "")
        self._choose_direction()

    def _choose_direction(self) -> None:
        """Side by side or one above the other: as both are larger."""
        fit = self._mirror.fit()
        if fit is None:
            return
        size, room = fit.picture, self.contentsRect()
        beside = min((room.width() - _GAP) / 2 / size.width, room.height() / size.height)
        above = min(room.width() / size.width, (room.height() - _GAP) / 2 / size.height)
        directions = QBoxLayout.Direction
        self._screens.setDirection(directions.LeftToRight if beside >= above else directions.TopToBottom)

    def _follow_viewport(self) -> None:
        viewport = self._mirror.viewport
        for bar in (self._across, self._down):
            bar.setVisible(viewport.scale is not None)
        fit = viewport.fit  # only now: a bar that comes or goes leaves the mirror another room at once
        if fit is None:
            return
        room = self._mirror.rect()
        for bar, start, extent, seen in (
            (self._across, fit.area.left(), fit.area.width(), room.width()),
            (self._down, fit.area.top(), fit.area.height(), room.height()),
        ):
            with QSignalBlocker(bar):
                bar.setRange(0, max(0, round(extent - seen)))
                bar.setPageStep(seen)
                bar.setSingleStep(seen // 10)
                bar.setValue(round(-start))
        if self.is_leading_back:
            self._choose_direction()

    def _pan(self) -> None:
        fit = self._mirror.viewport.fit
        if fit is None:
            return
        across = -self._across.value() - fit.area.left() if self._across.maximum() else 0.0
        down = -self._down.value() - fit.area.top() if self._down.maximum() else 0.0
        self._mirror.viewport.pan(QPointF(across, down))

    def _scrolled(self) -> QWidget:
        scrolled = QWidget()
        grid = QGridLayout(scrolled)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(2)
        grid.addWidget(self._mirror, 0, 0)
        grid.addWidget(self._down, 0, 1)
        grid.addWidget(self._across, 1, 0)
        return scrolled

    def _lay_out(self, strip: ViewStrip) -> None:
        self._screens.setSpacing(_GAP)
        self._screens.addWidget(self._back, 1)
        self._screens.addWidget(self._now, 1)
        whole = QHBoxLayout()
        whole.setSpacing(4)
        whole.addLayout(self._screens, 1)
        whole.addWidget(strip)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addWidget(self._banner)
        column.addLayout(whole, 1)


class _Captioned(QWidget):
    """A screen with words above it."""

    def __init__(self, words: str, screen: QWidget) -> None:
        super().__init__()
        self.caption = text_label(words, "field")
        self.caption.setWordWrap(False)  # else the layout asks for heights, and the shares are unequal
        self.caption.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.caption)
        column.addWidget(screen, 1)
        # Each screen gets an equal share of the room, whatever it would like.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
