"""Typed text, derived from readings of the field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.recording.events import FieldRead
from odyssey_recorder.recording.typing import FieldReadings, Typed, typed_text


@pytest.mark.parametrize(
    ("before", "after", "typed"),
    [
        ("", "milk", "milk"),
        ("to ", "to buy", "buy"),
        ("to milk", "to buymilk", "buy"),
        ("to milk", "to buy milk", None),
        ("ab", "aXb", "X"),
        ("aa", "aaa", "a"),
        ("mlk", "milk", "i"),
        ("milk", "milk", None),
        ("milk", "mil", None),
        ("teh", "the cat", None),
        ("cba", "cbcba", None),
    ],
)
def test_typed_text_is_the_unambiguous_difference(before: str, after: str, typed: str | None) -> None:
    assert typed_text(before, after) == typed


@given(st.text("abc", max_size=5), st.text("abc", min_size=1, max_size=5), st.data())
def test_typed_text_always_produces_the_new_text(before: str, inserted: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(before)))
    after = before[:at] + inserted + before[at:]
    typed = typed_text(before, after)

    if typed is not None:
        assert any(before[:i] + typed + before[i:] == after for i in range(len(before) + 1))
    if at == len(before):
        assert typed == inserted


def readings(*entries: tuple[str | None, int, int]) -> FieldReadings:
    field = FieldReadings()
    for text, requested_ns, answered_ns in entries:
        field.add(FieldRead(text, requested_ns, answered_ns))
    return field


def test_text_between_two_readings_is_certain() -> None:
    field = readings(("x", 5, 6), ("to ", 11, 12), ("to b", 25, 26), ("to buy", 41, 45))

    assert field.typed(10, 20, 40, 50, strokes=9) == Typed("buy", certain=True)


@pytest.mark.parametrize(
    ("field", "guess"),
    [
        pytest.param(readings(("to ", 9, 12), ("to buy", 41, 45)), "to buy", id="the field may have been another"),
        pytest.param(readings(("to ", 11, 21), ("to buy", 41, 45)), "to buy", id="a key may have been in it already"),
        pytest.param(readings(("to ", 11, 12), ("to buy", 39, 45)), "buy", id="the last key may not have been in it"),
        pytest.param(readings(("to ", 11, 12), ("to buy", 41, 51)), "", id="it may have been left by then"),
        pytest.param(readings(("to ", 11, 12), (None, 41, 45)), "", id="it could not be read"),
        pytest.param(readings(("buy", 11, 12), ("buy", 41, 45)), "buy", id="nothing was typed"),
        pytest.param(readings(), "", id="it was never read"),
    ],
)
def test_any_other_text_is_a_guess(field: FieldReadings, guess: str) -> None:
    assert field.typed(10, 20, 40, 50, strokes=9) == Typed(guess, certain=False)


@pytest.mark.parametrize(
    ("before", "after", "strokes", "typed"),
    [
        pytest.param("Note", "milk", 5, Typed("milk", certain=True), id="nothing is left of what may be a hint"),
        pytest.param("Title", "Tomato", 6, Typed("Tomato", certain=True), id="a key stroke for each character"),
        pytest.param("Title", "Tomato", 7, Typed("Tomato", certain=False), id="some of it may have been there"),
        pytest.param("Search", "Search party", 12, Typed(" party", certain=False), id="it may have been a hint"),
        pytest.param("Search", "Search party", 6, Typed(" party", certain=True), id="it was no hint"),
        pytest.param("", "milk", 4, Typed("milk", certain=True), id="an empty field"),
        pytest.param("milk", "", 4, Typed("", certain=False), id="all was taken away"),
    ],
)
def test_hints_are_distinguished_from_text(before: str, after: str, strokes: int, typed: Typed) -> None:
    field = readings((before, 11, 12), (after, 41, 45))

    assert field.typed(10, 20, 40, 50, strokes=strokes) == typed


def test_different_fields_are_not_compared() -> None:
    field = FieldReadings()
    field.add(FieldRead("", 11, 12, "title"))
    field.add(FieldRead("milk", 41, 45, "body"))

    assert field.typed(10, 20, 40, 50, strokes=8) == Typed("milk", certain=False)


def test_reading_requested_after_the_last_key_ends_the_text() -> None:
    field = readings(("to ", 11, 12))
    assert not field.tells_end_of(40)
    field.add(FieldRead(None, 40, 41))
    assert field.tells_end_of(40)
