import os
from pathlib import Path

import pytest

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.store import EpisodeStore
from tests.dataset.drafts import begin, store_in
from tests.dataset.published_episode import PublishedEpisode, recorded


@pytest.fixture(autouse=True)
def _no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait until data are on the disk: no test can see it, and it takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    return store_in(tmp_path)


@pytest.fixture
def draft(store: EpisodeStore) -> Draft:
    return begin(store)


@pytest.fixture
def published(tmp_path: Path) -> PublishedEpisode:
    return recorded(tmp_path)
