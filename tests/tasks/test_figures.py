import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.tasks.wording.quantities import QuantityKind, read_quantities


def values(text: str) -> list[tuple[QuantityKind, str]]:
    return [(figure.kind, figure.value) for figure in read_quantities(text)[0]]


@pytest.mark.parametrize(
    "texts",
    [
        ("at 7 pm", "at 19:00", "at seven in the evening", "at 7 p.m.", "at 7 o'clock in the evening"),
        ("at 6:45", "at 06:45", "at a quarter to seven", "at 6.45 am"),
        ("at 7:30", "at half past seven", "at 7:30 am"),
        ("at noon", "at 12:00", "at midday", "at 12 pm"),
        ("at midnight", "at 00:00", "at 12 am"),
        (
            "on 4 December",
            "on December 4",
            "on December 4th: ",
            "on Dec. 4th",
            "on the fourth of December",
            "on December the 4th",
        ),
        ("tomorrow", "in 1 day", "in one day"),
        ("in 7 days", "in a week", "in seven days", "7 days from now", "a week from today"),
        ("on next Friday", "on next friday"),
        ("every Monday", "each Monday", "on Mondays"),
        ("$20", "20 dollars", "twenty dollars", "20 USD", "$20.00"),
        ("20 %", "20%", "twenty percent", "20 per cent"),
        ("30 minutes", "half an hour", "thirty minutes", "30 min", "a 30-minute"),
        ("90 minutes", "an hour and a half", "1 hour and 30 minutes", "one hour and 30 minutes"),
        ("6 minutes and 30 seconds", "six and a half minutes", "390 seconds"),
        ("2,500 steps", "2500 steps", "two thousand five hundred steps"),
        ("105", "a hundred and five", "one hundred five"),
        ("12 eggs", "a dozen eggs", "twelve eggs"),
    ],
    ids=lambda texts: texts[0],
)
def test_spellings_of_one_figure_have_the_same_value(texts: tuple[str, ...]) -> None:
    assert [values(text) for text in texts] == [values(texts[0])] * len(texts)
    assert len(values(texts[0])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7:20", "7:20 pm"),
        ("$20", "20 euros"),
        ("20", "20 percent"),
        ("20 minutes", "20 hours"),
        ("4 December", "5 December"),
        ("Friday", "next Friday"),
        ("Friday", "every Friday"),
        ("in 3 days", "in 3 weeks"),
        ("twenty-five", "twenty"),
        ("1.5", "15"),
    ],
)
def test_different_figures_have_different_values(one: str, other: str) -> None:
    assert set(values(one)).isdisjoint(values(other))


@pytest.mark.parametrize(
    "text", ["A 4K TV with USB-C", "an mp3 player", "May I see it?", "someone else", "to do it now"]
)
def test_words_that_only_resemble_figures_are_ignored(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [("daily", "day"), ("every morning", "day"), ("each day", "day"), ("once a week", "week"), ("monthly", "month")],
)
def test_frequencies_are_read(text: str, value: str) -> None:
    assert values(text) == [(QuantityKind.FREQUENCY, value)]


@pytest.mark.parametrize("text", ["one of them", "give me a minute", "the two of us", "the first result", "tonight"])
def test_idiomatic_numbers_are_loose(text: str) -> None:
    (figure,) = read_quantities(text)[0]
    assert figure.is_loose


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("under $20", "most"),
        ("for no more than $20", "most"),
        ("$20 or less", "most"),
        ("before 8:00", "most"),
        ("over $20", "least"),
        ("at least 20", "least"),
        ("more than 20", "least"),
        ("no less than 20", "least"),
        ("after 8:00", "least"),
        ("for $20", ""),
    ],
)
def test_upper_and_lower_limits_are_recognized(text: str, limit: str) -> None:
    (figure,) = read_quantities(text)[0]
    assert figure.limit == limit


def test_remaining_text_contains_no_figures() -> None:
    figures, rest = read_quantities("Set 2 alarms for 7:20 tomorrow")
    assert [figure.said for figure in figures] == ["2", "7:20", "tomorrow"]
    assert rest.split() == ["Set", "alarms", "for"]


@given(st.integers(0, 999_999))
def test_numbers_are_read_with_and_without_commas(number: int) -> None:
    assert values(f"{number}") == values(f"{number:,}") == [(QuantityKind.NUMBER, str(number))]


@given(st.integers(0, 23), st.integers(0, 59))
def test_12_hour_and_24_hour_times_are_equal(hour: int, minute: int) -> None:
    half = "am" if hour < 12 else "pm"
    assert values(f"{hour}:{minute:02}") == values(f"{hour % 12 or 12}:{minute:02} {half}")


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    figures, rest = read_quantities(text)
    assert "\x1f" not in rest or "\x1f" in text
    assert all(figure.value for figure in figures)
