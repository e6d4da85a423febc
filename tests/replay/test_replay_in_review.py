"""A replay from the Review page."""

from pathlib import Path

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import CancelledError, DeviceError
from odyssey_recorder.replay.player import StepResult
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.services.review import ReviewService
from tests.fakes import FakeDevice
from tests.replay.recordings import EPISODE_ID, ONE_OF_EACH, episode_of, write_dataset


class Connector:
    def connect(self, serial: str) -> FakeDevice:
        return FakeDevice(serial=serial)


def test_replay_in_review_is_reported_and_kept(tmp_path: Path) -> None:
    write_dataset(tmp_path, episode_of(ONE_OF_EACH[:2] + ONE_OF_EACH[-1:]))
    service = ReviewService(EpisodeIndex(tmp_path, None), Checker(None, 1), lambda: "Bea", Connector())  # type: ignore[arg-type]
    reported: list[StepResult] = []
    with pytest.raises(CancelledError, match="at step 2"):
        service.replay(EPISODE_ID, "fake-1", reported.append, lambda: len(reported) == 2)
    assert ReviewStore(tmp_path).read(EPISODE_ID).entries == ()

    reported.clear()
    evidence = service.replay(EPISODE_ID, "fake-1", reported.append, lambda: False)

    assert (evidence.outcome, evidence.steps) == ("match", ("match",) * 3)
    assert [step.number for step in reported] == [0, 1, 2]
    assert ReviewStore(tmp_path).read(EPISODE_ID).entries == (evidence,)
    assert evidence.revision == service.open(EPISODE_ID).revision


def test_review_without_a_connector_has_no_devices(tmp_path: Path) -> None:
    write_dataset(tmp_path, episode_of(ONE_OF_EACH))
    service = ReviewService(EpisodeIndex(tmp_path, None), Checker(None, 1), lambda: "Bea")
    assert service.devices() == []
    with pytest.raises(DeviceError, match="odyssey-recorder review"):
        service.replay(EPISODE_ID, "emulator-5554", lambda step: None, lambda: False)
