"""Stand-ins for the SDK's programs; the `emulator` runs the simulated emulator."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.avd import SdkEnvironment, VirtualDevices
from odyssey_recorder.device.avd_config import entries
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.device.sdk import AndroidSdk
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.discovery import running_dir
from tests.simulator.bench import free_console_port

IMAGE = "system-images;android-34;google_apis;x86_64"

_AVDMANAGER = '''
"""Makes the files that avdmanager makes, and refuses what it refuses."""

import os
import sys
from pathlib import Path

options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
name, image, device = options["-n"], options["-k"], options["-d"]
home = Path(os.environ["ANDROID_AVD_HOME"])
sdk = Path(os.environ["ANDROID_HOME"])
failure = Path(__file__).with_name("failure.txt")
if failure.exists():
    sys.exit(failure.read_text())
if not sdk.joinpath(*image.split(";")).is_dir():
    sys.exit("Error: Package path is not valid. Valid system image paths are:\\nnull")
if (home / f"{name}.ini").exists() and "--force" not in sys.argv:
    sys.exit(f"Error: Android Virtual Device '{name}' already exists.\\nUse --force if you want to replace it.")
print("Auto-selecting single ABI x86_64")
print("Do you wish to create a custom hardware profile? [no] ", end="")
if sys.stdin.readline().strip() != "no":
    sys.exit("Error: a custom hardware profile was wanted")
folder = home / f"{name}.avd"
folder.mkdir(parents=True, exist_ok=True)
(home / f"{name}.ini").write_text(
    f"avd.ini.encoding=UTF-8\\npath={folder}\\npath.rel=avd/{name}.avd\\ntarget=android-34\\n"
)
(folder / "config.ini").write_text(
    "PlayStore.enabled=no\\nabi.type=x86_64\\navd.ini.encoding=UTF-8\\nhw.cpu.arch=x86_64\\nhw.cpu.ncore=4\\n"
    f"hw.device.manufacturer=Google\\nhw.device.name={device}\\nhw.keyboard=no\\nhw.lcd.density=160\\n"
    f"hw.lcd.height=640\\nhw.lcd.width=320\\nimage.sysdir.1={image.replace(';', '/')}/\\ntag.id=google_apis\\n"
)
'''

_EMULATOR = '''
"""Lists the virtual devices, and runs the simulated emulator as one of them."""

import os
import sys
from pathlib import Path

home = Path(os.environ["ANDROID_AVD_HOME"])
names = sorted(path.stem for path in home.glob("*.ini"))
failure = Path(__file__).with_name("failure.txt")
busy = Path(__file__).with_name("busy.txt")
if sys.argv[1:] == ["-list-avds"]:
    print("INFO    | Storing crashdata in: /tmp/android-nobody/emu-crash-36.5.11.db, detection is enabled")
    print("\\n".join(names))
    sys.exit()
print("INFO         | Android emulator version 36.5.11.0 (build_id 15261927) (CL:N/A)", flush=True)
with Path(__file__).with_name("commands.txt").open("a") as commands:
    commands.write(" ".join(sys.argv[1:]) + "\\n")
options = dict(zip(sys.argv[1:], sys.argv[2:]))
name = options["-avd"]
if failure.exists():
    sys.exit(failure.read_text())
if name not in names:
    print(f"ERROR        | Unknown AVD name [{name}], use -list-avds to see valid list.")
    sys.exit(1)

import socket
import threading
from dataclasses import replace

from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.discovery import running_dir
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.errors import SimulatorError
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named

config = dict(
    line.split("=", 1) for line in (home / f"{name}.avd" / "config.ini").read_text().splitlines() if "=" in line
)
profile = replace(
    profile_named(config["hw.device.name"]), avd_name=name, keyboard=config["hw.keyboard"] == "yes"
)
control_port = int(options["-grpc"])
starts = int(busy.read_text()) if busy.exists() else 0
busy.write_text(str(max(0, starts - 1)))
other_program = socket.create_server(("127.0.0.1", control_port)) if starts else None
emulator = SimulatedEmulator(
    Phone(profile, animation=False),
    console_port=int(options["-port"]),
    adb_server_port=int(os.environ["ANDROID_ADB_SERVER_PORT"]),
    auth_token_file=Path.home() / ".emulator_console_auth_token",
    control=ControlOptions(running_dir(os.environ), port=control_port),
)
try:
    with emulator:
        if "-change-locale" in options:
            threading.Timer(1, emulator.guest.restart_android, (1,)).start()
        print(f"INFO         | Serial number of this emulator (for ADB): {emulator.serial}", flush=True)
        emulator.killed.wait()
except SimulatorError:
    print("FATAL        | Failed to start grpc service, even though it was explicitly requested.", flush=True)
    sys.exit(1)
'''


@dataclass(frozen=True)
class StandInSdk:
    folder: Path

    @property
    def sdk(self) -> AndroidSdk:
        return AndroidSdk(self.folder, platform="linux", machine="x86_64")

    def fail_emulators(self, message: str) -> None:
        """Make every emulator print `words` and exit."""
        (self.folder / "emulator" / "failure.txt").write_text(message)

    def take_grpc_port(self, starts: int) -> None:
        """Let another program take the port of the gRPC service just before that many emulators want it."""
        (self.folder / "emulator" / "busy.txt").write_text(str(starts))

    def fail_avdmanager(self, message: str) -> None:
        """Make avdmanager print `words` and fail."""
        (self.folder / "cmdline-tools" / "latest" / "bin" / "failure.txt").write_text(message)

    def remove(self, package: str) -> None:
        shutil.rmtree(self.folder.joinpath(*package.split(";")))

    def emulator_commands(self) -> list[str]:
        return (self.folder / "emulator" / "commands.txt").read_text().splitlines()


def stand_in_sdk(folder: Path) -> StandInSdk:
    tools = folder / "cmdline-tools" / "latest" / "bin"
    _program(tools / "avdmanager", _AVDMANAGER)
    _program(tools / "sdkmanager", "")
    _program(folder / "emulator" / "emulator", _EMULATOR)
    _program(folder / "platform-tools" / "adb", "")
    image = folder.joinpath(*IMAGE.split(";"))
    image.mkdir(parents=True)
    (image / "system.img").touch()
    return StandInSdk(folder)


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)


class AvdBench:
    """Virtual devices of a stand-in SDK, on a real adb server."""

    def __init__(self, server: PrivateAdbServer, folder: Path) -> None:
        self.server = server
        self.sdk = stand_in_sdk(folder / "sdk")
        self.port = free_console_port()
        self.avds, self.logs = folder / "avd", folder / "logs"
        self.avds.mkdir()
        running = (running_dir(server.environment),)
        token = server.home / TOKEN_FILE
        self.connector = DeviceConnector(AdbServer(port=server.port), running=running, console_token=token)
        environment = SdkEnvironment(self.avds, running, self.logs, token, server.environment, (self.port,))
        self.devices = VirtualDevices(self.sdk.sdk, self.connector.server, environment, self.connector.connect)

    def config(self, name: str) -> dict[str, str]:
        return entries((self.avds / f"{name}.avd" / "config.ini").read_text())

    def prop(self, name: str) -> str:
        return self.server.adb("-s", f"emulator-{self.port}", "shell", "getprop", name).stdout.decode().strip()
