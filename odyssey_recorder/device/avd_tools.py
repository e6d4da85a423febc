"""The SDK's own programs for virtual devices."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from textwrap import shorten

from odyssey_recorder.device.avd_config import is_avd_name
from odyssey_recorder.device.sdk import AndroidSdk
from odyssey_recorder.errors import DeviceError, DeviceTimeoutError, SdkError

_LIST_S = 30.0
_CREATE_S = 180.0
_NO_CUSTOM_HARDWARE = "no\n"
_QUOTED_CHARACTERS = 300

_JAVA = "avdmanager needs Java. Set JAVA_HOME to the jbr folder of Android Studio, then try again."
_NO_SPACE = "Free some disk space."


class AvdTools:
    """Raises SdkError if a program is missing or does not run."""

    def __init__(self, sdk: AndroidSdk, environment: Mapping[str, str]) -> None:
        self._sdk = sdk
        self._environment = dict(environment)

    def names(self) -> frozenset[str]:
        """Skips the emulator's log lines, which have more than one word."""
        program = str(self._sdk.require("emulator"))
        try:
            result = self._run([program, "-list-avds"], "", _LIST_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SdkError(f"{program} does not respond: {error}. Install the emulator again.") from error
        if result.returncode != 0:
            quoted = shorten(result.stderr + result.stdout, _QUOTED_CHARACTERS, placeholder=" …") or "nothing"
            raise SdkError(f"{program} could not be started: {quoted}. Install the emulator again.")
        return frozenset(line.strip() for line in result.stdout.splitlines() if is_avd_name(line.strip()))

    def create(self, name: str, *, image: str, device: str, replace: bool) -> None:
        """Raises DeviceError with avdmanager's message and advice."""
        program = str(self._sdk.require("avdmanager"))
        command = [program, "create", "avd", "-n", name, "-k", image, "-d", device]
        try:
            result = self._run([*command, "--force"] if replace else command, _NO_CUSTOM_HARDWARE, _CREATE_S)
        except subprocess.TimeoutExpired as error:
            raise DeviceTimeoutError(f"avdmanager did not create {name} within {_CREATE_S:g} s. Try again.") from error
        except OSError as error:
            raise SdkError(f"{program} could not be started: {error.strerror}. {_JAVA}") from error
        if result.returncode != 0:
            explanation = self._explanation(result.stderr + result.stdout)
            raise DeviceError(f"avdmanager could not create the virtual device {name}. {explanation}")

    def _run(self, command: Sequence[str], answer: str, limit_s: float) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            input=answer,
            env=self._environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=limit_s,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            check=False,
        )

    def _explanation(self, output: str) -> str:
        newer = self._sdk.install_command("cmdline-tools;latest")
        too_old = f"The SDK's command-line tools may be too old: {newer}"
        known_errors = (
            (r"NoClassDefFoundError: javax/xml/bind", f"The SDK's command-line tools are too old: {newer}"),
            (
                r"JAVA_HOME|UnsupportedClassVersionError|Unable to locate a Java Runtime|java: (command )?not found",
                _JAVA,
            ),
            (r"No device found matching", too_old),
            (r"Package path is not valid", too_old),
            (r"[Nn]ot enough space|No space left", _NO_SPACE),
        )
        advice = next((advice for pattern, advice in known_errors if re.search(pattern, output)), "")
        lines = [line.strip() for line in output.splitlines() if line.strip() and line.strip() != "null"]
        error_lines = [line for line in lines if re.match("error", line, re.IGNORECASE)] or lines
        quoted = shorten(" / ".join(error_lines), _QUOTED_CHARACTERS, placeholder=" …") or "nothing"
        return f"{advice} Its output: {quoted}".strip()
