"""The checks ANN03 to ANN12: each compares one text of a step with what was really touched, typed, shown and done."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from rapidfuzz import fuzz

from odyssey_recorder.annotation import claims
from odyssey_recorder.annotation.apps import apps_in_use
from odyssey_recorder.annotation.findings import Evidence, Support, TextFinding
from odyssey_recorder.annotation.near_duplicates import SeenText, SeenTexts
from odyssey_recorder.annotation.premature_context import premature_mention
from odyssey_recorder.annotation.text_evidence import Course, SourceWords
from odyssey_recorder.annotation.text_format import format_fault
from odyssey_recorder.annotation.text_in_context import (
    CheckResult,
    TextInContext,
    WrittenText,
    cited,
    contradicts,
    supports,
    unseen,
)
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.one_episode.apps import is_launcher
from odyssey_recorder.checking.thresholds import SAME_LOOK
from odyssey_recorder.model.action import Click, LongPress, Press, Scroll, SystemKey, Type, scroll_direction
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.tasks.naming import cut_out
from odyssey_recorder.tasks.wording.equivalence import bare_words
from odyssey_recorder.tasks.wording.quantities import QuantityKind, read_quantities
from odyssey_recorder.tasks.wording.stems import SMALL, stem, words_of

LONGEST = 4_000
"""In characters; longer texts are only checked for their form."""

SURE, UNLIKE = 0.85, 0.5
"""A text names an element from the first likeness on (0..1), and does not up to the second."""

LOW, DESCRIPTION = TextKind.INSTRUCTION, TextKind.DESCRIPTION
CONTEXT, INTENTION = TextKind.CONTEXT, TextKind.INTENTION


def check_texts(
    evidence: EpisodeEvidence, texts: Mapping[tuple[int, TextKind], WrittenText], seen: SeenTexts | None = None
) -> list[TextFinding]:
    """Every finding on `texts`, by step and kind; `seen` has those of other episodes, which may not recur here.

    The texts are added to `seen`.
    Each check that concerns a text reports on it once. A text without a step of the episode is not checked.
    """
    course = Course(evidence)
    seen = SeenTexts() if seen is None else seen
    for (number, kind), text in texts.items():
        if 0 <= number < len(evidence.steps):
            seen.add(SeenText(text.words, kind, _look(course, number), evidence.episode.episode_id, number))
    found: list[TextFinding] = []
    for (number, kind), text in sorted(texts.items()):
        if 0 <= number < len(evidence.steps):
            found += _check(TextInContext(course, number, kind, text, seen))
    return found


def _check(text: TextInContext) -> Iterator[TextFinding]:
    for check, kinds, look in _LOOKS:
        if text.kind not in kinds or (len(text.words) > LONGEST and check not in ("ANN11", "ANN12")):
            continue
        if (result := look(text)) is not None:
            yield TextFinding(check, text.number, text.kind, result.verdict, result.found, result.evidence)


def _look(course: Course, number: int) -> int | None:
    screenshot = course.steps[number].screenshot
    return None if screenshot is None or screenshot.problem else screenshot.look


# --- ANN03 -----------------------------------------------------------------------------------------------


def _target(text: TextInContext) -> CheckResult | None:
    if not isinstance(text.action, Click | LongPress):
        return None
    target = text.course.target(text.number)
    if isinstance(target, str):
        return unseen(target)
    if not target.labels:
        return unseen("the touched view has no label")
    claim = text.clause
    quotes, objects = claims.quotes(claim), claims.object_words(claim)
    if not quotes and not objects:
        return unseen("the text names no element")
    own = _likeness(target.labels, quotes, objects)
    other, likest = max(
        ((_likeness(labels, quotes, objects), labels) for labels in target.others), default=(0.0, ("",))
    )
    evidence = Evidence(f"view hierarchy of step {step_number(text.number)}", f"touched: {cited(target.labels[0])}")
    if (other >= SURE and own <= UNLIKE) or (quotes and other == 1.0 and own < 1.0):
        return contradicts(f"It names {cited(likest[0])}, but {cited(target.labels[0])} was touched.", evidence)
    if own <= UNLIKE and (absent := _not_on_screen(text)):
        return contradicts(f"It names {cited(absent)}, which is not on the screen.", evidence)
    if own >= SURE:
        return supports(f"It names {cited(target.labels[0])}, which was touched.", evidence)
    return unseen(f"it does not clearly name {cited(target.labels[0])} or another element")


def _not_on_screen(text: TextInContext) -> str:
    """A quote or a name of what the text says is touched that the screen lacks; empty if there is none."""
    screen = text.course.screen(text.number)
    if screen is None:
        return ""
    quotes = [quote for quote in claims.quotes(text.clause) if bare_words(quote) not in _TEXT_MENU]
    absent = [quote for quote in quotes if not _occurs_in(bare_words(quote), screen)]
    absent += [name for name in claims.names(text.clause) if stem(name) not in screen.stems]
    return next(iter(absent), "")


def _likeness(labels: Sequence[str], quotes: Sequence[str], objects: frozenset[str]) -> float:
    if quotes:
        return max(_quoted_likeness(bare_words(quote), bare_words(label)) for label in labels for quote in quotes)
    return max(_worded_likeness(label, objects) for label in labels)


def _quoted_likeness(quote: str, label: str) -> float:
    if not quote or not label:
        return 0.0
    is_part = f" {quote} " in f" {label} "
    return max(fuzz.ratio(quote, label) / 100, 0.6 if is_part else 0.0)


def _worded_likeness(label: str, objects: frozenset[str]) -> float:
    words = {stem(word) for word in words_of(label) if word.casefold() not in SMALL}
    shared = words & objects
    return max(len(shared) / len(words), len(shared) / len(objects)) if words and objects else 0.0


# --- ANN04 -----------------------------------------------------------------------------------------------

_KEY_LABELS = claims.stems_of("back up close cancel previous return home recent overview exit done arrow navigate")
_LONGEST_KEY_LABEL = 3
"""In words; a longer label is a sentence, which has such words by chance."""


def _kind_of_action(text: TextInContext) -> CheckResult | None:
    kind = text.course.kind(text.number)
    if not kind:
        return unseen("the action of the step cannot be read")
    claimed = claims.kinds_claimed(text.clause)
    if not claimed:
        return unseen("its words allow any action")
    evidence = text.course.evidence_of_action(text.number)
    fits = kind in claimed
    if claimed == {"HOME"} and text.action == Press(SystemKey.BACK) and text.number + 1 < len(text.course.steps):
        if not (front := text.course.front(text.number + 1)):
            return unseen("it is unknown whether BACK led to the home screen")
        fits = is_launcher(front)
    if not fits and kind == "CLICK" and claimed <= {"HOME", "BACK", "RECENT"}:
        target = text.course.target(text.number)
        if isinstance(target, str) or not target.labels:
            return unseen("it is unknown whether the touched element goes back or home")
        labels = [words for label in target.labels if len(words := words_of(label)) <= _LONGEST_KEY_LABEL]
        fits = any(not _KEY_LABELS.isdisjoint(map(stem, words)) for words in labels)
    if fits:
        return supports(f"Its words are those of a {kind}.", evidence)
    return contradicts(f"It says {' or '.join(sorted(claimed))}, but the step is a {kind}.", evidence)


# --- ANN05 -----------------------------------------------------------------------------------------------

_DIGITS = re.compile(r"\d+")
_INTO = re.compile(r"\b(?:into|in|on|as|using|with|inside|within)\b")


def _typed(text: TextInContext) -> CheckResult | None:
    if not isinstance(text.action, Type):
        return None
    typed = text.action.text
    evidence = Evidence(f"provenance, step {step_number(text.number)}", f"typed: {cited(typed)}")
    screen = text.course.screen(text.number)
    quotes = claims.quotes(text.clause) or claims.quotes(text.words)
    on_screen = [quote for quote in quotes if screen and f" {bare_words(quote)} " in screen.bare]
    best = max((fuzz.ratio(bare_words(quote), bare_words(typed)) / 100, quote) for quote in quotes) if quotes else None
    if best is not None and (len(on_screen) < len(quotes) or best[0] >= SURE):
        if best[0] >= SURE and _DIGITS.findall(best[1]) == _DIGITS.findall(typed):
            return supports(f"It quotes what was typed: {cited(typed)}.", evidence)
        return contradicts(f"It says {cited(best[1])}, but {cited(typed)} was typed.", evidence)
    return _typed_in_words(text, typed, evidence)


_QUERY = claims.stems_of("query text search name title message note keyword term word content body item phrase")


def _typed_in_words(text: TextInContext, typed: str, evidence: Evidence) -> CheckResult:
    lead, *_ = _INTO.split(claims.masked(text.clause), maxsplit=1)
    claimed, wanted = claims.object_words(lead) - _QUERY, frozenset(map(stem, words_of(typed)))
    wanted_words = {stem(word) for word in words_of(typed) if word.casefold() not in SMALL} - _QUERY or wanted
    if wanted <= {stem(word) for word in words_of(text.clause)}:
        return supports(f"It says what was typed: {cited(typed)}.", evidence)
    if claimed and claimed <= wanted:
        return supports(f"It says part of what was typed: {cited(typed)}.", evidence)
    if claimed & wanted_words or any(word.isdecimal() for word in claimed - wanted):
        return contradicts(f"It says {cited(lead)}, but {cited(typed)} was typed.", evidence)
    return unseen("it does not say what is typed")


# --- ANN06 -----------------------------------------------------------------------------------------------


def _direction(text: TextInContext) -> CheckResult | None:
    if not isinstance(text.action, Scroll):
        return None
    claimed, is_open = claims.direction_claimed(text.words)
    if not claimed:
        return unseen("the text names no direction")
    done = scroll_direction(text.action.start, text.action.end)
    evidence = Evidence(
        f"{text.course.evidence_of_action(text.number).source}, the finger's path", f"the view moves {done}"
    )
    if claimed == done:
        return supports(f"The view moves {done}, as it says.", evidence)
    if is_open and claimed == claims.OPPOSITE[done]:
        return unseen(f"“{claimed}” may be the finger's direction")
    return contradicts(f"It says {claimed}, but the view moves {done}.", evidence)


# --- ANN07 -----------------------------------------------------------------------------------------------

_TEXT_MENU = {"copy", "paste", "cut", "select all", "share", "translate"}
_UNDUMPED = _TEXT_MENU | claims.words_in("go enter search done next send space shift delete return")
"""Entries of the menu over a selected text and keys of the keyboard, which no view hierarchy shows."""
_LOOSE = {QuantityKind.TIME, QuantityKind.DAY, QuantityKind.ORDINAL}
"""A status bar may show them, which the app's view hierarchy does not; "the first result" counts nothing."""


