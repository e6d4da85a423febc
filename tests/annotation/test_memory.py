"""What a step recalls of the steps before it, and what contradicts a memory."""

import pytest

from odyssey_recorder.annotation.findings import Evidence, Support
from odyssey_recorder.annotation.memory import LongTerm, Memorized, Recall, long_term, short_term, told
from odyssey_recorder.annotation.memory_checks import check_core, check_result

EVIDENCE = Evidence("screenshots", "compared")


def test_short_term_memory_holds_the_last_four_results() -> None:
    assert short_term(["", "a", "b"]) == ["a", "b"]
    assert short_term(["", "a", "b", "c", "d", "e"]) == ["b", "c", "d", "e"]


def test_paper_rule_loses_entries_of_other_apps_and_ours_keeps_them() -> None:
    cores, apps = ["price 5", "", "sent to Ann"], ["shop", "mail", "mail"]
    assert long_term(cores, apps, "paper") == [LongTerm("mail", "sent to Ann", 2)]
    assert long_term(cores, apps, "kept") == [LongTerm("shop", "price 5", 0), LongTerm("mail", "sent to Ann", 2)]


def test_entry_is_replaced_only_by_one_of_the_same_known_app() -> None:
    for rule in ("paper", "kept"):
        assert long_term(["a", "b"], ["shop", "shop"], rule) == [LongTerm("shop", "b", 1)]
        assert len(long_term(["a", "b"], [None, None], rule)) == 2
    apart = ["a", "", "b"], ["shop", "mail", "shop"]
    assert len(long_term(*apart, "paper")) == 2
    assert long_term(*apart, "kept") == [LongTerm("shop", "b", 2)]


def test_told_memory_has_the_wanted_parts_and_length() -> None:
    steps = [Memorized("", "", "price 5", "shop"), *(Memorized(f"r{at}", f"s{at}", "", "shop") for at in range(1, 7))]
    assert told(steps, Recall()) == "r3 r4 r5 r6 Remembered: shop: price 5"
    assert told(steps, Recall(parts=("stm",), length=6)) == "r1 r2 r3 r4 r5 r6"
    assert told(steps[:3], Recall(parts=("screen", "ltm"))) == "On this screen: s2 Remembered: shop: price 5"
    assert told([Memorized()], Recall(parts=("stm", "ltm", "screen"))) == ""


@pytest.mark.parametrize(
    ("words", "had_effect", "verdict"),
    [
        ("Nothing changed.", False, Support.SUPPORTS),
        ("The screen remains the same.", False, Support.SUPPORTS),
        ("The list has no visible change.", True, Support.CONTRADICTS),
        ("The search field is open.", True, Support.SUPPORTS),
        ("The search field is open.", False, Support.CONTRADICTS),
        ("The text “nothing changed” is in the field.", True, Support.SUPPORTS),
        ("The search field is open.", None, Support.COULD_NOT_LOOK),
    ],
)
def test_action_result_is_checked_against_screen_changes(words: str, had_effect: bool | None, verdict: Support) -> None:
    assert check_result(words, had_effect=had_effect, evidence=EVIDENCE).verdict is verdict


@pytest.mark.parametrize(
    ("core", "verdict"),
    [
        ("The lamp costs 37 dollars.", Support.SUPPORTS),
        ("The lamp costs 73 dollars.", Support.CONTRADICTS),
        ("The lamp is sold by Meridian.", Support.CONTRADICTS),
        ("The lamp is “Aurora”.", Support.SUPPORTS),
        ("The lamp is cheap.", Support.COULD_NOT_LOOK),
    ],
)
def test_core_text_is_checked_against_the_screen_information(core: str, verdict: Support) -> None:
    assert check_core(core, "The page of the lamp Aurora, which costs 37 dollars.").verdict is verdict
