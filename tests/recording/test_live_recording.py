"""Recordings on a device in memory that streams frames and follows the finger."""

import time

import pytest

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Scroll, Type
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.engine import BROKEN_TOUCH
from odyssey_recorder.recording.session import BROKEN_OFF
from odyssey_recorder.recording.state import State
from tests.fakes import FakeDevice
from tests.recording.recording_bench import Recording, RecordingBench, shows

TREE = """<hierarchy rotation="0">
  <node class="android.widget.FrameLayout" bounds="[0,0][360,640]" clickable="false" text="">
    <node class="android.widget.Button" bounds="[80,180][160,240]" clickable="true" text="Go" />
    <node class="android.widget.EditText" bounds="[0,300][360,360]" clickable="true" focused="true" text="{}" />
  </node>
</hierarchy>"""


@pytest.fixture
def device() -> FakeDevice:
    device = FakeDevice()
    device.streams = True
    return device


def touch(recording: Recording, at: Pixel) -> None:
    """Put a finger down on the current screenshot, and on the device."""
    number = recording.ready().frame_number
    assert number is not None
    recording.recorder.touch_down(number, at)
    recording.until(State.INJECTING)


def lift(recording: Recording) -> None:
    recording.recorder.lift(TouchStroke.press(Pixel(0, 0)))


def test_live_scroll_has_the_screenshot_before_it_and_the_sent_path(recording: Recording, device: FakeDevice) -> None:
    touch(recording, Pixel(100, 200))
    device.await_finger(1)
    for moves, y in enumerate((260, 320, 400), 2):
        recording.recorder.move_touch(Pixel(100, y))
        device.await_finger(moves)
    assert [*recording.draft.steps] == [], "the finger is still down"
    lift(recording)
    recording.ready(steps=1)
    touch(recording, Pixel(100, 200))
    lift(recording)
    recording.ready(steps=2)

    assert [finger.at and finger.at.y for finger in device.finger] == [200, 260, 320, 400, None, 200, None]
    step, click = recording.draft.steps
    assert isinstance(step.action, Scroll)
    assert [point.y for point in step.action.path] == [y * 1000 // 640 for y in (200, 260, 320, 400)]
    assert shows(step.screenshot, device, 0)
    assert step.record.sent_us is not None
    assert step.record.touched_us == step.record.sent_us
    assert step.record.flags == ()
    assert isinstance(click.action, Click)


@pytest.mark.parametrize("is_captured_first", [False, True])
def test_unseen_change_before_the_touch_is_the_screenshot(bench: RecordingBench, is_captured_first: bool) -> None:
    class SuddenlyChangingDevice(FakeDevice):
        """The screen changed before the finger landed, and the stream reports it only now, or after a capture."""

        changed_ns = 0
        is_silent = False

        def put_finger(self, at: Pixel) -> None:
            self.is_silent = is_captured_first
            self.show("other", since_ns=self.changed_ns)
            self.await_consumer()
            super().put_finger(at)

        def next_frame(self, wait_s: float) -> Frame | None:
            return None if self.is_silent else super().next_frame(wait_s)

        def capture(self) -> Frame:
            frame, self.is_silent = super().capture(), False
            return frame

    device = SuddenlyChangingDevice()
    device.streams = True
    with bench.recording(device) as recording:
        recording.ready()
        device.changed_ns = time.monotonic_ns()
        touch(recording, Pixel(100, 200))
        lift(recording)
        recording.ready(steps=1)

        step = recording.draft.steps[0]
        assert shows(step.screenshot, device, "other")
        assert step.record.flags == (Flag(FlagCode.NEWER),)


def test_recording_continues_after_a_touch_breaks_off(recording: Recording, device: FakeDevice) -> None:
    touch(recording, Pixel(100, 200))
    device.await_finger(1)
    device.fail_with(DeviceError("The connection broke."))
    recording.recorder.move_touch(Pixel(100, 300))
    recording.annotator.await_notice(BROKEN_OFF)
    device.recover()
    lift(recording)

    recording.tap_and_wait()

    assert len(recording.draft.steps) == 1
    assert not recording.draft.state.touched


def test_stop_during_a_touch_keeps_the_step(recording: Recording, device: FakeDevice) -> None:
    touch(recording, Pixel(100, 200))
    recording.recorder.stop()
    recording.recorder.join()

    assert device.finger[-1].at is None
    assert len(recording.draft.steps) == 1


def test_interrupted_touch_is_reported_on_resume(bench: RecordingBench, device: FakeDevice) -> None:
    draft = bench.draft()
    draft.note_touch(draft.keep_screenshot(b"png"), 1)
    draft.close()

    with bench.resumed(device, draft.episode_id) as recording:
        recording.annotator.await_notice(BROKEN_TOUCH)


def test_click_has_a_view_hierarchy_and_an_element_box(bench: RecordingBench, device: FakeDevice) -> None:
    device.tree = TREE.format("")
    with bench.recording(device) as recording:
        recording.ready()
        recording.recorder.wait_for(lambda view: view.is_read, 60)
        device.never_rest()
        recording.tap(100, 200)
        recording.ready(steps=1)

        record = recording.draft.steps[0].record
        assert record.ui_tree is not None
        assert (record.bbox, record.bbox_source) == ((80, 180, 160, 240), "hierarchy")
        recording.tap_and_wait()
        record = recording.draft.steps[1].record
        assert (record.ui_tree, record.ui_tree_absent != "") == (None, True), "the tree may be of another screen"


def test_step_without_a_view_hierarchy_says_why(bench: RecordingBench, device: FakeDevice) -> None:
    device.never_rest()
    with bench.recording(device) as recording:
        recording.ready()
        recording.recorder.wait_for(lambda view: view.no_tree != "", 60)
        recording.tap_and_wait()

        record = recording.draft.steps[0].record
        assert (record.ui_tree, record.ui_tree_absent) == (None, "The screen of fake-1 never rests.")


def test_field_with_another_text_than_typed_is_reported(bench: RecordingBench, device: FakeDevice) -> None:
    device.tree = TREE.format("mi1k")
    with bench.recording(device) as recording:
        recording.ready()
        recording.recorder.type_text("milk")

        recording.annotator.await_notice("'mi1k'")

        step = recording.draft.steps[0]
        assert isinstance(step.action, Type)
        assert Flag(FlagCode.WRONG_TEXT) in step.record.flags
