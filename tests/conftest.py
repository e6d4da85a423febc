"""Applies to every test: Qt draws off screen, Ctrl-C works, an unexpected log record is a failure."""

import gc
import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.cli", "tests.tasks.postgres"]

TESTS = Path(__file__).parent
SLOWEST = (
    *("services/test_device_check.py", "end_to_end", "test_cli.py", "test_api.py", "commands", "agents", "exporting"),
    *("annotation", "device", "checking", "tasks", "replay", "services", "gui"),
)
"""They run first, so that no process is left with a long file at the end."""

# Qt reads it when the application is created. A test with a real window sets another in its own process.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Keeps the user's keyring out of this process and those that it starts.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

# A simulated emulator dumps its views at once. Tests of the dump's own timing set it themselves.
os.environ["ODYSSEY_SIMULATOR_DUMP_S"] = "0"

# A process that a shell starts in the background ignores Ctrl-C, and so would the programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples have no time limit, because the computer may be busy. In CI they are the same on every run.
settings.register_profile(
    "odyssey", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("odyssey")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Nothing that is loaded becomes garbage."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_start_order)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remove what a test of the window left, which turns garbage collection off; only then turn it on again.

    What stays belongs to the whole session. It is left out of later collections, which would mostly look at it.
    """
    if not gc.isenabled():
        gc.collect()
        gc.freeze()
    if "qtbot" not in getattr(item, "fixturenames", ()):
        gc.enable()


def _start_order(item: pytest.Item) -> int:
    path = item.path.relative_to(TESTS).as_posix()
    return next((place for place, one in enumerate(SLOWEST) if path.startswith(one)), len(SLOWEST))


@pytest.fixture(autouse=True)
def _no_unexpected_log_record(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A test that expects a warning reads it from `caplog`, then calls `caplog.clear()`."""
    yield
    unexpected = [record for record in caplog.get_records("call") if record.levelno >= logging.WARNING]
    assert not unexpected, f"unexpected log records: {[record.getMessage() for record in unexpected]}"
