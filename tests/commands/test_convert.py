"""Which episodes are exported: without errors, and accepted if required."""

import json
from pathlib import Path

import pytest

from tests.checking.folders import FIRST, SECOND, write_dataset
from tests.cli import CommandLine, Result
from tests.commands.acceptance import accept_episodes

pytestmark = pytest.mark.usefixtures("one_processor")


@pytest.fixture
def dataset(cli: CommandLine) -> Path:
    write_dataset(cli.dataset, FIRST, SECOND, steps=3)
    return cli.dataset


def export(cli: CommandLine, *options: str) -> Result:
    out = cli.folder / "out"
    return cli("convert", cli.dataset, out, "--dialect", "release", "--with-screenshots", *options)


def exported(cli: CommandLine) -> set[str]:
    return {path.stem for path in (cli.folder / "out" / "annotations").glob("*.json")}


def truncate_screenshot(dataset: Path, episode_id: str) -> None:
    path = dataset / "screenshots" / f"{episode_id}_1.png"
    path.write_bytes(path.read_bytes()[:-40])


def test_episode_with_an_error_is_left_out_and_reported(cli: CommandLine, dataset: Path) -> None:
    truncate_screenshot(dataset, SECOND)
    result = export(cli)
    assert (result.exit_code, result.out) == (1, "1 written, 1 failed\n")
    assert result.err.startswith(f"{SECOND}.json: ")
    assert "IMG01@1" in result.err
    assert exported(cli) == {FIRST}


def test_faulty_episode_is_converted_unchecked_or_without_screenshots(cli: CommandLine, dataset: Path) -> None:
    truncate_screenshot(dataset, SECOND)
    assert export(cli, "--unchecked").exit_code == 0
    assert exported(cli) == {FIRST, SECOND}
    cli.output("convert", dataset, cli.folder / "bare", "--dialect", "release")
    file = dataset / "annotations" / f"{SECOND}.json"
    error = cli.error("convert", file, cli.folder / "out.json", "--dialect", "card", "--accepted", exit_code=1)
    assert "is not a dataset folder" in error


@pytest.mark.parametrize(("box", "converted"), [([], {FIRST, SECOND}), ([9, 9, 1, 1], {SECOND})])
def test_empty_box_is_repaired_and_wrong_box_is_left_out(
    cli: CommandLine, dataset: Path, box: list[int], converted: set[str]
) -> None:
    path = dataset / "annotations" / f"{FIRST}.json"
    tree = json.loads(path.read_bytes())
    tree["steps"][0]["sam2_bbox"] = box
    path.write_text(json.dumps(tree))
    result = export(cli)
    assert ("ACT09@0" in result.err) is (FIRST not in converted)
    assert exported(cli) == converted


def test_only_accepted_episodes_are_converted_on_request(cli: CommandLine, dataset: Path) -> None:
    accept_episodes(dataset, FIRST)
    result = export(cli, "--accepted")
    assert (result.exit_code, result.out) == (1, "1 written, 1 failed\n")
    assert f"{SECOND}.json is not accepted: unreviewed" in result.err
    assert exported(cli) == {FIRST}
