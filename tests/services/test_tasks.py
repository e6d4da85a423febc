from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from odyssey_recorder.errors import SettingsError, TaskError
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.prices import read_prices
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.text_origin import Approval, TextOrigin, Writer
from odyssey_recorder.services.tasks import ModelChoice, TaskService, TemplateChoice, suiting
from odyssey_recorder.tasks.generation.generator import Targets
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import Status, TaskEvent
from odyssey_recorder.tasks.templates.filling import fill
from odyssey_recorder.tasks.templates.team import Lacking, Team
from odyssey_recorder.tasks.templates.template_files import load_library, shipped_templates
from odyssey_recorder.tasks.wording.rewriting import Rewritten
from tests.llm.good_model import in_words, right
from tests.llm.questions import batch_with
from tests.llm.stand_in import MODEL, StandIn, says, shortest
from tests.tasks.queues import Queues, claimed_id
from tests.tasks.test_proposing import NEW

SIX_TASKS = ModelChoice(6, 1, "simulated_phone", frozenset(), names_apps=False)


@dataclass
class TaskSetup:
    queue: TaskQueue
    server: StandIn
    own: Path
    model_error: str = ""
    received: list[Rewritten] = field(default_factory=list)

    def __post_init__(self) -> None:
        folders = lambda: [shipped_templates(), *([self.own] if self.own.is_dir() else [])]  # noqa: E731
        templates = TemplateChoice(folders, lambda: self.own, lambda: False, lambda: self.own.with_name("team.yaml"))
        self.service = TaskService(self.queue, lambda: "Lea", templates, self._batch)

    def _batch(self, budget: float | None) -> Batch:
        if self.model_error:
            raise SettingsError(self.model_error)
        model = OpenAIModel(MODEL, self.server.url, SecretStr("key"))
        return batch_with(model, read_prices(), at_once=1, budget=budget)

    def generate(self) -> list[str]:
        return [task.task_id for task in self.service.generate(SIX_TASKS).tasks]

    def listed(self, *task_ids: str) -> list[ListedTask]:
        listed = {task.task_id: task.listed for task in self.service.board().tasks}
        return [listed[one] for one in task_ids]

    def rewrite(self, task_ids: list[str], on_rewritten: Callable[[Rewritten], None] | None = None) -> None:
        self.service.rewrite(
            task_ids,
            budget=None,
            progress=lambda _progress: None,
            came=on_rewritten or self.received.append,
            cancelled=lambda: False,
        )


def origin_of(task: ListedTask) -> TextOrigin:
    assert task.text is not None
    return task.text


@pytest.fixture
def setup(tmp_path: Path) -> Iterator[TaskSetup]:
    queues = Queues(tmp_path)
    with StandIn(right) as server:
        yield TaskSetup(queues.queue(), server, tmp_path / "own")
    queues.close()


def test_generated_tasks_wait_for_approval(setup: TaskSetup) -> None:
    task_ids = setup.generate()
    board = setup.service.board()
    assert [task.task_id for task in board.tasks] == task_ids
    assert board.count(Status.TO_APPROVE) == 6
    assert setup.queue.claim_next() is None
    setup.service.approve(setup.listed(*task_ids[:2]))
    with pytest.raises(TaskError, match="Enter a reason"):
        setup.service.reject(setup.listed(task_ids[2]), " ")
    setup.service.reject(setup.listed(task_ids[2]), "too like the last")
    board = setup.service.board()
    assert (board.count(Status.WAITING), board.count(Status.REJECTED), board.count(Status.TO_APPROVE)) == (2, 1, 3)
    approved, rejected = origin_of(board.tasks[0].listed), origin_of(board.tasks[2].listed)
    assert (approved.approval, approved.approved_by) == (Approval.APPROVED, "Lea")
    assert (rejected.approval, rejected.note) == (Approval.REJECTED, "too like the last")
    assert claimed_id(setup.queue.claim_next()) in task_ids[:2]


def test_tasks_are_never_generated_twice(setup: TaskSetup) -> None:
    left = sum(setup.service.left().values())
    first = {task.task.task for task in setup.service.generate(SIX_TASKS).tasks}
    assert sum(setup.service.left().values()) == left - 6
    assert not first & {task.task.task for task in setup.service.generate(SIX_TASKS).tasks}


ALL = ModelChoice(500, 1, "android", frozenset({Category.GENERAL_TOOL}), names_apps=True)


