"""The interface of a page."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from odyssey_recorder.settings import Role


class MainPage(QWidget):
    """A page does slow work only in `Background`, and shows its failures itself."""

    def __init__(self) -> None:
        super().__init__()
        self._home: QWidget = self

    @property
    def home(self) -> QWidget:
        """The widget that gets the focus when the page opens, and when nothing else on the page has it."""
        return self._home

    def focus_home(self) -> None:
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
        if event.key() == Qt.Key.Key_Escape:
            self.focus_home()
        else:
            super().keyPressEvent(event)

    def fill(self) -> Iterator[None]:
        """Create slow parts, some in each turn; `enter` creates the rest at once."""
        yield from ()

    def show_for(self, role: Role) -> None:
        """Show what people of this role see."""

    def enter(self) -> None:
        """The page is shown: refresh what may have changed."""

    def asks_before_closing(self, close: Callable[[], object]) -> bool:
        """Returns whether something is unsaved; the page then asks the annotator, and may call `close`."""
        return False

    def close_down(self) -> None:
        """The window is closing: stop what runs for this page."""
