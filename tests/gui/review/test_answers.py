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
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.quality.finding import Criterion
from odyssey_recorder.quality.reviewing.review import Fix, Judgement, Rating
from odyssey_recorder.quality.reviewing.views import OpenedReview
from tests.episodes import episode
from tests.gui.review.opened import reviewed


def test_another_episode_goes_on_from_what_was_counted_of_it() -> None:
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


def test_the_answers_stand_in_the_order_of_the_questions_and_the_last_word_counts() -> None:
    answers = filled(*(passed(one) for one in reversed(QUESTIONS)), failed(Criterion.SEQUENCE, "gap"))
    assert answers.lacking() is None
    assert [one.criterion for one in answers.all_three()] == list(QUESTIONS)
    given = answers.judgement(Criterion.SEQUENCE)
    assert given is not None
    assert given.answer is Rating.FAIL


@pytest.mark.parametrize(
    ("incomplete", "asked"),
    [
        (failed(Criterion.SEQUENCE), "Choose a reason"),
        (failed(Criterion.SEQUENCE, "blank"), "Choose a reason"),  # a reason for another question
        (failed(Criterion.SEQUENCE, "other"), "Describe it"),
        (failed(Criterion.SEQUENCE, "other", words="  "), "Describe it"),
    ],
)
def test_what_is_not_passed_needs_a_reason_of_its_own_question_or_words(incomplete: Judgement, asked: str) -> None:
    answers = filled(passed(Criterion.SCREENSHOTS), incomplete, passed(Criterion.INSTRUCTION))
    assert answers.lacking() == (Criterion.SEQUENCE, f"{asked}: {QUESTIONS[Criterion.SEQUENCE]}")


def test_answers_and_what_was_seen_follow_the_steps_to_their_new_numbers() -> None:
    answers = filled(failed(Criterion.SCREENSHOTS, "blank", step=4), failed(Criterion.SEQUENCE, "gap", step=1))
    moved = replace(answers, seen=frozenset({0, 1, 4})).moved({0: 0, 2: 1, 3: 2, 4: 3})
    assert [one.step for one in moved.judgements] == [3, None]
    assert moved.seen == {0, 3}


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
def test_a_fix_moves_what_comes_after(amendment: Amendment, steps: Sequence[Action], numbers: dict[int, int]) -> None:
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
