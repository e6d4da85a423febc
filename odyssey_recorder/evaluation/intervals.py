"""Confidence intervals of scores: the bootstrap over episodes."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from odyssey_recorder.agreement.measures import Interval
from odyssey_recorder.evaluation.answers import Bools, Floats, Ints

SAMPLES = 10_000
_CHUNK = 500
_Z = 1.959963984540054


def ratios(sums: Sequence[tuple[Ints, Ints]], *, samples: int = SAMPLES, seed: int = 0) -> Floats:
    """A row per sample of episodes, a column per pair of numerators and denominators, which are given per episode.

    All pairs are of the same episodes and are drawn together, so that columns can be compared. nan: nothing to divide.
    """
    parts = np.array([part for pair in sums for part in pair], float)
    count = parts.shape[1]
    random = np.random.default_rng(seed)
    drawn = np.empty((samples, len(parts)))
    for at in range(0, samples, _CHUNK):
        size = min(_CHUNK, samples - at)
        rows = random.integers(count, size=(size, count), dtype=np.int32)
        drawn[at : at + size] = np.array([part[rows].sum(axis=1) for part in parts]).T
    with np.errstate(invalid="ignore", divide="ignore"):
        return 100 * drawn[:, ::2] / drawn[:, 1::2]


def percentiles(column: Floats, units: int) -> Interval | None:
    """The expanded percentile interval of 95% from samples of `units` episodes; None of fewer than two.

    The plain percentile interval is too narrow by the factor that Student's t and n - 1 make up for in a mean's
    (Hesterberg 2015, "What Teachers Should Know about the Bootstrap", The American Statistician 69).
    """
    column = column[np.isfinite(column)]
    if units < 2 or not len(column):
        return None
    tail = 100 * NormalDist().cdf(-_student(units - 1) * math.sqrt(units / (units - 1)))
    low, high = np.percentile(column, (tail, 100 - tail))
    return Interval(round(float(low), 2), round(float(high), 2))


def _student(freedom: int) -> float:
    """The 97.5% point of Student's t by its expansion about the normal's (Abramowitz and Stegun, 26.7.5)."""
    z = _Z
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def by_unit(values: Ints | Bools, units: Sequence[str]) -> Ints:
    """Sums over the episodes of each unit, such as a template."""
    _, place = np.unique(np.array(units), return_inverse=True)
    return np.bincount(place, weights=values).astype(np.int64)
