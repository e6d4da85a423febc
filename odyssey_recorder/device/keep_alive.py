"""Keeps an emulator running that ends some minutes after its last gRPC call, whatever adb does.

Android Studio starts its emulators so (`-idle-grpc-timeout 300`).
"""

import logging
import threading
from collections.abc import Callable
from contextlib import closing

from odyssey_recorder.device.discovery import ControlEndpoint
from odyssey_recorder.device.emulator_grpc import EmulatorControl
from odyssey_recorder.device.jwt import Credentials
from odyssey_recorder.errors import DeviceError

_log = logging.getLogger(__name__)


def keep_alive(
    serial: str, find: Callable[[], ControlEndpoint | None], closed: threading.Event, *, every_s: float = 60.0
) -> None:
    """Call the emulator now and then on a thread, until `closed`. A failed call is only logged: adb does the work."""

    def call_regularly() -> None:
        is_closed = False
        while not is_closed:
            try:
                if (endpoint := find()) is not None:
                    credentials = Credentials(endpoint, closed.wait)
                    with closing(EmulatorControl(serial, endpoint.address, credentials)) as control:
                        control.has_keyboard()
            except DeviceError as error:
                _log.info("%s could not be kept alive over gRPC: %s", serial, error)
            is_closed = closed.wait(every_s)

    threading.Thread(target=call_regularly, name=f"keeps {serial} alive", daemon=True).start()
