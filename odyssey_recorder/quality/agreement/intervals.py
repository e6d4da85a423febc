"""How far the share that a sample shows can be trusted."""

from dataclasses import dataclass
from math import exp, inf, lgamma, log, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
"""Of both ends of an interval together, and of a bound that has one end."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, both 0..1 for a share and -1..1 for a kappa."""

    low: float
    high: float


def wilson(count: float, of: int) -> Interval:
    """The score interval of a share (Wilson 1927), of both ends together 95 %; all of 0..1 where `of` is 0.

    `count` is the sum of what each gives, 0 or 1. Where that lies between, the interval is wider than it need be: no
    such values vary more than those at the ends do.
    """
    if of == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    share = count / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach))


def upper_bound(defects: int, of: int) -> float:
    """The largest rate of defects that a sample of `of` with so many still supports: exact, one-sided, 95 %.

    It is the rate at which so few defects, or fewer, would be seen in one sample of twenty (Clopper and Pearson 1934):
    none among 59 says less than 5 %, among 149 less than 2 %, among 299 less than 1 %.
    """
    if defects >= of:
        return 1.0
    low, high = defects / of, 1.0
    for _ in range(60):  # halves of 1, down to what a float can tell apart
        middle = (low + high) / 2
        if _at_most(defects, of, middle) > 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def _at_most(count: int, of: int, rate: float) -> float:
    """The chance of `count` or fewer among `of`, each by itself with the chance `rate`."""
    return sum(exp(_log_chance(number, of, rate)) for number in range(count + 1))


def _log_chance(count: int, of: int, rate: float) -> float:
    if rate in (0.0, 1.0):
        return 0.0 if count == of * rate else -inf
    ways = lgamma(of + 1) - lgamma(count + 1) - lgamma(of - count + 1)
    return ways + count * log(rate) + (of - count) * log(1 - rate)
