"""Converts times of the device's input events to the host's clock."""

from dataclasses import dataclass

from odyssey_recorder.device.device import ClockReading

DRIFT_PPM = 100
"""Quartz clocks drift apart by less than this; bounds on their offset loosen at this rate."""

UNKNOWN_NS = 3_600_000_000_000
"""The uncertainty of a moment that is only known to be past."""


@dataclass(frozen=True, slots=True)
class HostMoment:
    at_ns: int
    uncertainty_ns: int


@dataclass(frozen=True, slots=True)
class _OffsetBound:
    """A lower or upper bound on the offset (host time minus device time), as of the host's `at_ns`."""

    offset_ns: int
    at_ns: int

    def slack_ns(self, now_ns: int) -> int:
        return abs(now_ns - self.at_ns) * DRIFT_PPM // 1_000_000 + 1


class DeviceClock:
    """A lower and an upper bound on the offset between two monotonic clocks.

    A reading bounds it from both sides, an input line from above, because no event is stamped after its line
    arrives. A contradiction means that the device's clock changed: it was suspended, or a snapshot was loaded. A
    clock set back shows only in a reading: an event's moment is uncertain until a reading made after it agrees.
    """

    def __init__(self, reading: ClockReading) -> None:
        low, self._high = _bounds(reading)
        self._low: _OffsetBound | None = low

    def read(self, reading: ClockReading) -> bool:
        """Returns whether the reading agrees with the bounds; if not, it replaces them."""
        low, high = _bounds(reading)
        last_ns = reading.after_ns  # the device may have been read as late as this
        agrees = self._lower(last_ns) <= high.offset_ns and low.offset_ns <= self._upper(last_ns)
        if not agrees or low.offset_ns > self._lower(low.at_ns):
            self._low = low
        if not agrees or high.offset_ns < self._upper(high.at_ns):
            self._high = high
        return agrees

    def observe(self, device_us: int, arrived_ns: int) -> bool:
        """Add an event's arrival; returns whether it is possible. If not, a reading is needed."""
        high = _OffsetBound(arrived_ns - device_us * 1000, arrived_ns)
        possible = self._lower(arrived_ns) <= high.offset_ns
        if not possible:
            self._low = None
        if not possible or high.offset_ns < self._upper(arrived_ns):
            self._high = high
        return possible

    def moment(self, device_us: int) -> HostMoment:
        device_ns = device_us * 1000
        latest_ns = device_ns + self._high.offset_ns
        if self._low is None:
            return HostMoment(latest_ns, UNKNOWN_NS)
        low, high = self._lower(latest_ns), self._upper(latest_ns)
        half = (high - low + 1) // 2
        return HostMoment(device_ns + low + half, half + 1000)  # a stamp is truncated to whole microseconds

    def _lower(self, now_ns: int) -> int:
        low = self._low or _OffsetBound(self._high.offset_ns - UNKNOWN_NS, self._high.at_ns)
        return low.offset_ns - low.slack_ns(now_ns)

    def _upper(self, now_ns: int) -> int:
        return self._high.offset_ns + self._high.slack_ns(now_ns)


def _bounds(reading: ClockReading) -> tuple[_OffsetBound, _OffsetBound]:
    low = reading.before_ns - reading.most_us * 1000
    high = reading.after_ns - reading.least_us * 1000
    return _OffsetBound(low, reading.before_ns), _OffsetBound(high, reading.after_ns)
