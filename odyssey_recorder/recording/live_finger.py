"""Sends a finger on the mirror to the device as it moves, and records the stroke as the device received it."""

import queue
import threading
import time
from collections.abc import Callable

from odyssey_recorder.device.device import LiveTouch
from odyssey_recorder.errors import DeviceError, InputRefusedError
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.events import FingerGoesDown, FingerLifted, InputRefused, InputUncertain, Touch

Report = FingerGoesDown | FingerLifted | InputRefused | InputUncertain

_Positions = queue.SimpleQueue[Pixel | int | None]
"""Positions of one finger in pixels of the frame, then its duration on the mirror (µs), or None without a gesture."""


class LiveFinger:
    """Moves one finger after another on a device's screen. Commands return at once, from any thread.

    A new finger is held until it is released; its moves so far are sent then. Reports come from this object's own
    thread, the first one before anything is sent.
    """

    def __init__(self, device: LiveTouch, report: Callable[[Report], None]) -> None:
        self._device = device
        self._report = report
        self._latest: _Positions = queue.SimpleQueue()
        self._current: _Positions | None = None  # while the latest finger is on the mirror
        self._released: queue.SimpleQueue[_Positions | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"finger on {device.serial}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def begin(self, at: Pixel) -> None:
        """In pixels of the frame."""
        self._latest = self._current = queue.SimpleQueue()
        self._current.put(at)

    def follow(self, at: Pixel) -> None:
        """Move the finger to `at`; ignored if none is down."""
        if self._current is not None:
            self._current.put(at)

    def leave(self, duration_us: int | None = None) -> None:
        """The finger left the mirror after `duration_us`; None if without a gesture."""
        if self._current is not None:
            self._current.put(duration_us)
            self._current = None

    def release(self) -> None:
        self._released.put(self._latest)

    def stop(self) -> None:
        """Lift a finger that is still down, then end; does not wait."""
        self.leave()
        self._released.put(None)

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        while (positions := self._released.get()) is not None:
            samples: list[TouchSample] = []
            try:
                self._send_touch(positions, samples)
            except InputRefusedError as error:
                self._report(InputRefused(str(error), time.monotonic_ns(), is_partial=bool(samples)))
            except DeviceError as error:
                self._report(InputUncertain(str(error)))

    def _send_touch(self, positions: _Positions, samples: list[TouchSample]) -> None:
        """Send one touch, and append to `samples` what the device received."""
        down_ns = time.monotonic_ns()
        self._report(FingerGoesDown(down_ns))
        landed_ns = down_ns
        while isinstance(at := positions.get(), Pixel):
            since_us = (time.monotonic_ns() - down_ns) // 1000 if samples else 0
            self._device.put_finger(at)
            landed_ns = landed_ns if samples else time.monotonic_ns()
            samples.append(TouchSample(at, since_us))
        up_ns = time.monotonic_ns()
        self._device.lift_finger()
        lifted_ns = time.monotonic_ns()
        stroke = TouchStroke(tuple(samples), _duration_us(at, samples, up_ns - landed_ns, lifted_ns - down_ns))
        self._report(FingerLifted(Touch(stroke), lifted_ns, landed_ns))


def _duration_us(held_us: int | None, samples: list[TouchSample], min_ns: int, max_ns: int) -> int:
    """How long the finger was down on the device: as on the mirror, within the bounds of the device's answers.

    A device that is slow to answer only shows that it was longer than `min_ns` and shorter than `max_ns`.
    """
    min_us, max_us = max(min_ns // 1000, samples[-1].time_us), max_ns // 1000
    return min(max(held_us or min_us, min_us), max_us)
