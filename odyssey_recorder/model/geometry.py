"""Pixels of a screenshot, the dataset's 0..1000 grid, and conversions between them."""

from dataclasses import dataclass
from enum import IntEnum

GRID = 1000


@dataclass(frozen=True, slots=True)
class Pixel:
    """A position on a screenshot, in pixels from its top left corner, in the screenshot's orientation."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Point:
    """A position on the dataset's grid: each axis 0..1000 of the screenshot's own width or height."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Size:
    """In pixels, in the image's orientation."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"

    def clamp(self, pixel: Pixel) -> Pixel:
        return Pixel(min(max(pixel.x, 0), self.width - 1), min(max(pixel.y, 0), self.height - 1))

    def turned(self) -> "Size":
        return Size(self.height, self.width)


CELLS = Size(12, 24)
"""The grid of cells, across and down, in which changes of an image are located."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels of a screenshot; left and top are inclusive, right and bottom exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> int:
        """0 if an edge is beyond its opposite."""
        return max(0, self.right - self.left) * max(0, self.bottom - self.top)

    def __contains__(self, pixel: Pixel) -> bool:
        return self.left <= pixel.x < self.right and self.top <= pixel.y < self.bottom


class Rotation(IntEnum):
    """From the device's natural orientation, in Android's quarter turns."""

    R0 = 0
    R90 = 1
    R180 = 2
    R270 = 3


def to_grid(pixel: Pixel, size: Size) -> Point:
    """The grid point of `pixel` on a screenshot of `size`.

    floor(px * 1000 / size), clamped to 0..1000: the released files show truncation, and normalise by the size of the
    saved screenshot, not the nominal size of the device (issue 19 of OpenGVLab/GUI-Odyssey).
    """
    return Point(_clamp(pixel.x * GRID // size.width), _clamp(pixel.y * GRID // size.height))


def to_pixel(point: Point, size: Size) -> Pixel:
    """The pixel in the middle of the grid cell `point` on a screenshot of `size`.

    `to_grid` inverts it on an axis of 1000 pixels or more, for 0..999. On a shorter axis some cells hold no pixel,
    and none is ever at 1000, the far edge: then it is the nearest pixel below.
    """
    return size.clamp(Pixel(_middle(point.x, size.width), _middle(point.y, size.height)))


def rotate(natural: Pixel, size: Size, rotation: Rotation) -> Pixel:
    """The position on the rotated image of a touch at a pixel of the panel, whose natural size is `size`.

    Touches are points, not squares: Android maps x to width - x (ui::Transform), and so does the emulator's window.
    An image maps its pixels from x to width - 1 - x: a touch at the far edge of one is at the near edge of the next,
    and one at 0 ends up just outside the rotated image, at its width or height.
    """
    match rotation:
        case Rotation.R0:
            return natural
        case Rotation.R90:
            return Pixel(natural.y, size.width - natural.x)
        case Rotation.R180:
            return Pixel(size.width - natural.x, size.height - natural.y)
        case Rotation.R270:
            return Pixel(size.height - natural.y, natural.x)


def unrotate(displayed: Pixel, size: Size, rotation: Rotation) -> Pixel:
    """The inverse of `rotate`; `size` is the panel's natural size."""
    rotated = size.turned() if rotation in (Rotation.R90, Rotation.R270) else size
    return rotate(displayed, rotated, Rotation(-rotation % 4))


def frame_on_panel(frame: Size, panel: Size) -> Box:
    """The box of an image on a panel of another size, both in the same orientation, in pixels of the panel.

    Android shows what is laid out for another size (``wm size``) like this: as large as fits, centred, with its
    aspect ratio, in whole pixels.
    """
    if panel.width * frame.height < panel.height * frame.width:
        shown = Size(panel.width, frame.height * panel.width // frame.width)
    else:
        shown = Size(frame.width * panel.height // frame.height, panel.height)
    left, top = (panel.width - shown.width) // 2, (panel.height - shown.height) // 2
    return Box(left, top, left + shown.width, top + shown.height)


def panel_to_frame(pixel: Pixel, frame: Size, panel: Size) -> Pixel:
    """The image's pixel shown at a pixel of the panel; outside the image if the panel shows nothing there."""
    box = frame_on_panel(frame, panel)
    width, height = box.right - box.left, box.bottom - box.top
    return Pixel((pixel.x - box.left) * frame.width // width, (pixel.y - box.top) * frame.height // height)


def _clamp(value: int) -> int:
    return min(max(value, 0), GRID)


def _middle(cell: int, extent: int) -> int:
    first = -(-cell * extent // GRID)
    last = -(-(cell + 1) * extent // GRID) - 1
    return (first + last) // 2 if last >= first else last
