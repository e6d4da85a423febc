"""How one screen gives way to the next: the pictures in between, made of the two finished ones."""

from collections.abc import Iterator
from enum import Enum

from PIL import Image

from odyssey_recorder.simulator.ui.geometry import Rect

STEPS = 9
STEP_S = 0.033


class Transition(Enum):
    """Which way the screen changes."""

    FORWARD = "forward"
    BACKWARD = "backward"
    OPEN = "open"
    CLOSE = "close"
    RISE = "rise"
    SINK = "sink"


def pictures(kind: Transition, before: Image.Image, after: Image.Image, area: Rect) -> Iterator[Image.Image]:
    """The pictures between two of one size; only `area` moves, what lies around it changes at once."""
    for step in range(1, STEPS):
        share = 1 - (1 - step / STEPS) ** 3
        yield _between(kind, (before, after), area, share)


def _between(kind: Transition, pair: tuple[Image.Image, Image.Image], area: Rect, share: float) -> Image.Image:
    before, after = pair
    match kind:
        case Transition.FORWARD:
            return _over(before, after, area, (round(area.width * (1 - share)), 0))
        case Transition.BACKWARD:
            return _over(after, before, area, (round(area.width * share), 0))
        case Transition.OPEN | Transition.RISE:
            return _over(before, after, area, (0, round(area.height * (1 - share))))
        case Transition.CLOSE | Transition.SINK:
            return _over(after, before, area, (0, round(area.height * share)))


def _over(below: Image.Image, above: Image.Image, area: Rect, by: tuple[int, int]) -> Image.Image:
    """`below` with the `area` of `above` on it, moved by so many pixels to the right and down, cut to the area."""
    picture = below.copy()
    dx, dy = by
    if dx < area.width and dy < area.height:
        part = above.crop((area.left, area.top, area.right - dx, area.bottom - dy))
        picture.paste(part, (area.left + dx, area.top + dy))
    return picture
