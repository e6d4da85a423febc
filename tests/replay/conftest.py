from pathlib import Path

import pytest

from tests.replay.recordings import ONE_OF_EACH, episode_of, write_dataset


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The annotation file of an episode with one action of each kind, in a dataset without provenance."""
    return write_dataset(tmp_path, episode_of(ONE_OF_EACH))
