"""The rules of passive mode: inputs on the device become steps, in the order of their touch-downs.

A state machine with the same interface as `Session`, for the same `Recorder`. Nothing is held and nothing is sent: the
annotator works in the emulator's own window. Raw inputs wait in the `RawInputQueue` until their frames are found and
saved, and the device's clock and screen have been read once more. Then they are written, one write at a time. Failed
writes are retried; nothing in the queue is lost.
"""

from collections import deque
from dataclasses import dataclass, replace

from odyssey_recorder.gesture.contacts import ContactBegan
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.notice import NoticeKind
from odyssey_recorder.recording.raw_input import Interpreter, Refused
from odyssey_recorder.recording.raw_input_queue import RawInputQueue, RawStep, RawUndo
from odyssey_recorder.recording.restore import ANSWER_ANDROID, BRING_BACK_FIRST, RestoringSession
from odyssey_recorder.recording.session import RETRY_NS, TOO_EARLY_TO_UNDO, TOO_LATE_TO_ABANDON
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.typing import UnreadText

USE_EMULATOR = "In passive mode, work in the emulator's window. Nothing was recorded or sent."
ENDING = "The episode has ended. Your input on the device is no longer recorded."
ANSWER_FIRST = "Before publishing, enter the text of the steps that ask for it."
DEAF = "{} Nothing is recorded until the device can be listened to again."
UNTOUCHED = (
    "The screen keeps changing, but no touch has arrived. If you work in the emulator's window, your clicks are not "
    "recorded: check the device under Devices, or record in mirror mode."
)
UNTOUCHED_SCREENS = 4
"""So many settled screens without any touch are worth a notice."""
AREAS_UNREAD = (
    "Waiting for the device to say where its buttons and its keyboard are. Until then a touch may be misunderstood."
)
TOUCHED_TOO_EARLY = "Your last input was not recorded. Restore the screen first."
CLOCK_CHANGED = "The device's clock was changed. Check that the last steps have the right screenshots."


@dataclass(frozen=True, slots=True)
class _Write:
    """A pending write; with `unread`, the step's text is not yet known."""

    effect: effects.SaveStep | effects.RemoveSteps | effects.AmendText | effects.Publish
    unread: UnreadText | None = None


