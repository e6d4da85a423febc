"""Every device of this computer in one list: the six of the dataset, and any others that run."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock

from odyssey_recorder.device import preflight
from odyssey_recorder.device.avd import Avd, BootStage, Start, VirtualDevices
from odyssey_recorder.device.device import Device, DeviceProperties, ListedDevice, ScreenState, device_label
from odyssey_recorder.device.dumping import reading_alone
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.device.profile import DeviceProfile, avd_title, profile_of, profiles
from odyssey_recorder.errors import CancelledError, DeviceError, OdysseyError, SdkError

_UNLISTED = "unknown to adb"

Progress = Callable[[float | None, str], None]
"""Called with the completed share, 0..1 or None while unknown, and a text."""

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class InventoryDevice:
    """`key` is the profile's for one of the six devices, else the serial.

    `serial` and `state` (adb's word) are empty if it does not run. A running emulator that adb does not list is
    "unknown to adb".
    """

    key: str
    name: str
    profile: DeviceProfile | None = None
    avd: Avd | None = None
    serial: str = ""
    state: str = ""
    simulated: bool = False

    @property
    def label(self) -> str:
        return device_label(self.serial, self.name) if self.serial else self.name

    @property
    def is_ready(self) -> bool:
        return self.state == "device"

    @property
    def folds(self) -> bool:
        return self.profile is not None and self.profile.fold is not None


@dataclass(frozen=True, slots=True)
class InventoryListing:
    members: tuple[InventoryDevice, ...]
    missing: tuple[PreflightFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceDetails:
    properties: DeviceProperties
    screen: ScreenState
    capture_path: str
    findings: tuple[PreflightFinding, ...]
    snapshots: tuple[str, ...] | None


@dataclass(slots=True)
class DeviceInventory:
    """The devices of this computer. Every call blocks, is safe from any thread, and raises `OdysseyError`.

    `simulator` starts a simulated emulator for a profile's key and returns its serial.
    """

    virtual: VirtualDevices
    listed: Callable[[], Sequence[ListedDevice]]
    describe: Callable[[str], DeviceProperties]
    connect: Callable[[str], Device]
    simulator: Callable[[str, Cancelled], str] | None = None
    animations: bool = False
    _described: dict[str, DeviceProperties | None] = field(default_factory=dict)
    _device: Device | None = None
    _lock: Lock = field(default_factory=Lock)

    @property
    def can_simulate(self) -> bool:
        return self.simulator is not None

    def listing(self) -> InventoryListing:
        listed = self.listed()
        missing = self.virtual.missing()
        avds: tuple[Avd, ...] = ()
        with suppress(SdkError):
            avds = self.virtual.list()
        return InventoryListing(self._members(listed, avds), missing)

    def create(self, profile: str) -> Avd:
        return self.virtual.create(profile)

    def amend(self, avd: str) -> Avd:
        return self.virtual.amend(avd)

    def start(self, avd: str, progress: Progress, cancelled: Cancelled, *, cold: bool = False) -> str:
        """Returns the serial."""
        options = Start(cold=cold, animations=self.animations)
        return self.virtual.start(avd, options, progress=_staged(progress), cancelled=cancelled).serial

    def reset(self, avd: str, progress: Progress, cancelled: Cancelled) -> str:
        """Returns the serial."""
        options = Start(wipe=True, animations=self.animations)
        return self.virtual.start(avd, options, progress=_staged(progress), cancelled=cancelled).serial

    def simulate(self, profile: str, progress: Progress, cancelled: Cancelled) -> str:
        """Returns the serial."""
        if self.simulator is None:
            raise DeviceError("A simulated emulator cannot be started from here. Run: odyssey-recorder simulate")
        progress(None, "Starting the simulated emulator")
        serial = self.simulator(profile, cancelled)
        if cancelled():
            self.stop(serial)
            raise CancelledError(f"The start was cancelled. The simulated emulator {serial} has been stopped.")
        progress(None, "Waiting for adb")
        self.connect(serial).close()
        return serial

    def stop(self, serial: str) -> None:
        self.virtual.stop(serial)

    def fold(self, serial: str) -> None:
        self.virtual.console(serial).fold()

    def unfold(self, serial: str) -> None:
        self.virtual.console(serial).unfold()

    def rotate(self, serial: str) -> None:
        with reading_alone(serial):
            self.virtual.console(serial).rotate()

    def examine(self, serial: str) -> DeviceDetails:
        device = self._connected(serial)
        return DeviceDetails(
            properties=device.properties(),
            screen=device.screen_state(),
            capture_path=device.capture_path,
            findings=preflight.findings(preflight.take_readings(device)),
            snapshots=device.snapshots() if device.keeps_snapshots else None,
        )

    def fix(self, serial: str, finding: PreflightFinding) -> None:
        preflight.fix(self._connected(serial), finding)

    def save_snapshot(self, serial: str, name: str) -> None:
        self._connected(serial).save_snapshot(name)

    def load_snapshot(self, serial: str, name: str) -> None:
        self._connected(serial).load_snapshot(name)

    def delete_snapshot(self, serial: str, name: str) -> None:
        self._connected(serial).delete_snapshot(name)

    def disconnect_device(self) -> None:
        with self._lock:
            device, self._device = self._device, None
        if device is not None:
            device.close()

    def _connected(self, serial: str) -> Device:
        with self._lock:
            kept = self._device
        if kept is not None and kept.serial == serial:
            return kept
        self.disconnect_device()
        device = self.connect(serial)
        with self._lock:
            other, self._device = self._device, device
        if other is not None:
            other.close()
        return device

    def _members(self, listed: Sequence[ListedDevice], avds: Sequence[Avd]) -> tuple[InventoryDevice, ...]:
        self._forget_all_but({device.serial for device in listed})
        remaining = list(listed)
        dataset_devices = [self._take_member(profile, avds, remaining) for profile in profiles()]
        return (*dataset_devices, *(self._other(device) for device in remaining))

    def _take_member(
        self, profile: DeviceProfile, avds: Sequence[Avd], remaining: list[ListedDevice]
    ) -> InventoryDevice:
        """Removes the member's running device from `remaining`, preferring its own AVD."""
        own = sorted((avd for avd in avds if avd.profile == profile.key), key=lambda avd: avd.serial is None)
        avd = own[0] if own else None
        serial = avd.serial if avd else None
        running = next((device for device in remaining if device.serial == serial), None)
        running = running or next((device for device in remaining if self._is_like(device, profile)), None)
        if running is None:
            return InventoryDevice(profile.key, profile.name, profile, avd, serial or "", _UNLISTED if serial else "")
        remaining.remove(running)
        simulated = self._is_simulated(running)
        return InventoryDevice(profile.key, profile.name, profile, avd, running.serial, running.state, simulated)

    def _other(self, device: ListedDevice) -> InventoryDevice:
        known = self._description(device)
        avd_name = avd_title(known.avd_name) if known else ""
        profile = profile_of(known) if known else None
        name = avd_name or device.name or device.model.replace("_", " ") or device.serial
        simulated = self._is_simulated(device)
        return InventoryDevice(device.serial, name, profile, None, device.serial, device.state, simulated)

    def _is_like(self, device: ListedDevice, profile: DeviceProfile) -> bool:
        known = self._description(device)
        return known is not None and profile_of(known) == profile

    def _is_simulated(self, device: ListedDevice) -> bool:
        known = self._description(device)
        return known is not None and known.is_simulated

    def _description(self, device: ListedDevice) -> DeviceProperties | None:
        """Asked once per device, or once per listing while it does not answer: then None."""
        if device.is_ready and device.serial not in self._described:
            self._described[device.serial] = None
            with suppress(OdysseyError):
                self._described[device.serial] = self.describe(device.serial)
        return self._described.get(device.serial)

    def _forget_all_but(self, serials: set[str]) -> None:
        self._described = {serial: known for serial, known in self._described.items() if known and serial in serials}


def _staged(progress: Progress) -> Callable[[BootStage], object]:
    stages = tuple(BootStage)
    return lambda stage: progress(stages.index(stage) / len(stages), stage.value)
