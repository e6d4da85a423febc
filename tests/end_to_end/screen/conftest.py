import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.checking.damaged.recordings import record_tasks
from tests.checking.damaged.scripted_tasks import SCRIPTED_TASKS
from tests.end_to_end.screen.display import Display
from tests.end_to_end.screen.phone import PROFILE_PARAMETERS, simulated_phone
from tests.end_to_end.screen.program import LIMIT_MS
from tests.end_to_end.screen.sandbox import Sandbox
from tests.end_to_end.screen.window import ROOT

SCREENSHOTS = Path(os.environ["ODYSSEY_TEST_SCREENSHOTS"]) if os.environ.get("ODYSSEY_TEST_SCREENSHOTS") else None
"""The folder for screenshots of the window, or None."""
SLOW = ROOT / "build" / "slow.txt"


def pytest_configure(config: pytest.Config) -> None:
    """Only in the main process."""
    if not hasattr(config, "workerinput"):
        SLOW.unlink(missing_ok=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if SCREENSHOTS is not None:
        terminalreporter.write_line(f"Screenshots of the window: {SCREENSHOTS}")
    slow = SLOW.read_text(encoding="utf-8").splitlines() if SLOW.exists() else []
    for line in sorted(slow, key=lambda line: float(line.partition("(")[2].partition(" ")[0]), reverse=True)[:5]:
        terminalreporter.write_line(f"The GUI thread took {line}")


@pytest.fixture(scope="session")
def display() -> Iterator[Display]:
    with Display() as started:
        yield started


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A dataset with an episode of seven steps, recorded on a small phone, and the id of the episode."""
    folder = tmp_path_factory.mktemp("recorded")
    scripted = next(one for one in SCRIPTED_TASKS if one.name == "dark")
    return folder / "dataset", record_tasks(folder, seed=0, tasks=(scripted,))[scripted.name]


@pytest.fixture(params=PROFILE_PARAMETERS)
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def sandbox(display: Display, adb_server: PrivateAdbServer, profile: str, tmp_path: Path) -> Iterator[Sandbox]:
    """Fails on slow events, and on warnings in the log."""
    with simulated_phone(adb_server, profile, tmp_path) as phone:
        sandbox = Sandbox(display, adb_server, phone, tmp_path, SCREENSHOTS)
        yield sandbox
    SLOW.parent.mkdir(exist_ok=True)
    with SLOW.open("a", encoding="utf-8") as file:
        file.writelines(f"{str(slow).splitlines()[0]}\n" for slow in sandbox.slow)
    busy = [str(slow) for slow in sandbox.slow if slow.worked_ms > LIMIT_MS]
    assert not busy, "\n".join(busy)
    assert not sandbox.warnings(), "\n".join(sandbox.warnings())
