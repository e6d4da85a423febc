"""The surroundings of the program: a display, a device, and its own folders."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import tomlkit

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.display import Display, Hands
from tests.end_to_end.screen.phone import ShownPhone
from tests.end_to_end.screen.window import Window
from tests.gui.slot_probe import SlowDelivery

_SERIOUS = re.compile(r"\b(WARNING|ERROR|CRITICAL)\b")


@dataclass(frozen=True)
class Room:
    """`slow` collects events that kept the GUI thread of a window here for too long."""

    display: Display
    server: PrivateAdbServer
    phone: ShownPhone
    folder: Path
    screenshots: Path | None
    slow: list[SlowDelivery] = field(default_factory=list)

    def screenshot(self, name: str) -> Path:
        assert self.screenshots is not None
        return self.screenshots / f"{name}.png"

    @property
    def store(self) -> EpisodeStore:
        return EpisodeStore(self.folder / "dataset", drafts=self.folder / "drafts")

    def write_settings(self, **settings: object) -> None:
        folders = {"dataset": str(self.folder / "dataset"), "drafts": str(self.folder / "drafts")}
        file = self.folder / "config" / "odyssey-recorder" / "settings.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(tomlkit.dumps({**folders, **settings}), encoding="utf-8")

    def warnings(self) -> list[str]:
        """Unexpected log records of the windows, including Qt's warnings."""
        log = self.folder / "state" / "odyssey-recorder" / "log" / "odyssey-recorder.log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [line for line in lines if _SERIOUS.search(line)]

    @contextmanager
    def annotator(self, *options: str) -> Iterator[Annotator]:
        with Window(self.environment, *options) as window:
            yield Annotator(window, Hands(self.display.name), self.phone, self.screenshots)
            self.slow.extend(window.slow_events())

    @property
    def environment(self) -> Mapping[str, str]:
        inherited = {name: value for name, value in self.server.environment.items() if not name.startswith("ODYSSEY_")}
        return {
            **inherited,
            "DISPLAY": self.display.name,
            "QT_QPA_PLATFORM": "xcb",
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }
