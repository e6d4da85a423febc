"""Who gets what: the only module that names concrete adapters and puts them together."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from odyssey_recorder import __version__
from odyssey_recorder.dataset.provenance import Mode, Origin, StartRecord
from odyssey_recorder.dataset.store import DraftSummary, EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer, find_adb
from odyssey_recorder.device.avd import Surroundings, VirtualDevices
from odyssey_recorder.device.avd_config import avd_home
from odyssey_recorder.device.device import Device, DeviceProperties, ListedDevice
from odyssey_recorder.device.discovery import find_control, running_folders
from odyssey_recorder.device.emulator_console import TOKEN_FILE, console_of
from odyssey_recorder.device.preflight import Finding
from odyssey_recorder.device.profile import device_name
from odyssey_recorder.device.sdk import find_sdk, sdk_folders
from odyssey_recorder.device.yard import DeviceYard, Ways
from odyssey_recorder.errors import DeviceError, RecordingError, SettingsError
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.model.assignment import AsFound, Assignment, CleanHome, FromSnapshot, StartState
from odyssey_recorder.model.episode import DeviceInfo
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.room import PracticeRoom
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.rules import Rules
from odyssey_recorder.recording.snapshots import SnapshotPolicy
from odyssey_recorder.recording.view import Listener
from odyssey_recorder.settings import Settings, SettingsStore, log_file
from odyssey_recorder.simulator.lab import Lab, PhoneProcesses
from odyssey_recorder.task.annotator_queue import AnnotatorQueue
from odyssey_recorder.task.listing import shipped_tasks
from odyssey_recorder.task.personal_queue import PersonalQueue
from odyssey_recorder.task.progress import ProgressFile
from odyssey_recorder.task.queue import TaskQueue

if TYPE_CHECKING:
    from odyssey_recorder.device.emulator import CapturePolicy

_READY_S = 15.0

_LEFT_ALONE = Finding(
    "Android Studio's emulators", "left alone by the demo", "Close it, and run odyssey-recorder to use them."
)

PRACTICE_START = FromSnapshot("odyssey-practice")
"""What practice begins from: made before the first task on a device, so that no attempt finds what another has left."""

Actor = Literal["annotator", "script"]


def adb_program(settings: Settings) -> Path:
    """The adb to use: the one that is set, otherwise the one on the PATH or the bundled one. Raises SettingsError."""
    if not settings.adb:
        return Path(find_adb())
    found = shutil.which(settings.adb)
    if found is None:
        raise SettingsError(f"The setting adb names no program: {settings.adb}. Name the adb of your Android SDK.")
    return Path(found)


def started_server(settings: Settings) -> AdbServer:
    """The user's adb server, started if it is not up. Raises DeviceError, SettingsError."""
    server = AdbServer(port=settings.adb_server_port)
    server.start(str(adb_program(settings)))
    return server


@dataclass(frozen=True, slots=True)
class Reach:
    """How devices are reached: the adb server, the way to pictures, and where running emulators note that they run.

    `keyboards` is the folder that remembers the user's own keyboard while another one types. `console_token` is the
    file with the token of the emulators' consoles, in the home of whoever runs them; without it no snapshots are kept.
    """

    server: AdbServer
    capture: "CapturePolicy" = "auto"
    running: tuple[Path, ...] = ()
    shared_memory: bool = False
    keyboards: Path | None = None
    console_token: Path | None = None

    def connect(self, serial: str) -> Device:
        """A device that answers. Raises DeviceError."""
        console = console_of(serial, self.console_token) if self.console_token is not None else None
        from odyssey_recorder.device.adb import AdbDevice  # not before a device is chosen: the window opens sooner
        from odyssey_recorder.device.emulator import EmulatorDevice

        adb = AdbDevice(serial, self.server, keyboards=self.keyboards, console=console)
        find = partial(find_control, serial, self.running)
        device = EmulatorDevice(adb, find, policy=self.capture, shares_memory=self.shared_memory)
        try:
            device.wait_until_ready(_READY_S)
        except DeviceError:
            device.close()
            raise
        return device

    def capture_path(self, device: ListedDevice) -> str:
        """How pictures would come: "gRPC" or "screencap"; empty for a device that cannot be used. Asks nobody."""
        if not device.is_ready:
            return ""
        found = find_control(device.serial, self.running) if self.capture != "adb" else None
        return "gRPC" if found is not None and not found.wants_jwt else "screencap"

    def connect_chosen(self, serial: str | None) -> Device:
        """The device that is named, otherwise the only one. Raises DeviceError."""
        return self.connect(chosen_device(self.server, serial))


