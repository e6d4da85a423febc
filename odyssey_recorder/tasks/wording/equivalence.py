"""Rules for whether an instruction asks for what its task asks for (criterion iii), applied before a judge.

They find what is certainly lost or added: items, figures, quotes, names, apps. Meaning is up to the judge.
"""

import re
import unicodedata
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property, partial

from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.naming import Mention, begins_sentence, cut_out, mentions, named
from odyssey_recorder.tasks.templates.template import Catalogue
from odyssey_recorder.tasks.wording.named_things import PEOPLE, added_effects, replaced_things
from odyssey_recorder.tasks.wording.quantities import Quantity, read_quantities
from odyssey_recorder.tasks.wording.reversals import Statement, reversals
from odyssey_recorder.tasks.wording.stems import SMALL, WORD, in_quotes, stem, words_of

FEWEST_WORDS, MOST_WORDS = 4, 80
"""Limits on the number of words of an instruction, unless its task has fewer."""

LONGEST = 2_000
"""In characters; longer instructions are refused without further checks, whose cost grows faster than the length."""

_NOTHING: frozenset[str] = frozenset()


def rule_faults(
    task: ListedTask, instruction: str, *, names_apps: bool, catalogue: Catalogue, others: Set[str] = _NOTHING
) -> tuple[str, ...]:
    """Faults of `instruction` as the wording of `task`, each a sentence that says what is lost or added.

    With `names_apps`, exactly the task's apps must be named; otherwise none but those in the task's own text. `others`
    are the `bare_words` of the instructions of other tasks.
    """
    if len(instruction) > LONGEST:
        return (f"Too long: {len(instruction):,} characters.",)
    items = tuple(task.slots.values()) or ((task.item,) if task.item else ())
    wording = Wording(task.task, items, instruction, catalogue.by_name.keys())
    apps = partial(_apps, names_apps=names_apps)
    things = partial(_things, names_apps=names_apps)
    looks = (_shape, _length, _items, _titles, _figures, things, _quotes, apps, _names, _people, _reversed)
    found = tuple(fault for look in looks for fault in look(wording))
    return (*found, *said_already(instruction, others))


def said_already(instruction: str, others: Set[str]) -> tuple[str, ...]:
    return ("Same instruction as another task.",) if bare_words(instruction) in others else ()


def bare_words(instruction: str) -> str:
    """Without case and punctuation, for comparison."""
    return " ".join(words_of(instruction)).casefold()


@dataclass(frozen=True)
class Wording:
    """An instruction compared with its task: `items` are the values of the template's gaps, `known` all app names."""

    task: TaskInfo
    items: tuple[str, ...]
    instruction: str
    known: Set[str]

    @cached_property
    def told(self) -> Statement:
        """The task with its items."""
        return Statement.of(".\n".join((self.task.task, *self.items)))

    @cached_property
    def said(self) -> Statement:
        """The instruction without the names of the task's apps."""
        own = (mention for mention in self.mentions if mention.app in self.task.apps)
        return Statement.of(cut_out(self.instruction, own))

    @cached_property
    def app_names(self) -> Set[str]:
        return self.known | set(self.task.apps)

    @cached_property
    def apps_in_task(self) -> frozenset[str]:
        """Apps in the task's own text: something to look up, not where to do it."""
        return frozenset(named(mentions(self.told.text, self.app_names)))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        found = mentions(self.instruction, self.app_names)
        return tuple(mention for mention in found if mention.app not in self.apps_in_task)

    @cached_property
    def apps_named(self) -> tuple[str, ...]:
        return named(self.mentions)


# --- every instruction -----------------------------------------------------------------------------------------

