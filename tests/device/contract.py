"""The contract of `Device`: one suite for the real implementations and the fake."""

import re
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import pytest

from odyssey_recorder.device.device import Device
from odyssey_recorder.device.repair import THREE_BUTTONS, EnableOverlay, PutSetting, ResetScreen
from odyssey_recorder.device.view_hierarchy import clickable_at, parse
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError, InputRefusedError
from odyssey_recorder.gesture.getevent import DOWN, UP, InputEvent, LineBuffer, parse_line
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation


class Bench(Protocol):
    @property
    def device(self) -> Device: ...

    @property
    def button(self) -> Pixel:
        """A place on the first screen where a tap leads to another screen."""

    def tap_button(self) -> None:
        """Through the device; returns when the tap has happened, which the device may confirm earlier."""

    def change_screen(self) -> None:
        """Change the screen without any input through the device."""

    def press_back_key(self) -> None:
        """Press and release BACK on the device's own keyboard: `getevent` prints it."""

    @property
    def recents(self) -> Sequence[str]:
        """The packages in Recents."""

    def freeze(self) -> None: ...

    def disconnect(self) -> None: ...

    def cut_frames(self) -> None: ...

    def refuse_input(self) -> None: ...

    def recover(self) -> None:
        """End all faults, and wait until the device is usable again."""


CALLS: dict[str, Callable[[Device], object]] = {
    "properties": lambda device: device.properties(),
    "screen_state": lambda device: device.screen_state(),
    "capture": lambda device: device.capture(),
    "touch": lambda device: device.touch(TouchStroke.press(Pixel(100, 300))),
    "press": lambda device: device.press(SystemKey.BACK),
    "type_text": lambda device: device.type_text("a"),
    "view_tree": lambda device: device.view_hierarchy(),
    "setting": lambda device: device.setting("secure", "navigation_mode"),
    "repair": lambda device: device.repair(THREE_BUTTONS),
    "free_bytes": lambda device: device.free_bytes(),
    "input_nodes": lambda device: device.input_nodes(),
    "read_clock": lambda device: device.read_clock(),
    "close_recents": lambda device: device.close_recents(),
    "clear_data": lambda device: device.clear_data("com.fake.app"),
}


def errors_of_every_call(device: Device) -> dict[str, type[DeviceError]]:
    """The error types of the calls whose message names the device, by call."""
    errors = {}
    for name, call in CALLS.items():
        try:
            call(device)
        except DeviceError as error:
            if device.serial in str(error):
                errors[name] = type(error)
    return errors


class InputFollower:
    """Follows a device's input on a thread during a `with` block, which closes the device."""

    def __init__(self, device: Device) -> None:
        self.received: list[tuple[bytes, int]] = []
        self.error: DeviceError | None = None
        self._device = device
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._follow)

    def __enter__(self) -> None:
        self._thread.start()
        self.wait_for("add device")

    def __exit__(self, *_: object) -> None:
        self._device.close()
        self.join()

    def wait_for(self, text: str) -> None:
        def has_arrived() -> bool:
            return text.encode() in b"".join(data for data, _ in self.received)

        with self._changed:
            assert self._changed.wait_for(has_arrived, timeout=60)

    def join(self) -> None:
        self._thread.join(timeout=60)
        assert not self._thread.is_alive()

    def _follow(self) -> None:
        try:
            self._device.follow_input(self._receive)
        except DeviceError as error:
            self.error = error

    def _receive(self, data: bytes, arrived_ns: int) -> None:
        with self._changed:
            self.received.append((data, arrived_ns))
            self._changed.notify_all()


