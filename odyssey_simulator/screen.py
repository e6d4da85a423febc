"""Snapshots of the phone's state as immutable values: frame, state, packages, tasks."""

from dataclasses import dataclass
from enum import Enum

from odyssey_simulator.profile import Posture
from odyssey_simulator.ui.geometry import Rect, Size
from odyssey_simulator.ui.node import Node

_NO_PANEL = Size(0, 0)
_NOWHERE = Rect(0, 0, 0, 0)


class TouchPhase(Enum):
    DOWN = "down"
    MOVE = "move"
    UP = "up"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class ComposedFrame:
    """One composed frame as displayed: `rgba` is row by row, four bytes per pixel, alpha 255.

    `number` starts at 1 and grows only when the pixels or the display change, and when a snapshot is loaded. `shown_ns`
    is time.monotonic_ns() at that moment, `shown_us` microseconds since 1970. `panel` is the size of the lit panel,
    rotated like the frame, and `on_panel` the frame's position on it. `held` is how the device is held; turning it
    alone makes no new frame.
    """

    number: int
    width: int
    height: int
    rgba: bytes
    shown_ns: int
    shown_us: int = 0
    panel: Size = _NO_PANEL
    rotation: int = 0
    folded: bool = False
    awake: bool = True
    on_panel: Rect = _NOWHERE
    held: int = 0

    def shows_same_as(self, other: "ComposedFrame") -> bool:
        return self.rgba == other.rgba and self._display() == other._display()

    def _display(self) -> tuple[object, ...]:
        return self.width, self.panel, self.rotation, self.folded, self.awake


@dataclass(frozen=True, slots=True)
class PackageInfo:
    """`activity` is the full class name of the launcher activity."""

    package: str
    activity: str
    label: str
    system: bool


@dataclass(frozen=True, slots=True)
class WindowInfo:
    """A window that takes touches, as accessibility services see it. The `active` one holds the input focus."""

    title: str
    kind: str
    root: Node
    active: bool


@dataclass(frozen=True, slots=True)
class AppTask:
    """`activity` is the full class name of the root activity."""

    number: int
    package: str
    activity: str
    is_home: bool
    is_visible: bool


@dataclass(frozen=True, slots=True)
class PhoneState:
    """The phone at one moment; rectangles are pixels of the frame as displayed.

    `natural_size` is the override size of `wm size`, or the physical size without one; `frame_on_panel` is its
    position on the panel, in pixels of the panel rotated like the frame. `keyboard` is None while hidden. `task` is the
    number of the front task, `title` the window title as in `dumpsys window`.
    """

    physical_size: Size
    natural_size: Size
    size: Size
    frame_on_panel: Rect
    rotation: int
    density: int
    posture: Posture | None
    package: str
    activity: str
    title: str
    keyboard: Rect | None
    status_bar: Rect
    navigation_bar: Rect
    awake: bool
    frame: int
    task: int
    has_toast: bool = False

    @property
    def keyboard_shown(self) -> bool:
        return self.keyboard is not None
