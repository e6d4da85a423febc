"""Rectangles and sizes on the screen, in whole pixels of the frame as displayed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """In pixels."""

    width: int
    height: int

    def turned(self, rotation: int) -> "Size":
        return Size(self.height, self.width) if rotation % 2 else self


@dataclass(frozen=True, slots=True)
class Rect:
    """In pixels; left and top are inclusive, right and bottom exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def size(self) -> Size:
        return Size(self.width, self.height)

    @property
    def center(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    @property
    def is_empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    def contains(self, x: float, y: float) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom

    def covers(self, other: "Rect") -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def intersection(self, other: "Rect") -> "Rect":
        if (
            other.left <= self.left <= self.right <= other.right
            and other.top <= self.top <= self.bottom <= other.bottom
        ):
            return self  # as most often
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Rect(left, top, max(left, right), max(top, bottom))

    def moved(self, dx: int, dy: int) -> "Rect":
        return Rect(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)

    def inset(self, left: int, top: int, right: int, bottom: int) -> "Rect":
        return Rect(self.left + left, self.top + top, self.right - right, self.bottom - bottom)
