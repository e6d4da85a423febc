"""The check of a device, on simulated emulators behind the real adb."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.measured import Measured, MeasuredDevices, long_press_ms
from odyssey_recorder.device.preflight import findings, take_readings
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.device_check import probes
from odyssey_recorder.device_check.found import WHERE_TO_SEND
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation, Size
from odyssey_recorder.progress import untold
from odyssey_recorder.services.device_check import ALL_PROBES, DeviceCheck, DeviceReport, Outcome, Patience
from odyssey_recorder.settings import read_settings
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_recorder.wiring.user import user_connector
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.profile import PROFILES
from tests.cli import CommandLine
from tests.device.bench import DeviceBench, StartBench
from tests.device.conftest import adb_server, bench, emulators, over_grpc, start_bench
from tests.simulator.bench import phone_of

__all__ = ["adb_server", "bench", "emulators", "over_grpc", "start_bench"]

QUICK = Patience(SettleRule(still_ms=40, unmoved_ms=100), effect_ms=1500)
TURNED_TO, LONG_PRESS = ("system", "user_rotation"), ("secure", "long_press_timeout")
PHONE_KEYBOARD = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"


def check_of(bench: DeviceBench, folder: Path, *wanted: str) -> DeviceCheck:
    """A check with all probes, or with some."""
    connector = DeviceConnector(
        bench.server,
        running=(bench.folder,),
        kept=folder / "kept",
        console_token=folder / "no token",
        measured=MeasuredDevices(folder / "measured.json"),
    )
    chosen = {name: probe for name, probe in ALL_PROBES.items() if not wanted or name in wanted}
    return DeviceCheck(connector, QUICK, chosen)


def run(bench: DeviceBench, folder: Path, *wanted: str) -> DeviceReport:
    return check_of(bench, folder, *wanted).run(bench.emulator.serial)


def lines_of(report: DeviceReport, outcome: Outcome) -> dict[str, str]:
    return {line.what: line.found for line in report.lines if line.outcome is outcome}


def measured_by(check: DeviceCheck, bench: DeviceBench) -> Measured:
    """What the next connection to the device knows."""
    with closing(check.connector.connect(bench.emulator.serial)) as device:
        return device.measured()


def state_of(bench: DeviceBench) -> tuple[object, ...]:
    phone = bench.emulator.phone
    return replace(phone.state(), frame=0), phone.settings("system"), phone.settings("secure"), phone.settings("global")


def test_command_finds_a_phone_as_expected(bench: DeviceBench, cli: CommandLine) -> None:
    """With all probes, at the pace of a real device."""
    bench.emulator.phone.put_setting(*LONG_PRESS, "1000")
    before, page, file = state_of(bench), cli.folder / "check.html", cli.folder / "check.json"
    cli.use_server(bench.server.port)
    cli.use_discovery_folder(cli.folder)
    (cli.folder / "avd").mkdir()
    (cli.folder / "avd" / "running").symlink_to(bench.folder)
    output = cli.output("devices", "check", bench.emulator.serial, "--report", page, "--json", file)
    assert "as expected        Recording: 10 steps, and the checks found no error" in output.splitlines()
    found = json.loads(file.read_text("utf-8"))
    assert found["facts"]["Android"] == "14 (API 34)"
    assert {line["outcome"] for line in found["lines"]} == {"as expected"}
    done = {line["what"]: line["found"] for line in found["lines"]}
    assert set(done) >= {"Touches", "RECENT button", "Typing: Emoji", "Snapshot", "Recording", "Replay", "Settings"}
    assert done["Long press"] == "a press of 1100 ms is long, one of 600 ms is not; the setting is 1000 ms"
    assert bench.emulator.serial not in page.read_text("utf-8")
    assert state_of(bench) == before
    assert bench.device.snapshots() == ()
    assert sorted(cli.dataset.glob("**/*.json")) == []
    with closing(user_connector(read_settings()).connect(bench.emulator.serial)) as device:
        measured = device.measured()
    assert measured.long_press_ms == 1000
    assert len(measured.buttons) == 4, "in every rotation"


@pytest.mark.soak
@pytest.mark.parametrize("profile", sorted(PROFILES.keys() - {"small_phone", "pixel_fold"}))
def test_simulated_devices_are_as_expected(start_bench: StartBench, tmp_path: Path, profile: str) -> None:
    bench = start_bench(profile)
    bench.emulator.phone.put_setting(*LONG_PRESS, "1000")
    before, check = state_of(bench), check_of(bench, tmp_path)
    report = check.run(bench.emulator.serial)
    assert lines_of(report, Outcome.DIFFERENT) == lines_of(report, Outcome.NOT_POSSIBLE) == {}
    done = lines_of(report, Outcome.EXPECTED)
    assert set(done) >= {"Touches", "RECENT button", "Typing: Emoji", "Snapshot", "Recording", "Replay", "Settings"}
    assert done["Long press"] == "a press of 1100 ms is long, one of 600 ms is not; the setting is 1000 ms"
    assert state_of(bench) == before
    assert bench.device.snapshots() == ()
    measured = measured_by(check, bench)
    assert measured.long_press_ms == 1000
    assert len(measured.buttons) == 4, "in every rotation"


@pytest.mark.soak
def test_foldable_is_as_expected_but_for_touches_while_folded(start_bench: StartBench, tmp_path: Path) -> None:
    """As on the real emulator. Unfolded, it has the taskbar's buttons."""
    bench = start_bench("pixel_fold")
    before, check = state_of(bench), check_of(bench, tmp_path, "Screens", "Navigation buttons", "Recording")
    report = check.run(bench.emulator.serial)
    assert lines_of(report, Outcome.DIFFERENT) == {
        "Touches (folded)": "positions must be multiplied by 2.04 across and 0.88 down to arrive where they should"
    }
    assert lines_of(report, Outcome.NOT_POSSIBLE) == {}
    done = lines_of(report, Outcome.EXPECTED)
    assert set(done) >= {"Recording", "Replay", "Settings"}
    assert [done[f"{key.value} button"] for key in SystemKey] == [
        f"the key and the button did what {key.value} does" for key in SystemKey
    ]
    assert state_of(bench) == before
    measured = measured_by(check, bench)
    assert measured.touch_scale["CLOSED"] == pytest.approx((2208 / 1080, 1840 / 2092), abs=0.001)
    assert len(measured.buttons) == 8, "two postures in four rotations"
    places = measured.buttons_on(Size(1104, 920), Rotation.R0)
    assert min(box.left for box in places.values()) > 552, "at the end of the taskbar"


