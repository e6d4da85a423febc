"""Fingers, keys and text on an emulator over gRPC."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.calibration import measure_touch
from odyssey_recorder.device.emulator_grpc import EmulatorControl
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.device.jwt import Credentials
from odyssey_recorder.device.measured import Measured, MeasuredDevices
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, InputRefusedError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from tests.device.bench import DeviceBench, StartBench

CAFE = "caf\N{LATIN SMALL LETTER E WITH ACUTE}"
LONG_STROKE = TouchStroke.drag((Pixel(100, 300), Pixel(300, 300)), duration_ms=60_000)


@pytest.fixture
def over_grpc() -> bool:
    return True


def open_note(bench: DeviceBench) -> None:
    for label in ("Notes", "New note"):
        bench.device.touch(TouchStroke.press(bench.center_of(label)))


def fields(bench: DeviceBench) -> list[str]:
    return [node.text for node in bench.emulator.phone.view_hierarchy().walk() if node.class_name.endswith("EditText")]


def input_kinds(bench: DeviceBench) -> list[str]:
    """The inputs received, without positions."""
    return [entry.rsplit(" ", 1)[0] for entry in bench.inputs()]


def is_near(entry: str, at: Pixel) -> bool:
    """Whether a touch was within a pixel of `at`: the kernel's axes are not in pixels."""
    x, y = map(float, entry.rsplit(" ", 1)[1].split(","))
    return abs(x - at.x) <= 1 and abs(y - at.y) <= 1


def test_touch_uses_the_rotation_of_the_last_screenshot(bench: DeviceBench) -> None:
    bench.device.capture()
    bench.emulator.phone.set_rotation(1)
    bench.device.screen_state()
    bench.device.touch(TouchStroke.press(Pixel(100, 300)))
    assert is_near(bench.inputs()[0], Pixel(300, 360 - 100)), "the same place on the panel"


def test_finger_is_followed(bench: DeviceBench) -> None:
    for at in (Pixel(100, 300), Pixel(110, 320), Pixel(130, 340)):
        bench.device.put_finger(at)
    bench.device.lift_finger()
    bench.device.lift_finger()
    assert input_kinds(bench) == ["touch down", "touch move", "touch move", "touch up"]
    assert is_near(bench.inputs()[-1], Pixel(130, 340))


FOLDED = Pixel(300, 1001)


def folded(start_bench: StartBench, *, knows_outer_panel: bool = False) -> DeviceBench:
    bench = start_bench("pixel_fold")
    bench.emulator.faults.control.knows_outer_panel = knows_outer_panel
    bench.emulator.phone.set_posture("CLOSED")
    return bench


def test_touches_on_a_folded_device_that_was_not_measured_go_over_adb(
    start_bench: StartBench, caplog: pytest.LogCaptureFixture
) -> None:
    bench = folded(start_bench)
    caplog.set_level(logging.INFO, "odyssey_recorder")
    device = bench.connect()

    with pytest.raises(InputRefusedError, match=r"It is folded, .* measured .*odyssey-recorder devices check"):
        device.put_finger(FOLDED)
    for _ in range(2):
        device.touch(TouchStroke.press(FOLDED))

    assert (device.capture_path, device.follows_finger) == ("gRPC", False)
    assert bench.inputs() == 2 * ["touch down 300,1001", "touch up 300,1001"]
    assert caplog.text.count("touches are sent over adb") == 1


@pytest.mark.parametrize("knows_outer_panel", [False, True])
def test_measured_folded_device_follows_a_finger(
    start_bench: StartBench, tmp_path: Path, *, knows_outer_panel: bool
) -> None:
    bench = folded(start_bench, knows_outer_panel=knows_outer_panel)
    known = MeasuredDevices(tmp_path / "measured.json")
    found = measure_touch(bench.connect())
    known.keep(bench.device.properties(), Measured(touch_scale={"CLOSED": (found.across, found.down)}))
    device = bench.connect(known=known)

    device.put_finger(FOLDED)
    device.lift_finger()
    device.touch(TouchStroke.press(FOLDED))

    inputs = bench.inputs()[-4:]
    assert [entry.split()[1] for entry in inputs] == ["down", "up", "down", "up"]
    assert all(is_near(entry, FOLDED) for entry in inputs)


def test_touch_while_the_device_is_being_folded_is_felt_where_it_is_shown(start_bench: StartBench) -> None:
    bench = start_bench("pixel_fold")
    bench.device.capture()
    bench.emulator.phone.set_posture("CLOSED")
    bench.device.capture()
    bench.device.touch(TouchStroke.press(FOLDED))
    assert is_near(bench.inputs()[0], FOLDED)


