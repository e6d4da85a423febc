"""Counts of the episodes by category, device and more; a choice edits the filter."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QModelIndex, QSignalBlocker, Signal
from PySide6.QtWidgets import QLabel, QWidget

from odyssey_recorder.dataset_index.filter import ALL, Key
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.dataset.listing import ListResult
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.facet_list import FacetList
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import Card, fill_column, text_label
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.review.status import comparable_name

_MOST = 8
"""Values of a key that are listed; any other is written into the filter."""


def _length_text(steps: str) -> str:
    least = steps.removeprefix(">=")
    return f"{steps.replace('..', ' to ')} steps" if least == steps else f"{least} or more steps"


_FACETS: Mapping[Key, tuple[str, Callable[[str], str]]] = {
    Key.CATEGORY: ("Category", category_text),
    Key.DEVICE: ("Device", str),
    Key.APP: ("App", str),
    Key.VERDICT: ("Verdict", lambda verdict: verdict.replace("-", " ").capitalize()),
    Key.SPLIT: ("Split", str),
    Key.ENDING: ("Ending", str.capitalize),
    Key.STEPS: ("Length", _length_text),
    Key.BY: ("Annotator", str),
}


class FacetPane(Card):
    filter_chosen = Signal(object)

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._filter = ALL
        self._lists: dict[Key, tuple[QLabel, FacetList]] = {}
        parts: list[QWidget] = []
        for key, (name, text) in _FACETS.items():
            label, facet = text_label(name, "field"), FacetList(name, text)
            label.setContentsMargins(8, 6, 0, 0)
            facet.value_chosen.connect(partial(self._choose, key))
            self._lists[key] = label, facet
            parts += [label, facet]
        clear = commands.button(DatasetCommand.CLEAR_FILTERS, kind="quiet")
        area = scroll_area(pile(*parts, right=4, spacing=4), "Counts")
        fill_column(self, (area, 1), clear, margins=(10, 6, 6, 10), spacing=6)

    def show_counts(self, found: ListResult) -> None:
        """An empty value is only written into the filter, as in ``by:""``."""
        self._filter = found.request.wanted
        for key, (label, facet) in self._lists.items():
            chosen = {comparable_name(value): value for value in self._filter.chosen(key)}
            counts = [(count.value, count.count) for count in found.facets[key].counts if count.value]
            listed = [pair for at, pair in enumerate(counts) if at < _MOST or comparable_name(pair[0]) in chosen]
            there = {comparable_name(value): value for value, _ in listed}
            listed += [(value, 0) for name, value in chosen.items() if value and name not in there]
            with QSignalBlocker(facet):
                facet.show_counts(listed, found.facets[key].total)
                facet.setMinimumHeight(facet.sizeHint().height())
                if len(chosen) == 1:
                    facet.choose(*(there.get(name, value) for name, value in chosen.items()))
                elif any(term.key is key for term in self._filter.terms):
                    facet.setCurrentIndex(QModelIndex())
                else:
                    facet.choose("")
            for widget in (label, facet):
                widget.setVisible(bool(listed))

    def _choose(self, key: Key) -> None:
        value = self._lists[key][1].value
        self.filter_chosen.emit(self._filter.choosing(key, [value] if value else []))
