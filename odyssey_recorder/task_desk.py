"""Where tasks are prepared: made from templates, put into words, approved, and laid down in the queue."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.model.episode import Category
from odyssey_recorder.task.coverage import Coverage, asking_for, cover
from odyssey_recorder.task.filling import identity
from odyssey_recorder.task.generation import Batch, Order, Targets, generate, left
from odyssey_recorder.task.queue import Board, Holder, TaskStock
from odyssey_recorder.task.targets import load_targets
from odyssey_recorder.task.template import TemplateLibrary
from odyssey_recorder.task.template_files import load_library

if TYPE_CHECKING:
    from odyssey_recorder.llm.asking import Asking


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asks to be made; the categories are all where none is given.

    `device` is the profile that all of it shall be for, `app_class` the class that one app of each task is of; empty:
    in proportion, and of any.
    """

    count: int
    seed: int
    catalogue: str
    categories: frozenset[Category]
    names_apps: bool
    device: str = ""
    app_class: str = ""


class TaskDesk:
    """The tasks of one queue, and the templates they are made from. Every call may come from any thread, and may block.

    `folders` gives the folders of templates, the shipped ones first. `who` names who prepares. `open_asking` makes what
    asks the language model, with a budget in US dollars or none; it raises SettingsError where none can be asked.
    """

    def __init__(
        self,
        stock: TaskStock,
        folders: Callable[[], Sequence[Path]],
        who: Callable[[], str],
        open_asking: "Callable[[float | None], Asking]",
    ) -> None:
        self._stock = stock
        self._folders = folders
        self._who = who
        self._open_asking = open_asking

    # What there is.

    def library(self) -> TemplateLibrary:
        """All templates, those of the user with those that come with the program. Raises TaskError."""
        return load_library(self._folders())

    def left(self) -> Mapping[str, int]:
        """How many distinct tasks each template can still give, by its id. Raises TaskError."""
        return left(self.library(), _identities(self.board()), date.today())

    def board(self) -> Board:
        """Every task, also what is to be approved or was rejected. Raises TaskError."""
        return self._stock.board()

    def holders(self) -> tuple[Holder, ...]:
        """Who works on what now. Raises TaskError."""
        return self._stock.holders()

    def coverage(self, catalogue: str) -> Coverage:
        """What is there of each category, device and class of apps. Raises TaskError."""
        devices = [one.key for one in profiles()]
        return cover(self.board().tasks, self.library(), catalogue, self._targets(), devices)

    # Making tasks.

    def generate(self, wanted: Wanted) -> Batch:
        """Make tasks and put them down to be approved. Raises TaskError."""
        board, library = self.board(), self.library()
        if wanted.app_class:
            library = asking_for(library, wanted.catalogue, wanted.app_class)
        made = generate(
            library,
            Order(
                count=wanted.count,
                seed=wanted.seed,
                day=date.today(),
                catalogue=wanted.catalogue,
                targets=self._targets(wanted.device),
                names_apps=wanted.names_apps,
                categories=wanted.categories or frozenset(Category),
                have=tuple(task.listed for task in board.tasks),
                known=_identities(board),
            ),
        )
        self._stock.add(made.tasks, to_approve=True)
        return made

    def _targets(self, device: str = "") -> Targets:
        """The lead's targets, with all for one device where it is given."""
        targets = load_targets(self._folders())
        return replace(targets, devices={device: 1.0}) if device else targets

    def approve(self, task_ids: Iterable[str]) -> None:
        """Let tasks wait to be recorded. Raises TaskError."""
        self._stock.approve(task_ids, self._who())

    def reject(self, task_ids: Iterable[str], reason: str) -> None:
        """Leave tasks out. Raises TaskError."""
        self._stock.reject(task_ids, self._who(), reason)


def _identities(board: Board) -> frozenset[str]:
    return frozenset(identity(task.listed.task.task) for task in board.tasks)
