"""Views that arrange other views: surfaces, rows, columns, stacks, grids and scrolling lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from odyssey_simulator.ui.draw import Canvas
from odyssey_simulator.ui.view import UNBOUNDED, Limits, Look, View, ViewBox

Pad = float | tuple[float, float] | tuple[float, float, float, float]
Along = Literal["start", "center", "end", "between"]
Across = Literal["start", "center", "end", "stretch"]


def edges(look: Look, pad: Pad) -> tuple[int, int, int, int]:
    """In pixels, of a padding in dp: one number, (horizontal, vertical), or all four."""
    if isinstance(pad, tuple):
        left, top, right, bottom = pad if len(pad) == 4 else (*pad, *pad)
    else:
        left = top = right = bottom = pad
    return look.px(left), look.px(top), look.px(right), look.px(bottom)


@dataclass(frozen=True, slots=True, eq=False)
class Surface(View):
    """A coloured, rounded, padded, sized rectangle around one view; lengths in dp.

    Without `width` or `height` it wraps its child; `fill` makes it as wide as possible; `flat_bottom` leaves the lower
    corners sharp. `role` is its widget class in uiautomator's dump.
    """

    child: View | None = None
    color: str = ""
    radius: float = 0
    pad: Pad = 0
    width: float | None = None
    height: float | None = None
    border: str = ""
    elevation: float = 0
    fill: bool = False
    align: Literal["fill", "center", "start"] = "fill"
    max_width: float | None = None
    flat_bottom: bool = False
    role: Literal["", "Button", "ImageButton"] = ""

    @property
    def class_name(self) -> str:
        if self.role:
            return f"android.widget.{self.role}"
        return "android.view.View" if self.on_tap else "android.view.ViewGroup"

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        left, top, right, bottom = edges(look, self.pad)
        room = self._room(look, limits)
        box = ViewBox(self, look, room.min_width, room.min_height, clips=self.radius > 0)
        if self.child is None:
            return box
        inner = room.inset(left + right, top + bottom)
        child = self.child.layout(look, inner if self.align == "fill" else inner.loose())
        box.width = room.width(child.width + left + right)
        box.height = room.height(child.height + top + bottom)
        slack = (box.width - left - right - child.width, box.height - top - bottom - child.height)
        if self.align == "center":
            child.at(left + slack[0] // 2, top + slack[1] // 2)
        elif self.align == "start":
            child.at(left, top + slack[1] // 2)
        else:
            child.at(left, top)
        box.children.append(child)
        return box

    def _room(self, look: Look, limits: Limits) -> Limits:
        widest = limits.max_width
        if self.max_width is not None:
            widest = min(widest, look.px(self.max_width))
        width = None if self.width is None else min(look.px(self.width), widest)
        height = None if self.height is None else min(look.px(self.height), limits.max_height)
        narrowest = widest if self.fill and widest < UNBOUNDED else min(limits.min_width, widest)
        return Limits(
            widest if width is None else width,
            limits.max_height if height is None else height,
            narrowest if width is None else width,
            limits.min_height if height is None else height,
        )

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        theme, radius = box.look.theme, box.look.px(self.radius)
        if self.elevation:
            canvas.shadow(box.rect, radius, box.look.px(self.elevation * 2))
        if self.border:
            inner = theme.color(self.color or "surface")
            canvas.frame(box.rect, radius, max(1, box.look.px(1)), (theme.color(self.border), inner))
        elif self.color:
            canvas.round(box.rect, radius, theme.color(self.color))
        if self.flat_bottom:
            canvas.fill(box.rect.inset(0, max(0, box.rect.height - radius), 0, 0), theme.color(self.color))


@dataclass(frozen=True, slots=True, eq=False)
class Spacer(View):
    size: float = 0

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        return ViewBox(self, look, limits.width(look.px(self.size)), limits.height(look.px(self.size)))


@dataclass(frozen=True, slots=True, eq=False)
class Linear(View):
    """Lengths in dp. A Scroll among the views gets what the others leave; those with `flex` share the rest."""

    children: Sequence[View] = ()
    gap: float = 0
    pad: Pad = 0
    along: Along = "start"
    across: Across = "start"

    _SIDEWAYS: ClassVar[bool]

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        left, top, right, bottom = edges(look, self.pad)
        room = limits.inset(left + right, top + bottom)
        boxes, gap = self._flow(look, room), look.px(self.gap)
        sizes = [self._turned(box.width, box.height) for box in boxes]
        lengths, breadths = [length for length, _ in sizes], [breadth for _, breadth in sizes]
        wanted = sum(lengths) + gap * max(0, len(boxes) - 1)
        most, _ = self._turned(room.max_width, room.max_height)
        if self.along != "start" and most < UNBOUNDED:
            wanted = most
        width, height = self._turned(wanted, max(breadths, default=0))
        width, height = room.width(width), room.height(height)
        length, breadth = self._turned(width, height)
        for box, start, own in zip(boxes, self._starts(lengths, length, gap), breadths, strict=True):
            x, y = self._turned(start, {"center": (breadth - own) // 2, "end": breadth - own}.get(self.across, 0))
            box.at(left + x, top + y)
        return ViewBox(self, look, width + left + right, height + top + bottom, boxes)

    def _turned(self, one: int, other: int) -> tuple[int, int]:
        """Of (width, height) to (along, across), and back."""
        return (one, other) if self._SIDEWAYS else (other, one)

    def _flow(self, look: Look, room: Limits) -> list[ViewBox]:
        sideways, across = self._SIDEWAYS, self.across
        total = room.max_width if sideways else room.max_height
        boxes: dict[int, ViewBox] = {}
        used = look.px(self.gap) * max(0, len(self.children) - 1)
        fixed = [(index, child) for index, child in enumerate(self.children) if not child.flex]
        for index, child in sorted(fixed, key=lambda entry: isinstance(entry[1], ScrollView)):
            boxes[index] = child.layout(look, _slot(room, total - used, sideways, across))
            used += boxes[index].width if sideways else boxes[index].height
        shares = sum(child.flex for child in self.children)
        left_over = max(0, total - used) if total < UNBOUNDED else 0
        for index, child in enumerate(self.children):
            if child.flex:
                length = int(left_over * child.flex / shares)
                boxes[index] = child.layout(look, _slot(room, length, sideways, across, exact=True))
        return [boxes[index] for index in range(len(self.children))]

    def _starts(self, lengths: list[int], room: int, gap: int) -> list[int]:
        slack = room - sum(lengths) - gap * max(0, len(lengths) - 1)
        start = {"center": slack // 2, "end": slack}.get(self.along, 0)
        extra = slack // (len(lengths) - 1) if self.along == "between" and len(lengths) > 1 else 0
        starts = []
        for length in lengths:
            starts.append(start)
            start += length + gap + extra
        return starts


def _slot(room: Limits, length: int, sideways: bool, across: Across, *, exact: bool = False) -> Limits:
    length = max(0, length)
    least = length if exact else 0
    if sideways:
        return Limits(length, room.max_height, least, room.min_height if across == "stretch" else 0)
    return Limits(room.max_width, length, room.min_width if across == "stretch" else 0, least)


@dataclass(frozen=True, slots=True, eq=False)
class Row(Linear):
    across: Across = "center"

    _SIDEWAYS: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, eq=False)
class Column(Linear):
    across: Across = "stretch"

    _SIDEWAYS: ClassVar[bool] = False


def row(
    *children: View, gap: float = 0, pad: Pad = 0, along: Along = "start", across: Across = "center", flex: float = 0
) -> Row:
    return Row(children, gap, pad, along, across, flex=flex)


def column(
    *children: View, gap: float = 0, pad: Pad = 0, along: Along = "start", across: Across = "stretch", flex: float = 0
) -> Column:
    return Column(children, gap, pad, along, across, flex=flex)


@dataclass(frozen=True, slots=True, eq=False)
class Stack(View):
    children: Sequence[View] = ()

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        boxes = [child.layout(look, limits) for child in self.children if not isinstance(child, Place)]
        width = limits.width(max((box.width for box in boxes), default=limits.max_width))
        height = limits.height(max((box.height for box in boxes), default=limits.max_height))
        filled = iter(boxes)
        room = Limits(width, height, width, height)
        ordered = [child.layout(look, room) if isinstance(child, Place) else next(filled) for child in self.children]
        return ViewBox(self, look, width, height, ordered)


@dataclass(frozen=True, slots=True, eq=False)
class Place(View):
    child: View
    where: str = "center"
    pad: Pad = 0

    @property
    def solid(self) -> bool:
        return False

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        left, top, right, bottom = edges(look, self.pad)
        child = self.child.layout(look, limits.inset(left + right, top + bottom).loose())
        across = limits.max_width - left - right - child.width
        down = limits.max_height - top - bottom - child.height
        x = 0 if "start" in self.where else across if "end" in self.where else across // 2
        y = 0 if "top" in self.where else down if "bottom" in self.where else down // 2
        return ViewBox(self, look, limits.max_width, limits.max_height, [child.at(left + x, top + y)])


@dataclass(frozen=True, slots=True, eq=False)
class Grid(View):
    children: Sequence[View] = ()
    min_cell: float = 160
    gap: float = 8
    pad: Pad = 0
    columns: int | None = None

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        left, top, right, bottom = edges(look, self.pad)
        gap, room = look.px(self.gap), limits.max_width - left - right
        count = self.columns or max(1, (room + gap) // (look.px(self.min_cell) + gap))
        cell = (room - gap * (count - 1)) // count
        boxes, y = [], top
        for start in range(0, len(self.children), count):
            row = [child.layout(look, Limits(cell, UNBOUNDED, cell)) for child in self.children[start : start + count]]
            boxes += [box.at(left + index * (cell + gap), y) for index, box in enumerate(row)]
            y += max(box.height for box in row) + gap
        return ViewBox(self, look, limits.max_width, limits.height(y - (gap if self.children else 0) + bottom), boxes)


@dataclass(frozen=True, slots=True, eq=False)
class ScrollView(View):
    """`key` identifies its offset in the page's memory."""

    child: View
    key: str = "list"
    sideways: bool = False

    @property
    def class_name(self) -> str:
        return "android.widget.HorizontalScrollView" if self.sideways else "androidx.recyclerview.widget.RecyclerView"

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        if self.sideways:
            room = Limits(UNBOUNDED, limits.max_height, 0, limits.min_height)
        else:
            room = Limits(limits.max_width, UNBOUNDED, limits.max_width)
        child = self.child.layout(look, room)
        box = ViewBox(
            self, look, limits.width(limits.max_width if self.sideways else child.width), 0, [child], clips=True
        )
        box.height = limits.height(child.height)
        offset = max(0, min(look.memory.scroll.get(self.key, 0), scroll_range(box)))
        look.memory.scroll[self.key] = offset
        child.at(-offset, 0) if self.sideways else child.at(0, -offset)
        return box


def scroll_range(box: ViewBox) -> int:
    """The maximum offset in pixels, of a laid out Scroll."""
    child = box.children[0]
    sideways = isinstance(box.view, ScrollView) and box.view.sideways
    return max(0, child.width - box.width if sideways else child.height - box.height)
