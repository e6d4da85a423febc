import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.task.wording.proposing import TOO_ALIKE, likeness, nearest


def test_alike_is_twice_what_two_texts_share_in_order_over_their_lengths() -> None:
    assert likeness("the cat sat here", "the dog sat") == pytest.approx(2 * 2 / 7)
    assert likeness("Find {dish}, and save it.", "find {food} and SAVE it") == 1.0


def test_the_same_in_one_other_word_is_too_much_alike_and_another_errand_is_not() -> None:
    template = "Find a recipe for {dish} and save it in a note"
    assert likeness(template, "Find a recipe for {food} and keep it in a note") > TOO_ALIKE
    assert likeness(template, "Set an alarm for {time} and turn on {feature}") < TOO_ALIKE


def test_the_nearest_is_told_with_how_much_it_is_alike() -> None:
    assert nearest("a b c", {"one": "a b d", "two": "a b c", "three": "x"}) == ("two", 1.0)
    assert nearest("a b c", {}) == ("", 0.0)


@given(st.text(), st.text())
def test_likeness_is_mutual_and_between_nothing_and_all(one: str, other: str) -> None:
    assert 0.0 <= likeness(one, other) == likeness(other, one) <= 1.0
