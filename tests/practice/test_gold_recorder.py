from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.errors import RecordingError, ScriptError
from odyssey_recorder.practice.gold import read_gold
from odyssey_recorder.practice.score import score
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from tests.practice.gold_recorder import GoldRecorder

TASKS = {task.folder.name: task for task in practice_tasks()}


@pytest.fixture(scope="module")
def emulators() -> Iterator[PrivateEmulators]:
    with PrivateEmulators(Path(find_adb())) as emulators:
        yield emulators


def test_rerecorded_gold_episode_is_identical(emulators: PrivateEmulators, tmp_path: Path) -> None:
    task = TASKS["03-scroll"]
    assert GoldRecorder(emulators, tmp_path).record(task).gold == task.gold_file.read_bytes()


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ('{"off": "Settings"}', ScriptError, r"script\.jsonl, line 1: .* is not a command"),
        pytest.param('{"on": "Teleport"}', RecordingError, "'Teleport'", marks=pytest.mark.soak),
    ],
)
def test_invalid_gold_script_line_is_reported(
    emulators: PrivateEmulators, tmp_path: Path, line: str, error: type[Exception], message: str
) -> None:
    (tmp_path / "script.jsonl").write_text(line)
    with pytest.raises(error, match=message):
        GoldRecorder(emulators, tmp_path).record(replace(TASKS["01-click"], folder=tmp_path))


@pytest.mark.soak
@pytest.mark.parametrize("profile", ["small_phone", "pixel_7_pro", "pixel_fold", "pixel_tablet"])
def test_every_gold_script_solves_its_task_on_every_device(
    emulators: PrivateEmulators, tmp_path: Path, profile: str
) -> None:
    recorder = GoldRecorder(emulators, tmp_path, profile)
    for task in TASKS.values():
        recorded = recorder.record(task)
        assert score(task, recorded.trail, read_gold(task).trail).value == 100, task.task_id
        assert profile != "small_phone" or recorded.gold == task.gold_file.read_bytes(), task.task_id
