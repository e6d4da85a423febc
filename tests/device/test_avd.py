"""Virtual devices from the first to the last day, with stand-ins for the SDK's programs and the real adb."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.avd import Avd, Stage, Start, Surroundings, VirtualDevices
from odyssey_recorder.device.avd_config import entries
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.errors import CancelledError, DeviceError, SdkError, SettingsError
from odyssey_recorder.model.geometry import Rotation
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.discovery import running_dir
from odyssey_recorder.wiring import Reach
from tests.device.sdk_bench import IMAGE, StandInSdk, free_console_port, stand_in_sdk


class Bench:
    """A user with an SDK of stand-ins and an adb server of their own."""

    def __init__(self, server: PrivateAdbServer, folder: Path) -> None:
        self.server = server
        self.sdk = stand_in_sdk(folder / "sdk")
        self.port = free_console_port()
        self.avds, self.logs = folder / "avd", folder / "logs"
        self.avds.mkdir()
        running = (running_dir(server.environment),)
        self.reach = Reach(AdbServer(port=server.port), running=running, console_token=server.home / TOKEN_FILE)
        around = Surroundings(self.avds, running, self.logs, server.home / TOKEN_FILE, server.environment, (self.port,))
        self.devices = VirtualDevices(self.sdk.sdk, self.reach.server, around, self.reach.connect)

    def config(self, name: str) -> dict[str, str]:
        return entries((self.avds / f"{name}.avd" / "config.ini").read_text())

    def prop(self, name: str) -> str:
        return self.server.adb("-s", f"emulator-{self.port}", "shell", "getprop", name).stdout.decode().strip()


@pytest.fixture
def bench(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(adb_server, tmp_path)
    yield bench
    for avd in bench.devices.list():
        if avd.serial is not None:
            bench.devices.stop(avd.serial)


def test_a_fold_is_made_started_prepared_folded_turned_saved_and_stopped(bench: Bench) -> None:
    devices, serial, stages = bench.devices, f"emulator-{bench.port}", list[Stage]()

    made = devices.create("pixel_fold", name="My_Fold")
    started = devices.start("My_Fold", Start(cold=True, window=False), progress=stages.append)

    assert made == Avd("My_Fold", "pixel_fold", None)
    assert started.serial == serial
    assert stages == list(Stage)
    assert [finding for finding in started.findings if finding.mend] == []
    assert devices.list() == (Avd("My_Fold", "pixel_fold", serial),)
    assert bench.prop("persist.sys.timezone") == "Etc/UTC"
    assert bench.sdk.starts() == [
        ["-avd", "My_Fold", "-port", str(bench.port), "-grpc", str(bench.port + 3000), "-grpc-use-token"]
        + ["-no-boot-anim", "-no-window", "-no-snapshot-load"]
    ]

    device = bench.reach.connect(serial)
    devices.save_snapshot(serial, "clean")
    devices.fold(serial)
    assert device.screen_state().posture == "CLOSED"
    devices.rotate(serial)
    assert device.screen_state().rotation is not Rotation(0)
    devices.load_snapshot(serial, "clean")
    assert (device.screen_state().posture, device.screen_state().rotation) == ("OPENED", Rotation(0))
    devices.fold(serial)
    devices.unfold(serial)
    assert device.screen_state().posture == "OPENED"
    assert devices.snapshots(serial) == ("clean",)
    devices.delete_snapshot(serial, "clean")
    assert devices.snapshots(serial) == ()
    device.close()

    devices.stop(serial)
    assert devices.list() == (Avd("My_Fold", "pixel_fold", None),)
