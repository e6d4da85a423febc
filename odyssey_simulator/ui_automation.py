"""The connection that one program at a time may have for reading the screen: `uiautomator`, Appium, uiautomator2."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from odyssey_simulator.phone import Phone

REST_VARIABLE = "ODYSSEY_SIMULATOR_DUMP_S"
_ROTATION = ("accelerometer_rotation", "user_rotation")


@dataclass(frozen=True, slots=True)
class DumpTiming:
    """In seconds: how long the program takes to start, how long the screen must rest, and the limit of that wait."""

    start_s: float = 0.3
    rest_s: float = 1.0
    patience_s: float = 10.0

    @classmethod
    def from_environment(cls) -> "DumpTiming":
        """As on a real device, unless ODYSSEY_SIMULATOR_DUMP_S sets the rest; then the program starts at once."""
        rest_s = os.environ.get(REST_VARIABLE)
        return cls() if rest_s is None else cls(0.0, float(rest_s))

    async def rests(
        self,
        changed_ns: Callable[[], int],
        now_ns: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> bool:
        """Wait until the screen has rested since `changed_ns` and since the call; False if it never does."""
        began_ns = now_ns()
        while True:
            at_ns = now_ns()
            left_s = self.patience_s - (at_ns - began_ns) / 1e9
            if left_s <= 0:
                return False
            unrested_s = self.rest_s - (at_ns - max(began_ns, changed_ns())) / 1e9
            if unrested_s <= 0:
                return True
            await sleep(min(left_s, unrested_s))


class AlreadyConnectedError(Exception):
    """Another program is connected."""


@dataclass(slots=True)
class UiAutomation:
    """For the thread of the shell programs only."""

    phone: Phone
    timing: DumpTiming = field(default_factory=DumpTiming.from_environment)
    dumps: int = 0
    """How many programs have connected."""
    refusals: int = 0
    _is_connected: bool = False

    @contextmanager
    def connected(self, *, elsewhere: bool) -> Iterator[None]:
        """Raises AlreadyConnectedError, also if `elsewhere` another program is. The rotation is restored at the end."""
        if self._is_connected or elsewhere:
            self.refusals += 1
            raise AlreadyConnectedError
        self._is_connected = True
        self.dumps += 1
        rotation = self._rotation()
        try:
            yield
        finally:
            self._is_connected = False
            for name, value in zip(_ROTATION, rotation, strict=True):
                if self.phone.get_setting("system", name) != value:
                    self.phone.put_setting("system", name, value)

    def _rotation(self) -> tuple[str, str]:
        """As Android remembers it: whether it is locked, and which rotation the display has."""
        lock = self.phone.get_setting("system", _ROTATION[0]) or "0"
        return lock, str(self.phone.screen().rotation)