_GAP = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|<[^<>]*>")
_REFUSAL = re.compile(
    r"^(?:i['\u2019]?a?m )?(?:sorry|unable)\b|\bas an ai\b|\blanguage model\b"
    r"|\bi (?:cannot|can['\u2019]?t|won['\u2019]?t|am unable to|am not able to|must decline to)"
    r" (?:help|assist|comply|do that|provide|fulfil|rewrite|rephrase|create|generate|process|answer)\b",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"```|^(?:sure|certainly|of course)[,!.]? (?:here|below)\b|^(?:instruction|rewritten|answer|output|task)\s*:"
    r"|^here(?: is|['\u2019]s)(?: the| a| your)? (?:re|instruction)",
    re.IGNORECASE,
)
_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:(?:all|any|of|the|these|those|your|my) )*"
    r"(?:previous|prior|above|earlier|preceding) (?:\w+ )?(?:instructions?|prompts?|rules|messages?)\b"
    r"|\b(?:ignore|disregard|override) (?:all|your) (?:instructions|guidelines|rules)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|\byour (?:instructions|guidelines|training data)\b"
    r"|\byou are (?:now )?(?:an ai|a language model|an assistant|a helpful assistant)\b",
    re.IGNORECASE,
)
_SCREEN = re.compile(
    r"[(\[]\s*\d+(?:\.\d+)?\s*,\s*\d+(?:\.\d+)?\s*[)\]]|\b(?:x|y)\s*[=:]\s*\d+|\bcoordinates?\b|\bpixels?\b"
    r"|\b(?:CLICK|TAP|SCROLL|SWIPE|LONG_PRESS|LONG PRESS|TYPE|PRESS_\w+|KEY_\w+|COMPLETE|IMPOSSIBLE)\b"
)
_HIDDEN = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Characters that change the writing direction or split words invisibly, except those that join emoji."""
_LINKED = re.compile(r"\bhttps?://\S+|\bwww\.\S+|\b[\w.+-]+@[\w-]+\.\w+", re.IGNORECASE)
_SAID_OTHERWISE = {
    "on": {"enabl", "activat", "allow"},
    "off": {"disabl", "deactivat", "mut", "silenc"},
    "people": {"us", "we", "person", "guest"},
    "larger": {"enlarg", "bigger", "increas"},
    "smaller": {"shrink", "reduc", "decreas"},
    "more": {"higher", "increas", "rais", "stronger"},
    "less": {"lower", "reduc", "decreas", "weaker"},
    "brighter": {"brighten", "lighter"},
    "darker": {"darken", "dim"},
    "takes": {"is", "last", "need"},
}
_FOREIGN_TOO = {
    "a", "am", "an", "as", "at", "do", "has", "he", "her", "in", "is", "me", "of", "on", "or", "so", "via", "was",
}  # fmt: skip
_ENGLISH = (SMALL | {"then", "please", "find", "go", "open", "after", "before", "make", "want", "use"}) - _FOREIGN_TOO
_WORDS_THAT_TELL_ENGLISH = 8


def _shape(wording: Wording) -> Iterator[str]:
    text = wording.instruction
    if len(text.strip().splitlines()) > 1 or any(unicodedata.category(character) == "Cc" for character in text.strip()):
        yield "Has more than one line."
    if hidden := _HIDDEN.findall(text):
        codes = ", ".join(f"U+{ord(character):04X}" for character in dict.fromkeys(hidden))
        yield f"Contains invisible characters: {codes}."
    if gaps := gaps_left(wording):
        yield f"Still has a gap: {in_quotes(gaps)}."
    if (_REFUSAL.search(text.strip()) or _ANNOUNCED.search(text.strip())) and not _REFUSAL.search(wording.told.text):
        yield "Not an instruction: it declines, or talks about itself."
    if (found := _TO_A_MODEL.search(text)) and found[0].casefold() not in wording.told.text.casefold():
        yield f"Addresses a language model: {in_quotes([found[0]])}."
    if (found := _SCREEN.search(text)) and found[0] not in wording.told.text:
        yield f"Names screen positions or gestures: {in_quotes([found[0]])}."
    if links := [link for link in _LINKED.findall(text) if link.rstrip(".,!?") not in wording.told.text]:
        yield f"Adds the address {in_quotes(links)}, which is not in the task."
    if not _is_english(text, wording.told.stems):
        yield "Not in English."


def gaps_left(wording: Wording) -> list[str]:
    return [gap for gap in _GAP.findall(wording.instruction) if gap not in wording.told.text]


def _is_english(text: str, stems_in_task: frozenset[str]) -> bool:
    words = words_of(text)
    strange = [word for word in words if not word.isascii() and stem(word) not in stems_in_task]
    if len(strange) > 1:
        return False
    own = [word.casefold() for word in words if stem(word) not in stems_in_task - SMALL]
    return len(own) < _WORDS_THAT_TELL_ENGLISH or not _ENGLISH.isdisjoint(own)


def _length(wording: Wording) -> Iterator[str]:
    count, of_task = len(wording.instruction.split()), len(wording.task.task.split())
    fewest, most = min(FEWEST_WORDS, of_task), min(MOST_WORDS, 3 * of_task + 20)
    if count < max(fewest, of_task // 2):
        yield f"Too short: {count} words; the task has {of_task}."
    if count > most:
        yield f"Too long: {count} words; the task has {of_task}. At most {most} are allowed."


# --- lost from the task ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MissingItem:
    """A gap's value of which words are `lost`; `words` are its significant words, `figures` counts its figures."""

    item: str
    words: tuple[str, ...]
    lost: tuple[str, ...]
    figures: int


