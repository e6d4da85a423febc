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
from odyssey_recorder.device.measured import long_press_ms
from odyssey_recorder.device.repair import PutSetting
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.device.bench import BUNDLED_ADB, DeviceBench
from tests.device.contract import DeviceContract
from tests.device.scripted_console import GREETING, scripted_console
from tests.simulator.person import Person


@pytest.fixture
def impatient_bench(bench: DeviceBench) -> DeviceBench:
    return replace(bench, device=bench.connect_over_adb(answer_s=0.3))


class TestAdbDevice(DeviceContract): ...


def test_tap_hold_and_swipe_arrive_as_sent(bench: DeviceBench) -> None:
    bench.device.touch(TouchStroke.press(Pixel(100, 300)))
    taps = len(bench.inputs())
    bench.device.touch(TouchStroke.press(Pixel(200, 300), duration_ms=700))
    holds = len(bench.inputs())
    bench.device.touch(TouchStroke.drag((Pixel(300, 600), Pixel(300, 200)), duration_ms=200))

    assert bench.inputs()[:taps] == ["touch down 100,300", "touch up 100,300"]
    hold, swipe = bench.inputs()[taps:holds], bench.inputs()[holds:]
    assert (hold[0], hold[-1]) == ("touch down 200,300", "touch up 200,300")
    assert (swipe[0], swipe[-1]) == ("touch down 300,600", "touch up 300,200")
    assert len(swipe) > 4


@pytest.mark.parametrize(("timeout", "selects"), [("300", True), ("400", False), ("1500", False)])
def test_press_means_what_the_long_press_time_of_the_device_makes_of_it(
    bench: DeviceBench, timeout: str, selects: bool
) -> None:
    bench.device.repair(PutSetting("secure", "long_press_timeout", timeout))
    assert long_press_ms(bench.device) == int(timeout)
    person = Person(bench.emulator.phone)
    person.open("Notes", "New note")
    person.type("hello")
    bounds = person.find("hello").bounds
    bench.device.touch(TouchStroke.press(Pixel(bounds.left + 20, bounds.top + 20), duration_ms=350))
    assert person.sees("Cut") is selects


def test_menu_belongs_to_the_app_beneath_whatever_its_title(bench: DeviceBench) -> None:
    person, notes = Person(bench.emulator.phone), ("com.odyssey.notes", "com.odyssey.notes.NoteActivity")
    person.open("Notes", "New note")
    person.back()
    titles = []
    for button in ("More options", "Delete"):
        person.tap(button)
        titles.append(bench.emulator.phone.state().title)
        state = bench.device.screen_state()
        assert (state.package, state.activity) == notes
    assert [title.partition(":")[0] for title in titles] == ["PopupWindow", "Pop-Up Window"]


def test_curved_stroke_is_sent_point_by_point_in_time(bench: DeviceBench) -> None:
    corner = TouchStroke.drag((Pixel(50, 150), Pixel(250, 150), Pixel(250, 350)), duration_ms=300)
    begin = time.monotonic()
    bench.device.touch(corner)
    assert time.monotonic() - begin >= 0.2
    assert bench.inputs() == ["touch down 50,150", "touch move 250,150", "touch move 250,350", "touch up 250,350"]


def test_lost_connection_during_a_stroke_lifts_the_finger(bench: DeviceBench) -> None:
    slow_stroke = TouchStroke.drag((Pixel(50, 150), Pixel(250, 150), Pixel(250, 350)), duration_ms=60_000)
    other = replace(bench, device=bench.connect_over_adb())

    with ThreadPoolExecutor(1) as executor:
        stroke = executor.submit(bench.device.touch, slow_stroke)
        other.wait_until(lambda: bool(bench.inputs()))
        bench.device.close()
        assert isinstance(stroke.exception(timeout=60), DeviceDisconnectedError)

    other.wait_until(lambda: len(bench.inputs()) == 2)
    assert bench.inputs() == ["touch down 50,150", "touch up 250,350"]


def test_system_keys_arrive(bench: DeviceBench) -> None:
    for key in (SystemKey.HOME, SystemKey.BACK, SystemKey.RECENT):
        bench.device.press(key)
    assert bench.inputs() == ["key 3", "key 4", "key 187"]


@pytest.mark.parametrize(
    "text",
    [
        'It\'s 100% "safe" & sound; cost: $5 `ls` $(reboot) \\ ~ *',
        "100%s, %%s and a trailing space ",
        "-n first\n--second\n",
        "a long text: " + "0123456789 " * 12,
    ],
)
def test_text_arrives_unchanged(bench: DeviceBench, text: str) -> None:
    bench.device.type_text(text)
    typed = [entry.removeprefix("text ") if entry != "key 66" else "\n" for entry in bench.inputs()]
    assert "".join(typed) == text


def test_device_is_reached_by_host_and_port(bench: DeviceBench, adb_server: PrivateAdbServer) -> None:
    address = f"127.0.0.1:{bench.emulator.adb_port}"
    adb_server.adb("connect", address)
    device = bench.connect_over_adb(address)
    device.wait_until_ready(20)

    assert device.properties().serial == address
    assert device.capture().pixels == bench.device.capture().pixels
    adb_server.adb("disconnect", address)


