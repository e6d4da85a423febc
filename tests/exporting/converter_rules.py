"""What the official converter and evaluator of either release expect of a folder, as rules of our own.

Each rule was read off their behaviour; the facts are in the dataset's documentation and in issues of the repository.
"""

import json
from pathlib import Path
from typing import Any

KEYS = {"KEY_HOME", "KEY_BACK", "KEY_APPSELECT"}
POINTS = {"CLICK": 2, "LONG_PRESS": 2, "SCROLL": 2}
SECOND = ("low_level_instruction", "sam2_bbox")
SEMANTIC = ("description", "intention", "context")


def assert_convertible(root: Path, *, like: str, kinds: tuple[str, ...] = ("random", "task", "device", "app")) -> int:
    """Return the number of steps that the converter would write for the random split."""
    seen = 0
    split_files = sorted((root / "splits").iterdir())
    assert {path.name for path in split_files} == {f"{kind}_split.json" for kind in kinds}
    for path in split_files:
        parts = json.loads(path.read_text())
        assert set(parts) == {"train", "test"}
        for names in parts.values():
            for name in names:
                assert name.endswith(".json")
                steps = _convertible(root, json.loads((root / "annotations" / name).read_text()), like=like)
                seen += steps if path.name == "random_split.json" else 0
    index = json.loads((root / {"v1": "all_anno.json", "v2": "all_annot.json"}[like]).read_text())
    assert [row["episode_id"] for row in index] == sorted(path.stem for path in (root / "annotations").iterdir())
    return seen


def _convertible(root: Path, tree: dict[str, Any], *, like: str) -> int:
    steps = tree["steps"]
    assert tree["step_length"] == len(steps)
    assert isinstance(tree["device_info"]["w"], int)
    assert tree["task_info"]["instruction"].strip()
    for number, step in enumerate(steps):
        assert step["step"] == number
        assert step["screenshot"] == f"{tree['episode_id']}_{number}.png"
        assert (root / "screenshots" / step["screenshot"]).is_file()
        _action(step, is_last=number == len(steps) - 1)
        if like == "v2":
            assert all(key in step for key in (*SECOND, *SEMANTIC))
            box = step["sam2_bbox"]
            presses = step["action"] in ("CLICK", "LONG_PRESS") and not isinstance(step["info"], str)
            assert len(box) == (4 if presses else 0), "with [] at a press every prediction counts as wrong"
        else:
            assert not any(key in step for key in (*SECOND, *SEMANTIC))
    return len(steps)


def _action(step: dict[str, Any], *, is_last: bool) -> None:
    action, info = step["action"], step["info"]
    assert (action in ("COMPLETE", "INCOMPLETE")) == is_last
    match action:
        case "CLICK" if isinstance(info, str):
            assert info in KEYS
        case "CLICK" | "LONG_PRESS" | "SCROLL":
            assert len(info) == POINTS[action]
            assert all(isinstance(one, int) and 0 <= one <= 1000 for point in info for one in point)
        case "TEXT":
            assert isinstance(info, str)
            assert info
        case "INCOMPLETE":
            assert step["ps"].strip()
        case "COMPLETE":
            pass
        case _:
            raise AssertionError(f"unknown action {action}")
