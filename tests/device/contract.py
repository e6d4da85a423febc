"""The contract of `Device`: one suite for the real implementations and the fake."""

import re
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import pytest

from odyssey_recorder.device.device import Device
from odyssey_recorder.device.repair import THREE_BUTTONS, EnableOverlay, PutSetting, ResetScreen
from odyssey_recorder.device.view_hierarchy import clickable_at, parse
from odyssey_recorder.errors import (
    DeviceDisconnectedError,
    DeviceError,
    DeviceTimeoutError,
    InputRefusedError,
)
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
}


def errors_of_every_call(device: Device) -> dict[str, type[DeviceError]]:
    """The calls that fail with the device's serial in the message, by name."""
    errors = {}
    for name, call in CALLS.items():
        try:
            call(device)
        except DeviceError as error:
            if device.serial in str(error):
                errors[name] = type(error)
    return errors


class Listener:
    """Follows a device's input on a thread during a `with` block, which closes the device."""

    def __init__(self, device: Device) -> None:
        self.heard: list[tuple[bytes, int]] = []
        self.error: DeviceError | None = None
        self._device = device
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._follow)

    def __enter__(self) -> None:
        self._thread.start()
        self.wait_for("add device")

    def __exit__(self, *_: object) -> None:
        self._device.close()
        self.join()

    def wait_for(self, words: str) -> None:
        with self._news:
            assert self._news.wait_for(lambda: words.encode() in b"".join(data for data, _ in self.heard), timeout=20)

    def join(self) -> None:
        self._thread.join(timeout=20)
        assert not self._thread.is_alive()

    def _follow(self) -> None:
        try:
            self._device.follow_input(self._take)
        except DeviceError as error:
            self.error = error

    def _take(self, data: bytes, arrived_ns: int) -> None:
        with self._news:
            self.heard.append((data, arrived_ns))
            self._news.notify_all()


class FactsContract:
    def test_it_says_who_it_is_and_what_room_it_has(self, bench: Bench) -> None:
        properties = bench.device.properties()

        assert properties.serial == bench.device.serial
        assert int(properties.sdk_version) >= 29
        assert properties.density > 0
        assert "" not in (properties.product, properties.model, properties.fingerprint, properties.avd_name)
        assert bench.device.free_bytes() > 1024**3
        assert bench.device.setting("secure", "of_nobody") == "", "it was never set"


class ScreenContract:
    def test_its_state_and_its_screenshots_agree_on_the_size(self, bench: Bench) -> None:
        state = bench.device.screen_state()

        assert state.rotation is Rotation.R0
        assert bench.device.capture().size == state.size == bench.device.properties().size
        assert 0 < state.status_bar_px < state.size.height // 8

    def test_a_frame_is_whole_numbered_dated_and_the_same_while_the_screen_rests(self, bench: Bench) -> None:
        frames = [bench.device.capture() for _ in range(3)]

        assert [frame.number for frame in frames] == [1, 2, 3]
        for frame in frames:
            assert len(frame.pixels) / (frame.size.width * frame.size.height) in (3, 4)
            assert frame.image().size == (frame.size.width, frame.size.height)
            assert frame.pixels == frames[0].pixels
        moments = [moment for frame in frames for moment in (frame.started_ns, frame.arrived_ns)]
        assert moments == sorted(moments)

    def test_a_screenshot_stays_as_it_was_taken(self, bench: Bench) -> None:
        before = bench.device.capture()
        copy = bytes(before.pixels)

        bench.change_screen()

        assert not bench.device.capture().shows_same_as(before)
        assert before.pixels == copy

    def test_the_view_tree_tells_what_a_tap_would_meet(self, bench: Bench) -> None:
        box = clickable_at(parse(bench.device.view_hierarchy()), bench.button, bench.device.capture().size)

        assert box is not None
        assert bench.button in box

    def test_a_screenshot_that_was_cut_is_never_handed_out(self, bench: Bench) -> None:
        bench.cut_frames()

        with pytest.raises(DeviceError, match=bench.device.serial) as caught:
            bench.device.capture()

        assert type(caught.value) is DeviceError
        assert "bytes" in str(caught.value)


