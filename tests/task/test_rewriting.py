from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.llm.batch import BatchProgress
from odyssey_recorder.model.text_origin import Approval, Equivalence, TextOrigin, Writer
from odyssey_recorder.task.listing import ListedTask, parse_task_line, task_line
from odyssey_recorder.task.templates.template import TemplateLibrary
from odyssey_recorder.task.wording.rewriting import Rewriting, Rewritten
from tests.llm.good_model import right
from tests.llm.questions import batch
from tests.llm.stand_in import (
    MODEL,
    Behaviour,
    Says,
    StandIn,
    Turn,
    no_quota,
    refuses,
    server_error,
    truncated,
)
from tests.task.scripted_model import ScriptedModel
from tests.task.worded import CATALOGUE, library, one_of_each, said, task

TASK = task()
FILLED = TASK.task.task
GOOD = "Put on a podcast on yoga in Spotify for twenty minutes, then note three ideas in Todoist."
APPS = TemplateLibrary((), {"android": CATALOGUE})


def rewrite(
    behaviour: Behaviour,
    tasks: Sequence[ListedTask] = (TASK,),
    *,
    names_apps: bool = True,
    others: Sequence[ListedTask] = (),
    budget: float | None = None,
) -> list[Rewritten]:
    with StandIn(behaviour) as server:
        return Rewriting(batch(server, budget=budget), APPS, others).rewrite(tasks, names_apps=names_apps)


def only(rewritten: Sequence[Rewritten]) -> tuple[ListedTask, TextOrigin, Equivalence]:
    (one,) = rewritten
    assert one.task.text is not None
    assert one.task.text.equivalence is not None
    return one.task, one.task.text, one.task.text.equivalence


# --- the result for one task -------------------------------------------------------------------------------


def test_a_task_gets_the_words_of_the_model_and_their_whole_origin() -> None:
    one, text, found = only(rewrite(ScriptedModel({FILLED: [GOOD]}), others=[said(TASK, GOOD)]))  # its own
    assert parse_task_line(task_line(one)) == one
    assert one == replace(said(TASK, GOOD), text=text)
    assert (text.writer, text.names_apps, text.approval) == (Writer.MODEL, True, Approval.OPEN)
    assert text.call is not None
    assert found.judge is not None
    assert (text.call.prompt, found.judge.prompt) == ("rewrite/1", "judge/1")
    assert text.call.model_asked == text.call.model_answered == MODEL
    assert text.call.host.startswith("http://127.0.0.1:")
    assert text.call.tokens_in > text.call.tokens_out > 0
    assert text.call.cost
    assert len(text.call.key) == 64
    assert found.holds


def test_what_the_rules_find_is_mended_by_the_model() -> None:
    with StandIn(ScriptedModel({FILLED: [GOOD.replace("three", "ten"), GOOD]})) as server:
        one, _, found = only(Rewriting(batch(server), APPS).rewrite([TASK], names_apps=True))
    assert one.task.instruction == GOOD
    assert found.holds
    first, second, judge = (asked.words for asked in server.questions)
    assert "Leaves out" not in first
    assert "Leaves out the number \u201c3\u201d." in second
    assert GOOD.replace("three", "ten") in second
    assert GOOD in judge
    assert all('{"podcast": "Spotify", "todo": "Todoist"}' in asked.words for asked in server.questions)
    assert {asked.body["max_tokens"] for asked in server.questions} == {4_000}


def test_words_that_stay_wrong_are_kept_for_a_person_with_what_is_wrong_and_no_judge_is_asked() -> None:
    worse, bad = GOOD.replace("three", "ten").replace("Todoist", "Notes"), GOOD.replace("three", "ten")
    with StandIn(ScriptedModel({FILLED: [bad, worse]})) as server:
        one, _, found = only(Rewriting(batch(server), APPS).rewrite([TASK], names_apps=True))
    assert one.task.instruction == bad
    assert not found.holds
    assert not found.is_judged
    assert found.faults == (
        "Leaves out the number \u201c3\u201d.", "Adds the number \u201c10\u201d, which is not in the task.",
    )  # fmt: skip
    assert len(server.questions) == 2


