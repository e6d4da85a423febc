"""A simulated emulator in a process of its own, which a test may kill and start again on the same port."""

import subprocess
import sys
from pathlib import Path

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer, free_port
from odyssey_simulator.discovery import running_dir
from odyssey_simulator.journal import RecordedInput, RecordedJournal
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named
from tests.end_to_end.emulator_bench import label_positions
from tests.simulator.person import Person

PROFILE = "small_phone"


class PhoneProcess:
    def __init__(self, server: PrivateAdbServer, folder: Path) -> None:
        self._server = server
        self._folder = folder
        self._port = free_port() & ~1
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0

    @property
    def serial(self) -> str:
        return f"emulator-{self._port}"

    @property
    def connector(self) -> DeviceConnector:
        server = self._server
        return DeviceConnector(
            AdbServer(port=server.port),
            running=(running_dir(server.environment),),
            console_token=server.home / TOKEN_FILE,
        )

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Returns when it is up; it shows its home screen."""
        journal = self._folder / f"journal-{self._starts}.jsonl"
        self._starts += 1
        command = [sys.executable, "-m", "odyssey_recorder", "simulate", "--profile", PROFILE]
        command += ["--console-port", str(self._port), "--journal", str(journal)]
        self._process = subprocess.Popen(command, env=self._server.environment, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        assert self.serial.encode() in self._process.stdout.readline()

    def kill(self) -> None:
        assert self._process is not None
        with self._process:
            self._process.kill()

    def touch_downs(self) -> list[RecordedInput]:
        """Of all starts; call it while it is killed."""
        journals = sorted(self._folder.glob("journal-*.jsonl"))
        return [touch for journal in journals for touch in RecordedJournal.read(journal).touch_downs()]


def _positions_on_the_way(*labels: str) -> list[Pixel]:
    """Where these labels are if each is tapped, beginning at the home screen."""
    phone = Phone(profile_named(PROFILE), animation=False)
    phone.prepare(animation=False)
    phone.start()
    try:
        positions = []
        for label in labels:
            positions.append(label_positions(phone, label)[0])
            Person(phone).tap(label)
        return positions
    finally:
        phone.stop()


WAY = _positions_on_the_way("Settings", "Display", "Dark theme", "Dark theme")
