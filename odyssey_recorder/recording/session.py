"""The rules of a recording: which screenshot belongs to which action, and when an input may go to the device.

A state machine without I/O, clock or threads: events come in, effects go out. Time is the host's monotonic
clock in nanoseconds and comes with the events.

    IDLE -> SETTLING -> CAPTURING -> READY -> CHECKING -> INJECTING -> SETTLING ... -> FINISHED | ABANDONED
    DEVICE_LOST and STORAGE_LOST from anywhere, and back to SETTLING

INJECTING includes publishing, which follows the terminal step.

After an undo the device is restored to the screen before the step: RETURNING while a snapshot is loaded, then RESTORING
while the annotator restores the screen. Until the screen matches or is accepted, inputs do not become steps.

A settled frame is written to the draft; only then is the session READY. A gesture pins the frame it was made on. Its
input is sent when three things are true: the pinned frame is safe on disk, a frame requested after the touch-down is
equal to it, and the step is in the draft's log. If the screen changed under the finger, the gesture is refused. On a
screen that never settles (a video) the step is recorded and marked as not settled; even there, a frame of another size
is another screen.

If the device can follow a live finger, a touch on a settled screen is sent at once, because its frame is already safe;
the proof comes afterwards. The step waits, not the annotator, until a frame requested after the touch-down is equal, or
until the stream of frames shows what came next. If the stream reports late a change from before the touch-down, the
newer frame becomes the step's. If that frame has another size, the gesture is not recorded.

Only one input is under way at a time: a lost device is not back until its input is answered. Failed writes are
done before anything else once the storage works again. Input from outside the recorder is reported, and flagged with
the next step (`ForeignInput`).
"""

from dataclasses import replace

from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.model.flag import Flag
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording import effects, events, foreign_input
from odyssey_recorder.recording.gestures import HeldGesture, LiveGesture
from odyssey_recorder.recording.notice import NoticeKind
from odyssey_recorder.recording.restore import ANSWER_ANDROID, BRING_BACK_FIRST, RestoringSession
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.timeline import MOVING

PROOF_NS = 1_000_000_000
"""How long after the lift the proof of a live gesture may take; then the step is flagged as unproven."""

RETRY_NS = 1_000_000_000
"""Between retries of a failed write."""

NO_EFFECT_NS = 100_000_000
"""Within this time after the device answered, an input cannot have rotated the screen yet."""

LATE_INPUT_NS = 2_000_000_000
"""How late an input may arrive after the connection or the recorder was lost: `input` alone takes up to a second."""

NOT_READY = "The screen was not ready. Nothing was recorded or sent. Try again when it says Ready."
OUT_OF_DATE = "The screenshot you touched was out of date. Nothing was recorded or sent. Look again."
ROTATED_BEFORE_TOUCH = "The device was turned or folded just before your finger came down."
CHANGED = "The screen changed under your finger. Nothing was recorded or sent. Look again."
NOT_SENT = "The device was lost before your last action was sent. It was not recorded."
BROKEN_OFF = "Your gesture is not in the episode, but the device may have received part of it. Restore the screen."
TOO_EARLY_TO_UNDO = "Undo is available again when the last action is done."
TOO_LATE_TO_ABANDON = "The episode is being published and can no longer be discarded."


