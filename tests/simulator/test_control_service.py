import io
import mmap
import queue
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from PIL import Image

from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.control_service import Fingers
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.evdev import InputNode, RawEvent
from odyssey_simulator.evdev_names import ABS_MT_SLOT, ABS_MT_TRACKING_ID
from odyssey_simulator.phone import Node, Phone, TouchPhase
from odyssey_simulator.profile import profile_named
from tests.simulator.bench import phone_of
from tests.simulator.control_client import Client, Fields, client_of, message, status_of

PNG, RGBA, RGB = 0, 1, 2
WIDTH, HEIGHT = 720, 1280
SETTINGS, BACK, HOME, APP_SWITCH, POWER = "com.android.settings", 4, 3, 187, 26

Events = Callable[[int], list[tuple[str, int, int]]]


@pytest.fixture
def phone(emulator: SimulatedEmulator) -> Phone:
    return emulator.phone


@pytest.fixture
def events(emulator: SimulatedEmulator) -> Iterator[Events]:
    """Waits for a number of input events other than SYN_REPORT; gives node, code and value of each."""
    arrived: queue.Queue[tuple[str, int, int]] = queue.Queue()

    def read(node: InputNode, report: Sequence[RawEvent]) -> None:
        for event in report[:-1]:
            arrived.put((node.name, event.code, event.value))

    close = emulator.guest.nodes.read(read, lambda: None)
    yield lambda count: [arrived.get(timeout=60) for _ in range(count)]
    close()


def rgb_of(phone: Phone) -> bytes:
    screen = phone.screen()
    return Image.frombytes("RGBA", (screen.width, screen.height), screen.rgba).convert("RGB").tobytes()


def size_of(image: Fields) -> tuple[int, int]:
    return image.message(1).number(3), image.message(1).number(4)


def touch_at(x: int, y: int, identifier: int = 0, pressure: int = 1) -> bytes:
    touch = message((1, x), (2, y), (3, identifier), *([(4, pressure)] if pressure else []))
    return message((1, touch))


def node_with(phone: Phone, text: str) -> Node:
    return next(node for node in phone.view_hierarchy().walk() if text in (node.text, node.content_desc))


def hardware_of(status: Fields) -> dict[bytes, bytes]:
    return {entry.content(1): entry.content(2) for entry in status.message(5).messages(1)}


def refusal(client: Client, name: str, request: bytes = b"") -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as refused:
        client.call(name, request)
    return status_of(refused.value)


# Messages ----------------------------------------------------------------------------------------------------------


def test_unknown_message_fields_are_ignored(client: Client) -> None:
    newer = message((1, RGB), (3, 72), (99, "news"), (98, 5))
    assert size_of(client.call("getScreenshot", newer)) == (72, 128)


def test_status_describes_the_device(client: Client) -> None:
    status = client.call("getStatus")

    hardware = hardware_of(status)
    assert b"simulated" in status.content(1)
    assert status.number(3) == 1
    assert hardware[b"hw.lcd.width"] == b"720"
    assert hardware[b"hw.lcd.height"] == b"1280"
    assert hardware[b"hw.lcd.density"] == b"320"
    assert hardware[b"hw.keyboard"] == b"true"
    assert client.call("getStatus").number(2) >= status.number(2)


# Images ------------------------------------------------------------------------------------------------------------


def test_screenshot_is_pixel_exact_in_every_format(client: Client, phone: Phone) -> None:
    rgb, rgba, png = (client.call("getScreenshot", message((1, kind))) for kind in (RGB, RGBA, PNG))
    assert size_of(rgb) == size_of(rgba) == size_of(png) == (WIDTH, HEIGHT)
    assert (rgb.number(5), rgb.number(6)) == (0, phone.screen().shown_us)
    assert rgb.content(4) == rgb_of(phone)
    assert rgba.content(4) == phone.screen().rgba
    assert Image.open(io.BytesIO(png.content(4))).convert("RGB").tobytes() == rgb_of(phone)


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [(360, 0, (360, 640)), (0, 320, (180, 320)), (360, 320, (180, 320)), (9999, 9999, (720, 1280))],
)
def test_requested_size_is_a_bound_that_keeps_the_aspect_ratio(
    client: Client, width: int, height: int, expected: tuple[int, int]
) -> None:
    image = client.call("getScreenshot", message((1, RGB), (3, width), (4, height)))
    assert size_of(image) == expected
    assert len(image.content(4)) == expected[0] * expected[1] * 3


