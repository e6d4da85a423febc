"""The queue of tasks as the window has it: asked off the GUI thread, one thing after the other; answers are signals."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from odyssey_recorder.errors import OdysseyError, TaskError
from odyssey_recorder.gui.background import Background, error_text
from odyssey_recorder.task.queue.board import Board, QueuedTask

if TYPE_CHECKING:  # loads a database library
    from odyssey_recorder.task.queue.queue import TaskQueue

T = TypeVar("T")

_Held = QueuedTask | None

_RENEW_MS = 60_000
"""So often the task that is held is kept from running out."""
_PATIENCE_MS = 3_000
"""So long a recording waits at most for the word of the queue that the task is still to be had."""
_SLOW = "It has not answered yet."
_RAN_OUT = "It was not kept for you any more, as when the computer sleeps, and somebody else may have taken it."


class QueueBridge(QObject):
    """Takes what the annotator asks of the queue; every method returns at once.

    `open_queue` is called off the GUI thread, and gives the same queue at each call.

    `held_changed` brings the task that the annotator has now, or None, and `chosen` the one that they chose themselves;
    `lost` tells why they have it no more, and `board_changed` brings the whole board. What `make_sure` asks is answered
    by `sure`, `unsure` or `lost`. While a gate is shown the queue's tasks may be looked at but not recorded, and its
    words say why. What is taken from the queue fits the device that is chosen, as `ListedTask.fits` has it.
    """

    held_changed = Signal(object)
    chosen = Signal(object)
    lost = Signal(str)
    sure = Signal(object)
    unsure = Signal(str)
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
    ) -> None:
        super().__init__(parent)
        self._open_queue = open_queue
        self._background = background
        self._in_order = background.in_order()
        self._recording = False
        self._gate = ""
        self._device: str | None = None
        self._renewal = QTimer(self, interval=_RENEW_MS)
        self._renewal.timeout.connect(self.renew)
        self._patience = QTimer(self, singleShot=True, interval=patience_ms)
        self._patience.timeout.connect(lambda: self.unsure.emit(_SLOW))

    @property
    def device(self) -> str | None:
        """The profile of the chosen device, "" for one of no profile, None where no device is chosen."""
        return self._device

    @property
    def gate(self) -> str:
        """Why tasks of the queue may not be recorded yet; empty where they may."""
        return self._gate

    @property
    def is_recording(self) -> bool:
        return self._recording

    def show_gate(self, words: str) -> None:
        """Keep the queue closed, with the reason in `words`; open it with none."""
        self._gate = words
        self.gate_changed.emit(words)

    def set_recording(self, recording: bool) -> None:
        self._recording = recording
        self.recording_changed.emit(recording)

    def set_device(self, device: str | None) -> None:
        if device != self._device:
            self._device = device
            self.device_changed.emit()

    def refresh(self) -> None:
        self._ask(lambda _queue: None)

    def take_next(self, after: str = "") -> None:
        device = self._device
        self._take(lambda queue: queue.claim_next(after=after, device=device))

    def choose(self, task_id: str) -> None:
        """Hold this task; `chosen` tells when it is held."""
        self._take(lambda queue: queue.claim(task_id), self.chosen.emit)

    def let_go(self) -> None:
        self._keep_renewing(False)
        self._ask(lambda queue: queue.release())

    def work_out(self, call: Callable[[], T], on_done: Callable[[T], object]) -> None:
        """Have something worked out that takes too long for the GUI thread, and does not concern the queue."""
        self._background.run(call, on_done)

    def renew(self) -> None:
        """Keep the task that is held; if it was lost, tell that, and how all tasks stand now."""
        self._enqueue(lambda: (lambda: None) if self._open_queue().renew() else self._lost(_RAN_OUT))

    def make_sure(self, task_id: str) -> None:
        """Hold a task that is about to be recorded for longer: it may have become another's while the computer slept.

        `sure` brings it as it is now, `lost` tells that somebody else has it, and `unsure` why the queue cannot be
        asked, or that it takes its time; just one of them.
        """

        def carry_out() -> Callable[[], None]:
            try:
                tell = self._claimed_again(task_id)
            except OdysseyError as error:
                tell = partial(self.unsure.emit, str(error))
            return lambda: self._tell_unless_late(tell)

        self._patience.start()
        self._enqueue(carry_out)

    def skip(self, task_id: str, reason: str) -> None:
        """Put a task at the end, with the reason, and hold the one behind it."""
        device = self._device
        self._take(lambda queue: _skip(queue, task_id, reason, device))

    def send_back(self, task_id: str, reason: str) -> None:
        self._ask(lambda queue: queue.send_back(task_id, reason))

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        self._ask(lambda queue: queue.mark_recorded(task_id, episode_id))

    def _take(
        self, call: "Callable[[TaskQueue], _Held]", tell_also: Callable[[_Held], object] = lambda _held: None
    ) -> None:
        def carry_out() -> Callable[[], None]:
            held = call(self._open_queue())

            def tell() -> None:
                self._keep_renewing(held is not None)
                self.held_changed.emit(held)
                tell_also(held)

            self._in_order.post(tell)  # what is held is known also where the board cannot be had
            return self._look()

        self._enqueue(carry_out)

    def _claimed_again(self, task_id: str) -> Callable[[], None]:
        try:
            held = self._open_queue().claim(task_id)
        except TaskError as refusal:
            return self._lost(str(refusal))
        return lambda: self.sure.emit(held)

    def _lost(self, why: str) -> Callable[[], None]:
        tell_board = self._look()

        def tell() -> None:
            self.lost.emit(why)
            tell_board()

        return tell

    def _tell_unless_late(self, tell: Callable[[], None]) -> None:
        if self._patience.isActive():
            self._patience.stop()
            tell()

    def _keep_renewing(self, on: bool) -> None:
        if on:
            self._renewal.start()
        else:
            self._renewal.stop()

    def _ask(self, call: "Callable[[TaskQueue], object]") -> None:
        def carry_out() -> Callable[[], None]:
            call(self._open_queue())
            return self._look()

        self._enqueue(carry_out)

    def _look(self) -> Callable[[], None]:
        board: Board = self._open_queue().board()
        return lambda: self.board_changed.emit(board)

    def _enqueue(self, carry_out: Callable[[], Callable[[], None]]) -> None:
        self._in_order.run(carry_out, lambda tell: tell(), lambda error: self.failed.emit(error_text(error)))


def _skip(queue: "TaskQueue", task_id: str, reason: str, device: str | None) -> _Held:
    following = queue.claim_next(after=task_id, device=device)
    try:
        queue.skip(task_id, reason)
    except TaskError:
        if following is None or following.task_id == task_id:
            raise
        return following  # somebody took the other one as soon as it was free: it is theirs to skip
    return following if following is not None and following.task_id != task_id else queue.claim_next(device=device)
