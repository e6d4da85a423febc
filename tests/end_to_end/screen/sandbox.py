"""What the program runs in: a display, a device, and its own folders."""

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import tomlkit

from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.action import Action, Click, LongPress, Scroll
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.end_to_end.journal_checks import published
from tests.end_to_end.recording_setup import kinds_of
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.display import Display, Xdotool
from tests.end_to_end.screen.phone import SimulatedPhone
from tests.end_to_end.screen.program import LIMIT_MS
from tests.end_to_end.screen.window import Window
from tests.gui.slot_probe import SlowDelivery

_PROBLEM = re.compile(r"\b(WARNING|ERROR|CRITICAL)\b")


@dataclass(frozen=True)
class Sandbox:
    """`slow` collects events that blocked the GUI thread of a window for too long."""

    display: Display
    server: PrivateAdbServer
    phone: SimulatedPhone
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
        return [line for line in lines if _PROBLEM.search(line)]

    @contextmanager
    def annotator(self, *options: str) -> Iterator[Annotator]:
        with Window(self.environment, *options) as window:
            yield Annotator(window, Xdotool(self.display.name), self.phone, self.screenshots)
            self.slow.extend(window.slow_events())

    @contextmanager
    def first_use(self, name: str = "Ada", *, leads: bool = False, **settings: object) -> Iterator[Annotator]:
        """The window of a new annotator, or lead, after the first dialog; no practice is required."""
        self.write_settings(practice_tasks=0, **settings)
        with self.annotator() as annotator:
            annotator.answer_first_dialog(name, *(("I lead the project", "Continue") if leads else ()))
            yield annotator

    def reviewer(self, name: str = "Bea", dataset: Path | None = None) -> AbstractContextManager[Annotator]:
        return self.annotator("review", str(dataset or self.store.root), "--as", name)

    @property
    def episode(self) -> Episode:
        """The only one in the dataset."""
        (episode_id,) = sorted(episode_ids(self.store.root))
        return self.store.load(episode_id)

    def assert_recorded(self, *kinds: type[Action]) -> None:
        """The dataset holds one episode, of these actions, with the screens that were touched.

        On a busy computer a click may rest so long that it is a long press.
        """
        episode = self.episode
        assert kinds_of(episode) == [Click if kind is LongPress else kind for kind in kinds]
        _, provenance = published(self.store, episode.episode_id)
        touched = [
            record.frame.rgb_sha256
            for step, record in zip(episode.steps, provenance.steps, strict=True)
            if isinstance(step.action, Click | LongPress | Scroll)
        ]
        shown = (down.frame.rgb_sha256 for down in self.phone.read_journal().touch_downs())
        assert all(one in shown for one in touched), "in this order"

    @property
    def environment(self) -> Mapping[str, str]:
        inherited = {name: value for name, value in self.server.environment.items() if not name.startswith("ODYSSEY_")}
        return {
            **inherited,
            "ODYSSEY_TEST_SLOT_MS": str(LIMIT_MS),
            "DISPLAY": self.display.name,
            "QT_QPA_PLATFORM": "xcb",
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }
