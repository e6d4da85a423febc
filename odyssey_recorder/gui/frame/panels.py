"""The panels beside the middle of a page, which people resize and hide; a panel is also hidden if space is short."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from odyssey_recorder.gui.frame.command import Command, CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.icons import glyph, glyph_font
from odyssey_recorder.gui.kit.parts import fill_row
from odyssey_recorder.gui.kit.theme import Theme, grown

SideName: TypeAlias = Literal["left", "right"]

Side: TypeAlias = tuple[QWidget, float]
"""A panel and its initial width: pixels at the normal text size, or below 1 a share of the whole."""

_HANDLE_PX = 16
_GRIP = QSize(12, 40)
_KEY_STEP_PX = 24
_COMMANDS: Mapping[SideName, Command] = {"left": CommonCommand.LEFT_PANEL, "right": CommonCommand.RIGHT_PANEL}


class Panels(QSplitter):
    """`name` identifies the panels among those whose state is kept between runs.

    `fits` says whether a panel may stay open if the middle gets this many pixels. It decides for each panel that nobody
    has opened or hidden, for the right one first.
    """

    arranged = Signal()

    def __init__(
        self,
        name: str,
        commands: Commands,
        middle: QWidget,
        sides: Mapping[SideName, Side],
        fits: Callable[[SideName, int], bool] = lambda _side, _px: True,
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setObjectName(name)
        self.setHandleWidth(_HANDLE_PX)
        self._commands = commands
        self._middle = middle
        self._fits = fits
        self._sides = {side: _Panel(*sides[side]) for side in _COMMANDS if side in sides}
        for place, part in enumerate(self._parts()):
            self.addWidget(part)
            self.setStretchFactor(place, 1 if part is middle else 0)
            self.setCollapsible(place, part is not middle)
        for side in self._sides:
            action = commands[_COMMANDS[side]]
            action.triggered.connect(lambda _checked, side=side: self._toggle_shown(side))
            action.changed.connect(self._name_handles)
        self._name_handles()
        self.splitterMoved.connect(self._store_width)

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def is_open(self, side: SideName) -> bool:
        return not self._sides[side].content.isHidden()

    def side_of(self, handle: QSplitterHandle) -> SideName:
        return "left" if self.indexOf(handle) == 1 and "left" in self._sides else "right"

    def toggle(self, side: SideName) -> None:
        panel = self._sides[side]
        is_wanted = not self.is_open(side)
        panel.choice = None if is_wanted is self._has_space(side) else is_wanted
        self.arrange()

    def require(self, side: SideName, on: bool) -> None:
        """Keep a panel open, even if it was hidden, because it holds what must be answered now."""
        self._sides[side].is_required = on
        self.arrange()

    def arrange(self) -> None:
        """Open, hide and size the panels for the current width."""
        if self._middle.isHidden():
            for panel in self._sides.values():
                panel.content.show()
            return
        for side, panel in reversed(self._sides.items()):
            is_wanted = panel.choice if panel.choice is not None else self._has_space(side)
            panel.content.setVisible(panel.is_required or is_wanted)
        widths = [part.wanted(self.width()) if isinstance(part, _Panel) else 0 for part in self._parts()]
        widths[self.indexOf(self._middle)] = max(1, self._space - sum(widths))
        self.setSizes(widths)
        self.arranged.emit()

    @property
    def kept(self) -> dict[str, object]:
        """Widths and choices, for `recall` when the window opens again."""
        return {side: [panel.chosen_px, panel.choice] for side, panel in self._sides.items()}

    def recall(self, kept: object) -> None:
        """Invalid values are ignored."""
        for side, panel in self._sides.items():
            match kept.get(side) if isinstance(kept, dict) else None:
                case [int(px), bool() | None as choice] if px >= 0:
                    panel.chosen_px, panel.choice = px, choice
        self.arrange()

    @property
    def _space(self) -> int:
        return self.width() - _HANDLE_PX * len(self._sides)

    def _parts(self) -> list[QWidget]:
        left, right = self._sides.get("left"), self._sides.get("right")
        return [part for part in (left, self._middle, right) if part is not None]

    def _has_space(self, side: SideName) -> bool:
        """The right panel is decided first, as if the left one stayed."""
        middle_px = self._space
        for name, panel in self._sides.items():
            is_hidden = panel.choice is False or (side == "left" and panel.content.isHidden())
            if name == side or not is_hidden:
                middle_px -= panel.width_at(self.width())
        return self._fits(side, middle_px)

    def _name_handles(self) -> None:
        for place in range(1, self.count()):
            handle = self.handle(place)
            side = self.side_of(handle)
            handle.setAccessibleName(f"{side.capitalize()} panel")
            handle.setToolTip(self._commands[_COMMANDS[side]].toolTip())

    def _toggle_shown(self, side: SideName) -> None:
        if self.isVisible() and not self._middle.isHidden():
            self.toggle(side)

    def _store_width(self, _px: int, place: int) -> None:
        side = self.side_of(self.handle(place))
        panel = self._sides[side]
        px = self.sizes()[self.indexOf(panel)]
        if px:
            panel.chosen_px = px
        if bool(px) is not self.is_open(side):
            panel.choice = None if bool(px) is self._has_space(side) else bool(px)
            panel.content.setVisible(bool(px))
            self.arranged.emit()
        self.handle(place).update()


class _Panel(QWidget):
    """Holds a panel's content; empty and without width while that is hidden."""

    def __init__(self, content: QWidget, width: float) -> None:
        super().__init__()
        self.content = content
        self.chosen_px = 0
        self.choice: bool | None = None
        self.is_required = False
        self._initial_width = width
        fill_row(self, content)

    def width_at(self, whole_px: int) -> int:
        initial = (
            grown(round(self._initial_width)) if self._initial_width >= 1 else round(self._initial_width * whole_px)
        )
        return max(self.chosen_px or initial, self.content.minimumSizeHint().width(), self.content.minimumWidth())

    def wanted(self, whole_px: int) -> int:
        return 0 if self.content.isHidden() else self.width_at(whole_px)


class _Handle(QSplitterHandle):
    """A click hides or shows the panel, a drag resizes it; so do Space and the arrow keys."""

    def __init__(self, panels: Panels) -> None:
        super().__init__(Qt.Orientation.Horizontal, panels)
        self._panels = panels
        self._pressed_x: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_x = round(event.globalPosition().x())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if self._pressed_x == round(event.globalPosition().x()):
            self._panels.toggle(self._side)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self.moveSplitter(self.x() - _KEY_STEP_PX)
            case Qt.Key.Key_Right:
                self.moveSplitter(self.x() + _KEY_STEP_PX)
            case Qt.Key.Key_Space | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._panels.toggle(self._side)
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = Theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        grip = QRectF(0, 0, _GRIP.width(), _GRIP.height())
        grip.moveCenter(QRectF(self.rect()).center())
        painter.setPen(theme.accent if self.hasFocus() else theme.outline)
        painter.setBrush(theme.card)
        painter.drawRoundedRect(grip.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setPen(theme.text if self.underMouse() or self.hasFocus() else theme.muted)
        painter.setFont(glyph_font(_GRIP.width() + 2))
        points_left = self._panels.is_open(self._side) is (self._side == "left")
        painter.drawText(grip, Qt.AlignmentFlag.AlignCenter, glyph("chevron_left" if points_left else "chevron_right"))

    @property
    def _side(self) -> SideName:
        return self._panels.side_of(self)
