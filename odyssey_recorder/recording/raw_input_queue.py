"""The queue in which raw inputs wait for their frames, the screen's areas and the typed text."""

from collections import deque
from dataclasses import dataclass

from odyssey_recorder.gesture import contacts, wheel
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.gesture.typed_keys import UNKNOWN, Key, exact
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.raw_input import (
    BLIND,
    FOCUS_NS,
    NO_SCREENSHOT,
    PINCHED,
    Interpreter,
    Outcome,
    RawAction,
    RawInput,
    Refused,
    Stroke,
    Undecided,
)
from odyssey_recorder.recording.timeline import MOVING, TOO_OLD_NS, FrameFound, NoFrame, Pending, Timeline
from odyssey_recorder.recording.typing import ECHO_NS, FieldReadings, Typed, TypingRun, UnreadText

PATIENCE_NS = 3_000_000_000
"""How long to wait for the proof of an input; then it is recorded as known."""

LOOK_PATIENCE_NS = 10_000_000_000
"""How long to wait for a reading that is under way: on a busy computer one takes several seconds."""

MOST_WAITING = 40
"""How many inputs may wait, each with a frame in memory."""

ASK_AFTER_NS = 15_000_000_000
"""How long a screen may still show an unread text before the annotator is asked."""
ASK_AT_END_NS = 5_000_000_000
ASK_AFTER_LOOKS = 2
"""The first look may have been at a screen that was still loading."""

LOOK_EVERY_NS = 50_000_000
"""Between readings that an input waits for."""
LOOK_AGAIN_NS = 300_000_000
"""Between readings of a screen that changes by itself."""
CLOCK_EVERY_NS = 20_000_000_000
"""Between readings of the device's clock while nothing happens: it drifts."""

LATE_NS = 300_000_000
"""Without the device's clock, an input is assumed to be at most this much older than its report."""

TOO_MANY = "Too many actions are waiting to be saved. Your last action was not recorded. Wait a moment."

LOST = "A touch was not recorded: {}."
NOT_A_STEP = "The key {} was not recorded. Touch the screen instead. Your next step will be flagged."
DROPPED = "The device was busy and dropped events. Check that your last action was recorded."

_CLOCK_CHANGED = Flag(FlagCode.CLOCK_CHANGED)


@dataclass(frozen=True, slots=True)
class RawStep:
    """A step that is ready; with `unread`, its text is not yet known."""

    save: effects.SaveStep
    unread: UnreadText | None = None


@dataclass(frozen=True, slots=True)
class RawUndo:
    at_ns: int


@dataclass(frozen=True, slots=True)
class RawNote:
    """Something at `at_ns` that is no step: the next step gets `flag`."""

    at_ns: int
    flag: Flag


