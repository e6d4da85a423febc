"""The thread that takes frames from a device: how often, and what happens when the device gives none."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from odyssey_recorder.device.device import FrameStream
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError

_log = logging.getLogger(__name__)

FAST_S = 0.02
"""Between frames while a caller waits for the screen to settle, if the device is that fast."""
QUIET_S = 0.1
"""While a caller waits, request a frame from a streaming device after this long without one."""
SLOW_S = 0.12
"""Between frames of a settled screen; longer if a frame takes longer, to leave a slow device half of its time."""
RETRY_S = 0.5
"""Between retries on a device that does not answer."""


class FrameReader:
    """Captures until it is stopped; frames and failures go to callbacks on this reader's thread."""

    def __init__(
        self, device: FrameStream, *, on_frame: Callable[[Frame], None], on_failure: Callable[[DeviceError], None]
    ) -> None:
        self._device = device
        self._on_frame = on_frame
        self._on_failure = on_failure
        self._is_hurried = True
        self._is_requested = True
        self._seen_s = 0.0
        self._newest: Frame | None = None
        self.silent_since_s: float | None = None
        """When the first of the latest failed requests was made; None after a frame."""
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"frames of {device.serial}", daemon=True)

    def start(self) -> None:
        self._device.repeat_frame()
        self._thread.start()

    def hurry(self, is_hurried: bool) -> None:
        """Capture as fast as makes sense (`wanted`), or as seldom as a settled screen needs; from any thread."""
        was_slow, self._is_hurried = not self._is_hurried, is_hurried
        if is_hurried and was_slow:
            self.ask()

    def ask(self) -> None:
        """Capture a frame now: only a requested frame proves that nothing has changed."""
        self._is_requested = True
        self._wake.set()

    def stop(self) -> None:
        """Stop after the current frame; does not wait."""
        self._stopping = True
        self._wake.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            pause_s = self._take_frame()
            self._wake.wait(pause_s)

    def _take_frame(self) -> float:
        """Take the next frame; return the pause before the following one, in seconds."""
        requested_s = time.monotonic()
        try:
            frame = self._next()
        except DeviceError as error:
            return self._report_failure(error, requested_s)
        except Exception as error:  # noqa: BLE001 - top of a thread; callers must not wait for ever
            _log.exception("Taking a frame of %s broke", self._device.serial)
            failure = DeviceError(f"Taking a screenshot of {self._device.label} failed: {error!r}.")
            return self._report_failure(failure, requested_s)
        if frame is None:
            return 0.0
        before, self._seen_s, self.silent_since_s = self._newest, time.monotonic(), None
        unchanged = before is None or before.pixels == frame.pixels
        # The same bytes object makes comparing and drawing cheap.
        self._newest = replace(frame, pixels=before.pixels) if before and unchanged else frame
        self._on_frame(self._newest)
        return 0.0 if self._device.sends_frames else self._pause_s(self._seen_s - requested_s, unchanged=unchanged)

    def _pause_s(self, taken_s: float, *, unchanged: bool) -> float:
        """The pause for a device that gives frames on request only, and took `taken_s` for the last."""
        if self._is_hurried or (taken_s < SLOW_S and not unchanged):
            return max(FAST_S - taken_s, 0.0)
        return max(SLOW_S, taken_s)

    def _next(self) -> Frame | None:
        if self._device.sends_frames and not self._is_requested:
            frame = self._device.next_frame(FAST_S)
            quiet = frame is None and time.monotonic() - self._seen_s >= QUIET_S
            if not (self._is_hurried and quiet):
                return frame
        self._is_requested = False
        return self._device.capture()

    def _report_failure(self, error: DeviceError, requested_s: float) -> float:
        self.silent_since_s = requested_s if self.silent_since_s is None else self.silent_since_s
        if not self._stopping:
            self._on_failure(error)
        return RETRY_S
