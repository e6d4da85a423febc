import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from odyssey_recorder.tasks.templates import template_files
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from tests.tasks.sample_tasks import library


@pytest.fixture
def one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks and exports run in this process: to start others takes longer than their work on a few episodes."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


@pytest.fixture
def shipped_templates_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all of them takes longer than most tests."""
    shipped, load = template_files.shipped_templates(), template_files.load_library

    def load_once(folders: Sequence[Path], team: Path | None = None) -> TemplateLibrary:
        is_shipped = folders == [shipped] and (team is None or not team.exists())
        return library() if is_shipped else load(folders, team)

    monkeypatch.setattr(template_files, "load_library", load_once)