class DeviceContract:
    """Collected through a subclass whose module has the fixtures `bench` and `impatient_bench`.

    The impatient device has short time limits; the other's allow for a slow machine.
    """

    untypable = "caf\N{LATIN SMALL LETTER E WITH ACUTE}"
    """Four characters; the last one cannot be typed."""

    def test_properties_and_free_space(self, bench: Bench) -> None:
        properties = bench.device.properties()

        assert properties.serial == bench.device.serial
        assert int(properties.sdk_version) >= 29
        assert properties.density > 0
        assert "" not in (properties.product, properties.model, properties.fingerprint, properties.avd_name)
        assert bench.device.free_bytes() > 1024**3
        assert bench.device.setting("secure", "unknown") == "", "it was never set"

    def test_screen_state_and_screenshots_have_the_same_size(self, bench: Bench) -> None:
        state = bench.device.screen_state()
        assert state.rotation is Rotation.R0
        assert bench.device.capture().size == state.size == bench.device.properties().size
        assert 0 < state.status_bar_px < state.size.height // 8

    def test_frames_are_complete_numbered_and_in_order(self, bench: Bench) -> None:
        frames = [bench.device.capture() for _ in range(3)]

        assert [frame.number for frame in frames] == [1, 2, 3]
        for frame in frames:
            assert len(frame.pixels) / (frame.size.width * frame.size.height) in (3, 4)
            assert frame.image().size == (frame.size.width, frame.size.height)
            assert frame.pixels == frames[0].pixels
        moments = [moment for frame in frames for moment in (frame.started_ns, frame.arrived_ns)]
        assert moments == sorted(moments)

    def test_frame_does_not_change_after_capture(self, bench: Bench) -> None:
        before = bench.device.capture()
        copy = bytes(before.pixels)
        bench.change_screen()
        assert not bench.device.capture().shows_same_as(before)
        assert before.pixels == copy

    def test_view_hierarchy_has_the_clickable_view(self, bench: Bench) -> None:
        box = clickable_at(parse(bench.device.view_hierarchy()), bench.button, bench.device.capture().size)
        assert box is not None
        assert bench.button in box

    def test_truncated_screenshot_is_an_error(self, bench: Bench) -> None:
        before = bench.device.capture()
        bench.cut_frames()
        with pytest.raises(DeviceError, match=bench.device.serial) as caught:
            bench.device.capture()
        assert type(caught.value) is DeviceError
        assert "bytes" in str(caught.value)

        bench.recover()

        after = bench.device.capture()
        assert (after.number > before.number, after.size) == (True, before.size)

    def test_touch_has_its_effect(self, bench: Bench) -> None:
        before = bench.device.capture()
        bench.tap_button()
        assert not bench.device.capture().shows_same_as(before)

    def test_untypable_text_is_refused_before_typing(self, bench: Bench) -> None:
        before = bench.device.capture()
        character = re.escape(f"{self.untypable[3]!r}, character 4")

        bench.device.check_text("50% \"off\" & 'more'; $HOME\n")
        for refuse in (bench.device.check_text, bench.device.type_text):
            with pytest.raises(InputRefusedError, match=character):
                refuse(self.untypable)

        assert bench.device.capture().shows_same_as(before)

    def test_refused_input_is_reported_and_does_nothing(self, bench: Bench) -> None:
        before = bench.device.capture()
        bench.refuse_input()
        for name in ("touch", "press", "type_text"):
            with pytest.raises(InputRefusedError, match=bench.device.serial):
                CALLS[name](bench.device)
        assert bench.device.capture().shows_same_as(before)
        bench.recover()
        bench.device.touch(TouchStroke.press(bench.button))

    def test_screenshots_are_taken_during_a_touch(self, bench: Bench) -> None:
        hold = TouchStroke.press(Pixel(100, 300), duration_ms=700)
        holding = threading.Thread(target=bench.device.touch, args=(hold,))
        holding.start()
        numbers = [bench.device.capture().number for _ in range(3)]
        holding.join()
        assert numbers == [1, 2, 3]

    def test_touchscreen_and_keyboard_are_listed(self, bench: Bench) -> None:
        nodes = bench.device.input_nodes()
        assert any(node.is_touchscreen for node in nodes)
        assert any("KEY_BACK" in node.keys for node in nodes)

    def test_device_clock_runs_as_fast_as_ours(self, bench: Bench) -> None:
        readings = [bench.device.read_clock() for _ in range(5)]
        assert all(reading.before_ns <= reading.after_ns for reading in readings)
        ahead_at_least_ns = max(reading.least_us * 1000 - reading.after_ns for reading in readings)
        ahead_at_most_ns = min(reading.most_us * 1000 - reading.before_ns for reading in readings)
        assert ahead_at_least_ns <= ahead_at_most_ns

    def test_follower_of_input_can_leave(self, bench: Bench) -> None:
        follower = InputFollower(bench.device)
        with follower:
            bench.device.leave_input()
            follower.join()
            bench.device.input_nodes()
        assert follower.error is None

    def test_key_event_arrives_with_device_time(self, bench: Bench) -> None:
        follower = InputFollower(bench.device)

        with follower:
            before = bench.device.read_clock()
            bench.press_back_key()
            follower.wait_for("EV_KEY       KEY_BACK             UP")
            after = bench.device.read_clock()

        buffer = LineBuffer()
        messages = [parse_line(line) for data, _ in follower.received for line in buffer.feed(data)]
        keys = [event for event in messages if isinstance(event, InputEvent) and event.code == "KEY_BACK"]
        assert [event.value for event in keys] == [DOWN, UP]
        assert before.least_us <= keys[0].time_us <= keys[1].time_us <= after.most_us
        arrivals = [arrived_ns for _, arrived_ns in follower.received]
        assert arrivals == sorted(arrivals)
        assert before.after_ns < arrivals[-1] < after.before_ns

    @pytest.mark.parametrize("end", ["closed", "disconnected"])
    def test_follower_gets_an_error_when_the_device_is_lost(self, bench: Bench, end: str) -> None:
        follower = InputFollower(bench.device)
        with follower:
            if end == "disconnected":
                bench.disconnect()
                follower.join()
        assert isinstance(follower.error, DeviceDisconnectedError)

    def test_snapshot_restores_the_screen(self, bench: Bench) -> None:
        assert bench.device.keeps_snapshots
        before = bench.device.capture()
        bench.device.save_snapshot("before")
        bench.change_screen()
        changed = bench.device.capture()
        assert not changed.shows_same_as(before)

        bench.device.load_snapshot("before")

        after = bench.device.capture()
        assert after.shows_same_as(before)
        assert after.number > changed.number
        bench.tap_button()
        assert not bench.device.capture().shows_same_as(before)

    def test_snapshots_are_listed_replaced_and_deleted(self, bench: Bench) -> None:
        assert bench.device.snapshots() == ()
        bench.device.save_snapshot("first")
        bench.device.save_snapshot("second.one_2-b")
        bench.device.save_snapshot("first")
        assert bench.device.snapshots() == ("first", "second.one_2-b")

        bench.device.delete_snapshot("first")
        bench.device.delete_snapshot("first")

        assert bench.device.snapshots() == ("second.one_2-b",)

    def test_loading_a_missing_snapshot_changes_nothing(self, bench: Bench) -> None:
        before = bench.device.capture()
        with pytest.raises(DeviceError, match=rf"{bench.device.serial} has no snapshot 'lost'") as caught:
            bench.device.load_snapshot("lost")
        assert type(caught.value) is DeviceError
        assert bench.device.capture().shows_same_as(before)

    def test_repairs_change_the_settings(self, bench: Bench) -> None:
        bench.device.repair(PutSetting("secure", "navigation_mode", "2"))
        assert bench.device.setting("secure", "navigation_mode") == "2"

        bench.device.repair(THREE_BUTTONS)
        assert bench.device.setting("secure", "navigation_mode") == "0"

        before = bench.device.properties()
        bench.device.repair(ResetScreen())
        assert bench.device.properties() == before

    def test_unknown_overlay_is_refused(self, bench: Bench) -> None:
        with pytest.raises(DeviceError, match="refused"):
            bench.device.repair(EnableOverlay("unknown.overlay"))

    def test_closing_recent_apps_leaves_the_home_screen(self, bench: Bench) -> None:
        bench.change_screen()
        assert bench.recents
        bench.device.close_recents()
        assert not bench.recents
        assert "launcher" in bench.device.screen_state().package
        bench.device.close_recents()

    def test_calls_on_a_frozen_device_time_out(self, impatient_bench: Bench) -> None:
        impatient_bench.freeze()
        assert errors_of_every_call(impatient_bench.device) == dict.fromkeys(CALLS, DeviceTimeoutError)
        impatient_bench.recover()
        impatient_bench.device.input_nodes()

    def test_calls_on_a_lost_device_fail_as_disconnected(self, bench: Bench) -> None:
        before = bench.device.capture()
        bench.disconnect()
        assert errors_of_every_call(bench.device) == dict.fromkeys(CALLS, DeviceDisconnectedError)
        bench.recover()
        assert bench.device.capture().number > before.number
        bench.device.touch(TouchStroke.press(bench.button))

    def test_calls_on_a_closed_device_fail_as_disconnected(self, bench: Bench) -> None:
        bench.device.close()
        bench.device.close()
        assert errors_of_every_call(bench.device) == dict.fromkeys(CALLS, DeviceDisconnectedError)
