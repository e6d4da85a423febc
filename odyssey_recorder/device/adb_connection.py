"""One connection to an adb server, as adbutils speaks it: the only module that knows the library.

It is loaded with the first question to a server, for it brings an HTTP client along that takes a while to load.
"""

import socket

from adbutils import AdbConnection
from adbutils import adb_path as adb_path
from adbutils.errors import AdbConnectionError as AdbConnectionError
from adbutils.errors import AdbError as AdbError
from adbutils.errors import AdbTimeout as AdbTimeout


class DeviceConnection(AdbConnection):
    """A connection to a server that is up; the library's own would start one, on a port of its choice."""

    def __init__(self, address: tuple[str, int], timeout_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        super().__init__(*address)

    def request(self, service: str) -> None:
        self.send_command(service)
        self.check_okay()  # type: ignore[no-untyped-call]

    def ask(self, request: str) -> str:
        """The answer of the server itself, such as to ``host:version``."""
        self.request(request)
        return str(self.read_string_block())

    def _safe_connect(self) -> socket.socket:
        return socket.create_connection(self._address, self._timeout_s)
