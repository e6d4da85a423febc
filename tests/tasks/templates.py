"""Templates, apps and template folders for the tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.templates.template import (
    Catalogue,
    CatalogueApp,
    Items,
    Role,
    Slot,
    Template,
    TemplateLibrary,
)

TEMPLATE = """\
meta_task: Listen to {item} and write down {count}
slots:
  item: [a podcast on yoga, a course on chess]
  count: {from: 2, to: 4, words: "{} ideas"}
roles:
  podcast: any
  notes: [Notes]
phrasings:
  - Put {item} on and write down {count}.
  - Write down {count} from {item}.
  - I want {count} out of {item}, written down.
named_phrasings:
  - Put {item} on in {podcast} and write down {count} in {notes}.
  - In {notes}, write down {count} from {item} in {podcast}.
"""
"""A valid template of a category that asks for two roles."""

POOL = "items:\n- Lisbon\n- Kyoto\n"

APPS = """\
title: Apps of the tests
classes: [Reading, Writing]
apps:
  - {name: Listen, package: org.example.listen, class: Reading, roles: [podcast]}
  - {name: Clock, package: org.example.clock, class: Other, roles: [clock]}
  - {name: YouTube, package: org.example.tube, class: Reading, roles: [podcast, video]}
  - {name: Notes, package: org.example.notes, class: Writing, roles: [notes]}
  - {name: Notes Plus, package: org.example.plus, class: Writing, roles: [notes]}
"""


def folder_of(root: Path, files: Mapping[str, str] | None = None) -> Path:
    """A folder with a catalogue, a pool, and `files`, which replace templates of the same name."""
    contents = {"apps/android.yaml": APPS, "pools/cities.yaml": POOL, "Media_Entertainment/listen.yaml": TEMPLATE}
    for name, text in {**contents, **(files or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def catalogue_of(**roles: Sequence[str]) -> Catalogue:
    names = sorted({name for apps in roles.values() for name in apps})
    apps = tuple(
        CatalogueApp(
            name, f"org.example.{name.lower()}", "Other", frozenset(role for role in roles if name in roles[role])
        )
        for name in names
    )
    return Catalogue("android", "Apps of the tests", (), apps)


def template_of(
    template_id: str = "find",
    category: Category = Category.WEB_SHOPPING,
    *,
    slots: Mapping[str, Slot] | None = None,
    roles: Sequence[str] = ("shop", "notes"),
    devices: Sequence[str] = (),
) -> Template:
    """A template whose texts contain each of its slots and roles, and whose task contains its id."""
    slots = slots or {"item": Items(("a lamp", "a chair", "a table"))}
    gaps, apps = (" and ".join(f"{{{name}}}" for name in names) for names in (slots, roles))
    return Template(
        template_id=template_id,
        category=category,
        meta_task=f"{template_id} {gaps}",
        slots=slots,
        roles=tuple(Role(role) for role in roles),
        phrasings=(f"Please {template_id} {gaps}.", f"Could you {template_id} {gaps}?", f"Do {template_id} {gaps}."),
        named_phrasings=(f"Please {template_id} {gaps} in {apps}.", f"In {apps}, {template_id} {gaps}."),
        devices=tuple(devices),
    )


def library_of(*templates: Template, catalogue: Catalogue | None = None) -> TemplateLibrary:
    apps = catalogue or catalogue_of(shop=("Bazaar", "Market", "Mall"), notes=("Jotter", "Memo"))
    return TemplateLibrary(templates, {"android": apps})


def many(count: int, word: str = "thing") -> Items:
    return Items(tuple(f"{word} {number}" for number in range(count)))


def one_per_category(items: int = 50) -> TemplateLibrary:
    return library_of(*(template_of(one.value, one, slots={"item": many(items)}) for one in Category))
