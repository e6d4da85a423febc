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
    """The pictures between two of one size; only `area` moves, the rest is as in `after` from the start."""
    for step in range(1, STEPS):
        share = 1 - (1 - step / STEPS) ** 3
        yield _between(kind, (before, after), area, share)


def _between(kind: Transition, pair: tuple[Image.Image, Image.Image], area: Rect, share: float) -> Image.Image:
    before, after = pair
    picture = after.copy()
    match kind:
        case Transition.FORWARD:
            _slide(picture, before, area, (0, 0))
            _slide(picture, after, area, (round(area.width * (1 - share)), 0))
        case Transition.BACKWARD:
            _slide(picture, before, area, (round(area.width * share), 0))
        case Transition.OPEN | Transition.RISE:
            _slide(picture, before, area, (0, 0))
            _slide(picture, after, area, (0, round(area.height * (1 - share))))
        case Transition.CLOSE | Transition.SINK:
            _slide(picture, before, area, (0, round(area.height * share)))
    return picture


def _slide(picture: Image.Image, source: Image.Image, area: Rect, by: tuple[int, int]) -> None:
    """Draw `area` of a source `by` pixels further to the right and down, cut to the area."""
    dx, dy = by
    if dx < area.width and dy < area.height:
        part = source.crop((area.left, area.top, area.right - dx, area.bottom - dy))
        picture.paste(part, (area.left + dx, area.top + dy))
