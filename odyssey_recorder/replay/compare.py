"""Whether two images show the same screen, and where they differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from PIL import Image, ImageChops, ImageMath

from odyssey_recorder.device.screen import SAME_SCREEN
from odyssey_recorder.model.geometry import Box, Pixel, Size


class StepVerdict(Enum):
    """A replay continues after a drift and stops at a divergence."""

    MATCH = "match"
    DRIFT = "drift"
    """The same screen with a difference: a toggled box, an advertisement, a date."""
    DIVERGED = "diverged"


_UNLIKE_DP2 = 35_000
"""Screens that differ by more than this area, in dp², are different screens.

Measured on the simulated emulator, from 720x1280 to 2560x1600: (1 - likeness) times the area of the screen is 5,000 to
9,000 dp² for a toggled switch, 17,000 to 24,000 for a typed word, and 50,000 or more for another note opened from the
same list. Other pages and other apps are far beyond.
"""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Where match ends and where divergence begins.

    A pixel counts as changed if one of its channels differs by more than `channel` of 255: another graphics driver may
    round differently. Two images match up to a share `match_pixels` of changed pixels. A `likeness` below
    `diverged_likeness`, or a share above `diverged_pixels`, makes another screen.
    """

    channel: int = 24
    match_pixels: float = SAME_SCREEN
    diverged_pixels: float = 0.5
    diverged_likeness: float = 0.9

    @classmethod
    def for_screen(cls, size: Size, density: int) -> "Tolerance":
        """`size` in pixels, `density` in dots per inch."""
        area_dp2 = size.width * size.height * (160 / density) ** 2
        return cls(diverged_likeness=max(0.0, 1 - _UNLIKE_DP2 / area_dp2))


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two images compare, without the status bar.

    `pixel_share` (0..1): the share of pixels that changed beyond the tolerance. `likeness` (0..1): see the function.
    `changed`: boxes around the changes, in pixels of the recorded image.
    """

    verdict: StepVerdict
    pixel_share: float
    likeness: float
    changed: tuple[Box, ...]


def compare(recorded: Image.Image, live: Image.Image, *, status_bar_px: int, tolerance: Tolerance) -> Comparison:
    """Compare two RGB images below their top `status_bar_px` rows; another size is another screen."""
    if recorded.size != live.size:
        everything = Box(0, 0, recorded.width, recorded.height)
        return Comparison(StepVerdict.DIVERGED, 1.0, 0.0, (everything,))
    area = (0, min(status_bar_px, recorded.height - 1), recorded.width, recorded.height)
    ours, theirs = recorded.crop(area), live.crop(area)
    changes = change_mask(ours, theirs, channel=tolerance.channel)
    share = changes.histogram()[255] / (changes.width * changes.height)
    similarity = likeness(ours, theirs) if share else 1.0
    return Comparison(_verdict(share, similarity, tolerance), share, similarity, _boxes(changes, Pixel(0, area[1])))


def _verdict(pixel_share: float, similarity: float, tolerance: Tolerance) -> StepVerdict:
    if pixel_share <= tolerance.match_pixels:
        return StepVerdict.MATCH
    if pixel_share > tolerance.diverged_pixels or similarity < tolerance.diverged_likeness:
        return StepVerdict.DIVERGED
    return StepVerdict.DRIFT


def change_mask(one: Image.Image, other: Image.Image, *, channel: int) -> Image.Image:
    """255 where any channel of two RGB images of one size differs by more than `channel`, else 0."""
    red, green, blue = ImageChops.difference(one, other).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return largest.point([0] * (channel + 1) + [255] * (255 - channel))


_COARSE_PX = 200
_WINDOW_PX = 8
_C1 = (0.01 * 255) ** 2
_C2 = (0.03 * 255) ** 2


def likeness(one: Image.Image, other: Image.Image) -> float:
    """How alike two RGB images of one size look, 0..1.

    The structural similarity index (Wang, Bovik, Sheikh and Simoncelli 2004, with their constants C1 and C2) of the
    grey images, shrunk to about 200 pixels on their shorter side, in windows of 8x8 pixels. A window weighs as much as
    the higher contrast of the two images there, because shared empty background says nothing about them.
    """
    total = weights = 0.0
    for mean_x, mean_y, square_x, square_y, product in _windows(one, other):
        variance_x = max(0.0, square_x - mean_x * mean_x)
        variance_y = max(0.0, square_y - mean_y * mean_y)
        covariance = product - mean_x * mean_y
        light = (2 * mean_x * mean_y + _C1) / (mean_x * mean_x + mean_y * mean_y + _C1)
        structure = (2 * covariance + _C2) / (variance_x + variance_y + _C2)
        weight = (max(variance_x, variance_y) + _C2) ** 0.5
        total += weight * light * structure
        weights += weight
    return max(0.0, total / weights)


def _windows(one: Image.Image, other: Image.Image) -> Iterator[tuple[float, ...]]:
    """For each window the means of x, y, x*x, y*y and x*y; x and y are the two grey images."""
    factor = max(1, round(min(one.size) / _COARSE_PX))
    x, y = (image.convert("L").reduce(factor).convert("F") for image in (one, other))
    images = (x, y, _product(x, x), _product(y, y), _product(x, y))
    means = (memoryview(image.reduce(_WINDOW_PX).tobytes()).cast("f") for image in images)
    return zip(*means, strict=True)


def _product(one: Image.Image, other: Image.Image) -> Image.Image:
    product: Image.Image = ImageMath.lambda_eval(lambda operand: operand["a"] * operand["b"], a=one, b=other)
    return product


# Where the changes are.


_FINE_PX = 8
_MERGE = 4
"""Changes are grouped in cells of 32x32 pixels, in two steps: the mean of a whole cell loses a single pixel."""


def changed_places(one: Image.Image, other: Image.Image, *, near_px: int) -> tuple[Box, ...]:
    """Boxes around the differences of two RGB images of one size, in their pixels, from top to bottom.

    Differences closer together than about `near_px` share a box.
    """
    changes = change_mask(one, other, channel=Tolerance().channel)
    return _boxes(changes, Pixel(0, 0), merge=max(1, near_px // _FINE_PX))


def _boxes(changes: Image.Image, origin: Pixel, *, merge: int = _MERGE) -> tuple[Box, ...]:
    """Boxes around groups of neighbouring changed cells, from top to bottom, moved by `origin`."""
    cells = _any(_any(changes, _FINE_PX), merge)
    cells_left = {divmod(index, cells.width) for index, value in enumerate(cells.tobytes()) if value}
    boxes = []
    while cells_left:
        group = _take_group(cells_left)
        rows, columns = [row for row, _ in group], [column for _, column in group]
        cell_px = _FINE_PX * merge
        area = (min(columns) * cell_px, min(rows) * cell_px, (max(columns) + 1) * cell_px, (max(rows) + 1) * cell_px)
        tight = changes.crop(area).getbbox()
        if tight is not None:
            left, top = area[0] + origin.x, area[1] + origin.y
            boxes.append(Box(left + tight[0], top + tight[1], left + tight[2], top + tight[3]))
    return tuple(sorted(boxes, key=lambda box: (box.top, box.left)))


def _any(changes: Image.Image, cell_px: int) -> Image.Image:
    return changes.reduce(cell_px).point([0] + [255] * 255)


def _take_group(cells_left: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Remove one cell and all that are connected to it, corners included, from `waiting`."""
    group = [cells_left.pop()]
    for row, column in group:
        neighbours = {(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)} & cells_left
        cells_left -= neighbours
        group.extend(neighbours)
    return group
