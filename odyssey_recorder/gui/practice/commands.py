"""The commands of the Practice page."""

from functools import partial

from odyssey_recorder.gui.frame.command import Command, CommandText

_command = partial(CommandText, page="Practice", seen_by="recorders")


class PracticeCommand(Command):
    PRACTISE = _command(
        "Practise this", "Go to Record with this practice task", "school_outline", "Alt+P", primary=True
    )
