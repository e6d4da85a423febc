"""What the window asks of each of its pages."""

from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QWidget


class Page(QWidget):
    """One page of the window, which the rail at the left leads to.

    A page asks slow things of the rest of the program through `Background` alone, and what fails is told on the page.
    """

    def fill(self) -> Iterator[None]:
        """Make a little more, with each turn, of what takes long to make; `enter` makes the rest at once."""
        yield from ()

    def enter(self) -> None:
        """The page is shown now: look anew at what may have changed meanwhile."""

    def repaint_icons(self) -> None:
        """Draw the icons anew for another palette."""

    def asks_before_closing(self, close: Callable[[], object]) -> bool:
        """Whether something here is not saved: the annotator is asked then, who may have `close` called."""
        return False

    def close_down(self) -> None:
        """The window is closing: end what runs for this page."""
