"""Which episodes are exported: without errors, and accepted if required."""

import json
from pathlib import Path

import pytest

from tests.command_line import CommandLine, Ran
from tests.commands.accepting import accept
from tests.quality.folders import FIRST, SECOND, write_dataset


@pytest.fixture
def dataset(command_line: CommandLine) -> Path:
    write_dataset(command_line.dataset, FIRST, SECOND, steps=3)
    return command_line.dataset


def export(command_line: CommandLine, *options: str) -> Ran:
    out = command_line.folder / "out"
    return command_line("convert", command_line.dataset, out, "--dialect", "release", "--with-screenshots", *options)


def exported(command_line: CommandLine) -> set[str]:
    return {path.stem for path in (command_line.folder / "out" / "annotations").glob("*.json")}


def spoil(dataset: Path, episode_id: str) -> None:
    path = dataset / "screenshots" / f"{episode_id}_1.png"
    path.write_bytes(path.read_bytes()[:-40])


def test_an_episode_with_an_error_stays_out_and_is_named_with_what_was_found(
    command_line: CommandLine, dataset: Path
) -> None:
    spoil(dataset, SECOND)
    ran = export(command_line)
    assert (ran.exit_code, ran.out) == (1, "1 written, 1 failed\n")
    assert ran.err.startswith(f"{SECOND}.json: ")
    assert "IMG01@1" in ran.err
    assert exported(command_line) == {FIRST}


def test_it_is_taken_unchecked_where_that_is_asked_and_where_no_screenshots_come_along(
    command_line: CommandLine, dataset: Path
) -> None:
    spoil(dataset, SECOND)
    assert export(command_line, "--unchecked").exit_code == 0
    assert exported(command_line) == {FIRST, SECOND}
    without_screenshots = command_line("convert", dataset, command_line.folder / "bare", "--dialect", "release")
    assert without_screenshots.exit_code == 0
    file = dataset / "annotations" / f"{SECOND}.json"
    ran = command_line("convert", file, command_line.folder / "out.json", "--dialect", "card", "--accepted")
    assert (ran.exit_code, "is not a dataset folder" in ran.err) == (1, True)


@pytest.mark.parametrize(("box", "taken"), [([], {FIRST, SECOND}), ([9, 9, 1, 1], {SECOND})])
def test_an_empty_box_is_repaired_on_the_way_and_a_wrong_one_keeps_the_episode_out(
    command_line: CommandLine, dataset: Path, box: list[int], taken: set[str]
) -> None:
    path = dataset / "annotations" / f"{FIRST}.json"
    tree = json.loads(path.read_bytes())
    tree["steps"][0]["sam2_bbox"] = box
    path.write_text(json.dumps(tree))
    ran = export(command_line)
    assert ("ACT09@0" in ran.err) is (FIRST not in taken)
    assert exported(command_line) == taken


def test_only_what_was_accepted_comes_along_where_that_is_asked(command_line: CommandLine, dataset: Path) -> None:
    accept(dataset, FIRST)
    ran = export(command_line, "--accepted")
    assert (ran.exit_code, ran.out) == (1, "1 written, 1 failed\n")
    assert f"{SECOND}.json is not accepted: unreviewed" in ran.err
    assert exported(command_line) == {FIRST}
