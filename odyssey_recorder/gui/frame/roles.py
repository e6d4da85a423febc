"""What each role sees; without a role, everything that a lead sees."""

from collections.abc import Mapping

from odyssey_recorder.gui.frame.commands import Command
from odyssey_recorder.settings import Role

ROLE_LABELS: Mapping[Role, str] = {"annotator": "I record", "reviewer": "I review", "lead": "I lead the project"}

_HIDDEN_PAGES: Mapping[Role, frozenset[str]] = {
    "annotator": frozenset({"Review", "Annotate", "Evaluate"}),
    "reviewer": frozenset({"Record", "Tasks", "Practice"}),
}
_ANNOTATOR_COMMANDS = (Command.RECORD_TASK, Command.SEND_BACK_TASK, Command.READ_TASKS, Command.FIND_TASK)
_LEAD_COMMANDS = frozenset(
    {
        *(command for command in Command if command.value.page == "Tasks" and command not in _ANNOTATOR_COMMANDS),
        Command.STORE_KEY,
        Command.FORGET_KEY,
        Command.EXPORT_EPISODES,
        Command.SHOW_SPLITS,
        Command.MAKE_SPLITS,
        Command.SHOW_RELEASES,
        Command.MAKE_RELEASE,
        Command.VERIFY_RELEASE,
        Command.COMPARE_RELEASES,
        Command.SHOW_DUPLICATES,
        Command.RETIRE_EPISODES,
        Command.RESTORE_EPISODES,
        Command.REQUEST_REVIEW,
    }
)
_RECORDING_COMMANDS = frozenset({Command.READ_CONSENT, Command.DEVICE_RECORD})

OF_ROLES = (*_LEAD_COMMANDS, *_RECORDING_COMMANDS)
"""The commands that not everybody sees on the pages that everybody has."""


def leads(role: Role) -> bool:
    return role in ("", "lead")


def records(role: Role) -> bool:
    return role != "reviewer"


def sees(role: Role, command: Command) -> bool:
    """Whether a role sees `command`; for the command that opens a page, whether it has the page."""
    page = command.value.page or command.value.label
    if page in _HIDDEN_PAGES.get(role, ()) or (command in _RECORDING_COMMANDS and not records(role)):
        return False
    return leads(role) or command not in _LEAD_COMMANDS
