from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.tasks.templates.filling import Fillings, fill, gaps_in, identity, texts_of
from odyssey_recorder.tasks.templates.template import DateWords, DaySlotRange, Items, Numbers, Slot, Template
from tests.tasks.templates import many, template_of

FRIDAY = date(2026, 12, 4)
CITIES = Items(("Lisbon", "Kyoto", "Rome"))

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=12)
items = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4, unique=True).map(lambda of: Items(tuple(of)))
numbers = st.builds(Numbers, st.integers(0, 5), st.integers(5, 9), st.integers(1, 4), st.just("{} min"))
days = st.builds(DaySlotRange, st.integers(1, 3), st.integers(3, 6), st.sampled_from(("relative", "weekday", "date")))
slots = st.dictionaries(st.sampled_from(("what", "when", "who", "where")), st.one_of(items, numbers, days), min_size=1)


def all_fillings(template: Template) -> list[dict[str, str]]:
    fillings = Fillings(template, FRIDAY)
    return [fillings.nth(number) for number in range(fillings.count)]


def combinations_of(slots: dict[str, Slot]) -> set[tuple[str, ...]]:
    """All combinations of the slots' values without equal values for slots of the same items."""
    rivals = [
        (one, other)
        for one, other in combinations(range(len(slots)), 2)
        if isinstance([*slots.values()][one], Items) and [*slots.values()][one] == [*slots.values()][other]
    ]
    combined = product(*(texts_of(slot, FRIDAY) for slot in slots.values()))
    return {texts for texts in combined if all(texts[one] != texts[other] for one, other in rivals)}


@given(st.dictionaries(st.sampled_from(("what", "who", "n2", "a_b")), words, min_size=1), words, words)
def test_gaps_are_filled_and_all_other_text_is_kept(values: dict[str, str], before: str, after: str) -> None:
    text = before + "|".join(f"{{{name}}}" for name in values) + after
    if set(gaps_in(text)) == values.keys():
        assert fill(text, values) == before + "|".join(values.values()) + after


def test_other_braces_are_kept_and_values_are_not_filled_again() -> None:
    assert fill("{} {0} {Item} {{item}} {item!r} }{", {"item": "x"}) == "{} {0} {Item} {x} {item!r} }{"
    assert fill("Buy {item} for {who}", {"item": "{who}", "who": "{item}"}) == "Buy {who} for {item}"
    assert gaps_in("{b} to {a} and {b}") == ("b", "a", "b")


def test_identity_ignores_only_case_and_spaces() -> None:
    assert identity(" Set an  alarm\nfor 7 ") == identity("set an Alarm for 7") == identity(" set an alarm for 7")
    assert identity("Set an alarm for 7") != identity("Set an alarm for 8")


def test_numbers_advance_by_their_step() -> None:
    assert texts_of(Numbers(10, 25, 5, "{} minutes"), FRIDAY) == (
        "10 minutes", "15 minutes", "20 minutes", "25 minutes",
    )  # fmt: skip
    assert texts_of(Numbers(1, 4, 2), FRIDAY) == ("1", "3")


@pytest.mark.parametrize(
    ("named", "texts"),
    [
        ("relative", ("today", "tomorrow", "in 2 days", "in 3 days")),
        ("weekday", ("this coming Saturday", "this coming Sunday", "this coming Monday")),
        ("date", ("5 December", "6 December", "7 December")),
    ],
)
def test_days_are_named_in_three_ways(named: DateWords, texts: tuple[str, ...]) -> None:
    assert texts_of(DaySlotRange(4 - len(texts), 3, named), FRIDAY) == texts


def test_dates_continue_into_the_next_year() -> None:
    assert texts_of(DaySlotRange(27, 28, "date"), FRIDAY) == ("31 December", "1 January")


@given(st.dates(date(2024, 1, 1), date(2040, 1, 1)))
def test_days_of_a_slot_have_distinct_names(day: date) -> None:
    for slot in (DaySlotRange(0, 365), DaySlotRange(1, 7, "weekday"), DaySlotRange(1, 365, "date")):
        texts = texts_of(slot, day)
        assert len(set(texts)) == len(texts) == slot.last - slot.first + 1


