"""What rules can tell of whether an instruction asks for what its task asks for (criterion iii), before a judge does.

They look for what is surely lost or added: items, figures, what is quoted, names, apps. Whether plain words mean the
same is beyond them.
"""

import re
import unicodedata
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.templates.catalogue import Catalogue
from odyssey_recorder.task.words.figures import Figure, read_figures
from odyssey_recorder.task.words.naming import Mention, begins_sentence, cut_out, mentions, named

FEWEST_WORDS, MOST_WORDS = 4, 80
"""How many words an instruction has, unless its task has fewer."""

LONGEST = 2_000
"""Of so many letters no instruction is; what has more is not looked at any further, since that takes ever longer."""

_NOTHING: frozenset[str] = frozenset()


def rule_faults(
    task: ListedTask, instruction: str, *, names_apps: bool, catalogue: Catalogue, others: Set[str] = _NOTHING
) -> tuple[str, ...]:
    """What speaks against `instruction` as the words of `task`, each a sentence that says what is lost or added.

    `names_apps`: exactly the task's apps are to be named; otherwise none, but for what the task itself says. `others`
    are the `bare_words` of the instructions of other tasks.
    """
    if len(instruction) > LONGEST:
        return (f"It is too long: {len(instruction):,} letters.",)
    items = tuple(task.slots.values()) or ((task.item,) if task.item else ())
    wording = Wording(task.task, items, instruction, catalogue.by_name.keys())
    apps = partial(_apps, names_apps=names_apps)
    looks = (_shape, _length, _items, _figures, _quotes, apps, _names, _opposites, _denials)
    found = tuple(fault for look in looks for fault in look(wording))
    return (*found, *said_already(instruction, others))


def said_already(instruction: str, others: Set[str]) -> tuple[str, ...]:
    """The fault of an instruction that is, but for case and punctuation, another's; `others` as for `rule_faults`."""
    return ("It is the instruction of another task, too.",) if bare_words(instruction) in others else ()


def bare_words(instruction: str) -> str:
    """The words alone, by which instructions are the same."""
    return " ".join(_words(instruction)).casefold()


@dataclass(frozen=True)
class Wording:
    """An instruction held against its task: `items` are what the gaps of the task's template were filled with, `known`
    the names of all apps there are."""

    task: TaskInfo
    items: tuple[str, ...]
    instruction: str
    known: Set[str]

    @cached_property
    def told(self) -> str:
        """All that the task says."""
        return ".\n".join((self.task.task, *self.items))

    @cached_property
    def app_names(self) -> Set[str]:
        """The apps there are, and those of the task."""
        return self.known | set(self.task.apps)

    @cached_property
    def apps_told(self) -> frozenset[str]:
        """The apps that the task itself speaks of: what is to be looked up, not where."""
        return frozenset(named(mentions(self.told, self.app_names)))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Where the instruction names apps that the task itself does not speak of."""
        found = mentions(self.instruction, self.app_names)
        return tuple(mention for mention in found if mention.app not in self.apps_told)

    @cached_property
    def apps_named(self) -> tuple[str, ...]:
        """The apps that the instruction names for sure, and of which the task itself does not speak."""
        return named(self.mentions)

    @cached_property
    def asked(self) -> str:
        """The instruction without the names of the apps that it is to be done with."""
        return cut_out(self.instruction, (one for one in self.mentions if one.app in self.task.apps))

    @cached_property
    def figures_told(self) -> tuple[Figure, ...]:
        """The figures of the task."""
        return read_figures(self.told)[0]

    @cached_property
    def figures_asked(self) -> tuple[Figure, ...]:
        return read_figures(self.asked)[0]

    @cached_property
    def stems_asked(self) -> frozenset[str]:
        return frozenset(map(_stem, _words(self.asked)))

    @cached_property
    def stems_told(self) -> frozenset[str]:
        return frozenset(map(_stem, _words(self.told)))


# --- words -------------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_SMALL = {
    "a", "an", "the", "this", "that", "these", "those", "some", "any", "of", "in", "on", "at", "to", "for", "from",
    "by", "with", "into", "onto", "about", "and", "or", "but", "as", "than", "so", "if", "off", "out", "up", "down",
    "over", "per", "via", "is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "has",
    "have", "had", "will", "would", "can", "could", "should", "may", "might", "must", "it", "its", "i", "me", "my",
    "mine", "you", "your", "yours", "he", "him", "his", "she", "her", "hers", "we", "us", "our", "ours", "they",
    "them", "their", "theirs", "who", "whose", "which", "what", "when", "where", "how", "there", "here", "s",
}  # fmt: skip
"""Words that may go, come and change while the meaning stays."""
_NEGATIONS = frozenset({"no", "not", "never", "without", "except", "don't", "doesn't", "isn't", "free"})
_NEGATION = "without"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("\u2019", "'"))


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """What inflections of a word have in common: ``bak`` of bake, bakes, baked, baking."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(one))
    if plain in _NEGATIONS:
        return _NEGATION
    plain = plain.split("'")[0]
    if len(plain) < 4:
        return plain
    plain = re.sub(r"(?<=[^s])s$", "", re.sub(r"ies$", "y", re.sub(r"(?<=ss|sh|ch|zz)es$|(?<=x)es$", "", plain)))
    shorter = re.sub(r"(?:ing|ed)$", "", plain)
    if len(shorter) >= 3 and re.search(r"[aeiouy]", shorter):
        plain = re.sub(r"([bdfgmnprt])\1$", r"\1", shorter)
    return re.sub(r"e$", "", plain) if len(plain) > 3 else plain


