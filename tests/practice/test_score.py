from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.model.action import Action, Click, Complete, Impossible, Press, SystemKey, Type, action_type
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.practice.gold import PassedStep, Trail, read_gold
from odyssey_recorder.practice.score import score
from odyssey_recorder.practice.tasks import Milestone, PracticeTask, practice_tasks

TASKS = practice_tasks()
BY_NAME = {task.folder.name: task for task in TASKS}
DETOUR = PassedStep(Click(Point(1, 1)), "com.example.elsewhere", "com.example.elsewhere.Main", ("Nothing of interest",))

any_task = st.sampled_from(TASKS)


def gold(task: PracticeTask) -> Trail:
    return read_gold(task).trail


def ended(trail: Trail, end: Action) -> Trail:
    return (*trail[:-1], replace(trail[-1], action=end))


@pytest.mark.parametrize("task", TASKS, ids=list(BY_NAME))
def test_gold_episode_has_full_score(task: PracticeTask) -> None:
    result = score(task, gold(task), gold(task))
    assert (result.value, result.missed, result.remarks) == (100, (), ())
    assert len(result.passed) == len(task.milestones) + bool(task.answer)


@pytest.mark.parametrize("task", TASKS, ids=list(BY_NAME))
def test_episode_of_another_task_fails(task: PracticeTask) -> None:
    others = [score(task, gold(other), gold(task)) for other in TASKS if other is not task]
    assert [result.value for result in others if result.is_passed] == []


@given(any_task, st.data())
def test_harmless_detours_do_not_fail(task: PracticeTask, data: st.DataObject) -> None:
    trail = list(gold(task))
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(trail) - 1))
        trail.insert(at, replace(DETOUR, is_idle=data.draw(st.booleans())))
    result = score(task, tuple(trail), gold(task))
    assert result.missed == ()
    assert result.is_passed


@given(any_task, st.data())
def test_missed_screen_lowers_the_score(task: PracticeTask, data: st.DataObject) -> None:
    wanted = data.draw(st.sampled_from([milestone for milestone in task.milestones if milestone.shows]))
    without_it = tuple(
        replace(step, texts=tuple(t for t in step.texts or () if wanted.shows[0].casefold() not in t.casefold()))
        for step in gold(task)
    )
    result = score(task, without_it, gold(task))
    assert wanted.words in result.missed
    assert result.value < 100


def test_milestones_count_only_in_order() -> None:
    task = BY_NAME["10-two-apps"]
    backwards = (*reversed(gold(task)[:-1]), gold(task)[-1])
    assert score(task, backwards, gold(task)).missed == ("the page of the kettle is open",)


@pytest.mark.parametrize("task", TASKS, ids=list(BY_NAME))
def test_wrong_ending_fails(task: PracticeTask) -> None:
    end: Action = Complete(task.answer) if task.ending == "IMPOSSIBLE" else Impossible(task.answer or "no results")
    result = score(task, ended(gold(task), end), gold(task))
    assert (result.has_right_ending, result.is_passed) == (False, False)
    assert result.remarks[0].startswith("The right ending is ")


@pytest.mark.parametrize("task", [task for task in TASKS if task.answer], ids=lambda task: task.folder.name)
def test_missing_answer_fails(task: PracticeTask) -> None:
    result = score(task, ended(gold(task), Complete("I have seen it.")), gold(task))
    assert (result.missed, result.is_passed) == (("the answer is in the note",), False)


@pytest.mark.parametrize(
    ("name", "taught"),
    [
        ("04-type", "TYPE"), ("05-back", "BACK"), ("06-home", "TYPE"), ("07-recent", "RECENT"),
        ("08-long-press", "LONG_PRESS"), ("09-impossible", "TYPE"),
    ],
)  # fmt: skip
def test_attempt_without_the_taught_action_fails(name: str, taught: str) -> None:
    task, tap = BY_NAME[name], Click(Point(5, 5))
    tapped = tuple(replace(step, action=tap) if action_type(step.action) == taught else step for step in gold(task))
    result = score(task, tapped, gold(task))
    assert (len(result.missed), result.is_passed) == (1, False)


def test_heavier_of_two_exclusive_milestones_counts() -> None:
    first, second = (Milestone(words, shows=(words,)) for words in ("first", "second"))
    typed = Milestone("typed", typed="words")
    task = replace(BY_NAME["01-click"], milestones=(first, second, typed))
    typing = PassedStep(Type("words"), "a", "a.Main", ("a field",))
    looking = [PassedStep(Click(Point(1, 1)), "b", "b.Main", (words,)) for words in ("first", "second")]
    end = PassedStep(Complete(""), "b", "b.Main", ("nothing",))
    result = score(task, (typing, *looking, end), (*looking, typing, end))
    assert (result.passed, result.value) == (("typed",), 60)


def test_text_may_be_typed_in_pieces_and_capitals() -> None:
    task = BY_NAME["04-type"]
    at = next(number for number, step in enumerate(gold(task)) if isinstance(step.action, Type))
    step = gold(task)[at]
    pieces = tuple(replace(step, action=Type(piece)) for piece in ("Buy ", "MILK"))
    assert score(task, (*gold(task)[:at], *pieces, *gold(task)[at + 1 :]), gold(task)).value == 100


def test_idle_steps_cost_little() -> None:
    task = BY_NAME["01-click"]
    idle = replace(gold(task)[0], is_idle=True)
    assert score(task, (idle, *gold(task)), gold(task)).value == 98
    many = score(task, (*(idle for _ in range(30)), *gold(task)), gold(task))
    assert many.value == 90
    assert many.remarks == ("30 steps changed nothing on the screen. Remove such steps with Undo.",)


def test_hints_are_reported_and_cost_little() -> None:
    task = BY_NAME["03-scroll"]
    result = score(task, gold(task), gold(task), hints=1)
    assert (result.value, result.remarks) == (99, ("1 hint taken.",))
    assert score(task, gold(task), gold(task), hints=90).value == 95


def test_unreadable_screen_in_the_right_app_counts() -> None:
    task = BY_NAME["01-click"]
    unread = (gold(task)[0], replace(gold(task)[1], texts=None), replace(gold(task)[2], texts=None))
    result = score(task, unread, gold(task))
    assert (result.value, result.remarks) == (100, ("2 screens could not be read and are counted as right.",))


def test_unknown_screens_pass_nothing() -> None:
    task = BY_NAME["01-click"]
    unknown = tuple(replace(step, texts=None, package="") for step in gold(task))
    assert score(task, unknown, gold(task)).passed == ()


def test_thousand_steps_are_scored() -> None:
    task = BY_NAME["10-two-apps"]
    wandering = (*[replace(DETOUR, action=Press(SystemKey.HOME))] * 1000, *gold(task))
    assert score(task, wandering, gold(task)).missed == ()
