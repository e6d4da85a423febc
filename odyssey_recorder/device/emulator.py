"""An emulator: which calls go over its gRPC service, and when adb takes over."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from odyssey_recorder import errors
from odyssey_recorder.device import input_command
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.device import OnTyped, ScreenState
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.device.emulator_finger import EmulatorFinger, FrameShape
from odyssey_recorder.device.emulator_grpc import EmulatorControl, ScreenshotStream
from odyssey_recorder.device.emulator_link import ControlConnection, EmulatorLink, GrpcOptions
from odyssey_recorder.device.jwt import CLIPBOARD, TOUCH
from odyssey_recorder.device.measured import NOTHING_MEASURED, Measured, MeasuredDevices, place_of
from odyssey_recorder.device.pasting import Pasting, check_pasted_text, is_pasted
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation, Size

_log = logging.getLogger(__name__)

_LINK_S = 5.0
_LATE_S = 0.3
"""A frame may show a rotation or fold this much later than adb reports it."""
_ATTEMPTS = 3
_UNFOLDED = ("", "OPENED", "HALF_OPENED")
"""Postures in which touches over gRPC land where they should, as far as is known; "" is a device that does not fold."""

_UNMEASURED = (
    "It is folded, and nobody has measured where touches land then. Unfold it, or measure it: odyssey-recorder devices "
    "check"
)


@dataclass(frozen=True, slots=True)
class _Fit:
    """How frames of `shape` are turned, clockwise, to be upright at Android's `rotation`.

    The emulator turns its frames as the device is held. Android may show something else: with a rotation lock, or an
    app that keeps its orientation. `is_known` if that was compared with `screencap`, or measured.
    """

    shape: FrameShape
    turns: int
    rotation: Rotation
    is_known: bool

    @property
    def is_plain(self) -> bool:
        return self.shape.rotation == self.rotation

    def turns_of(self, shape: FrameShape) -> int:
        """A frame of another shape comes just after a rotation, which Android is taken to follow."""
        return self.turns if shape == self.shape else (self.turns - self.shape.rotation + self.rotation) % 4

    def upright(self, frame: Frame) -> Frame:
        shape = FrameShape.of(frame)
        return frame.turned(self.turns_of(shape), self.rotation if shape == self.shape else shape.rotation)


class EmulatorDevice(AdbDevice):
    """An emulator behind adb and its gRPC service.

    Frames, touches and system keys use the gRPC service while its frames are what apps see; everything else uses
    adb. Frame numbers count the frames of both.

    An input that the gRPC service did not confirm may have happened, so it raises instead of being sent again
    over adb. One that certainly did not happen goes over adb.
    """

    def __init__(
        self,
        shell: AdbShell,
        control: GrpcOptions,
        *,
        kept: Path | None = None,
        console: EmulatorConsole | None = None,
        known: MeasuredDevices = NOTHING_MEASURED,
    ) -> None:
        super().__init__(shell, kept=kept, console=console, known=known)
        self._required = control.required
        self._restoring = threading.RLock()
        self._clipboard = threading.Lock()
        self._knows_clipboard = True
        """The emulator's host does not know a loaded snapshot's clipboard, nor the user's after a failed restore."""
        self._followed: tuple[ScreenshotStream, int] | None = None
        self._shape: FrameShape | None = None
        self._last_shape: FrameShape | None = None
        self._fit: _Fit | None = None
        self._compared: dict[tuple[object, ...], int | None] = {}
        self._measured = Measured()
        self._posture = ""
        self._has_said_why = False
        self._finger = EmulatorFinger(self._wait_until, control.calm_s)
        self._link = EmulatorLink(shell.label, control, self._check_connection)
        self._link.start()

    def wait_until_ready(self, timeout_s: float) -> None:
        """Raises `DeviceTimeoutError`, or `DeviceError` if gRPC is required but unavailable."""
        super().wait_until_ready(timeout_s)
        self._link.wait_until_tried(min(timeout_s, _LINK_S))
        if self._connection() is None:
            self._allow_adb()

    # Frames ----------------------------------------------------------------------------------------------------

    def capture(self) -> Frame:
        """Waits for a snapshot operation to end."""
        with self._restoring:
            pass
        connection = self._connection()
        if connection is not None:
            try:
                return self._numbered(connection.control.screenshot())
            except errors.DeviceError as error:
                connection.stream.close(error)
        self._allow_adb()
        self._shape = None
        return super().capture()

    def next_frame(self, wait_s: float) -> Frame | None:
        connection = self._connection()
        frame = connection.stream.take(wait_s) if connection is not None else None
        if connection is None and self._required:
            self._shell.closed.wait(wait_s)
        self._check_open()
        if connection is None or frame is None:
            return None
        self._skip_missing_numbers(connection.stream, frame.number)
        return self._numbered(frame)

    def repeat_frame(self) -> None:
        connection = self._connection()
        if connection is not None:
            connection.stream.repeat()

    @property
    def sends_frames(self) -> bool:
        return self._connection() is not None

    @property
    def capture_path(self) -> str:
        return "gRPC" if self._connection() is not None else super().capture_path

    def screen_state(self) -> ScreenState:
        """Also checks again whether the emulator's frames are what apps see."""
        connection = self._link.connection
        return super().screen_state() if connection is None else self._check_fit(connection.stream)

    # Input -----------------------------------------------------------------------------------------------------

    @property
    def follows_finger(self) -> bool:
        return self._connection() is not None and self._touch_scale() is not None

    @property
    def not_allowed(self) -> frozenset[str]:
        connection = self._link.connection
        return frozenset() if connection is None else connection.control.not_allowed

    def put_finger(self, at: Pixel) -> None:
        """In pixels of the frame on which the finger came down."""
        connection = self._connection()
        if connection is None or self._touch_scale() is None:
            self._check_open()
            self._finger.lift(connection.control if connection else None)
            is_measured = connection is None or self._posture in (*_UNFOLDED, *self._measured.touch_scale)
            reason = "Try again." if is_measured else _UNMEASURED
            raise errors.InputRefusedError(f"{self.label} cannot follow a finger right now. {reason}")
        with self._input_allowed(), self._closing_on_error(connection):
            self._finger.put(connection.control, self._frame_shape(), at)

    def lift_finger(self) -> None:
        connection = self._connection()
        if connection is None:
            self._finger.lift(None)
            return
        with self._input_allowed(), self._closing_on_error(connection):
            self._finger.lift(connection.control)

    def touch(self, stroke: TouchStroke) -> None:
        if self._connection() is not None and self._touch_scale() is None:
            with self._input_allowed():
                super().touch(stroke)
            return
        self._send(
            lambda control: self._finger.draw(control, self._frame_shape(), stroke),
            lambda: AdbDevice.touch(self, stroke),
        )

    def press(self, key: SystemKey) -> None:
        """Press and release a system key.

        The gRPC service presses it on the emulator's keyboard, so it shows in `getevent`, unlike `input
        keyevent`. An emulator without a keyboard drops it silently, so adb is used there.
        """
        connection = self._connection()
        if connection is not None and connection.has_keyboard:
            self._send(lambda control: control.press(key), lambda: AdbDevice.press(self, key))
        else:
            with self._input_allowed():
                super().press(key)

    def check_text(self, text: str) -> None:
        if input_command.is_plain(text) or self._clipboard_connection() is None:
            super().check_text(text)
        else:
            check_pasted_text(text)

    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        self.check_text(text)
        connection = self._clipboard_connection() if is_pasted(text) else None
        if connection is None:
            with self._input_allowed():
                super().type_text(text, on_typed)
            return
        with self._clipboard, self._input_allowed(), connection.inputs:
            try:
                seen = connection.control.clipboard()
                previous = seen if self._knows_clipboard else ""
            except errors.DeviceError as error:
                connection.stream.close(error)
                super().type_text(text, on_typed)
                return
            try:
                Pasting(self, super().type_text, connection.control, self._wait_until, on_typed).type_text(text)
            finally:
                self._restore_clipboard(connection, previous)

    # Snapshots -------------------------------------------------------------------------------------------------

    def save_snapshot(self, name: str) -> None:
        with self._restoring:
            super().save_snapshot(name)

    def load_snapshot(self, name: str) -> None:
        """Returns when adb has found the device again and the stream is reopened."""
        with self._restoring:
            self._lift_if_possible()
            self._knows_clipboard = False
            super().load_snapshot(name)
            self._shape = self._fit = None
            self._link.renew()
            self._link.wait_until_tried(_LINK_S)
        if self._connection() is None:
            self._allow_adb()

    def close(self) -> None:
        super().close()
        with self._clipboard:
            self._lift_if_possible()
        self._link.close()

    @property
    def control(self) -> EmulatorControl:
        """The gRPC service, for measurements. Raises DeviceError while there is no connection."""
        connection = self._link.connection
        if connection is None:
            raise errors.DeviceError(f"{self._link.problem} Meanwhile the device is used over adb.")
        return connection.control

    # Choice of connection --------------------------------------------------------------------------------------

    def _connection(self) -> ControlConnection | None:
        """None while its frames are not what apps see, unless gRPC is required."""
        fits = self._required or self._fit is not None
        return self._link.connection if fits and not self._shell.closed.is_set() else None

    def _clipboard_connection(self) -> ControlConnection | None:
        return None if self.not_allowed & CLIPBOARD else self._connection()

    def _allow_adb(self) -> None:
        self._check_open()
        if self._required:
            raise errors.DeviceError(self._link.problem)

    def _check_open(self) -> None:
        if self._shell.closed.is_set():
            raise errors.DeviceDisconnectedError(f"The connection to {self.label} was closed.")

    def _lift_if_possible(self) -> None:
        connection = self._link.connection
        with suppress(errors.InputRefusedError):
            self._finger.lift(connection.control if connection else None)

    def _check_connection(self, connection: ControlConnection, newest: Frame) -> None:
        """Runs on the link's thread."""
        if TOUCH not in connection.control.not_allowed:
            self._finger.recover(connection.control)
        if connection is not self._link.connection:
            self._measured = self.measured()
        fit = self._fit
        # Turned frames are checked each time: Android may follow the device without a frame of another shape.
        if fit is None or not (fit.is_plain and fit.is_known) or FrameShape.of(newest) != fit.shape:
            state = self._check_fit(connection.stream)
            is_known = self._fit.is_known if self._fit else _screen(FrameShape.of(newest), state) in self._compared
            if not is_known and self._compare(connection, state):
                self._check_fit(connection.stream)

    def _compare(self, connection: ControlConnection, state: ScreenState) -> bool:
        """Find out once per posture and rotation how frames are turned. Returns whether that is news."""
        shown, sent = self.screencap(), connection.control.screenshot()
        now = super().screen_state()
        shape, turns = FrameShape.of(sent), sent.turns_to(shown)
        is_turning = _screen(shape, now) != _screen(shape, state) or shown.size != _as_shown(now.size, now.rotation)
        is_moving = turns is None and shape.panel in (now.size, now.size.turned())
        if is_turning or is_moving:
            return False
        self._compared[_screen(shape, now)] = turns
        if turns:
            _log.info("Frames of %s over gRPC are turned by %d degrees, to show what apps see.", self.label, 90 * turns)
        return True

    def _fit_of(self, shape: FrameShape, state: ScreenState) -> _Fit | None:
        """None if frames of `shape` do not show what apps see, or if nobody knows yet how to turn them."""
        turned = (shape.rotation - state.rotation) % 4
        measured = self._measured.frame_turns.get(place_of(state.posture, state.rotation, shape.rotation))
        known = self._compared.get(_screen(shape, state)) if measured is None else (measured + turned) % 4
        turns = (None if turned else 0) if known is None else known
        if turns is None or _as_shown(shape.size, turns) != _as_shown(state.size, state.rotation):
            return None
        return _Fit(shape, turns, state.rotation, is_known=known is not None)

    def _check_fit(self, stream: ScreenshotStream) -> ScreenState:
        """Query the screen state over adb, and check whether the stream shows the same screen.

        Under `wm size` the emulator does not show what apps see. During a rotation or fold either source may be first,
        so a stream that fitted until now gets some time.
        """
        for _ in range(_ATTEMPTS):
            received = stream.received
            state = super().screen_state()
            assert stream.newest is not None, "a connection is used from its first frame on"
            shape = FrameShape.of(stream.newest)
            before, fit = self._fit, self._fit_of(shape, state)
            is_sure = fit is not None and (fit == before or fit.is_plain)
            if is_sure or before is None or not stream.wait_for_more(received, _LATE_S):
                break
        is_shown = fit is not None or not self._required
        self._last_shape = FrameShape(_as_shown(state.size, state.rotation), state.rotation) if is_shown else shape
        self._fit, self._posture = fit, state.posture
        if before and fit and before.turns_of(shape) != fit.turns_of(shape):
            stream.repeat()  # a still screen sends no other frame
        return state

    # The gRPC service ---------------------------------------------------------------------------------------

    def _numbered(self, frame: Frame) -> Frame:
        fit = self._fit
        upright = fit.upright(frame) if fit is not None else frame
        self._shape = FrameShape.of(upright)
        return replace(upright, number=next(self._frame_numbers))

    def _skip_missing_numbers(self, stream: ScreenshotStream, number: int) -> None:
        """Leave a gap in the numbers where frames are missing, or may be missing before a stream began."""
        if self._followed != (stream, number - 1):
            next(self._frame_numbers)
        self._followed = stream, number

    def _frame_shape(self) -> FrameShape:
        shape = self._shape or self._last_shape
        assert shape is not None
        return replace(shape, touch_scale=self._touch_scale() or shape.touch_scale)

    def _touch_scale(self) -> tuple[float, float] | None:
        """None if touches over gRPC may land elsewhere: as was measured, or on a folded device that was not measured.

        Real emulators place them by the unfolded panel. Some know the folded one.
        """
        if self._shape and self._last_shape and self._shape.panel != self._last_shape.panel:
            return None  # it is being folded
        if TOUCH in self.not_allowed:
            return None
        measured = self._measured.touch_scale
        if self._posture in measured or self._posture in _UNFOLDED:
            return measured.get(self._posture, (1.0, 1.0))
        if not self._has_said_why:
            self._has_said_why = True
            _log.info(
                "While %s is folded, touches are sent over adb, because touches over gRPC may land elsewhere. To send "
                "them over gRPC again, measure the device: odyssey-recorder devices check",
                self.label,
            )
        return None

    @contextmanager
    def _input_allowed(self) -> Iterator[None]:
        """Wait for a snapshot operation to end, and keep a lost finger from being lifted meanwhile."""
        with self._restoring:
            pass
        with self._finger.input_allowed():
            yield

    @contextmanager
    def _closing_on_error(self, connection: ControlConnection) -> Iterator[None]:
        try:
            with connection.inputs:
                yield
        except errors.DeviceError as error:
            connection.stream.close(error)
            self._check_open()
            raise

    def _send(self, over_grpc: Callable[[EmulatorControl], None], over_adb: Callable[[], None]) -> None:
        with self._input_allowed():
            connection = self._connection()
            if connection is not None:
                try:
                    with self._closing_on_error(connection):
                        over_grpc(connection.control)
                except (errors.DeviceDisconnectedError, errors.DeviceTimeoutError, errors.InputRefusedError):
                    raise
                except errors.DeviceError as error:
                    _log.info("An input to %s goes over adb: %s", self.serial, error)
                else:
                    return
            self._allow_adb()
            over_adb()

    def _restore_clipboard(self, connection: ControlConnection, previous: str) -> None:
        try:
            with self._closing_on_error(connection):
                connection.control.set_clipboard(previous)
        except errors.DeviceError as error:
            self._knows_clipboard = False
            _log.warning("What was on the clipboard of %s is lost: %s", self.serial, error)

    def _wait_until(self, due_s: float) -> None:
        self._shell.closed.wait(max(due_s - time.monotonic(), 0))
        self._check_open()


def _screen(shape: FrameShape, state: ScreenState) -> tuple[object, ...]:
    return shape, state.size, state.rotation, state.posture


def _as_shown(natural: Size, turns: int) -> Size:
    return natural.turned() if turns % 2 else natural
