import pytest

from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from tests.device.contract import DeviceContract
from tests.fakes import FakeDevice


class FakeBench(FakeDevice):
    """A fake device that is its own bench."""

    button = Pixel(100, 300)

    @property
    def device(self) -> FakeDevice:
        return self

    def tap_button(self) -> None:
        self.touch(TouchStroke.press(self.button))

    def change_screen(self) -> None:
        self.show("another")

    def press_back_key(self) -> None:
        self.press_key("KEY_BACK")


@pytest.fixture
def bench() -> FakeBench:
    return FakeBench(patience_s=20)


@pytest.fixture
def impatient_bench() -> FakeBench:
    return FakeBench(patience_s=0.05)


class TestFakeDevice(DeviceContract): ...
