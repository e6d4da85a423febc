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

SETTLE = SettleRule(still_ms=100)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A product is found and noted; positions are known from the grid only, as in a released episode."""
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


def verdicts(result: ReplayResult) -> list[StepVerdict]:
    return [step.comparison.verdict for step in result.steps]


def test_every_screen_comes_again_on_a_fresh_phone(bench: DeviceBench, recorded: Path) -> None:
    result = replay_episode(recorded, bench.device, ReplayOptions(PlayRules(settle=SETTLE)))

    assert verdicts(result) == [StepVerdict.MATCH] * 11
    assert all(step.settled and step.comparison.pixel_share == 0.0 for step in result.steps)
    kinds = {action_type(step.action) for step in result.steps}
    assert kinds == {"CLICK", "TYPE", "HOME", "BACK", "COMPLETE"}
    assert result.exit_code == 0


def test_a_phone_on_which_somebody_wrote_a_note_before_diverges_where_it_shows(
    bench: DeviceBench, recorded: Path
) -> None:
    person = Person(bench.emulator.phone)
    person.open("Notes", "New note", "Title")
    person.type("Somebody was here")
    person.back()
    person.back()
    person.home()

    result = replay_episode(recorded, bench.device, ReplayOptions(PlayRules(settle=SETTLE)))

    assert verdicts(result) == [*[StepVerdict.MATCH] * 6, StepVerdict.DIVERGED]
    assert result.exit_code == 1
