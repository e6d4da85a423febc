"""Recorder, device and annotator of a passive session in one fake, which answers each effect as they would."""

from dataclasses import dataclass, field, replace
from typing import Self

from odyssey_recorder.gesture.areas import NavigationRules, ScreenAreas
from odyssey_recorder.gesture.contacts import (
    Contact,
    ContactBegan,
    ContactLost,
    KeyPressed,
    KeyTyped,
    LossCause,
    OtherKeyPressed,
    RawSample,
)
from odyssey_recorder.gesture.getevent import POSITION_X, POSITION_Y, AxisRange, InputDeviceNode
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.typed_keys import hardware_key
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.geometry import Box, Rotation, Size
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.events import KeyPress, TextEntered, Touch
from odyssey_recorder.recording.passive import PassiveSession
from odyssey_recorder.recording.raw_input import Interpreter
from odyssey_recorder.recording.state import Goal, State

MS = 1_000_000
PHONE = Size(1080, 2400)
TOUCH, KEYBOARD = "/dev/input/event1", "/dev/input/event12"
AXIS = AxisRange(0, 32767)
SCREEN = InputDeviceNode(TOUCH, "virtio_input_multi_touch_1", frozenset(), {POSITION_X: AXIS, POSITION_Y: AXIS})
BAR = Box(0, 2274, 1080, 2400)
KEYS = Box(0, 1500, 1080, 2274)
PLAIN = ScreenAreas(PHONE, Rotation.R0, BAR, None, package="com.example.shop", activity=".Main")
TYPING = replace(PLAIN, keyboard=KEYS)

DUMP_STARTS_MS, DUMP_RESTS_MS, DUMP_WRITES_MS, DUMP_GIVES_UP_MS = 400, 1000, 600, 10_000

Pos = tuple[int, int]


