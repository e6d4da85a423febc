"""What people met in public reports; see data/public_reports."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.device import dumpsys
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.avd_config import AvdFolder, avd_home
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import state_advice
from odyssey_recorder.device.preflight import findings, take_readings
from odyssey_recorder.errors import DeviceError, InputRefusedError
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.assignment import Assignment, CleanHome
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import OTHER_VENDOR
from tests.cli import wait_until
from tests.dataset.drafts import TASK, store_in
from tests.device.bench import StartBench
from tests.device.scripted_adb_server import printed, shell
from tests.device.test_adb_with_odd_answers import PIXELS, SCREENSHOT, device_with, with_one_panel
from tests.recording.recording_bench import Annotator

REPORTS = Path(__file__).parent / "data" / "public_reports"
SWITCH = r"USB debugging \(Security settings\)"


def reported(name: str) -> list[dict[str, Any]]:
    return list(json.loads((REPORTS / name).read_text()))


@pytest.mark.parametrize("report", reported("adb_devices.json"), ids=lambda report: report["serial"])
def test_listed_device_has_its_serial_state_and_advice(report: dict[str, str]) -> None:
    [device] = dumpsys.listed_devices(report["line"] + "\n")
    assert (device.serial, device.state) == (report["serial"], report["state"])
    words = {
        "no permissions": "android-sdk-platform-tools-common",
        "recovery": "Start Android",
        "unauthorized": "Allow",
    }
    assert words.get(device.state, "") in state_advice(device.state)


@pytest.mark.parametrize("exit_code", [255, 0])
def test_refused_injection_names_the_switch(start_bench: StartBench, exit_code: int) -> None:
    bench = start_bench("small_phone")
    bench.emulator.faults.refuse_input(refuse=True, exit_code=exit_code)
    with pytest.raises(InputRefusedError, match=SWITCH):
        bench.device.press(SystemKey.HOME)


def test_warning_before_the_image_is_skipped() -> None:
    [report] = [one for one in reported("adb_refusals.json") if one.get("command") == "screencap"]
    lines = "A display ID can be specified with the [-d display-id] option.\n"
    output = (report["stdout_before_image"] + lines).encode() + SCREENSHOT
    with device_with(with_one_panel({shell("screencap"): printed(output)})) as device:
        assert device.capture().pixels == PIXELS


def test_lit_panel_is_found_and_said_if_none_is_marked_active(
    start_bench: StartBench, caplog: pytest.LogCaptureFixture
) -> None:
    bench = start_bench("pixel_fold")
    for posture in ("CLOSED", "CLOSED", "OPENED"):
        bench.emulator.phone.set_posture(posture)
        bench.emulator.faults.hide_active_panel(hidden=True)
        frame, screen = bench.device.capture(), bench.emulator.phone.screen()
        assert (frame.size.width, frame.pixels) == (screen.width, screen.rgba)
    said = [record.getMessage() for record in caplog.records if "marks none of its panels" in record.getMessage()]
    assert [message.rsplit(" ")[-1] for message in said] == ["4619827551948147201", "4619827259835644672"]
    over_adb = bench.connect_over_adb()
    [panel] = [finding for finding in findings(take_readings(over_adb)) if finding.what == "Panel"]
    assert (panel.found, panel.prevents) == ("4619827259835644672 (1104x920) is recorded", False)
    bench.emulator.faults.hide_active_panel(hidden=False)
    assert "Panel" not in {finding.what for finding in findings(take_readings(over_adb))}
    caplog.clear()


@pytest.mark.parametrize(
    "report", [one for one in reported("avd_ini.json") if "ini" in one], ids=lambda one: one["name"]
)
def test_virtual_device_is_found(tmp_path: Path, report: dict[str, str]) -> None:
    avds = tmp_path / "avd"
    (avds / report["folder"]).mkdir(parents=True)
    (avds / report["folder"] / "config.ini").write_bytes(b"\xef\xbb\xbfhw.keyboard = yes\n")
    ini = report["ini"].replace("ROOT", str(avds))
    (avds / "x.ini").write_bytes(ini.encode(report.get("encoding", "utf-8")))
    assert AvdFolder(avds).config("x") == {"hw.keyboard": "yes"}


def test_virtual_devices_are_looked_for_as_the_emulator_does(tmp_path: Path) -> None:
    [report] = [one for one in reported("avd_ini.json") if "env" in one]
    assert avd_home(report["env"], tmp_path) == Path("/d/AppData/.android/avd")
    (tmp_path / "avd").mkdir()
    assert avd_home({"ANDROID_SDK_HOME": str(tmp_path)}, Path("/home/ann")) == tmp_path / "avd"


def test_lost_virtual_device_is_not_to_be_deleted(tmp_path: Path) -> None:
    (tmp_path / "x.ini").write_text("path=/gone\n")
    with pytest.raises(
        DeviceError, match=r"If the device was moved, write its folder into the line path= of .*x\.ini"
    ) as error:
        AvdFolder(tmp_path).config("x")
    assert "elete" not in str(error.value)


@pytest.fixture
def other_vendor(adb_server: PrivateAdbServer) -> Iterator[SimulatedEmulator]:
    with SimulatedEmulator(Phone(OTHER_VENDOR, animation=False), adb_server_port=adb_server.port) as emulator:
        yield emulator


def test_emulator_of_another_vendor_keeps_no_snapshots_and_works(
    other_vendor: SimulatedEmulator, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    connector = DeviceConnector(AdbServer(port=adb_server.port), running=(tmp_path,), console_token=tmp_path / "token")
    wait_until(lambda: any(one.serial == other_vendor.serial and one.is_ready for one in connector.devices()))
    with closing(connector.connect(other_vendor.serial)) as device:
        assert not device.keeps_snapshots
        assert (device.properties().sdk_version, device.screen_state().panel) == ("28", device.capture().size)
        assert {finding.what for finding in findings(take_readings(device))} >= {"Screen", "Touch screen"}
        device.press(SystemKey.HOME)
        device.close_recents()
        with pytest.raises(DeviceError, match="Only emulators of the Android SDK"):
            device.snapshots()
        recorder = RecordingService(connector, store_in(tmp_path), "ann").begin(
            device, Assignment(TASK, start=CleanHome()), annotator := Annotator()
        )
        recorder.start()
        recorder.wait_for(lambda view: view.frame_number is not None, 60)
        recorder.complete()
        recorder.wait_for(lambda view: view.published is not None, 60)
        recorder.join()
    assert annotator.notices == []
