"""What keys do to the text of a field: insert, delete, move, select, as pure steps from one state to the next."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with a cursor in it; `anchor` is the other end of the selection, the cursor itself without one."""

    text: str
    cursor: int
    anchor: int

    @property
    def span(self) -> tuple[int, int]:
        return min(self.cursor, self.anchor), max(self.cursor, self.anchor)

    @property
    def selected(self) -> str:
        start, end = self.span
        return self.text[start:end]

    def inserted(self, words: str) -> "Draft":
        """With `words` in place of what is selected, and the cursor behind them."""
        start, end = self.span
        place = start + len(words)
        return Draft(self.text[:start] + words + self.text[end:], place, place)

    def deleted(self, *, forward: bool = False) -> "Draft":
        """Without what is selected, or without the letter before (or behind) the cursor."""
        start, end = self.span
        if start == end:
            start, end = (start, min(end + 1, len(self.text))) if forward else (max(0, start - 1), end)
        return Draft(self.text[:start] + self.text[end:], start, start)

    def moved(self, place: int) -> "Draft":
        """With the cursor at `place` and nothing selected."""
        place = max(0, min(place, len(self.text)))
        return Draft(self.text, place, place)

    def all_selected(self) -> "Draft":
        return Draft(self.text, len(self.text), 0)