@pytest.mark.parametrize("rotation", [1, 2, 3])
def test_image_is_upright_and_reports_the_rotation(client: Client, phone: Phone, rotation: int) -> None:
    phone.set_rotation(rotation)
    image = client.call("getScreenshot", message((1, RGB)))
    assert size_of(image) == ((HEIGHT, WIDTH) if rotation % 2 else (WIDTH, HEIGHT))
    assert image.message(1).message(2).number(1) == rotation
    assert image.content(4) == rgb_of(phone)


@pytest.mark.parametrize(
    ("turned", "expected_turn"),
    [
        ((1, 0, 0), Image.Transpose.ROTATE_90),
        ((0, 1, 0), Image.Transpose.ROTATE_270),
        ((2, 0, 0), Image.Transpose.ROTATE_180),
        ((1, 1, 1), Image.Transpose.ROTATE_90),
    ],
)
def test_image_is_turned_as_the_device_is_held(
    client: Client, emulator: SimulatedEmulator, turned: tuple[int, int, int], expected_turn: Image.Transpose
) -> None:
    """Not as Android shows it, with a rotation lock or an app that keeps its orientation."""
    held, shown, further = turned
    emulator.phone.set_rotation(held)
    emulator.phone.lock_rotation(shown)
    emulator.faults.control.frame_turns = further
    image = client.call("getScreenshot", message((1, RGB)))
    small = client.call("getScreenshot", message((1, RGB), (3, WIDTH), (4, WIDTH)))

    screen = emulator.phone.screen()
    expected = Image.frombytes("RGB", (screen.width, screen.height), rgb_of(emulator.phone)).transpose(expected_turn)
    assert size_of(image) == expected.size
    assert max(size_of(small)) == WIDTH
    assert image.content(4) == expected.tobytes()
    assert image.message(1).message(2).number(1) == held


def test_image_smaller_than_the_panel_is_centred(client: Client, phone: Phone) -> None:
    phone.override_size(480, 480)

    image = client.call("getScreenshot", message((1, RGB)))

    assert size_of(image) == (WIDTH, HEIGHT)
    panel = Image.frombytes("RGB", (WIDTH, HEIGHT), image.content(4))
    screen = Image.frombytes("RGB", (480, 480), rgb_of(phone))
    assert panel.crop((0, 0, 720, 280)).getextrema() == ((0, 0),) * 3
    assert panel.crop((0, 1000, 720, 1280)).getextrema() == ((0, 0),) * 3
    assert panel.getpixel((360, 999)) == screen.getpixel((240, 479))
    assert panel.getpixel((360, 280)) == screen.getpixel((240, 0))


def test_stream_sends_the_screen_and_every_change(client: Client, phone: Phone) -> None:
    stream = client.stream("streamScreenshot", message((1, RGB)))
    first = stream.next()
    before_us = time.time_ns() // 1000
    phone.start_activity(SETTINGS)
    second = stream.next()
    after_us = time.time_ns() // 1000
    phone.press_key(HOME)
    third = stream.next()
    stream.cancel()

    assert [image.number(5) for image in (first, second, third)] == [0, 1, 2]
    assert first.number(6) < before_us < second.number(6) < after_us < third.number(6)
    assert first.content(4) == third.content(4) == rgb_of(phone)
    assert second.content(4) != first.content(4)


def test_slow_client_skips_to_the_newest_frame(client: Client, phone: Phone) -> None:
    stream = client.stream("streamScreenshot", message((1, RGBA)))
    stream.next()
    changes = 8
    for number in range(changes):
        phone.press_key(HOME if number % 2 else APP_SWITCH)

    numbers = []
    while changes not in numbers:
        numbers.append(stream.next().number(5))
    stream.cancel()

    assert numbers == sorted(set(numbers))
    assert numbers[-1] == changes
    assert len(numbers) <= 3, "two may have been on their way"


def test_frames_can_be_written_to_a_mapped_file(client: Client, phone: Phone, tmp_path: Path) -> None:
    size = WIDTH * HEIGHT * 3
    shared = tmp_path / "frames of ours"
    shared.write_bytes(bytes(size))
    transport = message((1, 1), (2, shared.as_uri()))
    wanted = message((1, RGB), (3, WIDTH), (4, HEIGHT), (6, transport))
    with shared.open("r+b") as file, mmap.mmap(file.fileno(), size) as memory:
        stream = client.stream("streamScreenshot", wanted)
        first = stream.next()
        shown = memory[:]
        phone.start_activity(SETTINGS)
        second = stream.next()
        stream.cancel()

        assert first.content(4) == second.content(4) == b""
        assert size_of(first) == (WIDTH, HEIGHT)
        assert [first.number(5), second.number(5)] == [0, 1]
        assert shown != memory[:] == rgb_of(phone)


