"""What an annotator may mark as proof: goals that follow from what changed on the device and on its screen."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.dataset.goal_proposals import MOST, proposals, proves
from odyssey_recorder.dataset.goals import TaskGoal

BEFORE: dict[str, Any] = {
    "notes": {"notes": [{"title": "Milk", "body": "Two litres"}, {"title": "Tea", "body": ""}]},
    "settings": {"secure": {"ui_night_mode": "1", "notify_com.shop": "1"}},
    "content": {"content://sms": [{"_id": "7", "address": "555-0100", "body": "See you"}]},
    "files": {"/sdcard/Download/": ["list.txt"]},
    "screen": [{"text": "Clock", "description": "", "id": "app:id/title"}],
}


def changed(**after: Any) -> list[str]:
    return [goal.in_words for goal in proposals(BEFORE, {**BEFORE, **after})]


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (
            {"notes": {"notes": [{"title": "Milk", "body": "One litre"}, {"title": "Tea", "body": ""}]}},
            ["notes > notes “Milk” > body is “One litre”"],
        ),
        ({"notes": {"notes": [{"title": "Tea", "body": ""}]}}, ["notes > notes “Milk” does not exist any more"]),
        (
            {"notes": {"notes": [*BEFORE["notes"]["notes"], {"title": "Oats", "body": "500 g"}]}},
            ["notes > notes “Oats” exists", "notes > notes “Oats” > body is “500 g”"],
        ),
        (
            {"settings": {"secure": {"ui_night_mode": "2", "notify_com.shop": "0"}}},
            ["settings > secure > notify_com.shop is “0”", "settings > secure > ui_night_mode is “2”"],
        ),
        ({"files": {"/sdcard/Download/": ["list.txt", "a.pdf"]}}, ["files > /sdcard/Download/ is “a.pdf”"]),
        (
            {"screen": [{"text": "10:21", "description": "", "id": ""}, *BEFORE["screen"]]},
            ["The screen shows “10:21”"],
        ),
        ({}, []),
    ],
)
def test_what_changed_is_proposed(after: dict[str, Any], words: list[str]) -> None:
    assert changed(**after) == words


def test_new_row_of_a_provider_is_told_by_its_text_not_by_its_number() -> None:
    rows = [*BEFORE["content"]["content://sms"], {"_id": "8", "address": "555-0100", "body": "At ten"}]
    first = proposals(BEFORE, {**BEFORE, "content": {"content://sms": rows}})[0]
    assert first == TaskGoal(path=r"content.content://sms[body=At ten]", op="any")


def test_what_the_instruction_names_comes_first() -> None:
    after = {"settings": {"secure": {"ui_night_mode": "2", "brightness": "40"}}}
    assert proposals({}, after, "Set the brightness to 40")[0].path == "settings.secure.brightness"
    assert proposals({}, after, "Be kind to my eyes")[0].path == "settings.secure.brightness"  # in order
    assert proposals({}, after, "Turn on ui_night_mode")[0].path == "settings.secure.ui_night_mode"


def test_entries_with_the_same_text_are_not_confused() -> None:
    rows = [{"text": "Yes", "mine": True}, {"text": "Yes", "mine": False}]
    found = proposals({"chat": []}, {"chat": rows})
    assert all(proves(goal, {"chat": []}, {"chat": rows}) for goal in found)


def test_long_texts_and_many_changes_stay_few() -> None:
    after = {"settings": {str(number): "x" for number in range(500)} | {"long": "y" * 10_000}}
    found = proposals({"settings": {}}, after)
    assert len(found) == MOST
    assert all(len(str(goal.value)) < 1000 for goal in found)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
FACTS = st.dictionaries(st.text(min_size=1, max_size=5).filter(lambda name: name != "screen"), VALUES, max_size=3)


@settings(max_examples=150, deadline=None)
@given(before=FACTS, after=FACTS)
def test_every_proposal_holds_now_and_not_at_the_start(before: dict[str, Any], after: dict[str, Any]) -> None:
    for goal in proposals(before, after):
        assert goal.is_met(before, after)
        assert not goal.is_met(before, before)
        assert TaskGoal.model_validate_json(goal.model_dump_json()) == goal
        assert goal.in_words
