import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer, find_adb
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.device.bench import BUNDLED_ADB, DeviceBench
from tests.device.contract import DeviceContract
from tests.device.scripted_console import GREETING, scripted


@pytest.fixture
def impatient_bench(bench: DeviceBench) -> Iterator[DeviceBench]:
    device = AdbDevice(AdbShell(bench.device.serial, bench.server, answer_s=0.3))
    yield replace(bench, device=device)
    device.close()


class TestAdbDevice(DeviceContract): ...


def test_an_old_anr_and_another_display_change_nothing_of_what_is_told(bench: DeviceBench) -> None:
    bench.emulator.phone.set_rotation(1)
    bench.emulator.faults.keep_anr(bench.emulator.phone.state())
    bench.emulator.phone.set_rotation(0)
    bench.change_screen()
    before = bench.device.screen_state()

    bench.emulator.faults.plug_second_display(plugged=True)

    assert bench.device.screen_state() == before
    phone = bench.emulator.phone.state()
    assert (before.package, before.activity, before.rotation) == (phone.package, phone.activity, Rotation.R0)
    assert phone.package
    assert before.status_bar_px == phone.status_bar.height


def test_a_tap_a_hold_and_a_swipe_are_what_they_were(bench: DeviceBench) -> None:
    bench.device.touch(TouchStroke.press(Pixel(100, 300)))
    taps = len(bench.inputs())
    bench.device.touch(TouchStroke.press(Pixel(200, 300), duration_ms=700))
    holds = len(bench.inputs())
    bench.device.touch(TouchStroke.drag((Pixel(300, 800), Pixel(300, 400)), duration_ms=200))

    assert bench.inputs()[:taps] == ["touch down 100,300", "touch up 100,300"]
    hold, swipe = bench.inputs()[taps:holds], bench.inputs()[holds:]
    assert (hold[0], hold[-1]) == ("touch down 200,300", "touch up 200,300")
    assert (swipe[0], swipe[-1]) == ("touch down 300,800", "touch up 300,400")
    assert len(swipe) > 4


def test_a_bent_stroke_is_followed_point_by_point_in_its_time(bench: DeviceBench) -> None:
    corner = TouchStroke.drag((Pixel(100, 300), Pixel(500, 300), Pixel(500, 700)), duration_ms=300)

    begin = time.monotonic()
    bench.device.touch(corner)

    assert time.monotonic() - begin >= 0.2
    assert bench.inputs() == [
        "touch down 100,300",
        "touch move 500,300",
        "touch move 500,700",
        "touch up 500,700",
    ]


def test_a_connection_that_ends_in_the_middle_of_a_stroke_leaves_no_finger_down(bench: DeviceBench) -> None:
    long_way = TouchStroke.drag((Pixel(100, 300), Pixel(500, 300), Pixel(500, 700)), duration_ms=60_000)
    other = AdbDevice(AdbShell(bench.device.serial, bench.server))

    with ThreadPoolExecutor(1) as drawing:
        stroke = drawing.submit(bench.device.touch, long_way)
        while not bench.inputs():
            other.input_nodes()
        bench.device.close()
        assert isinstance(stroke.exception(timeout=10), DeviceDisconnectedError)
    while len(bench.inputs()) < 2:
        other.input_nodes()

    assert bench.inputs() == ["touch down 100,300", "touch up 500,700"]


def test_system_keys_arrive(bench: DeviceBench) -> None:
    for key in SystemKey:
        bench.device.press(key)

    assert sorted(bench.inputs()) == ["key 187", "key 3", "key 4"]


@pytest.mark.parametrize(
    "text",
    [
        'It\'s 100% "safe" & sound; cost: $5 `ls` $(reboot) \\ ~ *',
        "100%s, %%s and a trailing space ",
        "-n first\n--second\n",
        "a long text: " + "0123456789 " * 12,
    ],
)
def test_text_arrives_as_it_was_written(bench: DeviceBench, text: str) -> None:
    bench.device.type_text(text)

    typed = [told.removeprefix("text ") if told != "key 66" else "\n" for told in bench.inputs()]
    assert "".join(typed) == text


def test_the_server_lists_the_device(bench: DeviceBench) -> None:
    listed = {device.serial: device for device in bench.server.devices()}

    assert listed[bench.device.serial].is_ready
    assert listed[bench.device.serial].model == bench.device.properties().model.replace(" ", "_")
    assert bench.server.version() == 41


def test_a_device_is_reached_by_host_and_port_too(bench: DeviceBench, adb_server: PrivateAdbServer) -> None:
    address = f"127.0.0.1:{bench.emulator.adb_port}"
    adb_server.adb("connect", address)
    device = AdbDevice(AdbShell(address, bench.server))

    device.wait_until_ready(20)

    assert device.properties().serial == address
    assert device.capture().pixels == bench.device.capture().pixels
    adb_server.adb("disconnect", address)


