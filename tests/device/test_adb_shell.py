import socket
import struct
import time
from collections.abc import Iterator

import pytest

from odyssey_recorder.device.adb_shell import ShellStream

OUTPUT, ERRORS, EXIT = 1, 2, 3


def packet(kind: int, payload: bytes) -> bytes:
    return struct.pack("<BI", kind, len(payload)) + payload


def in_a_while() -> float:
    return time.monotonic() + 20


Ends = tuple[socket.socket, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    device, ours = socket.socketpair()
    with device, ours:
        yield device, ours


def test_output_and_errors_are_kept_apart_and_the_exit_code_ends_them(ends: Ends) -> None:
    device, ours = ends
    stream = ShellStream(ours, in_a_while(), 0)
    device.sendall(
        packet(OUTPUT, b"one ")
        + packet(ERRORS, b"[Warning] ")
        + packet(OUTPUT, b"two")
        + packet(ERRORS, b"again")
        + packet(EXIT, b"\x07")
    )

    assert stream.read() == b"one two"
    assert stream.errors == "[Warning] again"
    assert stream.exit_code == 7


def test_memory_is_filled_across_packets_and_no_further_than_asked(ends: Ends) -> None:
    device, ours = ends
    stream = ShellStream(ours, in_a_while(), 0)
    unknown = packet(9, b"window size?")
    device.sendall(packet(OUTPUT, b"abc") + unknown + packet(OUTPUT, b"defgh") + packet(EXIT, b"\0"))
    first, second = bytearray(5), bytearray(5)

    assert stream.read_into(memoryview(first)) == 5
    assert stream.read_into(memoryview(second)) == 3
    assert first == b"abcde"
    assert second == b"fgh\0\0"


@pytest.mark.parametrize("sent", [b"", b"\x01\x05", packet(OUTPUT, b"abc")[:-1], packet(OUTPUT, b"abc")])
def test_a_stream_that_ends_without_an_exit_code_broke_off(ends: Ends, sent: bytes) -> None:
    device, ours = ends
    device.sendall(sent)
    device.close()

    with pytest.raises(EOFError, match=f"after {len(sent)} bytes"):
        ShellStream(ours, in_a_while(), 0).read()


def test_a_command_that_prints_on_and_on_runs_out_of_time(ends: Ends) -> None:
    device, ours = ends
    device.sendall(packet(OUTPUT, b"a little"))
    stream = ShellStream(ours, time.monotonic() + 0.05, 0)

    with pytest.raises(TimeoutError):
        stream.read()
    with pytest.raises(TimeoutError):
        stream.read()


def test_what_has_come_is_given_at_once_and_not_kept_for_more(ends: Ends) -> None:
    device, ours = ends
    stream = ShellStream(ours, None, 0)

    device.sendall(packet(OUTPUT, b"abc") + packet(ERRORS, b"!"))
    assert stream.read_some() == b"abc"
    device.sendall(packet(OUTPUT, b"defgh")[:-2])
    assert stream.read_some() == b"def"
    device.sendall(b"gh" + packet(EXIT, b"\x07"))
    assert stream.read_some() == b"gh"
    assert stream.read_some() == b""
    assert (stream.errors, stream.exit_code) == ("!", 7)


def test_output_is_dated_by_its_first_byte_however_long_the_rest_takes(ends: Ends) -> None:
    device, ours = ends
    stream = ShellStream(ours, in_a_while(), 0)
    device.sendall(packet(ERRORS, b"slow") + packet(OUTPUT, b"ab"))
    before_ns = time.monotonic_ns()
    stream.read_into(memoryview(bytearray(2)))
    came_ns = time.monotonic_ns()
    device.sendall(packet(OUTPUT, b"cd") + packet(EXIT, b"\0"))
    stream.read()

    assert before_ns <= stream.output_ns <= came_ns
