"""Whether this session has a screen for a window: Qt itself would end the program where there is none."""

import os
import sys

from odyssey_recorder.errors import SettingsError


def has_screen() -> bool:
    """Whether a window can be seen here, as far as the environment tells."""
    return sys.platform != "linux" or any(map(os.environ.get, ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")))


def require_screen() -> None:
    """Raise SettingsError where there is no screen."""
    if not has_screen():
        raise SettingsError(
            "This session has no screen (DISPLAY is not set), so the window cannot open. Log in on a desktop, or"
            " record by script: odyssey-recorder record --help"
        )