def user_reach(settings: Settings) -> Reach:
    """The user's own adb server, started if it is not up, and emulators. Raises DeviceError, SettingsError."""
    return _reach_from(started_server(settings), settings)


def _reach_from(server: AdbServer, settings: Settings) -> Reach:
    return Reach(
        server,
        settings.capture,
        running_folders(),
        shared_memory=settings.shared_memory,
        keyboards=settings.drafts.parent / "keyboards",
        console_token=Path.home() / TOKEN_FILE,
    )


def virtual_devices(settings: Settings, reach: Reach) -> VirtualDevices:
    """The virtual devices of this user's Android SDK; emulators started from here are found by `reach`."""
    home = Path.home()
    around = Surroundings(
        avds=avd_home(os.environ, home),
        running=reach.running,
        logs=log_file().parent,
        token=reach.console_token or home / TOKEN_FILE,
        environment=os.environ,
    )
    return VirtualDevices(find_sdk(sdk_folders(os.environ, sys.platform, home)), reach.server, around, reach.connect)


def device_yard(settings: Settings, reach: Reach, phones: PhoneProcesses | None = None) -> DeviceYard:
    """The devices of this computer, real and simulated; simulated ones can be started where there are `phones`."""
    return DeviceYard(virtual_devices(settings, reach), _ways(reach, phones), animations=settings.animations)


def lab_yard(lab: Lab, reach: Reach) -> DeviceYard:
    """The simulated devices of a laboratory; the virtual devices of whoever works there are left alone."""
    home = lab.server.home
    around = Surroundings(home / "avd", reach.running, home, home / TOKEN_FILE, lab.server.environment)
    virtual = VirtualDevices(None, reach.server, around, reach.connect, without_sdk=_LEFT_ALONE)
    return DeviceYard(virtual, _ways(reach, lab.phones), animations=True)


def _ways(reach: Reach, phones: PhoneProcesses | None) -> Ways:
    def describe(serial: str) -> DeviceProperties:
        from odyssey_recorder.device.adb import AdbDevice

        return AdbDevice(serial, reach.server).properties()

    def simulate(profile: str, cancelled: Callable[[], bool]) -> str:
        assert phones is not None
        return phones.start(profile, cancelled=cancelled)

    return Ways(reach.server.devices, describe, reach.connect, simulate if phones is not None else None)


@contextmanager
def annotator_desk(settings: Settings) -> Iterator["Desk"]:
    """The desk of the window, at the user's own adb server; simulated emulators started from it end with it.

    A server that is not up is started by the first question to it.
    """
    server = AdbServer(port=settings.adb_server_port, adb=lambda: str(adb_program(settings)))
    reach = _reach_from(server, settings)
    environment = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(reach.server.port)}
    phones = PhoneProcesses(environment, window=True)  # for passive mode
    try:
        yield Desk(
            reach,
            episode_store(settings),
            settings.annotator,
            phones=phones,
            view_trees=settings.view_trees,
            snapshots=settings.step_snapshots,
            start=CleanHome() if settings.start == "clean home" else AsFound(),
            practice=practice_room(settings),
        )
    finally:
        phones.stop()


def lab_desk(lab: Lab, store: EpisodeStore, *, actor: Actor, profile: str) -> "Desk":
    """A desk in a laboratory, away from the user's own adb server and emulators."""
    reach = Reach(
        AdbServer(port=lab.server.port),
        running=(lab.phones.running_dir,),
        console_token=lab.server.home / TOKEN_FILE,
    )
    return Desk(reach, store, "demo", actor, lab.phones, profile)


