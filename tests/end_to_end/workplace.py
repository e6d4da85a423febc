"""The setting of passive mode: a simulated emulator, hands on it, and a recorder."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.connector import DeviceConnector
from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Click, LongPress
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Episode, Mode, TaskInfo
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import TYPED_KEYS
from odyssey_recorder.recording.work import SnapshotPolicy
from odyssey_recorder.recording_service import RecordingService
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.control_server import ControlOptions
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.journal import RecordedJournal
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.recording.recording_bench import Annotator

TASK = TaskInfo("General_Tool", ("Settings",), "Look at {}.", "Look at Display.", "Look at Display in Settings.")
PATIENCE_S = 30.0
LONG_PRESS_US = TouchRules.for_density(320).long_press_us


@dataclass(frozen=True)
class Workplace:
    emulator: SimulatedEmulator
    service: RecordingService
    device: Device
    hands: Device
    journal: Path

    @contextmanager
    def recording(self, mode: Mode) -> Iterator[tuple[Recorder, Annotator]]:
        annotator = Annotator()
        recorder = self.service.begin(self.device, Assignment(TASK), annotator, mode)
        recorder.start()
        try:
            recorder.wait_for(lambda view: view.state is State.READY and view.frame_number is not None, PATIENCE_S)
            yield recorder, annotator
        finally:
            recorder.stop()
            recorder.join()

    def rest(self) -> None:
        watch = StillnessWatch(SettleRule(still_ms=300), since_ns=time.monotonic_ns())
        while watch.see(self.hands.capture()) is Stillness.MOVING:
            pass

    def place_of(self, label: str) -> Pixel:
        """The centre of the view with this text or description; also finds keys of the keyboard."""
        nodes = self.emulator.phone.view_hierarchy(all_windows=True).walk()
        bounds = next(node.bounds for node in nodes if label in {node.text, node.content_desc})
        return Pixel((bounds.left + bounds.right) // 2, (bounds.top + bounds.bottom) // 2)

    def tap(self, label: str) -> None:
        self.hands.touch(TouchStroke.press(self.place_of(label)))

    def type_on_screen(self, word: str) -> None:
        for letter in word:
            self.tap(letter)

    def look_around(self, recorder: Recorder) -> None:
        """Wait until the screen has settled and is read, as a patient annotator does."""
        self.rest()
        recorder.wait_for(lambda view: view.state is State.READY and view.is_read, PATIENCE_S)

    def await_keys(self, recorder: Recorder, count: int) -> None:
        """Wait until the recorder has heard so many key strokes of a text, and read its field."""
        recorder.wait_for(lambda view: view.message == TYPED_KEYS.format(count), PATIENCE_S)
        self.look_around(recorder)

    def await_steps(self, recorder: Recorder, count: int) -> None:
        recorder.wait_for(lambda view: len(view.steps) == count, PATIENCE_S)
        self.look_around(recorder)

    def open(self, recorder: Recorder, package: str) -> None:
        self.emulator.phone.start_activity(package)
        self.look_around(recorder)


@contextmanager
def workplace(
    server: PrivateAdbServer, folder: Path, *, capture: str = "auto", snapshots: SnapshotPolicy = "never"
) -> Iterator[Workplace]:
    folder.mkdir()
    running = folder / "running"
    phone_journal = folder / "journal.jsonl"
    phone = Phone(profile_named("small_phone"), animation=True, journal=phone_journal)
    emulator = SimulatedEmulator(phone, adb_server_port=server.port, control=ControlOptions(running_dir=running))
    with emulator:
        adb = AdbServer(port=server.port)
        token = server.home / TOKEN_FILE
        connector = DeviceConnector(adb, capture=capture, running=(running,), console_token=token)  # type: ignore[arg-type]
        device = connector.connect(emulator.serial)
        hands = DeviceConnector(adb, running=(running,)).connect(emulator.serial)
        store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
        try:
            yield Workplace(
                emulator, RecordingService(connector, store, "Ada", snapshots=snapshots), device, hands, phone_journal
            )
        finally:
            device.close()
            hands.close()


def finish(place: Workplace, recorder: Recorder) -> Episode:
    recorder.wait_for(lambda view: view.state is State.READY, PATIENCE_S)
    recorder.complete("Done.")
    view = recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
    assert view.published is not None
    return place.service.store.load(recorder.episode_id)


def assert_true(place: Workplace, episode: Episode) -> EpisodeProvenance:
    """Compare each step's screenshot, and how long its press was, with the journal; returns the provenance.

    If the screen changed too close to the touch for the device's clock to order them, the step must be flagged.
    """
    provenance = place.service.store.provenance(episode.episode_id)
    assert provenance is not None
    felt = [felt for felt in RecordedJournal.read(place.journal).inputs if felt.event_us is not None]
    for step, published in zip(provenance.steps, episode.steps, strict=True):
        if step.clock_offset_us is not None:
            began_us = step.touched_us - step.clock_offset_us
            first = next(felt for felt in felt if (felt.event_us or 0) >= began_us)  # a key is felt when it is released
            assert step.frame.rgb_sha256 == first.frame.rgb_sha256 or Flag(FlagCode.CHANGING) in step.flags, step
            if isinstance(published.action, Click | LongPress):
                lifted = next(one for one in felt if one.number > first.number and one.words.startswith("touch up "))
                held_us = (lifted.event_us or 0) - (first.event_us or 0)
                assert isinstance(published.action, LongPress) == (held_us >= LONG_PRESS_US), held_us
    return provenance


def kinds_of(episode: Episode) -> list[type[Action]]:
    """Long presses count as clicks: on a busy computer a finger may rest; `assert_true` compares how long it did."""
    return [Click if isinstance(step.action, LongPress) else type(step.action) for step in episode.steps]
