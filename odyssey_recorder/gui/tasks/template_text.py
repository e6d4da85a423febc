"""A template as text: fillings of its slots, apps for its roles, its phrasings."""

from collections.abc import Sequence
from dataclasses import dataclass

from odyssey_recorder.gui.kit.task_text import device_text, start_text
from odyssey_recorder.model.assignment import AsFound
from odyssey_recorder.tasks.templates.template import Catalogue, DaySlotRange, Items, Numbers, Role, Slot, Template
from odyssey_recorder.tasks.wording.proposing import Proposal

_MOST_ITEMS = 60
_DAYS = {"relative": "“in 3 days”", "weekday": "“next Friday”", "date": "“4 December”"}


@dataclass(frozen=True, slots=True)
class TextSpan:
    heading: str
    lines: tuple[str, ...]


def template_passages(template: Template, catalogue: Catalogue | None) -> Sequence[TextSpan]:
    slots = [
        TextSpan(f"{{{name}}} is filled with {filled_with(slot)}", _items(slot))
        for name, slot in template.slots.items()
    ]
    roles = tuple(f"{role.name}: {_apps_of_role(role, catalogue)}" for role in template.roles)
    passages = [
        *slots,
        TextSpan("Apps by role", roles),
        TextSpan("Phrasings by people, naming no app", template.phrasings),
        TextSpan("Phrasings by people, naming every app", template.named_phrasings),
        TextSpan("Devices", _places(template)),
        TextSpan("For the annotator", (template.notes,) if template.notes else ()),
    ]
    return [passage for passage in passages if passage.lines]


def proposal_text(proposal: Proposal) -> Sequence[str]:
    """The faults of a proposal, or that there are none, and its similar templates."""
    found = proposal.faults or ("No faults found.",)
    near = f"Most similar to {proposal.nearest} ({proposal.likeness:.0%})." if proposal.nearest else ""
    return (*found, near) if near else found


def filled_with(slot: Slot) -> str:
    match slot:
        case Items(texts):
            return f"one of {len(texts):,} items"
        case Numbers(first, last, step, text):
            by = f" by {step}" if step != 1 else ""
            as_ = f", as “{text}”" if text != "{}" else ""
            return f"a number from {first} to {last}{by}{as_}"
        case DaySlotRange(first, last, text):
            return f"a day, {first} to {last} days after the recording, as {_DAYS[text]}"


def _items(slot: Slot) -> tuple[str, ...]:
    if not isinstance(slot, Items):
        return (filled_with(slot)[0].upper() + filled_with(slot)[1:],)
    shown = " · ".join(slot.texts[:_MOST_ITEMS])
    rest = len(slot.texts) - _MOST_ITEMS
    return (f"{shown} · and {rest:,} more",) if rest > 0 else (shown,)


def _apps_of_role(role: Role, catalogue: Catalogue | None) -> str:
    """With the reasons for apps that the team does not have."""
    lacks = {} if catalogue is None else catalogue.lacks
    names = role.apps or (() if catalogue is None else [app.name for app in catalogue.apps if role.name in app.roles])
    told = ", ".join(f"{name} ({lacks[name]})" if name in lacks else name for name in names)
    return told if role.apps else f"any of {told}" if told else "no app in the catalogue"


def _places(template: Template) -> tuple[str, ...]:
    devices = ", ".join(map(device_text, template.devices))
    place = f"{template.catalogue} · {devices or 'every device'}"
    return (place,) if isinstance(template.start, AsFound) else (place, start_text(template.start))
