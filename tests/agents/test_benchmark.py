"""The benchmark tasks on the simulated phone: their gold scripts solve them, and doing nothing does not."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.agents.benchmark import BenchmarkTask, Move, OnText, read_benchmark, shipped_benchmark
from odyssey_recorder.dataset.goal_proposals import proposals
from odyssey_recorder.dataset.goals import TaskGoal, judge
from odyssey_recorder.errors import TaskError
from odyssey_recorder.recording.script import PressKey
from odyssey_recorder.tasks.listing import read_tasks, shipped_tasks
from odyssey_simulator.profile import PROFILES, profile_named
from tests.agents.guard_steps import carry_out
from tests.simulator.bench import half_as_dense
from tests.simulator.person import person_with

TASKS = read_benchmark(shipped_benchmark())
PROFILES_OF_SOAK = [name for name in PROFILES if name != "small_phone"]
MOST_MOVES = 5
"""Of gold scripts that `make test` plays with a second seed, too."""


def attempts() -> Iterator[Any]:
    """Task, seed and profile; in all, those with parameters with two seeds on every profile."""
    for name, template in TASKS.items():
        for seed in (0, 1) if template.row.parameters else (0,):
            is_short = seed == 0 or len(template.filled(seed).gold) <= MOST_MOVES
            yield pytest.param(name, seed, "small_phone", marks=() if is_short else pytest.mark.soak)
            yield from (pytest.param(name, seed, one, marks=pytest.mark.soak) for one in PROFILES_OF_SOAK)


def test_every_phone_task_has_goals_and_a_gold_script() -> None:
    listed = {task.task_id for task in read_tasks(shipped_tasks())}
    assert {name for name, one in TASKS.items() if one.row.task is None} == listed
    assert len(TASKS) > 100


@pytest.mark.parametrize(("task_id", "seed", "profile"), list(attempts()))
def test_gold_script_solves_the_task_and_idling_does_not(task_id: str, seed: int, profile: str) -> None:
    task = TASKS[task_id].filled(seed)
    with person_with(half_as_dense(profile_named(profile))) as person:
        before = person.phone.facts()
        idle = judge(task.goals, task.answer, before=before, after=before, note="")
        assert not idle.succeeded
        assert not idle.was_done
        for move in task.gold:
            carry_out(person, move)
        assert judge(task.goals, task.answer, before=before, after=person.phone.facts(), note=task.answer).missed == ()


def facts_of(*moves: Move) -> tuple[dict[str, Any], dict[str, Any]]:
    """At the start, and after these moves."""
    with person_with(half_as_dense(profile_named("small_phone"))) as person:
        before = person.phone.facts()
        for move in moves:
            carry_out(person, move)
        return before, person.phone.facts()


@pytest.mark.parametrize("tasks", [3, pytest.param(20, marks=pytest.mark.soak)])
def test_marks_on_the_changes_of_gold_runs_agree_with_the_goals_of_the_tasks(tasks: int) -> None:
    """An annotator marks all that follows from the instruction; the other runs take a detour, or do not finish."""
    right = wrong = 0
    for listed in read_tasks(shipped_tasks())[::2][:tasks]:
        task = TASKS[listed.task_id].filled(0)
        marks = [goal for goal in proposals(*facts_of(*task.gold)) if "when" not in goal.path]

        def agrees(moves: Sequence[Move], *, succeeds: bool, task: BenchmarkTask = task, marks: Any = marks) -> bool:
            before, after = facts_of(*moves)
            own, marked = (
                judge(goals, task.answer, before=before, after=after, note=task.answer) for goals in (task.goals, marks)
            )
            assert marked.succeeded == own.succeeded, (task.task_id, moves, marked.missed, own.missed)
            return own.succeeded is succeeds

        right += agrees([OnText(on="Clock"), PressKey(key="HOME"), *task.gold], succeeds=True)
        wrong += agrees(task.gold[: len(task.gold) // 2], succeeds=False)
    assert (right, wrong) == (tasks, tasks)


FACTS: dict[str, Any] = {
    "notes": {
        "notes": [{"title": "Milk", "body": "Two litres", "tags": ["shop", "today"]}, {"title": "Tea", "body": ""}]
    },
    "settings": {"secure": {"notify_com.shop": "0", "volume": 5, "dark": True}},
    "sums": [["1+1", "2"]],
}


@pytest.mark.parametrize(
    ("path", "op", "value", "is_met"),
    [
        ("notes.notes.title", "equals", "Tea", True),
        ("notes.notes.title", "equals", "tea", False),
        ("notes.notes[title=milk].body", "contains", "LITRES", True),
        ("notes.notes[title~mil].body", "contains", ["two", "litres"], True),
        ("notes.notes[title=Tea].body", "contains", "litres", False),
        ("notes.notes[tags=today].title", "equals", "Milk", True),
        ("notes.notes[title=Milk].tags", "equals", ["shop", "today"], True),
        ("notes.notes", "count", 2, True),
        ("notes.notes[title=Coffee]", "count", 0, True),
        ("notes.notes[title=Coffee]", "any", None, False),
        ('settings.secure."notify_com.shop"', "equals", "0", True),
        (r"settings.secure.notify_com\.shop", "equals", "0", True),
        (r"notes.notes[title=T\ea].title", "equals", "Tea", True),
        ("settings.secure.volume", "equals", 5, True),
        ("settings.secure[dark=true].volume", "any", None, True),
        ("sums", "equals", "2", True),
        ("mail.box", "any", None, False),
        ("notes.notes", "unchanged", None, False),
        ("settings", "unchanged", None, True),
    ],
)
def test_goal_is_met_by_the_facts_at_its_path(path: str, op: Any, value: Any, *, is_met: bool) -> None:
    before = {**FACTS, "notes": {"notes": []}}
    assert TaskGoal(path=path, op=op, value=value).is_met(before, FACTS) is is_met


@pytest.mark.parametrize(
    "goal",
    [
        {"path": "", "op": "any"},
        {"path": "notes.", "op": "any"},
        {"path": "notes\\", "op": "any"},
        {"path": "notes[title]", "op": "any"},
        {"path": "notes", "op": "equals"},
        {"path": "notes", "op": "count", "value": "2"},
        {"path": "notes", "op": "contains", "value": [1]},
        {"path": "notes", "op": "unchanged", "value": 1},
    ],
)
def test_invalid_goal_is_rejected_with_its_line(goal: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "goals.jsonl"
    row = {"task_id": "a", "goals": [goal], "gold": []}
    path.write_text(f"{json.dumps(row | {'goals': [{'path': 'notes', 'op': 'any'}]})}\n{json.dumps(row)}\n")
    with pytest.raises(TaskError, match=r"line 2: goals\.0"):
        read_benchmark(path)


def test_initially_met_goals_and_missing_answers_are_reported() -> None:
    done = TaskGoal(path="sums", op="equals", value="2")
    judged = judge([done], "", before=FACTS, after=FACTS, note="")
    assert (judged.succeeded, judged.was_done) == (True, True)
    judged = judge([done], "18:00", before=FACTS, after=FACTS, note="It is late.")
    assert (judged.succeeded, judged.was_done, judged.lacks_answer) == (False, False, True)
    assert judge([done], "18:00", before=FACTS, after=FACTS, note="It is 18:00 there.").succeeded
