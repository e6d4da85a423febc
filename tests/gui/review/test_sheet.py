"""What is filled in of an episode: what is missing of it, and what becomes of it when the episode is fixed."""

from dataclasses import replace

import pytest

from odyssey_recorder.gui.review.sheet import QUESTIONS, Sheet, unseen
from odyssey_recorder.quality.finding import Criterion
from odyssey_recorder.quality.reviewing.review import Judgement, Rating


def passed(criterion: Criterion) -> Judgement:
    return Judgement(criterion=criterion, answer=Rating.PASS)


def failed(criterion: Criterion, reason: str = "", *, words: str = "", step: int | None = None) -> Judgement:
    return Judgement(criterion=criterion, answer=Rating.FAIL, reason=reason, words=words, step=step)


def filled(*judgements: Judgement) -> Sheet:
    sheet = Sheet()
    for one in judgements:
        sheet = sheet.judged(one)
    return sheet


def test_an_empty_sheet_asks_for_the_first_question() -> None:
    assert Sheet().lacking() == (Criterion.PICTURES, "Answer this first: Are all screenshots there and right?")


def test_the_answers_stand_in_the_order_of_the_questions_and_the_last_word_counts() -> None:
    sheet = filled(*(passed(one) for one in reversed(QUESTIONS)), failed(Criterion.SEQUENCE, "gap"))
    assert sheet.lacking() is None
    assert [one.criterion for one in sheet.all_three()] == list(QUESTIONS)
    given = sheet.judgement(Criterion.SEQUENCE)
    assert given is not None
    assert given.answer is Rating.FAIL


@pytest.mark.parametrize(
    ("incomplete", "asked"),
    [
        (failed(Criterion.SEQUENCE), "Choose a reason"),
        (failed(Criterion.SEQUENCE, "blank"), "Choose a reason"),  # one of another question
        (failed(Criterion.SEQUENCE, "other"), "Say in words what it is"),
        (failed(Criterion.SEQUENCE, "other", words="  "), "Say in words what it is"),
    ],
)
def test_what_is_not_passed_needs_a_reason_of_its_own_question_or_words(incomplete: Judgement, asked: str) -> None:
    sheet = filled(passed(Criterion.PICTURES), incomplete, passed(Criterion.INSTRUCTION))
    assert sheet.lacking() == (Criterion.SEQUENCE, f"{asked}: {QUESTIONS[Criterion.SEQUENCE]}")


def test_answers_and_what_was_seen_follow_the_steps_to_their_new_numbers() -> None:
    sheet = filled(failed(Criterion.PICTURES, "blank", step=4), failed(Criterion.SEQUENCE, "gap", step=1))
    moved = replace(sheet, seen=frozenset({0, 1, 4})).moved({0: 0, 2: 1, 3: 2, 4: 3})
    assert [one.step for one in moved.judgements] == [3, None]
    assert moved.seen == {0, 3}


def test_the_steps_that_were_not_seen_are_known() -> None:
    assert unseen(frozenset({0, 2, 9}), 4) == (1, 3)
