"""What each role sees; without a role, everything that a lead sees."""

from collections.abc import Mapping

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.settings import Role

ROLE_LABELS: Mapping[Role, str] = {"annotator": "I record", "reviewer": "I review", "lead": "I lead the project"}


def leads(role: Role) -> bool:
    return role in ("", "lead")


def records(role: Role) -> bool:
    return role != "reviewer"


def sees(role: Role, command: Command) -> bool:
    """Whether a role sees `command`; for the command that opens a page, whether it has the page."""
    match command.value.seen_by:
        case "all":
            return True
        case "recorders":
            return records(role)
        case "reviewers":
            return role != "annotator"
        case "leads":
            return leads(role)
