"""The guest's monotonic clock: its offset from the host's, and jumps."""

import time

_UP_AT_START_S = 37.5


class GuestClock:
    """CLOCK_MONOTONIC in ns; a guest boots after its host, so it never equals the host's clock. Thread-safe."""

    def __init__(self) -> None:
        self._ahead_ns = int(_UP_AT_START_S * 1e9) - time.monotonic_ns()

    def now_ns(self) -> int:
        return time.monotonic_ns() + self._ahead_ns

    def host_ns(self, guest_ns: int) -> int:
        return guest_ns - self._ahead_ns

    def jump(self, by_s: float) -> None:
        """Jump forward or back, as after a pause of the machine; never before the boot."""
        self.set(self.now_ns() + int(by_s * 1e9))

    def set(self, guest_ns: int) -> None:
        """Continue from another time, as when a snapshot is loaded; never before the boot."""
        self._ahead_ns = max(0, guest_ns) - time.monotonic_ns()

    def uptime(self) -> bytes:
        """The content of /proc/uptime: seconds since boot, truncated to two decimals as on Linux, and the idle time."""
        seconds = self.now_ns() // 10_000_000 / 100
        return f"{seconds:.2f} {seconds * 3:.2f}\n".encode()
