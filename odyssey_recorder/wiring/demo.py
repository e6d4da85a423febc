"""Services for private emulators: those of the demo, of agents' benchmarks, and of gold episodes for practice."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.model.episode import Actor
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_recorder.wiring.user import checker_at, inventory_of, template_folders

if TYPE_CHECKING:
    from odyssey_recorder.dataset_index.index import EpisodeIndex
    from odyssey_recorder.device.inventory import DeviceInventory
    from odyssey_recorder.llm.batch import Batch
    from odyssey_recorder.services.review import ReviewService
    from odyssey_recorder.services.tasks import TaskService
    from odyssey_recorder.tasks.queue.queue import TaskQueue

_LEFT_ALONE = PreflightFinding(
    "Android Studio's emulators", "left alone by the demo", "To use them, close the demo and run odyssey-recorder."
)


def demo_service(emulators: PrivateEmulators, folder: Path, *, actor: Actor, profile: str) -> RecordingService:
    """Records into `folder`/dataset."""
    connector = DeviceConnector(
        AdbServer(port=emulators.server.port),
        running=(emulators.phones.running_dir,),
        console_token=emulators.server.home / TOKEN_FILE,
    )
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    return RecordingService(connector, store, "demo", actor, emulators.phones, profile)


def demo_inventory(emulators: PrivateEmulators, connector: DeviceConnector) -> "DeviceInventory":
    from odyssey_recorder.device.avd import SdkEnvironment, VirtualDevices

    home = emulators.server.home
    around = SdkEnvironment(home / "avd", connector.running, home, home / TOKEN_FILE, emulators.server.environment)
    virtual = VirtualDevices(None, connector.server, around, connector.connect, without_sdk=_LEFT_ALONE)
    return inventory_of(virtual, connector, emulators.phones, animations=True)


def demo_index(emulators: PrivateEmulators, dataset: Path) -> "EpisodeIndex":
    """In a file: what one page writes to its index, the others read."""
    from odyssey_recorder.dataset_index.index import EpisodeIndex

    home = emulators.server.home
    return EpisodeIndex(dataset, home / "index", checker_at(home / "checks.sqlite").known)


def demo_reviews(emulators: PrivateEmulators, service: RecordingService) -> "ReviewService":
    """The reviewer differs from the annotator, who may not review their own episodes."""
    from odyssey_recorder.services.review import ReviewService

    checker = checker_at(emulators.server.home / "checks.sqlite")
    return ReviewService(demo_index(emulators, service.store.root), checker, lambda: "demo reviewer", service.connector)


def demo_task_service(queue: "TaskQueue", own: Path, annotator: Callable[[], str]) -> "TaskService":
    """`own` is the folder for templates of the demo's user."""
    from odyssey_recorder.services.tasks import TaskService, TemplateChoice

    def refuse(_budget: float | None) -> "Batch":
        raise SettingsError("The demo has no language model. Run odyssey-recorder and choose one under Settings.")

    choice = TemplateChoice(
        lambda: template_folders(own), own=lambda: own, names_apps=lambda: True, team=lambda: own.with_name("team.yaml")
    )
    return TaskService(queue, annotator, choice, refuse)
