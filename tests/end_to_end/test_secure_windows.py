"""Screens that their app keeps black are said at once, and their steps are flagged."""

from pathlib import Path

import pytest

from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording.step_writer import FORBIDDEN
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.end_to_end.recording_setup import recording_setup

SETTINGS = "com.android.settings"


@pytest.mark.parametrize("capture", ["auto", "screencap"])
@pytest.mark.parametrize("mode", ["mirror", "passive"])
def test_black_screen_with_a_living_view_hierarchy_is_said_and_flagged(
    adb_server: PrivateAdbServer, tmp_path: Path, mode: Mode, capture: str
) -> None:
    with (
        recording_setup(adb_server, tmp_path / "phone", capture=capture) as setup,
        setup.recording(mode) as (recorder, annotator),
    ):
        tap = setup.tap_in_window if mode == "passive" else setup.tap_in_mirror
        setup.open(recorder, SETTINGS)
        tap(recorder, "Display")
        assert FORBIDDEN not in annotator.notices
        setup.emulator.phone.forbid_screenshots(forbidden=True)
        setup.wait_until_read(recorder)
        assert annotator.notices.count(FORBIDDEN) == 1
        setup.emulator.phone.start_activity(SETTINGS)
        tap(recorder, "Back")
        _, provenance = setup.finish(recorder)
        black = [Flag(FlagCode.BLACK) in step.flags for step in provenance.steps]
        assert black[:2] == [False, True]
