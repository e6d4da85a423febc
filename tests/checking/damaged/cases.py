"""The damaged set: recorded, damaged and checked; planted defects compared with findings."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.whole_dataset import check_dataset
from odyssey_recorder.model.finding import EpisodeReport, Finding, Severity
from tests.checking.damaged import (  # noqa: F401 - they register damages
    action_damage,
    harmless_changes,
    provenance_damage,
    screenshot_damage,
    text_damage,
)
from tests.checking.damaged.damage import EPISODE_DAMAGES
from tests.checking.damaged.damaged_episode import DamagedEpisode, ExpectedFinding
from tests.checking.damaged.dataset_damage import DATASET_DAMAGES, DATASET_TASKS, DamagedDataset
from tests.checking.damaged.recordings import record_tasks
from tests.checking.damaged.scripted_tasks import SCRIPTED_TASKS, ScriptedTask

FindingKey = tuple[str, str, int | None]


@dataclass(frozen=True, slots=True)
class Case:
    """`task` is empty for a dataset."""

    name: str
    task: str
    planted: frozenset[FindingKey]
    findings: tuple[Finding, ...]

    @property
    def missed(self) -> frozenset[FindingKey]:
        return self.planted - {_key_of(finding) for finding in self.findings}

    @property
    def unexpected(self) -> tuple[Finding, ...]:
        return tuple(
            one for one in self.findings if one.severity is not Severity.NOTE and _key_of(one) not in self.planted
        )


def check_damaged_set(folder: Path, *, seed: int, tasks: Sequence[ScriptedTask] = SCRIPTED_TASKS) -> Iterator[Case]:
    """Record the clean episodes, damage copies of them, and check each; a damage that fits no task is left out.

    The seed decides what is damaged where.
    """
    ids = record_tasks(folder, seed=seed, tasks=tuple(tasks))
    clean = folder / "dataset"
    checker = Checker(folder / "cache.sqlite", 1)

    for task, episode_id in ids.items():
        episode = DamagedEpisode(clean, folder / f"clean-{task}", episode_id, random.Random(f"{seed} {task}"))
        episode.save()
        yield _check(checker, f"clean: {task}", task, episode.root, ())
    for number, damage in enumerate(EPISODE_DAMAGES):
        rng = random.Random(f"{seed} {damage.name}")
        if suitable := [task for task in ids if task in damage.tasks or not damage.tasks]:
            task = rng.choice(suitable)
            episode = DamagedEpisode(clean, folder / f"damaged-{number}", ids[task], rng)
            yield _check(checker, damage.name, task, episode.root, damage.do(episode))
    for number, dataset_damage in enumerate(DATASET_DAMAGES):
        rng = random.Random(f"{seed} {dataset_damage.name}")
        dataset = DamagedDataset(clean, folder / f"set-{number}", [ids[task] for task in DATASET_TASKS], rng)
        yield _check(checker, dataset_damage.name, "", dataset.root, dataset_damage.do(dataset))


def _check(checker: Checker, name: str, task: str, root: Path, planted: Sequence[ExpectedFinding]) -> Case:
    annotations = sorted((root / "annotations").iterdir())
    found = findings_of(checker, root, annotations)
    own = annotations[0].stem
    keys = {(one.check, own if one.episode_id is None else one.episode_id, one.step) for one in planted}
    return Case(name, task, frozenset(keys), tuple(found))


def findings_of(checker: Checker, root: Path, annotations: Sequence[Path]) -> list[Finding]:
    """The findings on these episodes of a dataset, and on all of it."""
    reports: list[EpisodeReport] = []
    facts = checker.check_all(annotations, reports.append)
    found = [finding for report in reports for finding in report.findings]
    return found + [one for one in check_dataset(root, facts) if isinstance(one, Finding)]


def _key_of(finding: Finding) -> FindingKey:
    return finding.check, finding.episode_id, finding.step
