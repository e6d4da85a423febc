"""Checks of the texts that a language model wrote for the steps, if there are any."""

import re

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.finding_text import listed
from odyssey_recorder.checking.one_episode.check import CheckResults, Found, Unchecked
from odyssey_recorder.model.action import Complete, Impossible, Type
from odyssey_recorder.model.episode import StepAnnotations

TEXTS = ("description", "intention", "low_level_instruction", "context")
_SHORT = "low_level_instruction"
_NONE = "there are no annotations"
_REFUSAL = re.compile(
    r"\b(?:I['\u2019]?m|I am) (?:very |really )?sorry\b.{0,80}\b(?:can['\u2019]?t|cannot|unable)\b"
    r"|\bI(?: can['\u2019]?t| cannot| am unable to|['\u2019]m unable to) "
    r"(?:assist|help|comply|fulfil|provide|process|identify)\b"
    r"|\bas an AI(?: language)? model\b",
    re.IGNORECASE | re.DOTALL,
)
_BROKEN_OFF = re.compile(
    r"(?:\b(?:a|an|the|to|of|and|or|in|on|at|for|with|by|from|that|which)|[,;:(-])$", re.IGNORECASE
)
_SENTENCE_END = (".", "!", "?", "…", "。", "\uff01", "\uff1f")
_CLOSING = "\"'”\u2019)]»"
_PLACE = re.compile(r"[(\[]\s*\d{1,4}(?:\.\d+)?\s*,\s*\d{1,4}(?:\.\d+)?\s*[)\],]")
_TAG = re.compile(
    r"\b(?:LONG_PRESS|KEY_[A-Z]+|CLICK|SCROLL|TYPE|COMPLETE|INCOMPLETE|IMPOSSIBLE)\s*[:\[(]|</?\w+>|\bKEY_[A-Z]+\b"
)


def check_completeness(evidence: EpisodeEvidence) -> CheckResults:
    """A step has texts of a language model, and one is missing, empty, a refusal, or breaks off within a sentence.
    Whether a text belongs to an older screenshot is not checked: its source is not stored."""
    if not (keys := _keys(evidence)):
        yield Unchecked(None, _NONE)
        return
    for step in evidence.steps:
        if wrong := [f"{key} {words}" for key in keys if (words := _unwhole(step.spelled.annotations, key))]:
            yield Found(step.number, f"Annotations: {listed(wrong)}.", "Have the step annotated again.")
    yield Unchecked(None, "it is unknown whether the texts describe these screenshots: their source is not stored")


def _keys(evidence: EpisodeEvidence) -> list[str]:
    return [key for key in TEXTS if any(step.spelled.annotations.has(key) for step in evidence.steps)]


def _unwhole(annotations: StepAnnotations, key: str) -> str:
    text: str | None = getattr(annotations, key)
    return "is missing" if text is None else unwhole(text, key)


def unwhole(text: str, key: str) -> str:
    """What is wrong with a text as a whole, in words that follow its name; empty if nothing is."""
    text = text.strip()
    if not text:
        return "is empty"
    if _REFUSAL.search(text):
        return "is a refusal"
    ends = text.rstrip(_CLOSING).endswith(_SENTENCE_END) or (key == _SHORT and not _BROKEN_OFF.search(text))
    return "" if ends else "breaks off"


def check_plainness(evidence: EpisodeEvidence) -> CheckResults:
    """A text of a language model names coordinates, or has tags of actions such as ``CLICK[`` or ``KEY_HOME``."""
    if not (keys := _keys(evidence)):
        yield Unchecked(None, _NONE)
        return
    for step in evidence.steps:
        texts = {key: getattr(step.spelled.annotations, key) or "" for key in keys}
        if wrong := [key for key, text in texts.items() if has_places_or_tags(text)]:
            found = f"Coordinates or action tags in {listed(wrong)}."
            yield Found(step.number, found, "Have the step annotated again, or correct the text.")


def has_places_or_tags(text: str) -> bool:
    return _PLACE.search(text) is not None or _TAG.search(text) is not None


_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d.,-]*\d)")
_PHONES = (
    re.compile(r"(?<![\w+])\+\d(?:[ ()./-]{0,2}\d){7,14}(?!\d)"),
    re.compile(r"(?<![\w.,:/-])0\d{2,4}[ /-]\d(?:[ -]?\d){5,8}(?![\d.,:/-]*\d)"),
    re.compile(r"(?<![\w.,:/-])(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}(?!\d)"),
)


def check_privacy(evidence: EpisodeEvidence) -> CheckResults:
    """A typed text, a note, a reason, the task or the instruction contains an e-mail address, a telephone number (with
    a country or area code, or in North American groups), or a card number: 13 to 19 digits with a valid check digit.
    Texts in screenshots are not read."""
    task = evidence.episode.task
    if kinds := _kinds(f"{task.task}\n{task.instruction}"):
        yield _found(None, "The task or the instruction", kinds)
    for step in evidence.steps:
        match step.spelled.action:
            case Type(text) if kinds := _kinds(text):
                yield _found(step.number, "The text", kinds)
            case Complete(text) | Impossible(text) if kinds := _kinds(text):
                yield _found(step.number, "The note", kinds)
            case _:
                pass
    yield Unchecked(None, "the text in screenshots is not read (no OCR)")


def _found(step: int | None, where: str, kinds: list[str]) -> Found:
    # What was found is not quoted: reports are shared.
    todo = "Check whether it belongs to a real person. If so, reject the episode and record it with made-up data."
    return Found(step, f"{where} has what looks like {' and '.join(kinds)}.", todo)


def _kinds(text: str) -> list[str]:
    kinds = {
        "an e-mail address": _MAIL.search(text) is not None,
        "a card number": any(_is_card(found) for found in _CARD.findall(text)),
        "a phone number": any(phone.search(text) for phone in _PHONES),
    }
    return [kind for kind, is_there in kinds.items() if is_there]


def _is_card(text: str) -> bool:
    """Whether the check digit is right (Luhn) and the first digit is that of a bank card."""
    digits = [int(letter) for letter in text if letter.isdecimal()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return digits[0] in (3, 4, 5, 6) and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
