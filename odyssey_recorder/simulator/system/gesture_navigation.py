"""Gesture navigation: which swipes from the edges of the screen mean HOME, RECENT and BACK."""

from dataclasses import dataclass
from typing import Literal

from odyssey_recorder.simulator.ui.geometry import Size

_BOTTOM_DP, _SIDE_DP = 32, 30
_SLOP_DP, _FAR_DP = 8, 40


@dataclass(frozen=True, slots=True)
class EdgeSwipe:
    """A finger that came down at an edge, in pixels of the picture; it may become a swipe inwards."""

    edge: Literal["bottom", "left", "right"]
    down: tuple[float, float]
    density: int

    def is_clear(self, x: float, y: float) -> bool:
        return max(self._inwards(x, y), self._along(x, y)) > self._px(_SLOP_DP)

    def leads_inwards(self, x: float, y: float) -> bool:
        return self._inwards(x, y) > self._along(x, y)

    def pressed(self, x: float, y: float, *, rested: bool) -> Literal["", "Home", "Overview", "Back"]:
        """The button that lifting the finger here stands for; none where it has not gone far enough."""
        if self._inwards(x, y) < self._px(_FAR_DP):
            return ""
        if self.edge == "bottom":
            return "Overview" if rested else "Home"
        return "Back"

    def _inwards(self, x: float, y: float) -> float:
        match self.edge:
            case "bottom":
                return self.down[1] - y
            case "left":
                return x - self.down[0]
            case "right":
                return self.down[0] - x

    def _along(self, x: float, y: float) -> float:
        return abs(x - self.down[0]) if self.edge == "bottom" else abs(y - self.down[1])

    def _px(self, dp: float) -> float:
        return dp * self.density / 160


def edge_swipe(x: float, y: float, size: Size, density: int) -> EdgeSwipe | None:
    """What may begin with a finger that comes down here on a picture of `size`; None away from the edges."""
    px = density / 160
    if y >= size.height - _BOTTOM_DP * px:
        return EdgeSwipe("bottom", (x, y), density)
    if x < _SIDE_DP * px:
        return EdgeSwipe("left", (x, y), density)
    return EdgeSwipe("right", (x, y), density) if x >= size.width - _SIDE_DP * px else None
