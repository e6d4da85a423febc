"""A lead with some templates and an empty queue, and a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.frame.background import Background
from tests.gui.tasks.lead_driver import LeadDriver, TaskSetup, copy_templates
from tests.llm.good_model import right
from tests.llm.stand_in import StandIn
from tests.tasks.tasks import queue_of


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read-only."""
    return copy_templates(tmp_path_factory.mktemp("library"))


@pytest.fixture
def setup(templates: Path, tmp_path: Path) -> TaskSetup:
    return TaskSetup(templates, tmp_path, queue_of(tmp_path))


@pytest.fixture
def lead(qtbot: QtBot, background: Background, setup: TaskSetup) -> LeadDriver:
    return LeadDriver(qtbot, background, setup)


@pytest.fixture
def model(setup: TaskSetup) -> Iterator[StandIn]:
    """A model that gives valid answers, available from now on."""
    with StandIn(right) as server:
        setup.server = server
        yield server
        assert server.complaints == []