def chosen_device(server: AdbServer, serial: str | None) -> str:
    """The serial of the device to use: the one that is named, otherwise the only one that is ready.

    Raises DeviceError where adb does not know it, where there is none, and where there is a choice.
    """
    listed = server.devices()
    if serial is not None:
        if serial not in {device.serial for device in listed}:
            known = ", ".join(device.serial for device in listed) or "no device at all"
            raise DeviceError(f"adb does not know the device {serial}; it knows {known}.")
        return serial
    match [device.serial for device in listed if device.is_ready]:
        case [only]:
            return only
        case []:
            waiting = "".join(f" {device.serial} is {device.state}." for device in listed)
            raise DeviceError(
                f"There is no device that is ready.{waiting} Start an emulator in Android Studio, or the simulated one:"
                " odyssey-recorder simulate"
            )
        case ready:
            raise DeviceError(f"There are {len(ready)} devices: name one with --device ({', '.join(ready)}).")


def practice_room(settings: Settings) -> PracticeRoom:
    """Where the annotator of the settings practises; profiles and practice episodes are kept beside the drafts."""
    folder = settings.drafts.parent
    store = EpisodeStore(folder / "practice", drafts=folder / "practice" / "drafts")
    profiles = ProfileStore(folder / "annotators")
    keep_name = partial(_keep_name, SettingsStore())
    return PracticeRoom(settings.annotator, profiles, store, wanted=settings.practice_tasks, keep_name=keep_name)


def _keep_name(settings: SettingsStore, name: str) -> None:
    settings.save({"annotator": name})


def task_queue(source: Path | None, store: EpisodeStore, annotator: str, folder: Path) -> AnnotatorQueue:
    """The annotator's queue over the list `source`, or over the shipped one for the simulated phone.

    What is done for one dataset is not done for another: `folder` has a file for each annotator and dataset.
    """
    name = sha256(f"{annotator}\0{store.root}".encode()).hexdigest()[:16]
    return AnnotatorQueue(source or shipped_tasks(), ProgressFile(folder / f"{name}.jsonl", annotator), store)


def annotator_tasks(settings: Settings, who_records: Callable[[], str] | None = None) -> TaskQueue:
    """The queue of the annotator of the settings, or of whoever records now; it remembers beside the drafts."""
    store, folder = episode_store(settings), settings.drafts.parent / "progress"
    if who_records is None:
        return task_queue(settings.tasks, store, settings.annotator, folder)
    return PersonalQueue(who_records, lambda name: task_queue(settings.tasks, store, name, folder))


