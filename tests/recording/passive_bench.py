"""A stand-in for recorder, device and annotator of a passive session: it answers each effect as they would."""

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
    RawSample,
)
from odyssey_recorder.gesture.getevent import POSITION_X, POSITION_Y, AxisRange, InputDeviceNode
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.geometry import Box, Rotation, Size
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.events import KeyPress, TextEntered, Touch
from odyssey_recorder.recording.passive import PassiveSession
from odyssey_recorder.recording.raw_input import Interpreter
from odyssey_recorder.recording.state import State

MS = 1_000_000
PHONE = Size(1080, 2400)
TOUCH, KEYBOARD = "/dev/input/event1", "/dev/input/event12"
AXIS = AxisRange(0, 32767)
SCREEN = InputDeviceNode(TOUCH, "virtio_input_multi_touch_1", frozenset(), {POSITION_X: AXIS, POSITION_Y: AXIS})
BAR = Box(0, 2274, 1080, 2400)
KEYS = Box(0, 1500, 1080, 2274)
PLAIN = ScreenAreas(PHONE, Rotation.R0, BAR, None, package="com.example.shop", activity=".Main")
TYPING = replace(PLAIN, keyboard=KEYS)

Place = tuple[int, int]


@dataclass
class Bench:
    """Time passes in `wait` only; meanwhile a frame arrives every 20 ms, and a reading takes `look_ms`.

    `screen` is the current screen; `streams`: the device sends frames by itself. Values set to None or False get no
    answer: `areas`, `keeps`, `saves`, `sees`, `reads`, `drops`. With `leads_back` an undo restores screen
    `steps_began`.
    """

    session: PassiveSession = field(
        default_factory=lambda: PassiveSession(
            Interpreter(TouchRules.for_density(420), NavigationRules.for_density(420))
        )
    )
    now_ms: int = 1000
    screen: int = 0
    streams: bool = True
    sees: bool = True
    areas: ScreenAreas | None = PLAIN
    clock_agrees: bool = True
    keeps: bool = True
    saves: bool = True
    drops: bool = True
    leads_back: bool = False
    steps_began: int = 0
    look_ms: int = 0
    texts: str | None = None
    reads: bool = True
    told: list[str] = field(default_factory=list)
    asked: list[effects.AskText] = field(default_factory=list)
    steps: list[effects.SaveStep] = field(default_factory=list)
    dropped: list[effects.SaveStep] = field(default_factory=list)
    wanted: list[effects.PassiveEffect] = field(default_factory=list)
    shows: dict[int, int] = field(default_factory=dict)
    taken_ns: dict[int, int] = field(default_factory=dict)
    screens: list[tuple[int, int]] = field(default_factory=list)
    _frame: int = 0
    _anchor: int = 0
    _anchored_ns: int = 0
    _told_still: bool = False
    _looks: list[events.ScreenLooked] = field(default_factory=list)

    def begin(self) -> Self:
        """Start recording, with a screen that has been settled for half a second."""
        self.happens(events.Started(self.now_ns), events.InputFollowed((SCREEN,)))
        self.show(self.screen)
        self.wait(500)
        return self

    @property
    def now_ns(self) -> int:
        return self.now_ms * MS

    def state(self) -> State:
        return self.session.state

    def happens(self, *happened: events.PassiveEvent) -> Self:
        """Pass events to the session, and answer its effects at once, as the recorder does."""
        for event in happened:
            for effect in self.session.handle(events.Tick(self.now_ns)):
                self._carry_out(effect)
            for effect in self.session.handle(event):
                self._carry_out(effect)
        return self

    def show(self, screen: int) -> Self:
        self.screen = screen
        self.screens.append((self.now_ns, screen))
        if self.streams and self.sees:
            self._give(streamed=True)
        return self

    def screen_at(self, ns: int) -> int:
        """The screen at a moment."""
        return next(screen for since_ns, screen in reversed(self.screens) if since_ns <= ns)

    def come_back(self) -> None:
        """The lost device gives a frame again."""
        self.sees = True
        self.happens(events.DeviceCameBack(self.now_ns))
        self._give(streamed=False)

    def wait(self, ms: int) -> Self:
        for _ in range(0, ms, 20):
            self.now_ms += 20
            hurries = self.session.touched or self.session.restoring or not self._told_still
            if self.sees and (hurries or not self.streams):
                self._give(streamed=False)
            over = [look for look in self._looks if look.answered_ns <= self.now_ns]
            self._looks = [look for look in self._looks if look not in over]
            self.happens(*over)
            for effect in self.session.handle(events.Tick(self.now_ns)):
                self._carry_out(effect)
        return self

    def down(self, *, slot: int = 0) -> Self:
        self._hear(ContactBegan(TOUCH, slot, self.now_ms * 1000))
        return self

    def up(self, at: Place, *, ms: int = 80, slot: int = 0, path: tuple[Place, ...] = (), fingers: int = 1) -> Self:
        """Lift the finger that came down `ms` ago at `at` and moved along `path`."""
        began_us = (self.now_ms - ms) * 1000
        places = (at, *path)
        samples = tuple(
            RawSample(x * 32768 // 1080, y * 32768 // 2400, began_us + index * ms * 1000 // len(places))
            for index, (x, y) in enumerate(places)
        )
        contact = Contact(TOUCH, slot, samples, self.now_ms * 1000, fingers)
        self.happens(events.InputHeard(contact, (self.now_ms - ms) * MS, 0, self.now_ns))
        return self

    def tap(self, x: int, y: int, *, then: int | None = None) -> Self:
        """A whole tap; the screen changes to `then` when the finger lifts."""
        self.down()
        self.wait(80)
        if then is not None:
            self.show(then)
        self.up((x, y))
        return self

    def press(self, key: SystemKey) -> Self:
        """A key of the toolbar."""
        self._hear(KeyPressed(KEYBOARD, key, self.now_ms * 1000))
        return self

    def type(self, *codes: str) -> Self:
        """Keys of the computer's keyboard."""
        for code in codes:
            self._hear(KeyTyped(KEYBOARD, code, self.now_ms * 1000))
            self.wait(100)
        return self

    def lose(self, cause: LossCause, *, slot: int = 0) -> Self:
        self._hear(ContactLost(TOUCH, slot, self.now_ms * 1000, cause))
        return self

    def _hear(self, news: ContactBegan | ContactLost | KeyPressed | KeyTyped) -> None:
        self.happens(events.InputHeard(news, self.now_ns, 0, self.now_ns))

    def _give(self, *, streamed: bool) -> None:
        self._frame += 1
        if self.shows.get(self._anchor) != self.screen:
            self._anchor, self._anchored_ns = self._frame, self.now_ns
        self.shows[self._frame], self.taken_ns[self._frame] = self.screen, self.now_ns
        self._told_still = self.now_ns - self._anchored_ns >= 200 * MS
        seen = events.FrameSeen(
            self._frame,
            self._anchor,
            self.now_ns,
            still=self._told_still,
            streamed=streamed,
            arrived_ns=self.now_ns,
            size=PHONE,
        )
        self.happens(seen)

    def _carry_out(self, effect: effects.PassiveEffect) -> None:
        self.wanted.append(effect)
        match effect:
            case effects.Tell(text):
                self.told.append(text)
            case effects.AskText():
                self.asked.append(effect)
            case effects.LookAtScreen():
                answered_ns = self.now_ns + self.look_ms * MS
                look = events.ScreenLooked(self.areas, self.now_ns, answered_ns, self.clock_agrees)
                if self.look_ms:
                    self._looks.append(look)
                else:
                    self.happens(look)
            case effects.LookAtField() if self.reads:
                self.happens(events.FieldRead(self.texts, self.now_ns, self.now_ns))
            case _:
                self._write(effect)

    def _write(self, effect: effects.PassiveEffect) -> None:
        match effect:
            case effects.KeepFrame(number) if self.keeps:
                self.happens(events.FrameKept(number))
            case effects.KeepFrame(number):
                self.happens(events.StorageFailed("The disk is full.", self.now_ns, number))
            case effects.SaveStep() if self.saves:
                self.steps.append(effect)
                self.happens(events.StepSaved(effect.intent))
            case effects.SaveStep():
                self.happens(events.StorageFailed("The disk is full.", self.now_ns))
            case effects.RemoveSteps() if self.drops:
                self.dropped += [self.steps.pop()] if self.steps else []
                self.happens(events.StepsDropped(self.leads_back))
            case effects.ReturnDevice():
                self.happens(events.Returned(self.now_ns))
            case effects.JudgeReturn(number):
                self.happens(events.ReturnJudged(self.shows[number] == self.steps_began))
            case effects.AmendText(step):
                self.happens(events.TextAmended(step))
            case _:
                pass


def steps(bench: Bench) -> list[str]:
    """Each step as a word, with the number of its screen."""
    return [f"{word_of(step)} on {bench.shows[step.frame]}" for step in bench.steps]


def word_of(step: effects.SaveStep) -> str:
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
    return sum(isinstance(effect, kind) for effect in bench.wanted)
