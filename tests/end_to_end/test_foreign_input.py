"""Foreign input on the device: the annotator is notified, and the next step is flagged."""

import re
import time
from pathlib import Path

import pytest

from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.flag import FlagCode, describe_flag
from odyssey_recorder.recording.foreign_input import SLACK_NS
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.end_to_end.recording_setup import ready, recording_setup


@pytest.mark.parametrize("capture", ["auto", "adb"])
def test_only_step_after_click_in_emulator_window_is_flagged(
    adb_server: PrivateAdbServer, tmp_path: Path, capture: str
) -> None:
    with (
        recording_setup(adb_server, tmp_path / "phone", capture=capture) as setup,
        setup.recording("mirror") as (recorder, annotator),
    ):
        setup.tap_in_mirror(recorder, "Settings", "Display")
        for steps, key in ((3, SystemKey.BACK), (4, SystemKey.HOME)):
            recorder.press(key)
            ready(recorder, steps)
        quiet_until_ns = time.monotonic_ns() + SLACK_NS
        annotator.wait(lambda: time.monotonic_ns() > quiet_until_ns)
        assert annotator.notices == []

        before, clicked = recorder.view.frame_number, setup.position_of("Settings")
        setup.tap("Settings")
        notice = annotator.await_notice("Something else acted on the device: a touch at ")
        recorder.wait_for(lambda view: view.frame_number not in {None, before}, 60)
        setup.tap_in_mirror(recorder, "Display")
        _, provenance = setup.finish(recorder)

        *quiet, flagged, after = (step.flags for step in provenance.steps[:6])
        assert quiet == [()] * 4
        [flag] = flagged
        assert flag.code is FlagCode.FOREIGN_INPUT
        x, y = map(int, re.findall(r"\d+", notice)[:2])
        assert f"({x}, {y})" in describe_flag(flag)
        assert abs(x - clicked.x) + abs(y - clicked.y) <= 2
        assert after == (), "flagged once"
        assert len(annotator.notices) == 1
