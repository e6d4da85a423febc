"""The device that is chosen: what it is, how it is at the moment, and the buttons for what can be done with it now."""

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from odyssey_recorder.device.inventory import DeviceExamination, InventoryDevice
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import row, text_label

_COLUMNS = 3
_POSTURES = {"OPENED": "open", "CLOSED": "folded", "HALF_OPENED": "half open", "REAR_DISPLAY_MODE": "rear display"}
_STATE_HELP = {
    "offline": "adb lists it, but it does not answer. Wait until it has started; if it stays so, Stop, then Cold boot.",
    "unknown to adb": "It runs, but adb does not list it. Wait until it has started; if it stays so, restart adb.",
    "unauthorized": "It does not trust this computer: allow USB debugging in the dialog on its own screen.",
}

Fact = tuple[str, str]
"""What it is, and its value."""


class DeviceCard(QFrame):
    """Name, facts and buttons of one member of the yard."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._commands = commands
        self._name = text_label(kind="instruction")
        self._hint = text_label(kind="hint")
        self._values: dict[str, QLabel] = {}
        self._facts = QWidget()
        self._grid = QGridLayout(self._facts)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(20)
        self._grid.setVerticalSpacing(10)
        self._lay_out()

    def show_member(
        self,
        member: InventoryDevice,
        examination: DeviceExamination | None,
        *,
        can_simulate: bool,
        lacks_sdk: bool,
        is_busy: bool,
    ) -> None:
        """Show a device; `examination` is None where it does not run, or was not looked at yet."""
        self._name.setText(member.name)
        self.setAccessibleName(f"Device: {member.name}")
        self._show_facts(facts(member, examination))
        hint = "" if is_busy else advice(member, can_simulate=can_simulate, lacks_sdk=lacks_sdk)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        offered = offers(member, examination, can_simulate=can_simulate)
        for command in _BUTTONS:
            self._commands[command].setVisible(command in offered)
            self._commands.enable(command, on=command in offered and not is_busy)
        self._commands.enable(Command.DEVICE_CREATE, on=not lacks_sdk and not is_busy)

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

    def _lay_out(self) -> None:
        button = self._commands.button
        buttons = [button(command) for command in _BUTTONS]
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 14)
        column.setSpacing(10)
        column.addWidget(self._name)
        column.addWidget(self._facts)
        column.addWidget(self._hint)
        column.addLayout(row(*buttons, None))


_BUTTONS = (
    Command.DEVICE_RECORD,
    Command.DEVICE_CREATE,
    Command.DEVICE_START,
    Command.DEVICE_COLD_BOOT,
    Command.DEVICE_SIMULATE,
    Command.DEVICE_FOLD,
    Command.DEVICE_UNFOLD,
    Command.DEVICE_ROTATE,
    Command.DEVICE_RESET,
    Command.DEVICE_STOP,
)


def _pair(name: QLabel, value: QLabel) -> QWidget:
    pair = QWidget()
    column = QVBoxLayout(pair)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(1)
    column.addWidget(name)
    column.addWidget(value)
    return pair


def offers(member: InventoryDevice, examination: DeviceExamination | None, *, can_simulate: bool) -> frozenset[Command]:
    """What can be done with a device as it is."""
    emulator = member.serial.startswith("emulator-")
    closed = examination is not None and examination.screen.posture == "CLOSED"
    rules: dict[Command, bool] = {
        Command.DEVICE_RECORD: member.is_ready,
        Command.DEVICE_CREATE: member.avd is None and member.profile is not None and not member.serial,
        Command.DEVICE_START: member.avd is not None and not member.serial,
        Command.DEVICE_COLD_BOOT: member.avd is not None and not member.serial,
        Command.DEVICE_SIMULATE: can_simulate and member.profile is not None and not member.serial,
        Command.DEVICE_FOLD: emulator and member.is_ready and member.folds and not closed,
        Command.DEVICE_UNFOLD: emulator and member.is_ready and member.folds and closed,
        Command.DEVICE_ROTATE: emulator and member.is_ready,
        Command.DEVICE_RESET: member.avd is not None and not member.simulated,
        Command.DEVICE_STOP: emulator,
    }
    return frozenset(command for command, holds in rules.items() if holds)


def facts(member: InventoryDevice, examination: DeviceExamination | None) -> list[Fact]:
    """What is known of a device, name by name: what it says of itself, otherwise what its profile says."""
    profile = member.profile
    shown: list[Fact] = []
    if examination is not None:
        about, screen = examination.properties, examination.screen
        shown.append(("Screen", f"{about.size} at {about.density} dpi"))
        shown.append(("Android", f"{about.release_version} (API {about.sdk_version})"))
        shown.append(("Pictures", _pictures(examination.capture_path)))
        if screen.posture:
            shown.append(("Posture", _POSTURES.get(screen.posture, screen.posture.lower())))
        shown.append(("Rotation", f"{90 * screen.rotation}\N{DEGREE SIGN}"))
    elif profile is not None:
        shown.append(("Screen", f"{profile.size} at {profile.density} dpi"))
        shown.append(("Android", f"API {profile.android_sdk}"))
        if profile.fold is not None:
            shown.append(("Folded", f"{profile.fold.outer_width}x{profile.fold.outer_height}"))
    shown.append(("Virtual device", _what_exists(member)))
    return shown


def advice(member: InventoryDevice, *, can_simulate: bool, lacks_sdk: bool) -> str:
    """What can be done next with a device that is not ready; empty for one that is."""
    if member.is_ready:
        return ""
    if member.serial:
        return _STATE_HELP.get(member.state, f"adb says that it is {member.state}: wait, or start it again.")
    if member.avd is not None:
        return "Start goes on where it was left. Cold boot boots Android from the beginning and keeps what is on it."
    create = "Create needs parts of the Android SDK, see below." if lacks_sdk else "Create makes it."
    simulated = " Start simulated gives you a stand-in with a screen of this size." if can_simulate else ""
    return f"There is no virtual device of this kind on this computer yet. {create}{simulated}"


def _what_exists(member: InventoryDevice) -> str:
    if member.simulated:
        return f"simulated, {member.serial}"
    words = [member.avd.name] if member.avd is not None else []
    words += [member.serial] if member.serial else []
    return ", ".join(words) or "none"


def _pictures(path: str) -> str:
    return "gRPC, at every change" if path == "gRPC" else path
