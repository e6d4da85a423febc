"""The recorder is killed at random moments, with the real adb: no step is lost, and no screenshot is wrong."""

import hashlib
import multiprocessing
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
from odyssey_recorder.dataset.provenance import StrokeRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.dataset.drafts import begin, store_in
from tests.end_to_end.laboratory import Laboratory, laboratory
from tests.end_to_end.recording_child import Job, Report, all_reports, record

LIFE_S = 1.0
"""The longest life of a child after its start; a step takes a third of it."""
CHILDREN = 10

_processes = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else None
)
_processes.set_forkserver_preload(["tests.end_to_end.recording_child"])


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
        self._taps_before = len(lab.taps())
        self._used = 0

    def job(self, *, complete: bool = False) -> Job:
        taps = self.lab.places(self._used, 2 if complete else 20)
        self._used += 20
        port = self.lab.server.port
        return Job(self.lab.serial, port, self.store.root, self._drafts, self.episode_id, tuple(taps), complete)

    def live(self, job: Job, fate: Fate | None) -> list[Report]:
        ours, theirs = _processes.Pipe(duplex=False)
        child = _processes.Process(target=record, args=(job, theirs))
        child.start()
        theirs.close()
        reports: list[Report] = []
        with ours:
            if fate is not None:
                assert ours.poll(60)
                time.sleep(fate.life_s)
                reports += _until_sending(ours) if fate.sending else []
                time.sleep(fate.more_s)
                child.kill()
            reports += all_reports(ours)
        child.join(60)
        assert child.exitcode == (0 if fate is None else -signal.SIGKILL)
        return reports

    def taps(self) -> dict[Pixel, str]:
        return {tap.at: tap.shown for tap in self.lab.taps()[self._taps_before :]}

    def assert_all_is_there(self, reports: list[Report], *, was_uncertain: bool) -> bool:
        """Compare the draft with the reports and the journal; returns whether its last step is uncertain."""
        [offered] = self.store.drafts()
        assert offered.episode_id == self.episode_id
        with closing(self.store.resume(self.episode_id)) as draft:
            reported = reports[-1].steps
            assert len(draft.steps) == offered.steps
            assert reported - was_uncertain <= len(draft.steps) <= reported + 1, "what was reported is there"
            done = self.taps()
            sent = [step for step in draft.steps if place_of(step) in done]
            assert [place_of(step) for step in sent] == list(done), "each tap that the phone felt is a step, in order"
            for step in sent:
                assert picture_of(step) == done[place_of(step)], "the picture is that which the tap met"
            unsent = [step for step in draft.steps if place_of(step) not in done]
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


def place_of(step: DraftStep) -> Pixel:
    stroke = step.record.input
    assert isinstance(stroke, StrokeRecord)
    x, y, _ = stroke.samples[0]
    return Pixel(x, y)


def picture_of(step: DraftStep) -> str:
    with Image.open(step.picture) as image:
        return hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()


def kill_and_check(server: PrivateAdbServer, folder: Path, *, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    store = store_in(folder)
    with laboratory(server, folder) as lab:
        for _ in range(0, kills, CHILDREN):
            chain = Chain(lab, store, folder / "drafts")
            uncertain = False
            for number in range(CHILDREN):
                sending = number % 2 == 0  # the most delicate moment
                fate = Fate(rng.uniform(0, LIFE_S), sending, rng.uniform(0, 0.03) if sending else 0.0)
                reports = chain.live(chain.job(), fate)
                uncertain = chain.assert_all_is_there(reports, was_uncertain=uncertain)
            chain.live(chain.job(complete=True), None)
            assert_published(chain)


def assert_published(chain: Chain) -> None:
    provenance = chain.store.provenance(chain.episode_id)
    assert provenance is not None
    episode = chain.store.load(chain.episode_id)
    done = list(chain.taps().items())
    assert len(episode.steps) == len(done) + 1
    for number, (place, shown) in enumerate(done):
        record = provenance.steps[number]
        assert isinstance(record.input, StrokeRecord)
        assert record.input.samples[0][:2] == (place.x, place.y)
        with Image.open(chain.store.screenshot_path(episode, number)) as image:
            assert hashlib.sha256(image.convert("RGB").tobytes()).hexdigest() == shown
    assert chain.store.drafts() == []


@pytest.mark.parametrize(("kills", "seed"), [(CHILDREN, 0), pytest.param(1000, 5, marks=pytest.mark.soak)])
def test_a_recorder_that_is_killed_at_random_instants_loses_no_step(
    adb_server: PrivateAdbServer, tmp_path: Path, kills: int, seed: int
) -> None:
    kill_and_check(adb_server, tmp_path, kills=kills, seed=seed)
