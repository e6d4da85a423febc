from pathlib import Path

import pytest

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.model.assignment import CleanHome
from odyssey_recorder.practice.tasks import practice_tasks

TASKS = practice_tasks()


def test_ten_tasks_have_distinct_ids_and_lessons() -> None:
    assert len(TASKS) == len({task.task_id for task in TASKS}) == len({task.teaches for task in TASKS}) == 10


def test_hints_do_not_reveal_answers() -> None:
    for task in TASKS:
        secrets = [task.answer, *(milestone.typed for milestone in task.milestones)]
        assert [hint for hint in task.hints for secret in secrets if secret and secret in hint] == []


def test_assignment_starts_at_a_clean_home_screen() -> None:
    assignment = TASKS[0].assignment
    assert (assignment.task_id, assignment.start, assignment.is_practice) == ("practice-01-click", CleanHome(), True)


ONE_APP = (TASKS[0].folder / "task.toml").read_text().replace("General_Tool", "Web_Shopping")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("teaches = 1", r"01-odd/task\.toml cannot be read"),
        (ONE_APP.replace("COMPLETE", "GIVE_UP"), "ending: .*COMPLETE"),
        ("not toml", r"01-odd/task\.toml cannot be read"),
        (ONE_APP, "Web_Shopping asks for 2 or more different apps, and there is 1"),
    ],
)
def test_invalid_task_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "01-odd").mkdir()
    (tmp_path / "01-odd" / "task.toml").write_text(text)
    with pytest.raises(PracticeError, match=complaint):
        practice_tasks(tmp_path)
