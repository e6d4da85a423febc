"""What the recorder needs of a device, as small protocols; `Device` is all of them.

Calls block, have a time limit, and may come from any thread, also at the same time. They raise
`DeviceDisconnectedError` when the device is gone, `DeviceTimeoutError` when it does not answer in time, and
`DeviceError` for anything else that it reports.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from odyssey_recorder.device.repair import Repair
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Box, Pixel, Rotation, Size


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """A device as adb lists it.

    `state` is adb's own word: "device" for one that can be used, else "offline", "unauthorized" and the like.
    `product` and `model` are empty where adb does not know them.
    """

    serial: str
    state: str
    product: str
    model: str

    @property
    def is_ready(self) -> bool:
        """Whether the device can be used now."""
        return self.state == "device"


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """What does not change while a device runs; `size` is the natural size, `density` dots per inch."""

    serial: str
    product: str
    model: str
    release_version: str
    sdk_version: str
    fingerprint: str
    avd_name: str
    size: Size
    density: int

    @property
    def is_simulated(self) -> bool:
        """Whether it is the simulated emulator, by the name of its AVD."""
        return self.avd_name.startswith("Simulated_")


@dataclass(frozen=True, slots=True)
class ScreenState:
    """What is on the screen besides its pixels.

    `size` is the one that the system lays out for, in natural orientation: the active panel's unless `wm size`
    overrides it. `panel` is the panel's own, None if unknown. `posture` is the name of the device state ("OPENED",
    "CLOSED"), empty on a device that does not fold. `package` and `activity` are empty when no activity has the
    focus. `status_bar_px`, `navigation_bar` and `keyboard` are in pixels of the frame; the last two are None while
    they are not shown.
    """

    size: Size
    rotation: Rotation
    posture: str
    package: str
    activity: str
    keyboard_shown: bool
    status_bar_px: int
    navigation_bar: Box | None = None
    keyboard: Box | None = None
    panel: Size | None = None


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The device's CLOCK_MONOTONIC, read at some moment between `before_ns` and `after_ns` of the host's.

    Its value then was between `least_us` and `most_us`: a device may report it in coarse steps.
    """

    before_ns: int
    after_ns: int
    least_us: int
    most_us: int


OnTyped = Callable[[int], None]
"""Called with the number of characters typed so far, on the thread that types; must return at once.

An `InputRefusedError` from it ends the typing.
"""


class HasSerial(Protocol):
    """What messages and threads are named after."""

    @property
    def serial(self) -> str:
        """The name under which adb lists the device."""


class DeviceFacts(HasSerial, Protocol):
    """What is asked of the system."""

    def properties(self) -> DeviceProperties:
        """What the device is."""

    def free_bytes(self) -> int:
        """The free space where apps keep their data."""

    def setting(self, namespace: str, name: str) -> str:
        """A value of Android's settings, such as of `secure` `navigation_mode`; empty where it was never set."""


class Screen(Protocol):
    """What is on the screen now."""

    def capture(self) -> Frame:
        """The screen as it is now, oriented as the user sees it."""

    def screen_state(self) -> ScreenState:
        """Rotation, posture, focus and keyboard as they are now."""

    def view_hierarchy(self) -> str:
        """The XML of `uiautomator dump` for the window in front; takes seconds while the screen moves.

        Raises `DeviceError` where there is none.
        """


class FrameStream(HasSerial, Protocol):
    """Frames as they come, by themselves where the device can send them."""

    def capture(self) -> Frame:
        """The screen as it is now, oriented as the user sees it."""

    def next_frame(self, wait_s: float) -> Frame | None:
        """The next frame that the device sends because its screen has changed.

        None when it has sent none in `wait_s`, and at once for a device that sends none. A caller who comes late gets
        the newest only.
        """

    def repeat_frame(self) -> None:
        """Let `next_frame` return the newest frame again, for a new reader who missed it."""

    @property
    def sends_frames(self) -> bool:
        """Whether frames come through `next_frame` at the moment."""

    @property
    def capture_path(self) -> str:
        """How frames come at the moment: "gRPC" or "screencap"."""


class DeviceInput(Protocol):
    """Whole inputs: touches, keys and text."""

    def touch(self, stroke: TouchStroke) -> None:
        """Carry out a contact, in pixels of the frame, at its own pace; return when the finger has lifted.

        Raises `InputRefusedError` where the device refuses it.
        """

    def press(self, key: SystemKey) -> None:
        """Press and release a system key."""

    def check_text(self, text: str) -> None:
        """Raise `InputRefusedError` where `type_text` could not type `text` exactly; touches nothing."""

    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        """Type `text` into the focused field, newline as Enter; `on_typed` hears of the progress of a long one.

        Raises `InputRefusedError`, before anything is typed, for text that cannot be typed this way, and where the
        device took only a part of it.
        """


class LiveTouch(HasSerial, Protocol):
    """A finger that the device follows while it moves."""

    @property
    def follows_finger(self) -> bool:
        """Whether `put_finger` can be used at the moment."""

    def put_finger(self, at: Pixel) -> None:
        """Put the finger down at `at`, or move it there; pixels of the frame. Returns when it is there."""

    def lift_finger(self) -> None:
        """Lift the finger where it is."""


class InputEvents(HasSerial, Protocol):
    """What is done on the device itself, as its kernel reports it."""

    def input_nodes(self) -> tuple[InputDeviceNode, ...]:
        """The input nodes (touch screens, keyboard) as they are now."""

    def follow_input(self, take: Callable[[bytes, int], None]) -> None:
        """Call `take` with what `getevent -lt` prints from now on and when it came (host's monotonic clock, ns).

        Returns when `getevent` ends by itself, and soon after `leave_input`; raises when the device is lost or closed.
        """

    def leave_input(self) -> None:
        """Let the running `follow_input` return; from any thread."""

    def read_clock(self) -> ClockReading:
        """The clock of the device's input events."""


class Snapshots(Protocol):
    """The emulator's snapshots of the whole device."""

    @property
    def keeps_snapshots(self) -> bool:
        """Whether the device has snapshots; answers at once, False for anything but an emulator."""

    def snapshots(self) -> tuple[str, ...]:
        """Their names, in the emulator's own order."""

    def save_snapshot(self, name: str) -> None:
        """Save the whole device under `name`, replacing an older one; the device pauses meanwhile.

        Raises `DeviceError` where the emulator reports that it cannot.
        """

    def load_snapshot(self, name: str) -> None:
        """Restore the whole device to `name`, and return when it answers again.

        Frames and input events that are followed go on by themselves or end as when the connection breaks. Raises
        `DeviceError` where there is no snapshot of that name.
        """

    def delete_snapshot(self, name: str) -> None:
        """Delete a snapshot; nothing happens if there is none of that name."""


class DeviceSetup(DeviceFacts, Protocol):
    """How a device is brought into a known state."""

    def repair(self, repair: Repair) -> None:
        """Carry out a repair. Raises `DeviceError` where the device refuses it."""

    def close_recents(self) -> None:
        """Close every recent app and go to the home screen."""


class ControllableDevice(DeviceFacts, Screen, DeviceInput, Protocol):
    """A device that is looked at and acted on, by a replay, a script or an agent."""


class Device(ControllableDevice, DeviceSetup, FrameStream, LiveTouch, InputEvents, Snapshots, Protocol):
    """A connected Android device."""

    def close(self) -> None:
        """Disconnect and wake every waiting call; from any thread, more than once.

        Calls that are woken, and all later ones, raise `DeviceDisconnectedError`.
        """
