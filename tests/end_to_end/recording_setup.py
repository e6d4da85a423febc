"""A simulated emulator on the real adb, a second connection for input in its own window, and a recording service."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PIL import Image

from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.discovery import find_control
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Click, LongPress
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Episode, Mode, TaskInfo
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.slow_work import SnapshotPolicy
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import TYPED_KEYS, RecordingView
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.journal import RecordedJournal
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named
from tests.end_to_end.emulator_bench import label_positions
from tests.end_to_end.journal_checks import is_same_screen, published
from tests.recording.recording_bench import Annotator
from tests.simulator.bench import half_as_dense

TASK = TaskInfo("General_Tool", ("Settings",), "Look at {}.", "Look at Display.", "Look at Display in Settings.")
PATIENCE_S = 60.0
STILL_S = 0.3
LONG_PRESS_US = TouchRules.for_density(160).long_press_us


@dataclass(frozen=True)
class RecordingSetup:
    """`device` is recorded; `window` acts on the same emulator as a person does in its own window."""

    emulator: SimulatedEmulator
    service: RecordingService
    device: Device
    window: Device
    journal: Path

    @contextmanager
    def recording(self, mode: Mode) -> Iterator[tuple[Recorder, Annotator]]:
        annotator = Annotator()
        recorder = self.service.begin(self.device, Assignment(TASK), annotator, mode)
        recorder.start()
        try:
            ready(recorder)
            yield recorder, annotator
        finally:
            recorder.stop()
            recorder.join()

    def wait_until_still(self) -> None:
        """Asks the simulator rather than the device: taking screenshot after screenshot would keep a processor busy."""
        has_changed = threading.Event()
        stop_listening = self.emulator.phone.on_frame(has_changed.set)
        while has_changed.wait(STILL_S):
            has_changed.clear()
        stop_listening()

    def position_of(self, label: str) -> Pixel:
        return label_positions(self.emulator.phone, label)[0]

    def tap(self, label: str) -> None:
        self.window.touch(TouchStroke.press(self.position_of(label)))

    def tap_in_window(self, recorder: Recorder, *labels: str) -> None:
        """Each tap becomes one step."""
        for label in labels:
            steps = len(recorder.view.steps)
            self.tap(label)
            self.await_steps(recorder, steps + 1)

    def tap_in_mirror(self, recorder: Recorder, *labels: str) -> None:
        for label in labels:
            view, stroke = recorder.view, TouchStroke.press(self.position_of(label))
            recorder.touch_down(view.frame_number or 0)
            recorder.lift(stroke)
            ready(recorder, len(view.steps) + 1)

    def type_on_screen(self, word: str) -> None:
        for letter in word:
            self.tap(letter)

    def wait_until_read(self, recorder: Recorder) -> None:
        """Wait until the screen has settled and is read, as a patient annotator does."""
        self.wait_until_still()
        recorder.wait_for(lambda view: view.state is State.READY and view.is_read, PATIENCE_S)

    def wait_until_seen(self, recorder: Recorder, annotator: Annotator) -> None:
        """Wait until the recorder shows what the phone shows, as an annotator does who is about to finish."""
        self.wait_until_read(recorder)
        shown = self.emulator.phone.screen()
        size = (shown.width, shown.height)
        pixels = Image.frombytes("RGBA", size, shown.rgba).convert("RGB").tobytes()
        annotator.wait(lambda: annotator.newest is not None and annotator.newest.image().tobytes() == pixels)
        self.wait_until_read(recorder)

    def await_keys(self, recorder: Recorder, count: int) -> None:
        """Wait until the recorder has noticed `count` key strokes of a text, and read its field."""
        recorder.wait_for(lambda view: view.message == TYPED_KEYS.format(count), PATIENCE_S)
        self.wait_until_read(recorder)

    def await_steps(self, recorder: Recorder, count: int) -> None:
        recorder.wait_for(lambda view: len(view.steps) == count, PATIENCE_S)
        self.wait_until_read(recorder)

    def open(self, recorder: Recorder, package: str) -> None:
        self.emulator.phone.start_activity(package)
        self.wait_until_read(recorder)

    def finish(self, recorder: Recorder) -> tuple[Episode, EpisodeProvenance]:
        """Publish, and compare the episode with the journal."""
        recorder.wait_for(lambda view: view.state is State.READY, PATIENCE_S)
        recorder.complete("Done.")
        view = recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
        assert view.published is not None
        episode, provenance = published(self.service.store, recorder.episode_id)
        self.assert_matches_journal(episode, provenance)
        return episode, provenance

    def assert_screenshots_match_touches(self, provenance: EpisodeProvenance, *touches: int) -> None:
        """The steps before the last show what these touches of the journal met, in order."""
        downs = RecordedJournal.read(self.journal).touch_downs()
        shown = [downs[number].frame.rgb_sha256 for number in touches]
        assert [step.frame.rgb_sha256 for step in provenance.steps[:-1]] == shown

    def assert_matches_journal(self, episode: Episode, provenance: EpisodeProvenance) -> None:
        """Compare each step's screenshot, and how long its press was, with the journal.

        If the screen changed too close to the touch for the device's clock to order them, the step must be flagged.
        """
        felt = [one for one in RecordedJournal.read(self.journal).inputs if one.event_us is not None]
        for step, saved in zip(provenance.steps, episode.steps, strict=True):
            if step.clock_offset_us is not None:
                began_us = step.touched_us - step.clock_offset_us
                # A key is felt when it is released.
                first = next(one for one in felt if (one.event_us or 0) >= began_us)
                assert is_same_screen(step, first) or Flag(FlagCode.CHANGING) in step.flags, step
                if isinstance(saved.action, Click | LongPress):
                    lift = next(one for one in felt if one.number > first.number and one.text.startswith("touch up "))
                    held_us = (lift.event_us or 0) - (first.event_us or 0)
                    assert isinstance(saved.action, LongPress) == (held_us >= LONG_PRESS_US), held_us


@contextmanager
def recording_setup(
    server: PrivateAdbServer,
    folder: Path,
    *,
    capture: str = "auto",
    snapshots: SnapshotPolicy = "never",
    profile: str = "small_phone",
) -> Iterator[RecordingSetup]:
    """The device has a quarter of its pixels. Changes are animated on the small screen only: on large ones that takes
    a busy computer too long.
    """
    folder.mkdir()
    running = folder / "running"
    journal = folder / "journal.jsonl"
    phone = Phone(half_as_dense(profile_named(profile)), animation=profile == "small_phone", journal=journal)
    emulator = SimulatedEmulator(phone, adb_server_port=server.port, control=ControlOptions(running_dir=running))
    with emulator:
        adb = AdbServer(port=server.port)
        token = server.home / TOKEN_FILE
        connector = DeviceConnector(adb, capture=capture, running=(running,), console_token=token)  # type: ignore[arg-type]
        device = connector.connect(emulator.serial)
        find = partial(find_control, emulator.serial, (running,))
        shell = AdbShell(emulator.serial, adb, answer_s=PATIENCE_S)
        window = EmulatorDevice(shell, GrpcOptions(find, answer_s=PATIENCE_S))
        window.wait_until_ready(PATIENCE_S)
        store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
        service = RecordingService(connector, store, "Ada", snapshots=snapshots)
        try:
            yield RecordingSetup(emulator, service, device, window, journal)
        finally:
            device.close()
            window.close()


def ready(recorder: Recorder, steps: int | None = None) -> RecordingView:
    """Wait until the next action is possible, after `steps` steps."""

    def is_ready(view: RecordingView) -> bool:
        return view.state is State.READY and view.frame_number is not None and steps in {None, len(view.steps)}

    return recorder.wait_for(is_ready, PATIENCE_S)


def kinds_of(episode: Episode) -> list[type[Action]]:
    """Long presses count as clicks: a finger may rest on a busy computer; `assert_matches_journal` compares that."""
    return [Click if isinstance(step.action, LongPress) else type(step.action) for step in episode.steps]
