from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from odyssey_recorder.errors import DeviceDisconnectedError
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation
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


def test_a_device_that_streams_sends_the_newest_frame_and_wakes_who_waits() -> None:
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
    with ThreadPoolExecutor(1) as waiting:
        outcome = waiting.submit(device.next_frame, 600)
        device.disconnect()
        assert isinstance(outcome.exception(timeout=10), DeviceDisconnectedError)


def test_a_snapshot_restores_what_was_shown_and_set_so_that_the_same_inputs_lead_the_same_way() -> None:
    device = FakeDevice()
    device.streams = True
    device.press(SystemKey.HOME)
    device.settings["secure", "navigation_mode"] = "2"
    device.save_snapshot("before")
    device.press(SystemKey.BACK)
    device.state = replace(device.state, rotation=Rotation.R90)
    device.settings.clear()
    device.put_finger(Pixel(1, 2))

    device.load_snapshot("before")
    device.press(SystemKey.BACK)

    assert (device.screen, device.state.rotation) == (2, Rotation.R0)
    assert device.setting("secure", "navigation_mode") == "2"
    assert device.screen_at == [0, 1, 1]
    assert [place.at for place in device.finger] == [Pixel(1, 2), None]
