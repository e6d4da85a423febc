"""One finger on an emulator's panel: moved in real time, and always lifted."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from odyssey_recorder.device.emulator_grpc import EmulatorControl
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError, DeviceTimeoutError, InputRefusedError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel, Rotation, Size, unrotate

JUST_LIFTED = (
    "A finger that was down when the connection was lost has just been lifted, which may change the screen. Nothing "
    "was sent. Look again."
)


@dataclass(frozen=True, slots=True)
class FrameShape:
    """A frame's size as displayed, and its rotation relative to the panel.

    `touch_scale` are the factors by which positions on the panel are multiplied for the gRPC service (`Measured`).
    """

    size: Size
    rotation: Rotation
    touch_scale: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def of(cls, frame: Frame) -> "FrameShape":
        assert frame.rotation is not None, "the gRPC service reports it"
        return cls(frame.size, frame.rotation)

    @property
    def panel(self) -> Size:
        """In natural orientation."""
        return self.size.turned() if self.rotation in (Rotation.R90, Rotation.R270) else self.size

    def on_panel(self, at: Pixel) -> Pixel:
        """The position to send, in natural orientation, for the frame's pixel nearest to `at`.

        It may equal the panel's width or height; the emulator puts that at the end of the axis.
        """
        natural = unrotate(self.size.clamp(at), self.panel, self.rotation)
        across, down = self.touch_scale
        return Pixel(round(natural.x * across), round(natural.y * down))


class EmulatorFinger:
    """The one finger on the panel; safe from any thread, calls wait for a stroke to end.

    `wait_until` returns at a time of the monotonic clock (s), or raises when the device is closed. `calm_s`: how long
    the screen may still change after a lost finger was lifted.
    """

    def __init__(self, wait_until: Callable[[float], None], calm_s: float) -> None:
        self._wait_until = wait_until
        self._after_lift_s = calm_s
        self._lock = threading.RLock()
        self._shape: FrameShape | None = None
        self._at: Pixel | None = None
        self._is_lost = True
        self._calm_until_s = 0.0

    @contextmanager
    def input_allowed(self) -> Iterator[None]:
        """Lift no lost finger during an input.

        Raises `InputRefusedError` if one was lifted just now: the screen that the input is meant for may be gone.
        """
        with self._lock:
            if self._shape is None and time.monotonic() < self._calm_until_s:
                raise InputRefusedError(JUST_LIFTED)
            yield

    def put(self, control: EmulatorControl, shape: FrameShape, at: Pixel) -> None:
        """Put the finger down, or move it within the frame on which it came down.

        Raises `InputRefusedError` if a finger that is down cannot be moved, otherwise as `control` does.
        """
        with self._lock:
            is_down = self._shape is not None
            self.recover(control)
            with self.input_allowed():
                self._shape = self._shape or shape
            self._at = self._shape.on_panel(at)
            try:
                control.put_finger(self._at)
            except DeviceError as error:
                self._shape, self._is_lost = None, True
                if is_down:
                    raise InputRefusedError(f"The finger was moved only part of the way: {error}") from error
                raise

    def lift(self, control: EmulatorControl | None) -> None:
        """Raises `InputRefusedError` if that is impossible now, `DeviceTimeoutError` if it may have happened."""
        with self._lock:
            if self._shape is None:
                return
            assert self._at is not None
            self._shape, self._is_lost = None, True
            if control is None:
                raise InputRefusedError("The connection was lost before the finger lifted. Try again.")
            try:
                control.lift_finger(self._at)
            except DeviceTimeoutError:
                raise  # it may have lifted: the caller must check
            except DeviceError as error:
                raise InputRefusedError(f"The finger was not lifted: {error}") from error
            self._is_lost = False

    def draw(self, control: EmulatorControl, shape: FrameShape, stroke: TouchStroke) -> None:
        """Late samples are sent at once. Raises as `put` and `lift`."""
        with self._lock:
            started_s = time.monotonic()
            self.put(control, shape, stroke.start)
            try:
                for sample in stroke.samples[1:]:
                    self._wait_until(started_s + sample.time_us / 1e6)
                    self.put(control, shape, sample.at)
                self._wait_until(started_s + stroke.duration_us / 1e6)
            finally:
                self.lift(control)

    def recover(self, control: EmulatorControl) -> None:
        """Lift a finger that an earlier connection, or a recorder that was killed, may have left down.

        The emulator itself lifts it only after two minutes; lifting a finger that is not down has no effect.
        """
        with self._lock:
            if self._is_lost and self._shape is None:
                control.lift_finger(self._at or Pixel(0, 0))
                self._is_lost = False
                self._calm_until_s = time.monotonic() + self._after_lift_s if self._at is not None else 0.0
