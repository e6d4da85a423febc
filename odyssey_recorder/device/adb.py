"""How a device does over adb what a recorder asks of it: which commands it runs, and what their answers mean."""

import os
import re
import shlex
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from textwrap import shorten

from odyssey_recorder.device import dumpsys, input_command
from odyssey_recorder.device.adb_connection import DeviceConnection
from odyssey_recorder.device.adb_keyboard import AdbKeyboard, broadcast_commands
from odyssey_recorder.device.adb_server import AdbServer, device_errors, find_adb
from odyssey_recorder.device.device import ClockReading, DeviceProperties, OnTyped, ScreenState
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.device.recents import close_tasks
from odyssey_recorder.device.repair import Repair, shell_line
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.screencap import find_frame, receive_frame
from odyssey_recorder.device.shell_stream import PacketStream, PlainStream, ShellStream
from odyssey_recorder.errors import (
    DeviceDisconnectedError,
    DeviceError,
    DeviceTimeoutError,
    InputRefusedError,
)
from odyssey_recorder.gesture.getevent import InputDeviceNode, parse_nodes
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel

__all__ = ["AdbDevice", "AdbServer", "find_adb"]

_ANSWER_S = 10.0
_HEARTBEAT_S = 3.0
_BOOT_POLL_S = 0.25
_LOADED_S = 30.0
"""After a snapshot was loaded adb may take so long to find the device again."""

_PART = "==part=="
"""Stands between what the commands of one shell line print."""

_VIEW_TREE = f"/data/local/tmp/odyssey-recorder-{os.getpid()}"
_DUMPS = count(1)
_VIEW_TREE_PATIENCE = 2
"""How many answers long a dump may take: `uiautomator` waits ten seconds for a screen that rests."""
_RESTLESS = "could not get idle state"

_UPTIME_STEP_US = 10_000

_FIRST_INPUT_US = 25_000
"""How long one `input` is taken to last until it was measured."""

_REFUSAL = re.compile(r"\bError\b|Exception\b|\busage:", re.IGNORECASE)
_TRANSPORT_ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class _Printed:
    """What a command printed and how it ended."""

    output: str
    errors: str
    exit_code: int


