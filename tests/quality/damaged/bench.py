"""The damaged set: recorded, damaged and checked; planted defects compared with findings."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.dataset_wide import check_dataset
from odyssey_recorder.quality.finding import EpisodeReport, Finding, Severity
from tests.quality.damaged.damage import Damage
from tests.quality.damaged.errands import ERRANDS
from tests.quality.damaged.neighbours import NEIGHBOURS
from tests.quality.damaged.recordings import record_all
from tests.quality.damaged.spoilt_pictures import DAMAGES as PICTURES
from tests.quality.damaged.spoilt_proofs import DAMAGES as PROOFS
from tests.quality.damaged.spoilt_sets import ERRANDS as SET_ERRANDS
from tests.quality.damaged.spoilt_sets import SET_DAMAGES, Shelf
from tests.quality.damaged.spoilt_steps import DAMAGES as STEPS
from tests.quality.damaged.spoilt_words import DAMAGES as WORDS
from tests.quality.damaged.wreck import Planted, Wreck

DAMAGES = (*PICTURES, *STEPS, *WORDS, *PROOFS)
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


def make_and_check(folder: Path, *, seed: int) -> tuple[Case, ...]:
    """Record the clean episodes, damage copies of them, and check each. The seed decides what is damaged where."""
    ids = record_all(folder, seed=seed)
    return tuple(_Bench(folder, ids, seed).cases())


class _Bench:
    def __init__(self, folder: Path, ids: Mapping[str, str], seed: int) -> None:
        self._folder = folder
        self._clean = folder / "dataset"
        self._ids = ids
        self._seed = seed
        self._checker = Checker(folder / "cache.sqlite", 1)

    def cases(self) -> Iterator[Case]:
        for errand in ERRANDS:
            yield self._look(f"clean: {errand.name}", errand.name, self._clean_copy(errand.name), ())
        for number, damage in enumerate((*NEIGHBOURS, *DAMAGES)):
            yield self._damaged(number, damage)
        for number, set_damage in enumerate(SET_DAMAGES):
            root = self._folder / f"set-{number}"
            source = Shelf(self._clean, root, [self._ids[name] for name in SET_ERRANDS], self._rng(set_damage.name))
            planted = set_damage.do(source)
            yield self._look(set_damage.name, "", root, planted)
        self._checker.close()

    def _rng(self, name: str) -> random.Random:
        return random.Random(f"{self._seed} {name}")

    def _clean_copy(self, errand: str) -> Path:
        root = self._folder / f"clean-{errand}"
        Wreck(self._clean, root, self._ids[errand], self._rng(errand)).save()
        return root

    def _damaged(self, number: int, damage: Damage) -> Case:
        rng = self._rng(damage.name)
        errand = rng.choice(damage.errands or [errand.name for errand in ERRANDS])
        root = self._folder / f"damaged-{number}"
        planted = damage.do(Wreck(self._clean, root, self._ids[errand], rng))
        return self._look(damage.name, errand, root, planted)

    def _look(self, name: str, errand: str, root: Path, planted: Sequence[Planted]) -> Case:
        reports: list[EpisodeReport] = []
        facts = self._checker.check_all(sorted((root / "annotations").glob("*.json")), reports.append)
        found = [finding for report in reports for finding in report.findings]
        found += [one for one in check_dataset(root, facts) if isinstance(one, Finding)]
        own = reports[0].episode_id
        places = {(one.check, own if one.episode_id is None else one.episode_id, one.step) for one in planted}
        return Case(name, errand, frozenset(places), tuple(found), is_set=not errand)


def _place(finding: Finding) -> Place:
    return finding.check, finding.episode_id, finding.step
