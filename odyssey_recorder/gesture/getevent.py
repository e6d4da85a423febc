"""Parses the output of Android's ``getevent``: input events, input devices that appear and disappear, and noise.

Events use the labels of ``getevent -l``, whether the lines are labelled or numeric. A number without a label here
stays hexadecimal text, as in getevent itself. Source: AOSP, toolbox/getevent.c.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

EV_SYN, EV_KEY, EV_ABS = "EV_SYN", "EV_KEY", "EV_ABS"
SYN_REPORT, SYN_MT_REPORT, SYN_DROPPED = "SYN_REPORT", "SYN_MT_REPORT", "SYN_DROPPED"
SLOT, TRACKING_ID = "ABS_MT_SLOT", "ABS_MT_TRACKING_ID"
POSITION_X, POSITION_Y = "ABS_MT_POSITION_X", "ABS_MT_POSITION_Y"
UP, DOWN = 0, 1

_TYPES = {0x00: EV_SYN, 0x01: EV_KEY, 0x02: "EV_REL", 0x03: EV_ABS, 0x04: "EV_MSC", 0x05: "EV_SW", 0x11: "EV_LED"}
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
    """`time_us` is on the device's monotonic clock; `value` is signed: the tracking id that lifts a finger is -1."""

    node: str
    time_us: int
    type: str
    code: str
    value: int


@dataclass(frozen=True, slots=True)
class NodeAdded:
    node: str


@dataclass(frozen=True, slots=True)
class NodeRemoved:
    node: str


Message = InputEvent | NodeAdded | NodeRemoved


@dataclass(frozen=True, slots=True)
class AxisRange:
    """Both ends included."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class InputDeviceNode:
    """Identified by its abilities, because nodes are renumbered at each boot."""

    node: str
    name: str
    keys: frozenset[str]
    axes: Mapping[str, AxisRange]

    @property
    def is_touchscreen(self) -> bool:
        """Whether it reports each finger in its own slot (protocol B)."""
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
    LONGEST = 4096
    """Bytes kept of an unfinished line; getevent's own lines are shorter than 120."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[: self.LONGEST]
        return [line.decode(errors="replace") for line in lines]


def parse_line(line: str, *, node: str = "", time_us: int = 0) -> Message | None:
    """Parse a line of ``getevent``, with or without ``-l`` and ``-t``; None for anything else.

    `node` and `time_us` are used if the line has none: getevent prints no node when asked for a single one, and no
    time without ``-t``. Lines of stderr, broken lines, and the names and abilities that getevent lists at its start
    give None.
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
    """In getevent's arbitrary order. Ignores current values: emulators always print 0."""
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
            # A star marks a key that is currently down.
            keys.update(_label(code, _CODES[EV_KEY]) for code in codes.replace("*", " ").split())
        elif kind == EV_ABS and (found := _AXIS.fullmatch(codes)):
            axis = AxisRange(int(found["min"]), int(found["max"]))
            code = _label(found["code"], _CODES[EV_ABS])
            # A single slot is a valid range; other empty ranges belong to axes that were never set up.
            if axis.minimum < axis.maximum or code == SLOT:
                axes[code] = axis
    return InputDeviceNode(node, name, frozenset(keys), axes)
