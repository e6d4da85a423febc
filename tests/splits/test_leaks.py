"""The leak report: each planted leak is found, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from odyssey_recorder.checking import thresholds
from odyssey_recorder.splits import leaks
from odyssey_recorder.splits.drawing import Split, Unit
from odyssey_recorder.splits.episodes import SplitEpisode
from odyssey_recorder.splits.leaks import Leak, LeakReport, leak_report
from tests.splits.split_facts import facts, split

EPISODES = [facts(number, device=f"Device {number}") for number in range(24)]
"""Nothing is in two of them; every category is on both sides of `train` and `test`."""
TRAIN, TEST = range(18), range(18, 24)
ONE, OTHER = 0, 18
"""An episode of train and one of test."""


def reported(
    kind: str, episodes: list[SplitEpisode], *, unit: Unit = "take", splits: tuple[Split, ...] = ()
) -> LeakReport:
    return leak_report(splits or [split(kind, TRAIN, TEST)], episodes, unit=unit)


def found(kind: str, episodes: list[SplitEpisode], *, unit: Unit = "take") -> list[tuple[str, str, str, int]]:
    (one,) = reported(kind, episodes, unit=unit).splits
    return [(leak.level, leak.name, leak.severity, len(leak.ids)) for leak in one.leaks]


def with_shared_values(**keys: Any) -> list[SplitEpisode]:
    """The episodes, where the two have the same values in these fields."""
    changed = {number: replace(EPISODES[number], **keys) for number in (ONE, OTHER)}
    return [changed.get(number, one) for number, one in enumerate(EPISODES)]


@pytest.mark.parametrize("kind", ["random", "task", "device", "app", "mine"])
def test_clean_split_has_no_leaks(kind: str) -> None:
    assert found(kind, EPISODES) == []
    assert not reported(kind, EPISODES).fails("warning")


@pytest.mark.parametrize(
    ("kind", "keys", "expected"),
    [
        ("random", {"contents": "same"}, ("L1", "annotation", "error", 1)),
        ("app", {"screenshots": ("a", "b")}, ("L1", "screenshots", "error", 1)),
        ("random", {"task": "Buy, milk!", "apps": ("X",)}, ("L2", "take", "error", 1)),
        ("task", {"task": "Buy, milk!", "apps": ("X",)}, ("L2", "take", "warning", 1)),
        ("device", {"task": "Buy, milk!", "apps": ("X",)}, ("L2", "take", "note", 1)),
        ("random", {"instruction": "Buy Milk."}, ("L2", "instruction", "error", 1)),
        ("mine", {"instruction": "Buy Milk."}, ("L2", "instruction", "warning", 1)),
        ("task", {"meta_task": "Buy {}."}, ("L5", "template", "error", 1)),
        ("device", {"device": "Pixel Fold"}, ("L5", "device", "error", 1)),
        ("app", {"apps": ("Setting",)}, ("L5", "app", "error", 1)),
        ("random", {"annotator": "Ada"}, ("L6", "annotator", "note", 1)),
        ("task", {"session": "Ada, today"}, ("L6", "session", "note", 1)),
    ],
)
def test_value_in_both_parts_is_found(kind: str, keys: dict[str, Any], expected: tuple[str, str, str, int]) -> None:
    leaked = found(kind, with_shared_values(**keys))
    assert expected in leaked
    assert {one for one in leaked if one[0] not in ("L3", "L4")} == {expected}


def test_test_episode_with_the_apps_of_train_is_found() -> None:
    pair = [facts(0, apps=("X", "Y")), facts(1, apps=("Y", "X"))]
    (one,) = leak_report([split("app", [0], [1])], pair).splits
    assert ("L5", "app") in {(leak.level, leak.name) for leak in one.leaks}


def test_spelling_of_apps_and_tasks_is_normalized() -> None:
    episodes = with_shared_values(task="Buy milk.", apps=("Settings", "Chrome"))
    episodes[OTHER] = replace(episodes[OTHER], task="BUY  milk", apps=("chrome", "Setting"))
    assert found("random", episodes) == [("L2", "take", "error", 1)]


def test_unknown_values_are_never_equal() -> None:
    unknown: dict[str, Any] = {"meta_task": "", "device": "", "task": "", "instruction": "…", "contents": ""}
    episodes = with_shared_values(**unknown, screenshots=(), apps=())
    assert found("task", episodes) == found("device", episodes) == found("random", episodes) == []


def test_takes_in_both_parts_are_a_warning_for_single_episodes() -> None:
    episodes = with_shared_values(task="Buy milk.", apps=("X",))
    assert found("random", episodes, unit="episode") == [("L2", "take", "warning", 1)]


def test_similar_instruction_is_a_note_and_equal_one_an_error() -> None:
    episodes = with_shared_values()
    episodes[ONE] = replace(EPISODES[ONE], instruction="Set an alarm for 8 in the morning, then close the app")
    episodes[OTHER] = replace(EPISODES[OTHER], instruction="Set an alarm for 9 in the morning, then close the app")
    assert found("random", episodes) == [("L3", "alike", "note", 1)]
    episodes[OTHER] = replace(EPISODES[OTHER], instruction="SET an alarm for 8 in the morning then close the app!")
    assert found("random", episodes) == [("L2", "instruction", "error", 1)]


def test_shared_screenshot_is_noted_unless_common_or_an_entrance() -> None:
    def showing(step: int, *numbers: int) -> list[SplitEpisode]:
        screenshots = {one: [*EPISODES[one].screenshots] for one in numbers}
        for one in screenshots.values():
            one[step] = "same"
        return [
            replace(one, screenshots=tuple(screenshots[number])) if number in screenshots else one
            for number, one in enumerate(EPISODES)
        ]

    assert found("random", showing(3, ONE, OTHER)) == [("L4", "screenshot", "note", 1)]
    assert found("random", showing(0, ONE, OTHER)) == []
    assert found("random", showing(3, ONE, 1, 2, 3, OTHER)) == []
    after_home = [replace(one, entrances=frozenset({0, 3})) for one in showing(3, ONE, OTHER)]
    assert found("random", after_home) == []


@pytest.mark.parametrize(
    ("train", "test", "expected"),
    [
        (TRAIN, range(17, 24), ("both", "has 1 episode in train and in test")),
        (TRAIN, range(18, 25), ("no_file", "names 1 episode without a file")),
        (range(16), TEST, ("no_part", "has 2 episodes in neither part")),
        ([*TRAIN, 0], TEST, ("repeated", "names 1 episode more than once in one part")),
        ([], range(24), ("empty", "has no episode in train")),
    ],
)
def test_invalid_lists_are_errors(train: list[int], test: list[int], expected: tuple[str, str]) -> None:
    report = leak_report([split("mine", train, test)], EPISODES)
    assert [(one.name, one.found) for one in report.splits[0].leaks if one.level == "L0"] == [expected]
    assert report.fails()


def test_category_missing_from_random_test_is_an_error() -> None:
    lacking = [replace(one, category="General_Tool") if number in TEST else one for number, one in enumerate(EPISODES)]
    for kind, severity in (("random", "error"), ("task", "warning")):
        assert found(kind, lacking) == [("L7", "category", severity, 0)]
    nowhere = [replace(one, category="General_Tool") for one in EPISODES]
    ((leak,),) = ([*one.leaks] for one in reported("random", nowhere).splits)
    assert (leak.severity, leak.values[0], len(leak.values)) == ("warning", "Information_Management", 5)


def test_leak_has_its_share_of_test_and_shared_values() -> None:
    (one,) = reported("task", with_shared_values(meta_task="Buy {}.")).splits
    words = "has 1 episode in test with a template that train uses"
    assert one.leaks == (Leak("L5", "template", "error", words, (EPISODES[OTHER].episode_id,), 1 / 6, ("Buy {}.",)),)
    assert (one.train, one.test, one.templates, one.known_templates) == (18, 6, 6, 1)


def test_report_counts_test_episodes_in_train_of_other_splits() -> None:
    one, other = split("random", TRAIN, TEST), split("task", range(6, 24), range(6))
    report = reported("", EPISODES, splits=(one, other))
    assert report.crossed == {"random": {"task": 6}, "task": {"random": 6}}
    assert report.with_screenshots
    assert not reported("task", [replace(one, screenshots=()) for one in EPISODES]).with_screenshots


def test_limits_equal_those_of_the_checks() -> None:
    assert leaks.ALIKE == thresholds.ALIKE_INSTRUCTION
    assert leaks.COMPARED_AT_MOST == thresholds.COMPARED_AT_MOST
    assert leaks.COMMON_SCREEN == thresholds.COMMON_SCREEN
