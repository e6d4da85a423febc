"""The recorder is killed at random moments, with the real adb: no step is lost, and no screenshot is wrong.

One test resumes the same draft with recorder after recorder; the other starts a new episode in every mode and way.
"""

import random
import signal
import time
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import screenshot_path
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.state import State
from odyssey_simulator.journal import RecordedInput
from tests.dataset.drafts import ORIGIN, begin, store_in
from tests.end_to_end import journal_checks as journal
from tests.end_to_end.emulator_bench import EmulatorBench, tap_window
from tests.end_to_end.recording_child import Job, Report, all_reports, running_child
from tests.end_to_end.recording_setup import PATIENCE_S
from tests.recording.recording_bench import RecordingBench

LIFE_S = 1.0
"""The longest life of a child after its start; a step takes a third of it."""
SPARED = 5
TAPS = 4


class ResumedDraft:
    """A draft over adb in mirror mode that killed recorders resume one after the other."""

    def __init__(self, bench: EmulatorBench, folder: Path) -> None:
        self._bench = bench
        self._store = store_in(folder)
        self._drafts = folder / "drafts"
        with closing(begin(self._store)) as draft:
            self._episode_id = draft.episode_id
        self._taps_before = len(bench.touch_downs())
        self._used = 0
        self._is_uncertain = False

    def record_and_kill(self, rng: random.Random, *, while_sending: bool) -> None:
        life_s, more_s = rng.uniform(0, LIFE_S), rng.uniform(0, 0.03) if while_sending else 0.0
        reports: list[Report] = []
        with running_child(self._job(taps=20)) as (child, connection):
            assert connection.poll(60)
            time.sleep(life_s)
            while while_sending and (not reports or reports[-1].state is not State.INJECTING):
                reports.append(connection.recv())
            time.sleep(more_s)
            child.kill()
            reports += all_reports(connection)
        assert child.exitcode == -signal.SIGKILL
        self._compare_draft(reports[-1].steps)

    def complete(self) -> None:
        with running_child(self._job(taps=2, complete=True)) as (child, connection):
            all_reports(connection)
        assert child.exitcode == 0
        episode, provenance = journal.published(self._store, self._episode_id)
        felt = list(self._felt().items())
        assert len(episode.steps) == len(felt) + 1
        for number, (position, shown) in enumerate(felt):
            assert journal.step_position(provenance.steps[number]) == position
            assert journal.pixel_hash(self._store.root / screenshot_path(episode.episode_id, number)) == shown
        assert self._store.drafts() == []

    def _job(self, *, taps: int, complete: bool = False) -> Job:
        positions = tuple(self._bench.positions(self._used, taps))
        self._used += 20
        port, root = self._bench.server.port, self._store.root
        return Job(self._bench.serial, port, root, self._drafts, self._episode_id, positions, complete)

    def _felt(self) -> dict[Pixel, str]:
        """What each tap met on the screen."""
        return {
            journal.tap_position(tap): tap.frame.rgb_sha256 for tap in self._bench.touch_downs()[self._taps_before :]
        }

    def _compare_draft(self, reported: int) -> None:
        """Compare the draft with the reports and the journal, and remember whether its last step is uncertain."""
        [offered] = self._store.drafts()
        assert offered.episode_id == self._episode_id
        with closing(self._store.resume(self._episode_id)) as draft:
            assert len(draft.steps) == offered.steps
            assert reported - self._is_uncertain <= len(draft.steps) <= reported + 1, "reported steps are in the draft"
            felt = self._felt()
            sent = {
                journal.step_position(step.record): step
                for step in draft.steps
                if journal.step_position(step.record) in felt
            }
            assert list(sent) == list(felt), "each tap that the phone felt is a step, in order"
            for position, step in sent.items():
                assert journal.pixel_hash(step.screenshot) == felt[position], "the screenshot is what the tap met"
            unsent = [step for step in draft.steps if journal.step_position(step.record) not in felt]
            assert unsent == ([draft.steps[-1]] if unsent else []), "only the last may be unsent"
            assert not unsent or draft.uncertain
            self._is_uncertain = draft.uncertain


