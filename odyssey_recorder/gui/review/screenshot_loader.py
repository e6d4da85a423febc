"""Decodes an episode's screenshots ahead of the reviewer, within a memory limit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.review.shown_step import ShownStep
from odyssey_recorder.gui.screen.action_painter import prepare_other_threads
from odyssey_recorder.gui.screen.canvas import VisiblePart, scaled_part, visible_part
from odyssey_recorder.gui.screen.image_reader import read_image
from odyssey_recorder.gui.screen.step_strip import SHARPNESS, draw_step
from odyssey_recorder.gui.screen.viewport import FitScale, Room, ViewZoom
from odyssey_recorder.model.geometry import Size

THUMBNAIL = QSize(124, 118)
"""The size of a thumbnail in device-independent pixels."""

_KEPT_BYTES = 320 * 1024 * 1024
"""The memory limit for decoded screenshots: fifteen of 2560x1600 take 235 MiB."""
_AHEAD, _BEHIND = 3, 1
"""Steps after and before the current one that are decoded despite the memory limit."""
_OPENING = 2
"""Screenshots of the next episode decoded in advance: those before and after its first step."""
_AT_A_TIME = 2
_REST_MS = 60


@dataclass(frozen=True, slots=True)
class ScreenshotZoom:
    """How screenshots are viewed: zoom, the widget's space and the screen's pixel ratio."""

    zoom: ViewZoom
    space: QRectF
    ratio: float

    def fit(self, size: Size) -> FitScale:
        return self.zoom.fit(Room(size, self.space, self.ratio))

    def part(self, size: Size) -> VisiblePart:
        return visible_part(self.fit(size), self.space, self.ratio)


@dataclass(frozen=True, slots=True)
class StepScreenshot:
    """A decoded screenshot in RGB32; if it cannot be read, `image` is null and `problem` says why.

    `shown` is the part visible with `look`, at its displayed size.
    """

    image: QImage
    problem: str = ""
    look: ScreenshotZoom | None = None
    shown: QImage | None = None

    @property
    def size(self) -> Size:
        return Size(self.image.width(), self.image.height())

    def cut(self, part: VisiblePart, look: ScreenshotZoom) -> QImage | None:
        """`part` at its displayed size; None if it was not made for this look."""
        if self.look is None or self.look.ratio != look.ratio or not same_cut(self.look.part(self.size), part):
            return None
        return self.shown


_Developed = tuple[StepScreenshot, QImage]


class ScreenshotLoader(QObject):
    """Decodes off the GUI thread: the current step, its neighbours, all thumbnails, then the start of the next
    episode.

    Results for an episode no longer shown are dropped. The current screenshot waits for no other.
    """

    screenshot_loaded = Signal(int)
    """The step's screenshot, or the reason for its absence, is available."""

    thumbnail_loaded = Signal(int, QImage)

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        prepare_other_threads()
        self._background = background
        self._steps: tuple[ShownStep, ...] = ()
        self._current = 0
        self._look: ScreenshotZoom | None = None
        self._screenshots: dict[int, StepScreenshot] = {}
        self._drawn: set[int] = set()
        self._decoding: set[int] = set()
        self._next: tuple[ShownStep, ...] = ()
        self._opening: dict[int, _Developed] = {}  # decoded steps of the next episode
        self._being_prepared: set[int] = set()
        self._rest = QTimer(self, interval=_REST_MS, singleShot=True)
        self._rest.timeout.connect(self._go_on)

    def load(self, steps: Sequence[ShownStep]) -> None:
        self._screenshots, self._drawn, self._decoding = {}, set(), set()
        if tuple(steps) == self._next:
            self._take_prepared()
        else:
            self._steps = tuple(steps)
        self.turn_to(0)

    def prepare(self, steps: Sequence[ShownStep]) -> None:
        """Decode the start of the next episode once nothing is needed for the current one."""
        if tuple(steps) != self._next:
            self._next, self._opening, self._being_prepared = tuple(steps), {}, set()
            self._rest.start()

    @property
    def prepared(self) -> frozenset[int]:
        """Steps of the next episode that are decoded."""
        return frozenset(self._opening)

    def turn_to(self, number: int) -> None:
        """Make `number` the current step; if it can be painted at once, decoding waits for that."""
        self._current = number
        self._release()
        if any(step < len(self._steps) and step not in self._screenshots for step in (number, number + 1)):
            self._go_on()
        elif not self._rest.isActive():
            self._rest.start()

    def look(self, look: ScreenshotZoom) -> None:
        """Change the view; neighbours are prepared once it stays the same for a moment."""
        self._look = look
        self._rest.start()

    def screenshot(self, number: int) -> StepScreenshot | None:
        """None until decoded."""
        return self._screenshots.get(number)

    def _go_on(self) -> None:
        for number in self._wanted():
            if len(self._decoding) >= self._at_a_time(number):
                return
            self._decoding.add(number)
            self._begin(self._steps, number, self._screenshots.get(number))
        waiting = (step for step in range(min(_OPENING, len(self._next))) if step not in self._opening)
        if not self._decoding and not self._being_prepared and (following := next(waiting, None)) is not None:
            self._being_prepared.add(following)
            self._begin(self._next, following, None)

    def _begin(self, steps: tuple[ShownStep, ...], number: int, before: StepScreenshot | None) -> None:
        self._background.run(
            partial(_develop, steps[number], before, self._look),
            partial(self._take, steps, number),
            partial(self._fail, steps, number),
        )

    def _take_prepared(self) -> None:
        ready = {number: made for number, made in self._opening.items() if not made[0].problem}
        self._steps, self._decoding = self._next, self._being_prepared
        self._next, self._opening, self._being_prepared = (), {}, set()
        for number, (screenshot, thumbnail) in ready.items():
            self._screenshots[number] = screenshot
            self._drawn.add(number)
            self.thumbnail_loaded.emit(number, thumbnail)

    def _at_a_time(self, number: int) -> int:
        """The number of concurrent decodes; distant steps leave a processor to the window."""
        if number == self._current:
            return _AT_A_TIME + 1
        return _AT_A_TIME if number in self._near() else 1

    def _wanted(self) -> Iterator[int]:
        """Steps with work to do, the most urgent first."""
        near = set(self._near())
        for number in sorted(range(len(self._steps)), key=self._distance):
            if number in self._decoding:
                continue
            screenshot = self._screenshots.get(number)
            if screenshot is None:
                if number in near or number not in self._drawn:
                    yield number
            elif number in near and not screenshot.problem and screenshot.look != self._look:
                yield number

    def _near(self) -> range:
        return range(max(0, self._current - _BEHIND), min(len(self._steps), self._current + _AHEAD + 1))

    def _distance(self, number: int) -> float:
        """The priority of a step; lower is sooner, and steps ahead come before those behind."""
        off = number - self._current
        return off if off >= 0 else 2.5 - off

    def _take(self, steps: tuple[ShownStep, ...], number: int, made: _Developed) -> None:
        if steps is self._next:
            self._being_prepared.discard(number)
            self._opening[number] = made
            self._release()
            self._go_on()
        if steps is not self._steps:
            return
        screenshot, thumbnail = made
        is_new = number not in self._screenshots
        self._decoding.discard(number)
        self._screenshots[number] = screenshot
        if number not in self._drawn:
            self._drawn.add(number)
            self.thumbnail_loaded.emit(number, thumbnail)
        self._release()
        self._go_on()
        if is_new:
            self.screenshot_loaded.emit(number)

    def _fail(self, steps: tuple[ShownStep, ...], number: int, error: Exception) -> None:
        self._take(steps, number, (StepScreenshot(QImage(), f"{steps[number].screenshot.name}: {error}"), QImage()))

    def _release(self) -> None:
        """Drop the most distant screenshots until `_KEPT_BYTES` is met."""
        near = self._near()
        prepared = (screenshot for screenshot, _ in self._opening.values())
        held = sum(screenshot.image.sizeInBytes() for screenshot in (*self._screenshots.values(), *prepared))
        for number in sorted(self._screenshots, key=self._distance, reverse=True):
            if held <= _KEPT_BYTES or number in near:
                return
            held -= self._screenshots.pop(number).image.sizeInBytes()


