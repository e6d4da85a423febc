"""Check of typed texts against what the task fixes: a time, a number, a name, or the text itself."""

import re
from collections.abc import Iterator

from rapidfuzz.distance import OSA

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.finding_text import named
from odyssey_recorder.checking.one_episode.check import CheckResults, Found, Unchecked
from odyssey_recorder.model.action import Type
from odyssey_recorder.tasks.naming import begins_sentence
from odyssey_recorder.tasks.wording.equivalence import LONGEST, bare_words, quoted
from odyssey_recorder.tasks.wording.quantities import Quantity, QuantityKind, read_quantities
from odyssey_recorder.tasks.wording.stems import WORD, stem, words_of

_FIXED = re.compile(r"(?:called|named|titled|labell?(?:ed)?|caption|words|says?):? \{(\w+)\}")
_SAYS = re.compile(r": ([^.;:!?\"\u201c]+)")
_Pair = tuple[str, str]  # what was typed, and what the task demands


def check_typed_facts(evidence: EpisodeEvidence) -> CheckResults:
    """A typed text has a time, a date, a number or a name that is nearly one of the task or the instruction. Or it has
    half the words of a text that these quote or give after a colon, and words of neither. What is typed later as
    demanded, or shown so in a field, was corrected; without later view hierarchies this is not known. A text that the
    task leaves open is not checked."""
    task, fixed = evidence.episode.task, _fixed(evidence)
    told = f"{task.task}\n{task.instruction}"
    typed = {step.number: step.spelled.action.text for step in evidence.steps if isinstance(step.spelled.action, Type)}
    if max(map(len, (told, *typed.values()))) > 2 * LONGEST:
        yield Unchecked(None, f"a text has more than {2 * LONGEST:,} letters")
        return
    for number, text in typed.items():
        later = [step.views for step in evidence.steps[number + 1 :] if step.views is not None]
        texts = [other for at, other in typed.items() if at >= number]
        texts += [node.text for views in later for node in views if node.is_field]
        pairs = (*_figures(told, text), *_names(told, text), *_texts(told, text, fixed))
        wrong = [pair for pair in pairs if not any(_has(other, pair[1]) for other in texts)]
        if wrong and not later:
            yield Unchecked(number, "it is unknown whether a typed text was corrected: no later view was stored")
        elif wrong:
            found = f"{named(wrong[0][0])} was typed, but the task demands {named(wrong[0][1])}."
            yield Found(number, found, "If it was not corrected in another way, record the episode again.")


def _fixed(evidence: EpisodeEvidence) -> list[str]:
    task = evidence.episode.task
    making = evidence.provenance.origin.making if evidence.provenance else None
    slots = [making.slots.get(gap, "") for gap in _FIXED.findall(task.meta_task)] if making else []
    return [*quoted(task.task), *quoted(task.instruction), *_SAYS.findall(task.instruction), *slots]


def _figures(told: str, text: str) -> Iterator[_Pair]:
    wanted = read_quantities(told)[0]
    has_span = any(one.kind is QuantityKind.SPAN for one in wanted)
    for figure in read_quantities(text)[0]:
        if not any(one == figure or _digits(one.said) == _digits(figure.said) for one in wanted):
            yield from ((figure.said, one.said) for one in wanted if _is_near(one, figure, has_span=has_span))


def _is_near(wanted: Quantity, typed: Quantity, *, has_span: bool) -> bool:
    """With a duration in the task, a time may be worked out."""
    one, other = _digits(wanted.value), _digits(typed.value)
    if typed.kind is not wanted.kind or len(one) < 2 or OSA.distance(one, other) != 1:
        return False
    return sorted(one) == sorted(other) or (typed.kind in (QuantityKind.TIME, QuantityKind.DATE) and not has_span)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text).lstrip("0")


def _names(told: str, text: str) -> Iterator[_Pair]:
    rest, known = read_quantities(re.sub("['\u2019]s\\b", "", told))[1], frozenset(map(stem, words_of(told)))
    names = {one[0] for one in WORD.finditer(rest) if one[0].istitle() and not begins_sentence(rest, one.start())}
    strange = [word for word in words_of(text) if stem(word) not in known]
    for word in strange:
        if len(strange) == 1 or word[0].isupper():
            yield from ((word, name) for name in sorted(names) if _is_misspelt(word.casefold(), name.casefold()))


def _is_misspelt(word: str, name: str) -> bool:
    is_other = len(name) >= 4 and word[0] == name[0] and not word.startswith(name) and not name.startswith(word)
    return is_other and OSA.distance(word, name) <= (2 if len(name) >= 8 else 1)


def _texts(told: str, text: str, fixed: list[str]) -> Iterator[_Pair]:
    typed = bare_words(text).split()
    for demanded in fixed if set(typed) - set(bare_words(told).split()) else ():
        words = bare_words(demanded).split()
        if len(words) > 1 and OSA.distance(words, typed) <= len(words) / 2:
            yield text, demanded


def _has(text: str, demanded: str) -> bool:
    figures, rest = read_quantities(demanded)
    if figures and not rest.strip():
        return not set(figures).isdisjoint(read_quantities(text)[0])
    return f" {bare_words(demanded)} " in f" {bare_words(text)} "
