"""The Tasks page of a lead: the real task service on a file queue, some shipped templates, and a stand-in model."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.kit.table import VALUE
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.preparation import TaskServiceBridge
from odyssey_recorder.gui.tasks.prepared_table import PreparedRow
from odyssey_recorder.gui.tasks.tasks_page import TasksPage
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.prices import Prices, read_prices
from odyssey_recorder.services.tasks import ModelChoice, TaskService, TemplateChoice
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import QueuedTask
from odyssey_recorder.tasks.templates.template_files import shipped_templates
from tests.gui.pilot import WidgetPilot
from tests.llm.questions import batch_with
from tests.llm.stand_in import MODEL, StandIn

D = TypeVar("D", bound=QDialog)

NO_MODEL = "No language model is set. Choose one under Settings."
_TEMPLATES = (
    "General_Tool/phone_alarm", "Information_Management/phone_fact_note", "Media_Entertainment/phone_song_share",
    "Multi_Apps/phone_gift", "Social_Sharing/phone_post_forward", "Web_Shopping/phone_two_prices",
)  # fmt: skip


def copy_templates(folder: Path) -> Path:
    copies, shipped = folder / "templates", shipped_templates()
    shutil.copytree(shipped / "pools", copies / "pools")
    (copies / "apps").mkdir()
    shutil.copy(shipped / "apps" / "simulated_phone.yaml", copies / "apps")
    for name in _TEMPLATES:
        (copies / name).parent.mkdir(exist_ok=True)
        shutil.copy(shipped / f"{name}.yaml", copies / f"{name}.yaml")
    return copies


@dataclass
class TaskSetup:
    """A queue for preparing tasks; a model is available once `server` is set."""

    templates: Path
    folder: Path
    queue: TaskQueue
    server: StandIn | None = None
    prices: Prices = field(default_factory=read_prices)

    def service(self) -> TaskService:
        own = self.folder / "own"
        templates = TemplateChoice(
            lambda: [self.templates, *([own] if own.exists() else [])],
            lambda: own,
            lambda: False,
            lambda: self.folder / "team.yaml",
        )
        return TaskService(self.queue, lambda: "Ada", templates, self._batch)

    def _batch(self, budget: float | None) -> Batch:
        if self.server is None:
            raise SettingsError(NO_MODEL)
        model = OpenAIModel(MODEL, self.server.url, None)
        return batch_with(model, self.prices, self.folder / "answers.sqlite", at_once=1, budget=budget)


class LeadDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, setup: TaskSetup) -> None:
        super().__init__(qtbot, background)
        self.setup = setup
        self.service = setup.service()
        self.bridge = QueueBridge(lambda: setup.queue, self.background, self.window)
        service_bridge = TaskServiceBridge(lambda: self.service, self.background, self.bridge)
        self.page = TasksPage(self.bridge, self.commands, service_bridge)
        self.show_widget(self.page)

    def stop_delivery(self) -> None:
        self.background.cancel_jobs()
        self.qtbot.waitUntil(lambda: not self.background.jobs)
        super().stop_delivery()

    def generate(self, count: int) -> list[QueuedTask]:
        generated = self.service.generate(ModelChoice(count, 1, "simulated_phone", frozenset(), names_apps=False))
        self.open_view(TasksCommand.SHOW_PREPARE)
        self.qtbot.waitUntil(lambda: len(self.rows) == count)
        return [self.task(one.task_id) for one in generated.tasks]

    def open_view(self, view: Command) -> None:
        self.page.enter()
        self.use(view)
        self.qtbot.waitUntil(lambda: self.commands[TasksCommand.GENERATE_TASKS].isEnabled())

    @property
    def tasks(self) -> QTableView:
        return self.named(QTableView, "Tasks to prepare")

    @property
    def rows(self) -> list[PreparedRow]:
        model = self.tasks.model()
        return [model.index(row, 0).data(VALUE) for row in range(model.rowCount())]

    def task(self, task_id: str) -> QueuedTask:
        task = self.service.board().task(task_id)
        assert task is not None
        return task

    def dialog_of(self, kind: type[D]) -> D:
        dialog = self.dialog()
        assert isinstance(dialog, kind)
        return dialog

    def use(self, command: Command) -> None:
        """Press a command's keys; activates the window, since no window manager does after a dialog closes."""
        self.activate()
        keys = self.commands[command].shortcut()
        QTest.keySequence(QApplication.focusWidget() or self.window, keys)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition)