def _facts(text: TextInContext) -> CheckResult | None:
    course, number = text.course, text.number
    past = number if text.kind is CONTEXT else number + 1
    near = text.kind in (LOW, DESCRIPTION)
    looked = range(number, number + 1) if near else range(number + 1)
    screens = {step: course.screen(step) for step in looked}
    sources = [*(screen for screen in reversed(screens.values()) if screen), course.asked, course.typed(past - 1)]
    facts = [*_figures_in(text.words), *_quotes_in(text.words), *_names_in(cut_out(text.words, text.mentions))]
    if not facts:
        return unseen("it states no figure, quote or name")
    found = {fact: next((source for source in sources if holds(source)), None) for fact, holds in facts}
    missing = [fact for fact, source in found.items() if source is None]
    if not missing:
        evidence = tuple(Evidence(source.source, cited(fact)) for fact, source in found.items() if source)
        return CheckResult(Support.SUPPORTS, "What it states is on the screen, asked for or typed.", evidence)
    if unread := [step for step, words in screens.items() if words is None]:
        return unseen(f"there is no view hierarchy of step {step_number(unread[0])} to look up {cited(missing[0])}")
    if text.kind in (LOW, INTENTION) and isinstance(text.action, Click | LongPress):
        target = course.target(number)
        if isinstance(target, str):
            return unseen(f"{target}, which may say {cited(missing[0])}")
    where = " and ".join(dict.fromkeys(source.source for source in sources if source.texts))
    found_not = f"Nothing seen, asked for or typed says {' or '.join(map(cited, missing[:3]))}."
    return contradicts(found_not, Evidence(where, "not there"))


