"""Undo with a device: steps are removed, and the device returns to the screen they were made on."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.restore import BRING_BACK_FIRST
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.view import PUBLISHING
from odyssey_recorder.recording.work import MOST, StepSnapshots
from tests.fakes import FakeDevice
from tests.recording.recording_bench import PASSIVE, RULES, Recording, RecordingBench, shows

WITH_SNAPSHOTS = replace(RULES, snapshots="always")


def leaves_screen(draft: Draft, screen: int) -> bool:
    """Whether the draft has this screen as the one after its last step."""
    return draft.left is not None and shows(draft.left, FakeDevice(), screen)


def record_steps(recording: Recording, number: int) -> None:
    for _ in range(number):
        recording.tap_and_wait()


def test_a_snapshot_brings_the_device_back_over_several_steps(service: RecordingBench, device: FakeDevice) -> None:
    with service.recording(device, rules=WITH_SNAPSHOTS) as recording:
        begun = f"odyssey-{recording.draft.episode_id}-"
        record_steps(recording, MOST + 1)
        assert device.snapshots() == tuple(f"{begun}{key}" for key in range(2, MOST + 2)), "the newest are kept"
        recording.recorder.undo(3)
        view = recording.ready(steps=MOST - 2)
        assert view.wanted is None
        assert device.loaded == [f"{begun}{MOST - 2}"]
        recording.tap_and_wait()
        recording.recorder.complete()
        view = recording.until(State.FINISHED)
        recording.recorder.join()
        assert device.snapshots() == ()
    assert all(shows(step.screenshot, device, number) for number, step in enumerate(view.steps[: MOST - 1]))
    assert all(not step.flag for step in view.steps)


def test_a_recording_that_is_stopped_while_it_publishes_ends_published(tmp_path: Path, device: FakeDevice) -> None:
    is_stopped = threading.Event()

    class WaitingStore(EpisodeStore):
        def publish(self, draft: Draft) -> Path:
            assert is_stopped.wait(20)
            return super().publish(draft)

    service = RecordingBench(tmp_path)
    service.store = WaitingStore(tmp_path / "dataset", drafts=tmp_path / "drafts")
    with service.recording(device, rules=WITH_SNAPSHOTS) as recording:
        recording.tap_and_wait()
        recording.recorder.complete("done")
        recording.annotator.wait(lambda: recording.recorder.view.message == PUBLISHING)
        recording.recorder.stop()
        is_stopped.set()
        recording.recorder.join()
        assert (recording.recorder.view.state, recording.annotator.notices) == (State.FINISHED, [])
        assert device.snapshots() == ()


def test_what_leads_back_without_a_snapshot_is_no_step(service: RecordingBench, device: FakeDevice) -> None:
    with service.recording(device) as recording:
        record_steps(recording, 2)
        recording.recorder.undo()
        view = recording.until(State.RESTORING)
        assert (len(view.steps), view.frame_number) == (1, None)
        assert view.wanted is not None
        assert shows(view.wanted, device, 1)
        recording.recorder.press(SystemKey.BACK)
        recording.recorder.wait_for(lambda view: len(device.performed) == 3, 10)
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
        recording.recorder.complete()
        view = recording.until(State.FINISHED)
    assert all(shows(step.screenshot, device, number) for number, step in enumerate(view.steps[:2]))
    assert view.steps[1].flag == ""
    provenance = service.store.provenance(recording.draft.episode_id)
    assert provenance is not None
    assert [(dropped.action, dropped.why) for dropped in provenance.dropped] == [("CLICK", "undone by the annotator")]


def test_a_draft_that_broke_off_on_the_way_back_is_led_back(service: RecordingBench, device: FakeDevice) -> None:
    with service.recording(device) as recording:
        record_steps(recording, 2)
        recording.recorder.undo(2)
        recording.until(State.RESTORING)
    resumed_device = FakeDevice()
    resumed_device.show("elsewhere")
    with service.recording(resumed_device, service.store.resume(recording.draft.episode_id)) as resumed:
        view = resumed.until(State.RESTORING)
        assert view.wanted is not None
        assert shows(view.wanted, device, 0)
        resumed_device.show(0)
        resumed.ready(steps=0)


def test_a_resumed_draft_finds_the_snapshots_of_the_process_before(service: RecordingBench, device: FakeDevice) -> None:
    draft = service.draft()
    with service.recording(device, draft, rules=WITH_SNAPSHOTS) as recording:
        record_steps(recording, 2)
        names = device.snapshots()
    again = FakeDevice()
    for screen, name in enumerate(names):
        again.show(screen)
        again.save_snapshot(name)
    again.show("home, after a restart")
    with service.recording(again, service.store.resume(draft.episode_id), rules=WITH_SNAPSHOTS) as resumed:
        resumed.ready(steps=2)
        assert again.loaded == [f"odyssey-{draft.episode_id}-2"], "it is back where it was left"
        assert [step.flag for step in resumed.tap_and_wait().steps] == ["", "", ""]
        resumed.recorder.undo(9)
        resumed.ready(steps=0)
        assert again.loaded[1:] == [f"odyssey-{draft.episode_id}-0"], "all there are"
        assert len(resumed.draft.dropped) == 3


def test_a_clock_makes_no_other_screen_of_the_one_that_was_left(service: RecordingBench, device: FakeDevice) -> None:
    with service.recording(device) as recording:
        record_steps(recording, 1)
    later = FakeDevice()
    screenshot = later.screenshot(1)
    screenshot.paste((255, 0, 0), (10, 2, 60, later.state.status_bar_px - 2))
    later.show(screenshot)
    with service.recording(later, service.store.resume(recording.draft.episode_id)) as resumed:
        resumed.ready(steps=1)


def test_a_note_beside_a_step_is_kept_whatever_is_undone(service: RecordingBench, device: FakeDevice) -> None:
    with service.recording(device, rules=WITH_SNAPSHOTS) as recording:
        record_steps(recording, 3)
        first, last = recording.recorder.view.steps[0].key, recording.recorder.view.steps[2].key
        recording.recorder.note_step(first, "the banner was in the way")
        recording.recorder.undo()
        recording.ready(steps=2)
        recording.recorder.note_step(last, "too late")
        recording.tap_and_wait()
        recording.recorder.complete()
        view = recording.until(State.FINISHED)
    assert [step.note for step in view.steps] == ["the banner was in the way", "", "", ""]
    provenance = service.store.provenance(recording.draft.episode_id)
    assert provenance is not None
    assert provenance.steps[0].note == "the banner was in the way"


def test_a_passive_draft_goes_on_where_its_last_step_led(service: RecordingBench, device: FakeDevice) -> None:
    device.streams = True
    with service.recording(device, service.draft(PASSIVE)) as recording:
        recording.until(State.READY)
        device.press_key("KEY_BACK")
        device.show(1)
        recording.recorder.wait_for(lambda view: len(view.steps) == 1, 10)
        recording.annotator.wait(lambda: leaves_screen(recording.draft, 1))
    later = FakeDevice()
    later.streams = True
    later.show("elsewhere")
    with service.recording(later, service.store.resume(recording.draft.episode_id)) as resumed:
        assert resumed.until(State.RESTORING).goal is Goal.LEFT
        later.press_key("KEY_HOME")
        later.show(1)
        resumed.until(State.READY)
        later.press_key("KEY_HOME")
        later.show(2)
        view = resumed.recorder.wait_for(lambda view: len(view.steps) == 2, 10)
        assert shows(view.steps[1].screenshot, device, 1)


def test_in_passive_mode_the_emulators_window_leads_back(service: RecordingBench, device: FakeDevice) -> None:
    device.streams = True
    with service.recording(device, service.draft(PASSIVE), rules=WITH_SNAPSHOTS) as recording:
        recording.until(State.READY)
        device.press_key("KEY_BACK")
        device.show(1)
        recording.recorder.wait_for(lambda view: len(view.steps) == 1, 10)
        recording.recorder.undo()
        recording.until(State.RESTORING)
        device.press_key("KEY_HOME")
        device.show(2)
        device.show(0)
        assert recording.until(State.READY).steps == ()
        assert device.snapshots() == ()


def test_a_snapshot_that_fails_is_told_and_is_the_last(device: FakeDevice, caplog: pytest.LogCaptureFixture) -> None:
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
    none = StepSnapshots(device, "1234", "always")
    assert not none.wanted
    assert not none.load(0)
    none.forget_all()
