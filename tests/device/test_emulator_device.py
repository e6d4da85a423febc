import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.discovery import ControlEndpoint, KeyFolder
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel, Size
from tests.device.bench import DeviceBench, StartBench
from tests.device.contract import DeviceContract

POWER_KEY = 26


@pytest.fixture
def over_grpc() -> bool:
    return True


@pytest.fixture
def impatient_bench(bench: DeviceBench) -> DeviceBench:
    return replace(bench, device=bench.connect(GrpcOptions(bench.find, answer_s=0.3), adb_s=0.3))


class TestEmulatorDevice(DeviceContract):
    untypable = "caf\x07"


def test_screen_change_sends_a_frame(bench: DeviceBench) -> None:
    first = bench.next_streamed()

    bench.change_screen()
    changed = bench.next_streamed()

    shown = bench.emulator.phone.screen()
    assert first.number < changed.number
    assert first.started_ns < changed.started_ns <= changed.arrived_ns
    assert abs(changed.started_ns - shown.shown_ns) < 100_000_000
    assert changed.pixels == bench.device.capture().pixels
    assert bench.device.next_frame(0) is None


def test_screenshots_over_grpc_and_adb_are_identical(bench: DeviceBench) -> None:
    assert bench.device.capture_path == "gRPC", "the faster path is the default"
    assert bench.device.sends_frames
    assert bench.device.follows_finger
    over_grpc = bench.device.capture()

    bench.switch_off_grpc()
    over_adb = bench.device.capture()

    assert (over_grpc.source, over_adb.source) == ("gRPC", "screencap")
    assert over_adb.shows_same_as(over_grpc)
    assert over_adb.image().tobytes() == over_grpc.image().tobytes()
    assert over_adb.number == over_grpc.number + 1


@pytest.mark.parametrize("reason", ["not wanted", "no room"])
def test_frames_without_shared_memory_are_identical(
    bench: DeviceBench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reason: str
) -> None:
    if reason == "no room":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    device = bench.connect(GrpcOptions(bench.find, shares_memory=reason == "no room"))
    in_message = device.next_frame(5)
    assert in_message is not None
    assert in_message.pixels == bench.next_streamed().pixels


def test_failed_discovery_is_logged_and_adb_is_used(bench: DeviceBench, caplog: pytest.LogCaptureFixture) -> None:
    def find() -> ControlEndpoint:
        raise RuntimeError("unreadable")

    assert bench.connect(GrpcOptions(find)).capture().source == "screencap"

    assert "RuntimeError: unreadable" in caplog.text
    caplog.clear()


def test_panel_too_large_for_shared_memory_is_streamed(start_bench: StartBench) -> None:
    bench = start_bench("pixel_fold")
    bench.emulator.phone.set_posture("CLOSED")
    device = bench.connect()
    bench.emulator.phone.set_posture("OPENED")
    bench.wait_until(lambda: (frame := device.next_frame(0.1)) is not None and frame.size == Size(1104, 920))
    assert device.capture_path == "gRPC"


def test_ended_stream_falls_back_to_adb_and_recovers(bench: DeviceBench) -> None:
    bench.next_streamed()

    bench.emulator.faults.control.drop_streams()
    bench.wait_for_path("screencap")
    between = bench.device.capture()
    bench.wait_for_path("gRPC")

    assert between.source == "screencap"
    assert bench.next_streamed().pixels == bench.device.capture().pixels


@pytest.mark.parametrize("fault", ["off", "refused", "stalled", "display off"])
def test_frames_come_over_adb_while_grpc_fails(bench: DeviceBench, fault: str) -> None:
    bench.next_streamed()
    match fault:
        case "off":
            bench.emulator.faults.control.switch_off(off=True)
        case "refused":
            bench.emulator.faults.control.refuse(refuse=True)
        case "stalled":
            bench.emulator.faults.control.stall(stalled=True)
            bench.change_screen()
            bench.wait_for_path("screencap")
        case _:
            bench.emulator.phone.press_key(POWER_KEY)

    frames = [bench.device.capture() for _ in range(2)]

    assert [frame.source for frame in frames] == ["screencap"] * 2
    assert not bench.device.sends_frames
    if fault == "display off":
        bench.emulator.phone.press_key(POWER_KEY)
    bench.recover()
    bench.wait_for_path("gRPC")
    assert bench.device.capture().source == "gRPC"


