"""A device over adb: which commands it runs, and how their output is read."""

import logging
import re
import shlex
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from textwrap import shorten

from odyssey_recorder.device import dumping, dumpsys, input_command
from odyssey_recorder.device.adb_keyboard import AdbKeyboard, broadcast_commands
from odyssey_recorder.device.adb_server import device_errors
from odyssey_recorder.device.adb_shell import AdbShell, CommandResult, ShellStream
from odyssey_recorder.device.avd_config import system_image
from odyssey_recorder.device.device import ClockReading, DeviceProperties, OnTyped, ScreenState
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.device.kept_settings import changed_settings, undo_left
from odyssey_recorder.device.measured import NOTHING_MEASURED, Measured, MeasuredDevices, long_press_ms
from odyssey_recorder.device.repair import Repair, shell_line
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError, InputRefusedError
from odyssey_recorder.gesture.getevent import InputDeviceNode, parse_nodes
from odyssey_recorder.gesture.recognizer import LONG_PRESS_MS
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Size

_log = logging.getLogger(__name__)

_BOOT_ANSWER_S = 3.0
_BOOT_POLL_S = 0.25
_RESTORED_S = 30.0

_ALL_WINDOWS = "--windows "
"""Android 14 and later know this option of `uiautomator dump`; older versions ignore it, or refuse it."""
_UNKNOWN_OPTION = re.compile(r"\b(?:usage|unknown|unsupported|unrecognized)\b", re.IGNORECASE)

_UPTIME_STEP_US = 10_000

_SCREEN_READINGS = 3
_FIRST_INPUT_US = 25_000
"""Assumed duration of one `input` until it has been measured."""

_REFUSAL = re.compile(r"\bError\b|Exception\b|\busage:", re.IGNORECASE)

_SECURITY_SWITCH = (
    "Phones by Xiaomi, Redmi and POCO allow it only after you turn on USB debugging (Security settings) in Developer "
    "options. "
)

_SCREENCAP_HEADER = struct.Struct("<4I")
"""Width, height, pixel format, colour space, little-endian."""
_RGBA_8888 = 1
_LARGEST_SIDE_PX = 16384

_Capture = tuple[ShellStream, Size, bytearray]


