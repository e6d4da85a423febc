"""The damaged set: recorded, damaged and checked; planted defects compared with findings."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.dataset_wide import check_dataset
from odyssey_recorder.quality.finding import EpisodeReport, Finding, Severity
from tests.quality.damaged import neighbours, spoilt_provenance, spoilt_screenshots, spoilt_steps, spoilt_words  # noqa: F401
from tests.quality.damaged.damage import DAMAGES
from tests.quality.damaged.errands import ERRANDS, Errand
from tests.quality.damaged.recordings import record_all
from tests.quality.damaged.spoilt_sets import ERRANDS as SET_ERRANDS
from tests.quality.damaged.spoilt_sets import SET_DAMAGES, Shelf
from tests.quality.damaged.wreck import Planted, Wreck

Place = tuple[str, str, int | None]


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    errand: str
    planted: frozenset[Place]
    findings: tuple[Finding, ...]
    is_set: bool = False

    @property
    def missed(self) -> frozenset[Place]:
        return self.planted - {_place(finding) for finding in self.findings}

    @property
    def unplanted(self) -> tuple[Finding, ...]:
        return tuple(
            one for one in self.findings if one.severity is not Severity.NOTE and _place(one) not in self.planted
        )


def make_and_check(folder: Path, *, seed: int, errands: Sequence[Errand] = ERRANDS) -> tuple[Case, ...]:
    """Record the clean episodes, damage copies of them, and check each; a damage that fits no errand is left out.

    The seed decides what is damaged where.
    """
    bench = _Bench(folder, record_all(folder, seed=seed, errands=tuple(errands)), seed)
    return (*bench.clean(), *bench.damaged(), *bench.damaged_sets())


class _Bench:
    def __init__(self, folder: Path, ids: Mapping[str, str], seed: int) -> None:
        self._folder = folder
        self._ids = ids
        self._seed = seed
        self._checker = Checker(folder / "cache.sqlite", 1)

    def clean(self) -> Iterator[Case]:
        for errand in self._ids:
            wreck = self._wreck(f"clean-{errand}", errand, self._rng(errand))
            wreck.save()
            yield self._look(f"clean: {errand}", errand, wreck.root, ())

    def damaged(self) -> Iterator[Case]:
        for number, damage in enumerate(DAMAGES):
            rng = self._rng(damage.name)
            if fitting := [name for name in self._ids if name in damage.errands or not damage.errands]:
                errand = rng.choice(fitting)
                wreck = self._wreck(f"damaged-{number}", errand, rng)
                yield self._look(damage.name, errand, wreck.root, damage.do(wreck))

    def damaged_sets(self) -> Iterator[Case]:
        for number, damage in enumerate(SET_DAMAGES):
            ids = [self._ids[name] for name in SET_ERRANDS]
            shelf = Shelf(self._folder / "dataset", self._folder / f"set-{number}", ids, self._rng(damage.name))
            yield self._look(damage.name, "", shelf.root, damage.do(shelf))

    def _look(self, name: str, errand: str, root: Path, planted: Sequence[Planted]) -> Case:
        reports: list[EpisodeReport] = []
        facts = self._checker.check_all(sorted((root / "annotations").iterdir()), reports.append)
        found = [finding for report in reports for finding in report.findings]
        found += [one for one in check_dataset(root, facts) if isinstance(one, Finding)]
        own = reports[0].episode_id
        places = {(one.check, own if one.episode_id is None else one.episode_id, one.step) for one in planted}
        return Case(name, errand, frozenset(places), tuple(found), is_set=not errand)

    def _wreck(self, name: str, errand: str, rng: random.Random) -> Wreck:
        return Wreck(self._folder / "dataset", self._folder / name, self._ids[errand], rng)

    def _rng(self, name: str) -> random.Random:
        return random.Random(f"{self._seed} {name}")


def _place(finding: Finding) -> Place:
    return finding.check, finding.episode_id, finding.step
