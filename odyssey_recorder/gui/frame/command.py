"""What a command of the window is; each page lists its own."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from PySide6.QtGui import QKeySequence

SeenBy = Literal["all", "recorders", "reviewers", "leads"]
"""Leads see everything, reviewers nothing for recorders only, and annotators nothing for reviewers only."""


@dataclass(frozen=True, slots=True)
class CommandText:
    """What is shown of a command, its keys as Qt spells them, and who sees it.

    `page` is the page that has the command, empty for a command of every page. Nobody can change the keys of a command
    that `is_fixed`: a field handles them.
    """

    label: str
    tip: str
    icon: str
    keys: str = ""
    more_keys: str = ""
    primary: bool = False
    checkable: bool = False
    page: str = ""
    seen_by: SeenBy = "all"
    is_fixed: bool = False


class Command(Enum):
    """The commands of one page are a subclass in its folder; the names of all commands differ, and are stored.

    A key has one meaning per page; keys of hidden pages do nothing.
    """

    _value_: CommandText

    @property
    def own_keys(self) -> tuple[QKeySequence, ...]:
        """The default keys, with the one shown in tooltips first."""
        return tuple(QKeySequence(keys) for keys in (self.value.keys, self.value.more_keys) if keys)


class CommonCommand(Command):
    """The commands of every page, and those that open a page to which other pages lead."""

    RECORD_PAGE = CommandText("Record", "Record episodes", "record_circle_outline", "Ctrl+1", seen_by="recorders")
    TASKS_PAGE = CommandText("Tasks", "Choose a task to record", "format_list_checks", "Ctrl+3", seen_by="recorders")
    PRACTICE_PAGE = CommandText(
        "Practice", "Practise before you record, and see your progress", "school_outline", "Ctrl+4", seen_by="recorders"
    )
    SETTINGS_PAGE = CommandText("Settings", "Folders, adb, keys and shortcuts", "cog_outline", "Ctrl+9", "Ctrl+,")
    NEXT_PAGE = CommandText("Next page", "Show the next page", "arrow_down", "Ctrl+Tab")
    PREVIOUS_PAGE = CommandText("Previous page", "Show the previous page", "arrow_up", "Ctrl+Shift+Tab")
    HELP = CommandText("Help", "Show the shortcuts of this page", "help", "F1")
    DOCTOR = CommandText("Doctor", "Check this computer's set-up", "stethoscope", "Shift+F1")
    LEFT_PANEL = CommandText("Left panel", "Show or hide the left panel", "dock_left", "Ctrl+B")
    RIGHT_PANEL = CommandText("Right panel", "Show or hide the right panel", "dock_right", "Ctrl+Shift+B")
    READ_CONSENT = CommandText(
        "Read the consent text", "Read the text you agreed to", "file_document_outline", seen_by="recorders"
    )
