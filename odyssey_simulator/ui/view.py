"""Views: immutable values that lay themselves out as boxes, paint them, and describe themselves for accessibility."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from odyssey_simulator.ui.draw import Canvas
from odyssey_simulator.ui.geometry import Rect
from odyssey_simulator.ui.theme import AppTheme

Action = Callable[[], None]
UNBOUNDED = 1_000_000
NOWHERE = Rect(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Limits:
    """In pixels, both inclusive."""

    max_width: int
    max_height: int
    min_width: int = 0
    min_height: int = 0

    def width(self, query: int) -> int:
        return max(self.min_width, min(query, self.max_width))

    def height(self, query: int) -> int:
        return max(self.min_height, min(query, self.max_height))

    def loose(self) -> "Limits":
        return Limits(self.max_width, self.max_height)

    def inset(self, across: int, down: int) -> "Limits":
        return Limits(
            max(0, self.max_width - across),
            max(0, self.max_height - down),
            max(0, self.min_width - across),
            max(0, self.min_height - down),
        )


@dataclass(slots=True)
class Selection:
    """`anchor` is the other end of the selection."""

    field: str
    cursor: int = 0
    anchor: int = 0

    @property
    def span(self) -> tuple[int, int]:
        return min(self.cursor, self.anchor), max(self.cursor, self.anchor)


@dataclass(slots=True)
class Memory:
    scroll: dict[str, int] = field(default_factory=dict)
    focus: Selection | None = None


@dataclass(frozen=True, slots=True)
class Look:
    theme: AppTheme
    density: int
    width_dp: int
    height_dp: int
    memory: Memory = field(default_factory=Memory)
    font_scale: float = 1.0

    @property
    def wide(self) -> bool:
        return self.width_dp >= 600

    def px(self, dp: float) -> int:
        return round(dp * self.density / 160)

    def text_px(self, sp: float) -> int:
        return round(sp * self.font_scale * self.density / 160)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """One element of a screen, with the fields common to all views.

    `flex` is its share of the remaining space in a row or column. `desc` and `id` are uiautomator's content-desc and
    resource-id. A view with `on_tap` or `on_long_press` can be touched; `on_swipe` is called with "up", "down", "left"
    or "right" when a finger swipes across it and nothing scrolls in that direction.
    """

    flex: float = 0
    desc: str = ""
    id: str = ""
    on_tap: Action | None = None
    on_long_press: Action | None = None
    on_swipe: Callable[[str], None] | None = None
    enabled: bool = True
    selected: bool = False

    @property
    def class_name(self) -> str:
        return "android.view.View" if self.on_tap else "android.view.ViewGroup"

    @property
    def solid(self) -> bool:
        return True

    def layout(self, look: Look, limits: Limits) -> "ViewBox":
        return ViewBox(self, look, limits.width(0), limits.height(0))

    def paint(self, box: "ViewBox", canvas: Canvas) -> None:
        """Draw this view itself at `box.rect`, below its children."""

    @property
    def words(self) -> str:
        return ""


@dataclass(slots=True, eq=False)
class ViewBox:
    """Placed boxes have a rectangle on the screen and its visible part."""

    view: View
    look: Look
    width: int
    height: int
    children: list["ViewBox"] = field(default_factory=list)
    x: int = 0
    y: int = 0
    clips: bool = False
    lines: tuple[tuple[int, int], ...] = ()
    rect: Rect = NOWHERE
    visible: Rect = NOWHERE

    def at(self, x: int, y: int) -> "ViewBox":
        self.x, self.y = x, y
        return self

    def place(self, left: int, top: int, clip: Rect) -> None:
        """(left, top) is the parent's corner."""
        left, top = left + self.x, top + self.y
        self.rect = Rect(left, top, left + self.width, top + self.height)
        self.visible = self.rect.intersection(clip)
        inner = self.visible if self.clips else clip
        for child in self.children:
            child.place(left, top, inner)

    def paint(self, canvas: Canvas) -> None:
        outer = canvas.clip
        if not self.visible.is_empty:
            self.view.paint(self, canvas)
        if self.clips:
            canvas.clip = outer.intersection(self.visible)
        if not canvas.clip.is_empty:
            for child in self.children:
                child.paint(canvas)
        canvas.clip = outer

    def walk(self) -> Iterator["ViewBox"]:
        left = [self]
        while left:
            box = left.pop()
            yield box
            left.extend(reversed(box.children))

    def under(self, x: float, y: float) -> list["ViewBox"]:
        if self.clips and not self.visible.contains(x, y):
            return []
        for child in reversed(self.children):
            path = child.under(x, y)
            if path:
                return [*path, self]
        return [self] if self.view.solid and self.visible.contains(x, y) else []
