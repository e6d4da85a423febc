"""Whole recordings on a device in memory, with real drafts and a real dataset on disk."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PIL import Image

from odyssey_recorder.dataset.layout import TRASH, episode_ids, screenshot_path
from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.device.device import OnTyped, ScreenState
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError, InputRefusedError, RecordingError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Complete, Impossible, Press, SystemKey, Type, action_type, in_words
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.engine import NOTHING_TO_UNDO, OFF_SCREEN
from odyssey_recorder.recording.session import NOT_SENT, OUT_OF_DATE
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.step_writer import DOUBTFUL, RETRACTED
from odyssey_recorder.recording.view import PUBLISHING, RecordingView
from tests.fakes import PHONE_SIZE, FakeDevice, Input
from tests.recording.recording_bench import IMPATIENT, PATIENCE_S, Recording, RecordingBench, showing, shows


class HookedDevice(FakeDevice):
    """Calls a function of the test during each input, before or after the screen changes."""

    def __init__(
        self, *, before: Callable[[], None] = lambda: None, after: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__()
        self.before = before
        self.after = after

    def _perform(self, done: Input) -> None:
        self.before()
        super()._perform(done)
        self.after()


class VideoDevice(FakeDevice):
    """A device that shows another image in each frame."""

    frames = 0

    def capture(self) -> Frame:
        self.frames += 1
        colour = (self.frames * 37 % 256, self.frames // 256, 90)
        self.show(Image.new("RGB", (PHONE_SIZE.width, PHONE_SIZE.height), colour))
        return super().capture()


class SilentDevice(FakeDevice):
    """A device that reports only frames, not the state of its screen."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = threading.Event()

    def screen_state(self) -> ScreenState:
        self._ended.wait(3 * PATIENCE_S)
        return super().screen_state()

    def view_hierarchy(self) -> str:
        self._ended.wait(3 * PATIENCE_S)
        return super().view_hierarchy()

    def close(self) -> None:
        self._ended.set()
        super().close()


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread.name for thread in threading.enumerate() if thread not in before]
    assert not left


def assert_screenshots_match(view: RecordingView, device: FakeDevice) -> None:
    """The screenshot of each sent step shows exactly the screen on which its input arrived."""
    for step, screen in zip(view.steps, device.screen_at, strict=False):
        assert shows(step.screenshot, device, screen), f"step {step.number}"


# Whole episodes.


def test_published_episode_has_the_screen_of_each_input(
    bench: RecordingBench, recording: Recording, device: FakeDevice
) -> None:
    recorder = recording.recorder
    recording.tap_and_wait()
    recording.gesture(TouchStroke.press(Pixel(10, 20), duration_ms=800))
    recording.gesture(TouchStroke.drag((Pixel(100, 500), Pixel(100, 100)), duration_ms=300))
    recorder.type_text("milk & eggs")
    recording.ready(steps=4)
    for key in SystemKey:
        recording.press(key)
    view = recording.finish("There is milk now.")

    episode = bench.store.load(recording.draft.episode_id)
    actions = [step.action for step in episode.steps]
    assert [action_type(action) for action in actions[:4]] == ["CLICK", "LONG_PRESS", "SCROLL", "TYPE"]
    assert actions[3:] == [Type("milk & eggs"), *map(Press, SystemKey), Complete("There is milk now.")]
    assert episode.device.size == PHONE_SIZE
    assert view.published is not None
    assert [step.action for step in view.steps] == actions
    assert device.performed[3:] == ["milk & eggs", *SystemKey]
    assert device.screen_at == list(range(7))
    for number in range(8):
        assert shows(bench.store.root / screenshot_path(episode.episode_id, number), device, number)
        assert view.steps[number].screenshot == bench.store.root / screenshot_path(episode.episode_id, number)
    recorder.join()
    assert not recording.draft.folder.exists()
    assert_proved(bench.provenance(recording.draft.episode_id))
    assert_every_change_was_reported(recording)


def assert_proved(provenance: EpisodeProvenance) -> None:
    """The provenance proves the screenshot of the first step, and has no input of the last."""
    tap, *_, end = provenance.steps
    assert tap.frame.rgb_sha256 == hashlib.sha256(FakeDevice().screenshot(0).tobytes()).hexdigest()
    assert tap.check is not None
    assert tap.sent_us is not None
    assert tap.frame.arrived_us <= tap.touched_us <= tap.check.started_us <= tap.sent_us
    assert tap.frame.settled
    assert tap.screen is not None
    assert tap.screen.package == "com.fake.app"
    assert (end.input, end.sent_us) == (None, None)


