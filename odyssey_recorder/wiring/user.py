"""Services from the settings."""

import atexit
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cache, lru_cache, partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from odyssey_recorder.dataset.layout import TEAM
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer, find_adb
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import DeviceProperties
from odyssey_recorder.device.discovery import running_folders
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.device.measured import MeasuredDevices
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.model.assignment import AsFound, CleanHome
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.services.practice import PracticeService
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.settings import (
    Settings,
    SettingsStore,
    answers_file,
    checks_file,
    filters_file,
    index_folder,
    log_file,
    prices_file,
)
from odyssey_recorder.simulated.private_emulators import PhoneProcesses
from odyssey_recorder.tasks.listing import shipped_tasks

if TYPE_CHECKING:
    from pydantic import BaseModel

    from odyssey_recorder.annotation.reviewing import TextReviewing
    from odyssey_recorder.checking.checker import Checker
    from odyssey_recorder.dataset_index.index import EpisodeIndex
    from odyssey_recorder.dataset_index.saved import SavedFilters
    from odyssey_recorder.device.avd import VirtualDevices
    from odyssey_recorder.device.inventory import DeviceInventory
    from odyssey_recorder.llm.answer_cache import AnswerCache
    from odyssey_recorder.llm.batch import Batch
    from odyssey_recorder.llm.batch_api import BatchApi
    from odyssey_recorder.llm.openai import OpenAIModel
    from odyssey_recorder.model.episode import Actor
    from odyssey_recorder.services.review import ReviewService
    from odyssey_recorder.services.step_texts import TextWriting
    from odyssey_recorder.services.tasks import TaskService
    from odyssey_recorder.tasks.queue.queue import TaskQueue
    from odyssey_recorder.tasks.templates.template import TemplateLibrary


_AT_ONCE = 16
"""Questions about screenshots that wait for answers at the same time."""


def adb_program(settings: Settings) -> Path:
    """Raises SettingsError."""
    if not settings.adb:
        return Path(find_adb())
    found = shutil.which(settings.adb)
    if found is None:
        raise SettingsError(f"The setting adb is not a program: {settings.adb}. Set it to the adb of your Android SDK.")
    return Path(found)


def started_server(settings: Settings) -> AdbServer:
    """Raises DeviceError, SettingsError."""
    server = AdbServer(port=settings.adb_server_port)
    server.start(str(adb_program(settings)))
    return server


def user_connector(settings: Settings) -> DeviceConnector:
    """Starts the user's adb server, if necessary. Raises DeviceError, SettingsError."""
    return _connect_from(started_server(settings), settings)


def _connect_from(server: AdbServer, settings: Settings) -> DeviceConnector:
    return DeviceConnector(
        server,
        settings.capture,
        running_folders(),
        shared_memory=settings.shared_memory,
        kept=settings.drafts.parent / "kept",
        console_token=Path.home() / TOKEN_FILE,
        measured=MeasuredDevices(settings.drafts.parent / "measured.json"),
    )


def virtual_devices(connector: DeviceConnector) -> "VirtualDevices":
    from odyssey_recorder.device.avd import SdkEnvironment, VirtualDevices
    from odyssey_recorder.device.avd_config import avd_home
    from odyssey_recorder.device.sdk import find_sdk, sdk_folders

    home = Path.home()
    around = SdkEnvironment(
        avds=avd_home(os.environ, home),
        running=connector.running,
        logs=log_file().parent,
        token=connector.console_token or home / TOKEN_FILE,
        environment=os.environ,
    )
    return VirtualDevices(
        find_sdk(sdk_folders(os.environ, sys.platform, home)), connector.server, around, connector.connect
    )


def device_inventory(
    settings: Settings, connector: DeviceConnector, phones: PhoneProcesses | None = None
) -> "DeviceInventory":
    return inventory_of(virtual_devices(connector), connector, phones, animations=settings.animations)


def inventory_of(
    virtual: "VirtualDevices", connector: DeviceConnector, phones: PhoneProcesses | None, *, animations: bool
) -> "DeviceInventory":
    from odyssey_recorder.device.inventory import DeviceInventory

    def describe(serial: str) -> DeviceProperties:
        from odyssey_recorder.device.adb import AdbDevice
        from odyssey_recorder.device.adb_shell import AdbShell

        return AdbDevice(AdbShell(serial, connector.server)).properties()

    def simulate(profile: str, cancelled: Callable[[], bool]) -> str:
        assert phones is not None
        return phones.start(profile, cancelled=cancelled)

    return DeviceInventory(
        virtual, connector.devices, describe, connector.connect, simulate if phones is not None else None, animations
    )


