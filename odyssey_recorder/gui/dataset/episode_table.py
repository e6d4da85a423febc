"""The published episodes as a table: columns and filters."""

from collections.abc import Callable, Iterable
from html import escape

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.gui.table import Column, TableModel
from odyssey_recorder.gui.theme import Theme

RECORDED = 5


def episode_table(parent: QObject | None = None) -> TableModel[EpisodeSummary]:
    return TableModel(
        _COLUMNS,
        key=lambda episode: episode.episode_id,
        criteria={
            "category": lambda episode, wanted: episode.category == wanted,
            "device": lambda episode, wanted: episode.device == wanted,
            "annotator": lambda episode, wanted: episode.annotator == wanted,
            "text": lambda one, wanted: wanted.casefold() in f"{one.instruction}\n{one.episode_id}".casefold(),
        },
        parent=parent,
    )


def counted(values: Iterable[str]) -> list[tuple[str, int]]:
    """The nonempty values with their counts, most frequent first."""
    counts: dict[str, int] = {}
    for value in filter(None, values):
        counts[value] = counts.get(value, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0].casefold()))


def _column(
    title: str,
    width: int,
    text: Callable[[EpisodeSummary], str],
    order: Callable[[EpisodeSummary], object] | None = None,
    *,
    is_number: bool = False,
) -> Column[EpisodeSummary]:
    """Unreadable episodes show their problem in the first column and sort above the newest."""
    key = order or (lambda episode: text(episode).casefold())
    is_first = not width
    return Column(
        title,
        lambda one: text(one) if not one.problem else f"Cannot be read: {one.problem}" if is_first else "",
        tip=lambda one: f"<p>{escape(one.problem or one.instruction)}</p>" if is_first else None,
        colour=_colour,
        order=lambda one: (bool(one.problem), key(one), one.episode_id),
        is_number=is_number,
        width=width,
    )


def _colour(episode: EpisodeSummary) -> QColor | None:
    return Theme.current().danger if episode.problem else None


def _when(episode: EpisodeSummary) -> str:
    return f"{episode.recorded_at.astimezone():%Y-%m-%d %H:%M}" if episode.recorded_at is not None else "—"


def _recorded(episode: EpisodeSummary) -> float:
    return episode.recorded_at.timestamp() if episode.recorded_at is not None else 0.0


_COLUMNS = (
    _column("Instruction", 0, lambda one: " ".join(one.instruction.split()), lambda one: one.instruction.casefold()),
    _column("Category", 172, lambda one: category_words(one.category), lambda one: one.category.casefold()),
    _column("Device", 116, lambda one: one.device),
    _column("Steps", 56, lambda one: str(one.steps), lambda one: one.steps, is_number=True),
    _column("Annotator", 104, lambda one: one.annotator or "—", lambda one: one.annotator.casefold()),
    _column("Recorded", 128, _when, _recorded),
)
