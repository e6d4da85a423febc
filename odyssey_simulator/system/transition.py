"""Transitions between screens: intermediate frames computed from the first and the last one."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from PIL import Image

from odyssey_simulator.ui.geometry import Rect

STEPS = 9
STEP_S = 0.033
_DARK = (0, 0, 0, 255)


class Transition(Enum):
    FORWARD = "forward"
    BACKWARD = "backward"
    OPEN = "open"
    CLOSE = "close"
    RISE = "rise"
    SINK = "sink"
    FADE = "fade"


@dataclass(frozen=True, slots=True)
class ScreenChange:
    """`veil` (0..1) darkens what a sheet covers."""

    kind: Transition
    area: Rect
    veil: float = 0.0


def images(change: ScreenChange, before: Image.Image, after: Image.Image) -> Iterator[Image.Image]:
    if change.veil:
        before = Image.blend(before, Image.new("RGBA", before.size, _DARK), change.veil)
    base = after
    if change.kind is Transition.RISE:
        base = _over(after, before, change.area, (0, 0))
    for step in range(1, STEPS):
        share = 1 - (1 - step / STEPS) ** 3
        yield _between(change, (before, base, after), share)


def _between(change: ScreenChange, layers: tuple[Image.Image, Image.Image, Image.Image], share: float) -> Image.Image:
    before, base, after = layers
    across, down = change.area.width, change.area.height
    match change.kind:
        case Transition.FORWARD:
            return _over(before, after, change.area, (round(across * (1 - share)), 0))
        case Transition.BACKWARD:
            return _over(after, before, change.area, (round(across * share), 0))
        case Transition.OPEN:
            return _over(before, after, change.area, (0, round(down * (1 - share))))
        case Transition.CLOSE | Transition.SINK:
            return _over(after, before, change.area, (0, round(down * share)))
        case Transition.RISE:
            return _over(base, after, change.area, (0, round(down * (1 - share))))
        case Transition.FADE:
            return Image.blend(before, after, share)


def _over(below: Image.Image, above: Image.Image, area: Rect, by: tuple[int, int]) -> Image.Image:
    image = below.copy()
    dx, dy = by
    if dx < area.width and dy < area.height:
        part = above.crop((area.left, area.top, area.right - dx, area.bottom - dy))
        image.paste(part, (area.left + dx, area.top + dy))
    return image