def assert_every_change_was_reported(recording: Recording) -> None:
    """Every change was reported to the listener once."""
    views = recording.annotator.views
    assert views[-1] == recording.recorder.view
    assert all(view != next_view for view, next_view in pairwise(views))
    order = [State.SETTLING, State.CAPTURING, State.READY, State.CHECKING, State.INJECTING, State.SETTLING]
    states = [view.state for view in views]
    assert [state for state, last in zip(states, [None, *states], strict=False) if state is not last][:6] == order
    assert next(view.message for view in views if view.state is State.READY) == "Ready."


def test_invalid_commands_are_rejected_at_once(bench: RecordingBench, recording: Recording, device: FakeDevice) -> None:
    recorder = recording.recorder
    recording.ready()
    recorder.undo()
    recording.annotator.await_notice(NOTHING_TO_UNDO)
    before = recording.ready().frame_number
    with pytest.raises(InputRefusedError):
        recorder.type_text("naïve 🥛")
    with pytest.raises(InputRefusedError, match="no text"):
        recorder.type_text("")
    with pytest.raises(RecordingError, match=r"Nothing went on .* ready\. Ready\. The draft is saved"):
        recorder.wait_for(lambda view: view.state is State.FINISHED, 0.05)
    recording.touch_down()
    recorder.cancel_touch()
    recording.ready(steps=0, after=before)
    with pytest.raises(RecordingError, match="Enter why the task is impossible"):
        recorder.impossible("  ")
    recorder.impossible("There is no shop.")
    recording.until(State.FINISHED)
    episode = bench.store.load(recording.draft.episode_id)
    assert [step.action for step in episode.steps] == [Impossible("There is no shop.")]
    assert device.performed == []


def test_step_is_saved_before_its_input_is_sent(bench: RecordingBench) -> None:
    on_disk: list[tuple[str, bool]] = []

    def look() -> None:
        line = json.loads((recording.draft.folder / "steps.jsonl").read_text().splitlines()[-1])
        on_disk.append((line["kind"], shows(recording.draft.folder / line["picture"], device, device.screen)))

    device = HookedDevice(before=look)
    with bench.recording(device) as recording:
        for screen in ("ad", "another ad", "the last ad"):
            before = recording.ready().frame_number
            device.show(screen)
            recording.ready(after=before)
        recording.tap_and_wait()
        recording.press(SystemKey.BACK)
        screenshots = {path.name for path in recording.draft.folder.glob("*.png")}
        assert screenshots >= {step.screenshot.name for step in recording.draft.steps}
        assert len(screenshots) == 3, "those of the two steps and of the current screen"
    assert on_disk == [("step", True), ("step", True)]


def test_recording_does_not_wait_for_the_screen_state(bench: RecordingBench) -> None:
    device = SilentDevice()
    with bench.recording(device) as recording:
        for _ in range(6):
            recording.tap_and_wait()
        assert len(device.performed) == 6
        assert all(step.record.screen is None for step in recording.draft.steps)


# Flags of a step.


def test_step_without_effect_is_flagged(bench: RecordingBench) -> None:
    device = HookedDevice(after=lambda: device.show(0))
    with bench.recording(device) as recording:
        view = recording.tap_and_wait()
        assert [step.flag for step in view.steps] == [describe_flag(Flag(FlagCode.UNCHANGED))]
        assert len(device.performed) == 1


def test_effect_that_comes_after_the_screen_has_settled_takes_the_flag_back(bench: RecordingBench) -> None:
    device = HookedDevice(after=lambda: device.show(0))
    with bench.recording(device) as recording:
        view = recording.tap_and_wait()
        assert view.steps[0].flag == describe_flag(Flag(FlagCode.UNCHANGED))
        device.show("loaded")
        recording.ready(after=view.frame_number)
        assert recording.press(SystemKey.BACK).steps[0].flag == ""


def test_step_on_a_moving_screen_has_the_touched_frame_and_a_flag(bench: RecordingBench) -> None:
    device = VideoDevice()
    with bench.recording(device, rules=IMPATIENT) as recording:
        recording.ready()
        shown = recording.annotator.newest
        assert shown is not None
        recording.recorder.touch_down(shown.number)
        recording.recorder.lift(TouchStroke.press(Pixel(100, 200)))
        view = recording.ready(steps=1)
        assert [step.flag for step in view.steps] == [describe_flag(Flag(FlagCode.MOVING))]
        [step] = recording.draft.steps
        assert step.record.frame.number == shown.number
        assert not step.record.frame.settled
        assert step.record.frame.rgb_sha256 == hashlib.sha256(shown.image().tobytes()).hexdigest()
        recording.press(SystemKey.HOME)
        key = recording.draft.steps[1].record
        assert key.sent_us is not None
        assert key.frame.arrived_us <= key.touched_us <= key.sent_us


