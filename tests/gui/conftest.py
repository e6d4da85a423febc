"""Fixtures of the window's tests, and the application they share."""

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keyring
import pytest
import shiboken6
from keyring.backends import fail
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.bridges.recording import RecordingController
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.application import GarbageCollector, prepare, use_text_size, use_theme
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.window.pages import load_pages
from odyssey_recorder.services.recording import RecordingService
from tests.fakes import FakeDevice
from tests.gui.fakes import FakeRecordings
from tests.gui.pilot import OpenAt, OpenWindow, Pilot
from tests.keyrings import MemoryKeyring

PATIENCE_MS = 60_000


class PatientBot(QtBot):
    """Waits longer than pytest-qt's default, for a computer that is busy."""

    def waitUntil(  # noqa: N802 - its name there
        self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS
    ) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **more: Any) -> Any:  # noqa: N802 - likewise
        return super().waitSignal(signal, timeout=timeout, **more)


@pytest.fixture(scope="session")
def _frozen_modules(qapp: QApplication) -> Iterator[None]:
    """Excludes the modules from garbage collection, and collects the last closed window before the application ends."""
    load_pages()
    gc.collect()
    gc.freeze()
    yield
    gc.collect()


@pytest.fixture
def qtbot(qapp: QApplication, _frozen_modules: None, request: pytest.FixtureRequest) -> Iterator[QtBot]:
    """Keeps other threads, and Qt's own destructors, from garbage-collecting closed windows.

    Python's collector stays off until a test without a window begins: a collection that starts within a destructor
    of Qt, which may hold a lock, and deletes a window there never ends. The next test begins with a collection.
    """
    collector = GarbageCollector(qapp)
    collector.start()
    yield PatientBot(request)
    gc.disable()
    shiboken6.delete(collector)


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


@pytest.fixture
def clean_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Isolates the tests from the user's settings, keyring and colours."""
    for variable in [name for name in os.environ if name.startswith("ODYSSEY_")]:
        monkeypatch.delenv(variable)
    monkeypatch.delenv("ANDROID_ADB_SERVER_PORT", raising=False)
    for variable in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    keyring.set_keyring(MemoryKeyring())
    yield
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    use_theme("system")
    use_text_size("normal")


@pytest.fixture
def program_style(qapp: QApplication) -> Iterator[None]:
    """The program's own style and font, on which text widths depend."""
    style, font = qapp.style().objectName(), qapp.font()
    prepare(qapp)
    yield
    qapp.setStyle(style)
    qapp.setFont(font)


@pytest.fixture
def device() -> FakeDevice:
    """A simulated emulator, which practice needs."""
    fake = FakeDevice()
    fake.avd_name = "Simulated_fake"
    return fake


@pytest.fixture
def service(tmp_path: Path, device: FakeDevice) -> FakeRecordings:
    return FakeRecordings(tmp_path, device)


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[OpenWindow]:
    """Opens the window with a recording service; afterwards closes it, which ends its threads, and deletes it."""
    pilots: list[Pilot] = []

    def open_on(service: RecordingService, workplace: Workplace | None = None) -> Pilot:
        pilots.append(Pilot(qtbot, RecordingController(service), workplace))
        return pilots[-1]

    yield open_on
    for pilot in pilots:
        pilot.window.close()
        qtbot.waitUntil(pilot.has_closed)
        pilot.controller.background.close()  # the window may have asked whether to stop a recording
        shiboken6.delete(pilot.window)


@pytest.fixture
def open_at(open_window: OpenWindow, service: FakeRecordings) -> OpenAt:
    """Opens the window with one device and a workplace."""
    return lambda workplace: open_window(service, workplace)


@pytest.fixture
def pilot(open_window: OpenWindow, service: FakeRecordings) -> Pilot:
    return open_window(service).watching()
