"""From the events of touch screens and keys to contacts: which finger was where, from touch-down to lift.

Implements the kernel's multi-touch protocol, type B; nodes of type A, which do not identify fingers, are ignored.
The kernel does not resend unchanged values, so positions are kept per slot and across contacts. The order inside a
report has no meaning. After SYN_DROPPED no earlier state is valid.
"""

from dataclasses import dataclass, field
from enum import Enum

from odyssey_recorder.gesture import getevent
from odyssey_recorder.gesture.getevent import AxisRange, InputDeviceNode, InputEvent, Message, NodeAdded, NodeRemoved
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.gesture.typed_keys import UNKNOWN, Key, hardware_key
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation, Size, panel_to_frame, rotate

SYSTEM_KEYS = {
    "KEY_HOME": SystemKey.HOME,
    "KEY_HOMEPAGE": SystemKey.HOME,
    "KEY_BACK": SystemKey.BACK,
    "KEY_ESC": SystemKey.BACK,
    "KEY_APPSELECT": SystemKey.RECENT,
}
"""The keys of the emulator's toolbar, and Escape; which HOME it sends depends on the image's key character map."""

OTHER_KEYS = {
    **{f"KEY_{name.upper()}": name for name in ("Up", "Down", "Left", "Right", "End", "Menu", "Search", "Copy")},
    "KEY_PAGEUP": "Page Up",
    "KEY_PAGEDOWN": "Page Down",
    "KEY_COMPOSE": "Search",
    **dict.fromkeys(("KEY_F1", "KEY_F10", "KEY_KBDILLUMDOWN"), "Menu"),
}
"""Keys that may change the screen and write no text, with the names that Android's key layout gives them."""

CONTROL_KEYS = frozenset({"KEY_LEFTCTRL", "KEY_RIGHTCTRL"})
WRITING_SHORTCUTS = frozenset({"KEY_V", "KEY_X", "KEY_Y", "KEY_Z"})
"""The letters that change a text while Ctrl is held: paste, cut, redo, undo. All others write nothing."""