class InputContract:
    untypable = "caf\N{LATIN SMALL LETTER E WITH ACUTE}"
    """Four characters; the last one cannot be typed."""

    def test_a_touch_reaches_the_screen_before_it_returns(self, bench: Bench) -> None:
        before = bench.device.capture()

        bench.device.touch(TouchStroke.press(bench.button))

        assert not bench.device.capture().shows_same_as(before)

    def test_text_that_cannot_be_typed_is_refused_before_anything_is_typed(self, bench: Bench) -> None:
        before = bench.device.capture()
        culprit = re.escape(f"{self.untypable[3]!r}, character 4")

        bench.device.check_text("50% \"off\" & 'more'; $HOME\n")
        for refuse in (bench.device.check_text, bench.device.type_text):
            with pytest.raises(InputRefusedError, match=culprit):
                refuse(self.untypable)

        assert bench.device.capture().shows_same_as(before)

    def test_an_input_that_is_refused_does_nothing_and_says_so(self, bench: Bench) -> None:
        before = bench.device.capture()
        bench.refuse_input()

        for name in ("touch", "press", "type_text"):
            with pytest.raises(InputRefusedError, match=bench.device.serial):
                CALLS[name](bench.device)

        assert bench.device.capture().shows_same_as(before)

    def test_screenshots_and_inputs_do_not_wait_for_each_other(self, bench: Bench) -> None:
        hold = TouchStroke.press(Pixel(100, 300), duration_ms=700)
        holding = threading.Thread(target=bench.device.touch, args=(hold,))

        holding.start()
        numbers = [bench.device.capture().number for _ in range(3)]
        holding.join()

        assert numbers == [1, 2, 3]


class InputEventsContract:
    def test_it_has_a_touch_screen_and_a_keyboard(self, bench: Bench) -> None:
        nodes = bench.device.input_nodes()

        assert any(node.is_touchscreen for node in nodes)
        assert any("KEY_BACK" in node.keys for node in nodes)

    def test_its_clock_goes_as_ours(self, bench: Bench) -> None:
        readings = [bench.device.read_clock() for _ in range(5)]

        assert all(reading.before_ns <= reading.after_ns for reading in readings)
        ahead_at_least_ns = max(reading.least_us * 1000 - reading.after_ns for reading in readings)
        ahead_at_most_ns = min(reading.most_us * 1000 - reading.before_ns for reading in readings)
        assert ahead_at_least_ns <= ahead_at_most_ns

    def test_who_follows_the_input_can_leave_and_the_device_stays(self, bench: Bench) -> None:
        listener = Listener(bench.device)
        with listener:
            bench.device.leave_input()
            listener.join()
            bench.device.input_nodes()

        assert listener.error is None

    def test_a_key_of_the_device_s_own_keyboard_is_heard_with_the_device_s_time(self, bench: Bench) -> None:
        listener = Listener(bench.device)

        with listener:
            before = bench.device.read_clock()
            bench.press_back_key()
            listener.wait_for("EV_KEY       KEY_BACK             UP")
            after = bench.device.read_clock()

        buffer = LineBuffer()
        messages = [parse_line(line) for data, _ in listener.heard for line in buffer.feed(data)]
        keys = [event for event in messages if isinstance(event, InputEvent) and event.code == "KEY_BACK"]
        assert [event.value for event in keys] == [DOWN, UP]
        assert before.least_us <= keys[0].time_us <= keys[1].time_us <= after.most_us
        arrivals = [arrived_ns for _, arrived_ns in listener.heard]
        assert arrivals == sorted(arrivals)
        assert before.after_ns < arrivals[-1] < after.before_ns

    @pytest.mark.parametrize("end", ["closed", "disconnected"])
    def test_who_listens_to_a_device_that_is_closed_or_goes_away_is_told(self, bench: Bench, end: str) -> None:
        listener = Listener(bench.device)

        with listener:
            if end == "disconnected":
                bench.disconnect()
                listener.join()

        assert isinstance(listener.error, DeviceDisconnectedError)


