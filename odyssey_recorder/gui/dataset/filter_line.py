"""The line with the filter: says what is wrong and where, and completes keys and values."""

from collections.abc import Mapping

from PySide6.QtCore import QRect, QStringListModel, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCompleter, QListView, QWidget

from odyssey_recorder.dataset_index.filter import ALL, CHOICES, Key, Term, parse_filter
from odyssey_recorder.dataset_index.index import Facet
from odyssey_recorder.errors import FilterError
from odyssey_recorder.gui.kit.parts import SearchField, fill_column, say, text_label
from odyssey_recorder.gui.kit.theme import Theme

_POPUP_PX = 260
_EXAMPLE = "steps:>20 app:Chrome verdict:accepted invoice"


class FilterLine(QWidget):
    """Keeps the last valid filter while the text has a fault."""

    filter_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.wanted = ALL
        self.field = _Field()
        self._fault = text_label(kind="warning")
        self._fault.hide()
        fill_column(self, self.field, self._fault, spacing=4)
        self.field.typing_paused.connect(self._read)
        self.field.returnPressed.connect(self._read)

    def write(self, text: str) -> None:
        self.field.setText(text)
        self._read()

    def _read(self) -> None:
        try:
            wanted = parse_filter(self.field.text())
        except FilterError as error:
            self.field.mark(error.start, error.end)
            say(self._fault, f"Character {error.start + 1}: {error}")
            return
        self.field.mark(0, 0)
        say(self._fault, "")
        if wanted != self.wanted:
            self.wanted = wanted
            self.filter_changed.emit()


class _Field(SearchField):
    def __init__(self) -> None:
        super().__init__("Filter episodes", _EXAMPLE)
        self._values: dict[Key, list[str]] = {key: list(choices) for key, choices in CHOICES.items()}
        self._fault = (0, 0)
        self._typed = 0  # characters before the cursor that a completion replaces
        self._offers = QStringListModel(self)
        self._completer = QCompleter(self._offers, self)
        self._completer.setWidget(self)
        self._popup = QListView()
        self._completer.setPopup(self._popup)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.activated.connect(self._complete)
        self.textEdited.connect(lambda _words: self._offer())

    def know(self, facets: Mapping[Key, Facet]) -> None:
        """The values that occur, for completion."""
        for key, facet in facets.items():
            found = [count.value for count in facet.counts if count.value]
            self._values[key] = [*found, *(value for value in self._values.get(key, ()) if value not in found)]

    def mark(self, start: int, end: int) -> None:
        self._fault = start, end
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        start, end = self._fault
        if start == end:
            return
        metrics, text = QFontMetricsF(self.font()), self.text()
        cursor = self.cursorRect()
        left = cursor.center().x() - metrics.horizontalAdvance(self._before_cursor)
        ends = [left + metrics.horizontalAdvance(text[:at]) for at in (start, max(end, start + 1))]
        painter = QPainter(self)
        painter.setPen(QPen(Theme.current().danger, 2))
        y = cursor.bottom()
        painter.drawLine(round(max(ends[0], 2)), y, round(min(max(ends[1], ends[0] + 4), self.width() - 2)), y)

    @property
    def _before_cursor(self) -> str:
        return self.text().encode("utf-16-le")[: 2 * self.cursorPosition()].decode("utf-16-le", "ignore")

    def _offer(self) -> None:
        term = _last_term(self._before_cursor).removeprefix("-")
        name, colon, values = term.partition(":")
        if colon:
            typed = values.rpartition("|")[2]
            offers = self._spelled(name.lower())
        else:
            typed, offers = term, [f"{key.value}:" for key in Key] if term else []
        self._typed = len(typed)
        self._offers.setStringList(offers)
        self._completer.setCompletionPrefix(typed)
        if self._completer.completionCount() and self._completer.currentCompletion() != typed:
            self._completer.complete(QRect(self.cursorRect().left(), 0, _POPUP_PX, self.height()))
        else:
            self._popup.hide()

    def _spelled(self, name: str) -> list[str]:
        found = (key for key in self._values if key.value == name)
        return [str(Term(key, (value,))).partition(":")[2] for key in found for value in self._values[key]]

    def _complete(self, chosen: str) -> None:
        before = self._before_cursor
        kept = before[: len(before) - self._typed] + chosen
        self.setText(kept + self.text()[len(before) :])
        self.setCursorPosition(len(kept.encode("utf-16-le")) // 2)
        if chosen.endswith(":"):
            self._offer()


def _last_term(text: str) -> str:
    """From the last blank that is not quoted."""
    start, is_quoted = 0, False
    for at, character in enumerate(text):
        if character == '"':
            is_quoted = not is_quoted
        elif character.isspace() and not is_quoted:
            start = at + 1
    return text[start:]
