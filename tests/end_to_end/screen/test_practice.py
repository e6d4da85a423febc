"""From the first start to the open queue in the real window: name, consent, practice."""

import pytest

from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.tasks import practice_tasks
from tests.end_to_end.screen.sandbox import Sandbox

pytestmark = pytest.mark.timeout(600)


@pytest.mark.parametrize("tasks", [1, pytest.param(len(practice_tasks()), marks=pytest.mark.soak)])
def test_practice_opens_the_queue(sandbox: Sandbox, tasks: int) -> None:
    sandbox.write_settings(practice_tasks=tasks)
    with sandbox.annotator() as annotator:
        annotator.wait_for_dialog("Before you record")
        annotator.check_layout("first-use")
        annotator.answer_first_dialog("Grace Hopper", "I agree, start practice")
        for number, task in enumerate(practice_tasks()[:tasks], start=1):
            annotator.wait_for(task.task.instruction, "Stuck?")
            annotator.wait_for_steps(0)
            annotator.press("Show a hint", expect="1 of")
            annotator.follow_script(task.script_file)
            annotator.wait_for("Passed: ")
            if number < tasks:
                annotator.press("Next practice task")
        annotator.wait_for("All practice tasks passed. You can record now.")
        annotator.check_layout("practice-passed")
        annotator.press("Leave practice")
        annotator.find("Start recording")
        annotator.press("Practice", expect="you have passed all")
        annotator.check_layout("practice")
    assert sorted(episode_ids(sandbox.store.root)) == []
    assert len(ProfileStore(sandbox.folder / "annotators").load("Grace Hopper").attempts) == tasks
