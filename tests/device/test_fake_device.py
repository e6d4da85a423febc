"""The fake keeps the contract of a device, and does what tests of recording ask of it."""

import threading
import time
from dataclasses import dataclass, replace

import pytest
from PIL import Image

from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, InputRefusedError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation, Size
from tests.device.contract import DeviceContract
from tests.fakes import FakeDevice


@dataclass(frozen=True)
class FakeBench:
    """A fake device, and its own faults."""

    device: FakeDevice
    button = Pixel(100, 300)

    def change_screen(self) -> None:
        self.device.show("another")

    def press_back_key(self) -> None:
        self.device.press_key("KEY_BACK")

    def recents(self) -> list[str]:
        return list(self.device.recents)

    def freeze(self) -> None:
        self.device.freeze()

    def disconnect(self) -> None:
        self.device.disconnect()

    def cut_frames(self) -> None:
        self.device.cut_frames()

    def refuse_input(self) -> None:
        self.device.refuse_input()

    def mend(self) -> None:
        self.device.mend()


@pytest.fixture
def bench() -> FakeBench:
    return FakeBench(FakeDevice(patience_s=20))


@pytest.fixture
def impatient_bench() -> FakeBench:
    return FakeBench(FakeDevice(patience_s=0.05))


class TestFakeDevice(DeviceContract):
    """The contract, kept by the fake."""


def test_inputs_are_noted_in_order_with_the_screen_that_each_met() -> None:
    device = FakeDevice()
    stroke = TouchStroke.press(Pixel(5, 6))

    device.touch(stroke)
    device.show("advertisement")
    device.press(SystemKey.BACK)
    device.type_text("hi\n")

    assert device.performed == [stroke, SystemKey.BACK, "hi\n"]
    assert device.screen_at == [0, "advertisement", 2]
    assert device.screen == 3


def test_what_is_refused_is_not_noted() -> None:
    device = FakeDevice()
    device.refuse_input()

    with pytest.raises(DeviceError):
        device.press(SystemKey.HOME)

    assert device.performed == []
    assert device.screen == 0


def test_the_same_screen_is_the_same_picture_on_every_device() -> None:
    one, other = FakeDevice(), FakeDevice()
    one.press(SystemKey.HOME)
    other.show(1)

    assert one.capture().pixels == other.capture().pixels
    assert one.capture().image().tobytes() == one.picture(1).tobytes()


def test_a_picture_of_the_test_s_own_can_be_shown() -> None:
    device = FakeDevice(Size(4, 2))
    device.show(Image.new("RGB", (4, 2), (1, 2, 3)))

    assert bytes(device.capture().pixels) == b"\x01\x02\x03\xff" * 8


def test_closing_wakes_a_call_that_waits_for_a_frozen_device() -> None:
    device = FakeDevice(patience_s=600)
    device.freeze()
    outcome: list[type[Exception]] = []

    def wait() -> None:
        try:
            device.capture()
        except DeviceError as error:
            outcome.append(type(error))

    waiting = threading.Thread(target=wait)
    waiting.start()
    device.close()
    waiting.join(timeout=10)

    assert outcome == [DeviceDisconnectedError]


def test_a_device_that_streams_sends_a_frame_of_each_change_and_keeps_the_newest() -> None:
    device = FakeDevice()
    assert device.next_frame(20) is None
    device.streams = True
    assert device.next_frame(0) is None

    device.show("one")
    device.show("two")

    frame = device.next_frame(0)
    assert frame is not None
    assert frame.streamed
    assert frame.image().tobytes() == device.picture("two").tobytes()
    assert device.next_frame(0) is None
    assert (device.sends_frames, device.capture_path) == (True, "gRPC")


def test_who_waits_for_a_frame_has_it_when_the_screen_changes_and_is_told_of_a_loss() -> None:
    device = FakeDevice()
    device.streams = True
    came = threading.Event()
    outcome: list[type[Exception]] = []

    def wait() -> None:
        try:
            while device.next_frame(600) is not None:
                came.set()
        except DeviceError as error:
            outcome.append(type(error))

    waiting = threading.Thread(target=wait)
    waiting.start()
    device.press(SystemKey.HOME)
    assert came.wait(timeout=10)
    device.disconnect()
    waiting.join(timeout=10)

    assert outcome == [DeviceDisconnectedError]


