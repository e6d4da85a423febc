"""The environment of a shell program: arguments, standard streams, and the system it runs on."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from odyssey_simulator.guest import Guest
from odyssey_simulator.shell.channels import Sink, Source


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    args: tuple[str, ...]
    guest: Guest
    stdin: Source
    stdout: Sink
    stderr: Sink

    async def print(self, text: str) -> None:
        await self.stdout.write(f"{text}\n".encode())

    async def fail(self, message: str, code: int = 1) -> int:
        await self.stderr.write(f"{message}\n".encode())
        return code


Program = Callable[[Call], Awaitable[int]]

Programs = Mapping[str, Program]


async def read_all(call: Call) -> bytes:
    pieces = []
    while piece := await call.stdin.read():
        pieces.append(piece)
    return b"".join(pieces)