class AdbDevice:
    """A device behind an adb server; new commands wait while a snapshot is saved or loaded."""

    def __init__(
        self,
        shell: AdbShell,
        *,
        kept: Path | None = None,
        console: EmulatorConsole | None = None,
        known: MeasuredDevices = NOTHING_MEASURED,
    ) -> None:
        """`kept` is the folder that keeps how to undo changes; the `console` provides snapshots and is closed with the
        device. `known` has what was measured on devices."""
        self._shell = shell
        self.serial = shell.serial
        self.label = shell.label
        self._frame_numbers = count(1)
        self._input: ShellStream | None = None
        self._input_us = _FIRST_INPUT_US
        self._keyboard = AdbKeyboard(shell, kept)
        self._kept = kept
        self._console = console
        self._known = known
        self._panels: tuple[str, ...] | None = None
        self._lit: tuple[str, Size] | None = None
        self._views = dumping.ViewReader(shell)
        self._all_windows = _ALL_WINDOWS
        self._sdk: int | None = None
        self._long_press_ms = LONG_PRESS_MS
        shell.on_lost = self._forget_abilities

    @property
    def adb_command(self) -> tuple[str, ...]:
        return (*self._shell.server.command, "-s", self.serial)

    def _forget_abilities(self) -> None:
        self._panels = self._sdk = self._lit = None
        self._all_windows = _ALL_WINDOWS

    def properties(self) -> DeviceProperties:
        getprop, wm_size, wm_density = self._shell.ask("getprop", "wm size", "wm density")
        values = dumpsys.properties(getprop)
        with device_errors(self.label):
            return DeviceProperties(
                serial=self.serial,
                product=values.get("ro.product.name", ""),
                model=values.get("ro.product.model", ""),
                release_version=values.get("ro.build.version.release", ""),
                sdk_version=values.get("ro.build.version.sdk", ""),
                fingerprint=values.get("ro.build.fingerprint", ""),
                avd_name=values.get("ro.boot.qemu.avd_name", values.get("ro.kernel.qemu.avd_name", "")),
                size=dumpsys.screen_size(wm_size),
                density=dumpsys.screen_density(wm_density),
                emulator_version=self._shell.avd.version,
                system_image=system_image(self._shell.avd.folder),
            )

    def app_version(self, package: str) -> str:
        [dump] = self._shell.ask(shlex.join(("dumpsys", "package", package)))
        return dumpsys.app_version(dump)

    def measured(self) -> Measured:
        return self._known.of(self.properties())

    def screen_state(self) -> ScreenState:
        window, input_method, device_state, wm_size = self._read_screen()
        with device_errors(self.label):
            focus = window = dumpsys.default_display_contents(window)
            if not dumpsys.tells_focus(window):
                [focus] = self._shell.ask("dumpsys window windows")
            package, activity = dumpsys.focused_activity(focus)
            return ScreenState(
                size=dumpsys.screen_size(wm_size),
                rotation=dumpsys.rotation(window),
                posture=dumpsys.posture(device_state),
                package=package,
                activity=activity,
                keyboard_shown=dumpsys.keyboard_shown(input_method),
                status_bar_px=dumpsys.status_bar_height(window),
                navigation_bar=dumpsys.navigation_bar(window),
                keyboard=dumpsys.keyboard(window),
                panel=dumpsys.panel_size(wm_size),
                has_pop_up=dumpsys.has_pop_up(focus),
                error_dialog=dumpsys.error_dialog(focus),
            )

    def _read_screen(self) -> list[str]:
        """Read again if the screen's size changed meanwhile, because bars of the old size could be anywhere on it."""
        for _ in range(_SCREEN_READINGS):
            wm_size, *answers = self._shell.ask(
                "wm size", "dumpsys window displays", "dumpsys input_method", "cmd device_state state", "wm size"
            )
            if answers[-1] == wm_size:
                return answers
        raise DeviceError(f"The screen of {self.label} keeps changing its size. Wait until it rests, and try again.")

    def capture(self) -> Frame:
        """Raises DeviceError for an incomplete image."""
        return self.screencap(next(self._frame_numbers))

    def screencap(self, number: int = 0) -> Frame:
        """What apps show, also on an emulator with gRPC; 0 is no frame's number.

        `screencap` writes only once it has the whole image, so the image is older than its first byte; on a busy
        computer the remaining pixels arrive much later.
        """
        marked = self._marked_panel()
        stream, size, pixels = self._screencap_of_lit() if marked is None else self._screencap(marked)
        return Frame(number, size, pixels, stream.asked_ns, stream.output_ns, "screencap")

    def unmarked_panel(self) -> str:
        if self._marked_panel() is not None:
            return ""
        self._screencap_of_lit()
        return "{} ({})".format(*self._lit) if self._lit else ""

    def _screencap(self, panel: str) -> _Capture:
        with self._shell.running(f"screencap -d {panel}" if panel else "screencap") as stream:
            try:
                return stream, *_receive_screencap(stream)
            except ValueError as error:
                raise ValueError(f"{error}. {_quoted(stream.errors)}".rstrip(". ")) from error

    def next_frame(self, wait_s: float) -> Frame | None:
        return None

    def repeat_frame(self) -> None:
        pass

    @property
    def sends_frames(self) -> bool:
        return False

    @property
    def capture_path(self) -> str:
        return "screencap"

    @property
    def not_allowed(self) -> frozenset[str]:
        return frozenset()

    @property
    def follows_finger(self) -> bool:
        """Each `input` starts a program on the device, which is too slow to follow a finger."""
        return False

    def put_finger(self, at: Pixel) -> None:
        raise InputRefusedError(f"{self.label} cannot follow a finger over adb. At {at.x}, {at.y} nothing was sent.")

    def lift_finger(self) -> None:
        pass

    def touch(self, stroke: TouchStroke) -> None:
        if input_command.is_still(stroke):
            if stroke.duration_us > input_command.SURE_TAP_US:
                self._long_press_ms = long_press_ms(self)
            self._inject(input_command.press_command(stroke, self._long_press_ms), stroke.duration_us)
        elif input_command.is_even_line(stroke) or self._sdk_version() < input_command.TRAJECTORY_SDK:
            self._inject(input_command.swipe_command(stroke), stroke.duration_us)
        else:
            trajectory = input_command.trajectory(stroke, input_us=self._input_us)
            started_ns = time.monotonic_ns()
            self._inject(trajectory.command, stroke.duration_us)
            spent_us = (time.monotonic_ns() - started_ns) // 1000
            self._input_us = max(spent_us - trajectory.pauses_us, 0) // trajectory.inputs

    def press(self, key: SystemKey) -> None:
        self._inject(input_command.key_command(key))

    def paste(self) -> None:
        self._inject(input_command.PASTE)

    def check_text(self, text: str) -> None:
        if not input_command.is_plain(text) and not self._keyboard.can_type(text):
            input_command.check_text(text)

    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        if input_command.is_plain(text):
            self._type(input_command.text_commands(text), text, on_typed)
            return
        self.check_text(text)
        with self._keyboard.chosen():
            self._type(broadcast_commands(text), text, on_typed)

    def view_hierarchy(self) -> str:
        """Raises DeviceError if the screen does not become idle within the ten seconds that `uiautomator` waits."""
        try:
            return self._views.read(self._all_windows)
        except DeviceError as error:
            if not self._all_windows or _UNKNOWN_OPTION.search(str(error)) is None:
                raise
        self._all_windows = ""
        return self.view_hierarchy()

    def setting(self, namespace: str, name: str) -> str:
        result = self._shell.run(shlex.join(("settings", "get", namespace, name)))
        if result.exit_code != 0:
            raise DeviceError(f"{self.label} did not report its setting {namespace} {name}. {_quoted(result.text)}")
        value = result.output.strip()
        return "" if value == "null" else value

    def repair(self, repair: Repair) -> None:
        with dumping.reading_alone(self.serial):
            result = self._shell.run(shell_line(repair))
        if _was_refused(result):
            raise DeviceError(f"{self.label} refused `{shell_line(repair)}`. {_quoted(result.text)}".rstrip())

    def changed_settings(self, values: Mapping[tuple[str, str], str]) -> AbstractContextManager[None]:
        return changed_settings(self._shell, self._kept, values)

    def free_bytes(self) -> int:
        [answer] = self._shell.ask("df -k /data")
        with device_errors(self.label):
            return dumpsys.free_bytes(answer)

    def input_nodes(self) -> tuple[InputDeviceNode, ...]:
        [nodes] = self._shell.ask("getevent -lp")
        return parse_nodes(nodes)

    def follow_input(self, take: Callable[[bytes, int], None]) -> None:
        following: ShellStream | None = None
        try:
            with self._shell.running("getevent -lt", endless=True) as stream:
                self._input = following = stream
                while data := stream.read_some():
                    take(data, time.monotonic_ns())
        except DeviceDisconnectedError:
            was_left = following is not None and self._input is None
            if self._shell.closed.is_set() or not was_left:
                raise
        finally:
            self._input = None

    def leave_input(self) -> None:
        """Cut the connection, which also ends `getevent` on the device."""
        stream, self._input = self._input, None
        if stream is not None:
            stream.cut()

    def read_clock(self) -> ClockReading:
        """The device's clock from /proc/uptime, in steps of 10 ms; combine several readings for more precision.

        The file counts suspended time (CLOCK_BOOTTIME) and CLOCK_MONOTONIC does not; they agree as long as the
        device has not been suspended since boot.
        """
        before_ns = time.monotonic_ns()
        [uptime] = self._shell.ask("cat /proc/uptime")
        after_ns = time.monotonic_ns()
        with device_errors(self.label):
            least_us = round(float(uptime.split()[0]) * 1e6)
        return ClockReading(before_ns, after_ns, least_us, least_us + _UPTIME_STEP_US)

    @property
    def keeps_snapshots(self) -> bool:
        return self._console is not None

    def snapshots(self) -> tuple[str, ...]:
        return self._snapshot_console().snapshots()

    def save_snapshot(self, name: str) -> None:
        with self._shell.paused:
            self._snapshot_console().save_snapshot(name)

    def load_snapshot(self, name: str) -> None:
        with self._shell.paused:
            self._snapshot_console().load_snapshot(name)
            self._forget_abilities()
            self._wait_until_booted(_RESTORED_S)

    def delete_snapshot(self, name: str) -> None:
        self._snapshot_console().delete_snapshot(name)

    def close_recents(self) -> None:
        """Nothing of this shows in `getevent`."""
        self._inject(input_command.key_command(SystemKey.HOME))
        remaining = self._recent_tasks()
        if remaining:
            self._shell.ask("; ".join(f"am stack remove {task.id}" for task in remaining))
            remaining = self._recent_tasks()
        if remaining:
            # Before Android 12 a card without a running app, such as after a reboot, stays without this.
            packages = [task.package for task in remaining if task.package]
            self._shell.ask("; ".join(shlex.join(("am", "force-stop", package)) for package in packages))
            remaining = self._recent_tasks()
        if remaining:
            names = ", ".join(task.package or f"task {task.id}" for task in remaining)
            raise DeviceError(
                f"{self.label} still lists recent apps: {names}. Close them by hand: Recents, then Clear all."
            )

    def clear_data(self, package: str) -> bool:
        return self._shell.ask(shlex.join(("pm", "clear", package))) == ["Success"]

    def wait_until_ready(self, timeout_s: float) -> None:
        """Also restores the settings and the keyboard that a crash has left changed."""
        self._wait_until_booted(timeout_s, lambda: undo_left(self._shell, self._kept, self._console))

    def has_restarted(self) -> bool:
        """Whether Android has started again since the device booted, or its image does not let the emulator do that.

        `sys.boot_completed` stays 1 meanwhile.
        """
        starts, debuggable = self._shell.ask("getprop sys.system_server.start_count", "getprop ro.debuggable")
        return starts.strip() not in {"", "0", "1"} or debuggable.strip() == "0"

    def close(self) -> None:
        self._shell.close()
        if self._console is not None:
            self._console.close()

    def _wait_until_booted(self, timeout_s: float, and_then: Callable[[], None] = lambda: None) -> None:
        expires_s = time.monotonic() + timeout_s
        while True:
            try:
                booted = self._shell.run("getprop sys.boot_completed", min(_BOOT_ANSWER_S, self._shell.answer_s))
                if booted.output.strip() == "1":
                    and_then()
                    return
                problem = "it has not booted"
            except DeviceError as error:
                if self._shell.closed.is_set():
                    raise
                problem = str(error)
            if time.monotonic() > expires_s:
                raise DeviceTimeoutError(f"{self.label} was not ready after {timeout_s:g} s: {problem}")
            self._shell.closed.wait(_BOOT_POLL_S)

    def _snapshot_console(self) -> EmulatorConsole:
        if self._console is None:
            raise DeviceError(
                f"{self.label} does not support snapshots. Only emulators of the Android SDK on this computer do."
            )
        return self._console

    def _marked_panel(self) -> str | None:
        """Empty if there is only one panel, None if none of several is marked as active.

        On a foldable, `screencap` without an id takes the first panel, lit or not.
        """
        if len(self._all_panels()) <= 1:
            return ""
        [dumpsys_input] = self._shell.ask("dumpsys input")
        return dumpsys.default_display(dumpsys_input) or None

    def _all_panels(self) -> tuple[str, ...]:
        panels = self._panels
        if panels is None:
            [answer] = self._shell.ask("dumpsys SurfaceFlinger --display-id")
            panels = self._panels = dumpsys.physical_displays(answer)
        return panels

    def _screencap_of_lit(self) -> _Capture:
        """Of the first panel that is not black. The choice holds until that one is black or has another size."""
        known, size = self._lit or ("", None)
        if known and (capture := self._screencap(known))[1] == size and not _is_black(capture[2]):
            return capture
        captures = {panel: self._screencap(panel) for panel in self._all_panels()}
        shown = [panel for panel, (*_, pixels) in captures.items() if not _is_black(pixels)]
        lit = [*shown, known or next(iter(captures))][0]
        if lit != known:
            _log.warning("%s marks none of its panels as active. The one that is lit is recorded: %s", self.serial, lit)
        self._lit = lit, captures[lit][1]
        return captures[lit]

    def _sdk_version(self) -> int:
        if self._sdk is None:
            [sdk] = self._shell.ask("getprop ro.build.version.sdk")
            with device_errors(self.label):
                self._sdk = int(sdk)
        return self._sdk

    def _inject(self, command: str, duration_us: int = 0) -> None:
        result = self._shell.run(command, duration_us / 1e6 + self._shell.answer_s)
        if _was_refused(result):
            advice = _SECURITY_SWITCH if "INJECT_EVENTS" in result.text else ""
            raise InputRefusedError(
                f"{self.label} refused the input (exit code {result.exit_code}). {advice}{_quoted(result.text)}"
            )

    def _type(self, commands: Sequence[tuple[str, str]], text: str, on_typed: OnTyped) -> None:
        typed = 0
        for piece, command in commands:
            try:
                self._inject(command)
            except DeviceError as error:
                if typed == 0:
                    raise
                raise input_command.partly_typed(typed, text, error) from error
            typed += len(piece)
            on_typed(typed)

    def _recent_tasks(self) -> tuple[dumpsys.RecentTask, ...]:
        [recents] = self._shell.ask("dumpsys activity recents")
        with device_errors(self.label):
            return dumpsys.recent_tasks(recents)


