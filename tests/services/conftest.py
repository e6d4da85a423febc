"""A dataset for window and command line, and the fixtures of the window."""

from pathlib import Path

import pytest

from odyssey_recorder.curation.retired import RetireDecision, record_decisions
from tests.dataset.drafts import provenance_of, write_provenance
from tests.exporting.sample import ids, write_dataset
from tests.gui.conftest import _frozen_modules, background, clean_home, device, open_at, open_window, qtbot, service

__all__ = [
    "_frozen_modules",
    "background",
    "clean_home",
    "device",
    "open_at",
    "open_window",
    "qtbot",
    "service",
]

RETIRED, BY_AGENT = ids(10)[2], ids(10)[5]
"""In the test part of the random split."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Ten episodes, one of them retired, another recorded by an agent."""
    root = tmp_path / "dataset"
    write_dataset(root, 10)
    write_provenance(root, provenance_of(BY_AGENT, actor="agent"))
    record_decisions(root, [RetireDecision(episode_id=RETIRED, decision="retire", who="Ada")])
    return root
