"""The discovery files of running emulators."""

import errno
import getpass
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.logs import hide

_FILE_NAME = re.compile(r"pid_(\d+)(?:_info)?\.ini")
_RUNNING = Path("avd", "running")
_PORTS = range(1, 65536)
_QUERY_LIMITED_INFORMATION = 0x1000
_STILL_ACTIVE = 259

IsAlive = Callable[[int, Mapping[str, str]], bool]
"""Whether a process is the emulator of which its discovery file tells these values."""


@dataclass(frozen=True, slots=True)
class KeyFolder:
    """Where a caller that signs its tokens (JWT) puts its public key, and the file that lists the accepted keys.

    `allowlist` is the file with the calls that each issuer of tokens may make.
    """

    folder: Path
    active: Path
    allowlist: Path | None


@dataclass(frozen=True, slots=True)
class ControlEndpoint:
    """`token` goes with every call. Without `token` and `keys` the service is open."""

    serial: str
    port: int
    token: str = field(default="", repr=False)
    keys: KeyFolder | None = None

    @property
    def address(self) -> str:
        """By name, because some emulators listen on IPv4 only and others on IPv6."""
        return f"localhost:{self.port}"


@dataclass(frozen=True, slots=True)
class RunningAvd:
    """`version` is the emulator's with its build, `folder` that of the virtual device; empty if unknown."""

    serial: str
    pid: int
    version: str = ""
    folder: str = ""


def running_folders(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform, home: Path | None = None
) -> tuple[Path, ...]:
    """On Linux, macOS and Windows, the likeliest first.

    An emulator uses one folder, by its own environment, which need not be that of the recorder.
    """
    home = Path.home() if home is None else home
    roots = []
    if platform == "win32":
        roots += [Path(environment["LOCALAPPDATA"], "Temp")] if environment.get("LOCALAPPDATA") else []
    elif platform == "darwin":
        roots.append(home / "Library" / "Caches" / "TemporaryItems")
    else:
        roots += [Path(environment["XDG_RUNTIME_DIR"])] if environment.get("XDG_RUNTIME_DIR") else []
        roots.append(Path("/run/user", str(os.getuid())))
    roots += [Path(environment["ANDROID_EMULATOR_HOME"])] if environment.get("ANDROID_EMULATOR_HOME") else []
    for parent in (environment.get("ANDROID_PREFS_ROOT"), environment.get("ANDROID_SDK_HOME")):
        roots += [Path(parent), Path(parent, ".android")] if parent else []
    roots.append(home / ".android")
    if platform != "win32":
        roots.append(Path("/tmp", f"android-{environment.get('USER') or getpass.getuser()}"))
    return tuple(root / _RUNNING for root in dict.fromkeys(roots))


def process_is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        import ctypes

        kernel32 = ctypes.windll.kernel32
        handle = kernel32.OpenProcess(_QUERY_LIMITED_INFORMATION, False, pid)
        if not handle:
            return False
        exit_code = ctypes.c_ulong()
        kernel32.GetExitCodeProcess(handle, ctypes.byref(exit_code))
        kernel32.CloseHandle(handle)
        return exit_code.value == _STILL_ACTIVE
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Always False except on Linux."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()[0] == "Z"
    return False


def emulator_is_alive(pid: int, values: Mapping[str, str]) -> bool:
    """By now the number of an ended emulator may belong to another program. A simulated emulator is any program."""
    if not process_is_alive(pid):
        return False
    if values.get("emulator.build") == "simulated":
        return True
    try:
        program = Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return True  # on other systems, and for programs of other users
    return program.startswith(("emulator", "qemu-system-"))


def find_control(
    serial: str,
    folders: Sequence[Path],
    *,
    is_alive: IsAlive = emulator_is_alive,
    told: Callable[[], Path] | None = None,
) -> ControlEndpoint | None:
    """None if the emulator does not run or has no gRPC service.

    If no file or several have the serial, `told` gives the emulator's own, or raises DeviceError: then the newest wins.
    """
    found = (_endpoint(values) for _, values in _discovery_files(folders, is_alive))
    ours = [endpoint for endpoint in found if endpoint is not None and endpoint.serial == serial]
    if len(ours) != 1 and told is not None:
        with suppress(DeviceError, OSError):
            endpoint = _endpoint(_read(told())[1])
            if endpoint is not None and endpoint.serial == serial:
                return endpoint
    return ours[0] if ours else None


def running_avds(folders: Sequence[Path], *, is_alive: IsAlive = emulator_is_alive) -> Mapping[str, RunningAvd]:
    """By AVD name; the newest file wins."""
    found: dict[str, RunningAvd] = {}
    for pid, values in _discovery_files(folders, is_alive):
        name, port = values.get("avd.id") or values.get("avd.name", ""), values.get("port.serial", "")
        if name and port.isdecimal():
            stated = values.get("emulator.version", ""), values.get("emulator.build", "")
            version = "{} ({})".format(*stated) if all(stated) else stated[0]
            running = RunningAvd(f"emulator-{port}", pid, version, values.get("avd.dir", ""))
            found.setdefault(name.replace(" ", "_"), running)
    return found


def _discovery_files(folders: Sequence[Path], is_alive: IsAlive) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The process and the values of each, the newest file first."""
    found = []
    for path in (path for folder in folders for path in sorted(folder.glob("pid_*.ini"))):
        name = _FILE_NAME.fullmatch(path.name)
        if name is None:
            continue
        with suppress(OSError):
            changed_s, values = _read(path)
            if is_alive(int(name[1]), values):
                found.append((changed_s, int(name[1]), values))
    return ((pid, values) for _, pid, values in sorted(found, key=lambda file: file[0], reverse=True))


def _read(path: Path) -> tuple[float, Mapping[str, str]]:
    """When it was written, and its values. Raises OSError."""
    status = path.lstat()
    # In a folder that everyone may write to, a file of another user would have our clipboard sent to that user;
    # so would a link to one of our files, and reading a pipe would never end.
    if not stat.S_ISREG(status.st_mode) or (os.name == "posix" and status.st_uid != os.getuid()):
        raise PermissionError(errno.EPERM, "not a file of this user", str(path))
    text = read_file(path, Largest.WRITTEN_BY_HAND).decode(errors="replace")
    parts = (line.partition("=") for line in text.splitlines())
    return status.st_mtime, {key.strip(): value.strip() for key, _, value in parts}


def _endpoint(values: Mapping[str, str]) -> ControlEndpoint | None:
    try:
        serial, port = f"emulator-{int(values.get('port.serial', ''))}", int(values.get("grpc.port", ""))
    except ValueError:
        return None
    if port not in _PORTS:
        return None
    token = values.get("grpc.token", "")
    hide(token)
    return ControlEndpoint(serial, port, token, _key_folder(values))


def _key_folder(values: Mapping[str, str]) -> KeyFolder | None:
    folder, active, allowlist = (values.get(f"grpc.{name}", "") for name in ("jwks", "jwk_active", "allowlist"))
    return KeyFolder(Path(folder), Path(active), Path(allowlist) if allowlist else None) if folder and active else None