def test_a_serial_that_no_device_has_is_told_with_what_to_do(bench: DeviceBench) -> None:
    nobody = AdbDevice(AdbShell("emulator-1", bench.server))

    with pytest.raises(DeviceDisconnectedError, match=r"emulator-1 is gone .*Restart it or plug it in"):
        nobody.input_nodes()
    with pytest.raises(DeviceTimeoutError, match="emulator-1 was not ready after 0 s: emulator-1 is gone"):
        nobody.wait_until_ready(0)


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PrivateAdbServer]:
    """The port and home of an adb server, also set for this process; nothing listens there yet."""
    private = PrivateAdbServer(BUNDLED_ADB, tmp_path / "home")
    private.home.mkdir()
    for name, value in private.environment.items():
        monkeypatch.setenv(name, value)
    yield private
    private.stop()
    private.adb("kill-server")


@pytest.mark.parametrize("by", ["start", "the first question"])
def test_a_server_that_was_started_here_is_started_again_when_it_dies(private: PrivateAdbServer, by: str) -> None:
    server = AdbServer(port=private.port, adb=lambda: str(BUNDLED_ADB) if by != "start" else "no adb")
    if by == "start":
        server.start(str(BUNDLED_ADB))
    assert server.version() == 41
    private.adb("kill-server")
    device = AdbDevice(AdbShell("emulator-1", server))

    with ThreadPoolExecutor(3) as asking:
        answers = [asking.submit(device.input_nodes) for _ in range(3)]

    assert all("emulator-1 is gone" in str(answer.exception(timeout=30)) for answer in answers)
    assert server.version() == 41


def test_a_server_that_another_program_started_is_not_started_again_and_the_person_is_told(
    private: PrivateAdbServer,
) -> None:
    server = AdbServer(port=private.port, adb=lambda: str(BUNDLED_ADB))
    private.start()
    assert server.version() == 41
    private.stop()

    for _ in range(2):
        with pytest.raises(
            DeviceDisconnectedError, match=r"has stopped\. Another program had started it.*adb start-server"
        ):
            AdbDevice(AdbShell("emulator-1", server)).input_nodes()

    private.start()
    assert server.version() == 41


@pytest.mark.parametrize(
    ("adb", "words"), [(sys.executable, "could not be started: .*can't open file"), ("/nowhere/adb", "")]
)
def test_an_adb_that_fails_is_quoted(adb: str, words: str) -> None:
    with pytest.raises(DeviceError, match=rf"127\.0\.0\.1:1 .*{words}"):
        AdbServer(port=1).start(adb)


def test_without_an_adb_of_the_user_s_own_the_bundled_one_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ADBUTILS_ADB_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert Path(find_adb()) == BUNDLED_ADB


def test_loading_waits_for_a_device_that_is_away_for_a_while(bench: DeviceBench) -> None:
    bench.device.save_snapshot("home")
    bench.emulator.faults.go_offline()
    restored = threading.Event()
    stop = bench.emulator.phone.on_frame(restored.set)

    with ThreadPoolExecutor(1) as loading:
        loaded = loading.submit(bench.device.load_snapshot, "home")
        assert restored.wait(10)
        assert wait([loaded], 0.1).not_done
        bench.emulator.faults.go_online()
        loaded.result(timeout=20)

    bench.device.input_nodes()
    stop()


def test_the_clock_of_the_snapshot_is_read_when_it_was_loaded(bench: DeviceBench) -> None:
    saved = bench.device.read_clock()
    bench.device.save_snapshot("home")
    bench.emulator.guest.clock.jump(5000)

    bench.device.load_snapshot("home")

    loaded = bench.device.read_clock()
    passed_us = (loaded.after_ns - saved.before_ns) // 1000
    assert saved.least_us <= loaded.least_us <= saved.most_us + passed_us


@pytest.mark.parametrize("end", ["the console hangs up", "the device is closed"])
def test_other_calls_wait_while_a_snapshot_is_saved(bench: DeviceBench, end: str) -> None:
    with ThreadPoolExecutor(2) as calls, scripted(GREETING, b"", then_hang=True) as (port, heard):
        shell = AdbShell(bench.device.serial, bench.server)
        device = AdbDevice(shell, console=EmulatorConsole(port, token_file=Path("no token")))
        saving = calls.submit(device.save_snapshot, "home")
        while not heard:
            wait([saving], 0.005)
        waiting = calls.submit(device.input_nodes)
        assert wait([waiting], 0.1).not_done
        if end == "the device is closed":
            device.close()
            assert isinstance(waiting.exception(timeout=10), DeviceDisconnectedError)

    assert isinstance(saving.exception(timeout=10), DeviceDisconnectedError)
    assert (waiting.exception() is None) == (end == "the console hangs up")
    device.close()


def test_a_device_without_a_console_keeps_no_snapshots_and_says_why(bench: DeviceBench) -> None:
    device = AdbDevice(AdbShell(bench.device.serial, bench.server))

    assert not device.keeps_snapshots
    with pytest.raises(DeviceError, match=r"does not support snapshots\. Only emulators on this computer do"):
        device.save_snapshot("home")
