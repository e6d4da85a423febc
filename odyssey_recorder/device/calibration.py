"""Measures where an emulator's touches land and how its frames are turned: builds of the emulator differ."""

import queue
import threading
from contextlib import suppress

from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_finger import FrameShape
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gesture.contacts import Contact, ContactTracker, RawSample
from odyssey_recorder.gesture.getevent import POSITION_X, POSITION_Y, InputDeviceNode, LineBuffer, NodeAdded, parse_line
from odyssey_recorder.model.geometry import Pixel, Size

_PATIENCE_S = 5.0
_TRIES = 3
_PATH = (0.5, 0.45, 0.4, 0.45, 0.5, 0.55, 0.6, 0.55)
"""Where the finger goes, as a share of each side. It ends elsewhere than it begins, because `getevent` leaves out what
has not changed since the last touch; no view takes a drag there and back for a tap."""
_OFF_PX = 2.0


def measure_frames(device: EmulatorDevice) -> int | None:
    """The quarter turns clockwise after which a gRPC frame that reports Android's rotation equals a `screencap`.

    In the current posture and rotation, for `Measured.frame_turns`. A device may be held otherwise than Android shows,
    as with a rotation lock: then its frames report another rotation, and the result does not count that difference.
    None if the frames differ in another way, as under `wm size`. Raises DeviceError, also if the screen never rests.
    """
    for _ in range(_TRIES):
        before, shown, after = device.control.screenshot(), device.screencap(), device.control.screenshot()
        if FrameShape.of(before) == FrameShape.of(after) and before.shows_same_as(after):
            turns = after.turns_to(shown)
            held = FrameShape.of(after).rotation - device.screen_state().rotation
            return None if turns is None else (turns - held) % 4
    raise DeviceError(f"The screen of {device.label} keeps changing. Open a page that rests, and try again.")


def measure_touch(device: EmulatorDevice) -> tuple[float, float]:
    """The factors across and down by which a position is multiplied before it is sent over gRPC.

    In the current posture, for `Measured.touch_scale`. A finger drags over the middle of the screen and back, so that
    nothing is tapped; `getevent` tells where it was. Raises DeviceError.
    """
    panel = device.screen_state().panel
    if panel is None:
        raise DeviceError(f"{device.label} does not tell the size of its panel. Touches cannot be measured there.")
    sent = [Pixel(round(panel.width * share), round(panel.height * share)) for share in _PATH]
    contact, node = _drag(device, sent)
    landed = sorted(_position(raw, node, panel) for raw in contact.samples)
    first, last = min(sent, key=lambda at: at.x), max(sent, key=lambda at: at.x)
    across, down = last.x / landed[-1][0], last.y / landed[-1][1]
    if max(abs(landed[0][0] * across - first.x), abs(landed[0][1] * down - first.y)) > _OFF_PX:
        raise DeviceError(
            f"Touches on {device.label} land where no factor can bring them: at {landed}. Choose adb for this device."
        )
    return round(across, 4), round(down, 4)


def _drag(device: EmulatorDevice, positions: list[Pixel]) -> tuple[Contact, InputDeviceNode]:
    """Drag a finger over the panel; return what `getevent` reports of it, and the node that reports it."""
    nodes = {node.node: node for node in device.input_nodes()}
    contacts, unlisted, listening = queue.SimpleQueue[Contact](), set(nodes), threading.Event()
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
        try:
            for at in positions:
                device.control.put_finger(at)
        finally:
            device.control.lift_finger(positions[-1])
        contact = contacts.get(timeout=_PATIENCE_S)
    except queue.Empty:
        raise DeviceError(
            f"A touch over gRPC did not arrive on {device.label}. Choose adb for this device, or restart the emulator."
        ) from None
    finally:
        device.leave_input()
        listener.join(_PATIENCE_S)
    return contact, nodes[contact.node]


def _position(raw: RawSample, node: InputDeviceNode, panel: Size) -> tuple[float, float]:
    """In pixels of the panel, from the middle of the raw step: the emulator rounds down."""
    across, down = node.axes[POSITION_X], node.axes[POSITION_Y]
    return (raw.x + 0.5) * panel.width / across.maximum, (raw.y + 0.5) * panel.height / down.maximum
