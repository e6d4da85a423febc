"""From the first start to the open queue in the real window: name, consent, practice."""

import pytest

from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.practice.tasks import practice_tasks
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.journey import begin_first_use, follow_script
from tests.end_to_end.screen.room import Room

pytestmark = pytest.mark.timeout(600)


def practise_until_open(annotator: Annotator, tasks: int) -> None:
    for number, task in enumerate(practice_tasks()[:tasks], start=1):
        annotator.wait_for(task.task.instruction, "take a hint")
        annotator.wait_for_steps(0)
        annotator.press("Show a hint")
        annotator.wait_for("1 of")
        follow_script(annotator, task.script_file)
        annotator.wait_for("Passed: ")
        if number < tasks:
            annotator.press("Next practice task")
    annotator.wait_for("All practice tasks passed. You can record now.")


def go_through_practice(room: Room, tasks: int) -> None:
    room.write_settings(practice_tasks=tasks)
    with room.annotator() as annotator:
        annotator.wait_for_dialog("Before you record")
        annotator.photograph("first-use")
        begin_first_use(annotator, "Grace Hopper", "I agree, start practice")
        practise_until_open(annotator, tasks)
        annotator.photograph("practice-passed")
        annotator.press("Leave practice")
        annotator.find("Start recording")
        annotator.press("Practice")
        annotator.wait_for("you have passed all")
        annotator.photograph("practice")
    assert room.store.episodes() == []
    profile = ProfileStore(room.folder / "annotators").load("Grace Hopper")
    assert len(profile.attempts) == tasks


def test_practice_opens_the_queue(room: Room, profile: str) -> None:
    go_through_practice(room, 2 if profile == "small_phone" else 1)


@pytest.mark.soak
def test_all_practice_tasks_open_the_queue(room: Room) -> None:
    go_through_practice(room, len(practice_tasks()))
