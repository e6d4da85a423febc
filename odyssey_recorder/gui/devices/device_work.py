"""Work on devices for the Devices page: what is in progress on each, and its outcome."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from odyssey_recorder.device.inventory import DeviceInventory, InventoryDevice
from odyssey_recorder.errors import DeviceDisconnectedError
from odyssey_recorder.gui.frame.background import Background, Job, JobState, JobWork, error_text

T = TypeVar("T")


class DeviceWork(QObject):
    """Methods return at once; outcomes are signals on the GUI thread."""

    listed = Signal(object)
    listing_failed = Signal(str)
    examined = Signal(str, object)
    details_failed = Signal(str, str)
    work_changed = Signal(str)
    failed = Signal(str)

    def __init__(self, inventory: DeviceInventory, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._inventory = inventory
        self._background = background
        self._jobs: dict[str, Job] = {}
        self._is_listing = False
        self._examining = ""

    def job(self, key: str) -> Job | None:
        """The device's job: in progress, or failed and not dismissed."""
        return self._jobs.get(key)

    def is_busy(self, key: str) -> bool:
        job = self._jobs.get(key)
        return job is not None and not job.state.has_ended

    def dismiss(self, key: str) -> None:
        if not self.is_busy(key) and self._jobs.pop(key, None) is not None:
            self.work_changed.emit(key)

    # Queries.

    def listing(self) -> None:
        if not self._is_listing:
            self._is_listing = True
            self._background.run(self._inventory.listing, self._on_listed, self._on_listing_failed)

    def examine(self, serial: str) -> None:
        if self._examining != serial:
            self._examining = serial
            call = partial(self._inventory.examine, serial)
            self._background.run(call, partial(self._on_examined, serial), partial(self._on_examination_failed, serial))

    def disconnect_device(self) -> None:
        self._background.run(self._inventory.disconnect_device, on_error=self._report_failure)

    def close(self) -> None:
        self._inventory.disconnect_device()

    # Actions.

    def start(
        self,
        member: InventoryDevice,
        title: str,
        work: JobWork[T],
        on_done: Callable[[T], object] = lambda _: None,
        *,
        can_cancel: bool = True,
    ) -> None:
        if self.is_busy(member.key):
            return
        job = self._jobs[member.key] = self._background.start(title, work, on_done, can_cancel=can_cancel)
        job.changed.connect(lambda: self.work_changed.emit(member.key))
        job.ended.connect(lambda: self._end(member, job))
        self.work_changed.emit(member.key)

    def carry_through(self, member: InventoryDevice, title: str, call: Callable[[], object]) -> None:
        self.start(member, title, lambda _progress, _cancelled: call(), can_cancel=False)

    def ask(self, member: InventoryDevice, call: Callable[[], object]) -> None:
        def fail(error: Exception) -> None:
            self._report_failure(error)
            self._refresh(member)

        self._background.run(call, lambda _: self._refresh(member), fail)

    def _end(self, member: InventoryDevice, job: Job) -> None:
        if job.state is not JobState.FAILED:
            del self._jobs[member.key]
        self._refresh(member)
        self.work_changed.emit(member.key)

    def _refresh(self, member: InventoryDevice) -> None:
        self.listing()
        if member.serial:
            self._examining = ""  # the running call was made before
            self.examine(member.serial)

    def _on_listed(self, listing: object) -> None:
        self._is_listing = False
        self.listed.emit(listing)

    def _on_listing_failed(self, error: Exception) -> None:
        self._is_listing = False
        self.listing_failed.emit(error_text(error))

    def _on_examined(self, serial: str, details: object) -> None:
        self._examining = ""
        self.examined.emit(serial, details)

    def _on_examination_failed(self, serial: str, error: Exception) -> None:
        self._examining = ""
        self.details_failed.emit(serial, error_text(error))
        if isinstance(error, DeviceDisconnectedError):
            self.listing()

    def _report_failure(self, error: Exception) -> None:
        self.failed.emit(error_text(error))
