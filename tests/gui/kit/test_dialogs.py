from itertools import pairwise

from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.parts import line_edit, text_label


def test_dialog_has_room_for_all_its_text_and_grows_with_it(qtbot: QtBot) -> None:
    dialog = Dialog("Edit apps", None, is_kept=True)
    qtbot.addWidget(dialog)
    long, text, end = QPlainTextEdit(), text_label("Check that it fits the apps."), line_edit("Another reason", "")
    long.setFixedHeight(round(dialog.screen().availableSize().height() * 0.6))
    end.setMinimumHeight(40)
    parts = text_label("The apps of the task. " * 12), long, text, end
    dialog.fill(*parts)

    def is_whole() -> bool:
        fits = text.height() >= text.heightForWidth(text.width()) and end.geometry().bottom() <= dialog.rect().bottom()
        return fits and all(above.geometry().bottom() < below.geometry().top() for above, below in pairwise(parts))

    dialog.show()
    qtbot.waitUntil(is_whole)
    before = dialog.height()
    text.setText("The instruction stays as it is. Check that it fits the apps. " * 3)
    qtbot.waitUntil(lambda: dialog.height() > before and is_whole())
