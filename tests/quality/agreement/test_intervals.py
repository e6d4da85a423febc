from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.quality.agreement.measures import Interval, upper_bound, wilson


@pytest.mark.parametrize(("n", "rate"), [(59, 0.05), (149, 0.02), (299, 0.01)])
def test_none_among_so_many_is_just_enough_to_be_below_the_rate(n: int, rate: float) -> None:
    assert upper_bound(0, n) < rate < upper_bound(0, n - 1)


@given(st.integers(0, 40), st.integers(1, 400))
def test_at_the_bound_so_few_defects_are_seen_once_in_twenty(defects: int, more: int) -> None:
    n = defects + more
    rate = upper_bound(defects, n)

    seen = sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(defects + 1))

    assert seen == pytest.approx(0.05, rel=1e-6)


def test_the_bound_is_that_of_the_published_tables() -> None:
    # Beta(0.95; k + 1, n - k), as statistical tables of the exact one-sided limit have it.
    assert upper_bound(1, 10) == pytest.approx(0.3942, abs=1e-4)
    assert upper_bound(3, 20) == pytest.approx(0.3437, abs=1e-4)


def test_where_nothing_or_everything_was_seen_all_is_possible() -> None:
    assert upper_bound(0, 0) == upper_bound(7, 7) == 1.0
    assert wilson(0, 0) == Interval(0.0, 1.0)


def test_the_bound_of_a_large_sample_can_be_computed() -> None:
    assert upper_bound(80, 8334) == pytest.approx(0.0115, abs=0.0003)


def test_wilsons_interval_of_one_in_a_hundred() -> None:
    interval = wilson(1, 100)

    assert (round(interval.low, 3), round(interval.high, 3)) == (0.002, 0.054)


@given(st.integers(0, 300), st.integers(0, 300))
def test_an_interval_holds_the_share_and_stays_within_0_and_1(count: int, more: int) -> None:
    interval = wilson(count, count + more)

    assert 0 <= interval.low <= interval.high <= 1
    if count + more:
        assert interval.low - 1e-9 <= count / (count + more) <= interval.high + 1e-9
