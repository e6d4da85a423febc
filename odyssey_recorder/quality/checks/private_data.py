"""Which words are somebody's: addresses, telephone numbers and card numbers, wherever an episode has text."""

import re
from collections.abc import Iterator

from odyssey_recorder.model.action import Complete, Impossible, Type
from odyssey_recorder.quality.checks.check import Found, Unseen
from odyssey_recorder.quality.evidence import EpisodeEvidence

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d.,-]*\d)")
_PHONES = (
    re.compile(r"(?<![\w+])\+\d(?:[ ()./-]{0,2}\d){7,14}(?!\d)"),
    re.compile(r"(?<![\w.,:/-])0\d{2,4}[ /-]\d(?:[ -]?\d){5,8}(?![\d.,:/-]*\d)"),
    re.compile(r"(?<![\w.,:/-])(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}(?!\d)"),
)


def nothing_private(evidence: EpisodeEvidence) -> Iterator[Found | Unseen]:
    """A typed text, a note, a reason, the task or the instruction has an e-mail address, a telephone number (with a
    country, an area or the groups of North America), or a number of 13 to 19 digits that is a card's by its check
    digit. What the pictures show is not read."""
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
    yield Unseen(None, "what the pictures show is not read: there is no OCR")


def _found(step: int | None, where: str, kinds: list[str]) -> Found:
    # What was found is not repeated: reports are passed on.
    todo = "Look whether it is a real person's; if so, reject the episode and record it with made-up data."
    return Found(step, f"{where} has what looks like {' and '.join(kinds)}.", todo)


def _kinds(text: str) -> list[str]:
    kinds = {
        "an e-mail address": _MAIL.search(text) is not None,
        "a card number": any(_is_card(found) for found in _CARD.findall(text)),
        "a telephone number": any(phone.search(text) for phone in _PHONES),
    }
    return [kind for kind, is_there in kinds.items() if is_there]


def _is_card(text: str) -> bool:
    """Whether the last digit is the check digit of the others (Luhn), and the first one a bank card's."""
    digits = [int(letter) for letter in text if letter.isdecimal()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return digits[0] in (3, 4, 5, 6) and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
