"""Screenshots that another step has too, unless the device showed the same screen twice."""

import hashlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from odyssey_recorder.checking import thresholds
from odyssey_recorder.checking.evidence import ComparedEpisode, FactsSource, ScreenFingerprint
from odyssey_recorder.checking.whole_dataset.episodes import ActionClasses
from odyssey_recorder.model.finding import Criterion, Finding, Severity


@dataclass(frozen=True, slots=True)
class _Place:
    """A use of a screenshot: its screen by the provenance, and what led to it (the look before, the action)."""

    episode_id: str
    step: int
    device: str
    before: int | None
    action: str
    shown: ScreenFingerprint | None
    from_home: bool

    @property
    def is_home(self) -> bool:
        return self.step == 0 or self.action == "HOME"

    @property
    def is_first_page(self) -> bool:
        return self.from_home and self.action.startswith("CLICK ")


def repeated_screenshots(source: FactsSource) -> Iterator[Finding]:
    """IMG06: the screenshot file is identical to that of another step, and nothing explains it.

    With provenance it is explained if another step has the same screenshot with the same app in front, the same words
    in its view hierarchy, and a frame taken at another time. A step whose provenance differs from that of all others
    with its screenshot has a mixed-up file. Consecutive steps are left to IMG07.

    Without provenance a screenshot of another episode is explained, on one device, if it is the home screen (an episode
    begins with it, or HOME led to it) or an app's first page (a CLICK on the home screen led to it), or if in both
    episodes the same action on a screen with the same look led to it: the status bar's clock may stand still.

    An unexplained screenshot of many episodes means little and is a note; of few it is a warning.
    """
    repeated = _twice(_key(sha256) for facts in source() for sha256 in facts.screenshots if sha256)
    places: defaultdict[str, list[_Place]] = defaultdict(list)
    for facts in source():
        for place, sha256 in _places(facts):
            if _key(sha256) in repeated:
                places[sha256].append(place)
    for group in places.values():
        mixed_up = list(_mixed_up(group))
        yield from _found(mixed_up, group, common=len({place.episode_id for place in mixed_up}))
        owners = {place.episode_id for place in group}
        if len(owners) > 1:
            yield from _found(_unexplained(group), group, common=len(owners))


def episodes_that_look_alike(source: FactsSource) -> Iterator[Finding]:
    """IMG06, as a note: nearly all screens of an episode look like those of another one with another task.

    An app's first page looks the same in every episode, so looks that many episodes have are left out.
    """
    shared = _twice(look for facts in source() for look in _looks(facts))
    had_by: defaultdict[int, list[str]] = defaultdict(list)
    tasks: dict[str, int] = {}
    for facts in source():
        for look in _looks(facts) & shared:
            had_by[look].append(facts.episode_id)
            tasks[facts.episode_id] = hash((facts.meta_task, facts.task))
    for facts in source():
        own = [look for look in _looks(facts) if len(had_by.get(look, ())) <= thresholds.COMMON_LOOK]
        if len(own) >= thresholds.ALIKE_LOOKS:
            others = Counter(other for look in own for other in had_by.get(look, ()) if other != facts.episode_id)
            yield from _alike(facts, len(own), others, tasks)


def _alike(facts: ComparedEpisode, own: int, others: Counter[str], tasks: dict[str, int]) -> Iterator[Finding]:
    task = tasks.get(facts.episode_id)
    alike = [
        other for other, count in others.most_common() if count >= thresholds.ALIKE_SHARE * own and tasks[other] != task
    ]
    if alike:
        yield Finding(
            "IMG06", Severity.NOTE, Criterion.SCREENSHOTS, facts.episode_id, None,
            f"Of its {own} screens that are not common to many episodes, {others[alike[0]]} look like those of "
            f"episode {alike[0]}, which has another task.",
            "Check whether one of them was recorded for the other's task.",
            tuple(alike[:thresholds.NAMED_AT_MOST]),
        )  # fmt: skip


def _twice(keys: Iterable[int]) -> set[int]:
    """The keys, of 64 bits, that occur more than once."""
    compact = array("Q", keys)  # there may be 300,000
    return {key for key, run in groupby(sorted(compact)) if sum(1 for _ in run) > 1}


