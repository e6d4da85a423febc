"""When a screen has settled."""

from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.device.screen import Frame


@dataclass(frozen=True, slots=True)
class SettleRule:
    """How long a screen must stay still, and how long to wait at most.

    Android's own transitions take about 300 ms without a pause; a video never stops. A screen that has not changed
    since an input (`unmoved_ms`) may still be about to, because an app takes a while to start.
    """

    still_ms: int = 200
    unmoved_ms: int = 600
    cap_ms: int = 5000


class Stillness(Enum):
    MOVING = "moving"
    STILL = "still"
    RESTLESS = "restless"
    """Not settled within the cap."""


class StillnessWatch:
    """Compares each frame with the first one of its run, not the previous one: a screen that creeps is not still."""

    def __init__(self, rule: SettleRule, *, since_ns: int, before: Frame | None = None) -> None:
        """Ignores frames requested before `since_ns` (host's monotonic clock), which may show an earlier screen.

        `before` is the screen at an input that it has not reacted to yet.
        """
        self._rule = rule
        self._before = before
        self._wait_ns = 0
        self._since_ns = since_ns
        self.anchor: Frame | None = None
        """The first frame of the current run; None before the first."""
        self._newest: Frame | None = None

    def ignores(self, frame: Frame) -> bool:
        return frame.started_ns < self._since_ns

    @property
    def still_ns(self) -> int:
        """From the anchor's arrival to the newest request: while a frame is being taken, the screen is unknown."""
        if self.anchor is None or self._newest is None:
            return 0
        return max(0, self._newest.started_ns - self.anchor.arrived_ns)

    def see(self, frame: Frame, *, ignore_top_px: int = 0) -> Stillness:
        """The top `ignore_top_px` rows (the status bar) are not compared."""
        if self.ignores(frame):
            return Stillness.MOVING
        if self.anchor is None or not frame.shows_same_as(self.anchor, ignore_top_px=ignore_top_px):
            self.anchor = frame
            unmoved = self._before is not None and frame.shows_same_as(self._before, ignore_top_px=ignore_top_px)
            self._wait_ns = (self._rule.unmoved_ms if unmoved else self._rule.still_ms) * 1_000_000
        self._newest = frame
        if frame is not self.anchor and self.still_ns >= self._wait_ns:
            return Stillness.STILL
        if frame.arrived_ns - self._since_ns >= self._rule.cap_ms * 1_000_000:
            return Stillness.RESTLESS
        return Stillness.MOVING
