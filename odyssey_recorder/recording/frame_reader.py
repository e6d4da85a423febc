"""The thread that takes frames from a device: how often, and what it does when the device stops giving them."""

import logging
import threading
from collections.abc import Callable

from odyssey_recorder.device.device import Device
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError

_log = logging.getLogger(__name__)

HURRY_S = 0.02
"""Between frames while somebody waits for the screen to come to rest."""
CALM_S = 0.12
"""Between frames of a screen at rest, or as long as a frame takes if that is longer: half of a slow device's time
is its own."""
LOST_S = 0.5
"""Between tries on a device that does not answer."""


class FrameReader:
    """Captures until it is stopped; each frame, and each failure, goes to a callback in this reader's thread."""

    def __init__(
        self, device: Device, *, on_frame: Callable[[Frame], None], on_failure: Callable[[DeviceError], None]
    ) -> None:
        self._device = device
        self._on_frame = on_frame
        self._on_failure = on_failure
        self._hurried = True
        self._now = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"frames of {device.serial}", daemon=True)

    def start(self) -> None:
        """Begin to capture."""
        self._thread.start()

    def hurry(self, wanted: bool) -> None:
        """Capture as fast as makes sense (`wanted`), or as seldom as a screen at rest needs; from any thread."""
        was_calm, self._hurried = not self._hurried, wanted
        if wanted and was_calm:
            self._now.set()

    def stop(self) -> None:
        """Let the frame that is being taken be the last; does not wait for it."""
        self._stopping = True
        self._now.set()

    def join(self) -> None:
        """Wait until the thread has ended."""
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping:
            self._now.clear()
            pause_s = self._capture()
            self._now.wait(pause_s)

    def _capture(self) -> float:
        try:
            frame = self._device.capture()
        except DeviceError as error:
            return self._failed(error)
        except Exception as error:  # noqa: BLE001 - the top of a thread: without frames nobody may wait for ever
            _log.exception("Taking a frame of %s broke", self._device.serial)
            return self._failed(DeviceError(f"Taking a picture of {self._device.serial} failed: {error!r}."))
        self._on_frame(frame)
        taken_s = (frame.arrived_ns - frame.started_ns) / 1e9
        return HURRY_S if self._hurried else max(CALM_S, taken_s)

    def _failed(self, error: DeviceError) -> float:
        if not self._stopping:
            self._on_failure(error)
        return LOST_S
