"""Checks ANN03 to ANN12 on wrong texts, correct texts and those of the paper."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from odyssey_recorder.annotation.checks import check_texts
from odyssey_recorder.annotation.findings import CHECKS, Support, verdict_on
from odyssey_recorder.annotation.near_duplicates import SeenText, SeenTexts
from odyssey_recorder.annotation.text_in_context import WrittenText
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.checking.evidence import StepEvidence
from odyssey_recorder.model.action import Action, Click, Complete, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Box, Point
from tests.annotation.played_episodes import PlayedEpisode, play_episodes
from tests.annotation.wordings import FRESH, HELD_OUT, TUNED, Wording
from tests.annotation.wrong_texts import WrongTextMaker, clean_texts, is_caught, without_views
from tests.checking.evidence import ACTIONS, FIELD, evidence, with_step, without_provenance

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
def episodes() -> Sequence[PlayedEpisode]:
    return tuple(play_episodes(5, 4))


@pytest.mark.parametrize("wording", [TUNED, HELD_OUT, FRESH])
@pytest.mark.parametrize("is_small", [True, pytest.param(False, marks=[pytest.mark.soak, pytest.mark.timeout(300)])])
def test_wrong_texts_are_caught_and_correct_ones_are_not(
    episodes: Sequence[PlayedEpisode], wording: Wording, is_small: bool
) -> None:
    if not is_small:
        episodes = tuple(play_episodes(7, 120))
    wrong_texts = list(WrongTextMaker(episodes, wording, random.Random(3)).of_every_kind())
    caught, correct = [one for one in wrong_texts if is_caught(one)], list(clean_texts(episodes, wording, 1))
    of_correct = (one for episode, texts in correct for one in check_texts(episode.evidence, texts))
    false = [one for one in of_correct if one.verdict is Support.CONTRADICTS]
    # A key of the keyboard is in no view hierarchy, so the wrong element cannot be ruled out.
    provable = [one for one in wrong_texts if one.played.steps[one.number].label != "Go"]
    assert len(caught) / (len(caught) + len(false)) >= 0.97
    assert sum(map(is_caught, provable)) / len(provable) >= 0.95
    assert len(caught) / len(wrong_texts) >= 0.6
    kinds = Counter(one.wrong for one in wrong_texts)
    assert len(kinds) == 10
    assert is_small or (min(kinds.values()) >= 30 and sum(len(texts) for _, texts in correct) >= 1_000), kinds


def test_steps_without_a_view_hierarchy_are_not_confirmed(episodes: Sequence[PlayedEpisode]) -> None:
    rng = random.Random(1)
    half = [without_views(episode, rng, 0.5) for episode in episodes]
    wrong_texts = list(WrongTextMaker(half, HELD_OUT, random.Random(3)).of_every_kind())
    assert sum(map(is_caught, wrong_texts)) / len(wrong_texts) >= 0.6
    blind = without_views(episodes[0], rng, 1.0).evidence
    found = check_texts(blind, {(0, LOW): WrittenText('Tap "Nothing of the kind".')})
    assert next(one for one in found if one.check == "ANN03").verdict is Support.COULD_NOT_LOOK
    assert next(one for one in found if one.check == "ANN07").verdict is Support.COULD_NOT_LOOK


def test_sixteen_texts_of_the_paper_raise_at_most_one_warning() -> None:
    bare = without_provenance(evidence())
    steps = tuple(
        StepEvidence(number, replace(bare.steps[0].spelled, action=action), no_views="none was stored")
        for number, (_, action) in enumerate(PAPER)
    )
    instruction = (
        "Utilize Chrome to research the key property of a Triangle and compile your findings into Google Docs."
    )
    task = TaskInfo("Information_Management", ("Chrome", "Google Docs"), instruction, instruction, instruction)
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
def test_each_check_gives_evidence_for_a_contradiction(check: str) -> None:
    number, kind, words = WRONG[check]
    button = replace(FIELD, box=Box(480, 940, 560, 1010), class_name="android.widget.Button", text="Search")
    shown = with_step(evidence(), CLICK, views=(button,))
    found = {one.check: one for one in check_texts(shown, {(number, kind): WrittenText(words)})}
    assert found[check].verdict is Support.CONTRADICTS
    assert found[check].evidence
    assert verdict_on(found.values()) is Support.CONTRADICTS


def test_recycled_and_stale_texts_are_contradicted() -> None:
    words = "This is a screenshot of a music player with a playlist of jazz songs for the evening."
    known = SeenText(words, DESCRIPTION, (1 << 64) - 1, "1" * 16, 3)
    found = check_texts(evidence(), {(CLICK, DESCRIPTION): WrittenText(words, "a" * 64, "b" * 64)}, SeenTexts([known]))
    assert {"ANN10", "ANN11"} <= {one.check for one in found if one.verdict is Support.CONTRADICTS}


def test_good_format_alone_supports_nothing() -> None:
    found = check_texts(evidence(), {(CLICK, LOW): WrittenText("Do the next thing there.", "a", "a")})
    assert verdict_on(found) is Support.COULD_NOT_LOOK
    assert {one.check for one in found} <= CHECKS.keys()


def test_texts_of_missing_steps_and_huge_texts_are_handled() -> None:
    endless = WrittenText("Tap " + "\"'“(" * 50_000)
    found = check_texts(evidence(), {(99, LOW): WrittenText("Tap."), (CLICK, LOW): endless})
    assert {(one.step, one.check, one.verdict) for one in found if one.check == "ANN12"} == {
        (CLICK, "ANN12", Support.CONTRADICTS)
    }
