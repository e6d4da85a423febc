"""Android's own dialogs about an app that does not respond or has stopped."""

from odyssey_simulator.system.system_ui import SystemUi
from odyssey_simulator.ui.view import View
from odyssey_simulator.ui.widgets import button, dialog, muted


def error_dialog_view(system: SystemUi) -> View:
    label = system.front.label
    close = button("Close app", system.close_failed_app, kind="text")
    if system.error_dialog.startswith("Application Error"):
        return dialog(f"{label} has stopped", muted("It can be opened again."), buttons=(close,))
    wait = button("Wait", system.end_error_dialog, kind="text")
    return dialog(f"{label} isn't responding", muted("Do you want to close it?"), buttons=(close, wait))