def test_changed_token_is_read_again(bench: DeviceBench) -> None:
    bench.emulator.faults.control.renew_token()
    frame = bench.device.capture()
    bench.device.touch(TouchStroke.press(bench.button))
    bench.wait_for_path("gRPC")
    assert (frame.source, bench.device.capture().source) == ("screencap", "gRPC")
    assert len(bench.inputs()) == 2


def test_input_refused_over_grpc_goes_over_adb_once(bench: DeviceBench) -> None:
    bench.emulator.faults.control.refuse(refuse=True)
    bench.device.touch(TouchStroke.press(Pixel(100, 300)))
    assert bench.inputs() == ["touch down 100,300", "touch up 100,300"]


def test_still_screen_is_not_a_stall(bench: DeviceBench) -> None:
    bench.next_streamed()
    assert bench.device.next_frame(1.4) is None
    assert bench.device.capture_path == "gRPC"


def test_closing_ends_waiting_for_a_frame(bench: DeviceBench) -> None:
    bench.next_streamed()

    with ThreadPoolExecutor(1) as executor:
        frame = executor.submit(bench.device.next_frame, 60)
        bench.device.close()
        assert isinstance(frame.exception(timeout=60), DeviceDisconnectedError)

    with pytest.raises(DeviceDisconnectedError, match=bench.device.serial):
        bench.device.next_frame(1)
    with pytest.raises(DeviceDisconnectedError, match=bench.device.serial):
        bench.device.put_finger(Pixel(1, 1))


def test_adb_can_be_forced(bench: DeviceBench) -> None:
    device = DeviceConnector(bench.server, "adb", (bench.folder,)).connect(bench.emulator.serial)
    assert device.capture_path == "screencap"
    assert device.capture().source == "screencap"
    assert device.next_frame(1) is None
    assert not device.follows_finger
    device.close()


def test_forced_grpc_does_not_fall_back(bench: DeviceBench) -> None:
    device = bench.connect(GrpcOptions(bench.find, required=True))
    device.save_snapshot("home")
    assert device.capture().source == "gRPC"

    bench.emulator.faults.control.switch_off(off=True)

    for call in (device.capture, lambda: device.load_snapshot("home")):
        with pytest.raises(DeviceError, match=f"gRPC service of {device.serial} cannot be reached"):
            call()
    assert device.next_frame(0.01) is None


def test_emulator_in_an_unknown_folder_is_found_through_its_console(bench: DeviceBench) -> None:
    [listed] = [device for device in bench.server.devices() if device.serial == bench.emulator.serial]
    connector = DeviceConnector(bench.server, "grpc", (), console_token=bench.folder / "no token")
    assert connector.capture_path(listed) == "gRPC"
    device = connector.connect(bench.emulator.serial)
    assert device.capture().source == "gRPC"
    device.close()
    assert replace(connector, console_token=None).capture_path(listed) == "screencap"


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        (None, "No gRPC service was found for .*. Start the emulator from Android Studio"),
        (ControlEndpoint("emulator-1", 1, keys=KeyFolder(Path("gone"), Path("gone"), None)), "could not be given"),
        (ControlEndpoint("emulator-1", 1), "cannot be reached"),
    ],
)
def test_forced_grpc_without_a_service_gives_advice(
    bench: DeviceBench, endpoint: ControlEndpoint | None, message: str
) -> None:
    with pytest.raises(DeviceError, match=message):
        bench.connect(GrpcOptions(lambda: endpoint, required=True))


