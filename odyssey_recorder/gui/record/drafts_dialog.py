"""Recordings that were not finished, offered again: go on, throw away, or leave for later."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QWidget

from odyssey_recorder.dataset.store import DraftSummary
from odyssey_recorder.gui.parts import fill_dialog, named, push_button, row, text_label


class DraftsDialog(QDialog):
    """Lists the drafts; emits the episode id of the one that shall be resumed or thrown away."""

    resume_asked = Signal(str)
    discard_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Unfinished recordings")
        self._list = named(QListWidget(), "Unfinished recordings")
        self._list.setWordWrap(True)
        self._list.setSpacing(2)
        self._list.setProperty("kind", "rows")
        self._list.currentItemChanged.connect(self._allow)
        self._list.itemActivated.connect(self._resume)
        self._hint = text_label(kind="hint")
        self._resume_button = push_button("Resume", "Go on with this recording (Return)", "primary")
        self._resume_button.setDefault(True)
        self._discard_button = push_button("Move to trash", "The files stay in the trash folder")
        self._later_button = push_button("Later", "Keep the drafts and close this window (Esc)")
        self._can_resume = False
        self._connect_and_lay_out()

    def show_drafts(self, drafts: Sequence[DraftSummary], warnings: Mapping[str, str], *, cannot_resume: str) -> None:
        """List `drafts`, with what speaks against going on with one, by episode id.

        `cannot_resume` says why none can be resumed now, empty where they can.
        """
        chosen = self.chosen
        self._list.clear()
        for draft in drafts:
            item = QListWidgetItem(_words(draft, warnings.get(draft.episode_id, "")))
            item.setData(Qt.ItemDataRole.UserRole, draft.episode_id)
            self._list.addItem(item)
            if draft.episode_id == chosen:
                self._list.setCurrentItem(item)
        if self._list.currentItem() is None and drafts:
            self._list.setCurrentRow(0)
        self._can_resume = not cannot_resume
        self._hint.setText(cannot_resume)
        self._hint.setVisible(bool(cannot_resume))
        self._allow()

    @property
    def chosen(self) -> str:
        """The episode id of the chosen draft, empty when there is none."""
        item = self._list.currentItem()
        return "" if item is None else str(item.data(Qt.ItemDataRole.UserRole))

    def _allow(self) -> None:
        self._resume_button.setEnabled(self._can_resume and bool(self.chosen))
        self._discard_button.setEnabled(bool(self.chosen))

    def _resume(self) -> None:
        if self._can_resume and self.chosen:
            chosen = self.chosen
            self.accept()
            self.resume_asked.emit(chosen)

    def _connect_and_lay_out(self) -> None:
        self._resume_button.clicked.connect(self._resume)
        self._discard_button.clicked.connect(lambda: self.discard_asked.emit(self.chosen))
        self._later_button.clicked.connect(self.reject)
        title = text_label("These recordings were not finished. Every step of them is safe.", "title")
        buttons = row(self._discard_button, None, self._later_button, self._resume_button)
        fill_dialog(self, title, self._list, self._hint, buttons, stretch=self._list)
        self.resize(560, 400)


def _words(draft: DraftSummary, warning: str) -> str:
    if draft.problem:
        return f"{draft.episode_id}\n{draft.problem}"
    steps = "1 step" if draft.steps == 1 else f"{draft.steps} steps"
    words = f"{draft.task.instruction}\n{steps} · {draft.device.device_name} · {_when(draft.changed_at)}"
    return f"{words}\n{warning}" if warning else words


def _when(moment: datetime) -> str:
    local = moment.astimezone()
    if local.date() == datetime.now().astimezone().date():
        return f"today {local:%H:%M}"
    return f"{local:%Y-%m-%d %H:%M}"