@dataclass
class Bench:
    """Time passes in `wait` only; meanwhile a frame arrives every 20 ms, and a reading of the screen takes `look_ms`.

    `screen` is the current screen; `streams`: the device sends frames by itself. What is None or False gets no answer:
    `areas`, `keeps_frames`, `saves_steps`, `gives_frames`, `reads_fields`, `drops_steps`, `judges`. With `restores` an
    undo restores screen 0. With a `phone`, a dump of its views takes two seconds, as `uiautomator` does, and longer if
    it changes meanwhile.
    """

    session: PassiveSession = field(
        default_factory=lambda: PassiveSession(
            Interpreter(TouchRules.for_density(420), NavigationRules.for_density(420))
        )
    )
    now_ms: int = 1000
    screen: int = 0
    streams: bool = True
    gives_frames: bool = True
    areas: ScreenAreas | None = PLAIN
    clock_agrees: bool = True
    keeps_frames: bool = True
    saves_steps: bool = True
    drops_steps: bool = True
    restores: bool = False
    judges: bool = True
    look_ms: int = 0
    field_text: str | None = None
    reads_fields: bool = True
    phone: "Views | None" = None
    overview: bool | None = None
    messages: list[str] = field(default_factory=list)
    questions: list[effects.AskText] = field(default_factory=list)
    steps: list[effects.SaveStep] = field(default_factory=list)
    dropped: list[effects.SaveStep] = field(default_factory=list)
    emitted: list[effects.PassiveEffect] = field(default_factory=list)
    shows: dict[int, int] = field(default_factory=dict)
    taken_ns: dict[int, int] = field(default_factory=dict)
    screens: list[tuple[int, int]] = field(default_factory=list)
    _lost_on: int = 0
    _frame: int = 0
    _anchor: int = 0
    _anchored_ns: int = 0
    _is_still: bool = False
    _looks: list[events.ScreenLooked] = field(default_factory=list)
    _dump: "Dump | None" = None

    def begin(self) -> Self:
        """Start recording, with a screen that has been settled for half a second."""
        self.send(events.Started(self.now_ns), events.InputFollowed((SCREEN,)))
        self.show(self.screen)
        self.wait(500)
        return self

    @property
    def now_ns(self) -> int:
        return self.now_ms * MS

    def state(self) -> State:
        return self.session.state

    def send(self, *happened: events.PassiveEvent) -> Self:
        """Pass events to the session, and answer its effects at once, as the recorder does."""
        for event in happened:
            if isinstance(event, events.DeviceWentAway) and self.gives_frames:
                self.gives_frames, self._lost_on = False, self.screen
            for effect in self.session.handle(events.Tick(self.now_ns)):
                self._answer(effect)
            for effect in self.session.handle(event):
                self._answer(effect)
        return self

    def show(self, screen: int) -> Self:
        self.screen = screen
        self.screens.append((self.now_ns, screen))
        if self.streams and self.gives_frames:
            self._send_frame(streamed=True)
        return self

    def screen_at(self, ns: int) -> int:
        """The screen at a moment."""
        return next(screen for since_ns, screen in reversed(self.screens) if since_ns <= ns)

    def come_back(self) -> None:
        """The lost device gives a frame again."""
        self.gives_frames = True
        self.send(events.DeviceCameBack(self.now_ns))
        self._send_frame(streamed=False)

    def wait(self, ms: int) -> Self:
        for _ in range(0, ms, 20):
            self.now_ms += 20
            reads_often = self.session.touched or self.session.restoring or not self._is_still
            if self.gives_frames and (reads_often or not self.streams):
                self._send_frame(streamed=False)
            answered = [look for look in self._looks if look.answered_ns <= self.now_ns]
            self._looks = [look for look in self._looks if look not in answered]
            self.send(*answered)
            if self._dump is not None and (read := self._dump.answer(self)) is not None:
                self._dump = None
                self.send(read)
            for effect in self.session.handle(events.Tick(self.now_ns)):
                self._answer(effect)
        return self

    def down(self, *, slot: int = 0) -> Self:
        self._send_input(ContactBegan(TOUCH, slot, self.now_ms * 1000))
        return self

    def up(self, at: Pos, *, ms: int = 80, slot: int = 0, path: tuple[Pos, ...] = (), fingers: int = 1) -> Self:
        """Lift the finger that came down `ms` ago at `at` and moved along `path`."""
        began_us = (self.now_ms - ms) * 1000
        positions = (at, *path)
        samples = tuple(
            RawSample(x * 32768 // 1080, y * 32768 // 2400, began_us + index * ms * 1000 // len(positions))
            for index, (x, y) in enumerate(positions)
        )
        contact = Contact(TOUCH, slot, samples, self.now_ms * 1000, fingers)
        self.send(events.InputHeard(contact, (self.now_ms - ms) * MS, 0, self.now_ns))
        return self

    def tap(self, x: int, y: int, *, then: int | None = None) -> Self:
        """A complete tap; the screen changes to `then` when the finger lifts."""
        self.down()
        self.wait(80)
        if then is not None:
            self.show(then)
        self.up((x, y))
        return self

    def press(self, key: SystemKey) -> Self:
        """A key of the toolbar."""
        self._send_input(KeyPressed(KEYBOARD, key, self.now_ms * 1000))
        return self

    def type(self, *codes: str) -> Self:
        """Keys of the computer's keyboard."""
        for code in codes:
            self.strike(code).wait(100)
        return self

    def strike(self, code: str, *, shifted: bool = False) -> Self:
        self._send_input(KeyTyped(KEYBOARD, code, self.now_ms * 1000, hardware_key(code, shifted=shifted)))
        return self

    def press_other(self, name: str) -> Self:
        """A key that is no step and writes no text."""
        self._send_input(OtherKeyPressed(KEYBOARD, name, self.now_ms * 1000))
        return self

    def lose(self, cause: LossCause, *, slot: int = 0) -> Self:
        self._send_input(ContactLost(TOUCH, slot, self.now_ms * 1000, cause))
        return self

    def _send_input(self, news: ContactBegan | ContactLost | KeyPressed | KeyTyped | OtherKeyPressed) -> None:
        self.send(events.InputHeard(news, self.now_ns, 0, self.now_ns))

    def _send_frame(self, *, streamed: bool) -> None:
        self._frame += 1
        if self.shows.get(self._anchor) != self.screen:
            self._anchor, self._anchored_ns = self._frame, self.now_ns
        self.shows[self._frame], self.taken_ns[self._frame] = self.screen, self.now_ns
        now_ns = self.now_ns
        self._is_still = now_ns - self._anchored_ns >= 200 * MS
        seen = events.FrameSeen(self._frame, self._anchor, now_ns, still=self._is_still, streamed=streamed)
        self.send(replace(seen, arrived_ns=now_ns, size=PHONE))

    def _answer(self, effect: effects.PassiveEffect) -> None:
        self.emitted.append(effect)
        match effect:
            case effects.Tell(text):
                self.messages.append(text)
            case effects.AskText():
                self.questions.append(effect)
            case effects.LookAtScreen():
                answered_ns = self.now_ns + self.look_ms * MS
                look = events.ScreenLooked(self.areas, self.now_ns, answered_ns, self.clock_agrees)
                if self.look_ms:
                    self._looks.append(look)
                else:
                    self.send(look)
            case effects.LookAtField() if self.phone is not None:
                assert self._dump is None, "one at a time"
                self._dump = Dump(self.now_ms)
            case effects.LookAtField() if self.reads_fields:
                self.send(events.FieldRead(self.field_text, self.now_ns, self.now_ns, overview=self.overview))
            case _:
                self._answer_write(effect)

    def _answer_write(self, effect: effects.PassiveEffect) -> None:
        match effect:
            case effects.KeepFrame(number) if self.keeps_frames:
                self.send(events.FrameKept(number))
            case effects.KeepFrame(number):
                self.send(events.StorageFailed("The disk is full.", self.now_ns, number))
            case effects.SaveStep() if self.saves_steps:
                self.steps.append(effect)
                self.send(events.StepSaved(effect.intent))
            case effects.SaveStep():
                self.send(events.StorageFailed("The disk is full.", self.now_ns))
            case effects.RemoveSteps() if self.drops_steps:
                self.dropped += [self.steps.pop()] if self.steps else []
                self.send(events.StepsDropped(self.restores))
            case effects.ReturnDevice():
                self.send(events.Returned(self.now_ns))
            case effects.JudgeReturn(number) if self.judges:
                wanted = self._lost_on if self.session.goal is Goal.LOST else 0
                self.send(events.ReturnJudged(self.shows[number] == wanted))
            case effects.AmendText(step, text):
                if step < len(self.steps):
                    self.steps[step] = replace(self.steps[step], intent=TextEntered(text))
                self.send(events.TextAmended(step))
            case _:
                pass


@dataclass
class Views:
    """What the views of a screen say: the fields by their names, the focused one, and all other texts."""

    fields: dict[str, str] = field(default_factory=dict)
    focus: str = ""
    labels: frozenset[str] = frozenset()
    overview: bool | None = None


@dataclass
class Dump:
    """`uiautomator dump`: it starts, waits for a second without a change, reads, and writes what it has read."""

    requested_ms: int
    read: events.FieldRead | None = None
    read_ms: int = 0

    def answer(self, bench: Bench) -> events.FieldRead | None:
        now_ms, phone = bench.now_ms, bench.phone
        assert phone is not None
        waited_ms = now_ms - self.requested_ms - DUMP_STARTS_MS
        if self.read is None and min(waited_ms, now_ms - bench.screens[-1][0] // MS) >= DUMP_RESTS_MS:
            text = phone.fields.get(phone.focus)
            requested_ns = self.requested_ms * MS
            self.read_ms = now_ms
            fields = tuple(phone.fields.items())
            self.read = events.FieldRead(text, requested_ns, 0, phone.focus, fields, phone.labels, phone.overview)
        if self.read is not None and now_ms - self.read_ms >= DUMP_WRITES_MS:
            return replace(self.read, answered_ns=bench.now_ns)
        if self.read is None and waited_ms >= DUMP_GIVES_UP_MS:
            return events.FieldRead(None, self.requested_ms * MS, bench.now_ns)
        return None


def steps(bench: Bench) -> list[str]:
    """Each step with the number of its screen."""
    return [f"{describe(step)} on {bench.shows[step.frame]}" for step in bench.steps]


def describe(step: effects.SaveStep) -> str:
    match step.intent:
        case Touch(stroke):
            return f"{stroke.start.x},{stroke.start.y}"
        case KeyPress(key):
            return key.value
        case TextEntered(text):
            return f"“{text}”"
        case Complete() | Impossible():
            return "end"


def count(bench: Bench, kind: type[effects.PassiveEffect]) -> int:
    return sum(isinstance(effect, kind) for effect in bench.emitted)
