import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.checking.evidence import ComparedEpisode
from odyssey_recorder.checking.whole_dataset.splits import split_findings
from odyssey_recorder.model.finding import Finding, NotChecked, Severity
from tests.checking.compared_episodes import facts, source

IDS = [f"{number:016}" for number in range(1, 5)]
EPISODES = [facts(number) for number in range(1, 5)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "annotations").mkdir()
    (tmp_path / "splits").mkdir()
    for episode_id in IDS:
        (tmp_path / "annotations" / f"{episode_id}.json").touch()
    return tmp_path


def split(root: Path, train: Sequence[object], test: Sequence[object], *, name: str = "random_split") -> None:
    (root / "splits" / f"{name}.json").write_text(json.dumps({"train": train, "test": test}))


def checked(root: Path, *episodes: ComparedEpisode) -> list[tuple[str, str]]:
    found = split_findings(root, source(*(episodes or EPISODES)))
    return [(one.check, one.found) for one in found if isinstance(one, Finding)]


@pytest.mark.parametrize("ending", ["", ".json"])
def test_complete_split_has_no_findings(root: Path, ending: str) -> None:
    entries = [episode_id + ending for episode_id in IDS]
    split(root, entries[:3], entries[3:])
    (root / "metadata").mkdir()
    (root / "metadata" / "splits.json").write_text("{}")
    assert not checked(root)


def test_other_files_in_the_splits_folder_are_warnings(root: Path) -> None:
    split(root, IDS[:3], IDS[3:])
    for name in (".random_split.json", "README.md"):
        (root / "splits" / name).write_text("{}")
    found = [one for one in split_findings(root, source(*EPISODES)) if isinstance(one, Finding)]
    assert [(one.check, one.severity, one.todo) for one in found] == [
        ("SPL01", Severity.WARNING, "Move it away."),
        ("SPL01", Severity.WARNING, "Move it away."),
    ]
    assert "splits/.random_split.json is not a split" in found[0].found


def test_dataset_without_splits_is_unchecked(tmp_path: Path) -> None:
    (only,) = split_findings(tmp_path, source())
    assert isinstance(only, NotChecked)


FILE = "splits/random_split.json"


@pytest.mark.parametrize(
    ("train", "test", "messages"),
    [
        (
            [*IDS[:3], "../../etc/passwd"],
            [IDS[3], "0000000000000099.json"],
            [("SPL01", f"{FILE} names 2 episodes without a file: ../../etc/passwd, 0000000000000099.")],
        ),
        (IDS[1:], [IDS[0], 7], [("SPL01", f"{FILE} names 1 episode without a file: 7.")]),
        (IDS, [], [("SPL01", f"{FILE} has no episode in test.")]),
        (
            [IDS[0], IDS[0]],
            IDS[1:3],
            [
                ("SPL03", f"{FILE} has 1 episode in neither part: {IDS[3]}."),
                ("SPL03", f"{FILE} names 1 episode more than once in one part: {IDS[0]}."),
            ],
        ),
    ],
    ids=["no files", "no text", "an empty part", "left out and named twice"],
)
def test_faults_of_a_split_are_described(
    root: Path, train: list[object], test: list[object], messages: list[tuple[str, str]]
) -> None:
    split(root, train, test)
    assert checked(root) == messages


def test_episode_in_train_and_test_is_an_error(root: Path) -> None:
    split(root, IDS[:3], [f"{IDS[2]}.json", IDS[3]])
    (found,) = split_findings(root, source(*EPISODES))
    assert isinstance(found, Finding)
    assert (found.check, found.severity, found.others) == ("SPL02", Severity.ERROR, (IDS[2],))


def test_invalid_split_is_an_error(root: Path) -> None:
    (root / "splits" / "app_split.json").write_text("[]")
    assert checked(root) == [("SPL01", "splits/app_split.json needs 2 lists of episodes, train and test.")]


@pytest.mark.parametrize(
    ("name", "changes", "messages"),
    [
        ("random", {0: {"meta_task": "Same {}."}, 3: {"meta_task": "Same {}."}}, []),
        (
            "task",
            {0: {"meta_task": "Same {}."}, 3: {"meta_task": "Same {}."}},
            ["splits/task_split.json has 1 episode in test with a template that train uses: 'Same {}.'."],
        ),
        ("device", {}, ["splits/device_split.json has 2 episodes in test from a device that train uses: Pixel 7 Pro."]),
        (
            "app",
            {1: {"apps": ("Notes", "Shop")}, 2: {"apps": ("Notes", "Mail")}, 3: {"apps": ("Shop", "Notes")}},
            [f"splits/app_split.json has 1 episode in test with only apps that train uses: {IDS[3]}."],
        ),
    ],
)
def test_value_in_both_parts_of_its_split_is_a_leak(
    root: Path, name: str, changes: dict[int, dict[str, Any]], messages: list[str]
) -> None:
    split(root, IDS[:2], IDS[2:], name=f"{name}_split")
    episodes = [replace(one, **changes.get(place, {})) for place, one in enumerate(EPISODES)]
    assert checked(root, *episodes) == [("SPL04", found) for found in messages]
