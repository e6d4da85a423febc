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
from odyssey_recorder.task.generation.generator import Targets
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.board import Status, TaskEvent
from odyssey_recorder.task.queue.queue import TaskQueue
from odyssey_recorder.task.templates.filling import fill
from odyssey_recorder.task.templates.template_files import load_library, shipped_templates
from odyssey_recorder.task.wording.rewriting import Rewritten
from odyssey_recorder.task_service import ModelChoice, TaskService, TemplateChoice, suiting
from tests.llm.good_model import in_words, right
from tests.llm.questions import batch_with
from tests.llm.stand_in import MODEL, StandIn, says, shortest
from tests.task.queues import Queues, claimed_id
from tests.task.test_proposing import NEW

SIX = ModelChoice(6, 1, "simulated_phone", frozenset(), names_apps=False)


@dataclass
class Room:
    queue: TaskQueue
    server: StandIn
    own: Path
    why_not: str = ""
    told: list[Rewritten] = field(default_factory=list)

    def __post_init__(self) -> None:
        folders = lambda: [shipped_templates(), *([self.own] if self.own.is_dir() else [])]  # noqa: E731
        self.service = TaskService(
            self.queue, lambda: "Lea", TemplateChoice(folders, lambda: self.own, lambda: False), self._batch
        )

    def _batch(self, budget: float | None) -> Batch:
        if self.why_not:
            raise SettingsError(self.why_not)
        model = OpenAIModel(MODEL, self.server.url, SecretStr("key"))
        return batch_with(model, read_prices(), at_once=1, budget=budget)

    def made(self) -> list[str]:
        return [task.task_id for task in self.service.generate(SIX).tasks]

    def seen(self, *task_ids: str) -> list[ListedTask]:
        listed = {task.task_id: task.listed for task in self.service.board().tasks}
        return [listed[one] for one in task_ids]

    def rewrite(self, task_ids: list[str], came: Callable[[Rewritten], None] | None = None) -> None:
        self.service.rewrite(
            task_ids,
            budget=None,
            progress=lambda _progress: None,
            came=came or self.told.append,
            cancelled=lambda: False,
        )


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    queues = Queues(tmp_path)
    with StandIn(right) as server:
        yield Room(queues.queue(), server, tmp_path / "own")
    queues.close()


def test_what_is_made_waits_for_a_person_to_approve_it(room: Room) -> None:
    task_ids = room.made()
    board = room.service.board()
    assert [task.task_id for task in board.tasks] == task_ids
    assert board.count(Status.TO_APPROVE) == 6
    assert room.queue.claim_next() is None
    room.service.approve(room.seen(*task_ids[:2]))
    with pytest.raises(TaskError, match="Enter a reason"):
        room.service.reject(room.seen(task_ids[2]), " ")
    room.service.reject(room.seen(task_ids[2]), "too like the last")
    board = room.service.board()
    assert (board.count(Status.WAITING), board.count(Status.REJECTED), board.count(Status.TO_APPROVE)) == (2, 1, 3)
    approved, rejected = board.tasks[0].listed.text, board.tasks[2].listed.text
    assert approved is not None
    assert rejected is not None
    assert (approved.approval, approved.approved_by) == (Approval.APPROVED, "Lea")
    assert (rejected.approval, rejected.note) == (Approval.REJECTED, "too like the last")
    assert claimed_id(room.queue.claim_next()) in task_ids[:2]


def test_nothing_is_made_twice_and_it_is_told_how_many_are_left(room: Room) -> None:
    left = sum(room.service.left().values())
    first = {task.task.task for task in room.service.generate(SIX).tasks}
    assert sum(room.service.left().values()) == left - 6
    assert not first & {task.task.task for task in room.service.generate(SIX).tasks}


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
def test_what_is_promised_is_what_can_be_made(room: Room, wanted: ModelChoice, targets: str, count: int) -> None:
    if targets:
        room.own.mkdir()
        (room.own / "targets.yaml").write_text(f"categories: {{{targets}}}\n")
    room.service.generate(replace(wanted, count=2))
    there = len(room.service.board().tasks)
    left, library = room.service.left(), room.service.library()
    promised = sum(left[one.template_id] for one in suiting(library, wanted, room.service.targets()))
    made = room.service.generate(wanted)
    assert len(made.tasks) == promised == count - there
    assert sum(made.left.values()) == 0


def test_the_board_counts_towards_the_number_of_tasks_that_the_targets_name(room: Room) -> None:
    room.made()
    room.own.mkdir()
    (room.own / "targets.yaml").write_text("tasks: 3600\n")
    coverage = room.service.coverage("simulated_phone")
    assert {coverage.at(category.value, "pixel_fold").whole[1] for category in Category} == {100}


def test_a_cell_of_the_board_is_filled(room: Room) -> None:
    cell = room.service.coverage("simulated_phone").emptiest[0]
    wanted = replace(
        SIX, count=2, categories=frozenset({Category(cell.category)}), device=cell.device, app_class=cell.app_class
    )
    batch = room.service.generate(wanted)
    assert [task.devices for task in batch.tasks] == [(cell.device,)] * 2
    tally = room.service.coverage("simulated_phone").tallies[cell]
    assert tally.open > 0


