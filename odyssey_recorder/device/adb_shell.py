"""Runs commands on a device: one adb connection and one time limit for each."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odyssey_recorder.device.adb_server import AdbServer, device_errors
from odyssey_recorder.device.device import device_label
from odyssey_recorder.device.discovery import RunningAvd
from odyssey_recorder.device.open_sockets import OpenSockets
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError

if TYPE_CHECKING:
    from odyssey_recorder.device.adb_connection import DeviceConnection

ANSWER_S = 10.0

PART = "==part=="

_TRANSPORT_ID_BYTES = 8
_PACKET = struct.Struct("<BI")
_STDOUT, _STDERR, _EXIT = 1, 2, 3
_CHUNK_BYTES = 65536

_QUICK_ACK: int | None = getattr(socket, "TCP_QUICKACK", None)
"""Linux's switch to acknowledge at once, effective until the next bytes arrive: without it a server that waits for
the acknowledgement delays the next small packet by 42 ms."""


class ShellStream:
    """The output of one command as it arrives, by adb's `shell,v2` protocol.

    A packet is its kind (one byte), the length of its payload (four bytes, little-endian) and the payload: stdout,
    stderr, or finally the exit code. Reading raises TimeoutError or EOFError. `asked_ns` is when the command was
    sent, `output_ns` when its first output arrived, on the host's monotonic clock.
    """

    def __init__(self, sock: socket.socket, expires_s: float | None, asked_ns: int) -> None:
        """`expires_s` is on the monotonic clock; None for no limit."""
        self.asked_ns = asked_ns
        self.output_ns = 0
        self._socket = sock
        self._expires_s = expires_s
        self._header = memoryview(bytearray(_PACKET.size))
        self._unread = 0
        self._received = 0
        self._errors = bytearray()
        self._exit_code: int | None = None

    @property
    def errors(self) -> str:
        return self._errors.decode(errors="replace")

    @property
    def exit_code(self) -> int:
        """0 until all output has been read."""
        return self._exit_code or 0

    def read_into(self, memory: memoryview) -> int:
        filled = 0
        while filled < len(memory) and self._has_output():
            filled += self._output_into(memory[filled : filled + self._unread])
        return filled

    def read(self) -> bytes:
        output = bytearray()
        while self._has_output():
            chunk = bytearray(self._unread)
            self.read_into(memoryview(chunk))
            output += chunk
        return bytes(output)

    def read_some(self) -> bytes:
        """Empty only at the end of the output."""
        if not self._has_output():
            return b""
        chunk = memoryview(bytearray(min(self._unread, _CHUNK_BYTES)))
        received = self._output_into(chunk)
        if _QUICK_ACK is not None:
            with suppress(OSError):  # the socket may have been cut meanwhile
                self._socket.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)
        return bytes(chunk[:received])

    def cut(self) -> None:
        """Safe while another thread reads."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _has_output(self) -> bool:
        while self._unread == 0 and self._exit_code is None:
            self._fill(self._header)
            kind, length = _PACKET.unpack(self._header)
            if kind == _STDOUT:
                self._unread = length
                self.output_ns = self.output_ns or time.monotonic_ns()
                continue
            payload = bytearray(length)
            self._fill(memoryview(payload))
            if kind == _STDERR:
                self._errors += payload
            elif kind == _EXIT:
                self._exit_code = payload[0]
        return self._unread > 0

    def _output_into(self, memory: memoryview) -> int:
        received = self._receive_into(memory)
        self._unread -= received
        return received

    def _fill(self, memory: memoryview) -> None:
        filled = 0
        while filled < len(memory):
            filled += self._receive_into(memory[filled:])

    def _receive_into(self, memory: memoryview) -> int:
        remaining_s = None if self._expires_s is None else self._expires_s - time.monotonic()
        if remaining_s is not None and remaining_s <= 0:
            raise TimeoutError
        self._socket.settimeout(remaining_s)
        received = self._socket.recv_into(memory)
        if received == 0:
            raise EOFError(f"after {self._received} bytes")
        self._received += received
        return received


@dataclass(frozen=True, slots=True)
class CommandResult:
    output: str
    errors: str
    exit_code: int

    @property
    def text(self) -> str:
        return self.errors + self.output


class AdbShell:
    """The shell of one device, still valid after it reconnects; `on_lost` is called when the device is gone."""

    def __init__(self, serial: str, server: AdbServer, *, name: str = "", answer_s: float = ANSWER_S) -> None:
        self.serial = serial
        self.avd = RunningAvd(serial, 0)
        self.label = device_label(serial, name)
        self.answer_s = answer_s
        self._sockets = OpenSockets()
        self.closed = self._sockets.closed
        self.paused = threading.RLock()
        """Held during snapshot operations: commands, and their time limits, start only afterwards."""
        self.on_lost: Callable[[], None] = lambda: None
        self.server = server

    def ask(self, *commands: str) -> list[str]:
        """Run all commands in one shell line; returns the stripped output of each."""
        output = self.run(f"; echo {PART}; ".join(commands)).output
        parts = [part.strip() for part in output.split(PART)]
        if len(parts) != len(commands):
            raise DeviceError(f"{self.label} answered {len(parts)} of {len(commands)} commands. Try again.")
        return parts

    def run(self, command: str, timeout_s: float | None = None) -> CommandResult:
        with self.running(command, timeout_s) as stream:
            output = stream.read().decode(errors="replace")
            return CommandResult(output, stream.errors, stream.exit_code)

    @contextmanager
    def running(self, command: str, timeout_s: float | None = None, *, endless: bool = False) -> Iterator[ShellStream]:
        """The time limit of an `endless` command ends with its start. Raises DeviceError."""
        with self.paused:
            pass
        timeout_s = self.answer_s if timeout_s is None else timeout_s
        try:
            with device_errors(self.label):
                expires_s = None if endless else time.monotonic() + timeout_s
                with self._connected(timeout_s) as connection:
                    connection.request(f"host:tport:serial:{self.serial}")
                    connection.read_exact(_TRANSPORT_ID_BYTES)
                    asked_ns = time.monotonic_ns()
                    connection.request(f"shell,v2,TERM=dumb,raw:{command}")
                    yield ShellStream(connection.conn, expires_s, asked_ns)
        except DeviceError as error:
            if self.closed.is_set():
                raise DeviceDisconnectedError(f"The connection to {self.label} was closed.") from error
            if isinstance(error, DeviceDisconnectedError):
                self.on_lost()
            raise

    def close(self) -> None:
        """Makes running and later commands raise `DeviceDisconnectedError`."""
        self._sockets.close()

    @contextmanager
    def _connected(self, timeout_s: float) -> Iterator["DeviceConnection"]:
        connection = self.server.connect(timeout_s)
        with connection.conn as sock, self._sockets.using(sock):
            yield connection
