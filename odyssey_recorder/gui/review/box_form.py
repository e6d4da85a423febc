"""The box of a touched element, as a canvas to draw it on and its four numbers."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QSpinBox

from odyssey_recorder.dataset.amendment import NewBox
from odyssey_recorder.gui.frame.keyboard import offer_focus
from odyssey_recorder.gui.kit.layouts import in_columns, labelled
from odyssey_recorder.gui.kit.parts import named
from odyssey_recorder.gui.review.amend_dialog import AmendForm
from odyssey_recorder.gui.review.shown_step import ShownBox
from odyssey_recorder.gui.screen.box_canvas import BoxCanvas
from odyssey_recorder.model.action import Click, LongPress
from odyssey_recorder.model.geometry import Box, Size, to_pixel

_EDGES = ("left", "top", "right", "bottom")
_LABELS = ("&Left", "&Top", "Ri&ght", "&Bottom")
_SUGGESTED = 12
"""A suggested box reaches 1/12 of the screenshot's shorter side from the touched point in each direction."""


class BoxForm(AmendForm):
    """Starts with the known box, or with one around the touched point."""

    def __init__(self, number: int, action: Click | LongPress, element: ShownBox | None) -> None:
        super().__init__()
        self._number = number
        self._action = action
        self._element = element
        self.screenshot_size: Size | None = None
        self._before = Box(0, 0, 0, 0)
        self.canvas = self.beside = BoxCanvas(action)
        self.canvas.drawn.connect(self._show)
        self._fields = {edge: named(QSpinBox(), f"{edge.capitalize()} edge of the box") for edge in _EDGES}
        for field in self._fields.values():
            field.setToolTip(f"{field.accessibleName()}, in pixels (arrow up and down)")
            field.setAlignment(Qt.AlignmentFlag.AlignCenter)
            field.setEnabled(False)
            field.valueChanged.connect(self._take_fields)
        self.setLayout(in_columns(*map(labelled, _LABELS, self._fields.values())))

    def show_screenshot(self, screenshot: QImage) -> None:
        self.screenshot_size = Size(screenshot.width(), screenshot.height())
        for edge, field in self._fields.items():
            field.setRange(0, self.screenshot_size.width if edge in ("left", "right") else self.screenshot_size.height)
            field.setEnabled(True)
        self._before = _known(self._element, self.screenshot_size) or _suggested(self._action, self.screenshot_size)
        self.canvas.show_screenshot(screenshot)
        self._show(self._before)
        offer_focus(self.canvas)

    def show_problem(self, error: Exception) -> None:
        self.canvas.show_problem(f"{error} You can't draw a box on it.")

    @property
    def amendment(self) -> NewBox | None:
        left, top, right, bottom = (self._fields[edge].value() for edge in _EDGES)
        return None if self.screenshot_size is None else NewBox(step=self._number, box=(left, top, right, bottom))

    @property
    def is_changed(self) -> bool:
        return self.screenshot_size is not None and self._box != self._before

    @property
    def follows(self) -> str:
        if self.screenshot_size is None:
            return ""
        box = self._box
        share = 100 * box.area / (self.screenshot_size.width * self.screenshot_size.height)
        size = f"{box.right - box.left} x {box.bottom - box.top} pixels, {share:.1f}% of the screen."
        return size if self._element is not None else f"No box yet. Draw one around the element. {size}"

    @property
    def _box(self) -> Box:
        return Box(*(self._fields[edge].value() for edge in _EDGES))

    def _show(self, box: Box) -> None:
        for edge, field in self._fields.items():
            with QSignalBlocker(field):
                field.setValue(getattr(box, edge))
        self.canvas.show_box(box)
        self.changed.emit()

    def _take_fields(self) -> None:
        self.canvas.show_box(self._box)
        self.changed.emit()


def _known(element: ShownBox | None, size: Size) -> Box | None:
    """In pixels of the screenshot."""
    if element is None:
        return None
    box, of = element.box, element.size
    return Box(
        box.left * size.width // of.width,
        box.top * size.height // of.height,
        -(-box.right * size.width // of.width),
        -(-box.bottom * size.height // of.height),
    )


def _suggested(action: Click | LongPress, size: Size) -> Box:
    at = to_pixel(action.point, size)
    far = max(1, min(size.width, size.height) // _SUGGESTED)
    return Box(
        max(0, at.x - far), max(0, at.y - far), min(size.width, at.x + far + 1), min(size.height, at.y + far + 1)
    )
