"""Whether a question is asked again after an error, and how long after; nothing here waits or asks."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from odyssey_recorder.errors import ModelBusyError

_SPREAD = 0.25
"""Waits are longer by up to this share, by chance, so that those who wait together do not come back together."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient we are with a server that is busy: waits double from `first_wait_s` to `longest_wait_s`.

    Where the server says how long, that is waited, but for no longer than `longest_asked_s`: then it is given up.
    `tries` counts all requests of a question, the first one included.
    """

    tries: int = 6
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0
    longest_asked_s: float = 120.0

    def wait_s(self, error: ModelBusyError, tried: int, chance: float) -> float | None:
        """How many seconds to wait after `tried` requests, the last of which ended so; None to give up.

        `chance` is between 0 and 1, and spreads the waits.
        """
        asked_s = error.wait_s or 0.0
        if tried >= self.tries or asked_s > self.longest_asked_s:
            return None
        own_s = min(self.first_wait_s * 2.0 ** (tried - 1), self.longest_wait_s)
        return (own_s if error.wait_s is None else asked_s) * (1 + _SPREAD * chance)


def given_up(error: ModelBusyError, tried: int) -> ModelBusyError:
    """The last error as it is told when nobody asks again: what it said, and how often was asked."""
    times = "once" if tried == 1 else f"{tried} times"
    return ModelBusyError(f"{error} Given up after asking {times}.", error.wait_s, for_all=error.for_all)


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """For how many seconds a server asks to be left alone; None where it does not say so, or not so that one can tell.

    `headers` have names in small letters. It says it in milliseconds, in seconds or as a date.
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
