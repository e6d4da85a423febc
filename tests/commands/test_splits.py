"""`odyssey-recorder splits`."""

import json
from pathlib import Path

import pytest

from tests.command_line import ESCAPES, CommandLine
from tests.splits.split_facts import dataset, facts
from tests.splits.split_folders import write_episodes, write_screenshot

APPS = ("Chrome", "Firefox", "Opera", "Gmail", "Outlook", "YouTube", "Vimeo", "TED")
EPISODES = [
    facts(
        number, apps=(APPS[0 if number % 6 else number // 6 % 8],), device=f"Pixel {('Tablet', 'Fold')[number % 5 > 0]}"
    )
    for number in range(48)
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_episodes(tmp_path / "data", EPISODES)


def test_splits_are_made_shown_and_checked(command_line: CommandLine, root: Path) -> None:
    made = command_line("splits", "make", root)
    assert (made.exit_code, made.err) == (0, "")
    lines = made.out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["random", "task", "device", "app"]
    assert lines[0].split()[1:5] == ["38", "train", "10", "test,"]
    assert "0 of the 10 templates in test are in train too" in made.out
    assert command_line("splits", "show", root).out == made.out
    checked = command_line("splits", "check", root)
    assert checked.exit_code == 0
    assert "Screenshots were not compared" in checked.out


def test_json_is_what_the_record_says(command_line: CommandLine, root: Path) -> None:
    made = json.loads(command_line("splits", "make", root, "--json", "--seed", "3", "--device", "Pixel Fold").out)
    assert made == json.loads((root / "metadata" / "splits.json").read_text())
    assert made["rules"] == {"seed": 3, "share": 0.2, "unit": "take", "devices": ["Pixel Fold"]}
    shown = json.loads(command_line("splits", "show", root, "--json").out)
    assert shown == made
    checked = json.loads(command_line("splits", "check", root, "--json").out)
    assert {one["kind"]: one for one in checked["splits"]} == {one["kind"]: one for one in made["leaks"]["splits"]}


def test_a_damaged_episode_is_named_and_left_out_alike_by_every_command(command_line: CommandLine, root: Path) -> None:
    before = json.loads(command_line("splits", "make", root, "--json").out)
    damaged, where = root / "annotations" / f"{EPISODES[0].episode_id}.json", f"{EPISODES[0].episode_id}.json: "
    damaged.write_text("{")
    checked = command_line("splits", "check", root, "--json")
    assert checked.exit_code == 0
    assert f"Left out: {where}" in checked.err
    random = next(one for one in json.loads(checked.out)["splits"] if one["kind"] == "random")
    assert random["train"] + random["test"] == before["episodes"] - 1
    assert not any(leak["ids"] for leak in random["leaks"])
    made = command_line("splits", "make", root, "--json")
    assert json.loads(made.out)["episodes"] == before["episodes"] - 1
    assert f"Left out: {where}" in made.err
    stats = json.loads(command_line("stats", root, "--json").out)
    assert stats["episodes"] == before["episodes"] - 1
    assert [problem.startswith(where) for problem in stats["unread"]] == [True]
    assert f"Cannot be read: {where}" in command_line("list", root).out


def test_what_cannot_be_made_is_said(command_line: CommandLine, root: Path) -> None:
    made = command_line("splits", "make", root, "--device", "Nexus 5")
    assert made.exit_code == 1
    assert "device_split.json cannot be made: no episode is from Nexus 5. Choose among the devices:" in made.out
    none = command_line("splits", "make", write_episodes(root.parent / "one", EPISODES[:1]))
    assert (none.exit_code, none.out) == (2, "")
    assert "a split needs at least 2 episodes" in none.err


def test_a_share_that_no_draw_reaches_is_said(command_line: CommandLine, tmp_path: Path) -> None:
    made = command_line("splits", "make", write_episodes(tmp_path / "few", EPISODES[:2]))
    assert "no draw came within 3 points of 20.0% in test" in made.out


def test_a_reshuffle_tells_how_many_moved_and_a_release_is_kept(command_line: CommandLine, root: Path) -> None:
    command_line("splits", "make", root)
    kept = command_line("splits", "make", root, "--base", root)
    assert (kept.exit_code, "moved" in kept.out) == (0, False)
    refused = command_line("splits", "make", root, "--share", "0.3")
    assert (refused.exit_code, "Other rules need a reshuffle" in refused.err) == (2, True)
    moved = command_line("splits", "make", root, "--share", "0.3", "--reshuffle").out
    assert "episodes moved to the other side" in moved


def test_episodes_that_came_later_are_told(command_line: CommandLine, root: Path) -> None:
    command_line("splits", "make", root)
    write_episodes(root, [facts(100)])
    assert "1 episode added or removed since. Make the splits again." in command_line("splits", "show", root).out
    checked = command_line("splits", "check", root)
    assert (checked.exit_code, checked.out.count("has 1 episode in neither part")) == (1, 4)


def test_released_splits_are_checked_where_they_lie(command_line: CommandLine, root: Path, tmp_path: Path) -> None:
    names = [f"{one.episode_id}.json" for one in EPISODES]
    (tmp_path / "released").mkdir()
    (tmp_path / "released" / "device_split.json").write_text(json.dumps({"train": names[:40], "test": names[40:]}))
    checked = command_line("splits", "check", root, "--splits", tmp_path / "released")
    assert checked.exit_code == 1
    assert (
        "error   L5  100.0%  has 8 episodes in test from a device that train uses: Pixel Fold, Pixel Tablet"
        in checked.out
    )


@pytest.mark.parametrize(("unit", "exit_code"), [((), 1), (("--unit", "episode"), 0)])
def test_what_fails_depends_on_the_unit_and_the_severity_asked_for(
    command_line: CommandLine, tmp_path: Path, unit: tuple[str, ...], exit_code: int
) -> None:
    root = write_episodes(tmp_path / "data", dataset(2, episodes=60))
    names = sorted(path.stem for path in (root / "annotations").iterdir())
    (root / "splits").mkdir()
    (root / "splits" / "random_split.json").write_text(json.dumps({"train": names[::2], "test": names[1::2]}))
    assert command_line("splits", "check", root, *unit).exit_code == exit_code
    assert command_line("splits", "check", root, *unit, "--fail-on", "warning").exit_code == 1


def test_screenshots_are_compared_when_asked(command_line: CommandLine, root: Path) -> None:
    command_line("splits", "make", root)
    tree = json.loads((root / "splits" / "random_split.json").read_text())
    for part in ("train", "test"):
        write_screenshot(root, tree[part][0].removesuffix(".json"), 3, b"the same")
    checked = command_line("splits", "check", root, "--screenshots")
    assert "L4   10.0%  has 1 episode in test with a screenshot of a train episode" in checked.out
    assert "not compared" not in checked.out


def test_texts_of_files_are_printed_literally(command_line: CommandLine, tmp_path: Path) -> None:
    odd = [facts(number, device=ESCAPES, meta_task=ESCAPES) for number in range(4)]
    root = write_episodes(tmp_path / "data", odd)
    (root / "splits").mkdir()
    names = [one.episode_id for one in odd]
    (root / "splits" / "task_split.json").write_text(json.dumps({"train": names[:2], "test": names[2:]}))
    checked = command_line("splits", "check", root)
    (root / "splits" / "task_split.json").unlink()
    for ran in (checked, command_line("splits", "make", root)):
        assert "\x1b" not in ran.out + ran.err
        assert "\u202e" not in ran.out + ran.err
        assert "[red]x[/]" in ran.out + ran.err


def test_what_is_no_dataset_is_said(command_line: CommandLine, tmp_path: Path) -> None:
    for words in (("make",), ("check",), ("show",)):
        ran = command_line("splits", *words, tmp_path)
        assert (ran.exit_code, ran.out) == (2, "")
        assert str(tmp_path) in ran.err
