"""Foreign input on the device: the annotator is told, and the next step is flagged."""

import re
import time
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag
from odyssey_recorder.recording.engine import RecordingRules
from odyssey_recorder.recording.foreign import SLACK_NS, TELL_UNEXPLAINED, ForeignRules
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.end_to_end.test_undo_on_the_phone import ready, record
from tests.end_to_end.workplace import Workplace, finish, workplace
from tests.recording.recording_bench import RecordingBench


def press(recorder: Recorder, key: SystemKey) -> None:
    steps = len(recorder.view.steps)
    recorder.press(key)
    ready(recorder, steps + 1)


def await_quiet(place: Workplace, wait_ns: int = SLACK_NS) -> None:
    until_ns = time.monotonic_ns() + wait_ns
    while time.monotonic_ns() < until_ns:
        place.hands.capture()


def flags_of(place: Workplace, episode_id: str) -> list[tuple[Flag, ...]]:
    provenance = place.service.store.provenance(episode_id)
    assert provenance is not None
    return [step.flags for step in provenance.steps]


@pytest.mark.parametrize("capture", ["auto", "adb"])
def test_quiet_steps_carry_no_flag_and_a_click_in_the_emulators_own_window_is_named(
    adb_server: PrivateAdbServer, tmp_path: Path, capture: str
) -> None:
    with (
        workplace(adb_server, tmp_path / "place", capture=capture) as place,
        place.recording("mirror") as (recorder, annotator),
    ):
        record(place, recorder, "Settings")
        record(place, recorder, "Display")
        press(recorder, SystemKey.BACK)
        press(recorder, SystemKey.HOME)
        await_quiet(place)
        assert annotator.notices == []

        before, there = recorder.view.frame_number, place.place_of("Settings")
        place.tap("Settings")
        told = annotator.await_notice("Something else acted on the device: a touch at ")
        recorder.wait_for(lambda view: view.frame_number not in {None, before}, 30)
        record(place, recorder, "Display")
        flags = flags_of(place, finish(place, recorder).episode_id)

        assert flags[:4] == [()] * 4
        [flag] = flags[4]
        assert flag.code is FlagCode.FOREIGN_INPUT
        x, y = map(int, re.findall(r"\d+", told)[:2])
        assert f"({x}, {y})" in describe_flag(flag)
        assert abs(x - there.x) + abs(y - there.y) <= 2
        assert flags[5] == (), "it is said once"
        assert len(annotator.notices) == 1


def test_a_tap_of_another_program_over_adb_is_flagged_though_the_kernel_does_not_feel_it(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    touch, navigation = TouchRules.for_density(320), NavigationRules.for_density(320)
    rules = RecordingRules(touch, navigation, foreign=ForeignRules(late_change_ns=0, slack_ns=0))
    with (
        workplace(adb_server, tmp_path / "place", capture="adb") as place,
        RecordingBench(tmp_path).recording(place.device, rules=rules) as recording,
    ):
        before = recording.ready(steps=0).frame_number
        other = AdbDevice(AdbShell(place.emulator.serial, AdbServer(port=adb_server.port)))
        other.touch(TouchStroke.press(place.place_of("Settings")))
        recording.annotator.await_notice(TELL_UNEXPLAINED)
        recording.ready(after=before)
        record(place, recording.recorder, "Display")
        assert recording.draft.steps[0].record.flags == (Flag(FlagCode.UNEXPLAINED),)
