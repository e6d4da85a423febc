"""Waiting for an emulator to start or end."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.discovery import process_is_alive, running_avds
from odyssey_recorder.device.emulator_launch import LaunchedEmulator
from odyssey_recorder.errors import CancelledError, DeviceError, DeviceTimeoutError

if TYPE_CHECKING:
    from odyssey_recorder.device.adb import AdbDevice

_BOOT_S = 300.0
_HOME_S = 60.0
_RESTART_S = 60.0
_STOP_S = 90.0
"""On shutdown an emulator saves its state, including all of its memory."""

_EXIT_S = 10.0

_ANSWER_S = 5.0
_POLL_S = 0.2

_NOT_HOME = "FallbackHome"
"""The activity shown in place of the home screen until the user's files are unlocked."""


class BootStage(Enum):
    """The values are shown to the user."""

    STARTING = "Starting the emulator"
    WAITING_FOR_ADB = "Waiting for adb"
    BOOTING = "Booting Android"
    WAITING_FOR_HOME = "Waiting for the home screen"
    PREPARING = "Preparing the device for recording"
    CHECKING = "Checking the device"


@dataclass(frozen=True, slots=True)
class Boot:
    """One start of an emulator: `boot_s` to boot, then `home_s` to show an activity.

    With `changes_locale` Android starts twice: the emulator restarts it to change the language.
    """

    name: str
    serial: str
    emulator: LaunchedEmulator
    server: AdbServer
    cancelled: Callable[[], bool]
    boot_s: float = _BOOT_S
    home_s: float = _HOME_S
    changes_locale: bool = False

    def wait(self, progress: Callable[[BootStage], object]) -> None:
        """Return when the device has booted and an activity has the focus.

        A device with a locked screen shows none: after `home_s` that is accepted. Raises CancelledError,
        DeviceError.
        """
        expires_s = time.monotonic() + self.boot_s
        for stage, condition in ((BootStage.WAITING_FOR_ADB, self._is_listed), (BootStage.BOOTING, self._has_booted)):
            progress(stage)
            if not self._wait_for(condition, expires_s):
                self._raise_timeout(stage)
        if self.changes_locale:
            self._wait_for(self._has_restarted, time.monotonic() + _RESTART_S)
        progress(BootStage.WAITING_FOR_HOME)
        self._wait_for(self._is_home, time.monotonic() + self.home_s)

    def _wait_for(self, condition: Callable[["AdbDevice"], bool], expires_s: float) -> bool:
        from odyssey_recorder.device.adb import AdbDevice  # slow to load, and every window imports this module
        from odyssey_recorder.device.adb_shell import AdbShell

        device = AdbDevice(AdbShell(self.serial, self.server, answer_s=_ANSWER_S))
        while True:
            if self.cancelled():
                raise CancelledError(f"The start of {self.name} was cancelled. The emulator has been stopped.")
            if self.emulator.has_ended:
                raise self.emulator.exit_error(self.name)
            if condition(device):
                return True
            if time.monotonic() > expires_s:
                return False
            time.sleep(_POLL_S)

    def _is_listed(self, _: "AdbDevice") -> bool:
        return any(device.serial == self.serial and device.is_ready for device in self.server.devices())

    def _has_booted(self, device: "AdbDevice") -> bool:
        try:
            device.wait_until_ready(0)
        except DeviceError:
            return False
        return True

    def _has_restarted(self, device: "AdbDevice") -> bool:
        try:
            return device.has_restarted()
        except DeviceError:
            return False

    def _is_home(self, device: "AdbDevice") -> bool:
        try:
            state = device.screen_state()
        except DeviceError:
            return False
        return bool(state.package) and _NOT_HOME not in state.activity

    def _raise_timeout(self, stage: BootStage) -> NoReturn:
        raise DeviceTimeoutError(
            f"{self.name} ({self.serial}) did not start within {self.boot_s:g} s. Last stage: "
            f"{stage.value}. It is still running: check its window, or stop it and try a cold boot. "
            f"Log: {self.emulator.log}"
        )


def end_emulator(
    serial: str, kill: Callable[[], None], server: AdbServer, running: Sequence[Path], *, stop_s: float = _STOP_S
) -> None:
    """Returns when the emulator has ended and adb no longer lists it. Raises DeviceTimeoutError."""
    pids = {avd.pid for avd in running_avds(running).values() if avd.serial == serial}
    kill()
    started_s = time.monotonic()
    while any(avd.serial == serial for avd in running_avds(running).values()) or _is_listed(serial, server):
        if time.monotonic() > started_s + stop_s:
            raise DeviceTimeoutError(f"{serial} did not stop within {stop_s:g} s. Close its window.")
        time.sleep(_POLL_S)
    # The discovery file disappears before the emulator releases the device's files.
    expires_s = time.monotonic() + _EXIT_S
    while any(map(process_is_alive, pids - {os.getpid()})) and time.monotonic() < expires_s:
        time.sleep(_POLL_S)


def _is_listed(serial: str, server: AdbServer) -> bool:
    return any(device.serial == serial for device in server.devices())
