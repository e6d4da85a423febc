"""An episode of the simulated phone, made once for each test module and copied for each test."""

import shutil
from pathlib import Path

import pytest

from tests.annotation.episode_dataset import EPISODE, EpisodeDataset
from tests.annotation.phone_dataset import CapturedStep, look_around


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[CapturedStep]]:
    """A dataset whose episode has as many steps as the module's constant `STEPS`."""
    root = tmp_path_factory.mktemp("made")
    return root, look_around(root, EPISODE, request.module.STEPS)


@pytest.fixture
def recorded(made: tuple[Path, list[CapturedStep]], tmp_path: Path) -> EpisodeDataset:
    root, captured = made
    return EpisodeDataset(shutil.copytree(root, tmp_path / "dataset"), captured)
