"""The commands of the Devices page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Devices")


class DevicesCommand(Command):
    DEVICES_PAGE = CommandText("Devices", "Start and prepare emulators", "cellphone", "Ctrl+5")
    DEVICES_LOOK = _command("Refresh", "Refresh the list of devices", "refresh", "F8")
    DEVICE_CREATE = _command("Create", "Create a virtual device of this kind", "plus", "Alt+C", primary=True)
    DEVICE_START = _command("Start", "Start it from its last state", "play", "Alt+S", primary=True)
    DEVICE_COLD_BOOT = _command("Cold boot", "Start it with a full boot", "snowflake", "Alt+B")
    DEVICE_SIMULATE = _command(
        "Start simulated", "Start a simulated device of this kind on this computer", "cellphone_play", "Alt+M"
    )
    DEVICE_RECORD = _command(
        "Record on it",
        "Go to Record with this device",
        "record_circle_outline",
        "Alt+O",
        primary=True,
        seen_by="recorders",
    )
    DEVICE_STOP = _command("Stop", "Stop this emulator", "stop", "Alt+T")
    DEVICE_FOLD = _command("Fold", "Fold the device", "book_outline", "Alt+F")
    DEVICE_UNFOLD = _command("Unfold", "Unfold the device", "book_open_outline", "Alt+U")
    DEVICE_ROTATE = _command("Rotate", "Rotate the device by 90°", "screen_rotation", "Alt+R")
    DEVICE_RESET = _command("Reset…", "Reset the device to factory state. You confirm first.", "restore", "Alt+E")
    DEVICE_CHECK = _command("Check again", "Check the device again", "refresh", "F9")
    DEVICE_PROBE = _command(
        "Check this device",
        "Find out in up to three minutes how this device differs from what the recorder expects",
        "clipboard_pulse",
        "Shift+F9",
    )
    SNAPSHOT_SAVE = _command("Save", "Save the device's state as a snapshot", "content_save_outline", "Alt+K")
    SNAPSHOT_LOAD = _command("Load", "Restore the device to this snapshot", "backup_restore", "Alt+G")
    SNAPSHOT_DELETE = _command("Delete", "Delete this snapshot", "delete_outline", "Alt+D")
