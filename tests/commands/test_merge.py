"""`odyssey-recorder merge`."""

import json
from pathlib import Path

import pytest

from tests.command_line import CommandLine
from tests.quality.folders import FIRST, SECOND, THIRD, write_dataset


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    write_dataset(tmp_path / "a", FIRST, SECOND, steps=2)
    write_dataset(tmp_path / "b", SECOND, steps=3)
    write_dataset(tmp_path / "b", THIRD, steps=2)
    return tmp_path / "a", tmp_path / "b"


def test_nothing_is_done_before_everything_is_decided(command_line: CommandLine, pair: tuple[Path, Path]) -> None:
    target = pair[0].parent / "c"
    asked = command_line("merge", *pair, "--into", target)
    assert (asked.exit_code, target.exists()) == (1, False)
    assert asked.err == (
        f"Episode {SECOND}: the two differ, and neither history has the other. Choose with --prefer {SECOND}=A, B or "
        "both.\n"
    )
    planned = command_line("merge", *pair, "--into", target, "--prefer", f"{SECOND}=B", "--dry-run")
    assert (planned.exit_code, target.exists()) == (0, False)
    assert [line.split() for line in planned.out.splitlines()[:3]] == [
        ["B", "1"],
        ["from", "A", "1"],
        ["from", "B", "1"],
    ]
    assert planned.out.endswith(f"Would be merged into {target}\n")
    done = command_line("merge", *pair, "--into", target, "--prefer", "A", "--prefer", f"{SECOND}=B")
    assert done.out == planned.out.replace("Would be merged", "Merged")
    assert len(json.loads((target / f"annotations/{SECOND}.json").read_text())["steps"]) == 3


def test_the_plan_as_json_names_each_outcome(command_line: CommandLine, pair: tuple[Path, Path]) -> None:
    ran = command_line("merge", *pair, "--into", pair[0], "--prefer", "both", "--json")
    told = json.loads(ran.out)
    assert told["counts"] == {"both": 1, "from A": 1, "from B": 1}
    [both] = [one for one in told["episodes"] if one["outcome"] == "both"]
    assert (both["episode_id"], (pair[0] / f"annotations/{both['new_id']}.json").exists()) == (SECOND, True)
    assert told["conflicts"] == {}


@pytest.mark.parametrize("words", ["C", "1=A", f"{FIRST}=", "=A", f"../{FIRST}=A"])
def test_a_preference_that_names_neither_is_refused(
    command_line: CommandLine, pair: tuple[Path, Path], words: str
) -> None:
    ran = command_line("merge", *pair, "--into", pair[0], "--prefer", words)
    assert ran.exit_code == 2
    assert "expected A, B, both" in " ".join(ran.err.replace("│", " ").split())


def test_what_cannot_be_merged_is_named(command_line: CommandLine, pair: tuple[Path, Path]) -> None:
    ran = command_line("merge", pair[0], pair[0].parent / "gone", "--into", pair[0])
    assert (ran.exit_code, ran.out) == (2, "")
    assert "is not a dataset folder" in ran.err