def test_a_finger_is_noted_with_its_times_and_its_lift_shows_the_next_screen() -> None:
    device = FakeDevice()
    device.streams = True

    device.put_finger(Pixel(1, 2))
    device.put_finger(Pixel(3, 4))
    assert device.screen == 0
    device.lift_finger()
    device.lift_finger()

    assert [finger.at for finger in device.finger] == [Pixel(1, 2), Pixel(3, 4), None]
    times = [finger.time_ns for finger in device.finger]
    assert times == sorted(times)
    assert device.screen == 1


def test_a_device_that_does_not_stream_follows_no_finger() -> None:
    device = FakeDevice()

    with pytest.raises(InputRefusedError):
        device.put_finger(Pixel(1, 2))

    assert (device.follows_finger, device.finger) == (False, [])


def test_a_finger_that_is_refused_is_not_noted() -> None:
    device = FakeDevice()
    device.streams = True
    device.refuse_input()

    with pytest.raises(InputRefusedError, match="not permitted"):
        device.put_finger(Pixel(1, 2))

    assert device.finger == []


def test_a_screen_that_never_rests_has_no_view_tree() -> None:
    device = FakeDevice()
    device.never_rest()
    with pytest.raises(DeviceError, match="never rests"):
        device.view_hierarchy()

    device.mend()

    assert device.view_hierarchy().startswith("<?xml")


def test_its_clock_is_ahead_of_ours_as_far_as_a_test_says() -> None:
    device = FakeDevice()
    device.clock_ahead_us = 5_000_000

    reading = device.read_clock()

    assert reading.least_us == reading.before_ns // 1000 + 5_000_000
    assert reading.most_us == reading.after_ns // 1000 + 5_000_000


def test_getevent_ends_when_all_was_printed() -> None:
    device = FakeDevice()
    heard: list[bytes] = []
    device.print_input(b"a line\n")

    def take(data: bytes, _: int) -> None:
        heard.append(data)
        if data == b"a line\n":
            device.end_input()

    device.follow_input(take)

    assert heard[0].startswith(b"add device 1: /dev/input/event1\n")
    assert heard[1:] == [b"a line\n"]


def test_a_snapshot_brings_back_what_was_shown_and_set_and_the_same_inputs_lead_the_same_way() -> None:
    device = FakeDevice()
    device.press(SystemKey.HOME)
    device.settings["secure", "navigation_mode"] = "2"
    device.save_snapshot("before")
    device.press(SystemKey.BACK)
    turned = replace(device.state, rotation=Rotation.R90)
    device.state = turned
    device.settings.clear()

    device.load_snapshot("before")
    device.press(SystemKey.BACK)

    assert (device.screen, device.state.rotation) == (2, Rotation.R0)
    assert device.setting("secure", "navigation_mode") == "2"
    assert device.loaded == ["before"]
    assert device.screen_at == [0, 1, 1]


def test_loading_lifts_the_finger_and_sends_a_frame_that_is_new() -> None:
    device = FakeDevice()
    device.streams = True
    device.show("first")
    device.save_snapshot("before")
    device.put_finger(Pixel(1, 2))
    begun_ns = time.monotonic_ns()

    device.load_snapshot("before")

    frame = device.next_frame(5)
    assert frame is not None
    assert frame.started_ns >= begun_ns
    assert [where.at for where in device.finger] == [Pixel(1, 2), None]


def test_the_emulator_s_words_are_told_when_it_keeps_no_snapshot() -> None:
    device = FakeDevice()
    device.refuse_snapshots("KO: no room is left")

    with pytest.raises(DeviceError, match="no room is left"):
        device.save_snapshot("before")

    device.mend()
    assert device.snapshots() == ()


def test_a_fake_that_is_no_emulator_says_so() -> None:
    device = FakeDevice()
    device.keeps_snapshots = False

    with pytest.raises(DeviceError, match="no emulator"):
        device.snapshots()