def test_rewritten_words_are_put_down_as_they_come(room: Room) -> None:
    task_ids = room.made()
    estimate = room.service.estimate(task_ids)
    assert (estimate.calls, estimate.kept, estimate.model) == (12, 0, MODEL)
    room.rewrite(task_ids)
    assert {one.task.task_id for one in room.told} == {*task_ids}
    for task in room.service.board().tasks:
        assert task.listed.task.instruction == in_words(task.listed.task.task)
        assert task.listed.text is not None
        assert task.listed.text.writer is Writer.MODEL
        assert task.status is Status.TO_APPROVE
        assert [entry.event for entry in task.history] == [TaskEvent.PREPARED, TaskEvent.REWRITTEN]


def test_words_of_a_model_go_back_to_the_phrasing_there_was_or_to_one_of_the_template(room: Room) -> None:
    task_ids = room.made()
    phrasings = [task.listed for task in room.service.board().tasks]
    room.rewrite(task_ids)
    later = replace(room).service  # of a program that was started anew
    assert list(room.service.rephrase(task_ids)) == phrasings
    assert [task.listed for task in room.service.board().tasks] == phrasings
    room.rewrite(task_ids)
    library = {one.template_id: one for one in later.library().templates}
    for task in later.rephrase(task_ids):
        of_template = library[task.template].phrasings
        assert task.task.instruction in [fill(words, {**task.slots, **task.roles}) for words in of_template]
        assert task.text == TextOrigin(Writer.PHRASING, names_apps=False)


def test_a_phrasing_that_is_back_is_approved_also_after_an_edit(room: Room) -> None:
    (first, *_) = room.made()
    (seen,) = room.seen(first)
    room.rewrite([first])
    room.service.edit(first, "Do one thing")
    room.service.approve(room.service.rephrase([first]))
    (task, *_) = room.service.board().tasks
    assert (task.status, task.listed.task) == (Status.WAITING, seen.task)


def test_a_task_whose_template_is_gone_keeps_its_words(room: Room) -> None:
    (first, *_) = room.made()
    (seen,) = room.seen(first)
    room.queue.amend([replace(seen, template="gone", text=TextOrigin(Writer.MODEL))], "Lea")
    with pytest.raises(TaskError, match=f"Task {first} has no phrasing: its template gone is gone or has changed"):
        room.service.rephrase([first])


def test_what_a_person_changed_meanwhile_stays(room: Room) -> None:
    first, *_, last = task_ids = room.made()

    def change_the_last(rewritten: Rewritten) -> None:
        room.told.append(rewritten)
        if rewritten.task.task_id == first:
            room.service.edit(last, "These are my own words")

    room.rewrite(task_ids, change_the_last)
    assert room.told[-1].trouble == f"The task {last} was changed by somebody else. Read it again."
    left = room.service.board().tasks[-1].listed
    assert left.task.instruction == "These are my own words"
    assert left.text is not None
    assert left.text.edited_by == "Lea"


def test_what_a_lead_has_just_written_is_approved_before_the_list_is_read_again(room: Room) -> None:
    (first, *_) = room.made()
    seen = room.seen(first)
    room.service.edit(first, "Do one thing")
    between = room.seen(first)
    edited = room.service.edit(first, "Do another thing")
    room.service.reject(seen, "not yet")
    room.service.approve(between)
    (task, *_) = room.service.board().tasks
    assert task.status is Status.WAITING
    assert task.listed.task == edited.task


def test_the_rules_look_at_a_persons_words(room: Room) -> None:
    (first, *_) = room.made()
    room.service.approve(room.seen(first))
    edited = room.service.edit(first, "  Do something\nelse   entirely, please ")
    assert edited.task.instruction == "Do something else entirely, please"
    assert edited.text is not None
    assert edited.text.equivalence is not None
    assert edited.text.equivalence.faults
    assert edited.text.approval is Approval.OPEN
    with pytest.raises(TaskError, match="must not be empty"):
        room.service.edit(first, " \n")


def test_a_task_that_is_gone_is_named_and_why_no_model_can_be_asked(room: Room) -> None:
    (first, *_) = room.made()
    (seen,) = room.seen(first)
    assert room.service.can_ask == ""
    with pytest.raises(TaskError, match="Task nobody is no longer in the queue"):
        room.service.estimate(["nobody"])
    with pytest.raises(TaskError, match="The task nobody is not in the queue"):
        room.service.approve([replace(seen, task_id="nobody")])
    room.why_not = "No language model is set."
    assert room.service.can_ask == "No language model is set."


def test_a_proposal_is_kept_as_a_template_of_ones_own(room: Room) -> None:
    room.server.behaviour = lambda asked: (
        says({"templates": [NEW]}) if "templates" in asked.schema["properties"] else shortest(asked)
    )
    (proposal,) = room.service.propose(Category.MEDIA_ENTERTAINMENT, 1, cancelled=lambda: False)
    assert proposal.faults == ()
    kept = room.service.keep(proposal)
    assert kept.source is not None
    assert kept.source.is_relative_to(room.own / "Media_Entertainment")
    library = load_library([shipped_templates(), room.own])
    assert kept in library.templates
    assert room.service.left()[kept.template_id] == 2


def test_a_template_for_other_devices_is_not_promised(room: Room) -> None:
    library = room.service.library()
    of_fold = replace(library.templates[0], template_id="fold", devices=("pixel_fold",))
    library = replace(library, templates=(of_fold,))
    wanted = ModelChoice(1, 1, of_fold.catalogue, frozenset(), names_apps=True)
    assert suiting(library, replace(wanted, device="pixel_tablet"), Targets()) == ()
    assert suiting(library, replace(wanted, device="pixel_fold"), Targets()) == (of_fold,)
    assert suiting(library, wanted, Targets(devices={"pixel_tablet": 1.0, "pixel_fold": 0.0})) == ()
