"""The place where tasks are prepared as the window has it: asked off the GUI thread, made when it is first asked."""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.jobs import Cancelled, Job, Jobs, Progress
from odyssey_recorder.gui.tasks.prepared_rows import prepared_rows
from odyssey_recorder.gui.tasks.preparing import Preparing
from odyssey_recorder.task.generation.generator import Targets
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.templates.template import TemplateLibrary
from odyssey_recorder.task.wording.rewriting import Rewritten

T = TypeVar("T")

_SETTLE_MS = 300


Labour: TypeAlias = Callable[[Preparing, Progress, Cancelled], T]
"""Long work at the place where tasks are prepared, as `jobs.Work` is long work at all."""


@dataclass(frozen=True, slots=True)
class Materials:
    """The templates, how many distinct tasks each can still give, and the lead's targets.

    `cannot_ask` says why no language model can be asked, if so.

    `names_apps` tells whether instructions name the apps to use, as long as nobody asks for something else.
    """

    library: TemplateLibrary
    left: Mapping[str, int]
    targets: Targets
    cannot_ask: str
    names_apps: bool


class Workshop(QObject):
    """Takes what the views ask of `Preparing`; every method returns at once.

    `rows_came` brings all tasks, `materials_came` the templates, `holders_came` who works on what, and `rewritten` the
    tasks that have just got their words.
    """

    rows_came = Signal(object)
    materials_came = Signal(object)
    holders_came = Signal(object)
    rewritten = Signal(object)
    board_changed = Signal()
    """Tasks were added, approved or rejected: the queue is another one."""
    failed = Signal(str)

    _came = Signal()

    def __init__(
        self, make: Callable[[], Preparing], background: Background, jobs: Jobs, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._make = make
        self._making = threading.Lock()
        self._made: Preparing | None = None
        self._background = background
        self._jobs = jobs
        self._deeds: deque[Callable[[], None]] = deque()
        self._is_busy = False
        self._news: list[ListedTask] = []
        self._news_lock = threading.Lock()
        self._soon = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._soon.timeout.connect(self.read_rows)
        self._came.connect(self._tell_news)

    # Looking.

    def look(
        self,
        call: Callable[[Preparing], T],
        on_done: Callable[[T], object],
        on_error: Callable[[Exception], object] | None = None,
    ) -> None:
        """Ask for something that changes nothing."""
        self._background.run(lambda: call(self._preparing()), on_done, on_error or self.fail)

    def read_rows(self) -> None:
        """Look how all tasks stand, once all that was asked before is done."""
        self.carry_out(lambda preparing: prepared_rows(preparing.board().tasks), self.rows_came.emit)

    def read_materials(self) -> None:
        """Look which templates there are."""
        self.look(_materials, self.materials_came.emit)

    def read_holders(self) -> None:
        """Look who works on what."""
        self.look(lambda preparing: preparing.holders(), self.holders_came.emit)

    # Doing.

    def carry_out(
        self,
        deed: Callable[[Preparing], T],
        on_done: Callable[[T], object],
        on_error: Callable[[Exception], object] | None = None,
    ) -> None:
        """Do something; one thing after the other, in the order in which they were asked for."""

        def run() -> None:
            self._background.run(
                lambda: deed(self._preparing()),
                lambda result: self._go_on(on_done, result),
                lambda error: self._go_on(on_error or self.fail, error),
            )

        self._deeds.append(run)
        if not self._is_busy:
            self._begin()

    def change(self, deed: Callable[[Preparing], T], on_done: Callable[[T], object] = lambda _: None) -> None:
        """Do something that changes how tasks stand; soon after, all are read again, also where it failed."""

        def tell(result: T) -> None:
            on_done(result)
            self.settle()

        def fail(error: Exception) -> None:
            self.settle()
            self.fail(error)

        self.carry_out(deed, tell, fail)

    def settle(self) -> None:
        """Tell that tasks have changed, and read them all again once no more changes come."""
        self._soon.start()
        self.board_changed.emit()

    def start(self, title: str, labour: Labour[T], on_done: Callable[[T], object], *, can_cancel: bool = True) -> Job:
        """Begin long work, as `Jobs.start` does."""
        return self._jobs.start(
            title,
            lambda progress, cancelled: labour(self._preparing(), progress, cancelled),
            on_done,
            can_cancel=can_cancel,
        )

    def take_rewritten(self, rewritten: Rewritten) -> None:
        """Have `rewritten` told on the GUI thread; called from any thread."""
        with self._news_lock:
            self._news.append(rewritten.task)
            is_first = len(self._news) == 1
        if is_first:
            self._came.emit()

    def fail(self, error: Exception) -> None:
        """Tell what went wrong."""
        if not isinstance(error, OdysseyError):
            raise error
        self.failed.emit(str(error))

    def _preparing(self) -> Preparing:
        with self._making:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _begin(self) -> None:
        self._is_busy = bool(self._deeds)
        if self._deeds:
            self._deeds.popleft()()

    def _go_on(self, tell: Callable[[T], object], result: T) -> None:
        self._begin()
        tell(result)

    def _tell_news(self) -> None:
        with self._news_lock:
            news: Sequence[ListedTask] = self._news
            self._news = []
        self.rewritten.emit(news)


def _materials(preparing: Preparing) -> Materials:
    return Materials(
        preparing.library(), preparing.left(), preparing.targets(), preparing.can_ask, preparing.names_apps
    )
