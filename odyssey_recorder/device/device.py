"""What the recorder asks of a device: the seam between recording and the ways to reach an emulator."""

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
    """What a device says of itself once and for all; `size` is the natural size, `density` dots per inch."""

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
        """Whether it is the simulated emulator, which says so by its name."""
        return self.avd_name.startswith("Simulated_")


@dataclass(frozen=True, slots=True)
class ScreenState:
    """What is on the screen besides its pixels.

    `size` is that which the system lays out for, in its natural orientation: that of the active panel, unless `wm size`
    says another one; `panel` is that of the panel itself, None where that is not known. `posture` is the name of the
    device state ("OPENED", "CLOSED"), empty on a device that does not fold; `package` and `activity` are empty when
    no activity has the focus; `status_bar_px` is the height of the status bar in the picture. `navigation_bar` and
    `keyboard` are where these are on the picture, None where they are not shown.
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

    Its value was at least `least_us` and at most `most_us` then: the device may tell it in coarse steps.
    """

    before_ns: int
    after_ns: int
    least_us: int
    most_us: int


OnTyped = Callable[[int], None]
"""Is told how many characters of a text are typed, on the thread that types; it must return at once.

An `InputRefusedError` from it ends the typing there.
"""


class Device(Protocol):
    """A connected Android device.

    Every call blocks and has a time limit; calls may come from any thread, also at the same time. All raise
    `DeviceDisconnectedError` when the device is gone, `DeviceTimeoutError` when it does not answer in time,
    `DeviceError` for anything else that it says.
    """

    @property
    def serial(self) -> str:
        """The name under which adb lists the device."""

    def properties(self) -> DeviceProperties:
        """What the device is."""

    def screen_state(self) -> ScreenState:
        """Rotation, posture, focus and keyboard as they are now."""

    def capture(self) -> Frame:
        """The screen as it is now, oriented as the user sees it."""

    def next_frame(self, wait_s: float) -> Frame | None:
        """The next frame that the device sends by itself because its screen has changed.

        None when it has sent none in `wait_s`, and at once for a device that sends none by itself. Only the newest
        is kept for a caller who comes late.
        """

    def repeat_frame(self) -> None:
        """Let `next_frame` give the newest frame once more: somebody else begins to watch, and missed it."""

    @property
    def sends_frames(self) -> bool:
        """Whether frames come by themselves at the moment, through `next_frame`."""

    @property
    def capture_path(self) -> str:
        """How frames come at the moment: "gRPC" or "screencap"."""

    @property
    def follows_finger(self) -> bool:
        """Whether `put_finger` can be used at the moment."""

    def put_finger(self, at: Pixel) -> None:
        """Put the finger down at `at`, or move it there; pixels of the picture. Returns when it is there."""

    def lift_finger(self) -> None:
        """Lift the finger where it is."""

    def touch(self, stroke: TouchStroke) -> None:
        """Carry out a contact, in pixels of the picture, at its own pace; return when the finger has lifted.

        Raises `InputRefusedError` where the device says that it will not.
        """

    def press(self, key: SystemKey) -> None:
        """Press and release a system key."""

    def check_text(self, text: str) -> None:
        """Raise `InputRefusedError` where `type_text` could not type `text` exactly; touches nothing."""

    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        """Type `text` into the focused field, newline as Enter; `on_typed` hears how much of a long one is done.

        Raises `InputRefusedError`, before anything is typed, for text that this path cannot type, and where the
        device took only a part of it.
        """

    def view_hierarchy(self) -> str:
        """What `uiautomator dump` says of the window in front, XML; takes seconds where the screen moves.

        Raises `DeviceError` where there is none to be had.
        """

    def setting(self, namespace: str, name: str) -> str:
        """A value of Android's settings, such as of `secure` `navigation_mode`; empty where it was never set."""

    def repair(self, repair: Repair) -> None:
        """Put something right. Raises `DeviceError` where the device says that it will not."""

    def free_bytes(self) -> int:
        """The room that is left where apps keep their data."""

    def input_nodes(self) -> tuple[InputDeviceNode, ...]:
        """The input nodes (touch screens, keyboard) as they are now."""

    def follow_input(self, take: Callable[[bytes, int], None]) -> None:
        """Give `take` all that `getevent -lt` prints from now on, as it comes, with the host's monotonic clock (ns).

        Returns when `getevent` ends by itself, and soon after `leave_input`; raises when the device is lost or closed.
        """

    def leave_input(self) -> None:
        """Let the `follow_input` that is under way return; from any thread."""

    def read_clock(self) -> ClockReading:
        """The clock of the device's input events."""

    @property
    def keeps_snapshots(self) -> bool:
        """Whether the snapshots below can be used; answers at once, False for what is no emulator."""

    def snapshots(self) -> tuple[str, ...]:
        """The names of the emulator's snapshots, in its own order."""

    def save_snapshot(self, name: str) -> None:
        """Save the whole device under `name`, in place of what had it; the device stands still so long.

        Raises `DeviceError` where the emulator says that it cannot.
        """

    def load_snapshot(self, name: str) -> None:
        """Bring the whole device to what `name` holds, and return when it answers again.

        What is followed (frames, input) goes on by itself or ends as when the connection breaks. Raises `DeviceError`
        where there is none of that name.
        """

    def delete_snapshot(self, name: str) -> None:
        """Forget a snapshot; one that is not there is none the less."""

    def close_recents(self) -> None:
        """Close every recent app and come to the home screen."""

    def heartbeat(self) -> None:
        """Return if the device answers; raise otherwise."""

    def close(self) -> None:
        """Let go of the device and wake every call that waits for it; any thread may, and more than once.

        Calls that are woken, and all later ones, raise `DeviceDisconnectedError`.
        """