class PassiveSession(RestoringSession):
    def __init__(self, interpreter: Interpreter) -> None:
        super().__init__()
        self._raw_inputs = RawInputQueue(interpreter)
        self._writes: deque[_Write] = deque()
        self._writing = False
        self._started = self._has_frames = self._has_input = False
        self._ending = self._complete = self._answers_requested = False
        self._final_state: State | None = None
        self._steps = self._pending_undos = 0
        self._needs_restore = False
        self._open_questions: set[int] = set()
        self._unread: dict[int, UnreadText] = {}
        """Open questions that a later screen may answer, so that the annotator is not asked yet."""
        self._has_new_reading = False
        self._device_reason = self._storage_reason = self._input_reason = ""
        self._retrying = False
        self._held: list[events.InputHeard] = []
        self._back_ns = 0
        self._untouched: set[int] | None = set()  # settled screens before the first touch
        self._failed_ns = self._now_ns = 0

    @property
    def state(self) -> State:
        if self._final_state is not None:
            return self._final_state
        if not self._started:
            return State.IDLE
        if self._storage_reason:
            return State.STORAGE_LOST
        if self._is_publishing:
            return State.INJECTING
        if self._device_reason:
            return State.DEVICE_LOST
        if self._restore.is_by_snapshot:
            return State.RETURNING
        if not (self._has_frames and self._has_input):
            return State.SETTLING
        if self._restore.is_looking:
            return State.SETTLING
        if self._restore.is_active:
            return State.RESTORING
        return State.READY if self._raw_inputs.knows_areas else State.SETTLING

    @property
    def reason(self) -> str:
        """Why the device, the storage or the input events are lost, or touches not understood yet; empty otherwise."""
        lost = self._storage_reason or self._device_reason or self._input_reason
        if lost or self.state is not State.SETTLING or self._restore.is_active or not self._has_frames:
            return lost
        return AREAS_UNREAD if self._has_input else ""

    @property
    def frame(self) -> int | None:
        """The frame of the current screen; None before the first."""
        return self._raw_inputs.newest

    @property
    def publishing(self) -> bool:
        return self.state is State.INJECTING

    @property
    def touched(self) -> bool:
        return self._raw_inputs.waiting

    @property
    def reading(self) -> bool:
        return self._raw_inputs.reading

    @property
    def typed_keys(self) -> int:
        return self._raw_inputs.typed_keys

    @property
    def needed(self) -> frozenset[int]:
        """Frames and screenshots that may still become a step's."""
        saved = {write.effect.frame for write in self._writes if isinstance(write.effect, effects.SaveStep)}
        return self._raw_inputs.needed | saved

    def handle(self, event: events.PassiveEvent) -> list[effects.PassiveEffect]:
        if self._final_state is not None:
            return self._handle_after_end(event)
        requested = self._dispatch(event)
        if self._held and not self._restore.is_looking:
            requested += self._release_held()
        return [*requested, *self._next_effects()] if self._final_state is None else requested

    def _dispatch(self, event: events.PassiveEvent) -> list[effects.PassiveEffect]:
        match event:
            case events.Started():
                return self._start(event)
            case events.Tick(now_ns):
                self._now_ns = now_ns
                if self._storage_reason and now_ns - self._failed_ns >= RETRY_NS:
                    self._failed_ns, self._retrying = now_ns, True
            case events.FrameSeen():
                self._device_came_back(event.started_ns)
                self._has_frames = True
                self._raw_inputs.see(event)
                return [*self._restore.look(event)] if self._restore.is_active else self._miss_touches(event)
            case events.TouchedDown() | events.Intended():
                return self._command(event)
            case events.UndoWanted(now_ns, steps):
                return self._undo(now_ns, steps)
            case events.FramesEnded():
                self._raw_inputs.finish(self._now_ns)
            case events.AbandonWanted():
                return self._abandon()
            case events.Published():
                self._final_state = State.FINISHED
            case _:
                return self._dispatch_device_event(event)
        return []

    def _release_held(self) -> list[effects.PassiveEffect]:
        """Record the inputs that came while the screen was compared, if it was the right one."""
        held, self._held = self._held, []
        if self._restore.is_active:
            return [effects.Tell(TOUCHED_TOO_EARLY)]
        return [told for event in held for told in self._hear(event)]

    def _hear(self, event: events.InputHeard) -> list[effects.PassiveEffect]:
        self._untouched = None if isinstance(event.news, ContactBegan) else self._untouched
        return _notify(ENDING if self._ending else self._raw_inputs.hear(event)) if self._started else []

    def _miss_touches(self, frame: events.FrameSeen) -> list[effects.PassiveEffect]:
        if self._untouched is None or not frame.still:
            return []
        self._untouched.add(frame.anchor)
        if len(self._untouched) < UNTOUCHED_SCREENS:
            return []
        self._untouched = None
        return [effects.Tell(UNTOUCHED)]

    def _dispatch_device_event(self, event: events.PassiveEvent) -> list[effects.PassiveEffect]:
        match event:
            case events.InputFollowed(nodes):
                self._has_input, self._input_reason = True, ""
                self._raw_inputs.follow(nodes, self._now_ns)
            case events.InputBroke(reason):
                already_lost, self._input_reason = self._input_reason, DEAF.format(reason)
                self._has_input = False
                return [] if already_lost else [effects.Tell(self._input_reason)]
            case events.InputHeard() if self._restore.is_active and event.at_ns >= self._back_ns:
                self._held += [event] if self._restore.is_looking else []
            case events.InputHeard():
                return self._hear(event)
            case events.ClockJumped():
                self._raw_inputs.distrust_clock()
                return [effects.Tell(CLOCK_CHANGED)]
            case events.ScreenLooked():
                self._raw_inputs.look(event)
            case events.FieldRead():
                self._raw_inputs.read_field(event)
                self._has_new_reading = True
            case events.DeviceWentAway(reason):
                self._device_went_away(reason)
            case events.DeviceCameBack(now_ns):
                self._device_came_back(now_ns)
            case _:
                return self._dispatch_result(event)
        return []

    def _dispatch_result(self, event: events.PassiveEvent) -> list[effects.PassiveEffect]:
        match event:
            case events.FrameKept(number):
                self._raw_inputs.frame_kept(number)
                self._storage_works()
            case events.FrameMissing(number):
                self._raw_inputs.frame_missing(number)
            case events.StorageFailed():
                self._storage_failed(event)
            case events.StepSaved(intent):
                return self._step_saved(intent)
            case events.StepsDropped() | events.Returned() | events.ReturnJudged() | events.ScreenAccepted():
                return self._while_restoring(event)
            case events.ErrorDialogSeen() if self._started and not self._restore.is_active:
                return self._while_restoring(event)
            case events.TextAnswered(step, text):
                if step in self._open_questions:
                    self._writes.append(_Write(effects.AmendText(step, text)))
            case events.TextAmended(step):
                self._open_questions.discard(step)
                self._finish_write()
            case _:
                pass
        return []

    def _while_restoring(self, event: events.RestoreEvent) -> list[effects.PassiveEffect]:
        match event:
            case events.StepsDropped():
                return self._step_dropped(event)
            case events.Returned(reason=reason):
                return [*self._restore.snapshot_done(reason)]
            case events.ReturnJudged(matches):
                return [*self._restore.judge(matches=matches)]
            case events.ScreenAccepted():
                self._restore.accept()
            case events.ErrorDialogSeen(title):
                self._restore.await_answer()
                return [effects.Tell(ANSWER_ANDROID.format(title))]
        return []

    def _start(self, event: events.Started) -> list[effects.PassiveEffect]:
        self._started, self._steps, self._now_ns = True, event.steps, event.now_ns
        self._complete = self._ending = event.complete
        if event.goal is Goal.UNDONE:
            return [*self._restore.begin(event.flags)]
        self._restore.owe(event.flags)
        if event.goal is not None and not event.complete:
            self._restore.resume(event.goal)
        return []

    def _next_effects(self) -> list[effects.PassiveEffect]:
        """Request what the queue needs, and write what is next; after a failed write only at a retry."""
        if not self._started:
            return []
        may_write = self._retrying or not self._storage_reason
        requested = self._raw_inputs.requests(self._now_ns, may_write=may_write, may_look=not self._device_reason)
        requested += self._settle_texts()
        while may_write and not self._writing:
            ready = self._writes[0] if self._writes else self._next()
            if ready is None:
                break
            if isinstance(ready, Refused):
                requested += _notify(ready.why)
                continue
            self._writing = True
            requested.append(ready.effect)
        if self._retrying and not self._writing and not self._raw_inputs.keeping:
            self._storage_works()
        return requested

    def _next(self) -> _Write | Refused | None:
        """The next write, which is now the head of the writes."""
        ready = self._raw_inputs.next(self._now_ns)
        match ready:
            case Refused():
                return ready
            case RawStep(save, unread):
                self._writes.append(_Write(replace(save, flags=(*self._restore.flags, *save.flags)), unread))
            case RawUndo():
                self._writes.append(_Write(effects.RemoveSteps("undone by the annotator", leads_back=True)))
            case None if self._complete and not self._raw_inputs.waiting:
                return self._publish()
            case None:
                return None
        return self._writes[0]

    def _settle_texts(self) -> list[effects.PassiveEffect]:
        """Amend the unread texts that a screen shows now, and ask for those that none will show any more."""
        asked: list[effects.PassiveEffect] = []
        is_new, self._has_new_reading = self._has_new_reading, False
        for step, unread in [*self._unread.items()]:
            text = self._raw_inputs.shown_text(unread) if is_new else None
            if text is not None:
                self._writes.append(_Write(effects.AmendText(step, text)))
            elif self._raw_inputs.is_lost(unread, self._now_ns, ending=self._ending):
                asked.append(effects.AskText(step, unread.guess))
            else:
                continue
            del self._unread[step]
        return asked

    def _publish(self) -> _Write | Refused | None:
        if not self._open_questions:
            self._writes.append(_Write(effects.Publish()))
            return self._writes[0]
        if self._unread or self._answers_requested:
            return None
        self._answers_requested = True
        return Refused(ANSWER_FIRST)

    # Commands of the annotator.

    def _command(self, event: events.TouchedDown | events.Intended) -> list[effects.PassiveEffect]:
        match event:
            case events.Intended(Complete() | Impossible()) if self._restore.is_active:
                return [effects.Tell(BRING_BACK_FIRST)]
            case events.Intended(Complete() | Impossible() as end, now_ns):
                if not self._ending:
                    self._ending = True
                    self._raw_inputs.want(end, now_ns)
                return []
            case events.Intended(events.Touch()):
                return []  # its touch-down was refused, and the annotator was notified
            case _:
                return [effects.Tell(USE_EMULATOR, NoticeKind.REFUSAL)]

    def _undo(self, now_ns: int, steps: int) -> list[effects.PassiveEffect]:
        if self._is_publishing:
            if not self._storage_reason or self._writing:
                return [effects.Tell(TOO_EARLY_TO_UNDO)]
            self._writes.pop()
        self._ending = self._answers_requested = False
        self._pending_undos += steps
        for _ in range(steps):
            self._raw_inputs.want(RawUndo(now_ns), now_ns)
        return []

    def _abandon(self) -> list[effects.PassiveEffect]:
        if self.publishing:
            return [effects.Tell(TOO_LATE_TO_ABANDON)]
        self._final_state = State.ABANDONED
        return [effects.Abandon()]

    # Results of writes, and failures.

    @property
    def _is_publishing(self) -> bool:
        return any(isinstance(write.effect, effects.Publish) for write in self._writes)

    def _finish_write(self) -> _Write:
        self._writing = False
        self._storage_works()
        return self._writes.popleft()

    def _step_saved(self, intent: events.Intent) -> list[effects.PassiveEffect]:
        write = self._finish_write()
        self._restore.step_saved()
        self._complete = isinstance(intent, Complete | Impossible)
        number, self._steps = self._steps, self._steps + 1
        if write.unread is not None:
            self._open_questions.add(number)
            self._unread[number] = write.unread
            self._has_new_reading = True
        return []

    def _step_dropped(self, event: events.StepsDropped) -> list[effects.PassiveEffect]:
        """Drop the questions about the removed step; after the last undo the device must be restored."""
        self._finish_write()
        self._steps = max(0, self._steps - 1)
        self._complete = False
        self._open_questions.discard(self._steps)
        self._unread.pop(self._steps, None)
        self._writes = deque(write for write in self._writes if not _is_amendment_of(write, self._steps))
        self._pending_undos -= 1
        self._needs_restore |= event.leads_back
        if event.lost:
            self._restore.give_up()
        if self._pending_undos or not self._needs_restore:
            return []
        self._needs_restore = False
        return [*self._restore.begin(event.flags)]

    def _device_went_away(self, reason: str) -> None:
        if not self._started:
            return
        if not self._device_reason:
            self._has_frames = False
            self._raw_inputs.stop_waiting_for_frames()
        self._device_reason, self._was_lost = reason, True

    def _device_came_back(self, now_ns: int) -> None:
        if self._was_lost and not self._ending:
            self._restore.device_came_back()
            self._back_ns = now_ns
        self._device_reason, self._was_lost = "", False

    def _storage_failed(self, event: events.StorageFailed) -> None:
        if event.frame is None:
            self._writing = False
        elif not self._raw_inputs.frame_failed(event.frame):
            return
        self._storage_reason, self._failed_ns, self._retrying = event.reason, event.now_ns, False

    def _storage_works(self) -> None:
        self._storage_reason, self._retrying = "", False

    def _handle_after_end(self, event: events.PassiveEvent) -> list[effects.PassiveEffect]:
        if not isinstance(event, events.StorageFailed):
            return []
        self._storage_reason = event.reason
        return [effects.Tell(event.reason)]


def _is_amendment_of(write: _Write, step: int) -> bool:
    return isinstance(write.effect, effects.AmendText) and write.effect.step == step


def _notify(text: str) -> list[effects.PassiveEffect]:
    return [effects.Tell(text)] if text else []
