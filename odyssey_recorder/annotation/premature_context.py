"""Whether a context mentions something that happens only at its step or later (ANN09)."""

import re
from collections.abc import Iterator

from odyssey_recorder.annotation import claims
from odyssey_recorder.annotation.apps import OPENED
from odyssey_recorder.annotation.findings import Evidence
from odyssey_recorder.annotation.text_evidence import Target
from odyssey_recorder.annotation.text_in_context import CheckResult, TextInContext, cited, contradicts, supports, unseen
from odyssey_recorder.checking.one_episode.apps import is_app
from odyssey_recorder.model.action import Type
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.tasks.wording.equivalence import bare_words

_DONE = re.compile(
    r"\b(?:tapped|clicked|selected|opened|chose|chosen|pressed|touched|accessed|visited|viewed|held|typed|entered|input|wrote|written|picked|started|hit|gone"
    r"|provided|filled in|searched for)(?: on| in| into)?(?: the| an?)?(?: text| words| query)? $",
    re.IGNORECASE,
)
_SHORTEST = 3


def premature_mention(text: TextInContext) -> CheckResult | None:
    course = text.course
    for number in range(text.number, len(course.steps)):
        for what, evidence in _first_mentions(text, number):
            return contradicts(f"It tells of {cited(what)}, which comes only at step {step_number(number)}.", evidence)
    past = next(_past_mentions(text), None)
    if past is None:
        return unseen("it names nothing that happened")
    return supports(f"It tells of {cited(past[0])}, which happened before.", past[1])


def _first_mentions(text: TextInContext, number: int) -> Iterator[tuple[str, Evidence]]:
    """What the text mentions and what first happens at the step, which is the text's or a later one."""
    course, here = text.course, text.number
    action, target, front = course.action(number), course.target(number), course.front(number)
    if isinstance(action, Type) and _is_mentioned(text, action.text):
        yield action.text, Evidence(f"provenance, step {step_number(number)}", f"typed: {cited(action.text)}")
    for mention in text.mentions if front and number > here else ():
        is_new = is_app(front, mention.app) and not course.was_in_front(mention.app, here + 1)
        if is_new and OPENED.search(claims.masked(text.words)[: mention.start]):
            yield mention.app, Evidence(f"provenance, step {step_number(number)}", f"in front: {mention.app}")
    for label in target.labels if isinstance(target, Target) else ():
        if _is_mentioned(text, label):
            yield label, Evidence(f"view hierarchy of step {step_number(number)}", f"touched: {cited(label)}")


def _has(text: TextInContext, words: str) -> bool:
    return f" {bare_words(words)} " in f" {bare_words(text.words)} "


def _is_mentioned(text: TextInContext, words: str) -> bool:
    """Whether the text says that this was touched or typed, or mentions it, before it was done or could be known."""
    if not bare_words(words) or not _has(text, words) or _was_done(text, words):
        return False
    places = re.finditer(re.escape(words), text.words, re.IGNORECASE)
    if any(_DONE.search(text.words[: place.start()].rstrip("\"'\u201c\u2018")) for place in places):
        return True
    if len(words) < _SHORTEST:
        return False
    return f" {bare_words(words)} " not in text.course.asked.bare and not _was_seen(text, words)


def _was_done(text: TextInContext, words: str) -> bool:
    """Touched, typed or opened before; where it is not known what a press touched, it may have been."""
    course, wanted = text.course, f" {bare_words(words)} "
    blind = any(course.screen(at) is None and course.kind(at) in ("CLICK", "LONG_PRESS") for at in range(text.number))
    if blind or any(wanted in f" {bare_words(touched)} " for touched in course.touched(text.number)):
        return True
    return wanted in course.typed(text.number - 1).bare or course.was_in_front(words, text.number + 1)


def _was_seen(text: TextInContext, words: str) -> bool:
    """On a screen so far; where a view hierarchy is missing, it may have been."""
    screens = [text.course.screen(number) for number in range(text.number + 1)]
    return any(screen is None or f" {bare_words(words)} " in screen.bare for screen in screens)


def _past_mentions(text: TextInContext) -> Iterator[tuple[str, Evidence]]:
    course = text.course
    for number in range(text.number):
        action, target = course.action(number), course.target(number)
        if isinstance(action, Type) and _has(text, action.text):
            yield action.text, Evidence(f"provenance, step {step_number(number)}", f"typed: {cited(action.text)}")
        for label in target.labels if isinstance(target, Target) else ():
            if _has(text, label):
                yield label, Evidence(f"view hierarchy of step {step_number(number)}", f"touched: {cited(label)}")
    for mention in text.mentions:
        if course.was_in_front(mention.app, text.number + 1):
            yield mention.app, Evidence("provenance of the steps before", f"in front: {mention.app}")