def lost_items(wording: Wording) -> Iterator[MissingItem]:
    said = frozenset(map(stem, words_of(wording.instruction)))  # with the apps: one may be named like an item
    for item in wording.items:
        figures, rest = read_quantities(item)
        content = [word for word in words_of(rest) if word.casefold() not in SMALL]
        content = content if content or figures else words_of(rest)
        lost = [word for word in content if said.isdisjoint({stem(word), *_SAID_OTHERWISE.get(word.casefold(), ())})]
        if lost:
            yield MissingItem(item, tuple(content), tuple(lost), len(figures))


def _items(wording: Wording) -> Iterator[str]:
    for item in lost_items(wording):
        if item.lost == item.words:
            yield f"Leaves out {in_quotes([item.item])}."
        else:
            yield f"Leaves out {in_quotes(list(dict.fromkeys(item.lost)))} of {in_quotes([item.item])}."


_TITLED = re.compile(r"\b(?:called|named|titled|labelled|label|words:?|caption:?|says:?|reads:?) [\"\u201c]?$")


def _titles(wording: Wording) -> Iterator[str]:
    """A name that somebody is to type is kept word for word."""
    lost, said = {item.item for item in lost_items(wording)}, f" {bare_words(wording.instruction)} "
    for item in wording.items:
        before, found, _ = wording.task.task.partition(item)
        if found and item not in lost and _TITLED.search(before) and f" {bare_words(item)} " not in said:
            yield f"Does not say {in_quotes([item])} word for word."


def lost_figures(wording: Wording) -> list[Quantity]:
    of_items = [figure for item in wording.items for figure in read_quantities(item)[0]]
    needed = (*of_items, *(figure for figure in wording.told.figures if not figure.is_loose))
    return [figure for figure in dict.fromkeys(needed) if figure not in wording.said.figures]


def _figures(wording: Wording) -> Iterator[str]:
    for figure in lost_figures(wording):
        yield f"Leaves out the {figure.kind.value} {in_quotes([figure.said])}."
    for figure in dict.fromkeys(wording.said.figures):
        if not figure.is_loose and figure not in wording.told.figures:
            yield f"Adds the {figure.kind.value} {in_quotes([figure.said])}, which is not in the task."


def _things(wording: Wording, *, names_apps: bool) -> Iterator[str]:
    told, said = wording.told.text, wording.said.text
    lost, others = replaced_things(wording.task.meta_task, told, said, names_apps=names_apps)
    if lost:
        yield f"Does not say {in_quotes(lost)}{f', but {in_quotes(others)}' if others else ''}."
    for verb in dict.fromkeys(added_effects(told, said)):
        what = "put something into the cart" if verb == "cart" else f"{verb} something"
        yield f"Asks to {what}, which the task does not."


_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]+)[\"\u201d\u201c\u00bb]")
_QUOTED_SINGLY = re.compile(r"(?<!\w)['\u2018]([^'\u2018\u2019\"]+)['\u2019](?!\w)")


def quoted(text: str) -> list[str]:
    return _QUOTED.findall(text) + _QUOTED_SINGLY.findall(_QUOTED.sub(" ", text))


