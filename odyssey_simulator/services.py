"""The services of adbd by name, and how a shell is connected to a stream."""

import struct
from collections.abc import Callable

from odyssey_simulator.adbd import Service, Stream
from odyssey_simulator.guest import Guest
from odyssey_simulator.shell import (
    dumpsys,
    getevent,
    ime,
    packages,
    plain,
    properties,
    screencap,
    uiautomator,
    window_manager,
)
from odyssey_simulator.shell import input as input_program
from odyssey_simulator.shell.channels import (
    FramedInput,
    FramedOutput,
    FrameId,
    PlainInput,
    PlainOutput,
    send_exit_code,
)
from odyssey_simulator.shell.interpreter import Shell, ShellExit, Streams
from odyssey_simulator.shell.program import Programs
from odyssey_simulator.shell.session import run_script, run_terminal
from odyssey_simulator.sync import sync_service

PROGRAMS: Programs = {
    **dumpsys.PROGRAMS,
    **getevent.PROGRAMS,
    **ime.PROGRAMS,
    **input_program.PROGRAMS,
    **packages.PROGRAMS,
    **plain.PROGRAMS,
    **properties.PROGRAMS,
    **screencap.PROGRAMS,
    **uiautomator.PROGRAMS,
    **window_manager.PROGRAMS,
}

_FRAMEBUFFER_HEADER = struct.Struct("<14I")


def service_finder(guest: Guest) -> Callable[[str], Service | None]:
    def find(name: str) -> Service | None:
        kind, _, rest = name.partition(":")
        match kind.split(","):
            case ["shell", "v2", *options]:
                return _framed_shell(guest, rest, is_terminal="pty" in options)
            case ["shell" | "exec", *_]:
                return _plain_shell(guest, rest)
            case ["sync"]:
                return lambda stream: sync_service(guest.files, stream)
            case ["framebuffer"]:
                return lambda stream: _framebuffer(guest, stream)
            case _:
                return None

    return find


def _framed_shell(guest: Guest, line: str, *, is_terminal: bool) -> Service:
    async def serve(stream: Stream) -> None:
        streams = Streams(
            FramedInput(stream), FramedOutput(stream, FrameId.STDOUT), FramedOutput(stream, FrameId.STDERR)
        )
        await send_exit_code(stream, await _run(guest, line, streams, is_terminal=is_terminal))

    return serve


def _plain_shell(guest: Guest, line: str) -> Service:
    async def serve(stream: Stream) -> None:
        output = PlainOutput(stream)
        await _run(guest, line, Streams(PlainInput(stream), output, output), is_terminal=True)

    return serve


async def _run(guest: Guest, line: str, streams: Streams, *, is_terminal: bool) -> int:
    shell = Shell(guest, PROGRAMS)
    try:
        if line:
            return await shell.run(line, streams)
        if is_terminal:
            return await run_terminal(shell, streams)
        return await run_script(shell, streams)
    except ShellExit as left:
        return left.code
    finally:
        await shell.leave()


async def _framebuffer(guest: Guest, stream: Stream) -> None:
    screen = guest.phone.screen()
    red, green, blue, alpha = (0, 8), (16, 8), (8, 8), (24, 8)
    header = _FRAMEBUFFER_HEADER.pack(
        *(2, 32, 1, len(screen.rgba), screen.width, screen.height), *red, *green, *blue, *alpha
    )
    await stream.write(header)
    await stream.write(screen.rgba)
