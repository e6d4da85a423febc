"""The checks on many clean episodes: a false warning costs a second review."""

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.flag import Flag, FlagCode
from tests.checking.clean.generated_tasks import generated_tasks
from tests.checking.clean.recording import record_generated_tasks
from tests.checking.damaged.cases import findings_of

EPISODES_PER_WARNING = 50


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_clean_episodes_have_no_errors_and_few_warnings(tmp_path: Path) -> None:
    tasks = generated_tasks(seed=1)
    for profile, count in (("small_phone", 200), ("medium_phone", 60), ("pixel_7_pro", 40)):
        record_generated_tasks(tmp_path, profile, islice(tasks, count))
    annotations = sorted((tmp_path / "dataset" / "annotations").glob("*.json"))
    assert len(annotations) == 300
    found = findings_of(Checker(None), tmp_path / "dataset", annotations)
    assert [one for one in found if one.severity is Severity.ERROR] == []
    disconnected = disconnected_episodes(tmp_path)
    warnings = [one for one in found if one.severity is Severity.WARNING and one.episode_id not in disconnected]
    assert len(warnings) <= len(annotations) / EPISODES_PER_WARNING, Counter(one.check for one in warnings)


def disconnected_episodes(folder: Path) -> set[str]:
    """Ids of episodes in which the computer was too busy for the device to answer in time: their warnings are true."""
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    provenances = [store.provenance(episode_id) for episode_id in sorted(episode_ids(store.root))]
    return {
        one.episode_id
        for one in provenances
        if one and any(Flag(FlagCode.CONNECTION_BROKE) in step.flags for step in one.steps)
    }
