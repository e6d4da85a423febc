"""A client of the emulator console: a greeting, a token, then one command in and text with OK or KO out."""

import json
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from odyssey_recorder.device.open_sockets import OpenSockets
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError
from odyssey_recorder.logs import hide

TOKEN_FILE = ".emulator_console_auth_token"
"""In the home folder of the user who runs the emulator."""

_ANSWER_S = 5.0
_SNAPSHOT_S = 60.0
_CHUNK_BYTES = 4096

_SERIAL = re.compile(r"emulator-([1-9]\d{0,4})")
_PORTS = range(1, 65536)
_SNAPSHOT_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_SNAPSHOT = re.compile(r"\S+\s+(?P<name>\S+)\s+\S+(?:\s+[KMGT]i?B)?\s+\d{4}-\d\d-\d\d\s")
_PARTIAL = "List of partial"
_NO_ANSWER = {
    "rotate": "was not turned",
    "fold": "was not folded. Only a foldable device can be",
    "unfold": "was not unfolded. Only a foldable device can be",
}
"""What it means if one of these commands has no answer: they say OK, but never KO."""

_PING, _PONG = "ping", "I am alive!"
_AUTHENTICATION = "Authentication required"
_TRY_AGAIN = "Try again. If that does not help, restart the emulator."


def console_port(serial: str) -> int | None:
    """None unless `serial` is an emulator on this computer."""
    found = _SERIAL.fullmatch(serial)
    return int(found[1]) if found is not None and int(found[1]) in _PORTS else None


def console_of(serial: str, token_file: Path) -> "EmulatorConsole | None":
    port = console_port(serial)
    return None if port is None else EmulatorConsole(port, token_file=token_file)


def check_snapshot_name(name: str) -> None:
    """Raise `DeviceError` for a name that is unsafe in a console command or as a folder name."""
    if _SNAPSHOT_NAME.fullmatch(name) is None:
        raise DeviceError(
            f"{name!r} is not a valid snapshot name. Use up to 100 letters, digits, dots, hyphens and underscores."
        )


def listed_snapshots(table: str) -> tuple[str, ...]:
    """Skips snapshots that cannot be loaded."""
    loadable = table.partition(_PARTIAL)[0]
    return tuple(found["name"] for line in loadable.splitlines() if (found := _SNAPSHOT.match(line.strip())))


