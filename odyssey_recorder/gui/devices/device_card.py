"""The chosen device: facts, state, actions, and snapshots."""

from collections.abc import Sequence

from PySide6.QtCore import QRegularExpression, QStringListModel, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QLabel, QListView, QWidget

from odyssey_recorder.device.device import state_advice
from odyssey_recorder.device.inventory import DeviceDetails, InventoryDevice
from odyssey_recorder.gui.devices.commands import DevicesCommand
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import Card, fill_column, fill_grid, line_edit, named, row, say, text_label

_COLUMNS = 3
_POSTURES = {"OPENED": "open", "CLOSED": "folded", "HALF_OPENED": "half open", "REAR_DISPLAY_MODE": "rear display"}
_STATE_HELP = {
    "offline": (
        "adb lists this device, but it does not respond. Wait until it has started. If that does "
        "not help, choose Stop, then Cold boot."
    ),
    "unknown to adb": (
        "It is running, but adb does not list it. Wait until it has started. If that does not help, restart adb."
    ),
}

_NO_CONSOLE = "An emulator of another vendor cannot be stopped or turned from here. Do that in its own window."

Fact = tuple[str, str]
"""Name and value."""


class DeviceCard(Card):
    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self.may_record = True
        self._name = text_label(kind="instruction")
        self._hint = text_label(kind="hint")
        self._values: dict[str, QLabel] = {}
        self._facts = QWidget()
        self._grid = fill_grid(self._facts, across=20, down=10)
        buttons = row(*commands.buttons(*_BUTTONS), None)
        fill_column(self, self._name, self._facts, self._hint, buttons, margins=(20, 16, 20, 14), spacing=10)

    def show_member(
        self,
        member: InventoryDevice,
        details: DeviceDetails | None,
        *,
        can_simulate: bool,
        lacks_sdk: bool,
        is_busy: bool,
    ) -> None:
        """`details` is None if the device does not run or was not examined yet."""
        self._name.setText(member.label)
        self.setAccessibleName(f"Device: {member.label}")
        self._show_facts(facts(member, details))
        hint = "" if is_busy else advice(member, details, can_simulate=can_simulate, lacks_sdk=lacks_sdk)
        say(self._hint, hint)
        offered = offers(member, details, can_simulate=can_simulate)
        for command in _BUTTONS:
            is_shown = command in offered and (self.may_record or command is not DevicesCommand.DEVICE_RECORD)
            self._commands[command].setVisible(is_shown)
            self._commands.enable(command, on=command in offered and not is_busy)
        self._commands.enable(DevicesCommand.DEVICE_CREATE, on=not lacks_sdk and not is_busy)

    def _show_facts(self, shown: Sequence[Fact]) -> None:
        if list(self._values) != [name for name, _ in shown]:
            self._lay_out_facts([name for name, _ in shown])
        for name, value in shown:
            self._values[name].setText(value)
            self._values[name].setAccessibleName(f"{name}: {value}")

    def _lay_out_facts(self, names: Sequence[str]) -> None:
        while item := self._grid.takeAt(0):
            if old := item.widget():
                old.hide()
                old.deleteLater()
        self._values = {name: text_label() for name in names}
        for place, (name, value) in enumerate(self._values.items()):
            self._grid.addWidget(_pair(text_label(name, "field"), value), *divmod(place, _COLUMNS))
        for column in range(_COLUMNS):
            self._grid.setColumnStretch(column, 1)


_BUTTONS = (
    DevicesCommand.DEVICE_RECORD,
    DevicesCommand.DEVICE_CREATE,
    DevicesCommand.DEVICE_START,
    DevicesCommand.DEVICE_COLD_BOOT,
    DevicesCommand.DEVICE_SIMULATE,
    DevicesCommand.DEVICE_FOLD,
    DevicesCommand.DEVICE_UNFOLD,
    DevicesCommand.DEVICE_ROTATE,
    DevicesCommand.DEVICE_RESET,
    DevicesCommand.DEVICE_STOP,
)


def _pair(name: QLabel, value: QLabel) -> QWidget:
    pair = QWidget()
    fill_column(pair, name, value, spacing=1)
    return pair


def _has_console(member: InventoryDevice, details: DeviceDetails | None) -> bool:
    """As it seems until the device was examined."""
    return member.serial.startswith("emulator-") and (details is None or details.snapshots is not None)


def offers(member: InventoryDevice, details: DeviceDetails | None, *, can_simulate: bool) -> frozenset[Command]:
    console = _has_console(member, details)
    closed = details is not None and details.screen.posture == "CLOSED"
    rules: dict[Command, bool] = {
        DevicesCommand.DEVICE_RECORD: member.is_ready,
        DevicesCommand.DEVICE_CREATE: member.avd is None and member.profile is not None and not member.serial,
        DevicesCommand.DEVICE_START: member.avd is not None and not member.serial,
        DevicesCommand.DEVICE_COLD_BOOT: member.avd is not None and not member.serial,
        DevicesCommand.DEVICE_SIMULATE: can_simulate and member.profile is not None and not member.serial,
        DevicesCommand.DEVICE_FOLD: console and member.is_ready and member.folds and not closed,
        DevicesCommand.DEVICE_UNFOLD: console and member.is_ready and member.folds and closed,
        DevicesCommand.DEVICE_ROTATE: console and member.is_ready,
        DevicesCommand.DEVICE_RESET: member.avd is not None and not member.simulated,
        DevicesCommand.DEVICE_STOP: console,
    }
    return frozenset(command for command, holds in rules.items() if holds)


