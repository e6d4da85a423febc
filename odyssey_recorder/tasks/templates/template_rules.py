"""The rules that every template must satisfy, from a file or proposed by a language model."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.naming import mentions, named
from odyssey_recorder.tasks.templates import template as templates
from odyssey_recorder.tasks.templates.filling import gaps_in, identity
from odyssey_recorder.tasks.templates.marked_yaml import Place

PHRASINGS, NAMED_PHRASINGS = 3, 2

LONGEST_ID = 50
"""In characters; leaves room for the rest of a task id."""

FURTHEST_DAY = 365
"""The largest number of days after the day of recording that a task may name."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_GAP = re.compile(r"\{[a-z][a-z0-9_]*\}")
_MOST_NUMBERS, _FURTHEST_WEEKDAY = 10_000, 7
_NO_ADDRESSEE = re.compile(
    r"\b(?:yourself|(?<!chat with )myself)\b"
    r"|\b(?:send|mail|e-mail|share)\b(?: me\b|[^.,;?!]*\bto me\b)",
    re.I,
)
_DANGLING = re.compile(
    r"\b(?:put|keep|save|note|enter|mail|e-mail|send) (?:that|this|those|these) (?:in|into|on|by|to|down)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A violated rule; `place` leads to the cause: ``("slots", "item", 2)``."""

    place: Place
    message: str


def faults_of(template: templates.Template, catalogue: templates.Catalogue) -> tuple[Fault, ...]:
    parts = (_id_faults, _meta_faults, _slot_faults, _alike_slots, _role_faults, _phrasing_faults, _wording_faults)
    found = [fault for part in parts for fault in part(template)]
    return (*found, *_cast_faults(template, catalogue), *_app_names(template, catalogue))


def _id_faults(template: templates.Template) -> Iterator[Fault]:
    name = template.template_id
    if _ID.fullmatch(name) is None or len(name) > LONGEST_ID:
        yield Fault((), f'"{name}" is not a valid id: use at most {LONGEST_ID} letters, digits, _ and -')


def _meta_faults(template: templates.Template) -> Iterator[Fault]:
    text, place = template.meta_task, ("meta_task",)
    yield from _stray_braces(text, place)
    gaps = set(gaps_in(text))
    for name in sorted(gaps - template.slots.keys()):
        yield Fault(place, f"there is no slot for the gap {{{name}}}")
    for name in template.slots:
        if name not in gaps:
            yield Fault(("slots", name), f"meta_task has no gap {{{name}}}")


def _stray_braces(text: str, place: Place) -> Iterator[Fault]:
    if _has_braces(_GAP.sub("", text)):
        yield Fault(place, "a gap is a lower-case name in braces, such as {item}; other braces are not allowed")


def _has_braces(text: str) -> bool:
    return "{" in text or "}" in text


# Slots.


def _slot_faults(template: templates.Template) -> Iterator[Fault]:
    for name, slot in template.slots.items():
        if _NAME.fullmatch(name) is None:
            yield Fault(("slots", name), "a slot name is a lower-case word")
        yield from _faults_of_slot(slot, ("slots", name))


def _faults_of_slot(slot: templates.Slot, place: Place) -> Iterator[Fault]:
    match slot:
        case templates.Items(texts):
            yield from faults_of_items(texts, place)
        case templates.Numbers(first, last, step, words):
            yield from _number_faults(first, last, step, place)
            if words.count("{}") != 1 or _has_braces(words.replace("{}", "")):
                yield Fault((*place, "words"), "must contain {} once, for the number, and no other braces")
        case templates.DaySlotRange(first, last, words):
            earliest = 0 if words == "relative" else 1
            furthest = _FURTHEST_WEEKDAY if words == "weekday" else FURTHEST_DAY
            if not earliest <= first <= last <= furthest:
                yield Fault(
                    (*place, "days"), f"{words} days must be {earliest} to {furthest} days ahead, the earlier one first"
                )


def faults_of_items(texts: tuple[str, ...], place: Place) -> Iterator[Fault]:
    if not texts:
        yield Fault(place, "has no items")
    seen: set[str] = set()
    for number, text in enumerate(texts):
        if _has_braces(text):
            yield Fault((*place, number), f'"{text}" cannot contain braces')
        key = identity(text)
        if key in seen:
            yield Fault((*place, number), f'"{text}" is listed twice')
        seen.add(key)


def _number_faults(first: int, last: int, step: int, place: Place) -> Iterator[Fault]:
    if step < 1:
        yield Fault((*place, "step"), "must be 1 or more")
    elif last < first:
        yield Fault((*place, "to"), f"must not be less than {first}")
    elif (last - first) // step >= _MOST_NUMBERS:
        yield Fault((*place, "to"), f"no more than {_MOST_NUMBERS:,} numbers; use a larger step")


def _alike_slots(template: templates.Template) -> Iterator[Fault]:
    """Gaps of a task never get the same item, which only works for slots with identical items."""
    items = {name: slot.texts for name, slot in template.slots.items() if isinstance(slot, templates.Items)}
    for name, texts in items.items():
        if texts and list(items.values()).count(texts) > len(texts):
            yield Fault(("slots", name), "too few items for the slots that share them")
    for (one, texts), (other, others) in combinations(items.items(), 2):
        shared = set(texts) & set(others)
        if shared and texts != others:
            example = next(text for text in texts if text in shared)
            yield Fault(
                ("slots", other),
                f'shares "{example}" with {{{one}}}: give both slots the same items, or none in common',
            )


# Roles and apps.


def _role_faults(template: templates.Template) -> Iterator[Fault]:
    for role in template.roles:
        if _NAME.fullmatch(role.name) is None:
            yield Fault(("roles", role.name), "a role is a lower-case word")
        if role.name in template.slots:
            yield Fault(("roles", role.name), f"a slot has the same name: {{{role.name}}} could be either")
    if lack := template.category.lacks_apps(role.name for role in template.roles):
        yield Fault(("roles",), f"{lack}; each role needs a different app")
    most = Category.MULTI_APPS.fewest_apps - 1
    if template.category is not Category.MULTI_APPS and len(template.roles) > most:
        yield Fault(("roles",), f"{template.category.value} has {most} roles at most: a task with more is Multi_Apps")


def players(role: templates.Role, catalogue: templates.Catalogue) -> tuple[templates.CatalogueApp, ...]:
    """The apps of the team that can play a role."""
    if not role.apps:
        return catalogue.that_play(role.name)
    named = (app for app in catalogue.apps if {app.name, app.like} & {*role.apps})
    return tuple(app for app in named if app.name not in catalogue.lacks)


def _cast_faults(template: templates.Template, catalogue: templates.Catalogue) -> Iterator[Fault]:
    found = True
    for role in template.roles:
        place = ("roles", role.name)
        for number, name in enumerate(role.apps):
            if name not in catalogue.by_name:
                yield Fault((*place, number), f'the catalogue {catalogue.name} has no app "{name}"')
            if name in role.apps[:number]:
                yield Fault((*place, number), f'"{name}" is listed twice')
        if not players(role, catalogue):
            found = False
            if not role.apps:
                yield Fault(place, f"no app of the catalogue {catalogue.name} plays this role")
    if found and not can_be_cast(template.roles, catalogue):
        yield Fault(("roles",), f"the catalogue {catalogue.name} has too few apps for a different one in each role")


def can_be_cast(
    roles: tuple[templates.Role, ...], catalogue: templates.Catalogue, used: frozenset[str] = frozenset()
) -> bool:
    if not roles:
        return True
    free = (app.name for app in players(roles[0], catalogue) if app.name not in used)
    return any(can_be_cast(roles[1:], catalogue, used | {name}) for name in free)


# Phrasings.


def _phrasing_faults(template: templates.Template) -> Iterator[Fault]:
    slots, roles = set(template.slots), {role.name for role in template.roles}
    for key, texts, least, wanted in (
        ("phrasings", template.phrasings, PHRASINGS, slots),
        ("named_phrasings", template.named_phrasings, NAMED_PHRASINGS, slots | roles),
    ):
        if len(texts) < least:
            yield Fault((key,), f"there must be {least} or more, not {len(texts)}")
        for number, text in enumerate(texts):
            place = (key, number)
            yield from _stray_braces(text, place)
            gaps = set(gaps_in(text))
            for name in sorted(wanted - gaps):
                yield Fault(place, f"the gap {{{name}}} is missing")
            for name in sorted(gaps - wanted):
                why = "names an app; use it in named_phrasings only" if name in roles else "is not a slot"
                yield Fault(place, f"{{{name}}} {why}")
            if identity(text) in map(identity, texts[:number]):
                yield Fault(place, "says the same as one above")


def _texts(template: templates.Template, *keys: str) -> Iterator[tuple[Place, str]]:
    yield ("meta_task",), template.meta_task
    for key in keys:
        yield from (((key, number), text) for number, text in enumerate(getattr(template, key)))


def _wording_faults(template: templates.Template) -> Iterator[Fault]:
    for place, text in _texts(template, "phrasings", "named_phrasings"):
        if found := _NO_ADDRESSEE.search(text):
            yield Fault(
                place, f'"{found.group()}" does not say who: write "my own mail address" or "my chat with myself"'
            )
        if found := _DANGLING.search(text):
            yield Fault(place, f'"{found.group()}" does not say what: name it, such as "put the result in a note"')


def _app_names(template: templates.Template, catalogue: templates.Catalogue) -> Iterator[Fault]:
    for place, text in _texts(template, "phrasings"):
        if names := named(mentions(text, catalogue.by_name)):
            yield Fault(place, f'names the app "{names[0]}"; name apps only in named_phrasings, by their roles')
