"""One raw frame: our device against a bare socket loop, and against adbutils' own screenshot."""

import socket
import struct

from adbutils import AdbClient

from benchmarks.figure import Figure, in_turn
from odyssey_recorder.device.adb import AdbDevice, AdbServer

ROUNDS = 25
_SCREENCAP = "shell,v2,raw:screencap"
_HEADER_BYTES = 16


def measure(device: AdbDevice, server: AdbServer) -> list[Figure]:
    """The two figures of a frame."""
    frame = device.capture()
    floor = _BareSocket(server, device.serial, frame.size.width * frame.size.height * 4)
    theirs = AdbClient(host=server.host, port=server.port).device(device.serial)
    ours_s, floor_s = in_turn((device.capture, floor.capture), rounds=ROUNDS)
    again_s, theirs_s = in_turn((device.capture, theirs.screenshot), rounds=ROUNDS)
    return [
        Figure("a raw frame by device/adb.py", ours_s, "bare socket", floor_s, "<= 1.3"),
        Figure("the same, in turn with adbutils", again_s, "screenshot()", theirs_s, "<= 0.2"),
    ]


class _BareSocket:
    """The least that can be done: connect, name the device, ask, and read into a buffer that is there already."""

    def __init__(self, server: AdbServer, serial: str, pixel_bytes: int) -> None:
        self._address = server.host, server.port
        self._serial = serial
        self._buffer = memoryview(bytearray(_HEADER_BYTES + pixel_bytes))

    def capture(self) -> None:
        """Read one frame, packet by packet of the shell protocol, and forget it."""
        with socket.create_connection(self._address) as connection:
            self._ask(connection, f"host:transport:{self._serial}")
            self._ask(connection, _SCREENCAP)
            at = 0
            while at < len(self._buffer):
                _, length = struct.unpack("<BI", _read(connection, 5))
                end = at + length
                while at < end:
                    at += connection.recv_into(self._buffer[at:end])

    def _ask(self, connection: socket.socket, service: str) -> None:
        connection.sendall(f"{len(service):04x}{service}".encode())
        if _read(connection, 4) != b"OKAY":
            raise ConnectionError(f"adb refused {service}")


def _read(connection: socket.socket, wanted: int) -> bytes:
    data = b""
    while len(data) < wanted:
        data += connection.recv(wanted - len(data))
    return data
