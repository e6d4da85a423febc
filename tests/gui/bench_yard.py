"""A yard for the tests of the Devices page: devices in memory that are made, started, turned and mended at once."""

import threading
from collections.abc import Callable
from dataclasses import replace

from odyssey_recorder.device import preflight
from odyssey_recorder.device.avd import Avd, BootStage
from odyssey_recorder.device.inventory import DeviceExamination, InventoryDevice, InventoryListing
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.device.profile import profile_named, profiles
from odyssey_recorder.errors import CancelledError, DeviceDisconnectedError, OdysseyError
from odyssey_recorder.gui.jobs import Cancelled, Progress
from odyssey_recorder.model.geometry import Rotation, Size
from tests.fakes import FakeDevice


class BenchYard:
    """The six devices, none of them made at first.

    `done` lists what was asked for. With `failure` whatever is asked for fails; `missing` and `strangers` are what a
    muster tells beside the six. A start that is `held` has told all its stages but the last, and ends with `go_on`.
    """

    def __init__(self, *, can_simulate: bool = True) -> None:
        self.can_simulate = can_simulate
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

    # What a test does.

    def make(self, profile: str) -> None:
        """Have an AVD of a profile that does not run."""
        self._made[profile] = Avd(profile_named(profile).name.replace(" ", "_"), profile, None, self.problems)

    def run(self, profile: str, serial: str = "emulator-5554") -> FakeDevice:
        """Have an AVD of a profile run, lacking all that a device may lack."""
        self.make(profile)
        self._made[profile] = replace(self._made[profile], serial=serial)
        about = profile_named(profile)
        device = self.devices[serial] = FakeDevice(about.size, serial)
        device.density, device.avd_name = about.density, self._made[profile].name
        if about.fold is not None:
            device.state = replace(device.state, posture="OPENED")
        return device

    def lose(self, serial: str) -> None:
        """Let a running device crash."""
        self.devices[serial].disconnect()
        self._forget(serial)

    def go_on(self) -> None:
        """Let the start that is held go on."""
        self._going_on.set()

    # The yard.

    def listing(self) -> InventoryListing:
        if self.listing_failure is not None:
            raise self.listing_failure
        return InventoryListing((*(self._member(profile.key) for profile in profiles()), *self.strangers), self.missing)

    def create(self, profile: str) -> Avd:
        self._do(f"create {profile}")
        self.make(profile)
        return self._made[profile]

    def amend(self, avd: str) -> None:
        self._do(f"amend {avd}")
        key = self._key(avd)
        self._made[key] = replace(self._made[key], problems=())

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

    def examine(self, serial: str) -> DeviceExamination:
        device = self._device(serial)
        return DeviceExamination(
            device.properties(),
            device.screen_state(),
            device.capture_path,
            preflight.findings(preflight.take_readings(device)),
            tuple(self._snapshots.get(serial, ())),
        )

    def mend(self, serial: str, finding: PreflightFinding) -> None:
        self._do(f"mend {finding.what}")
        preflight.mend(self._device(serial), finding)

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

    def _device(self, serial: str) -> FakeDevice:
        if serial not in self.devices:
            raise DeviceDisconnectedError(f"{serial} is gone. Start it again or plug it in.")
        return self.devices[serial]

    def _change(self, serial: str, state: Callable[[FakeDevice], object]) -> None:
        device = self._device(serial)
        device.state = state(device)  # type: ignore[assignment]

    def _forget(self, serial: str) -> None:
        del self.devices[serial]
        key = next(key for key, avd in self._made.items() if avd.serial == serial)
        if key in self._simulated:
            self._simulated.remove(key)
            del self._made[key]
        else:
            self._made[key] = replace(self._made[key], serial=None)
