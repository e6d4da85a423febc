"""Which episodes are duplicates, and which of them is the best."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.curation.duplicates import LIKENESSES, Candidate, Likeness, duplicate_groups
from tests.splits.split_facts import facts


def candidate(number: int, **fields: Any) -> Candidate:
    """Shares only its app with others, unless fields are given."""
    return Candidate(facts(number, apps=("Chrome",), **fields))


def groups(*candidates: Candidate, by: tuple[Likeness, ...] = LIKENESSES) -> list[tuple[list[str], tuple[str, ...]]]:
    found = duplicate_groups(candidates, by)
    return [(sorted(one.episode_id for one in (group.best, *group.others)), group.common) for group in found]


def ids(*numbers: int) -> list[str]:
    return [facts(number).episode_id for number in numbers]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("annotation", {"contents": "same"}),
        ("screenshots", {"screenshots": ("a", "b")}),
        ("instruction", {"instruction": "Say, this!"}),
        ("take", {"task": "The task"}),
    ],
)
def test_episodes_with_something_in_common_are_a_group(kind: Likeness, fields: dict[str, Any]) -> None:
    some = [candidate(1, **fields), candidate(2), candidate(3, **fields)]
    assert groups(*some) == [(ids(1, 3), (kind,))]
    assert groups(*some, by=(kind,)) == [(ids(1, 3), (kind,))]
    assert groups(*some, by=tuple(one for one in LIKENESSES if one != kind)) == []


def test_episodes_with_nearly_the_same_actions_are_a_group() -> None:
    first, second = candidate(1), candidate(2)
    named = replace(second, alike=(first.episode_id, "0000000000000099"))
    assert groups(first, named) == [(ids(1, 2), ("actions",))]


def test_missing_screenshots_are_not_duplicates() -> None:
    assert groups(candidate(1, screenshots=("a", "")), candidate(2, screenshots=("a", ""))) == []


def test_groups_that_share_an_episode_are_merged() -> None:
    some = candidate(1, contents="x"), candidate(2, contents="x", task="t"), candidate(3, task="t"), candidate(4)
    assert groups(*some) == [(ids(1, 2, 3), ("annotation", "take"))]


BETTER: list[tuple[dict[str, Any], str]] = [
    ({"is_accepted": True, "errors": 3}, "accepted"),
    ({"is_proved": True, "errors": 3}, "has provenance"),
    ({"warnings": 9}, "fewest errors"),
    ({"errors": 1, "warnings": 1}, "fewest warnings"),
]


@pytest.mark.parametrize(("better", "why"), BETTER)
def test_best_episode_is_named_with_a_reason(better: dict[str, Any], why: str) -> None:
    worse = replace(candidate(1, contents="x"), errors=1, warnings=2)
    best = replace(candidate(2, contents="x"), **better)
    [group] = duplicate_groups([worse, best], LIKENESSES)
    assert (group.best, group.why, group.others) == (best, why, (worse,))


def test_ties_are_resolved_by_id() -> None:
    first, second = candidate(1, contents="x"), candidate(2, contents="x")
    [group] = duplicate_groups([second, first], LIKENESSES)
    assert (group.best, group.why) == (first, "lowest id")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8), st.randoms())
def test_groups_are_connected_components_in_any_order(keys: list[tuple[int, int]], rng: Random) -> None:
    some = [candidate(n, contents=f"c{one}", task=f"t{other}") for n, (one, other) in enumerate(keys)]
    reached = [{one} for one in range(len(keys))]
    for component in reached * len(keys):  # each round reaches one further
        component |= {
            one
            for one, (a, b) in enumerate(keys)
            for other in [*component]
            if a == keys[other][0] or b == keys[other][1]
        }
    expected = sorted({tuple(ids(*sorted(component))) for component in reached if len(component) > 1})
    rng.shuffle(some)
    found = groups(*some, by=("annotation", "take"))
    assert sorted(tuple(members) for members, _ in found) == expected