PLANTED = {
    "as fast as you can": "It must be done fast.",
    "without a sound": "- The podcast must be listened to.",
    "delete": "- The ideas must be written down.",
    "and like it": "The podcast must be liked.",
    "only if it rains": "It must rain.",
}
"""Phrases that no rule can find, and a judge's finding for each."""


@pytest.mark.parametrize(
    "bad",
    [
        "Put on a podcast on yoga in Spotify for twenty minutes and, as fast as you can, note three ideas in Todoist.",
        "Open a podcast on yoga in Spotify without a sound for twenty minutes; note three ideas in Todoist.",
        "Put on a podcast on yoga in Spotify for twenty minutes, then delete three ideas in Todoist.",
        "Put on a podcast on yoga in Spotify for twenty minutes and like it, then note three ideas in Todoist.",
        "Put on a podcast on yoga in Spotify for twenty minutes and note three ideas in Todoist, only if it rains.",
    ],
)  # fmt: skip
def test_what_only_a_judge_can_find_is_found_by_the_judge(bad: str) -> None:
    _, _, found = only(rewrite(ScriptedModel({FILLED: [bad]}, PLANTED)))
    assert found.faults == ()
    assert (found.task_entails_instruction, found.instruction_entails_task) == (
        not found.added, not found.missing,
    )  # fmt: skip
    assert not found.holds


def test_apps_are_left_out_where_they_are_not_to_be_named() -> None:
    with StandIn(ScriptedModel()) as server:
        one, text, _ = only(Rewriting(batch(server), APPS).rewrite([TASK], names_apps=False))
    assert "Spotify" not in one.task.instruction
    assert not text.names_apps
    assert "Apps: do not name any app" in server.questions[0].words
    assert "A leaves open with which apps it is done." in server.questions[1].words


def test_tasks_are_to_be_said_in_different_manners() -> None:
    several = [
        task(slots={"item": "a podcast", "time": "20 minutes", "count": str(n)}, task_id=f"t{n}") for n in range(9)
    ]
    with StandIn(ScriptedModel()) as server:
        Rewriting(batch(server), APPS).rewrite(several, names_apps=True)
    manners = {asked.words.rpartition("Manner: ")[2] for asked in server.questions if "<task>\n{" in asked.words}
    assert len(manners) > 2


# --- failures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        ([refuses()], "declined"),
        ([truncated()], "cut off"),
        ([no_quota()], "quota"),
        ([server_error(400)], "The server had an error"),
        (["  "], f"The model {MODEL} gave no usable answer."),
        (["17 a.b " * 150_000] * 2, f"The model {MODEL} gave no usable answer."),
    ],
    ids=["no", "cut", "quota", "400", "nothing", "a million letters"],
)
def test_a_task_keeps_its_words_where_the_model_gives_none_of_use_and_it_is_told_why(
    turns: list[str | Turn], why: str
) -> None:
    (one,) = rewrite(ScriptedModel({FILLED: turns}))
    assert one.task == TASK
    assert why in one.trouble


def test_the_first_words_stand_where_the_model_will_not_mend_them() -> None:
    bad = GOOD.replace("three", "ten")
    rewritten = rewrite(ScriptedModel({FILLED: [bad, refuses()]}))
    one, _, found = only(rewritten)
    assert (one.task.instruction, bool(found.faults), bool(rewritten[0].trouble)) == (bad, True, True)


def test_half_of_a_character_is_no_word_and_the_model_is_asked_again() -> None:
    one, *_ = only(rewrite(ScriptedModel({FILLED: [Says('{"instruction": "\\ud83d"}')]}, repaired=GOOD)))
    assert one.task.instruction == GOOD


