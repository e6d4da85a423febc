"""The box of a touched element, drawn on the step's picture or written as four numbers."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QGridLayout, QSpinBox, QWidget

from odyssey_recorder.dataset.amendment import NewBox
from odyssey_recorder.gui.keyboard import offer_focus
from odyssey_recorder.gui.parts import labelled, named
from odyssey_recorder.gui.review.amend_forms import AmendForm
from odyssey_recorder.gui.review.box_canvas import BoxCanvas
from odyssey_recorder.gui.review.shown_step import ElementBox
from odyssey_recorder.model.action import Click, LongPress
from odyssey_recorder.model.geometry import Box, Size, to_pixel

_EDGES = ("left", "top", "right", "bottom")
_LABELS = ("&Left", "&Top", "Ri&ght", "&Bottom")
_SUGGESTED = 12
"""Where no box is known, the drawing begins with one that reaches this part of the picture's shorter side to each
side."""


class BoxForm(AmendForm):
    """Begins with the box that is known, or else with one around the place that was touched."""

    def __init__(self, number: int, action: Click | LongPress, element: ElementBox | None) -> None:
        super().__init__()
        self._number = number
        self._action = action
        self._element = element
        self._size: Size | None = None
        self._before = Box(0, 0, 0, 0)
        self._canvas = BoxCanvas(action)
        self._canvas.drawn.connect(self._show)
        self._fields = {edge: named(QSpinBox(), f"{edge.capitalize()} edge of the box") for edge in _EDGES}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        for place, (field, words) in enumerate(zip(self._fields.values(), _LABELS, strict=True)):
            field.setToolTip(f"{field.accessibleName()}, in pixels (arrow up and down)")
            field.setAlignment(Qt.AlignmentFlag.AlignCenter)
            field.setEnabled(False)
            field.valueChanged.connect(self._take_fields)
            grid.addLayout(labelled(words, field), place // 2, place % 2)

    def show_picture(self, picture: QImage) -> None:
        """Let the box be drawn on the step's picture."""
        self._size = Size(picture.width(), picture.height())
        for edge, field in self._fields.items():
            field.setRange(0, self._size.width if edge in ("left", "right") else self._size.height)
            field.setEnabled(True)
        self._before = _known(self._element, self._size) or _suggested(self._action, self._size)
        self._canvas.show_picture(picture)
        self._show(self._before)
        offer_focus(self._canvas)

    def show_problem(self, error: Exception) -> None:
        """Say why there is no picture to draw on."""
        self._canvas.show_problem(f"{error} No box can be drawn on it.")

    @property
    def picture_size(self) -> Size | None:
        """The size of the picture; None before it is there."""
        return self._size

    @property
    def canvas(self) -> BoxCanvas:
        """Where it is drawn."""
        return self._canvas

    @property
    def amendment(self) -> NewBox | None:
        left, top, right, bottom = (self._fields[edge].value() for edge in _EDGES)
        return None if self._size is None else NewBox(step=self._number, box=(left, top, right, bottom))

    @property
    def is_changed(self) -> bool:
        return self._size is not None and self._box != self._before

    @property
    def follows(self) -> str:
        if self._size is None:
            return ""
        box = self._box
        share = 100 * box.area / (self._size.width * self._size.height)
        size = f"{box.right - box.left} x {box.bottom - box.top} pixels, {share:.1f} % of the screen."
        return size if self._element is not None else f"No box is known yet: draw it around the element. {size}"

    @property
    def beside(self) -> QWidget:
        return self._canvas

    @property
    def _box(self) -> Box:
        return Box(*(self._fields[edge].value() for edge in _EDGES))

    def _show(self, box: Box) -> None:
        for edge, field in self._fields.items():
            with QSignalBlocker(field):
                field.setValue(getattr(box, edge))
        self._canvas.show_box(box)
        self.changed.emit()

    def _take_fields(self) -> None:
        self._canvas.show_box(self._box)
        self.changed.emit()


def _known(element: ElementBox | None, size: Size) -> Box | None:
    """The box that is known, in pixels of the picture."""
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
