"""Whether a question is asked again after an error, and how long after; nothing here waits or asks."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from odyssey_recorder.errors import ModelBusyError

_SPREAD = 0.25
"""Waits are longer by up to this share, by chance, so that programs that wait together do not come back together."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a busy server is asked again: waits double from `first_wait_s` to `longest_wait_s`.

    Where the server says how long, that is waited, but for no longer than `longest_asked_s`: then it is given up.
    `tries` counts all requests of a question, the first one included. `chance` gives 0 to 1, and spreads the waits.
    """

    tries: int = 6
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0
    longest_asked_s: float = 120.0
    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def wait_s(self, error: ModelBusyError, tried: int) -> float | None:
        """How many seconds to wait after `tried` requests, the last of which ended so; None to give up."""
        asked_s = error.wait_s or 0.0
        if tried >= self.tries or asked_s > self.longest_asked_s:
            return None
        own_s = min(self.first_wait_s * 2.0 ** (tried - 1), self.longest_wait_s)
        return (own_s if error.wait_s is None else asked_s) * (1 + _SPREAD * self.chance())


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """For how many seconds a server asks to be left alone, in any of the three forms; None where it does not.

    `headers` have names in small letters.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    words = headers.get("retry-after", "")
    seconds = _number(words)
    return seconds if seconds is not None else _until(words, now)


def _number(words: str) -> float | None:
    try:
        number = float(words)
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


def _until(words: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(words)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=now.tzinfo)
    return max((then - now).total_seconds(), 0.0)