def test_words_that_could_not_be_judged_are_kept_unjudged_and_it_is_told_why() -> None:
    rewritten = rewrite(ScriptedModel({FILLED: [GOOD]}, judge_does=refuses()))
    one, _, found = only(rewritten)
    assert (one.task.instruction, found.is_judged) == (GOOD, False)
    assert rewritten[0].trouble.startswith("Not judged: ")


# --- several tasks -----------------------------------------------------------------------------------------


def test_each_is_told_as_soon_as_it_is_ready_and_all_come_in_their_order() -> None:
    several = one_of_each()[:6]
    told: list[Rewritten] = []
    seen: list[BatchProgress] = []
    with StandIn(ScriptedModel({several[2].task.task: [refuses()]})) as server:
        came = Rewriting(batch(server), library()).rewrite(
            several, names_apps=True, on_rewritten=told.append, progress=seen.append
        )
    assert [one.task.task_id for one in came] == [one.task_id for one in several]
    assert sorted(told, key=_id) == sorted(came, key=_id)
    assert (seen[-1].done, seen[-1].failed, seen[-1].of) == (6, 1, 6)


def _id(one: Rewritten) -> str:
    return one.task.task_id


def test_the_instruction_of_another_task_is_a_fault_and_no_question_more() -> None:
    other = said(
        task(slots={"item": "a podcast on yoga", "time": "20 minutes", "count": "4"}, task_id="two"), GOOD.upper()
    )
    with StandIn(ScriptedModel({FILLED: [GOOD]})) as server:
        _, _, found = only(Rewriting(batch(server), APPS, [other]).rewrite([TASK], names_apps=True))
    assert found.faults == ("Same instruction as another task.",)
    assert len(server.questions) == 2


def test_a_second_run_asks_nothing_whatever_the_words_are_now(tmp_path: Path) -> None:
    several = one_of_each()[:6]
    with StandIn(ScriptedModel()) as server:
        first = Rewriting(batch(server, tmp_path / "kept"), library()).rewrite(several, names_apps=True)
        asked = len(server.questions)
        again = [one.task for one in first]
        second = Rewriting(batch(server, tmp_path / "kept"), library(), again).rewrite(again, names_apps=True)
    assert asked == len(server.questions) == 12
    assert second == first


# --- estimates ---------------------------------------------------------------------------------------------


def test_asking_again_asks_anew_in_another_manner_and_later_runs_keep_the_last_answer(tmp_path: Path) -> None:
    with StandIn(right) as server:
        asked = partial(Rewriting, batch(server, tmp_path / "answers.sqlite"), APPS)
        for times, again in enumerate((False, True, True), 1):
            asked(again=again).rewrite([TASK], names_apps=True)
            wordings = [one.words for one in server.questions if "Manner:" in one.words]
            assert len(wordings) == len(set(wordings)) == times
        before = len(server.questions)
        server.behaviour = lambda _asked: refuses()
        (last,) = asked().rewrite([TASK], names_apps=True)
        assert len(server.questions) == before
        assert last.task.text is not None


def test_two_questions_are_expected_of_each_task_and_only_the_rest_of_a_run_that_was_ended() -> None:
    several = one_of_each()[:5]
    bad = {FILLED: [GOOD.replace("three", "ten"), GOOD]}
    with StandIn(ScriptedModel(bad)) as server:
        asks = batch(server)
        rewriting = Rewriting(asks, TemplateLibrary(library().templates, {**library().catalogues, "tests": CATALOGUE}))
        first = asks.estimate(rewriting.likely_questions(several, names_apps=True))
        assert (first.calls, first.kept, server.questions) == (10, 0, [])
        rewriting.rewrite([*several[:3], TASK], names_apps=True)
        whole = asks.estimate(rewriting.likely_questions([*several[:3], TASK], names_apps=True))
        rest = asks.estimate(rewriting.likely_questions([*several, TASK], names_apps=True))
    assert (whole.calls, whole.kept, whole.cost) == (0, 9, 0.0)
    assert (rest.calls, rest.kept) == (4, 9)
