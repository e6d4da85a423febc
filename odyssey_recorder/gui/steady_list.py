"""A list that others change while it is read: what is in sight stays where it is, whatever comes above it."""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtWidgets import QAbstractItemView


class EpisodeListView(Protocol):
    """The rows of a list, each of one episode."""

    def rowCount(self) -> int:
        """How many there are."""

    def episode_id(self, row: int) -> str:
        """Whose row this is."""

    def row(self, episode_id: str) -> int | None:
        """The row of an episode; None where it has none."""


def change_steadily(
    view: QAbstractItemView, episodes: EpisodeListView, row_px: int, change: Callable[[], object]
) -> None:
    """Call `change`, which arranges the rows of `view` again; what stands at the very top makes way for newer."""
    scroll = view.verticalScrollBar()
    before = scroll.value()
    above, offset = divmod(before, row_px)
    top = episodes.episode_id(above) if 0 < above < episodes.rowCount() else ""
    change()
    view.doItemsLayout()  # otherwise the scroll bar is as long as before
    place = episodes.row(top)
    scroll.setValue(before if place is None else place * row_px + offset)
