"""A desk for the window's tests: devices in memory, a real recorder, a real store in a temporary folder."""

from collections.abc import Sequence
from pathlib import Path

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.provenance import Mode, Origin
from odyssey_recorder.dataset.store import DraftSummary, EpisodeStore
from odyssey_recorder.device.device import Device, ListedDevice
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import DeviceInfo, TaskInfo
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.rules import Rules
from odyssey_recorder.recording.view import Listener
from tests.fakes import FakeDevice

TASK = TaskInfo(
    category="General_Tool",
    apps=("Settings", "Clock"),
    meta_task="Set {item} in {app}",
    task="Set dark mode in Settings",
    instruction="Switch the phone to dark mode, then set an alarm for seven",
)


class BenchDesk:
    """Devices that are there from the start, and one more that `simulate` brings."""

    def __init__(self, folder: Path, *devices: FakeDevice, simulated: FakeDevice | None = None) -> None:
        self.store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
        self.devices_there = list(devices)
        self._simulated = simulated
        self.states: dict[str, str] = {}  # what adb says of a serial, where it is not "device"
        self.failure: DeviceError | None = None  # what `devices` and `connect` raise

    @property
    def can_simulate(self) -> bool:
        return self._simulated is not None

    def devices(self) -> Sequence[ListedDevice]:
        self._fail()
        serials = [device.serial for device in self.devices_there]
        return [ListedDevice(serial, self.states.get(serial, "device"), "fake", "Fake Phone") for serial in serials]

    def simulate(self) -> str:
        assert self._simulated is not None
        self.devices_there.append(self._simulated)
        return self._simulated.serial

    def connect(self, serial: str) -> Device:
        self._fail()
        return next(device for device in self.devices_there if device.serial == serial)

    def drafts(self) -> Sequence[DraftSummary]:
        return self.store.drafts()

    def discard(self, episode_id: str) -> None:
        self.store.discard_unopened(episode_id)

    def begin(self, device: Device, assignment: Assignment, listener: Listener, *, mode: Mode) -> Recorder:
        properties = device.properties()
        about = DeviceInfo(properties.model, properties.size, properties.product)
        origin = _ORIGIN.model_copy(update={"mode": mode, "task_id": assignment.task_id})
        return self._recorder(
            device, self.store.create_draft(task=assignment.task, device=about, origin=origin), listener
        )

    def resume(self, device: Device, episode_id: str, listener: Listener) -> Recorder:
        return self._recorder(device, self.store.resume(episode_id), listener)

    def check(self, annotation: Path) -> EpisodeReport:
        return Checker(None).check(annotation)

    def _fail(self) -> None:
        if self.failure is not None:
            raise self.failure

    def _recorder(self, device: Device, draft: Draft, listener: Listener) -> Recorder:
        density = device.properties().density
        touch, navigation = TouchRules.for_density(density), NavigationRules.for_density(density)
        rules = Rules(touch, navigation, settle=SettleRule(still_ms=20, cap_ms=2000), late_input_ns=0)
        return Recorder(device, draft, self.store, listener=listener, rules=rules)


_ORIGIN = Origin(
    recorder_version="0",
    mode="mirror",
    actor="annotator",
    annotator="Tester",
    task_id="",
    serial="fake-1",
    model="Fake Phone",
    fingerprint="fake",
    avd_name="Fake",
    density=160,
)