@contextmanager
def annotator_service(settings: Settings) -> Iterator[RecordingService]:
    """The first request to the user's adb server starts it; simulated emulators end with the service."""
    server = AdbServer(port=settings.adb_server_port, adb=lambda: str(adb_program(settings)))
    connector = _connect_from(server, settings)
    environment = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(connector.server.port)}
    phones = PhoneProcesses(environment, window=True, animation=settings.animations)  # a window for passive mode
    try:
        inventory = partial(device_inventory, settings, connector, phones)
        practice = practice_service(settings)
        yield replace(recording_service(settings, connector), phones=phones, practice=practice, inventory=inventory)
    finally:
        phones.stop()


def recording_service(settings: Settings, connector: DeviceConnector, actor: "Actor" = "annotator") -> RecordingService:
    """Without simulated emulators and practice. Scripts and agents undo nothing, so they need no snapshots for it."""
    return RecordingService(
        connector,
        episode_store(settings),
        settings.annotator,
        actor,
        view_hierarchies=settings.view_trees,
        snapshots=settings.step_snapshots if actor == "annotator" else "never",
        start=CleanHome() if settings.start == "clean home" else AsFound(),
    )


def user_checker() -> "Checker":
    return checker_at(checks_file())


@lru_cache(maxsize=1)
def checker_at(file: Path | None, jobs: int | None = None) -> "Checker":
    """The one checker of the program, which nobody closes; its findings are in `file`, or nowhere for None."""
    from odyssey_recorder.checking.checker import Checker  # imported late: slow to load

    return Checker(file, jobs)


def user_index(dataset: Path, checker: "Checker | None" = None) -> "EpisodeIndex":
    """The index of a dataset, with the findings that the checker knows; `refresh` reads the dataset."""
    from odyssey_recorder.dataset_index.index import EpisodeIndex

    return EpisodeIndex(dataset, index_folder(), (checker or user_checker()).known)


def saved_filters() -> "SavedFilters":
    from odyssey_recorder.dataset_index.saved import SavedFilters

    return SavedFilters(filters_file())


def review_service(
    index: "EpisodeIndex", who: Callable[[], str] = str, connector: DeviceConnector | None = None
) -> "ReviewService":
    """Without `who`, for work without a reviewer."""
    from odyssey_recorder.services.review import ReviewService

    return ReviewService(index, user_checker(), who, connector)


def dataset_reviews(dataset: Path) -> "ReviewService":
    """Of any dataset folder, for work on it without a reviewer."""
    return review_service(user_index(dataset))


def text_reviewing(dataset: Path, who: Callable[[], str]) -> "TextReviewing":
    from odyssey_recorder.annotation.reviewing import TextReviewing

    return TextReviewing(dataset, user_checker().evidence, who)


def text_writing(settings: SettingsStore, dataset: Path, who: Callable[[], str]) -> "TextWriting":
    """Asks the model that the settings name when it is asked."""
    from odyssey_recorder.dataset_index.filter import ALL
    from odyssey_recorder.services.episodes import selected
    from odyssey_recorder.services.step_texts import TextWriting

    def ids() -> Sequence[str]:
        with closing(user_index(dataset)) as index:
            index.refresh()
            return index.ids(selected(index, ALL).filter)

    open_model = lambda budget: open_batch(settings.read(), budget, at_once=_AT_ONCE)  # noqa: E731
    return TextWriting(dataset, ids, user_checker().evidence, open_model, who)


def practice_service(settings: Settings) -> PracticeService:
    folder = settings.drafts.parent
    store = EpisodeStore(folder / "practice", drafts=folder / "practice" / "drafts")
    profiles = ProfileStore(folder / "annotators")
    keep_name = partial(_keep_name, SettingsStore())
    return PracticeService(settings.annotator, profiles, store, wanted=settings.practice_tasks, keep_name=keep_name)


def _keep_name(settings: SettingsStore, name: str) -> None:
    settings.save({"annotator": name})


def task_queue(
    source: Path | None, store: EpisodeStore, annotator: Callable[[], str], *, drafts: Path, url: str = ""
) -> "TaskQueue":
    """The queue at `url`, or one in a file beside the `drafts`, one file per dataset.

    A file follows the task list `source`, or the shipped one. Loads a database library, but opens nothing yet.
    """
    from odyssey_recorder.review.review_store import ReviewStore
    from odyssey_recorder.tasks.queue.database import QueueDatabase
    from odyssey_recorder.tasks.queue.queue import QueueEnvironment, TaskQueue

    reviews = ReviewStore(store.root)
    if url:
        return TaskQueue(QueueDatabase(url), annotator, drafts, QueueEnvironment(store, reviews))
    database = QueueDatabase.in_file(_queue_file(store.root, drafts.parent / "queue"))
    return TaskQueue(database, annotator, drafts, QueueEnvironment(store, reviews, source or shipped_tasks()))


