"""The fake keeps the contract of a device, and does what tests of recording ask of it."""

import threading
from dataclasses import dataclass

import pytest
from PIL import Image

from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Size
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
