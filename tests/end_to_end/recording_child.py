"""Recording in a child process that a test may kill."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.discovery import find_control
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.contacts import LossCause
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.engine import RecordingRules
from odyssey_recorder.recording.notice import Notice
from odyssey_recorder.recording.provenance_records import frame_of
from odyssey_recorder.recording.raw_input import BLIND, NO_SCREENSHOT
from odyssey_recorder.recording.raw_input_queue import LOST
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.view import RecordingView
from tests.end_to_end.recording_setup import PATIENCE_S, ready
from tests.recording.recording_bench import Annotator

_REFUSALS = (BLIND, NO_SCREENSHOT, LOST.format(LossCause.PLACE_UNKNOWN.value))
"""Notices about an input in passive mode that does not become a step."""
STATUS_BAR_PX = 60
_processes = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else None
)
_processes.set_forkserver_preload(["tests.end_to_end.recording_child"])


@dataclass(frozen=True)
class Job:
    """What a child records: taps, which in passive mode come from the test; `complete` ends the episode.

    `running` is where emulators announce their gRPC service; without it the child uses adb alone.
    """

    serial: str
    server_port: int
    dataset: Path
    drafts: Path
    episode_id: str
    taps: tuple[Pixel, ...]
    complete: bool = False
    running: Path | None = None

    def device(self) -> Device:
        shell = AdbShell(self.serial, AdbServer(port=self.server_port))
        if self.running is None:
            return AdbDevice(shell)
        find = partial(find_control, self.serial, (self.running,))
        device = EmulatorDevice(shell, GrpcOptions(find, shares_memory=False))
        device.wait_until_ready(PATIENCE_S)
        return device


@dataclass(frozen=True)
class Report:
    """`refused`: inputs in passive mode that became no step, with a notice."""

    state: State
    steps: int
    message: str
    refused: int = 0


@contextmanager
def running_child(job: Job) -> Iterator[tuple[BaseProcess, Connection]]:
    """The child, and the connection that its reports come from; waits for its end."""
    ours, theirs = _processes.Pipe(duplex=False)
    child = _processes.Process(target=record, args=(job, theirs))
    child.start()
    theirs.close()
    with ours:
        yield child, ours
    child.join(60)


def all_reports(child: Connection) -> list[Report]:
    reports: list[Report] = []
    try:
        while True:
            reports.append(child.recv())
    except (EOFError, OSError):  # OSError in the middle of a report
        return reports


class Reporter(Annotator):
    """Reports every change and notice to the parent; a kill during a report loses only that one."""

    def __init__(self, parent: Connection) -> None:
        super().__init__()
        self._parent = parent

    @property
    def refused(self) -> int:
        return sum(text in _REFUSALS for text in self.notices)

    def changed(self, view: RecordingView) -> None:
        super().changed(view)
        self._report()

    def notice(self, notice: Notice) -> None:
        super().notice(notice)
        self._report()

    def _report(self) -> None:
        if self.views:
            view = self.views[-1]
            self._parent.send(Report(view.state, len(view.steps), view.message, self.refused))


def record(job: Job, parent: Connection) -> None:
    store = EpisodeStore(job.dataset, drafts=job.drafts)
    rules = RecordingRules(TouchRules.for_density(320), NavigationRules.for_density(320), SettleRule(still_ms=40))
    reporter = Reporter(parent)
    recorder = Recorder(job.device(), store.resume(job.episode_id), store, listener=reporter, rules=rules)
    recorder.start()
    parent.send(Report(State.IDLE, len(recorder.view.steps), "started"))
    try:
        resume(recorder, reporter)
        if recorder.mode == "passive":
            reporter.wait(lambda: len(recorder.view.steps) + reporter.refused == len(job.taps), PATIENCE_S)
        else:
            for position in job.taps:
                tap_in_mirror(recorder, reporter, position)
        if job.complete:
            ready(recorder)
            recorder.complete("done")
            recorder.wait_for(lambda view: view.published is not None, PATIENCE_S)
    finally:
        recorder.stop()
        recorder.join()


def resume(recorder: Recorder, reporter: Reporter) -> None:
    """If asked whether the last step was carried out, compare the device's screen."""
    view = recorder.wait_for(lambda view: view.state in {State.READY, State.RESTORING, State.FINISHED}, PATIENCE_S)
    if view.state is not State.RESTORING:
        return
    assert view.goal is not Goal.LEFT, "the phone still shows the last screen"
    assert view.wanted is not None
    assert reporter.newest is not None
    if view.goal is Goal.UNCERTAIN and reporter.newest.shows_same_as(
        frame_of(view.wanted), ignore_top_px=STATUS_BAR_PX
    ):
        recorder.undo()
    else:
        recorder.accept_screen()


def tap_in_mirror(recorder: Recorder, annotator: Annotator, at: Pixel) -> None:
    """Repeat the tap until it is recorded: it is refused if the screen has changed meanwhile."""
    steps = len(ready(recorder).steps)
    while len((view := ready(recorder)).steps) == steps:
        notices = len(annotator.notices)
        assert view.frame_number is not None
        recorder.touch_down(view.frame_number, at)
        recorder.lift(TouchStroke.press(at))
        annotator.wait(lambda n=notices: len(recorder.view.steps) > steps or len(annotator.notices) > n, PATIENCE_S)  # type: ignore[misc]