def _key(sha256: str) -> int:
    """The first 64 bits: enough to filter nearly all that occurs once, in an eighth of the memory."""
    return int(sha256[:16], 16)


def _looks(facts: ComparedEpisode) -> set[int]:
    salt = int.from_bytes(hashlib.blake2b(facts.device.encode(), digest_size=8).digest())
    return {look ^ salt for look in facts.looks[1:] if look is not None}


def _places(facts: ComparedEpisode) -> Iterator[tuple[_Place, str]]:
    from_home = False
    shown = facts.screens or (None,) * len(facts.screenshots)
    for step, sha256 in enumerate(facts.screenshots):
        before, action = (facts.looks[step - 1], facts.actions[step - 1]) if step else (None, "")
        place = _Place(facts.episode_id, step, facts.device, before, action, shown[step], from_home)
        from_home = place.is_home
        if sha256:
            yield place, sha256


# With provenance.


def _mixed_up(group: Sequence[_Place]) -> Iterator[_Place]:
    proved = [(place, place.shown) for place in group if place.shown is not None]
    screens = Counter((shown.package, shown.words) for _, shown in proved)
    packages = Counter(shown.package for _, shown in proved)
    takers: defaultdict[int, set[str]] = defaultdict(set)
    for place, shown in proved:
        takers[shown.taken_us].add(place.episode_id)
    for place, shown in proved:
        alike = screens[shown.package, shown.words] + (screens[shown.package, ""] if shown.words else 0)
        is_copied = len(takers[shown.taken_us]) > 1
        is_alone = (alike if shown.words else packages[shown.package]) == 1
        if (is_alone or is_copied) and any(not _follow(place, other) for other, _ in proved if other is not place):
            yield place


def _follow(one: _Place, other: _Place) -> bool:
    return one.episode_id == other.episode_id and abs(one.step - other.step) == 1


# Without provenance.


def _unexplained(group: Sequence[_Place]) -> Iterator[_Place]:
    entrances = {place.device for place in group if place.is_home or place.is_first_page}
    explained = {place.episode_id for place in group if place.device in entrances}
    explained.update(*(episodes for episodes in _ways(group) if len(episodes) > 1))
    proved = sum(place.shown is not None for place in group)
    seen: set[str] = set()
    for place in group:
        is_proved = place.shown is not None and proved > 1
        if place.episode_id not in explained | seen and not is_proved:
            seen.add(place.episode_id)
            yield place


def _ways(group: Sequence[_Place]) -> Iterator[set[str]]:
    actions = ActionClasses()
    ways: defaultdict[tuple[str, str], list[tuple[int, set[str]]]] = defaultdict(list)
    for place in group:
        if place.before is None:
            continue
        known = ways[place.device, actions.letter(place.action)]
        for before, episodes in known:
            if (before ^ place.before).bit_count() <= thresholds.SAME_LOOK:
                episodes.add(place.episode_id)
                break
        else:
            known.append((place.before, {place.episode_id}))
    return (episodes for known in ways.values() for _, episodes in known)


def _found(odd: Iterable[_Place], group: Sequence[_Place], *, common: int) -> Iterator[Finding]:
    owners = sorted({place.episode_id for place in group})
    for place in odd:
        others = [owner for owner in owners[: thresholds.NAMED_AT_MOST + 1] if owner != place.episode_id]
        count = len(owners) - 1
        where = "another step" if not others else f"episode {others[0]}" if count == 1 else f"{count} other episodes"
        differs = "" if place.shown is None else ", where the device showed another screen"
        yield Finding(
            "IMG06",
            Severity.NOTE if common >= thresholds.COMMON_SCREEN else Severity.WARNING,
            Criterion.SCREENSHOTS,
            place.episode_id,
            place.step,
            f"The same screenshot, byte for byte, is also in {where}{differs}.",
            "Check that it shows this episode's own screen; if not, record the episode again.",
            tuple(others[: thresholds.NAMED_AT_MOST]),
        )
