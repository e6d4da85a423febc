from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.dataset_index.filter import MOST_VALUES, Compared, Filter, Key, Term, parse_filter
from odyssey_recorder.dataset_index.search_words import words_of
from odyssey_recorder.errors import FilterError
from tests.dataset_index.oracle import filters


def test_example_of_the_guide_is_parsed() -> None:
    parsed = parse_filter(
        'category:Multi_Apps device:"Pixel Fold"|"Pixel Tablet" steps:>20 -verdict:"Sent back" recorded:>=2026-11-01 '
        'finding:IMG06 split:app/test text:"an invoice" milk'
    )
    assert parsed.terms == (
        Term(Key.CATEGORY, ("Multi_Apps",)),
        Term(Key.DEVICE, ("Pixel Fold", "Pixel Tablet")),
        Term(Key.STEPS, (Compared(">", 20),)),
        Term(Key.VERDICT, ("sent-back",), negated=True),
        Term(Key.RECORDED, (Compared(">=", date(2026, 11, 1)),)),
        Term(Key.FINDING, ("IMG06",)),
        Term(Key.SPLIT, ("app/test",)),
        Term(Key.TEXT, ("an invoice",)),
        Term(Key.TEXT, ("milk",)),
    )


def test_term_has_its_position() -> None:
    first, second = parse_filter('  -app:"Google Docs"  x').terms
    assert (first.start, first.end, second.start, second.end) == (2, 20, 22, 23)


@pytest.mark.parametrize("text", ["", "  \t\n"])
def test_blank_text_is_a_filter_without_terms(text: str) -> None:
    assert parse_filter(text) == Filter()


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("x categroy:Multi_Apps", (2, 11), "Did you mean “category:”?"),
        ("qqq:x", (0, 4), "The keys are category, device"),
        ('device:"Pixel Fold', (7, 18), "A quote is not closed"),
        ('device:"Pixel"Fold', (14, 15), "goes on after its quote"),
        ("steps:many", (6, 10), "“many” is not a number of steps"),
        ("steps:>1000000000", (6, 17), "is not a number of steps"),
        ("steps:9..5", (6, 10), "“9” comes after “5”"),
        ("recorded:2026-13-01", (9, 19), "is not a day"),
        ("recorded:yesterday", (9, 18), "Write it as 2026-11-01"),
        ("verdict:acepted", (8, 15), "Did you mean “accepted”?"),
        ("ending:", (7, 7), "A value is missing"),
        ("x -", (3, 3), "A value is missing"),
        ("app:Chrome|", (11, 11), "A value is missing"),
        ("app:Chrome|device:x", (11, 18), "separates values of one key"),
        ("split:app/dev", (6, 13), "is not a split"),
        ('bread "&" milk', (6, 9), "no letter or digit"),
        ("a \ud800", (2, 3), "invalid"),
    ],
)
def test_error_has_its_position(text: str, place: tuple[int, int], words: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert (caught.value.start, caught.value.end) == place
    assert words in str(caught.value)


def test_too_many_values_are_rejected() -> None:
    with pytest.raises(FilterError, match=f"at most {MOST_VALUES}"):
        parse_filter("id:" + "|".join(map(str, range(MOST_VALUES + 1))))


@given(filters)
def test_printed_filter_is_parsed_back(wanted: Filter) -> None:
    assert parse_filter(str(wanted)) == wanted


@given(st.text())
def test_any_text_is_a_filter_or_an_error_within_it(text: str) -> None:
    try:
        wanted = parse_filter(text)
    except FilterError as error:
        place = range(len(text) + 1)
        assert error.start in place and error.end in place  # noqa: PT017, PT018 - either is fine
    else:
        assert parse_filter(str(wanted)) == wanted


def test_choosing_replaces_the_values_of_one_key() -> None:
    wanted = parse_filter("app:Chrome category:a|b milk -category:c")
    assert wanted.chosen(Key.CATEGORY) == {"a", "b"}
    assert str(wanted.choosing(Key.CATEGORY, ["b", "two words"])) == 'app:Chrome category:b|"two words" milk'
    assert str(wanted.choosing(Key.CATEGORY, [])) == "app:Chrome milk"
    assert str(wanted.choosing(Key.STEPS, ["10..14"])) == f"{wanted} steps:10..14"
    with pytest.raises(FilterError):
        wanted.choosing(Key.STEPS, ["ten"])


def test_words_ignore_case_accents_and_punctuation() -> None:
    assert words_of("Café: STRASSE, Straße_1!") == ["cafe", "strasse", "strasse", "1"]
    assert words_of("发票 ok") == ["发", "票", "ok"]
