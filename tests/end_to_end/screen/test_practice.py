"""From the first start to the open queue in the real window: name, consent, practice."""

import pytest

from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.tasks import practice_tasks
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.sandbox import Sandbox

pytestmark = pytest.mark.timeout(600)


def pass_tasks(annotator: Annotator, tasks: int) -> None:
    for number, task in enumerate(practice_tasks()[:tasks], start=1):
        annotator.wait_for(task.task.instruction, "take a hint")
        annotator.wait_for_steps(0)
        annotator.press("Show a hint")
        annotator.wait_for("1 of")
        annotator.follow_script(task.script_file)
        annotator.wait_for("Passed: ")
        if number < tasks:
            annotator.press("Next practice task")
    annotator.wait_for("All practice tasks passed. You can record now.")


def finish_practice(sandbox: Sandbox, tasks: int) -> None:
    sandbox.write_settings(practice_tasks=tasks)
    with sandbox.annotator() as annotator:
        annotator.wait_for_dialog("Before you record")
        annotator.check_layout("first-use")
        annotator.answer_first_dialog("Grace Hopper", "I agree, start practice")
        pass_tasks(annotator, tasks)
        annotator.check_layout("practice-passed")
        annotator.press("Leave practice")
        annotator.find("Start recording")
        annotator.press("Practice")
        annotator.wait_for("you have passed all")
        annotator.check_layout("practice")
    assert sandbox.store.episodes() == []
    profile = ProfileStore(sandbox.folder / "annotators").load("Grace Hopper")
    assert len(profile.attempts) == tasks


def test_practice_opens_the_queue(sandbox: Sandbox, profile: str) -> None:
    finish_practice(sandbox, 2 if profile == "small_phone" else 1)


@pytest.mark.soak
def test_all_practice_tasks_open_the_queue(sandbox: Sandbox) -> None:
    finish_practice(sandbox, len(practice_tasks()))
