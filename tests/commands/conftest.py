import os

import pytest

from odyssey_recorder.tasks.templates import template_files
from tests.tasks.sample_tasks import library


@pytest.fixture
def one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks and exports run in this process: to start others takes longer than their work on a few episodes."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


@pytest.fixture
def shipped_templates_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all of them takes longer than most tests."""
    shipped, load = template_files.shipped_templates(), template_files.load_library
    monkeypatch.setattr(
        template_files, "load_library", lambda folders: library() if folders == [shipped] else load(folders)
    )
