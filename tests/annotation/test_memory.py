"""What a step recalls of the steps before it, and what contradicts a memory."""

import pytest

from odyssey_recorder.annotation.findings import Evidence, Support
from odyssey_recorder.annotation.memory import LongTerm, long_term, short_term
from odyssey_recorder.annotation.memory_checks import core_said, result_said

EVIDENCE = Evidence("screenshots", "compared")


def test_the_short_term_memory_has_the_last_four_results() -> None:
    assert short_term(["", "a", "b"]) == ["a", "b"]
    assert short_term(["", "a", "b", "c", "d", "e"]) == ["b", "c", "d", "e"]


def test_the_papers_rule_loses_the_entry_of_another_app_and_ours_does_not() -> None:
    cores, apps = ["price 5", "", "sent to Ann"], ["shop", "mail", "mail"]
    assert long_term(cores, apps, "paper") == [LongTerm("mail", "sent to Ann", 2)]
    assert long_term(cores, apps, "kept") == [LongTerm("shop", "price 5", 0), LongTerm("mail", "sent to Ann", 2)]


def test_an_entry_of_the_same_app_is_replaced_and_one_of_an_unknown_app_never() -> None:
    for rule in ("paper", "kept"):
        assert long_term(["a", "b"], ["shop", "shop"], rule) == [LongTerm("shop", "b", 1)]
        assert len(long_term(["a", "b"], [None, None], rule)) == 2
    apart = ["a", "", "b"], ["shop", "mail", "shop"]
    assert len(long_term(*apart, "paper")) == 2
    assert long_term(*apart, "kept") == [LongTerm("shop", "b", 2)]


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
def test_an_action_result_is_compared_with_what_changed(words: str, had_effect: bool | None, verdict: Support) -> None:
    assert result_said(words, had_effect=had_effect, evidence=EVIDENCE).verdict is verdict


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
def test_a_core_text_says_only_what_the_screen_information_says(core: str, verdict: Support) -> None:
    assert core_said(core, "The page of the lamp Aurora, which costs 37 dollars.").verdict is verdict
