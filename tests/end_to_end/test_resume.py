"""A draft resumed on a restarted simulated emulator, and steps redone over gRPC: the screenshots are those touched."""

from dataclasses import replace
from pathlib import Path

from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.end_to_end.journal_checks import published
from tests.end_to_end.recording_setup import PATIENCE_S, ready, recording_setup
from tests.recording.recording_bench import Annotator


def test_draft_resumed_on_a_restarted_phone_continues_once_restored(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    with recording_setup(adb_server, tmp_path / "before") as setup, setup.recording("mirror") as (recorder, _):
        setup.tap_in_mirror(recorder, "Settings", "Display")
        store = setup.service.store
    with recording_setup(adb_server, tmp_path / "after") as setup:
        annotator = Annotator()
        resumed = replace(setup.service, store=store).resume(setup.device, recorder.episode_id, annotator)
        resumed.start()
        try:
            view = resumed.wait_for(lambda view: view.state in {State.READY, State.RESTORING}, PATIENCE_S)
            assert (view.state, view.goal) == (State.RESTORING, Goal.LEFT), "it shows its home screen"
            for label in ("Settings", "Display"):
                setup.tap(label)
                setup.wait_until_still()
            ready(resumed, 2)
            setup.tap_in_mirror(resumed, "Dark theme")
            resumed.complete()
            resumed.wait_for(lambda view: view.published is not None, PATIENCE_S)
        finally:
            resumed.stop()
            resumed.join()
        _, provenance = published(store, recorder.episode_id)
        assert [step.flags for step in provenance.steps] == [()] * 4
        assert [one.serial for one in provenance.resumed] == [setup.emulator.serial]
        assert annotator.notices == [], "restoring in the emulator's window is no foreign input"


def test_redone_touches_meet_the_screens_of_their_new_screenshots(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone", snapshots="always") as setup:
        with setup.recording("mirror") as (recorder, annotator):
            setup.tap_in_mirror(recorder, "Settings", "Display")
            before = {step.screenshot for step in recorder.view.steps}
            recorder.undo(2)
            ready(recorder, 0)
            recorder.redo()
            ready(recorder, 1)
            recorder.redo()
            view = ready(recorder, 2)
            assert not before & {step.screenshot for step in view.steps}
            recorder.complete()
            recorder.wait_for(lambda view: view.published is not None, PATIENCE_S)
            assert annotator.notices == []
        _, provenance = published(setup.service.store, recorder.episode_id)
        assert [(step.redone, step.flags) for step in provenance.steps] == [(True, ()), (True, ()), (False, ())]
        setup.assert_screenshots_match_touches(provenance, 2, 3)
