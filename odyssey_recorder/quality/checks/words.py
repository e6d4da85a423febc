"""The checks of the task's words, for criterion (iii): whether the instruction still asks for what the task does."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from odyssey_recorder.quality.checks.check import Found, Unseen
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.thresholds import ITEM_KEPT
from odyssey_recorder.quality.wording import listed, named
from odyssey_recorder.task.template_files import shipped_catalogues

Said = Iterator[Found | Unseen]

_GAP = re.compile(r"\{[^{}]*\}")
_WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:[.:,]\d+)*")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]+)[\"”“»]")
_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_TENS = {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "half": "30"}
"""Half an hour or a minute is 30."""
_SMALL = {
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "from", "by", "with", "and", "or", "off", "up", "out",
    "about", "into", "what", "who", "when", "which", "how", "that", "this", "it", "its", "is", "are", "was",
    "were", "be", "come", "came", "picture", "photo", "sentence", "tip", "end", "price", "mail", "message",
    "note", "post", "song", "album", "article", "recipe",
}  # fmt: skip
"""Words that an instruction may drop or say otherwise: small ones, and kinds of things."""
_CALENDAR = {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march",
    "april", "may", "june", "july", "august", "september", "october", "november", "december",
}  # fmt: skip
_SIGNS = {"$": " dollars ", "€": " euros ", "£": " pounds ", "%": " percent "}
_REWRITE = "Correct the instruction, so that it asks for just what the task asks for."


def keeps_the_items(evidence: EpisodeEvidence) -> Said:
    """The instruction is empty or has a gap of its template left; or it lacks what the task was filled with, a name, a
    number, a date or what stands in quotation marks. An item is lost when fewer than `ITEM_KEPT` of its words are
    there, in whatever form and order. Whether the words mean the same is for INS03."""
    task = evidence.episode.task
    if not task.instruction.strip():
        yield Found(None, "The instruction is empty.", _REWRITE)
        return
    if gap := _GAP.search(task.instruction):
        yield Found(None, f"The instruction has a gap left: {named(gap[0])}.", _REWRITE)
        return
    lost = [*_lost_items(task.meta_task, task.task, task.instruction), *_lost_numbers(task.task, task.instruction)]
    lost += [one for one in _QUOTED.findall(task.task) if _folded(one) not in _folded(task.instruction)]
    if lost:
        yield Found(None, f"The instruction lacks {listed(dict.fromkeys(lost))} of the task.", _REWRITE)


def _lost_items(template: str, task: str, instruction: str) -> Iterator[str]:
    told = [_stem(word) for word in _WORD.findall(_spelled_out(instruction))]
    for item in _items(template, task):
        words = [word for word in _WORD.findall(_spelled_out(item)) if _is_content(word)]
        kept = [_is_among(_stem(word), told) for word in words]
        names = [word for word in words if word[0].isupper() and word.casefold() not in _CALENDAR]
        lost_names = [word for word in names if not _is_among(_stem(word), told)]
        share = sum(kept) / len(kept) if kept else 1.0
        if share < ITEM_KEPT or (share == ITEM_KEPT and not kept[0]):
            yield item
        else:
            yield from lost_names


def _items(template: str, task: str) -> Sequence[str]:
    """What the gaps of the template were filled with; nothing where the task is not made from it."""
    if not _GAP.search(template):
        return ()
    parts = (re.escape(part.strip()) for part in _GAP.split(template))
    found = re.fullmatch(r"\s*(.+?)\s*".join(parts), task.strip(), re.IGNORECASE | re.DOTALL)
    return found.groups() if found else ()


def _spelled_out(text: str) -> str:
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    return text


def _is_content(word: str) -> bool:
    return word.casefold() not in _SMALL and not word[0].isdigit() and (len(word) > 2 or word[0].isupper())


def _is_among(stem: str, told: Sequence[str]) -> bool:
    """Whether a word is there in any form: ``call`` in ``called``, ``Tom`` in ``Tom's``."""
    return any(one.startswith(stem) or (len(one) > 3 and stem.startswith(one)) for one in told)


def _stem(word: str) -> str:
    return re.split(r"['\u2019]", word.casefold())[0].removesuffix("s")


