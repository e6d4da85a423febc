"""The window's fixtures, for tests that do the same in the window and on the command line."""

from tests.gui.conftest import _frozen_modules, background, clean_home, device, open_at, open_window, qtbot, service

__all__ = [
    "_frozen_modules",
    "background",
    "clean_home",
    "device",
    "open_at",
    "open_window",
    "qtbot",
    "service",
]
