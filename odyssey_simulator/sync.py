"""The file transfer protocol inside adb's `sync:` service: stat, list, send and receive, in both versions.

Each request is a four-letter id, a little-endian length and that many bytes of path. Version 1 answers stat
and list with 32-bit fields; version 2 (`STA2`, `LST2`, `LIS2`, offered as `stat_v2` and `ls_v2`) with wider ones
and an error number. Content travels as `DATA` chunks of at most 64 KiB and ends with `DONE`.
"""

import struct
from errno import ENOENT

from odyssey_simulator.adbd import Stream
from odyssey_simulator.files import Files, Inode

_REQUEST = struct.Struct("<4sI")
_STAT_V1 = struct.Struct("<4s3I")
_ENTRY_V1 = struct.Struct("<4s4I")
_STAT_V2 = struct.Struct("<4sI2Q4IQ3q")
_ENTRY_V2 = struct.Struct("<4sI2Q4IQ3qI")
_CHUNK = 64 * 1024
_DEVICE_NUMBER, _OWNER = 1, 2000


async def sync_service(files: Files, stream: Stream) -> None:
    transfer = _Transfer(files, stream)
    while await transfer.serve_request():
        pass


class _Transfer:
    def __init__(self, files: Files, stream: Stream) -> None:
        self._files = files
        self._stream = stream

    async def serve_request(self) -> bool:
        """False when the host has finished."""
        request, length = _REQUEST.unpack(await self._stream.read_exactly(_REQUEST.size))
        path = (await self._stream.read_exactly(length)).decode(errors="replace") if request != b"QUIT" else ""
        match request:
            case b"STAT":
                await self._stream.write(self._stat_v1(path))
            case b"STA2" | b"LST2":
                await self._stream.write(self._stat_v2(request, path))
            case b"LIST" | b"LIS2":
                await self._list(path, is_v2=request == b"LIS2")
            case b"RECV":
                await self._send_to_host(path)
            case b"SEND":
                await self._receive_from_host(path)
            case b"QUIT":
                return False
            case _:
                await self._fail(f"unknown command {request!r}")
                return False
        return True

    def _stat_v1(self, path: str) -> bytes:
        inode = self._found(path)
        if inode is None:
            return _STAT_V1.pack(b"STAT", 0, 0, 0)
        return _STAT_V1.pack(b"STAT", inode.mode, len(inode.content), inode.mtime_s)

    def _stat_v2(self, request: bytes, path: str) -> bytes:
        inode = self._found(path)
        fields = (ENOENT, *(0,) * 10) if inode is None else (0, *_fields_v2(path, inode))
        return _STAT_V2.pack(request, *fields)

    async def _list(self, path: str, *, is_v2: bool) -> None:
        inode = self._found(path)
        if inode is not None and inode.is_folder:
            for name in (".", "..", *self._files.names(path)):
                full = f"{path}/{name}"
                await self._stream.write(self._entry(full, name.encode(), is_v2=is_v2))
        end = _ENTRY_V2.pack(b"DONE", *(0,) * 12) if is_v2 else _ENTRY_V1.pack(b"DONE", 0, 0, 0, 0)
        await self._stream.write(end)

    def _entry(self, path: str, name: bytes, *, is_v2: bool) -> bytes:
        inode = self._files.inode(path)
        if is_v2:
            return _ENTRY_V2.pack(b"DNT2", 0, *_fields_v2(path, inode), len(name)) + name
        return _ENTRY_V1.pack(b"DENT", inode.mode, len(inode.content), inode.mtime_s, len(name)) + name

    async def _send_to_host(self, path: str) -> None:
        try:
            content = memoryview(self._files.read(path))
        except FileNotFoundError:
            await self._fail("open failed: No such file or directory")
            return
        except IsADirectoryError:
            await self._fail("read failed: Is a directory")
            return
        for start in range(0, len(content), _CHUNK):
            piece = content[start : start + _CHUNK]
            await self._stream.write_packet(_REQUEST.pack(b"DATA", len(piece)), piece)
        await self._stream.write(_REQUEST.pack(b"DONE", 0))

    async def _receive_from_host(self, path_and_mode: str) -> None:
        path, _, mode = path_and_mode.rpartition(",")
        content = bytearray()
        while True:
            kind, length = _REQUEST.unpack(await self._stream.read_exactly(_REQUEST.size))
            if kind != b"DATA":
                break
            content += await self._stream.read_exactly(length)
        try:
            self._files.write(path, bytes(content), mode=int(mode, 0), mtime_s=length)
        except (FileNotFoundError, NotADirectoryError):
            await self._fail(f"couldn't create file: {path}: No such file or directory")
        except IsADirectoryError:
            await self._fail(f"couldn't create file: {path}: Is a directory")
        else:
            await self._stream.write(_REQUEST.pack(b"OKAY", 0))

    async def _fail(self, message: str) -> None:
        text = message.encode()
        await self._stream.write(_REQUEST.pack(b"FAIL", len(text)) + text)

    def _found(self, path: str) -> Inode | None:
        try:
            return self._files.inode(path)
        except FileNotFoundError:
            return None


def _fields_v2(path: str, inode: Inode) -> tuple[int, ...]:
    number = hash(path) & 0xFFFFFFFF
    times = (inode.mtime_s,) * 3
    return (_DEVICE_NUMBER, number, inode.mode, 1, _OWNER, _OWNER, len(inode.content), *times)