def facts(member: InventoryDevice, details: DeviceDetails | None) -> list[Fact]:
    profile = member.profile
    shown: list[Fact] = []
    if details is not None:
        about, screen = details.properties, details.screen
        shown.append(("Screen", f"{about.size} at {about.density} dpi"))
        shown.append(("Android", f"{about.release_version} (API {about.sdk_version})"))
        shown.append(
            ("Screenshots", "gRPC, at each change" if details.capture_path == "gRPC" else details.capture_path)
        )
        if screen.posture:
            shown.append(("Posture", _POSTURES.get(screen.posture, screen.posture.lower())))
        shown.append(("Rotation", f"{90 * screen.rotation}\N{DEGREE SIGN}"))
    elif profile is not None:
        shown.append(("Screen", f"{profile.size} at {profile.density} dpi"))
        shown.append(("Android", f"API {profile.android_sdk}"))
        if profile.fold is not None:
            shown.append(("Folded", f"{profile.fold.outer_width}x{profile.fold.outer_height}"))
    shown.append(("Virtual device", _virtual_device(member)))
    return shown


def advice(member: InventoryDevice, details: DeviceDetails | None, *, can_simulate: bool, lacks_sdk: bool) -> str:
    if member.is_ready:
        return _NO_CONSOLE if member.serial.startswith("emulator-") and not _has_console(member, details) else ""
    if member.serial:
        return _STATE_HELP.get(member.state) or state_advice(member.state)
    if member.avd is not None:
        return "Start continues from the last state. Cold boot restarts Android and keeps all data."
    create = "Create needs parts of the Android SDK; see below." if lacks_sdk else "Choose Create to add one."
    simulated = " Start simulated runs a simulated emulator with a screen of this size." if can_simulate else ""
    return f"No virtual device of this kind exists yet. {create}{simulated}"


def _virtual_device(member: InventoryDevice) -> str:
    if member.simulated:
        return f"simulated, {member.serial}"
    text = [member.avd.name] if member.avd is not None else []
    text += [member.serial] if member.serial else []
    return ", ".join(text) or "none"


_NAME = QRegularExpression(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NONE = "No snapshots yet. A snapshot saves the state of the device, so that you can return to it."
_NOT_KEPT = "This device keeps no snapshots: only emulators of the Android SDK on this computer do."


class SnapshotCard(Card):
    save_asked = Signal(str)
    load_asked = Signal(str)
    delete_asked = Signal(str)

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._names = QStringListModel(self)
        self._list = named(QListView(), "Snapshots")
        self._list.setModel(self._names)
        self._list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._list.setProperty("kind", "rows")
        self._list.activated.connect(lambda _: commands[DevicesCommand.SNAPSHOT_LOAD].trigger())
        self._hint_below = text_label(kind="hint")
        self._name = line_edit("Name of the new snapshot", "Name")
        self._name.setValidator(QRegularExpressionValidator(_NAME, self))
        self._name.setToolTip("Letters, digits, dots and dashes; Enter saves")
        self._can_be_used = False
        self._lay_out()
        self._connect()
        self.show_snapshots((), usable=False)

    @property
    def chosen(self) -> str:
        return str(self._list.currentIndex().data() or "")

    def show_snapshots(self, names: Sequence[str] | None, *, usable: bool) -> None:
        """Show `names`, None for a device without snapshots; `usable` if the device can be asked now."""
        if list(names or ()) != self._names.stringList():
            chosen = self.chosen
            self._names.setStringList(list(names or ()))
            kept = self._names.stringList().index(chosen) if chosen in (names or ()) else 0
            self._list.setCurrentIndex(self._names.index(kept))
        self._can_be_used = usable and names is not None
        say(self._hint_below, "" if names else _NOT_KEPT if names is None else _NONE)
        self._list.setVisible(bool(names))
        self._name.setEnabled(names is not None)
        self._offer()

    def _offer(self) -> None:
        is_chosen = self._can_be_used and bool(self.chosen)
        self._commands.enable(DevicesCommand.SNAPSHOT_LOAD, DevicesCommand.SNAPSHOT_DELETE, on=is_chosen)
        self._commands.enable(DevicesCommand.SNAPSHOT_SAVE, on=self._can_be_used and self._name.hasAcceptableInput())

    def _connect(self) -> None:
        calls = {
            DevicesCommand.SNAPSHOT_SAVE: self._ask_to_save,
            DevicesCommand.SNAPSHOT_LOAD: lambda: self.load_asked.emit(self.chosen),
            DevicesCommand.SNAPSHOT_DELETE: lambda: self.delete_asked.emit(self.chosen),
        }
        self._commands.bind(self, calls)
        self._name.textChanged.connect(self._offer)
        self._name.returnPressed.connect(self._commands[DevicesCommand.SNAPSHOT_SAVE].trigger)
        self._list.selectionModel().currentChanged.connect(self._offer)

    def _ask_to_save(self) -> None:
        self.save_asked.emit(self._name.text())
        self._name.clear()

    def _lay_out(self) -> None:
        of_one = row(*self._commands.buttons(DevicesCommand.SNAPSHOT_LOAD, DevicesCommand.SNAPSHOT_DELETE, wide=True))
        new = row((self._name, 1), self._commands.button(DevicesCommand.SNAPSHOT_SAVE))
        fill_column(
            self,
            *(text_label("Snapshots", "title"), self._hint_below, (self._list, 1), of_one, new, None),
            margins=(16, 14, 16, 14),
            spacing=10,
        )
