"""What Android's ``getevent`` prints, line by line: input events, input devices that come and go, and noise.

Events speak the labels that ``getevent -l`` prints, whether the lines are labelled or numeric. Where a number
has no name here it stays the hexadecimal text that getevent itself falls back to. Source: AOSP,
toolbox/getevent.c.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

EV_SYN, EV_KEY, EV_ABS = "EV_SYN", "EV_KEY", "EV_ABS"
SYN_REPORT, SYN_MT_REPORT, SYN_DROPPED = "SYN_REPORT", "SYN_MT_REPORT", "SYN_DROPPED"
SLOT, TRACKING_ID = "ABS_MT_SLOT", "ABS_MT_TRACKING_ID"
POSITION_X, POSITION_Y = "ABS_MT_POSITION_X", "ABS_MT_POSITION_Y"
UP, DOWN = 0, 1

_TYPES = {
    0x00: EV_SYN,
    0x01: EV_KEY,
    0x02: "EV_REL",
    0x03: EV_ABS,
    0x04: "EV_MSC",
    0x05: "EV_SW",
    0x11: "EV_LED",
}
_CODES: Mapping[str, Mapping[int, str]] = {
    EV_SYN: {0: SYN_REPORT, 1: "SYN_CONFIG", 2: SYN_MT_REPORT, 3: SYN_DROPPED},
    EV_KEY: {
        0x066: "KEY_HOME",
        0x072: "KEY_VOLUMEDOWN",
        0x073: "KEY_VOLUMEUP",
        0x074: "KEY_POWER",
        0x08B: "KEY_MENU",
        0x09E: "KEY_BACK",
        0x0AC: "KEY_HOMEPAGE",
        0x141: "BTN_TOOL_RUBBER",
        0x14A: "BTN_TOUCH",
        0x14B: "BTN_STYLUS",
        0x244: "KEY_APPSELECT",
    },
    EV_ABS: {
        0x00: "ABS_X",
        0x01: "ABS_Y",
        0x02: "ABS_Z",
        0x2F: SLOT,
        0x30: "ABS_MT_TOUCH_MAJOR",
        0x31: "ABS_MT_TOUCH_MINOR",
        0x34: "ABS_MT_ORIENTATION",
        0x35: POSITION_X,
        0x36: POSITION_Y,
        0x37: "ABS_MT_TOOL_TYPE",
        0x39: TRACKING_ID,
        0x3A: "ABS_MT_PRESSURE",
    },
}
_VALUES = {"UP": UP, "DOWN": DOWN, "REPEAT": 2, "MT_TOOL_FINGER": 0, "MT_TOOL_PEN": 1, "MT_TOOL_PALM": 2}


@dataclass(frozen=True, slots=True)
class InputEvent:
    """One event of the kernel: its input node, its time on the device's monotonic clock, and what changed.

    `value` is signed: the tracking id that lifts a finger is -1.
    """

    node: str
    time_us: int
    type: str
    code: str
    value: int


@dataclass(frozen=True, slots=True)
class NodeAdded:
    """An input device is there, or has just been plugged in."""

    node: str


@dataclass(frozen=True, slots=True)
class NodeRemoved:
    """An input device is gone; nothing more will come from it."""

    node: str


Message = InputEvent | NodeAdded | NodeRemoved


@dataclass(frozen=True, slots=True)
class AxisRange:
    """The values that an axis of an input device takes, both ends included."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class InputDeviceNode:
    """An input device and its abilities, which identify it: nodes are numbered again at each boot."""

    node: str
    name: str
    keys: frozenset[str]
    axes: Mapping[str, AxisRange]

    @property
    def is_touchscreen(self) -> bool:
        """Whether it reports the places of fingers in slots of their own (protocol B)."""
        return {SLOT, TRACKING_ID, POSITION_X, POSITION_Y} <= self.axes.keys()

    @property
    def is_slotless(self) -> bool:
        """Whether it is a touch screen of the older protocol A, which repeats all fingers in each report."""
        return {POSITION_X, POSITION_Y} <= self.axes.keys() and SLOT not in self.axes