def test_frames_that_are_turned_are_turned_back_by_the_recorder(bench: DeviceBench, tmp_path: Path) -> None:
    bench.emulator.faults.control.frame_turns = 1
    check = check_of(bench, tmp_path, "Screens", "Recording")
    report = check.run(bench.emulator.serial)
    assert lines_of(report, Outcome.DIFFERENT).keys() == {"Frames"}
    assert "turned by 270°" in lines_of(report, Outcome.DIFFERENT)["Frames"]
    assert lines_of(report, Outcome.EXPECTED).keys() >= {"Recording", "Replay"}
    with closing(check.connector.connect(bench.emulator.serial)) as device:
        assert device.capture_path == "gRPC"
        assert device.capture().shows_same_as(bench.device.capture())


def test_refused_view_hierarchy_is_named_with_its_reason(bench: DeviceBench, tmp_path: Path) -> None:
    bench.emulator.faults.hide_root(hidden=True)
    bench.emulator.faults.take_automation(taken=True)
    report = run(bench, tmp_path, "View hierarchy")
    assert "Another program reads its views" in lines_of(report, Outcome.DIFFERENT)["View hierarchy"]


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        ("clipboard_show_access_notifications", "a message covers the app after a text was pasted"),
        ("stylus_handwriting_enabled", "something takes the typed text"),
    ],
)
def test_notices_over_an_app_are_found_and_typing_goes_on(
    bench: DeviceBench, tmp_path: Path, setting: str, found: str
) -> None:
    bench.emulator.phone.put_setting("secure", setting, "1")
    report = run(bench, tmp_path, "Notices", "Typing")
    assert found in lines_of(report, Outcome.DIFFERENT)["Notices"]
    assert set(lines_of(report, Outcome.EXPECTED)) == {"Typing: ASCII", "Typing: Unicode", "Typing: Emoji", "Settings"}
    assert bench.emulator.phone.get_setting("secure", setting) == "1"


def test_emulator_of_another_vendor_has_neither_console_nor_grpc(bench: DeviceBench, tmp_path: Path) -> None:
    bench.emulator.phone.put_setting(*LONG_PRESS, "1000")
    check = check_of(bench, tmp_path, "Screens", "Typing", "Long press", "Snapshot")
    connector = replace(check.connector, running=(), console_token=None)
    report = replace(check, connector=connector).run(bench.emulator.serial)
    assert lines_of(report, Outcome.NOT_POSSIBLE).keys() >= {"Touches", "Frames", "Typing: Emoji", "Snapshot"}
    assert lines_of(report, Outcome.EXPECTED).keys() == {"Typing: ASCII", "Long press", "Settings"}
    assert lines_of(report, Outcome.DIFFERENT) == {}


