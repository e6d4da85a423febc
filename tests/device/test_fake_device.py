from dataclasses import dataclass

import pytest

from odyssey_recorder.model.geometry import Pixel
from tests.device.contract import DeviceContract
from tests.fakes import FakeDevice


@dataclass(frozen=True)
class FakeBench:
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

    def recover(self) -> None:
        self.device.recover()


@pytest.fixture
def bench() -> FakeBench:
    return FakeBench(FakeDevice(patience_s=20))


@pytest.fixture
def impatient_bench() -> FakeBench:
    return FakeBench(FakeDevice(patience_s=0.05))


class TestFakeDevice(DeviceContract): ...
