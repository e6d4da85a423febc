"""The commands of the Settings page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Settings")


class SettingsCommand(Command):
    SAVE_SETTINGS = _command(
        "Save", "Save the changes to settings.toml", "content_save_outline", "Ctrl+S", primary=True
    )
    REVERT_SETTINGS = _command("Revert", "Discard the changes", "undo")
    STORE_KEY = _command("Save to keyring", "Save the API key to your system's keyring", "key_outline", seen_by="leads")
    FORGET_KEY = _command(
        "Forget the key", "Remove the API key from your system's keyring", "delete_outline", seen_by="leads"
    )
    TEST_MODEL = _command("Ask the model", "Ask the model about a small picture", "send_outline", seen_by="leads")
    RESET_KEYS = _command("Reset", "Reset the shortcut of the selected action", "undo")
    RESET_ALL_KEYS = _command("Reset all", "Reset all shortcuts", "restore")
    OPEN_LOG = _command("Open folder", "Show the log in the file manager", "folder_open_outline")
    COPY_LOG_PATH = _command("Copy path", "Copy the path of the log", "content_copy")
