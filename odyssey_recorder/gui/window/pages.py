"""The pages: which ones exist, how each is created, and what links them."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from odyssey_recorder.gui.bridges.practice import PracticeBridge
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.frame.application import TextSize, ThemeName
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Command, Commands
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.roles import sees
from odyssey_recorder.gui.frame.shortcuts import Shortcuts
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.gui.record.agent_runner import AgentModels
from odyssey_recorder.gui.record.record_page import RecordPage
from odyssey_recorder.settings import Role

if TYPE_CHECKING:  # each page is loaded on first use
    from odyssey_recorder.annotation.reviewing import TextReviewing
    from odyssey_recorder.annotation.writing import TextWriting
    from odyssey_recorder.dataset_index.index import EpisodeIndex
    from odyssey_recorder.dataset_index.saved import SavedFilters
    from odyssey_recorder.device.inventory import DeviceInventory
    from odyssey_recorder.doctor import Doctor
    from odyssey_recorder.gui.review.review_calls import Reviewing
    from odyssey_recorder.practice.service import PracticeService
    from odyssey_recorder.settings import SettingsStore
    from odyssey_recorder.task_service import TaskService
    from odyssey_recorder.tasks.queue.queue import TaskQueue


PAGES = (
    Command.RECORD_PAGE,
    Command.REVIEW_PAGE,
    Command.TASKS_PAGE,
    Command.PRACTICE_PAGE,
    Command.DEVICES_PAGE,
    Command.DATASET_PAGE,
    Command.ANNOTATE_PAGE,
    Command.EVALUATE_PAGE,
    Command.SETTINGS_PAGE,
)


_MODULES = {
    Command.REVIEW_PAGE: "odyssey_recorder.gui.review.review_page",
    Command.ANNOTATE_PAGE: "odyssey_recorder.gui.annotate.annotate_page",
    Command.EVALUATE_PAGE: "odyssey_recorder.gui.evaluate.evaluate_page",
    Command.TASKS_PAGE: "odyssey_recorder.gui.tasks.tasks_page",
    Command.PRACTICE_PAGE: "odyssey_recorder.gui.practice.practice_page",
    Command.DEVICES_PAGE: "odyssey_recorder.gui.devices.devices_page",
    Command.DATASET_PAGE: "odyssey_recorder.gui.dataset.dataset_page",
    Command.SETTINGS_PAGE: "odyssey_recorder.gui.settings.settings_page",
    Command.DOCTOR: "odyssey_recorder.gui.window.doctor_dialog",
}


_PARTS = (
    "odyssey_recorder.recording.recorder",
    "odyssey_recorder.agents.online",
    "odyssey_recorder.gui.review.figures_view",
    "odyssey_recorder.checking.checker",
    "odyssey_recorder.services.review",
    "odyssey_recorder.task_service",
)
"""Modules that pages use, loaded before the pages are created."""


def load_pages() -> None:
    """Load the modules of all pages; off the GUI thread, as it takes longer than the window may freeze."""
    for module in (*_PARTS, *_MODULES.values()):
        import_module(module)


def is_loaded(command: Command) -> bool:
    """Whether the page can be created at once."""
    module = sys.modules.get(_MODULES.get(command, __name__))
    return module is not None and not getattr(module.__spec__, "_initializing", False)


@dataclass(frozen=True, slots=True)
class Workplace:
    """What the window shows beside recording; a part that is None has no page or dialog.

    The functions are called once, when the page is created, `dataset`, `tasks` and
    `task_service` off the GUI thread; `dataset` again for each evaluation. `state`,
    `shortcuts` and `sheets` store the window's state, the annotator's keys, and a reviewer's answers.
    """

    dataset: "Callable[[], EpisodeIndex] | None" = None
    saved_filters: "Callable[[], SavedFilters] | None" = None
    review: "Callable[[], Reviewing] | None" = None
    texts: "Callable[[], TextReviewing] | None" = None
    writing: "Callable[[], TextWriting] | None" = None
    agents: AgentModels | None = None
    doctor: "Doctor | None" = None
    inventory: "Callable[[], DeviceInventory] | None" = None
    tasks: "Callable[[], TaskQueue] | None" = None
    task_service: "Callable[[], TaskService] | None" = None
    practice: "PracticeService | None" = None
    settings: "SettingsStore | None" = None
    role: Role = ""
    theme: ThemeName = "system"
    text_size: TextSize = "normal"
    state: KeptFile = field(default_factory=KeptFile)
    shortcuts: KeptFile = field(default_factory=KeptFile)
    sheets: KeptFile = field(default_factory=KeptFile)


@dataclass(frozen=True, slots=True)
class Tools:
    """What every page is made with."""

    commands: Commands
    background: Background
    shortcuts: Shortcuts
    queue: QueueBridge | None
    coach: PracticeBridge | None = None


class Pages(QObject):
    role_saved = Signal(str)

    def __init__(self, record: RecordPage, controller: RecordingController, workplace: Workplace, tools: Tools) -> None:
        super().__init__(controller)
        self._record = record
        self._controller = controller
        self._tools = tools
        self.role: Role = workplace.role
        self._made: dict[Command, MainPage] = {}
        self._makers: dict[Command, Callable[[], MainPage]] = {Command.RECORD_PAGE: lambda: record}
        review = None if workplace.review is None else cache(workplace.review)
        if workplace.dataset is not None:
            self._makers[Command.DATASET_PAGE] = partial(
                self._make_dataset, workplace.dataset, workplace.saved_filters, review
            )
            self._makers[Command.EVALUATE_PAGE] = partial(self._make_evaluate, workplace.dataset)
        if review is not None:
            self._makers[Command.REVIEW_PAGE] = partial(self._make_review, review, workplace.sheets)
        if workplace.texts is not None:
            self._makers[Command.ANNOTATE_PAGE] = partial(self._make_annotate, workplace.texts, workplace.writing)
        if workplace.inventory is not None:
            self._makers[Command.DEVICES_PAGE] = partial(self._make_devices, workplace.inventory)
        queue = tools.queue
        if queue is not None:
            self._makers[Command.TASKS_PAGE] = partial(self._make_tasks, queue, workplace.task_service)
        if workplace.settings is not None:
            self._makers[Command.SETTINGS_PAGE] = partial(self._make_settings, workplace.settings)
        if tools.coach is not None:
            self._makers[Command.PRACTICE_PAGE] = partial(self._make_practice, tools.coach)

    @property
    def offered(self) -> tuple[Command, ...]:
        """Those that people of this role see."""
        return tuple(command for command in PAGES if command in self._makers and sees(self.role, command))

    def show_for_role(self) -> None:
        for page in self.made:
            page.show_for(self.role)

    @property
    def made(self) -> tuple[MainPage, ...]:
        return tuple(self._made.values())

    def __getitem__(self, command: Command) -> MainPage:
        if command not in self._made:
            self._made[command] = self._makers[command]()
            self._made[command].show_for(self.role)
        return self._made[command]

    def _make_settings(self, settings: "SettingsStore") -> MainPage:
        from odyssey_recorder.gui.settings.settings_page import SettingsPage

        page = SettingsPage(settings, self._tools.shortcuts, self._tools.background, self._tools.commands)
        page.role_saved.connect(self.role_saved)
        return page

    def _make_tasks(self, queue: QueueBridge, service: "Callable[[], TaskService] | None") -> MainPage:
        from odyssey_recorder.gui.tasks.preparation import TaskServiceBridge
        from odyssey_recorder.gui.tasks.tasks_page import TasksPage

        tools = self._tools
        bridge = None if service is None else TaskServiceBridge(service, tools.background, queue)
        return TasksPage(queue, tools.commands, bridge)

    def _make_practice(self, coach: PracticeBridge) -> MainPage:
        from odyssey_recorder.gui.practice.practice_page import PracticePage

        return PracticePage(coach, self._tools.commands)

    def _make_devices(self, inventory: "Callable[[], DeviceInventory]") -> MainPage:
        from odyssey_recorder.gui.devices.devices_page import DevicesPage

        page = DevicesPage(inventory(), self._tools.background, self._tools.commands)
        page.record_asked.connect(self._record_on)

        self._tell_recording(page.show_recording)
        return page

    def _tell_recording(self, show: Callable[[str], None]) -> None:
        """Call `show` with the serial of the device being recorded, empty without one."""

        def tell(phase: Phase) -> None:
            recording = phase in (Phase.STARTING, Phase.RECORDING)
            show(self._controller.serial if recording else "")

        self._controller.phase_changed.connect(tell)
        tell(self._controller.phase)

    def _record_on(self, serial: str) -> None:
        self._controller.choose_device(serial)
        self._tools.commands[Command.RECORD_PAGE].trigger()

    def _make_review(self, reviewing: "Callable[[], Reviewing]", sheets: KeptFile) -> MainPage:
        from odyssey_recorder.gui.review.figures_view import QualityView
        from odyssey_recorder.gui.review.review_page import ReviewPage

        tools, service = (self._tools.background, self._tools.commands), reviewing()
        page = ReviewPage(service, *tools)
        page.keep_answers_in(sheets)
        self._tell_recording(page.show_recording)
        page.offer_figures(partial(QualityView, service, *tools))
        return page

    def _make_annotate(
        self, texts: "Callable[[], TextReviewing]", writing: "Callable[[], TextWriting] | None"
    ) -> MainPage:
        from odyssey_recorder.gui.annotate.annotate_page import AnnotatePage

        return AnnotatePage(texts(), self._tools.background, self._tools.commands, writing)

    def _make_evaluate(self, dataset: "Callable[[], EpisodeIndex]") -> MainPage:
        from odyssey_recorder.gui.evaluate.evaluate_page import EvaluatePage

        return EvaluatePage(dataset, self._tools.background, self._tools.commands)

    def _make_dataset(
        self,
        dataset: "Callable[[], EpisodeIndex]",
        saved: "Callable[[], SavedFilters] | None",
        review: "Callable[[], Reviewing] | None",
    ) -> MainPage:
        from odyssey_recorder.gui.dataset.dataset_page import DatasetPage

        tools, ready = self._tools, saved and saved()
        page = DatasetPage(dataset, ready, tools.background, tools.commands, self._controller.who_records)
        if review is not None:
            page.allow_checks(lambda: review().check_all)
        return page
