"""Confidence intervals, and agreement between reviewers."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, inf, isclose, lgamma, log, sqrt
from random import Random
from statistics import NormalDist, quantiles

CONFIDENCE = 0.95
"""Of a two-sided interval, and of a one-sided bound."""


@dataclass(frozen=True, slots=True)
class Interval:
    """0..1 for a share, -1..1 for a kappa."""

    low: float
    high: float


def wilson(count: float, of: int) -> Interval:
    """The two-sided 95% score interval of a share (Wilson 1927); 0..1 if `of` is 0.

    `count` is a sum of values from 0 to 1. With values other than 0 and 1 the interval is conservative: they have a
    smaller variance.
    """
    if of == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    share = count / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach))


def upper_bound(defects: int, of: int) -> float:
    """The largest rate of defects that a sample of `of` with `defects` still supports: exact, one-sided, 95%.

    At this rate one sample in twenty would show so few defects or fewer (Clopper and Pearson 1934): none among 59 means
    less than 5%, among 149 less than 2%, among 299 less than 1%.
    """
    if defects >= of:
        return 1.0
    low, high = defects / of, 1.0
    for _ in range(60):  # bisection down to the precision of a float
        middle = (low + high) / 2
        if sum(exp(_log_chance(number, of, middle)) for number in range(defects + 1)) > 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def _log_chance(count: int, of: int, rate: float) -> float:
    if rate in (0.0, 1.0):
        return 0.0 if count == of * rate else -inf
    ways = lgamma(of + 1) - lgamma(count + 1) - lgamma(of - count + 1)
    return ways + count * log(rate) + (of - count) * log(1 - rate)


FEW = 30
"""Fewer episodes than this do not give reliable figures."""
_ROUNDS = 1000
_TAILS = 40
"""Quantiles in fortieths: the first and the last are cut off, 2.5% each."""

Answers = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on `n` episodes: `raw` is the share of pairs of verdicts that are the same.

    `kappa` is None if nothing was judged or all verdicts are equal. The interval of `raw` is Wilson's, that of kappa a
    95% percentile bootstrap over episodes (seeded), or None if all resamples give the same value: an interval of zero
    width would be misleading.
    """

    n: int
    raw: float | None
    raw_interval: Interval | None
    kappa: float | None
    kappa_interval: Interval | None

    @property
    def is_few(self) -> bool:
        return self.n < FEW


def agreement(episodes: Sequence[Answers], *, seed: int = 0) -> Agreement:
    """Raw agreement, with Cohen's kappa for two verdicts per episode and Fleiss' for more.

    All `episodes` need the same number of verdicts, at least two; raises ValueError otherwise.
    """
    if len({len(answers) for answers in episodes}) > 1 or any(len(answers) < 2 for answers in episodes):
        raise ValueError("Each episode must have the same number of verdicts, at least 2.")
    if not episodes:
        return Agreement(0, None, None, None, None)
    ratings = Counter(episodes)
    kappa = cohen_kappa if len(episodes[0]) == 2 else fleiss_kappa
    raw, n = raw_agreement(ratings), len(episodes)
    interval = _interval([kappa(drawn) for drawn in _resampled(ratings, Random(seed))])
    return Agreement(n, raw, wilson(raw * n, n), kappa(ratings), interval)


def raw_agreement(ratings: Counter[Answers]) -> float:
    """The share of equal pairs of verdicts on the same episode; `ratings` counts the episodes of each combination."""
    return sum(count * _pair_agreement(answers) for answers, count in ratings.items()) / ratings.total()


def cohen_kappa(ratings: Counter[Answers]) -> float | None:
    """Cohen's kappa (1960) of two reviewers: (po - pe) / (1 - pe); None if pe is 1.

    pe is the probability of agreeing by chance, given how often each reviewer says what.
    """
    firsts, seconds = Counter[Hashable](), Counter[Hashable]()
    for (first, second), count in ratings.items():
        firsts[first] += count
        seconds[second] += count
    by_chance = sum(count * seconds[answer] for answer, count in firsts.items()) / ratings.total() ** 2
    return _beyond_chance(raw_agreement(ratings), by_chance)


def fleiss_kappa(ratings: Counter[Answers]) -> float | None:
    """Fleiss' kappa (1971); reviewers may differ between episodes. None if all verdicts are equal."""
    given = Counter[Hashable]()
    for answers, count in ratings.items():
        for answer in answers:
            given[answer] += count
    by_chance = sum(count**2 for count in given.values()) / given.total() ** 2
    return _beyond_chance(raw_agreement(ratings), by_chance)


def _pair_agreement(answers: Answers) -> float:
    same = sum(count * (count - 1) for count in Counter(answers).values())
    return same / (len(answers) * (len(answers) - 1))


def _beyond_chance(seen: float, by_chance: float) -> float | None:
    return None if by_chance == 1 else (seen - by_chance) / (1 - by_chance)


def _resampled(ratings: Counter[Answers], rng: Random) -> Iterator[Counter[Answers]]:
    combinations = sorted(ratings, key=repr)
    cumulative = list(accumulate(ratings[kind] for kind in combinations))
    for _ in range(_ROUNDS):
        yield Counter(rng.choices(combinations, cum_weights=cumulative, k=ratings.total()))


def _interval(values: Sequence[float | None]) -> Interval | None:
    defined = [value for value in values if value is not None]
    if len(defined) < 2:
        return None
    cuts = quantiles(defined, n=_TAILS, method="inclusive")
    return None if isclose(cuts[0], cuts[-1], abs_tol=1e-9) else Interval(cuts[0], cuts[-1])
