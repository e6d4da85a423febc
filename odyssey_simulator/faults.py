"""Faults of the simulated emulator, triggered on request."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from odyssey_simulator.phone import PhoneState


def _nothing() -> None: ...


class ControlFaults:
    """Active faults of the gRPC service, and how its builds differ. Thread-safe.

    `apply` is called when a fault has changed, and may block; `renew_token` makes the service require another token and
    write it into its discovery file, unless the `file_is_outdated`. Both do nothing if no service is attached.
    """

    def __init__(self) -> None:
        self.detach()
        self.stalled = False
        self.refuses = False
        self.off = False
        self.frame_delay_s = 0.0
        self.drops = 0
        """A stream that began before the last drop ends."""
        self.knows_outer_panel = False
        """While folded, touches are scaled by the outer panel. Otherwise, as measured, by the inner one."""
        self.uses_first_node = False
        """While folded, touches show in the first touch node, as in older builds."""
        self.frame_turns = 0
        """Quarter turns, counted as Android does, by which frames are turned further than they say."""
        self.bend_px = 0
        """In the last quarter of the panel's height, touches land so far beside where they were sent."""
        self.file_is_outdated = False

    def attach(self, apply: Callable[[], None], renew_token: Callable[[], None]) -> None:
        self.apply, self.renew_token = apply, renew_token

    def detach(self) -> None:
        self.apply = self.renew_token = _nothing

    def stall(self, *, stalled: bool) -> None:
        """Streams of frames stay open but send nothing."""
        self.stalled = stalled
        self.apply()

    def drop_streams(self) -> None:
        self.drops += 1
        self.apply()

    def refuse(self, *, refuse: bool) -> None:
        self.refuses = refuse

    def outdate_file(self, *, outdated: bool) -> None:
        """The token in the discovery file is none that the service takes."""
        self.file_is_outdated = outdated
        self.renew_token()

    def switch_off(self, *, off: bool) -> None:
        self.off = off
        self.apply()

    def delay_frames(self, delay_s: float) -> None:
        """A frame is sent with this delay after it was shown; those in between are left out."""
        self.frame_delay_s = delay_s

    def clear(self) -> None:
        self.stalled = self.refuses = self.off = self.knows_outer_panel = self.uses_first_node = False
        self.frame_delay_s = 0.0
        self.frame_turns = self.bend_px = 0
        if self.file_is_outdated:
            self.outdate_file(outdated=False)
        self.apply()


@dataclass(slots=True)
class KeyboardFaults:
    """With `api_36` the keyboards are those of Android 16, where ADBKeyBoard only works from version 2.5 on.

    `refuses_list`: the shell may not list all keyboards. ADBKeyBoard, of `version`, can be enabled at the attempt after
    `slow_attempts` failures. While it is `sticky`, choosing another keyboard instead of it is confirmed and not done.
    """

    api_36: bool = False
    refuses_list: bool = False
    version: str = "2.5-dev"
    slow_attempts: int = 0
    sticky: bool = False

    @property
    def deaf(self) -> bool:
        return self.api_36 and self.version < "2.5"


class FrameFault(Enum):
    CUT = "cut-frame"
    BLACK = "black-frame"
    DROP = "drop-in-frame"


class WindowsOption(Enum):
    """What `uiautomator dump` does with `--windows`: images before Android 14 do not know it."""

    KNOWN = "known"
    IGNORED = "ignored"
    REFUSED = "refused"


