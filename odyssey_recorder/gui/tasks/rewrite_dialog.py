"""The dialog before a rewrite by a language model."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.estimate_dialog import EstimateDialog
from odyssey_recorder.gui.frame.question_dialog import Question
from odyssey_recorder.model.plain_text import counted


class RewriteDialog(EstimateDialog):
    def __init__(self, task_ids: Sequence[str], edited: int, parent: QWidget | None = None) -> None:
        question = Question(
            title="Rewrite",
            question=f"Have {counted(task_ids, 'task')} rewritten by a model?",
            answer="Rewrite",
            tip="Start; you can keep using the page (Enter)",
            detail=_edited_text(edited),
            detail_kind="warning",
        )
        super().__init__(question, parent)


def _edited_text(edited: int) -> str:
    were = "was" if edited == 1 else "were"
    return f"{edited:,} of them {were} written by a person and will be replaced." if edited else ""
