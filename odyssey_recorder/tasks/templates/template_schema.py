"""The schema of template, pool and catalogue files."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from odyssey_recorder.tasks.fields import ProfileName, StartWords, Words
from odyssey_recorder.tasks.templates.template import DateWords
from odyssey_recorder.validation import ClosedModel


def _role_name(text: str) -> str:
    if not text.replace("_", "").isalnum() or text != text.lower():
        raise ValueError("a role is a lower-case word")
    return text


def _package(text: str) -> str:
    parts = text.split(".")
    if len(parts) < 2 or not all(part.isascii() and part.isidentifier() for part in parts):
        raise ValueError("a package is words with dots between them, such as com.example.notes")
    return text


_Some = Field(min_length=1)


class PoolSlot(ClosedModel):
    pools: Annotated[tuple[str, ...], _Some]


class NumberSlot(ClosedModel):
    first: int = Field(alias="from")
    last: int = Field(alias="to")
    step: int = 1
    words: Words = "{}"


class DaySlot(ClosedModel):
    days: tuple[int, int]
    words: DateWords = "relative"


def _shape(slot: object) -> str | None:
    if isinstance(slot, list):
        return "<items>"
    keys = slot if isinstance(slot, dict) else {}
    return next((f"<{key}>" for key in ("pools", "from", "to", "days") if key in keys), None)


SlotEntry = Annotated[
    Annotated[tuple[Words, ...], Tag("<items>")]
    | Annotated[PoolSlot, Tag("<pools>")]
    | Annotated[NumberSlot, Tag("<from>")]
    | Annotated[NumberSlot, Tag("<to>")]
    | Annotated[DaySlot, Tag("<days>")],
    Discriminator(
        _shape,
        custom_error_type="no_slot",
        custom_error_message="a slot is a list of items, or has the key pools, from or days",
    ),
]
"""The names of the union members, in ``<>``, are not keys of the file."""

RoleEntry = Annotated[
    Annotated[Literal["any"], Tag("<any>")] | Annotated[tuple[Words, ...], _Some, Tag("<apps>")],
    Discriminator(lambda value: "<apps>" if isinstance(value, list | tuple) else "<any>"),
]


class TemplateFile(ClosedModel):
    """A file ``<Category>/<id>.yaml``."""

    meta_task: Words
    slots: dict[str, SlotEntry]
    roles: dict[str, RoleEntry]
    phrasings: tuple[Words, ...]
    named_phrasings: tuple[Words, ...]
    catalogue: str = "android"
    devices: tuple[ProfileName, ...] = ()
    start: StartWords = "as_found"
    notes: str = ""


class PoolFile(ClosedModel):
    """A file ``pools/<name>.yaml``."""

    items: Annotated[tuple[Words, ...], _Some]


class AppEntry(ClosedModel):
    name: Words
    package: Annotated[str, AfterValidator(_package)]
    app_class: Words = Field(alias="class")
    roles: tuple[Annotated[str, AfterValidator(_role_name)], ...] = ()
    countries: tuple[Words, ...] = ()
    account: str = ""
    like: str = ""
    """The app in whose place it can be, also where a template names that one; it has its roles."""
    aliases: tuple[Words, ...] = ()


class CatalogueFile(ClosedModel):
    """A file ``apps/<name>.yaml``."""

    title: Words
    classes: Annotated[tuple[Words, ...], _Some]
    apps: Annotated[tuple[AppEntry, ...], _Some]