def is_on_screen(course: Course, number: int, words: str) -> CheckResult:
    """Whether the figures, quotes and names of a text about a screen are there, asked for or typed before."""
    text = TextInContext(course, number, DESCRIPTION, WrittenText(words), SeenTexts())
    return _facts(text) or unseen("it states no figure, quote or name")


_Holds = Callable[[SourceWords], bool]


def facts_in(words: str) -> Iterator[tuple[str, _Holds]]:
    """The figures, quotes and names of a text, and how to look for each."""
    yield from (*_figures_in(words), *_quotes_in(words), *_names_in(words))


def _figures_in(text: str) -> Iterator[tuple[str, _Holds]]:
    bare = claims.masked(text)
    for figure in read_quantities(bare)[0]:
        digits = set(_DIGITS.findall(figure.said))
        if figure.kind not in _LOOSE and digits and figure.said in bare:
            yield figure.said, lambda words, wanted=digits: wanted <= words.numbers  # type: ignore[misc]


def _quotes_in(text: str) -> Iterator[tuple[str, _Holds]]:
    for quote in claims.quotes(text):
        bare = bare_words(quote)
        if bare and bare not in _UNDUMPED:
            yield quote, lambda words, bare=bare: _occurs_in(bare, words)  # type: ignore[misc]


