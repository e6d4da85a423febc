"""Passive mode on a rotated and folded device, and with two fingers."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import floor
from pathlib import Path

from odyssey_recorder.connector import DeviceConnector
from odyssey_recorder.dataset.provenance import StrokeRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.model.action import Click
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from odyssey_recorder.recording.raw_input import PINCHED
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording_service import RecordingService
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.control_server import ControlOptions
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.recording.recording_bench import Annotator, pixels

TASK = TaskInfo("General_Tool", ("Calculator",), "Count {}.", "Count to 3.", "Count to 3 with the calculator.")
CALCULATOR = "com.odyssey.calculator"
PATIENCE_S = 20.0


@dataclass(frozen=True)
class Tap:
    at: Pixel
    shown: str


@dataclass(frozen=True)
class Listening:
    emulator: SimulatedEmulator
    recorder: Recorder
    annotator: Annotator
    store: EpisodeStore
    journal: Path

    def hold(self, change: Callable[[Phone], None]) -> None:
        before = self.recorder.view.frame_number
        change(self.emulator.phone)
        state = self.emulator.phone.state()
        size = Size(state.size.width, state.size.height)
        self.annotator.wait(lambda: self.annotator.newest is not None and self.annotator.newest.size == size)
        self.ready(after=before)

    def ready(self, *, after: int | None = None) -> None:
        self.recorder.wait_for(
            lambda view: view.state is State.READY and view.frame_number not in {None, after}, PATIENCE_S
        )

    def tap_in_the_window(self, x: int, y: int) -> None:
        steps = len(self.recorder.view.steps)
        self.emulator.guest.window_touch(x, y, pressed=True)
        self.emulator.guest.window_touch(x, y, pressed=False)
        self.recorder.wait_for(lambda view: len(view.steps) == steps + 1, PATIENCE_S)
        self.ready()

    def taps(self) -> list[Tap]:
        entries = [json.loads(line) for line in self.journal.read_text().splitlines()]
        shown = {entry["frame"]: entry["rgb_sha256"] for entry in entries if "rgb_sha256" in entry}
        downs = [entry for entry in entries if entry.get("input", "").startswith("touch down ")]
        places = [[floor(float(number)) for number in entry["input"].split()[2].split(",")] for entry in downs]
        return [Tap(Pixel(x, y), shown[entry["frame"]]) for (x, y), entry in zip(places, downs, strict=True)]

    def assert_true(self) -> None:
        self.ready()
        self.recorder.complete("done")
        self.recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
        episode, taps = self.store.load(self.recorder.episode_id), self.taps()
        assert len(episode.steps) == len(taps) + 1
        provenance = self.store.provenance(episode.episode_id)
        assert provenance is not None
        for number, (tap, step) in enumerate(zip(taps, provenance.steps, strict=False)):
            picture = pixels(self.store.screenshot_path(episode, number))
            assert hashlib.sha256(picture.tobytes()).hexdigest() == tap.shown, f"step {number}"
            assert isinstance(step.input, StrokeRecord)
            x, y, _ = step.input.samples[0]
            assert max(abs(x - tap.at.x), abs(y - tap.at.y)) <= 1, f"step {number}: the emulator rounds to a pixel"
            assert episode.steps[number].action == Click(to_grid(Pixel(x, y), Size(*picture.size)))


@contextmanager
def listening(server: PrivateAdbServer, folder: Path, profile: str) -> Iterator[Listening]:
    journal, running = folder / "journal.jsonl", folder / "running"
    phone = Phone(profile_named(profile), animation=False, journal=journal)
    options = ControlOptions(running_dir=running)
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    connector = DeviceConnector(AdbServer(port=server.port), running=(running,))
    with SimulatedEmulator(phone, adb_server_port=server.port, control=options) as emulator:
        phone.start_activity(CALCULATOR)
        device = connector.connect(emulator.serial)
        annotator = Annotator()
        recorder = RecordingService(connector, store, "Ada", view_hierarchies=False).begin(
            device, Assignment(TASK), annotator, "passive"
        )
        recorder.start()
        try:
            yield Listening(emulator, recorder, annotator, store, journal)
        finally:
            recorder.stop()
            device.close()
            recorder.join()


def test_a_foldable_is_listened_to_open_closed_and_turned(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with listening(adb_server, tmp_path, "pixel_fold") as scene:
        scene.ready()
        scene.tap_in_the_window(1301, 1202)
        scene.hold(lambda phone: phone.set_posture("CLOSED"))
        scene.tap_in_the_window(503, 1404)
        scene.hold(lambda phone: phone.set_rotation(1))
        scene.tap_in_the_window(505, 1406)
        scene.hold(lambda phone: phone.set_posture("OPENED"))
        scene.tap_in_the_window(1307, 1208)

        scene.assert_true()


def test_a_pinch_is_told_and_nothing_of_it_is_recorded(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with listening(adb_server, tmp_path, "small_phone") as scene:
        scene.ready()
        touch = scene.emulator.guest.window_touch
        touch(301, 502, pressed=True)
        touch(401, 702, pressed=True, slot=1)
        for apart in range(0, 100, 10):
            touch(301 - apart, 502 - apart, pressed=True)
            touch(401 + apart, 702 + apart, pressed=True, slot=1)
        touch(211, 412, pressed=False)
        touch(491, 792, pressed=False, slot=1)
        scene.annotator.await_notice(PINCHED)
        scene.ready()
        assert scene.recorder.view.steps == ()

        scene.tap_in_the_window(305, 906)

        assert [notice for notice in scene.annotator.notices if notice == PINCHED] == [PINCHED], "told once"
        assert len(scene.recorder.view.steps) == 1
