"""Small words that reverse a task when lost, added or swapped: not, except, only, at most, un-.

The rules are lenient: another way to say the same is no fault, and doubtful cases are not reported.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from odyssey_recorder.tasks.wording.quantities import Quantity, read_quantities
from odyssey_recorder.tasks.wording.stems import SMALL, in_quotes, stem, words_of


@dataclass(frozen=True)
class Statement:
    text: str
    figures: tuple[Quantity, ...]

    @classmethod
    def of(cls, text: str) -> "Statement":
        return cls(text, read_quantities(text)[0])

    @cached_property
    def bare(self) -> str:
        """With plain apostrophes, and without what only looks like a negation."""
        return _NO_DENIAL.sub(" ", self.text.replace("\u2019", "'"))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word.casefold() for word in words_of(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(map(stem, words_of(self.text)))


def reversals(task: Statement, instruction: Statement) -> Iterator[str]:
    looks = (_reversed_limits, _opposites, _swapped_ends, _undone, _lost_denials, _lost_only, _exceptions, _denials)
    for look in looks:
        yield from look(task, instruction)


# --- not, never, without, except -----------------------------------------------------------------------------

_NO_OPPOSITE = re.compile(r"\b(?:go|goes|going) off\b|\bstays? on\b|\bclose(?:r|st)? (?:to|by)\b", re.IGNORECASE)
_NO_DENIAL = re.compile(
    r"\b(?:no|not)(?= (?:more|less|fewer|longer|later|earlier|sooner|higher|lower) than\b)|\bnot only\b"
    r"|\bwhether or not\b|\bno (?:matter|doubt|problem|need|hurry)\b|\bnever mind\b|\bDo Not Disturb\b"
    r"|\b(?:do not|don't|not) (?:forget|worry|hesitate|mind)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:do not|does not|not|never|without|except(?:ing)?(?: for)?|excluding|apart from|other than)\b|\b\w+n't\b"
    r"|\bwith no\b",
    re.IGNORECASE,
)
_DENIED_SOMEHOW = re.compile(
    r"\b(?:not?|never|none|nothing|nobody|neither|nor|cannot|without|un(?!der|til|i[tov]|cle)\w+|except\w*|exclud\w+"
    r"|apart from|other than|(?:all|any\w*|every\w*|nothing) but|besides?|avoid\w*|refrain\w*|skip\w*|omit\w*"
    r"|ignor\w+|leav\w+|left|minus|free|unless|instead|rather|stop\w*|draft\w*|hold\w* off|save for|spare)\b"
    r"|n't\b|-free\b|\bnon-",
    re.IGNORECASE,
)
"""Words by which an instruction may express the same negation; whether it does is for a judge to decide."""
_EXCEPTED = re.compile(r"\b(?:except(?:ing)?(?: for)?|excluding|apart from|other than)\b", re.IGNORECASE)


def lost_denial(task: str, instruction: str) -> str:
    """The negated part of the task of which nothing is left; empty if nothing is lost."""
    of_task = Statement(task, ())
    found = _unmatched(_DENIED, _DENIED_SOMEHOW, of_task, Statement(instruction, ()))
    return _phrase(of_task.bare, found) if found else ""


def _lost_denials(task: Statement, instruction: Statement) -> Iterator[str]:
    if lost := lost_denial(task.text, instruction.text):
        yield f"Leaves out {in_quotes([lost])}."


def _exceptions(task: Statement, instruction: Statement) -> Iterator[str]:
    if found := _unmatched(_EXCEPTED, _DENIED_SOMEHOW, instruction, task):
        yield f"Says {in_quotes([_phrase(instruction.bare, found)])}, but the task excludes nothing."


def _unmatched(
    pattern: re.Pattern[str], somehow: re.Pattern[str], statement: Statement, other: Statement
) -> re.Match[str] | None:
    """A match in `statement` that nothing in `other` matches `somehow`, ignoring words shared with the rest."""
    found = pattern.search(statement.bare)
    if found is None:
        return None
    rest = f"{statement.bare[: found.start()]} {statement.bare[found.end() :]}"
    return None if _counted(somehow, other.bare) - _counted(somehow, rest) else found


def _counted(pattern: re.Pattern[str], text: str) -> Counter[str]:
    return Counter(found[0].casefold() for found in pattern.finditer(text))


def _phrase(text: str, found: re.Match[str]) -> str:
    return " ".join(text[found.start() :].split()[: len(found[0].split()) + 1]).rstrip(".,;:!?")


VERBS = frozenset({
    "add", "book", "buy", "check", "compare", "create", "find", "listen", "look", "note", "open", "order", "play",
    "post", "put", "read", "save", "search", "send", "set", "share", "start", "switch", "turn", "watch", "write",
})  # fmt: skip
_DENIAL = re.compile(
    r"(?:^|[.!?,;:\u2013\u2014-]\s*|\b(?:please|and|then|but|so)\s+)(?P<no>do not|don't|never) (?P<verb>[a-z]+)\b"
    r"(?! (?:any|anything|anyone|more|over|above|past|until|before|later|just|only)\b)",
    re.IGNORECASE,
)
"""The reader is told not to do something; "don't book anything over $40" is only a limit, and "I don't" a narrative.

