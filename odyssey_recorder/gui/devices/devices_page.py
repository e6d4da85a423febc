"""The page to create, start, check and fix devices: a list, and the chosen one beside it."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from odyssey_recorder.device.inventory import DeviceDetails, DeviceInventory, InventoryDevice, InventoryListing
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.device_check.found import DeviceReport
from odyssey_recorder.gui.devices.check_dialog import CheckDialog
from odyssey_recorder.gui.devices.commands import DevicesCommand
from odyssey_recorder.gui.devices.device_card import DeviceCard, SnapshotCard
from odyssey_recorder.gui.devices.device_rows import device_list, device_model
from odyssey_recorder.gui.devices.device_work import DeviceWork
from odyssey_recorder.gui.frame.background import Background, Job
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog
from odyssey_recorder.gui.frame.roles import records
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.fix_list import MissingCard, PreflightCard
from odyssey_recorder.gui.kit.parts import Card, column, fill_column, fill_row, named, push_button, row, text_label
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.settings import Role

_LOOK_AROUND_MS = 2500
_LEFT_PX = 264
_SNAPSHOTS_PX = 268
_SPACE = 16
_LOOKING = "Looking for devices…"
_LISTING = "listing"  # the cause of a message
_RECORDING = "An episode is being recorded on this device. Finish or stop the recording first."
_AMEND = "This device's configuration doesn't match its profile. Press Fix, then Cold boot."

CheckDevice = Callable[[str, Progress, Cancelled], DeviceReport]
"""Checks the device of a serial, on the device itself."""


class DevicesPage(MainPage):
    record_asked = Signal(str)

    def __init__(
        self, inventory: DeviceInventory, background: Background, commands: Commands, check: CheckDevice
    ) -> None:
        super().__init__()
        self._commands = commands
        self._check_device = check
        self._background = background
        self._inventory = inventory
        self._work = DeviceWork(inventory, background, self)
        self._rows = device_model(self._work_text, self)
        self._list = device_list(self._rows)
        self._home = self._list
        self._looking = text_label(_LOOKING, "hint")
        self._message = Banner(can_dismiss=True)
        self._amend = push_button("Fix", "Set the configuration to that of the profile")
        self._configuration = Banner(named(self._amend, "Fix the configuration"))
        self._progress = QVBoxLayout()
        self._job_card = JobCard()
        self._card = DeviceCard(commands)
        again = commands.button(DevicesCommand.DEVICE_CHECK, kind="quiet")
        self._preflight = PreflightCard(again, "Preflight", commands.button(DevicesCommand.DEVICE_PROBE))
        self._snapshots = SnapshotCard(commands)
        self._missing = MissingCard()
        self._recording_hint = text_label(_RECORDING, "hint")
        self._key = ""
        self._recorded = ""
        self._stopped = ""  # serial last stopped from here
        self._followed: Job | None = None
        self._details: DeviceDetails | None = None
        self._listed = InventoryListing(())
        self._look_around = QTimer(self, interval=_LOOK_AROUND_MS)
        fill_row(self, self._left(), (self._right(), 1), margins=_SPACE, spacing=_SPACE)
        self._connect()
        self._show_member()

    def show_for(self, role: Role) -> None:
        self._card.may_record = records(role)

    def enter(self) -> None:
        self._look_around.start()
        self._look()

    def hideEvent(self, event: QHideEvent) -> None:
        self._look_around.stop()
        self._work.disconnect_device()
        super().hideEvent(event)

    def close_down(self) -> None:
        self._look_around.stop()
        self._work.close()

    def show_recording(self, serial: str) -> None:
        """Block changes to the device being recorded; empty for none."""
        self._recorded = serial
        self._show_member()

    @property
    def _member(self) -> InventoryDevice | None:
        return self._rows.all.get(self._key)

    # Results.

    def _look(self) -> None:
        self._work.listing()
        self._check()

    def _check(self) -> None:
        member = self._member
        if member is not None and member.is_ready and not self._is_taken(member):
            self._work.examine(member.serial)

    def _is_taken(self, member: InventoryDevice) -> bool:
        return self._work.is_busy(member.key) or (bool(member.serial) and member.serial == self._recorded)

    def _show_listing(self, listing: InventoryListing) -> None:
        before = self._member
        self._listed = listing
        for device in listing.members:
            if device.is_ready:
                self._message.end(device.key)
        self._looking.hide()
        self._message.end(_LISTING)
        self._rows.show(listing.members)
        self._list.setCurrentIndex(self._rows.index(self._row_to_choose(), 0))
        member = self._member
        if before is not None and before.is_ready:
            self._report_if_lost(before, self._rows.all.get(before.key))
        if member is None or member.serial != (before.serial if before else ""):
            self._details = None
            self._check()
        self._show_member()

    def _row_to_choose(self) -> int:
        row = self._rows.place(self._key)
        return row if row >= 0 else next((row for row, device in enumerate(self._rows.rows) if device.is_ready), 0)

    def _report_if_lost(self, before: InventoryDevice, now: InventoryDevice | None) -> None:
        is_there = now is not None and now.serial == before.serial
        is_asked_for = self._work.is_busy(before.key) or before.serial == self._stopped
        if not is_there and not is_asked_for:
            advice = "It was closed or crashed. Start it again."
            self._message.show_message(Tone.WARNING, f"{before.label} is gone.", advice, cause=before.key)

    def _show_listing_failure(self, text: str) -> None:
        self._looking.hide()
        self._message.show_message(Tone.DANGER, text, cause=_LISTING)

    def _on_details(self, serial: str, details: DeviceDetails) -> None:
        member = self._member
        if member is not None and member.serial == serial:
            self._details = details
            self._preflight.show_findings(details.findings)
            self._show_member()

    def _report_failure(self, serial: str, text: str) -> None:
        member = self._member
        if member is not None and member.serial == serial:
            self._preflight.show_failure(text)

    def _work_text(self, key: str) -> str:
        job = self._work.job(key)
        return (job.text or f"{job.title}…") if job is not None and self._work.is_busy(key) else ""

    def _show_work(self, key: str) -> None:
        self._rows.refresh()
        if key == self._key:
            self._show_member()

    def _show_member(self) -> None:
        member = self._member
        self._card.setVisible(member is not None)
        if member is not None:
            self._card.show_member(
                member,
                self._details,
                can_simulate=self._inventory.can_simulate,
                lacks_sdk=bool(self._listed.missing),
                is_busy=self._is_taken(member),
            )
        self._show_running(member if member is not None and member.is_ready else None)
        self._missing.show_findings(() if member is not None and member.serial else self._listed.missing)
        self._show_configuration(member)
        self._follow_job()

    def _show_running(self, member: InventoryDevice | None) -> None:
        is_recorded = member is not None and member.serial == self._recorded
        is_free = member is not None and not self._is_taken(member)
        self._recording_hint.setVisible(is_recorded)
        self._preflight.setVisible(member is not None and not is_recorded)
        self._snapshots.setVisible(member is not None and not is_recorded)
        self._commands.enable(DevicesCommand.DEVICE_CHECK, DevicesCommand.DEVICE_PROBE, on=is_free)
        seen = self._details
        names = seen.snapshots if seen is not None else ()
        self._snapshots.show_snapshots(names, usable=is_free and seen is not None)

    def _show_configuration(self, member: InventoryDevice | None) -> None:
        problems = member.avd.problems if member is not None and member.avd is not None else ()
        if problems:
            self._configuration.show_message(Tone.WARNING, _AMEND, " ".join(problems))
        self._configuration.setVisible(bool(problems))

    def _follow_job(self) -> None:
        """Show the job of the chosen device in a new card, as each card shows the end of its own job."""
        job = self._work.job(self._key)
        if job is self._followed:
            return
        self._followed = job
        self._progress.removeWidget(self._job_card)
        self._job_card.hide()
        self._job_card.deleteLater()
        self._job_card = JobCard()
        self._job_card.dismissed.connect(partial(self._work.dismiss, self._key))
        self._progress.addWidget(self._job_card)
        if job is not None:
            self._job_card.follow(job)

    # Actions.

    def _choose(self, index: QModelIndex) -> None:
        member = self._rows.at(index.row())
        key = "" if member is None else member.key
        if key == self._key:
            return
        self._key = key
        self._details = None
        self._preflight.show_checking()
        self._show_member()
        self._check()

    def _ask(self, work: Callable[[InventoryDevice], object]) -> None:
        member = self._member
        if member is not None:
            self._message.hide()
            work(member)

    def _start(self, member: InventoryDevice, *, cold: bool) -> None:
        if member.avd is not None:
            start = partial(self._inventory.start, member.avd.name, cold=cold)
            self._work.start(member, f"Starting {member.name}", start)

    def _probe(self, member: InventoryDevice) -> None:
        check = partial(self._check_device, member.serial)
        self._work.start(member, f"Checking {member.name}", check, self._show_report)

    def _show_report(self, report: DeviceReport) -> None:
        CheckDialog(report, self._background, self).open()

    def _stop(self, member: InventoryDevice) -> None:
        self._stopped = member.serial
        self._work.carry_through(member, f"Stopping {member.name}", partial(self._inventory.stop, member.serial))

    def _reset(self, member: InventoryDevice) -> None:
        if member.avd is not None:
            self._work.start(member, f"Resetting {member.name}", partial(self._inventory.reset, member.avd.name))

    def _fix_configuration(self, member: InventoryDevice) -> None:
        if member.avd is not None:
            self._work.ask(member, partial(self._inventory.amend, member.avd.name))

    def _save_snapshot(self, name: str) -> None:
        title, save = f"Saving the snapshot {name}", self._inventory.save_snapshot
        self._ask(lambda device: self._work.carry_through(device, title, partial(save, device.serial, name)))

    def _load_snapshot(self, name: str) -> None:
        title, load = f"Loading the snapshot {name}", self._inventory.load_snapshot
        self._ask(lambda device: self._work.carry_through(device, title, partial(load, device.serial, name)))

    def _delete_snapshot(self, name: str) -> None:
        self._ask(lambda device: self._work.ask(device, partial(self._inventory.delete_snapshot, device.serial, name)))

    def _ask_to_reset(self, member: InventoryDevice) -> None:
        dialog = QuestionDialog(_reset_question(member), self)
        dialog.accepted.connect(partial(self._reset, member))
        dialog.open()

    def _fix(self, finding: PreflightFinding) -> None:
        self._ask(lambda member: self._work.ask(member, partial(self._inventory.fix, member.serial, finding)))

    def _connect(self) -> None:
        work = self._work
        work.listed.connect(self._show_listing)
        work.listing_failed.connect(self._show_listing_failure)
        work.examined.connect(self._on_details)
        work.details_failed.connect(self._report_failure)
        work.work_changed.connect(self._show_work)
        work.failed.connect(lambda text: self._message.show_message(Tone.DANGER, text))
        self._look_around.timeout.connect(self._look)
        self._list.selectionModel().currentChanged.connect(self._choose)
        self._preflight.fix_asked.connect(self._fix)
        self._amend.clicked.connect(lambda: self._ask(self._fix_configuration))
        self._snapshots.save_asked.connect(self._save_snapshot)
        self._snapshots.load_asked.connect(self._load_snapshot)
        self._snapshots.delete_asked.connect(self._delete_snapshot)
        bound = {command: partial(self._ask, call) for command, call in self._calls().items()}
        self._commands.bind(self, {**bound, DevicesCommand.DEVICES_LOOK: self._look})

    def _calls(self) -> dict[Command, Callable[[InventoryDevice], object]]:
        work, inventory = self._work, self._inventory
        return {
            DevicesCommand.DEVICE_CREATE: lambda device: work.carry_through(
                device, f"Creating {device.name}", partial(inventory.create, device.key)
            ),
            DevicesCommand.DEVICE_START: partial(self._start, cold=False),
            DevicesCommand.DEVICE_COLD_BOOT: partial(self._start, cold=True),
            DevicesCommand.DEVICE_SIMULATE: lambda device: work.start(
                device, f"Starting a simulated {device.name}", partial(inventory.simulate, device.key)
            ),
            DevicesCommand.DEVICE_RECORD: lambda device: self.record_asked.emit(device.serial),
            DevicesCommand.DEVICE_STOP: self._stop,
            DevicesCommand.DEVICE_FOLD: lambda device: work.ask(device, partial(inventory.fold, device.serial)),
            DevicesCommand.DEVICE_UNFOLD: lambda device: work.ask(device, partial(inventory.unfold, device.serial)),
            DevicesCommand.DEVICE_ROTATE: lambda device: work.ask(device, partial(inventory.rotate, device.serial)),
            DevicesCommand.DEVICE_PROBE: self._probe,
            DevicesCommand.DEVICE_RESET: self._ask_to_reset,
            DevicesCommand.DEVICE_CHECK: lambda _: self._check(),
        }

    # Layout.

    def _left(self) -> QWidget:
        card = Card()
        card.setFixedWidth(_LEFT_PX)
        head = row(
            (text_label("Devices", "title"), 1), self._commands.button(DevicesCommand.DEVICES_LOOK, wordless=True)
        )
        head.setContentsMargins(16, 0, 12, 0)
        self._looking.setContentsMargins(16, 0, 16, 0)
        fill_column(card, head, self._looking, (self._list, 1), margins=(0, 14, 0, 10))
        return card

    def _right(self) -> QVBoxLayout:
        self._progress.addWidget(self._job_card)
        self._snapshots.setFixedWidth(_SNAPSHOTS_PX)
        below = row((self._preflight, 1), self._snapshots, spacing=_SPACE)
        above = (self._message, self._card, self._progress, self._configuration, self._missing, self._recording_hint)
        return column(*above, (below, 1), None, spacing=_SPACE)


def _reset_question(member: InventoryDevice) -> Question:
    return Question(
        title="Reset the device",
        question=f"Reset {member.label} to factory state?",
        answer="Reset",
        tip=f"Reset {member.name} (Enter)",
        cancel_tip="Keep the device as it is (Esc)",
        detail="This deletes all its apps, accounts, files and snapshots. The dataset and your drafts "
        "on this computer are kept.",
    )
