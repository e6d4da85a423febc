"""In-memory stand-ins for the rest of the program; only the dataset is real."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from odyssey_recorder.connector import DeviceConnector
from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device import preflight
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.avd import Avd, BootStage
from odyssey_recorder.device.device import Device, ListedDevice
from odyssey_recorder.device.inventory import DeviceDetails, DeviceInventory, InventoryDevice, InventoryListing
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.device.profile import profile_named, profiles
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.doctor import Doctor, DoctorFinding, Level
from odyssey_recorder.errors import (
    CancelledError,
    DatasetError,
    DeviceDisconnectedError,
    DeviceError,
    OdysseyError,
    PracticeError,
)
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gui.background import Cancelled, Progress
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Actor, DeviceInfo, Episode, Mode, TaskInfo
from odyssey_recorder.model.geometry import Rotation, Size
from odyssey_recorder.practice.profiles import Attempt, status
from odyssey_recorder.practice.score import Score
from odyssey_recorder.practice.service import PracticeService, Welcome, consent_text
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.recording.engine import RecordingRules
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.script import ScriptPlayer
from odyssey_recorder.recording.view import Listener
from odyssey_recorder.recording_service import RecordingService
from tests.dataset.drafts import ORIGIN
from tests.fakes import FakeDevice

TASK = TaskInfo(
    category="General_Tool",
    apps=("Settings", "Clock"),
    meta_task="Set {item} in {app}",
    task="Set dark mode in Settings",
    instruction="Switch the phone to dark mode, then set an alarm for seven",
)

PASSED = Score(92, ("Settings is open", "the Display page is open"), (), True, ("1 hint taken.",))
FAILED = Score(17, ("Settings is open",), ("the Display page is open",), False, ("The right ending is Complete.",))

FINDINGS = [
    DoctorFinding("Odyssey Recorder", "0.4.0"),
    DoctorFinding("Android SDK", "no emulator", Level.NOTE, "Run: sdkmanager emulator", "sdkmanager emulator"),
    DoctorFinding("adb", "<b>none</b>", Level.MISSING, "Set ODYSSEY_ADB."),
]


class FakeRecordings(RecordingService):
    """Has fixed devices; `simulate` adds one more."""

    __setattr__ = object.__setattr__  # the service itself is frozen

    def __init__(self, folder: Path, *devices: FakeDevice, simulated: FakeDevice | None = None) -> None:
        store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
        super().__init__(DeviceConnector(AdbServer()), store, "Tester")
        self.devices_there = list(devices)
        self._simulated = simulated
        self.states: dict[str, str] = {}  # adb's state of a serial, if not "device"
        self.failure: DeviceError | None = None  # raised by `devices` and `connect`

    def put_aside(self, task_id: str = "") -> None:
        recorder = self.begin(self.devices_there[0], Assignment(TASK, task_id), ScriptPlayer())
        recorder.start()
        recorder.stop()
        recorder.join()

    @property
    def episode(self) -> Episode:
        """The only one that is published."""
        (episode_id,) = self.store.episodes()
        return self.store.load(episode_id)

    @property
    def can_simulate(self) -> bool:
        return self._simulated is not None

    def devices(self) -> Sequence[ListedDevice]:
        self._fail()
        return [
            ListedDevice(one.serial, self.states.get(one.serial, "device"), "fake", "Fake Phone", one.name)
            for one in self.devices_there
        ]

    def simulate(self) -> str:
        assert self._simulated is not None
        self.devices_there.append(self._simulated)
        return self._simulated.serial

    def connect(self, serial: str) -> Device:
        self._fail()
        return next(device for device in self.devices_there if device.serial == serial)

    def begin(
        self,
        device: Device,
        assignment: Assignment,
        listener: Listener,
        mode: Mode = "mirror",
        actor: Actor | None = None,
    ) -> Recorder:
        properties = device.properties()
        about = DeviceInfo(properties.model, properties.size, properties.product)
        made = {"mode": mode, "task_id": assignment.task_id, "actor": actor or ORIGIN.actor}
        origin = ORIGIN.model_copy(update=made)
        draft = self.store.create_draft(task=assignment.task, device=about, origin=origin)
        return self._recorder(device, draft, self.store, listener)

    def resume(self, device: Device, episode_id: str, listener: Listener) -> Recorder:
        return self._recorder(device, self.store.resume(episode_id), self.store, listener)

    def _fail(self) -> None:
        if self.failure is not None:
            raise self.failure

    def _recorder(self, device: Device, draft: Draft, store: EpisodeStore, listener: Listener) -> Recorder:
        density = device.properties().density
        touch, navigation = TouchRules.for_density(density), NavigationRules.for_density(density)
        rules = RecordingRules(touch, navigation, settle=SettleRule(still_ms=20, cap_ms=2000), late_input_ns=0)
        return Recorder(device, draft, store, listener=listener, rules=rules)


class FakeInventory(DeviceInventory):
    """The six profiles, none of them created at first.

    `done` lists the calls. With `failure` every call fails; `missing` and `strangers` are listed beside the six. A
    `held` start has reported all stages but the last, and finishes after `go_on`.
    """

    can_simulate = True

    def __init__(self) -> None:
        self.done: list[str] = []
        self.failure: OdysseyError | None = None
        self.listing_failure: OdysseyError | None = None
        self.missing: tuple[PreflightFinding, ...] = ()
        self.strangers: tuple[InventoryDevice, ...] = ()
        self.problems: tuple[str, ...] = ()
        self.devices: dict[str, FakeDevice] = {}
        self.held = False
        self._made: dict[str, Avd] = {}
        self._simulated: set[str] = set()
        self._snapshots: dict[str, list[str]] = {}
        self._going_on = threading.Event()

    def make(self, profile: str) -> None:
        self._made[profile] = Avd(profile_named(profile).name.replace(" ", "_"), profile, None, self.problems)

    def run(self, profile: str, serial: str = "emulator-5554") -> FakeDevice:
        self.make(profile)
        self._made[profile] = replace(self._made[profile], serial=serial)
        about = profile_named(profile)
        device = self.devices[serial] = FakeDevice(about.size, serial)
        device.density, device.avd_name = about.density, self._made[profile].name
        if about.fold is not None:
            device.state = replace(device.state, posture="OPENED")
        return device

    def lose(self, serial: str) -> None:
        self.devices[serial].disconnect()
        self._forget(serial)

    def go_on(self) -> None:
        self._going_on.set()

    def listing(self) -> InventoryListing:
        if self.listing_failure is not None:
            raise self.listing_failure
        return InventoryListing((*(self._member(profile.key) for profile in profiles()), *self.strangers), self.missing)

    def create(self, profile: str) -> Avd:
        self._do(f"create {profile}")
        self.make(profile)
        return self._made[profile]

    def amend(self, avd: str) -> Avd:
        self._do(f"amend {avd}")
        key = self._key(avd)
        self._made[key] = replace(self._made[key], problems=())
        return self._made[key]

    def start(self, avd: str, progress: Progress, cancelled: Cancelled, *, cold: bool = False) -> str:
        self._do(f"{'cold boot' if cold else 'start'} {avd}")
        stages = list(BootStage)
        for number, stage in enumerate(stages[:-1]):
            progress(number / len(stages), stage.value)
        while self.held and not self._going_on.wait(0.01):
            if cancelled():
                raise CancelledError(f"{avd} was stopped again.")
        self.run(self._key(avd))
        return "emulator-5554"

    def reset(self, avd: str, progress: Progress, cancelled: Cancelled) -> str:
        self._do(f"reset {avd}")
        return self.start(avd, progress, cancelled)

    def simulate(self, profile: str, progress: Progress, cancelled: Cancelled) -> str:
        self._do(f"simulate {profile}")
        serial = f"emulator-{5580 + 2 * len(self._simulated)}"
        self._simulated.add(profile)
        self.devices[serial] = FakeDevice(profile_named(profile).size, serial)
        self._made[profile] = Avd(f"Simulated_{profile}", profile, serial)
        return serial

    def stop(self, serial: str) -> None:
        self._do(f"stop {serial}")
        self._forget(serial)

    def fold(self, serial: str) -> None:
        self._do(f"fold {serial}")
        self._change(serial, lambda device: replace(device.state, posture="CLOSED", size=Size(1080, 2092)))

    def unfold(self, serial: str) -> None:
        self._do(f"unfold {serial}")
        self._change(serial, lambda device: replace(device.state, posture="OPENED", size=Size(2208, 1840)))

    def rotate(self, serial: str) -> None:
        self._do(f"rotate {serial}")
        turned = Rotation((self.devices[serial].state.rotation + 1) % 4)
        self._change(serial, lambda device: replace(device.state, rotation=turned))

    def examine(self, serial: str) -> DeviceDetails:
        device = self._there(serial)
        return DeviceDetails(
            device.properties(),
            device.screen_state(),
            device.capture_path,
            preflight.findings(preflight.take_readings(device)),
            tuple(self._snapshots.get(serial, ())),
        )

    def fix(self, serial: str, finding: PreflightFinding) -> None:
        self._do(f"fix {finding.what}")
        preflight.fix(self._there(serial), finding)

    def save_snapshot(self, serial: str, name: str) -> None:
        self._do(f"save {name}")
        self._snapshots.setdefault(serial, []).append(name)

    def load_snapshot(self, serial: str, name: str) -> None:
        self._do(f"load {name}")

    def delete_snapshot(self, serial: str, name: str) -> None:
        self._do(f"delete {name}")
        self._snapshots[serial].remove(name)

    def let_go(self) -> None:
        self.done.append("let go")

    def _do(self, what: str) -> None:
        self.done.append(what)
        if self.failure is not None:
            raise self.failure

    def _member(self, key: str) -> InventoryDevice:
        profile, avd = profile_named(key), self._made.get(key)
        serial = (avd.serial or "") if avd else ""
        simulated = key in self._simulated
        state = "device" if serial else ""
        return InventoryDevice(key, profile.name, profile, None if simulated else avd, serial, state, simulated)

    def _key(self, avd: str) -> str:
        return next(key for key, made in self._made.items() if made.name == avd)

    def _there(self, serial: str) -> FakeDevice:
        if serial not in self.devices:
            raise DeviceDisconnectedError(f"{serial} is gone. Restart it or plug it in.")
        return self.devices[serial]

    def _change(self, serial: str, state: Callable[[FakeDevice], object]) -> None:
        device = self._there(serial)
        device.state = state(device)  # type: ignore[assignment]

    def _forget(self, serial: str) -> None:
        del self.devices[serial]
        key = next(key for key, avd in self._made.items() if avd.serial == serial)
        if key in self._simulated:
            self._simulated.remove(key)
            del self._made[key]
        else:
            self._made[key] = replace(self._made[key], serial=None)


class FakePractice(PracticeService):
    """An annotator who has already agreed, unless `agrees` says otherwise."""

    def __init__(self, *, wanted: int = 2, agrees: bool | None = True) -> None:
        self.name = "ada"
        self.agrees = agrees  # None: not asked yet
        self.score = PASSED  # the score of every attempt
        self.failure: PracticeError | None = None
        self.attempts: list[Attempt] = []
        self._asked_for = tuple(task.task_id for task in practice_tasks()[:wanted])

    def welcome(self) -> Welcome:
        return Welcome(
            name=self.name,
            consent=consent_text(),
            agrees=bool(self.agrees),
            must_ask=self.agrees is None,
            tasks=practice_tasks(),
            status=status(self.attempts, self._asked_for),
        )

    def answer_consent(self, name: str, *, agreed: bool | None) -> Welcome:
        self.name, self.agrees = name, agreed
        return self.welcome()

    def score_attempt(self, task_id: str, episode_id: str, *, hints: int) -> Score:
        if self.failure is not None:
            raise self.failure
        value = self.score.value
        self.attempts.append(Attempt(task_id=task_id, value=value, episode_id=episode_id, scored_us=1, hints=hints))
        return self.score


class FakeDoctor(Doctor):
    """Reports `findings` once released."""

    __setattr__ = object.__setattr__  # the doctor itself is frozen

    def __init__(self) -> None:
        self.findings = list(FINDINGS)
        self.may_end = threading.Event()
        self.may_end.set()
        self.saved: list[Path] = []
        self.refusal = ""

    def examine(
        self, progress: Callable[[float, str], object] = print, cancelled: Cancelled = lambda: False
    ) -> list[DoctorFinding]:
        progress(0.5, "Looking at the window…")
        while not self.may_end.wait(0.005) and not cancelled():
            pass
        return self.findings

    def save(self, findings: Sequence[DoctorFinding], file: Path) -> None:
        if self.refusal:
            raise DatasetError(self.refusal)
        self.saved.append(file)