# Refused inputs.


def test_touch_on_an_outdated_frame_is_rejected(bench: RecordingBench) -> None:
    device = VideoDevice()
    with bench.recording(device, rules=IMPATIENT) as recording:
        recording.ready()
        recording.recorder.touch_down(1)
        recording.recorder.lift(TouchStroke.press(Pixel(100, 200)))
        recording.annotator.await_notice(OUT_OF_DATE)
        assert recording.ready().steps == ()
        assert len(recording.press(SystemKey.HOME).steps) == 1


@pytest.mark.parametrize(
    "stroke",
    [
        TouchStroke.press(Pixel(360, 10)),
        TouchStroke.drag((Pixel(10, 10), Pixel(10, -1)), duration_ms=300),
        TouchStroke.drag((Pixel(10, 640), Pixel(10, 10)), duration_ms=300),
    ],
)
def test_gesture_outside_the_screen_is_rejected(recording: Recording, device: FakeDevice, stroke: TouchStroke) -> None:
    frame = recording.ready().frame_number
    recording.touch_down()
    recording.recorder.lift(stroke)
    recording.annotator.await_notice(OFF_SCREEN)
    recording.ready(after=frame)
    assert len(recording.tap_and_wait().steps) == 1
    assert len(device.performed) == 1


def test_stop_interrupts_typing(bench: RecordingBench) -> None:
    class SlowTypist(FakeDevice):
        """Types until the recorder stops it."""

        def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
            for typed in range(len(text)):
                on_typed(typed)
                threading.Event().wait(0.02)

    with bench.recording(SlowTypist()) as recording:
        recording.ready()
        recording.recorder.type_text("a" * 100_000)
        recording.annotator.wait(lambda: recording.recorder.view.is_typing)
        recording.recorder.stop()
        recording.recorder.join()

        assert recording.draft.steps == ()
        assert [dropped.action for dropped in recording.draft.state.dropped] == ["TYPE"]


# The device fails and recovers.


@pytest.mark.parametrize("fault", [FakeDevice.disconnect, FakeDevice.freeze, FakeDevice.cut_frames])
def test_recording_continues_when_a_failed_device_recovers(
    bench: RecordingBench, device: FakeDevice, fault: Callable[[FakeDevice], None]
) -> None:
    fault(device)
    with bench.recording(device) as recording:
        assert device.serial in recording.until(State.DEVICE_LOST).message
        device.recover()
        assert_screenshots_match(recording.tap_and_wait(), device)
        fault(device)
        recording.until(State.DEVICE_LOST)
        device.recover()
        recording.touch_down()
        fault(device)
        recording.annotator.await_notice(NOT_SENT)
        recording.recorder.lift(TouchStroke.press(Pixel(100, 200)))
        device.recover()
        view = recording.tap_and_wait()
        assert len(view.steps) == 2
        assert_screenshots_match(view, device)


@pytest.mark.parametrize(
    ("hook", "notice", "flags"),
    [("before", RETRACTED, []), ("after", DOUBTFUL, [describe_flag(Flag(FlagCode.CONNECTION_BROKE))])],
)
def test_interrupted_input_is_kept_only_if_the_screen_changed(
    bench: RecordingBench, hook: str, notice: str, flags: list[str]
) -> None:
    device = HookedDevice()

    def cut() -> None:
        device.disconnect()
        raise DeviceError("The connection broke off.")

    setattr(device, hook, cut)
    with bench.recording(device) as recording:
        recording.tap()
        recording.until(State.DEVICE_LOST)
        assert len(recording.recorder.view.steps) == 1
        setattr(device, hook, lambda: None)
        device.recover()
        recording.annotator.await_notice(notice)
        if flags:
            assert recording.until(State.RESTORING).goal is Goal.UNCERTAIN
            recording.accept_screen()
        assert [step.flag for step in recording.ready(steps=len(flags)).steps] == flags
        assert_screenshots_match(recording.tap_and_wait(), device)


