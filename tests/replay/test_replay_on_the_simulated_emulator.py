"""An episode recorded on one simulated emulator and replayed on another, both through the real adb."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.model.action import action_type
from odyssey_recorder.replay.compare import StepVerdict
from odyssey_recorder.replay.player import PlayRules, ReplayResult
from odyssey_recorder.replay.replay import ReplayOptions, replay_episode
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.device.bench import BUNDLED_ADB, DeviceBench, start_bench
from tests.quality.damaged.recordings import record_tasks
from tests.quality.damaged.scripted_tasks import SCRIPTED_TASKS
from tests.simulator.person import Person


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An episode in which a product is found and noted; without provenance, as a released one."""
    folder = tmp_path_factory.mktemp("recorded")
    scripted = next(one for one in SCRIPTED_TASKS if one.name == "candle")
    episode_id = record_tasks(folder, seed=0, tasks=(scripted,))[scripted.name]
    shutil.rmtree(folder / "dataset" / "provenance")
    return folder / "dataset" / "annotations" / f"{episode_id}.json"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[DeviceBench]:
    (tmp_path / "home").mkdir()
    with PrivateAdbServer(BUNDLED_ADB, tmp_path / "home") as server:
        bench = start_bench("small_phone", server, tmp_path)
        yield bench
        bench.device.close()
        bench.emulator.stop()


def replay(bench: DeviceBench, recorded: Path) -> ReplayResult:
    return replay_episode(recorded, bench.device, ReplayOptions(PlayRules(settle=SettleRule(still_ms=100))))


def verdicts(result: ReplayResult) -> list[StepVerdict]:
    return [step.comparison.verdict for step in result.steps]


def test_every_screen_matches_on_a_fresh_phone(bench: DeviceBench, recorded: Path) -> None:
    result = replay(bench, recorded)
    assert verdicts(result) == [StepVerdict.MATCH] * 11
    assert all(step.settled and step.comparison.pixel_share == 0.0 for step in result.steps)
    kinds = {action_type(step.action) for step in result.steps}
    assert kinds == {"CLICK", "TYPE", "HOME", "BACK", "COMPLETE"}
    assert result.exit_code == 0


def test_existing_note_diverges_where_it_is_visible(bench: DeviceBench, recorded: Path) -> None:
    person = Person(bench.emulator.phone)
    person.open("Notes", "New note", "Title")
    person.type("Somebody was here")
    person.back()
    person.back()
    person.home()

    result = replay(bench, recorded)

    assert verdicts(result) == [*[StepVerdict.MATCH] * 6, StepVerdict.DIVERGED]
    assert result.exit_code == 1
