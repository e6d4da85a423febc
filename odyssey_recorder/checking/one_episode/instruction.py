"""Checks of the task's texts, for criterion (iii): whether the instruction still asks for what the task does."""

import re
from collections.abc import Iterator, Set
from functools import cache

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.finding_text import listed, named
from odyssey_recorder.checking.one_episode.apps import letters
from odyssey_recorder.checking.one_episode.check import CheckResults, Found, Unchecked
from odyssey_recorder.checking.thresholds import ITEM_KEPT
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues
from odyssey_recorder.tasks.wording import equivalence
from odyssey_recorder.tasks.wording.quantities import Quantity, QuantityKind
from odyssey_recorder.tasks.wording.reversals import VERBS, lost_denial

_GAP = re.compile(r"\{[^{}]*\}")
_DIGITS = re.compile(r"[1-9]\d*")
_KINDS = {
    "picture", "photo", "sentence", "tip", "end", "price", "mail", "message", "note", "post", "song", "album",
    "article", "recipe",
}  # fmt: skip
_TOO_LONG = f"the task or the instruction has more than {equivalence.LONGEST:,} letters"
_REWRITE = "Correct the instruction so that it asks for exactly the task."


def check_details(evidence: EpisodeEvidence) -> CheckResults:
    """The instruction is empty, still has a gap of its template, or leaves out what the task was filled with: a name,
    number, time, date or quoted text, or what the task forbids or excludes. An item is lost when fewer than
    `ITEM_KEPT` of its words and figures are there, in any form and order. A figure may have the same digits as another
    kind, a date only its day. As a warning, somebody is to be told or sent something, and the task names nobody, or
    only others. The values come from the provenance, otherwise from the template. Whether the words mean the same is
    for INS03."""
    wording = _wording(evidence)
    if wording is None:
        yield Unchecked(None, _TOO_LONG)
        return
    if not wording.instruction.strip():
        yield Found(None, "The instruction is empty.", _REWRITE)
        return
    if gaps := equivalence.gaps_left(wording):
        yield Found(None, f"The instruction still has a gap: {named(gaps[0])}.", _REWRITE)
        return
    lost = [text for item in equivalence.lost_items(wording) for text in _missing_words(item)]
    lost += [*_missing_figures(wording), *_missing_quotes(wording)]
    if lost:
        yield Found(None, f"The instruction lacks {listed(dict.fromkeys(lost))} from the task.", _REWRITE)
    if missing_denial := lost_denial(wording.task.task, wording.said.text):
        yield Found(None, f"The instruction lacks {named(missing_denial)} from the task.", _REWRITE)
    if added := equivalence.added_people(wording):
        found = f"The instruction asks to tell or send something to {listed(added)}; the task does not."
        yield Found(None, found, _REWRITE, Severity.WARNING)


def _wording(evidence: EpisodeEvidence) -> equivalence.Wording | None:
    """The instruction compared with its task; None if the texts are too long to compare."""
    task = evidence.episode.task
    if max(len(task.meta_task), len(task.task), len(task.instruction)) > equivalence.LONGEST:
        return None
    making = evidence.provenance.origin.making if evidence.provenance else None
    items = tuple(making.slots.values()) if making else ()
    return equivalence.Wording(task, items or _matched(task.meta_task, task.task), task.instruction, _known_apps())


def _matched(template: str, task: str) -> tuple[str, ...]:
    if not _GAP.search(template):
        return ()
    parts = (r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in _GAP.split(template.strip()))
    first, *others, last = parts
    filled = "".join(f"(?>(.+?){part})" for part in others)  # atomic groups, or matching may take forever
    found = re.fullmatch(f"{first}{filled}(.+?){last}", task.strip(), re.IGNORECASE | re.DOTALL)
    return found.groups() if found else ()


@cache
def _known_apps() -> Set[str]:
    return frozenset(name for catalogue in shipped_catalogues().values() for name in catalogue.by_name)


