"""The recorder is killed at random moments, with the real adb: no step is lost, and no screenshot is wrong.

A chain of recorders takes up one draft after the other over adb; in every mode and over both ways each is new.
"""

import hashlib
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.dataset.draft import Draft, DraftStep
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulator.journal import RecordedInput
from tests.dataset.drafts import ORIGIN, begin, store_in
from tests.end_to_end.laboratory import Laboratory, place_of
from tests.end_to_end.recording_child import PATIENCE_S, Job, Report, all_reports, started
from tests.end_to_end.test_faults_in_a_row import MIRROR_DOUBTS, PASSIVE_DOUBTS, has_any, is_of, start_of
from tests.recording.recording_bench import RecordingBench

LIFE_S = 1.0
"""The longest life of a child after its start; a step takes a third of it."""
SPARED = 5
TAPS = 4


@dataclass(frozen=True)
class Fate:
    """When to kill a child: after `life_s`, then, if `sending`, once an input is being sent, and after `more_s`."""

    life_s: float
    sending: bool
    more_s: float


class Chain:
    def __init__(self, lab: Laboratory, store: EpisodeStore, drafts: Path) -> None:
        self.lab = lab
        self.store = store
        self._drafts = drafts
        with closing(begin(store)) as draft:
            self.episode_id = draft.episode_id
        self._taps_before = len(lab.recorded().touch_downs())
        self._used = 0

    def job(self, *, complete: bool = False) -> Job:
        taps = self.lab.places(self._used, 2 if complete else 20)
        self._used += 20
        port = self.lab.server.port
        return Job(self.lab.serial, port, self.store.root, self._drafts, self.episode_id, tuple(taps), complete)

    def live(self, job: Job, fate: Fate | None) -> list[Report]:
        reports: list[Report] = []
        with started(job) as (child, ours):
            if fate is not None:
                assert ours.poll(60)
                time.sleep(fate.life_s)
                reports += _until_sending(ours) if fate.sending else []
                time.sleep(fate.more_s)
                child.kill()
            reports += all_reports(ours)
        assert child.exitcode == (0 if fate is None else -signal.SIGKILL)
        return reports

    def taps(self) -> dict[Pixel, str]:
        downs = self.lab.recorded().touch_downs()[self._taps_before :]
        return {place_of(tap): tap.frame.rgb_sha256 for tap in downs}

    def assert_all_is_there(self, reports: list[Report], *, was_uncertain: bool) -> bool:
        """Compare the draft with the reports and the journal; returns whether its last step is uncertain."""
        [offered] = self.store.drafts()
        assert offered.episode_id == self.episode_id
        with closing(self.store.resume(self.episode_id)) as draft:
            reported = reports[-1].steps
            assert len(draft.steps) == offered.steps
            assert reported - was_uncertain <= len(draft.steps) <= reported + 1, "what was reported is there"
            done = self.taps()
            sent = {start_of(step.record): step for step in draft.steps if start_of(step.record) in done}
            assert list(sent) == list(done), "each tap that the phone felt is a step, in order"
            for place, step in sent.items():
                assert screenshot_of(step) == done[place], "the screenshot is that which the tap met"
            unsent = [step for step in draft.steps if start_of(step.record) not in done]
            assert unsent == ([draft.steps[-1]] if unsent else []), "only the last may not have gone out"
            assert not unsent or draft.uncertain
            return draft.uncertain


def _until_sending(reports: Connection) -> list[Report]:
    heard: list[Report] = []
    while not heard or heard[-1].state is not State.INJECTING:
        heard.append(reports.recv())
    return heard


@contextmanager
def closing(draft: Draft) -> Iterator[Draft]:
    try:
        yield draft
    finally:
        draft.close()


def screenshot_of(step: DraftStep) -> str:
    with Image.open(step.screenshot) as image:
        return hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()


def assert_published(chain: Chain) -> None:
    provenance = chain.store.provenance(chain.episode_id)
    assert provenance is not None
    episode = chain.store.load(chain.episode_id)
    done = list(chain.taps().items())
    assert len(episode.steps) == len(done) + 1
    for number, (place, shown) in enumerate(done):
        assert start_of(provenance.steps[number]) == place
        with Image.open(chain.store.screenshot_path(episode, number)) as image:
            assert hashlib.sha256(image.convert("RGB").tobytes()).hexdigest() == shown
    assert chain.store.drafts() == []