def same_cut(one: VisiblePart, other: VisiblePart) -> bool:
    """Whether two cuts have the same pixels, wherever they are painted."""
    return one.source == other.source and one.target.size() == other.target.size()


def _develop(step: ShownStep, before: StepScreenshot | None, look: ScreenshotZoom | None) -> _Developed:
    """Decode a screenshot and cut the part that `look` shows; makes a thumbnail only if not decoded `before`."""
    screenshot = before or decode(step.screenshot)
    if screenshot.image.isNull():
        return screenshot, QImage()
    if look is not None:
        shown = scaled_part(screenshot.image, look.part(screenshot.size))
        shown.setDevicePixelRatio(look.ratio)
        screenshot = replace(screenshot, look=look, shown=shown)
    return screenshot, QImage() if before else _thumbnail(step, screenshot.image)


def decode(path: Path) -> StepScreenshot:
    try:
        image, _ = read_image(path)
    except DatasetError as error:
        return StepScreenshot(QImage(), str(error))
    return StepScreenshot(image.convertToFormat(QImage.Format.Format_RGB32))


def _thumbnail(step: ShownStep, image: QImage) -> QImage:
    small = image.scaled(
        THUMBNAIL * SHARPNESS, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    box, size = (None, Size(1, 1)) if step.element is None else (step.element.box, step.element.size)
    draw_step(small, step.action, box, size)
    return small
