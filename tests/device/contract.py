"""What every `Device` does, whatever is behind it: one suite for the real way and for the fake."""

import threading
from collections.abc import Callable
from typing import Protocol

import pytest

from odyssey_recorder.device.device import Device
from odyssey_recorder.errors import (
    DeviceDisconnectedError,
    DeviceError,
    DeviceTimeoutError,
    InputRefusedError,
)
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation

UNTYPABLE = "caf\N{LATIN SMALL LETTER E WITH ACUTE}"


class Bench(Protocol):
    """A device to test, and what can be done to it from behind."""

    @property
    def device(self) -> Device: ...

    @property
    def button(self) -> Pixel:
        """A place where a tap on the first screen leads to another."""

    def change_screen(self) -> None:
        """Show something else, by no input through the device."""

    def freeze(self) -> None: ...

    def disconnect(self) -> None: ...

    def cut_frames(self) -> None: ...

    def refuse_input(self) -> None: ...

    def mend(self) -> None:
        """End all faults, and wait until the device can be used again."""


CALLS: dict[str, Callable[[Device], object]] = {
    "properties": lambda device: device.properties(),
    "screen_state": lambda device: device.screen_state(),
    "capture": lambda device: device.capture(),
    "touch": lambda device: device.touch(TouchStroke.press(Pixel(100, 300))),
    "press": lambda device: device.press(SystemKey.BACK),
    "type_text": lambda device: device.type_text("a"),
    "heartbeat": lambda device: device.heartbeat(),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


class DeviceContract:
    """Collected by a subclass whose module has the fixtures `bench` and `impatient_bench`.

    The latter's device gives up soon; the former's waits longer than a slow machine takes.
    """

    def test_it_says_who_it_is(self, bench: Bench) -> None:
        properties = bench.device.properties()

        assert properties.serial == bench.device.serial
        assert int(properties.sdk_version) >= 29
        assert properties.density > 0
        assert "" not in (properties.product, properties.model, properties.fingerprint, properties.avd_name)

    def test_its_state_and_its_pictures_agree_on_the_size(self, bench: Bench) -> None:
        state = bench.device.screen_state()

        assert state.rotation is Rotation.R0
        assert bench.device.capture().size == state.size == bench.device.properties().size
        assert 0 < state.status_bar_px < state.size.height // 8

    def test_a_frame_is_whole_numbered_and_dated(self, bench: Bench) -> None:
        frames = [bench.device.capture() for _ in range(3)]

        assert [frame.number for frame in frames] == [1, 2, 3]
        for frame in frames:
            assert len(frame.pixels) == frame.size.width * frame.size.height * 4
            assert frame.image().size == (frame.size.width, frame.size.height)
        moments = [moment for frame in frames for moment in (frame.started_ns, frame.arrived_ns)]
        assert moments == sorted(moments)

    def test_a_screen_at_rest_gives_the_same_picture(self, bench: Bench) -> None:
        assert bench.device.capture().pixels == bench.device.capture().pixels

    def test_a_picture_stays_as_it_was_taken(self, bench: Bench) -> None:
        before = bench.device.capture()
        copy = bytes(before.pixels)

        bench.change_screen()

        assert not bench.device.capture().shows_same_as(before)
        assert before.pixels == copy

    def test_a_touch_reaches_the_screen_before_it_returns(self, bench: Bench) -> None:
        before = bench.device.capture()

        bench.device.touch(TouchStroke.press(bench.button))

        assert not bench.device.capture().shows_same_as(before)

    def test_text_that_cannot_be_typed_is_refused_before_anything_is_typed(self, bench: Bench) -> None:
        before = bench.device.capture()

        with pytest.raises(InputRefusedError, match="'é', character 4"):
            bench.device.check_text(UNTYPABLE)
        with pytest.raises(InputRefusedError, match="'é', character 4"):
            bench.device.type_text(UNTYPABLE)

        assert bench.device.capture().shows_same_as(before)

    def test_text_that_can_be_typed_passes_the_check(self, bench: Bench) -> None:
        bench.device.check_text("50% \"off\" & 'more'; $HOME\n")

    @every_call
    def test_every_call_on_a_frozen_device_times_out(
        self, impatient_bench: Bench, call: Callable[[Device], object]
    ) -> None:
        impatient_bench.freeze()

        with pytest.raises(DeviceTimeoutError, match=impatient_bench.device.serial):
            call(impatient_bench.device)

    def test_a_device_that_thaws_works_again(self, impatient_bench: Bench) -> None:
        impatient_bench.freeze()
        with pytest.raises(DeviceTimeoutError):
            impatient_bench.device.heartbeat()

        impatient_bench.mend()

        impatient_bench.device.heartbeat()

    @every_call
    def test_every_call_on_a_device_that_is_gone_says_so(self, bench: Bench, call: Callable[[Device], object]) -> None:
        bench.disconnect()

        with pytest.raises(DeviceDisconnectedError, match=bench.device.serial):
            call(bench.device)

    @pytest.mark.parametrize(
        ("fault", "failing"),
        [("disconnect", "heartbeat"), ("cut_frames", "capture"), ("refuse_input", "touch")],
    )
    def test_the_same_device_works_again_when_the_fault_is_gone(self, bench: Bench, fault: str, failing: str) -> None:
        before = bench.device.capture()
        getattr(bench, fault)()
        with pytest.raises(DeviceError):
            CALLS[failing](bench.device)

        bench.mend()

        after = bench.device.capture()
        assert after.number > before.number
        assert after.size == before.size
        bench.device.touch(TouchStroke.press(bench.button))

    def test_a_picture_that_was_cut_is_never_handed_out(self, bench: Bench) -> None:
        bench.cut_frames()

        with pytest.raises(DeviceError, match=bench.device.serial) as caught:
            bench.device.capture()

        assert type(caught.value) is DeviceError
        assert "bytes" in str(caught.value)

    def test_an_input_that_is_refused_does_nothing_and_says_so(self, bench: Bench) -> None:
        before = bench.device.capture()
        bench.refuse_input()

        for name in ("touch", "press", "type_text"):
            with pytest.raises(InputRefusedError, match=bench.device.serial):
                CALLS[name](bench.device)

        assert bench.device.capture().shows_same_as(before)

    @every_call
    def test_after_closing_every_call_is_refused(self, bench: Bench, call: Callable[[Device], object]) -> None:
        bench.device.close()
        bench.device.close()

        with pytest.raises(DeviceDisconnectedError, match=bench.device.serial):
            call(bench.device)

    def test_pictures_and_inputs_do_not_wait_for_each_other(self, bench: Bench) -> None:
        hold = TouchStroke.press(Pixel(100, 300), duration_ms=700)
        holding = threading.Thread(target=bench.device.touch, args=(hold,))

        holding.start()
        numbers = [bench.device.capture().number for _ in range(3)]
        holding.join()

        assert numbers == [1, 2, 3]