class RawInputQueue:
    """Raw inputs go in as they arrive, and come out as steps in the order of their touch-downs."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._timeline = Timeline()
        self._sizes: dict[int, Size | None] = {}
        self._keeping: set[int] = set()
        self._kept: set[int] = set()
        self._nodes: dict[str, InputDeviceNode] = {}
        self._queue: deque[RawInput | RawUndo | RawNote] = deque()
        self._fingers: dict[tuple[str, int], RawInput] = {}
        self._pinched_until_us = -1
        self._run: TypingRun | None = None
        self._last_done_ns = 0
        self._readings = FieldReadings()
        self._still = False
        self._looks: deque[events.ScreenLooked] = deque(maxlen=8)
        self._looking = False
        self._look_tried_ns = -LOOK_AGAIN_NS
        self.newest: int | None = None
        """The first frame of the current screen."""
        self._look_frame: int | None = None
        self._finished_ns: int | None = None
        self._last_ns = 0
        self._owed: tuple[Flag, ...] = ()

    @property
    def waiting(self) -> bool:
        """Whether an input is under way or waits for its proof."""
        return bool(self._queue) or (self._run is not None and self._finished_ns is not None)

    @property
    def keeping(self) -> bool:
        return bool(self._keeping)

    @property
    def knows_areas(self) -> bool:
        """Whether the screen's areas have been read since the device was last lost."""
        return bool(self._looks)

    @property
    def reading(self) -> bool:
        """Whether the current screen's areas, or the focused field since the last input, are not yet read."""
        return self._readings.pending or self._looking or self._look_frame != self.newest

    @property
    def typed_keys(self) -> int:
        """Key strokes of the text that is being typed."""
        return 0 if self._run is None else len(self._run.keys)

    @property
    def needed(self) -> frozenset[int]:
        found = {
            raw_input.found.number
            for raw_input in self._queue
            if isinstance(raw_input, RawInput) and raw_input.found is not None
        }
        if self._run is not None:
            found.add(self._run.stroke.found.number)
        return self._timeline.held() | found

    # Frames and screenshots.

    def see(self, frame: events.FrameSeen) -> None:
        self._timeline.see(frame)
        self.newest, self._still = self._timeline.newest, frame.still
        self._sizes[frame.number] = frame.size
        needed = self.needed
        self._kept &= needed
        self._sizes = {number: size for number, size in self._sizes.items() if number in needed}

    def frame_kept(self, number: int) -> None:
        self._keeping.discard(number)
        self._kept.add(number)

    def frame_failed(self, number: int) -> bool:
        """Forget a failed write, so that it is requested again. Returns whether it was wanted."""
        wanted = number in self._keeping
        self._keeping.discard(number)
        return wanted

    def frame_missing(self, number: int) -> None:
        self._keeping.discard(number)
        for raw_input in self._raw_inputs():
            if raw_input.found is not None and raw_input.found.number == number:
                raw_input.refused = NO_SCREENSHOT
        if self._run is not None and self._run.stroke.found.number == number:
            self._run.first.refused = NO_SCREENSHOT
            self._queue.appendleft(self._run.first)
            self._run = None

    def stop_waiting_for_frames(self) -> None:
        """Stop waiting for frames: resolve pending inputs with what is known."""
        for raw_input in self._raw_inputs():
            raw_input.overdue = True
            self._find_screenshot(raw_input)
        self._timeline.forget()
        self._looks.clear()

    # Readings of the device.

    def look(self, looked: events.ScreenLooked) -> None:
        self._looking = False
        if looked.areas is not None:
            self._looks.append(looked)
        for raw_input in self._raw_inputs():
            if looked.clock_agreed and looked.requested_ns >= raw_input.arrived_ns:
                raw_input.clock_agreed = True
            if looked.areas is not None and looked.requested_ns >= raw_input.look_ns and _lacks_look(raw_input):
                raw_input.after = looked

    def read_field(self, reading: events.FieldRead) -> None:
        self._readings.add(reading)
        for raw_input in self._raw_inputs():
            if raw_input.needs_views and reading.requested_ns >= raw_input.lifted_ns + FOCUS_NS:
                raw_input.views = raw_input.views or reading

    def distrust_clock(self) -> None:
        """Treat the times of all waiting inputs as uncertain."""
        for raw_input in self._raw_inputs():
            if not raw_input.clock_agreed:
                raw_input.clock_agreed, raw_input.found = True, None
                _date_by_report(raw_input)

    def shown_text(self, unread: UnreadText) -> str | None:
        return self._readings.shown_text(unread.run)

    def is_lost(self, unread: UnreadText, now_ns: int, *, ending: bool) -> bool:
        """Whether no screen will show this text any more; an `ending` episode has no further screens."""
        waited_ns = now_ns - unread.closed_ns
        if ending and (waited_ns >= ASK_AT_END_NS or not self._readings.pending):
            return True
        return waited_ns >= ASK_AFTER_NS or self._readings.looked_since(unread.closed_ns) >= ASK_AFTER_LOOKS

    # Inputs.

    def finish(self, now_ns: int) -> None:
        """No more inputs will come; the last key strokes are a text."""
        self._finished_ns = now_ns

    def follow(self, nodes: tuple[InputDeviceNode, ...], now_ns: int) -> None:
        """Set the nodes that contacts come from. Inputs before `now_ns`, while nobody listened, are unknown."""
        self._nodes = {node.node: node for node in nodes}
        self._last_ns = max(self._last_ns, now_ns)

    def hear(self, heard: events.InputHeard) -> str:
        """Add an input; return a message for the annotator if it cannot be recorded."""
        match heard.news:
            case contacts.ContactBegan(node, slot, time_us):
                refusal = self._enqueue(heard, None, time_us)
                if not refusal:
                    self._fingers[node, slot] = self._raw_inputs()[-1]
                return refusal
            case contacts.Contact(node, slot):
                began = self._fingers.pop((node, slot), None)
                if began is not None:
                    began.what, began.lifted_ns = heard.news, heard.arrived_ns
                    self._join_wheel(began, heard.news)
                return ""
            case contacts.ContactLost():
                return self._lose(heard.news)
            case contacts.KeyPressed(_, key, time_us):
                return self._enqueue(heard, key, time_us)
            case contacts.KeyTyped(_, _, time_us, key):
                return self._enqueue(heard, key, time_us)
            case contacts.OtherKeyPressed(_, name):
                self._queue.append(RawNote(heard.arrived_ns, Flag(FlagCode.OTHER_KEY, (name,))))
                self._last_ns = max(self._last_ns, heard.at_ns)
                return NOT_A_STEP.format(name)
            case contacts.EventsDropped():
                self._last_ns = max(self._last_ns, heard.at_ns)
                return DROPPED

    def _join_wheel(self, later: RawInput, contact: contacts.Contact) -> None:
        """Make `contact` a part of the input before it, if both are one turn of a wheel."""
        place = next(place for place, waiting in enumerate(self._queue) if waiting is later)
        before = self._queue[place - 1] if place else None
        node = self._nodes.get(contact.node)
        if not isinstance(before, RawInput) or not isinstance(before.what, contacts.Contact) or node is None:
            return
        last = before.spun or before.what
        if wheel.may_go_on(last, node) and wheel.goes_on(last, contact, node):
            before.what, before.spun = wheel.joined(before.what, contact, node), contact
            before.lifted_ns = later.lifted_ns
            del self._queue[place]

    def _may_spin_on(self, raw_input: RawInput, now_ns: int) -> bool:
        """Whether the next contact may be a part of this input: it is under way, or could still be reported."""
        last = raw_input.spun or raw_input.what
        node = self._nodes.get(last.node) if isinstance(last, contacts.Contact) else None
        if not isinstance(last, contacts.Contact) or node is None or not wheel.may_go_on(last, node):
            return False
        until_ns = raw_input.lifted_ns + wheel.PAUSE_US * 1000
        if len(self._queue) == 1:
            return self._finished_ns is None and now_ns < until_ns + LATE_NS
        later = self._queue[1]
        return isinstance(later, RawInput) and later.what is None and later.at_ns <= until_ns

    def _lose(self, contact: contacts.ContactLost) -> str:
        lost = self._fingers.pop((contact.node, contact.slot), None)
        if lost is None:
            return LOST.format(contact.cause.value) if contact.cause is contacts.LossCause.PLACE_UNKNOWN else ""
        lost.what, lost.refused = UNKNOWN, LOST.format(contact.cause.value)
        return ""

    def want(self, wanted: Complete | Impossible | RawUndo, now_ns: int) -> None:
        raw_input = wanted if isinstance(wanted, RawUndo) else RawInput(now_ns, 0, now_ns, wanted, clock_agreed=True)
        self._queue.append(raw_input)

    def _enqueue(self, heard: events.InputHeard, what: SystemKey | Key | None, device_us: int) -> str:
        if len(self._queue) >= MOST_WAITING:
            return TOO_MANY
        before = next((look for look in reversed(self._looks) if look.answered_ns <= heard.at_ns), None)
        raw_input = RawInput(
            heard.at_ns, heard.uncertainty_ns, heard.arrived_ns, what, before, look_ns=heard.arrived_ns
        )
        raw_input.device_us, raw_input.last_ns = device_us, self._last_ns
        if raw_input.uncertainty_ns > TOO_OLD_NS:
            _date_by_report(raw_input)
        self._last_ns = raw_input.at_ns
        for earlier in self._raw_inputs()[-1:]:
            earlier.next_ns = raw_input.at_ns
        self._queue.append(raw_input)
        return ""

    def _raw_inputs(self) -> list[RawInput]:
        return [raw_input for raw_input in self._queue if isinstance(raw_input, RawInput)]

    # Requests, and steps that are ready.

    def requests(self, now_ns: int, *, may_write: bool, may_look: bool) -> list[effects.PassiveEffect]:
        wanted: list[effects.PassiveEffect] = []
        if may_look and self._is_look_due(now_ns):
            self._looking, self._look_tried_ns, self._look_frame = True, now_ns, self.newest
            wanted.append(effects.LookAtScreen())
        for raw_input in self._raw_inputs():
            waited_ns = now_ns - max(raw_input.arrived_ns, raw_input.lifted_ns)
            raw_input.overdue |= raw_input.what is not None and waited_ns >= self._patience_ns(raw_input)
            self._find_screenshot(raw_input)
        if may_write:
            wanted += [effects.KeepFrame(number) for number in self._screenshots_to_keep()]
        if may_look and self._readings.is_due(now_ns, self.newest, still=self._still):
            self._readings.begin(now_ns, self.newest)
            wanted.append(effects.LookAtField())
        return wanted

    def next(self, now_ns: int) -> RawStep | RawUndo | Refused | None:
        while self._queue:
            head = self._queue[0]
            if isinstance(head, RawNote):
                self._owe(head)
                continue
            if self._run is not None and (isinstance(head, RawUndo) or isinstance(head.what, Complete | Impossible)):
                return self._end_run(self._run, head.at_ns, now_ns)
            if isinstance(head, RawUndo):
                self._queue.popleft()
                self._owed = ()
                return head
            match self._outcome(head, now_ns):
                case Stroke() as stroke:
                    self._type(head, stroke)
                case Refused() as refused:
                    return self._refuse(head, refused)
                case RawAction() as action:
                    return self._take_action(head, action)
                case Undecided() as undecided:
                    self._await(head, undecided)
                    return None
        if self._run is not None and self._finished_ns is not None:
            return self._end_run(self._run, self._finished_ns, now_ns)
        return None

    def _await(self, head: RawInput, undecided: Undecided) -> None:
        head.look_ns = max(head.look_ns, undecided.look_ns)
        if undecided.needs_views and not head.needs_views:
            head.needs_views = True
            self._readings.want(undecided.look_ns)

    def _owe(self, note: RawNote) -> None:
        self._queue.popleft()
        self._owed = tuple(dict.fromkeys((*self._owed, note.flag)))
        self._last_done_ns = max(self._last_done_ns, note.at_ns)
        self._readings.want(self._last_done_ns)

    def _take_owed(self) -> tuple[Flag, ...]:
        owed, self._owed = self._owed, ()
        return owed

    def _outcome(self, raw_input: RawInput, now_ns: int) -> Outcome:
        if raw_input.refused and raw_input.what is not None:
            return Refused(raw_input.refused)
        if self._may_spin_on(raw_input, now_ns):
            return Undecided(raw_input.look_ns)
        if raw_input.found is None or not (raw_input.clock_agreed or raw_input.overdue):
            return Undecided(raw_input.look_ns)
        if raw_input.found.age_ns > TOO_OLD_NS and raw_input.at_ns - raw_input.found.age_ns < raw_input.last_ns:
            return Refused(BLIND)
        return self._interpreter.outcome(
            raw_input, raw_input.found, self._nodes, self._sizes.get(raw_input.found.number)
        )

    def _take_action(self, raw_input: RawInput, action: RawAction) -> RawStep | None:
        if self._run is not None:
            return self._close_run(self._run, raw_input.at_ns)
        if action.found.number not in self._kept:
            return None
        self._dequeue(raw_input)
        ends = isinstance(action.intent, Complete | Impossible)
        sent = None if ends else (raw_input.at_ns, max(raw_input.at_ns, raw_input.lifted_ns))
        flags = (*self._take_owed(), *action.flags)
        return RawStep(_save_effect(raw_input, action.found, action.intent, sent, flags))

    def _refuse(self, raw_input: RawInput, refused: Refused) -> RawStep | Refused | None:
        """Drop an input that is not recorded; it ends a typing run like any other."""
        if self._run is not None:
            return self._close_run(self._run, raw_input.at_ns)
        self._dequeue(raw_input)
        if refused.why is PINCHED and isinstance(raw_input.what, contacts.Contact):
            already_notified = raw_input.what.samples[0].time_us <= self._pinched_until_us
            self._pinched_until_us = max(self._pinched_until_us, raw_input.what.lifted_us)
            return Refused("") if already_notified else refused
        return refused

    def _dequeue(self, raw_input: RawInput) -> None:
        self._queue.popleft()
        self._last_done_ns = max(raw_input.arrived_ns, raw_input.lifted_ns)
        self._readings.want(self._last_done_ns)

    # Typing.

    def _type(self, raw_input: RawInput, stroke: Stroke) -> None:
        since_ns = self._last_done_ns
        self._dequeue(raw_input)
        if self._run is None:
            self._run = TypingRun(raw_input, stroke, since_ns, self._last_done_ns, (stroke.key,))
            self._readings.follow(self._run)
        else:
            self._run.add(raw_input, self._last_done_ns, stroke.key)
        self._run.first.flags = (*self._run.first.flags, *self._take_owed())

    def _end_run(self, run: TypingRun, ended_ns: int, now_ns: int) -> RawStep | None:
        """Close a typing run that no input follows; a reading that is under way is waited for."""
        reads = self._readings.pending and self._finished_ns is None
        patience_ns = LOOK_PATIENCE_NS if reads else PATIENCE_NS
        if self._readings.tells_end_of(run.last_ns + ECHO_NS) or now_ns - ended_ns >= patience_ns:
            return self._close_run(run, now_ns)
        return None

    def _close_run(self, run: TypingRun, closed_ns: int) -> RawStep | None:
        if run.stroke.found.number not in self._kept:
            return None
        self._run = None
        first_ns = run.first.at_ns
        typed = self._readings.typed_in_run(run, closed_ns)
        shown = None if typed.certain else self._readings.shown_text(run)
        if shown is not None:
            typed = Typed(shown, certain=True)
        guess = typed.text or exact(run.keys)
        flags = run.stroke.flags if typed.certain else (*run.stroke.flags, Flag(FlagCode.TEXT_UNREAD))
        sent = (first_ns, max(first_ns, run.last_ns))
        save = _save_effect(run.first, run.stroke.found, events.TextEntered(guess), sent, flags)
        return RawStep(save, None if typed.certain else UnreadText(run, closed_ns, guess))

    # Frames and readings.

    def _find_screenshot(self, raw_input: RawInput) -> None:
        if raw_input.found is not None or raw_input.refused:
            return
        at_ns, uncertainty_ns = raw_input.at_ns, raw_input.uncertainty_ns
        if _CLOCK_CHANGED in raw_input.flags:
            at_ns, uncertainty_ns = raw_input.arrived_ns - LATE_NS // 2, LATE_NS // 2
        last_ns = raw_input.last_ns or None
        answer = self._timeline.at(at_ns, uncertainty_ns, last_ns=last_ns, patient=not raw_input.overdue)
        match answer:
            case FrameFound():
                raw_input.found = answer
            case NoFrame() if raw_input.clock_agreed or raw_input.overdue:
                raw_input.refused = NO_SCREENSHOT
            case Pending() | NoFrame():
                pass

    def _screenshots_to_keep(self) -> list[int]:
        """Key strokes after the first need none."""
        found = [
            raw_input.found for raw_input in self._raw_inputs() if raw_input.found is not None and not raw_input.refused
        ]
        if self._run is not None:
            found = [self._run.stroke.found, *found[:1]]
        wanted = dict.fromkeys(frame.number for frame in found if frame.number not in self._keeping | self._kept)
        self._keeping |= wanted.keys()
        return list(wanted)

    def _patience_ns(self, raw_input: RawInput) -> int:
        is_answer_pending = self._looking or (raw_input.needs_views and self._readings.pending)
        return LOOK_PATIENCE_NS if is_answer_pending and self._finished_ns is None else PATIENCE_NS

    def _is_look_due(self, now_ns: int) -> bool:
        since_ns = now_ns - self._look_tried_ns
        if self._looking or since_ns < LOOK_EVERY_NS:
            return False
        is_new = (self.newest != self._look_frame or not self._looks) and since_ns >= LOOK_AGAIN_NS
        return (
            is_new
            or since_ns >= CLOCK_EVERY_NS
            or any(_waits_for_look(raw_input, now_ns) for raw_input in self._raw_inputs())
        )


