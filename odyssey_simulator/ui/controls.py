"""Views with content of their own: text, icons, images, switches, check marks, text fields, progress bars."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from PIL import Image

from odyssey_simulator.ui import text as letters
from odyssey_simulator.ui.draw import Canvas
from odyssey_simulator.ui.geometry import Rect
from odyssey_simulator.ui.theme import mixed
from odyssey_simulator.ui.view import Action, Limits, Look, View, ViewBox

Painter = Callable[[int, int], Image.Image]


@dataclass(frozen=True, slots=True, eq=False)
class Text(View):
    """`size` in dp, `weight` 300, 400, 500 or 700. Cut with an ellipsis after `lines` lines."""

    text: str
    size: float = 14
    weight: int = 400
    color: str = "on_surface"
    lines: int | None = None
    align: Literal["start", "center", "end"] = "start"
    strike: bool = False

    @property
    def class_name(self) -> str:
        return "android.widget.TextView"

    @property
    def words(self) -> str:
        return self.text

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        font = look.text_px(self.size), self.weight
        lines = letters.broken_lines(self.text, max(1, limits.max_width), *font)[: self.lines]
        widest = max(letters.text_width(self.text[start:end].rstrip(), *font) for start, end in lines)
        height = len(lines) * letters.line_height(font[0])
        return ViewBox(self, look, limits.width(widest + 1), limits.height(height), lines=lines)

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        size_px = box.look.text_px(self.size)
        step = letters.line_height(size_px)
        color = box.look.theme.color(self.color)
        top = box.rect.top + (box.rect.height - step * len(box.lines)) // 2
        for index, (start, end) in enumerate(box.lines):
            line = self.text[start:end].rstrip()
            if index + 1 == len(box.lines) and end < len(self.text):
                line = letters.shortened(self.text[start:].replace("\n", " "), box.rect.width, size_px, self.weight)
            width = letters.text_width(line, size_px, self.weight)
            slack = {"start": 0, "center": (box.rect.width - width) // 2, "end": box.rect.width - width}[self.align]
            left = box.rect.left + slack
            canvas.line(left, top, line, (size_px, self.weight), color)
            if self.strike:
                middle = top + step // 2
                canvas.fill(Rect(left, middle, left + width, middle + max(1, size_px // 14)), color)
            top += step


@dataclass(frozen=True, slots=True, eq=False)
class Icon(View):
    """An icon of the Material Design Icons font by name; `size` in dp."""

    name: str
    size: float = 24
    color: str = "on_surface_variant"

    @property
    def class_name(self) -> str:
        return "android.widget.ImageView"

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        side = look.px(self.size)
        return ViewBox(self, look, limits.width(side), limits.height(side))

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        side = box.look.px(self.size)
        left = box.rect.left + (box.rect.width - side) // 2
        top = box.rect.top + (box.rect.height - side) // 2
        canvas.icon(Rect(left, top, left + side, top + side), self.name, box.look.theme.color(self.color))


@dataclass(frozen=True, slots=True, eq=False)
class Picture(View):
    """`painter(width_px, height_px)` draws it. Without `width` it fills the row; without `height` it keeps `aspect`."""

    painter: Painter
    width: float | None = None
    height: float | None = None
    aspect: float = 1.0
    radius: float = 0

    @property
    def class_name(self) -> str:
        return "android.widget.ImageView"

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        width = limits.max_width if self.width is None else look.px(self.width)
        width = limits.width(width)
        height = round(width / self.aspect) if self.height is None else look.px(self.height)
        return ViewBox(self, look, width, limits.height(height))

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        image = self.painter(box.rect.width, box.rect.height)
        canvas.image(box.rect, image, box.look.px(self.radius))


@dataclass(frozen=True, slots=True, eq=False)
class Divider(View):
    color: str = "outline_variant"
    indent: float = 0

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        return ViewBox(self, look, limits.max_width, max(1, look.px(1)))

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        canvas.fill(box.rect.inset(box.look.px(self.indent), 0, 0, 0), box.look.theme.color(self.color))


@dataclass(frozen=True, slots=True, eq=False)
class Checkable(View):
    checked: bool = False

    _SIZE: ClassVar[tuple[float, float]] = (24.0, 24.0)

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        width, height = self._SIZE
        return ViewBox(self, look, look.px(width), look.px(height))


@dataclass(frozen=True, slots=True, eq=False)
class Toggle(Checkable):
    """A Material switch, 52 by 32 dp."""

    _SIZE: ClassVar[tuple[float, float]] = (52.0, 32.0)

    @property
    def class_name(self) -> str:
        return "android.widget.Switch"

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        theme, px, rect = box.look.theme, box.look.px, box.rect
        colors = ("primary", "primary", "on_primary") if self.checked else ("outline", "surface_high", "outline")
        edge, inside, knob = (theme.color(name) for name in colors)
        if not self.enabled:
            edge, inside, knob = (mixed(color, theme.surface, 0.6) for color in (edge, inside, knob))
        canvas.frame(rect, rect.height // 2, px(2), (edge, inside))
        half = px(12) if self.checked else px(8)
        middle = rect.right - px(16) if self.checked else rect.left + px(16)
        center = rect.center[1]
        canvas.round(Rect(middle - half, center - half, middle + half, center + half), half, knob)


@dataclass(frozen=True, slots=True, eq=False)
class Mark(Checkable):
    _ICONS: ClassVar[tuple[str, str]]
    """Without and with the check."""

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        theme = box.look.theme
        color = theme.primary if self.checked else theme.on_surface_variant
        canvas.icon(box.rect, self._ICONS[self.checked], color)


@dataclass(frozen=True, slots=True, eq=False)
class Checkbox(Mark):
    """A round check box, 24 by 24 dp."""

    _ICONS: ClassVar[tuple[str, str]] = ("circle-outline", "check-circle")

    @property
    def class_name(self) -> str:
        return "android.widget.CheckBox"


@dataclass(frozen=True, slots=True, eq=False)
class Radio(Mark):
    _ICONS: ClassVar[tuple[str, str]] = ("radiobox-blank", "radiobox-marked")

    @property
    def class_name(self) -> str:
        return "android.widget.RadioButton"


@dataclass(frozen=True, slots=True, eq=False)
class Progress(View):
    """`share` is 0..1."""

    share: float
    height: float = 4

    @property
    def class_name(self) -> str:
        return "android.widget.ProgressBar"

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        return ViewBox(self, look, limits.max_width, look.px(self.height))

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        rect, theme = box.rect, box.look.theme
        done = rect.left + round(rect.width * self.share)
        canvas.round(rect, rect.height // 2, theme.secondary_container)
        canvas.round(Rect(rect.left, rect.top, done, rect.bottom), rect.height // 2, theme.primary)


@dataclass(frozen=True, slots=True, eq=False)
class TextField(View):
    """Text that can be edited when focused; `key` identifies it on its page.

    With `read_only` it can only be selected and copied, by a long press.

    It draws only the text: put it into a Surface, or use `widgets.text_box`. `action` is the label and effect of the
    keyboard's Enter key ("done", "search", "go", "send", "next"); in a `multiline` field Enter inserts a new line.
    """

    key: str
    value: str
    on_change: Callable[[str], None]
    hint: str = ""
    size: float = 16
    weight: int = 400
    multiline: bool = False
    password: bool = False
    action: str = "done"
    on_action: Action | None = None
    min_lines: int = 1
    read_only: bool = False
    color: str = "on_surface"

    @property
    def class_name(self) -> str:
        return "android.widget.TextView" if self.read_only else "android.widget.EditText"

    @property
    def shown(self) -> str:
        return "\u2022" * len(self.value) if self.password else self.value

    @property
    def words(self) -> str:
        return self.shown or self.hint

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        size_px = look.text_px(self.size)
        width = limits.max_width if self.multiline else 10**6
        lines = letters.broken_lines(self.shown, max(1, width), size_px, self.weight)
        height = max(self.min_lines, len(lines)) * letters.line_height(size_px)
        return ViewBox(self, look, limits.width(limits.max_width), limits.height(height), lines=lines, clips=True)

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        theme, size_px = box.look.theme, box.look.text_px(self.size)
        outer, canvas.clip = canvas.clip, canvas.clip.intersection(box.visible)
        focus = box.look.memory.focus
        focused = focus if focus is not None and focus.field == self.key else None
        if focused and focused.cursor != focused.anchor:
            for rect in selected_rects(box, *focused.span):
                canvas.fill(rect, mixed(theme.primary_container, theme.primary, 0.15))
        if self.value:
            step, left, top = letters.line_height(size_px), *_origin(box)
            for index, (start, end) in enumerate(box.lines):
                line = self.shown[start:end].rstrip("\n")
                canvas.line(left, top + index * step, line, (size_px, self.weight), theme.color(self.color))
        else:
            canvas.line(*_origin(box), self.hint, (size_px, self.weight), theme.on_surface_variant)
        if focused and focused.cursor == focused.anchor and not self.read_only:
            caret = caret_rect(box, focused.cursor)
            canvas.fill(caret, theme.primary)
        canvas.clip = outer


def _field(box: ViewBox) -> TextField:
    if not isinstance(box.view, TextField):
        raise TypeError(f"{type(box.view).__name__} holds no text to edit.")
    return box.view


def _origin(box: ViewBox) -> tuple[int, int]:
    view, focus = _field(box), box.look.memory.focus
    size_px = box.look.text_px(view.size)
    step = letters.line_height(size_px)
    top = box.rect.top if view.multiline else box.rect.top + (box.rect.height - step) // 2
    if view.multiline or focus is None or focus.field != view.key:
        return box.rect.left, top
    caret = letters.text_width(view.shown[: focus.cursor], size_px, view.weight)
    return box.rect.left - max(0, caret - box.rect.width + box.look.px(3)), top


def _line_of(box: ViewBox, index: int) -> int:
    for number, (start, end) in enumerate(box.lines):
        last = number + 1 == len(box.lines)
        if start <= index and (index < end or last or (index == end and box.lines[number + 1][0] > end)):
            return number
    return len(box.lines) - 1


def caret_rect(box: ViewBox, index: int) -> Rect:
    """Before letter `index` of a placed text field."""
    view = _field(box)
    size_px = box.look.text_px(view.size)
    number = _line_of(box, index)
    start, left, top = box.lines[number][0], *_origin(box)
    x = left + letters.text_width(view.shown[start:index], size_px, view.weight)
    y = top + number * letters.line_height(size_px)
    return Rect(x, y, x + max(2, box.look.px(2)), y + letters.line_height(size_px))


def caret_at(box: ViewBox, x: float, y: float) -> int:
    view = _field(box)
    size_px = box.look.text_px(view.size)
    left, top = _origin(box)
    number = max(0, min(int((y - top) // letters.line_height(size_px)), len(box.lines) - 1))
    start, end = box.lines[number]
    return start + letters.nearest_caret(view.shown[start:end].rstrip("\n"), x - left, size_px, view.weight)


def selected_rects(box: ViewBox, start: int, end: int) -> list[Rect]:
    """One per line, from letter `start` to `end` of a placed text field."""
    view, size_px = _field(box), box.look.text_px(_field(box).size)
    rects = []
    for first, last in box.lines:
        begin, stop = max(first, start), min(last, end)
        if begin < stop:
            caret = caret_rect(box, begin)
            width = letters.text_width(view.shown[begin:stop].rstrip("\n"), size_px, view.weight)
            rects.append(Rect(caret.left, caret.top, caret.left + max(width, 4), caret.bottom))
    return rects
