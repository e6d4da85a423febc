import socket
import struct
from collections.abc import Iterator

import pytest

from tests.simulator.bench import Bench

CNXN, OPEN, OKAY, WRTE, CLSE = b"CNXN", b"OPEN", b"OKAY", b"WRTE", b"CLSE"
Packet = tuple[bytes, int, int, bytes]


class Host:
    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)

    def send(self, command: bytes, arg0: int, arg1: int, payload: bytes = b"") -> None:
        number = int.from_bytes(command, "little")
        header = struct.pack("<6I", number, arg0, arg1, len(payload), 0, number ^ 0xFFFFFFFF)
        self.socket.sendall(header + payload)

    def receive(self) -> Packet:
        command, arg0, arg1, length, _, _ = struct.unpack("<4s5I", self._take(24))
        return command, arg0, arg1, self._take(length)

    def connect(self, *, max_payload: int = 1024 * 1024) -> Packet:
        self.send(CNXN, 0x01000001, max_payload, b"host::features=shell_v2,delayed_ack\0")
        return self.receive()

    def open(self, service: bytes) -> int:
        """Open stream 7 and return the device's own number for it."""
        self.send(OPEN, 7, 0, service + b"\0")
        command, device_id, host_id, _ = self.receive()
        assert (command, host_id) == (OKAY, 7)
        return device_id

    def _take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            received = self.socket.recv(count - len(data))
            assert received, "the device hung up"
            data += received
        return data


@pytest.fixture
def host(bench: Bench) -> Iterator[Host]:
    host_connection = Host(bench.emulator.adb_port)
    yield host_connection
    host_connection.socket.close()


def test_handshake_returns_device_name_and_features(host: Host) -> None:
    command, version, max_payload, banner = host.connect()
    assert (command, version, max_payload) == (CNXN, 0x01000001, 1024 * 1024)
    assert banner.startswith(b"device::ro.product.name=sdk_gphone64_x86_64;")
    assert banner.endswith(b";features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"), "no NUL at the end"


def test_unknown_service_is_closed(host: Host) -> None:
    host.connect()
    host.send(OPEN, 7, 0, b"reboot:bootloader\0")
    assert host.receive() == (CLSE, 0, 7, b"")


def test_next_packet_waits_for_the_acknowledgement(host: Host) -> None:
    # given a frame that takes several packets
    host.connect(max_payload=65536)
    device_id = host.open(b"shell,v2,raw:screencap")
    header = host.receive()
    assert header[:3] == (WRTE, device_id, 7)

    # when the host says nothing but pings on another stream
    host.send(OPEN, 8, 0, b"shell:echo ping\0")

    # then only the other stream goes on
    other = host.receive()
    assert (other[0], other[2]) == (OKAY, 8)
    assert host.receive() == (WRTE, other[1], 8, b"ping\n")
    host.send(OKAY, 7, device_id)
    command, sender, receiver, payload = host.receive()
    assert (command, sender, receiver, len(payload)) == (WRTE, device_id, 7, 65536)


def test_stream_closes_after_its_last_packet_is_acknowledged(host: Host) -> None:
    host.connect()
    device_id = host.open(b"exec:echo last")
    assert host.receive() == (WRTE, device_id, 7, b"last\n")

    host.send(OPEN, 8, 0, b"nothing:\0")
    assert host.receive() == (CLSE, 0, 8, b""), "nothing else came in between"
    host.send(OKAY, 7, device_id)

    assert host.receive() == (CLSE, device_id, 7, b"")


def test_closing_a_stream_ends_its_program(host: Host) -> None:
    host.connect()
    device_id = host.open(b"shell:sleep 1000")
    host.send(CLSE, 7, device_id)
    assert host.receive() == (CLSE, device_id, 7, b"")


def test_stream_can_be_closed_before_its_service_starts(host: Host) -> None:
    host.connect()
    device_id = host.open(b"shell:echo first")
    assert host.receive()[0] == WRTE

    host.send(OPEN, 8, 0, b"shell:sleep 1000\0")
    host.send(CLSE, 8, device_id + 1)

    assert host.receive() == (OKAY, device_id + 1, 8, b"")
    assert host.receive() == (CLSE, device_id + 1, 8, b"")


def test_stale_packets_are_ignored_and_garbage_ends_the_connection(host: Host) -> None:
    host.connect()
    host.send(CLSE, 7, 4711)
    host.send(WRTE, 7, 4711, b"late")
    host.send(OKAY, 7, 4711)
    assert host.open(b"shell:echo still there") > 0

    host = Host(host.socket.getpeername()[1])
    with host.socket:
        host.socket.sendall(b"GET / HTTP/1.1\r\nHost: me")
        assert host.socket.recv(1) == b""