class Session(RestoringSession):
    needed: frozenset[int] = frozenset()

    def __init__(
        self, late_input_ns: int = LATE_INPUT_NS, rules: foreign_input.ForeignRules = foreign_input.DEFAULT_RULES
    ) -> None:
        super().__init__()
        self.state = State.IDLE
        self.reason = ""
        """Why the device or the storage is lost; empty otherwise."""
        self.frame: int | None = None
        """The frame that is safe on disk and waits for its action; None if there is none."""
        self._late_input_ns = late_input_ns
        self._failed_ns = 0
        self._publishing = False
        self._anchor: int | None = None
        self._newest: int | None = None
        self._size: Size | None = None
        self._sized_at = 0
        self._settled = False
        self._keeping: int | None = None
        self._gesture: HeldGesture | None = None
        self._live: LiveGesture | None = None
        self._in_flight = False
        self._pending_write: effects.RemoveSteps | effects.VouchForLastStep | None = None
        self._foreign = foreign_input.ForeignInput(rules, self._restore)
        self._frame_before: int | None = None
        self._changed_ns: int | None = None
        self._seen_ns = 0
        self._must_judge = False
        self._uncertain = False
        self._rotated = False
        self._may_lift_late = False  # the finger of a gesture that was not recorded
        self._answered_ns = 0
        self._try_storage = False

    @property
    def publishing(self) -> bool:
        return self._publishing and self.state is State.INJECTING

    @property
    def touched(self) -> bool:
        """Whether a gesture is being made or waits for its proof."""
        return self._gesture is not None or self._live is not None

    @property
    def live(self) -> bool:
        return self._live is not None

    def handle(self, event: events.Event) -> list[effects.Effect]:  # noqa: C901 - one line for each event
        """Returns the effects in the order in which they must be carried out."""
        if self.state in _ENDED:
            return self._handle_after_end(event)
        match event:
            case events.Started():
                return self._started(event)
            case events.FrameSeen():
                return self._frame_seen(event)
            case events.FrameKept(number):
                return self._frame_kept(number)
            case events.TouchedDown(number, now_ns, live):
                return self._touched_down(number, now_ns, live=live)
            case events.FingerGoesDown() | events.FingerLifted():
                return self._live_touch_event(self._live, event) if self._live else []  # no live gesture: it was lost
            case events.TouchCancelled():
                return self._touch_cancelled()
            case events.Intended(intent, now_ns):
                return self._intended(intent, now_ns)
            case events.StepSaved(intent):
                return self._step_saved(intent)
            case events.InputDone() | events.InputRefused() | events.InputUncertain():
                return self._input_answered(event)
            case events.StepsDropped() | events.Returned() | events.ReturnJudged() | events.ScreenAccepted():
                return self._while_restoring(event)
            case events.ErrorDialogSeen():
                return self._while_restoring(event)
            case events.LastStepJudged(is_doubtful):
                return self._last_step_judged(is_doubtful=is_doubtful)
            case events.ScreensCompared(cells):
                return self._foreign.changed(cells, self._seen_ns if self._changed_ns is None else self._changed_ns)
            case events.KernelInputSeen():
                return self._foreign.felt(event)
            case events.UndoWanted():
                return self._undo(event)
            case events.DeviceWentAway(reason):
                return self._device_went_away(reason)
            case events.DeviceCameBack(now_ns):
                return self._device_came_back(now_ns)
            case events.StorageFailed():
                return self._storage_failed(event)
            case events.Published():
                self.state = State.FINISHED
                return []
            case events.FramesEnded():
                return self._save_live(patient=False)
            case events.Tick(now_ns):
                return [*self._save_unproved(now_ns), *self._try_storage_again(now_ns)]
            case events.AbandonWanted():
                return self._abandon()

    def _started(self, event: events.Started) -> list[effects.Effect]:
        if event.complete:
            self.state, self._publishing = State.INJECTING, True
            return [effects.Publish()]
        if event.goal is Goal.UNDONE:
            return self._start_restore(event.flags)
        self._restore.owe(event.flags)
        if event.goal is not None:
            self._restore.resume(event.goal)
        else:
            self._foreign.end(event.now_ns)
        delay_ns = self._late_input_ns if event.goal is Goal.UNCERTAIN else 0
        return self._settle(event.now_ns + delay_ns)

    # Frames.

    def _frame_seen(self, frame: events.FrameSeen) -> list[effects.Effect]:
        if self._try_storage:
            self._try_storage, self._keeping = False, frame.number
            return [effects.KeepFrame(frame.number)]
        self._note_rotation(frame)
        if self.state not in _WATCHING and self._live is None:
            return []
        resized = frame.size != self._size
        replaced = frame.anchor != self._anchor and (self._settled or resized)
        gap = self._newest is not None and frame.number > self._newest + 1
        self._anchor, self._newest, self._size = frame.anchor, frame.number, frame.size
        self._sized_at = frame.number if resized else self._sized_at
        self._seen_ns = frame.started_ns
        if replaced and self._changed_ns is None:
            self._changed_ns = frame.started_ns
        if self._live is not None:
            return self._live_frame_seen(self._live, frame, gap=gap)
        if self._restore.is_active:
            self._settled = frame.still
            is_looking = self._restore.look(frame)
            self.state = State.RESTORING if self._restore.is_by_hand else self.state
            return is_looking
        if self._gesture is not None:
            self._gesture = self._gesture.seen(frame, replaced=replaced)
            return self._save_if_proved()
        if self.state is State.READY and (self._settled or replaced):
            return self._settle(frame.started_ns) if replaced else []
        if replaced and self._keeping is not None:
            self.state, self._keeping = State.SETTLING, None
        return self._keep_settled_frame(frame)

    def _note_rotation(self, frame: events.FrameSeen) -> None:
        """Remember that the device was rotated or folded between the last check and the arrival of an input."""
        too_early = frame.started_ns < self._answered_ns + NO_EFFECT_NS
        sent = self._live is None and (self._in_flight or (self._must_judge and too_early))
        if sent and not self._restore.is_active and frame.size != self._size:
            self._rotated = True

    def _keep_settled_frame(self, frame: events.FrameSeen) -> list[effects.Effect]:
        restless = frame.restless and self.frame is None
        if self._keeping is not None or not (frame.still or restless):
            return []
        self._settled = frame.still
        judge = effects.JudgeLastStep(frame.number, uncertain=self._uncertain, turned=self._rotated)
        return [judge] if self._uncertain else self._keep(frame.number)

    def _keep(self, number: int) -> list[effects.Effect]:
        """Keep the screenshot of a settled screen, compare it with the one before, and judge the last step by it."""
        self.state, self._keeping = State.CAPTURING, number
        requested: list[effects.Effect] = []
        if self._frame_before is not None and self._settled:
            requested.append(effects.CompareScreens(self._frame_before, number))
        requested.append(effects.KeepFrame(number))
        if self._must_judge:
            requested.append(effects.JudgeLastStep(number, uncertain=False, turned=self._rotated))
        return requested

    def _last_step_judged(self, *, is_doubtful: bool) -> list[effects.Effect]:
        was_uncertain = self._uncertain
        self._must_judge = self._uncertain = self._rotated = False
        if isinstance(self._pending_write, effects.VouchForLastStep):
            self._pending_write = None
        if is_doubtful:
            return self._settle(self._seen_ns)
        if was_uncertain and self._newest is not None:
            self._was_lost = False
            return self._keep(self._newest)
        return []

    def _frame_kept(self, number: int) -> list[effects.Effect]:
        if number != self._keeping:
            return []
        if self._live is not None:
            self._keeping, self._live = None, replace(self._live, safe=True)
            return self._save_live()
        if self.state is State.STORAGE_LOST:
            return self._settle(self._failed_ns)
        self._keeping, self.frame = None, number
        if self.state is State.CAPTURING:
            self.state, self._may_lift_late = State.READY, False
            self._frame_before, self._changed_ns = (number if self._settled else None), None
        return self._save_if_proved()

    # Gestures.

    def _touched_down(self, number: int, now_ns: int, *, live: bool) -> list[effects.Effect]:
        if self.state is State.RESTORING:
            return []  # not recorded, so nothing to prove
        if self.state is not State.READY or self._gesture is not None:
            return [effects.Tell(NOT_READY, NoticeKind.REFUSAL)]
        oldest = self._anchor if self._settled else self._sized_at
        if oldest is not None and number < oldest:
            return [effects.Tell(OUT_OF_DATE, NoticeKind.REFUSAL)]
        if not self._settled or self.frame is None:
            return self._pin(number, now_ns)
        if live:
            self.state, self._in_flight = State.INJECTING, True
            self._live = LiveGesture(self.frame, self._anchor, self._size)
            return [effects.LowerFinger(self.frame)]
        return self._pin(self.frame, now_ns)

    def _pin(self, number: int, now_ns: int, intent: events.Intent | None = None) -> list[effects.Effect]:
        """Begin a gesture on frame `number`, which is not on disk yet if the screen is not settled."""
        self._gesture = HeldGesture(number, now_ns, intent)
        if number == self.frame:
            return []
        self._keeping, self.frame = number, None
        return [effects.KeepFrame(number)]

    def _touch_cancelled(self) -> list[effects.Effect]:
        if self._live is not None:
            return self._drop_touch("The screenshot of your gesture is no longer available.", self._live.lifted_ns)
        if self._gesture is not None and self._gesture.intent is None:
            return self._end_gesture(self._gesture.touched_ns)
        return []

    def _intended(self, intent: events.Intent, now_ns: int) -> list[effects.Effect]:
        if self.state is State.RESTORING:
            return self._send_unrecorded(intent)
        if isinstance(intent, events.Touch):
            if self._gesture is None or self._gesture.intent is not None:
                return []  # its touch-down was refused, and the annotator was notified
            self.state, self._gesture = State.CHECKING, replace(self._gesture, intent=intent)
            return self._save_if_proved()
        if self.state is not State.READY or self._gesture is not None or self.frame is None:
            return [effects.Tell(NOT_READY, NoticeKind.REFUSAL)]
        number = self.frame if self._settled or self._newest is None else self._newest
        self.state = State.CHECKING
        return [*self._pin(number, now_ns, intent), *self._save_if_proved()]

    def _save_if_proved(self) -> list[effects.Effect]:
        """Save the step if its gesture is complete and proved; refuse it if the screen changed meanwhile."""
        gesture = self._gesture
        if gesture is None or gesture.intent is None:
            return []
        if gesture.disturbed:
            return [effects.Tell(CHANGED, NoticeKind.REFUSAL), *self._end_gesture(gesture.touched_ns)]
        if self.frame != gesture.frame or (self._settled and gesture.check is None):
            return []
        self.state = State.INJECTING
        self._foreign.begin(gesture.touched_ns)
        check = gesture.check if self._settled else None
        flags = (*self._restore.flags, *(() if self._settled else (MOVING,)))
        return [effects.SaveStep(gesture.frame, check, self._settled, gesture.touched_ns, gesture.intent, flags=flags)]

    # Live gestures.

    def _live_touch_event(
        self, live: LiveGesture, event: events.FingerGoesDown | events.FingerLifted
    ) -> list[effects.Effect]:
        match event:
            case events.FingerGoesDown(now_ns):
                self._live = replace(live, touched_ns=now_ns)
                self._foreign.begin(now_ns)
                return []
            case events.FingerLifted(touch, now_ns, landed_ns):
                self._live = replace(live, touch=touch, lifted_ns=now_ns, landed_ns=landed_ns)
                return self._save_live()

    def _live_frame_seen(self, live: LiveGesture, frame: events.FrameSeen, *, gap: bool) -> list[effects.Effect]:
        self._live = live.seen(frame, gap=gap)
        if self._live.frame != live.frame:
            self._keeping = self._live.frame
            return [effects.KeepFrame(self._live.frame)]
        return self._save_live()

    def _save_live(self, *, patient: bool = True) -> list[effects.Effect]:
        """Save the step of a finished live gesture; a `patient` session with a device waits for its proof."""
        if self._live is None or self._live.touch is None:
            return []
        if self._live.is_astray:
            return self._drop_touch(ROTATED_BEFORE_TOUCH, self._live.lifted_ns)
        step = self._live.step(patient=patient and self.state is State.INJECTING)
        return [replace(step, flags=(*self._restore.flags, *step.flags))] if step is not None else []

    def _drop_touch(self, reason: str, now_ns: int, *, may_lift_late: bool = False) -> list[effects.Effect]:
        self._may_lift_late = may_lift_late
        ended = self._input_over(now_ns, explains=False)
        return [effects.Tell(f"{reason} {BROKEN_OFF}"), effects.DropTouch(reason), *ended]

    def _save_unproved(self, now_ns: int) -> list[effects.Effect]:
        live = self._live
        waits = live is not None and live.touch is not None and self.state is State.INJECTING
        return self._save_live(patient=False) if waits and live and now_ns - live.lifted_ns > PROOF_NS else []

    def _step_saved(self, intent: events.Intent) -> list[effects.Effect]:
        self._restore.step_saved()
        self._frame_before = None
        if self._live is not None:
            self._must_judge = True
            return self._input_over(self._live.lifted_ns)
        if isinstance(intent, Complete | Impossible):
            self._publishing = True
            return [effects.Publish()]
        self._in_flight = True
        return [effects.SendInput(intent)]

    def _input_over(self, now_ns: int, *, explains: bool = True) -> list[effects.Effect]:
        """The device answered an input; if the device is lost, the session keeps waiting for it."""
        if not self._restore.is_active:
            self._foreign.end(now_ns, explains=explains)
        self._in_flight = self._uncertain = False
        self._live = None
        if self.state is State.DEVICE_LOST:
            return []
        return self._end_gesture(now_ns)

    def _input_answered(self, event: events.InputAnswer) -> list[effects.Effect]:
        match event:
            case events.InputDone(now_ns):
                self._must_judge, self._answered_ns = not self._restore.is_active, now_ns
                return self._input_over(now_ns)
            case events.InputRefused(reason, now_ns, is_partial=True) if self._live:
                return self._drop_touch(reason, now_ns, may_lift_late=True)
            case events.InputRefused(reason, now_ns) if self._live:
                return [effects.Tell(reason), effects.DropTouch(reason), *self._input_over(now_ns, explains=False)]
            case events.InputRefused(reason, now_ns):
                if not self._restore.is_active:
                    self._pending_write = effects.RemoveSteps("refused by the device")
                return [effects.Tell(reason), *self._input_over(now_ns, explains=False)]
            case events.InputUncertain(reason) if self._live:
                return self._drop_touch(reason, self._live.touched_ns or 0, may_lift_late=True)
            case events.InputUncertain(reason):
                lost = self._device_went_away(reason)
                self._in_flight = False
                return lost

    def _end_gesture(self, now_ns: int) -> list[effects.Effect]:
        self._gesture = None
        return self._settle(now_ns)

    def _settle(self, now_ns: int) -> list[effects.Effect]:
        """Wait for a settled screen; only frames requested after `now_ns` count.

        An uncertain input is judged only when it can no longer arrive.
        """
        self.state, self.reason = State.RESTORING if self._restore.is_by_hand else State.SETTLING, ""
        self._anchor = self._newest = self.frame = self._keeping = None
        if self._was_lost and not self._uncertain:
            self._was_lost = False
            self._restore.device_came_back()
        self._restore.look_again()
        pending: list[effects.Effect] = [self._pending_write] if self._pending_write else []
        since_ns = now_ns + (self._late_input_ns if self._uncertain or self._may_lift_late else 0)
        return [effects.Watch(since_ns, after_input=self._must_judge or self._uncertain), *pending]

    # Undo and restore.

    def _undo(self, event: events.UndoWanted) -> list[effects.Effect]:
        unpublished = self.state is State.STORAGE_LOST and self._publishing
        if not unpublished and (self.state not in _WATCHING or self._gesture is not None):
            return [effects.Tell(TOO_EARLY_TO_UNDO)]
        self._publishing = self._must_judge = self._uncertain = self._rotated = False
        self._foreign.begin(event.now_ns)
        self._pending_write = effects.RemoveSteps(
            "undone by the annotator", event.steps, leads_back=True, rejects=event.rejects
        )
        return self._end_gesture(event.now_ns)

    def _while_restoring(self, event: events.RestoreEvent) -> list[effects.Effect]:
        match event:
            case events.StepsDropped(leads_back, flags, lost):
                self._pending_write = None
                if leads_back:
                    return self._start_restore(flags)
                self._restore.owe(flags)
                self._foreign.end(self._seen_ns, explains=False)
                if lost and self._restore.is_active:
                    self._restore.give_up()
                    self.state = State.SETTLING
                return []
            case events.Returned(now_ns, reason):
                messages = self._restore.snapshot_done(reason)
                self._in_flight = False
                return [*messages, *(self._settle(now_ns) if self.state is State.RETURNING else [])]
            case events.ReturnJudged(matches):
                return self._judge_return(matches=matches)
            case events.ScreenAccepted(now_ns):
                return self._accept_screen(now_ns)
            case events.ErrorDialogSeen(title):
                return self._error_dialog_seen(title)

    def _accept_screen(self, now_ns: int) -> list[effects.Effect]:
        goal = self._restore.goal
        if not self._restore.accept():
            return []
        self._pending_write = effects.VouchForLastStep() if goal is Goal.UNCERTAIN else self._pending_write
        self._foreign.end(now_ns)
        return self._settle(now_ns)

    def _error_dialog_seen(self, title: str) -> list[effects.Effect]:
        """Pause until the dialog is answered; a gesture that waits for its proof is not sent."""
        if self.state not in _WATCHING or self._restore.is_active:
            return []
        self._restore.await_answer()
        self._frame_before = None
        return [effects.Tell(ANSWER_ANDROID.format(title)), *self._end_gesture(self._seen_ns)]

    def _start_restore(self, flags: tuple[Flag, ...]) -> list[effects.Effect]:
        self._enter_restore()
        return self._restore.begin(flags)

    def _enter_restore(self) -> None:
        self.state, self._in_flight, self._frame_before = State.RETURNING, True, None
        self._anchor = self._newest = self.frame = self._keeping = None

    def _judge_return(self, *, matches: bool) -> list[effects.Effect]:
        if self.state not in _WATCHING:
            self._restore.look_again()  # the device changed since
        was_restoring = self._restore.is_active
        is_untouched = self._restore.is_looking and self._restore.goal is Goal.LOST
        requested = self._restore.judge(matches=matches)
        if requested:
            self._enter_restore()
        elif was_restoring and not self._restore.is_active and self._newest is not None:
            if not is_untouched:
                self._foreign.end(self._seen_ns)
            return self._keep(self._newest)
        elif self._restore.is_by_hand and self.state in _WATCHING:
            self.state = State.RESTORING
        return requested

    def _send_unrecorded(self, intent: events.Intent) -> list[effects.Effect]:
        if isinstance(intent, Complete | Impossible):
            return [effects.Tell(BRING_BACK_FIRST)]
        self.state, self._in_flight = State.INJECTING, True
        return [effects.SendInput(intent)]

    # What fails.

    def _device_went_away(self, reason: str) -> list[effects.Effect]:
        if self.state is State.DEVICE_LOST:
            self.reason = reason  # it may say more than the first reason
            return []
        if self.state in {State.IDLE, State.RETURNING} or self._publishing:
            return []
        self._uncertain = self._uncertain or (self._in_flight and self._live is None and not self._restore.is_active)
        self._was_lost = True
        lost_gesture = self._enter_lost_state(State.DEVICE_LOST, reason)
        return [effects.Tell(NOT_SENT)] if lost_gesture else self._save_live()

    def _device_came_back(self, now_ns: int) -> list[effects.Effect]:
        if self.state is not State.DEVICE_LOST:
            return []
        if self._live is not None and self._live.touch is not None:
            return self._finish_live(self._live)
        if self._in_flight:
            return []
        if self._uncertain:
            self._foreign.end(now_ns)
        return self._settle(now_ns)

    def _storage_failed(self, event: events.StorageFailed) -> list[effects.Effect]:
        superseded = event.frame is not None and event.frame != self._keeping
        if superseded:
            return []
        self._failed_ns = event.now_ns
        if self._live is not None and self._live.touched_ns is None:
            self._in_flight = False  # the note before the touch-down failed
        lost_gesture = self._enter_lost_state(State.STORAGE_LOST, event.reason)
        if lost_gesture:
            self._foreign.end(event.now_ns, explains=False)
        return [effects.Tell(f"{event.reason} Your last action was neither recorded nor sent.")] if lost_gesture else []

    def _enter_lost_state(self, state: State, reason: str) -> bool:
        """Enter a lost state; return whether an unsent gesture is lost with it."""
        unsent = self.touched and not self._in_flight and not self._publishing
        self.state, self.reason = state, reason
        self._live = self._live if self._in_flight else None
        self._gesture, self._try_storage = None, False
        self.frame = None
        if self._live is None or state is State.STORAGE_LOST:
            self._keeping = None
        return unsent

    def _try_storage_again(self, now_ns: int) -> list[effects.Effect]:
        """Publish again, or test whether the next frame can be written."""
        answered = not self._in_flight or (self._live is not None and self._live.touch is not None)
        waits = self.state is State.STORAGE_LOST and self._keeping is None and answered
        if not waits or now_ns - self._failed_ns < RETRY_NS:
            return []
        self._failed_ns = now_ns
        if self._live is not None:
            return self._finish_live(self._live)
        if self._publishing:
            self.state, self.reason = State.INJECTING, ""
            return [effects.Publish()]
        self._try_storage = True
        return []

    def _finish_live(self, live: LiveGesture) -> list[effects.Effect]:
        """Write the missing parts of a live gesture that the device has already received."""
        self.state, self.reason = State.INJECTING, ""
        if live.safe or live.is_astray:
            return self._save_live(patient=False)
        self._keeping = live.frame
        return [effects.KeepFrame(live.frame)]

    # The end.

    def _abandon(self) -> list[effects.Effect]:
        if self.publishing:
            return [effects.Tell(TOO_LATE_TO_ABANDON)]
        self.state = State.ABANDONED
        return [effects.Abandon()]

    def _handle_after_end(self, event: events.Event) -> list[effects.Effect]:
        """Ignore everything except that the draft could not be moved to the trash."""
        if not isinstance(event, events.StorageFailed):
            return []
        self.reason = event.reason
        return [effects.Tell(event.reason)]


_WATCHING = frozenset({State.CAPTURING, State.READY, State.CHECKING, State.SETTLING, State.RESTORING})
_ENDED = frozenset({State.FINISHED, State.ABANDONED})
