import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.avd import BootStage, SdkEnvironment, VirtualDevices
from odyssey_recorder.device.avd_config import wanted_entries
from odyssey_recorder.device.device import DeviceProperties, ListedDevice
from odyssey_recorder.device.inventory import Cancelled, DeviceInventory, InventoryDevice
from odyssey_recorder.device.profile import profile_named, profiles
from odyssey_recorder.errors import CancelledError, DeviceDisconnectedError, DeviceError
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.device.bench import StartBench
from tests.device.sdk_bench import AvdBench
from tests.fakes import PHONE_SIZE, FakeDevice


class Computer:
    """A computer without an SDK: AVDs as files, discovery files, and devices in memory."""

    def __init__(self, folder: Path) -> None:
        self.avds, self.running = folder / "avd", folder / "running"
        self.avds.mkdir()
        self.running.mkdir()
        self.listed: list[ListedDevice] = []
        self.devices: dict[str, FakeDevice] = {}
        self.unresponsive = False
        self._properties: dict[str, DeviceProperties] = {}
        self.described: list[str] = []
        self.connected: list[str] = []
        environment = SdkEnvironment(self.avds, (self.running,), folder / "logs", folder / "no-token", {})
        virtual = VirtualDevices(None, AdbServer(port=1), environment, self._connect)
        self.inventory = DeviceInventory(virtual, lambda: self.listed, self._describe, self._connect, self._simulate)

    def create_avd(self, name: str, profile: str) -> None:
        folder = self.avds / f"{name}.avd"
        folder.mkdir()
        (self.avds / f"{name}.ini").write_text(f"path={folder}\n")
        wanted = wanted_entries(profile_named(profile))
        (folder / "config.ini").write_text("".join(f"{key}={value}\n" for key, value in wanted.items()))

    def mark_running(self, name: str, port: int) -> None:
        emulator = f"port.serial={port}\navd.id={name}\navd.name={name}\nemulator.build=simulated\n"
        (self.running / f"pid_{os.getpid()}.ini").write_text(emulator)

    def list_device(self, serial: str, avd_name: str = "", *, size: Size = PHONE_SIZE, state: str = "device") -> None:
        self.listed.append(ListedDevice(serial, state, "", "Some_Phone"))
        device = self.devices[serial] = FakeDevice(size, serial)
        device.avd_name = avd_name
        self._properties[serial] = device.properties()

    def device(self, key: str) -> InventoryDevice:
        return next(one for one in self.inventory.listing().members if one.key == key)

    def _describe(self, serial: str) -> DeviceProperties:
        self.described.append(serial)
        if self.unresponsive:
            raise DeviceDisconnectedError(f"{serial} is gone.")
        return self._properties[serial]

    def _connect(self, serial: str) -> FakeDevice:
        self.connected.append(serial)
        return self.devices[serial]

    def _simulate(self, profile: str, cancelled: Cancelled) -> str:
        self.list_device("emulator-5590", f"Simulated_{profile}", size=profile_named(profile).size)
        return "emulator-5590"


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path)


class Progress:
    """Collects progress reports."""

    def __init__(self) -> None:
        self.shares: list[float] = []
        self.messages: list[str] = []

    def __call__(self, share: float | None, message: str) -> None:
        self.messages.append(message)
        if share is not None:
            self.shares.append(share)


def test_all_profiles_are_listed_on_an_empty_computer(computer: Computer) -> None:
    listing = computer.inventory.listing()
    assert [device.name for device in listing.members] == [profile.name for profile in profiles()]
    assert not any(device.avd or device.serial for device in listing.members)
    assert [finding.what for finding in listing.missing] == ["Android SDK"]


def test_avd_with_another_name_is_found_by_its_profile(computer: Computer) -> None:
    computer.create_avd("Mine", "pixel_fold")
    fold = computer.device("pixel_fold")
    assert fold.avd is not None
    assert (fold.avd.name, fold.serial, fold.folds) == ("Mine", "", True)


def test_running_avd_is_matched_with_its_adb_device(computer: Computer) -> None:
    computer.create_avd("Mine", "pixel_7_pro")
    computer.mark_running("Mine", 5554)
    assert computer.device("pixel_7_pro").state == "unknown to adb"

    computer.list_device("emulator-5554", "Mine", state="offline")
    assert computer.device("pixel_7_pro").state == "offline"
    assert computer.described == []

    computer.listed.clear()
    computer.list_device("emulator-5554", "Mine")
    running = computer.device("pixel_7_pro")
    assert (running.serial, running.is_ready, running.simulated) == ("emulator-5554", True, False)


def test_simulated_device_is_listed_at_its_profile(computer: Computer) -> None:
    computer.list_device("emulator-5580", "Simulated_small_phone")
    computer.list_device("emulator-5582", "Simulated_small_phone")
    members = computer.inventory.listing().members
    small = next(device for device in members if device.key == "small_phone")
    assert (small.serial, small.simulated) == ("emulator-5580", True)
    assert [(other.name, other.simulated) for other in members[6:]] == [("Small Phone", True)]


def test_other_devices_are_listed_last(computer: Computer) -> None:
    computer.list_device("R5CT90", state="unauthorized")
    computer.list_device("emulator-5556", "My_Watch")

    others = computer.inventory.listing().members[6:]
    assert [(one.key, one.name, one.profile) for one in others] == [
        ("R5CT90", "Some Phone", None),
        ("emulator-5556", "My Watch", None),
    ]


