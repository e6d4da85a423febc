"""What the Devices page has done to devices: which work is under way on which of them, and what came of it."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from odyssey_recorder.device.inventory import DeviceInventory, InventoryDevice
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.errors import DeviceDisconnectedError
from odyssey_recorder.gui.background import Background, Job, JobState, JobWork, error_text

T = TypeVar("T")


class DeviceWork(QObject):
    """Every method returns at once; outcomes come as signals, on the GUI thread."""

    listed = Signal(object)
    listing_failed = Signal(str)
    examined = Signal(str, object)
    examination_failed = Signal(str, str)
    work_changed = Signal(str)
    """Something of the work on the device of this key is different now."""

    failed = Signal(str)
    """A short call failed."""

    def __init__(self, inventory: DeviceInventory, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._inventory = inventory
        self._background = background
        self._of: dict[str, Job] = {}
        self._mustering = False
        self._examining = ""

    @property
    def can_simulate(self) -> bool:
        """Whether simulated emulators can be started from here."""
        return self._inventory.can_simulate

    def job(self, key: str) -> Job | None:
        """The work on a device that is under way, or that failed and was not dismissed."""
        return self._of.get(key)

    def is_busy(self, key: str) -> bool:
        """Whether work on a device is under way."""
        job = self._of.get(key)
        return job is not None and not job.state.has_ended

    def dismiss(self, key: str) -> None:
        """Forget the failure of a device's work."""
        if not self.is_busy(key) and self._of.pop(key, None) is not None:
            self.work_changed.emit(key)

    # Looking.

    def listing(self) -> None:
        """Look which devices there are, unless that is under way."""
        if not self._mustering:
            self._mustering = True
            self._background.run(self._inventory.listing, self._take_listing, self._tell_listing_failure)

    def examine(self, serial: str) -> None:
        """Look at a running device, unless that is under way."""
        if self._examining != serial:
            self._examining = serial
            call = partial(self._inventory.examine, serial)
            self._background.run(call, partial(self._take, serial), partial(self._tell_no_examination, serial))

    def let_go(self) -> None:
        """Close the connection to the device that was looked at."""
        self._background.run(self._inventory.let_go, on_error=self._tell_failure)

    def close(self) -> None:
        """Close it now: the window closes."""
        self._inventory.let_go()

    # Long work.

    def create(self, member: InventoryDevice) -> None:
        """Make the AVD of a profile."""
        self._carry_through(member, f"Creating {member.name}", lambda: self._inventory.create(member.key))

    def start(self, member: InventoryDevice, *, cold: bool) -> None:
        """Start a device's AVD."""
        if member.avd is not None:
            self._start(member, f"Starting {member.name}", partial(self._inventory.start, member.avd.name, cold=cold))

    def reset(self, member: InventoryDevice) -> None:
        """Make a device's AVD as new, and start it."""
        if member.avd is not None:
            self._start(member, f"Resetting {member.name}", partial(self._inventory.reset, member.avd.name))

    def simulate(self, member: InventoryDevice) -> None:
        """Start a simulated emulator like a device."""
        self._start(member, f"Starting a simulated {member.name}", partial(self._inventory.simulate, member.key))

    def stop(self, member: InventoryDevice) -> None:
        """End a running device."""
        self._carry_through(member, f"Stopping {member.name}", lambda: self._inventory.stop(member.serial))

    def save_snapshot(self, member: InventoryDevice, name: str) -> None:
        """Save the device under a name."""
        call = partial(self._inventory.save_snapshot, member.serial, name)
        self._carry_through(member, f"Saving the snapshot {name}", call)

    def load_snapshot(self, member: InventoryDevice, name: str) -> None:
        """Bring the device back to a snapshot."""
        call = partial(self._inventory.load_snapshot, member.serial, name)
        self._carry_through(member, f"Loading the snapshot {name}", call)

    # Short calls.

    def delete_snapshot(self, member: InventoryDevice, name: str) -> None:
        """Forget a snapshot."""
        self._ask(partial(self._inventory.delete_snapshot, member.serial, name), member)

    def fold(self, member: InventoryDevice) -> None:
        """Close a phone that folds."""
        self._ask(partial(self._inventory.fold, member.serial), member)

    def unfold(self, member: InventoryDevice) -> None:
        """Open a phone that folds."""
        self._ask(partial(self._inventory.unfold, member.serial), member)

    def rotate(self, member: InventoryDevice) -> None:
        """Turn a device by a quarter."""
        self._ask(partial(self._inventory.rotate, member.serial), member)

    def mend(self, member: InventoryDevice, finding: PreflightFinding) -> None:
        """Carry out a finding's repairs."""
        self._ask(partial(self._inventory.fix, member.serial, finding), member)

    def amend(self, member: InventoryDevice) -> None:
        """Bring the configuration of a device's AVD to what its profile says."""
        if member.avd is not None:
            self._ask(partial(self._inventory.amend, member.avd.name), member)

    def _carry_through(self, member: InventoryDevice, title: str, call: Callable[[], object]) -> None:
        """Do what cannot be cancelled."""
        self._start(member, title, lambda _progress, _cancelled: call(), can_cancel=False)

    def _start(self, member: InventoryDevice, title: str, work: JobWork[T], *, can_cancel: bool = True) -> None:
        if self.is_busy(member.key):
            return
        job = self._of[member.key] = self._background.start(title, work, can_cancel=can_cancel)
        job.changed.connect(lambda: self.work_changed.emit(member.key))
        job.ended.connect(lambda: self._end(member, job))
        self.work_changed.emit(member.key)

    def _end(self, member: InventoryDevice, job: Job) -> None:
        if job.state is not JobState.FAILED:
            del self._of[member.key]
        self._look_again(member)
        self.work_changed.emit(member.key)

    def _ask(self, call: Callable[[], object], member: InventoryDevice) -> None:
        def end(_: object) -> None:
            self._look_again(member)

        def tell(error: Exception) -> None:
            self._tell_failure(error)
            self._look_again(member)

        self._background.run(call, end, tell)

    def _look_again(self, member: InventoryDevice) -> None:
        self.listing()
        if member.serial:
            self._examining = ""  # what is under way was asked before
            self.examine(member.serial)

    def _take_listing(self, listing: object) -> None:
        self._mustering = False
        self.listed.emit(listing)

    def _tell_listing_failure(self, error: Exception) -> None:
        self._mustering = False
        self.listing_failed.emit(error_text(error))

    def _take(self, serial: str, examination: object) -> None:
        self._examining = ""
        self.examined.emit(serial, examination)

    def _tell_no_examination(self, serial: str, error: Exception) -> None:
        self._examining = ""
        self.examination_failed.emit(serial, error_text(error))
        if isinstance(error, DeviceDisconnectedError):
            self.listing()

    def _tell_failure(self, error: Exception) -> None:
        self.failed.emit(error_text(error))
