"""What the recorder needs of a device, as small protocols; `Device` combines them.

Calls block, have a time limit, and are safe from any thread. They raise `DeviceDisconnectedError`,
`DeviceTimeoutError`, and `DeviceError` for any other failure that the device reports.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from odyssey_recorder.device.repair import Repair
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Box, Pixel, Rotation, Size

if TYPE_CHECKING:
    from odyssey_recorder.device.measured import Measured


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """`state` is adb's own word: "device" if it is ready, else "offline", "unauthorized" and so on.

    `product` and `model` are empty if adb does not know them, `name` if it has none.
    """

    serial: str
    state: str
    product: str
    model: str
    name: str = ""

    @property
    def is_ready(self) -> bool:
        return self.state == "device"

    @property
    def label(self) -> str:
        return device_label(self.serial, self.name)


_ADVICE = {
    "offline": "adb lists this device, but it does not respond. Wait until it has started, or restart it.",
    "unauthorized": "It does not trust this computer. Allow USB debugging in the dialog on its screen.",
    "no permissions": (
        "This computer lacks udev rules for it. Install them (package android-sdk-platform-tools-common), then "
        "reconnect the device."
    ),
} | dict.fromkeys(
    ("recovery", "rescue", "sideload", "bootloader"),
    "Android does not run on it. Start Android from the menu on its screen.",
)


SIMULATED = "Simulated_"
"""How the names of simulated virtual devices begin; the key of the profile follows."""


def state_advice(state: str) -> str:
    """What to do about a device in a state other than "device"."""
    return _ADVICE.get(state, f"adb reports: {state}. Wait, or restart it.")


def device_label(serial: str, name: str) -> str:
    """What people read, such as ``Pixel 8 Pro (emulator-5554)``: devices may share a name, but not a serial."""
    return f"{name} ({serial})" if name not in ("", serial) else serial


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """`size` is in natural orientation, `density` in dots per inch.

    `emulator_version` is the emulator's own with its build, such as "36.1.9 (13823996)", and `system_image` as in the
    virtual device's config.ini; empty if unknown.
    """

    serial: str
    product: str
    model: str
    release_version: str
    sdk_version: str
    fingerprint: str
    avd_name: str
    size: Size
    density: int
    emulator_version: str = ""
    system_image: str = ""

    @property
    def is_simulated(self) -> bool:
        return self.avd_name.startswith(SIMULATED)


@dataclass(frozen=True, slots=True)
class ScreenState:
    """The state of the screen besides its pixels.

    `size` is the size that Android lays out for, in natural orientation: the active panel's unless `wm size`
    overrides it. `panel` is the panel's own size, None if unknown. `posture` is the name of the device state
    ("OPENED", "CLOSED"), empty on a device that does not fold. `package` and `activity` are empty if no activity has
    the focus. `status_bar_px`, `navigation_bar` and `keyboard` are in pixels of the frame; the last two are None
    while hidden. `has_pop_up`: a window has the focus that is no activity's, such as a menu. `app_version` is that of
    the package; only the recorder asks for it. `error_dialog` is the title of Android's dialog about an app that
    failed, if it is in front.
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
    has_pop_up: bool = False
    app_version: str = ""
    error_dialog: str = ""


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The device's CLOCK_MONOTONIC, read between the host's `before_ns` and `after_ns`.

    The value was between `least_us` and `most_us`, because a device may report it in coarse steps.
    """

    before_ns: int
    after_ns: int
    least_us: int
    most_us: int


OnTyped = Callable[[int], None]
"""Called with the number of characters typed so far, on the typing thread; must return at once.

