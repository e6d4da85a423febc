"""A lead at the Tasks page: the real task service on a file queue, some shipped templates, and a stand-in model."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.table import VALUE
from odyssey_recorder.gui.tasks.prepared_table import PreparedRow
from odyssey_recorder.gui.tasks.queue_bridge import QueueBridge
from odyssey_recorder.gui.tasks.service_bridge import TaskServiceBridge
from odyssey_recorder.gui.tasks.tasks_page import TasksPage
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.prices import Prices, read_prices
from odyssey_recorder.task.queue.board import QueuedTask
from odyssey_recorder.task.queue.queue import TaskQueue
from odyssey_recorder.task.templates.template_files import shipped_templates
from odyssey_recorder.task_service import ModelChoice, TaskService, TemplateChoice
from tests.gui.pilot import WidgetPilot
from tests.llm.questions import batch_with
from tests.llm.stand_in import MODEL, StandIn

D = TypeVar("D", bound=QDialog)

NO_MODEL = "No language model is set. Choose one under Settings."
_TEMPLATES = (
    "General_Tool/phone_alarm", "Information_Management/phone_fact_note", "Media_Entertainment/phone_song_share",
    "Multi_Apps/phone_gift", "Social_Sharing/phone_post_forward", "Web_Shopping/phone_two_prices",
)  # fmt: skip


def own_templates(folder: Path) -> Path:
    made, shipped = folder / "templates", shipped_templates()
    shutil.copytree(shipped / "pools", made / "pools")
    (made / "apps").mkdir()
    shutil.copy(shipped / "apps" / "simulated_phone.yaml", made / "apps")
    for name in _TEMPLATES:
        (made / name).parent.mkdir(exist_ok=True)
        shutil.copy(shipped / f"{name}.yaml", made / f"{name}.yaml")
    return made


@dataclass
class Office:
    """A queue for preparing tasks; a model is available once there is a server for it."""

    templates: Path
    folder: Path
    queue: TaskQueue
    server: StandIn | None = None
    prices: Prices = field(default_factory=read_prices)

    def service(self) -> TaskService:
        own = self.folder / "own"
        templates = TemplateChoice(
            lambda: [self.templates, *([own] if own.exists() else [])], lambda: own, lambda: False
        )
        return TaskService(self.queue, lambda: "Ada", templates, self._batch)

    def _batch(self, budget: float | None) -> Batch:
        if self.server is None:
            raise SettingsError(NO_MODEL)
        model = OpenAIModel(MODEL, self.server.url, None)
        return batch_with(model, self.prices, self.folder / "answers.sqlite", at_once=1, budget=budget)


class LeadBench(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, office: Office) -> None:
        super().__init__(qtbot, background)
        self.office = office
        self.service = office.service()
        self.bridge = QueueBridge(lambda: office.queue, self.background, self.window)
        service_bridge = TaskServiceBridge(lambda: self.service, self.background, self.bridge)
        self.page = TasksPage(self.bridge, self.commands, service_bridge)
        self.show_widget(self.page)

    def stop_delivery(self) -> None:
        self.background.cancel_jobs()
        self.qtbot.waitUntil(lambda: not self.background.jobs)
        super().stop_delivery()

    def prepared(self, count: int) -> list[QueuedTask]:
        made = self.service.generate(ModelChoice(count, 1, "simulated_phone", frozenset(), names_apps=False))
        self.enter(Command.SHOW_PREPARE)
        self.qtbot.waitUntil(lambda: len(self.rows) == count)
        return [task for one in made.tasks if (task := self.service.board().task(one.task_id)) is not None]

    def enter(self, view: Command) -> None:
        self.page.enter()
        self.use(view)
        self.qtbot.waitUntil(lambda: self.commands[Command.GENERATE_TASKS].isEnabled())

    @property
    def tasks(self) -> QTableView:
        return self.named(QTableView, "Tasks to prepare")

    @property
    def rows(self) -> list[PreparedRow]:
        model = self.tasks.model()
        return [model.index(at, 0).data(VALUE) for at in range(model.rowCount())]

    @property
    def current(self) -> str:
        return str(self.tasks.currentIndex().data(VALUE).task_id)

    def task(self, task_id: str) -> QueuedTask:
        found = self.service.board().task(task_id)
        assert found is not None
        return found

    def dialog_of(self, kind: type[D]) -> D:
        opened = self.dialog()
        assert isinstance(opened, kind)
        return opened

    def use(self, command: Command) -> None:
        """Press a command's keys; activates the window, since no window manager does after a dialog closes."""
        self.activate()
        keys = self.commands[command].shortcut()
        QTest.keySequence(QApplication.focusWidget() or self.window, keys)

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(is_so)
