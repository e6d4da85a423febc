"""*Write texts…* on the Annotate page: a plan with its cost, consent, the job, and what goes wrong."""

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QPushButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.annotation.consent import needs_consent
from odyssey_recorder.annotation.reviewing import Shares, TextReviewing
from odyssey_recorder.annotation.semantics import SemanticsStore
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.gui.annotate.annotate_page import AnnotatePage
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.services.step_texts import TextWriting
from tests.annotation.phone_dataset import look_around
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot
from tests.llm.questions import batch_with, priced
from tests.llm.stand_in import MODEL, ErrorReply, StandIn

EPISODE = "1111111111111111"
STEPS = 3
REMOTE = "0.0.0.0"
"""An address of this computer that is not known as one."""


class WritingPilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path, open_batch: Callable[[], Batch]) -> None:
        super().__init__(qtbot, background)
        evidence = Checker(None).evidence
        writing = TextWriting(root, lambda: [EPISODE], evidence, lambda _budget: open_batch(), lambda: "Ann")
        texts = TextReviewing(root, evidence, lambda: "Ann", Shares(0, 0))
        self.page = AnnotatePage(texts, background, self.commands, lambda: writing)
        self.show_widget(self.page)
        self.page.enter()

    def open_dialog(self) -> QDialog:
        self.press("Write texts")
        return self.dialog()

    def button(self) -> QPushButton:
        return next(one for one in self.dialog().findChildren(QPushButton) if one.text() == "Write texts")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be changed."""
    folder = tmp_path_factory.mktemp("recorded")
    look_around(folder, EPISODE, STEPS)
    return folder


@pytest.fixture
def root(recorded: Path, tmp_path: Path) -> Path:
    return copytree(recorded, tmp_path, dirs_exist_ok=True)


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as server:
        yield server


OpenPage = Callable[[Callable[[], Batch]], WritingPilot]


@pytest.fixture
def open_page(qtbot: QtBot, background: Background, root: Path) -> OpenPage:
    return lambda open_batch: WritingPilot(qtbot, background, root, open_batch)


def model_on(server: StandIn, host: str = "127.0.0.1") -> Callable[[], Batch]:
    return lambda: batch_with(OpenAIModel(MODEL, server.url.replace("127.0.0.1", host), None), priced())


def test_missing_texts_are_planned_written_and_listed(open_page: OpenPage, root: Path, server: StandIn) -> None:
    pilot = open_page(model_on(server))
    dialog = pilot.open_dialog()
    pilot.wait_for_text(f"{MODEL} at {server.url.removesuffix('/v1')}")
    assert not faults(dialog)
    assert not pilot.named(QCheckBox, "The owner agrees").isVisible()
    pilot.press_in(dialog, "Write texts")
    pilot.wait_for_text("texts added for 1 episode.")
    assert len(SemanticsStore(root).read(EPISODE).entries) > STEPS
    pilot.qtbot.waitUntil(lambda: "suggested" in "".join(pilot.rows_of("Episodes with texts")))
    questions = len(server.questions)
    dialog = pilot.open_dialog()
    pilot.wait_for_text("Nothing is missing.")
    pilot.named(QComboBox, "What to write").setCurrentText("Chain-of-Memory, one candidate (cheaper)")
    pilot.qtbot.waitUntil(lambda: pilot.button().isEnabled())
    pilot.press_in(dialog, "Cancel")
    assert len(server.questions) == questions


def test_screenshots_are_sent_only_if_the_owner_agrees(open_page: OpenPage, root: Path, server: StandIn) -> None:
    pilot = open_page(model_on(server, REMOTE))
    dialog = pilot.open_dialog()
    pilot.wait_for_text(f" MB, to http://{REMOTE}")
    agreed = pilot.named(QCheckBox, "The owner agrees")
    assert (agreed.isVisible(), pilot.button().isEnabled(), server.questions) == (True, False, [])
    agreed.setChecked(True)
    pilot.press_in(dialog, "Write texts")
    pilot.wait_for_text("texts added for 1 episode.")
    host = server.url.removesuffix("/v1").replace("127.0.0.1", REMOTE)
    assert not needs_consent(root, host, 1, 1)


def test_server_refusal_is_reported_and_the_page_stays_usable(open_page: OpenPage, server: StandIn) -> None:
    server.behaviour = lambda _: ErrorReply(401, "no")
    pilot = open_page(model_on(server))
    dialog = pilot.open_dialog()
    pilot.qtbot.waitUntil(lambda: pilot.button().isEnabled())
    pilot.press_in(dialog, "Write texts")
    pilot.wait_for_text("0 texts added for 1 episode.")
    assert pilot.says("1 episode not finished: ")
    assert pilot.open_dialog().isVisible()


def test_dialog_explains_a_missing_model(open_page: OpenPage) -> None:
    def open_nothing() -> Batch:
        raise SettingsError("No language model is set. Choose one under Settings.")

    pilot = open_page(open_nothing)
    pilot.open_dialog()
    pilot.wait_for_text("No language model is set. Choose one under Settings.")
    assert not pilot.button().isEnabled()
