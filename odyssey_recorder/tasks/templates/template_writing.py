"""Writes a template as a file that reads back equal; never overwrites a file."""

import os
import re
from pathlib import Path
from uuid import uuid4

import yaml

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.assignment import AsFound
from odyssey_recorder.model.episode import Json
from odyssey_recorder.tasks.fields import start_text
from odyssey_recorder.tasks.templates.template import DaySlotRange, Items, Numbers, Slot, Template

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_DEFAULT = "android"


def write_template(folder: Path, template: Template) -> Path:
    """Writes atomically. Raises TaskError if the id is not a valid file name, the file exists, or writing fails."""
    if _ID.fullmatch(template.template_id) is None:
        raise TaskError(f"{template.template_id!r} cannot be a file name. Give the template another id.")
    path = folder / template.category.value / f"{template.template_id}.yaml"
    text = yaml.safe_dump(_as_written(template), sort_keys=False, allow_unicode=True, width=120)
    beside = path.with_name(f".{template.template_id}-{uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_once(path, beside, text)
    except OSError as error:
        raise TaskError(f"The template {path} cannot be written: {error.strerror or error}.") from error
    return path


def _write_once(path: Path, beside: Path, text: str) -> None:
    try:
        with beside.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)  # unlike a rename, fails if the file exists
    except FileExistsError:
        raise TaskError(f"The template {path} already exists. Give this one another id.") from None
    finally:
        beside.unlink(missing_ok=True)


def _as_written(template: Template) -> dict[str, Json]:
    written: dict[str, Json] = {
        "meta_task": template.meta_task,
        "slots": {name: _slot(slot) for name, slot in template.slots.items()},
        "roles": {role.name: list(role.apps) or "any" for role in template.roles},
        "phrasings": list(template.phrasings),
        "named_phrasings": list(template.named_phrasings),
    }
    if template.catalogue != _DEFAULT:
        written["catalogue"] = template.catalogue
    if template.devices:
        written["devices"] = list(template.devices)
    if template.start != AsFound():
        written["start"] = start_text(template.start)
    if template.notes:
        written["notes"] = template.notes
    return written


def _slot(slot: Slot) -> Json:
    match slot:
        case Items(texts):
            return list(texts)
        case Numbers(first, last, step, words):
            return {"from": first, "to": last, "step": step, "words": words}
        case DaySlotRange(first, last, words):
            return {"days": [first, last], "words": words}