class AdbDevice:
    """A device behind an adb server, as `Device` says; every command has a connection of its own.

    A device that went away and came back under its serial needs no new object. While a snapshot is saved or loaded
    every other command waits with its beginning, and its time runs only afterwards; one that has begun may time out,
    and breaks off when a snapshot is loaded.
    """

    def __init__(
        self,
        serial: str,
        server: AdbServer,
        *,
        answer_s: float = _ANSWER_S,
        keyboards: Path | None = None,
        console: EmulatorConsole | None = None,
    ) -> None:
        """`answer_s` is how long a command may take, not counting the time that a stroke takes by itself.

        `keyboards` is the folder that keeps the user's own keyboard while ADBKeyBoard is chosen in its place. Without
        one, text is typed by `input text` alone. The `console`, which closes with this, keeps the snapshots.
        """
        self._serial = serial
        self._server = server
        self._answer_s = answer_s
        self._heartbeat_s = min(_HEARTBEAT_S, answer_s)
        self._closed = threading.Event()
        self._input: ShellStream | None = None
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._frames = 0
        self._input_us = _FIRST_INPUT_US
        self._keyboard = AdbKeyboard(serial, self._ask, keyboards)
        self._console = console
        self._standing_still = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        """Ask anew, at the next need, what holds for one connection of the device to the server."""
        self._has_packets: bool | None = None
        self._has_panels: bool | None = None
        self._sdk: int | None = None

    @property
    def serial(self) -> str:
        """The name under which adb lists the device."""
        return self._serial

    def properties(self) -> DeviceProperties:
        """What the device is."""
        getprop, wm_size, wm_density = self._ask("getprop", "wm size", "wm density")
        values = dumpsys.properties(getprop)
        with device_errors(self._serial):
            return DeviceProperties(
                serial=self._serial,
                product=values.get("ro.product.name", ""),
                model=values.get("ro.product.model", ""),
                release_version=values.get("ro.build.version.release", ""),
                sdk_version=values.get("ro.build.version.sdk", ""),
                fingerprint=values.get("ro.build.fingerprint", ""),
                avd_name=values.get("ro.boot.qemu.avd_name", values.get("ro.kernel.qemu.avd_name", "")),
                size=dumpsys.screen_size(wm_size),
                density=dumpsys.screen_density(wm_density),
            )

    def screen_state(self) -> ScreenState:
        """Rotation, posture, focus and keyboard as they are now."""
        window, input_method, device_state, wm_size = self._ask(
            "dumpsys window displays", "dumpsys input_method", "cmd device_state state", "wm size"
        )
        with device_errors(self._serial):
            window = dumpsys.default_display_contents(window)
            package, activity = dumpsys.focused_activity(window)
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
            )

    def capture(self) -> Frame:
        """The screen as it is now, by `screencap`; raises `DeviceError` for a picture that is not whole.

        It was taken after the command went out and before its first byte came, for `screencap` has the whole picture by
        then; the pixels are long on their way where the computer is busy.
        """
        panel = self._lit_panel()
        with self._running(f"screencap -d {panel}" if panel else "screencap", self._answer_s) as stream:
            try:
                if isinstance(stream, PacketStream):
                    size, pixels = receive_frame(stream.read_into)
                    arrived_ns = stream.output_ns
                else:
                    size, pixels = find_frame(stream.read())
                    arrived_ns = time.monotonic_ns()
            except ValueError as error:
                raise ValueError(f"{error} {_in_short(stream.errors)}".rstrip()) from error
        with self._lock:
            self._frames += 1
            number = self._frames
        return Frame(number, size, pixels, stream.asked_ns, arrived_ns, "screencap")

    def next_frame(self, wait_s: float) -> Frame | None:
        """None, at once: nothing comes by itself."""
        return None

    def repeat_frame(self) -> None:
        """Nothing came that could come again."""

    @property
    def sends_frames(self) -> bool:
        """Never."""
        return False

    @property
    def capture_path(self) -> str:
        """The command that takes the pictures."""
        return "screencap"

    @property
    def follows_finger(self) -> bool:
        """Never: every `input` is a program of its own on the device, too slow for a finger."""
        return False

    def put_finger(self, at: Pixel) -> None:
        """Raises InputRefusedError."""
        raise InputRefusedError(f"{self._serial} cannot follow a finger over adb: at {at.x}, {at.y} nothing was sent.")

    def lift_finger(self) -> None:
        """There is no finger to lift."""

    def touch(self, stroke: TouchStroke) -> None:
        """Carry out a contact: a tap, a hold, a swipe, or a finger led along the stroke's path."""
        if input_command.is_still(stroke):
            self._inject(input_command.press_command(stroke), stroke.duration_us)
        elif input_command.is_even_line(stroke) or self._sdk_version() < input_command.TRAJECTORY_SDK:
            self._inject(input_command.swipe_command(stroke), stroke.duration_us)
        else:
            trajectory = input_command.trajectory(stroke, input_us=self._input_us)
            started_ns = time.monotonic_ns()
            self._inject(trajectory.command, stroke.duration_us)
            spent_us = (time.monotonic_ns() - started_ns) // 1000
            self._input_us = max(spent_us - trajectory.pauses_us, 0) // trajectory.inputs

    def press(self, key: SystemKey) -> None:
        """Press and release a system key."""
        self._inject(input_command.key_command(key))

    def paste(self) -> None:
        """Press the paste key: the focused field takes in what is on the clipboard."""
        self._inject(input_command.PASTE)

    def check_text(self, text: str) -> None:
        """Raise `InputRefusedError` for text beyond printable ASCII where ADBKeyBoard is not installed."""
        if not input_command.is_plain(text) and not self._keyboard.can_type(text):
            input_command.check_text(text)

    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        """Type `text` into the focused field, newline as Enter, a piece at a time."""
        if input_command.is_plain(text):
            self._type(input_command.text_commands(text), text, on_typed)
            return
        self.check_text(text)
        with self._keyboard.chosen():
            self._type(broadcast_commands(text), text, on_typed)

    def view_hierarchy(self) -> str:
        """What `uiautomator dump` says of the window in front, XML.

        Raises `DeviceError` where the screen does not rest for the ten seconds that `uiautomator` waits.
        """
        path = f"{_VIEW_TREE}-{next(_DUMPS)}.xml"
        printed = self._run(
            f"rm -f {path}; uiautomator dump {path}; cat {path}; rm -f {path}", _VIEW_TREE_PATIENCE * self._answer_s
        )
        start = printed.output.find("<?xml")
        if start < 0:
            words = printed.errors + printed.output
            mend = "Its screen never rests." if _RESTLESS in words else "Look again."
            raise DeviceError(f"The views on the screen of {self._serial} cannot be read. {mend} {_in_short(words)}")
        return printed.output[start:]

    def setting(self, namespace: str, name: str) -> str:
        """A value of Android's settings; empty where it was never set."""
        printed = self._run(shlex.join(("settings", "get", namespace, name)), self._answer_s)
        if printed.exit_code != 0:
            words = _in_short(printed.errors + printed.output)
            raise DeviceError(f"{self._serial} does not tell its setting {namespace} {name}. {words}")
        value = printed.output.strip()
        return "" if value == "null" else value

    def repair(self, repair: Repair) -> None:
        """Put something right by a line of the device's own shell."""
        printed = self._run(shell_line(repair), self._answer_s)
        words = printed.errors + printed.output
        if printed.exit_code != 0 or _REFUSAL.search(words):
            raise DeviceError(f"{self._serial} refused `{shell_line(repair)}`. {_in_short(words)}".rstrip())

    def free_bytes(self) -> int:
        """The room that is left where apps keep their data, as `df` tells it."""
        [answer] = self._ask("df -k /data")
        with device_errors(self._serial):
            return dumpsys.free_bytes(answer)

    def input_nodes(self) -> tuple[InputDeviceNode, ...]:
        """The input nodes as they are now."""
        [nodes] = self._ask("getevent -lp")
        return parse_nodes(nodes)

    def follow_input(self, take: Callable[[bytes, int], None]) -> None:
        """Give `take` what `getevent -lt` prints as it comes; silence for hours is no error."""
        following: ShellStream | None = None
        try:
            with self._running("getevent -lt", self._answer_s, endless=True) as stream:
                self._input = following = stream
                while data := stream.read_some():
                    take(data, time.monotonic_ns())
        except DeviceDisconnectedError:
            was_left = following is not None and self._input is None
            if self._closed.is_set() or not was_left:
                raise
        finally:
            self._input = None

    def leave_input(self) -> None:
        """Cut the connection on which `getevent` runs, which ends it on the device too."""
        stream, self._input = self._input, None
        if stream is not None:
            stream.cut()

    def read_clock(self) -> ClockReading:
        """The device's clock as /proc/uptime tells it, in steps of 10 ms: the next step is up to so much later.

        Readings at odd moments meet the steps at different places: what they bound together is narrower. The file
        counts sleep as well (CLOCK_BOOTTIME), which CLOCK_MONOTONIC does not: the two are one as long as the device
        has not been suspended since it booted.
        """
        before_ns = time.monotonic_ns()
        [uptime] = self._ask("cat /proc/uptime")
        after_ns = time.monotonic_ns()
        with device_errors(self._serial):
            least_us = round(float(uptime.split()[0]) * 1e6)
        return ClockReading(before_ns, after_ns, least_us, least_us + _UPTIME_STEP_US)

    @property
    def keeps_snapshots(self) -> bool:
        """Whether the device has a console."""
        return self._console is not None

    def snapshots(self) -> tuple[str, ...]:
        """The names of the emulator's snapshots, in its own order."""
        return self._snapshot_keeper().snapshots()

    def save_snapshot(self, name: str) -> None:
        """Save the whole device; what is asked of it meanwhile waits."""
        with self._standing_still:
            self._snapshot_keeper().save_snapshot(name)

    def load_snapshot(self, name: str) -> None:
        """Bring the whole device back and wait until adb has found it again; `follow_input` ends as if it broke."""
        with self._standing_still:
            self._snapshot_keeper().load_snapshot(name)
            self._forget()
            self._wait_until_booted(_LOADED_S)

    def delete_snapshot(self, name: str) -> None:
        """Forget a snapshot; one that is not there is none the less."""
        self._snapshot_keeper().delete_snapshot(name)

    def close_recents(self) -> None:
        """Close every recent app, from the home screen; nothing of it shows in `getevent`."""
        self._inject(input_command.key_command(SystemKey.HOME))
        with device_errors(self._serial):
            close_tasks(self._serial, lambda command: self._ask(command)[0])

    def wait_until_ready(self, timeout_s: float) -> None:
        """Return when the device is there and has booted; raise `DeviceTimeoutError` if it takes too long.

        The user's own keyboard is put back first, where a crash has left ADBKeyBoard in its place.
        """
        self._wait_until_booted(timeout_s, self._keyboard.give_back)

    def close(self) -> None:
        """Let go of the device and wake every call that waits for it."""
        with self._lock:
            self._closed.set()
            for sock in self._sockets:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
        if self._console is not None:
            self._console.close()

    def _wait_until_booted(self, timeout_s: float, and_then: Callable[[], None] = lambda: None) -> None:
        expires_s = time.monotonic() + timeout_s
        while True:
            try:
                if self._run("getprop sys.boot_completed", self._heartbeat_s).output.strip() == "1":
                    and_then()
                    return
                problem = "it has not booted"
            except DeviceError as error:
                if self._closed.is_set():
                    raise
                problem = str(error)
            if time.monotonic() > expires_s:
                raise DeviceTimeoutError(f"{self._serial} was not ready after {timeout_s:g} s: {problem}")
            self._closed.wait(_BOOT_POLL_S)

    def _snapshot_keeper(self) -> EmulatorConsole:
        if self._console is None:
            raise DeviceError(
                f"{self._serial} keeps no snapshots: only an emulator on this computer does, such as emulator-5554."
            )
        return self._console

    def _lit_panel(self) -> str:
        """The id of the panel that shows the default display; empty where there is but one panel.

        A device that folds moves its display from panel to panel, and `screencap` by itself takes the first.
        """
        if self._has_panels is None:
            [panels] = self._ask("dumpsys SurfaceFlinger --display-id")
            self._has_panels = len(dumpsys.physical_displays(panels)) > 1
        if not self._has_panels:
            return ""
        [dumpsys_input] = self._ask("dumpsys input")
        return dumpsys.default_display(dumpsys_input)

    def _sdk_version(self) -> int:
        if self._sdk is None:
            [sdk] = self._ask("getprop ro.build.version.sdk")
            with device_errors(self._serial):
                self._sdk = int(sdk)
        return self._sdk

    def _inject(self, command: str, duration_us: int = 0) -> None:
        printed = self._run(command, duration_us / 1e6 + self._answer_s)
        words = printed.errors + printed.output
        if printed.exit_code != 0 or _REFUSAL.search(words):
            raise InputRefusedError(
                f"{self._serial} refused the input (exit code {printed.exit_code}). {_in_short(words)}"
            )

    def _type(self, commands: Sequence[tuple[str, str]], text: str, on_typed: OnTyped) -> None:
        typed = 0
        for piece, command in commands:
            try:
                self._inject(command)
            except DeviceError as error:
                if typed == 0:
                    raise
                raise InputRefusedError(
                    f"Only {typed} of {len(text)} characters were typed: {error} Clear the field, then type again."
                ) from error
            typed += len(piece)
            on_typed(typed)

    def _ask(self, *commands: str) -> list[str]:
        """What each of the commands prints, all run in one shell line, without the white space around it."""
        printed = self._run(f"; echo {_PART}; ".join(commands), self._answer_s)
        parts = [part.strip() for part in printed.output.split(_PART)]
        if len(parts) != len(commands):
            raise DeviceError(f"{self._serial} answered {len(parts)} of {len(commands)} questions. Try again.")
        return parts

    def _run(self, command: str, timeout_s: float) -> _Printed:
        with self._running(command, timeout_s) as stream:
            output = stream.read().decode(errors="replace")
            return _Printed(output, stream.errors, stream.exit_code)

    @contextmanager
    def _running(self, command: str, timeout_s: float, *, endless: bool = False) -> Iterator[ShellStream]:
        """Run a command on the device while the caller reads what it prints; all errors leave as ours.

        An `endless` one has to begin within `timeout_s`, and may then run on.
        """
        with self._standing_still:
            pass
        try:
            with device_errors(self._serial):
                expires_s = None if endless else time.monotonic() + timeout_s
                packets = self._speaks_packets(timeout_s)
                with self._connected(timeout_s) as connection:
                    connection.request(f"host:tport:serial:{self._serial}")
                    connection.read_exact(_TRANSPORT_ID_BYTES)
                    asked_ns = time.monotonic_ns()
                    connection.request(f"shell,v2,TERM=dumb,raw:{command}" if packets else f"exec:{command}")
                    yield (PacketStream if packets else PlainStream)(connection.conn, expires_s, asked_ns)
        except DeviceError as error:
            if self._closed.is_set():
                raise DeviceDisconnectedError(f"The connection to {self._serial} was closed.") from error
            if isinstance(error, DeviceDisconnectedError):
                self._forget()
            raise

    def _speaks_packets(self, timeout_s: float) -> bool:
        if self._has_packets is None:
            with self._connected(timeout_s) as connection:
                features = connection.ask(f"host-serial:{self._serial}:features")
            self._has_packets = "shell_v2" in features.split(",")
        return self._has_packets

    @contextmanager
    def _connected(self, timeout_s: float) -> Iterator[DeviceConnection]:
        """A connection to the server that `close` reaches, from before anything is asked on it."""
        connection = self._server.connect(timeout_s)
        with connection.conn as sock:
            with self._lock:
                if self._closed.is_set():
                    raise EOFError("it was closed")
                self._sockets.add(sock)
            try:
                yield connection
            finally:
                with self._lock:
                    self._sockets.remove(sock)


def _in_short(words: str) -> str:
    return f"It said: {shorten(words, 200, placeholder=' …')}" if words.strip() else ""
