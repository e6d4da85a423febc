"""The Android system as its shell and console see it: the phone with its files, input nodes and faults."""

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from odyssey_simulator.evdev import (
    RAW_MAX,
    Change,
    InputNode,
    InputNodes,
    SavedNodes,
    lift_changes,
    touch_changes,
)
from odyssey_simulator.evdev_names import ABS_X, ABS_Y, BTN_MOUSE, EV_ABS, EV_KEY
from odyssey_simulator.faults import Faults
from odyssey_simulator.files import Files
from odyssey_simulator.guest_clock import GuestClock
from odyssey_simulator.journal import Moment
from odyssey_simulator.phone import ComposedFrame, Phone, Size, TouchPhase
from odyssey_simulator.ui_automation import UiAutomation
from odyssey_simulator.us_keyboard import android_key, key_strokes
from odyssey_simulator.wheel import Vector, Wheel

_OUTER_PANEL_NODE = 6


@dataclass(frozen=True, slots=True)
class Snapshot:
    phone: object
    nodes: SavedNodes
    files: Files


@dataclass(slots=True)
class Guest:
    phone: Phone
    faults: Faults
    nodes: InputNodes
    avd_name: str
    files: Files = field(default_factory=Files)
    discovery_file: Path | None = None
    starts: int = 1
    is_restarting: bool = False
    automation: UiAutomation = field(init=False)
    _felt: set[int] = field(default_factory=set)
    _wheel: Wheel = field(init=False)

    def __post_init__(self) -> None:
        self.automation = UiAutomation(self.phone)
        self._wheel = Wheel(lambda x, y, pressed: self.window_touch(x, y, pressed=pressed, wait=False))

    @property
    def clock(self) -> GuestClock:
        return self.nodes.clock

    def read_file(self, path: str) -> bytes:
        """Includes the kernel's files; raises like `Files.read`."""
        return self.clock.uptime() if path == "/proc/uptime" else self.files.read(path)

    def save_snapshot(self) -> "Snapshot":
        return Snapshot(self.phone.save_snapshot(), self.nodes.save(), copy.deepcopy(self.files))

    def load_snapshot(self, snapshot: "Snapshot") -> None:
        """The clock jumps, fingers are lifted, connections and input readers are disconnected."""
        self.restore(snapshot)
        self.faults.break_connections()

    def restore(self, snapshot: "Snapshot") -> None:
        self._felt.clear()
        self.phone.load_snapshot(snapshot.phone)
        self.nodes.load(snapshot.nodes)
        self.files = copy.deepcopy(snapshot.files)

    def restart_android(self, takes_s: float) -> None:
        """Without a reboot, as the emulator does to change the language; returns when Android runs again."""
        self.is_restarting = True
        time.sleep(takes_s)
        self.starts += 1
        self.is_restarting = False

    def touch_screen(self) -> InputNode:
        is_outer = self.phone.screen().folded and not self.faults.control.uses_first_node
        return self.nodes.touch_screens[_OUTER_PANEL_NODE if is_outer else 0]

    def window_touch(  # noqa: PLR0913 - where, how and with which finger
        self, x: float, y: float, *, pressed: bool, slot: int = 0, panel: Size | None = None, wait: bool = True
    ) -> None:
        """Move a finger as through the emulator's window, so that `getevent` sees it.

        `x` and `y` are pixels of `panel`, by default the lit one, in its natural orientation. Whether the finger goes
        down, moves or lifts follows from its previous state. A lifted finger waits for the phone, unless told not to
        `wait`.
        """
        screen = self.phone.screen()
        panel = panel or screen.panel.turned(screen.rotation)
        raw = _raw(x, panel.width), _raw(y, panel.height)
        node = self.touch_screen()
        down = slot in node.contacts()
        if self.nodes.has_tablet:
            self._click(raw, pressed=pressed)
        elif pressed:
            self.report_touch(node, touch_changes(slot, *raw))
        elif down:
            self.report_touch(node, touch_changes(slot, *raw))
            self.report_touch(node, lift_changes(slot), wait=wait)

    def _click(self, raw: tuple[int, int], *, pressed: bool) -> None:
        tablet, screen = self.nodes.tablet, self.phone.screen()
        was_pressed = tablet.values.get((-1, EV_KEY, BTN_MOUSE), 0)
        place = [(EV_ABS, ABS_X, raw[0]), (EV_ABS, ABS_Y, raw[1])]
        moment = self._moment(self.nodes.report(tablet, [*place, (EV_KEY, BTN_MOUSE, int(pressed))]))
        moved = TouchPhase.MOVE if was_pressed else TouchPhase.DOWN
        if pressed or was_pressed:
            self._touch(moved if pressed else TouchPhase.UP, raw, 0, screen=screen, moment=moment)

    def window_wheel(self, at: Vector, by: Vector) -> None:
        """Turn the mouse wheel at a place of the panel; returns at once, while the finger drags on by `by`."""
        screen = self.phone.screen()
        panel = screen.panel.turned(screen.rotation)
        self._wheel.turn(at, by, (panel.width / 16, panel.height / 16))

    def window_key(self, code: int) -> None:
        """A Linux key, as from the emulator's toolbar; `getevent` sees it."""
        for value in (1, 0):
            self.report_key(code, value)

    def window_text(self, text: str) -> None:
        """Ignored by a guest without a keyboard. Raises ValueError for characters that are not on a US keyboard."""
        if not self.nodes.has_keyboard:
            return
        for code, shifted in key_strokes(text):
            changes = [[(EV_KEY, 0x2A, 1)]] if shifted else []
            changes += [[(EV_KEY, code, 1)], [(EV_KEY, code, 0)]]
            changes += [[(EV_KEY, 0x2A, 0)]] if shifted else []
            for change in changes:
                self.nodes.report(self.nodes.keyboard, change)
        self.phone.type_text(text)

    def report_key(self, code: int, value: int) -> None:
        """Down (1) or up (0); the phone acts when the key goes up. Ignored by a guest without a keyboard."""
        if not self.nodes.has_keyboard:
            return
        moment = self._moment(self.nodes.report(self.nodes.keyboard, [(EV_KEY, code, value)]))
        key = android_key(code)
        if value == 0 and key is not None:
            self.phone.press_key(key, moment=moment)

    def report_touch(self, node: InputNode, changes: Sequence[Change], *, wait: bool = True) -> None:
        """Report `changes` of a touch node and pass the fingers that went down, moved or lifted to the phone.

        Positions refer to the newest frame, without waiting: the kernel's timestamps are those of the finger, not of a
        phone that is busy drawing.
        """
        screen = self.phone.screen()
        before = node.contacts()
        moment = self._moment(self.nodes.report(node, changes))
        after = node.contacts()
        feel = partial(self._touch, screen=screen, moment=replace(moment, is_awaited=wait))
        for slot in sorted(before.keys() | after.keys()):
            if slot not in before:
                feel(TouchPhase.DOWN, after[slot], slot)
            elif slot not in after:
                feel(TouchPhase.UP, before[slot], slot)
            elif before[slot] != after[slot]:
                feel(TouchPhase.MOVE, after[slot], slot)

    def _moment(self, event_us: int) -> Moment:
        return Moment(self.clock.host_ns(event_us * 1000), event_us)

    def _touch(
        self, phase: TouchPhase, raw: tuple[int, int], slot: int, *, screen: ComposedFrame, moment: Moment
    ) -> None:
        image = screen.on_panel
        x, y = _as_displayed(raw, screen)
        x = (x - image.left) * screen.width / image.width
        y = (y - image.top) * screen.height / image.height
        if phase is TouchPhase.DOWN and 0 <= x < screen.width and 0 <= y < screen.height:
            self._felt.add(slot)
        if slot in self._felt:
            self.phone.touch(phase, x, y, pointer=slot, moment=moment)
        if phase is TouchPhase.UP:
            self._felt.discard(slot)


def _raw(position_px: float, length_px: int) -> int:
    return max(0, min(RAW_MAX, int(position_px * RAW_MAX / length_px)))


def _as_displayed(raw: tuple[int, int], screen: ComposedFrame) -> tuple[float, float]:
    """Raw position to the rotated panel, as Android's TouchInputMapper computes it: rotated first, then scaled."""
    x, y = (value / (RAW_MAX + 1) for value in raw)
    far_x, far_y = ((RAW_MAX - value) / (RAW_MAX + 1) for value in raw)
    across, down = ((x, y), (y, far_x), (far_x, far_y), (far_y, x))[screen.rotation]
    return across * screen.panel.width, down * screen.panel.height
