"""A day with tasks in the real window: a lead generates, rewrites and approves them, an annotator records one."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.model.text_origin import Approval, Writer
from odyssey_recorder.settings import Settings
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import QueuedTask, Status
from odyssey_recorder.wiring.user import annotator_tasks
from tests.end_to_end.journal_checks import published
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.sandbox import Sandbox
from tests.llm.careless_model import PRICE, UNCLE, careless
from tests.llm.good_model import right
from tests.llm.stand_in import MODEL, StandIn

pytestmark = [pytest.mark.timeout(300), pytest.mark.soak]


@pytest.fixture
def model() -> Iterator[StandIn]:
    with StandIn(right) as server:
        yield server


def test_task_from_generation_to_coverage(sandbox: Sandbox, model: StandIn) -> None:
    unlisted = sandbox.folder / "tasks.jsonl"
    unlisted.touch()
    write_price(sandbox)
    with sandbox.first_use(leads=True, tasks=str(unlisted), model=MODEL, model_url=model.url, name_apps=False) as ada:
        generate(ada)
        to_skip, to_edit, to_reject, to_leave = tasks_in_order(sandbox)
        model.behaviour = careless({task_text(to_reject): PRICE, task_text(to_edit): UNCLE})
        rewrite(ada)
        approve(ada, to_skip)
        reject_fault_found_by_rules(ada, to_reject)
        approve(ada, to_leave)
        edit_fault_found_by_judge(ada, to_edit)
        skip(ada, queued(sandbox, to_skip))
        record(ada, queued(sandbox, to_edit))
        check_result(ada, queued(sandbox, to_edit))
    statuses = [queued(sandbox, one).status for one in (to_skip, to_edit, to_reject, to_leave)]
    assert statuses == [Status.SKIPPED, Status.RECORDED, Status.REJECTED, Status.WAITING]
    assert (model.complaints, model.repeated) == ([], 0)
    assert_origin(sandbox, queued(sandbox, to_edit).listed)
    with sandbox.reviewer() as bea:
        bea.open_for_review(queued(sandbox, to_edit).listed.task.instruction)
        bea.wait_for(f"Written by the model {MODEL}. ", "Edited by Ada. Approved by Ada.")
        bea.check_layout("tasks-review")


def write_price(sandbox: Sandbox) -> None:
    prices = sandbox.folder / "config" / "odyssey-recorder" / "prices.toml"
    prices.parent.mkdir(parents=True)
    prices.write_text(f'date = 2026-11-01\n[[models]]\nname = "{MODEL}"\ninput = 1\noutput = 2\n', encoding="utf-8")


def queued(sandbox: Sandbox, task: QueuedTask) -> QueuedTask:
    found = next((one for one in tasks_in_order(sandbox) if one.task_id == task.task_id), None)
    assert found is not None
    return found


def tasks_in_order(sandbox: Sandbox) -> list[QueuedTask]:
    settings = Settings(
        dataset=sandbox.folder / "dataset",
        drafts=sandbox.folder / "drafts",
        tasks=sandbox.folder / "tasks.jsonl",
        annotator="Cleo",
    )
    with closing(annotator_tasks(settings)) as queue:
        return sorted(queue.board().tasks, key=lambda task: task.listed.due or date.max)


def task_text(task: QueuedTask) -> str:
    return task.listed.task.task


def generate(lead: Annotator) -> None:
    lead.press("Tasks")
    lead.press("Generate")
    with lead.dialog("Generate tasks"):
        lead.write("4", into="Number of tasks")
        lead.select("Simulated emulator's apps", of="For the apps of")
        lead.select(device_name(lead), of="For the device")
        lead.check_layout("tasks-generate")
        lead.press("Generate")
    lead.wait_for("4 tasks generated. They wait to be approved.", "A phrasing that a person wrote")


def rewrite(lead: Annotator) -> None:
    lead.press("Rewrite all")
    with lead.dialog("Rewrite"):
        lead.wait_for(f"{MODEL} at http://", "by the prices of 2026-11-01")
        lead.check_layout("tasks-rewrite")
        lead.keys("Return")
    lead.wait_for("4 tasks rewritten.", "Each still needs approval.")


def select_task(lead: Annotator, task: QueuedTask) -> None:
    lead.choose(f"· {task.listed.task.category.replace('_', ' ')} ·", of="Tasks to prepare")


def approve(lead: Annotator, task: QueuedTask) -> None:
    select_task(lead, task)
    lead.wait_for("The judge (stand-in-1) finds that both ask for the same.")
    lead.keys("a")


def reject_fault_found_by_rules(lead: Annotator, task: QueuedTask) -> None:
    select_task(lead, task)
    lead.wait_for("50")
    lead.check_layout("tasks-prepare")
    lead.keys("x")
    with lead.dialog("Reject"):
        lead.press("makes no sense")
        lead.keys("Return")


def edit_fault_found_by_judge(lead: Annotator, task: QueuedTask) -> None:
    select_task(lead, task)
    lead.wait_for("Added: It must be shown to the uncle.")
    lead.keys("e", "BackSpace", *["BackSpace"] * len(UNCLE))
    lead.check_layout("tasks-edit")
    lead.keys("ctrl+Return", expect="Edited by Ada.")
    lead.keys("a", expect="Nothing left to approve.")


def device_name(annotator: Annotator) -> str:
    return next(one.name for one in profiles() if one.key == annotator.phone.profile)


def skip(annotator: Annotator, task: QueuedTask) -> None:
    annotator.press("Record", expect=task.listed.task.instruction)
    annotator.press("Skip")
    with annotator.dialog("Skip the task"):
        annotator.press("later")
        annotator.keys("Return")


def record(annotator: Annotator, task: QueuedTask) -> None:
    annotator.wait_for(task.listed.task.instruction)
    annotator.press("Start recording")  # asks a lead for consent, once
    with annotator.dialog("Before you record"):
        annotator.press("I agree")
    annotator.start_recording()
    annotator.do_steps("Clock")
    annotator.complete()


def check_result(lead: Annotator, task: QueuedTask) -> None:
    lead.press("Tasks")
    lead.press("Queue")
    lead.wait_for_entry("Recorded", of="Tasks")
    lead.check_layout("tasks-queue")
    lead.press("Coverage")
    lead.select("Simulated emulator's apps", of="Coverage for the apps of")
    category = task.listed.task.category.replace("_", " ")
    lead.wait_for(f"{category} on {device_name(lead)}: 1 of", "1 of them recorded")
    lead.check_layout("tasks-coverage")
    lead.press("Templates")
    lead.check_layout("tasks-templates")


def assert_origin(sandbox: Sandbox, task: ListedTask) -> None:
    episode, provenance = published(sandbox.store, sandbox.episode.episode_id)
    making = provenance.origin.making
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
