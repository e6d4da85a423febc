"""Draws the four splits of the paper from facts, rules and seed; the order of the episodes does not matter.

`random` tests on a share of all tasks, `task` on meta-tasks, `device` on devices and `app` on apps that no episode of
train has (Lu et al. 2024, section 4.1). How meta-tasks and apps were chosen is not published.
"""

import hashlib
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeVar, get_args

from odyssey_recorder.model.plain_text import few
from odyssey_recorder.splits.episodes import SplitEpisode, app_key, words_of

Kind = Literal["random", "task", "device", "app"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Unit = Literal["take", "episode"]
"""What stays together in `random`: all takes of a task, or, as in the paper, nothing."""

_Item = TypeVar("_Item")
_Key = TypeVar("_Key")

EACH_DEVICE = "device_"
"""What the kind of a split begins with that has one device in test and all others in train."""

VERSION = 2
"""Grows when the same facts, rules and seed give another split."""
NEAR = 0.03
"""A share that differs from its target by no more than this is near enough."""
_APP_SHARE = 0.155
_SEEDS = 100
_MOST_UNKNOWN = 0.05
_NAMED = 10
_OTHER = "Other"


@dataclass(frozen=True, slots=True)
class DrawRules:
    """`share` of test is for `random`, `task_share` for `task`; `devices` are those of the device split's test.

    `seed` is the first one tried. With `each_device`, a further split for each device has it in test.

    The default shares and device are those of the second release.
    """

    seed: int = 0
    share: float = 0.2
    unit: Unit = "take"
    devices: tuple[str, ...] = ("Pixel Tablet",)
    task_share: float = 1 / 7
    each_device: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """Ids, sorted. `kind` is a `Kind`, or the name of a split from elsewhere."""

    kind: str
    train: tuple[str, ...]
    test: tuple[str, ...]

    @property
    def sides(self) -> dict[str, bool]:
        """Whether an id is in test."""
        return dict.fromkeys(self.train, False) | dict.fromkeys(self.test, True)

    @property
    def share(self) -> float:
        """That of test, 0 to 1."""
        return len(self.test) / max(1, len(self.train) + len(self.test))


@dataclass(frozen=True, slots=True)
class DrawnSplit:
    """`held` are the meta-tasks, devices or apps that are kept out of train. `seed` and `target`, the wanted share, are
    None where chance decides nothing, or nothing is wanted.
    """

    split: Split
    held: tuple[str, ...] = ()
    seed: int | None = None
    target: float | None = None

    @property
    def is_near(self) -> bool:
        return self.target is None or abs(self.split.share - self.target) <= NEAR


@dataclass(frozen=True, slots=True)
class SplitDraw:
    """`missing` says why a split could not be drawn."""

    rules: DrawRules
    drawn: Mapping[str, DrawnSplit]
    missing: Mapping[str, str]


class _UndrawableError(Exception): ...


@dataclass(frozen=True, slots=True)
class _Unit:
    """Episodes that go to one side together."""

    key: str
    category: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Drawer:
    """Draws one split. The episodes of `before` keep their sides, singly if that is released, else with all takes."""

    kind: Kind
    facts: Sequence[SplitEpisode]
    rules: DrawRules
    classes: Mapping[str, str]
    before: DrawnSplit | None
    is_released: bool

    @property
    def sides(self) -> Mapping[str, bool]:
        """True is test."""
        return {} if self.before is None else self.before.split.sides

    def draw(self) -> DrawnSplit:
        """Raises _UndrawableError."""
        if len(self.facts) < 2:
            raise _UndrawableError("a split needs at least 2 episodes")
        methods = {"random": self._random, "task": self._task, "device": self._device, "app": self._app}
        return methods[self.kind]()

    def _random(self) -> DrawnSplit:
        units, share = _units_of(self.facts, self.rules.unit), self.rules.share
        if len(units) < 2:
            raise _UndrawableError("all episodes are takes of one task. Record other tasks, or use the unit episode")
        tested, new_units = self._fixed_and_new(units)

        def choose(seed: int) -> set[str]:
            return _filled(units, _ordered(seed, self.kind, new_units), share * len(self.facts), tested)

        return self._by_chance(units, choose, share, miss=0.5)

    def _task(self) -> DrawnSplit:
        units = _units_by(self.facts, lambda episode: episode.meta_task)
        by_category = _grouped(units, lambda unit: unit.category)
        if all(len(some) < 2 for some in by_category.values()):
            raise _UndrawableError("no category has 2 templates. Record tasks of other templates")
        tested, new_units = self._fixed_and_new(units)

        def choose(seed: int) -> set[str]:
            chosen, owed = set(tested), 0.0
            for category in sorted(by_category, key=lambda name: (_chance(seed, self.kind, name), name)):
                some = by_category[category]
                order = _ordered(seed, self.kind, (unit for unit in new_units if unit.category == category))
                quota = owed + self.rules.task_share * _count(some)
                taken = _filled(some, order, quota, {unit.key for unit in some} & tested)
                owed = quota - _count(unit for unit in some if unit.key in taken)
                chosen |= taken
            return chosen

        return self._by_chance(units, choose, self.rules.task_share)

    def _device(self) -> DrawnSplit:
        units = _units_by(self.facts, lambda episode: episode.device)
        wanted = {name.casefold() for name in self.rules.devices}
        held = {unit.key for unit in units if unit.key.casefold() in wanted}
        if not held or len(held) == len(units):
            devices = ", ".join(f"{unit.key or 'unnamed'} ({len(unit.ids)})" for unit in units)
            subject = "no episode is" if not held else "every episode is"
            raise _UndrawableError(
                f"{subject} from {' or '.join(self.rules.devices)}. Choose among the devices: {devices}"
            )
        return DrawnSplit(self._split(units, held), tuple(sorted(held)))

    def _app(self) -> DrawnSplit:
        users: defaultdict[str, set[str]] = defaultdict(set)
        names = {} if self.before is None else {app_key(name): name for name in self.before.held}
        held, fixed = set(names), set(names)
        for episode in self.facts:
            fixed |= episode.app_keys if episode.episode_id in self.sides else set()
            for name in episode.apps:
                users[app_key(name)].add(episode.episode_id)
                names[app_key(name)] = min(name, names.get(app_key(name), name))
        _refuse_unknown({key: names[key] for key in users}, self.classes)
        held |= _rare_apps(users, self.classes, fixed, held, at_most=_APP_SHARE * len(self.facts))
        tested = {episode_id for key in held for episode_id in users.get(key, ())}
        if not tested:
            words = f"each app that could be held out is used in more than {_APP_SHARE:.1%} of the episodes"
            raise _UndrawableError(f"{words}. Record more tasks, with more apps")
        units = _units_by(self.facts, lambda episode: episode.episode_id)
        return DrawnSplit(self._split(units, tested), tuple(sorted(names[key] for key in held)), target=_APP_SHARE)

    def _by_chance(
        self, units: Sequence[_Unit], choose: Callable[[int], set[str]], target: float, miss: float | None = None
    ) -> DrawnSplit:
        """The first seed with which the share is near and test has every category, or else the best one.

        With `miss`, test must not be that many episodes off its share, either.
        """
        categories = {unit.category for unit in units}

        @cache
        def fault(seed: int) -> tuple[float, int, float]:
            chosen = choose(seed)
            taken = [unit for unit in units if unit.key in chosen]
            count = _count(taken)
            far = abs(count - target * len(self.facts))
            off = max(0.0, far / len(self.facts) - NEAR) if 0 < count < len(self.facts) else 1.0
            more = 0.0 if miss is None or far <= miss + 1e-9 else far
            return off, len(categories - {unit.category for unit in taken}), more

        first = () if self.before is None or self.before.seed is None else (self.before.seed,)
        seeds = (*first, *range(self.rules.seed, self.rules.seed + _SEEDS))
        seed = next((candidate for candidate in seeds if not any(fault(candidate))), None)
        seed = min(seeds, key=fault) if seed is None else seed
        held = tuple(sorted(choose(seed))) if self.kind == "task" else ()
        return DrawnSplit(self._split(units, choose(seed)), held, seed, target)

    def _split(self, units: Iterable[_Unit], chosen: Collection[str]) -> Split:
        """Raises _UndrawableError if a part is empty."""
        sides = {episode_id: unit.key in chosen for unit in units for episode_id in unit.ids}
        sides |= self.sides if self.is_released else {}
        train, test = (
            tuple(episode.episode_id for episode in self.facts if sides[episode.episode_id] is side)
            for side in (False, True)
        )
        if not train or not test:
            raise _UndrawableError("one part would be empty. Record more tasks")
        return Split(self.kind, train, test)

    def _fixed_and_new(self, units: Iterable[_Unit]) -> tuple[set[str], list[_Unit]]:
        """The keys of units that are in test already, and the units that have no side."""
        tested = set(() if self.before is None else self.before.held)
        new_units = []
        for unit in units:
            known = [self.sides[episode_id] for episode_id in unit.ids if episode_id in self.sides]
            if known and all(known):
                tested.add(unit.key)
            elif not known and unit.key not in tested:
                new_units.append(unit)
        return tested, new_units


def draw(
    facts: Iterable[SplitEpisode],
    rules: DrawRules,
    classes: Mapping[str, str],
    released: SplitDraw | None = None,
    random: DrawnSplit | None = None,
) -> SplitDraw:
    """Draw all splits; `classes` are those of the apps, by `app_key`.

    With `released`, its rules hold, its episodes keep their sides, and the meta-tasks and apps it holds out go to test.
    Else the tasks of an earlier split `random` keep their sides in that.
    """
    in_order = sorted(facts, key=lambda episode: episode.episode_id)
    rules = rules if released is None else released.rules
    wanted: dict[str, tuple[Kind, DrawRules]] = {kind: (kind, rules) for kind in KINDS}
    for device in sorted({episode.device for episode in in_order} - {""}) if rules.each_device else ():
        wanted[device_kind(device)] = "device", replace(rules, devices=(device,))
    drawn: dict[str, DrawnSplit] = {}
    missing: dict[str, str] = {}
    for name, (kind, its_rules) in wanted.items():
        earlier = {"random": random} if released is None else released.drawn
        try:
            one = _Drawer(kind, in_order, its_rules, classes, earlier.get(name), released is not None).draw()
            drawn[name] = replace(one, split=replace(one.split, kind=name))
        except _UndrawableError as error:
            missing[name] = f"{name}_split.json cannot be made: {error}."
    return SplitDraw(rules, drawn, missing)


def device_kind(device: str) -> str:
    """Of the split that has this device in test."""
    return EACH_DEVICE + re.sub(r"\W+", "_", device.casefold()).strip("_")


def is_kind(name: str) -> bool:
    return name in KINDS or name.startswith(EACH_DEVICE)


def moved(before: Split, after: Split) -> int:
    """How many episodes that both have are on another side."""
    return len({*before.train} & {*after.test}) + len({*before.test} & {*after.train})


def train_in_all(splits: Iterable[Split]) -> list[str]:
    """The ids that every split has in train: what can be trained on without touching any test."""
    parts = [set(split.train) for split in splits]
    return sorted(set.intersection(*parts)) if parts else []


# Units.


def _units_by(facts: Iterable[SplitEpisode], key_of: Callable[[SplitEpisode], str]) -> list[_Unit]:
    """One for each value; its category is the most frequent one."""
    return [_unit(key, some) for key, some in _grouped(facts, key_of).items()]


def _unit(key: str, some: Sequence[SplitEpisode]) -> _Unit:
    times = Counter(episode.category for episode in some)
    return _Unit(key, min(times, key=lambda name: (-times[name], name)), tuple(episode.episode_id for episode in some))


def _units_of(facts: Sequence[SplitEpisode], unit: Unit) -> list[_Unit]:
    """Of takes, those with the same instruction, annotation or screenshots are one unit too."""
    if unit == "episode":
        return _units_by(facts, lambda episode: episode.episode_id)
    first: dict[tuple[str, Hashable], int] = {}
    root = list(range(len(facts)))

    def find(number: int) -> int:
        while root[number] != number:
            root[number] = number = root[root[number]]
        return number

    for number, episode in enumerate(facts):
        for identity in identities(episode).items():
            root[find(number)] = find(first.setdefault(identity, number))
    groups = _grouped(range(len(facts)), find).values()
    together = [[facts[number] for number in group] for group in groups]
    return [_unit(min(episode.take or episode.episode_id for episode in some), some) for some in together]


def identities(episode: SplitEpisode) -> dict[str, Hashable]:
    """What makes an episode the same as another, or a take of the same task, by name; without what is unknown."""
    known: dict[str, Hashable] = {
        "annotation": episode.contents,
        "screenshots": episode.screenshots if all(episode.screenshots) else (),
        "take": episode.take,
        "instruction": words_of(episode.instruction),
    }
    return {name: value for name, value in known.items() if value}


def _grouped(items: Iterable[_Item], key_of: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    groups: defaultdict[_Key, list[_Item]] = defaultdict(list)
    for item in items:
        groups[key_of(item)].append(item)
    return dict(groups)


# Chance.


def _chance(seed: int, kind: Kind, key: str) -> float:
    """0 to 1, always the same for the same key."""
    digest = hashlib.sha256(f"{seed}:{kind}:{key}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def _ordered(seed: int, kind: Kind, units: Iterable[_Unit]) -> list[_Unit]:
    return sorted(units, key=lambda unit: (_chance(seed, kind, unit.key), unit.key))


def _filled(units: Sequence[_Unit], order: Sequence[_Unit], quota: float, tested: Collection[str]) -> set[str]:
    """Take units in order while that leads nearer to `quota` episodes: at least one of several, never all."""
    taken = set(tested)
    count = _count(unit for unit in units if unit.key in taken)
    left = sum(unit.key not in taken for unit in units)
    for unit in order:
        if left > 1 and abs(count + len(unit.ids) - quota) < abs(count - quota):
            taken.add(unit.key)
            count, left = count + len(unit.ids), left - 1
    if not taken and len(units) > 1 and order:
        taken.add(min(order, key=lambda unit: len(unit.ids)).key)
    return taken


def _count(units: Iterable[_Unit]) -> int:
    return sum(len(unit.ids) for unit in units)


# Apps.


def _refuse_unknown(spelled: Mapping[str, str], classes: Mapping[str, str]) -> None:
    unknown = sorted(name for key, name in spelled.items() if key not in classes)
    if len(unknown) > _MOST_UNKNOWN * len(spelled):
        names = few(list(map(repr, unknown)), _NAMED)
        raise _UndrawableError(
            f"{len(unknown)} of {len(spelled)} apps are in no catalogue, so their classes are unknown: {names}. "
            "Correct the names, or give the classes in metadata/team.yaml"
        )


def _rare_apps(
    users: Mapping[str, Collection[str]],
    classes: Mapping[str, str],
    fixed: Collection[str],
    held: Collection[str],
    *,
    at_most: float,
) -> set[str]:
    """The least used apps of each class in turn, while no more than `at_most` episodes use one; never a class's last.

    None of the `fixed` ones; those `held` already count.
    """
    touched = {episode_id for key in held for episode_id in users.get(key, ())}
    named = _grouped(sorted(key for key in users if classes.get(key, _OTHER) != _OTHER), lambda key: classes[key])
    queues = []
    for _, keys in sorted(named.items()):
        rarest = sorted(keys, key=lambda key: (len(users[key]), key))[:-1]
        queues.append(deque(key for key in rarest if key not in fixed))
    chosen = set[str]()
    while queues := [queue for queue in queues if queue]:
        for queue in queues:
            key = queue.popleft()
            if len(touched | set(users[key])) > at_most:
                queue.clear()
                continue
            chosen.add(key)
            touched |= set(users[key])
    return chosen
