"""*Write texts…* on the Annotate page: a plan with its cost, consent, the job, and what goes wrong."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QPushButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.annotation.consent import needs_consent
from odyssey_recorder.annotation.reviewing import Shares, TextReviewing
from odyssey_recorder.annotation.semantics import SemanticsStore
from odyssey_recorder.annotation.writing import TextWriting
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.gui.annotate.annotate_page import AnnotatePage
from odyssey_recorder.gui.background import Background
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.quality.checker import Checker
from tests.annotation.phone_dataset import look_around
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot
from tests.llm.questions import batch_with, priced
from tests.llm.stand_in import MODEL, Fails, StandIn

EPISODE = "1111111111111111"
STEPS = 3
REMOTE = "0.0.0.0"
"""An address of this computer that is not known as one."""


class Desk(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path, open_batch: Callable[[], Batch]) -> None:
        super().__init__(qtbot, background)
        self.root = root
        evidence = Checker(None).evidence
        writing = TextWriting(root, lambda: [EPISODE], evidence, lambda _budget: open_batch(), lambda: "Ann")
        texts = TextReviewing(root, evidence, lambda: "Ann", Shares(0, 0))
        self.page = AnnotatePage(texts, background, self.commands, lambda: writing)
        self.show_widget(self.page)
        self.page.enter()

    def ask(self) -> QDialog:
        self.press("Write texts")
        return self.dialog()

    def button(self) -> QPushButton:
        return next(one for one in self.dialog().findChildren(QPushButton) if one.text() == "Write texts")

    @property
    def suggested(self) -> int:
        return len(SemanticsStore(self.root).read(EPISODE).entries)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    look_around(tmp_path, EPISODE, STEPS)
    return tmp_path


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as server:
        yield server


def at(server: StandIn, host: str = "127.0.0.1") -> Callable[[], Batch]:
    return lambda: batch_with(OpenAIModel(MODEL, server.url.replace("127.0.0.1", host), None), priced())


def test_what_is_missing_is_planned_written_and_listed(
    qtbot: QtBot, background: Background, root: Path, server: StandIn
) -> None:
    desk = Desk(qtbot, background, root, at(server))
    dialog = desk.ask()
    desk.wait_for_text(f"{MODEL} at {server.url.removesuffix('/v1')}")
    assert not faults(dialog)
    assert not desk.named(QCheckBox, "The owner agrees").isVisible()
    desk.press_in(dialog, "Write texts")
    desk.wait_for_text("texts added for 1 episode.")
    assert desk.suggested > STEPS
    qtbot.waitUntil(lambda: "suggested" in "".join(desk.rows_of("Episodes with texts")))
    asked = len(server.questions)

    dialog = desk.ask()
    desk.wait_for_text("Nothing is missing.")
    desk.named(QComboBox, "What to write").setCurrentText("Chain-of-Memory, one candidate (cheaper)")
    qtbot.waitUntil(lambda: desk.button().isEnabled())
    desk.press_in(dialog, "Cancel")
    assert len(server.questions) == asked


def test_screenshots_leave_only_when_the_owner_agrees(
    qtbot: QtBot, background: Background, root: Path, server: StandIn
) -> None:
    desk = Desk(qtbot, background, root, at(server, REMOTE))
    dialog = desk.ask()
    desk.wait_for_text(f" MB, to http://{REMOTE}")
    agreed = desk.named(QCheckBox, "The owner agrees")
    assert (agreed.isVisible(), desk.button().isEnabled(), server.questions) == (True, False, [])
    agreed.setChecked(True)
    desk.press_in(dialog, "Write texts")
    desk.wait_for_text("texts added for 1 episode.")
    host = server.url.removesuffix("/v1").replace("127.0.0.1", REMOTE)
    assert not needs_consent(root, host, 1, 1)


def test_what_the_server_refuses_is_told_and_the_page_stays_usable(
    qtbot: QtBot, background: Background, root: Path, server: StandIn
) -> None:
    server.behaviour = lambda _: Fails(401, "no")
    desk = Desk(qtbot, background, root, at(server))
    dialog = desk.ask()
    qtbot.waitUntil(lambda: desk.button().isEnabled())
    desk.press_in(dialog, "Write texts")
    desk.wait_for_text("0 texts added for 1 episode.")
    assert desk.says("1 episode not finished: ")
    assert desk.ask().isVisible()


def test_without_a_model_the_dialog_says_what_to_do(qtbot: QtBot, background: Background, root: Path) -> None:
    def open_nothing() -> Batch:
        raise SettingsError("No language model is set. Choose one under Settings.")

    desk = Desk(qtbot, background, root, open_nothing)
    desk.ask()
    desk.wait_for_text("No language model is set. Choose one under Settings.")
    assert not desk.button().isEnabled()
