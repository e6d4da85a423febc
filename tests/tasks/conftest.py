"""The shipped templates, and databases of the queue: a file, and a PostgreSQL server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.tasks.templates.template import TemplateLibrary
from tests.tasks import sample_tasks
from tests.tasks.queues import Queues


@pytest.fixture(scope="session")
def library() -> TemplateLibrary:
    """The shipped templates; loading them raises if there is any problem."""
    return sample_tasks.library()


@pytest.fixture(params=["file", "server"])
def queues(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Queues]:
    opened = Queues(tmp_path, request.getfixturevalue("emptied_database")() if request.param == "server" else "")
    yield opened
    opened.close()