@pytest.mark.parametrize(("chains", "children", "seed"), [(1, 5, 0), pytest.param(100, 10, 5, marks=pytest.mark.soak)])
def test_a_recorder_that_is_killed_at_random_instants_loses_no_step(
    lab: Laboratory, tmp_path: Path, chains: int, children: int, seed: int
) -> None:
    rng = random.Random(seed)
    for _ in range(chains):
        chain = Chain(lab, store_in(tmp_path), tmp_path / "drafts")
        uncertain = False
        for number in range(children):
            sending = number % 2 == 0  # the most delicate moment
            fate = Fate(rng.uniform(0, LIFE_S), sending, rng.uniform(0, 0.03) if sending else 0.0)
            reports = chain.live(chain.job(), fate)
            uncertain = chain.assert_all_is_there(reports, was_uncertain=uncertain)
        chain.live(chain.job(complete=True), None)
        assert_published(chain)


class Trial:
    """A new recording after the other, one in five of which survives and publishes."""

    def __init__(self, lab: Laboratory, folder: Path, way: str, mode: Mode) -> None:
        self._lab = lab
        self._service = RecordingBench(folder)
        self._folder = folder
        self._running = folder / "running" if way == "gRPC" else None
        self._mode: Mode = mode
        self._random = random.Random(0)

    def go_through(self, number: int) -> bool:
        """Returns whether the episode was published."""
        draft = self._service.draft(ORIGIN.model_copy(update={"mode": self._mode}))
        draft.close()
        taps = tuple(self._lab.places(number * TAPS, TAPS))
        before = len(self._lab.recorded().touch_downs())
        store, drafts = self._service.store, self._folder / "drafts"
        port = self._lab.server.port
        job = Job(self._lab.serial, port, store.root, drafts, draft.episode_id, taps, True, self._running)
        reported = self._live(job, spared=number % SPARED == SPARED - 1)
        provenance = store.provenance(draft.episode_id)
        if provenance is not None:
            records = list(provenance.steps)
        else:
            with closing(store.resume(draft.episode_id)) as left:
                records = [step.record for step in left.steps]
        may_be_taken_back = self._mode == "mirror"
        assert len(records) >= reported - may_be_taken_back, "what was reported is there"
        self._hold(
            [step for step in records if step.input is not None], list(self._lab.recorded().touch_downs()[before:])
        )
        return provenance is not None

    def _hold(self, steps: list[StepRecord], taps: list[RecordedInput]) -> None:
        """Every step is a tap, in order, with the right screenshot or a flag that says it is uncertain."""
        for number, step in enumerate(steps):
            found = next((tap for tap in taps if is_of(step, tap)), None)
            if found is None:
                assert self._mode == "mirror", "a step of passive mode is a tap that was felt"
                assert number == len(steps) - 1, "only the last may not have gone out"
                continue
            taps = taps[taps.index(found) + 1 :]
            is_right = step.frame.rgb_sha256 == found.frame.rgb_sha256
            assert is_right or has_any(step, MIRROR_DOUBTS | PASSIVE_DOUBTS), step

    def _live(self, job: Job, *, spared: bool) -> int:
        reports: list[Report] = []
        with started(job) as (child, ours):
            assert ours.poll(60)
            ends_s = time.monotonic() + (PATIENCE_S if spared else self._random.uniform(0, 1.5 * LIFE_S))
            if self._mode == "passive":
                self._tap(job.taps, ours, reports, ends_s)
            elif not spared:
                time.sleep(max(0.0, ends_s - time.monotonic()))
            if not spared:
                child.kill()
            reports += all_reports(ours)
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
            is_ready = bool(reports) and reports[-1].state is State.READY
            if is_ready and max(report.steps + report.refused for report in reports) >= tapped:
                at = places[tapped]
                self._lab.emulator.guest.window_touch(at.x, at.y, pressed=True)
                self._lab.emulator.guest.window_touch(at.x, at.y, pressed=False)
                tapped += 1


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("way", ["adb", "gRPC"])
@pytest.mark.parametrize("mode", ["mirror", "passive"])
def test_what_a_killed_recorder_leaves_is_what_the_phone_showed(
    lab: Laboratory, tmp_path: Path, mode: Mode, way: str
) -> None:
    trial = Trial(lab, tmp_path, way, mode)
    published = sum(trial.go_through(number) for number in range(100))
    assert published >= 100 // SPARED
