"""The banner of a published episode, with the name of its file."""

from pathlib import Path

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.parts import breakable
from odyssey_recorder.gui.record.commands import RecordCommand


class Publication(Banner):
    def __init__(self, commands: Commands) -> None:
        super().__init__(
            commands.button(RecordCommand.COPY_PLACE, wordless=True), commands.button(RecordCommand.ANOTHER)
        )
        self.annotation: Path | None = None

    def show_published(self, annotation: Path) -> None:
        if annotation == self.annotation:
            return
        self.annotation = annotation
        self.setToolTip(str(annotation))
        self.show_message(Tone.SUCCESS, "The episode is published.", breakable(annotation.name))
