"""Another action that is right at a step too, as a reviewer describes it: its kind, a text, and a box for a press."""

from collections.abc import Sequence

from PySide6.QtGui import QImage

from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import Choice, fill_column, line_edit
from odyssey_recorder.gui.review.amend_dialog import AmendForm
from odyssey_recorder.gui.screen.box_canvas import BoxCanvas
from odyssey_recorder.model.action import Action, in_words_at
from odyssey_recorder.model.geometry import Box, Pixel, Size, to_grid
from odyssey_recorder.review.views import AlsoRight

_PRESSES = ("CLICK", "LONG_PRESS")
_KINDS = (
    ("CLICK", "Click in the box"), ("LONG_PRESS", "Long press in the box"), ("TYPE", "Type the text"),
    *((f"SCROLL: {way}", f"Scroll, with the finger going {way.lower()}") for way in ("UP", "DOWN", "LEFT", "RIGHT")),
    ("PRESS_BACK", "Back"), ("PRESS_HOME", "Home"), ("PRESS_RECENT", "Recent apps"), ("COMPLETE", "Complete"),
    ("IMPOSSIBLE", "Impossible"),
)  # fmt: skip
_REJECTED, _NONE = "rejected", "none"


class AlsoRightForm(AmendForm):
    """`rejected` are an agent's actions that a person corrected at the step."""

    def __init__(self, number: int, rejected: Sequence[Action]) -> None:
        super().__init__("The episode stays as it is. Evaluate can count this action as right, too.")
        self._number = number
        self._screenshot_size: Size | None = None
        self._box = Box(0, 0, 0, 0)
        self._kind, self._text = Choice("Action"), line_edit("Text of the action", "The text to type")
        by_agent = [(_REJECTED, f"The agent's action: {' or '.join(map(in_words_at, rejected))}")] if rejected else []
        self._kind.offer([*by_agent, *_KINDS, (_NONE, "None: take back the accepted actions")])
        self.canvas = self.beside = BoxCanvas(None)
        self.canvas.drawn.connect(self._take_box)
        self._kind.currentIndexChanged.connect(self._take_kind)
        self._text.textChanged.connect(self.changed)
        fill_column(self, labelled("&Action", self._kind), self._text, spacing=12)
        self.setFocusProxy(self._kind)
        self._take_kind()

    def show_screenshot(self, screenshot: QImage) -> None:
        self._screenshot_size = Size(screenshot.width(), screenshot.height())
        self.canvas.show_screenshot(screenshot)
        self.changed.emit()

    def show_problem(self, error: Exception) -> None:
        self.canvas.show_problem(f"{error} You can't draw a box on it.")

    @property
    def follows(self) -> str:
        needs_box = self._kind.value in _PRESSES and not self._box.area
        return "Drag a box around the element in the screenshot." if needs_box else super().follows

    @property
    def amendment(self) -> AlsoRight | None:
        kind = self._kind.value
        if kind in (_REJECTED, _NONE):
            return AlsoRight(self._number, "" if kind == _REJECTED else None)
        if kind == "TYPE":
            return AlsoRight(self._number, f"TYPE: {self._text.text()}") if self._text.text().strip() else None
        if kind not in _PRESSES:
            return AlsoRight(self._number, kind)
        if self._screenshot_size is None or not self._box.area:
            return None
        middle = Pixel((self._box.left + self._box.right) // 2, (self._box.top + self._box.bottom) // 2)
        at = to_grid(middle, self._screenshot_size)
        return AlsoRight(self._number, f"{kind}: ({at.x}, {at.y})")

    def _take_box(self, box: Box) -> None:
        self._box = box
        self.canvas.show_box(box)
        self.changed.emit()

    def _take_kind(self) -> None:
        self._text.setVisible(self._kind.value == "TYPE")
        self.changed.emit()
