"""What a filter means, episode by episode in plain Python, and strategies for filters and episodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from unicodedata import normalize

from hypothesis import strategies as st

from odyssey_recorder.dataset_index.filter import Compared, Filter, Key, Range, Term, Value
from odyssey_recorder.dataset_index.search_words import words_of

HOSTILE_NAMES = (
    "Chrome", "chrome", "\uff23hrome", "Pixel Fold", "%", "_", "a%b", "*", '"', "'", "x'; DROP TABLE episodes; --",
    "NEAR(a b)",
    "OR", "-a", "a|b", "key:x", "\\", "\\\"", "Straße", "発票", "a\0b", "", " ", "^a", "{said}", "said:x", "ünïcode",
)  # fmt: skip
WORDS = ("milk", "milkman", "Milk", "発票", "票", "é", "OR", "NOT", "NEAR", "a", "b", "said", "*", "10:30")


@dataclass(frozen=True)
class Facts:
    """Everything that a filter can ask of an episode."""

    episode_id: str
    category: str
    device: str
    apps: tuple[str, ...]
    template: str
    annotator: str
    verdict: str
    ending: str
    actions: frozenset[str]
    findings: tuple[tuple[str, str], ...]
    sides: tuple[tuple[str, str], ...]
    steps: int
    recorded_at: datetime | None
    published_at: datetime | None
    texts: tuple[str, ...]
    is_retired: bool = False


def matches(wanted: Filter, episode: Facts) -> bool:
    return all(any(_has(episode, term.key, value) for value in term.values) != term.negated for term in wanted.terms)


def _has(episode: Facts, key: Key, value: Value) -> bool:  # noqa: C901 - one case a key
    match key:
        case Key.STEPS:
            return _within(episode.steps, value)
        case Key.RECORDED:
            return episode.recorded_at is not None and _within(episode.recorded_at.date(), value)
        case Key.PUBLISHED:
            return episode.published_at is not None and _within(episode.published_at.date(), value)
        case Key.TEXT:
            return any(_contains_phrase(words_of(str(value)), words_of(text)) for text in episode.texts)
        case Key.SPLIT:
            return any(value in (name, f"{name}/{part}") for name, part in episode.sides)
        case Key.FINDING:
            return any(str(value).upper() in (code, severity.upper()) for code, severity in episode.findings)
        case Key.ACTION:
            return str(value).upper().replace("-", "_") in episode.actions
        case Key.ID:
            return value == episode.episode_id
        case Key.VERDICT:
            return value == episode.verdict
        case Key.IS:
            return episode.is_retired
        case Key.ENDING:
            return value == episode.ending
        case _:
            named = {
                Key.APP: episode.apps, Key.CATEGORY: (episode.category,), Key.DEVICE: (episode.device,),
                Key.TEMPLATE: (episode.template,), Key.BY: (episode.annotator,),
            }  # fmt: skip
            return any(_folded(name) == _folded(str(value)) for name in named[key])


def _within(actual: int | date, value: Value) -> bool:
    match value:
        case Range(low, high):
            return low <= actual <= high  # type: ignore[operator]
        case Compared(operator, to):
            results = {"=": actual == to, ">": actual > to, ">=": actual >= to, "<": actual < to, "<=": actual <= to}  # type: ignore[operator]
            return results[operator]
        case str():
            raise AssertionError(value)


def _contains_phrase(wanted: Sequence[str], words: Sequence[str]) -> bool:
    *whole, beginning = wanted
    return any(
        list(words[at : at + len(whole)]) == whole and words[at + len(whole)].startswith(beginning)
        for at in range(len(words) - len(whole))
    )


def _folded(text: str) -> str:
    return normalize("NFKC", normalize("NFKC", text).casefold()).strip()


days = st.dates(date(2026, 11, 1), date(2026, 11, 5))
moments = st.none() | st.datetimes(
    datetime.combine(date(2026, 11, 1), time.min), datetime.combine(date(2026, 11, 5), time.max), timezones=st.just(UTC)
)
hostile_names = st.sampled_from(HOSTILE_NAMES) | st.text(st.characters(codec="utf-8"), max_size=4)
phrases = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
_operators = st.sampled_from(("=", ">", ">=", "<", "<="))


def _measures(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Value]:
    ranges = st.tuples(of, of).map(lambda ends: Range(min(ends), max(ends)))
    return st.builds(Compared, _operators, of) | ranges


_VALUES: dict[Key, st.SearchStrategy[Value]] = {
    **dict.fromkeys((Key.CATEGORY, Key.DEVICE, Key.APP, Key.TEMPLATE, Key.BY), hostile_names),
    Key.ID: st.integers(0, 9).map("{:016}".format) | hostile_names,
    Key.VERDICT: st.sampled_from(("unreviewed", "accepted", "second", "checking", "sent-back")),
    Key.ENDING: st.sampled_from(("complete", "impossible")),
    Key.IS: st.just("retired"),
    Key.ACTION: st.sampled_from(("click", "long-press", "scroll", "type", "home", "back", "recent", "complete")),
    Key.FINDING: st.sampled_from(("IMG06", "img06", "ACT01", "error", "Warning", "note", "x%")),
    Key.SPLIT: st.sampled_from(("app", "app/test", "app/train", "random/test", "App", "%/test")),
    Key.STEPS: _measures(st.integers(0, 8)),
    Key.RECORDED: _measures(days),
    Key.PUBLISHED: _measures(days),
    Key.TEXT: (st.sampled_from(WORDS) | phrases | hostile_names).filter(words_of),
}


@st.composite
def _terms(draw: st.DrawFn) -> Term:
    key = draw(st.sampled_from(Key))
    values = draw(st.lists(_VALUES[key], min_size=1, max_size=3))
    return Term(key, tuple(values), draw(st.booleans()))


filters = st.lists(_terms(), max_size=4).map(lambda terms: Filter(tuple(terms)))
