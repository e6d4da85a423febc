"""The large view of an episode's steps, in which a person draws what exports black out; the dataset keeps it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from odyssey_recorder.curation.redaction import (
    FoundTexts,
    Redaction,
    drawn_boxes,
    read_redaction,
    remove_boxes,
    write_redaction,
)
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.parts import breakable, line_edit, push_button, row, say, text_label
from odyssey_recorder.gui.screen.box_canvas import BoxCanvas
from odyssey_recorder.gui.screen.image_reader import read_image
from odyssey_recorder.gui.screen.step_strip import MarkedScreenshot, StepModel
from odyssey_recorder.gui.screen.step_viewer import StepViewer
from odyssey_recorder.model.geometry import Box
from odyssey_recorder.model.plain_text import step_number

_T = TypeVar("_T")

_SHARE = 0.9
"""Of the window, both ways."""


class RedactingViewer(StepViewer):
    """Covers the redacted boxes, and adds or removes them."""

    def __init__(  # noqa: PLR0913 - what is shown, where it is stored, and by whom
        self,
        background: Background,
        model: StepModel,
        screenshots: Sequence[MarkedScreenshot],
        at: int,
        parent: QWidget,
        *,
        files: EpisodeFiles,
        who: Callable[[], str],
    ) -> None:
        assert files.dataset is not None
        self._root = files.dataset
        self._episode_id = files.episode_id
        self._who = who
        self._background = background
        self._redaction: Redaction | None = None
        tip = "Draw a box that exports black out; the dataset keeps the screenshot"
        self._draw = push_button("Redact…", tip, call=self._ask)
        self._remove = push_button("Remove boxes", "Show this screenshot in exports as it is", call=self._remove_boxes)
        self._status = text_label(kind="warning")
        super().__init__(background, model, screenshots, at, parent, self._status, self._draw, self._remove)
        self._status.hide()
        self.turned.connect(lambda _number: self._offer())
        self._offer()
        self._read()

    def _read(self) -> None:
        self._run(partial(read_redaction, self._root, self._episode_id), self._take)

    def _take(self, found: Redaction | None) -> None:
        self._redaction = found
        boxes = () if found is None else found.boxes
        self.cover({step: [Box(*box.box) for box in boxes if box.step == step] for step in {box.step for box in boxes}})
        self._offer()

    def _offer(self) -> None:
        hidden = [] if self._redaction is None else [box for box in self._redaction.boxes if box.step == self.present]
        self._remove.setVisible(bool(hidden))
        say(self._status, "Blacked out in exports" if hidden else "")

    def _ask(self) -> None:
        dialog = RedactDialog(self.present, self)
        dialog.box_drawn.connect(partial(self._write, self.present))
        dialog.open()
        read = partial(read_image, self.path)
        self._background.run(read, lambda found: dialog.show_screenshot(found[0]), dialog.show_problem, of=dialog)

    def _write(self, step: int, box: Box, why: str) -> None:
        root, episode_id, steps, who = self._root, self._episode_id, self.count, self._who()

        def write() -> None:
            sides = box.left, box.top, box.right, box.bottom
            found = FoundTexts(tuple(drawn_boxes(root, episode_id, sides, step=step, steps=steps)))
            write_redaction(root, found.redaction(episode_id, who=who, why=why))

        self._run(write, lambda _: self._read())

    def _remove_boxes(self) -> None:
        self._run(partial(remove_boxes, self._root, self._episode_id, self.present), lambda _: self._read())

    def _run(self, call: Callable[[], _T], take: Callable[[_T], object]) -> None:
        self._background.run(call, take, self._fail, of=self)

    def _fail(self, error: Exception) -> None:
        say(self._status, breakable(error_text(error)))


class RedactDialog(Dialog):
    box_drawn = Signal(object, str)
    """A Box in pixels of the screenshot, and why."""

    def __init__(self, step: int, parent: QWidget) -> None:
        super().__init__(f"Redact step {step_number(step)}", parent)
        self._box: Box | None = None
        self._canvas = BoxCanvas(None)
        self._canvas.drawn.connect(self._take)
        self._why = line_edit("Reason", "Why it is hidden, such as: a name")
        hint = "Draw a box around what to hide in exports. Other steps with the same screenshot get the box too."
        self._ok = push_button("Redact", "Black this box out in exports (Enter)", "primary", self.accept)
        cancel = push_button("Cancel", "Change nothing (Esc)", call=self.reject)
        self._ok.setEnabled(False)
        text = text_label(hint, "hint")
        self.fill(text, self._canvas, self._why, row(None, cancel, self._ok), stretch=self._canvas)
        self.resize(parent.size() * _SHARE)
        self._canvas.setFocus()
        self.accepted.connect(lambda: self.box_drawn.emit(self._box, self._why.text().strip()))

    def show_screenshot(self, screenshot: QImage) -> None:
        """With a first box in the middle, for those who move it by keys."""
        self._canvas.show_screenshot(screenshot)
        width, height = screenshot.width(), screenshot.height()
        self._canvas.show_box(Box(width // 3, height * 9 // 20, width * 2 // 3, height * 11 // 20))

    def show_problem(self, error: Exception) -> None:
        self._canvas.show_problem(f"{error_text(error)} You can't draw a box on it.")

    def _take(self, box: Box) -> None:
        self._box = box
        self._ok.setEnabled(True)
