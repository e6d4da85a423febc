"""A simulated emulator under test: real adb on one side, direct access to the emulator on the other."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import adbutils

from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.cli import wait_until

ADB = Path(adbutils.adb_path())
TOKEN_FILE = ".emulator_console_auth_token"


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


StartBench = Callable[..., Bench]
"""Starts an emulator of the given profile for one test."""


def phone_of(profile: str = "small_phone", *, journal: Path | None = None) -> Phone:
    """Not started, and without animations."""
    return Phone(profile_named(profile), animation=False, journal=journal)


def launch(server: PrivateAdbServer, profile: str) -> Bench:
    """A running emulator, announced to `server`; the caller stops it."""
    emulator = SimulatedEmulator(
        phone_of(profile), adb_server_port=server.port, auth_token_file=server.home / TOKEN_FILE
    )
    emulator.start()
    bench = Bench(server, emulator)
    assert bench.adb("wait-for-device").returncode == 0
    return bench