class EmulatorConsole:
    """The console of an emulator on this computer; every command opens its own connection, on any thread.

    Raises `DeviceDisconnectedError`, `DeviceTimeoutError`, and plain `DeviceError` for a KO.
    """

    def __init__(self, port: int, *, token_file: Path, answer_s: float = _ANSWER_S) -> None:
        """`answer_s` is the time limit of all commands but those that save, load or delete a snapshot."""
        self.port = port
        self._token_file = token_file
        self._answer_s = answer_s
        self._sockets = OpenSockets()

    def __str__(self) -> str:
        return f"The console of emulator-{self.port}"

    def exists(self) -> bool:
        """False if nothing listens on its port, as with emulators of other vendors."""
        try:
            with socket.create_connection(("localhost", self.port), self._answer_s):
                return True
        except ConnectionRefusedError:
            return False
        except OSError:
            return True

    def command(self, line: str) -> str:
        return self._command(line, self._answer_s)

    def rotate(self) -> None:
        self.command("rotate")

    def fold(self) -> None:
        self.command("fold")

    def unfold(self) -> None:
        self.command("unfold")

    def kill(self) -> None:
        """The way the emulator was started decides whether it saves its state."""
        self.command("kill")

    def facts(self) -> Mapping[str, Any]:
        """The facts of a simulated emulator's apps; others refuse. Raises DeviceError."""
        try:
            facts = json.loads(self.command("facts"))
        except (ValueError, RecursionError) as error:
            raise DeviceError(f"{self} sent facts that are not JSON: {error}.") from error
        if not isinstance(facts, dict):
            raise DeviceError(f"{self} sent no facts.")
        return facts

    def discovery_file(self) -> Path:
        """Where the emulator says how its gRPC service is reached."""
        return Path(self.command("avd discoverypath"))

    def snapshots(self) -> tuple[str, ...]:
        return listed_snapshots(self.command("avd snapshot list"))

    def save_snapshot(self, name: str) -> None:
        self._snapshot("save", name)

    def load_snapshot(self, name: str) -> None:
        """Returns when the device runs again, before adb has found it."""
        check_snapshot_name(name)
        try:
            self._snapshot("load", name)
        except (DeviceDisconnectedError, DeviceTimeoutError):
            raise
        except DeviceError as error:
            known = self.snapshots()
            if name in known:
                raise
            listed = f"It has {', '.join(known)}." if known else "It has no snapshots."
            raise DeviceError(f"emulator-{self.port} has no snapshot {name!r}. {listed} Save it first.") from error

    def delete_snapshot(self, name: str) -> None:
        if name in self.snapshots():
            self._snapshot("delete", name)

    def close(self) -> None:
        self._sockets.close()

    def _snapshot(self, verb: str, name: str) -> None:
        check_snapshot_name(name)
        self._command(f"avd snapshot {verb} {name}", _SNAPSHOT_S)

    def _command(self, line: str, answer_s: float) -> str:
        if not line.isprintable():
            raise DeviceError(f"{self} accepts one line at a time, not {line!r}.")
        with self._connected(answer_s) as session:
            try:
                if _AUTHENTICATION in session.answer():
                    self._authenticate(session)
                session.send(line)
                if line in _NO_ANSWER:
                    session.send(_PING)
                answer = session.answer()
            except _RefusedError as error:
                raise DeviceError(f"{self} refused `{line}`: {error}. {_TRY_AGAIN}") from error
        if line in _NO_ANSWER and answer == _PONG:
            raise DeviceError(f"emulator-{self.port} {_NO_ANSWER[line]}. {_TRY_AGAIN} (`{line}` had no answer)")
        return answer

    def _authenticate(self, session: "_Session") -> None:
        try:
            token = self._token_file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise DeviceError(
                f"{self} asks for its token, and {self._token_file} cannot be read ({error}). Restart the "
                "emulator, which writes the file."
            ) from error
        hide(token)
        session.send(f"auth {token}")
        try:
            session.answer()
        except _RefusedError as error:
            raise DeviceError(
                f"{self} rejected the token in {self._token_file}: {error}. Run the recorder as the user "
                "who runs the emulator."
            ) from error

    @contextmanager
    def _connected(self, answer_s: float) -> Iterator["_Session"]:
        expires_s = time.monotonic() + answer_s
        try:
            with socket.create_connection(("localhost", self.port), answer_s) as sock, self._sockets.using(sock):
                yield _Session(sock, expires_s)
        except TimeoutError as error:
            raise DeviceTimeoutError(
                f"{self} did not answer within {answer_s:g} s. If the emulator's window does not respond "
                "either, restart it with a cold boot."
            ) from error
        except ConnectionRefusedError as error:
            raise DeviceDisconnectedError(
                f"{self} cannot be reached: nothing listens on port {self.port} of this computer. Restart it. "
                "Emulators of other vendors have no console: stop, turn and fold them in their own window."
            ) from error
        except (EOFError, OSError) as error:
            raise DeviceDisconnectedError(f"{self} disconnected ({error}). {_TRY_AGAIN}") from error


class _RefusedError(Exception):
    """The message is the text after KO."""


class _Session:
    def __init__(self, sock: socket.socket, expires_s: float) -> None:
        self._socket = sock
        self._expires_s = expires_s
        self._received = b""

    def send(self, line: str) -> None:
        self._socket.settimeout(self._remaining_s())
        self._socket.sendall(f"{line}\n".encode())

    def answer(self) -> str:
        """Raises `_RefusedError` for KO, `EOFError` and `TimeoutError`."""
        lines: list[str] = []
        while True:
            line = self._line()
            if line == "OK" or line.startswith("OK:"):
                return "\n".join(lines)
            if line.startswith("KO"):
                raise _RefusedError(line.removeprefix("KO").lstrip(": ").rstrip(".") or "no reason given")
            lines.append(line)

    def _line(self) -> str:
        while b"\n" not in self._received:
            self._socket.settimeout(self._remaining_s())
            chunk = self._socket.recv(_CHUNK_BYTES)
            if not chunk:
                raise EOFError("it hung up")
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def _remaining_s(self) -> float:
        remaining_s = self._expires_s - time.monotonic()
        if remaining_s <= 0:
            raise TimeoutError
        return remaining_s
