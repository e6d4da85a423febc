"""The adb server: connections, listed devices, errors."""

import re
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING

from odyssey_recorder.device import dumpsys
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError, OdysseyError

if TYPE_CHECKING:  # slow to load, and a window opens before it needs adb
    from odyssey_recorder.device.adb_connection import DeviceConnection

DEFAULT_PORT = 5037

_ANSWER_S = 10.0
_START_S = 20.0

_GONE = re.compile(r"not found|offline|closed|unauthorized|authorizing|no devices|Unknown data: b''")
_PLUG_IN = "Restart it or plug it in."
_COLD_BOOT = "If its window does not respond either, restart it with a cold boot."
_STARTED = b"daemon started"
"""Printed by `adb start-server` if the server was not running."""
_NOT_OURS = "Another program had started it. Restart Android Studio, or run `adb start-server`."
_RESTART_SERVER = "Restart it: `adb kill-server`, then `adb start-server`."


def find_adb() -> str:
    """Named by ADBUTILS_ADB_PATH, found on the PATH, or bundled with adbutils."""
    from odyssey_recorder.device.adb_connection import adb_path

    with device_errors("adb"):
        return str(adb_path())


@contextmanager
def device_errors(who: str, *, if_silent: str = _COLD_BOOT, if_gone: str = _PLUG_IN) -> Iterator[None]:
    """Map errors of adbutils, sockets and parsers to DeviceError.

    `who` names the device in messages; `if_silent` and `if_gone` are advice for the user.
    """
    from odyssey_recorder.device.adb_connection import AdbConnectionError, AdbError, AdbTimeout

    try:
        yield
    except (AdbTimeout, TimeoutError, subprocess.TimeoutExpired) as error:
        raise DeviceTimeoutError(f"{who} did not answer in time. {if_silent}") from error
    except (AdbConnectionError, ConnectionRefusedError) as error:
        raise DeviceDisconnectedError(
            f"{who} cannot be reached because no adb server responds ({error}). Run `adb "
            "start-server`, or start Android Studio."
        ) from error
    except AdbError as error:
        raise _adb_error(who, " ".join(str(error).split())[:160]) from error
    except (EOFError, OSError) as error:
        raise DeviceDisconnectedError(f"The connection to {who} was lost ({error}). {if_gone}") from error
    except (ValueError, struct.error) as error:
        raise DeviceError(f"{who} sent an unusable answer: {error}. Try again.") from error


def _adb_error(who: str, message: str) -> DeviceError:
    if not _GONE.search(message):
        return DeviceError(f"adb failed for {who}: {message}")
    if "unauthorized" in message or "authorizing" in message:
        advice = "does not trust this computer (adb: {}). Allow USB debugging in the dialog on its screen."
    elif "offline" in message:
        advice = "is offline (adb: {}). Wait until it has started. If that does not help, restart it with a cold boot."
    else:
        advice = "is gone (adb: {}). " + _PLUG_IN
    return DeviceDisconnectedError(f"{who} {advice.format(message)}")


class AdbServer:
    """The adb server at one host and port; `adb` finds the program that starts it on the first refused connection.

    A server started here is restarted when it dies. One that another program started is not, because that program
    may be about to restart it with another version of adb.
    """

    def __init__(
        self, host: str = "127.0.0.1", port: int = DEFAULT_PORT, *, adb: Callable[[], str] | None = None
    ) -> None:
        self.host = host
        self.port = port
        self._adb = adb
        self._is_ours: bool | None = None
        """None until the server has answered."""
        self._starting = threading.Lock()

    def __str__(self) -> str:
        return f"The adb server at {self.host}:{self.port}"

    def start(self, adb: str) -> None:
        """Does nothing if the server is running. Raises DeviceError."""
        with self._errors():
            result = subprocess.run(
                [adb, "-P", str(self.port), "start-server"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=_START_S,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                check=False,
            )
        if result.returncode != 0:
            message = result.stderr.decode(errors="replace").strip()[-200:]
            raise DeviceError(f"{self} could not be started: {message}. Run `{adb} start-server` to see why.")
        self._adb = lambda: adb
        self._is_ours = bool(self._is_ours) or _STARTED in result.stderr

    @property
    def command(self) -> tuple[str, ...]:
        """The program and arguments that run adb with this server in a terminal."""
        program = "adb"
        with suppress(OdysseyError):
            program = (self._adb or find_adb)()
        return (program,) if self.port == DEFAULT_PORT else (program, "-P", str(self.port))

    def version(self) -> int:
        """The protocol version that adb programs and servers compare; 41 in every release since 2018."""
        with self._errors():
            return int(self._query("host:version"), 16)

    def devices(self) -> tuple[ListedDevice, ...]:
        with self._errors():
            return dumpsys.listed_devices(self._query("host:devices-l"))

    def connect(self, timeout_s: float) -> "DeviceConnection":
        """Every wait has the time limit; raises what adbutils and sockets raise."""
        from odyssey_recorder.device.adb_connection import DeviceConnection

        try:
            connection = DeviceConnection((self.host, self.port), timeout_s)
        except ConnectionRefusedError:
            if self._adb is None:
                raise
            connection = self._reconnect(self._adb, timeout_s)
        self._is_ours = bool(self._is_ours)
        return connection

    def _reconnect(self, adb: Callable[[], str], timeout_s: float) -> "DeviceConnection":
        from odyssey_recorder.device.adb_connection import DeviceConnection

        with self._starting:  # one thread starts it; the others find it running
            with suppress(ConnectionRefusedError):
                return DeviceConnection((self.host, self.port), timeout_s)
            if self._is_ours is False:
                raise DeviceDisconnectedError(f"{self} has stopped. {_NOT_OURS}")
            self.start(adb())
            return DeviceConnection((self.host, self.port), timeout_s)

    def _errors(self) -> AbstractContextManager[None]:
        return device_errors(str(self), if_silent=_RESTART_SERVER, if_gone=_RESTART_SERVER)

    def _query(self, request: str) -> str:
        connection = self.connect(_ANSWER_S)
        with connection.conn:
            return connection.ask(request)