def _missing_words(item: equivalence.MissingItem) -> list[str]:
    words = [word for word in item.words if word.casefold() not in _KINDS]
    words = [word for word in words if word.casefold() not in VERBS] or words
    lost = [word for word in item.lost if word in words]
    parts = len(words) + item.figures
    share = 1 - len(lost) / parts if parts else 1.0
    if share < ITEM_KEPT or (share == ITEM_KEPT and words[0] in lost):
        return [item.item]
    return [word for word in lost if word[0].isupper()]


def _missing_figures(wording: equivalence.Wording) -> Iterator[str]:
    said_often = any(figure.kind is QuantityKind.FREQUENCY for figure in wording.said.figures)
    for figure in equivalence.lost_figures(wording):
        if figure.kind is QuantityKind.FREQUENCY and not said_often:
            continue
        others = {
            digits
            for quantity in wording.said.figures
            if quantity.kind is not figure.kind
            for digits in _digits(quantity)
        }
        if not _digits(figure) or not _digits(figure) <= others:
            yield figure.said


def _digits(figure: Quantity) -> set[str]:
    return set(_DIGITS.findall(figure.said))


def _missing_quotes(wording: equivalence.Wording) -> list[str]:
    instruction = wording.instruction.casefold()
    return [text for text in equivalence.lost_quotes(wording) if text.casefold() not in instruction]


def check_judgement(evidence: EpisodeEvidence) -> CheckResults:
    """A language model found, when the task was made, that the instruction does not follow from the task or the task
    not from it, or that it lacks or adds a requirement. What a person changed later was not judged."""
    making = evidence.provenance.origin.making if evidence.provenance else None
    text = making.text if making else None
    verdict = text.equivalence if text else None
    if text is None or verdict is None or verdict.judge is None:
        yield Unchecked(None, "no language model judged the task")
        return
    if text.edited_by:
        yield Unchecked(None, "a person changed the instruction after a language model had judged it")
        return
    wrong = [f"it lacks {named(part)}" for part in verdict.missing] + [
        f"it adds {named(part)}" for part in verdict.added
    ]
    if not verdict.holds:
        found = "; ".join(wrong) or "one does not follow from the other"
        yield Found(None, f"{verdict.judge.model_answered} finds another meaning than the task's: {found}.", _REWRITE)


# Apps.


def check_named_apps(evidence: EpisodeEvidence) -> CheckResults:
    """The instruction names some but not all apps of the task, or an app that is neither the task's nor named in the
    task. An instruction that names no app is not checked: some datasets want it so."""
    wording = _wording(evidence)
    if wording is None:
        yield Unchecked(None, _TOO_LONG)
        return
    if not wording.instruction.strip() or equivalence.gaps_left(wording):
        yield Unchecked(None, "the instruction is empty or still has a gap")
        return
    apps = wording.task.apps
    own = {app for app in wording.apps_named if any(_are_one(app, known) for known in apps)}
    others = [app for app in wording.apps_named if app not in own and not _names(wording.task.task, app)]
    unnamed = [app for app in apps if not _names(wording.instruction, app)]
    if unnamed and not own and not others:
        yield Unchecked(None, "the instruction names no app, which may be intended")
        return
    if unnamed:
        todo = "Name the app in the instruction, or remove it from the task's apps if it is not needed."
        yield Found(None, f"The instruction does not name {listed(unnamed)}.", todo)
    if others:
        todo = "Add it to the task's apps if the task needs it; otherwise correct the instruction."
        yield Found(None, f"The instruction names {listed(others)}, which is not one of the task's apps.", todo)


def _names(text: str, app: str) -> bool:
    """Whether the text names an app, ignoring case, blanks and hyphens; a name of one or two letters must be a word."""
    name = letters(app)
    return name in letters(text) if len(name) >= 3 else re.search(rf"\b{re.escape(app)}\b", text) is not None


def _are_one(app: str, own: str) -> bool:
    """Whether one name is part of the other: some data have Setting for Settings, or Docs for Google Docs."""
    name, own_name = letters(app), letters(own)
    return bool(own_name) and (name.removesuffix("s") in own_name or own_name in name)
