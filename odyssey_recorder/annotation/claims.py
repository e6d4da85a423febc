"""What a step's text claims about its action: the words that say so, the kinds of action they allow, the direction."""

import re
from collections.abc import Iterator
from itertools import pairwise

from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.tasks.naming import begins_sentence
from odyssey_recorder.tasks.wording.stems import SMALL, WORD, stem, words_of

_QUOTE = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]+)[\"\u201d\u201c\u00bb]"
    r"|(?<!\w)['\u2018](.+?)['\u2019](?!\w)"
)
_MASK = "\x1f"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'\u201c\u2018])")
_TO_A_PLACE = r"the|an?|my|your|this|that|its|their|previous|home|next|recent|another|view|bottom|top"
_PURPOSE = re.compile(
    rf"[, ]+(?:(?:in order|so as) to|so that|so I|because|since|which|where|allowing|for(?! the home))\b"
    rf"|[, ]+to (?!(?:{_TO_A_PLACE})\b|[A-Z\"'\u201c\u2018{_MASK}\d])"
)
_AIM_FIRST = re.compile(r"^(?:In order to|To)\b[^,]*, *")
_BY_DOING = re.compile(r"\bby (?=\w+ing\b)", re.IGNORECASE)
_BY_MEANS = re.compile(r"(By \w+ing\b.*?), I\b")
_I_DO = re.compile(
    r"\bI(?:['\u2019](?:m|ll|d|ve)| am| will| want| need| have| shall| should| must| would like| can)?"
    r"(?: now| just| about| next| first| going(?= to (?!the\b|my\b|home\b)))*"
    r"(?: (?:choose|chose|choosing|chosen|decide|decided|deciding|opt|opting|proceed|proceeding)(?= to\b| on\b))?"
    r"(?: to| on)? (?=\w)"
)


def masked(text: str) -> str:
    """With every quoted letter replaced, so that positions stay."""
    return _QUOTE.sub(lambda found: _MASK * len(found[0]), text)


def quotes(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((found[1] or found[2]).strip() for found in _QUOTE.finditer(text)))


def sentences(text: str) -> list[str]:
    cuts = [0, *(found.end() for found in _SENTENCE.finditer(masked(text))), len(text)]
    return [part for start, end in pairwise(cuts) if (part := text[start:end].strip())]


def clause(text: str, kind: TextKind) -> str:
    """The part that says what is done, without its purpose; empty if an intention does not say what "I" do."""
    for sentence in sentences(text):
        if kind is TextKind.INTENTION:
            means = _BY_MEANS.match(masked(sentence))
            sentence, started = (sentence[: means.end(1)], True) if means else _after(_I_DO, sentence)
            if not started:
                continue
        else:
            sentence, _ = _after(_AIM_FIRST, sentence)
        claim, _ = _after(_BY_DOING, sentence)
        cut = _PURPOSE.search(masked(claim))
        return (claim[: cut.start()] if cut else claim).strip(" .,")
    return ""


def _after(pattern: re.Pattern[str], text: str) -> tuple[str, bool]:
    found = pattern.search(masked(text))
    return (text[found.end() :], True) if found else (text, False)


# --- kinds of action -------------------------------------------------------------------------------------

_TAPS = frozenset({"CLICK"})
_LONG = frozenset({"LONG_PRESS"})
_SCROLLS, _TYPES = frozenset({"SCROLL"}), frozenset({"TYPE"})
_ENDS = frozenset({"COMPLETE", "IMPOSSIBLE"})
_VERBS = {
    **dict.fromkeys(("tap", "click", "touch"), _TAPS),
    **dict.fromkeys(("select", "choos", "pick"), _TAPS | _LONG),
    **dict.fromkeys(("open", "launch", "start", "initiat"), _TAPS),
    **dict.fromkeys(("press", "push"), _TAPS | _LONG),
    **dict.fromkeys(("scroll", "swip", "flick", "slid", "fl", "pan", "drag"), _SCROLLS),
    **dict.fromkeys(("typ", "input", "writ", "fill", "key"), _TYPES),
    "enter": _TYPES,
    "hold": _LONG,
    **dict.fromkeys(("complet", "finish", "conclud"), _ENDS),
}
_MOVES = frozenset(
    {"return", "go", "going", "navigat", "mov", "get", "head", "exit", "leav", "switch", "show", "view", "bring"}
)
_HELD = re.compile(
    r"\blong[- ](?:press|tap|click|touch)\w*|\b(?:press|tap|touch|click)\w* and hold\w*|\bhold\w*"
    r"|\bkeep\w* (?:my|a|the) finger\b",
    re.I,
)
_HOME = re.compile(r"(?<!from the )(?<!on the )(?<!from my )\b(?:home\b(?! ?page)|launcher\b)", re.I)
_BACK = re.compile(r"\b(?:back|previous|return\w*)\b", re.I)
_RECENT = re.compile(
    r"(?<!from the )(?<!in the )\brecents?\b|\brecently used\b|\boverview\b|\bapp switcher\b|\bmultitasking\b", re.I
)
_KEY_BUTTON = re.compile(
    r"\b(?:home|back|recents?|overview)(?: apps)? (?:button|key)\b"
    r"|\b(?:press|push|tap|hit)\w* (?:on |the )*(?:home|back|recents?|overview)\b",
    re.I,
)
_KEY_PLACE = re.compile(r"\b(?:home screen|recent apps|recents|overview|app switcher)\b", re.I)
_PULLED = re.compile(r"\b(?:drawer|shade|panel|quick settings|notifications?|all apps|app list)\b", re.I)
_ENDED = re.compile(r"^task (?:is )?(?:completed|could not be completed|cannot be completed|done)\b", re.I)
_LINKED = re.compile(r"(?:\band\b|\bthen\b|,)\s+(?:then\s+)?(\w+)")


