"""Reads templates, pools and catalogues from several folders into one library."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import chain
from pathlib import Path

from odyssey_recorder.model.episode import Category
from odyssey_recorder.resources import data_folder
from odyssey_recorder.tasks.fields import Problem, refuse, start_state
from odyssey_recorder.tasks.templates import template_schema
from odyssey_recorder.tasks.templates.filling import Fillings, fill, identity
from odyssey_recorder.tasks.templates.marked_yaml import Place
from odyssey_recorder.tasks.templates.source import TemplateSource, Written
from odyssey_recorder.tasks.templates.team import catalogue_app, read_team, team_faults, with_team
from odyssey_recorder.tasks.templates.template import (
    OTHER,
    Catalogue,
    DaySlotRange,
    Items,
    LeftOut,
    Numbers,
    Role,
    Slot,
    Template,
    TemplateLibrary,
)
from odyssey_recorder.tasks.templates.template_rules import can_be_cast, faults_of, faults_of_items, players

_POOLS, _APPS = "pools", "apps"
_ROOMS = (*(category.value for category in Category), _POOLS, _APPS)

_Pools = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ReadLibrary:
    library: TemplateLibrary
    problems: tuple[Problem, ...]


def shipped_templates() -> Path:
    return data_folder("templates")


@cache
def shipped_catalogues() -> Mapping[str, Catalogue]:
    return dict(_read_catalogues(TemplateSource((shipped_templates(),))))


def load_library(folders: Sequence[Path], team: Path | None = None) -> TemplateLibrary:
    """Raises TaskError with file, line and key of each problem."""
    read = read_library(folders, team)
    refuse(read.problems)
    return read.library


def read_library(folders: Sequence[Path], team: Path | None = None) -> ReadLibrary:
    """Each folder can use pools and catalogues of the others; `team` is the file that says what the team has.

    Raises TaskError if a folder is missing.
    """
    source = TemplateSource(tuple(folders))
    source.look_around(_ROOMS)
    pools = dict(_read_pools(source))
    catalogues = dict(_read_catalogues(source))
    catalogues |= _of_team(source, team, catalogues)
    complete = {name: replace(catalogue, lacks={}) for name, catalogue in catalogues.items()}
    templates = sorted(_distinct(source, _read_templates(source, pools, complete)), key=_order)
    left_out = dict(_left_out(templates, catalogues))
    problems = sorted(source.problems, key=lambda problem: (problem.source, problem.line))
    return ReadLibrary(TemplateLibrary(tuple(templates), catalogues, left_out), tuple(problems))


def _of_team(source: TemplateSource, file: Path | None, catalogues: Mapping[str, Catalogue]) -> dict[str, Catalogue]:
    written, team, problems = read_team(file)
    if written is not None:
        faults = team_faults(team, catalogues.get(team.catalogue))
        problems = [written.problem(place, message) for place, message in faults]
    source.problems += problems
    return {} if written is None or problems else {team.catalogue: with_team(catalogues[team.catalogue], team)}


def _left_out(templates: Iterable[Template], catalogues: Mapping[str, Catalogue]) -> Iterator[tuple[str, LeftOut]]:
    for template in templates:
        catalogue = catalogues[template.catalogue]
        if catalogue.lacks and not can_be_cast(template.roles, catalogue):
            empty = [role.name for role in template.roles if not players(role, catalogue)]
            roles = " and ".join(empty or [role.name for role in template.roles])
            yield template.template_id, LeftOut(catalogue.name, roles, Fillings(template, date.today()).count)


# Pools and catalogues.


def _read_pools(source: TemplateSource) -> Iterator[tuple[str, tuple[str, ...]]]:
    for written, content in source.read(_POOLS, template_schema.PoolFile):
        faults = [written.problem(fault.place, fault.message) for fault in faults_of_items(content.items, ("items",))]
        if faults:
            source.problems += faults
            source.broken.add((_POOLS, written.name))
        else:
            yield written.name, content.items


def _read_catalogues(source: TemplateSource) -> Iterator[tuple[str, Catalogue]]:
    for written, content in source.read(_APPS, template_schema.CatalogueFile):
        source.problems += _faults_of_apps(written, content)
        apps = tuple(map(catalogue_app, content.apps))
        yield written.name, Catalogue(written.name, content.title, content.classes, apps, written.source)


def _faults_of_apps(written: Written, content: template_schema.CatalogueFile) -> Iterator[Problem]:
    first: dict[str, Place] = {}
    for number, app in enumerate(content.apps):
        places: list[tuple[Place, str]] = [(("apps", number, "name"), identity(app.name))]
        places += [(("apps", number, "aliases", at), identity(name)) for at, name in enumerate(app.aliases)]
        for place, text in (*places, (("apps", number, "package"), app.package)):
            before = first.setdefault(text, place)
            if before is not place:
                yield written.problem(place, f"the same as on line {written.document.line_of(before)}")
        if app.name[-1] in ".!?,;:":
            yield written.problem(("apps", number, "name"), "ends with a punctuation mark, which would end a sentence")
        if app.app_class not in (*content.classes, OTHER):
            yield written.problem(("apps", number, "class"), f'"{app.app_class}" is not one of the classes')


# Templates.


def _read_templates(
    source: TemplateSource, pools: _Pools, catalogues: Mapping[str, Catalogue]
) -> Iterator[tuple[Written, Template]]:
    for category in Category:
        for written, content in source.read(category.value, template_schema.TemplateFile):
            missing = list(_missing(written, content, pools, catalogues))
            if missing:
                source.problems += (problem for place, problem in missing if place not in source.broken)
                continue
            template = _template(written, category, content, pools)
            faults = faults_of(template, catalogues[content.catalogue])
            source.problems += (written.problem(fault.place, fault.message) for fault in faults)
            if not faults:
                yield written, template


def _missing(
    written: Written, content: template_schema.TemplateFile, pools: _Pools, catalogues: Mapping[str, Catalogue]
) -> Iterator[tuple[tuple[str, str], Problem]]:
    if content.catalogue not in catalogues:
        words = f'there is no file "{content.catalogue}.yaml" in {_APPS}'
        yield (_APPS, content.catalogue), written.problem(("catalogue",), words)
    for slot, entry in content.slots.items():
        for number, name in enumerate(entry.pools if isinstance(entry, template_schema.PoolSlot) else ()):
            if name not in pools:
                words = f'there is no file "{name}.yaml" in {_POOLS}'
                yield (_POOLS, name), written.problem(("slots", slot, "pools", number), words)


def _template(written: Written, category: Category, content: template_schema.TemplateFile, pools: _Pools) -> Template:
    return Template(
        template_id=written.name,
        category=category,
        meta_task=content.meta_task,
        slots={name: _slot(entry, pools) for name, entry in content.slots.items()},
        roles=tuple(Role(name, () if apps == "any" else tuple(apps)) for name, apps in content.roles.items()),
        phrasings=content.phrasings,
        named_phrasings=content.named_phrasings,
        catalogue=content.catalogue,
        devices=content.devices,
        start=start_state(content.start),
        notes=" ".join(content.notes.split()),
        source=written.source,
    )


def _slot(entry: template_schema.SlotEntry, pools: _Pools) -> Slot:
    match entry:
        case template_schema.PoolSlot(pools=names):
            items: dict[str, str] = {}
            for item in chain.from_iterable(pools[name] for name in names):
                items.setdefault(identity(item), item)
            return Items(tuple(items.values()))
        case template_schema.NumberSlot(first=first, last=last, step=step, words=words):
            return Numbers(first, last, step, words)
        case template_schema.DaySlot(days=(first, last), words=words):
            return DaySlotRange(first, last, words)
        case _:
            return Items(entry)


def _distinct(source: TemplateSource, templates: Iterable[tuple[Written, Template]]) -> Iterator[Template]:
    by_id: dict[str, Template] = {}
    by_words: dict[tuple[str, str], Template] = {}
    for written, template in templates:
        key = identity(fill(template.meta_task, dict.fromkeys(template.slots, "{}")))
        same_id = by_id.setdefault(template.template_id, template)
        same_words = by_words.setdefault((template.catalogue, key), template)
        if same_id is not template:
            source.problems.append(written.problem((), f"{same_id.source} has the same name; give it another"))
        elif same_words is not template:
            words = f"asks for the same as {same_words.template_id}; merge the two"
            source.problems.append(written.problem(("meta_task",), words))
        else:
            yield template


def _order(template: Template) -> tuple[int, str]:
    return list(Category).index(template.category), template.template_id