An `InputRefusedError` from it ends the typing.
"""


class HasSerial(Protocol):
    @property
    def serial(self) -> str:
        """The name under which adb lists the device."""

    @property
    def label(self) -> str:
        """Its name, if it is known, and its serial."""


class ControllableDevice(HasSerial, Protocol):
    """What is needed to look at a device and to act on it."""

    @property
    def adb_command(self) -> tuple[str, ...]:
        """The program and arguments that run adb for this device in a terminal."""

    def properties(self) -> DeviceProperties:
        """Identity, Android version and screen of the device."""

    def app_version(self, package: str) -> str:
        """Such as ``128.0.6613.88 (661308832)``, the name of the version and its code; empty if unknown."""

    def measured(self) -> "Measured":
        """What `devices check` has measured on this device."""

    def free_bytes(self) -> int:
        """Free space on the data partition."""

    def setting(self, namespace: str, name: str) -> str:
        """A value of Android's settings, such as `secure` `navigation_mode`; empty if it was never set."""

    def changed_settings(self, values: Mapping[tuple[str, str], str]) -> AbstractContextManager[None]:
        """Give settings other values until the end of the block, or until the next connect after a crash.

        Raises DatasetError if the old values cannot be kept.
        """

    def capture(self) -> Frame:
        """The screen as it is now, oriented as the user sees it."""

    def screen_state(self) -> ScreenState:
        """Rotation, posture, focus and keyboard."""

    def view_hierarchy(self) -> str:
        """The XML of `uiautomator dump`; takes seconds while the screen moves.

        It has all windows, or only the active one if the device cannot list them (before Android 14).
        """

    def touch(self, stroke: TouchStroke) -> None:
        """Carry out a stroke, in pixels of the frame, in real time. Raises `InputRefusedError`."""

    def press(self, key: SystemKey) -> None:
        """Press and release a system key."""

    def check_text(self, text: str) -> None:
        """Raise `InputRefusedError` if `type_text` could not type `text` exactly; sends nothing."""

    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        """Type `text` into the focused field, newline as Enter.

        Raises `InputRefusedError` before typing if `text` cannot be typed this way, or if the device took only part
        of it.
        """


class FrameStream(HasSerial, Protocol):
    """Frames, pushed by the device if it can send them."""

    def capture(self) -> Frame:
        """The screen as it is now, oriented as the user sees it."""

    def next_frame(self, wait_s: float) -> Frame | None:
        """The next frame that the device sends because its screen has changed; a slow caller gets only the newest.

        None if it sends none within `wait_s`, and at once for a device that sends none.
        """

    def repeat_frame(self) -> None:
        """Make `next_frame` return the newest frame again, for a new reader who missed it."""

    @property
    def sends_frames(self) -> bool:
        """Whether frames currently arrive through `next_frame`."""

    @property
    def capture_path(self) -> str:
        """How frames are currently captured: "gRPC" or "screencap"."""

    @property
    def not_allowed(self) -> frozenset[str]:
        """The calls of the gRPC service that the device does not allow us, so that adb is used in their place."""


class LiveTouch(HasSerial, Protocol):
    @property
    def follows_finger(self) -> bool:
        """Whether `put_finger` can be used now."""

    def put_finger(self, at: Pixel) -> None:
        """Put the finger down at `at` (pixels of the frame), or move it there; returns when it is there."""

    def lift_finger(self) -> None:
        """Lift the finger where it is."""


class InputEvents(HasSerial, Protocol):
    def input_nodes(self) -> tuple[InputDeviceNode, ...]:
        """The current input nodes: touch screens, keyboards and so on."""

    def follow_input(self, take: Callable[[bytes, int], None]) -> None:
        """Call `take` with the output of `getevent -lt` and its arrival time (host's monotonic clock, ns).

        Returns if `getevent` ends by itself, and soon after `leave_input`; raises if the device is lost or closed.
        """

    def leave_input(self) -> None:
        """Make the running `follow_input` return; safe from any thread."""

    def read_clock(self) -> ClockReading:
        """The clock of the device's input events."""


class Snapshots(Protocol):
    @property
    def keeps_snapshots(self) -> bool:
        """Answers at once; False for anything but an emulator."""

    def snapshots(self) -> tuple[str, ...]:
        """Snapshot names, in the emulator's order."""

    def save_snapshot(self, name: str) -> None:
        """Save the whole device, replacing an older snapshot; the device pauses meanwhile."""

    def load_snapshot(self, name: str) -> None:
        """Restore the whole device, and return when it answers again.

        Running frame streams and `follow_input` continue, or end as if the connection broke.
        """

    def delete_snapshot(self, name: str) -> None:
        """Delete a snapshot, if it exists."""


class Device(ControllableDevice, FrameStream, LiveTouch, InputEvents, Snapshots, Protocol):
    def repair(self, repair: Repair) -> None:
        """Carry out a repair. Raises `DeviceError` if the device refuses it."""

    def unmarked_panel(self) -> str:
        """The panel that is recorded because it is lit, if there are several and the device marks none as active."""

    def close_recents(self) -> None:
        """Close every recent app and go to the home screen."""

    def clear_data(self, package: str) -> bool:
        """End an app and delete what it has stored; False if Android does not, such as for one that is not there."""

    def close(self) -> None:
        """Disconnect; waiting and later calls raise `DeviceDisconnectedError`. Safe from any thread, and repeatedly."""