@pytest.mark.parametrize(("drafts", "kills", "seed"), [(1, 5, 0), pytest.param(100, 10, 5, marks=pytest.mark.soak)])
def test_recorder_killed_at_random_moments_loses_no_step(
    bench: EmulatorBench, tmp_path: Path, drafts: int, kills: int, seed: int
) -> None:
    rng = random.Random(seed)
    for _ in range(drafts):
        draft = ResumedDraft(bench, tmp_path)
        for number in range(kills):
            draft.record_and_kill(rng, while_sending=number % 2 == 0)  # the most delicate moment
        draft.complete()


class KilledRecordings:
    """New recordings, one in five of which survives and publishes."""

    def __init__(self, bench: EmulatorBench, folder: Path, way: str, mode: Mode) -> None:
        self._bench = bench
        self._service = RecordingBench(folder)
        self._drafts = folder / "drafts"
        self._running = folder / "running" if way == "gRPC" else None
        self._mode: Mode = mode
        self._random = random.Random(0)

    def record(self, number: int) -> bool:
        """Returns whether the episode was journal.published."""
        draft = self._service.draft(ORIGIN.model_copy(update={"mode": self._mode}))
        draft.close()
        taps = tuple(self._bench.positions(number * TAPS, TAPS))
        before = len(self._bench.touch_downs())
        store, port = self._service.store, self._bench.server.port
        job = Job(self._bench.serial, port, store.root, self._drafts, draft.episode_id, taps, True, self._running)
        reported = self._run(job, spared=number % SPARED == SPARED - 1)
        provenance = store.provenance(draft.episode_id)
        if provenance is not None:
            records = list(provenance.steps)
        else:
            with closing(store.resume(draft.episode_id)) as left:
                records = [step.record for step in left.steps]
        may_be_undone = self._mode == "mirror"
        assert len(records) >= reported - may_be_undone, "reported steps are in the draft"
        self._compare([step for step in records if step.input is not None], self._bench.touch_downs()[before:])
        return provenance is not None

    def _compare(self, steps: list[StepRecord], taps: list[RecordedInput]) -> None:
        """Every step is a tap, in order, with the right screenshot or a flag that says it is uncertain."""
        for number, step in enumerate(steps):
            found = next((tap for tap in taps if journal.is_same_touch(step, tap)), None)
            if found is None:
                assert self._mode == "mirror", "a step of passive mode is a tap that was felt"
                assert number == len(steps) - 1, "only the last may be unsent"
                continue
            taps = taps[taps.index(found) + 1 :]
            assert journal.is_same_screen(step, found) or journal.has_any(
                step, journal.MIRROR_DOUBTS | journal.PASSIVE_DOUBTS
            ), step

    def _run(self, job: Job, *, spared: bool) -> int:
        """Returns how many steps the child reported."""
        reports: list[Report] = []
        with running_child(job) as (child, connection):
            assert connection.poll(60)
            ends_s = time.monotonic() + (PATIENCE_S if spared else self._random.uniform(0, 1.5 * LIFE_S))
            if self._mode == "passive":
                self._tap(job.taps, connection, reports, ends_s)
            elif not spared:
                time.sleep(max(0.0, ends_s - time.monotonic()))
            if not spared:
                child.kill()
            reports += all_reports(connection)
        assert child.exitcode in ({0} if spared else {0, -signal.SIGKILL})
        return max((report.steps for report in reports), default=0)

    def _tap(self, positions: tuple[Pixel, ...], connection: Connection, reports: list[Report], ends_s: float) -> None:
        tapped = 0
        while time.monotonic() < ends_s and tapped < len(positions):
            while connection.poll(0.02):
                try:
                    reports.append(connection.recv())
                except EOFError:
                    return
            is_ready = bool(reports) and reports[-1].state is State.READY
            if is_ready and max(report.steps + report.refused for report in reports) >= tapped:
                tap_window(self._bench.emulator, positions[tapped])
                tapped += 1


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("way", ["adb", "gRPC"])
@pytest.mark.parametrize("mode", ["mirror", "passive"])
def test_steps_of_killed_recorder_match_the_journal(bench: EmulatorBench, tmp_path: Path, mode: Mode, way: str) -> None:
    recordings = KilledRecordings(bench, tmp_path, way, mode)
    published_count = sum(recordings.record(number) for number in range(100))
    assert published_count >= 100 // SPARED
