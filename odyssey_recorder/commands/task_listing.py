"""`tasks show`: the details of a task or a template."""

from collections.abc import Mapping
from datetime import date

from odyssey_recorder.model.plain_text import few
from odyssey_recorder.tasks.queue.task_status import HistoryEntry, QueuedTask
from odyssey_recorder.tasks.templates.filling import Fillings
from odyssey_recorder.tasks.templates.template import (
    Catalogue,
    DaySlotRange,
    Items,
    Numbers,
    Role,
    Slot,
    Template,
    TemplateLibrary,
)
from odyssey_recorder.tasks.wording.origin_text import judge_text, origin_text, rule_texts

Details = Mapping[str, str | list[str]]

_SHOWN_ITEMS = 5


def shown_task(task: QueuedTask) -> Details:
    listed, text = task.listed, task.listed.text
    verdict = text.equivalence if text else None
    players = {app: role for role, app in listed.roles.items()}
    return _without_empty(
        {
            "task": task.task_id,
            "status": task.status.value,
            "category": listed.task.category,
            "template": listed.template,
            "meta task": listed.task.meta_task,
            "filled": listed.task.task,
            "instruction": listed.task.instruction,
            "words": origin_text(text),
            "rules": list(rule_texts(verdict)),
            "judge": judge_text(verdict).splitlines(),
            "apps": [f"{app} ({players[app]})" if app in players else app for app in listed.task.apps],
            "devices": ", ".join(listed.devices),
            "due": str(listed.due or ""),
            "notes": listed.notes,
            "history": [_event(entry) for entry in task.history],
        }
    )


def shown_template(template: Template, library: TemplateLibrary) -> Details:
    return _without_empty(
        {
            "template": template.template_id,
            "category": template.category.value,
            "meta task": template.meta_task,
            "tasks": f"{Fillings(template, date.today()).count:,} distinct ones",
            "gaps": [f"{name}: {_slot(slot)}" for name, slot in template.slots.items()],
            "apps": [_role(role, library.catalogues[template.catalogue]) for role in template.roles],
            "phrasings": list(template.phrasings),
            "with apps": list(template.named_phrasings),
            "devices": ", ".join(template.devices),
            "notes": template.notes,
            "file": str(template.source or ""),
        }
    )


def _without_empty(entries: Mapping[str, str | list[str]]) -> Details:
    return {key: text for key, text in entries.items() if text}


def _event(entry: HistoryEntry) -> str:
    what = (f"{entry.at:%Y-%m-%d %H:%M}", entry.event.value, f"by {entry.by}", entry.episode_id, entry.reason)
    return " ".join(filter(None, what))


def _slot(slot: Slot) -> str:
    match slot:
        case Items(texts):
            return few(texts, _SHOWN_ITEMS)
        case Numbers(first, last, step, text):
            return f"{text.format(first)} to {text.format(last)} by {step}"
        case DaySlotRange(first, last, text):
            return f"a day, {first} to {last} days after the recording ({text})"


def _role(role: Role, catalogue: Catalogue) -> str:
    return f"{role.name}: {', '.join(role.apps or (app.name for app in catalogue.that_play(role.name)))}"
