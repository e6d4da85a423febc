"""A simulated emulator on the bench: the real adb on one side, the phone's own word on the other."""

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

ADB = Path(adbutils.adb_path())
TOKEN_FILE = ".emulator_console_auth_token"


@dataclass(frozen=True)
class Bench:
    server: PrivateAdbServer
    emulator: SimulatedEmulator

    def adb(self, *words: str, timeout_s: float = 30.0) -> "subprocess.CompletedProcess[bytes]":
        return self.server.adb("-s", self.emulator.serial, *words, timeout_s=timeout_s)

    def shell(self, line: str) -> str:
        """What a command prints on the device, which must succeed and complain of nothing."""
        done = self.adb("shell", line)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def console(self, *words: str) -> list[str]:
        """What the emulator's console answers to `adb emu`, line by line."""
        return self.adb("emu", *words).stdout.decode().splitlines()

    @contextmanager
    def running(self, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
        process = subprocess.Popen(
            [str(ADB), "-P", str(self.server.port), "-s", self.emulator.serial, *words],
            env=self.server.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with process:
            try:
                yield process
            finally:
                process.kill()


Launch = Callable[..., Bench]
"""Starts an emulator of the profile that is named, on the bench of one test."""


def launch(server: PrivateAdbServer, profile: str) -> Bench:
    """An emulator that runs and is known to `server`; the caller stops it."""
    phone = Phone(profile_named(profile), animation=False)
    emulator = SimulatedEmulator(phone, adb_server_port=server.port, auth_token_file=server.home / TOKEN_FILE)
    emulator.start()
    bench = Bench(server, emulator)
    assert bench.adb("wait-for-device").returncode == 0
    return bench
