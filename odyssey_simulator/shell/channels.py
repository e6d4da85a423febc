"""Inputs and outputs of the shell's programs: streams, pipes, files."""

import asyncio
import struct
from enum import IntEnum
from typing import Protocol

from odyssey_simulator.adbd import Buffer, Stream
from odyssey_simulator.files import Files

_FRAME_HEADER = struct.Struct("<BI")


class Sink(Protocol):
    """Raises BrokenPipeError once the reader is gone."""

    async def write(self, data: Buffer) -> None: ...


class Source(Protocol):
    """A program's input."""

    async def read(self) -> bytes:
        """The next bytes, as soon as there are any; empty at the end."""
        ...


class Discard:
    async def write(self, data: Buffer) -> None:
        pass

    async def read(self) -> bytes:
        return b""


class Pipe:
    """The writer blocks after a few chunks."""

    def __init__(self) -> None:
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue(maxsize=16)
        self._read_end_open = True

    async def write(self, data: Buffer) -> None:
        if not self._read_end_open:
            raise BrokenPipeError
        if len(data):
            await self._pieces.put(bytes(data))

    async def read(self) -> bytes:
        return await self._pieces.get()

    async def close_writing(self) -> None:
        if self._read_end_open:
            await self._pieces.put(b"")

    def close_reading(self) -> None:
        self._read_end_open = False
        while not self._pieces.empty():
            self._pieces.get_nowait()


class FileSink:
    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self._path = path

    async def write(self, data: Buffer) -> None:
        self._files.append(self._path, bytes(data))


class Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data

    async def read(self) -> bytes:
        data, self._data = self._data, b""
        return data


class PlainOutput:
    """Both outputs of `shell:` and `exec:`: a raw terminal, so that they are merged unchanged."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def write(self, data: Buffer) -> None:
        await self._stream.write(data)


class PlainInput:
    """The input of `shell:` and `exec:`; it only ends with the stream."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def read(self) -> bytes:
        return bytes(await self._stream.read())


class FrameId(IntEnum):
    """Frame types in the stream of a `shell,v2` service: one byte, followed by four bytes of length."""

    STDIN = 0
    STDOUT = 1
    STDERR = 2
    EXIT = 3
    CLOSE_STDIN = 4
    WINDOW_SIZE = 5


class FramedOutput:
    def __init__(self, stream: Stream, frame_id: FrameId) -> None:
        self._stream = stream
        self._frame_id = frame_id

    async def write(self, data: Buffer) -> None:
        view = memoryview(data)
        room = self._stream.max_payload - _FRAME_HEADER.size
        for start in range(0, len(view), room):
            piece = view[start : start + room]
            await self._stream.write_packet(_FRAME_HEADER.pack(self._frame_id, len(piece)), piece)


class FramedInput:
    """Standard input of a `shell,v2` service; ends when the host closes it."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def read(self) -> bytes:
        while True:
            frame_id, payload = await self._next_frame()
            if frame_id == FrameId.CLOSE_STDIN:
                return b""
            if frame_id == FrameId.STDIN and payload:
                return payload

    async def _next_frame(self) -> tuple[int, bytes]:
        frame_id, length = _FRAME_HEADER.unpack(await self._stream.read_exactly(_FRAME_HEADER.size))
        return frame_id, await self._stream.read_exactly(length)


async def send_exit_code(stream: Stream, code: int) -> None:
    """End a `shell,v2` service with the exit code of the command, as clients expect."""
    await stream.write_packet(_FRAME_HEADER.pack(FrameId.EXIT, 1), bytes([code & 0xFF]))
