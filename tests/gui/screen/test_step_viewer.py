"""Steps in words that name their elements, and steps shown large."""

from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.theme import MARK
from odyssey_recorder.gui.record.steps_card import StepsCard
from odyssey_recorder.gui.screen.step_viewer import StepViewer
from odyssey_recorder.model.action import Action, Click, Complete, Type
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.recording.view import RecordedStep
from tests.gui.item_views import column_texts
from tests.gui.pilot import WidgetPilot, texts_in

ACTIONS: tuple[Action, ...] = (Click(Point(500, 500)), Type("milk"), Complete())
TREE = """<hierarchy>
  <node clickable="true" text="&lt;b&gt;Notes" bounds="[0,500][720,800]"/>
  <node class="android.widget.EditText" focused="true" hint="Title" bounds="[0,0][720,90]"/>
</hierarchy>"""


class RecordedStepsPilot(WidgetPilot):
    """A card with three steps, the last one selected."""

    def __init__(self, qtbot: QtBot, background: Background, folder: Path) -> None:
        super().__init__(qtbot, background)
        self.card = StepsCard(background, self.commands)
        self.undone: list[int] = []
        self.card.undo_asked.connect(lambda first, _corrects: self.undone.append(first))
        (folder / "0.xml").write_text(TREE)
        steps = []
        for number, action in enumerate(ACTIONS):
            screenshot = folder / f"{number}.png"
            Image.new("RGB", (720, 1280), (20, 90, 40 * number)).save(screenshot)
            steps.append(RecordedStep(number, action, screenshot, "", tree=folder / "0.xml"))
        self.card.show_steps(steps, may_undo=True)
        self.show_widget(self.card, 284, 600)
        self.list = self.named(QListView, "Steps")
        self.list.setFocus()

    @property
    def words(self) -> list[str]:
        return column_texts(self.list)

    def viewers(self) -> list[StepViewer]:
        return [viewer for viewer in self.window.findChildren(StepViewer) if viewer.isVisible()]


@pytest.fixture
def recorded(qtbot: QtBot, background: Background, tmp_path: Path) -> RecordedStepsPilot:
    return RecordedStepsPilot(qtbot, background, tmp_path)


def test_steps_name_their_elements(recorded: RecordedStepsPilot) -> None:
    recorded.qtbot.waitUntil(lambda: recorded.words == ["Click “<b>Notes”", "Type “milk” into “Title”", "Complete"])
    tip = str(recorded.list.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole))
    assert "Click “&lt;b&gt;Notes” at 500, 500" in tip


@pytest.mark.parametrize("tree", ["", "<!DOCTYPE x><hierarchy/>", "<hierarchy><node"])
def test_unreadable_view_hierarchy_leaves_action_only(recorded: RecordedStepsPilot, tmp_path: Path, tree: str) -> None:
    (tmp_path / "1.xml").write_text(tree)
    step = RecordedStep(0, Click(Point(500, 500)), tmp_path / "0.png", "", tree=tmp_path / "1.xml")
    recorded.card.show_steps([step])
    index = recorded.list.model().index(0, 0)
    recorded.qtbot.waitUntil(lambda: index.data(Qt.ItemDataRole.UserRole) is not None or bool(index.data()))
    assert recorded.words == ["Click"]


def test_space_enlarges_step_and_keys_navigate(recorded: RecordedStepsPilot) -> None:
    recorded.qtbot.waitUntil(lambda: recorded.words[1] == "Type “milk” into “Title”")
    QTest.keyClick(recorded.list, Qt.Key.Key_Space)
    (viewer,) = recorded.viewers()
    recorded.qtbot.waitUntil(viewer.isActiveWindow)  # before that its keys go elsewhere
    assert "Step 3 of 3" in texts_in(viewer)
    for key, expected in (
        (Qt.Key.Key_Left, {"Type “milk” into “Title”", "Step 2 of 3"}),
        (Qt.Key.Key_Home, {"Click “<b>Notes”", "Step 1 of 3 · at 500, 500"}),
        (Qt.Key.Key_Left, {"Click “<b>Notes”", "Step 1 of 3 · at 500, 500"}),
        (Qt.Key.Key_Right, {"Type “milk” into “Title”", "Step 2 of 3"}),
        (Qt.Key.Key_End, {"Complete", "Step 3 of 3"}),
    ):
        QTest.keyClick(viewer, key)
        recorded.qtbot.waitUntil(lambda expected=expected: expected <= set(texts_in(viewer)))  # type: ignore[misc]
    QTest.keyClick(viewer, Qt.Key.Key_Home)
    assert recorded.list.currentIndex().row() == 0
    canvas = recorded.named(QWidget, "Screenshot of the step")
    recorded.qtbot.waitUntil(lambda: canvas.grab().toImage().pixelColor(canvas.rect().center()) != MARK)
    QTest.keyClick(viewer, Qt.Key.Key_Escape)
    assert recorded.viewers() == []


def test_action_is_drawn_on_large_screenshot(recorded: RecordedStepsPilot) -> None:
    index = recorded.list.model().index(0, 0)
    recorded.list.scrollTo(index)
    position = recorded.list.visualRect(index).topLeft() + QPoint(40, 40)
    QTest.mouseClick(recorded.list.viewport(), Qt.MouseButton.LeftButton, pos=position)
    QTest.mouseDClick(recorded.list.viewport(), Qt.MouseButton.LeftButton, pos=position)
    (viewer,) = recorded.viewers()
    canvas = recorded.named(QWidget, "Screenshot of the step")

    def is_drawn() -> bool:
        image = canvas.grab().toImage()
        middle = image.height() // 2
        return any(image.pixelColor(x, middle) == MARK for x in range(image.width()))

    recorded.qtbot.waitUntil(is_drawn)
    QTest.keyClick(viewer, Qt.Key.Key_Space)
    assert recorded.viewers() == []


def test_space_among_letters_does_not_enlarge(recorded: RecordedStepsPilot) -> None:
    QTest.keyClicks(recorded.list, "and more")
    assert recorded.viewers() == []
    QTest.keyClick(recorded.list, Qt.Key.Key_Up)
    QTest.keyClick(recorded.list, Qt.Key.Key_Space)
    assert len(recorded.viewers()) == 1


def test_undo_to_here_button(recorded: RecordedStepsPilot) -> None:
    recorded.list.setCurrentIndex(recorded.list.model().index(1, 0))
    QTest.mouseClick(recorded.button_named("Undo to here"), Qt.MouseButton.LeftButton)
    assert recorded.undone == [1], "the first step to undo"
