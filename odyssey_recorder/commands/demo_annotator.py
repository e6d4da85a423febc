"""The demo's annotator: finds things on the simulated emulator's screen and touches them."""

import re
import time
from dataclasses import dataclass
from xml.etree import ElementTree

from odyssey_recorder.device.device import ControllableDevice
from odyssey_recorder.device.dumping import reading_alone
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.errors import RecordingError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording import script
from odyssey_recorder.simulated.private_emulators import PrivateEmulators

_BOUNDS = re.compile(r"\[(\d+),(\d+)\]\[(\d+),(\d+)\]")
_KEYS = {" ": "Space"}
"""Names of keys of the simulated keyboard that differ from their letter."""


@dataclass(frozen=True, slots=True)
class On:
    """A touch on the view with this text or description; `hold` for a long press."""

    label: str
    hold: bool = False


@dataclass(frozen=True, slots=True)
class Drag:
    up: float


Move = On | Drag | script.Command


class Eyes:
    def __init__(self, emulators: PrivateEmulators, serial: str) -> None:
        self._emulators = emulators
        self._serial = serial

    def command(self, move: Move) -> script.Command:
        """The move as a script command, in pixels of the present screen."""
        match move:
            case On(label, hold):
                x, y = self._middle_of(label)
                return script.ScriptLongPress(long_press=(x, y)) if hold else script.Tap(tap=(x, y))
            case Drag(up):
                left, top, right, bottom = _bounds([*self._tree().iter("hierarchy")][-1][0])
                x, middle, half = (left + right) // 2, (top + bottom) // 2, int((bottom - top) * up / 2)
                # The midpoint at half the time, or a busy emulator takes a finger that has not moved for 400 ms for a
                # long press.
                return script.Swipe(swipe=((x, middle + half), (x, middle), (x, middle - half)), ms=400)
            case _:
                return move

    def see(self, label: str) -> bool:
        return bool(self._carrying(label))

    def keys(self, text: str) -> list[Pixel]:
        """The keys of the on-screen keyboard that type a text."""
        tree = self._tree()
        return [Pixel(*self._middle_of(_KEYS.get(letter, letter), tree)) for letter in text]

    def _middle_of(self, label: str, tree: ElementTree.Element | None = None) -> tuple[int, int]:
        nodes = self._carrying(label, tree)
        if not nodes:
            raise RecordingError(f"The demo did not find {label!r} on the screen of the simulated emulator.")
        left, top, right, bottom = _bounds(nodes[0])
        return (left + right) // 2, (top + bottom) // 2

    def _carrying(self, label: str, tree: ElementTree.Element | None = None) -> list[ElementTree.Element]:
        nodes = (self._tree() if tree is None else tree).iter("node")
        return [node for node in nodes if label in {node.get("text"), node.get("content-desc")}]

    def _tree(self) -> ElementTree.Element:
        with reading_alone(self._serial):
            said = self._emulators.server.adb(
                "-s", self._serial, "exec-out", "uiautomator", "dump", "--windows", "/dev/tty"
            )
        xml = said.stdout.decode().partition("</displays>")
        return ElementTree.fromstring(xml[0] + xml[1])


class DemoAnnotator:
    def __init__(self, device: ControllableDevice, eyes: Eyes) -> None:
        self._device = device
        self._eyes = eyes

    def rest(self) -> None:
        watch = StillnessWatch(SettleRule(still_ms=300), since_ns=time.monotonic_ns())
        while watch.see(self._device.capture()) is Stillness.MOVING:
            pass

    def carry_out(self, command: script.Command) -> None:
        match command:
            case script.Tap() | script.ScriptLongPress() | script.Swipe():
                self._device.touch(script.stroke_of(command))
            case script.PressKey(key=key):
                self._device.press(SystemKey(key))
            case script.TypeText(type=text):
                for place in self._eyes.keys(text):
                    self._device.touch(TouchStroke.press(place, duration_ms=script.TAP_MS))
            case _:
                raise AssertionError(f"{command} is not done by hand")


def _bounds(node: ElementTree.Element) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of a node, in pixels of the screen."""
    found = _BOUNDS.fullmatch(node.get("bounds", ""))
    if found is None:
        raise RecordingError(f"The view hierarchy of the simulated emulator has a node without bounds: {node.attrib}.")
    left, top, right, bottom = map(int, found.groups())
    return left, top, right, bottom
