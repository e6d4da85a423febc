"""What the Devices page asks of the rest of the program."""

from typing import Protocol

from odyssey_recorder.device.inventory import DeviceExamination, InventoryListing
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.gui.jobs import Cancelled, Progress


class Inventory(Protocol):
    """The devices of this computer. Every call may block and is made off the GUI thread; all raise OdysseyError."""

    @property
    def can_simulate(self) -> bool:
        """Whether `simulate` may be called; answers at once."""

    def listing(self) -> InventoryListing:
        """Which devices there are, and what of the Android SDK is missing."""

    def create(self, profile: str) -> object:
        """Make an AVD by the profile of that key."""

    def amend(self, avd: str) -> object:
        """Bring an AVD's configuration to what its profile says; it follows at its next cold boot."""

    def start(self, avd: str, progress: Progress, cancelled: Cancelled, *, cold: bool = False) -> str:
        """Start an AVD and wait until it can be recorded; its serial."""

    def reset(self, avd: str, progress: Progress, cancelled: Cancelled) -> str:
        """Make an AVD as new, all that is on it lost, and start it; its serial."""

    def simulate(self, profile: str, progress: Progress, cancelled: Cancelled) -> str:
        """Start a simulated emulator and wait until it can be used; its serial."""

    def stop(self, serial: str) -> None:
        """End an emulator, and wait until it is gone."""

    def fold(self, serial: str) -> None:
        """Close a phone that folds."""

    def unfold(self, serial: str) -> None:
        """Open a phone that folds."""

    def rotate(self, serial: str) -> None:
        """Turn the device by a quarter."""

    def examine(self, serial: str) -> DeviceExamination:
        """Ask a running device for all that is shown of it."""

    def mend(self, serial: str, finding: PreflightFinding) -> None:
        """Carry out the repairs of a finding."""

    def save_snapshot(self, serial: str, name: str) -> None:
        """Save the whole device under `name`, in place of what had it."""

    def load_snapshot(self, serial: str, name: str) -> None:
        """Bring the whole device back to what `name` holds."""

    def delete_snapshot(self, serial: str, name: str) -> None:
        """Forget a snapshot."""

    def let_go(self) -> None:
        """Close the connection to the device that was examined last."""
