"""A private adb server on its own port, without other devices, and reliably stopped."""

import os
import secrets
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from odyssey_recorder.errors import DeviceError, DeviceTimeoutError

_START_TIMEOUT_S = 20.0
_STOP_TIMEOUT_S = 5.0
_ASK_TIMEOUT_S = 5.0
_PORTS = range(10_000, 32_000)


class PrivateAdbServer:
    """`adb -P port server nodaemon` without emulator and USB discovery, keys under `home`. Raises DeviceError."""

    def __init__(self, adb: Path, home: Path, *, port: int = 0) -> None:
        self.port = port or free_port()
        self.home = home
        self._adb = adb
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        private = {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "ANDROID_USER_HOME": str(self.home / ".android"),
            "XDG_RUNTIME_DIR": str(self.home / "run"),
            "LOCALAPPDATA": str(self.home / "AppData" / "Local"),
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            "ADB_EMU": "0",
            "ADB_USB": "0",
            "ADB_MDNS": "0",
        }
        inherited = {name: value for name, value in os.environ.items() if name != "ANDROID_SERIAL"}
        return {**inherited, **private}

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "run").mkdir(mode=0o700, exist_ok=True)
        log_path = self.home / "adb-server.log"
        with log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._adb), "-P", str(self.port), "server", "nodaemon"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise DeviceError(f"The adb server did not start on port {self.port}; what it said is in {log_path}.")
            time.sleep(0.02)

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(DeviceError):  # a server that does not answer is killed below
            if process.poll() is None and self._answers():
                self.adb("kill-server")
        try:
            process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def adb(self, *words: str, timeout_s: float = 30.0) -> "subprocess.CompletedProcess[bytes]":
        """Raises DeviceTimeoutError."""
        try:
            return subprocess.run(
                [str(self._adb), "-P", str(self.port), *words],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise DeviceTimeoutError(f"adb {' '.join(words)} did not end within {timeout_s:g} s. Try again.") from error

    def __enter__(self) -> "PrivateAdbServer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=_ASK_TIMEOUT_S) as server:
            server.sendall(b"000chost:version")
            return server.recv(4) == b"OKAY"
        return False


def free_port() -> int:
    """A port below those that systems give out themselves, which another program could have by the time it is used."""
    while True:
        port = _PORTS.start + secrets.randbelow(len(_PORTS))
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
