"""Fingers, keys and text on an emulator over gRPC."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.emulator_grpc import EmulatorControl
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, InputRefusedError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from tests.device.bench import DeviceBench

CAFE = "caf\N{LATIN SMALL LETTER E WITH ACUTE}"
LONG_STROKE = TouchStroke.drag((Pixel(100, 300), Pixel(500, 300)), duration_ms=60_000)


@pytest.fixture
def over_grpc() -> bool:
    return True


def write_note(bench: DeviceBench) -> None:
    bench.device.touch(TouchStroke.press(bench.button))
    new = next(node for node in bench.emulator.phone.view_hierarchy().walk() if node.content_desc == "New note")
    bench.device.touch(
        TouchStroke.press(Pixel((new.bounds.left + new.bounds.right) // 2, (new.bounds.top + new.bounds.bottom) // 2))
    )


def fields(bench: DeviceBench) -> list[str]:
    return [node.text for node in bench.emulator.phone.view_hierarchy().walk() if node.class_name.endswith("EditText")]


def kinds(bench: DeviceBench) -> list[str]:
    """The inputs received, without positions."""
    return [words.rsplit(" ", 1)[0] for words in bench.inputs()]


def touch_place(told: str) -> tuple[float, float]:
    x, y = told.rsplit(" ", 1)[1].split(",")
    return float(x), float(y)


def near(place: tuple[float, float], at: Pixel) -> bool:
    """Whether they are within a pixel of the panel: the kernel's axes are not in pixels."""
    return abs(place[0] - at.x) <= 1 and abs(place[1] - at.y) <= 1


def test_a_finger_goes_where_the_screenshot_that_was_seen_last_shows_it(bench: DeviceBench) -> None:
    bench.device.capture()
    bench.emulator.phone.set_rotation(1)
    bench.device.screen_state()

    bench.device.touch(TouchStroke.press(Pixel(100, 300)))

    assert near(touch_place(bench.inputs()[0]), Pixel(300, 720 - 100)), "the same place of the glass"


def test_a_finger_is_followed(bench: DeviceBench) -> None:
    for at in (Pixel(100, 300), Pixel(110, 320), Pixel(130, 340)):
        bench.device.put_finger(at)
    bench.device.lift_finger()
    bench.device.lift_finger()

    told = bench.inputs()
    assert kinds(bench) == ["touch down", "touch move", "touch move", "touch up"]
    assert near(touch_place(told[-1]), Pixel(130, 340))


@pytest.mark.parametrize(
    "call",
    [lambda device: device.lift_finger(), lambda device: device.put_finger(Pixel(110, 310))],
    ids=["lift", "move"],
)
def test_a_finger_whose_connection_is_lost_is_refused_and_lifted_later(
    bench: DeviceBench, call: Callable[[AdbDevice], None]
) -> None:
    bench.device.put_finger(Pixel(100, 300))

    bench.leave_adb_alone()
    with pytest.raises(InputRefusedError, match="before the finger lifted"):
        call(bench.device)
    with pytest.raises(InputRefusedError, match="cannot follow a finger right now"):
        bench.device.put_finger(Pixel(120, 320))
    bench.emulator.faults.clear()
    bench.wait_for_path("gRPC")

    assert kinds(bench) == ["touch down", "touch up"]


def test_after_a_lost_finger_was_lifted_inputs_are_refused_for_a_while(bench: DeviceBench) -> None:
    inputs: list[Callable[[AdbDevice], None]] = [
        lambda device: device.touch(TouchStroke.press(Pixel(100, 300))),
        lambda device: device.press(SystemKey.HOME),
        lambda device: device.type_text("oslo"),
    ]

    def over_grpc_only(device: AdbDevice) -> None:
        device.put_finger(Pixel(100, 300))

    with closing(bench.another_device(calm_s=600)) as device:
        bench = replace(bench, device=device)
        device.put_finger(bench.button)
        bench.leave_adb_alone()
        inputs[1](device)
        with pytest.raises(InputRefusedError, match="before the finger lifted"):
            device.lift_finger()
        bench.emulator.faults.clear()
        bench.wait_for_path("gRPC")

        for call in (*inputs, over_grpc_only):
            with pytest.raises(InputRefusedError, match="has just been lifted"):
                call(device)
        bench.leave_adb_alone()
        for call in inputs:
            with pytest.raises(InputRefusedError, match="has just been lifted"):
                call(device)

    assert kinds(bench) == ["touch down", "key", "touch up"]


