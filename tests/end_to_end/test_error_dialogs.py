"""Android's dialogs about an app that failed pause the recording, and answering them is no step."""

from pathlib import Path

import pytest

from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.restore import ANSWER_ANDROID
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.phone import ErrorKind
from tests.end_to_end.recording_setup import PATIENCE_S, RecordingSetup, kinds_of, recording_setup

SETTINGS = "com.android.settings"


def tap(setup: RecordingSetup, recorder: Recorder, mode: Mode, label: str) -> None:
    if mode == "passive":
        setup.tap_in_window(recorder, label)
    else:
        setup.tap_in_mirror(recorder, label)


@pytest.mark.parametrize("mode", ["mirror", "passive"])
@pytest.mark.parametrize("kind", ["Application Not Responding", "Application Error"])
def test_recording_pauses_until_the_dialog_is_answered(
    adb_server: PrivateAdbServer, tmp_path: Path, mode: Mode, kind: ErrorKind
) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup, setup.recording(mode) as (recorder, annotator):
        setup.open(recorder, SETTINGS)
        tap(setup, recorder, mode, "Display")
        setup.emulator.phone.fail_app(kind)
        recorder.wait_for(lambda view: view.state is State.RESTORING, PATIENCE_S)
        title = f"{kind}: {SETTINGS}"
        assert ANSWER_ANDROID.format(title) in annotator.notices
        assert setup.window.screen_state().error_dialog == title

        setup.tap("Close app" if kind == "Application Error" else "Wait")
        recorder.wait_for(lambda view: view.state is State.READY and view.goal is None, PATIENCE_S)
        assert len(recorder.view.steps) == 1
        setup.wait_until_read(recorder)
        tap(setup, recorder, mode, "Overview")
        episode, provenance = setup.finish(recorder)
        assert kinds_of(episode)[0::2] == [Click, Complete]
        assert Flag(FlagCode.AFTER_DIALOG) not in provenance.steps[0].flags
        assert Flag(FlagCode.AFTER_DIALOG) in provenance.steps[1].flags
