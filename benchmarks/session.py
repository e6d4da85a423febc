"""An annotator's long day: episode after episode in one window, in its own process, and what each leaves behind."""

import gc
import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from benchmarks.figure import Figure
from benchmarks.memory import Memory
from benchmarks.window import BenchWindow, run_events, run_until
from odyssey_recorder.commands.demo_annotator import Eyes, On
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.application import application
from odyssey_recorder.gui.record.finishing import EndingDialog
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording import script
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_recorder.wiring.user import task_queue
from tests.gui.slot_probe import ProbedApplication

PROFILE = "small_phone"
WARM_UP = 20
"""After this many episodes all caches are filled and all threads in use."""
_LONG = 200
_REST_S = 2.0
_APPS = ("Clock", "Notes", "Settings", "Shop")
_WITHIN = Pixel(360, 420)


@dataclass(frozen=True, slots=True)
class Plan:
    """`running` is the folder in which simulated emulators register; `icons` are the places (px) of apps to click."""

    serial: str
    running: str
    adb_port: int
    folder: str
    episodes: int
    icons: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Stock:
    """The process at one moment: memory (MB), and counts of objects that could accumulate."""

    memory_mb: float
    threads: int
    files: int
    objects: int
    widgets: int
    qobjects: int


@dataclass(frozen=True, slots=True)
class Day:
    episodes: int
    seconds: float
    kb_each: float
    early: Stock
    late: Stock
    slow: int
    slow_at_work: int
    slowest: str


def measure(emulators: PrivateEmulators, folder: Path, *, episodes: int) -> list[Figure]:
    serial = emulators.phones.start(PROFILE, animation=True)
    eyes = Eyes(emulators, serial)
    icons = {app: _place_of(app, eyes) for app in _APPS}
    plan = Plan(
        serial, str(emulators.phones.running_dir), emulators.server.port, str(folder / "session"), episodes, icons
    )
    command = [sys.executable, "-m", "benchmarks.session", json.dumps(asdict(plan))]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    values = json.loads(output.splitlines()[-1])
    day = Day(**{**values, "early": Stock(**values["early"]), "late": Stock(**values["late"])})
    of = f"a window after {day.episodes} episodes"
    return [
        Figure(of, day.late.memory_mb, "MB", f"after {WARM_UP}", day.early.memory_mb),
        *_trend(day),
        *(_piled(day, name) for name in ("threads", "files", "widgets", "qobjects")),
        Figure("Python objects for each episode", _more(day, "objects") / (day.episodes - WARM_UP), ""),
        Figure("events of more than 50 ms of work on the GUI thread", day.slow_at_work, "", goal="0"),
        Figure("events of more than 50 ms, most of it on a busy processor's account", day.slow - day.slow_at_work, ""),
        Figure("episodes", 60 * day.episodes / day.seconds, "a minute"),
    ]


def _place_of(app: str, eyes: Eyes) -> tuple[int, int]:
    tap = eyes.command(On(app))
    assert isinstance(tap, script.Tap)
    return tap.tap


def _trend(day: Day) -> list[Figure]:
    """Memory that each episode leaves; frames come and go by dozens of MB, so only a long day shows it."""
    return [Figure("memory for each episode", day.kb_each, "kB", goal="<= 50 kB")] if day.episodes >= _LONG else []


def _more(day: Day, name: str) -> int:
    return int(getattr(day.late, name) - getattr(day.early, name))


def _piled(day: Day, name: str) -> Figure:
    return Figure(f"{name}, more than after {WARM_UP} episodes", _more(day, name), "", goal="0")


class _Annotator:
    def __init__(self, window: BenchWindow, icons: Mapping[str, tuple[int, int]]) -> None:
        self._window = window
        self._icons = icons

    def record(self, number: int) -> None:
        window = self._window
        self._push("Start recording")
        window.wait_until_ready()
        window.click(Pixel(*self._icons[_app(number)]))
        window.click(_WITHIN)
        if number % 2:
            window.press(SystemKey.BACK)
        window.press(SystemKey.HOME)
        self._push("Complete")
        while window.controller.phase is not Phase.FINISHED:  # once more if the checks found something
            run_until(lambda: window.controller.phase is Phase.FINISHED or bool(self._asked()))
            for dialog in self._asked():
                QTest.keyClick(dialog, Qt.Key.Key_Return)
        self._push("Record another")

    def _push(self, name: str) -> None:
        buttons = [one for one in self._window.widget.findChildren(QAbstractButton) if one.accessibleName() == name]
        run_until(lambda: any(button.isEnabled() and button.isVisible() for button in buttons))
        button = next(button for button in buttons if button.isEnabled() and button.isVisible())
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def _asked(self) -> list[EndingDialog]:
        """The question before publishing, unless its answer waits for the checks."""
        dialogs = self._window.widget.findChildren(EndingDialog)
        return [dialog for dialog in dialogs if dialog.isVisible() and dialog.ok.text() == "Publish"]


def _app(number: int) -> str:
    return _APPS[number % len(_APPS)]


def main(plan: Plan) -> None:
    app = ProbedApplication(sys.argv[:1])
    application()
    folder = Path(plan.folder)
    folder.mkdir()
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    listed = _written_tasks(folder / "tasks.jsonl", plan.episodes + 1)
    tasks = task_queue(listed, store, lambda: "bench", drafts=folder / "drafts")
    place = Workplace(tasks=lambda: tasks, dataset=lambda: EpisodeIndex(store.root, None))
    connector = DeviceConnector(AdbServer(port=plan.adb_port), running=(Path(plan.running),))
    service = RecordingService(connector, store, "bench", "script")
    window = BenchWindow(service, place)
    window.connect(plan.serial)
    annotator, memory, began_s = _Annotator(window, plan.icons), Memory(), time.monotonic()
    for number in range(plan.episodes):
        annotator.record(number)
        memory.look(number + 1)
        if number + 1 == WARM_UP:
            early = _stock(window, memory)
    day = Day(
        episodes=plan.episodes,
        seconds=time.monotonic() - began_s,
        kb_each=memory.kb_each(since=WARM_UP),
        early=early,
        late=_stock(window, memory),
        slow=len(app.slow),
        slow_at_work=sum(one.worked_ms > 50 for one in app.slow),
        slowest=str(max(app.slow, key=lambda one: one.worked_ms, default="")),
    )
    window.close()
    print(json.dumps(asdict(day)))


def _stock(window: BenchWindow, memory: Memory) -> Stock:
    run_events(_REST_S)
    gc.collect()
    return Stock(
        memory_mb=memory.mb,
        threads=threading.active_count(),
        files=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        objects=len(gc.get_objects()),
        widgets=len(QApplication.allWidgets()),
        qobjects=len(window.widget.findChildren(QObject)),
    )


def _written_tasks(path: Path, count: int) -> Path:
    rows = (
        {
            "task_id": f"task-{number:04}",
            "category": "General_Tool",
            "instruction": f"Open {_app(number)}, and go back to the home screen.",
            "apps": [_app(number)],
        }
        for number in range(count)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


if __name__ == "__main__":
    main(Plan(**json.loads(sys.argv[1])))
