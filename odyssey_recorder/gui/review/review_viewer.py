"""The viewer: filmstrip, large view with its tools, and the texts of a step."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isclose

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QScrollArea, QWidget

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.layouts import pile
from odyssey_recorder.gui.kit.parts import breakable, fill_column, named, row, say, selectable, text_label
from odyssey_recorder.gui.kit.table import TableColumn
from odyssey_recorder.gui.review.before_after import BeforeAfterView, changes
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.screenshot_loader import THUMBNAIL, ScreenshotLoader
from odyssey_recorder.gui.review.shown_step import ShownStep, shown_steps
from odyssey_recorder.gui.screen.step_strip import (
    MarkedScreenshot,
    ReplayVerdict,
    StepModel,
    StepStrip,
    StripStep,
    StripStyle,
    element_of,
    tooltip,
)
from odyssey_recorder.gui.screen.step_viewer import enlarge
from odyssey_recorder.gui.screen.viewport import ZOOMS
from odyssey_recorder.model.action import in_words, place_text
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.review.views import OpenedReview

_WORDS = QSize(176, 88)
"""The width of the texts beside the screenshots, and their height below."""
_NO_LIMIT = 16_777_215
"""Qt's QWIDGETSIZE_MAX."""


class ReviewViewer(QWidget):
    step_changed = Signal(int)

    step_painted = Signal(int)
    """The step's screenshot, or the reason for its absence, is on screen."""

    def __init__(self, background: Background, commands: Commands) -> None:
        super().__init__()
        self._background = background
        self._commands = commands
        self._steps: tuple[ShownStep, ...] = ()
        self._size = Size(1, 2)
        self.current_step = 0
        self._seen: set[int] = set()
        self._loader = ScreenshotLoader(background, self)
        self._model = StepModel(TableColumn("", lambda step: step.text, spoken=_spoken, tip=tooltip))
        self._strip = StepStrip("Steps", self._model, StripStyle(THUMBNAIL, is_centred=True))
        self.home = self._strip
        self._view = BeforeAfterView(self._loader)
        self._words = _StepText()
        self._layout = _TextBeside(self._arrange)
        self._scale = named(text_label(kind="hint"), "Zoom")
        self._scale.setWordWrap(False)
        self._scale.setToolTip("Zoom: screen pixels for each pixel of the screenshot")
        self._lay_out()
        self._connect()
        self._offer()

    # Content.

    def show_review(self, review: OpenedReview, seen: frozenset[int] = frozenset()) -> None:
        steps = shown_steps(review)
        at = self.current_step if _same_episode(steps, self._steps) else 0
        self._steps, self._seen = steps, set(seen)
        self._size = review.opened.episode.device.size
        self._arrange(self._layout.geometry().size())
        self._model.load(map(_strip_step, steps))  # first, so that finished thumbnails show at once
        self._loader.load(steps)
        self._view.load(steps)
        self._background.run(partial(_elements, steps), partial(self._take_elements, steps), lambda _error: None)
        for number in self._seen:
            self._model.change_step(number, is_seen=True)
        if steps:
            self._turn_to(min(at, len(steps) - 1))
        else:
            self.current_step = 0
            self._words.show_none(review.opened.damage)
            self._offer()

    def prepare(self, review: OpenedReview) -> None:
        self._loader.prepare(shown_steps(review))

    def go_to_step(self, number: int) -> None:
        wanted = max(0, min(number, len(self._steps) - 1))
        if self._steps and wanted != self.current_step:
            self._turn_to(wanted)

    @property
    def seen_steps(self) -> frozenset[int]:
        return frozenset(self._seen)

    def show_replay_step(self, number: int, verdict: ReplayVerdict) -> None:
        self._model.change_step(number, verdict=verdict)

    def clear_replay(self) -> None:
        self._model.change([replace(step, verdict="") for step in self._model.rows])

    def _turn_to(self, number: int) -> None:
        self.current_step = number
        self._seen.add(number)
        self._loader.turn_to(number)
        self._view.turn_to(number)
        self._model.change_step(number, is_seen=True)
        self._strip.turn_to(number)
        self._report_step()
        self._seek_changes()
        self._offer()
        self.step_changed.emit(number)

    # Differences.

    def _seek_changes(self) -> None:
        self._view.show_changes(None)
        self._words.show_changes("")
        before, after = self._loader.screenshot(self.current_step), self._loader.screenshot(self.current_step + 1)
        is_wanted = self._commands[ReviewCommand.SHOW_CHANGES].isChecked()
        if not is_wanted or before is None or after is None or before.problem or after.problem:
            return
        if before.size != after.size:
            self._words.show_changes(f"The screenshot after the step has a different size: {after.size}.")
            return
        self._background.run(
            partial(changes, before.image, after.image),
            partial(self._take_changes, self._steps, self.current_step),
            lambda _error: None,
        )

    def _take_changes(self, steps: tuple[ShownStep, ...], number: int, found: tuple[Box, ...]) -> None:
        is_wanted = self._commands[ReviewCommand.SHOW_CHANGES].isChecked()
        if steps is self._steps and number == self.current_step and is_wanted:
            self._view.show_changes(found)
            self._words.show_changes(_changes(found))

    def _take_elements(self, steps: tuple[ShownStep, ...], elements: Sequence[str]) -> None:
        if steps is not self._steps:
            return
        for step, element in zip(steps, elements, strict=True):
            if element:
                self._model.change_step(step.number, text=in_words(step.action, element))
        if steps:
            self._report_step()

    def _report_step(self) -> None:
        self._words.show_step(self._steps[self.current_step], self._model.rows[self.current_step], len(self._steps))

    def _enlarge(self, at: int) -> None:
        screenshots = [
            MarkedScreenshot(
                step.screenshot, step.action, *((step.element.box, step.element.size) if step.element else ())
            )
            for step in self._steps
        ]
        enlarge(self._background, self._model, screenshots, at, self._strip)

    def _take_screenshot(self, number: int) -> None:
        if number in (self.current_step, self.current_step + 1):
            self._seek_changes()

    # Commands.

    def _offer(self) -> None:
        last = len(self._steps) - 1
        enable = self._commands.enable
        enable(ReviewCommand.PREVIOUS_STEP, ReviewCommand.FIRST_STEP, on=self.current_step > 0)
        enable(ReviewCommand.NEXT_STEP, ReviewCommand.LAST_STEP, on=self.current_step < last)
        enable(ReviewCommand.BEFORE_AFTER, ReviewCommand.SHOW_CHANGES, on=last >= 0)

    def _show_scale(self) -> None:
        viewport, enable = self._view.viewport, self._commands.enable
        scale = viewport.actual_scale
        self._scale.setText("" if scale is None else f"{scale * 100:.0f}%")
        enable(ReviewCommand.REVIEW_FIT, on=scale is not None and viewport.scale is not None)
        enable(ReviewCommand.REVIEW_PIXELS, on=scale is not None and viewport.scale != 1.0)
        enable(
            ReviewCommand.REVIEW_LARGER, on=scale is not None and scale < ZOOMS[-1] and not isclose(scale, ZOOMS[-1])
        )
        enable(ReviewCommand.REVIEW_SMALLER, on=scale is not None and scale > ZOOMS[0] and not isclose(scale, ZOOMS[0]))

    def _arrange(self, room: QSize) -> None:
        """Put the texts beside or below the screenshots, whichever leaves these larger."""
        count = 2 if self._commands[ReviewCommand.BEFORE_AFTER].isChecked() else 1
        below = _scale(self._size, count, room - QSize(0, _WORDS.height()))
        is_beside = _scale(self._size, count, room - QSize(_WORDS.width(), 0)) >= below
        self._layout.setDirection(QBoxLayout.Direction.LeftToRight if is_beside else QBoxLayout.Direction.TopToBottom)
        self._words.stand(beside=is_beside)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self._steps and not event.isAutoRepeat():
            self._enlarge(self.current_step)
        else:
            super().keyPressEvent(event)

    def _connect(self) -> None:
        viewport = self._view.viewport
        calls = {
            ReviewCommand.PREVIOUS_STEP: lambda: self.go_to_step(self.current_step - 1),
            ReviewCommand.NEXT_STEP: lambda: self.go_to_step(self.current_step + 1),
            ReviewCommand.FIRST_STEP: lambda: self.go_to_step(0),
            ReviewCommand.LAST_STEP: lambda: self.go_to_step(len(self._steps) - 1),
            ReviewCommand.REVIEW_FIT: viewport.show_whole,
            ReviewCommand.REVIEW_PIXELS: lambda: viewport.show_scale(1.0),
            ReviewCommand.REVIEW_LARGER: lambda: viewport.step(larger=True),
            ReviewCommand.REVIEW_SMALLER: lambda: viewport.step(larger=False),
        }
        self._commands.bind(self, calls)
        double, differing = self._commands[ReviewCommand.BEFORE_AFTER], self._commands[ReviewCommand.SHOW_CHANGES]
        double.setChecked(True)
        double.toggled.connect(self._view.set_double)
        double.toggled.connect(lambda _on: self._arrange(self._layout.geometry().size()))
        differing.toggled.connect(self._seek_changes)
        self._commands.belong_to(self, ReviewCommand.BEFORE_AFTER, ReviewCommand.SHOW_CHANGES)
        self._strip.step_chosen.connect(self.go_to_step)
        self._strip.step_opened.connect(self._enlarge)
        self._view.painted.connect(self.step_painted)
        self._loader.screenshot_loaded.connect(self._take_screenshot)
        self._loader.thumbnail_loaded.connect(lambda number, image: self._model.change_step(number, image=image))
        viewport.changed.connect(self._show_scale)
        self._show_scale()

    def _lay_out(self) -> None:
        buttons = partial(self._commands.buttons, kind="quiet", wordless=True)
        steps = buttons(
            ReviewCommand.FIRST_STEP, ReviewCommand.PREVIOUS_STEP, ReviewCommand.NEXT_STEP, ReviewCommand.LAST_STEP
        )
        looks = buttons(
            ReviewCommand.BEFORE_AFTER,
            ReviewCommand.SHOW_CHANGES,
            ReviewCommand.REVIEW_FIT,
            ReviewCommand.REVIEW_PIXELS,
        )
        smaller, larger = buttons(ReviewCommand.REVIEW_SMALLER, ReviewCommand.REVIEW_LARGER)
        tools = row(*steps, None, *looks, smaller, self._scale, larger, spacing=2)
        self._strip.fit_height()
        self._layout.setSpacing(8)
        self._layout.addWidget(self._view, 1)
        self._layout.addWidget(self._words)
        fill_column(self, self._strip, tools, (self._layout, 1), spacing=6)


