from collections import Counter
from collections.abc import Hashable
from itertools import chain
from math import comb

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from odyssey_recorder.agreement.measures import FEW, Interval, agreement, cohen_kappa, upper_bound, wilson
from odyssey_recorder.agreement.sections import kappa_bar, kappa_text, percent
from tests.checking.verdicts import reference_kappa

answers = st.sampled_from(["pass", "fail", "unsure"])


@settings(max_examples=25)
@given(st.lists(st.tuples(answers, answers), min_size=1, max_size=60))
def test_cohens_kappa_equals_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    assume(len(set(chain.from_iterable(pairs))) > 1)  # otherwise theirs is not a number
    assert cohen_kappa(Counter[tuple[Hashable, ...]](pairs)) == pytest.approx(
        reference_kappa(*zip(*pairs, strict=True))
    )


def test_fleiss_kappa_matches_the_published_example() -> None:
    # Ten subjects, fourteen raters, five categories: the worked example of the article "Fleiss' kappa" of the English
    # Wikipedia, which gives 0.210. Each row has the number of raters per category.
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    result = agreement([tuple(Counter(dict(enumerate(row))).elements()) for row in table])
    assert result.kappa == pytest.approx(0.210, abs=0.0005)
    assert result.raw == pytest.approx(0.378, abs=0.0005)
    assert result.raw_interval == wilson((result.raw or 0) * 10, 10)


def test_kappa_is_undefined_without_disagreement_or_data() -> None:
    same, none = agreement([("pass", "pass")] * 40), agreement([])
    assert (same.raw, same.kappa, same.kappa_interval) == (1.0, None, None)
    assert same.raw_interval == wilson(40, 40)
    assert agreement([("pass",) * 3] * 40).kappa is None
    assert (none.n, none.raw, none.kappa, none.raw_interval) == (0, None, None, None)


def test_small_samples_are_marked() -> None:
    assert agreement([("a", "b")] * (FEW - 1)).is_few
    assert not agreement([("a", "b")] * FEW).is_few


def test_interval_depends_on_the_seed_and_contains_kappa() -> None:
    pairs = [("a", "a")] * 30 + [("b", "b")] * 20 + [("a", "b")] * 10
    one, again, other = agreement(pairs, seed=3), agreement(pairs[::-1], seed=3), agreement(pairs, seed=4)
    assert one == again != other
    assert one.kappa is not None
    assert one.kappa_interval is not None
    assert one.kappa_interval.low < one.kappa < one.kappa_interval.high


def test_single_disagreement_has_zero_kappa() -> None:
    mostly_same = agreement([("pass", "pass")] * 40 + [("pass", "fail")])
    assert mostly_same.raw == pytest.approx(40 / 41)
    assert mostly_same.kappa == pytest.approx(0.0)
    assert mostly_same.kappa_interval is None, "every drawing gives 0, which is no interval"


def test_few_unanimous_cases_have_no_kappa_interval() -> None:
    same = agreement([("pass", "pass")] * 10 + [("fail", "fail")])
    assert same.kappa == 1.0
    assert same.kappa_interval is None
    assert same.raw_interval == wilson(11, 11)
    assert kappa_text(same) == "1.00 (too few cases for an interval)"
    bar = kappa_bar(same)
    assert bar is not None
    assert bar.value == 100
    assert percent(same.raw, same.raw_interval) == "100% (74 to 100%)"
    assert agreement([("a", "b", "b")]).kappa_interval is None


@settings(max_examples=15)  # each draws a thousand samples
@given(st.lists(st.tuples(answers, answers), min_size=1, max_size=20))
def test_every_interval_has_a_width(pairs: list[tuple[str, str]]) -> None:
    result = agreement(pairs)
    for interval in (result.raw_interval, result.kappa_interval):
        assert interval is None or interval.low < interval.high


def test_groups_of_different_sizes_are_rejected() -> None:
    with pytest.raises(ValueError, match="same number"):
        agreement([("a", "a"), ("a", "a", "a")])
    with pytest.raises(ValueError, match="at least 2"):
        agreement([("a",)])


@settings(max_examples=25)
@given(st.integers(0, 40), st.integers(1, 400))
def test_defect_count_at_the_bound_has_five_percent_probability(defects: int, more: int) -> None:
    n = defects + more
    rate = upper_bound(defects, n)
    seen = sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(defects + 1))
    assert seen == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize(
    ("defects", "n", "bound"), [(1, 10, 0.3942), (3, 20, 0.3437), (80, 8334, 0.0115), (0, 0, 1.0), (7, 7, 1.0)]
)
def test_bound_matches_published_tables(defects: int, n: int, bound: float) -> None:
    """Beta(0.95; k + 1, n - k), as in tables of the exact one-sided limit; 1 if nothing or all is defective."""
    assert upper_bound(defects, n) == pytest.approx(bound, abs=2e-4)


def test_wilson_interval_of_one_in_a_hundred() -> None:
    interval = wilson(1, 100)
    assert (round(interval.low, 3), round(interval.high, 3)) == (0.002, 0.054)
    assert wilson(0, 0) == Interval(0.0, 1.0)


@given(st.integers(0, 300), st.integers(0, 300))
def test_wilson_interval_contains_the_share(count: int, more: int) -> None:
    interval = wilson(count, count + more)
    assert 0 <= interval.low <= interval.high <= 1
    if count + more:
        assert interval.low - 1e-9 <= count / (count + more) <= interval.high + 1e-9