@pytest.mark.parametrize(
    ("wanted", "targets", "count"),
    [
        (replace(ALL, app_class="Documents"), "", 30),
        (replace(ALL, app_class="Shopping"), "", 0),
        (replace(ALL, catalogue="simulated_phone"), "Multi_Apps: 1", 0),
    ],
    ids=["a class", "no such class", "a target of 0"],
)
def test_promised_count_equals_generated_count(setup: TaskSetup, wanted: ModelChoice, targets: str, count: int) -> None:
    if targets:
        setup.own.mkdir()
        (setup.own / "targets.yaml").write_text(f"categories: {{{targets}}}\n")
    setup.service.generate(replace(wanted, count=2))
    existing = len(setup.service.board().tasks)
    left, library = setup.service.left(), setup.service.library()
    promised = sum(left[one.template_id] for one in suiting(library, wanted, setup.service.targets()))
    batch = setup.service.generate(wanted)
    assert len(batch.tasks) == promised == count - existing
    assert sum(batch.left.values()) == 0


def test_coverage_counts_towards_the_target_number(setup: TaskSetup) -> None:
    setup.generate()
    setup.own.mkdir()
    (setup.own / "targets.yaml").write_text("tasks: 3600\n")
    coverage = setup.service.coverage("simulated_phone")
    assert {coverage.at(category.value, "pixel_fold").whole[1] for category in Category} == {100}


def test_coverage_cell_is_filled(setup: TaskSetup) -> None:
    cell = setup.service.coverage("simulated_phone").emptiest[0]
    wanted = replace(
        SIX_TASKS,
        count=2,
        categories=frozenset({Category(cell.category)}),
        device=cell.device,
        app_class=cell.app_class,
    )
    batch = setup.service.generate(wanted)
    assert [task.devices for task in batch.tasks] == [(cell.device,)] * 2
    tally = setup.service.coverage("simulated_phone").tallies[cell]
    assert tally.open > 0


def test_rewritten_instructions_are_stored_as_they_arrive(setup: TaskSetup) -> None:
    task_ids = setup.generate()
    estimate = setup.service.estimate(task_ids)
    assert (estimate.calls, estimate.kept, estimate.model) == (12, 0, MODEL)
    setup.rewrite(task_ids)
    assert {one.task.task_id for one in setup.received} == {*task_ids}
    for task in setup.service.board().tasks:
        assert task.listed.task.instruction == in_words(task.listed.task.task)
        assert origin_of(task.listed).writer is Writer.MODEL
        assert task.status is Status.TO_APPROVE
        assert [entry.event for entry in task.history] == [TaskEvent.PREPARED, TaskEvent.REWRITTEN]


def test_rewritten_instruction_can_be_reverted_to_a_phrasing(setup: TaskSetup) -> None:
    task_ids = setup.generate()
    phrasings = [task.listed for task in setup.service.board().tasks]
    setup.rewrite(task_ids)
    later = replace(setup).service  # as after a restart of the program
    assert list(setup.service.rephrase(task_ids)) == phrasings
    assert [task.listed for task in setup.service.board().tasks] == phrasings
    setup.rewrite(task_ids)
    library = {one.template_id: one for one in later.library().templates}
    for task in later.rephrase(task_ids):
        of_template = library[task.template].phrasings
        assert task.task.instruction in [fill(words, {**task.slots, **task.roles}) for words in of_template]
        assert task.text == TextOrigin(Writer.PHRASING, names_apps=False)


def test_reverted_phrasing_can_be_approved_after_an_edit(setup: TaskSetup) -> None:
    (first, *_) = setup.generate()
    (listed,) = setup.listed(first)
    setup.rewrite([first])
    setup.service.edit(first, "Do one thing")
    setup.service.approve(setup.service.rephrase([first]))
    (task, *_) = setup.service.board().tasks
    assert (task.status, task.listed.task) == (Status.WAITING, listed.task)


def test_task_without_its_template_cannot_be_reverted(setup: TaskSetup) -> None:
    (first, *_) = setup.generate()
    (listed,) = setup.listed(first)
    setup.queue.amend([replace(listed, template="gone", text=TextOrigin(Writer.MODEL))], "Lea")
    with pytest.raises(TaskError, match=f"Task {first} has no phrasing: its template gone is gone or has changed"):
        setup.service.rephrase([first])


