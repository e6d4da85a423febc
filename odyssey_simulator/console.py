"""The emulator's console: the text protocol on the even port, used by `adb emu` and telnet.

It greets, asks for the token from the user's home folder, and answers each line with text and `OK`, or with `KO: ` and
a reason. The command `fault` exists only in the simulation and triggers faults.
"""

import asyncio
import secrets
import socket
from collections.abc import Callable
from pathlib import Path

from odyssey_simulator.console_commands import ConsoleCommands
from odyssey_simulator.discovery import write_secret
from odyssey_simulator.guest import Guest

_READY = "Android Console: type 'help' for a list of commands"


class Console:
    """The console's listener; commands run on worker threads, because calls to the phone block."""

    def __init__(self, guest: Guest, auth_token_file: Path | None) -> None:
        self._token_file = auth_token_file
        self._read_token()
        self._commands = ConsoleCommands(guest)
        self._server: asyncio.Server | None = None
        self._sessions: set[asyncio.Task[None]] = set()

    async def listen(self, listener: socket.socket, on_kill: Callable[[], None]) -> None:
        self._commands.on_kill = on_kill
        self._server = await asyncio.start_server(self._serve, sock=listener)

    async def close(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for session in self._sessions:
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = asyncio.current_task()
        assert session is not None
        self._sessions.add(session)
        try:
            await self._talk(reader, writer)
        except (ConnectionError, ValueError):
            pass
        except asyncio.CancelledError:
            pass  # cancelled by `close`; asyncio of Python 3.11 reports a handler that ends as cancelled as an error
        finally:
            self._sessions.discard(session)
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        token = self._read_token()
        is_trusted = token is None
        await _say(writer, _READY if is_trusted else self._demand())
        while line := await reader.readline():
            cli = line.decode(errors="replace").strip()
            verb, _, rest = cli.partition(" ")
            if verb in {"quit", "exit"}:
                return
            if is_trusted:
                reply = await asyncio.to_thread(self._commands.run, cli)
            elif verb == "auth" and rest.strip() == token:
                is_trusted, reply = True, _READY
            else:
                reply = "KO: authentication token does not match: type 'auth <auth_token>' first"
            if reply is not None:
                await _say(writer, reply)

    def _read_token(self) -> str | None:
        if self._token_file is None:
            return None
        if not self._token_file.exists():
            self._token_file.parent.mkdir(parents=True, exist_ok=True)
            write_secret(self._token_file, secrets.token_urlsafe(12))
        return self._token_file.read_text(encoding="ascii").strip()

    def _demand(self) -> str:
        return (
            "Android Console: Authentication required\r\n"
            "Android Console: type 'auth <auth_token>' to authenticate\r\n"
            "Android Console: you can find your <auth_token> in \r\n"
            f"'{self._token_file}'"
        )


async def _say(writer: asyncio.StreamWriter, text: str) -> None:
    ending = "" if text.startswith("KO: ") else "OK\r\n"
    writer.write((f"{text}\r\n" if text else "").encode() + ending.encode())
    await writer.drain()
