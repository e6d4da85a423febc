"""Which pictures of an episode were seen in another one, and when that is no wonder: the home screen, the same deed."""

import hashlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from odyssey_recorder.quality.evidence import EpisodeFacts, FactsSource
from odyssey_recorder.quality.finding import Criterion, Finding, Severity
from odyssey_recorder.quality.thresholds import (
    ALIKE_LOOKS,
    ALIKE_SHARE,
    COMMON_LOOK,
    COMMON_SCREEN,
    NAMED_AT_MOST,
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a picture is, and what led to it: the picture before it, and the kind of action made on that."""

    episode_id: str
    step: int
    device: str
    before: str
    deed: str

    @property
    def is_home(self) -> bool:
        """Whether the home screen is to be expected there."""
        return self.step == 0 or self.deed == "HOME"

    @property
    def way(self) -> tuple[str, str, str]:
        return self.device, self.before, self.deed


def repeated_pictures(source: FactsSource) -> Iterator[Finding]:
    """IMG06: the very file of a screenshot is one of another episode too, and nothing explains it.

    It is explained, on one device, where it is a home screen (an episode begins with it, or HOME led to it), and where
    in both episodes an action of the same kind on the same picture led to it: the status bar's clock may stand still.
    A picture of many episodes is a screen that all pass by, and a note; of few it is a mix-up of files, and a warning.
    """
    repeated = _in_two_episodes(source)
    places: defaultdict[str, list[_Place]] = defaultdict(list)
    for facts in source():
        for place, sha256 in _places(facts):
            if _key(sha256) in repeated:
                places[sha256].append(place)
    for group in places.values():
        yield from _unexplained(group)


def episodes_that_look_alike(source: FactsSource) -> Iterator[Finding]:
    """IMG06, as a note: nearly all screens of an episode look like those of one other episode with another task.

    Single screens that look alike say nothing: the first page of an app looks the same in every episode. So looks that
    many episodes have are left out, and only episodes that share nearly all the others are named.
    """
    shared = _looks_of_several(source)
    had_by: defaultdict[int, list[str]] = defaultdict(list)
    tasks: dict[str, int] = {}
    for facts in source():
        for look in _looks(facts) & shared:
            had_by[look].append(facts.episode_id)
            tasks[facts.episode_id] = hash((facts.meta_task, facts.task))
    for facts in source():
        own = [look for look in _looks(facts) if len(had_by.get(look, ())) <= COMMON_LOOK]
        if len(own) >= ALIKE_LOOKS:
            others = Counter(other for look in own for other in had_by.get(look, ()) if other != facts.episode_id)
            yield from _alike(facts, len(own), others, tasks)


def _alike(facts: EpisodeFacts, own: int, others: Counter[str], tasks: dict[str, int]) -> Iterator[Finding]:
    task = tasks.get(facts.episode_id)
    alike = [one for one, count in others.most_common() if count >= ALIKE_SHARE * own and tasks[one] != task]
    if alike:
        yield Finding(
            "IMG06", Severity.NOTE, Criterion.PICTURES, facts.episode_id, None,
            f"Of its {own} screens that are not common to many episodes, {others[alike[0]]} look like those of "
            f"episode {alike[0]}, which has another task.",
            "Look whether one of the two was recorded for the other's task.",
            tuple(alike[:NAMED_AT_MOST]),
        )  # fmt: skip


def _in_two_episodes(source: FactsSource) -> set[int]:
    """The keys of the pictures that more than one episode has."""
    keys, owners = array("Q"), array("I")
    for number, facts in enumerate(source()):
        own = {_key(sha256) for sha256 in facts.pictures if sha256}
        keys.extend(own)
        owners.extend([number] * len(own))
    return _twice(keys)


def _looks_of_several(source: FactsSource) -> set[int]:
    """The looks that more than one episode has."""
    looks = array("Q")
    for facts in source():
        looks.extend(_looks(facts))
    return _twice(looks)


def _twice(keys: Iterable[int]) -> set[int]:
    return {key for key, run in groupby(sorted(keys)) if sum(1 for _ in run) > 1}


def _key(sha256: str) -> int:
    """The first 64 bits: enough to leave out nearly all that occurs once, an eighth of the memory."""
    return int(sha256[:16], 16)


def _looks(facts: EpisodeFacts) -> set[int]:
    """The looks of its screens but the first, told apart by device."""
    salt = int.from_bytes(hashlib.blake2b(facts.device.encode(), digest_size=8).digest())
    return {look ^ salt for look in facts.looks[1:] if look is not None}


def _places(facts: EpisodeFacts) -> Iterator[tuple[_Place, str]]:
    for step, sha256 in enumerate(facts.pictures):
        if sha256:
            before = facts.pictures[step - 1] if step else ""
            deed = facts.actions[step - 1].partition(" ")[0] if step else ""
            yield _Place(facts.episode_id, step, facts.device, before, deed), sha256


def _unexplained(group: Sequence[_Place]) -> Iterator[Finding]:
    """A finding for each episode that has the picture of `group` and nothing explains why."""
    by_episode: defaultdict[str, list[_Place]] = defaultdict(list)
    for place in group:
        by_episode[place.episode_id].append(place)
    homes = {place.device for place in group if place.is_home}
    ways = Counter(way for places in by_episode.values() for way in {place.way for place in places})
    for episode_id, places in by_episode.items():
        if not any(place.device in homes or ways[place.way] > 1 for place in places):
            yield _repeated(places[0], [other for other in by_episode if other != episode_id])


def _repeated(place: _Place, others: Sequence[str]) -> Finding:
    common = len(others) + 1 >= COMMON_SCREEN
    return Finding(
        "IMG06",
        Severity.NOTE if common else Severity.WARNING,
        Criterion.PICTURES,
        place.episode_id,
        place.step,
        f"The picture is, byte for byte, also in {_episodes(others)}.",
        "Look whether it shows what this episode did before; if it is the other's, record this one again.",
        tuple(others[:NAMED_AT_MOST]),
    )


def _episodes(ids: Sequence[str]) -> str:
    return f"episode {ids[0]}" if len(ids) == 1 else f"{len(ids)} other episodes"