_NODE = r"(?P<node>/dev/input/[^\s:]+)"
_EVENT = re.compile(
    r"(?:\[ *(?P<s>[0-9]{1,10})\.(?P<us>[0-9]{6})\] +)?"
    rf"(?:{_NODE}: +)?"
    r"(?P<type>EV_[A-Z0-9_]+|[0-9a-f]{4}) +"
    r"(?P<code>[A-Z]+_[A-Z0-9_]+|[0-9a-f]{4}) +"
    r"(?:(?P<word>[A-Z_]+)|(?P<number>[0-9a-f]{8})) *"
    r"(?:rate -?[0-9]+ *)?"
)
_ADDED = re.compile(rf"add device [0-9]+: {_NODE} *")
_REMOVED = re.compile(rf"remove device [0-9]+: {_NODE} *")
_NAME = re.compile(r' +name: +"(?P<name>.*)" *')
_ABILITIES = re.compile(r" +[A-Z]+ +\((?P<type>[0-9a-f]{4})\):")
_CONTINUED = " " * 16
_AXIS = re.compile(r" *(?P<code>\S+) +: value -?[0-9]+, min (?P<min>-?[0-9]{1,10}), max (?P<max>-?[0-9]{1,10}),.*")


class LineBuffer:
    """Splits a stream of bytes into lines; an unfinished line waits for its end."""

    LONGEST = 4096
    """Bytes of an unfinished line that are kept; getevent's own lines are shorter than 120."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[: self.LONGEST]
        return [line.decode(errors="replace") for line in lines]


def parse_line(line: str, *, node: str = "", time_us: int = 0) -> Message | None:
    """What one line of a running ``getevent`` says, with or without ``-l`` and ``-t``; None if it is no news.

    `node` and `time_us` stand in for what the line does not tell: the node where getevent was asked for one
    alone, the time of arrival where it was not asked for times. Lines of stderr, broken lines and the names
    and abilities that getevent lists at its start are no news.
    """
    line = line.rstrip("\r\n")
    if found := _EVENT.fullmatch(line):
        return _event(found, node, time_us)
    if found := _ADDED.fullmatch(line):
        return NodeAdded(found["node"])
    if found := _REMOVED.fullmatch(line):
        return NodeRemoved(found["node"])
    return None


def parse_nodes(text: str) -> tuple[InputDeviceNode, ...]:
    """The input devices that ``getevent -p`` or ``-lp`` lists, in its order, which is none.

    The current values that it prints are passed over: emulators print 0 whatever the last touch was.
    """
    listings: dict[str, list[str]] = {}
    listing: list[str] = []
    for line in text.splitlines():
        if added := _ADDED.fullmatch(line):
            listing = listings[added["node"]] = []
        elif line:
            listing.append(line)
    return tuple(_node(node, lines) for node, lines in listings.items())


def _event(found: re.Match[str], node: str, time_us: int) -> InputEvent | None:
    value = _VALUES.get(found["word"]) if found["word"] else _signed(int(found["number"], 16))
    if value is None:
        return None  # a word for a code that is not used
    if found["s"]:
        time_us = int(found["s"]) * 1_000_000 + int(found["us"])
    kind = _label(found["type"], _TYPES)
    return InputEvent(found["node"] or node, time_us, kind, _label(found["code"], _CODES.get(kind, {})), value)


def _label(token: str, names: Mapping[int, str]) -> str:
    return token if "_" in token else names.get(int(token, 16), token)


def _signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number


def _node(node: str, lines: list[str]) -> InputDeviceNode:
    name, kind = "", ""
    keys: set[str] = set()
    axes: dict[str, AxisRange] = {}
    for line in lines:
        if head := _ABILITIES.match(line):
            kind = _label(head["type"], _TYPES)
        elif not line.startswith(_CONTINUED):
            kind = ""
        codes = line[head.end() :] if head else line
        if found := _NAME.fullmatch(line):
            name = found["name"]
        elif kind == EV_KEY:
            # A star marks a key that is down at this moment.
            keys.update(_label(code, _CODES[EV_KEY]) for code in codes.replace("*", " ").split())
        elif kind == EV_ABS and (found := _AXIS.fullmatch(codes)):
            axis = AxisRange(int(found["min"]), int(found["max"]))
            code = _label(found["code"], _CODES[EV_ABS])
            # One slot alone is a range too; other empty ones say nothing, as those of devices that were never set up.
            if axis.minimum < axis.maximum or code == SLOT:
                axes[code] = axis
    return InputDeviceNode(node, name, frozenset(keys), axes)
