"""Whether the apps that a text names were in front, asked for or on the screen (ANN08)."""

import re
from collections.abc import Iterator

from odyssey_recorder.annotation import claims
from odyssey_recorder.annotation.findings import Evidence
from odyssey_recorder.annotation.text_in_context import CheckResult, TextInContext, contradicts, supports, unseen
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.checking.one_episode.apps import is_app, is_launcher, is_of_android
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.tasks.wording.equivalence import bare_words

_INSIDE = re.compile(r"\b(?:of|in|within|inside|from|using)(?: the| a| an)?(?: [\w-]+(?:'s)?){0,2} ?$")
_BEHIND_IT = re.compile(r"^ (?:app\b|application\b|screen\b|home\b|page\b|interface\b|main\b)")
_HOME = re.compile(r"\b(?:home ?screen|launcher|app drawer)\b", re.IGNORECASE)
OPENED = re.compile(
    r"\b(?:opened|launched|accessed|started|entered|visited|used|utilized|switched to|navigated to|went to|gone to"
    r"|moved (?:on )?to|returned to|opening|launching|in|within|using)(?: the| to the)? $",
    re.IGNORECASE,
)


def apps_in_use(text: TextInContext) -> CheckResult | None:
    front = text.course.front(text.number)
    shown = Evidence(f"provenance, step {step_number(text.number)}", f"in front: {text.course.front_name(text.number)}")
    if (home := _home_claimed(text)) and front:
        if is_launcher(front):
            return supports("The home screen is in front, as it says.", shown)
        if not is_of_android(front):
            return contradicts(f"It says home screen, but {text.course.front_name(text.number)} is in front.", shown)
    named = tuple(dict.fromkeys(mention.app for mention in text.mentions if mention.is_sure))
    if not named:
        return unseen("it names no app")
    if not front:
        return unseen("the device did not report which app was in front")
    is_sure = not home and (is_launcher(front) or not is_of_android(front))
    if is_sure and (wrong := [app for app in _claimed_in_front(text) if not is_app(front, app)]):
        return contradicts(
            f"It says {' or '.join(wrong)}, but {text.course.front_name(text.number)} is in front.", shown
        )
    return _named(text, named, shown)


def _named(text: TextInContext, named: tuple[str, ...], shown: Evidence) -> CheckResult:
    """Whether every named app was in front before, or is asked for, or is on a screen so far."""
    course = text.course
    if text.kind is TextKind.CONTEXT:
        never = [app for app in named if _is_opened(text, app) and not course.was_in_front(app, text.number + 1)]
        if never and all(course.front(number) for number in range(text.number + 1)):
            fronts = ", ".join(sorted(course.fronts(text.number + 1)))
            evidence = Evidence("provenance of the steps before", f"in front: {fronts or 'no app'}")
            return contradicts(f"It says that {' or '.join(never)} was used, but it was not.", evidence)
    screens = [course.screen(number) for number in range(text.number + 1)]
    unknown = [
        app
        for app in named
        if not course.was_in_front(app, text.number + 1)
        and f" {bare_words(app)} " not in course.asked.bare
        and not any(screen and f" {bare_words(app)} " in screen.bare for screen in screens)
    ]
    if unknown and screens[-1] is None:
        return unseen(f"there is no view hierarchy to look for {' or '.join(unknown)}")
    if unknown:
        return contradicts(f"{' or '.join(unknown)} was not in front, not on the screen and not asked for.", shown)
    return supports(f"{' or '.join(named)} was in front, on the screen or asked for.", shown)


def _home_claimed(text: TextInContext) -> bool:
    if text.kind is not TextKind.DESCRIPTION:
        return False
    first = next(iter(claims.sentences(text.words)), "")
    return _HOME.search(claims.masked(first)) is not None


def _claimed_in_front(text: TextInContext) -> Iterator[str]:
    """Apps in which the described screen or the action is said to be."""
    if text.kind is TextKind.CONTEXT:
        return
    words = claims.masked(text.words)
    claim = text.clause if text.kind is not TextKind.DESCRIPTION else next(iter(claims.sentences(text.words)), "")
    start = text.words.find(claim)
    for mention in text.mentions:
        if not start <= mention.start < start + len(claim):
            continue
        before, behind = words[start : mention.start], words[mention.end :]
        is_place = _INSIDE.search(before) is not None
        if text.kind is TextKind.DESCRIPTION:
            is_place = is_place and not re.search(r"\b(?:icons?|apps|shortcuts?|list)\b", before)
            is_place = is_place or _BEHIND_IT.search(behind) is not None
        else:
            is_place = is_place and re.search(r"\b(?:in|within|inside)\b", before) is not None
        if is_place:
            yield mention.app


def _is_opened(text: TextInContext, app: str) -> bool:
    words = claims.masked(text.words)
    return any(mention.app == app and OPENED.search(words[: mention.start]) for mention in text.mentions)
