"""The gRPC service on the network: port, access, and discovery."""

import math
import os
import secrets
import shlex
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import grpc

from odyssey_simulator import __version__
from odyssey_simulator.control_access import DEFAULT_ALLOWLIST, Access
from odyssey_simulator.control_keys import KeyFolder
from odyssey_simulator.control_service import ControlService
from odyssey_simulator.discovery import DiscoveryFile
from odyssey_simulator.errors import SimulatorError
from odyssey_simulator.guest import Guest

_LOOPBACK = "127.0.0.1"
_ABOVE_CONSOLE = 3000
_LAST_PORT = 65535
_THREADS = 16
_OPTIONS = (("grpc.so_reuseport", 0), ("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))


GrpcAccess = Literal["token", "jwt", "both", "open"]


def _random_token() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class ControlOptions:
    """`running_dir` is the folder of the discovery file, None for no file.

    With an empty `token` the service is open, or takes signed tokens only. With `jwt` it also takes signed tokens,
    from whoever may write into a folder next to the discovery file. `idle_s` seconds, by `clock`, after the last
    message of any call the emulator ends. An emulator whose `port` is taken does not start.
    """

    running_dir: Path | None = None
    token: str = field(default_factory=_random_token)
    jwt: bool = False
    allowlist: Path = DEFAULT_ALLOWLIST
    bad_jwt: grpc.StatusCode = grpc.StatusCode.INVALID_ARGUMENT
    port: int = 0
    idle_s: float = math.inf
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, access: GrpcAccess, running_dir: Path) -> "ControlOptions":
        token = _random_token() if access in {"token", "both"} else ""
        return cls(running_dir, token, jwt=access in {"jwt", "both"})


class ControlServer:
    """The gRPC service of one guest; `entries` go into the discovery file besides port and token.

    With `console_port` the port is 3000 above it, as on a real emulator, if that is free; with 0, or if it is taken,
    any free port. `port` and `token` are the current ones: `port` is 0 before the start.
    """

    def __init__(self, guest: Guest, options: ControlOptions, console_port: int, entries: Mapping[str, object]) -> None:
        self.port = 0
        self._wanted_port = console_port + _ABOVE_CONSOLE if console_port else 0
        self._entries = entries
        self._options = options
        self._guest = guest
        self._faults = guest.faults.control
        self._access = Access(options.token, options.allowlist, options.bad_jwt)
        self._service = ControlService(guest, self._access, options.clock)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="control")
        self._server: grpc.Server | None = None
        self._file: DiscoveryFile | None = None
        self._lock = threading.Lock()

    @property
    def token(self) -> str:
        """Sent by callers as `authorization: Bearer <token>`; empty if none is needed."""
        return self._access.token

    @property
    def address(self) -> str:
        return f"{_LOOPBACK}:{self.port}"

    @property
    def active_s(self) -> float:
        """When the last message of a call came or went."""
        return self._service.active_s

    @property
    def is_idle(self) -> bool:
        return self._options.clock() - self._service.active_s > self._options.idle_s

    def wait_for_touches(self) -> None:
        """Return when every touch sent so far has been injected."""
        self._service.wait_for_touches()

    def start(self, thread_id: int) -> None:
        """`thread_id` is the native id of a thread of the emulator, for the discovery file. Raises SimulatorError."""
        if self._options.running_dir is not None:
            self._file = DiscoveryFile(self._options.running_dir, thread_id)
            self._guest.discovery_file = self._file.path
            self._watch_keys(self._file)
        wanted = self._options.port or self._wanted_port
        self.port = wanted if self._options.port or _is_free(wanted) else 0
        self._open()
        self._faults.attach(self._apply_faults, self._renew_token)
        self._write_file()

    def stop(self) -> None:
        self._faults.detach()
        if self._file is not None:
            self._file.remove()
        with self._lock:
            self._close()
        self._service.close()
        self._threads.shutdown()
        if self._access.keys is not None:
            self._access.keys.stop()

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

    def _watch_keys(self, file: DiscoveryFile) -> None:
        if self._options.jwt:
            keys = KeyFolder(file.process_folder / "jwks" / secrets.token_hex(8))
            keys.start()
            self._access.keys = keys

    def _renew_token(self) -> None:
        self._access.token = _random_token()
        self._write_file()

    def _write_file(self) -> None:
        if self._file is not None:
            program = {
                "emulator.version": __version__,
                "emulator.build": "simulated",
                "cmdline": shlex.join(sys.argv),
                "grpc.port": self.port,
            }
            written = _random_token() if self._faults.file_is_outdated else self.token
            token = {"grpc.token": written} if self.token else {}
            keys = self._access.keys
            jwt = {"grpc.jwks": keys.folder, "grpc.jwk_active": keys.active} if keys is not None else {}
            lists = {"grpc.allowlist": self._options.allowlist} if token or jwt else {}
            self._file.write({**self._entries, **program, **token, **jwt, **lists})


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
