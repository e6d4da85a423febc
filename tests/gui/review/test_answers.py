"""Unsubmitted answers: the time spent, what is missing, and how a fix changes them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from odyssey_recorder.dataset.amendment import Amendment, DropSteps, DropTail, NewInstruction
from odyssey_recorder.gui.review.answers import QUESTIONS, ReviewAnswers, Stopwatch, moved_steps
from odyssey_recorder.model.action import Action, Click, Complete
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.review.review import Fix, Judgement, Rating
from odyssey_recorder.review.views import OpenedReview
from tests.episodes import episode
from tests.gui.review.opened_reviews import opened_review


def test_stopwatch_continues_from_a_given_time() -> None:
    now_s = iter((100.0, 109.0, 112.0))
    watch = Stopwatch(lambda: next(now_s))
    watch.run(on=True)
    watch.set(20.0)
    assert watch.seconds == 23


def passed(criterion: Criterion) -> Judgement:
    return Judgement(criterion=criterion, answer=Rating.PASS)


def failed(criterion: Criterion, reason: str = "", *, words: str = "", step: int | None = None) -> Judgement:
    return Judgement(criterion=criterion, answer=Rating.FAIL, reason=reason, words=words, step=step)


def filled(*judgements: Judgement) -> ReviewAnswers:
    answers = ReviewAnswers()
    for one in judgements:
        answers = answers.judged(one)
    return answers


def test_answers_keep_question_order_and_the_last_one_counts() -> None:
    answers = filled(*(passed(one) for one in reversed(QUESTIONS)), failed(Criterion.SEQUENCE, "gap"))
    assert answers.incomplete() is None
    assert [one.criterion for one in answers.all_three()] == list(QUESTIONS)
    given = answers.judgement(Criterion.SEQUENCE)
    assert given is not None
    assert given.answer is Rating.FAIL


@pytest.mark.parametrize(
    ("incomplete", "requested"),
    [
        (failed(Criterion.SEQUENCE), "Choose a reason"),
        (failed(Criterion.SEQUENCE, "blank"), "Choose a reason"),  # a reason for another question
        (failed(Criterion.SEQUENCE, "other"), "Describe it"),
        (failed(Criterion.SEQUENCE, "other", words="  "), "Describe it"),
    ],
)
def test_failed_answer_needs_a_reason_for_its_question(incomplete: Judgement, requested: str) -> None:
    answers = filled(passed(Criterion.SCREENSHOTS), incomplete, passed(Criterion.INSTRUCTION))
    assert answers.incomplete() == (Criterion.SEQUENCE, f"{requested}: {QUESTIONS[Criterion.SEQUENCE]}")


def test_answers_and_seen_steps_are_renumbered() -> None:
    answers = filled(failed(Criterion.SCREENSHOTS, "blank", step=4), failed(Criterion.SEQUENCE, "gap", step=1))
    moved = replace(answers, seen=frozenset({0, 1, 4})).moved({0: 0, 2: 1, 3: 2, 4: 3})
    assert [one.step for one in moved.judgements] == [3, None]
    assert moved.seen == {0, 3}


CLICKS = tuple(Click(Point(place, place)) for place in (1, 2, 3, 4))
DROP, END_EARLIER = DropSteps(first=1, last=2), DropTail(at=2)


def opened(revision: str, steps: Sequence[Action], *entries: Fix) -> OpenedReview:
    recorded = episode(*steps, Complete())
    return replace(opened_review(Path("shots"), recorded, entries=entries), revision=revision)


def fix(before: str, after: str, amendment: Amendment | None, undoes: str = "") -> Fix:
    return Fix(
        id=uuid4().hex, at=datetime(2026, 3, 1, tzinfo=UTC), by="Rosa", amendment=amendment, why="", before=before,
        after=after, undoes=undoes,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("amendment", "steps", "numbers"),
    [
        (DROP, (CLICKS[0], CLICKS[3]), {0: 0, 3: 1, 4: 2}),
        (END_EARLIER, CLICKS[:2], {0: 0, 1: 1}),
        (NewInstruction(instruction="Else"), CLICKS, {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}),
    ],
)
def test_fix_renumbers_later_steps(amendment: Amendment, steps: Sequence[Action], numbers: dict[int, int]) -> None:
    after = opened("b", steps, fix("a", "b", amendment))
    assert moved_steps(opened("a", CLICKS), after) == numbers


@pytest.mark.parametrize(("amendment", "numbers"), [(DROP, {0: 0, 1: 3, 2: 4}), (END_EARLIER, {0: 0, 1: 1})])
def test_restored_steps_count_as_new(amendment: Amendment, numbers: dict[int, int]) -> None:
    drop = fix("a", "b", amendment)
    undo = fix("b", "a", None, undoes=drop.id)
    before = opened("b", CLICKS[:2], drop)
    assert moved_steps(before, opened("a", CLICKS, drop, undo)) == numbers


def test_successive_fixes_are_followed() -> None:
    first, second = fix("a", "b", DropSteps(first=0, last=0)), fix("b", "c", DropSteps(first=1, last=1))
    assert moved_steps(opened("a", CLICKS), opened("c", CLICKS[:2], first, second)) == {1: 0, 3: 1, 4: 2}


def test_unrecorded_change_keeps_only_identical_steps() -> None:
    before = opened("a", CLICKS)
    other = Click(Point(9, 9))
    assert moved_steps(before, opened("b", (CLICKS[0], other, *CLICKS[2:]))) == {0: 0, 2: 2, 3: 3, 4: 4}
    assert moved_steps(before, opened("b", (CLICKS[0], *CLICKS[2:]))) == {0: 0}
    assert moved_steps(before, opened("c", CLICKS[:3], fix("x", "c", END_EARLIER))) == {0: 0, 1: 1, 2: 2}