def test_unexpected_error_counts_as_a_lost_device(
    recording: Recording, device: FakeDevice, caplog: pytest.LogCaptureFixture
) -> None:
    recording.ready()
    size, device.state = device.state, replace(device.state, size=None)  # type: ignore[arg-type]
    recording.until(State.DEVICE_LOST)
    device.state = size
    recording.tap_and_wait()
    assert "broke" in caplog.text
    caplog.clear()


# Stop, resume, abandon.


def test_resumed_recording_never_overwrites_screenshots(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device) as recording:
        recording.tap_and_wait()
    for restart in range(3):
        again = showing(f"restart {restart}")
        with bench.resumed(again, recording.draft.episode_id) as resumed:
            resumed.accept_screen()
            resumed.tap_and_wait()
    draft = bench.store.resume(recording.draft.episode_id)
    assert shows(draft.steps[0].screenshot, device, 0)
    for restart, step in enumerate(draft.steps[1:]):
        assert shows(step.screenshot, device, f"restart {restart}")
        assert step.record.flags == (Flag(FlagCode.RESUMED_ELSEWHERE),)
    draft.close()


def test_stop_does_not_wait_for_a_frozen_device(bench: RecordingBench) -> None:
    device = FakeDevice(patience_s=60)
    with bench.recording(device) as recording:
        recording.ready()
        device.freeze()
        recording.recorder.stop()
    assert bench.store.drafts()[0].problem == ""


def test_result_of_the_last_input_is_saved_on_stop(bench: RecordingBench) -> None:
    device = HookedDevice(before=lambda: recording.recorder.stop())
    with bench.recording(device) as recording:
        recording.tap()
        with pytest.raises(RecordingError, match="has ended"):
            recording.recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
    draft = bench.store.resume(recording.draft.episode_id)
    assert not draft.uncertain
    draft.close()


@pytest.mark.parametrize("is_damaged", [False, True])
def test_step_not_sent_before_a_kill_can_be_undone(bench: RecordingBench, device: FakeDevice, is_damaged: bool) -> None:
    draft = bench.store.resume(draft_killed_after_saving_a_step(bench))
    if is_damaged:
        draft.steps[0].screenshot.write_bytes(b"not an image")
    with bench.recording(device, draft) as resumed:
        view = resumed.until(State.RESTORING)
        assert (len(view.steps), view.goal) == (1, Goal.UNCERTAIN)
        assert in_words(view.steps[0].action) in view.way
        resumed.recorder.undo()
        assert resumed.ready(steps=0).goal is None
        assert [dropped.why for dropped in resumed.draft.state.dropped] == ["undone by the annotator"]


def test_step_sent_before_a_kill_is_confirmed_once(bench: RecordingBench) -> None:
    episode_id = draft_killed_after_saving_a_step(bench)
    with bench.resumed(showing("what the tap led to"), episode_id) as resumed:
        resumed.accept_screen()
        assert [step.flag for step in resumed.ready().steps] == [describe_flag(Flag(FlagCode.VOUCHED))]
    with bench.resumed(FakeDevice(), episode_id) as again:
        assert again.until(State.RESTORING).goal is Goal.LEFT


def test_flags_for_the_next_step_survive_a_restart(bench: RecordingBench, device: FakeDevice) -> None:
    episode_id = draft_killed_after_saving_a_step(bench, sent_until_us=1)
    with bench.resumed(device, episode_id) as resumed:
        view = resumed.until(State.RESTORING)
        assert (view.goal, view.wanted) == (Goal.UNKNOWN, resumed.draft.steps[0].screenshot)
        resumed.recorder.accept_screen()
        resumed.ready()
    unseen, unlike = (describe_flag(Flag(code)) for code in (FlagCode.RESUMED_UNSEEN, FlagCode.UNLIKE))
    with bench.resumed(FakeDevice(), episode_id) as resumed:
        assert [step.flag for step in resumed.tap_and_wait().steps] == ["", unseen]
        resumed.undo_and_accept()
        assert [step.flag for step in resumed.tap_and_wait().steps] == ["", f"{unseen}, {unlike}"]


def test_draft_without_steps_is_resumed_on_its_first_screen(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device) as recording:
        recording.ready()
    later = showing("elsewhere")
    with bench.resumed(later, recording.draft.episode_id) as resumed:
        resumed.until(State.RESTORING)
        later.show(0)
        resumed.ready(steps=0)


# The storage fails.


