"""A complete simulated emulator: phone, adb daemon, console and gRPC service, wired together."""

import asyncio
import os
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from odyssey_simulator.adb_server import announce
from odyssey_simulator.adbd import AdbDaemon, banner
from odyssey_simulator.console import Console
from odyssey_simulator.control_server import ControlOptions, ControlServer
from odyssey_simulator.errors import SimulatorError
from odyssey_simulator.evdev import InputNodes
from odyssey_simulator.faults import Faults
from odyssey_simulator.guest import Guest
from odyssey_simulator.phone import Phone
from odyssey_simulator.services import service_finder
from odyssey_simulator.shell.properties import identity

SCANNED_PORTS = range(5554, 5586)
"""The ports on which every adb server looks for emulators by itself."""

_LOOPBACK = "127.0.0.1"
_ATTEMPTS = 200
_ANNOUNCE_EVERY_S = 0.2
_LOOK_EVERY_S = 0.1
_Result = TypeVar("_Result")


class SimulatedEmulator:
    """An emulator running in this process; a context manager, or use `start` and `stop`.

    `console_port` is even, and adb listens on the next one; 0 chooses a free pair outside SCANNED_PORTS.
    `adb_server_port` is the adb server to announce the emulator to, repeatedly while none is connected: a server
    that does not look for emulators by itself would miss an emulator that was away, or miss it after its own restart.
    `auth_token_file` is created if missing; without one the console asks for no token, which the real `adb emu` cannot
    handle. `control` enables gRPC. `killed` is set by the console's `kill` and by a crash;
    the owner must then stop the emulator.
    Raises SimulatorError if the ports are taken.
    """

    def __init__(
        self,
        phone: Phone,
        *,
        console_port: int = 0,
        adb_server_port: int | None = None,
        auth_token_file: Path | None = None,
        control: ControlOptions | None = None,
    ) -> None:
        self.phone = phone
        self.faults = Faults(self._apply_faults, self._break_connections, lambda: self.guest.nodes.end_readers())
        self._console_socket, self._adb_socket = _bound_pair(console_port)
        self._has_console = not phone.profile.vendor
        self.console_port: int = self._console_socket.getsockname()[1]
        self.adb_port = self.console_port + 1
        self.serial = f"emulator-{self.console_port}"
        self.guest = Guest(
            phone, self.faults, InputNodes(has_keyboard=phone.profile.keyboard), phone.profile.virtual_device
        )
        self._adb_server_port = adb_server_port
        self._daemon = AdbDaemon(banner(identity(phone.profile)), service_finder(self.guest))
        self._console = Console(self.guest, auth_token_file)
        self.control = ControlServer(self.guest, control, console_port, self._entries()) if control else None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run_loop, name=self.serial, daemon=True)
        self.killed = threading.Event()
        self.faults.on_crash = self.killed.set
        self.is_announced = False
        self._announcing: Future[None] | None = None
        self._ending: Future[None] | None = None

    def start(self) -> None:
        """Both ports accept connections on return."""
        self.phone.start()
        self._thread.start()
        self._await(self._listen())
        if self.control is not None:
            try:
                self.control.start(self._thread.native_id or 0)
            except SimulatorError:
                self.stop()
                raise
            self._ending = asyncio.run_coroutine_threadsafe(self._end_when_idle(self.control), self._loop)
        if self._adb_server_port is not None:
            self.is_announced = announce(self._adb_server_port, self.adb_port)
            self._announcing = asyncio.run_coroutine_threadsafe(
                self._keep_announcing(self._adb_server_port), self._loop
            )

    def stop(self) -> None:
        """Waits until the phone and all connections are gone; may be called twice."""
        if self._thread.is_alive():
            if self.control is not None:
                self.control.stop()
            self.faults.thaw()
            for task in (self._announcing, self._ending):
                if task is not None:
                    task.cancel()
            self._await(self._hang_up())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self.phone.stop()
        self._loop.close()
        self._console_socket.close()
        self._adb_socket.close()

    def __enter__(self) -> "SimulatedEmulator":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _entries(self) -> dict[str, object]:
        name = self.guest.avd_name
        return {
            "port.serial": self.console_port,
            "port.adb": self.adb_port,
            "avd.id": name,
            "avd.name": name.replace("_", " "),
            "avd.dir": Path.home() / ".android" / "avd" / f"{name}.avd",
        }

    async def _keep_announcing(self, server_port: int) -> None:
        while True:
            await asyncio.sleep(_ANNOUNCE_EVERY_S)
            if self._daemon.is_listening and not self._daemon.is_connected:
                await asyncio.to_thread(announce, server_port, self.adb_port)

    async def _end_when_idle(self, control: ControlServer) -> None:
        while not control.is_idle:
            await asyncio.sleep(_LOOK_EVERY_S)
        self.killed.set()

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _await(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def _listen(self) -> None:
        self._daemon.listen(self._adb_socket)
        if self._has_console:
            await self._console.listen(self._console_socket, self.killed.set)

    async def _hang_up(self) -> None:
        await self._console.close()
        await self._daemon.hang_up()
        await self._loop.shutdown_default_executor()

    def _apply_faults(self) -> None:
        self._await(self._follow_faults())

    async def _follow_faults(self) -> None:
        if self.faults.frozen:
            self._daemon.flowing.clear()
        else:
            self._daemon.flowing.set()
        if self.faults.offline:
            await self._daemon.hang_up()
        elif not self._daemon.is_listening:
            self._adb_socket = _bound(self.adb_port)
            self._daemon.listen(self._adb_socket)

    def _break_connections(self) -> None:
        self._loop.call_soon_threadsafe(self._daemon.cut_connections)


def _bound(port: int) -> socket.socket:
    sock = socket.socket()
    if os.name == "posix":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((_LOOPBACK, port))
    except OSError:
        sock.close()
        raise
    return sock


def _bound_pair(console_port: int) -> tuple[socket.socket, socket.socket]:
    if console_port:
        try:
            return _pair(console_port)
        except OSError as error:
            raise SimulatorError(
                f"Ports {console_port} and {console_port + 1} are taken: another emulator runs there. "
                "Choose another even --console-port."
            ) from error
    for _ in range(_ATTEMPTS):
        with _bound(0) as probe:
            port = probe.getsockname()[1] & ~1
        if port not in SCANNED_PORTS:
            try:
                return _pair(port)
            except OSError:
                continue
    raise SimulatorError("No two neighbouring TCP ports are free on this machine.")


def _pair(console_port: int) -> tuple[socket.socket, socket.socket]:
    console = _bound(console_port)
    try:
        return console, _bound(console_port + 1)
    except OSError:
        console.close()
        raise
