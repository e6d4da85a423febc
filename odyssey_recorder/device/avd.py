"""The Android virtual devices of this computer: which there are, and how one is made, started, prepared and stopped."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.device.preflight import Finding
from odyssey_recorder.errors import DeviceError


@dataclass(frozen=True, slots=True)
class Avd:
    """An Android virtual device (AVD) of this computer.

    `profile` is the key of the device profile that it was made by, None for a device of another kind; `serial` is the
    name under which adb lists it, None while it does not run; `problems` are what of its configuration is not the
    profile's, one sentence each.
    """

    name: str
    profile: str | None
    serial: str | None
    problems: tuple[str, ...] = ()


class Stage(Enum):
    """How far a device is that starts; the values are words to show."""

    STARTING = "Starting the emulator"
    WAITING_FOR_ADB = "Waiting for adb"
    BOOTING = "Booting Android"
    WAITING_FOR_HOME = "Waiting for the home screen"
    PREPARING = "Setting the device up for recording"
    CHECKING = "Checking the device"


@dataclass(frozen=True, slots=True)
class Start:
    """How a device is started.

    `cold`: not from the state in which it was left. `snapshot`: from this one, empty for none. `wipe`: as new, all that
    is on it is lost. Without `window` it is seen in the mirror alone. `animations` leaves them on.
    """

    cold: bool = False
    snapshot: str = ""
    wipe: bool = False
    window: bool = True
    animations: bool = False


@dataclass(frozen=True, slots=True)
class Started:
    """A device that runs and was prepared, with what its preflight found."""

    serial: str
    findings: tuple[Finding, ...]


class VirtualDevices:
    """The AVDs of the Android SDK on this computer. Every call blocks, `start` for minutes.

    All raise `SdkError` where a part of the SDK is missing, with the command that brings it, and `DeviceError` for what
    the tools, the emulator or the device refuse.
    """

    def missing(self) -> tuple[Finding, ...]:
        """What of the SDK is missing for the profiles, each with the command that brings it; empty if nothing is."""
        return ()

    def list(self) -> tuple[Avd, ...]:
        """The AVDs there are, by name."""
        return ()

    def create(self, profile: str, *, name: str = "", replace: bool = False) -> Avd:
        """Make an AVD by the profile of that key, called `name` or like the profile."""
        raise DeviceError(f"The AVD {name or profile} was not made.")

    def amend(self, name: str) -> Avd:
        """Bring the configuration of an AVD to what its profile says; a running one follows at its next cold boot."""
        raise DeviceError(f"There is no AVD {name}.")

    def start(
        self,
        name: str,
        how: Start = Start(),
        *,
        progress: Callable[[Stage], object] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Started:
        """Start an AVD, wait until its home screen is up, and prepare it as its profile says.

        Raises `CancelledError` soon after `cancelled` says so; the emulator is stopped then.
        """
        raise DeviceError(f"There is no AVD {name}.")

    def reset(
        self,
        name: str,
        *,
        progress: Callable[[Stage], object] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Started:
        """Stop an AVD if it runs, and start it as new: all that is on it is lost, its snapshots too."""
        return self.start(name, Start(wipe=True), progress=progress, cancelled=cancelled)

    def stop(self, serial: str) -> None:
        """End an emulator as its window's cross does, and wait until it is gone."""

    def snapshots(self, serial: str) -> tuple[str, ...]:
        """The names of a running emulator's snapshots."""
        return ()

    def save_snapshot(self, serial: str, name: str) -> None:
        """Save the whole device under `name`, in place of what had it."""

    def load_snapshot(self, serial: str, name: str) -> None:
        """Bring the whole device back to what `name` holds."""

    def delete_snapshot(self, serial: str, name: str) -> None:
        """Forget a snapshot."""

    def fold(self, serial: str) -> None:
        """Close a phone that folds."""

    def unfold(self, serial: str) -> None:
        """Open a phone that folds."""

    def rotate(self, serial: str) -> None:
        """Turn the device by a quarter."""