@pytest.mark.parametrize(
    ("handle", "complaint"),
    [
        ("file:///no/such/file", "INVALID_ARGUMENT: .* cannot be written"),
        ("shm://x", "INVALID_ARGUMENT: .*file:///"),
        ("{small}", "FAILED_PRECONDITION: .* has 3 bytes of the 2764800"),
    ],
)
def test_unusable_frame_file_is_rejected(client: Client, tmp_path: Path, handle: str, complaint: str) -> None:
    small = tmp_path / "small"
    small.write_bytes(b"123")
    transport = message((1, 1), (2, handle.format(small=small.as_uri())))
    wanted = message((1, RGB), (3, WIDTH), (4, HEIGHT), (6, transport))

    code, details = refusal(client, "getScreenshot", wanted)

    assert re.search(complaint, f"{code.name}: {details}")
    with pytest.raises(grpc.RpcError, match=code.name):
        client.stream("streamScreenshot", wanted).next()


@pytest.mark.parametrize("size", [(0, 0), (WIDTH, 0)])
def test_shared_memory_without_a_size_crashes_the_emulator(tmp_path: Path, size: tuple[int, int]) -> None:
    shared = tmp_path / "frames"
    shared.write_bytes(bytes(3 * WIDTH * HEIGHT))
    with SimulatedEmulator(phone_of(), control=ControlOptions()) as emulator, client_of(emulator) as client:
        wanted = message((1, RGB), (3, size[0]), (4, size[1]), (6, message((1, 1), (2, shared.as_uri()))))
        with pytest.raises(grpc.RpcError):
            client.stream("streamScreenshot", wanted).next()
        assert emulator.killed.wait(60)
        assert emulator.faults.offline
        assert emulator.faults.control.off


def test_display_that_is_off_sends_one_empty_image(client: Client, phone: Phone) -> None:
    stream = client.stream("streamScreenshot", message((1, RGB)))
    stream.next()
    phone.press_key(POWER)
    dark = stream.next()
    phone.press_key(POWER)
    bright = stream.next()
    stream.cancel()

    assert dark.content(4) == b""
    assert bright.content(4) == rgb_of(phone)


