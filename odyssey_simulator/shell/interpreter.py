"""Runs parsed command lines: pipelines, redirections, exit codes, variables."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

from odyssey_simulator.guest import Guest
from odyssey_simulator.shell.channels import Bytes, Discard, FileSink, Pipe, Sink, Source
from odyssey_simulator.shell.grammar import (
    STATUS,
    Pipeline,
    Redirection,
    RunIf,
    ShellSyntaxError,
    SimpleCommand,
    Word,
    parse,
)
from odyssey_simulator.shell.program import Call, Programs

_NOT_FOUND = 127
_NO_SERVICE = 20
_BROKEN_PIPE = 141
_NEED_ANDROID = {"am", "cmd", "dumpsys", "ime", "input", "monkey", "pm", "settings", "uiautomator", "wm"}
"""Programs that ask a service of Android's system server; the others need only its kernel and its shell."""


class ShellExit(Exception):  # noqa: N818 - not an error: `exit` was called
    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Streams:
    stdin: Source
    stdout: Sink
    stderr: Sink


class Shell:
    def __init__(self, guest: Guest, programs: Programs) -> None:
        self._guest = guest
        self._programs = programs
        self._traps: dict[str, str] = {}
        self._variables = {STATUS: "0", "HOME": "/", "USER": "shell", "EXTERNAL_STORAGE": "/sdcard"}

    @property
    def status(self) -> int:
        return int(self._variables[STATUS])

    async def run(self, line: str, streams: Streams) -> int:
        """Returns the exit code of the last command. Raises ShellExit on `exit`."""
        try:
            script = parse(line)
        except ShellSyntaxError as error:
            await streams.stderr.write(f"/system/bin/sh: {error}\n".encode())
            self._variables[STATUS] = "1"
            return 1
        for condition, pipeline in script:
            if condition is RunIf.ON_SUCCESS and self.status != 0:
                continue
            if condition is RunIf.ON_FAILURE and self.status == 0:
                continue
            self._variables[STATUS] = str(await self._run_pipeline(pipeline, streams))
        return self.status

    async def leave(self) -> None:
        nowhere = Discard()
        with suppress(ShellExit):
            await self.run(self._traps.pop("EXIT", ""), Streams(nowhere, nowhere, nowhere))

    async def _run_pipeline(self, pipeline: Pipeline, streams: Streams) -> int:
        *feeding, last = pipeline
        tasks: list[asyncio.Task[int]] = []
        stdin = streams.stdin
        try:
            for command in feeding:
                pipe = Pipe()
                stage = replace(streams, stdin=stdin, stdout=pipe)
                tasks.append(asyncio.create_task(self._run_feeding(command, stage, pipe)))
                stdin = pipe
            status = await self._run_command(last, replace(streams, stdin=stdin))
            if isinstance(stdin, Pipe):
                stdin.close_reading()
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return status

    async def _run_feeding(self, command: SimpleCommand, streams: Streams, pipe: Pipe) -> int:
        try:
            return await self._run_command(command, streams)
        except ShellExit as left:
            return left.code
        finally:
            if isinstance(streams.stdin, Pipe):
                streams.stdin.close_reading()
            await pipe.close_writing()

    async def _run_command(self, command: SimpleCommand, streams: Streams) -> int:
        try:
            streams = self._redirected(command.redirections, streams)
        except OSError as error:
            name = error.args[0]
            await streams.stderr.write(f"/system/bin/sh: can't open {name}: {_reason(error)}\n".encode())
            return 1
        words = [self._expanded(word) for word in command.words]
        if not words:
            return 0
        name, *args = words
        if name == "exit":
            raise ShellExit(int(args[0]) & 0xFF if args and args[0].isdigit() else self.status)
        if name == "trap":
            self._traps.update(dict.fromkeys(args[1:], args[0]))
            return 0
        program = self._programs.get(name.removeprefix("/system/bin/"))
        if program is None:
            problem = f"/system/bin/sh: {name}: inaccessible or not found\n"
            await streams.stderr.write(problem.encode())
            return _NOT_FOUND
        if self._guest.is_restarting and name in _NEED_ANDROID:
            await streams.stderr.write(f"{name}: Can't find service\n".encode())
            return _NO_SERVICE
        call = Call(name, tuple(args), self._guest, streams.stdin, streams.stdout, streams.stderr)
        try:
            return await program(call)
        except BrokenPipeError:
            return _BROKEN_PIPE

    def _redirected(self, redirections: tuple[Redirection, ...], streams: Streams) -> Streams:
        for redirection in redirections:
            if redirection.fd == 0 and not isinstance(redirection.target, int):
                path = self._expanded(redirection.target)
                source = Discard() if path == "/dev/null" else Bytes(self._guest.read_file(path))
                streams = replace(streams, stdin=source)
                continue
            sink = self._sink(redirection, streams)
            streams = replace(streams, stderr=sink) if redirection.fd == 2 else replace(streams, stdout=sink)
        return streams

    def _sink(self, redirection: Redirection, streams: Streams) -> Sink:
        if isinstance(redirection.target, int):
            return streams.stderr if redirection.target == 2 else streams.stdout
        path = self._expanded(redirection.target)
        if path == "/dev/null":
            return Discard()
        if not redirection.append or not self._exists(path):
            self._guest.files.write(path, b"")
        return FileSink(self._guest.files, path)

    def _exists(self, path: str) -> bool:
        try:
            self._guest.files.inode(path)
        except FileNotFoundError:
            return False
        return True

    def _expanded(self, word: Word) -> str:
        return "".join(piece if isinstance(piece, str) else self._variables.get(piece.name, "") for piece in word)


def _reason(error: OSError) -> str:
    match error:
        case IsADirectoryError():
            return "Is a directory"
        case NotADirectoryError():
            return "Not a directory"
        case _:
            return "No such file or directory"
