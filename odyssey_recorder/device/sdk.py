"""The Android SDK and its packages."""

import platform as this_computer
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.errors import SdkError

Tool = Literal["emulator", "avdmanager", "sdkmanager", "adb"]

_PACKAGES: Mapping[Tool, str] = {
    "emulator": "emulator",
    "avdmanager": "cmdline-tools;latest",
    "sdkmanager": "cmdline-tools;latest",
    "adb": "platform-tools",
}
_SCRIPTS = {"avdmanager", "sdkmanager"}
_ARM_HOSTS = {"arm64", "aarch64"}
_NO_SDK = (
    "Install Android Studio, which includes it, or set ANDROID_HOME to its folder. Without "
    "it you can use the simulated emulator: odyssey-recorder simulate"
)
_NO_TOOLS = (
    "In Android Studio, open Settings, Languages & Frameworks, Android SDK, SDK Tools, and "
    "tick Android SDK Command-line Tools (latest)."
)


def sdk_folders(environment: Mapping[str, str], platform: str, home: Path) -> tuple[Path, ...]:
    """The most likely first: from the environment, then the system's usual places."""
    named = [Path(environment[name]).expanduser() for name in _VARIABLES if environment.get(name)]
    if platform == "win32":
        local = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
        usual = [local / "Android" / "Sdk"]
    elif platform == "darwin":
        brew = (Path(prefix, "share", "android-commandlinetools") for prefix in ("/opt/homebrew", "/usr/local"))
        usual = [home / "Library" / "Android" / "sdk", *brew]
    else:
        usual = [home / "Android" / "Sdk", Path("/usr/lib/android-sdk"), Path("/opt/android-sdk")]
    return tuple(dict.fromkeys([*named, *usual]))


_VARIABLES = ("ANDROID_HOME", "ANDROID_SDK_ROOT")


def find_sdk(folders: Iterable[Path]) -> "AndroidSdk | None":
    found = next((folder for folder in folders if folder.is_dir()), None)
    return None if found is None else AndroidSdk(found)


def host_abi(machine: str) -> str:
    """The ABI of the system images that run fast on this computer."""
    return "arm64-v8a" if machine.lower() in _ARM_HOSTS else "x86_64"


@dataclass(frozen=True, slots=True)
class AndroidSdk:
    """Looked up on every call, because packages may be installed meanwhile."""

    folder: Path
    platform: str = sys.platform
    machine: str = this_computer.machine()

    def tool(self, name: Tool) -> Path | None:
        """None if it is not installed; the newest of several command-line tools."""
        match name:
            case "emulator":
                places = [self.folder / "emulator"]
            case "adb":
                places = [self.folder / "platform-tools"]
            case "avdmanager" | "sdkmanager":
                places = [folder / "bin" for folder in (*self._tool_folders(), self.folder / "tools")]
        file = name + self._ending(name)
        return next((place / file for place in places if (place / file).is_file()), None)

    def require(self, name: Tool) -> Path:
        """Raises SdkError with the command that installs the program."""
        found = self.tool(name)
        if found is None:
            raise SdkError(f"The Android SDK in {self.folder} has no {name}. {self._fix(_PACKAGES[name])}")
        return found

    def image_package(self, android_sdk: str, variant: str) -> str:
        return f"system-images;android-{android_sdk};{variant};{host_abi(self.machine)}"

    def has_package(self, package: str) -> bool:
        folder = self.folder.joinpath(*package.split(";"))
        return folder.is_dir() and any(folder.iterdir())

    def require_package(self, package: str) -> None:
        """Raises SdkError with the command that installs the package."""
        if not self.has_package(package):
            raise SdkError(f"The Android SDK in {self.folder} has no {package}. {self._fix(package)}")

    def missing(self, images: Iterable[str]) -> tuple[PreflightFinding, ...]:
        tools = [name for name in _PACKAGES if name != "sdkmanager" and self.tool(name) is None]
        packages: list[tuple[str, str]] = [(name, _PACKAGES[name]) for name in tools]
        packages += [("System image", image) for image in sorted(set(images)) if not self.has_package(image)]
        return tuple(
            PreflightFinding(
                what,
                f"no {package} in {self.folder}",
                self._fix(package),
                prevents=True,
                command=self.install_command(package) if self.tool("sdkmanager") else "",
            )
            for what, package in packages
        )

    def install_command(self, package: str) -> str:
        """To paste into a terminal if the SDK has its sdkmanager."""
        manager = str(self.tool("sdkmanager") or "sdkmanager")
        return f'"{manager}" "{package}"' if self.platform == "win32" else shlex.join((manager, package))

    def _fix(self, package: str) -> str:
        if self.tool("sdkmanager") is not None:
            return f"Run: {self.install_command(package)}"
        if package == _PACKAGES["sdkmanager"]:
            return f"{_NO_TOOLS} With another sdkmanager: {self.install_command(package)}"
        return f"{_NO_TOOLS} Then run: {self.install_command(package)}"

    def _tool_folders(self) -> list[Path]:
        found = [folder for folder in self.folder.glob("cmdline-tools/*") if folder.is_dir()]
        return sorted(found, key=lambda folder: (folder.name == "latest", _version(folder.name)), reverse=True)

    def _ending(self, name: Tool) -> str:
        if self.platform != "win32":
            return ""
        return ".bat" if name in _SCRIPTS else ".exe"


def no_sdk() -> PreflightFinding:
    return PreflightFinding("Android SDK", "not found", _NO_SDK, prevents=True)


def _version(name: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", name))
