"""The classes of Qt and their enums, which Qt for Python makes when they are first asked for."""

from collections.abc import Iterator

from PySide6 import QtCore, QtGui, QtWidgets

_AT_ONCE = 40


def make_classes() -> Iterator[None]:
    """Make all of them, some with each turn; on the GUI thread, before another one loads modules that name them.

    Two threads that ask at once for what is not made yet end the program (PySide6 6.11).
    """
    for module in (QtCore, QtGui, QtWidgets):
        names = [name for name in dir(module) if name not in vars(module)]
        for first in range(0, len(names), _AT_ONCE):
            for name in names[first : first + _AT_ONCE]:
                getattr(module, name)
            yield