def verbs(phrase: str) -> tuple[str, ...]:
    """The stems of the leading verb and of those that follow "and" or "then"."""
    bare = masked(phrase)
    lead = WORD.search(bare)
    found = [lead[0] if lead else "", *_LINKED.findall(bare)]
    return tuple(dict.fromkeys(stem(word) for word in found if word))


def key_claimed(phrase: str) -> str:
    """The system key that a clause describes: HOME, BACK, RECENT, or empty."""
    bare, lead = masked(phrase), set(verbs(phrase)[:1])
    is_named = lead & {"open", "press", "swip", "tap"} and _KEY_PLACE.search(bare)
    if not (lead & _MOVES or _KEY_BUTTON.search(bare) or is_named):
        return ""
    if _RECENT.search(bare):
        return "RECENT"
    if _HOME.search(bare):
        return "HOME"
    return "BACK" if _BACK.search(bare) else ""


def kinds_claimed(phrase: str) -> frozenset[str]:
    """The types of action that a clause allows; empty if its verbs allow any."""
    bare = masked(phrase)
    if _ENDED.search(bare):
        return _ENDS
    if _HELD.search(bare):
        return _LONG
    if key := key_claimed(phrase):
        return frozenset({key})
    found: frozenset[str] = frozenset()
    for verb in verbs(phrase):
        if verb == "enter" and re.match(
            r"\w+ (?:the|a|an|its) (?![^,]*\b(?:text|query|name|term|word|title|m?essage)\b)", bare
        ):
            return frozenset()
        found |= _VERBS.get(verb, frozenset())
    if verbs(phrase)[:1] and not _VERBS.get(verbs(phrase)[0]):
        return frozenset()
    return found | _SCROLLS if found == _TAPS and _PULLED.search(bare) else found


_DIRECTION = re.compile(
    r"\b(?:swip\w* to )?(scroll|swip|flick|drag|slid|mov)\w*\b[^.,;]*?\b(up|down|left|right|bottom|top)(?:wards?)?\b",
    re.IGNORECASE,
)
_SIDES = {"bottom": "down", "top": "up"}
OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}


def direction_claimed(text: str) -> tuple[str, bool]:
    """Where the view moves, and whether the words leave that open: "swipe up" may be the finger or the view."""
    found = _DIRECTION.search(masked(text))
    if found is None:
        return "", False
    side = found[2].casefold()
    return _SIDES.get(side, side), found[1].casefold() not in ("scroll", "mov") and side not in _SIDES


# --- names -----------------------------------------------------------------------------------------------


def words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


def stems_of(text: str) -> frozenset[str]:
    return frozenset(map(stem, words_in(text)))


WIDGETS = stems_of(
    "button icon bar option app application field tab entry item link page screen section menu box key list result"
    " image picture text label labelled card row checkbox switch toggle slider area element symbol window phone first"
    " device second third last top bottom left right current corresponding displayed shown again user"
)
_NO_NAMES = words_in(
    "i ok android wi fi bluetooth tv am pm back home enter recent recents go done search next send space shift"
    " delete menu cancel save so far close task"
)


def object_words(phrase: str) -> frozenset[str]:
    """Stems of what the verb acts on, without words for widgets."""
    lead = set(verbs(phrase))
    return frozenset(
        stemmed
        for word in words_of(phrase)
        if word.casefold() not in SMALL
        and (stemmed := stem(word)) not in WIDGETS
        and stemmed not in lead
        and stemmed not in _VERBS
    )


def names(text: str) -> Iterator[str]:
    """Capitalised words outside quotes that begin no sentence."""
    bare = masked(text)
    for word in WORD.finditer(bare):
        is_name = word[0][0].isupper() and not (word[0].isupper() and len(word[0]) <= 4)
        if is_name and not begins_sentence(bare, word.start()) and word[0].casefold() not in _NO_NAMES:
            yield word[0]