def test_overridden_size_is_used_over_adb(bench: DeviceBench) -> None:
    bench.emulator.phone.override_size(480, 800)
    assert bench.device.screen_state().size == Size(480, 800)
    assert bench.device.capture_path == "screencap"
    assert bench.device.capture().source == "screencap"
    assert not bench.device.follows_finger

    bench.emulator.phone.reset_size()
    bench.device.screen_state()

    assert bench.device.capture_path == "gRPC"


@pytest.mark.parametrize("late_s", [0.0, 0.15])
def test_rotation_seen_first_by_adb_keeps_grpc(bench: DeviceBench, late_s: float) -> None:
    upright = bench.device.capture()
    bench.emulator.faults.control.delay_frames(late_s)
    bench.emulator.phone.set_rotation(1)
    assert bench.device.screen_state().rotation == 1
    assert bench.device.capture_path == "gRPC"
    assert bench.device.capture().size == upright.size.turned()


Held = tuple[int, int, int]
"""How the device is held, what Android shows, and how much further the build turns its frames, in quarter turns."""


def goes_over(device: EmulatorDevice, path: str) -> bool:
    return device.capture_path == path


def hold(bench: DeviceBench, held: Held) -> None:
    bench.emulator.phone.set_rotation(held[0])
    bench.emulator.phone.lock_rotation(held[1])
    bench.emulator.faults.control.frame_turns = held[2]


TURNED = [(1, 0, 0), (0, 3, 0), (2, 0, 0), (0, 0, 1), (1, 1, 3)]
PLAIN = [(1, 2, 1)]


@pytest.mark.parametrize("posture", ["OPENED", "CLOSED"])
def test_frames_turned_against_apps_are_turned_back(start_bench: StartBench, posture: str) -> None:
    bench = start_bench("pixel_fold")
    bench.emulator.phone.set_posture(posture)
    for held in TURNED + PLAIN:
        hold(bench, held)
        device = bench.connect()
        bench.wait_until(partial(goes_over, device, "gRPC"))
        shown = bench.connect_over_adb().capture()
        for frame in (device.capture(), device.next_frame(5)):
            assert frame is not None
            assert frame.source.startswith("gRPC, turned") is (held in TURNED)
            assert frame.shows_same_as(shown)
        device.close()


def test_app_that_turns_while_the_device_rests_is_followed(bench: DeviceBench) -> None:
    """No frame of another shape tells it: the device is still held upright."""
    upright = bench.next_streamed()
    bench.emulator.phone.lock_rotation(1)
    bench.device.screen_state()
    bench.wait_for_path("gRPC")

    bench.wait_until(lambda: bench.device.capture().size == upright.size.turned())
    frame = bench.next_streamed()
    assert frame.shows_same_as(bench.connect_over_adb().capture())
    bench.device.put_finger(Pixel(350, 150))
    bench.device.lift_finger()
    x, y = map(float, bench.inputs()[-1].removeprefix("touch up ").split(","))
    assert (x, y) == pytest.approx((350, 150), abs=1)

    bench.emulator.phone.lock_rotation(0)
    bench.device.screen_state()
    assert bench.device.capture().size == upright.size


def test_device_that_is_turned_under_a_lock_is_followed(bench: DeviceBench) -> None:
    upright = bench.device.capture()
    bench.emulator.phone.tilt()
    bench.change_screen()
    bench.wait_until(lambda: bench.device.capture_path == "gRPC" and bench.device.capture().size == upright.size)
    assert bench.device.capture().shows_same_as(bench.connect_over_adb().capture())


def sends(device: EmulatorDevice, size: Size) -> bool:
    return (frame := device.next_frame(0.1)) is not None and frame.size == size


def test_shared_memory_holds_every_rotation_and_posture(start_bench: StartBench) -> None:
    """A size is always asked for, because an emulator that is asked for none crashes."""
    bench = start_bench("pixel_fold")
    bench.emulator.phone.set_posture("CLOSED")
    device = bench.connect(GrpcOptions(bench.find, shares_memory=True))
    for posture, rotation, size in (
        ("CLOSED", 0, (540, 1046)),
        ("OPENED", 0, (1104, 920)),
        ("OPENED", 1, (920, 1104)),
    ):
        bench.emulator.phone.set_posture(posture)
        bench.emulator.phone.set_rotation(rotation)
        bench.wait_until(partial(sends, device, Size(*size)))
        assert device.capture_path == "gRPC"
    assert not bench.emulator.killed.is_set()


