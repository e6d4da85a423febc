from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.llm.batch import BatchProgress
from odyssey_recorder.model.text_origin import Approval, Equivalence, TextOrigin, Writer
from odyssey_recorder.tasks.listing import ListedTask, parse_task_line, task_line
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from odyssey_recorder.tasks.wording.rewriting import Rewriting, Rewritten
from tests.llm.good_model import AGREES, right
from tests.llm.questions import batch
from tests.llm.stand_in import MODEL, Behaviour, ReceivedRequest, StandIn, Turn, refuses, says
from tests.tasks.sample_tasks import CATALOGUE, library, one_task_per_template, task, with_instruction
from tests.tasks.scripted_model import ScriptedModel

TASK = task()
FILLED = TASK.task.task
GOOD = "Put on a podcast on yoga in Spotify for twenty minutes, then note three ideas in Todoist."
APPS = TemplateLibrary((), {"android": CATALOGUE})


def rewrite(behaviour: Behaviour, others: Sequence[ListedTask] = ()) -> list[Rewritten]:
    with StandIn(behaviour) as server:
        return Rewriting(batch(server), APPS, others).rewrite([TASK], names_apps=True)


def only_result(rewritten: Sequence[Rewritten]) -> tuple[ListedTask, TextOrigin, Equivalence]:
    (one,) = rewritten
    assert one.task.text is not None
    assert one.task.text.equivalence is not None
    return one.task, one.task.text, one.task.text.equivalence


def test_rewritten_task_records_its_full_origin() -> None:
    one, text, found = only_result(rewrite(ScriptedModel({FILLED: [GOOD]}), [with_instruction(TASK, GOOD)]))
    assert parse_task_line(task_line(one)) == one
    assert one == replace(with_instruction(TASK, GOOD), text=text)
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


def test_model_corrects_faults_found_by_the_rules() -> None:
    with StandIn(ScriptedModel({FILLED: [GOOD.replace("three", "ten"), GOOD]})) as server:
        one, _, found = only_result(Rewriting(batch(server), APPS).rewrite([TASK], names_apps=True))
    assert one.task.instruction == GOOD
    assert found.holds
    first, second, judge = (request.words for request in server.questions)
    assert "Leaves out" not in first
    assert "Leaves out the number \u201c3\u201d." in second
    assert GOOD.replace("three", "ten") in second
    assert GOOD in judge
    assert all('{"podcast": "Spotify", "todo": "Todoist"}' in request.words for request in server.questions)
    assert {request.body["max_tokens"] for request in server.questions} == {4_000}


def test_paper_preset_asks_for_what_the_supplement_tells() -> None:
    def behaviour(request: ReceivedRequest) -> Turn:
        return says({"instruction": GOOD}) if "instruction" in request.schema["properties"] else says(AGREES)

    with StandIn(behaviour) as server:
        rewriting = Rewriting(batch(server), APPS, prompt="paper", temperature=0.7)
        one, text, found = only_result(rewriting.rewrite([TASK], names_apps=True))
    assert (one.task.instruction, found.holds) == (GOOD, True)
    assert text.call is not None
    assert text.call.prompt == "paper_rewrite/1"
    asked, judged = server.questions
    assert (asked.body["temperature"], "temperature" in judged.body) == (0.7, False)
    demands = (
        f"The task: {FILLED}", "items that stand in", "podcast: Spotify; todo: Todoist", "in other words",
        "as a person would say it", "Keep every item", "nothing else", "name no app",
    )  # fmt: skip
    assert sorted(demands, key=asked.words.index) == [*demands]


def test_uncorrected_rewrite_keeps_its_faults_and_is_not_judged() -> None:
    worse, bad = GOOD.replace("three", "ten").replace("Todoist", "Notes"), GOOD.replace("three", "ten")
    with StandIn(ScriptedModel({FILLED: [bad, worse]})) as server:
        one, _, found = only_result(Rewriting(batch(server), APPS).rewrite([TASK], names_apps=True))
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
}
"""Phrases that no rule can find, and a judge's finding for each."""


@pytest.mark.parametrize(
    "bad",
    [
        "Put on a podcast on yoga in Spotify for twenty minutes and, as fast as you can, note three ideas in Todoist.",
        "Open a podcast on yoga in Spotify without a sound for twenty minutes; note three ideas in Todoist.",
    ],
)  # fmt: skip
def test_judge_finds_faults_that_rules_cannot(bad: str) -> None:
    _, _, found = only_result(rewrite(ScriptedModel({FILLED: [bad]}, PLANTED)))
    assert found.faults == ()
    assert (found.task_entails_instruction, found.instruction_entails_task) == (
        not found.added, not found.missing,
    )  # fmt: skip
    assert not found.holds