class SnapshotsContract:
    def test_a_snapshot_brings_the_screenshot_back(self, bench: Bench) -> None:
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
        bench.device.touch(TouchStroke.press(bench.button))
        assert not bench.device.capture().shows_same_as(before)

    def test_snapshots_are_listed_kept_under_their_names_and_forgotten(self, bench: Bench) -> None:
        assert bench.device.snapshots() == ()
        bench.device.save_snapshot("first")
        bench.device.save_snapshot("second.one_2-b")
        bench.device.save_snapshot("first")
        assert bench.device.snapshots() == ("first", "second.one_2-b")

        bench.device.delete_snapshot("first")
        bench.device.delete_snapshot("first")

        assert bench.device.snapshots() == ("second.one_2-b",)

    def test_a_snapshot_that_is_not_there_is_named_and_nothing_happens(self, bench: Bench) -> None:
        before = bench.device.capture()

        with pytest.raises(DeviceError, match=rf"{bench.device.serial} has no snapshot 'lost'") as caught:
            bench.device.load_snapshot("lost")

        assert type(caught.value) is DeviceError
        assert bench.device.capture().shows_same_as(before)


class SetupContract:
    def test_what_is_repaired_is_told_by_the_settings(self, bench: Bench) -> None:
        bench.device.repair(PutSetting("secure", "navigation_mode", "2"))
        assert bench.device.setting("secure", "navigation_mode") == "2"

        bench.device.repair(THREE_BUTTONS)
        assert bench.device.setting("secure", "navigation_mode") == "0"

        before = bench.device.properties()
        bench.device.repair(ResetScreen())
        assert bench.device.properties() == before, "it is as it was made"

    def test_what_a_device_does_not_know_is_refused_with_its_words(self, bench: Bench) -> None:
        with pytest.raises(DeviceError, match="refused"):
            bench.device.repair(EnableOverlay("of.nobody"))

    def test_closing_recent_apps_leaves_the_home_screen_alone(self, bench: Bench) -> None:
        bench.change_screen()
        assert bench.recents

        bench.device.close_recents()

        assert not bench.recents
        assert "launcher" in bench.device.screen_state().package
        bench.device.close_recents()


class ConnectionContract:
    def test_every_call_on_a_frozen_device_times_out_until_it_thaws(self, impatient_bench: Bench) -> None:
        impatient_bench.freeze()

        assert errors_of_every_call(impatient_bench.device) == dict.fromkeys(CALLS, DeviceTimeoutError)

        impatient_bench.recover()
        impatient_bench.device.input_nodes()

    def test_every_call_on_a_device_that_is_gone_says_so(self, bench: Bench) -> None:
        bench.disconnect()

        assert errors_of_every_call(bench.device) == dict.fromkeys(CALLS, DeviceDisconnectedError)

    @pytest.mark.parametrize(
        ("fault", "failing"),
        [("disconnect", "input_nodes"), ("cut_frames", "capture"), ("refuse_input", "touch")],
    )
    def test_the_same_device_works_again_when_the_fault_is_gone(self, bench: Bench, fault: str, failing: str) -> None:
        before = bench.device.capture()
        getattr(bench, fault)()
        with pytest.raises(DeviceError):
            CALLS[failing](bench.device)

        bench.recover()

        after = bench.device.capture()
        assert after.number > before.number
        assert after.size == before.size
        bench.device.touch(TouchStroke.press(bench.button))

    def test_after_closing_every_call_is_refused(self, bench: Bench) -> None:
        bench.device.close()
        bench.device.close()

        assert errors_of_every_call(bench.device) == dict.fromkeys(CALLS, DeviceDisconnectedError)


class DeviceContract(
    FactsContract,
    ScreenContract,
    InputContract,
    InputEventsContract,
    SnapshotsContract,
    SetupContract,
    ConnectionContract,
):
    """Collected through a subclass whose module has the fixtures `bench` and `impatient_bench`.

    The impatient device has short time limits; the other's allow for a slow machine.
    """