def _waits_for_look(raw_input: RawInput, now_ns: int) -> bool:
    return raw_input.look_ns <= now_ns and (not raw_input.clock_agreed or _lacks_look(raw_input))


def _lacks_look(raw_input: RawInput) -> bool:
    wanted = raw_input.what is None or isinstance(raw_input.what, contacts.Contact)
    return wanted and (raw_input.after is None or raw_input.after.requested_ns < raw_input.look_ns)


def _date_by_report(raw_input: RawInput) -> None:
    """Date an input by its report, because nothing else is known of its time."""
    latest_ns = raw_input.arrived_ns
    raw_input.at_ns = max(raw_input.last_ns, min(max(raw_input.at_ns, latest_ns - LATE_NS), latest_ns))
    raw_input.uncertainty_ns, raw_input.device_us = LATE_NS, None
    raw_input.flags = (*raw_input.flags, _CLOCK_CHANGED)


def _save_effect(
    raw_input: RawInput, found: FrameFound, intent: events.Intent, sent: tuple[int, int] | None, flags: tuple[Flag, ...]
) -> effects.SaveStep:
    unread = () if raw_input.clock_agreed else (Flag(FlagCode.CLOCK_UNREAD),)
    return effects.SaveStep(
        found.number,
        found.check,
        MOVING not in found.doubts,
        raw_input.at_ns,
        intent,
        proven=found.check is not None and raw_input.clock_agreed and _CLOCK_CHANGED not in raw_input.flags,
        sent=sent,
        uncertainty_ns=raw_input.uncertainty_ns or None,
        device_us=raw_input.device_us,
        age_ns=found.age_ns,
        flags=(*found.doubts, *raw_input.flags, *unread, *flags),
    )
