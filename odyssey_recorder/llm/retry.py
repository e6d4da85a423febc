"""Whether and when to retry after an error; nothing here waits or sends."""

import asyncio
import math
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from odyssey_recorder.errors import ModelBusyError

_SPREAD = 0.25
"""Random extension of a wait, as a share of it, so that concurrent programs do not retry simultaneously."""
_WAIT = re.compile(
    r"(?:(?:retry|try again) (?:in|after)|retry_?(?:delay|after))\W{1,6}"
    r"(?:(?P<minutes>\d{1,3})m ?)?(?P<number>\d{1,6}(?:\.\d{1,9})?) ?(?P<unit>ms|s)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retries of a busy server: waits double from `first_wait_s` to `longest_wait_s`.

    A wait that the server demands is honoured up to `longest_asked_s`, beyond which the question fails. `tries` is the
    total number of requests. `chance` returns 0 to 1 and randomises the waits.
    """

    tries: int = 6
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0
    longest_asked_s: float = 120.0
    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def wait_s(self, error: ModelBusyError, tried: int) -> float | None:
        """Seconds; None to give up. The last of `tried` requests failed with `error`."""
        asked_s = error.wait_s or 0.0
        if tried >= self.tries or asked_s > self.longest_asked_s:
            return None
        own_s = min(self.first_wait_s * 2.0 ** (tried - 1), self.longest_wait_s)
        return (own_s if error.wait_s is None else asked_s) * (1 + _SPREAD * self.chance())


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds, in any of the three header forms; None if there is none. Names in `headers` are lower case."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, now)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


def _until(text: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=now.tzinfo)
    return max((then - now).total_seconds(), 0.0)


def wait_in_words(text: str) -> float | None:
    """Seconds that the body of an error asks to wait, such as "Retry in 0.4s" or "try again in 1m12.5s"."""
    found = _WAIT.search(text)
    if found is None:
        return None
    seconds = float(found["number"]) / (1000 if found["unit"] == "ms" else 1)
    return seconds + 60 * int(found["minutes"] or 0)
