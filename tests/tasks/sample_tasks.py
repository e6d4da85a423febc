"""Sample tasks and instructions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache

from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.tasks.generation.generator import GenerationOrder, generate
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.filling import fill
from odyssey_recorder.tasks.templates.template import Catalogue, CatalogueApp, TemplateLibrary
from odyssey_recorder.tasks.templates.template_files import load_library, shipped_templates

APPS = ("Spotify", "YouTube Music", "Todoist", "Notes", "Clock", "Photos", "eBay", "YouTube")
CATALOGUE = Catalogue(
    "android",
    "Apps of the tests",
    (),
    tuple(CatalogueApp(name, f"org.example.{number}", "Other") for number, name in enumerate(APPS)),
)
TO_DO = "Listen to {item} for {time} and write {count} ideas down"


def task(
    template: str = TO_DO,
    slots: Mapping[str, str] | None = None,
    apps: Sequence[str] = ("Spotify", "Todoist"),
    task_id: str = "one",
) -> ListedTask:
    """A task made from a template; apps other than those of `TO_DO` play no roles."""
    values = slots if slots is not None else {"item": "a podcast on yoga", "time": "20 minutes", "count": "3"}
    filled = fill(template, values)
    info = TaskInfo("Media_Entertainment", tuple(apps), template, filled, filled)
    roles = dict(zip(("podcast", "todo"), apps, strict=True)) if len(apps) == 2 else {}
    return ListedTask(task_id, info, slots=values, roles=roles)


@cache
def library() -> TemplateLibrary:
    return load_library([shipped_templates()])


@cache
def one_task_per_template() -> tuple[ListedTask, ...]:
    """A task of every shipped template."""
    whole = library()
    found: list[ListedTask] = []
    for template in whole.templates:
        alone = TemplateLibrary((template,), whole.catalogues)
        order = GenerationOrder(1, 1, date(2026, 11, 21), catalogue=template.catalogue, categories={template.category})
        found += generate(alone, order).tasks
    return tuple(found)


def human_phrasings(of: ListedTask, *, names_apps: bool) -> Iterator[str]:
    """All phrasings that people wrote for this task."""
    template = next(one for one in library().templates if one.template_id == of.template)
    for text in template.named_phrasings if names_apps else template.phrasings:
        yield fill(text, {**of.slots, **of.roles})


def catalogue_of(of: ListedTask) -> Catalogue:
    template = next(one for one in library().templates if one.template_id == of.template)
    return library().catalogues[template.catalogue]


def with_instruction(of: ListedTask, instruction: str) -> ListedTask:
    """The task with another instruction."""
    return replace(of, task=replace(of.task, instruction=instruction))
