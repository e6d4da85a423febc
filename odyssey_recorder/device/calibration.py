"""Measures where an emulator's touches land and how its frames are turned: builds of the emulator differ."""

import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from statistics import median

from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_finger import FrameShape
from odyssey_recorder.device.measured import place_of
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gesture.contacts import Contact, ContactTracker, RawSample
from odyssey_recorder.gesture.getevent import POSITION_X, POSITION_Y, InputDeviceNode, LineBuffer, NodeAdded, parse_line
from odyssey_recorder.model.geometry import Pixel, Size

_PATIENCE_S = 5.0
_TRIES = 3
_PLACES = tuple((0.2 + 0.06 * ((3 * number) % 10), 0.2 + 0.06 * number) for number in range(10))
"""As shares of the panel's sides: no two next to each other, and away from its edges, which Android listens to."""
_DRAG = 0.05
"""Of each side: too far for a tap, and an end of which `getevent` reports both coordinates, because both changed."""
_OFF_PX = 2.0


def measure_frames(device: EmulatorDevice) -> tuple[str, int | None]:
    """The quarter turns clockwise after which a gRPC frame that reports Android's rotation equals a `screencap`.

    And the place for `Measured.frame_turns` where that is so. A device may be held otherwise than Android shows, as
    with a rotation lock: then its frames report another rotation, and the result does not count that difference. None
    if the frames differ in another way, as under `wm size`. Raises DeviceError, also if the screen never rests.
    """
    for _ in range(_TRIES):
        before, shown, after = device.control.screenshot(), device.screencap(), device.control.screenshot()
        if FrameShape.of(before) == FrameShape.of(after) and before.shows_same_as(after):
            turns = after.turns_to(shown)
            held, state = FrameShape.of(after).rotation, device.screen_state()
            place = place_of(state.posture, state.rotation, held)
            return place, None if turns is None else (turns - held + state.rotation) % 4
    raise DeviceError(f"The screen of {device.label} keeps changing. Open a page that rests, and try again.")


@dataclass(frozen=True, slots=True)
class TouchMeasure:
    """The factors across and down by which a position is multiplied before it is sent over gRPC, in one posture.

    `strays` are positions that these factors do not bring where they should be.
    """

    across: float
    down: float
    strays: tuple[Pixel, ...] = ()


def measure_touch(device: EmulatorDevice) -> TouchMeasure:
    """In the current posture, for `Measured.touch_scale`. Ten short drags, which tap nothing; raises DeviceError.

    `getevent` tells where each of them ended.
    """
    panel = device.screen_state().panel
    if panel is None:
        raise DeviceError(f"{device.label} does not tell the size of its panel. Touches cannot be measured there.")
    drags = [[_at(panel, x, y), _at(panel, x + _DRAG, y + _DRAG)] for x, y in _PLACES]
    nodes = {node.node: node for node in device.input_nodes()}
    with _contacts(device, set(nodes)) as contacts:
        ends = [(drag.node, drag.samples[-1]) for positions in drags for drag in [_drag(device, contacts, positions)]]
    landed = [_position(raw, nodes[node], panel) for node, raw in ends]
    pairs = [(sent, at) for (_, sent), at in zip(drags, landed, strict=True)]
    across = median(sent.x / at[0] for sent, at in pairs)
    down = median(sent.y / at[1] for sent, at in pairs)
    strays = tuple(
        sent for sent, at in pairs if max(abs(at[0] * across - sent.x), abs(at[1] * down - sent.y)) > _OFF_PX
    )
    return TouchMeasure(round(across, 4), round(down, 4), strays)


def _at(panel: Size, across: float, down: float) -> Pixel:
    return Pixel(round(panel.width * across), round(panel.height * down))


def _drag(device: EmulatorDevice, contacts: "queue.SimpleQueue[Contact]", positions: Sequence[Pixel]) -> Contact:
    try:
        for at in positions:
            device.control.put_finger(at)
    finally:
        device.control.lift_finger(positions[-1])
    try:
        return contacts.get(timeout=_PATIENCE_S)
    except queue.Empty:
        raise DeviceError(
            f"A touch over gRPC did not arrive on {device.label}. Choose adb for this device, or restart the emulator."
        ) from None


@contextmanager
def _contacts(device: EmulatorDevice, unlisted: set[str]) -> Iterator["queue.SimpleQueue[Contact]"]:
    """What `getevent` reports meanwhile; `unlisted` are the nodes that it lists first, once it listens."""
    contacts, listening = queue.SimpleQueue[Contact](), threading.Event()
    lines, tracker = LineBuffer(), ContactTracker()

    def take(data: bytes, _: int) -> None:
        for line in lines.feed(data):
            message = parse_line(line)
            if isinstance(message, NodeAdded):
                unlisted.discard(message.node)
            for event in tracker.feed(message) if message is not None else ():
                if isinstance(event, Contact):
                    contacts.put(event)
        if not unlisted:
            listening.set()

    def listen() -> None:
        with suppress(DeviceError):
            device.follow_input(take)

    listener = threading.Thread(target=listen, name=f"touches on {device.serial}", daemon=True)
    listener.start()
    try:
        listening.wait(_PATIENCE_S)
        yield contacts
    finally:
        device.leave_input()
        listener.join(_PATIENCE_S)


def _position(raw: RawSample, node: InputDeviceNode, panel: Size) -> tuple[float, float]:
    """In pixels of the panel, from the middle of the raw step: the emulator rounds down."""
    across, down = node.axes[POSITION_X], node.axes[POSITION_Y]
    return (raw.x + 0.5) * panel.width / across.maximum, (raw.y + 0.5) * panel.height / down.maximum
