"""Undo and resume on the simulated emulator: snapshots restore the device, or the annotator does."""

from dataclasses import replace
from pathlib import Path

from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.journal import RecordedJournal
from tests.end_to_end.workplace import PATIENCE_S, Workplace, finish, workplace
from tests.recording.recording_bench import Annotator


def ready(recorder: Recorder, steps: int) -> RecordingView:
    def is_ready(view: RecordingView) -> bool:
        return len(view.steps) == steps and view.state is State.READY and view.frame_number is not None

    return recorder.wait_for(is_ready, PATIENCE_S)


def tap(place: Workplace, recorder: Recorder, label: str) -> None:
    number = recorder.view.frame_number
    stroke = TouchStroke.press(place.place_of(label))
    recorder.touch_down(number or 0)
    recorder.lift(stroke)


def record(place: Workplace, recorder: Recorder, *labels: str) -> None:
    for label in labels:
        steps = len(recorder.view.steps)
        tap(place, recorder, label)
        ready(recorder, steps + 1)


def assert_screenshots_are_those_under_the_finger(place: Workplace, episode: Episode, *touches: int) -> None:
    provenance = place.service.store.provenance(episode.episode_id)
    assert provenance is not None
    downs = RecordedJournal.read(place.journal).touch_downs()
    shown = [downs[number].frame.rgb_sha256 for number in touches]
    assert [step.frame.rgb_sha256 for step in provenance.steps[:-1]] == shown


def test_a_snapshot_brings_the_phone_back_and_the_episode_is_true(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with (
        workplace(adb_server, tmp_path / "place", snapshots="always") as place,
        place.recording("mirror") as (recorder, _),
    ):
        record(place, recorder, "Settings", "Display", "Dark theme")
        recorder.undo(2)
        ready(recorder, 1)
        record(place, recorder, "Notifications")
        episode = finish(place, recorder)
        recorder.join()
        assert place.device.snapshots() == ()
        assert_screenshots_are_those_under_the_finger(place, episode, 0, 3)
        provenance = place.service.store.provenance(episode.episode_id)
        assert provenance is not None
        assert [dropped.action for dropped in provenance.dropped] == ["CLICK", "CLICK"]
        assert [step.flags for step in provenance.steps] == [()] * 3


def test_a_draft_that_is_resumed_on_a_restarted_phone_goes_on_when_it_is_led_back(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    with workplace(adb_server, tmp_path / "before") as place, place.recording("mirror") as (recorder, _):
        record(place, recorder, "Settings", "Display")
        store = place.service.store
    with workplace(adb_server, tmp_path / "after") as place:
        annotator = Annotator()
        resumed = replace(place.service, store=store).resume(place.device, recorder.episode_id, annotator)
        resumed.start()
        try:
            view = resumed.wait_for(lambda view: view.state in {State.READY, State.RESTORING}, PATIENCE_S)
            assert (view.state, view.goal) == (State.RESTORING, Goal.LEFT), "it shows its home screen"
            for label in ("Settings", "Display"):
                place.tap(label)
                place.rest()
            ready(resumed, 2)
            record(place, resumed, "Dark theme")
            resumed.complete()
            resumed.wait_for(lambda view: view.published is not None, PATIENCE_S)
        finally:
            resumed.stop()
            resumed.join()
        provenance = store.provenance(recorder.episode_id)
        assert provenance is not None
        assert [step.flags for step in provenance.steps] == [()] * 4
        assert [one.serial for one in provenance.resumed] == [place.emulator.serial]
        assert annotator.notices == [], "who leads back in the emulator's own window is nobody else"
