"""Faults in passive mode: the annotator is told, no screenshot is wrong, and recording continues."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from odyssey_recorder.dataset.provenance import StepRecord, StrokeRecord
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.passive import CLOCK_CHANGED
from odyssey_recorder.recording.raw_input_queue import DROPPED
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.journal import RecordedJournal
from odyssey_recorder.simulator.phone import Phase
from tests.end_to_end.workplace import PATIENCE_S, Workplace, finish, workplace
from tests.recording.recording_bench import Annotator


@dataclass
class Ordeal:
    place: Workplace
    recorder: Recorder
    annotator: Annotator
    rows: list[int]
    taps: list[Pixel] = field(default_factory=list)

    def tap(self, under_the_finger: Callable[[], None] = lambda: None) -> None:
        at = Pixel(40 + 7 * len(self.taps), self.rows[len(self.taps) % len(self.rows)])
        self.taps.append(at)
        self.place.emulator.guest.window_touch(at.x, at.y, pressed=True)
        under_the_finger()
        self.place.emulator.guest.window_touch(at.x, at.y, pressed=False)

    def tap_and_see(self) -> None:
        steps = len(self.recorder.view.steps)
        self.tap()
        self.place.await_steps(self.recorder, steps + 1)

    def recover(self) -> None:
        seen = len(self.annotator.views)
        self.annotator.wait(lambda: any(view.state is not State.READY for view in self.annotator.views[seen - 1 :]))
        self.recorder.wait_for(lambda view: view.state is State.READY, PATIENCE_S)
        self.tap_and_see()

    def steps(self) -> dict[Pixel, StepRecord]:
        episode = finish(self.place, self.recorder)
        provenance = self.place.service.store.provenance(episode.episode_id)
        assert provenance is not None
        downs = {down.words: down.frame.rgb_sha256 for down in RecordedJournal.read(self.place.journal).touch_downs()}
        shown = {_pixel(words): sha256 for words, sha256 in downs.items()}
        strokes = {Pixel(*step.input.samples[0][:2]): step for step in provenance.steps if _is_stroke(step)}  # type: ignore[union-attr]
        assert {at: step.frame.rgb_sha256 for at, step in strokes.items()} == {at: shown[at] for at in strokes}
        return strokes


def _is_stroke(step: StepRecord) -> bool:
    return isinstance(step.input, StrokeRecord)


def _pixel(words: str) -> Pixel:
    x, y = words.split()[2].split(",")
    return Pixel(round(float(x)), round(float(y)))


@contextmanager
def ordeal(server: PrivateAdbServer, folder: Path, capture: str) -> Iterator[Ordeal]:
    with workplace(server, folder, capture=capture) as place, place.recording("passive") as (recorder, annotator):
        phone = place.emulator.phone
        phone.start_activity("com.android.settings")
        topic = place.place_of("Notifications")
        for phase in (Phase.DOWN, Phase.UP):
            phone.touch(phase, topic.x, topic.y)
        place.look_around(recorder)
        switches = [node.bounds for node in phone.view_hierarchy().walk() if node.checkable]
        yield Ordeal(place, recorder, annotator, [(row.top + row.bottom) // 2 for row in switches][:5])


@pytest.fixture
def tried(request: pytest.FixtureRequest, adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[Ordeal]:
    with ordeal(adb_server, tmp_path / "phone", request.param) as trial:
        yield trial


@pytest.mark.parametrize("tried", ["grpc"], indirect=True)
def test_input_that_is_not_heard_is_told(tried: Ordeal) -> None:
    emulator = tried.place.emulator
    tried.tap_and_see()
    tried.tap(emulator.faults.kill_getevent)
    tried.annotator.await_notice("the stream of touch events broke off")
    tried.annotator.await_notice("getevent has ended")
    tried.recover()
    emulator.guest.nodes.lose_reports(1)
    tried.tap()
    tried.annotator.await_notice(DROPPED)
    tried.place.look_around(tried.recorder)
    tried.tap_and_see()

    assert [*tried.steps()] == [tried.taps[number] for number in (0, 2, 4)]


@pytest.mark.parametrize("tried", ["grpc"], indirect=True)
def test_a_clock_that_jumps_is_told_and_no_tap_gets_a_picture_from_another_time(tried: Ordeal) -> None:
    for _ in range(2):
        tried.tap_and_see()
    for seconds in (-1.5, 30.0):
        tried.place.emulator.guest.clock.jump(seconds)
        tried.tap_and_see()
        tried.tap_and_see()
    told = tried.annotator.notices

    steps = tried.steps()
    assert [*steps] == tried.taps
    doubted = [number for number, at in enumerate(tried.taps) if Flag(FlagCode.CLOCK_CHANGED) in steps[at].flags]
    assert doubted == [number for number, at in enumerate(tried.taps) if steps[at].clock_offset_us is None]
    assert {*doubted} <= {2, 4}, "the clock may have been read anew just before the tap"
    assert told == [CLOCK_CHANGED] * 2


@pytest.mark.parametrize("tried", ["grpc", "adb"], indirect=True)
def test_a_device_that_was_away_or_is_as_it_once_was_is_recorded_further(tried: Ordeal) -> None:
    guest, faults = tried.place.emulator.guest, tried.place.emulator.faults
    once = guest.save_snapshot()
    tried.tap_and_see()
    guest.load_snapshot(once)
    tried.recover()
    faults.go_offline()
    tried.annotator.wait(lambda: sum("not recorded until" in told for told in tried.annotator.notices) == 2)
    tried.tap()
    faults.go_online()
    tried.recover()

    assert [*tried.steps()] == [tried.taps[number] for number in (0, 1, 3)]
    deaf = [told for told in tried.annotator.notices if "not recorded until" in told]
    assert len(deaf) == 2, "once each"


@pytest.mark.parametrize("tried", ["adb"], indirect=True)
def test_a_device_that_is_turned_under_the_finger_keeps_the_picture_that_was_touched(tried: Ordeal) -> None:
    phone = tried.place.emulator.phone
    tried.tap_and_see()
    tried.tap(lambda: phone.set_rotation(1))
    tried.place.await_steps(tried.recorder, 2)
    phone.set_rotation(0)
    tried.place.look_around(tried.recorder)
    tried.tap_and_see()

    steps = tried.steps()
    assert [*steps] == tried.taps
    assert {(step.frame.width, step.frame.height) for step in steps.values()} == {(720, 1280)}
