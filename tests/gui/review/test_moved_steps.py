"""Where steps are after a fix, after one that was taken back, and after a change that nobody recorded."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from odyssey_recorder.dataset.amendment import Amendment, DropSteps, DropTail, NewInstruction
from odyssey_recorder.gui.review.moved_steps import moved_steps
from odyssey_recorder.model.action import Action, Click, Complete
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.quality.reviewing.review import Fix
from odyssey_recorder.quality.reviewing.views import OpenedReview
from tests.episodes import episode
from tests.gui.review.opened import reviewed

FIVE = tuple(Click(Point(place, place)) for place in (1, 2, 3, 4))
STRAY, TAIL = DropSteps(first=1, last=2), DropTail(at=2)


def opened(revision: str, steps: Sequence[Action], *entries: Fix) -> OpenedReview:
    made = episode(*steps, Complete())
    return replace(reviewed(Path("shots"), made, entries=entries), revision=revision)


def fix(before: str, after: str, amendment: Amendment | None, undoes: str = "") -> Fix:
    return Fix(
        id=uuid4().hex, at=datetime(2026, 3, 1, tzinfo=UTC), by="Rosa", amendment=amendment, why="", before=before,
        after=after, undoes=undoes,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("amendment", "steps", "numbers"),
    [
        (STRAY, (FIVE[0], FIVE[3]), {0: 0, 3: 1, 4: 2}),
        (TAIL, FIVE[:2], {0: 0, 1: 1}),
        (NewInstruction(instruction="Else"), FIVE, {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}),
    ],
)
def test_a_fix_moves_what_comes_behind_it(
    amendment: Amendment, steps: Sequence[Action], numbers: dict[int, int]
) -> None:
    after = opened("b", steps, fix("a", "b", amendment))
    assert moved_steps(opened("a", FIVE), after) == numbers


@pytest.mark.parametrize(("amendment", "numbers"), [(STRAY, {0: 0, 1: 3, 2: 4}), (TAIL, {0: 0, 1: 1})])
def test_what_a_fix_had_taken_out_is_new_when_it_comes_back(amendment: Amendment, numbers: dict[int, int]) -> None:
    made = fix("a", "b", amendment)
    back = fix("b", "a", None, undoes=made.id)
    before = opened("b", FIVE[:2], made)
    assert moved_steps(before, opened("a", FIVE, made, back)) == numbers


def test_one_fix_after_the_other_is_followed() -> None:
    first, second = fix("a", "b", DropSteps(first=0, last=0)), fix("b", "c", DropSteps(first=1, last=1))
    assert moved_steps(opened("a", FIVE), opened("c", FIVE[:2], first, second)) == {1: 0, 3: 1, 4: 2}


def test_of_a_change_that_nobody_recorded_only_what_reads_the_same_was_seen() -> None:
    before = opened("a", FIVE)
    other = Click(Point(9, 9))
    assert moved_steps(before, opened("b", (FIVE[0], other, *FIVE[2:]))) == {0: 0, 2: 2, 3: 3, 4: 4}
    assert moved_steps(before, opened("b", (FIVE[0], *FIVE[2:]))) == {0: 0}
    assert moved_steps(before, opened("c", FIVE[:3], fix("x", "c", TAIL))) == {0: 0, 1: 1, 2: 2}