def test_rewrite_keeps_a_concurrent_edit(setup: TaskSetup) -> None:
    first, *_, last = task_ids = setup.generate()

    def change_the_last(rewritten: Rewritten) -> None:
        setup.received.append(rewritten)
        if rewritten.task.task_id == first:
            setup.service.edit(last, "These are my own words")

    setup.rewrite(task_ids, change_the_last)
    assert setup.received[-1].trouble == f"The task {last} was changed by somebody else. Read it again."
    left = setup.service.board().tasks[-1].listed
    assert left.task.instruction == "These are my own words"
    assert origin_of(left).edited_by == "Lea"


def test_own_edit_is_approved_before_the_list_is_refreshed(setup: TaskSetup) -> None:
    (first, *_) = setup.generate()
    listed = setup.listed(first)
    setup.service.edit(first, "Do one thing")
    between = setup.listed(first)
    edited = setup.service.edit(first, "Do another thing")
    setup.service.reject(listed, "not yet")
    setup.service.approve(between)
    (task, *_) = setup.service.board().tasks
    assert task.status is Status.WAITING
    assert task.listed.task == edited.task


def test_edited_instruction_is_checked_by_the_rules(setup: TaskSetup) -> None:
    (first, *_) = setup.generate()
    setup.service.approve(setup.listed(first))
    edited = setup.service.edit(first, "  Do something\nelse   entirely, please ")
    assert edited.task.instruction == "Do something else entirely, please"
    origin = origin_of(edited)
    assert origin.equivalence is not None
    assert origin.equivalence.faults
    assert origin.approval is Approval.OPEN
    with pytest.raises(TaskError, match="must not be empty"):
        setup.service.edit(first, " \n")


def test_missing_task_and_unavailable_model_are_reported(setup: TaskSetup) -> None:
    (first, *_) = setup.generate()
    (listed,) = setup.listed(first)
    assert setup.service.can_ask == ""
    with pytest.raises(TaskError, match="Task nobody is no longer in the queue"):
        setup.service.estimate(["nobody"])
    with pytest.raises(TaskError, match="The task nobody is not in the queue"):
        setup.service.approve([replace(listed, task_id="nobody")])
    setup.model_error = "No language model is set."
    assert setup.service.can_ask == "No language model is set."


def test_proposal_is_saved_as_a_custom_template(setup: TaskSetup) -> None:
    setup.server.behaviour = lambda asked: (
        says({"templates": [NEW]}) if "templates" in asked.schema["properties"] else shortest(asked)
    )
    (proposal,) = setup.service.propose(Category.MEDIA_ENTERTAINMENT, 1, cancelled=lambda: False)
    assert proposal.faults == ()
    kept = setup.service.keep(proposal)
    assert kept.source is not None
    assert kept.source.is_relative_to(setup.own / "Media_Entertainment")
    library = load_library([shipped_templates(), setup.own])
    assert kept in library.templates
    assert setup.service.left()[kept.template_id] == 2


def test_template_for_other_devices_is_not_offered(setup: TaskSetup) -> None:
    library = setup.service.library()
    fold_template = replace(library.templates[0], template_id="fold", devices=("pixel_fold",))
    library = replace(library, templates=(fold_template,))
    wanted = ModelChoice(1, 1, fold_template.catalogue, frozenset(), names_apps=True)
    assert suiting(library, replace(wanted, device="pixel_tablet"), Targets()) == ()
    assert suiting(library, replace(wanted, device="pixel_fold"), Targets()) == (fold_template,)
    assert suiting(library, wanted, Targets(devices={"pixel_tablet": 1.0, "pixel_fold": 0.0})) == ()


def test_apps_of_the_team_change_what_is_generated(setup: TaskSetup) -> None:
    setup.service.change_team(Team(without=Lacking(apps=("Clock", "Fossify Clock"))))
    batch = setup.service.generate(replace(ALL, count=20))
    assert not {"Clock", "Fossify Clock"} & {app for task in batch.tasks for app in task.task.apps}
    assert "no app for clock" in batch.left_out
    assert batch.left_out == setup.service.library().left_out_text("android")
    with pytest.raises(TaskError, match='no app of android has "Clok"'):
        setup.service.change_team(Team(without=Lacking(apps=("Clok",))))
    assert setup.service.team().without.apps == ("Clock", "Fossify Clock")