At the start of an instruction any negation counts; later it may negate something that was not asked for anyway, as "but
don't send it" does for a draft, unless the task has that very verb.
"""


def _denials(task: Statement, instruction: Statement) -> Iterator[str]:
    if _DENIED.search(task.bare):
        return
    for found in _DENIAL.finditer(instruction.bare.strip()):
        verb = found["verb"].casefold()
        is_first = found.start() == 0 and verb in VERBS
        if is_first or (stem(verb) in task.stems and verb not in SMALL):
            denied = in_quotes([f"{found['no']} {found['verb']}"])
            yield f"Says {denied}, but the task forbids nothing."


# --- only, at least, at most ---------------------------------------------------------------------------------

_ONLY = re.compile(r"(?<!not )\b(?:only|solely|exclusively|nothing but)\b", re.IGNORECASE)
_ONLY_SOMEHOW = re.compile(
    r"\b(?:only|just|solely|exclusively|alone|merely|single|sole|nothing|nobody|none|no|not|without|limit\w*)\b",
    re.IGNORECASE,
)


def _lost_only(task: Statement, instruction: Statement) -> Iterator[str]:
    if found := _unmatched(_ONLY, _ONLY_SOMEHOW, task, instruction):
        yield f"Leaves out {in_quotes([_phrase(task.bare, found)])}."


_LIMIT = re.compile(
    r"\b(?:at (?:the )?(?:most|least)|(?:less|fewer|more|longer|shorter|cheaper|higher|lower) than|under|below|over"
    r"|above|up to|maximum|minimum)\b",
    re.IGNORECASE,
)
_LIMITED_SOMEHOW = re.compile(
    rf"{_LIMIT.pattern}|\b(?:most|least|limit\w*|budget|max|min|within|before|after|by|until|till|from|exceed\w*|beyond"
    r"|afford|past|or (?:less|fewer|more|cheaper|longer|shorter|lower|higher|better)|enough|cap\w*|top|no more)\b",
    re.IGNORECASE,
)


def _reversed_limits(task: Statement, instruction: Statement) -> Iterator[str]:
    limits = {figure: figure.limit for figure in task.figures if figure.limit}
    is_lost = _unmatched(_LIMIT, _LIMITED_SOMEHOW, task, instruction)
    for figure in instruction.figures:
        if figure.limit and limits.get(figure, figure.limit) != figure.limit:
            yield f"Reverses the limit {in_quotes([figure.said])}."
        elif is_lost and figure in limits:
            yield f"Does not say that {in_quotes([figure.said])} is the {limits[figure]}."


# --- before and after, un- -----------------------------------------------------------------------------------

_OPPOSITES = (
    ("on", "off"), ("enable", "disable"), ("cheapest", "expensive"), ("highest", "lowest"), ("newest", "oldest"),
    ("largest", "smallest"), ("longest", "shortest"), ("increase", "decrease"), ("raise", "lower"), ("add", "remove"),
    ("like", "dislike"), ("buy", "sell"), ("before", "after"), ("save", "delete"), ("show", "hide"),
    ("arrival", "departure"), ("first", "last"), ("earliest", "latest"), ("connect", "disconnect"),
    ("include", "exclude"), ("including", "excluding"), ("accept", "decline"), ("allow", "block"),
    ("start", "stop"), ("open", "close"), ("install", "remove"), ("cheapest", "dearest"), ("nearest", "farthest"),
    ("begin", "end"),
)  # fmt: skip


def _opposites(task: Statement, instruction: Statement) -> Iterator[str]:
    told, said = (frozenset(map(stem, words_of(_NO_OPPOSITE.sub(" ", one.text)))) for one in (task, instruction))
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if stem(one) in told - said and stem(other) in said - told:
                yield f"Says {in_quotes([other])} where the task says {in_quotes([one])}."


_FROM_TO = re.compile(r"\bfrom (?:the )?(?P<one>\w+)\b[^.;:,]{0,40}? to (?:the )?(?P<other>\w+)", re.IGNORECASE)


def _swapped_ends(task: Statement, instruction: Statement) -> Iterator[str]:
    ways = {(way["one"], way["other"]) for way in _FROM_TO.finditer(task.text)}
    for way in _FROM_TO.finditer(instruction.text):
        if (way["other"], way["one"]) in ways:
            yield f"Goes {in_quotes([way[0]])}, which is the other way round in the task."


_NO_UNDOING = frozenset({"until", "unless", "unlike", "under", "unit", "union", "unique", "universal", "uncle"})


def _undone(task: Statement, instruction: Statement) -> Iterator[str]:
    for of_this, of_that in ((task, instruction), (instruction, task)):
        if _counted(_DENIED_SOMEHOW, _without_un(of_that)) - _counted(_DENIED_SOMEHOW, _without_un(of_this)):
            continue
        for word in of_this.words:
            made = word.removeprefix("un")
            if made == word or len(made) < 3 or word in _NO_UNDOING:
                continue
            if stem(made) in of_that.stems and stem(word) not in of_that.stems and stem(made) not in of_this.stems:
                one, other = (made, word) if of_this is task else (word, made)
                yield f"Says {in_quotes([one])} where the task says {in_quotes([other])}."


def _without_un(statement: Statement) -> str:
    return re.sub(r"\bun\w+", " ", statement.bare, flags=re.IGNORECASE)
