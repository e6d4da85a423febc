"""The device side of the ADB protocol: how a real adb server connects to a device and opens streams on it.

The TCP connection carries *packets*: a header of six little-endian 32-bit words (command, two
arguments, length of the payload, a checksum that is ignored since version 0x01000001, and the command with
all bits flipped) and then the payload.

1. The adb server connects and sends ``CNXN(version, its largest payload, its banner)``. The device answers
   with its own ``CNXN`` at once: it asks for no signature (``AUTH``), so nobody has to confirm a dialog.
   The banner names the product and the *features* that both sides may use from then on. It has no
   trailing NUL: the server would take it for part of the last feature's name.
2. ``OPEN(server's stream id, 0, "shell,v2,raw:ls\\0")`` asks for a service. The device accepts with
   ``OKAY(its own stream id, server's stream id)`` or refuses with ``CLSE(0, server's stream id)``.
3. ``WRTE(own id, peer's id, bytes)`` moves data either way. The receiver answers ``OKAY`` when it has read
   them, and only then may the sender send more on this stream: one packet per stream is in flight.
4. ``CLSE(own id, peer's id)`` ends a stream from either side; the other side answers with its own ``CLSE``.
   The writer waits for the last ``OKAY`` before it closes, or the end of the data may be lost.

Streams share the connection but are independent.
"""

import asyncio
import logging
import socket
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

A_CNXN = int.from_bytes(b"CNXN", "little")
A_OPEN = int.from_bytes(b"OPEN", "little")
A_OKAY = int.from_bytes(b"OKAY", "little")
A_WRTE = int.from_bytes(b"WRTE", "little")
A_CLSE = int.from_bytes(b"CLSE", "little")

VERSION = 0x01000001

MAX_PAYLOAD = 1024 * 1024

FEATURES = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir")
"""What the device supports beyond the first protocol. Everything named here must work: adb relies on it."""

_HEADER = struct.Struct("<6I")
_JOINED_UP_TO = 16 * 1024

Buffer = bytes | bytearray | memoryview
Service = Callable[["Stream"], Awaitable[None]]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Packet:
    command: int
    arg0: int
    arg1: int
    payload: bytes | bytearray = b""


class Stream:
    def __init__(self, connection: "Connection", local_id: int, remote_id: int) -> None:
        self._connection = connection
        self._local_id = local_id
        self._remote_id = remote_id
        self._arrived: asyncio.Queue[bytes | bytearray] = asyncio.Queue()
        self._credit = asyncio.Semaphore(1)
        self._ahead = bytearray()

    @property
    def max_payload(self) -> int:
        return self._connection.max_payload

    async def read(self) -> bytes | bytearray:
        """Reading acknowledges the packet, so that the host may send another."""
        payload = await self._arrived.get()
        self._connection.send(A_OKAY, self._local_id, self._remote_id)
        return payload

    async def read_exactly(self, count: int) -> bytes:
        """Regardless of packet boundaries; not to be mixed with `read`."""
        while len(self._ahead) < count:
            self._ahead += await self.read()
        taken = bytes(self._ahead[:count])
        del self._ahead[:count]
        return taken

    async def write(self, data: Buffer) -> None:
        """Returns once the last packet is sent."""
        view = memoryview(data)
        for start in range(0, len(view), self.max_payload):
            await self.write_packet(view[start : start + self.max_payload])

    async def write_packet(self, *parts: Buffer) -> None:
        """After the previous packet was acknowledged."""
        await self._credit.acquire()
        self._connection.send(A_WRTE, self._local_id, self._remote_id, *parts)

    async def flush(self) -> None:
        async with self._credit:
            pass

    def deliver(self, payload: bytes | bytearray) -> None:
        self._arrived.put_nowait(payload)

    def acknowledge(self) -> None:
        self._credit.release()

    def send_close(self) -> None:
        self._connection.send(A_CLSE, self._local_id, self._remote_id)


