"""The templates as a table, proposals of a model first: columns and filters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from odyssey_recorder.gui.kit.table import TableColumn, TableModel
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.tasks.templates.template import Template, TemplateLibrary
from odyssey_recorder.tasks.wording.proposing import Proposal

META_TASK, CATEGORY, ROLES, LEFT = range(4)


@dataclass(frozen=True, slots=True)
class TemplateRow:
    template: Template
    left: int = 0
    is_left_out: bool = False
    proposal: Proposal | None = None

    @property
    def searched(self) -> str:
        template = self.template
        roles = (role.name for role in template.roles)
        return "\n".join((template.template_id, template.meta_task, *roles, *template.phrasings)).casefold()


def template_rows(
    proposals: Iterable[Proposal], library: TemplateLibrary | None, left: Mapping[str, int]
) -> list[TemplateRow]:
    templates = library.templates if library is not None else ()
    return [
        *(TemplateRow(proposal.template, proposal=proposal) for proposal in proposals),
        *(
            TemplateRow(one, left.get(one.template_id, 0), library is not None and one.template_id in library.left_out)
            for one in templates
        ),
    ]


def template_table(parent: QObject | None = None) -> TableModel[TemplateRow]:
    """Templates in file order unless sorted; proposals stay first."""
    columns = (
        TableColumn[TemplateRow]("Template", lambda row: row.template.meta_task),
        TableColumn[TemplateRow]("Category", lambda row: category_text(row.template.category.value), width=124),
        TableColumn[TemplateRow]("Roles", lambda row: ", ".join(role.name for role in row.template.roles), width=104),
        TableColumn[TemplateRow]("Left", _left, colour=_colour, order=lambda row: row.left, width=94),
    )
    model = TableModel(
        columns,
        criteria={
            "category": lambda row, wanted: row.template.category.value == wanted,
            "catalogue": lambda row, wanted: row.template.catalogue == wanted,
            "text": lambda row, wanted: wanted in row.searched,
        },
        parent=parent,
    )
    model.pin(lambda row: row.proposal is not None)
    return model


def _left(row: TemplateRow) -> str:
    if row.proposal is None:
        return "Left out" if row.is_left_out else f"{row.left:,}"
    return "Has faults" if row.proposal.faults else "Proposed"


def _colour(row: TemplateRow) -> QColor:
    theme = Theme.current()
    if row.proposal is not None:
        return theme.warning if row.proposal.faults else theme.success
    return theme.text if row.left else theme.warning
