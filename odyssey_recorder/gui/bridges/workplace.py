"""What a page is made from: its entry, the tools of the window, and the services behind it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from odyssey_recorder.gui.bridges.practice import PracticeBridge
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.bridges.recording import RecordingController
from odyssey_recorder.gui.frame.application import TextSize, ThemeName
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.shortcuts import Shortcuts
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.settings import Role

if TYPE_CHECKING:  # loaded with the pages
    from odyssey_recorder.annotation.reviewing import TextReviewing
    from odyssey_recorder.dataset_index.index import EpisodeIndex
    from odyssey_recorder.dataset_index.saved import SavedFilters
    from odyssey_recorder.device.inventory import DeviceInventory
    from odyssey_recorder.doctor import Doctor
    from odyssey_recorder.llm.batch import Batch
    from odyssey_recorder.services.practice import PracticeService
    from odyssey_recorder.services.review import ReviewService
    from odyssey_recorder.services.step_texts import TextWriting
    from odyssey_recorder.services.tasks import TaskService
    from odyssey_recorder.settings import SettingsStore
    from odyssey_recorder.tasks.queue.queue import TaskQueue


@dataclass(frozen=True, slots=True)
class AgentModels:
    """`usual` is the model of the settings; `open` gets a model and a budget in US dollars, None for no limit.

    It blocks, and raises SettingsError, LanguageModelError. `kept` has what was chosen the last time.
    """

    usual: Callable[[], str]
    open: "Callable[[str, float | None], Batch]"
    kept: KeptFile = field(default_factory=KeptFile)


@dataclass(frozen=True, slots=True)
class Workplace:
    """What the window shows beside recording; a part that is None has no page or dialog.

    The functions are called once, when the page is created, `dataset`, `tasks` and
    `task_service` off the GUI thread; `dataset` again for each evaluation. `state`,
    `shortcuts` and `sheets` store the window's state, the annotator's keys, and a reviewer's answers.
    """

    dataset: "Callable[[], EpisodeIndex] | None" = None
    saved_filters: "Callable[[], SavedFilters] | None" = None
    review: "Callable[[], ReviewService] | None" = None
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
    outlines: bool = True
    sounds: bool = False
    state: KeptFile = field(default_factory=KeptFile)
    shortcuts: KeptFile = field(default_factory=KeptFile)
    sheets: KeptFile = field(default_factory=KeptFile)


@dataclass(frozen=True, slots=True)
class PageTools:
    """What every page is made with. `review` is the service of `workplace.review`, made on the first call."""

    workplace: Workplace
    controller: RecordingController
    commands: Commands
    shortcuts: Shortcuts
    queue: QueueBridge | None
    coach: PracticeBridge | None
    review: "Callable[[], ReviewService] | None"
    use_role: Callable[[Role], None]

    @property
    def background(self) -> Background:
        return self.controller.background


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page of the window: the command that opens it, its commands, the module to load before `make` is called.

    The page is offered if the workplace has what it needs, and people of their role see `command`.
    """

    command: Command
    commands: type[Command]
    module: str
    make: Callable[[PageTools], MainPage]
    is_offered: Callable[[Workplace], bool]