def _occurs_in(quote: str, words: SourceWords) -> bool:
    if f" {quote} " in words.bare:
        return True
    digits = _DIGITS.findall(quote)
    return any(
        fuzz.ratio(quote, shown) >= 100 * SURE and _DIGITS.findall(shown) == digits
        for shown in map(bare_words, words.texts)
    )


def _names_in(text: str) -> Iterator[tuple[str, _Holds]]:
    for name in dict.fromkeys(claims.names(text)):
        wanted = stem(name)
        if name.casefold() not in _UNDUMPED:
            yield name, lambda words, wanted=wanted: wanted in words.stems  # type: ignore[misc]


# --- ANN09 to ANN12 --------------------------------------------------------------------------------------


def _recycled(text: TextInContext) -> CheckResult | None:
    own = _look(text.course, text.number)
    if own is None:
        return unseen("the screenshot is not measured")
    for other in text.seen.alike(text.words, text.kind):
        if other.look is None or (own ^ other.look).bit_count() <= SAME_LOOK:
            continue
        if _may_be_its_own(text, other):
            return unseen("it is nearly that of another screen, and may fit this one, too")
        where = f"step {step_number(other.step)} of {other.episode_id}"
        return contradicts(
            f"It is nearly the text of {where}, whose screen looks different.", Evidence(where, cited(other.words))
        )
    return supports("No screen that looks different has this text.", Evidence("texts of other screens", "compared"))


def _may_be_its_own(text: TextInContext, other: SeenText) -> bool:
    """Whether half of what the text is about is on the screen or asked for.

    Without a view hierarchy: unless it is word for word the text of another episode.
    """
    screen = text.course.screen(text.number)
    stems = {stem(word) for word in words_of(text.words) if word.casefold() not in SMALL} - claims.WIDGETS - _PROSE
    if screen is None:
        is_same = bare_words(text.words) == bare_words(other.words)
        return not is_same or other.episode_id == text.course.evidence.episode.episode_id
    return 2 * len(stems & (screen.stems | text.course.asked.stems)) >= len(stems)


_PROSE = claims.stems_of(
    "screenshot shows showing displays features including several various android home among elements"
    " visible icons launcher such opened see"
)


def _stale(text: TextInContext) -> CheckResult | None:
    then, now = text.written.inputs, text.written.inputs_now
    if not then or not now:
        return unseen("it is not known what the text was written from")
    evidence = Evidence("hash of the inputs", f"{then[:12]}, now {now[:12]}")
    if then != now:
        return contradicts("It was written from an earlier state of the episode.", evidence)
    return supports("What it was written from has not changed.", evidence)


def _form(text: TextInContext) -> CheckResult:
    evidence = Evidence("the text itself", cited(text.words))
    if fault := format_fault(text):
        return contradicts(f"It {fault}.", evidence)
    return supports("Its form is as asked for.", evidence)


_OF_ACTION = (LOW, INTENTION)
_LOOKS: tuple[tuple[str, Sequence[TextKind], Callable[[TextInContext], CheckResult | None]], ...] = (
    ("ANN03", _OF_ACTION, _target),
    ("ANN04", _OF_ACTION, _kind_of_action),
    ("ANN05", _OF_ACTION, _typed),
    ("ANN06", _OF_ACTION, _direction),
    ("ANN07", tuple(TextKind), _facts),
    ("ANN08", tuple(TextKind), apps_in_use),
    ("ANN09", (CONTEXT,), premature_mention),
    ("ANN10", (DESCRIPTION,), _recycled),
    ("ANN11", tuple(TextKind), _stale),
    ("ANN12", tuple(TextKind), _form),
)