def test_device_is_described_once_per_connection(computer: Computer) -> None:
    computer.list_device("emulator-5554", size=profile_named("pixel_tablet").size)
    computer.unresponsive = True
    assert computer.inventory.listing().members[6].name == "Some Phone"

    computer.unresponsive = False
    for _ in range(2):
        assert computer.device("pixel_tablet").is_ready
    assert len(computer.described) == 2

    gone = computer.listed.pop()
    computer.inventory.listing()
    computer.listed.append(gone)
    computer.inventory.listing()
    assert len(computer.described) == 3


def test_examination_keeps_one_connection(computer: Computer) -> None:
    computer.list_device("emulator-5554", "A")
    computer.list_device("emulator-5556", "B")
    first = computer.devices["emulator-5554"]
    computer.inventory.save_snapshot("emulator-5554", "clean")
    examination = computer.inventory.examine("emulator-5554")
    assert examination.snapshots == ("clean",)
    animations = next(finding for finding in examination.findings if finding.what == "Animations")
    computer.inventory.fix("emulator-5554", animations)
    assert first.settings["global", "window_animation_scale"] == "0"
    assert computer.connected == ["emulator-5554"]

    computer.devices["emulator-5556"].keeps_snapshots = False
    assert computer.inventory.examine("emulator-5556").snapshots is None
    with pytest.raises(DeviceDisconnectedError):
        first.input_nodes()
    computer.inventory.disconnect_device()
    with pytest.raises(DeviceDisconnectedError):
        computer.devices["emulator-5556"].input_nodes()


def test_simulated_device_is_started_by_profile(computer: Computer) -> None:
    progress = Progress()

    assert computer.inventory.simulate("pixel_fold", progress, lambda: False) == "emulator-5590"
    assert computer.device("pixel_fold").simulated
    assert progress.messages == ["Starting the simulated emulator", "Waiting for adb"]

    inventory = replace(computer.inventory, simulator=None)
    assert not inventory.can_simulate
    with pytest.raises(DeviceError, match="odyssey-recorder simulate"):
        inventory.simulate("pixel_fold", progress, lambda: False)


def test_virtual_device_is_created_started_reset_and_stopped(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    bench = AvdBench(adb_server, tmp_path)
    connector = bench.connector
    inventory = DeviceInventory(
        bench.devices,
        connector.server.devices,
        lambda serial: AdbDevice(AdbShell(serial, connector.server)).properties(),
        connector.connect,
        animations=True,
    )
    progress = Progress()

    inventory.create("small_phone")
    assert inventory.listing().missing == ()
    serial = inventory.start("small_phone", progress, lambda: False, cold=True)
    running = next(device for device in inventory.listing().members if device.serial == serial)
    assert (running.key, running.is_ready, running.simulated) == ("small_phone", True, False)
    assert progress.messages == [stage.value for stage in BootStage]
    assert progress.shares == sorted(progress.shares)
    assert len(progress.shares) == len(BootStage)

    assert inventory.reset("small_phone", progress, lambda: False) == serial
    assert bench.sdk.emulator_commands()[-1].endswith(" -no-boot-anim -wipe-data -no-snapshot-load")
    assert [finding.what for finding in inventory.examine(serial).findings if finding.fix] == [
        "Animations",
        "Error dialogs",
    ]
    inventory.disconnect_device()
    inventory.stop(serial)
    assert serial not in {device.serial for device in inventory.listing().members}


@pytest.fixture
def simulated_fold(start_bench: StartBench, tmp_path: Path) -> Iterator[tuple[DeviceInventory, str]]:
    bench = start_bench("pixel_fold")
    device, emulator = bench.device, bench.emulator
    properties = device.properties()

    def end() -> None:
        emulator.killed.wait()
        emulator.stop()

    ending = threading.Thread(target=end)
    ending.start()
    environment = SdkEnvironment(tmp_path / "avd", (), tmp_path / "logs", tmp_path / "no-token", {})
    virtual = VirtualDevices(None, bench.server, environment, lambda _: device)
    yield (
        DeviceInventory(
            virtual, bench.server.devices, lambda _: properties, lambda _: device, lambda *_: emulator.serial
        ),
        emulator.serial,
    )
    emulator.killed.set()
    ending.join()


def test_simulated_fold_is_controlled_and_stopped_on_cancel(simulated_fold: tuple[DeviceInventory, str]) -> None:
    inventory, serial = simulated_fold
    fold = next(device for device in inventory.listing().members if device.serial == serial)
    assert (fold.key, fold.simulated) == ("pixel_fold", True)

    inventory.fold(serial)
    assert inventory.examine(serial).screen.posture == "CLOSED"
    inventory.unfold(serial)
    inventory.rotate(serial)
    turned = inventory.examine(serial)
    assert (turned.screen.posture, int(turned.screen.rotation)) == ("OPENED", 1)

    inventory.save_snapshot(serial, "turned")
    assert inventory.examine(serial).snapshots == ("turned",)
    inventory.delete_snapshot(serial, "turned")
    assert inventory.examine(serial).snapshots == ()
    inventory.disconnect_device()

    with pytest.raises(CancelledError, match=serial):
        inventory.simulate("pixel_fold", lambda *_: None, lambda: True)
    assert serial not in {device.serial for device in inventory.listing().members}
