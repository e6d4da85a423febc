"""What holds for every test: Qt draws off screen, Ctrl-C works, an unexpected log record is a failure."""

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.command_line"]

TESTS = Path(__file__).parent
LONGEST = ("end_to_end", "commands", "quality", "task", "replay", "gui")
"""The folders whose files take longest, which begin first: no process is left alone with a long file in the end."""

# Qt reads it when the application is made. A test of a real window sets another in a process of its own.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# The keyring of whoever runs the tests is left alone, by this process and those that it starts.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

# What a shell starts in the background ignores Ctrl-C, and so would all the programs that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No example has a time limit: a busy computer is no fault. Where a result must repeat, so do the examples.
settings.register_profile(
    "odyssey", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("odyssey")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folders that take longest."""
    items.sort(key=lambda item: LONGEST.index(_folder(item)) if _folder(item) in LONGEST else len(LONGEST))


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(TESTS).parts[0]


@pytest.fixture(autouse=True)
def _no_unexpected_log_record(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A test that expects a warning in the log reads it from `caplog`, then calls `caplog.clear()`."""
    yield
    unexpected = [record for record in caplog.get_records("call") if record.levelno >= logging.WARNING]
    assert not unexpected, f"unexpected log records: {[record.getMessage() for record in unexpected]}"