@pytest.mark.parametrize(
    "call",
    [lambda device: device.lift_finger(), lambda device: device.put_finger(Pixel(110, 310))],
    ids=["lift", "move"],
)
def test_finger_is_lifted_when_the_connection_returns(bench: DeviceBench, call: Callable[[AdbDevice], None]) -> None:
    bench.device.put_finger(Pixel(100, 300))

    bench.switch_off_grpc()
    with pytest.raises(InputRefusedError, match="before the finger lifted"):
        call(bench.device)
    with pytest.raises(InputRefusedError, match=r"cannot follow a finger right now\. Try again\."):
        bench.device.put_finger(Pixel(120, 320))
    bench.emulator.faults.clear()
    bench.wait_for_path("gRPC")

    assert input_kinds(bench) == ["touch down", "touch up"]


def test_inputs_are_refused_just_after_a_lost_finger_is_lifted(bench: DeviceBench) -> None:
    device = bench.connect(GrpcOptions(bench.find, calm_s=600))
    bench = replace(bench, device=device)
    inputs = (
        partial(device.touch, TouchStroke.press(Pixel(100, 300))),
        partial(device.press, SystemKey.HOME),
        partial(device.type_text, "oslo"),
    )
    device.put_finger(bench.button)
    bench.switch_off_grpc()
    device.press(SystemKey.HOME)
    with pytest.raises(InputRefusedError, match="before the finger lifted"):
        device.lift_finger()
    bench.emulator.faults.clear()
    bench.wait_for_path("gRPC")

    for call in (*inputs, partial(device.put_finger, Pixel(100, 300))):
        with pytest.raises(InputRefusedError, match="has just been lifted"):
            call()
    bench.switch_off_grpc()
    for call in inputs:
        with pytest.raises(InputRefusedError, match="has just been lifted"):
            call()

    assert input_kinds(bench) == ["touch down", "key", "touch up"]


def test_finger_left_down_by_a_killed_recorder_is_lifted(bench: DeviceBench) -> None:
    endpoint = bench.find()
    assert endpoint is not None
    killed = EmulatorControl(bench.emulator.serial, endpoint.address, Credentials(endpoint))
    killed.put_finger(Pixel(40, 500))
    killed.close()

    bench.connect().touch(TouchStroke.press(Pixel(100, 300)))

    assert input_kinds(bench) == ["touch down", "touch up", "touch down", "touch up"]


def test_stroke_keeps_its_duration_and_survives_the_stream(bench: DeviceBench) -> None:
    corner = TouchStroke.drag((Pixel(50, 150), Pixel(150, 150), Pixel(150, 350)), duration_ms=600)
    before = bench.device.capture().arrived_ns
    drawing = threading.Thread(target=bench.device.touch, args=(corner,))

    drawing.start()
    bench.wait_until(lambda: bool(bench.inputs()))
    bench.emulator.faults.control.drop_streams()
    bench.wait_for_path("screencap")
    drawing.join(60)
    bench.wait_for_path("gRPC")

    assert input_kinds(bench) == ["touch down", "touch move", "touch move", "touch up"]
    assert is_near(bench.inputs()[-1], Pixel(150, 350))
    assert bench.device.capture().started_ns - before >= 600_000_000


def test_closing_during_a_stroke_lifts_the_finger(bench: DeviceBench) -> None:
    with ThreadPoolExecutor(1) as executor:
        stroke = executor.submit(bench.device.touch, LONG_STROKE)
        bench.wait_until(lambda: bool(bench.inputs()))
        bench.device.close()
        assert isinstance(stroke.exception(timeout=60), DeviceDisconnectedError)
    assert input_kinds(bench) == ["touch down", "touch up"]


def test_lost_connection_during_a_stroke_refuses_it(bench: DeviceBench) -> None:
    points = (Pixel(50, 150), Pixel(100, 150), Pixel(250, 150))
    with ThreadPoolExecutor(1) as executor:
        stroke = executor.submit(bench.device.touch, TouchStroke.drag(points, duration_ms=4000))
        bench.wait_until(lambda: len(bench.inputs()) > 1)
        bench.emulator.faults.control.switch_off(off=True)
        assert isinstance(stroke.exception(timeout=60), InputRefusedError)


def test_system_keys_show_in_getevent(bench: DeviceBench) -> None:
    reports: list[object] = []
    end = bench.emulator.guest.nodes.read(lambda node, _: reports.append(node), lambda: None)

    for key in (SystemKey.HOME, SystemKey.BACK, SystemKey.RECENT):
        bench.device.press(key)
    bench.wait_until(lambda: len(bench.inputs()) == 3)
    end()

    assert bench.inputs() == ["key 3", "key 4", "key 187"]
    assert len(reports) >= 3


@pytest.mark.parametrize("text", ["你好世界\n\u0645\u0631\u062d 👩‍👩‍👧", "e\u0301\tx"])
def test_text_of_any_script_is_typed_and_clipboard_restored(bench: DeviceBench, text: str) -> None:
    open_note(bench)
    bench.emulator.phone.set_clipboard("was there")

    bench.device.check_text(text)
    bench.device.type_text(text)

    lines = text.split("\n")  # in a note, Enter moves from the title to the text
    assert fields(bench)[: len(lines)] == lines
    assert bench.emulator.phone.get_clipboard() == "was there"