def episode_store(settings: Settings) -> EpisodeStore:
    """The dataset folder of the settings, with this computer's drafts."""
    return EpisodeStore(settings.dataset, drafts=settings.drafts)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where an annotator works: the devices in reach, a dataset, and simulated emulators on demand.

    `start` is for the tasks that do not say how they begin. `practice` knows who records and what they agreed to, and
    takes the episodes that never become part of the dataset; without it, `annotator` records, and nobody was asked.
    """

    reach: Reach
    store: EpisodeStore
    annotator: str
    actor: Actor = "annotator"
    phones: PhoneProcesses | None = None
    profile: str = "pixel_7_pro"
    view_trees: bool = True
    snapshots: SnapshotPolicy = "never"
    start: StartState = field(default_factory=AsFound)
    practice: PracticeRoom | None = None

    def who_records(self) -> str:
        """The name of the annotator, which the first use of the window may change."""
        return self.annotator if self.practice is None else self.practice.annotator

    @property
    def can_simulate(self) -> bool:
        """Whether `simulate` may be called."""
        return self.phones is not None

    def devices(self) -> Sequence[ListedDevice]:
        """The devices that adb knows. Raises DeviceError."""
        return self.reach.server.devices()

    def simulate(self) -> str:
        """Start a simulated emulator; its serial. Raises DeviceError."""
        if self.phones is None:
            raise DeviceError("No simulated emulator can be started from here: run odyssey-recorder simulate.")
        serial = self.phones.start(self.profile)
        self.connect(serial).close()
        return serial

    def connect(self, serial: str) -> Device:
        """A device that answers. Raises DeviceError."""
        return self.reach.connect(serial)

    def drafts(self) -> Sequence[DraftSummary]:
        """The recordings that were not finished. Raises DatasetError."""
        drafts = [draft for store in self._stores for draft in store.drafts()]
        return sorted(drafts, key=lambda draft: draft.changed_at, reverse=True)

    def discard(self, episode_id: str) -> None:
        """Move a draft to the trash. Raises DatasetError."""
        self._store_of(episode_id).discard_unopened(episode_id)

    def begin(self, device: Device, assignment: Assignment, listener: Listener, mode: Mode = "mirror") -> Recorder:
        """A recorder, not yet started, with a draft of its own. Raises OdysseyError."""
        self._refuse_doubtful_pictures(mode)
        start = self._start_of(assignment, device)
        _bring_to_start(device, start)
        properties = device.properties()
        origin = self._origin(properties).model_copy(
            update={"mode": mode, "task_id": assignment.task_id, "start": _start_record(start)}
        )
        store = self._practice_store() if assignment.is_practice else self.store
        draft = store.create_draft(task=assignment.task, device=_device_info(properties), origin=origin)
        return Recorder(device, draft, store, listener=listener, rules=self._rules(properties, store))

    def resume(self, device: Device, episode_id: str, listener: Listener) -> Recorder:
        """A recorder, not yet started, that goes on with a draft. Raises OdysseyError."""
        properties = device.properties()
        store = self._store_of(episode_id)
        draft = store.resume(episode_id)
        try:
            self._refuse_doubtful_pictures(draft.origin.mode)
        except RecordingError:
            draft.close()
            raise
        if draft.device.size != properties.size:
            draft.close()
            raise RecordingError(
                f"The draft {episode_id} was begun on a {draft.device.device_name} ({draft.device.size});"
                f" {device.serial} has {properties.size}. Go on with it on a device like the first."
            )
        return Recorder(device, draft, store, listener=listener, rules=self._rules(properties, store))

    @property
    def _stores(self) -> tuple[EpisodeStore, ...]:
        """The dataset's, then that of the practice."""
        return (self.store,) if self.practice is None else (self.store, self.practice.store)

    def _practice_store(self) -> EpisodeStore:
        if self.practice is None:
            raise RecordingError("There is no place for practice episodes here: they never become part of the dataset.")
        return self.practice.store

    def _store_of(self, episode_id: str) -> EpisodeStore:
        """Where a draft belongs."""
        return next((store for store in self._stores if store.has_draft(episode_id)), self.store)

    def _refuse_doubtful_pictures(self, mode: Mode) -> None:
        if mode == "passive" and self.reach.shared_memory:
            raise RecordingError(
                "In passive mode every picture must surely be of its time: switch the setting shared_memory off."
            )

    def _start_of(self, assignment: Assignment, device: Device) -> StartState:
        """Where a task begins: a practice task, which knows what there is on the device, always at the same place."""
        if assignment.is_practice:
            return PRACTICE_START if device.keeps_snapshots else CleanHome()
        return self.start if assignment.start == AsFound() else assignment.start

    def _rules(self, device: DeviceProperties, store: EpisodeStore) -> Rules:
        """The rules on a device; practice is judged by the view trees, too."""
        touch, navigation = TouchRules.for_density(device.density), NavigationRules.for_density(device.density)
        view_trees = self.view_trees or store is not self.store
        return Rules(touch, navigation, view_trees=view_trees, snapshots=self.snapshots)

    def _origin(self, device: DeviceProperties) -> Origin:
        return Origin(
            recorder_version=__version__,
            mode="mirror",
            actor=self.actor,
            annotator=self.who_records(),
            task_id="",
            serial=device.serial,
            model=device.model,
            fingerprint=device.fingerprint,
            avd_name=device.avd_name,
            density=device.density,
            consent="" if self.practice is None else self.practice.agreed_version,
        )


def _bring_to_start(device: Device, start: StartState) -> None:
    """Bring a device to where a task begins. Raises DeviceError."""
    match start:
        case AsFound():
            pass
        case CleanHome():
            device.close_recents()
        case FromSnapshot(name) if start is PRACTICE_START and name not in device.snapshots():
            device.close_recents()
            device.save_snapshot(name)
        case FromSnapshot(name):
            device.load_snapshot(name)


def _start_record(start: StartState) -> StartRecord:
    match start:
        case AsFound():
            return StartRecord()
        case CleanHome():
            return StartRecord(kind="clean_home")
        case FromSnapshot(name):
            return StartRecord(kind="snapshot", snapshot=name)


def _device_info(device: DeviceProperties) -> DeviceInfo:
    return DeviceInfo(
        device_name=device_name(device),
        size=device.size,
        product=device.product,
        release_version=device.release_version,
        sdk_version=device.sdk_version,
    )
