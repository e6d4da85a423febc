"""Checks ANN03 to ANN12 on planted wrong texts, clean ones and the paper's own."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from odyssey_recorder.annotation.checks import check_texts
from odyssey_recorder.annotation.findings import CHECKS, Support, verdict_on
from odyssey_recorder.annotation.kinds import TextKind
from odyssey_recorder.annotation.recycled import SeenText, SeenTexts
from odyssey_recorder.annotation.said import WrittenText
from odyssey_recorder.model.action import Action, Click, Complete, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Box, Point
from odyssey_recorder.quality.evidence import StepEvidence
from tests.annotation.planted import Maker, Planted, blinded, clean_texts, is_caught
from tests.annotation.walks import Walk, walks
from tests.annotation.wordings import FRESH, HELD_OUT, TUNED, Wording
from tests.quality.evidence import ACTIONS, FIELD, evidence, with_step, without_provenance

LOW, DESCRIPTION = TextKind.INSTRUCTION, TextKind.DESCRIPTION
CONTEXT, INTENTION = TextKind.CONTEXT, TextKind.INTENTION
PAPER: tuple[tuple[str, Action], ...] = (
    ("Open the Chrome browser.", Click(Point(525, 912))),
    ("Tap the search bar.", Click(Point(589, 244))),
    ("Clear the current search query.", Click(Point(976, 172))),
    (
        "Type 'the most important property of triangle' in the search bar.",
        Type("the most important property of triangle"),
    ),
    ("Initiate the search query.", Click(Point(895, 696))),
    ("Scroll to copy the related results.", Scroll(Point(661, 622), Point(573, 671), ())),
    ("Copy the highlighted text.", Click(Point(471, 576))),
    ("Return to the home screen.", Press(SystemKey.HOME)),
    ("Create a new document.", Click(Point(967, 826))),
    ("Open the Google Docs app.", Click(Point(580, 272))),
    ("Select the copied text from the keyboard.", Click(Point(477, 506))),
    ("Create a new document in Google Docs.", Click(Point(954, 919))),
    ("Select the text at the beginning of the document.", Click(Point(265, 308))),
    (
        "Type 'the most important property of a triangle:' into the document.",
        Type("the most important property of triangle:"),
    ),
    ("Press the Enter key.", Click(Point(904, 686))),
    ("Task completed.", Complete()),
)


@pytest.fixture(scope="module")
def walked() -> Sequence[Walk]:
    return tuple(walks(5, 4))


@pytest.mark.parametrize("wording", [TUNED, HELD_OUT, FRESH])
def test_planted_wrong_texts_are_caught_and_clean_ones_are_not(walked: Sequence[Walk], wording: Wording) -> None:
    kinds, _ = told_apart(walked, wording)
    assert len(kinds) == 10


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_thirty_wrong_texts_of_each_kind_are_told_from_a_thousand_clean_ones() -> None:
    many = tuple(walks(7, 120))
    for wording in (TUNED, HELD_OUT, FRESH):
        kinds, clean = told_apart(many, wording)
        assert (len(kinds), min(kinds.values()) >= 30, clean >= 1_000) == (10, True, True), kinds


def told_apart(walked: Sequence[Walk], wording: Wording) -> tuple[Counter[str], int]:
    """How many wrong texts there are of each kind, and how many clean ones; asserts that they are told apart."""
    planted = list(Maker(walked, wording, random.Random(3)).every_kind())
    caught, clean = [one for one in planted if is_caught(one)], list(clean_texts(walked, wording, 1))
    false = [
        found
        for walk, texts in clean
        for found in check_texts(walk.evidence, texts)
        if found.verdict is Support.CONTRADICTS
    ]
    provable = [one for one in planted if has_evidence(one)]
    assert len(caught) / (len(caught) + len(false)) >= 0.97
    assert sum(map(is_caught, provable)) / len(provable) >= 0.95
    assert len(caught) / len(planted) >= 0.6
    return Counter(one.wrong for one in planted), sum(len(texts) for _, texts in clean)


def test_steps_without_a_view_hierarchy_are_not_passed_as_right(walked: Sequence[Walk]) -> None:
    chance = random.Random(1)
    half = [blinded(walk, chance, 0.5) for walk in walked]
    planted = list(Maker(half, HELD_OUT, random.Random(3)).every_kind())
    assert sum(map(is_caught, planted)) / len(planted) >= 0.6
    blind = blinded(walked[0], chance, 1.0).evidence
    found = check_texts(blind, {(0, LOW): WrittenText('Tap "Nothing of the kind".')})
    assert next(one for one in found if one.check == "ANN03").verdict is Support.COULD_NOT_LOOK
    assert next(one for one in found if one.check == "ANN07").verdict is Support.COULD_NOT_LOOK


def has_evidence(one: Planted) -> bool:
    """A key of the keyboard is in no view hierarchy, so nothing tells which element such a touch did not hit."""
    return one.walk.done[one.number].label != "Go"


def test_the_papers_sixteen_lines_raise_at_most_one_warning() -> None:
    bare = without_provenance(evidence())
    steps = tuple(
        StepEvidence(number, replace(bare.steps[0].spelled, action=action), no_views="none was stored")
        for number, (_, action) in enumerate(PAPER)
    )
    asked = "Utilize Chrome to research the key property of a Triangle and compile your findings into Google Docs."
    task = TaskInfo("Information_Management", ("Chrome", "Google Docs"), asked, asked, asked)
    episode = replace(bare.episode, task=task, steps=tuple(one.spelled for one in steps))
    texts = {(number, LOW): WrittenText(words) for number, (words, _) in enumerate(PAPER)}
    found = check_texts(replace(bare, episode=episode, steps=steps), texts)
    assert sum(one.verdict is Support.CONTRADICTS for one in found) <= 1


CLICK, TYPE, HOME, SCROLL, BACK, END = range(len(ACTIONS))
WRONG = {
    "ANN03": (CLICK, LOW, 'Tap "Trash".'),
    "ANN04": (BACK, LOW, "Scroll down."),
    "ANN05": (TYPE, LOW, 'Type "the weather in Madrid".'),
    "ANN06": (SCROLL, INTENTION, "I am scrolling up to see more."),
    "ANN07": (TYPE, DESCRIPTION, 'This is a screenshot of a list with "Apples" for 95 dollars.'),
    "ANN08": (TYPE, DESCRIPTION, "This is a screenshot of the Spotify app."),
    "ANN09": (TYPE, CONTEXT, 'So far, the user has typed "the weather in Beijing".'),
    "ANN12": (END, LOW, "I'm sorry, but I can't help with that."),
}


@pytest.mark.parametrize("check", WRONG)
def test_each_check_contradicts_with_its_evidence(check: str) -> None:
    number, kind, words = WRONG[check]
    button = replace(FIELD, box=Box(480, 940, 560, 1010), class_name="android.widget.Button", text="Search")
    shown = with_step(evidence(), CLICK, views=(button,))
    found = {one.check: one for one in check_texts(shown, {(number, kind): WrittenText(words)})}
    assert found[check].verdict is Support.CONTRADICTS
    assert found[check].evidence
    assert verdict_on(found.values()) is Support.CONTRADICTS


def test_a_text_of_another_screen_and_a_stale_one_are_contradicted() -> None:
    words = "This is a screenshot of a music player with a playlist of jazz songs for the evening."
    known = SeenText(words, DESCRIPTION, (1 << 64) - 1, "1" * 16, 3)
    found = check_texts(evidence(), {(CLICK, DESCRIPTION): WrittenText(words, "a" * 64, "b" * 64)}, SeenTexts([known]))
    assert {"ANN10", "ANN11"} <= {one.check for one in found if one.verdict is Support.CONTRADICTS}


def test_form_alone_supports_nothing() -> None:
    found = check_texts(evidence(), {(CLICK, LOW): WrittenText("Do the next thing there.", "a", "a")})
    assert verdict_on(found) is Support.COULD_NOT_LOOK
    assert {one.check for one in found} <= CHECKS.keys()


def test_texts_of_no_step_and_endless_ones_are_no_trouble() -> None:
    endless = WrittenText("Tap " + "\"'“(" * 50_000)
    found = check_texts(evidence(), {(99, LOW): WrittenText("Tap."), (CLICK, LOW): endless})
    assert {(one.step, one.check, one.verdict) for one in found if one.check == "ANN12"} == {
        (CLICK, "ANN12", Support.CONTRADICTS)
    }
