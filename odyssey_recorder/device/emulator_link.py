"""The connection to an emulator's gRPC service: opened, checked for stalls, and reopened."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from odyssey_recorder.device.discovery import ControlEndpoint
from odyssey_recorder.device.emulator_grpc import ANSWER_S, EmulatorControl, FrameMemory, ScreenshotStream
from odyssey_recorder.device.jwt import Credentials
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError
from odyssey_recorder.model.geometry import Size

_log = logging.getLogger(__name__)

_FIRST_SCREENSHOT_S = 3.0
_TICK_S = 1.0
"""How long a stream may be silent before it is checked, and the time between checks."""
_LATE_S = 0.3
"""How much later than a screenshot the stream may show a change."""
_SHRINK = 8
_FIRST_PAUSE_S = 0.2
_LAST_PAUSE_S = 2.0


@dataclass(frozen=True, slots=True)
class GrpcOptions:
    """How to use the gRPC service of an emulator.

    `find` looks it up, because port and token change with every start. If `required`, frames and touches raise
    `DeviceError` while it is unavailable, and refer to the panel even if apps see something else. With
    `shares_memory` frames come through shared memory until one is wrong or refused. For `calm_s` after the finger of a
    lost connection was lifted, inputs are refused.
    """

    find: Callable[[], ControlEndpoint | None]
    required: bool = False
    answer_s: float = ANSWER_S
    shares_memory: bool = True
    calm_s: float = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class ControlConnection:
    """Closes only when `inputs` is free, so that an input can finish after the stream has ended."""

    control: EmulatorControl
    stream: ScreenshotStream
    has_keyboard: bool
    opened_ns: int
    inputs: threading.RLock = field(default_factory=threading.RLock)


class EmulatorLink:
    """Keeps a connection to an emulator's gRPC service open, on its own thread.

    Calls `check` on that thread before a connection is first used and regularly after that; its errors end the
    connection.
    """

    def __init__(self, serial: str, options: GrpcOptions, check: Callable[[ControlConnection, Frame], None]) -> None:
        self._serial = serial
        self._options = options
        self._check = check
        self._shares_memory = options.shares_memory
        self._control: EmulatorControl | None = None
        self._connection: ControlConnection | None = None
        self._since_ns = 0
        self._renewing = threading.Lock()
        self._closing = threading.Event()
        self._tried = threading.Event()
        self._problem = f"The gRPC service of {serial} has not been tried yet. Wait a moment."
        self._thread = threading.Thread(target=self._run, name=f"gRPC service of {serial}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def connection(self) -> ControlConnection | None:
        """None if there is no connection or its stream has ended."""
        connection = self._connection
        if connection is None or connection.stream.ended.is_set() or self._is_outdated(connection.opened_ns):
            return None
        return connection

    @property
    def problem(self) -> str:
        connection = self._connection
        return str(connection.stream.error) if connection and connection.stream.ended.is_set() else self._problem

    def wait_until_tried(self, timeout_s: float) -> None:
        """Wait until the first attempt to connect since the last `renew` has succeeded or failed."""
        self._tried.wait(timeout_s)

    def renew(self) -> None:
        """Replace the connection; no frame of the next one is dated before this call."""
        with self._renewing:
            self._since_ns = time.monotonic_ns()
            self._tried.clear()
        control = self._control
        if control is not None:
            control.close()

    def close(self) -> None:
        self._closing.set()
        control = self._control
        if control is not None:
            control.close()
        self._thread.join()

    def _run(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while not self._closing.is_set():
            started_ns = time.monotonic_ns()
            try:
                with self._opened(started_ns) as connection:
                    self._watch(connection)
            except DeviceError as error:
                self._problem = str(error)
            except Exception as error:  # noqa: BLE001 - the top of a thread: adb still works, and the next try may succeed
                _log.exception("The gRPC service of %s broke", self._serial)
                self._problem = f"The gRPC service of {self._serial} cannot be used: {error!r}. Choose adb."
            self._mark_tried(started_ns)
            was_long = time.monotonic_ns() - started_ns > 2e9 * _LAST_PAUSE_S
            pause_s = _FIRST_PAUSE_S if was_long or self._is_outdated(started_ns) else pause_s
            self._closing.wait(pause_s)
            pause_s = min(2 * pause_s, _LAST_PAUSE_S)

    def _mark_tried(self, started_ns: int) -> None:
        with self._renewing:
            if not self._is_outdated(started_ns):
                self._tried.set()

    def _is_outdated(self, opened_ns: int) -> bool:
        return opened_ns < self._since_ns

    @contextmanager
    def _opened(self, opened_ns: int) -> Iterator[ControlConnection]:
        endpoint = self._endpoint()
        credentials = Credentials(endpoint, self._closing.wait)
        control = EmulatorControl(self._serial, endpoint.address, credentials, answer_s=self._options.answer_s)
        with ExitStack() as stack:
            self._control = control
            stack.callback(control.close)
            if self._closing.is_set():
                raise DeviceDisconnectedError(f"The connection to {self._serial} was closed.")
            has_keyboard = control.has_keyboard()
            memory = self._memory(control.largest_frame()) if self._shares_memory else None
            if memory is not None:
                stack.callback(memory.close)
            stream = control.stream(memory, not_before_ns=self._since_ns)
            stack.callback(stream.join)
            stack.callback(stream.close)
            connection = ControlConnection(control, stream, has_keyboard, opened_ns)
            stack.callback(self._retire, connection)
            try:
                yield connection
            except DeviceError as error:
                self._problem = str(error)
                # A lost connection is no evidence against shared memory; a wrong or refused frame is.
                self._shares_memory = self._shares_memory and type(error) is not DeviceError
                raise

    def _memory(self, within: Size) -> FrameMemory | None:
        try:
            return FrameMemory(within)
        except OSError as error:
            _log.info("Memory cannot be shared with %s: %s", self._serial, error)
            return None

    def _retire(self, connection: ControlConnection) -> None:
        self._connection = None
        connection.inputs.acquire()
        connection.inputs.release()

    def _endpoint(self) -> ControlEndpoint:
        endpoint = self._options.find()
        if endpoint is None:
            raise DeviceError(
                f"No gRPC service was found for {self._serial}. Start the emulator from Android Studio, or "
                "with -grpc-use-token, on this computer; or choose adb."
            )
        return endpoint

    def _watch(self, connection: ControlConnection) -> None:
        """Publish a connection once its frames are known to be right, and check it until its stream ends.

        While the stream is silent, compares a full screenshot once, then small ones.
        """
        stream = connection.stream
        if not stream.wait_for_more(0, _FIRST_SCREENSHOT_S) and not stream.ended.is_set():
            raise DeviceTimeoutError(
                f"The gRPC service of {self._serial} sends no frames. If the screen is off, wake the device."
            )
        received, small = stream.received, None
        while (newest := stream.newest) and not (self._closing.is_set() or stream.ended.is_set()):
            if stream.received != received:
                received, small = stream.received, None
            elif small is None:
                self._check_silence(connection, received, newest, connection.control.screenshot())
                small = connection.control.screenshot(_eighth(newest.size))
            else:
                self._check_silence(connection, received, small, connection.control.screenshot(_eighth(newest.size)))
            self._check(connection, newest)
            self._connection = connection
            self._mark_tried(connection.opened_ns)
            stream.ended.wait(_TICK_S)
        raise stream.error

    def _check_silence(self, connection: ControlConnection, received: int, before: Frame, now: Frame) -> None:
        is_changed = (now.size, now.pixels) != (before.size, before.pixels)
        if is_changed and not connection.stream.wait_for_more(received, _LATE_S):
            raise DeviceError(f"The frame stream of {self._serial} has stalled and is being reopened. Wait a moment.")


def _eighth(size: Size) -> Size:
    return Size(size.width // _SHRINK, size.height // _SHRINK)
