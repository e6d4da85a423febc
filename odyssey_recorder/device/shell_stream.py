"""How what a command on the device prints comes back over a socket, within the whole command's time."""

import socket
import struct
import time
from contextlib import suppress
from typing import Protocol

_PACKET = struct.Struct("<BI")
_STDOUT, _STDERR, _EXIT = 1, 2, 3
_CHUNK_BYTES = 65536

_QUICK_ACK: int | None = getattr(socket, "TCP_QUICKACK", None)
"""Linux's switch for acknowledging at once, which lasts until the next bytes: without it a server that waits for the
acknowledgement holds the next small packet back, by 42 ms."""


class ShellStream(Protocol):
    """What one command prints, as it comes; `asked_ns` is when the command went out, on the host's monotonic clock.

    Reading raises `TimeoutError` when the command's time is over, `EOFError` where the stream breaks off.
    """

    asked_ns: int

    def read_into(self, memory: memoryview) -> int:
        """Fill `memory` and return how many bytes came: fewer only where the command has printed its last."""

    def read(self) -> bytes:
        """All that is still to come."""

    def read_some(self) -> bytes:
        """What has come, as soon as anything has; empty only where the command has printed its last."""

    def cut(self) -> None:
        """Break the stream off, also while another thread reads."""

    @property
    def errors(self) -> str:
        """What came on standard error so far; empty on a stream that does not keep it apart."""

    @property
    def exit_code(self) -> int:
        """The command's exit code once all was read; 0 on a stream that does not tell."""


class _TimedSocket:
    """Receives from a socket until a moment on the monotonic clock, or for ever."""

    def __init__(self, sock: socket.socket, expires_s: float | None) -> None:
        self._sock = sock
        self._expires_s = expires_s

    def receive_into(self, memory: memoryview) -> int:
        """Receive some bytes, at least one unless the stream has ended."""
        remaining_s = None if self._expires_s is None else self._expires_s - time.monotonic()
        if remaining_s is not None and remaining_s <= 0:
            raise TimeoutError
        self._sock.settimeout(remaining_s)
        return self._sock.recv_into(memory)

    def receive_some(self, most: int) -> bytes:
        """Receive what is there, up to `most` bytes, and have the sender know at once; empty at the stream's end."""
        chunk = memoryview(bytearray(most))
        received = self.receive_into(chunk)
        if _QUICK_ACK is not None:
            with suppress(OSError):  # it is but a wish, and no matter for a socket that has just been cut
                self._sock.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)
        return bytes(chunk[:received])

    def cut(self) -> None:
        """Let every receive, also one that waits, find the end."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def fill(self, memory: memoryview) -> int:
        """Fill `memory`; return how many bytes came before the end of the stream."""
        filled = 0
        while filled < len(memory):
            received = self.receive_into(memory[filled:])
            if received == 0:
                break
            filled += received
        return filled


class PlainStream:
    """The stream of `exec:` and `shell:`: standard output and errors in one, and no exit code."""

    errors = ""
    exit_code = 0

    def __init__(self, sock: socket.socket, expires_s: float | None, asked_ns: int = 0) -> None:
        self.asked_ns = asked_ns
        self._socket = _TimedSocket(sock, expires_s)

    def read_into(self, memory: memoryview) -> int:
        """As `ShellStream` says."""
        return self._socket.fill(memory)

    def read(self) -> bytes:
        """As `ShellStream` says."""
        output = bytearray()
        chunk = memoryview(bytearray(_CHUNK_BYTES))
        while received := self._socket.receive_into(chunk):
            output += chunk[:received]
        return bytes(output)

    def read_some(self) -> bytes:
        """As `ShellStream` says."""
        return self._socket.receive_some(_CHUNK_BYTES)

    def cut(self) -> None:
        """As `ShellStream` says."""
        self._socket.cut()


class PacketStream:
    """The stream of `shell,v2`: packets of standard output, of errors, and at last the exit code.

    A packet is its kind (one byte), the length of its payload (four, little-endian) and the payload. What is
    on standard output is received right where the caller wants it; the first of it came at `output_ns`.
    """

    def __init__(self, sock: socket.socket, expires_s: float | None, asked_ns: int = 0) -> None:
        self.asked_ns = asked_ns
        self.output_ns = 0
        self._socket = _TimedSocket(sock, expires_s)
        self._header = memoryview(bytearray(_PACKET.size))
        self._unread = 0
        self._received = 0
        self._errors = bytearray()
        self._exit_code: int | None = None

    @property
    def errors(self) -> str:
        """As `ShellStream` says."""
        return self._errors.decode(errors="replace")

    @property
    def exit_code(self) -> int:
        """As `ShellStream` says."""
        return self._exit_code or 0

    def read_into(self, memory: memoryview) -> int:
        """As `ShellStream` says."""
        filled = 0
        while filled < len(memory) and self._more_output():
            received = self._socket.receive_into(memory[filled : filled + self._unread])
            self._count(received)
            self._unread -= received
            filled += received
        return filled

    def read(self) -> bytes:
        """As `ShellStream` says."""
        output = bytearray()
        while self._more_output():
            chunk = bytearray(self._unread)
            self.read_into(memoryview(chunk))
            output += chunk
        return bytes(output)

    def read_some(self) -> bytes:
        """As `ShellStream` says."""
        if not self._more_output():
            return b""
        some = self._socket.receive_some(min(self._unread, _CHUNK_BYTES))
        self._count(len(some))
        self._unread -= len(some)
        return some

    def cut(self) -> None:
        """As `ShellStream` says."""
        self._socket.cut()

    def _more_output(self) -> bool:
        """Go on to the next byte of standard output; False at the end of the command."""
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

    def _fill(self, memory: memoryview) -> None:
        self._count(self._socket.fill(memory), len(memory))

    def _count(self, received: int, expected: int = 1) -> None:
        self._received += received
        if received < expected:
            raise EOFError(f"after {self._received} bytes")
