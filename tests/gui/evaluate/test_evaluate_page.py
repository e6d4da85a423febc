"""The Evaluate page on real files: predictions, episodes of the simulated phone, reports."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from odyssey_recorder.annotation.alternatives import accept_alternative
from odyssey_recorder.evaluation.predictions import Prediction
from odyssey_recorder.gui.evaluate.commands import EvaluateCommand
from odyssey_recorder.gui.figures.figures_pane import PanelView
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.theme import MARK, PREDICTED
from odyssey_recorder.gui.screen.step_viewer import StepCanvas
from odyssey_recorder.model.action import Click
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.geometry import Point
from tests.annotation.phone_dataset import look_around
from tests.evaluation.prediction_files import own, predictions
from tests.gui.evaluate.evaluate_pilot import EvaluatePilot

EPISODE = "1" * 16
WRONG_CLICK: dict[str, Json] = {"action": "CLICK", "info": [[990, 10], [990, 10]]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    look_around(tmp_path / "data", EPISODE, 3)
    return tmp_path / "data"


@pytest.fixture
def correct(root: Path) -> list[Prediction]:
    return predictions(root)


@pytest.fixture
def pilot(qtbot: QtBot, background: Background, root: Path) -> EvaluatePilot:
    return EvaluatePilot(qtbot, background, root)


def test_confusion_cell_lists_its_steps(pilot: EvaluatePilot, correct: list[Prediction], tmp_path: Path) -> None:
    wrong = [correct[0]._replace(action=WRONG_CLICK), correct[1]._replace(action=None), *correct[2:]]
    pilot.score(own(tmp_path / "a", wrong, model="base"))
    assert pilot.says("Protocol official · all episodes · high-level instructions")
    assert pilot.cells("Scores")[0][:2] == ["AMS, pooled", "50.00"]
    panel = pilot.find(PanelView)
    QTest.keyClick(panel, Qt.Key.Key_Right)
    QTest.keyClick(panel, Qt.Key.Key_Return)
    pilot.wait_for_text("CLICK predicted as CLICK: 2 steps, protocol official")
    assert [row[4].split()[-1] for row in pilot.cells("Judged steps")] == ["away", "Right"]
    pilot.press("Show all wrong")
    pilot.wait_for_text("2 wrong steps, protocol official")
    assert pilot.cells("Judged steps")[0][4] == "Cannot be read"


def test_two_models_are_compared_and_drawn(pilot: EvaluatePilot, correct: list[Prediction], tmp_path: Path) -> None:
    worse = own(tmp_path / "a", [correct[0]._replace(action=WRONG_CLICK), *correct[1:]], model="base")
    pilot.score(worse, own(tmp_path / "b", correct, model="tuned"))
    row = pilot.cells("Scores")[0]
    assert (row[1], row[3], row[4]) == ("75.00", "100.00", "+25.00")
    pilot.press("Steps")
    pilot.wait_for_text("step 1 of 4: Look around")
    pilot.wait_for_text("tuned: CLICK")
    assert pilot.says("(right)")

    def is_drawn() -> bool:
        image = pilot.find(StepCanvas).grab().toImage()
        colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        return {MARK.name(), PREDICTED.name()} <= colours

    pilot.qtbot.waitUntil(is_drawn)


def test_unusable_predictions_are_listed(pilot: EvaluatePilot, correct: list[Prediction], tmp_path: Path) -> None:
    file = own(tmp_path / "a", [*correct[:-1], correct[0], Prediction("9" * 16, 0, correct[0].action)])
    with file.open("a") as lines:
        lines.write('{"episode": 1e309}\n')
    pilot.score(file)
    pilot.wait_for_text("1 steps without a prediction, 1 repeated, 1 for steps that the dataset does not have")
    pilot.press("Problems")
    problems = "\n".join(problem for _, problem in pilot.cells("Problems"))
    assert all(f"line {number}:" in problems for number in (5, 6, 7))


def test_unusable_file_or_dataset_is_reported(pilot: EvaluatePilot, root: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("{broken")
    pilot.score(tmp_path / "a")
    pilot.wait_for_text("is not a file of predictions")
    assert not pilot.commands[EvaluateCommand.EXPORT_REPORT].isEnabled()
    pilot.named(QLineEdit, "Dataset").setText(str(tmp_path / "nothing"))
    pilot.score(own(tmp_path / "b", predictions(root)))
    pilot.wait_for_text("nothing")
    assert not pilot.commands[EvaluateCommand.SHOW_SCORES].isEnabled()


def test_report_is_saved_as_html_or_json(pilot: EvaluatePilot, correct: list[Prediction], tmp_path: Path) -> None:
    pilot.score(own(tmp_path / "a", correct))
    for name in ("report.html", "report.json"):
        pilot.press("Export report")
        pilot.choose_file(tmp_path / name)
        pilot.wait_for_text(name)
        pilot.qtbot.waitUntil((tmp_path / name).exists)
    assert json.loads((tmp_path / "report.json").read_text())["ams"] == 100
    assert "Protocol official" in (tmp_path / "report.html").read_text()


def test_alternatives_and_leaderboard_are_shown_beside_the_plain_scores(
    pilot: EvaluatePilot, root: Path, correct: list[Prediction], tmp_path: Path
) -> None:
    accept_alternative(root, EPISODE, 0, Click(Point(990, 10)), "Bea")
    worse = [correct[0]._replace(action=WRONG_CLICK), *correct[1:]]
    pilot.score(own(tmp_path / "a", worse, model="base"))
    pilot.named(QCheckBox, "Count accepted alternatives too").setChecked(True)
    pilot.press("Score")
    pilot.qtbot.waitUntil(lambda: not pilot.background.jobs)
    assert pilot.cells("Scores")[0][:4] == ["AMS, pooled", "75.00", "–", "100.00"]  # noqa: RUF001
    assert pilot.says("If accepted alternatives are right too: AMS 100.00, SR 100.00.")
    pilot.score(own(tmp_path / "b", correct, model="tuned"))
    pilot.press("Leaderboard")
    rows = pilot.cells("Leaderboard")
    assert [(row[0], row[4], row[7]) for row in rows] == [("tuned", "100.00", "100.00"), ("base", "75.00", "100.00")]
    pilot.press("Save table")
    pilot.choose_file(tmp_path / "scores.tex")
    pilot.wait_for_text("The table is saved.")
    assert (tmp_path / "scores.tex").read_text().startswith(r"\begin{tabular}")
