"""Classifies a touch stroke as a click, a long press or a scroll."""

from dataclasses import dataclass

from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, LongPress, Scroll
from odyssey_recorder.model.geometry import Size, to_grid

LONG_PRESS_MS = 400
"""Android's default."""
_FLUTTER_US = 500_000
"""The long-press time of apps made with Flutter, whatever Android's is."""


@dataclass(frozen=True, slots=True)
class TouchRules:
    """The device's own thresholds: touch slop (8 dp) and long-press time of ViewConfiguration."""

    touch_slop_px: int
    long_press_us: int = LONG_PRESS_MS * 1000

    @classmethod
    def for_density(cls, dpi: int, long_press_ms: int = LONG_PRESS_MS) -> "TouchRules":
        return cls(max(1, (8 * dpi + 80) // 160), long_press_ms * 1000)

    def depends_on_app(self, press: TouchStroke) -> bool:
        """Whether a finger at rest is a long press for some apps, and a click for others."""
        shorter, longer = sorted((self.long_press_us, _FLUTTER_US))
        return shorter <= press.duration_us < longer


def recognize(stroke: TouchStroke, rules: TouchRules, size: Size) -> Click | LongPress | Scroll:
    """A finger that ever left the touch slop scrolls, however long it was down, as in Android's own views."""
    start = stroke.start
    moved = max((at.x - start.x) ** 2 + (at.y - start.y) ** 2 for at in (sample.at for sample in stroke.samples))
    if moved > rules.touch_slop_px**2:
        path = tuple(to_grid(sample.at, size) for sample in stroke.samples)
        return Scroll(path[0], path[-1], path)
    point = to_grid(start, size)
    return LongPress(point) if stroke.duration_us >= rules.long_press_us else Click(point)
