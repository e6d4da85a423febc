"""Predictions are scored the same in window and command, which list the same wrong steps."""

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.evaluation.protocols import ScoringTerms
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.model.episode import Json
from odyssey_recorder.services.evaluation import score_files
from tests.cli import CommandLine
from tests.evaluation.prediction_files import own, predictions
from tests.exporting.sample import ids
from tests.gui.evaluate.evaluate_pilot import EvaluatePilot
from tests.services.conftest import BY_AGENT, RETIRED

CORNER: dict[str, Json] = {"action": "CLICK", "info": [[990, 10], [990, 10]]}


@pytest.fixture
def gold(root: Path, tmp_path: Path) -> Path:
    return own(tmp_path / "gold.jsonl", predictions(root))


@pytest.fixture
def worse(root: Path, tmp_path: Path) -> Path:
    """The first step of every episode is wrong, the last of one is missing."""
    some = [one._replace(action=CORNER) if one.step == 0 else one for one in predictions(root)]
    return own(tmp_path / "worse.jsonl", some[:-1], model="worse")


@pytest.fixture
def pilot(qtbot: QtBot, background: Background, root: Path) -> EvaluatePilot:
    return EvaluatePilot(qtbot, background, root)


@pytest.mark.parametrize("split", ["", "random"])
def test_window_and_command_give_the_same_report(
    pilot: EvaluatePilot, cli: CommandLine, worse: Path, gold: Path, split: str
) -> None:
    pilot.choice("Episodes").setCurrentIndex(pilot.choice("Episodes").findData(split))
    pilot.score(worse, gold)
    pilot.press("Export report")
    pilot.choose_file(cli.folder / "window.json")
    pilot.wait_for_text("The report is saved.")

    result = cli(
        "evaluate", worse, "--data", cli.dataset, "--against", gold, "--json", *(("--split", split) if split else ())
    )
    assert result.err.splitlines()[:2] == ["1 retired episode left out", "1 episode by agents left out"]
    by_window = json.loads((cli.folder / "window.json").read_text())
    assert by_window == json.loads(result.out)
    assert by_window["file"]["other_episodes"] > 0


def test_command_lists_the_wrong_steps_of_the_window(
    pilot: EvaluatePilot, cli: CommandLine, worse: Path, gold: Path
) -> None:
    pilot.score(worse, gold)
    pilot.press("Steps")
    pilot.wait_for_text("9 wrong steps")

    options = ("evaluate", worse, "--data", cli.dataset, "--against", gold)
    wrong = cli.json(*options, "--wrong", 100)["wrong"]
    steps = wrong["steps"]
    keys = ("truth", "predicted", "verdict")
    listed = [[step["episode_id"], str(step["step_index"] + 1), *(step[key] or "–" for key in keys)] for step in steps]  # noqa: RUF001
    assert listed == [row[:5] for row in pilot.cells("Judged steps")]
    assert wrong["count"] == 9
    assert {step["episode_id"] for step in steps}.isdisjoint({RETIRED, BY_AGENT})
    lines = cli(*options, "--wrong", 2).out.splitlines()
    assert lines[-3:] == [
        "Wrong steps, the worst 2 of 9",
        f"{ids(10)[9]}, step 8: IMPOSSIBLE; no prediction; gold: IMPOSSIBLE (right)",
        f"{ids(10)[0]}, step 1: CLICK: (500, 250); predicted CLICK: (990, 10) (0.546 away); "
        "gold: CLICK: (500, 250) (right)",
    ]
    assert "wrong" not in cli.json(*options)


def test_scoring_can_be_cancelled(root: Path, gold: Path) -> None:
    told: list[str] = []
    index = EpisodeIndex(root, None)
    with pytest.raises(CancelledError, match="Scoring was cancelled"):
        score_files(index, ScoringTerms("", str(gold)), lambda _share, text: told.append(text), lambda: len(told) > 2)
    index.close()
    assert told[-1] == "Reading the dataset…"
