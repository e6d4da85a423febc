"""A fake device in memory, whose screen changes when it is touched."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

from PIL import Image, ImageDraw

from odyssey_recorder.device.device import ClockReading, DeviceProperties, OnTyped, ScreenState, device_label
from odyssey_recorder.device.input_command import check_text
from odyssey_recorder.device.measured import Measured
from odyssey_recorder.device.repair import THREE_BUTTONS, EnableOverlay, PutSetting, Repair, ResetScreen, SetTimeZone
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError, InputRefusedError
from odyssey_recorder.gesture.getevent import InputDeviceNode, parse_nodes
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation, Size

PHONE_SIZE = Size(360, 640)

INPUT_NODES = """\
add device 1: /dev/input/event1
  name:     "virtio_input_multi_touch_1"
  events:
    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 10, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0
                ABS_MT_TRACKING_ID    : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0
add device 2: /dev/input/event12
  name:     "qwerty2"
  events:
    KEY (0001): KEY_HOME              KEY_BACK              KEY_APPSELECT
"""
VIEW_TREE = """\
<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">\
<node text="OK" class="android.widget.Button" package="com.fake.app" clickable="true" bounds="[60,270][300,330]"/>\
</hierarchy>"""

Input = TouchStroke | SystemKey | str
Screen = int | str | Image.Image


@cache
def screenshot(screen: int | str, size: Size) -> Image.Image:
    """Different for each number or name, the same on every run."""
    seed = screen if isinstance(screen, int) else sum(screen.encode())
    image = Image.new("RGB", (size.width, size.height), ((37 * seed + 30) % 256, 91 * seed % 256, 151 * seed % 256))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, size.width, size.height // 26), fill=(20, 20, 20))
    middle = size.width // 4, size.height // 2
    draw.text(middle, f"screen {screen}", fill="white", stroke_fill="black", stroke_width=1)
    return image


@dataclass(frozen=True, slots=True)
class FingerAt:
    """`time_ns` is on the host's monotonic clock; `at` is None for a lift."""

    at: Pixel | None
    time_ns: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    screen: Screen
    screens_shown: int
    state: ScreenState
    tree: str
    settings: dict[tuple[str, str], str]
    recents: tuple[str, ...]


