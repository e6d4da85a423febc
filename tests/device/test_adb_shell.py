import socket
import struct
import time
from collections.abc import Iterator

import pytest

from odyssey_recorder.device.adb_shell import ShellStream

OUTPUT, ERRORS, EXIT = 1, 2, 3


def packet(kind: int, payload: bytes) -> bytes:
    return struct.pack("<BI", kind, len(payload)) + payload


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    device, ours = socket.socketpair()
    with device, ours:
        yield device, ours


@pytest.fixture
def device(pair: tuple[socket.socket, socket.socket]) -> socket.socket:
    return pair[0]


@pytest.fixture
def stream(pair: tuple[socket.socket, socket.socket]) -> ShellStream:
    return ShellStream(pair[1], time.monotonic() + 20, 0)


def test_output_errors_and_exit_code_are_separated(device: socket.socket, stream: ShellStream) -> None:
    device.sendall(packet(OUTPUT, b"one ") + packet(ERRORS, b"[Warning] "))
    device.sendall(packet(OUTPUT, b"two") + packet(ERRORS, b"again") + packet(EXIT, b"\x07"))
    assert stream.read() == b"one two"
    assert stream.errors == "[Warning] again"
    assert stream.exit_code == 7


def test_buffer_is_filled_across_packets(device: socket.socket, stream: ShellStream) -> None:
    unknown = packet(9, b"window size?")
    device.sendall(packet(OUTPUT, b"abc") + unknown + packet(OUTPUT, b"defgh") + packet(EXIT, b"\0"))
    first, second = bytearray(5), bytearray(5)

    assert stream.read_into(memoryview(first)) == 5
    assert stream.read_into(memoryview(second)) == 3
    assert first == b"abcde"
    assert second == b"fgh\0\0"


@pytest.mark.parametrize("sent", [b"", b"\x01\x05", packet(OUTPUT, b"abc")[:-1], packet(OUTPUT, b"abc")])
def test_stream_without_exit_code_is_an_error(device: socket.socket, stream: ShellStream, sent: bytes) -> None:
    device.sendall(sent)
    device.close()
    with pytest.raises(EOFError, match=f"after {len(sent)} bytes"):
        stream.read()


def test_endless_command_times_out(pair: tuple[socket.socket, socket.socket]) -> None:
    device, ours = pair
    device.sendall(packet(OUTPUT, b"a little"))
    stream = ShellStream(ours, time.monotonic() + 0.05, 0)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            stream.read()


def test_available_output_is_returned_at_once(device: socket.socket, stream: ShellStream) -> None:
    device.sendall(packet(OUTPUT, b"abc") + packet(ERRORS, b"!"))
    assert stream.read_some() == b"abc"
    device.sendall(packet(OUTPUT, b"defgh")[:-2])
    assert stream.read_some() == b"def"
    device.sendall(b"gh" + packet(EXIT, b"\x07"))
    assert stream.read_some() == b"gh"
    assert stream.read_some() == b""
    assert (stream.errors, stream.exit_code) == ("!", 7)


def test_output_time_is_that_of_its_first_byte(device: socket.socket, stream: ShellStream) -> None:
    device.sendall(packet(ERRORS, b"slow") + packet(OUTPUT, b"ab"))
    before_ns = time.monotonic_ns()
    stream.read_into(memoryview(bytearray(2)))
    came_ns = time.monotonic_ns()
    device.sendall(packet(OUTPUT, b"cd") + packet(EXIT, b"\0"))
    stream.read()

    assert before_ns <= stream.output_ns <= came_ns
