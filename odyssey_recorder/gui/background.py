"""Work that must not run on the GUI thread: a small pool, and results that come back as calls on the GUI thread."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

T = TypeVar("T")


class Background(QObject):
    """Runs calls on threads of its own and hands what came of them to the thread that made this object."""

    _came_back = Signal(object)

    def __init__(self, parent: QObject | None = None, *, threads: int = 4) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="background")
        self._closed = False
        self._came_back.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self, call: Callable[[], T], on_done: Callable[[T], object], on_error: Callable[[Exception], object]
    ) -> None:
        """Start `call`; later, on the GUI thread, call `on_done` with its result or `on_error` with its exception."""
        if not self._closed:
            self._pool.submit(self._carry_out, call, on_done, on_error)

    def close(self) -> None:
        """Deliver nothing more, forget what has not begun, and wait for what has."""
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _carry_out(
        self, call: Callable[[], T], on_done: Callable[[T], object], on_error: Callable[[Exception], object]
    ) -> None:
        try:
            result = call()
        except Exception as error:  # noqa: BLE001  the top of a thread: whoever asked decides what it means
            failure = error
            self._came_back.emit(lambda: on_error(failure))
        else:
            self._came_back.emit(lambda: on_done(result))

    @Slot(object)
    def _deliver(self, call: Callable[[], object]) -> None:
        if not self._closed:
            call()
