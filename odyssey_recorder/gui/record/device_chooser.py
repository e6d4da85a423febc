"""Chooses the device, and whether the annotator works in the mirror or in the emulator's own window."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QRadioButton, QWidget

from odyssey_recorder.device.device import ListedDevice, state_advice
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import Card, Choice, fill_column, row, say, set_kind, text_label
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.model.episode import Mode

_NOTHING = "Choose a device"


class DeviceChooser(Card):
    serial_chosen = Signal(str)

    def __init__(self, commands: Commands, below: QWidget) -> None:
        super().__init__()
        self._commands = commands
        self._shown: tuple[tuple[ListedDevice, ...], bool] | None = None
        self._chosen = ""
        self._list = Choice("Device")
        self._list.activated.connect(self._choose)
        self._hint = text_label(kind="hint")
        look = commands.button(RecordCommand.LOOK_FOR_DEVICES, wordless=True)
        head = row((text_label("Device", "title"), 1), look)  # beside the list it would hide the serials
        simulate = commands.button(RecordCommand.SIMULATE).set_wide()
        fill_column(self, head, self._list, self._hint, simulate, below, margins=(16, 14, 16, 16), spacing=10)
        self.show_devices((), chosen="", can_simulate=False)

    def show_devices(self, devices: Sequence[ListedDevice], *, chosen: str, can_simulate: bool) -> None:
        self._commands[RecordCommand.SIMULATE].setVisible(can_simulate and not devices)
        if (tuple(devices), can_simulate) == self._shown:
            return
        self._shown = (tuple(devices), can_simulate)
        listed = [
            (device.serial, device.label if device.is_ready else f"{device.label} · {device.state}")
            for device in devices
        ]
        self._list.offer([("", _NOTHING if devices else "No device"), *listed])
        self.show_chosen(chosen)
        self._list.setEnabled(bool(devices))
        troubled = [device for device in devices if not device.is_ready]
        if not devices:
            text = f"No device. Start an emulator{', or the simulated one' if can_simulate else ''}."
            self.show_trouble(text, kind="hint")
        elif len(troubled) == len(devices):
            self.show_trouble(state_advice(troubled[0].state))
        else:
            self.show_trouble("")

    def show_chosen(self, serial: str) -> None:
        self._chosen = serial
        self._list.choose(serial)
        if serial:
            self.show_trouble("")

    def show_failure(self, text: str) -> None:
        """Until the devices can be listed again."""
        self._shown = None
        self.show_trouble(text)

    def show_trouble(self, text: str, kind: str = "warning") -> None:
        """Show what is wrong, unless a device is chosen: then the mirror shows it."""
        set_kind(self._hint, kind)
        say(self._hint, "" if self._chosen else text)

    def set_changeable(self, changeable: bool) -> None:
        self._list.setEnabled(changeable and self._list.count() > 0)

    def _choose(self, row: int) -> None:
        serial = str(self._list.itemData(row))
        if serial:
            self.serial_chosen.emit(serial)


_LABELS: Mapping[Mode, str] = {"mirror": "In this &window", "passive": "In the &emulator's own window"}
_TIPS: Mapping[Mode, str] = {
    "mirror": "Work here. Each action waits until its screenshot is saved (mirror mode).",
    "passive": "Work in the emulator's window. Your input there is recorded (passive mode).",
}


class ModeSwitch(QWidget):
    mode_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[Mode, QRadioButton] = {}
        for mode, label in _LABELS.items():
            choice = self._choices[mode] = QRadioButton(label)
            choice.setToolTip(_TIPS[mode])
            choice.toggled.connect(self._choose)
        self._hint = text_label(kind="hint")
        fill_column(self, text_label("Where you work", "field"), *self._choices.values(), self._hint, spacing=2)
        self._choices["mirror"].setChecked(True)

    @property
    def mode(self) -> Mode:
        return "passive" if self._choices["passive"].isChecked() else "mirror"

    def show_mode(self, mode: Mode) -> None:
        self._choices[mode].setChecked(True)

    def _choose(self, chosen: bool) -> None:
        if chosen:
            self._hint.setText(_TIPS[self.mode])
            self.mode_chosen.emit(self.mode)
