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
    SAME_LOOK,
)
from odyssey_recorder.quality.whole.alphabet import Alphabet


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a picture is, and what led to it: the look of the picture before it, and the action made on that."""

    episode_id: str
    step: int
    device: str
    before: int | None
    action: str

    @property
    def is_home(self) -> bool:
        """Whether the home screen is to be expected there."""
        return self.step == 0 or self.action == "HOME"


def repeated_pictures(source: FactsSource) -> Iterator[Finding]:
    """IMG06: the very file of a screenshot is one of another episode too, and nothing explains it.

    It is explained, on one device, where it is a home screen (an episode begins with it, or HOME led to it), and where
    in both episodes the same action on a screen that looked the same led to it: the status bar's clock may stand still.
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
            before, action = (facts.looks[step - 1], facts.actions[step - 1]) if step else (None, "")
            yield _Place(facts.episode_id, step, facts.device, before, action), sha256


def _unexplained(group: Sequence[_Place]) -> Iterator[Finding]:
    """A finding for each episode that has the picture of `group` and nothing explains why."""
    homes = {place.device for place in group if place.is_home}
    first = {place.episode_id: place for place in reversed(group)}
    ways = _ways(group)
    explained = {place.episode_id for place in group if place.device in homes}
    explained.update(*(episodes for episodes in ways if len(episodes) > 1))
    for episode_id, place in sorted(first.items()):
        if episode_id not in explained:
            yield _repeated(place, [other for other in sorted(first) if other != episode_id])


def _ways(group: Sequence[_Place]) -> list[set[str]]:
    """The episodes by what led them to the picture: what it looked like before, and the action."""
    actions = Alphabet()
    known: list[tuple[str, str, int, set[str]]] = []
    for place in group:
        if place.before is None:
            continue
        action = actions.letter(place.action)
        for device, same, before, episodes in known:
            if (device, same) == (place.device, action) and (before ^ place.before).bit_count() <= SAME_LOOK:
                episodes.add(place.episode_id)
                break
        else:
            known.append((place.device, action, place.before, {place.episode_id}))
    return [episodes for *_, episodes in known]


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
