"""`odyssey-recorder splits`."""

import json
from pathlib import Path

import pytest

from tests.cli import ESCAPES, CommandLine
from tests.splits.split_facts import dataset, facts
from tests.splits.split_folders import EPISODES, write_episodes, write_screenshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_episodes(tmp_path / "data", EPISODES)


def test_splits_are_made_shown_and_checked(cli: CommandLine, root: Path) -> None:
    made = cli("splits", "make", root)
    assert (made.exit_code, made.err) == (0, "")
    lines = made.out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["random", "task", "device", "app"]
    assert lines[0].split()[1:5] == ["38", "train", "10", "test,"]
    assert "0 of the 10 templates in test are in train too" in made.out
    assert cli("splits", "show", root).out == made.out
    assert "Screenshots were not compared" in cli.output("splits", "check", root)


def test_json_output_equals_the_stored_record(cli: CommandLine, root: Path) -> None:
    made = cli.json("splits", "make", root, "--seed", "3", "--device", "Pixel Fold")
    assert made == json.loads((root / "metadata" / "splits.json").read_text())
    assert made["rules"] == {"seed": 3, "share": 0.2, "unit": "take", "devices": ["Pixel Fold"], "task_share": 1 / 7,
                             "each_device": False}  # fmt: skip
    assert cli.json("splits", "show", root) == made
    checked = cli.json("splits", "check", root)
    assert {one["kind"]: one for one in checked["splits"]} == {one["kind"]: one for one in made["leaks"]["splits"]}


def test_one_command_makes_a_split_for_each_device_and_each_is_scored_beside_its_published_result(
    cli: CommandLine, root: Path, tmp_path: Path
) -> None:
    made = cli.output("splits", "make", root, "--each-device", "--task-share", "0.15")
    lines = [line for line in made.split("\n\n")[0].splitlines() if line[0] != " "]
    rows = {cells[0]: int(cells[3]) for cells in map(str.split, lines)}
    assert (rows["device_pixel_fold"], rows["device_pixel_tablet"], rows["task"]) == (38, 10, 7)
    assert len(cli.json("list", root, "--filter", "split:device_pixel_tablet/train")) == 38
    file, each = tmp_path / "gold.jsonl", ("--split", "device_pixel_fold", "--split", "device_pixel_tablet")
    cli.output("predict", root, file, "--agent", "gold")
    fold, tablet = cli.json("evaluate", file, "--data", root, *each)["evaluations"]
    assert (fold["steps"], tablet["steps"], fold["ams"]) == (4 * 38, 4 * 10, 100)
    assert [(one["model"], one["ams"], one["sr"]) for one in fold["published"]] == [("OdysseyAgent", 67.67, 4.48)]
    assert "'devices' is not one of" in cli.error("evaluate", file, "--data", root, "--split", "devices", exit_code=2)


def test_every_command_reports_and_skips_a_damaged_episode(cli: CommandLine, root: Path) -> None:
    before = cli.json("splits", "make", root)
    damaged, message_start = root / "annotations" / f"{EPISODES[0].episode_id}.json", f"{EPISODES[0].episode_id}.json: "
    damaged.write_text("{")
    checked = cli("splits", "check", root, "--json")
    assert checked.exit_code == 0
    assert f"Left out: {message_start}" in checked.err
    random = next(one for one in json.loads(checked.out)["splits"] if one["kind"] == "random")
    assert random["train"] + random["test"] == before["episodes"] - 1
    assert not any(leak["ids"] for leak in random["leaks"])
    made = cli("splits", "make", root, "--json")
    assert json.loads(made.out)["episodes"] == before["episodes"] - 1
    assert f"Left out: {message_start}" in made.err
    stats = cli.json("stats", root)
    assert stats["episodes"] == before["episodes"] - 1
    assert [problem.startswith(message_start) for problem in stats["unread"]] == [True]
    assert f"Cannot be read: {message_start}" in cli("list", root).out


