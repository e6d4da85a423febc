"""The task service for the lead's views: called off the GUI thread, results arrive as signals."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from odyssey_recorder.gui.frame.background import Background, Job, error_text
from odyssey_recorder.gui.tasks.prepared_table import PreparedRow, prepared_row
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.services.tasks import TaskService
from odyssey_recorder.tasks.generation.generator import Targets
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.team import Team
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from odyssey_recorder.tasks.wording.rewriting import Rewritten

T = TypeVar("T")

_SETTLE_MS = 300


@dataclass(frozen=True, slots=True)
class LoadedTemplates:
    """The templates, the number of new tasks each can still give, and the lead's targets.

    `cannot_ask` says why no language model is available, if so; `names_apps` is whether instructions name their apps
    by default.
    """

    library: TemplateLibrary
    left: Mapping[str, int]
    targets: Targets
    team: Team
    cannot_ask: str
    names_apps: bool


class TaskServiceBridge(QObject):
    """Creates the task service with `make_service` at the first call; every method returns at once.

    `rows_loaded` carries all tasks, `templates_loaded` the templates, `holders_loaded` who works on what, and
    `rewritten` the tasks just rewritten.
    """

    rows_loaded = Signal(object)
    templates_loaded = Signal(object)
    holders_loaded = Signal(object)
    rewritten = Signal(object)
    board_changed = Signal()
    """Tasks were added, approved or rejected."""
    failed = Signal(str)

    def __init__(
        self, make_service: Callable[[], TaskService], background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._make_service = make_service
        self._made: TaskService | None = None
        self._lock = threading.Lock()
        self._background = background
        self._in_order = background.in_order()
        self._just_rewritten: list[ListedTask] = []
        self._changes = 0
        self._soon = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._soon.timeout.connect(self.read_rows)

    def look(
        self,
        call: Callable[[TaskService], T],
        on_done: Callable[[T], object],
        on_error: Callable[[Exception], object] | None = None,
        *,
        of: QObject | None = None,
    ) -> None:
        self._background.run(lambda: call(self._service()), on_done, on_error or self.fail, of=of)

    def read_rows(self) -> None:
        """Read all tasks after the calls already queued; a change made meanwhile is read with the next reading."""
        known = self._changes

        def show(rows: list[PreparedRow]) -> None:
            if known == self._changes:
                self.rows_loaded.emit(rows)

        self.carry_out(lambda service: list(map(prepared_row, service.board().tasks)), show)

    def read_templates(self) -> None:
        self.look(_loaded_templates, self.templates_loaded.emit)

    def follow_board(self) -> None:
        """Read again what others may have changed."""
        self.read_holders()
        self._soon.start()

    def read_holders(self) -> None:
        self.look(lambda service: service.holders(), self.holders_loaded.emit)

    def carry_out(
        self,
        call: Callable[[TaskService], T],
        on_done: Callable[[T], object],
        on_error: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run calls one after the other, in the order of the requests."""
        self._in_order.run(lambda: call(self._service()), on_done, on_error or self.fail)

    def change(self, call: Callable[[TaskService], T], on_done: Callable[[T], object] = lambda _: None) -> None:
        """Change tasks; all are read again soon afterwards, even if the change fails."""
        self._changes += 1

        def done(result: T) -> None:
            on_done(result)
            self.settle()

        def fail(error: Exception) -> None:
            self.settle()
            self.fail(error)

        self.carry_out(call, done, fail)

    def settle(self) -> None:
        """Emit `board_changed`, and read all tasks again once no more changes come."""
        self._soon.start()
        self.board_changed.emit()

    def start(
        self,
        title: str,
        work: Callable[[TaskService, Progress, Cancelled], T],
        on_done: Callable[[T], object],
        *,
        can_cancel: bool = True,
    ) -> Job:
        """Like `Background.start`."""
        return self._background.start(
            title,
            lambda progress, cancelled: work(self._service(), progress, cancelled),
            on_done,
            can_cancel=can_cancel,
        )

    def take_rewritten(self, rewritten: Rewritten) -> None:
        """Emit `rewritten` on the GUI thread; may be called from any thread."""
        with self._lock:
            self._just_rewritten.append(rewritten.task)
            is_first = len(self._just_rewritten) == 1
        if is_first:
            self._background.post(self._emit_rewritten)

    def fail(self, error: Exception) -> None:
        self.failed.emit(error_text(error))

    def _service(self) -> TaskService:
        with self._lock:
            if self._made is None:
                self._made = self._make_service()
            return self._made

    def _emit_rewritten(self) -> None:
        with self._lock:
            tasks, self._just_rewritten = self._just_rewritten, []
        self.rewritten.emit(tasks)


def _loaded_templates(service: TaskService) -> LoadedTemplates:
    return LoadedTemplates(
        service.library(), service.left(), service.targets(), service.team(), service.can_ask, service.names_apps
    )
