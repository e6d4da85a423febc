"""A replay from the Review page, on a simulated emulator like the recorded one."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.errors import CancelledError, DeviceError
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.reviewing.review import ReplayEvidence
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.recording_service import RecordingService
from odyssey_recorder.replay.player import StepResult
from odyssey_recorder.review_service import ReviewService
from odyssey_recorder.simulator.lab import Lab
from odyssey_recorder.wiring import lab_service
from tests.quality.damaged.errands import ERRANDS
from tests.quality.damaged.recordings import record_all

SEED = 3


@dataclass
class Place:
    service: ReviewService
    episode_id: str
    serial: str

    @property
    def kept(self) -> list[ReplayEvidence]:
        entries = ReviewStore(self.service.root).read(self.episode_id).entries
        return [entry for entry in entries if isinstance(entry, ReplayEvidence)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("recorded")
    errand = next(one for one in ERRANDS if one.name == "dark")
    return folder / "dataset", record_all(folder, seed=SEED, errands=(errand,))[errand.name]


@pytest.fixture
def place(recorded: tuple[Path, str]) -> Iterator[Place]:
    root, episode_id = recorded
    with Lab(Path(find_adb())) as lab:
        service: RecordingService = lab_service(
            lab, EpisodeStore(root, drafts=root), actor="annotator", profile="small_phone"
        )
        serial = lab.phones.start("small_phone", seed=SEED, animation=False)
        yield Place(ReviewService(root, Checker(None, 1), lambda: "Bea", service.connector), episode_id, serial)


def test_how_a_replay_went_is_told_step_by_step_and_kept(place: Place) -> None:
    assert [device.serial for device in place.service.devices()] == [place.serial]
    told: list[StepResult] = []
    evidence = place.service.replay(place.episode_id, place.serial, told.append, lambda: False)
    assert evidence.outcome == "match"
    assert evidence.steps == ("match",) * 7
    assert [step.number for step in told] == list(range(7))
    assert place.kept == [evidence]
    assert evidence.revision == place.service.open(place.episode_id).revision


def test_a_replay_that_is_stopped_is_no_evidence(place: Place) -> None:
    before = place.kept
    told: list[StepResult] = []
    with pytest.raises(CancelledError, match="at step 2"):
        place.service.replay(place.episode_id, place.serial, told.append, lambda: len(told) == 3)
    assert place.kept == before


def test_without_devices_in_reach_there_is_nothing_to_replay_on(recorded: tuple[Path, str]) -> None:
    root, episode_id = recorded
    service = ReviewService(root, Checker(None, 1), lambda: "Bea")
    assert service.devices() == []
    with pytest.raises(DeviceError, match="odyssey-recorder review"):
        service.replay(episode_id, "emulator-5554", lambda step: None, lambda: False)
