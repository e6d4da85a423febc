from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.practice.gold import gold_as_json, read_gold
from odyssey_recorder.practice.tasks import PracticeTask, practice_tasks

TASK = practice_tasks()[0]


@pytest.mark.parametrize("task", practice_tasks(), ids=lambda task: task.folder.name)
def test_gold_file_survives_a_round_trip(task: PracticeTask) -> None:
    gold = read_gold(task)
    assert gold.episode.task.instruction == task.task.instruction
    renumbered = replace(gold.episode, episode_id="1234567890123456")
    assert gold_as_json(renumbered, gold.trail) == task.gold_file.read_bytes()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("{", "["), "cannot be read"),
        (('"format": 1', '"format": 2'), "is incomplete"),
        (('"screens": [', '"screens": [], "x": ['), "is incomplete"),
    ],
)
def test_invalid_gold_file_is_reported(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    text = TASK.gold_file.read_text(encoding="utf-8")
    (tmp_path / "gold.json").write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(PracticeError, match=complaint):
        read_gold(replace(TASK, folder=tmp_path))
    with pytest.raises(PracticeError, match=r"gold\.json cannot be read"):
        read_gold(replace(TASK, folder=tmp_path / "nowhere"))
