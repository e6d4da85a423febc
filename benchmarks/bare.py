"""The floors: the least work for a frame over adb, a frame over gRPC, and a touch over gRPC."""

import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import grpc
from google.protobuf.empty_pb2 import Empty

from odyssey_recorder.device import emulator_control_pb2 as pb
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.discovery import find_control
from odyssey_recorder.device.emulator_grpc import FrameMemory
from odyssey_recorder.device.jwt import Credentials
from odyssey_recorder.model.geometry import Size

_SCREENCAP = "shell,v2,raw:screencap"
_HEADER_BYTES = 16
_SERVICE = "/android.emulation.control.EmulatorController/"
_OPTIONS = (("grpc.max_receive_message_length", -1), ("grpc.use_local_subchannel_pool", 1))


class BareAdb:
    def __init__(self, server: AdbServer, serial: str, size: Size) -> None:
        self._address = server.host, server.port
        self._serial = serial
        self._buffer = memoryview(bytearray(_HEADER_BYTES + size.width * size.height * 4))

    def capture(self) -> None:
        """Read one frame, packet by packet of the shell protocol, and drop it."""
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


class BareControl:
    def __init__(self, serial: str, running: Path) -> None:
        endpoint = find_control(serial, [running])
        if endpoint is None:
            raise ConnectionError(f"{serial} has no gRPC service")
        self._metadata = Credentials(endpoint).metadata()
        self._channel = grpc.insecure_channel(endpoint.address, _OPTIONS)
        self._send_touch = self._channel.unary_unary(
            f"{_SERVICE}sendTouch", pb.TouchEvent.SerializeToString, Empty.FromString
        )
        self._get_screenshot = self._channel.unary_unary(
            f"{_SERVICE}getScreenshot", pb.ImageFormat.SerializeToString, pb.Image.FromString
        )
        self._stream = self._channel.unary_stream(
            f"{_SERVICE}streamScreenshot", pb.ImageFormat.SerializeToString, pb.Image.FromString
        )

    def capture(self) -> None:
        self._get_screenshot(pb.ImageFormat(format=pb.ImageFormat.RGB888), metadata=self._metadata)

    def touch(self, x: int, y: int, pressure: int) -> None:
        """A pressure of 0 lifts the finger."""
        self._send_touch(pb.TouchEvent(touches=[pb.Touch(x=x, y=y, pressure=pressure)]), metadata=self._metadata)

    @contextmanager
    def stream(self, shared: Size | None = None) -> Iterator[Iterator[bytes]]:
        """Pixels of the frames as they come; with `shared`, the screen's size, copied from shared memory."""
        wanted = pb.ImageFormat(format=pb.ImageFormat.RGB888)
        with ExitStack() as stack:
            memory = None
            if shared is not None:
                memory = FrameMemory(shared)
                stack.callback(memory.close)
                wanted.transport.channel = pb.ImageTransport.MMAP
                wanted.transport.handle = memory.uri
                wanted.width, wanted.height = shared.width, shared.height
            call = self._stream(wanted, metadata=self._metadata)
            stack.callback(call.cancel)
            yield (image.image if memory is None else memory.copy(memory.length) for image in call)

    def close(self) -> None:
        self._channel.close()


def _read(connection: socket.socket, wanted: int) -> bytes:
    data = b""
    while len(data) < wanted:
        data += connection.recv(wanted - len(data))
    return data
