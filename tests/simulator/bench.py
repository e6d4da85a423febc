"""A simulated emulator under test: real adb on one side, direct access to the emulator on the other."""

import json
import random
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import adbutils

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import Profile, profile_named
from odyssey_simulator.ui.geometry import Size
from tests.cli import wait_until

ADB = Path(adbutils.adb_path())
TOKEN_FILE = ".emulator_console_auth_token"


class Getevent:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def lines(self, count: int) -> list[str]:
        assert self.process.stdout is not None
        return [self.process.stdout.readline().decode().rstrip("\n") for _ in range(count)]


@dataclass(frozen=True)
class Bench:
    server: PrivateAdbServer
    emulator: SimulatedEmulator

    @property
    def phone(self) -> Phone:
        return self.emulator.phone

    def adb(self, *arguments: str, timeout_s: float = 30.0) -> "subprocess.CompletedProcess[bytes]":
        return self.server.adb("-s", self.emulator.serial, *arguments, timeout_s=timeout_s)

    def shell(self, line: str) -> str:
        """The output of a device command, which must succeed without error output."""
        completed = self.adb("shell", line)
        assert (completed.returncode, completed.stderr) == (0, b"")
        return completed.stdout.decode()

    def wait_for_new_connection(self) -> None:
        """Return when a device command works again after the emulator cut its connections.

        `adb wait-for-device` alone returns at once if the adb server has not yet noticed the cut.
        """
        wait_until(lambda: self.adb("wait-for-device").returncode == self.adb("shell", "true").returncode == 0)

    def uptime_s(self) -> float:
        return float(self.shell("cat /proc/uptime").split()[0])

    def console(self, *arguments: str) -> list[str]:
        """The console's reply to `adb emu`, by line."""
        return self.adb("emu", *arguments).stdout.decode().splitlines()

    @contextmanager
    def running(self, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
        process = subprocess.Popen(
            [str(ADB), "-P", str(self.server.port), "-s", self.emulator.serial, *arguments],
            env=self.server.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with process:
            try:
                yield process
            finally:
                process.kill()

    @contextmanager
    def getevent(self, *arguments: str) -> Iterator[Getevent]:
        """A getevent on all nodes that has listed them, so that it misses no later event."""
        with self.running("shell", "getevent", *arguments) as process:
            events = Getevent(process)
            assert events.lines(26)[-1] == '  name:     "qwerty2"'
            yield events


StartBench = Callable[..., Bench]
"""Starts an emulator of the given profile for one test."""


def half_as_dense(profile: Profile) -> Profile:
    """The same device with a quarter of the pixels: everything on it has the same size in dp."""

    def half(size: Size) -> Size:
        return Size(size.width // 2, size.height // 2)

    postures = tuple(replace(posture, panel=half(posture.panel)) for posture in profile.postures)
    return replace(profile, size=half(profile.size), density=profile.density // 2, postures=postures)


def phone_of(profile: str | Profile = "small_phone", *, journal: Path | None = None) -> Phone:
    """Not started, and without animations."""
    kind = profile if isinstance(profile, Profile) else profile_named(profile)
    return Phone(kind, animation=False, journal=journal).without_notices()


def inputs_in(journal: Path, start: int = 0) -> list[str]:
    """The inputs in an emulator's journal after its first `start` bytes."""
    lines = journal.read_bytes()[start:].splitlines()
    return [entry["input"] for entry in map(json.loads, lines) if "input" in entry]


def touches_in(journal: Path, start: int = 0) -> list[tuple[str, float, float]]:
    """Their touches, each with its phase and position."""
    touches = [words.split() for words in inputs_in(journal, start) if words.startswith("touch ")]
    return [(phase, *map(float, place.split(","))) for _, phase, place in touches]  # type: ignore[misc]


def free_console_port() -> int:
    """An even port that is free, with the next one and the one 3000 above, outside the range of real emulators."""
    for port in range(random.randrange(61000, 62000, 2), 62500, 2):
        with suppress(OSError), ExitStack() as stack:
            for candidate in (port, port + 1, port + 3000):
                stack.enter_context(socket.create_server(("127.0.0.1", candidate)))
            return port
    raise AssertionError("No such ports.")


def launch(server: PrivateAdbServer, profile: str, *, journal: Path | None = None) -> Bench:
    """A running emulator, announced to `server`; the caller stops it."""
    phone = phone_of(profile, journal=journal)
    emulator = SimulatedEmulator(phone, adb_server_port=server.port, auth_token_file=server.home / TOKEN_FILE)
    emulator.start()
    bench = Bench(server, emulator)
    assert bench.adb("wait-for-device").returncode == 0
    return bench