def annotator_tasks(settings: Settings, annotator: Callable[[], str] | None = None) -> "TaskQueue":
    return task_queue(
        settings.tasks,
        episode_store(settings),
        annotator or (lambda: settings.annotator),
        drafts=settings.drafts,
        url=settings.queue,
    )


@contextmanager
def opened_later(open_queue: Callable[[], "TaskQueue"]) -> Iterator[Callable[[], "TaskQueue"]]:
    """Opens the queue on the first call, from any thread, and closes it at the end."""
    lock = Lock()
    opened: list[TaskQueue] = []

    def get() -> "TaskQueue":
        with lock:
            if not opened:
                opened.append(open_queue())
            return opened[0]

    try:
        yield get
    finally:
        for queue in opened:
            queue.close()


def _queue_file(dataset: Path, folder: Path) -> Path:
    """One file per dataset, however its folder is named."""
    resolved = os.path.realpath(dataset)  # unlike Path.resolve, this never raises for a circle of links
    return folder / f"{sha256(resolved.encode()).hexdigest()[:16]}.sqlite"


def own_templates(settings: Settings) -> Path:
    return settings.templates or settings.drafts.parent / "templates"


def template_folders(own: Path, *, is_set: bool = False) -> list[Path]:
    """The folder `own` counts if it is there, or if it `is_set` by the user."""
    from odyssey_recorder.tasks.templates.template_files import shipped_templates

    return [shipped_templates(), *([own] if is_set or own.is_dir() else [])]


def user_template_folders(settings: Settings) -> list[Path]:
    return template_folders(own_templates(settings), is_set=settings.templates is not None)


def user_library(settings: Settings) -> "TemplateLibrary":
    """Raises TaskError."""
    from odyssey_recorder.tasks.templates import template_files

    return template_files.load_library(user_template_folders(settings), settings.dataset / TEAM)


def language_model(settings: Settings) -> "OpenAIModel":
    """Blocks, because the keyring may. Raises SettingsError, ModelUnusableError if a required key is missing."""
    from odyssey_recorder.keys import find_key

    if not settings.model:
        raise SettingsError("No language model is set. Choose one under Settings, or set ODYSSEY_MODEL.")
    from odyssey_recorder.llm.openai import OpenAIModel

    return OpenAIModel(settings.model, settings.model_url, find_key())


def open_batch(settings: Settings, budget: float | None = None, *, at_once: int = 8) -> "Batch":
    """`budget` is in US dollars. Raises as `language_model`."""
    from odyssey_recorder.llm.batch import Batch
    from odyssey_recorder.llm.prices import read_prices

    return Batch(
        language_model(settings),
        _answer_cache(answers_file()),
        read_prices(prices_file()),
        at_once=at_once,
        budget=budget,
    )


def open_batch_api(settings: Settings, answers: "Mapping[str, type[BaseModel]]", budget: float | None) -> "BatchApi":
    """`answers` are the types of answers by prompt, `budget` is in US dollars. Raises as `language_model`."""
    model = language_model(settings)
    from odyssey_recorder.llm.batch_api import BatchApi
    from odyssey_recorder.llm.batch_journal import BatchJournal
    from odyssey_recorder.llm.prices import read_prices

    file = answers_file()
    journal = BatchJournal(file.with_name("batches.sqlite"), model.name, model.host)
    return BatchApi(model, _answer_cache(file), read_prices(prices_file()), journal, answers, budget=budget)


@cache
def _answer_cache(file: Path) -> "AnswerCache":
    from odyssey_recorder.llm.answer_cache import AnswerCache

    cache = AnswerCache(file)
    atexit.register(cache.close)
    return cache


def task_service(settings: SettingsStore, queue: "TaskQueue", annotator: Callable[[], str]) -> "TaskService":
    from odyssey_recorder.services.tasks import TaskService, TemplateChoice

    return TaskService(
        queue,
        annotator,
        TemplateChoice(
            folders=lambda: user_template_folders(settings.read()),
            own=lambda: own_templates(settings.read()),
            names_apps=lambda: settings.read().name_apps,
            team=lambda: settings.read().dataset / TEAM,
        ),
        lambda budget: open_batch(settings.read(), budget),
    )


def episode_store(settings: Settings) -> EpisodeStore:
    return EpisodeStore(settings.dataset, drafts=settings.drafts)