def test_folded_state_is_reported_with_images() -> None:
    """A touch is scaled by the unfolded panel, as on a real emulator, unless the build knows the outer one."""
    with SimulatedEmulator(phone_of("pixel_fold"), control=ControlOptions()) as emulator, client_of(emulator) as client:
        opened = client.call("getScreenshot", message((1, RGB)))
        client.call("setPosture", b"\x18\x01")
        closed = client.call("getScreenshot", message((1, RGB), (3, 540)))
        client.call("sendTouch", touch_at(540, 1000))
        scaled = contacts(emulator, node=6)
        client.call("sendTouch", touch_at(540, 1000, pressure=0))
        contacts(emulator)
        emulator.faults.control.knows_outer_panel = emulator.faults.control.uses_first_node = True
        client.call("sendTouch", touch_at(540, 1000))
        right = contacts(emulator, node=0)
        client.call("setPosture", b"\x18\x03")
        again = client.call("getScreenshot", message((1, RGB)))

    assert size_of(opened) == size_of(again) == (2208, 1840)
    assert opened.message(1).content(7) == b""
    assert size_of(closed) == (540, 1046)
    assert (closed.message(1).message(7).number(1), closed.message(1).message(7).number(2)) == (1080, 2092)
    assert scaled == {0: (540 * 32767 // 2208, 1000 * 32767 // 1840)}
    assert right == {0: (540 * 32767 // 1080, 1000 * 32767 // 2092)}


def contacts(emulator: SimulatedEmulator, *, node: int = 0) -> dict[int, tuple[int, int]]:
    """After every touch sent so far, which the emulator confirms before it happens."""
    assert emulator.control is not None
    emulator.control.wait_for_touches()
    return emulator.guest.nodes.touch_screens[node].contacts()


def test_unknown_display_format_or_posture_is_rejected(client: Client) -> None:
    code, details = refusal(client, "getScreenshot", message((1, RGB), (5, 3)))
    assert (code, details) == (grpc.StatusCode.INVALID_ARGUMENT, "There is no display 3.")
    assert refusal(client, "getScreenshot", message((1, 7)))[0] is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal(client, "setPosture", b"\x18\x01")[0] is grpc.StatusCode.FAILED_PRECONDITION
    assert refusal(client, "setPosture", b"\x18\x09")[0] is grpc.StatusCode.INVALID_ARGUMENT


# Input -------------------------------------------------------------------------------------------------------------


def test_fingers_have_separate_slots_and_lift_one_by_one(client: Client, events: Events) -> None:
    client.call("sendTouch", touch_at(100, 200, identifier=41) + touch_at(300, 400, identifier=7))
    down = events(9)
    client.call("sendTouch", touch_at(100, 200, identifier=41, pressure=0))
    first = events(3)
    client.call("sendTouch", touch_at(300, 400, identifier=7, pressure=0))
    second = events(3)

    def values_of(code: int, reported: list[tuple[str, int, int]]) -> list[int]:
        return [value for _, named, value in reported if named == code]

    assert (values_of(ABS_MT_SLOT, down), values_of(ABS_MT_TRACKING_ID, down)) == ([1], [0, 1])
    assert (values_of(ABS_MT_SLOT, first), values_of(ABS_MT_TRACKING_ID, first)) == ([0], [-1])
    assert (values_of(ABS_MT_SLOT, second), values_of(ABS_MT_TRACKING_ID, second)) == ([1], [-1])


@pytest.mark.parametrize(
    ("name", "code"),
    [("GoHome", 0x66), ("GoBack", 0x9E), ("AppSwitch", 0x244), ("Power", 0x74), ("Paste", 0x87), ("Enter", 0x1C)],
)
def test_key_name_presses_a_keyboard_key(client: Client, phone: Phone, events: Events, name: str, code: int) -> None:
    client.call("sendKey", message((4, name)))
    client.call("sendKey", message((2, 1), (4, name)))
    assert events(2) == [("qwerty2", code, 1), ("qwerty2", code, 0)]
    if name == "Power":
        phone.press_key(POWER)


def test_idle_finger_is_lifted_by_the_next_touch_and_its_slot_is_reused(emulator: SimulatedEmulator) -> None:
    fingers = Fingers(emulator.guest, expires_s=0.0)

    fingers.put(1, 10, 10, expires=False)
    fingers.put(2, 20, 20)
    before = contacts(emulator)
    fingers.put(3, 30, 30, expires=False)
    after = contacts(emulator)
    fingers.lift(1)
    fingers.lift(3)

    assert (list(before), list(after)) == ([0, 1], [0, 1])
    assert after[1][0] == 30 * 32767 // WIDTH
    assert contacts(emulator) == {}


def test_at_most_ten_fingers_are_tracked(client: Client, emulator: SimulatedEmulator) -> None:
    touches = [touch_at(identifier, 500, identifier) for identifier in range(100, 112)]
    client.call("sendTouch", b"".join(touches))
    assert len(contacts(emulator)) == 10
    client.call("sendTouch", touch_at(111, 500, 111, pressure=0) + touch_at(100, 500, 100, pressure=0))
    assert len(contacts(emulator)) == 9
    client.call("sendTouch", b"".join(touch_at(number, 500, number, pressure=0) for number in range(101, 110)))


def test_unknown_keys_and_displays_are_ignored(client: Client, events: Events) -> None:
    client.call("sendKey", message((2, 2), (4, "Eject")))
    client.call("sendKey", message((1, 1), (2, 2), (3, 999)))
    client.call("sendKey", message((1, 3), (2, 2), (3, 0x66)))  # a Windows key code
    client.call("sendTouch", touch_at(10, 10) + message((2, 6)))
    client.call("sendTouch", touch_at(10, 10, identifier=5, pressure=0))

    client.call("sendKey", message((1, 1), (2, 2), (3, 0x9E)))  # a press of evdev's key

    assert events(2) == [("qwerty2", 0x9E, 1), ("qwerty2", 0x9E, 0)]


def test_only_ascii_text_is_typed(client: Client, phone: Phone) -> None:
    phone.start_activity(SETTINGS)
    field = node_with(phone, "Search settings").bounds.center
    phone.touch(TouchPhase.DOWN, *field)
    phone.touch(TouchPhase.UP, *field)

    client.call("sendKey", message((5, "Caf\u00e9 \u4e2d 1!")))
    client.call("sendKey", message((4, "Z")))

    assert "Caf  1!Z" in {node.text for node in phone.view_hierarchy().walk()}


def test_keys_are_ignored_silently_without_a_keyboard() -> None:
    phone = Phone(replace(profile_named("small_phone"), keyboard=False), animation=False)
    with SimulatedEmulator(phone, control=ControlOptions()) as emulator, client_of(emulator) as client:
        phone.start_activity(SETTINGS)
        reports: list[object] = []
        emulator.guest.nodes.read(lambda node, events: reports.append(node), lambda: None)

        client.call("sendKey", message((2, 2), (4, "GoHome")))
        client.call("sendKey", message((5, "abc")))

        assert phone.state().package == SETTINGS
        assert reports == []
        assert "qwerty2" not in {node.name for node in emulator.guest.nodes.all()}
        assert hardware_of(client.call("getStatus"))[b"hw.keyboard"] == b"false"
