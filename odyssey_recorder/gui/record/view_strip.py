"""The strip beside the mirror: how large the device's screen is shown, and the magnifier."""

from math import isclose

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import named, text_label
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.view_zoom import ZOOMS


class ViewStrip(QWidget):
    """Carries the commands of looking out on one mirror."""

    def __init__(self, mirror: MirrorView, commands: Commands) -> None:
        super().__init__()
        self._mirror = mirror
        self._commands = commands
        self._scale = named(text_label(kind="hint"), "Zoom")
        self._scale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._scale.setToolTip("How large a pixel of the device is shown, in pixels of this screen")
        self._lay_out()
        viewport = mirror.viewport
        calls = {
            Command.ZOOM_FIT: viewport.show_whole,
            Command.ZOOM_PIXELS: lambda: viewport.show_scale(1.0),
            Command.ZOOM_IN: lambda: viewport.step(larger=True),
            Command.ZOOM_OUT: lambda: viewport.step(larger=False),
        }
        for command, call in calls.items():
            commands[command].triggered.connect(lambda _checked, call=call: call())
        commands[Command.MAGNIFY].toggled.connect(mirror.set_magnifying)
        viewport.changed.connect(self._show_scale)
        self._show_scale()

    @property
    def scale(self) -> str:
        """The scale in words, empty while there is no picture."""
        return self._scale.text()

    def _show_scale(self) -> None:
        scale = self._mirror.viewport.actual_scale
        self._scale.setText("" if scale is None else f"{scale * 100:.0f} %")
        enable = self._commands.enable
        enable(Command.ZOOM_FIT, on=scale is not None and self._mirror.viewport.scale is not None)
        enable(Command.ZOOM_PIXELS, on=scale is not None and self._mirror.viewport.scale != 1.0)
        enable(Command.ZOOM_IN, on=scale is not None and scale < ZOOMS[-1] and not isclose(scale, ZOOMS[-1]))
        enable(Command.ZOOM_OUT, on=scale is not None and scale > ZOOMS[0] and not isclose(scale, ZOOMS[0]))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        first = (Command.ZOOM_FIT, Command.ZOOM_PIXELS, Command.ZOOM_IN)
        for command in first:
            column.addWidget(self._commands.button(command, kind="quiet", wordless=True))
        column.addWidget(self._scale)
        for command in (Command.ZOOM_OUT, Command.MAGNIFY):
            column.addWidget(self._commands.button(command, kind="quiet", wordless=True))
        column.addStretch()
        self.setFixedWidth(44)