def test_grpc_refused_halfway_ends_in_the_report(bench: DeviceBench, tmp_path: Path) -> None:
    before = state_of(bench)
    check = check_of(bench, tmp_path, "Screens", "Typing")
    refuse = when_turned(bench, lambda: bench.emulator.faults.control.refuse(refuse=True))
    report = check.run(bench.emulator.serial, untold, refuse)
    missing = lines_of(report, Outcome.NOT_POSSIBLE)
    assert missing.keys() == {"Frames", "Typing: Unicode", "Typing: Emoji"}
    assert "gRPC service of" in missing["Frames"]
    assert state_of(bench) == before


def test_emulator_that_takes_signed_tokens_only_is_as_expected(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    options = ControlOptions.of("jwt", tmp_path)
    with SimulatedEmulator(phone_of(), adb_server_port=adb_server.port, control=options) as emulator:
        connector = DeviceConnector(
            AdbServer(port=adb_server.port), running=(tmp_path,), console_token=tmp_path / "none"
        )
        AdbDevice(AdbShell(emulator.serial, connector.server)).wait_until_ready(20)
        chosen = {"Screens": ALL_PROBES["Screens"]}
        report = DeviceCheck(connector, QUICK, chosen).run(emulator.serial)
    assert report.facts["Screenshots"] == "gRPC"
    assert lines_of(report, Outcome.EXPECTED).keys() == {"Touches", "Frames", "Settings"}


def test_slow_view_hierarchy_is_named(bench: DeviceBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "_SLOW_DUMP_S", 0.0)
    report = run(bench, tmp_path, "View hierarchy")
    assert lines_of(report, Outcome.DIFFERENT)["View hierarchy"].endswith(" s, which is slow")


def test_denied_getevent_is_named(bench: DeviceBench, tmp_path: Path) -> None:
    bench.emulator.faults.denies_getevent = True
    report = run(bench, tmp_path, "Screens")
    assert report.facts["Hardware keyboard"].startswith("unknown")
    assert lines_of(report, Outcome.NOT_POSSIBLE) == {"Touches": "getevent shows no touch screen."}
    assert lines_of(report, Outcome.EXPECTED).keys() == {"Frames", "Settings"}
    prevented = [finding.what for finding in findings(take_readings(bench.device)) if finding.prevents]
    assert prevented == ["Touch screen"], "of passive mode"


def test_outdated_token_is_named_and_the_recorder_goes_on_over_adb(bench: DeviceBench, tmp_path: Path) -> None:
    control = bench.emulator.faults.control
    control.outdate_file(outdated=True)
    check = check_of(bench, tmp_path, "Screens", "Recording")
    report = check.run(bench.emulator.serial)
    for found in lines_of(report, Outcome.NOT_POSSIBLE).values():
        assert "rejected the token" in found
        assert "Meanwhile the device is used over adb." in found
    assert lines_of(report, Outcome.NOT_POSSIBLE).keys() == {"Touches", "Frames"}
    assert lines_of(report, Outcome.EXPECTED).keys() == {"Recording", "Replay", "Settings"}
    assert report.facts["Screenshots"] == "screencap"
    assert len(measured_by(check, bench).buttons) == 4, "in every rotation"
    control.outdate_file(outdated=False)
    with closing(check.connector.connect(bench.emulator.serial)) as device:
        assert device.capture_path == "gRPC"


def test_keyboard_that_does_not_come_back_is_named(
    bench: DeviceBench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Over gRPC, text is pasted instead."""
    phone = bench.emulator.phone
    phone.with_input_methods(lambda known: known.install(ADB_KEYBOARD))
    phone.with_input_methods(lambda known: known.enable(ADB_KEYBOARD))
    bench.emulator.faults.control.switch_off(off=True)
    bench.emulator.faults.keyboards.sticky = True
    report = run(bench, tmp_path, "Typing")
    [line] = [line for line in report.lines if line.outcome is Outcome.DIFFERENT]
    assert (line.what, line.found) == (
        "Settings",
        f"secure default_input_method was {PHONE_KEYBOARD}, and now is {ADB_KEYBOARD}",
    )
    assert line.todo.endswith(f"adb shell ime set {PHONE_KEYBOARD}")
    assert lines_of(report, Outcome.EXPECTED).keys() == {"Typing: ASCII", "Typing: Unicode", "Typing: Emoji"}
    again = lines_of(run(bench, tmp_path, "Typing"), Outcome.EXPECTED)
    assert set(again) >= {"Typing: Unicode", "Typing: Emoji"}, "ADBKeyBoard goes on typing"
    assert "did not carry out" in caplog.text
    caplog.clear()
    bench.emulator.faults.keyboards.sticky = False
    AdbShell(bench.emulator.serial, bench.server).run(line.todo.rpartition("adb shell ")[2])
    assert phone.get_setting("secure", "default_input_method") == PHONE_KEYBOARD


@pytest.mark.parametrize(("setting_ms", "own_ms"), [(900, 1400), pytest.param(1000, 350, marks=pytest.mark.soak)])
def test_long_press_time_that_is_not_that_of_the_setting_is_measured_for_the_recorder(
    bench: DeviceBench, tmp_path: Path, setting_ms: int, own_ms: int
) -> None:
    bench.emulator.phone.put_setting(*LONG_PRESS, str(setting_ms))
    bench.emulator.phone.own_long_press(own_ms / 1000)
    check = check_of(bench, tmp_path, "Long press")
    found = lines_of(check.run(bench.emulator.serial), Outcome.DIFFERENT)["Long press"]
    with closing(check.connector.connect(bench.emulator.serial)) as device:
        known_ms = long_press_ms(device)
    word = "only" if own_ms > setting_ms else "already"
    assert found == f"{word} a press of about {known_ms} ms is long; the setting is {setting_ms} ms"
    assert own_ms * 2 // 3 < known_ms <= own_ms + 100


def test_touch_that_lands_elsewhere_than_nine_others_goes_over_adb(bench: DeviceBench, tmp_path: Path) -> None:
    bench.emulator.faults.control.bend_px = 60
    check = check_of(bench, tmp_path, "Screens")
    report = check.run(bench.emulator.serial)
    assert lines_of(report, Outcome.DIFFERENT) == {
        "Touches": "of ten touches, those sent to 241, 506 landed elsewhere than the others let expect"
    }
    assert lines_of(report, Outcome.EXPECTED).keys() == {"Frames", "Settings"}
    with closing(check.connector.connect(bench.emulator.serial)) as device:
        assert device.capture_path == "gRPC"
        assert not device.follows_finger
        device.touch(TouchStroke.press(Pixel(150, 550)))
        assert bench.inputs()[-1] == "touch up 150,550"


def when_turned(bench: DeviceBench, act: Callable[[], object]) -> Callable[[], bool]:
    """Asked whether to cancel: act once the device is turned."""
    acted: list[object] = []

    def is_cancelled() -> bool:
        if bench.emulator.phone.state().rotation == 1 and not acted:
            acted.append(act())
        return bool(acted) and acted[0] is True

    return is_cancelled


def test_cancelled_check_leaves_the_device_as_it_was(bench: DeviceBench, tmp_path: Path) -> None:
    before = state_of(bench)
    check = check_of(bench, tmp_path, "Screens")
    with pytest.raises(CancelledError):
        check.run(bench.emulator.serial, untold, when_turned(bench, lambda: True))
    assert state_of(bench) == before


def test_lost_device_ends_the_check_and_gets_its_settings_back(bench: DeviceBench, tmp_path: Path) -> None:
    before = state_of(bench)
    check = check_of(bench, tmp_path)
    report = check.run(bench.emulator.serial, untold, when_turned(bench, bench.disconnect))
    assert {line.outcome for line in report.lines[1:]} == {Outcome.NOT_POSSIBLE}
    assert "is offline" in report.lines[-1].found
    assert bench.emulator.phone.get_setting(*TURNED_TO) == "1", "it could not be restored yet"
    bench.recover()
    check.connector.connect(bench.emulator.serial).close()
    assert bench.emulator.phone.get_setting(*TURNED_TO) == before[1][TURNED_TO[1]]  # type: ignore[index]


def test_killed_check_gets_its_settings_rotation_and_posture_back(start_bench: StartBench, cli: CommandLine) -> None:
    bench = start_bench("pixel_fold")
    phone, before, is_amid = bench.emulator.phone, state_of(bench), threading.Event()

    def watch() -> None:
        if phone.screen().folded and phone.screen().rotation == 1:
            is_amid.set()

    phone.on_frame(watch)
    cli.use_server(bench.server.port)
    command = [sys.executable, "-m", "odyssey_recorder", "devices", "check", bench.emulator.serial]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        is_killed = is_amid.wait(150)
        child.kill()
    assert is_killed
    assert state_of(bench)[1:] != before[1:]
    user_connector(read_settings()).connect(bench.emulator.serial).close()
    assert state_of(bench)[1:] == before[1:]
    assert (phone.state().rotation, phone.screen().folded) == (0, False)


def test_report_is_a_page_without_the_serial(bench: DeviceBench, tmp_path: Path) -> None:
    bench.emulator.faults.control.refuse(refuse=True)
    report = run(bench, tmp_path, "Screens", "View hierarchy")
    report.write(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    for text in (page, report.as_json()):
        assert bench.emulator.serial not in text
        assert str(Path.home()) + "/" not in text
        assert WHERE_TO_SEND in text
        assert "Display" not in text, "a text of Settings"
    assert "not possible here" in page


def test_front_app_comes_back(bench: DeviceBench, tmp_path: Path) -> None:
    bench.change_screen()
    run(bench, tmp_path, "View hierarchy")
    assert bench.emulator.phone.state().package == "com.odyssey.notes"
    bench.device.press(SystemKey.HOME)