def test_a_finger_that_a_killed_recorder_left_down_is_lifted_before_the_next_one_comes_down(bench: DeviceBench) -> None:
    endpoint = bench.find()
    assert endpoint is not None
    killed = EmulatorControl(bench.emulator.serial, endpoint.address, endpoint.token)
    killed.put_finger(Pixel(40, 500))
    killed.close()

    with closing(bench.another_device()) as device:
        device.touch(TouchStroke.press(Pixel(100, 300)))

    assert kinds(bench) == ["touch down", "touch up", "touch down", "touch up"]


def test_a_stroke_takes_its_own_time_and_outlives_the_stream(bench: DeviceBench) -> None:
    corner = TouchStroke.drag((Pixel(100, 300), Pixel(300, 300), Pixel(300, 700)), duration_ms=600)
    before = bench.device.capture().arrived_ns
    drawing = threading.Thread(target=bench.device.touch, args=(corner,))

    drawing.start()
    bench.wait_until(lambda: bool(bench.inputs()))
    bench.emulator.faults.control.drop_streams()
    bench.wait_for_path("screencap")
    drawing.join(10)
    bench.wait_for_path("gRPC")

    told = bench.inputs()
    assert kinds(bench) == ["touch down", "touch move", "touch move", "touch up"]
    assert near(touch_place(told[-1]), Pixel(300, 700))
    assert bench.device.capture().started_ns - before >= 600_000_000


def test_closing_in_the_middle_of_a_stroke_leaves_no_finger_down(bench: DeviceBench) -> None:
    with ThreadPoolExecutor(1) as drawing:
        stroke = drawing.submit(bench.device.touch, LONG_STROKE)
        bench.wait_until(lambda: bool(bench.inputs()))
        bench.device.close()
        assert isinstance(stroke.exception(timeout=10), DeviceDisconnectedError)

    assert kinds(bench) == ["touch down", "touch up"]


def test_a_connection_that_breaks_in_the_middle_of_a_stroke_refuses_it(bench: DeviceBench) -> None:
    points = (Pixel(100, 300), Pixel(200, 300), Pixel(500, 300))

    with ThreadPoolExecutor(1) as drawing:
        stroke = drawing.submit(bench.device.touch, TouchStroke.drag(points, duration_ms=1000))
        bench.wait_until(lambda: len(bench.inputs()) > 1)
        bench.emulator.faults.control.switch_off(off=True)
        assert isinstance(stroke.exception(timeout=10), InputRefusedError)


def test_system_keys_are_those_of_the_keyboard_and_show_in_getevent(bench: DeviceBench) -> None:
    reports: list[object] = []
    end = bench.emulator.guest.nodes.read(lambda node, _: reports.append(node), lambda: None)

    for key in (SystemKey.HOME, SystemKey.BACK, SystemKey.RECENT):
        bench.device.press(key)
    bench.wait_until(lambda: len(bench.inputs()) == 3)
    end()

    assert bench.inputs() == ["key 3", "key 4", "key 187"]
    assert len(reports) >= 3


@pytest.mark.parametrize("text", [CAFE, "你好世界\n\u0645\u0631\u062d 👩‍👩‍👧", "e\u0301\tx"])
def test_text_of_any_script_is_typed_and_the_clipboard_is_as_before(bench: DeviceBench, text: str) -> None:
    write_note(bench)
    bench.emulator.phone.set_clipboard("was there")

    bench.device.check_text(text)
    bench.device.type_text(text)

    lines = text.split("\n")  # in a note, Enter moves from the title to the text
    assert fields(bench)[: len(lines)] == lines
    assert bench.emulator.phone.get_clipboard() == "was there"