def test_lifting_a_finger_on_a_frozen_device_times_out(impatient_bench: DeviceBench) -> None:
    impatient_bench.device.put_finger(Pixel(100, 300))
    impatient_bench.freeze()
    with pytest.raises(DeviceTimeoutError):
        impatient_bench.device.lift_finger()


@pytest.mark.parametrize("changed", [True, False])
def test_frames_after_loading_are_dated_after_it(bench: DeviceBench, changed: bool) -> None:
    before = bench.next_streamed()
    bench.device.save_snapshot("home")
    if changed:
        bench.change_screen()
    before_ns = time.monotonic_ns()

    bench.device.load_snapshot("home")

    assert bench.device.sends_frames
    after = bench.next_streamed()
    assert (after.pixels, after.number > before.number) == (before.pixels, True)
    assert after.started_ns >= before_ns


def test_loading_a_snapshot_lifts_the_finger(bench: DeviceBench) -> None:
    bench.device.save_snapshot("home")
    bench.device.put_finger(bench.button)
    bench.wait_for_touches()
    bench.device.load_snapshot("home")
    bench.device.put_finger(Pixel(5, 500))
    bench.device.lift_finger()
    felt = [entry.split()[1] for entry in bench.inputs()]
    assert felt in (["down", "up", "down", "up"], ["down", "down", "up"]), "the loaded device has no finger at all"


def test_snapshot_restores_rotation_and_posture(start_bench: StartBench) -> None:
    bench = start_bench("pixel_fold")
    before, state = bench.device.capture(), bench.device.screen_state()
    bench.device.save_snapshot("open")
    bench.emulator.phone.set_posture("CLOSED")
    bench.emulator.phone.set_rotation(1)
    assert bench.device.capture().size != before.size

    bench.device.load_snapshot("open")

    assert bench.device.capture_path == "gRPC"
    assert bench.device.capture().shows_same_as(before)
    assert bench.device.screen_state() == state


@pytest.mark.parametrize("path", ["gRPC", "screencap"])
def test_screenshots_wait_while_a_snapshot_is_saved(bench: DeviceBench, path: str) -> None:
    if path == "screencap":
        bench.switch_off_grpc()
    before = bench.device.capture()
    bench.emulator.faults.delay_snapshots(0.3)
    saving = threading.Thread(target=bench.device.save_snapshot, args=("slow",))
    saving.start()
    while saving.is_alive() and not bench.emulator.faults.frozen:  # a busy computer may see only its end
        saving.join(0.005)
    during = bench.device.capture()
    saving.join(60)
    assert during.shows_same_as(before)
    assert bench.device.snapshots() == ("slow",)

    bench.change_screen()
    bench.device.load_snapshot("slow")

    assert bench.device.capture().shows_same_as(before)
    assert bench.device.capture_path == path


def test_refused_snapshot_is_reported_and_device_works_on(bench: DeviceBench) -> None:
    bench.emulator.faults.refuse_snapshots(refuse=True)

    message = "refused `avd snapshot save home`: Snapshot save failure: no space left.* Try again"
    with pytest.raises(DeviceError, match=f"{bench.device.serial} {message}") as caught:
        bench.device.save_snapshot("home")

    assert type(caught.value) is DeviceError
    assert bench.device.capture_path == "gRPC"
    assert bench.device.snapshots() == ()
    bench.device.capture()


def test_closing_recent_apps_sends_no_input_events(bench: DeviceBench) -> None:
    bench.change_screen()
    reports: list[object] = []
    end = bench.emulator.guest.nodes.read(lambda node, _: reports.append(node), lambda: None)

    bench.device.close_recents()
    end()

    assert reports == []
    assert not bench.recents
