"""Undo with a device: steps are removed, and the device returns to the screen they were made on."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Press, Scroll, SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.engine import NOTHING_TO_REDO, OTHER_SCREEN
from odyssey_recorder.recording.restore import BRING_BACK_FIRST
from odyssey_recorder.recording.slow_work import MAX_SNAPSHOTS, StepSnapshots
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.view import PUBLISHING
from tests.fakes import FakeDevice
from tests.recording.recording_bench import PASSIVE, RULES, Recording, RecordingBench, shows

WITH_SNAPSHOTS = replace(RULES, snapshots="always")


def ends_on_screen(draft: Draft, screen: int) -> bool:
    """Whether the draft has this screen as the one after its last step."""
    return draft.state.left is not None and shows(draft.state.left, FakeDevice(), screen)


def record_steps(recording: Recording, number: int) -> None:
    for _ in range(number):
        recording.tap_and_wait()


def test_snapshot_restores_the_screen_several_steps_back(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device, rules=WITH_SNAPSHOTS) as recording:
        prefix = f"odyssey-{recording.draft.episode_id}-"
        record_steps(recording, MAX_SNAPSHOTS + 1)
        assert device.snapshots() == tuple(f"{prefix}{key}" for key in range(2, MAX_SNAPSHOTS + 2)), (
            "the newest are kept"
        )
        recording.recorder.undo(3)
        view = recording.ready(steps=MAX_SNAPSHOTS - 2)
        assert view.wanted is None
        assert device.loaded == [f"{prefix}{MAX_SNAPSHOTS - 2}"]
        recording.tap_and_wait()
        view = recording.finish()
        recording.recorder.join()
        assert device.snapshots() == ()
    assert all(shows(step.screenshot, device, number) for number, step in enumerate(view.steps[: MAX_SNAPSHOTS - 1]))
    assert all(not step.flag for step in view.steps)


def test_stop_while_publishing_still_publishes(tmp_path: Path, device: FakeDevice) -> None:
    is_stopped = threading.Event()

    class WaitingStore(EpisodeStore):
        def publish(self, draft: Draft) -> Path:
            assert is_stopped.wait(60)
            return super().publish(draft)

    bench = RecordingBench(tmp_path)
    bench.store = WaitingStore(tmp_path / "dataset", drafts=tmp_path / "drafts")
    with bench.recording(device, rules=WITH_SNAPSHOTS) as recording:
        recording.tap_and_wait()
        recording.recorder.complete("done")
        recording.annotator.wait(lambda: recording.recorder.view.message == PUBLISHING)
        recording.recorder.stop()
        is_stopped.set()
        recording.recorder.join()
        assert (recording.recorder.view.state, recording.annotator.notices) == (State.FINISHED, [])
        assert device.snapshots() == ()


def test_input_while_restoring_by_hand_is_not_recorded(
    bench: RecordingBench, recording: Recording, device: FakeDevice
) -> None:
    record_steps(recording, 2)
    view = recording.undo()
    assert (len(view.steps), view.frame_number) == (1, None)
    assert view.wanted is not None
    assert shows(view.wanted, device, 1)
    recording.recorder.press(SystemKey.BACK)
    recording.recorder.wait_for(lambda view: len(device.performed) == 3, 60)
    assert device.performed[-1] is SystemKey.BACK
    assert recording.annotator.newest is not None
    recording.recorder.touch_down(recording.annotator.newest.number, Pixel(7, 9))
    recording.recorder.lift(TouchStroke.press(Pixel(7, 9)))
    recording.annotator.wait(lambda: device.performed[-1] == TouchStroke.press(Pixel(7, 9)))
    recording.until(State.RESTORING)
    recording.recorder.complete()
    recording.annotator.await_notice(BRING_BACK_FIRST)
    device.show(1)
    view = recording.ready(steps=1)
    recording.tap_and_wait()
    view = recording.finish()
    assert all(shows(step.screenshot, device, number) for number, step in enumerate(view.steps[:2]))
    assert view.steps[1].flag == ""
    dropped_steps = bench.provenance(recording.draft.episode_id).dropped
    assert [(step.action, step.why) for step in dropped_steps] == [("CLICK", "undone by the annotator")]


def test_redo_sends_the_undone_actions_again_as_new_steps(bench: RecordingBench, device: FakeDevice) -> None:
    stroke = TouchStroke.drag((Pixel(100, 400), Pixel(110, 200)), duration_ms=400)
    with bench.recording(device, rules=WITH_SNAPSHOTS) as recording:
        recording.gesture(stroke)
        before = recording.press(SystemKey.HOME).steps
        recording.recorder.note_step(before[0].key, "slowly")
        recording.recorder.undo(2)
        assert isinstance(recording.ready(steps=0).redo, Scroll)
        recording.recorder.redo()
        assert recording.ready(steps=1).redo == Press(SystemKey.HOME)
        recording.recorder.redo()
        view = recording.ready(steps=2)
        assert view.redo is None
        assert device.performed == [stroke, SystemKey.HOME] * 2
        assert [step.note for step in view.steps] == ["slowly", ""]
        old, new = ({step.screenshot for step in steps} for steps in (before, view.steps))
        assert not old & new, "no screenshot of an undone step comes back"
        recording.finish()
    published = bench.provenance(recording.draft.episode_id)
    assert [step.redone for step in published.steps] == [True, True, False]
    assert [step.check is not None for step in published.steps[:2]] == [True, True], "proved like any other step"
    dropped_us = published.dropped[-1].dropped_us
    assert all(dropped_us < step.frame.started_us < step.touched_us for step in published.steps)


def test_redo_is_refused_on_another_screen_and_ends_with_another_step(
    bench: RecordingBench, recording: Recording, device: FakeDevice
) -> None:
    record_steps(recording, 2)
    recording.undo()
    recording.recorder.redo()
    recording.annotator.await_notice(BRING_BACK_FIRST)
    recording.accept_screen()
    recording.ready(steps=1)
    recording.recorder.redo()
    recording.annotator.await_notice(OTHER_SCREEN)
    assert len(device.performed) == 2
    recording.press(SystemKey.BACK)
    assert recording.recorder.view.redo is None
    recording.recorder.redo()
    recording.annotator.await_notice(NOTHING_TO_REDO)


def test_interrupted_restore_continues_on_resume(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device) as recording:
        record_steps(recording, 2)
        recording.undo(2)
    resumed_device = FakeDevice()
    resumed_device.show("elsewhere")
    with bench.resumed(resumed_device, recording.draft.episode_id) as resumed:
        view = resumed.until(State.RESTORING)
        assert view.wanted is not None
        assert shows(view.wanted, device, 0)
        resumed_device.show(0)
        resumed.ready(steps=0)


def test_resumed_draft_uses_earlier_snapshots(bench: RecordingBench, device: FakeDevice) -> None:
    draft = bench.draft()
    with bench.recording(device, draft, rules=WITH_SNAPSHOTS) as recording:
        record_steps(recording, 2)
        names = device.snapshots()
    resumed_device = FakeDevice()
    for screen, name in enumerate(names):
        resumed_device.show(screen)
        resumed_device.save_snapshot(name)
    resumed_device.show("home, after a restart")
    with bench.resumed(resumed_device, draft.episode_id, WITH_SNAPSHOTS) as resumed:
        resumed.ready(steps=2)
        assert resumed_device.loaded == [f"odyssey-{draft.episode_id}-2"], "it is back where it was left"
        assert [step.flag for step in resumed.tap_and_wait().steps] == ["", "", ""]
        resumed.recorder.undo(9)
        resumed.ready(steps=0)
        assert resumed_device.loaded[1:] == [f"odyssey-{draft.episode_id}-0"], "all there are"
        assert len(resumed.draft.state.dropped) == 3


def test_changed_clock_does_not_hinder_resuming(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device) as recording:
        record_steps(recording, 1)
    later = FakeDevice()
    screenshot = later.screenshot(1)
    screenshot.paste((255, 0, 0), (10, 2, 60, later.state.status_bar_px - 2))
    later.show(screenshot)
    with bench.resumed(later, recording.draft.episode_id) as resumed:
        assert [step.flag for step in resumed.ready(steps=1).steps] == [""]


def test_note_is_kept_when_other_steps_are_undone(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device, rules=WITH_SNAPSHOTS) as recording:
        record_steps(recording, 3)
        first, last = recording.recorder.view.steps[0].key, recording.recorder.view.steps[2].key
        recording.recorder.note_step(first, "the banner was in the way")
        recording.recorder.undo()
        recording.ready(steps=2)
        recording.recorder.note_step(last, "too late")
        recording.tap_and_wait()
        view = recording.finish()
    assert [step.note for step in view.steps] == ["the banner was in the way", "", "", ""]
    assert bench.provenance(recording.draft.episode_id).steps[0].note == "the banner was in the way"


def test_passive_draft_is_resumed_on_its_last_screen(bench: RecordingBench, device: FakeDevice) -> None:
    device.streams = True
    with bench.recording(device, bench.draft(PASSIVE)) as recording:
        recording.until(State.READY)
        device.press_key("KEY_BACK")
        device.show(1)
        recording.recorder.wait_for(lambda view: len(view.steps) == 1, 60)
        recording.annotator.wait(lambda: ends_on_screen(recording.draft, 1))
    later = FakeDevice()
    later.streams = True
    later.show("elsewhere")
    with bench.resumed(later, recording.draft.episode_id) as resumed:
        assert resumed.until(State.RESTORING).goal is Goal.LEFT
        later.press_key("KEY_HOME")
        later.show(1)
        resumed.until(State.READY)
        later.press_key("KEY_HOME")
        later.show(2)
        view = resumed.recorder.wait_for(lambda view: len(view.steps) == 2, 60)
        assert shows(view.steps[1].screenshot, device, 1)


def test_passive_mode_is_restored_by_hand(bench: RecordingBench, device: FakeDevice) -> None:
    device.streams = True
    with bench.recording(device, bench.draft(PASSIVE), rules=WITH_SNAPSHOTS) as recording:
        recording.until(State.READY)
        device.press_key("KEY_BACK")
        device.show(1)
        recording.recorder.wait_for(lambda view: len(view.steps) == 1, 60)
        recording.undo()
        device.press_key("KEY_HOME")
        device.show(2)
        device.show(0)
        assert recording.until(State.READY).steps == ()
        assert device.snapshots() == ()


def test_failed_snapshot_disables_snapshots(device: FakeDevice, caplog: pytest.LogCaptureFixture) -> None:
    snapshots = StepSnapshots(device, "1234", "always")
    snapshots.save(3)
    device.disconnect()
    with pytest.raises(DeviceError):
        snapshots.load(3)
    device.recover()
    device.refuse_snapshots("No room on the disk.")
    assert snapshots.wanted
    snapshots.save(4)
    assert not snapshots.wanted
    assert "No room on the disk." in caplog.text
    caplog.clear()

    device.keeps_snapshots = False
    snapshotless = StepSnapshots(device, "1234", "always")
    assert not snapshotless.wanted
    assert not snapshotless.load(0)
    snapshotless.forget_all()