def _told(texts: list[str]) -> str:
    return " and ".join(f"\u201c{text}\u201d" for text in texts)


# --- what every instruction must be ------------------------------------------------------------------------

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
    r"|\b(?:CLICK|TAP|SCROLL|SWIPE|LONG_PRESS|LONG PRESS|TYPE|PRESS_\w+|KEY_\w+|COMPLETE|IMPOSSIBLE)\b",
)
_HIDDEN = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""They turn the direction of writing, or part words unseen; those that join emoji are none of them."""
_LINKED = re.compile(r"\bhttps?://\S+|\bwww\.\S+|\b[\w.+-]+@[\w-]+\.\w+", re.IGNORECASE)
_FOREIGN_TOO = {
    "a", "am", "an", "as", "at", "do", "has", "he", "her", "in", "is", "me", "of", "on", "or", "so", "via", "was",
}  # fmt: skip
_ENGLISH = (_SMALL | {"then", "please", "find", "go", "open", "after", "before", "make", "want", "use"}) - _FOREIGN_TOO
_WORDS_THAT_TELL_ENGLISH = 8


def _shape(wording: Wording) -> Iterator[str]:
    text = wording.instruction
    if len(text.strip().splitlines()) > 1 or any(unicodedata.category(one) == "Cc" for one in text.strip()):
        yield "It is more than one line."
    if hidden := _HIDDEN.findall(text):
        yield f"It has signs that nobody sees: {', '.join(f'U+{ord(one):04X}' for one in dict.fromkeys(hidden))}."
    if gaps := gaps_left(wording):
        yield f"It has a gap left: {_told(gaps)}."
    if (_REFUSAL.search(text.strip()) or _ANNOUNCED.search(text.strip())) and not _REFUSAL.search(wording.told):
        yield "It is no instruction: it declines, or speaks of itself."
    if (found := _TO_A_MODEL.search(text)) and found[0].casefold() not in wording.told.casefold():
        yield f"It speaks to a language model, not of the task: {_told([found[0]])}."
    if (found := _SCREEN.search(text)) and found[0] not in wording.told:
        yield f"It speaks of places on the screen or of gestures: {_told([found[0]])}."
    if links := [link for link in _LINKED.findall(text) if link.rstrip(".,!?") not in wording.told]:
        yield f"It has an address which the task has not: {_told(links)}."
    if not _is_english(text, wording.stems_told):
        yield "It is not in English."


def gaps_left(wording: Wording) -> list[str]:
    """What stands in brackets, as a gap of a template does, and not in the task."""
    return [gap for gap in _GAP.findall(wording.instruction) if gap not in wording.told]


def _is_english(text: str, stems_told: frozenset[str]) -> bool:
    words = _words(text)
    strange = [word for word in words if not word.isascii() and _stem(word) not in stems_told]
    if len(strange) > 1:
        return False
    own = [word.casefold() for word in words if _stem(word) not in stems_told - _SMALL]
    return len(own) < _WORDS_THAT_TELL_ENGLISH or not _ENGLISH.isdisjoint(own)


def _length(wording: Wording) -> Iterator[str]:
    count, of_task = len(wording.instruction.split()), len(wording.task.task.split())
    fewest, most = min(FEWEST_WORDS, of_task), min(MOST_WORDS, 3 * of_task + 20)
    if count < max(fewest, of_task // 2):
        yield f"It is too short: {count} words, where the task has {of_task}."
    if count > most:
        yield f"It is too long: {count} words, where the task has {of_task}; no more than {most}, please."


# --- what the task asks for --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LostItem:
    """What fills a gap and is not whole in the instruction: all `words` of it that count, those that are `lost`, and
    how many `figures` it has besides."""

    item: str
    words: tuple[str, ...]
    lost: tuple[str, ...]
    figures: int


def lost_items(wording: Wording) -> Iterator[LostItem]:
    """The items of which a word is lost, whatever its form."""
    for item in wording.items:
        figures, rest = read_figures(item)
        content = [word for word in _words(rest) if word.casefold() not in _SMALL]
        content = content if content or figures else _words(rest)
        lost = [word for word in content if _stem(word) not in wording.stems_asked]
        if lost:
            yield LostItem(item, tuple(content), tuple(lost), len(figures))


def _items(wording: Wording) -> Iterator[str]:
    for one in lost_items(wording):
        if one.lost == one.words:
            yield f"It lacks {_told([one.item])}."
        else:
            yield f"It lacks {_told(list(dict.fromkeys(one.lost)))} of {_told([one.item])}."


def lost_figures(wording: Wording) -> list[Figure]:
    """The figures of the items and of the task that are not there, however they are written."""
    of_items = [figure for item in wording.items for figure in read_figures(item)[0]]
    needed = (*of_items, *(figure for figure in wording.figures_told if not figure.is_loose))
    return [figure for figure in dict.fromkeys(needed) if figure not in wording.figures_asked]


def _figures(wording: Wording) -> Iterator[str]:
    for figure in lost_figures(wording):
        yield f"It lacks the {figure.kind.value} {_told([figure.said])}."
    for figure in dict.fromkeys(wording.figures_asked):
        if not figure.is_loose and figure not in wording.figures_told:
            yield f"It has the {figure.kind.value} {_told([figure.said])}, which the task has not."
    yield from _turned_limits(wording.figures_told, wording.figures_asked)


def _turned_limits(of_task: tuple[Figure, ...], asked: tuple[Figure, ...]) -> Iterator[str]:
    limits = {figure: figure.limit for figure in of_task if figure.limit}
    for figure in asked:
        if figure.limit and limits.get(figure, figure.limit) != figure.limit:
            yield f"It turns the limit {_told([figure.said])} round."


_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]+)[\"\u201d\u201c\u00bb]")
_QUOTED_SINGLY = re.compile(r"(?<!\w)['\u2018]([^'\u2018\u2019\"]+)['\u2019](?!\w)")


def _quoted(text: str) -> list[str]:
    return _QUOTED.findall(text) + _QUOTED_SINGLY.findall(_QUOTED.sub(" ", text))


def _folded(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").split())


def lost_quotes(wording: Wording) -> list[str]:
    """What the task quotes and the instruction does not say letter by letter."""
    asked = _folded(wording.instruction)
    quoted = dict.fromkeys(_quoted(wording.task.task))
    return [text for text in quoted if _folded(text).rstrip(".,!?") not in asked]


def _quotes(wording: Wording) -> Iterator[str]:
    for text in lost_quotes(wording):
        yield f"It lacks {_told([text])} letter by letter."
    told = f" {bare_words(wording.told)} {' '.join(map(bare_words, wording.task.apps))} "
    for text in dict.fromkeys(_quoted(wording.instruction)):
        if f" {bare_words(text)} " not in told:
            yield f"It quotes {_told([text])}, which the task has not."


# --- who and with what -------------------------------------------------------------------------------------


def _apps(wording: Wording, *, names_apps: bool) -> Iterator[str]:
    own = wording.task.apps
    there = {mention.app for mention in wording.mentions} | wording.apps_told
    if names_apps:
        yield from (f"It does not name the app {app}." for app in own if app not in there)
    for app in wording.apps_named:
        if app not in own:
            yield f"It names the app {app}, which is none of the task's."
        elif not names_apps:
            yield f"It names the app {app}, and apps are not to be named."


_NO_NAMES = frozenset({"i", "i'm", "i'd", "i'll", "i've", "ok", "tv", "pm", "am", "wi", "fi", "a"})


def _names(wording: Wording) -> Iterator[str]:
    rest = read_figures(cut_out(wording.instruction, wording.mentions))[1].replace("\u2019", "'")
    added = [
        word[0]
        for word in _WORD.finditer(rest)
        if word[0] != word[0].lower()
        and word[0].casefold() not in _NO_NAMES
        and not begins_sentence(rest, word.start())
        and _stem(word[0]) not in wording.stems_told
    ]
    if added:
        yield f"It has the name {_told(list(dict.fromkeys(added)))}, which the task has not."


_OPPOSITES = (
    ("on", "off"), ("enable", "disable"), ("cheapest", "expensive"), ("highest", "lowest"), ("newest", "oldest"),
    ("largest", "smallest"), ("longest", "shortest"), ("increase", "decrease"), ("raise", "lower"), ("add", "remove"),
    ("follow", "unfollow"), ("mute", "unmute"), ("like", "dislike"), ("buy", "sell"), ("before", "after"),
    ("save", "delete"), ("lock", "unlock"), ("show", "hide"), ("arrival", "departure"),
)  # fmt: skip


def _opposites(wording: Wording) -> Iterator[str]:
    told, asked = (frozenset(word.casefold() for word in _words(text)) for text in (wording.told, wording.asked))
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if one in told and other not in told and other in asked and one not in asked:
                yield f"It says {_told([other])} where the task says {_told([one])}."


_DEEDS = frozenset({
    "add", "book", "buy", "check", "compare", "create", "find", "listen", "look", "note", "open", "order", "play",
    "post", "put", "read", "save", "search", "send", "set", "share", "start", "switch", "turn", "watch", "write",
})  # fmt: skip
_DENIAL = re.compile(
    r"(?:^|[.!?,;:\u2013\u2014-]\s*|\b(?:please|and|then|but|so)\s+)(?P<no>do not|don't|never) (?P<deed>[a-z]+)\b"
    r"(?! (?:any|anything|anyone|more|over|above|past|until|before|later|just|only)\b)",
    re.IGNORECASE,
)
"""Who is asked is told not to do something; "don't book anything over $40" is but a limit, and "I don't" is a tale.

At its beginning an instruction denies what is asked for in whatever words; later it may deny what is not asked for
anyway, as "but don't send it" does where a draft is wanted, unless the task has that very word.
"""


def _denials(wording: Wording) -> Iterator[str]:
    if _NEGATION in wording.stems_told:
        return
    for found in _DENIAL.finditer(wording.asked.strip().replace("\u2019", "'")):
        deed = found["deed"].casefold()
        is_first = found.start() == 0 and deed in _DEEDS
        if is_first or (_stem(deed) in wording.stems_told and deed not in _SMALL):
            denied = _told([f"{found['no']} {found['deed']}"])
            yield f"It says {denied}, and the task has nothing that is not to be done."
