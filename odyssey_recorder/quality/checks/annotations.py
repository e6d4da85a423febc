"""The checks of the texts that a language model wrote beside the steps, where there are any."""

import re
from collections.abc import Iterator, Mapping

from odyssey_recorder.model.episode import Json
from odyssey_recorder.quality.checks.check import Found, Unseen
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.wording import listed

Said = Iterator[Found | Unseen]

TEXTS = ("description", "intention", "low_level_instruction", "context")
"""The keys of a step whose texts a language model writes."""
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


def whole_texts(evidence: EpisodeEvidence) -> Said:
    """Where steps have texts of a language model: one that is missing or empty, that is a refusal, or that breaks off
    within a sentence. Whether a text is of an older picture is not checked: what it was written from is not kept."""
    if not (keys := _keys(evidence)):
        yield Unseen(None, _NONE)
        return
    for step in evidence.steps:
        if wrong := [f"{key} {words}" for key in keys if (words := _unwhole(step.spelled.spelled, key))]:
            yield Found(step.number, f"Of the annotations, {listed(wrong)}.", "Have the step annotated again.")
    yield Unseen(None, "whether the texts are of these pictures is not known: what they were written from is not kept")


def _keys(evidence: EpisodeEvidence) -> list[str]:
    return [key for key in TEXTS if any(key in step.spelled.spelled for step in evidence.steps)]


def _unwhole(spelled: Mapping[str, Json], key: str) -> str:
    text = spelled.get(key)
    if not isinstance(text, str):
        return "is missing"
    text = text.strip()
    if not text:
        return "is empty"
    if _REFUSAL.search(text):
        return "is a refusal"
    ends = text.rstrip(_CLOSING).endswith(_SENTENCE_END) or (key == _SHORT and not _BROKEN_OFF.search(text))
    return "" if ends else "breaks off"


def plain_texts(evidence: EpisodeEvidence) -> Said:
    """A text of a language model names coordinates, or has tags of actions such as ``CLICK[`` or ``KEY_HOME``."""
    if not (keys := _keys(evidence)):
        yield Unseen(None, _NONE)
        return
    for step in evidence.steps:
        texts = {key: text for key in keys if isinstance(text := step.spelled.spelled.get(key), str)}
        if wrong := [key for key, text in texts.items() if _PLACE.search(text) or _TAG.search(text)]:
            found = f"There are coordinates or tags of actions in {listed(wrong)}."
            yield Found(step.number, found, "Have the step annotated again, or correct the text.")
