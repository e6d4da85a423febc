"""Runs the command line in this process."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.cli import main
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_recorder.simulated.private_emulators import PrivateEmulators

ESCAPES = "\x1b[31m[red]x[/] [link=https://example.org]y[/link] :warning: \x9b1m\u202e"
"""What would colour a terminal, link elsewhere or reverse the text direction if it were not escaped."""


@dataclass(frozen=True)
class Result:
    exit_code: int
    out: str
    err: str


@dataclass(frozen=True)
class SimulatedPhone:
    """A small simulated emulator on an adb server that knows no other device."""

    emulators: PrivateEmulators
    serial: str

    def console(self, *arguments: str) -> None:
        self.emulators.server.adb("-s", self.serial, "emu", *arguments)


class CommandLine:
    """Runs `odyssey-recorder` with dataset, drafts and settings in `folder`, isolated from the user's environment."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.dataset = folder / "dataset"
        self.drafts = folder / "drafts"
        self.monkeypatch = monkeypatch
        self._capsys = capsys
        for variable in ("ODYSSEY_ADB", "ODYSSEY_ANNOTATOR", "ANDROID_HOME", "ANDROID_SDK_ROOT", "ANDROID_SERIAL"):
            monkeypatch.delenv(variable, raising=False)
        data_folders = [f"XDG_{kind}_HOME" for kind in ("CONFIG", "DATA", "STATE", "CACHE")]
        for variable in ("HOME", "USERPROFILE", "APPDATA", *data_folders):
            monkeypatch.setenv(variable, str(folder / "home"))
        self.use_discovery_folder(folder / "home")
        monkeypatch.setenv("ODYSSEY_DATASET", str(self.dataset))
        monkeypatch.setenv("ODYSSEY_DRAFTS", str(self.drafts))
        monkeypatch.setenv("ADB_EMU", "0")
        monkeypatch.setenv("ADB_USB", "0")
        self.use_server(1)

    def use_server(self, port: int) -> None:
        """Use the adb server on this port; nothing listens on port 1."""
        self.monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(port))

    def use_discovery_folder(self, folder: Path) -> None:
        for variable in ("XDG_RUNTIME_DIR", "LOCALAPPDATA"):
            self.monkeypatch.setenv(variable, str(folder))

    def __call__(self, *arguments: object) -> Result:
        self.monkeypatch.setattr(sys, "argv", ["odyssey-recorder", *map(str, arguments)])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as exit_info:
            main()
        captured = self._capsys.readouterr()
        code = exit_info.value.code
        assert code is None or isinstance(code, int)
        return Result(code or 0, captured.out, captured.err)

    def output(self, *arguments: object) -> str:
        """The standard output of a command that must succeed."""
        result = self(*arguments)
        assert result.exit_code == 0, result.err
        return result.out

    def error(self, *arguments: object, exit_code: int = 2) -> str:
        """The standard error of a command that must fail with `exit_code`."""
        result = self(*arguments)
        assert result.exit_code == exit_code, result
        return result.err

    def json(self, *arguments: object) -> Any:
        """What the command prints with `--json`, whether it succeeds or not."""
        return json.loads(self(*arguments, "--json").out)

    @property
    def store(self) -> EpisodeStore:
        return EpisodeStore(self.dataset, drafts=self.drafts)

    def draft_ids(self) -> list[str]:
        return [head.parent.name for head in self.drafts.glob("[0-9]*/draft.json")]


def wait_until(condition: Callable[[], bool]) -> None:
    expires_s = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < expires_s
        threading.Event().wait(0.02)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(tmp_path, monkeypatch, capsys)


@pytest.fixture(scope="session")
def simulated_phone() -> Iterator[SimulatedPhone]:
    with PrivateEmulators(Path(find_adb())) as emulators:
        yield SimulatedPhone(emulators, emulators.phones.start("small_phone", animation=False))


@pytest.fixture
def phone(simulated_phone: SimulatedPhone, cli: CommandLine) -> Iterator[SimulatedPhone]:
    """The device on its home screen, the only one of the command line."""
    simulated_phone.emulators.server.adb("-s", simulated_phone.serial, "shell", "input", "keyevent", "HOME")
    cli.use_server(simulated_phone.emulators.server.port)
    cli.use_discovery_folder(Path(simulated_phone.emulators.server.environment["XDG_RUNTIME_DIR"]))
    yield simulated_phone
    simulated_phone.console("fault", "clear")


@pytest.fixture(scope="session")
def empty_adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(Path(find_adb()), tmp_path_factory.mktemp("lonely")) as server:
        yield server
