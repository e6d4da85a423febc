"""A client of the Android emulator's gRPC service: calls, frame stream and errors."""

import mmap
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from grpc import StatusCode

from odyssey_recorder.device import emulator_control_pb2 as pb
from odyssey_recorder.device.jwt import KEY, SERVICE, Credentials
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError
from odyssey_recorder.logs import masked
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation, Size

ANSWER_S = 2.0
_PRESSURE = 1024
"""The pressure that the emulator's own window sends for a finger that is down."""

_WRITING_NS = 15_000_000
"""Longer than an emulator takes to write one frame into shared memory and announce it."""
_MAX_TORN = 30
"""After this many torn copies in a row, frames are sent in messages instead."""

_KEYS = {SystemKey.HOME: "GoHome", SystemKey.BACK: "GoBack", SystemKey.RECENT: "AppSwitch"}

_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # The service is on this computer, and a new channel must not inherit the backoff of the last one.
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
)

_ERRORS: Mapping[StatusCode, tuple[type[DeviceError], str]] = {
    StatusCode.UNAUTHENTICATED: (
        DeviceError,
        "rejected the token, which is now read again. If that does not help, restart the emulator.",
    ),
    StatusCode.PERMISSION_DENIED: (DeviceError, "does not allow this call. Start the emulator with -grpc-use-token."),
    StatusCode.UNIMPLEMENTED: (DeviceError, "does not know this call. Update the emulator."),
    StatusCode.UNAVAILABLE: (
        DeviceDisconnectedError,
        "cannot be reached. If the emulator's window is gone, restart it.",
    ),
    StatusCode.CANCELLED: (DeviceDisconnectedError, "was cancelled during a call. Try again."),
    StatusCode.DEADLINE_EXCEEDED: (
        DeviceTimeoutError,
        "did not respond in time. If the emulator's window does not respond either, restart it with a cold boot.",
    ),
    StatusCode.RESOURCE_EXHAUSTED: (
        DeviceError,
        "has no resources for this call. Close other programs that use the emulator, or restart it.",
    ),
}

_REFUSED = {StatusCode.UNAUTHENTICATED, StatusCode.INVALID_ARGUMENT}
"""The codes for a token or key that the emulator does not accept."""

_Answer = TypeVar("_Answer", bound=Message)


@contextmanager
def control_errors(who: str) -> Iterator[None]:
    """Map gRPC's errors to DeviceError.

    After a plain `DeviceError` nothing was done; after its subclasses it may have been.
    """
    service = f"The gRPC service of {who}"
    try:
        yield
    except grpc.RpcError as error:
        # Every error of a call is also a grpc.Call with a code; the library's types do not say so.
        code = error.code() if isinstance(error, grpc.Call) else StatusCode.UNKNOWN
        details = " ".join((error.details() or "").split()) if isinstance(error, grpc.Call) else str(error)
        kind, advice = _ERRORS.get(
            code, (DeviceError, "failed. Try again. If that does not help, restart the emulator.")
        )
        # Not from `error`, whose text may repeat the token.
        raise kind(f"{service} {advice} (gRPC {code.name}: {masked(details)[:160]})") from None
    except ValueError as error:
        raise DeviceDisconnectedError(
            f"{service} is no longer connected: {error}. Connect to the device again."
        ) from error


class FrameMemory:
    """A private file for the emulator's frames; a copy made while it writes the next one is torn."""

    def __init__(self, within: Size) -> None:
        """For frames up to that size; the file is in a folder that no other user can open."""
        self.within = within
        length = (within.width * 3 + 3 & ~3) * within.height  # newer emulators align rows to four bytes
        folder = Path(tempfile.mkdtemp(prefix="odyssey-frames-"))
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        path = folder / "frame"
        path.touch(mode=0o600)
        with path.open("r+b") as file:
            file.truncate(length)
            self._memory = mmap.mmap(file.fileno(), length, access=mmap.ACCESS_READ)
        self.uri = path.as_uri()
        self.length = length

    def copy(self, length: int) -> bytes:
        return self._memory[:length]

    def close(self) -> None:
        self._memory.close()
        self._remove()