def _lost_numbers(task: str, instruction: str) -> Iterator[str]:
    told = set(_numbers(instruction))
    words = {word.casefold() for word in _WORD.findall(instruction)}
    told |= {str(value) for value, word in enumerate(_NUMBER_WORDS) if word in words}
    told |= {value for word, value in _TENS.items() if word in words}
    for number in _numbers(task):
        if number not in told and not _is_hour_among(number, told):
            yield number


def _numbers(text: str) -> Iterator[str]:
    for digits in _NUMBER.findall(text):
        plain = re.sub(r",(?=\d{3}\b)", "", digits)
        yield plain.lstrip("0") or "0"


def _is_hour_among(number: str, told: set[str]) -> bool:
    """Whether a time of day is told by the clock of twelve hours, or without its minutes."""
    hour, colon, minutes = number.partition(":")
    if not colon or not hour.isdecimal():
        return False
    hours = {hour, str(int(hour) % 12 or 12)}
    return any(one in told for hour in hours for one in (f"{hour}:{minutes}", hour if minutes == "00" else ""))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def judged_the_same(evidence: EpisodeEvidence) -> Said:
    """What a language model found when the task was made, where one was asked: the instruction does not follow from the
    task or the task not from it, or it lacks or adds a requirement. What a person changed since was not judged."""
    making = evidence.proof.origin.making if evidence.proof else None
    text = making.text if making else None
    verdict = text.equivalence if text else None
    if text is None or verdict is None or verdict.judge is None:
        yield Unseen(None, "no language model was asked when the task was made")
        return
    if text.edited_by:
        yield Unseen(None, "a person changed the instruction after a language model had judged it")
        return
    wrong = [f"it lacks {named(one)}" for one in verdict.missing] + [f"it adds {named(one)}" for one in verdict.added]
    if not verdict.holds:
        found = "; ".join(wrong) or "one does not follow from the other"
        yield Found(None, f"To {verdict.judge.model_answered} it does not mean the task: {found}.", _REWRITE)


# --- apps ------------------------------------------------------------------------------------------------


def names_its_apps(evidence: EpisodeEvidence) -> Said:
    """The instruction names some of the task's apps and not the others, or an app that is none of the task's and does
    not stand in the task. One that names no app at all is not checked: some datasets want it so."""
    task = evidence.episode.task
    if not task.instruction.strip() or _GAP.search(task.instruction):
        yield Unseen(None, "the instruction is empty or has a gap left")
        return
    unnamed = [app for app in task.apps if not _names(task.instruction, app)]
    others = [name for name in _others_named(task.instruction, task.apps) if not _names(task.task, name)]
    if unnamed and len(unnamed) == len(task.apps) and not others:
        yield Unseen(None, "the instruction names no app, which may be meant so")
        return
    if unnamed:
        todo = "Name the app in the instruction, or take it from the task's apps if it is not needed."
        yield Found(None, f"The instruction does not name {listed(unnamed)}.", todo)
    if others:
        todo = "Add it to the task's apps if the task needs it; otherwise correct the instruction."
        yield Found(None, f"The instruction names {listed(others)}, which is none of the task's apps.", todo)


def _names(text: str, app: str) -> bool:
    """Whether an app is named, case, blanks and hyphens ignored; a name of one or two letters must be a word."""
    letters = _letters(app)
    if len(letters) < 3:
        return re.search(rf"\b{re.escape(app)}\b", text) is not None
    return letters in _letters(text)


def _others_named(instruction: str, apps: Sequence[str]) -> Iterator[str]:
    """Apps of the catalogues that stand within a sentence and are no part of the name of one of `apps`."""
    own = [_letters(app) for app in apps]
    for name in _known_apps():
        letters = _letters(name)
        is_own = any(letters.removesuffix("s") in app or app in letters for app in own if app)
        if not is_own and re.search(rf"(?<=[\w,;)])\s+{re.escape(name)}\b(?![-'\u2019\w])(?!\s+[A-Z])", instruction):
            yield name


@cache
def _known_apps() -> Sequence[str]:
    return sorted({name for catalogue in shipped_catalogues().values() for name in catalogue.by_name})


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
