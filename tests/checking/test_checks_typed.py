"""ACT11: typed texts against the time, number, name or text that the task demands."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from odyssey_recorder.agents.benchmark import read_benchmark, shipped_benchmark
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.model.action import Click, Complete, Type
from odyssey_recorder.model.assignment import TaskOrigin
from odyssey_recorder.model.finding import Finding, Severity
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.recording.script import TypeText
from odyssey_recorder.tasks.listing import read_tasks, shipped_tasks
from tests.checking.clean.generated_tasks import generated_tasks
from tests.checking.damaged.scripted_tasks import SCRIPTED_TASKS
from tests.checking.evidence import (
    FIELD,
    evidence,
    found_steps,
    results,
    unchecked_steps,
    with_step,
    with_task,
    with_task_origin,
    without_provenance,
)

ALARM = "Set an alarm for 6:45 on 28 December."
TELL = 'Tell Mira Vogel "See you soon" in Messages.'
NOTE = "Write a note in Notes titled Snacks that says: blue cups, lemon cake, two questions."


def typing(instruction: str, *texts: str) -> EpisodeEvidence:
    """An episode that types these texts from step 1 on, one in each step; its task fixes what its instruction does."""
    done = evidence(Click(Point(1, 1)), *map(Type, texts), Complete())
    return with_task(done, meta_task=instruction, task=instruction, instruction=instruction)


def found(one: EpisodeEvidence) -> list[str]:
    return [finding.found for finding in results("ACT11", one) if isinstance(finding, Finding)]


@pytest.mark.parametrize(
    ("instruction", "text", "said", "demanded"),
    [
        (ALARM, "6:54", "'6:54'", "'6:45'"),
        (ALARM, "6:35 am", "'6:35 am'", "'6:45'"),
        (ALARM, "18 December", "18 December", "28 December"),
        ("Call 555-0127.", "555-0172", "0172", "0127"),
        ("Order 12 candles.", "21", "21", "12"),
        (TELL, "Mria", "Mria", "Mira"),
        (TELL, "mira vogle", "vogle", "Vogel"),
        (TELL, "See you later", "See you later", "See you soon"),
        (NOTE, "blue cups, apple cake, two questions", "'blue cups, apple cake, two questions'", "'blue cups, lemon"),
    ],
)
def test_text_that_nearly_is_what_the_task_demands_is_reported(
    instruction: str, text: str, said: str, demanded: str
) -> None:
    one = typing(instruction, text)
    assert found_steps("ACT11", one) == [1]
    (words,) = found(one)
    assert words.startswith(f"{said} was typed, but the task demands {demanded}")


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        (ALARM, "6:45 AM"),
        (ALARM, "0645"),
        (ALARM, "12"),
        ("Set an alarm one hour before the train at 8:52.", "8:51"),
        ("Work out a tip of 12 percent on 140 dollars.", "16.80"),
        ("Order 12 candles.", "13 candles and 2 lamps"),
        (TELL, "Miranda"),
        (TELL, "vogel, mira: see you soon!"),
        (TELL, "See you"),
        (TELL, "I bring the cake tomorrow"),
        (TELL, "Jonas"),
        (NOTE, "blue cups, lemon cake"),
        (NOTE, "Snacks\nblue cups, lemon cake, two questions, no tea"),
        ("Search for the lentil soup.", "lentils soup"),
        ("Find a jazz night in Rome.", "some jazz for the night"),
        ("Write to a friend what you think.", "I think it is 6:45"),
    ],
)
def test_other_texts_are_not_reported(instruction: str, text: str) -> None:
    assert results("ACT11", typing(instruction, text)) == []


def test_text_that_was_corrected_is_not_reported() -> None:
    assert found_steps("ACT11", typing(ALARM, "6:54", "6:45")) == []
    assert found_steps("ACT11", typing(ALARM, "6:45", "6:54")) == [2]
    wrong = typing(ALARM, "6:54", "milk")
    assert found_steps("ACT11", wrong) == [1]
    shown = replace(FIELD, text="Alarm at 6:45")
    assert found_steps("ACT11", with_step(wrong, 3, views=(shown,))) == []
    assert found_steps("ACT11", with_step(wrong, 3, views=(replace(shown, class_name="android.view.View"),))) == [1]


def test_without_later_views_a_correction_is_unknown() -> None:
    one = without_provenance(typing(ALARM, "6:54", "milk"))
    assert (found_steps("ACT11", one), unchecked_steps("ACT11", one)) == ([], [1])
    assert results("ACT11", without_provenance(typing(ALARM, "6:45", "milk"))) == []


def test_gap_of_the_template_that_is_typed_word_for_word_is_demanded() -> None:
    filled = "Make a playlist called Window seat with three songs."
    one = with_task(typing(filled, "Window shade"), meta_task="Make a playlist called {title} with {count} songs.")
    assert found_steps("ACT11", one) == []
    making = TaskOrigin("playlist", {"title": "Window seat", "count": "three"})
    (finding,) = results("ACT11", with_task_origin(one, making))
    assert isinstance(finding, Finding)
    assert (finding.severity, finding.step) == (Severity.WARNING, 1)
    assert finding.found == "Window shade was typed, but the task demands Window seat."


def test_very_long_texts_are_not_checked() -> None:
    assert unchecked_steps("ACT11", typing(ALARM, "6:54 " * 10_000)) == [-1]


def clean_typing() -> Iterator[tuple[str, str, list[str]]]:
    """Task, instruction and typed texts of the episodes that scripts carry out on the simulated phone."""
    listed = {one.task_id: one for one in read_tasks(shipped_tasks())}
    for template in read_benchmark(shipped_benchmark()).values():
        for seed in range(5):
            filled = template.filled(seed)
            task = (filled.listed or listed[filled.task_id]).task
            yield task.task, task.instruction, [move.type for move in filled.gold if isinstance(move, TypeText)]
    for task, moves in islice(generated_tasks(seed=1), 300):
        yield task.task, task.instruction, [move.type for move in moves if isinstance(move, TypeText)]
    for scripted in SCRIPTED_TASKS:
        typed = [move.type for move in scripted.moves if isinstance(move, TypeText)]
        yield scripted.task.task, scripted.task.instruction, typed


def test_what_scripts_type_to_carry_out_their_tasks_is_not_reported() -> None:
    counted = 0
    for task, instruction, texts in clean_typing():
        one = with_task(typing("", *texts), task=task, instruction=instruction)
        assert found(one) == [], instruction
        counted += len(texts)
    assert counted > 900