class ScreenshotStream:
    """The frames that the emulator sends when its screen changes; a thread reads them and keeps the newest.

    Gaps in the numbers are frames that the emulator or this class skipped. `ended` is set after the last frame;
    `error` then gives the reason.

    A frame copied from shared memory may be torn, because the emulator may have begun to write the next one before
    the copy ended. It dates each frame before it writes it. So a copy is whole if the next frame is dated after the
    copy's end, and torn if it is dated before. It is also whole if no frame has come for 15 ms after the copy's end,
    which is longer than writing one takes. Only whole frames are returned.
    """

    def __init__(
        self, who: str, call: "grpc._CallIterator[pb.Image]", memory: FrameMemory | None, *, not_before_ns: int = 0
    ) -> None:
        self._who = who
        self._call = call
        self._memory = memory
        self._not_before_ns = not_before_ns
        self._changed = threading.Condition()
        self._whole: Frame | None = None
        self._taken: Frame | None = None
        self._copied: Frame | None = None
        self._copied_ns = 0
        self.newest: Frame | None = None
        self._torn_in_a_row = 0
        self.received = 0
        self.ended = threading.Event()
        self.error: DeviceError = DeviceDisconnectedError(f"The frame stream of {who} has ended. Wait a moment.")
        self._thread = threading.Thread(target=self._read, name=f"frame stream of {who}", daemon=True)
        self._thread.start()

    def take(self, wait_s: float) -> Frame | None:
        """The newest whole frame, once; None if none arrives within `wait_s`, or the stream has ended."""
        expires_s = time.monotonic() + wait_s
        with self._changed:
            while self._whole is None and not self.ended.is_set():
                if self._copied is not None and time.monotonic_ns() >= self._copied_ns + _WRITING_NS:
                    self._keep_copied()
                    break
                now_s = time.monotonic()
                if now_s >= expires_s:
                    return None
                sure_s = (self._copied_ns + _WRITING_NS) / 1e9 if self._copied is not None else expires_s
                self._changed.wait(min(sure_s, expires_s) - now_s)
            frame, self._whole = self._whole, None
            self._taken = frame or self._taken
            return frame

    def repeat(self) -> None:
        with self._changed:
            self._whole = self._whole or self._taken
            self._changed.notify_all()

    def wait_for_more(self, received: int, wait_s: float) -> bool:
        """Whether more than `received` frames have come within `wait_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self.received > received or self.ended.is_set(), wait_s)
            return self.received > received

    def close(self, error: DeviceError | None = None) -> None:
        self._end(error)
        self._call.cancel()

    def join(self) -> None:
        self._thread.join()

    def _read(self) -> None:
        last: Frame | None = None
        try:
            with control_errors(self._who):
                for image in self._call:
                    if not image.format.width:
                        continue  # the display is off
                    pixels = image.image  # protobuf copies it on every access
                    shared = self._memory is not None and not pixels
                    if self._memory is not None and shared:
                        pixels = self._memory.copy(_length(image))
                    not_before_ns = last.started_ns if last else self._not_before_ns
                    last = _frame(self._who, image, pixels, not_before_ns=not_before_ns, streamed=True)
                    self._put(last, shared=shared)
        except DeviceError as error:
            self._end(error)
        finally:
            self._end(None)

    def _put(self, frame: Frame, *, shared: bool) -> None:
        with self._changed:
            self._settle_copied(frame.started_ns)
            self._copied, self._copied_ns = frame, frame.arrived_ns
            if not shared:
                self._keep_copied()
            self.newest = frame
            self.received += 1
            self._changed.notify_all()

    def _settle_copied(self, next_started_ns: int) -> None:
        if self._copied is None:
            return
        if next_started_ns >= self._copied_ns:
            self._keep_copied()
            return
        self._torn_in_a_row += 1
        if self._torn_in_a_row >= _MAX_TORN:
            raise DeviceError(f"The emulator {self._who} writes frames faster than they can be copied.")

    def _keep_copied(self) -> None:
        self._torn_in_a_row = 0
        self._whole, self._copied = self._copied, None

    def _end(self, error: DeviceError | None) -> None:
        with self._changed:
            if error is not None and not self.ended.is_set():
                self.error = error
            self.ended.set()
            self._changed.notify_all()


class EmulatorControl:
    def __init__(self, who: str, address: str, credentials: Credentials, *, answer_s: float = ANSWER_S) -> None:
        """Closes `credentials` with the connection."""
        self._who = who
        self._credentials = credentials
        self._answer_s = answer_s
        self._channel = grpc.insecure_channel(address, _OPTIONS)

    def has_keyboard(self) -> bool:
        """Without a keyboard the emulator drops keys silently."""
        return KEY not in self.not_allowed and self._hardware().get("hw.keyboard", "").lower() in ("yes", "true", "1")

    @property
    def not_allowed(self) -> frozenset[str]:
        return self._credentials.not_allowed

    def largest_frame(self) -> Size:
        """A square that holds the frames of every rotation and posture."""
        hardware, now = self._hardware(), self.screenshot().size
        sides = (hardware.get(f"hw.lcd.{side}", "") for side in ("width", "height"))
        longest = max(now.width, now.height, *(int(side) for side in sides if side.isdecimal()))
        return Size(longest, longest)

    def _hardware(self) -> dict[str, str]:
        answer = self._ask("getStatus", Empty(), pb.EmulatorStatus)
        return {entry.key: entry.value for entry in answer.hardwareConfig.entry}

    def screenshot(self, within: Size | None = None) -> Frame:
        """Raises `DeviceError` for an incomplete frame, for example while the display is off."""
        requested_ns = time.monotonic_ns()
        with control_errors(self._who):
            image = self._ask("getScreenshot", _image_format(within), pb.Image)
            return _frame(self._who, image, image.image, not_before_ns=requested_ns)

    def stream(self, memory: FrameMemory | None = None, *, not_before_ns: int = 0) -> ScreenshotStream:
        """Stream full-size frames whenever the screen changes, the first at once.

        Frames come through `memory` if the emulator supports it; the caller closes it after the stream. An emulator
        that is asked for frames in memory without a size crashes. None is dated before `not_before_ns`.
        """
        wanted = _image_format(memory.within if memory is not None else None)
        if memory is not None:
            wanted.transport.channel = pb.ImageTransport.MMAP
            wanted.transport.handle = memory.uri
        with control_errors(self._who):
            call = self._channel.unary_stream(
                f"{SERVICE}streamScreenshot", request_serializer=_serialized, response_deserializer=pb.Image.FromString
            )
            frames = call(wanted, metadata=self._credentials.metadata())
            return ScreenshotStream(self._who, frames, memory, not_before_ns=not_before_ns)

    def put_finger(self, at: Pixel) -> None:
        """In pixels of the panel in natural orientation."""
        self._touch(at, _PRESSURE)

    def lift_finger(self, at: Pixel) -> None:
        self._touch(at, 0)

    def press(self, key: SystemKey) -> None:
        event = pb.KeyboardEvent(eventType=pb.KeyboardEvent.keypress, key=_KEYS[key])
        self._ask("sendKey", event, Empty)

    def clipboard(self) -> str:
        return self._ask("getClipboard", Empty(), pb.ClipData).text

    def set_clipboard(self, text: str) -> None:
        self._ask("setClipboard", pb.ClipData(text=text), Empty)

    def close(self) -> None:
        self._channel.close()
        self._credentials.close()

    def _touch(self, at: Pixel, pressure: int) -> None:
        self._ask("sendTouch", pb.TouchEvent(touches=[pb.Touch(x=at.x, y=at.y, pressure=pressure)]), Empty)

    def _ask(self, name: str, request: Message, answer: type[_Answer]) -> _Answer:
        with control_errors(self._who):
            call: Callable[..., Any] = self._channel.unary_unary(
                f"{SERVICE}{name}", request_serializer=_serialized, response_deserializer=answer.FromString
            )
            try:
                response: _Answer = call(request, timeout=self._answer_s, metadata=self._credentials.metadata())
            except grpc.RpcError as error:
                if not self._renews_credentials(error):
                    raise
                response = call(request, timeout=self._answer_s, metadata=self._credentials.metadata())
            return response

    def _renews_credentials(self, error: grpc.RpcError) -> bool:
        """Then the call, which was refused and so not carried out, is worth another try."""
        code = error.code() if isinstance(error, grpc.Call) else StatusCode.UNKNOWN
        return code in _REFUSED and self._credentials.renew(is_unauthenticated=code is StatusCode.UNAUTHENTICATED)


def _serialized(message: Message) -> bytes:
    return message.SerializeToString()


def _image_format(within: Size | None) -> pb.ImageFormat:
    if within is None:
        return pb.ImageFormat(format=pb.ImageFormat.RGB888)
    return pb.ImageFormat(format=pb.ImageFormat.RGB888, width=within.width, height=within.height)


def _length(image: pb.Image) -> int:
    return image.format.width * image.format.height * 3


def _frame(who: str, image: pb.Image, pixels: bytes, *, not_before_ns: int, streamed: bool = False) -> Frame:
    """Raises `DeviceError` for anything but one complete RGB frame.

    The emulator dates frames by the wall clock of the computer that both run on; an undated frame is dated now.
    """
    arrived_ns = time.monotonic_ns()
    shown_ns = image.timestampUs * 1000 - _wall_clock_offset_ns() if image.timestampUs else arrived_ns
    size = Size(image.format.width, image.format.height)
    if not pixels or len(pixels) != _length(image):
        raise DeviceError(
            f"The gRPC service of {who} sent an incomplete frame: {len(pixels)} bytes for "
            f"{size}, {_length(image)} expected. If the screen is off, wake the device; "
            "otherwise try again."
        )
    return Frame(
        size=size,
        pixels=pixels,
        rotation=Rotation(image.format.rotation.rotation),
        number=image.seq,
        started_ns=min(max(shown_ns, not_before_ns), arrived_ns),
        arrived_ns=arrived_ns,
        source="gRPC",
        streamed=streamed,
    )


def _wall_clock_offset_ns() -> int:
    """Of three readings, the one with the least time in between."""
    readings = []
    for _ in range(3):
        before_ns, wall_ns, after_ns = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        readings.append((after_ns - before_ns, wall_ns - before_ns))
    return min(readings)[1]