class Faults:
    """Active faults. Thread-safe, but not for the thread of the emulator's own connections.

    `apply_link` is called when `offline` or `frozen` has changed, and may block. `break_connections` drops all adb
    connections once; `kill_getevent` ends all running getevents. `control` are the faults of the gRPC service.
    `on_crash` is called when the emulator has crashed.
    """

    def __init__(
        self, apply_link: Callable[[], None], break_connections: Callable[[], None], kill_getevent: Callable[[], None]
    ) -> None:
        self._apply_link = apply_link
        self.kill_getevent = kill_getevent
        self.break_connections = break_connections
        self.control = ControlFaults()
        self.keyboards = KeyboardFaults()
        self._lock = threading.Lock()
        self._frames = dict.fromkeys(FrameFault, 0)
        self._thawing: threading.Timer | None = None
        self.offline = False
        self.frozen = False
        self.refuses_input = False
        self.refusal_code = 255
        self.hides_active_panel = False
        self.screencap_delay_s = 0.0
        self.refuses_snapshots = False
        self.holds_posture = False
        self.snapshot_delay_s = 0.0
        self.last_anr: PhoneState | None = None
        self.has_second_display = False
        self.windows_option = WindowsOption.KNOWN
        self.on_crash: Callable[[], None] = _nothing
        self.denies_getevent = False
        self.automation_is_taken = False
        self.hides_root = False

    def crash(self) -> None:
        """End like a process that crashed; returns at once, because the caller may be one of its connections."""

        def end() -> None:
            self.control.switch_off(off=True)
            self.go_offline()
            self.on_crash()

        threading.Thread(target=end, name="crash", daemon=True).start()

    def go_offline(self) -> None:
        self.offline = True
        self._apply_link()

    def go_online(self) -> None:
        self.offline = False
        self._apply_link()

    def freeze(self, duration_s: float | None = None) -> None:
        """Keep connections open but read and answer nothing, for a while or until `thaw`."""
        self._set_frozen(True)
        if duration_s is not None:
            self._thawing = threading.Timer(duration_s, self.thaw)
            self._thawing.daemon = True
            self._thawing.start()

    def thaw(self) -> None:
        self._set_frozen(False)

    def delay_screencap(self, delay_s: float) -> None:
        self.screencap_delay_s = delay_s

    def refuse_input(self, *, refuse: bool, exit_code: int = 255) -> None:
        """On some phones `input` says on its standard output that it is refused, and ends with exit code 0."""
        self.refuses_input, self.refusal_code = refuse, exit_code

    def refuse_snapshots(self, *, refuse: bool) -> None:
        self.refuses_snapshots = refuse

    def hide_active_panel(self, *, hidden: bool) -> None:
        """As on some phones: `dumpsys input` marks no panel as active."""
        self.hides_active_panel = hidden

    def hold_posture(self, *, hold: bool) -> None:
        """The console neither turns nor folds the device, and gives no answer."""
        self.holds_posture = hold

    def delay_snapshots(self, delay_s: float) -> None:
        self.snapshot_delay_s = delay_s

    def keep_anr(self, state: PhoneState) -> None:
        """Let `dumpsys window` begin with `state`, as Android does if an app stopped responding since boot."""
        self.last_anr = state

    def plug_second_display(self, *, plugged: bool) -> None:
        """With its own focus, rotation, bars and keyboard, in `dumpsys` only."""
        self.has_second_display = plugged

    def take_automation(self, *, taken: bool) -> None:
        """Another program, such as Appium, is connected for reading the screen: `uiautomator` fails."""
        self.automation_is_taken = taken

    def hide_root(self, *, hidden: bool) -> None:
        """`uiautomator dump` finds no window, unless it is `--compressed`."""
        self.hides_root = hidden

    def spoil_frames(self, fault: FrameFault, count: int = 1) -> None:
        with self._lock:
            self._frames[fault] = count

    def take_frame_fault(self) -> FrameFault | None:
        with self._lock:
            for fault, left in self._frames.items():
                if left > 0:
                    self._frames[fault] = left - 1
                    return fault
        return None

    def clear(self) -> None:
        with self._lock:
            self._frames = dict.fromkeys(FrameFault, 0)
        self.refuses_input = self.refuses_snapshots = self.holds_posture = False
        self.has_second_display = self.hides_active_panel = False
        self.automation_is_taken = self.hides_root = self.denies_getevent = False
        self.last_anr = None
        self.keyboards = KeyboardFaults()
        self.windows_option = WindowsOption.KNOWN
        self.screencap_delay_s = self.snapshot_delay_s = 0.0
        self.offline = False
        self.control.clear()
        self._set_frozen(False)

    def _set_frozen(self, frozen: bool) -> None:
        if self._thawing is not None:
            self._thawing.cancel()
            self._thawing = None
        self.frozen = frozen
        self._apply_link()
        self.control.apply()
