"""The Evaluate page on real files: predictions, episodes of the simulated phone, reports."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.evaluation.predictions import Prediction
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.evaluate.evaluate_page import EvaluatePage
from odyssey_recorder.gui.figures.figures_pane import PanelView
from odyssey_recorder.gui.step_viewer import StepCanvas
from odyssey_recorder.gui.theme import MARK, PREDICTED
from odyssey_recorder.model.episode import Json
from odyssey_recorder.selection.index import EpisodeIndex
from tests.annotation.phone_dataset import look_around
from tests.evaluation.prediction_files import own, predictions
from tests.gui.pilot import WidgetPilot

EPISODE = "1" * 16
FAR: dict[str, Json] = {"action": "CLICK", "info": [[990, 10], [990, 10]]}


class Desk(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path) -> None:
        super().__init__(qtbot, background)
        self.page = EvaluatePage(lambda: EpisodeIndex(root, None), background, self.commands)
        self.show_widget(self.page, 1400, 900)

    def score(self, predictions: Path, against: Path | str = "") -> None:
        self.named(QLineEdit, "Predictions").setText(str(predictions))
        self.named(QLineEdit, "Compare with").setText(str(against))
        self.press("Score")
        self.qtbot.waitUntil(lambda: not self.background.jobs)

    def cells(self, name: str) -> list[list[str]]:
        model = self.named(QTableView, name).model()
        return [
            [str(model.index(row, at).data()) for at in range(model.columnCount())] for row in range(model.rowCount())
        ]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    look_around(tmp_path / "data", EPISODE, 3)
    return tmp_path / "data"


@pytest.fixture
def right(root: Path) -> list[Prediction]:
    return predictions(root)


@pytest.fixture
def desk(qtbot: QtBot, background: Background, root: Path) -> Desk:
    return Desk(qtbot, background, root)


def test_scores_name_the_protocol_and_a_cell_of_the_confusion_shows_its_steps(
    desk: Desk, right: list[Prediction], tmp_path: Path
) -> None:
    wrong = [right[0]._replace(action=FAR), right[1]._replace(action=None), *right[2:]]
    desk.score(own(tmp_path / "a", wrong, model="base"))
    assert desk.says("Protocol official · all episodes · high-level instructions")
    assert desk.cells("Scores")[0][:2] == ["AMS, pooled", "50.00"]
    panel = desk.find(PanelView)
    QTest.keyClick(panel, Qt.Key.Key_Right)
    QTest.keyClick(panel, Qt.Key.Key_Return)
    desk.wait_for_text("CLICK predicted as CLICK: 2 steps, protocol official")
    assert [row[4].split()[-1] for row in desk.cells("Judged steps")] == ["away", "Right"]
    desk.press("Show all wrong")
    desk.wait_for_text("2 wrong steps, protocol official")
    assert desk.cells("Judged steps")[0][4] == "Cannot be read"


def test_the_true_and_the_predicted_action_are_drawn_on_the_screenshot(
    desk: Desk, right: list[Prediction], tmp_path: Path
) -> None:
    desk.score(own(tmp_path / "a", [right[0]._replace(action=FAR), *right[1:]]))
    desk.press("Steps")
    desk.wait_for_text("step 1 of 4: Look around")

    def is_drawn() -> bool:
        image = desk.find(StepCanvas).grab().toImage()
        seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        return {MARK.name(), PREDICTED.name()} <= seen

    desk.qtbot.waitUntil(is_drawn)


def test_two_models_are_shown_side_by_side_with_their_differences(
    desk: Desk, right: list[Prediction], tmp_path: Path
) -> None:
    worse = own(tmp_path / "a", [right[0]._replace(action=FAR), *right[1:]], model="base")
    desk.score(worse, own(tmp_path / "b", right, model="tuned"))
    row = desk.cells("Scores")[0]
    assert (row[1], row[3], row[4]) == ("75.00", "100.00", "+25.00")
    desk.press("Steps")
    desk.wait_for_text("tuned: CLICK")
    assert desk.says("(right)")


def test_what_does_not_fit_is_told_with_file_and_line(desk: Desk, right: list[Prediction], tmp_path: Path) -> None:
    file = own(tmp_path / "a", [*right[:-1], right[0], Prediction("9" * 16, 0, right[0].action)])
    with file.open("a") as lines:
        lines.write('{"episode": 1e309}\n')
    desk.score(file)
    desk.wait_for_text("1 steps without a prediction, 1 repeated, 1 for steps that the dataset does not have")
    desk.press("Problems")
    told = "\n".join(words for _, words in desk.cells("What does not fit"))
    assert all(f"line {number}:" in told for number in (5, 6, 7))


def test_a_file_that_is_none_and_another_folder_without_episodes_say_so(desk: Desk, root: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("{broken")
    desk.score(tmp_path / "a")
    desk.wait_for_text("is not a file of predictions")
    assert not desk.commands[Command.EXPORT_REPORT].isEnabled()
    desk.named(QLineEdit, "Dataset").setText(str(tmp_path / "nothing"))
    desk.score(own(tmp_path / "b", predictions(root)))
    desk.wait_for_text("nothing")
    assert not desk.commands[Command.SHOW_SCORES].isEnabled()


def test_the_report_is_saved_as_a_page_or_as_json(desk: Desk, right: list[Prediction], tmp_path: Path) -> None:
    desk.score(own(tmp_path / "a", right))
    for name in ("report.html", "report.json"):
        desk.press("Export report")
        dialog = desk.dialog()
        assert isinstance(dialog, QFileDialog)
        dialog.fileSelected.emit(str(tmp_path / name))
        dialog.reject()
        desk.wait_for_text(name)
        desk.qtbot.waitUntil((tmp_path / name).exists)
    assert json.loads((tmp_path / "report.json").read_text())["ams"] == 100
    assert "Protocol official" in (tmp_path / "report.html").read_text()
