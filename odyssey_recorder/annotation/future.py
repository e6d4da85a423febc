"""Whether a context tells what happened only at its step or later (ANN09)."""

import re
from collections.abc import Iterator

from odyssey_recorder.annotation import claims
from odyssey_recorder.annotation.apps import OPENED
from odyssey_recorder.annotation.evidence import Target
from odyssey_recorder.annotation.findings import Evidence
from odyssey_recorder.annotation.said import Said, Text, cited, contradicts, supports, unseen
from odyssey_recorder.model.action import Type
from odyssey_recorder.quality.checks.apps import is_app
from odyssey_recorder.task.wording.equivalence import bare_words

_DONE = re.compile(
    r"\b(?:tapped|clicked|selected|opened|chose|chosen|pressed|touched|accessed|visited|viewed|held|typed|entered)"
    r"(?: on| into)?(?: the| an?)? $",
    re.IGNORECASE,
)
_SHORTEST = 3


def told_too_early(text: Text) -> Said | None:
    course = text.course
    for number in range(text.number, len(course.steps)):
        for what, proof in _first_then(text, number):
            return contradicts(f"It tells of {cited(what)}, which comes only at step {number + 1}.", proof)
    past = next(_told_of_the_past(text), None)
    if past is None:
        return unseen("it names nothing that happened")
    return supports(f"It tells of {cited(past[0])}, which happened before.", past[1])


def _first_then(text: Text, number: int) -> Iterator[tuple[str, Evidence]]:
    """What the text tells of and what happens first at the step, which is not before the text's."""
    course, here = text.course, text.number
    before = course.typed(here - 1)
    action = course.action(number)
    if isinstance(action, Type) and (typed := bare_words(action.text)) and _has(text, action.text):
        if not any(f" {typed} " in words.bare for words in (course.asked, before)) and not _was_seen(text, action.text):
            yield action.text, Evidence(f"provenance, step {number + 1}", f"typed: {cited(action.text)}")
    for mention in text.mentions if number > here else ():
        front = course.front(number)
        if front and is_app(front, mention.app) and OPENED.search(claims.masked(text.words)[: mention.start]):
            if not any(is_app(package, mention.app) for package in course.fronts(here + 1)):
                yield mention.app, Evidence(f"provenance, step {number + 1}", f"in front: {mention.app}")
    target = course.target(number)
    for label in target.labels if isinstance(target, Target) else ():
        if _is_told(text, label) and not _was_touched(text, label):
            yield label, Evidence(f"view hierarchy of step {number + 1}", f"touched: {cited(label)}")


def _has(text: Text, words: str) -> bool:
    return len(words) >= _SHORTEST and f" {bare_words(words)} " in f" {bare_words(text.words)} "


def _is_told(text: Text, label: str) -> bool:
    """Whether the text says that the element was used, or quotes what was on no screen so far."""
    if not _has(text, label):
        return False
    if label in claims.quotes(text.words):
        at = text.words.find(label) - 1
    else:
        at = text.words.find(label)
    return at >= 0 and (_DONE.search(text.words[:at]) is not None or not _was_seen(text, label))


def _was_touched(text: Text, label: str) -> bool:
    course, wanted = text.course, f" {bare_words(label)} "
    if any(wanted in f" {bare_words(one)} " for one in course.touched(text.number)):
        return True
    if wanted in course.typed(text.number - 1).bare or wanted in course.asked.bare:
        return True
    return any(is_app(package, label) for package in course.fronts(text.number + 1))


def _was_seen(text: Text, words: str) -> bool:
    """On a screen so far; where a view hierarchy is missing, it may have been."""
    screens = [text.course.screen(number) for number in range(text.number + 1)]
    return any(one is None or f" {bare_words(words)} " in one.bare for one in screens)


def _told_of_the_past(text: Text) -> Iterator[tuple[str, Evidence]]:
    course = text.course
    for number in range(text.number):
        action, target = course.action(number), course.target(number)
        if isinstance(action, Type) and _has(text, action.text):
            yield action.text, Evidence(f"provenance, step {number + 1}", f"typed: {cited(action.text)}")
        for label in target.labels if isinstance(target, Target) else ():
            if _has(text, label):
                yield label, Evidence(f"view hierarchy of step {number + 1}", f"touched: {cited(label)}")
    for mention in text.mentions:
        if any(is_app(package, mention.app) for package in course.fronts(text.number + 1)):
            yield mention.app, Evidence("provenance of the steps before", f"in front: {mention.app}")