@given(slots)
def test_fillings_are_exactly_the_allowed_combinations(slots: dict[str, Slot]) -> None:
    made = all_fillings(template_of(slots=slots))
    assert [tuple(values) for values in made] == [tuple(slots)] * len(made)
    found = {tuple(values.values()) for values in made}
    assert len(made) == len(found)
    assert found == combinations_of(slots)


@given(slots)
def test_template_recognizes_exactly_its_own_tasks(slots: dict[str, Slot]) -> None:
    template = template_of(slots=slots)
    fillings = Fillings(template, FRIDAY)
    for values in all_fillings(template):
        task = fill(template.meta_task, values)
        assert gaps_in(task) == ()
        assert all(value in task for value in values.values())
        assert fillings.gives(values)
        assert not fillings.gives({**values, "another": "gap"})
        assert not any(fillings.gives({**values, name: "what no gap has"}) for name in values)
        assert fillings.holds(identity(task))
        assert not fillings.holds(identity(f"{task} once more"))
        assert not fillings.holds(identity(task.replace("find", "seek")))


def test_slots_that_share_items_never_get_equal_values() -> None:
    template = template_of(slots=dict.fromkeys(("start", "middle", "end"), CITIES))
    made = all_fillings(template)
    assert len(made) == 6
    assert all(len(set(values.values())) == 3 for values in made)
    assert not Fillings(template, FRIDAY).holds(identity("find Rome and Kyoto and Rome"))
    assert not Fillings(template, FRIDAY).gives({"start": "Rome", "middle": "Kyoto", "end": "Rome"})


@pytest.mark.parametrize(
    ("meta_task", "slots", "own", "others"),
    [
        ("Do it", {}, ["do it"], ["do it now"]),
        ("{a} is {a}", {"a": Items(("x", "y"))}, ["x is x"], ["x is y"]),
        ("To {end} from {start}", {"start": CITIES, "end": CITIES}, ["to rome from kyoto"], ["to kyoto from kyoto"]),
        (
            "Find {a} and {b}",
            {"a": Items(("salt", "salt and pepper")), "b": Items(("rice", "pepper and rice"))},
            [f"find salt and {rest}rice" for rest in ("", "pepper and ", "pepper and pepper and ")],
            ["find pepper and rice"],
        ),
    ],
    ids=["no gap", "a gap twice", "slots with the same items", "items with the words between gaps"],
)
def test_template_recognizes_tasks_of_any_form(
    meta_task: str, slots: dict[str, Slot], own: list[str], others: list[str]
) -> None:
    fillings = Fillings(replace(template_of(), meta_task=meta_task, slots=slots), FRIDAY)
    assert [fillings.holds(task) for task in (*own, *others)] == [True] * len(own) + [False] * len(others)


def test_huge_number_of_fillings_can_be_counted_and_indexed() -> None:
    template = template_of(slots={name: many(9999, name) for name in ("aa", "bb", "cc", "dd", "ee")})
    fillings = Fillings(template, FRIDAY)
    assert fillings.count == 9999**5
    assert fillings.nth(fillings.count - 1) == {name: f"{name} 9998" for name in ("aa", "bb", "cc", "dd", "ee")}


def test_task_is_due_the_day_before_its_first_date() -> None:
    template = template_of(
        slots={"when": DaySlotRange(3, 5, "date"), "until": DaySlotRange(8, 9, "date"), "soon": DaySlotRange(1, 2)}
    )
    fillings = Fillings(template, FRIDAY)
    values = {"when": "8 December", "until": "12 December", "soon": "tomorrow"}
    assert fillings.due(values) == FRIDAY + timedelta(3)


def test_task_without_dates_has_no_due_date() -> None:
    fillings = Fillings(template_of(slots={"when": DaySlotRange(1, 7, "weekday"), "soon": DaySlotRange(0, 2)}), FRIDAY)
    assert fillings.due(fillings.nth(0)) is None
