from pathlib import Path

import pytest

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.model.assignment import CleanHome
from odyssey_recorder.practice.tasks import practice_tasks

TASKS = practice_tasks()


def test_there_are_ten_tasks_each_with_its_own_id_and_lesson() -> None:
    assert len(TASKS) == len({task.task_id for task in TASKS}) == len({task.teaches for task in TASKS}) == 10


def test_no_hint_tells_the_answer_or_what_is_to_be_typed() -> None:
    for task in TASKS:
        secrets = [task.answer, *(milestone.typed for milestone in task.milestones)]
        assert [hint for hint in task.hints for secret in secrets if secret and secret in hint] == []


def test_a_practice_task_is_given_from_a_clean_home_and_never_for_the_dataset() -> None:
    assignment = TASKS[0].assignment
    assert (assignment.task_id, assignment.start, assignment.is_practice) == ("practice-01-click", CleanHome(), True)


@pytest.mark.parametrize("words", ["teaches = 1", "not toml", 'teaches = "x"\nending = "GIVE_UP"'])
def test_a_task_that_cannot_be_read_is_named(tmp_path: Path, words: str) -> None:
    (tmp_path / "01-odd").mkdir()
    (tmp_path / "01-odd" / "task.toml").write_text(words)
    with pytest.raises(PracticeError, match=r"01-odd/task\.toml cannot be read"):
        practice_tasks(tmp_path)


def test_a_task_with_too_few_apps_for_its_category_is_refused(tmp_path: Path) -> None:
    (tmp_path / "01-odd").mkdir()
    words = (TASKS[0].folder / "task.toml").read_text().replace("General_Tool", "Web_Shopping")
    (tmp_path / "01-odd" / "task.toml").write_text(words)
    with pytest.raises(PracticeError, match="Web_Shopping asks for 2 or more different apps, and there is 1"):
        practice_tasks(tmp_path)
