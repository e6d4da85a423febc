"""`odyssey-recorder merge`."""

import json
from pathlib import Path

import pytest

from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.cli import CommandLine


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    write_dataset(tmp_path / "a", FIRST, SECOND, steps=2)
    write_dataset(tmp_path / "b", SECOND, steps=3)
    write_dataset(tmp_path / "b", THIRD, steps=2)
    return tmp_path / "a", tmp_path / "b"


def test_merge_waits_until_every_conflict_is_decided(cli: CommandLine, pair: tuple[Path, Path]) -> None:
    target = pair[0].parent / "c"
    undecided = cli("merge", *pair, "--into", target)
    assert (undecided.exit_code, target.exists()) == (1, False)
    assert undecided.err == (
        f"Episode {SECOND}: the two differ, and neither history has the other. Choose with --prefer {SECOND}=A, B or "
        "both.\n"
    )
    assert "is not a dataset folder" in cli.error("merge", pair[0], target, "--into", target)
    planned = cli("merge", *pair, "--into", target, "--prefer", f"{SECOND}=B", "--dry-run")
    assert (planned.exit_code, target.exists()) == (0, False)
    assert planned.out.split()[:8] == ["B", "1", "from", "A", "1", "from", "B", "1"]
    assert planned.out.endswith(f"Would be merged into {target}\n")
    merged = cli("merge", *pair, "--into", target, "--prefer", "A", "--prefer", f"{SECOND}=B")
    assert merged.out == planned.out.replace("Would be merged", "Merged")
    assert len(json.loads((target / f"annotations/{SECOND}.json").read_text())["steps"]) == 3


def test_json_plan_lists_each_outcome(cli: CommandLine, pair: tuple[Path, Path]) -> None:
    plan = cli.json("merge", *pair, "--into", pair[0], "--prefer", "both")
    assert plan["counts"] == {"both": 1, "from A": 1, "from B": 1}
    [both] = [one for one in plan["episodes"] if one["outcome"] == "both"]
    assert (both["episode_id"], (pair[0] / f"annotations/{both['new_id']}.json").exists()) == (SECOND, True)
    assert plan["conflicts"] == {}


@pytest.mark.parametrize("preference", ["C", "1=A", f"{FIRST}=", "=A", f"../{FIRST}=A"])
def test_invalid_preference_is_rejected(cli: CommandLine, pair: tuple[Path, Path], preference: str) -> None:
    error = cli.error("merge", *pair, "--into", pair[0], "--prefer", preference).replace("│", " ")
    assert "expected A, B, both" in " ".join(error.split())
