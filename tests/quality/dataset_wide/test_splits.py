import json
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.quality.dataset_wide.splits import split_findings
from odyssey_recorder.quality.evidence import EpisodeFacts
from odyssey_recorder.quality.finding import Finding, NotChecked, Severity
from tests.quality.facts import facts, source

IDS = [f"{number:016}" for number in range(1, 5)]
EPISODES = [facts(number) for number in range(1, 5)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "annotations").mkdir()
    (tmp_path / "splits").mkdir()
    for episode_id in IDS:
        (tmp_path / "annotations" / f"{episode_id}.json").touch()
    return tmp_path


def split(root: Path, train: list[str], test: list[str], *, name: str = "random_split") -> None:
    (root / "splits" / f"{name}.json").write_text(json.dumps({"train": train, "test": test}))


def checked(root: Path, *episodes: EpisodeFacts) -> list[tuple[str, str]]:
    found = split_findings(root, source(*(episodes or EPISODES)))
    return [(one.check, one.found) for one in found if isinstance(one, Finding)]


@pytest.mark.parametrize("ending", ["", ".json"])
def test_a_split_that_names_every_episode_once_has_no_findings(root: Path, ending: str) -> None:
    entries = [episode_id + ending for episode_id in IDS]
    split(root, entries[:3], entries[3:])
    (root / "metadata").mkdir()
    (root / "metadata" / "splits.json").write_text("{}")

    assert not checked(root)


def test_what_tells_how_the_splits_were_made_does_not_lie_among_them(root: Path) -> None:
    split(root, IDS[:3], IDS[3:])
    for name in ("manifest.json", "README.md"):
        (root / "splits" / name).write_text("{}")

    found = [one for one in split_findings(root, source(*EPISODES)) if isinstance(one, Finding)]

    assert [(one.check, one.severity, one.todo) for one in found] == [
        ("SPL01", Severity.WARNING, "Move it away."),
        ("SPL01", Severity.WARNING, "Move it to metadata/splits.json."),
    ]
    assert "splits/manifest.json is no split" in found[1].found


def test_a_dataset_without_splits_is_not_checked(tmp_path: Path) -> None:
    (only,) = split_findings(tmp_path, source())

    assert isinstance(only, NotChecked)


def test_an_entry_without_a_file_is_an_error(root: Path) -> None:
    split(root, [*IDS[:3], "../../etc/passwd"], [IDS[3], "0000000000000099.json"])

    ((check, found),) = checked(root)
    assert check == "SPL01"
    assert found == ("splits/random_split.json names 2 episodes without a file: ../../etc/passwd, 0000000000000099.")


def test_a_part_without_episodes_is_an_error(root: Path) -> None:
    split(root, IDS, [])

    assert checked(root) == [("SPL01", "splits/random_split.json has no episode in test.")]


def test_an_episode_in_train_and_test_is_an_error(root: Path) -> None:
    split(root, IDS[:3], [f"{IDS[2]}.json", IDS[3]])

    (found,) = split_findings(root, source(*EPISODES))

    assert isinstance(found, Finding)
    assert (found.check, found.severity, found.others) == ("SPL02", Severity.ERROR, (IDS[2],))


def test_an_episode_in_neither_part_and_one_that_is_named_twice_are_warnings(root: Path) -> None:
    split(root, [IDS[0], IDS[0]], IDS[1:3])

    assert checked(root) == [
        ("SPL03", f"splits/random_split.json has 1 episode in neither part: {IDS[3]}."),
        ("SPL03", f"splits/random_split.json names 1 episode more than once in one part: {IDS[0]}."),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "splits/app_split.json cannot be read: line 1"),
        ("[]", "has no two lists of episodes, train and test"),
        ('{"train": []}', "has no two lists"),
        ('{"train": [], "test": {}}', "has no two lists"),
    ],
)
def test_a_split_that_is_none_is_an_error(root: Path, content: str, words: str) -> None:
    (root / "splits" / "app_split.json").write_text(content)

    ((check, found),) = checked(root)

    assert check == "SPL01"
    assert words in found


def test_an_entry_that_is_no_text_is_named(root: Path) -> None:
    (root / "splits" / "random_split.json").write_text(json.dumps({"train": IDS[1:], "test": [IDS[0], 7]}))

    assert checked(root) == [("SPL01", "splits/random_split.json names 1 episode without a file: 7.")]


def test_a_template_on_both_sides_is_a_leak_of_the_task_split_alone(root: Path) -> None:
    episodes = [
        replace(one, meta_task="Same {}." if place in (0, 3) else one.meta_task) for place, one in enumerate(EPISODES)
    ]
    split(root, IDS[:2], IDS[2:], name="random_split")
    assert not checked(root, *episodes)

    split(root, IDS[:2], IDS[2:], name="task_split")

    ((check, found),) = checked(root, *episodes)
    assert check == "SPL04"
    assert found == "splits/task_split.json has 1 template in train and in test: 'Same {}.'."


def test_a_device_on_both_sides_is_a_leak_of_the_device_split(root: Path) -> None:
    split(root, IDS[:2], IDS[2:], name="device_split")
    fold = [replace(one, device="Pixel Fold") for one in EPISODES[2:]]

    assert not checked(root, *EPISODES[:2], *fold)
    assert checked(root) == [("SPL04", "splits/device_split.json has 1 device in train and in test: Pixel 7 Pro.")]


def test_a_test_episode_with_no_app_of_its_own_is_a_leak_of_the_app_split(root: Path) -> None:
    split(root, IDS[:2], IDS[2:], name="app_split")
    apps = [("Notes",), ("Notes", "Shop"), ("Notes", "Mail"), ("Shop", "Notes")]
    episodes = [replace(one, apps=its) for one, its in zip(EPISODES, apps, strict=True)]

    ((check, found),) = checked(root, *episodes)

    assert check == "SPL04"
    assert found == f"splits/app_split.json: 1 episode in test with no app but those of train: {IDS[3]}."