def _receive_screencap(stream: ShellStream) -> tuple[Size, bytearray]:
    header = _screencap_header(stream)
    received = len(header)
    if received < _SCREENCAP_HEADER.size:
        raise ValueError(
            f"the screenshot was cut short: {received} of the header's {_SCREENCAP_HEADER.size} bytes received"
        )
    width, height, pixel_format, _ = _SCREENCAP_HEADER.unpack(header)
    if not (0 < width <= _LARGEST_SIDE_PX and 0 < height <= _LARGEST_SIDE_PX):
        raise ValueError(f"the data is not a screenshot: it begins with {bytes(header)!r}")
    if pixel_format != _RGBA_8888:
        supported = f"only RGBA_8888 ({_RGBA_8888}) is supported"
        raise ValueError(f"the screenshot has the pixel format {pixel_format}; {supported}")
    pixels = bytearray(width * height * 4)
    received += stream.read_into(memoryview(pixels))
    expected = len(header) + len(pixels)
    excess = stream.read_into(memoryview(bytearray(1)))
    if received < expected or excess:
        raise ValueError(f"the screenshot is incomplete: {received + excess} bytes received, {expected} expected")
    return Size(width, height), pixels


def _screencap_header(stream: ShellStream) -> bytes:
    """Skips lines of text before it: some versions print their warnings to the same output."""
    data = _read(stream, _SCREENCAP_HEADER.size)
    warns = data.startswith(b"[Warning]")
    while warns and len(data) == _SCREENCAP_HEADER.size and data[:4].isascii() and data[:4].decode().isprintable():
        while b"\n" not in data and (more := _read(stream, 1)):
            data += more
        data = data.partition(b"\n")[2]
        data += _read(stream, _SCREENCAP_HEADER.size - len(data))
    return data


def _read(stream: ShellStream, count: int) -> bytes:
    memory = bytearray(count)
    return bytes(memory[: stream.read_into(memoryview(memory))])


def _is_black(pixels: bytearray) -> bool:
    """In RGBA."""
    return not any(any(pixels[channel::4]) for channel in range(3))


def _was_refused(result: CommandResult) -> bool:
    return result.exit_code != 0 or _REFUSAL.search(result.text) is not None


def _quoted(output: str) -> str:
    return f"Its output: {shorten(output, 200, placeholder=' …')}" if output.strip() else ""