def test_the_clipboard_is_as_before_where_pasting_is_refused(bench: DeviceBench) -> None:
    bench.emulator.phone.set_clipboard("was there")
    bench.emulator.faults.refuse_input(refuse=True)

    with pytest.raises(InputRefusedError, match="Only 0 of 4 characters were typed"):
        bench.device.type_text(CAFE)

    assert bench.emulator.phone.get_clipboard() == "was there"


@pytest.mark.parametrize("end", ["closed", "connection lost"])
def test_what_was_on_the_clipboard_is_put_back_or_its_loss_is_logged(
    bench: DeviceBench, caplog: pytest.LogCaptureFixture, end: str
) -> None:
    bench.emulator.phone.set_clipboard("was there")

    with ThreadPoolExecutor(1) as typing:
        typed = typing.submit(bench.device.type_text, CAFE)
        bench.wait_until(lambda: bench.emulator.phone.get_clipboard() == CAFE)
        if end == "closed":
            bench.device.close()
        else:
            bench.emulator.faults.control.switch_off(off=True)
        assert isinstance(typed.exception(timeout=10) or InputRefusedError(), DeviceError)

    is_lost = f"What was on the clipboard of {bench.device.serial} is lost" in caplog.text
    assert (bench.emulator.phone.get_clipboard() == "was there", is_lost) == (end == "closed", end != "closed")
    caplog.clear()


@pytest.mark.parametrize("service", ["refused", "off"])
def test_text_of_another_script_is_refused_where_adb_alone_is_left(bench: DeviceBench, service: str) -> None:
    if service == "off":
        bench.leave_adb_alone()
        with pytest.raises(InputRefusedError, match="'é', character 4"):
            bench.device.check_text(CAFE)
    else:
        bench.emulator.faults.control.refuse(refuse=True)

    with pytest.raises(InputRefusedError, match="'é', character 4"):
        bench.device.type_text(CAFE)


LONG = "It was a dark and stormy night; 100 % of the rain fell in torrents. " * 8


def write_long(bench: DeviceBench, text: str) -> list[int]:
    """Returns the progress reports; the note already has a word."""
    write_note(bench)
    bench.device.type_text("Title\nSo: ")
    told = list[int]()
    bench.device.type_text(text, told.append)
    return told


def test_a_long_text_is_pasted_and_the_clipboard_is_as_before(bench: DeviceBench) -> None:
    bench.emulator.phone.set_clipboard("was there")

    told = write_long(bench, f"{LONG}\nshort\n{LONG}")

    assert fields(bench)[-1] == f"So: {LONG}\nshort\n{LONG}"
    assert bench.emulator.phone.get_clipboard() == "was there"
    assert told == sorted(told)
    assert told[-1] == len(f"{LONG}\nshort\n{LONG}")
    assert [entry for entry in bench.inputs() if "stormy" in entry] == []


@pytest.mark.parametrize("taken", [0, 100])
def test_a_field_that_takes_no_paste_or_a_part_of_it_gets_the_rest_by_keys(bench: DeviceBench, taken: int) -> None:
    bench.emulator.phone.limit_text(pasted=taken)

    told = write_long(bench, LONG)

    assert fields(bench)[-1] == f"So: {LONG}"
    by_keys = sum(len(entry) - len("text ") for entry in bench.inputs() if entry.startswith("text "))
    assert by_keys == len("Title") + len("So: ") + len(LONG) - taken
    assert told[-1] == len(LONG)


def test_a_field_that_is_full_is_told_with_how_much_it_took(bench: DeviceBench) -> None:
    bench.emulator.phone.set_clipboard("was there")
    bench.emulator.phone.limit_text(held=304)

    with pytest.raises(
        InputRefusedError, match=rf"Only 300 of {len(LONG)} characters were typed: The field accepts no m"
    ):
        write_long(bench, LONG)

    assert fields(bench)[-1] == f"So: {LONG}"[:304]
    assert bench.emulator.phone.get_clipboard() == "was there"


def test_a_long_text_is_typed_where_no_field_can_be_read(bench: DeviceBench) -> None:
    bench.device.type_text(LONG)

    assert len([entry for entry in bench.inputs() if entry.startswith("text ")]) == len(LONG) // 40 + 1