def test_impossible_request_is_explained(cli: CommandLine, root: Path) -> None:
    made = cli("splits", "make", root, "--device", "Nexus 5")
    assert made.exit_code == 1
    assert "device_split.json cannot be made: no episode is from Nexus 5. Choose among the devices:" in made.out
    assert "a split needs at least 2 episodes" in cli.error(
        "splits", "make", write_episodes(root.parent / "one", EPISODES[:1])
    )
    few = cli("splits", "make", write_episodes(root.parent / "few", EPISODES[:2]))
    assert "no draw came within 3 points of 20.0% in test" in few.out


def test_changed_rules_require_a_reshuffle(cli: CommandLine, root: Path) -> None:
    cli("splits", "make", root)
    assert "moved" not in cli.output("splits", "make", root, "--base", root)
    assert "Other rules need a reshuffle" in cli.error("splits", "make", root, "--share", "0.3")
    moved = cli("splits", "make", root, "--share", "0.3", "--reshuffle").out
    assert "episodes moved to the other side" in moved


def test_later_episodes_are_reported(cli: CommandLine, root: Path) -> None:
    cli("splits", "make", root)
    write_episodes(root, [facts(100)])
    assert "1 episode added or removed since. Make the splits again." in cli("splits", "show", root).out
    checked = cli("splits", "check", root)
    assert (checked.exit_code, checked.out.count("has 1 episode in neither part")) == (1, 4)


def test_splits_in_another_folder_are_checked(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    names = [f"{one.episode_id}.json" for one in EPISODES]
    (tmp_path / "released").mkdir()
    (tmp_path / "released" / "device_split.json").write_text(json.dumps({"train": names[:40], "test": names[40:]}))
    checked = cli("splits", "check", root, "--splits", tmp_path / "released")
    assert checked.exit_code == 1
    found = "has 8 episodes in test from a device that train uses: Pixel Fold, Pixel Tablet"
    assert f"error   L5  100.0%  {found}" in checked.out


@pytest.mark.parametrize(("unit", "exit_code"), [((), 1), (("--unit", "episode"), 0)])
def test_unit_and_severity_decide_the_exit_code(
    cli: CommandLine, tmp_path: Path, unit: tuple[str, ...], exit_code: int
) -> None:
    root = write_episodes(tmp_path / "data", dataset(2, episodes=60))
    names = sorted(path.stem for path in (root / "annotations").iterdir())
    (root / "splits").mkdir()
    (root / "splits" / "random_split.json").write_text(json.dumps({"train": names[::2], "test": names[1::2]}))
    assert cli("splits", "check", root, *unit).exit_code == exit_code
    assert cli("splits", "check", root, *unit, "--fail-on", "warning").exit_code == 1


def test_screenshots_are_compared_on_request(cli: CommandLine, root: Path) -> None:
    cli("splits", "make", root)
    tree = json.loads((root / "splits" / "random_split.json").read_text())
    for part in ("train", "test"):
        write_screenshot(root, tree[part][0].removesuffix(".json"), 3, b"the same")
    checked = cli("splits", "check", root, "--screenshots")
    assert "L4   10.0%  has 1 episode in test with a screenshot of a train episode" in checked.out
    assert "not compared" not in checked.out


def test_texts_from_files_are_printed_literally(cli: CommandLine, tmp_path: Path) -> None:
    odd = [facts(number, device=ESCAPES, meta_task=ESCAPES) for number in range(4)]
    root = write_episodes(tmp_path / "data", odd)
    (root / "splits").mkdir()
    names = [one.episode_id for one in odd]
    (root / "splits" / "task_split.json").write_text(json.dumps({"train": names[:2], "test": names[2:]}))
    checked = cli("splits", "check", root)
    (root / "splits" / "task_split.json").unlink()
    for result in (checked, cli("splits", "make", root)):
        assert "\x1b" not in result.out + result.err
        assert "\u202e" not in result.out + result.err
        assert "[red]x[/]" in result.out + result.err
