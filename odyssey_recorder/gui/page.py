"""What the window asks of each of its pages."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget


class Page(QWidget):
    """One page of the window, which the rail at the left leads to.

    A page asks slow things of the rest of the program through `Background` alone, and what fails is told on the page.
    """

    @property
    def home(self) -> QWidget:
        """What has the focus when the page is opened, and wherever nothing else of the page has it."""
        return self

    def rest(self) -> None:
        """Give the focus to the page's home; to the page itself until that is shown."""
        home = self.home
        if home.isVisible() and home.isEnabled():
            home.setFocus()
        elif self.isVisible():
            self.setFocus()
            home.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and self.hasFocus() and watched is self.home:
            self.home.setFocus()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leaves what is written in."""
        if event.key() == Qt.Key.Key_Escape:
            self.rest()
        else:
            super().keyPressEvent(event)

    def fill(self) -> Iterator[None]:
        """Make a little more, with each turn, of what takes long to make; `enter` makes the rest at once."""
        yield from ()

    def enter(self) -> None:
        """The page is shown now: look again at what may have changed meanwhile."""

    def asks_before_closing(self, close: Callable[[], object]) -> bool:
        """Whether something here is not saved: the annotator is asked then, who may have `close` called."""
        return False

    def close_down(self) -> None:
        """The window is closing: end what runs for this page."""
