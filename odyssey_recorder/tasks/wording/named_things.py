"""What a task names outside the gaps of its template: its instruction names it, too, by the word or one like it.

Whoever puts a task into words changes small words and the verbs for what is done on a screen. The names of things stay,
and nobody asks for more to happen: nothing is ordered, deleted or sent that the task leaves alone.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from odyssey_recorder.tasks.wording.quantities import read_quantities
from odyssey_recorder.tasks.wording.stems import SMALL, stem, words_of


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_FREE = _stems(
    "add again after all along also among another app apps aside ask assistant away become before begin below between "
    "both brief bring check choose come connect consider convert create day decide device due each else enter equally "
    "every few find first forget get give go goes good help idea inspiration just keep kind know leave less let like "
    "listen local longer look make many mean measure mention more most much near need new now once one only open "
    "other own people phone plan play please prepare put quick rather read remember reserve run same save search see "
    "set several short show shown side simple single soon start stay stop store take then thing think through "
    "together topic try turn use version want watch wear well while word work world write written e without"
)
"""Words that people leave out or change when they say the same."""

_ALIKE = (
    "price cost: much expensive pay cheaper charge ask; sum total: altogether cost add; weather: forecast; film "
    "movie; picture photo image; chat message text: messenger; article: piece story read; website site homepage: "
    "page; web internet online connection: speed; author: writer wrote; title name called label labelled: say who "
    "which under; result answer: outcome comes get know it; date: day when due; time: when clock minutes hours; hours "
    "opening: when; storage: space memory; expense: spent; number: telephone under with; ingredients: needs requires "
    "recipe; favourites: heart; song: track music; rated: star score reviews; far distance: way; length long: running "
    "runtime duration minutes hours time; screen display: timeout text; destination: there land arrives where end; "
    "cart basket; company: it; trip travel travelling journey: going off; drive: car; home: house flat apartment; "
    "task todo: list job do; buy: purchase; list: todo task of; notification: alert; invitation invite: host come "
    "ask; translation translate: say in into; presentation: slides; drawing: sketch; contact: people; reminder: "
    "remind; brightness: bright dim; city: there; draft: unsent without; post publish: unpublished say share; "
    "beginner: new first; fact: point; say: reads with write; document: file; present gift: give; spreadsheet: table "
    "sheet; latest: newest; send share forward: mail write tell get give know pass put drop message; tell: know write send say; "
    "year: when; event: entry calendar; download: get save fetch; bookmark: save keep mark; upload: put; record memo "
    "tape; best: top; pays: owe share; timer: minute; address: myself; delete erase remove: wipe rid; compare: less "
    "cheaper difference; speed internet connection: fast quick test; schedule: set; edit: change; design: make; "
    "solve: do; suggest recommend; advise: advice opinion; shared: split equal evenly divide; exercise: workout train "
    "it; large: big; hand: used second; hotel room: stay; flight: flying; employer opening: position job; job: "
    "position opening work; place: where find locate; alarm: ring wake; timer: count; page: each; review: people; "
    "note: write; call: phone"
)
"""Rows of words that may stand for each other, and after a colon words that may stand for those."""
_ROWS = tuple((_stems(ones), _stems(others)) for ones, _, others in (row.partition(":") for row in _ALIKE.split(";")))

_PLACES = _stems(
    "app article book calendar chat cloud contact delivery document encyclopedia gallery grocery journal list mail "
    "map media message news note online service shop social spreadsheet star store streaming todo video web clothing "
    "sportswear picture podcast ticket offer review wallpaper alarm timer"
)
"""What the name of an app says, too: a note is where a notes app writes."""

_EFFECTS = {
    "buy order purchase": "pay", "delete remove erase trash": "clear wipe rid away off forget", "clear empty": "wipe",
    "send share forward": "post publish mail write tell message ask invite give suggest save",
    "publish post": "share write",
    "comment reply": "answer respond write", "like": "favourite heart", "download install": "save get", "apply": "",
    "bookmark": "save keep", "follow subscribe": "", "tape": "record memo", "draft": "without prepare invitation",
    "hide mute silence": "off disturb", "crop rotate": "edit", "upload": "cloud",
}  # fmt: skip
"""What happens beyond the screen, and by what else a task may ask for the same."""
_VERBS = "|".join(" ".join(_EFFECTS).split())
_ASKED = re.compile(
    rf"(?:^|[.;:,!?]\s+|\b(?:and|then|please|or|also|just|now|first)\s+)(?P<verb>{_VERBS})\b(?! away)", re.IGNORECASE
)
_STRONG = _stems(" ".join(_EFFECTS)) | _stems("chat mail calendar spreadsheet document contact")
"""What nobody leaves out: what is to happen, and where its result goes."""

_NO_VERB = (
    rf"(?:{_VERBS}|mail|the|an?|this|my|its?|that|for|in|on|with|as|of|which|what|how|when|where|who|is|are|then)\b"
)
_DONE = re.compile(
    r"(?:(?:^|[.;:!?]) *|\b(?:then|please|to|i|you|we|they|it|that|who|not|could|would|can|will|should|must) )"
    rf"(?!{_NO_VERB})[a-z'\u2019]+|(?:\b(?:and|or)|,) (?!{_NO_VERB})[a-z]+ "
    r"(?=(?:the|an?|its?|their|them|my|me|that|how|what|when|where|whether|which|who|up|at|one|two|three|all)\b)",
    re.IGNORECASE,
)
"""Verbs where an order or a sentence with a pronoun has them."""
_SHORTENED = re.compile(r"'(?:m|d|ll|ve|re|t)$|^(?:it|that|there|here|what)'s$", re.IGNORECASE)
_GAP = re.compile(r"\{\w*\}")
_SPELLED = (
    (r"\b(?:clear|empty)(?= [^.;:]*\b(?:history|cache|cookies|data|notifications))", "delete"),
    (r"\b(?:record|film)(?= [^.;:,]{0,30}\b(?:voice|memo|video|clip|audio|sound|song))", "tape"),
    (r"\bto-?do(?:s\b|\b)", "todo"),
    (r"\be-?mail", "mail"),
)
"""Words of two meanings, and words of several spellings."""


def replaced_things(template: str, told: str, instruction: str, *, names_apps: bool) -> tuple[list[str], list[str]]:
    """Words of `template` for things of which `instruction` says nothing, and the words that may stand for them."""
    said = _said(instruction)
    lost = {
        thing: word
        for thing, word in _things(template).items()
        if said.isdisjoint(_alike(thing)) and not (names_apps and thing in _PLACES)
    }
    known = {word for thing in _said(told) for word in _alike(thing)}
    others = [word for thing, word in _things(instruction).items() if thing not in known]
    return [word for thing, word in lost.items() if others or thing in _STRONG], others


def added_effects(told: str, instruction: str) -> Iterator[str]:
    """Verbs of `instruction` for what nobody asks for in `told`."""
    asked = _said(told)
    for found in _ASKED.finditer(_spelled(instruction)):
        verb = found["verb"].casefold()
        same = next(f"{verbs} {others}" for verbs, others in _EFFECTS.items() if verb in verbs.split())
        if asked.isdisjoint(_stems(same)):
            yield verb


@lru_cache(maxsize=1024)
def _things(text: str) -> dict[str, str]:
    """By stem, without the verbs for what is done on a screen."""
    bare = _DONE.sub(" ", _spelled(_GAP.sub(" it ", text)))
    words = (word for word in words_of(read_quantities(bare)[1]) if not _SHORTENED.search(word))
    return {stem(word): word for word in words if word.casefold() not in SMALL and stem(word) not in _FREE}


@lru_cache(maxsize=1024)
def _said(text: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(_spelled(text))))


def _spelled(text: str) -> str:
    for pattern, word in _SPELLED:
        text = re.sub(pattern, word, text, flags=re.IGNORECASE)
    return text


@cache
def _alike(thing: str) -> frozenset[str]:
    return frozenset({thing}).union(*(ones | others for ones, others in _ROWS if thing in ones))
