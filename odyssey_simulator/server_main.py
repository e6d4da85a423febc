"""The simulated emulator as a program: starts, prints how to reach it, and runs until stopped."""

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from odyssey_simulator.control_server import ControlOptions, GrpcAccess
from odyssey_simulator.discovery import running_dir
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.phone import Phone
from odyssey_simulator.window_signals import SHOW_WINDOW

_DEFAULT_ADB_SERVER_PORT = 5037
_AUTH_TOKEN_FILE = ".emulator_console_auth_token"
_WAKE_EVERY_S = 0.5
ENDING_SIGNALS = tuple(name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def run_until_killed(emulator: SimulatedEmulator) -> None:
    while not emulator.killed.wait(_WAKE_EVERY_S):
        pass


def run(
    phone: Phone,
    console_port: int,
    say: Callable[[str], None],
    stay: Callable[[SimulatedEmulator], None] = run_until_killed,
    *,
    grpc: GrpcAccess | None = "token",
) -> None:
    """Run `phone` as an emulator until Ctrl-C, a termination signal, or the return of `stay`; `say` gets user messages.

    On exit it removes its discovery file and, if it created it, the console token.

    It announces itself to the adb server of ANDROID_ADB_SERVER_PORT (default 5037) if that is up; one started later
    finds emulators on ports 5554 to 5585 by itself. With `grpc` the gRPC service runs too, discoverable like a real
    emulator's. Raises DeviceError if the ports are taken.
    """
    server_port = os.environ.get("ANDROID_ADB_SERVER_PORT", "")
    token_file = Path.home() / _AUTH_TOKEN_FILE
    had_token = token_file.exists()
    emulator = SimulatedEmulator(
        phone,
        console_port=console_port,
        adb_server_port=int(server_port) if server_port.isdecimal() else _DEFAULT_ADB_SERVER_PORT,
        auth_token_file=token_file,
        control=ControlOptions.of(grpc, running_dir(os.environ)) if grpc else None,
    )
    with _ended_by_signals(), emulator, suppress(KeyboardInterrupt):
        say(f"Simulated {phone.profile.title} runs as {emulator.serial}: adb -s {emulator.serial} shell")
        ports = [f"Console on port {emulator.console_port}", f"adb on port {emulator.adb_port}"]
        ports += [f"gRPC on port {emulator.control.port}"] if emulator.control else []
        say(f"{', '.join(ports)}, on this machine only.")
        if not emulator.is_announced:
            say(f"No adb server is up. Once one is: adb connect emu:{emulator.console_port},{emulator.adb_port}")
        say(f"Stop it with Ctrl-C, or: adb -s {emulator.serial} emu kill")
        stay(emulator)
    if not had_token:
        token_file.unlink(missing_ok=True)
    say(f"{emulator.serial} has stopped.")


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """As KeyboardInterrupt; Python allows this in the main thread only."""
    names = ENDING_SIGNALS if threading.current_thread() is threading.main_thread() else ()
    before = {name: signal.signal(getattr(signal, name), signal.default_int_handler) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def stop_when_stdin_ends(window_wanted: threading.Event) -> None:
    """Until then, the last byte read says whether the emulator's window is wanted."""

    def wait() -> None:
        while data := os.read(sys.stdin.fileno(), 4096):  # not sys.stdin.read: it would hold its lock at exit
            window_wanted.set() if data.endswith(SHOW_WINDOW) else window_wanted.clear()
        _thread.interrupt_main()

    threading.Thread(target=wait, name="stdin", daemon=True).start()