TYPING_KEYS = frozenset(
    {f"KEY_{sign}" for sign in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"}
    | {f"KEY_KP{digit}" for digit in range(10)}
    | {"KEY_SPACE", "KEY_ENTER", "KEY_KPENTER", "KEY_TAB", "KEY_BACKSPACE", "KEY_DELETE", "KEY_MINUS", "KEY_EQUAL"}
    | {"KEY_LEFTBRACE", "KEY_RIGHTBRACE", "KEY_BACKSLASH", "KEY_SEMICOLON", "KEY_APOSTROPHE", "KEY_GRAVE"}
    | {"KEY_COMMA", "KEY_DOT", "KEY_SLASH", "KEY_102ND", "KEY_KPDOT", "KEY_KPMINUS", "KEY_KPPLUS", "KEY_KPSLASH"}
    | {"KEY_KPASTERISK", "KEY_PASTE", "KEY_CUT"}
)
"""The keys that write or delete text in a field; modifiers such as Shift do neither."""

SHIFT_KEYS = frozenset({"KEY_LEFTSHIFT", "KEY_RIGHTSHIFT"})


@dataclass(frozen=True, slots=True)
class RawSample:
    """In raw values of the node's axes and the device's clock."""

    x: int
    y: int
    time_us: int


@dataclass(frozen=True, slots=True)
class ContactBegan:
    """The step's screenshot is the newest frame older than `time_us`."""

    node: str
    slot: int
    time_us: int


@dataclass(frozen=True, slots=True)
class Contact:
    """The first sample is the touch-down; `fingers` is the maximum number on this screen meanwhile."""

    node: str
    slot: int
    samples: tuple[RawSample, ...]
    lifted_us: int
    fingers: int


class LossCause(Enum):
    PLACE_UNKNOWN = "it began where the last touch before the recording was, and the kernel does not say that again"
    EVENTS_DROPPED = "the device was too busy and dropped events of it"
    STREAM_LOST = "the stream of touch events broke off before the finger was lifted"


@dataclass(frozen=True, slots=True)
class ContactLost:
    """The finger's position or lift is unknown."""

    node: str
    slot: int
    began_us: int
    cause: LossCause


@dataclass(frozen=True, slots=True)
class KeyPressed:
    node: str
    key: SystemKey
    time_us: int


@dataclass(frozen=True, slots=True)
class KeyTyped:
    """`key` is what it types."""

    node: str
    code: str
    time_us: int
    key: Key = UNKNOWN


@dataclass(frozen=True, slots=True)
class OtherKeyPressed:
    """A key or shortcut by its `name`: it may change the screen and writes no text."""

    node: str
    name: str
    time_us: int


@dataclass(frozen=True, slots=True)
class EventsDropped:
    """No finger was known to be down."""

    node: str
    time_us: int


TouchUpdate = ContactBegan | Contact | ContactLost | KeyPressed | KeyTyped | OtherKeyPressed | EventsDropped


class ContactTracker:
    def __init__(self) -> None:
        self._nodes: dict[str, _Node] = {}

    def feed(self, message: Message) -> list[TouchUpdate]:
        match message:
            case NodeAdded(node) | NodeRemoved(node):
                return self._nodes.pop(node, _Node(node)).forget(LossCause.STREAM_LOST)
            case InputEvent():
                return self._nodes.setdefault(message.node, _Node(message.node)).take(message)

    def close(self) -> list[TouchUpdate]:
        nodes, self._nodes = self._nodes, {}
        return [news for node in nodes.values() for news in node.forget(LossCause.STREAM_LOST)]


def to_stroke(
    contact: Contact, node: InputDeviceNode, panel: Size, rotation: Rotation, frame: Size | None = None
) -> TouchStroke:
    """The contact in pixels of a screenshot taken at `rotation`.

    `panel` is the size of the node's panel in natural orientation: the axes never rotate. `frame` is the
    screenshot's own size if Android lays out for another one (``wm size``); a stroke that began outside it, where
    Android ignores touches, begins outside the screenshot.
    """
    x_axis, y_axis = node.axes[getevent.POSITION_X], node.axes[getevent.POSITION_Y]
    shown = panel.turned() if rotation % 2 else panel
    size = frame or shown
    pixels = []
    for raw in contact.samples:
        unrotated = Pixel(_pixel(raw.x, x_axis, panel.width), _pixel(raw.y, y_axis, panel.height))
        pixels.append(panel_to_frame(shown.clamp(rotate(unrotated, panel, rotation)), size, shown))
    is_on_frame = size.clamp(pixels[0]) == pixels[0]
    began_us = contact.samples[0].time_us
    samples = (
        TouchSample(size.clamp(pixel) if is_on_frame else pixel, raw.time_us - began_us)
        for pixel, raw in zip(pixels, contact.samples, strict=True)
    )
    return TouchStroke(tuple(samples), contact.lifted_us - began_us)


def _pixel(raw: int, axis: AxisRange, extent: int) -> int:
    """The pixel nearest to raw * extent / 32768 (for an axis 0..32767), where Android puts the touch.

    The emulator converts pixel n to the raw value n * 32767 / extent, rounded down. So Android delivers up to a
    fifth of a pixel less than n, or, on a rotated axis, by (32767 - raw) * extent / 32768 (TouchInputMapper), extent
    - n to within a tenth. Rounding to the nearest pixel restores n: the pixel that the person or the caller named,
    and the one that `input tap` and the gRPC service bring to the same point in a replay. A capture of (300, 900)
    on 1080x2400 has raw (9102, 12287): Android delivers (299.99, 899.93), and rotated by 90 degrees (899.93,
    779.97), which is (900, 780).
    """
    values = axis.maximum - axis.minimum + 1
    return (2 * (raw - axis.minimum) * extent + values) // (2 * values)


@dataclass(slots=True)
class _Change:
    x: int | None = None
    y: int | None = None
    landed: bool = False
    lifted: bool = False


@dataclass(slots=True)
class _Slot:
    """The position is kept across contacts; without `samples` there is no contact."""

    node: str
    number: int
    x: int | None = None
    y: int | None = None
    is_down: bool = False
    samples: list[RawSample] = field(default_factory=list)
    fingers: int = 0

    def move(self, change: _Change, time_us: int) -> None:
        self.x = self.x if change.x is None else change.x
        self.y = self.y if change.y is None else change.y
        if self.samples and (change.x, change.y) != (None, None):
            self._sample(time_us)

    def land(self, time_us: int) -> TouchUpdate:
        self.is_down, self.fingers = True, 0
        self._sample(time_us)
        if self.samples:
            return ContactBegan(self.node, self.number, time_us)
        return ContactLost(self.node, self.number, time_us, LossCause.PLACE_UNKNOWN)

    def lift(self, time_us: int) -> list[TouchUpdate]:
        samples, self.samples, self.is_down = tuple(self.samples), [], False
        return [Contact(self.node, self.number, samples, time_us, self.fingers)] if samples else []

    def _sample(self, time_us: int) -> None:
        if self.x is not None and self.y is not None:
            self.samples.append(RawSample(self.x, self.y, time_us))


class _Node:
    def __init__(self, path: str) -> None:
        self._path = path
        self._slots: dict[int, _Slot] = {}
        self._current = 0
        self._changes: dict[int, _Change] = {}
        self._keys: list[str] = []
        self._shifts: set[str] = set()
        self._controls: set[str] = set()
        self._resyncing = False
        self._is_slotless = False

    def take(self, event: InputEvent) -> list[TouchUpdate]:
        match event:
            case InputEvent(type=getevent.EV_SYN, code=getevent.SYN_DROPPED):
                self._resyncing = True
                return self.forget(LossCause.EVENTS_DROPPED) or [EventsDropped(self._path, event.time_us)]
            case InputEvent(type=getevent.EV_SYN, code=getevent.SYN_MT_REPORT):
                self._is_slotless = True
                self._changes.clear()
            case InputEvent(type=getevent.EV_SYN, code=getevent.SYN_REPORT) if self._resyncing:
                self._resyncing = False
            case InputEvent(type=getevent.EV_SYN, code=getevent.SYN_REPORT):
                return self._report(event.time_us)
            case InputEvent(type=getevent.EV_KEY, code=code, value=value) if code in SHIFT_KEYS:
                (self._shifts.discard if value == getevent.UP else self._shifts.add)(code)
            case InputEvent(type=getevent.EV_KEY, code=code, value=value) if code in CONTROL_KEYS:
                (self._controls.discard if value == getevent.UP else self._controls.add)(code)
            case InputEvent(type=getevent.EV_KEY, code=code, value=getevent.DOWN) if not self._resyncing:
                self._keys.append(code)
            case InputEvent(type=getevent.EV_ABS) if not (self._resyncing or self._is_slotless):
                self._set_axis(event.code, event.value)
            case _:
                pass
        return []

    def forget(self, cause: LossCause) -> list[TouchUpdate]:
        lost: list[TouchUpdate] = [
            ContactLost(self._path, number, slot.samples[0].time_us, cause)
            for number, slot in sorted(self._slots.items())
            if slot.samples
        ]
        self._slots.clear()
        self._changes.clear()
        self._keys.clear()
        self._shifts.clear()
        return lost

    def _set_axis(self, code: str, value: int) -> None:
        if code == getevent.SLOT:
            self._current = value
            return
        change = self._changes.setdefault(self._current, _Change())
        match code:
            case getevent.POSITION_X:
                change.x = value
            case getevent.POSITION_Y:
                change.y = value
            case getevent.TRACKING_ID if value < 0:
                change.lifted = True
            case getevent.TRACKING_ID:
                change.landed = True
            case _:
                pass

    def _report(self, time_us: int) -> list[TouchUpdate]:
        """A slot that both lands and lifts in a report lifts first if it was down, otherwise last."""
        news = [key for code in self._keys if (key := self._key(code, time_us))]
        lifting: list[_Slot] = []
        for number, change in sorted(self._changes.items()):
            slot = self._slots.setdefault(number, _Slot(self._path, number))
            was_down = slot.is_down
            if was_down and change.landed:
                news += slot.lift(time_us)
            slot.move(change, time_us)
            if change.landed:
                news.append(slot.land(time_us))
            if change.lifted and was_down != change.landed:
                lifting.append(slot)
        self._count_fingers()
        self._changes.clear()
        self._keys.clear()
        return news + [contact for slot in lifting for contact in slot.lift(time_us)]

    def _key(self, code: str, time_us: int) -> TouchUpdate | None:
        if code in SYSTEM_KEYS:
            return KeyPressed(self._path, SYSTEM_KEYS[code], time_us)
        if self._controls and code in TYPING_KEYS and len(code) == len("KEY_C") and code not in WRITING_SHORTCUTS:
            return OtherKeyPressed(self._path, f"Ctrl+{code[-1]}", time_us)
        if code in OTHER_KEYS:
            return OtherKeyPressed(self._path, OTHER_KEYS[code], time_us)
        if code not in TYPING_KEYS:
            return None
        key = UNKNOWN if self._controls else hardware_key(code, shifted=bool(self._shifts))
        return KeyTyped(self._path, code, time_us, key)

    def _count_fingers(self) -> None:
        down = [slot for slot in self._slots.values() if slot.is_down]
        for slot in down:
            slot.fingers = max(slot.fingers, len(down))