def test_newer_clip_of_the_user_is_restored(bench: DeviceBench) -> None:
    for clip in ("first", "second"):
        bench.emulator.phone.set_clipboard(clip)
        for _ in range(2):
            bench.device.type_text(CAFE)
            assert bench.emulator.phone.get_clipboard() == clip


def test_old_clip_is_not_pasted_after_a_snapshot_was_loaded(bench: DeviceBench) -> None:
    """The host still has the clip from before, and the snapshot's is unknown to it."""
    bench.emulator.phone.set_clipboard("of the snapshot")
    bench.device.save_snapshot("s")
    bench.emulator.phone.set_clipboard("from before")
    bench.device.load_snapshot("s")

    bench.device.type_text(CAFE)

    assert bench.emulator.phone.get_clipboard() == ""


def test_clipboard_is_restored_when_pasting_is_refused(bench: DeviceBench) -> None:
    bench.emulator.phone.set_clipboard("was there")
    bench.emulator.faults.refuse_input(refuse=True)
    with pytest.raises(InputRefusedError, match="Only 0 of 4 characters were typed"):
        bench.device.type_text(CAFE)
    assert bench.emulator.phone.get_clipboard() == "was there"


@pytest.mark.parametrize("end", ["closed", "connection lost"])
def test_clipboard_is_restored_or_its_loss_is_logged(
    bench: DeviceBench, caplog: pytest.LogCaptureFixture, end: str
) -> None:
    bench.emulator.phone.set_clipboard("was there")

    with ThreadPoolExecutor(1) as executor:
        typed = executor.submit(bench.device.type_text, CAFE)
        bench.wait_until(lambda: bench.emulator.phone.get_clipboard() == CAFE)
        if end == "closed":
            bench.device.close()
        else:
            bench.emulator.faults.control.switch_off(off=True)
        assert isinstance(typed.exception(timeout=60) or InputRefusedError(), DeviceError)

    is_lost = f"What was on the clipboard of {bench.device.serial} is lost" in caplog.text
    assert (bench.emulator.phone.get_clipboard() == "was there", is_lost) == (end == "closed", end != "closed")
    caplog.clear()


@pytest.mark.parametrize("service", ["refused", "off"])
def test_non_ascii_text_is_refused_over_adb(bench: DeviceBench, service: str) -> None:
    if service == "off":
        bench.switch_off_grpc()
        with pytest.raises(InputRefusedError, match="'é', character 4"):
            bench.device.check_text(CAFE)
    else:
        bench.emulator.faults.control.refuse(refuse=True)

    with pytest.raises(InputRefusedError, match="'é', character 4"):
        bench.device.type_text(CAFE)


LONG = "It was a dark and stormy night; 100 % of the rain fell in torrents. " * 8


def type_into_note(bench: DeviceBench, text: str) -> list[int]:
    """Type into a note that already has a word; return the progress reports."""
    open_note(bench)
    bench.device.type_text("Title\nSo: ")
    progress = list[int]()
    bench.device.type_text(text, progress.append)
    return progress


def test_long_text_is_pasted_and_clipboard_restored(bench: DeviceBench) -> None:
    bench.emulator.phone.set_clipboard("was there")

    progress = type_into_note(bench, f"{LONG}\nshort\n{LONG}")

    assert fields(bench)[-1] == f"So: {LONG}\nshort\n{LONG}"
    assert bench.emulator.phone.get_clipboard() == "was there"
    assert progress == sorted(progress)
    assert progress[-1] == len(f"{LONG}\nshort\n{LONG}")
    assert [entry for entry in bench.inputs() if "stormy" in entry] == []


@pytest.mark.parametrize("taken", [0, 100])
def test_rest_of_a_partly_pasted_text_is_typed(bench: DeviceBench, taken: int) -> None:
    bench.emulator.phone.limit_text(pasted=taken)
    progress = type_into_note(bench, LONG)
    assert fields(bench)[-1] == f"So: {LONG}"
    by_keys = sum(len(entry) - len("text ") for entry in bench.inputs() if entry.startswith("text "))
    assert by_keys == len("Title") + len("So: ") + len(LONG) - taken
    assert progress[-1] == len(LONG)


def test_full_field_is_reported_with_the_typed_length(bench: DeviceBench) -> None:
    bench.emulator.phone.set_clipboard("was there")
    bench.emulator.phone.limit_text(held=304)

    message = f"Only 300 of {len(LONG)} characters were typed: The field accepts no m"
    with pytest.raises(InputRefusedError, match=message):
        type_into_note(bench, LONG)

    assert fields(bench)[-1] == f"So: {LONG}"[:304]
    assert bench.emulator.phone.get_clipboard() == "was there"


def test_long_text_is_typed_without_a_readable_field(bench: DeviceBench) -> None:
    bench.device.type_text(LONG)
    assert len([entry for entry in bench.inputs() if entry.startswith("text ")]) == len(LONG) // 40 + 1