class Connection:
    def __init__(self, sock: socket.socket, daemon: "AdbDaemon") -> None:
        self.max_payload = 4096
        self._sock = sock
        self._daemon = daemon
        self._streams: dict[int, tuple[Stream, asyncio.Task[None]]] = {}
        self._next_id = 1
        self._outbox: asyncio.Queue[tuple[Buffer, ...]] = asyncio.Queue()

    def send(self, command: int, arg0: int, arg1: int, *payload: Buffer) -> None:
        length = sum(len(part) for part in payload)
        header = _HEADER.pack(command, arg0, arg1, length, 0, command ^ 0xFFFFFFFF)
        if length <= _JOINED_UP_TO:
            self._outbox.put_nowait((b"".join((header, *payload)),))
        else:
            self._outbox.put_nowait((header, *payload))

    def cut(self) -> None:
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    async def serve(self) -> None:
        writer = asyncio.create_task(self._write_packets())
        try:
            while True:
                packet = await self._read_packet()
                await self._daemon.flowing.wait()
                self._handle(packet)
        except (EOFError, OSError):
            pass
        finally:
            tasks = [writer, *(task for _, task in self._streams.values())]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def close(self) -> None:
        self._sock.close()

    async def _read_packet(self) -> Packet:
        header = await self._read_exactly(_HEADER.size)
        command, arg0, arg1, length, _, magic = _HEADER.unpack(header)
        if magic != command ^ 0xFFFFFFFF or length > MAX_PAYLOAD:
            raise EOFError("what came is not a packet of the ADB protocol")
        return Packet(command, arg0, arg1, await self._read_exactly(length))

    async def _read_exactly(self, count: int) -> bytearray:
        loop = asyncio.get_running_loop()
        data = bytearray(count)
        view = memoryview(data)
        while view:
            received = await loop.sock_recv_into(self._sock, view)
            if received == 0:
                raise EOFError
            view = view[received:]
        return data

    async def _write_packets(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            parts = await self._outbox.get()
            await self._daemon.flowing.wait()
            for part in parts:
                await loop.sock_sendall(self._sock, part)

    def _handle(self, packet: Packet) -> None:
        if packet.command == A_CNXN:
            self.max_payload = min(packet.arg1, MAX_PAYLOAD)
            self.send(A_CNXN, VERSION, MAX_PAYLOAD, self._daemon.banner)
        elif packet.command == A_OPEN:
            self._open(packet.arg0, bytes(packet.payload).rstrip(b"\0").decode(errors="replace"))
        elif packet.arg1 in self._streams:
            self._handle_on_stream(packet, *self._streams[packet.arg1])

    def _handle_on_stream(self, packet: Packet, stream: Stream, task: asyncio.Task[None]) -> None:
        if packet.command == A_WRTE:
            stream.deliver(packet.payload)
        elif packet.command == A_OKAY:
            stream.acknowledge()
        elif packet.command == A_CLSE:
            task.cancel()

    def _open(self, remote_id: int, name: str) -> None:
        service = self._daemon.service_named(name)
        if service is None:
            self.send(A_CLSE, 0, remote_id)
            return
        local_id = self._next_id
        self._next_id += 1
        stream = Stream(self, local_id, remote_id)
        self.send(A_OKAY, local_id, remote_id)
        task = asyncio.create_task(_run(service, stream))
        self._streams[local_id] = (stream, task)

        def close(_: asyncio.Task[None]) -> None:
            del self._streams[local_id]
            stream.send_close()

        # Not at the end of the service itself: if cancelled before it starts, it never gets there.
        task.add_done_callback(close)


async def _run(service: Service, stream: Stream) -> None:
    try:
        await service(stream)
        await stream.flush()
    except Exception:  # noqa: BLE001 - top of a task; only its stream is closed
        _log.exception("A service of the simulated device failed.")


class AdbDaemon:
    def __init__(self, banner: str, service_named: Callable[[str], Service | None]) -> None:
        self.banner = banner.encode()
        self.service_named = service_named
        self.flowing = asyncio.Event()
        self.flowing.set()
        self._accepting: asyncio.Task[None] | None = None
        self._serving: dict[asyncio.Task[None], Connection] = {}

    def listen(self, listener: socket.socket) -> None:
        listener.listen()
        listener.setblocking(False)
        self._accepting = asyncio.create_task(self._accept(listener))

    @property
    def is_listening(self) -> bool:
        return self._accepting is not None

    @property
    def is_connected(self) -> bool:
        return bool(self._serving)

    def cut_connections(self) -> None:
        for connection in self._serving.values():
            connection.cut()

    async def hang_up(self) -> None:
        self.cut_connections()
        tasks = list(self._serving)
        if self._accepting is not None:
            tasks.append(self._accepting)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._accepting = None

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with listener:
            while True:
                sock, _ = await loop.sock_accept(listener)
                sock.setblocking(False)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._start(Connection(sock, self))

    def _start(self, connection: Connection) -> None:
        task = asyncio.create_task(connection.serve())
        self._serving[task] = connection
        task.add_done_callback(lambda done: self._serving.pop(done).close())


def banner(properties: dict[str, str]) -> str:
    named = ("ro.product.name", "ro.product.model", "ro.product.device")
    stated = "".join(f"{name}={properties[name]};" for name in named)
    return f"device::{stated}features={','.join(FEATURES)}"
