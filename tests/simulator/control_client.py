"""A client of the gRPC service that encodes its messages by hand and shares no code with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from odyssey_simulator.emulator import SimulatedEmulator

SERVICE = "/android.emulation.control.EmulatorController/"
TIMEOUT_S = 60.0

Metadata = tuple[tuple[str, str | bytes], ...]


def varint(number: int) -> bytes:
    last = number & 0x7F
    return bytes([last]) if number < 0x80 else bytes([last | 0x80]) + varint(number >> 7)


def message(*fields: tuple[int, int | bytes | str]) -> bytes:
    """A message of fields by number; bytes are text, bytes or another message."""
    encoded = b""
    for number, value in fields:
        if isinstance(value, int):
            encoded += varint(number << 3) + varint(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            encoded += varint(number << 3 | 2) + varint(len(content)) + content
    return encoded


class Fields:
    def __init__(self, encoded: bytes) -> None:
        self.encoded = encoded
        self._values: dict[int, list[int | bytes]] = {}
        position = 0
        while position < len(encoded):
            key, position = _varint_at(encoded, position)
            value, position = _varint_at(encoded, position)
            content: int | bytes = value
            if key & 7 == 2:
                content, position = encoded[position : position + value], position + value
            self._values.setdefault(key >> 3, []).append(content)

    def number(self, field: int) -> int:
        """A number or an enum; 0 if missing."""
        [value] = self._values.get(field, [0])
        assert isinstance(value, int)
        return value

    def content(self, field: int) -> bytes:
        """Bytes or text; empty if missing."""
        [value] = self._values.get(field, [b""])
        assert isinstance(value, bytes)
        return value

    def messages(self, field: int) -> list["Fields"]:
        return [Fields(value) for value in self._values.get(field, []) if isinstance(value, bytes)]

    def message(self, field: int) -> "Fields":
        """A message; an empty one if missing."""
        return Fields(self.content(field))


def _varint_at(encoded: bytes, position: int) -> tuple[int, int]:
    number, shift = 0, 0
    while True:
        byte = encoded[position]
        number |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return number, position


def status_of(error: grpc.RpcError) -> tuple[grpc.StatusCode, str]:
    """The code and the details of a failed call."""
    assert isinstance(error, grpc.Call)
    return error.code(), error.details() or ""


class Stream:
    """A stream of answers; `next` raises grpc.RpcError at its end."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def next(self) -> Fields:
        answer: Fields = next(self._call)
        return answer

    def cancel(self) -> None:
        self._call.cancel()


class Client:
    """One connection to a service; `token` is sent with every call, None sends no header at all."""

    def __init__(self, address: str, token: str | None) -> None:
        options = [
            ("grpc.max_receive_message_length", -1),
            ("grpc.max_reconnect_backoff_ms", 200),
            # Unread frames must queue at the server, not in the connection.
            ("grpc.http2.bdp_probe", 0),
        ]
        self._channel = grpc.insecure_channel(address, options=options)
        self.token = token

    def call(self, name: str, request: bytes = b"", *, timeout_s: float = TIMEOUT_S) -> Fields:
        """Raises grpc.RpcError."""
        method = self._channel.unary_unary(SERVICE + name, request_serializer=_identity, response_deserializer=Fields)
        answer: Fields = method(request, timeout=timeout_s, metadata=self._metadata(), wait_for_ready=True)
        return answer

    def stream(self, name: str, request: bytes = b"") -> "Stream":
        method = self._channel.unary_stream(SERVICE + name, request_serializer=_identity, response_deserializer=Fields)
        return Stream(method(request, timeout=TIMEOUT_S, metadata=self._metadata(), wait_for_ready=True))

    def close(self) -> None:
        self._channel.close()

    def _metadata(self) -> Metadata:
        return () if self.token is None else (("authorization", f"Bearer {self.token}"),)


@contextmanager
def client_of(emulator: SimulatedEmulator) -> Iterator[Client]:
    assert emulator.control is not None
    client = Client(emulator.control.address, emulator.control.token)
    try:
        yield client
    finally:
        client.close()


def _identity(request: bytes) -> bytes:
    return request