def _folded(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").split())


def lost_quotes(wording: Wording) -> list[str]:
    folded = _folded(wording.instruction)
    texts = dict.fromkeys(quoted(wording.task.task))
    return [text for text in texts if _folded(text).rstrip(".,!?") not in folded]


def _quotes(wording: Wording) -> Iterator[str]:
    for text in lost_quotes(wording):
        yield f"Does not quote {in_quotes([text])} word for word."
    searched = f" {bare_words(wording.told.text)} {' '.join(map(bare_words, wording.task.apps))} "
    for text in dict.fromkeys(quoted(wording.instruction)):
        if f" {bare_words(text)} " not in searched:
            yield f"Quotes {in_quotes([text])}, which is not in the task."


# --- people and apps -------------------------------------------------------------------------------------------


def _apps(wording: Wording, *, names_apps: bool) -> Iterator[str]:
    own = wording.task.apps
    named_apps = {mention.app for mention in wording.mentions} | wording.apps_in_task
    if names_apps:
        yield from (f"Does not name the app {app}." for app in own if app not in named_apps)
    for app in wording.apps_named:
        if app not in own:
            yield f"Names {app}, which is not one of the task's apps."
        elif not names_apps:
            yield f"Names the app {app}; apps must not be named."


_ROOT = 4
"""Letters that the name of a country and its language share: Greece and Greek."""
_NO_NAMES = frozenset({"i", "i'm", "i'd", "i'll", "i've", "ok", "tv", "pm", "am", "wi", "fi", "a"})


def _names(wording: Wording) -> Iterator[str]:
    rest = read_quantities(cut_out(wording.instruction, wording.mentions))[1].replace("\u2019", "'")
    added = [
        word[0]
        for word in WORD.finditer(rest)
        if word[0] != word[0].lower()
        and word[0].casefold() not in _NO_NAMES
        and not begins_sentence(rest, word.start())
        and stem(word[0]) not in wording.told.stems
        and not any(word[0].casefold().startswith(known[:_ROOT]) for known in wording.told.stems if len(known) >= _ROOT)
    ]
    if added:
        yield f"Adds the name {in_quotes(list(dict.fromkeys(added)))}, which is not in the task."


_WHO = (
    rf"(?:(?:(?:my|our|his|her|their|the|an?|another|[A-Z]\w+['\u2019]s) )+({'|'.join(PEOPLE)})\b(?! [A-Z])"
    r"|([A-Z]\w+)(?!['\u2019]|\w))"
)
_TO_WHOM = re.compile(
    rf"\b(?:(?:tell|ask|invite|remind|notify|text|message|show|send|write|give|e-?mail) {_WHO}"
    r"|(?:send|forward|share|give|write|suggest|draft|mail|message|post|invitation|pass)\b[^.!?;:]{0,60}?"
    rf" (?:with|to|for|of) {_WHO})"
)
_TELLS = re.compile(
    r"\b(?:tell|ask|invit|remind|notif|text|e?-?mail|send|forward|shar|giv|messag|answer|repl|post|recommend|suggest|draft"
    r"|friend|somebody|someone|write to)",
    re.IGNORECASE,
)


def _recipients(text: str) -> list[str]:
    """Names, and small words for people: Mira, brother."""
    found = _TO_WHOM.finditer(read_quantities(text)[1])
    return list(dict.fromkeys(name for one in found for name in one.groups() if name))


def added_people(wording: Wording) -> list[str]:
    """Who is to be told or sent something by the instruction, but not by the task."""
    told = [one for one in _recipients(wording.told.text) if one[0].isupper()]
    said = _recipients(cut_out(wording.instruction, wording.mentions))
    if not set(told).isdisjoint(said):
        return []
    may_name = not told and _TELLS.search(wording.told.text)
    return [
        one
        for one in said
        if one not in wording.task.apps
        and not (may_name and one[0].isupper())
        and (stem(one) not in wording.told.stems or (told and one[0].isupper()))
    ]


def _people(wording: Wording) -> Iterator[str]:
    if people := added_people(wording):
        yield f"Tells or sends something to {in_quotes(people)}; the task does not."


def _reversed(wording: Wording) -> Iterator[str]:
    return reversals(Statement(wording.task.task, wording.told.figures), wording.said)
