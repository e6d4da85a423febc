"""Launching the SDK's emulator: flags, ports and log, and why it may end at once."""

import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from odyssey_recorder.errors import DeviceError

CONSOLE_PORTS = range(5554, 5586, 2)
"""The ports that every adb server scans for emulators."""

_CONTROL_PORT_ABOVE = 3000
"""The gRPC service of the emulator at 5554 is at 8554, as in Android Studio."""

_LOOPBACK = "127.0.0.1"
_QUOTED_LINES = 6
_KEPT_LOGS = 10
_LOG_TAIL_BYTES = 16_000
_LOG_NOISE = re.compile(r"^\s*(INFO|WARNING|DEBUG)\s*\|")

_ADVICE: Sequence[tuple[str, str]] = (
    (
        r"permission[^\n]*/dev/kvm|/dev/kvm[^\n]*permission|have permissions to use KVM",
        "Allow your user to use KVM: sudo gpasswd -a $USER kvm, then log out and in again.",
    ),
    (
        r"hardware acceleration|/dev/kvm|KVM (is not|requires)|HAXM|WHPX|Hypervisor",
        "Virtualisation is off. Turn it on (VT-x, SVM) in the firmware; on Linux also load KVM, "
        "on Windows turn on the Windows Hypervisor Platform. `emulator -accel-check` checks it.",
    ),
    (
        r"requires foldable feature",
        "This system image cannot fold. Create the device again with an image of API 34 or newer (google_apis).",
    ),
    (
        r"(Broken|Cannot find) AVD system path|Missing system image|system-images[^\n]*(missing|not found)",
        "Its system image is not installed. `odyssey-recorder avd list` shows the command that installs it.",
    ),
    (r"Unknown AVD name", "This device no longer exists. Create it again."),
    (
        r"[Rr]unning multiple emulators with the same AVD|another emulator instance running",
        (
            "It is already running or did not shut down cleanly. Stop it first. If it is not "
            "running, delete the *.lock files in its folder."
        ),
    ),
    (r"[Nn]ot enough (disk )?space|No space left", "Free some disk space: a device needs up to 10 GB."),
    (
        r"could not load the Qt platform|could not connect to display|xcb",
        "There is no display for its window. Start it with --no-window.",
    ),
    (
        r"unknown option|invalid command-line parameter",
        "The emulator is too old for the recorder. Run: sdkmanager --update",
    ),
    (r"[Ff]ailed to (process|open) [^\n]*lock|[Cc]an ?not allocate memory|memory[^\n]*exceeds", "Free some memory."),
    (r"snapshot[^\n]*(doesn't exist|not found|does not have)", "Start it without this snapshot, or from another one."),
)


_GRPC = "-grpc"
_PORT_TAKEN = "Failed to start grpc service"


class GrpcPortTakenError(DeviceError): ...


@dataclass(frozen=True, slots=True)
class Ports:
    """The console's port is even, and adb's is the next one."""

    console: int
    control: int

    @property
    def serial(self) -> str:
        return f"emulator-{self.console}"


def free_ports(consoles: Iterable[int] = CONSOLE_PORTS) -> Ports:
    """Raises DeviceError if too many emulators run."""
    for console in consoles:
        if _is_free(console) and _is_free(console + 1):
            control = console + _CONTROL_PORT_ABOVE
            return Ports(console, control if _is_free(control) else any_free())
    raise DeviceError("No port is free for another emulator. Stop a running one.")


class LaunchedEmulator:
    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """Raises DeviceError if the program cannot be executed."""
        self.log = log
        self._command = command
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("wb") as output:
                self._process = subprocess.Popen(
                    list(command),
                    env=dict(environment),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
                    | getattr(subprocess, "DETACHED_PROCESS", 0),
                )
        except OSError as error:
            raise DeviceError(
                f"{command[0]} could not be started: {error.strerror}. Install the emulator again."
            ) from error
        threading.Thread(target=self._process.wait, name=f"emulator {self._process.pid}", daemon=True).start()

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        with suppress(OSError):
            self._process.terminate()

    def exit_error(self, name: str) -> DeviceError:
        output = self._log_tail()
        if _PORT_TAKEN in output:
            port = self._command[self._command.index(_GRPC) + 1]
            return GrpcPortTakenError(
                f"The emulator {name} stopped: another program uses port {port}, which was meant for its gRPC "
                f"service. Start {name} again. Its log: {self.log}"
            )
        explanation = explained(output)
        return DeviceError(f"The emulator {name} stopped right after its start. {explanation} Its log: {self.log}")

    def _log_tail(self) -> str:
        with suppress(OSError), self.log.open("rb") as log:
            log.seek(max(self.log.stat().st_size - _LOG_TAIL_BYTES, 0))
            return log.read().decode(errors="replace")
        return ""


def launch_command(emulator: Path, name: str, ports: Ports, options: Sequence[str]) -> list[str]:
    return [
        str(emulator), "-avd", name, "-port", str(ports.console), _GRPC, str(ports.control), "-grpc-use-token",
        "-no-boot-anim", *options,
    ]  # fmt: skip


def explained(output: str) -> str:
    advice = next((advice for pattern, advice in _ADVICE if re.search(pattern, output)), "")
    lines = [" ".join(line.split()) for line in output.splitlines() if line.strip()]
    relevant = [line for line in lines if not _LOG_NOISE.match(line)] or lines
    quoted = " / ".join(relevant[-_QUOTED_LINES:])
    return f"{advice} Its output: {quoted}".lstrip() if quoted else f"{advice} It printed nothing.".lstrip()


def new_log(folder: Path, name: str) -> Path:
    own = re.compile(rf"emulator-{re.escape(name)}-\d{{8}}-\d{{6}}-\d{{6}}\.log")
    logs = sorted(path for path in folder.glob("emulator-*.log") if own.fullmatch(path.name))
    for old in logs[: -_KEPT_LOGS + 1]:
        with suppress(OSError):
            old.unlink()
    return folder / f"emulator-{name}-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.log"


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name == "posix":
            # The connections that a dead emulator's clients leave behind do not occupy the port.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_LOOPBACK, port))
        except OSError:
            return False
    return True


def any_free() -> int:
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        port: int = probe.getsockname()[1]
    return port
