"""A day with tasks in the real window: a lead generates, rewrites and approves them, an annotator records one."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.model.text_origin import Approval, Writer
from odyssey_recorder.settings import Settings
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.board import QueuedTask, Status
from odyssey_recorder.wiring import annotator_tasks
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.journey import (
    complete,
    do_steps,
    first_use_of,
    open_for_review,
    start_recording,
    the_episode,
)
from tests.end_to_end.screen.room import Room
from tests.llm.careless_model import PRICE, UNCLE, careless
from tests.llm.good_model import right
from tests.llm.stand_in import MODEL, StandIn

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def model() -> Iterator[StandIn]:
    with StandIn(right) as server:
        yield server


def test_a_task_is_made_rewritten_approved_recorded_and_counted(room: Room, model: StandIn) -> None:
    unlisted = room.folder / "tasks.jsonl"
    unlisted.touch()
    give_it_a_price(room)
    with first_use_of(room, leads=True, tasks=str(unlisted), model=MODEL, model_url=model.url, name_apps=False) as ada:
        generate(ada)
        to_skip, to_edit, to_reject, to_leave = in_the_order_of_offers(room)
        model.behaviour = careless({words(to_reject): PRICE, words(to_edit): UNCLE})
        rewrite(ada)
        approve(ada, to_skip)
        reject_what_the_rules_found(ada, to_reject)
        approve(ada, to_leave)
        mend_what_the_judge_found(ada, to_edit)
        skip(ada, queued(room, to_skip))
        record(ada, queued(room, to_edit))
        see_what_came_of_it(ada, queued(room, to_edit))
    standing = [queued(room, one).status for one in (to_skip, to_edit, to_reject, to_leave)]
    assert standing == [Status.SKIPPED, Status.RECORDED, Status.REJECTED, Status.WAITING]
    assert (model.complaints, model.repeated) == ([], 0)
    assert_traced(room, queued(room, to_edit).listed)
    with room.annotator("review", str(room.store.root), "--as", "Bea") as bea:
        open_for_review(bea, queued(room, to_edit).listed.task.instruction)
        bea.wait_for(f"Written by the model {MODEL}. ", "Edited by Ada. Approved by Ada.")
        bea.photograph("tasks-review")


def give_it_a_price(room: Room) -> None:
    prices = room.folder / "config" / "odyssey-recorder" / "prices.toml"
    prices.parent.mkdir(parents=True)
    prices.write_text(f'date = 2026-11-01\n[[models]]\nname = "{MODEL}"\ninput = 1\noutput = 2\n', encoding="utf-8")


def queued(room: Room, task: QueuedTask) -> QueuedTask:
    found = next((one for one in in_the_order_of_offers(room) if one.task_id == task.task_id), None)
    assert found is not None
    return found


def in_the_order_of_offers(room: Room) -> list[QueuedTask]:
    settings = Settings(
        dataset=room.folder / "dataset",
        drafts=room.folder / "drafts",
        tasks=room.folder / "tasks.jsonl",
        annotator="Cleo",
    )
    with closing(annotator_tasks(settings)) as queue:
        return sorted(queue.board().tasks, key=lambda task: task.listed.due or date.max)


def words(task: QueuedTask) -> str:
    return task.listed.task.task


def generate(lead: Annotator) -> None:
    lead.press("Tasks")
    lead.press("Generate")
    with lead.dialog("Generate tasks"):
        lead.write("4", into="Number of tasks")
        lead.select("Simulated emulator's apps", of="For the apps of")
        lead.select(device_name(lead), of="For the device")
        lead.photograph("tasks-generate")
        lead.press("Generate")
    lead.wait_for("4 tasks generated. They wait to be approved.", "A phrasing that a person wrote")


def rewrite(lead: Annotator) -> None:
    lead.press("Rewrite all")
    with lead.dialog("Rewrite"):
        lead.wait_for(f"{MODEL} at http://", "by the prices of 2026-11-01")
        lead.photograph("tasks-rewrite")
        lead.keys("Return")
    lead.wait_for("4 tasks rewritten.", "Each still needs approval.")


def turn_to(lead: Annotator, task: QueuedTask) -> None:
    lead.choose(f"· {task.listed.task.category.replace('_', ' ')} ·", of="Tasks to prepare")


def approve(lead: Annotator, task: QueuedTask) -> None:
    turn_to(lead, task)
    lead.wait_for("The judge (stand-in-1) finds that both ask for the same.")
    lead.keys("a")


def reject_what_the_rules_found(lead: Annotator, task: QueuedTask) -> None:
    turn_to(lead, task)
    lead.wait_for("50")
    lead.photograph("tasks-prepare")
    lead.keys("x")
    with lead.dialog("Reject"):
        lead.press("makes no sense")
        lead.keys("Return")


def mend_what_the_judge_found(lead: Annotator, task: QueuedTask) -> None:
    turn_to(lead, task)
    lead.wait_for("Added: It must be shown to the uncle.")
    lead.keys("e", "BackSpace", *["BackSpace"] * len(UNCLE))
    lead.photograph("tasks-edit")
    lead.keys("ctrl+Return")
    lead.wait_for("Edited by Ada.")
    lead.keys("a")
    lead.wait_for("Nothing left to approve.")


def device_name(annotator: Annotator) -> str:
    return next(one.name for one in profiles() if one.key == annotator.phone.profile)


def skip(annotator: Annotator, task: QueuedTask) -> None:
    annotator.press("Record")
    annotator.wait_for(task.listed.task.instruction)
    annotator.press("Skip")
    with annotator.dialog("Skip the task"):
        annotator.press("later")
        annotator.keys("Return")


def record(annotator: Annotator, task: QueuedTask) -> None:
    annotator.wait_for(task.listed.task.instruction)
    annotator.press("Start recording")  # asks a lead for consent, once
    with annotator.dialog("Before you record"):
        annotator.press("I agree")
    start_recording(annotator)
    do_steps(annotator, "Clock")
    complete(annotator)


def see_what_came_of_it(lead: Annotator, task: QueuedTask) -> None:
    lead.press("Tasks")
    lead.press("Queue")
    lead.window.wait_until(lambda sight: any(one.name == "Recorded" for one in sight.items("Tasks")), "it as recorded")
    lead.photograph("tasks-queue")
    lead.press("Coverage")
    lead.select("Simulated emulator's apps", of="Coverage for the apps of")
    category = task.listed.task.category.replace("_", " ")
    lead.wait_for(f"{category} on {device_name(lead)}: 1 of", "1 of them recorded")
    lead.photograph("tasks-coverage")
    lead.press("Templates")
    lead.photograph("tasks-templates")


def assert_traced(room: Room, task: ListedTask) -> None:
    episode = the_episode(room)
    proof = room.store.provenance(episode.episode_id)
    assert proof is not None
    making = proof.origin.making
    assert making is not None
    text = making.text
    assert text is not None
    assert (making.template, making.slots, making.roles) == (task.template, task.slots, task.roles)
    assert episode.task.meta_task.format(**making.slots) == episode.task.task
    assert set(making.roles.values()) == set(episode.task.apps)
    assert episode.task.instruction == task.task.instruction
    assert UNCLE not in episode.task.instruction
    assert (text.writer, text.edited_by) == (Writer.MODEL, "Ada")
    assert (text.approval, text.approved_by) == (Approval.APPROVED, "Ada")
    assert text.call is not None
    assert (text.call.model_asked, text.call.model_answered) == (MODEL, MODEL)
