"""The gRPC service on the network: port, token, and discovery."""

import os
import secrets
import shlex
import socket
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from odyssey_simulator import __version__
from odyssey_simulator.control_service import ControlService
from odyssey_simulator.discovery import DiscoveryFile
from odyssey_simulator.errors import SimulatorError
from odyssey_simulator.guest import Guest

_LOOPBACK = "127.0.0.1"
_ABOVE_CONSOLE = 3000
_LAST_PORT = 65535
_THREADS = 16
_OPTIONS = (("grpc.so_reuseport", 0), ("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))


def _random_token() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class ControlOptions:
    """`running_dir` is the folder of the discovery file, None for no file. An empty `token` disables authentication."""

    running_dir: Path | None = None
    token: str = field(default_factory=_random_token)


class ControlServer:
    """The gRPC service of one guest; `entries` go into the discovery file besides port and token.

    With `console_port` the port is 3000 above it, as on a real emulator, if that is free; with 0, or if it is taken,
    any free port. `port` and `token` are the current ones: `port` is 0 before the start.
    """

    def __init__(self, guest: Guest, options: ControlOptions, console_port: int, entries: Mapping[str, object]) -> None:
        self.port = 0
        self._wanted_port = console_port + _ABOVE_CONSOLE if console_port else 0
        self._entries = entries
        self._folder = options.running_dir
        self._faults = guest.faults.control
        self._service = ControlService(guest, options.token)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="control")
        self._server: grpc.Server | None = None
        self._file: DiscoveryFile | None = None
        self._lock = threading.Lock()

    @property
    def token(self) -> str:
        """Sent by callers as `authorization: Bearer <token>`; empty if none is needed."""
        return self._service.token

    @property
    def address(self) -> str:
        return f"{_LOOPBACK}:{self.port}"

    def wait_for_touches(self) -> None:
        """Return when every touch sent so far has been injected."""
        self._service.wait_for_touches()

    def start(self, thread_id: int) -> None:
        """`thread_id` is the native id of a thread of the emulator, for the discovery file. Raises SimulatorError."""
        self.port = self._wanted_port if _is_free(self._wanted_port) else 0
        self._open()
        self._faults.attach(self._apply_faults, self._renew_token)
        if self._folder is not None:
            self._file = DiscoveryFile(self._folder, thread_id)
            self._write_file()

    def stop(self) -> None:
        self._faults.detach()
        if self._file is not None:
            self._file.remove()
        with self._lock:
            self._close()
        self._service.close()
        self._threads.shutdown()

    def _apply_faults(self) -> None:
        with self._lock:
            if self._faults.off:
                self._close()
            elif self._server is None:
                self._open()
        self._service.wake()

    def _open(self) -> None:
        server = grpc.server(self._threads, handlers=[self._service.handlers()], options=_OPTIONS)
        try:
            self.port = server.add_insecure_port(self.address)
        except RuntimeError as error:
            raise SimulatorError(f"Port {self.port}, that of the gRPC service, has been taken by a program.") from error
        server.start()
        self._server = server

    def _close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.stop(grace=None).wait()

    def _renew_token(self) -> None:
        self._service.token = _random_token()
        self._write_file()

    def _write_file(self) -> None:
        if self._file is not None:
            program = {
                "emulator.version": __version__,
                "emulator.build": "simulated",
                "cmdline": shlex.join(sys.argv),
                "grpc.port": self.port,
            }
            token = {"grpc.token": self.token} if self.token else {}
            self._file.write({**self._entries, **program, **token})


def _is_free(port: int) -> bool:
    if not 0 < port <= _LAST_PORT:
        return False
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            probe.bind((_LOOPBACK, port))
            return True
    return False
