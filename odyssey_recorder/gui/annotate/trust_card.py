"""A small table of how far the accepted texts can be trusted."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from odyssey_recorder.annotation.trust import TrustFigures
from odyssey_recorder.gui.kit.parts import Card, fill_column, fill_grid, say, text_label

_TIPS = {
    "Decided one by one": "Suggestions that were accepted, edited or rejected one by one",
    "Accepted": "Share of suggestions accepted without changes",
    "Changed by": "How much of an edited text was changed, on average",
    "Seconds per text": "The median, without idle time",
    "Planted caught": "Texts of other steps that were shown as suggestions, and how many of them were noticed",
    "Blind alike": "How alike the instructions are that were written before the suggestion was seen, on average",
}


class TrustCard(Card):
    def __init__(self) -> None:
        super().__init__()
        self._cells = [[text_label(kind="hint") for _ in range(2)] for _ in range(len(_TIPS) + 1)]
        self._doubt = text_label(kind="danger")
        self._lay_out()

    def show_figures(self, figures: Sequence[TrustFigures], person: str) -> None:
        every = next(iter(figures), None)
        own = next((reviewer for reviewer in figures[1:] if reviewer.by == person), None)
        for place, shown in enumerate((own, every)):
            for cells, text in zip(self._cells[1:], figure_texts(shown), strict=True):
                cells[place].setText(text)
        say(self._doubt, every.doubt if every is not None else "")
        self.setVisible(bool(figures))

    def _lay_out(self) -> None:
        table = QWidget()
        grid = fill_grid(table, across=12, down=2, stretched=0)
        for number, (name, cells) in enumerate(zip(("", *_TIPS), self._cells, strict=True)):
            grid.addWidget(text_label(name, "hint"), number, 0)
            for place, cell in enumerate(cells, 1):
                cell.setWordWrap(False)
                cell.setAlignment(Qt.AlignmentFlag.AlignRight)
                cell.setToolTip(_TIPS.get(name, ""))
                grid.addWidget(cell, number, place)
        for cell, text in zip(self._cells[0], ("You", "All"), strict=True):
            cell.setText(text)
        fill_column(self, text_label("How far accepted texts can be trusted", "field"), table, self._doubt,
                    margins=(12, 8, 12, 8), spacing=4)  # fmt: skip
        self.hide()


def figure_texts(figures: TrustFigures | None) -> tuple[str, ...]:
    """In the order of the table; a dash where nothing was measured."""
    if figures is None:
        return ("-",) * len(_TIPS)
    return (
        f"{figures.decided:,}",
        _share(figures.accept_rate),
        _share(figures.edit_distance),
        "-" if figures.seconds is None else f"{figures.seconds:.1f}",
        f"{figures.caught} of {figures.planted}",
        _share(figures.agreement),
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
