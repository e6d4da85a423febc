"""The task queue for the window: calls run off the GUI thread in order, results arrive as signals."""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from odyssey_recorder.errors import OdysseyError, TaskError
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.tasks.queue.task_status import QueueContents, QueuedTask

if TYPE_CHECKING:  # loads a database library
    from odyssey_recorder.tasks.queue.queue import TaskQueue

T = TypeVar("T")

_Held = QueuedTask | None

_RENEW_MS = 60_000
_PATIENCE_MS = 3_000
"""The longest that starting a recording waits for the queue to confirm the claim."""
_SLOW = "No answer yet."
_WATCH_MS = 2_000
_LONGEST_PAUSE_MS = 10_000
_REST = 20
"""The pause after a look at the queue, in multiples of its duration, so that a slow server is not overloaded."""


class QueueBridge(QObject):
    """Every method returns at once.

    `open_queue` is called off the GUI thread and returns the same queue each time.

    `held_changed` carries the claimed task or None, `chosen` one that the annotator picked, `lost` the reason why a
    claim ended, and `board_changed` the whole board. While a gate is shown, tasks can be viewed but not recorded, and
    its text says why. Only tasks that fit the selected device are claimed (`ListedTask.fits`).
    """

    held_changed = Signal(object)
    chosen = Signal(object)
    lost = Signal(str)
    claim_confirmed = Signal(object)
    claim_unconfirmed = Signal(str)
    board_changed = Signal(object)
    recording_changed = Signal(bool)
    device_changed = Signal()
    gate_changed = Signal(str)
    failed = Signal(str)

    def __init__(
        self,
        open_queue: "Callable[[], TaskQueue]",
        background: Background,
        parent: QObject | None = None,
        *,
        patience_ms: int = _PATIENCE_MS,
        watch_ms: int = _WATCH_MS,
    ) -> None:
        super().__init__(parent)
        self._open_queue = open_queue
        self._background = background
        self._in_order = background.in_order()
        self.is_recording = False
        self._offers = True
        self.gate = ""  # why tasks may not be recorded yet
        self.device: str | None = None  # profile of the selected device, empty if it has none; None without a device
        self._renewal = QTimer(self, interval=_RENEW_MS)
        self._renewal.timeout.connect(self.renew)
        self._watch_ms = watch_ms
        self._watch = QTimer(self, singleShot=True, interval=watch_ms)
        self._watch.timeout.connect(self._look)
        self._is_down = False
        self._board: QueueContents | None = None
        self._patience = QTimer(self, singleShot=True, interval=patience_ms)
        self._patience.timeout.connect(lambda: self.claim_unconfirmed.emit(_SLOW))

    def show_gate(self, text: str) -> None:
        """Close the queue with a reason, or open it with ""."""
        self.gate = text
        self.gate_changed.emit(text)

    def offer_tasks(self, *, on: bool) -> None:
        """Whether tasks are claimed; reviewers let go of theirs and claim none."""
        if self._offers and not on:
            self.release_claim()
        self._offers = on

    def set_recording(self, recording: bool) -> None:
        self.is_recording = recording
        self.recording_changed.emit(recording)

    def set_device(self, device: str | None) -> None:
        if device != self.device:
            self.device = device
            self.device_changed.emit()

    def follow(self) -> None:
        """From now on, report the board whenever somebody else changes it, and once if the queue fails.

        Not at once: the database's libraries would load while the window is still being painted.
        """
        self._watch.start()

    def refresh(self) -> None:
        self._ask(lambda _queue: None)

    def take_next(self, after: str = "") -> None:
        if self._offers:
            device = self.device
            self._take(lambda queue: queue.claim_next(after=after, device=device))

    def choose(self, task_id: str) -> None:
        self._take(lambda queue: queue.claim(task_id), self.chosen.emit)

    def release_claim(self) -> None:
        self._keep_renewing(False)
        self._ask(lambda queue: queue.release())

    def work_out(self, call: Callable[[], T], on_done: Callable[[T], object]) -> None:
        """Run slow work that does not concern the queue."""
        self._background.run(call, on_done)

    def renew(self) -> None:
        """Renew the claim; if it has ended, report that and the current board."""
        self._enqueue(lambda: (lambda: None) if self._open_queue().renew() else self._read_board())

    def confirm_claim(self, task_id: str) -> None:
        """Renew the claim before recording: it may have ended while the computer slept.

        Answered by exactly one of `claim_confirmed` with the task as it is now, `lost` if someone else has claimed it,
        and `claim_unconfirmed` if the queue fails or is slow.
        """

        def carry_out() -> Callable[[], None]:
            try:
                report = self._claimed_again(task_id)
            except OdysseyError as error:
                report = partial(self.claim_unconfirmed.emit, str(error))
            return lambda: self._report_unless_late(report)

        self._patience.start()
        self._enqueue(carry_out)

    def skip(self, task_id: str, reason: str) -> None:
        """Move a task to the end with a reason, and claim the one after it."""
        device = self.device
        self._take(lambda queue: _skip(queue, task_id, reason, device))

    def send_back(self, task_id: str, reason: str) -> None:
        self._ask(lambda queue: queue.send_back(task_id, reason))

    def free(self, task_id: str, reason: str) -> None:
        """End the claim of whoever holds a task; they are told the reason."""
        self._ask(lambda queue: queue.free(task_id, reason))

    def assign(self, task_id: str, to: str) -> None:
        self._ask(lambda queue: queue.assign([task_id], to))

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        self._ask(lambda queue: queue.mark_recorded(task_id, episode_id))

    def _take(
        self, call: "Callable[[TaskQueue], _Held]", and_then: Callable[[_Held], object] = lambda _held: None
    ) -> None:
        def carry_out() -> Callable[[], None]:
            held = call(self._open_queue())

            def report() -> None:
                self._keep_renewing(held is not None)
                self.held_changed.emit(held)
                and_then(held)

            self._in_order.post(report)  # the claim is reported even if the board cannot be read
            return self._read_board()

        self._enqueue(carry_out)

    def _claimed_again(self, task_id: str) -> Callable[[], None]:
        try:
            held = self._open_queue().claim(task_id)
        except TaskError as refusal:
            return self._lost(str(refusal))
        return lambda: self.claim_confirmed.emit(held)

    def _lost(self, why: str) -> Callable[[], None]:
        report_board = self._read_board()

        def report() -> None:
            self.lost.emit(why)
            report_board()

        return report

    def _report_unless_late(self, report: Callable[[], None]) -> None:
        if self._patience.isActive():
            self._patience.stop()
            report()

    def _keep_renewing(self, on: bool) -> None:
        if on:
            self._renewal.start()
        else:
            self._renewal.stop()

    def _ask(self, call: "Callable[[TaskQueue], object]") -> None:
        def carry_out() -> Callable[[], None]:
            call(self._open_queue())
            return self._read_board()

        self._enqueue(carry_out)

    def _read_board(self) -> Callable[[], None]:
        queue = self._open_queue()
        board: QueueContents = queue.board()
        lost = queue.why_lost()

        def report() -> None:
            self._board = board
            if lost:
                self.lost.emit(lost)
            self.board_changed.emit(board)

        return report

    def _look(self) -> None:
        took_s = 0.0

        def carry_out() -> Callable[[], None]:
            nonlocal took_s
            queue, began_s = self._open_queue(), time.monotonic()
            report = self._read_board() if self._is_down or queue.is_changed(self._board) else lambda: None
            took_s = time.monotonic() - began_s
            return report

        def end(report: Callable[[], object], *, is_down: bool) -> None:
            self._is_down = is_down
            self._watch.start(max(self._watch_ms, min(int(took_s * 1000 * _REST), _LONGEST_PAUSE_MS)))
            report()

        def fail(error: Exception) -> None:
            end((lambda: None) if self._is_down else partial(self.failed.emit, error_text(error)), is_down=True)

        self._in_order.run(carry_out, partial(end, is_down=False), fail)

    def _enqueue(self, carry_out: Callable[[], Callable[[], None]]) -> None:
        self._in_order.run(carry_out, lambda report: report(), lambda error: self.failed.emit(error_text(error)))


def _skip(queue: "TaskQueue", task_id: str, reason: str, device: str | None) -> _Held:
    following = queue.claim_next(after=task_id, device=device)
    try:
        queue.skip(task_id, reason)
    except TaskError:
        if following is None or following.task_id == task_id:
            raise
        return following  # someone else claimed the task in between, so it is theirs to skip
    return following if following is not None and following.task_id != task_id else queue.claim_next(device=device)
