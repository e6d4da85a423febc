"""Interactive shells: line by line from a script, or at a terminal with echo."""

import asyncio
from collections.abc import Callable

from odyssey_simulator.adbd import Buffer
from odyssey_simulator.shell.channels import Discard, Sink, Source
from odyssey_simulator.shell.interpreter import Shell, Streams

_PROMPT = b"emu64xa:/ $ "
_INTERRUPT, _END, _BACKSPACE, _DELETE = "\x03", "\x04", "\x08", "\x7f"


async def run_script(shell: Shell, streams: Streams) -> int:
    waiting = b""
    while piece := await streams.stdin.read():
        *lines, waiting = (waiting + piece).split(b"\n")
        for line in lines:
            await shell.run(line.decode(errors="replace"), streams)
    return await shell.run(waiting.decode(errors="replace"), streams)


async def run_terminal(shell: Shell, streams: Streams) -> int:
    """Ctrl-C ends the running program, Ctrl-D the shell; everything goes to standard output."""
    screen = _TerminalOutput(streams.stdout)
    keyboard = _Keyboard(streams.stdin, screen)
    typing = asyncio.create_task(keyboard.read_keys())
    try:
        await screen.write(_PROMPT)
        while (line := await keyboard.lines.get()) is not None:
            running = asyncio.create_task(shell.run(line, Streams(Discard(), screen, screen)))
            keyboard.interrupt = running.cancel
            try:
                await asyncio.wait([running])
            finally:
                running.cancel()
            if not running.cancelled():
                running.result()
            await screen.write(_PROMPT)
    finally:
        typing.cancel()
    return shell.status


class _TerminalOutput:
    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    async def write(self, data: Buffer) -> None:
        await self._sink.write(bytes(data).replace(b"\n", b"\r\n"))


class _Keyboard:
    def __init__(self, source: Source, screen: Sink) -> None:
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        self.interrupt: Callable[[], object] | None = None
        self._source = source
        self._screen = screen
        self._line = ""

    async def read_keys(self) -> None:
        while keys := await self._source.read():
            for key in keys.decode(errors="replace"):
                await self._type(key)
        self.lines.put_nowait(None)

    async def _type(self, key: str) -> None:
        if key in "\r\n":
            await self._screen.write(b"\n")
            self.lines.put_nowait(self._line)
            self._line = ""
        elif key == _INTERRUPT:
            await self._screen.write(b"^C\n")
            self._line = ""
            if self.interrupt is not None:
                self.interrupt()
        elif key == _END:
            self.lines.put_nowait(None)
        elif key in {_BACKSPACE, _DELETE}:
            if self._line:
                self._line = self._line[:-1]
                await self._screen.write(b"\b \b")
        else:
            self._line += key
            await self._screen.write(key.encode())
