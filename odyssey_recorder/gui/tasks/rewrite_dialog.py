"""The dialog before a rewrite by a language model."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.estimate_dialog import EstimateDialog
from odyssey_recorder.gui.question_dialog import Question


class RewriteDialog(EstimateDialog):
    def __init__(self, task_ids: Sequence[str], edited: int, parent: QWidget | None = None) -> None:
        asked = Question(
            title="Rewrite",
            question=f"Have {count_words(len(task_ids), 'task')} rewritten by a model?",
            answer="Rewrite",
            tip="Start; you can keep using the page (Enter)",
            cancel_tip="Cancel (Esc)",
            detail=_edited_words(edited),
            detail_kind="warning",
        )
        super().__init__(asked, parent)


def count_words(count: int, what: str) -> str:
    """A count with its noun: "1 task", "2,000 tasks"."""
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _edited_words(edited: int) -> str:
    were = "was" if edited == 1 else "were"
    return f"{edited:,} of them {were} written by a person and will be replaced." if edited else ""
