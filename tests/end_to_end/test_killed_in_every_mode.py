"""The recorder is killed at random moments, in both modes and over both ways: its draft matches the journal.

Each recording is new; resuming a draft is tested elsewhere. One in five survives and publishes.
"""

import multiprocessing
import signal
import time
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import pytest

from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.discovery import find_control
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.simulator.journal import FeltInput
from tests.end_to_end.laboratory import Laboratory
from tests.end_to_end.recording_child import PATIENCE_S, Report, Reporter, all_reports, ready
from tests.end_to_end.test_faults_in_a_row import DOUBTS as MIRROR_DOUBTS
from tests.end_to_end.test_passive_faults_in_a_row import is_doubtful, is_of
from tests.recording.recording_bench import ORIGIN, RULES, RecordingBench

LIFE_S = 1.5
SPARED = 5
TAPS = 4

_processes = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else None
)


@dataclass(frozen=True)
class Job:
    """What a child records: in mirror mode it taps at `places`, in passive mode the test taps on the emulator."""

    serial: str
    server_port: int
    running: Path | None
    dataset: Path
    drafts: Path
    episode_id: str
    places: tuple[Pixel, ...]
    mode: Mode


def record(job: Job, parent: Connection) -> None:
    shell = AdbShell(job.serial, AdbServer(port=job.server_port))
    device: Device = AdbDevice(shell)
    if job.running is not None:
        find = partial(find_control, job.serial, (job.running,))
        device = EmulatorDevice(shell, GrpcOptions(find, shares_memory=False))
        device.wait_until_ready(PATIENCE_S)
    store = EpisodeStore(job.dataset, drafts=job.drafts)
    recorder = Recorder(device, store.resume(job.episode_id), store, listener=Reporter(parent), rules=RULES)
    recorder.start()
    ready(recorder)
    for number, place in enumerate(job.places):
        if job.mode == "mirror":
            view = ready(recorder)
            assert view.frame_number is not None
            recorder.touch_down(view.frame_number, place)
            recorder.lift(TouchStroke.press(place))
        recorder.wait_for(lambda view, number=number: len(view.steps) > number, PATIENCE_S)  # type: ignore[misc]
    ready(recorder)
    recorder.complete("done")
    recorder.wait_for(lambda view: view.published is not None, PATIENCE_S)
    recorder.stop()
    recorder.join()


class Trial:
    def __init__(self, lab: Laboratory, folder: Path, way: str, mode: Mode, seed: int) -> None:
        self._lab = lab
        self._service = RecordingBench(folder)
        self._folder = folder
        self._running = folder / "running" if way == "gRPC" else None
        self._mode: Mode = mode
        self._random = Random(seed)

    def go_through(self, number: int) -> bool:
        draft = self._service.draft(ORIGIN.model_copy(update={"mode": self._mode}))
        draft.close()
        places = tuple(self._lab.places(number * TAPS, TAPS))
        before = len(self._lab.recorded().touch_downs())
        store = self._service.store
        port, serial = self._lab.server.port, self._lab.serial
        drafts = self._folder / "drafts"
        job = Job(serial, port, self._running, store.root, drafts, draft.episode_id, places, self._mode)
        reported = self._live(job, spared=number % SPARED == SPARED - 1)
        provenance = store.provenance(draft.episode_id)
        if provenance is not None:
            records = list(provenance.steps)
        else:
            left = store.resume(draft.episode_id)
            records = [step.record for step in left.steps]
            left.close()
        may_be_taken_back = self._mode == "mirror"
        assert len(records) >= reported - may_be_taken_back, "what was reported is there"
        records = [record for record in records if record.input is not None]
        self._hold(records, list(self._lab.recorded().touch_downs()[before:]))
        return provenance is not None

    def _hold(self, records: list[StepRecord], taps: list[FeltInput]) -> None:
        """Every step is a tap, in order, with the right screenshot or a flag that says it is uncertain."""
        for number, record in enumerate(records):
            found = next((tap for tap in taps if is_of(record, tap)), None)
            if found is None:
                assert self._mode == "mirror", "a step of passive mode is a tap that was felt"
                assert number == len(records) - 1, "only the last may not have gone out"
                continue
            taps = taps[taps.index(found) + 1 :]
            is_right = record.frame.rgb_sha256 == found.frame.rgb_sha256
            assert is_right or is_doubtful(record) or MIRROR_DOUBTS & set(record.flags), record

    def _live(self, job: Job, *, spared: bool) -> int:
        ours, theirs = _processes.Pipe(duplex=False)
        child = _processes.Process(target=record, args=(job, theirs))
        child.start()
        theirs.close()
        reports: list[Report] = []
        with ours:
            assert ours.poll(60)
            ends_s = time.monotonic() + (PATIENCE_S if spared else self._random.uniform(0, LIFE_S))
            if self._mode == "passive":
                self._tap(job.places, ours, reports, ends_s)
            elif not spared:
                time.sleep(max(0.0, ends_s - time.monotonic()))
            if not spared:
                child.kill()
            reports += all_reports(ours)
        child.join(60)
        assert child.exitcode in {0, -signal.SIGKILL} - ({-signal.SIGKILL} if spared else set())
        return max((report.steps for report in reports), default=0)

    def _tap(self, places: tuple[Pixel, ...], ours: Connection, reports: list[Report], ends_s: float) -> None:
        tapped = 0
        while time.monotonic() < ends_s and tapped < len(places):
            while ours.poll(0.02):
                try:
                    reports.append(ours.recv())
                except EOFError:
                    return
            is_ready = bool(reports) and reports[-1].state.name == "READY"
            if is_ready and max(report.steps for report in reports) >= tapped:
                at = places[tapped]
                self._lab.emulator.guest.window_touch(at.x, at.y, pressed=True)
                self._lab.emulator.guest.window_touch(at.x, at.y, pressed=False)
                tapped += 1


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("way", ["adb", "gRPC"])
@pytest.mark.parametrize("mode", ["mirror", "passive"])
@pytest.mark.parametrize("seed", range(1))
def test_what_a_killed_recorder_leaves_is_what_the_phone_showed(
    lab: Laboratory, tmp_path: Path, mode: Mode, way: str, seed: int
) -> None:
    trial = Trial(lab, tmp_path, way, mode, seed)
    published = sum(trial.go_through(number) for number in range(100))
    assert published >= 100 // SPARED
