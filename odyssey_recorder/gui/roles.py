"""What people of each role see; without a role, what a lead sees."""

from collections.abc import Mapping

from odyssey_recorder.gui.commands import Command
from odyssey_recorder.settings import Role

ROLE_WORDS: Mapping[Role, str] = {"annotator": "I record", "reviewer": "I review", "lead": "I lead the project"}

_HIDDEN_PAGES: Mapping[Role, frozenset[str]] = {
    "annotator": frozenset({"Review", "Annotate", "Evaluate"}),
    "reviewer": frozenset({"Record", "Tasks", "Practice"}),
}
_TASKS_OF_ANNOTATORS = (Command.RECORD_TASK, Command.SEND_BACK_TASK, Command.READ_TASKS, Command.FIND_TASK)
_OF_LEADS = frozenset(
    {
        *(one for one in Command if one.value.page == "Tasks" and one not in _TASKS_OF_ANNOTATORS),
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
_OF_RECORDING = frozenset({Command.READ_CONSENT, Command.DEVICE_RECORD})

OF_ROLES = (*_OF_LEADS, *_OF_RECORDING)
"""The commands that not everybody sees on the pages that everybody has."""


def leads(role: Role) -> bool:
    return role in ("", "lead")


def records(role: Role) -> bool:
    return role != "reviewer"


def sees(role: Role, command: Command) -> bool:
    """Whether people of this role see `command`; for the command of a page, whether they have the page."""
    page = command.value.page or command.value.label
    if page in _HIDDEN_PAGES.get(role, ()) or (command in _OF_RECORDING and not records(role)):
        return False
    return leads(role) or command not in _OF_LEADS
