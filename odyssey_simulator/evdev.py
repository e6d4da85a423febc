"""The input nodes of the simulated kernel: reports of an emulator's touch screens and keyboard, and their readers.

A kernel passes on only what changed: an axis that keeps its value is left out, per touch slot and across touches, so
the second tap on the same spot carries no position at all. Events of one report share one timestamp from the guest's
monotonic clock. A reader that is too slow for its buffer gets SYN_DROPPED.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from odyssey_simulator.evdev_names import (
    ABS_MT_POSITION_X,
    ABS_MT_POSITION_Y,
    ABS_MT_PRESSURE,
    ABS_MT_SLOT,
    ABS_MT_TRACKING_ID,
    ABS_X,
    ABS_Y,
    BTN_MOUSE,
    EV_ABS,
    EV_SYN,
    SYN_DROPPED,
    SYN_REPORT,
)
from odyssey_simulator.guest_clock import GuestClock

RAW_MAX = 32767
"""The largest position a touch node reports, regardless of the size of its panel."""

_PRESSED = 0x400
_TOUCH_AXES = (
    (0x00, RAW_MAX),
    (0x01, RAW_MAX),
    (0x02, 1),
    (ABS_MT_SLOT, 10),
    (0x30, 0x7FFFFFFF),
    (0x31, 0x7FFFFFFF),
    (0x34, 90),
    (ABS_MT_POSITION_X, RAW_MAX),
    (ABS_MT_POSITION_Y, RAW_MAX),
    (0x37, 15),
    (ABS_MT_TRACKING_ID, 65535),
    (ABS_MT_PRESSURE, 1024),
)
_PER_SLOT = range(0x30, 0x3E)
_QWERTY2_GAPS = (
    *(0x54, 0x55, 0x5A, 0x5D, 0x5E, 0x5F, 0x70, 0x76, 0x78, 0x7A, 0x7B, 0x8D),
    *range(0x90, 0x9B),
    *(0xA0, 0xA1, 0xA2),
)
_QWERTY2_KEYS = (
    *(code for code in range(0x01, 0xA7) if code not in _QWERTY2_GAPS),
    *(0xAC, 0xAD, 0xD9, 0xE2, 0xE5, 0xE6, 0xE7, 0xE8, 0x18F, 0x1C4, 0x1C5),
    *range(0x244, 0x24A),
)
_KEY_POWER = 0x74


Change = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class RawEvent:
    """`time_us` is in microseconds of the guest's clock."""

    time_us: int
    type: int
    code: int
    value: int


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Axes are (code, largest value), with 0 as the smallest."""

    keys: tuple[int, ...] = ()
    axes: tuple[tuple[int, int], ...] = ()
    switches: tuple[int, ...] = ()
    leds: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class InputNode:
    path: str
    name: str
    capabilities: Capabilities
    slot: int = 0
    told_slot: int = 0
    values: dict[tuple[int, int, int], int] = field(default_factory=dict)
    unsent: list[Change] = field(default_factory=list)
    """What `sendevent` has written since the last report."""

    def contacts(self) -> dict[int, tuple[int, int]]:
        return {
            slot: (
                self.values.get((slot, EV_ABS, ABS_MT_POSITION_X), 0),
                self.values.get((slot, EV_ABS, ABS_MT_POSITION_Y), 0),
            )
            for (slot, event_type, code), value in self.values.items()
            if (event_type, code) == (EV_ABS, ABS_MT_TRACKING_ID) and value >= 0
        }

    def take(self, changes: Sequence[Change]) -> list[Change]:
        """Returns what readers see: actual changes, preceded by the slot if it differs from the previous one."""
        seen: list[Change] = []
        for event_type, code, value in changes:
            if (event_type, code) == (EV_ABS, ABS_MT_SLOT):
                self.slot = value
                continue
            is_of_slot = event_type == EV_ABS and code in _PER_SLOT
            key = self.slot if is_of_slot else -1, event_type, code
            if self.values.get(key, -1 if code == ABS_MT_TRACKING_ID else 0) == value:
                continue
            self.values[key] = value
            if is_of_slot and self.told_slot != self.slot:
                self.told_slot = self.slot
                seen.append((EV_ABS, ABS_MT_SLOT, self.slot))
            seen.append((event_type, code, value))
        return seen


Reader = Callable[[InputNode, Sequence[RawEvent]], None]


@dataclass(frozen=True, slots=True)
class SavedNodes:
    time_ns: int
    states: tuple[tuple[int, int, dict[tuple[int, int, int], int]], ...]


class InputNodes:
    """Thread-safe; readers are called in the order of the reports."""

    def __init__(self, *, has_keyboard: bool = True) -> None:
        self.has_keyboard = has_keyboard
        self.clock = GuestClock()
        self._to_lose = 0
        touch = Capabilities(keys=(0x141, 0x14B), axes=_TOUCH_AXES, switches=(0,))
        self._lock = threading.Lock()
        self._readers: dict[object, tuple[Reader, Callable[[], None]]] = {}
        self.gpio_keys = InputNode("/dev/input/event0", "gpio-keys", Capabilities(keys=(_KEY_POWER,)))
        self.touch_screens = tuple(
            InputNode(f"/dev/input/event{number}", f"virtio_input_multi_touch_{number}", touch)
            for number in range(1, 12)
        )
        self.has_tablet = False
        """Whether clicks in the window arrive at the `tablet` instead of a touch screen."""
        pointer = Capabilities(keys=(BTN_MOUSE,), axes=((ABS_X, RAW_MAX), (ABS_Y, RAW_MAX)))
        self.tablet = InputNode("/dev/input/event13", "QEMU Virtio Tablet", pointer)
        self.keyboard = InputNode("/dev/input/event12", "qwerty2", Capabilities(keys=_QWERTY2_KEYS, leds=(0, 1, 2)))

    def all(self) -> tuple[InputNode, ...]:
        """In the order in which `getevent` lists them."""
        keyboard, tablet = [self.keyboard] * self.has_keyboard, [self.tablet] * self.has_tablet
        return (self.gpio_keys, *self.touch_screens, *keyboard, *tablet)

    def read(self, reader: Reader, on_end: Callable[[], None]) -> Callable[[], None]:
        """The returned function unsubscribes; `on_end` is called when `end_readers` disconnects all readers."""
        key = object()
        with self._lock:
            self._readers[key] = (reader, on_end)

        def close() -> None:
            with self._lock:
                self._readers.pop(key, None)

        return close

    def end_readers(self) -> None:
        with self._lock:
            for _, on_end in self._readers.values():
                on_end()
            self._readers.clear()

    def report(self, node: InputNode, changes: Sequence[Change]) -> int:
        """Unchanged values are dropped, and so is an empty report. Returns the report's timestamp in microseconds."""
        with self._lock:
            now_us = self.clock.now_ns() // 1000
            events = [RawEvent(now_us, *change) for change in node.take(changes)]
            if events:
                events.append(RawEvent(now_us, EV_SYN, SYN_REPORT, 0))
                readable = self._overflow(events) if node in self.touch_screens and self._to_lose else events
                for reader, _ in self._readers.values() if readable else ():
                    reader(node, readable)
            return now_us

    def lose_reports(self, count: int) -> None:
        """Let the buffers of all readers overflow in the last of the next `count` reports of the touch nodes.

        As from the kernel, readers get only SYN_DROPPED and the end of the last report. The nodes themselves know the
        new values and do not repeat them.
        """
        with self._lock:
            self._to_lose = max(0, count)

    def save(self) -> "SavedNodes":
        with self._lock:
            return SavedNodes(
                self.clock.now_ns(), tuple((node.slot, node.told_slot, dict(node.values)) for node in self.all())
            )

    def load(self, saved: "SavedNodes") -> None:
        """Lifts all fingers, whose owners may be gone, and disconnects all readers, which did not exist then."""
        with self._lock:
            self.clock.set(saved.time_ns)
            for node, (slot, told_slot, values) in zip(self.all(), saved.states, strict=False):
                lifted = {
                    key: -1 if key[1:] == (EV_ABS, ABS_MT_TRACKING_ID) else value for key, value in values.items()
                }
                node.slot, node.told_slot, node.values, node.unsent = slot, told_slot, lifted, []
        self.end_readers()

    def _overflow(self, events: Sequence[RawEvent]) -> list[RawEvent]:
        self._to_lose -= 1
        if self._to_lose:
            return []
        return [RawEvent(events[0].time_us, EV_SYN, SYN_DROPPED, 0), *events[-2:]]


def touch_changes(slot: int, x_raw: int, y_raw: int) -> list[Change]:
    return [
        (EV_ABS, ABS_MT_SLOT, slot),
        (EV_ABS, ABS_MT_TRACKING_ID, slot),
        (EV_ABS, ABS_MT_POSITION_X, x_raw),
        (EV_ABS, ABS_MT_POSITION_Y, y_raw),
        (EV_ABS, ABS_MT_PRESSURE, _PRESSED),
    ]


def lift_changes(slot: int) -> list[Change]:
    return [(EV_ABS, ABS_MT_SLOT, slot), (EV_ABS, ABS_MT_PRESSURE, 0), (EV_ABS, ABS_MT_TRACKING_ID, -1)]
