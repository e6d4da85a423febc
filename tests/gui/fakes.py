"""Fakes of what the window uses; only the dataset is real."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device import preflight
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.avd import Avd, BootStage
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import Device, DeviceProperties, ListedDevice
from odyssey_recorder.device.inventory import DeviceDetails, DeviceInventory, InventoryDevice, InventoryListing
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.device.profile import profile_named, profiles
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.device_check.found import DeviceReport
from odyssey_recorder.doctor import Doctor, DoctorFinding, Level
from odyssey_recorder.errors import (
    CancelledError,
    DeviceDisconnectedError,
    DeviceError,
    OdysseyError,
    PracticeError,
)
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Episode, TaskInfo
from odyssey_recorder.model.geometry import Rotation, Size
from odyssey_recorder.practice.profiles import Attempt, status
from odyssey_recorder.practice.score import Score
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.recording.engine import RecordingRules
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.script import ScriptPlayer
from odyssey_recorder.recording.view import Listener
from odyssey_recorder.services.practice import PracticeService, Welcome, consent_text
from odyssey_recorder.services.recording import RecordingService
from tests.dataset.drafts import store_in
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


@dataclass(frozen=True)
class FakeConnector(DeviceConnector):
    """Answers with `told`, and notes who was `asked`; there is no adb server."""

    told: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def facts(self, serial: str, sources: object, *, lenient: bool = False) -> dict[str, Any]:
        self.asked.append(serial)
        return dict(self.told)


class FakeRecordings(RecordingService):
    """Has fixed devices; `simulate` adds one more. Practice episodes are kept with the others."""

    __setattr__ = object.__setattr__  # the service itself is frozen

    def __init__(self, folder: Path, *devices: FakeDevice, simulated: FakeDevice | None = None) -> None:
        super().__init__(FakeConnector(AdbServer()), store_in(folder), "Tester")
        self.connected_devices = list(devices)
        self._simulated = simulated
        self.states: dict[str, str] = {}  # adb's state of a serial, if not "device"
        self.failure: DeviceError | None = None  # raised by `devices` and `connect`

    def leave_draft(self, task_id: str = "") -> None:
        recorder = self.begin(self.connected_devices[0], Assignment(TASK, task_id), ScriptPlayer())
        recorder.start()
        recorder.stop()
        recorder.join()

    @property
    def episode(self) -> Episode:
        """The only published one."""
        (episode_id,) = sorted(episode_ids(self.store.root))
        return self.store.load(episode_id)

    @property
    def can_simulate(self) -> bool:
        return self._simulated is not None

    def devices(self) -> Sequence[ListedDevice]:
        self._fail()
        return [
            ListedDevice(one.serial, self.states.get(one.serial, "device"), "fake", "Fake Phone", one.name)
            for one in self.connected_devices
        ]

    def simulate(self, profile: str = "") -> str:
        assert self._simulated is not None
        self.simulated_profile = profile
        self.connected_devices.append(self._simulated)
        return self._simulated.serial

    def connect(self, serial: str) -> Device:
        self._fail()
        found = next(device for device in self.connected_devices if device.serial == serial)
        found.reopen()
        return found

    def _properties(self, serial: str) -> DeviceProperties:
        return self.connect(serial).properties()

    def _practice_store(self) -> EpisodeStore:
        return self.store

    def _fail(self) -> None:
        if self.failure is not None:
            raise self.failure

    def _recorder(self, device: Device, draft: Draft, store: EpisodeStore, listener: Listener) -> Recorder:
        density = device.properties().density
        touch, navigation = TouchRules.for_density(density), NavigationRules.for_density(density)
        rules = RecordingRules(touch, navigation, settle=SettleRule(still_ms=20, cap_ms=2000), late_input_ns=0)
        return Recorder(device, draft, store, listener=listener, rules=rules)


class FakeInventory(DeviceInventory):
    """The six profiles, none of them created at first, and `other_devices`.

    `done` lists the calls. With `failure` every call fails. A start finishes once `may_finish` is set.
    """

    can_simulate = True

    def __init__(self) -> None:
        self.done: list[str] = []
        self.report = DeviceReport({}, (), 0)
        self.failure: OdysseyError | None = None
        self.listing_failure: OdysseyError | None = None
        self.missing: tuple[PreflightFinding, ...] = ()
        self.other_devices: tuple[InventoryDevice, ...] = ()
        self.problems: tuple[str, ...] = ()
        self.devices: dict[str, FakeDevice] = {}
        self._avds: dict[str, Avd] = {}
        self._simulated: set[str] = set()
        self._snapshots: dict[str, list[str]] = {}
        self.may_finish = threading.Event()
        self.may_finish.set()

    def make(self, profile: str) -> None:
        self._avds[profile] = Avd(profile_named(profile).name.replace(" ", "_"), profile, None, self.problems)

    def run(self, profile: str, serial: str = "emulator-5554") -> FakeDevice:
        self.make(profile)
        self._avds[profile] = replace(self._avds[profile], serial=serial)
        settings = profile_named(profile)
        device = self.devices[serial] = FakeDevice(settings.size, serial)
        device.density, device.avd_name = settings.density, self._avds[profile].name
        if settings.fold is not None:
            device.state = replace(device.state, posture="OPENED")
        return device

    def lose(self, serial: str) -> None:
        self.devices[serial].disconnect()
        self._forget(serial)

    def listing(self) -> InventoryListing:
        if self.listing_failure is not None:
            raise self.listing_failure
        return InventoryListing(
            (*(self._listed(profile.key) for profile in profiles()), *self.other_devices), self.missing
        )

    def create(self, profile: str) -> Avd:
        self._note(f"create {profile}")
        self.make(profile)
        return self._avds[profile]

    def amend(self, avd: str) -> Avd:
        self._note(f"amend {avd}")
        key = self._key(avd)
        self._avds[key] = replace(self._avds[key], problems=())
        return self._avds[key]

    def start(self, avd: str, progress: Progress, cancelled: Cancelled, *, cold: bool = False) -> str:
        self._note(f"{'cold boot' if cold else 'start'} {avd}")
        stages = list(BootStage)
        for number, stage in enumerate(stages[:-1]):
            progress(number / len(stages), stage.value)
        while not self.may_finish.wait(0.01):
            if cancelled():
                raise CancelledError(f"{avd} was stopped again.")
        self.run(self._key(avd))
        return "emulator-5554"

    def check(self, serial: str, progress: Progress, cancelled: Cancelled) -> DeviceReport:
        self._note(f"check {serial}")
        progress(0.0, "Typing, 1 of 2")
        while not self.may_finish.wait(0.01):
            if cancelled():
                raise CancelledError("The check was cancelled.")
        return self.report

    def reset(self, avd: str, progress: Progress, cancelled: Cancelled) -> str:
        self._note(f"reset {avd}")
        return self.start(avd, progress, cancelled)

    def simulate(self, profile: str, progress: Progress, cancelled: Cancelled) -> str:
        self._note(f"simulate {profile}")
        serial = f"emulator-{5580 + 2 * len(self._simulated)}"
        self._simulated.add(profile)
        self.devices[serial] = FakeDevice(profile_named(profile).size, serial)
        self._avds[profile] = Avd(f"Simulated_{profile}", profile, serial)
        return serial

    def stop(self, serial: str) -> None:
        self._note(f"stop {serial}")
        self._forget(serial)

    def fold(self, serial: str) -> None:
        self._note(f"fold {serial}")
        self._change(serial, posture="CLOSED", size=Size(1080, 2092))

    def unfold(self, serial: str) -> None:
        self._note(f"unfold {serial}")
        self._change(serial, posture="OPENED", size=Size(2208, 1840))

    def rotate(self, serial: str) -> None:
        self._note(f"rotate {serial}")
        self._change(serial, rotation=Rotation((self.devices[serial].state.rotation + 1) % 4))

    def examine(self, serial: str) -> DeviceDetails:
        device = self._connected(serial)
        return DeviceDetails(
            device.properties(),
            device.screen_state(),
            device.capture_path,
            preflight.findings(preflight.take_readings(device)),
            tuple(self._snapshots.get(serial, ())) if device.keeps_snapshots else None,
        )

    def fix(self, serial: str, finding: PreflightFinding) -> None:
        self._note(f"fix {finding.what}")
        preflight.fix(self._connected(serial), finding)

    def save_snapshot(self, serial: str, name: str) -> None:
        self._note(f"save {name}")
        self._snapshots.setdefault(serial, []).append(name)

    def load_snapshot(self, serial: str, name: str) -> None:
        self._note(f"load {name}")

    def delete_snapshot(self, serial: str, name: str) -> None:
        self._note(f"delete {name}")
        self._snapshots[serial].remove(name)

    def disconnect_device(self) -> None:
        self.done.append("let go")

    def _note(self, call: str) -> None:
        self.done.append(call)
        if self.failure is not None:
            raise self.failure

    def _listed(self, key: str) -> InventoryDevice:
        profile, avd = profile_named(key), self._avds.get(key)
        serial = (avd.serial or "") if avd else ""
        simulated = key in self._simulated
        state = "device" if serial else ""
        return InventoryDevice(key, profile.name, profile, None if simulated else avd, serial, state, simulated)

    def _key(self, avd: str) -> str:
        return next(key for key, one in self._avds.items() if one.name == avd)

    def _connected(self, serial: str) -> FakeDevice:
        if serial not in self.devices:
            raise DeviceDisconnectedError(f"{serial} is gone. Restart it or plug it in.")
        return self.devices[serial]

    def _change(self, serial: str, **changes: Any) -> None:
        device = self._connected(serial)
        device.state = replace(device.state, **changes)

    def _forget(self, serial: str) -> None:
        del self.devices[serial]
        key = next(key for key, avd in self._avds.items() if avd.serial == serial)
        if key in self._simulated:
            self._simulated.remove(key)
            del self._avds[key]
        else:
            self._avds[key] = replace(self._avds[key], serial=None)


class FakePractice(PracticeService):
    """Practice of an annotator; `agrees` None means not asked yet."""

    def __init__(self, *, wanted: int = 2, agrees: bool | None = True) -> None:
        self.name = "ada"
        self.agrees = agrees
        self.score = PASSED  # the score of every attempt
        self.failure: PracticeError | None = None
        self.attempts: list[Attempt] = []
        self._required = tuple(task.task_id for task in practice_tasks()[:wanted])

    def welcome(self) -> Welcome:
        return Welcome(
            name=self.name,
            consent=consent_text(),
            agrees=bool(self.agrees),
            must_ask=self.agrees is None,
            tasks=practice_tasks(),
            status=status(self.attempts, self._required),
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
    """Reports `findings` once `may_end` is set."""

    __setattr__ = object.__setattr__  # the doctor itself is frozen

    def __init__(self) -> None:
        self.findings = list(FINDINGS)
        self.may_end = threading.Event()
        self.may_end.set()

    def examine(
        self, progress: Callable[[float, str], object] = print, cancelled: Cancelled = lambda: False
    ) -> list[DoctorFinding]:
        progress(0.5, "Looking at the window…")
        while not self.may_end.wait(0.005) and not cancelled():
            pass
        return self.findings