def test_episode_is_published_when_the_dataset_is_back(bench: RecordingBench, recording: Recording) -> None:
    recording.tap_and_wait()
    aside = bench.store.root.rename(bench.store.root.with_name("elsewhere"))
    recording.recorder.complete("done")
    view = recording.until(State.STORAGE_LOST)
    assert str(bench.store.root) in view.message
    assert "Restore it" in view.message
    assert not bench.store.root.exists(), "a missing dataset is not created"
    assert [draft.steps for draft in bench.store.drafts()] == [0], "the draft that is open here"
    aside.rename(bench.store.root)
    view = recording.until(State.FINISHED)
    assert PUBLISHING in [seen.message for seen in recording.annotator.views]
    assert view.published == bench.store.root / "annotations" / f"{recording.draft.episode_id}.json"


def test_tampered_screenshot_is_not_published(bench: RecordingBench, recording: Recording, device: FakeDevice) -> None:
    device.screenshot("another").save(recording.tap_and_wait().steps[0].screenshot)
    recording.recorder.complete("done")
    assert "is not the recorded screenshot" in recording.until(State.STORAGE_LOST).message
    assert sorted(episode_ids(bench.store.root)) == []
    recording.recorder.undo()
    recording.ready(steps=1)
    recording.undo_and_accept()
    recording.finish("done")


def test_missing_draft_folder_is_named_until_it_is_back(recording: Recording, device: FakeDevice) -> None:
    recording.tap_and_wait()
    recording.recorder.wait_for(lambda view: view.is_read, PATIENCE_S)  # nothing more is being written
    folder = recording.draft.folder
    aside = folder.rename(folder.with_name("elsewhere"))
    recording.tap()
    notice = recording.annotator.await_notice("neither recorded nor sent")
    assert str(folder) in notice
    assert "Restore the folder" in notice
    assert "Restore the folder" in recording.until(State.STORAGE_LOST).message
    aside.rename(folder)
    recording.recorder.retry()
    assert_screenshots_match(recording.tap_and_wait(), device)
    assert len(device.performed) == 2


def test_sent_action_is_kept_if_its_time_cannot_be_saved(bench: RecordingBench) -> None:
    device = HookedDevice(after=lambda: folder.rename(folder.with_name("elsewhere")))
    with bench.recording(device) as recording:
        folder = recording.draft.folder
        recording.tap()
        assert "Restore the folder" in recording.until(State.STORAGE_LOST).message
        device.after = lambda: None
        folder.with_name("elsewhere").rename(folder)
        assert_screenshots_match(recording.tap_and_wait(), device)
        assert recording.annotator.notices == []
    assert len(device.performed) == 2


def test_abandoned_recording_is_trashed_if_possible(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device) as recording:
        recording.tap_and_wait()
        recording.recorder.abandon()
        recording.until(State.ABANDONED)
    assert bench.store.drafts() == []
    trash = recording.draft.folder.parent / TRASH
    [trashed] = trash.iterdir()
    assert (trashed / "steps.jsonl").exists()

    trash.rename(trash.with_name("aside"))
    trash.write_text("in the way")
    with bench.recording(FakeDevice()) as recording:
        recording.tap_and_wait()
        recording.recorder.abandon()
        recording.annotator.await_notice(str(trash))
        assert "Move that file away" in recording.until(State.ABANDONED).message
    assert [draft.steps for draft in bench.store.drafts()] == [1]


# What a window sees.


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_crash_of_the_recorder_loses_no_step(bench: RecordingBench, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    device = HookedDevice(before=fail)
    with bench.recording(device) as recording:
        recording.tap()
        recording.annotator.await_notice("Your steps are saved in the draft")
        with pytest.raises(RecordingError, match="has ended"):
            recording.recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
    assert [draft.steps for draft in bench.store.drafts()] == [1]
    caplog.clear()


def draft_killed_after_saving_a_step(bench: RecordingBench, sent_until_us: int | None = None) -> str:
    """The id of a draft left by a kill after saving a step, before sending it, or after with `sent_until_us`."""
    device = FakeDevice()
    device.refuse_input()
    with bench.recording(device) as recording:
        recording.tap()
        recording.annotator.await_notice("refused")
    log = recording.draft.folder / "steps.jsonl"
    [step] = (line for line in log.read_text().splitlines() if line.startswith('{"kind":"step"'))
    log.write_text(step.replace('"sent_until_us":null', f'"sent_until_us":{json.dumps(sent_until_us)}') + "\n")
    for screenshot in recording.draft.folder.glob("*.png"):
        if screenshot.name != json.loads(step)["picture"]:
            screenshot.unlink()
    return recording.draft.episode_id
