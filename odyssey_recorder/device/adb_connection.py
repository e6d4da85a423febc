"""One connection to an adb server; the only module that uses adbutils, whose HTTP client is slow to import."""

import socket

from adbutils import AdbConnection
from adbutils import adb_path as adb_path
from adbutils.errors import AdbConnectionError as AdbConnectionError
from adbutils.errors import AdbError as AdbError
from adbutils.errors import AdbTimeout as AdbTimeout


class DeviceConnection(AdbConnection):
    """A connection to a running server; adbutils's own would start one, on a port of its choice."""

    def __init__(self, address: tuple[str, int], timeout_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        super().__init__(*address)

    def request(self, service: str) -> None:
        self.send_command(service)
        self.check_okay()  # type: ignore[no-untyped-call]

    def ask(self, request: str) -> str:
        self.request(request)
        return str(self.read_string_block())

    def _safe_connect(self) -> socket.socket:
        return socket.create_connection(self._address, self._timeout_s)