def test_apps_are_not_named_when_disabled() -> None:
    with StandIn(ScriptedModel()) as server:
        one, text, _ = only_result(Rewriting(batch(server), APPS).rewrite([TASK], names_apps=False))
    assert "Spotify" not in one.task.instruction
    assert not text.names_apps
    assert "Apps: do not name any app" in server.questions[0].words
    assert "A leaves open with which apps it is done." in server.questions[1].words


def test_tasks_are_requested_in_different_styles() -> None:
    several = [
        task(slots={"item": "a podcast", "time": "20 minutes", "count": str(n)}, task_id=f"t{n}") for n in range(9)
    ]
    with StandIn(ScriptedModel()) as server:
        Rewriting(batch(server), APPS).rewrite(several, names_apps=True)
    manners = {request.words.rpartition("Manner: ")[2] for request in server.questions if "<task>\n{" in request.words}
    assert len(manners) > 2


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        ([refuses()], "declined"),
        (["  "], f"The model {MODEL} gave no usable answer."),
        (["17 a.b " * 150_000] * 2, f"The model {MODEL} gave no usable answer."),
    ],
    ids=["no", "nothing", "a million letters"],
)
def test_unusable_answer_leaves_the_task_unchanged_with_a_reason(turns: list[str | Turn], why: str) -> None:
    (one,) = rewrite(ScriptedModel({FILLED: turns}))
    assert one.task == TASK
    assert why in one.trouble


def test_first_rewrite_is_kept_if_the_correction_is_refused() -> None:
    bad = GOOD.replace("three", "ten")
    rewritten = rewrite(ScriptedModel({FILLED: [bad, refuses()]}))
    one, _, found = only_result(rewritten)
    assert (one.task.instruction, bool(found.faults), bool(rewritten[0].trouble)) == (bad, True, True)


def test_rewrite_without_a_verdict_is_kept_with_a_reason() -> None:
    rewritten = rewrite(ScriptedModel({FILLED: [GOOD]}, judge_turn=refuses()))
    one, _, found = only_result(rewritten)
    assert (one.task.instruction, found.is_judged) == (GOOD, False)
    assert rewritten[0].trouble.startswith("Not judged: ")


def test_results_are_reported_early_and_returned_in_order() -> None:
    several = one_task_per_template()[:6]
    reported: list[Rewritten] = []
    progress: list[BatchProgress] = []
    with StandIn(ScriptedModel({several[2].task.task: [refuses()]})) as server:
        results = Rewriting(batch(server), library()).rewrite(
            several, names_apps=True, on_rewritten=reported.append, progress=progress.append
        )
    assert [one.task.task_id for one in results] == [one.task_id for one in several]
    assert sorted(reported, key=task_id_of) == sorted(results, key=task_id_of)
    assert (progress[-1].done, progress[-1].failed, progress[-1].of) == (6, 1, 6)


def task_id_of(one: Rewritten) -> str:
    return one.task.task_id


def test_instruction_of_another_task_is_a_fault() -> None:
    other = with_instruction(
        task(slots={"item": "a podcast on yoga", "time": "20 minutes", "count": "4"}, task_id="two"), GOOD.upper()
    )
    with StandIn(ScriptedModel({FILLED: [GOOD]})) as server:
        _, _, found = only_result(Rewriting(batch(server), APPS, [other]).rewrite([TASK], names_apps=True))
    assert found.faults == ("Same instruction as another task.",)
    assert len(server.questions) == 2


def test_second_run_uses_only_cached_answers(tmp_path: Path) -> None:
    several = one_task_per_template()[:6]
    with StandIn(ScriptedModel()) as server:
        first = Rewriting(batch(server, tmp_path / "kept"), library()).rewrite(several, names_apps=True)
        count = len(server.questions)
        again = [one.task for one in first]
        second = Rewriting(batch(server, tmp_path / "kept"), library(), again).rewrite(again, names_apps=True)
    assert count == len(server.questions) == 12
    assert second == first


def test_repeated_request_uses_another_style_and_caches_the_answer(tmp_path: Path) -> None:
    with StandIn(right) as server:
        rewriting = partial(Rewriting, batch(server, tmp_path / "answers.sqlite"), APPS)
        for times, again in enumerate((False, True, True), 1):
            rewriting(again=again).rewrite([TASK], names_apps=True)
            wordings = [one.words for one in server.questions if "Manner:" in one.words]
            assert len(wordings) == len(set(wordings)) == times
        before = len(server.questions)
        server.behaviour = lambda _asked: refuses()
        (last,) = rewriting().rewrite([TASK], names_apps=True)
        assert len(server.questions) == before
        assert last.task.text is not None


def test_estimate_counts_two_requests_per_open_task() -> None:
    several = one_task_per_template()[:5]
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
