"""The ways to end a recording: what is asked before each, and what the recorder is told then."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.record.finish_dialogs import CompleteDialog, DiscardDialog, ImpossibleDialog
from odyssey_recorder.gui.record.recording_controller import RecordingController


class Finishing(QObject):
    """Obeys the commands that end a recording, with dialogs over `page`."""

    def __init__(self, controller: RecordingController, commands: Commands, page: QWidget) -> None:
        super().__init__(page)
        self._controller = controller
        self._ask = controller.ask
        self._page = page
        commands.belong_to(page, Command.COMPLETE, Command.IMPOSSIBLE, Command.DISCARD)
        commands[Command.COMPLETE].triggered.connect(self._ask_for_note)
        commands[Command.IMPOSSIBLE].triggered.connect(self._ask_for_reason)
        commands[Command.DISCARD].triggered.connect(self._ask_to_discard)

    def _ask_for_note(self) -> None:
        dialog = CompleteDialog(self._page, practice=self._controller.is_practising)
        dialog.note_given.connect(lambda note: self._ask(lambda recorder: recorder.complete(note)))
        dialog.open()

    def _ask_for_reason(self) -> None:
        dialog = ImpossibleDialog(self._page)
        dialog.reason_given.connect(lambda reason: self._ask(lambda recorder: recorder.impossible(reason)))
        dialog.open()

    def _ask_to_discard(self) -> None:
        dialog = DiscardDialog(self._page)
        dialog.accepted.connect(lambda: self._ask(lambda recorder: recorder.abandon()))
        dialog.open()