def test_unknown_serial_is_reported_with_advice(bench: DeviceBench) -> None:
    device = bench.connect_over_adb("emulator-1")
    with pytest.raises(DeviceDisconnectedError, match=r"emulator-1 is gone .*Restart it or plug it in"):
        device.input_nodes()
    with pytest.raises(DeviceTimeoutError, match="emulator-1 was not ready after 0 s: emulator-1 is gone"):
        device.wait_until_ready(0)


@pytest.fixture
def private_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PrivateAdbServer]:
    """An adb server that does not run yet; its port and home are also set for this process."""
    private_server = PrivateAdbServer(BUNDLED_ADB, tmp_path / "home")
    private_server.home.mkdir()
    for name, value in private_server.environment.items():
        monkeypatch.setenv(name, value)
    yield private_server
    private_server.stop()
    private_server.adb("kill-server")


@pytest.mark.parametrize("by", ["start", "the first request"])
def test_server_that_we_started_is_restarted_when_it_dies(private_server: PrivateAdbServer, by: str) -> None:
    server = AdbServer(port=private_server.port, adb=lambda: str(BUNDLED_ADB) if by != "start" else "no adb")
    if by == "start":
        server.start(str(BUNDLED_ADB))
    assert server.version() == 41
    private_server.adb("kill-server")
    device = AdbDevice(AdbShell("emulator-1", server))

    with ThreadPoolExecutor(3) as executor:
        answers = [executor.submit(device.input_nodes) for _ in range(3)]

    assert all("emulator-1 is gone" in str(answer.exception(timeout=30)) for answer in answers)
    assert server.version() == 41


def test_server_of_another_program_is_not_restarted(private_server: PrivateAdbServer) -> None:
    server = AdbServer(port=private_server.port, adb=lambda: str(BUNDLED_ADB))
    private_server.start()
    assert server.version() == 41
    private_server.stop()

    message = r"has stopped\. Another program had started it.*adb start-server"
    for _ in range(2):
        with pytest.raises(DeviceDisconnectedError, match=message):
            AdbDevice(AdbShell("emulator-1", server)).input_nodes()

    private_server.start()
    assert server.version() == 41


@pytest.mark.parametrize(
    ("adb", "message"), [(sys.executable, "could not be started: .*can't open file"), ("/nowhere/adb", "")]
)
def test_failure_of_adb_is_quoted(adb: str, message: str) -> None:
    with pytest.raises(DeviceError, match=rf"127\.0\.0\.1:1 .*{message}"):
        AdbServer(port=1).start(adb)


def test_bundled_adb_is_used_without_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ADBUTILS_ADB_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Path(find_adb()) == BUNDLED_ADB


def test_loading_a_snapshot_waits_for_an_offline_device(bench: DeviceBench) -> None:
    bench.device.save_snapshot("home")
    bench.emulator.faults.go_offline()
    restored = threading.Event()
    stop = bench.emulator.phone.on_frame(restored.set)

    with ThreadPoolExecutor(1) as executor:
        loaded = executor.submit(bench.device.load_snapshot, "home")
        assert restored.wait(60)
        assert wait([loaded], 0.1).not_done
        bench.emulator.faults.go_online()
        loaded.result(timeout=60)

    bench.device.input_nodes()
    stop()


def test_clock_is_read_from_the_loaded_snapshot(bench: DeviceBench) -> None:
    saved = bench.device.read_clock()
    bench.device.save_snapshot("home")
    bench.emulator.guest.clock.jump(5000)

    bench.device.load_snapshot("home")

    loaded = bench.device.read_clock()
    passed_us = (loaded.after_ns - saved.before_ns) // 1000
    assert saved.least_us <= loaded.least_us <= saved.most_us + passed_us


@pytest.mark.parametrize("end", ["the console hangs up", "the device is closed"])
def test_calls_wait_while_a_snapshot_is_saved(bench: DeviceBench, end: str) -> None:
    with ThreadPoolExecutor(2) as executor, scripted_console(GREETING, b"", then_hang=True) as (port, received):
        shell = AdbShell(bench.device.serial, bench.server)
        device = AdbDevice(shell, console=EmulatorConsole(port, token_file=Path("no token")))
        saving = executor.submit(device.save_snapshot, "home")
        while not received:
            wait([saving], 0.005)
        waiting = executor.submit(device.input_nodes)
        assert wait([waiting], 0.1).not_done
        if end == "the device is closed":
            device.close()
            assert isinstance(waiting.exception(timeout=60), DeviceDisconnectedError)
            assert isinstance(saving.exception(timeout=60), DeviceDisconnectedError)

    assert isinstance(saving.exception(timeout=60), DeviceDisconnectedError)
    assert (waiting.exception() is None) == (end == "the console hangs up")
    device.close()


def test_device_without_a_console_has_no_snapshots(bench: DeviceBench) -> None:
    device = bench.connect_over_adb()
    assert not device.keeps_snapshots
    with pytest.raises(DeviceError, match=r"does not support snapshots\. Only emulators of the Android SDK on this"):
        device.save_snapshot("home")
