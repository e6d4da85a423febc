"""Reads the device's input events and dates them on the host's clock."""

import logging
import threading
from collections.abc import Callable

from odyssey_recorder.device.clock import DeviceClock
from odyssey_recorder.device.device import InputEvents
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gesture.contacts import Contact, ContactLost, ContactTracker, TouchUpdate
from odyssey_recorder.gesture.getevent import InputEvent, LineBuffer, parse_line
from odyssey_recorder.recording.events import ClockJumped, InputBroke, InputFollowed, InputHeard

Report = InputFollowed | InputBroke | InputHeard | ClockJumped

RECONNECT_S = 0.5
"""Between the end of one `getevent` and the start of the next."""

FIRST_READINGS = 5
"""The device reports its clock in coarse steps; several readings together are more precise."""

_log = logging.getLogger(__name__)


class InputListener:
    """Follows a device's input until it is stopped, and reconnects after each break; reports from its own thread."""

    def __init__(self, device: InputEvents, report: Callable[[Report], None]) -> None:
        self._device = device
        self._report = report
        self._lock = threading.Lock()
        self._clock: DeviceClock | None = None  # guarded by _lock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"input of {device.serial}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop listening; does not wait for the thread."""
        self._stopping.set()
        self._device.leave_input()

    def join(self) -> None:
        self._thread.join()

    def check_clock(self) -> bool:
        """Read the device's clock; return False if it was changed. From any thread. Raises DeviceError."""
        reading = self._device.read_clock()
        with self._lock:
            agrees = self._clock is None or self._clock.read(reading)
            self._clock = self._clock or DeviceClock(reading)
        return agrees

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                reason = self._listen()
            except DeviceError as error:
                reason = str(error)
            except Exception as error:  # noqa: BLE001 - top of a thread; a broken listener must be reported
                _log.exception("Listening to the input of %s broke", self._device.serial)
                reason = f"Listening to {self._device.label} failed: {error!r}."
            if not self._stopping.is_set():
                self._report(InputBroke(reason))
            self._stopping.wait(RECONNECT_S)

    def _listen(self) -> str:
        nodes = self._device.input_nodes()
        if any(not self.check_clock() for _ in range(FIRST_READINGS)):
            self._report(ClockJumped())
        tracker, lines = ContactTracker(), LineBuffer()
        is_connected = False

        def take(data: bytes, arrived_ns: int) -> None:
            nonlocal is_connected
            if not is_connected:
                is_connected = True
                self._report(InputFollowed(nodes))
                if self._stopping.is_set():
                    self._device.leave_input()
            for line in lines.feed(data):
                message = parse_line(line)
                if isinstance(message, InputEvent):
                    self._check_time(message.time_us, arrived_ns)
                for news in tracker.feed(message) if message is not None else ():
                    self._report_input(news, arrived_ns)

        try:
            self._device.follow_input(take)
        finally:
            for news in tracker.close():
                self._report_input(news, 0)
        return f"getevent has ended on {self._device.label}."

    def _check_time(self, device_us: int, arrived_ns: int) -> None:
        with self._lock:
            is_plausible = self._clock is None or self._clock.observe(device_us, arrived_ns)
        if not is_plausible:
            self._report(ClockJumped())

    def _report_input(self, news: TouchUpdate, arrived_ns: int) -> None:
        with self._lock:
            assert self._clock is not None, "it is read before anything is observe"
            moment = self._clock.moment(_began_us(news))
        self._report(InputHeard(news, moment.at_ns, moment.uncertainty_ns, arrived_ns or moment.at_ns))


def _began_us(news: TouchUpdate) -> int:
    """When the input began, on the device's clock."""
    match news:
        case Contact(samples=samples):
            return samples[0].time_us
        case ContactLost(began_us=began_us):
            return began_us
        case _:
            return news.time_us