class FakeDevice:
    """A device in memory. Its first screen is number 0, and every input shows the next number.

    `performed` lists the inputs, `screen_at` the screen at each of them. `show` changes the screen without an input.
    `state` is returned by `screen_state`: replace it to rotate, fold or move the focus; a new size also changes the
    images. Any thread may call.

    With `streams` every change of the screen sends a frame, and the device follows a finger: `finger` lists its
    positions, and lifting it shows the next screen. `tree`, `settings`, `nodes` and `room_bytes` are what the device
    reports.

    Loading a snapshot restores the screen, `state`, `tree`, `settings` and `recents`, so that the same inputs lead
    through the same screens again. It does not reset `performed` and `finger`; `loaded` lists the loaded snapshots.
    Without `keeps_snapshots` the device is not an emulator.
    """

    def __init__(self, size: Size = PHONE_SIZE, serial: str = "fake-1", *, patience_s: float = 0.05) -> None:
        """`patience_s` is how long a call waits for a frozen device before it times out."""
        self.performed: list[Input] = []
        self.screen_at: list[Screen] = []
        self.serial = serial
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._running = threading.Event()
        self._running.set()
        self._closed = self._cut_frames = self._input_ended = self._restless = False
        self._error: DeviceError | None = None
        self._refusal: str | None = None
        self.screen: Screen = 0
        self._screens_shown = 0
        self._frames = self._captured = 0
        self._unseen: Frame | None = None
        self._last_change: Frame | None = None
        self._input_lines: deque[bytes] = deque()
        self.streams = False
        self.finger: list[FingerAt] = []
        self.tree = VIEW_TREE
        self.settings: dict[tuple[str, str], str] = {}
        self.nodes = parse_nodes(INPUT_NODES)
        self.room_bytes = 4 * 1024**3
        self.known = Measured()
        self.density = 160
        self.avd_name, self.name = "Fake", ""
        self.time_zone = "GMT"
        self.keeps_snapshots = True
        self.loaded: list[str] = []
        self.recents: tuple[str, ...] = ("com.fake.app",)
        self.installed = {"com.google.android.deskclock"}
        self.asked_to_clear: list[str] = []
        self._snapshots: dict[str, Snapshot] = {}
        self._snapshot_refusal: str | None = None
        self.state = ScreenState(size, Rotation.R0, "", "com.fake.app", "com.fake.app.Main", False, size.height // 26)

    # The device protocol.

    @property
    def label(self) -> str:
        return device_label(self.serial, self.name)

    @property
    def adb_command(self) -> tuple[str, ...]:
        return ("/sdk/adb", "-s", self.serial)

    def properties(self) -> DeviceProperties:
        with self._answering():
            return DeviceProperties(
                serial=self.serial,
                product="fake",
                model="Fake Phone",
                release_version="15",
                sdk_version="35",
                fingerprint="fake/fake/fake:15",
                avd_name=self.avd_name,
                size=self.state.size,
                density=self.density,
            )

    def screen_state(self) -> ScreenState:
        with self._answering():
            return self.state

    def capture(self) -> Frame:
        started_ns = time.monotonic_ns()
        with self._answering():
            if self._cut_frames:
                wanted = self.state.size.width * self.state.size.height * 4
                raise DeviceError(f"{self.serial} cut the screenshot short: {wanted // 2} of {wanted} bytes came.")
            frame = self._frame(started_ns)
            self._captured = frame.number
            return frame

    def next_frame(self, wait_s: float) -> Frame | None:
        if not self.streams:
            return None
        with self._changed:
            self._wait_for(lambda: self._unseen is not None, wait_s)
            frame, self._unseen = self._unseen, None
            if frame is not None and frame.number < self._captured:  # numbers are in the order of delivery
                self._frames += 1
                frame = replace(frame, number=self._frames)
            self._changed.notify_all()
            return frame

    def repeat_frame(self) -> None:
        with self._changed:
            self._unseen = self._unseen or self._last_change

    @property
    def sends_frames(self) -> bool:
        return self.streams

    @property
    def capture_path(self) -> str:
        return "gRPC" if self.streams else "screencap"

    @property
    def not_allowed(self) -> frozenset[str]:
        return frozenset()

    @property
    def follows_finger(self) -> bool:
        return self.streams

    def put_finger(self, at: Pixel) -> None:
        with self._answering():
            self._check_input()
            if not self.streams:
                raise InputRefusedError(f"{self.serial} cannot follow a finger.")
            self.finger.append(FingerAt(at, time.monotonic_ns()))
            self._changed.notify_all()

    def lift_finger(self) -> None:
        with self._answering():
            if self.finger and self.finger[-1].at is not None:
                self._check_input()
                self.finger.append(FingerAt(None, time.monotonic_ns()))
                self._show_next()

    def touch(self, stroke: TouchStroke) -> None:
        self._perform(stroke)

    def press(self, key: SystemKey) -> None:
        self._perform(key)

    def check_text(self, text: str) -> None:
        check_text(text)

    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        check_text(text)
        on_typed(len(text) // 2)
        self._perform(text)

    def view_hierarchy(self) -> str:
        with self._answering():
            if self._restless:
                raise DeviceError(f"The screen of {self.serial} never rests.")
            return self.tree

    def setting(self, namespace: str, name: str) -> str:
        with self._answering():
            return self.settings.get((namespace, name), "")

    @contextmanager
    def changed_settings(self, values: Mapping[tuple[str, str], str]) -> Iterator[None]:
        old = {name: self.setting(*name) for name in values}
        with self._answering():
            self.settings.update(values)
        try:
            yield
        finally:
            self.settings = {name: value for name, value in {**self.settings, **old}.items() if value}

    def repair(self, repair: Repair) -> None:
        with self._answering():
            match repair:
                case PutSetting(namespace, name, value):
                    self.settings[namespace, name] = value
                case EnableOverlay(package):
                    if repair != THREE_BUTTONS:
                        raise DeviceError(f"{self.serial} refused the overlay {package}: it has none such.")
                    self.settings["secure", "navigation_mode"] = "0"
                case SetTimeZone(zone):
                    self.time_zone = zone
                case ResetScreen():
                    self.state = replace(self.state, size=self.state.panel or self.state.size)

    def app_version(self, package: str) -> str:
        with self._answering():
            return f"1.0 ({len(package)})"

    def measured(self) -> Measured:
        return self.known

    def free_bytes(self) -> int:
        with self._answering():
            return self.room_bytes

    def input_nodes(self) -> tuple[InputDeviceNode, ...]:
        with self._answering():
            return self.nodes

    def follow_input(self, take: Callable[[bytes, int], None]) -> None:
        with self._answering():
            self._input_ended = False
            nodes = enumerate(self.nodes, start=1)
            listed = "".join(f'add device {number}: {node.node}\n  name:     "{node.name}"\n' for number, node in nodes)
        take(listed.encode(), time.monotonic_ns())
        while True:
            with self._changed:
                self._wait_for(lambda: bool(self._input_lines) or self._input_ended, None)
                if self._input_ended and not self._input_lines:
                    return
                data = self._input_lines.popleft()
            take(data, time.monotonic_ns())

    def leave_input(self) -> None:
        self._input_ended = True
        self._wake()

    def read_clock(self) -> ClockReading:
        before_ns = time.monotonic_ns()
        with self._answering():
            after_ns = time.monotonic_ns()
            return ClockReading(before_ns, after_ns, before_ns // 1000, after_ns // 1000)

    def snapshots(self) -> tuple[str, ...]:
        with self._keeping_snapshots():
            return tuple(self._snapshots)

    def save_snapshot(self, name: str) -> None:
        with self._keeping_snapshots():
            self._snapshots[name] = Snapshot(
                self.screen, self._screens_shown, self.state, self.tree, dict(self.settings), self.recents
            )

    def load_snapshot(self, name: str) -> None:
        with self._keeping_snapshots():
            if name not in self._snapshots:
                raise DeviceError(f"{self.serial} has no snapshot {name!r}. Choose one of those that it lists.")
            saved = self._snapshots[name]
            if self.finger and self.finger[-1].at is not None:
                self.finger.append(FingerAt(None, time.monotonic_ns()))
            self.loaded.append(name)
            self._screens_shown, self.state, self.tree = saved.screens_shown, saved.state, saved.tree
            self.settings, self.recents = dict(saved.settings), saved.recents
            self._show(saved.screen)

    def delete_snapshot(self, name: str) -> None:
        with self._keeping_snapshots():
            self._snapshots.pop(name, None)

    def unmarked_panel(self) -> str:
        return ""

    def close_recents(self) -> None:
        with self._answering():
            self.recents = ()
            self.state = replace(
                self.state, package="com.fake.launcher", activity="com.fake.launcher.Home", keyboard_shown=False
            )
            self._show("home")

    def clear_data(self, package: str) -> bool:
        with self._answering():
            self.asked_to_clear.append(package)
            return package in self.installed

    def reopen(self) -> None:
        """Connect again after `close`."""
        self._closed = False

    def close(self) -> None:
        self._closed = True
        self._running.set()
        self._wake()

    # Control by tests.

    def show(self, screen: Screen, *, since_ns: int | None = None) -> None:
        """A number, a name, or an RGB image of the device's size; the stream dates it now, or at `since_ns`."""
        with self._changed:
            self._show(screen, since_ns)

    def await_consumer(self) -> None:
        """Wait until the stream's consumer has taken the newest frame; it never sees one that was replaced before."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._unseen is None, 60.0), "nobody took the frame"

    def screenshot(self, screen: int | str) -> Image.Image:
        """The image that a capture of `screen` returns; the caller may draw on it."""
        return screenshot(screen, self.state.size).copy()

    def fail_with(self, error: DeviceError) -> None:
        self._error = error
        self._wake()

    def disconnect(self) -> None:
        self.fail_with(DeviceDisconnectedError(f"{self.serial} is gone. Restart it or plug it in."))

    def freeze(self) -> None:
        """Each call times out after `patience_s`."""
        self._running.clear()

    def cut_frames(self) -> None:
        self._cut_frames = True

    def never_rest(self) -> None:
        self._restless = True

    def await_finger(self, places: int) -> None:
        """Lifts count as positions."""
        with self._changed:
            self._wait_for(lambda: len(self.finger) >= places, 60.0)

    def press_key(self, code: str) -> None:
        """The key goes down and up at once, at the device's time."""
        seconds, microseconds = divmod(time.monotonic_ns() // 1000, 1_000_000)
        start = f"[{seconds:8d}.{microseconds:06d}] /dev/input/event12: "
        for value in ("DOWN", "UP"):
            key = f"{start}EV_KEY       {code:<20} {value:<20}\n"
            self._input_lines.append(f"{key}{start}EV_SYN       SYN_REPORT           00000000            \n".encode())
        self._wake()

    def refuse_input(self, reason: str = "injection is not permitted") -> None:
        self._refusal = reason

    def refuse_snapshots(self, reason: str = "KO: the disk is full") -> None:
        self._snapshot_refusal = reason

    def recover(self) -> None:
        self._error = self._refusal = self._snapshot_refusal = None
        self._cut_frames = self._restless = False
        self._running.set()

    def _perform(self, done: Input) -> None:
        with self._answering():
            self._check_input()
            self.performed.append(done)
            self.screen_at.append(self.screen)
            self._show_next()

    def _check_input(self) -> None:
        if self._refusal is not None:
            raise InputRefusedError(f"{self.serial} refused the input: {self._refusal}")

    def _show_next(self) -> None:
        self._screens_shown += 1
        self._show(self._screens_shown)

    def _show(self, screen: Screen, since_ns: int | None = None) -> None:
        self.screen = screen
        if self.streams:
            self._unseen = self._last_change = self._frame(since_ns or time.monotonic_ns(), streamed=True)
            self._changed.notify_all()

    def _frame(self, started_ns: int, *, streamed: bool = False) -> Frame:
        shown = self.screen
        image = shown if isinstance(shown, Image.Image) else screenshot(shown, self.state.size)
        self._frames += 1
        return Frame(
            number=self._frames,
            size=Size(image.width, image.height),
            pixels=image.convert("RGBA").tobytes(),
            started_ns=started_ns,
            arrived_ns=time.monotonic_ns(),
            source="fake",
            streamed=streamed,
            rotation=self.state.rotation if streamed else None,
        )

    @contextmanager
    def _answering(self) -> Iterator[None]:
        answered = self._running.wait(self._patience_s)
        self._check_connection()
        if not answered:
            raise DeviceTimeoutError(f"{self.serial} did not answer within {self._patience_s:g} s.")
        with self._changed:
            yield

    @contextmanager
    def _keeping_snapshots(self) -> Iterator[None]:
        with self._answering():
            if not self.keeps_snapshots:
                raise DeviceError(f"{self.serial} is no emulator: it keeps no snapshots.")
            if self._snapshot_refusal is not None:
                raise DeviceError(f"The emulator {self.serial} refused: {self._snapshot_refusal}.")
            yield

    def _check_connection(self) -> None:
        if self._closed:
            raise DeviceDisconnectedError(f"The connection to {self.serial} was closed.")
        if self._error is not None:
            raise self._error

    def _wait_for(self, happened: Callable[[], bool], wait_s: float | None) -> None:
        """Wait until something has happened or failed; the caller holds `_changed`."""
        self._changed.wait_for(lambda: happened() or self._closed or self._error is not None, wait_s)
        self._check_connection()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