class _TextBeside(QBoxLayout):
    """Lays out screenshots and texts; calls `arrange` before it uses a new size."""

    def __init__(self, arrange: Callable[[QSize], object]) -> None:
        super().__init__(QBoxLayout.Direction.LeftToRight)
        self._arrange = arrange

    def setGeometry(self, room: QRect) -> None:
        self._arrange(room.size())
        super().setGeometry(room)


class _StepText(QScrollArea):
    """The texts of the shown step, in a fixed size so that the screenshot does not jump."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Step details")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._step = selectable("title")
        self._note = selectable()
        self._flags = selectable("warning")
        self._changes = selectable("hint")
        self._place = selectable("hint")
        self._proof = selectable("hint")
        self._texts = selectable("hint")
        parts = (self._step, self._note, self._flags, self._changes, self._place, self._proof, self._texts)
        self.setWidget(pile(*parts, spacing=2))

    def stand(self, *, beside: bool) -> None:
        self.setMinimumSize(_WORDS.width() if beside else 0, 0 if beside else _WORDS.height())
        self.setMaximumSize(_WORDS.width() if beside else _NO_LIMIT, _NO_LIMIT if beside else _WORDS.height())

    def show_step(self, step: ShownStep, shown: StripStep, count: int) -> None:
        self._step.setText(f"{shown.title} of {count} · {shown.text}")
        say(self._note, f"Note: {step.note}" if step.note else "")
        say(self._flags, f"Flagged: {', '.join(step.flags)}" if step.flags else "")
        say(self._place, breakable(" · ".join(filter(None, (shown.place, step.place)))))
        say(self._proof, step.proof)
        say(self._texts, breakable(step.texts))
        self.verticalScrollBar().setValue(0)

    def show_none(self, why: str) -> None:
        self._step.setText("No step to show")
        say(self._flags, breakable(why))
        for label in (self._note, self._changes, self._place, self._proof, self._texts):
            say(label, "")

    def show_changes(self, text: str) -> None:
        say(self._changes, text)


def _strip_step(step: ShownStep) -> StripStep:
    return StripStep(
        step.number,
        in_words(step.action),
        place=place_text(step.action),
        note=", ".join(filter(None, (*step.flags, step.note))),
        findings=tuple(f"{finding.severity.value} {finding.check}" for finding in step.findings),
        severity=min((finding.severity for finding in step.findings), key=list(Severity).index, default=None),
        is_seen=False,
    )


def _elements(steps: Sequence[ShownStep]) -> list[str]:
    """The touched element of each step, empty if unknown; reads files."""
    return [element_of(step.action, step.tree, step.screen) for step in steps]


def _spoken(step: StripStep) -> str:
    broken = "no screenshot" if isinstance(step.image, QImage) and step.image.isNull() else ""
    replayed = step.verdict and f"replay: {step.verdict}"
    seen = "" if step.is_seen else "not seen yet"
    return f"{step.title}: " + ", ".join(filter(None, (step.text, broken, *step.findings, replayed, step.note, seen)))


def _scale(screenshot: Size, count: int, room: QSize) -> float:
    return min(room.width() / count / screenshot.width, room.height() / screenshot.height)


def _changes(found: tuple[Box, ...]) -> str:
    has = f"has {counted(found, 'differences')}" if found else "is identical"
    return f"The screenshot after the step {has}."


def _same_episode(one: tuple[ShownStep, ...], other: tuple[ShownStep, ...]) -> bool:
    return bool(one) and bool(other) and one[0].screenshot == other[0].screenshot
