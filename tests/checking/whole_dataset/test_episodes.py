import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.agents.benchmark import read_benchmark, shipped_benchmark
from odyssey_recorder.checking.evidence import ComparedEpisode
from odyssey_recorder.checking.thresholds import LENGTHS_NEEDED
from odyssey_recorder.checking.whole_dataset.episodes import alike_episodes, alike_instructions, odd_lengths
from odyssey_recorder.model.finding import Criterion, Finding, NotChecked, Severity
from odyssey_recorder.tasks.listing import read_tasks, shipped_tasks
from tests.checking.compared_episodes import facts, source


def episodes_of_lengths(*lengths: int) -> list[ComparedEpisode]:
    """Each in one app."""
    return [facts(number, actions=("HOME",) * length) for number, length in enumerate(lengths)]


def unusual_lengths(*lengths: int) -> list[int]:
    found = odd_lengths(source(*episodes_of_lengths(*lengths)))
    return [lengths[int(one.episode_id)] for one in found if isinstance(one, Finding)]


@pytest.mark.parametrize(
    ("lengths", "unusual"),
    [((2, 3, 60, 61), [2, 61]), ((*[8, 16] * 20, 3, 59), []), ((*[7, 8] * 20, 3, 26, 28), [28])],
    ids=["fixed limits", "they spread", "nearly constant"],
)
def test_unusual_lengths_are_found(lengths: tuple[int, ...], unusual: list[int]) -> None:
    assert unusual_lengths(*lengths) == unusual


def test_finding_names_the_usual_lengths() -> None:
    lengths = episodes_of_lengths(*[14, 16] * 20, 4, 55)
    short, long = (one for one in odd_lengths(source(*lengths)) if isinstance(one, Finding))
    assert long.found == "It has 55 steps; in General_Tool, 5 to 54 are usual."
    assert (short.check, short.severity.value) == ("EPI03", "warning")


def test_realistic_lengths_are_rarely_unusual() -> None:
    rng = random.Random(1)
    lengths = [max(4, round(rng.lognormvariate(2.65, 0.45))) for _ in range(3000)]
    assert len(unusual_lengths(*(one for one in lengths if one <= 60))) < 3000 / 100


@pytest.mark.parametrize(
    ("apps", "end", "least"),
    [(1, "COMPLETE", 3), (2, "COMPLETE", 4), (3, "COMPLETE", 5), (3, "IMPOSSIBLE “no such item”", 2)],
)
def test_an_episode_takes_a_step_for_each_app_one_to_act_and_the_end(apps: int, end: str, least: int) -> None:
    for length, is_unusual in ((least, False), (least - 1, True)):
        one = facts(1, apps=("Shop", "Notes", "Mail")[:apps], actions=("HOME",) * (length - 1) + (end,))
        assert any(isinstance(found, Finding) for found in odd_lengths(source(one))) is is_unusual


def test_no_script_of_a_shipped_task_is_unusually_short_or_long() -> None:
    shipped = {task.task_id: task for task in read_tasks(shipped_tasks())}
    lengths: list[ComparedEpisode] = []
    for name, template in read_benchmark(shipped_benchmark()).items():
        for seed in range(4):
            filled = template.filled(seed)
            task = (filled.listed or shipped[name]).task
            actions = (*("HOME",) * len(filled.gold), "COMPLETE")
            lengths.append(facts(len(lengths), category=task.category, apps=task.apps, actions=actions))
    assert [found.found for found in odd_lengths(source(*lengths)) if isinstance(found, Finding)] == []


def test_small_category_is_unchecked() -> None:
    few = episodes_of_lengths(*[15] * (LENGTHS_NEEDED - 2), 40)
    (only,) = odd_lengths(source(*few))
    assert isinstance(only, NotChecked)
    assert "General_Tool" in only.why
    assert not only.steps


def test_each_category_has_its_own_usual_length() -> None:
    short = [facts(number, actions=("HOME",) * 6) for number in range(25)]
    long = [facts(number, actions=("HOME",) * 30, category="Multi_Apps") for number in range(25, 50)]
    assert not list(odd_lengths(source(*short, *long)))


LONG = tuple(f"CLICK {100 * (step % 10)}, {90 * (step // 2)}" for step in range(20))


def retake(episode: ComparedEpisode, number: int) -> ComparedEpisode:
    return replace(facts(number), meta_task=episode.meta_task, task=episode.task, actions=episode.actions)


def test_same_task_done_the_same_way_is_a_near_duplicate() -> None:
    one = replace(facts(1), actions=LONG)
    other = replace(retake(one, 2), actions=("CLICK 30, 20", *LONG[1:19], "COMPLETE"))
    found = list(alike_episodes(source(one, facts(3), other)))
    assert [(one.episode_id[-1], one.others[0][-1]) for one in found] == [("1", "2"), ("2", "1")]
    assert {(one.check, one.severity, one.criterion, one.step) for one in found} == {
        ("EPI05", Severity.WARNING, Criterion.SEQUENCE, None)
    }
    assert "95% the same actions as episode 0000000000000002" in found[0].found


@pytest.mark.parametrize(
    "changes",
    [
        {"actions": (*LONG[:18], "BACK", "COMPLETE")},
        {"actions": ("CLICK 500, 941", *LONG[1:3], "CLICK 900, 941", *LONG[4:])},
        {"device": "Pixel Fold"},
        {"task": "Another."},
        {"meta_task": "Another."},
    ],
    ids=["just nine tenths", "clicks elsewhere", "device", "item", "template"],
)
def test_different_episode_is_not_a_near_duplicate(changes: dict[str, Any]) -> None:
    one = replace(facts(1), actions=LONG)
    same = retake(one, 2)
    assert len(list(alike_episodes(source(one, same)))) == 2
    assert not list(alike_episodes(source(one, replace(same, **changes))))


def test_different_typed_text_is_not_a_near_duplicate() -> None:
    one = facts(1)
    typed = tuple("TYPE “tea”" if action.startswith("TYPE") else action for action in one.actions)
    assert not list(alike_episodes(source(one, replace(retake(one, 2), actions=typed))))


def test_nearest_of_many_near_duplicates_are_named() -> None:
    one = facts(1)
    found = list(alike_episodes(source(one, *(retake(one, number) for number in range(2, 8)))))
    assert len(found) == 7
    assert found[0].others == tuple(f"{number:016}" for number in (2, 3, 4))
    assert "6 other episodes" in found[0].found


def with_instructions(*instructions: str) -> list[ComparedEpisode]:
    return [replace(facts(number), instruction=words) for number, words in enumerate(instructions)]


def test_instruction_repeated_in_other_case_is_a_warning() -> None:
    found = list(alike_instructions(source(*with_instructions("Buy milk, in Shop!", "Call Ada.", "buy  milk in shop"))))
    assert [(one.check, one.severity, one.episode_id[-1], one.others[0][-1]) for one in found] == [
        ("INS04", Severity.WARNING, "0", "2"),
        ("INS04", Severity.WARNING, "2", "0"),
    ]
    assert {one.criterion for one in found} == {Criterion.INSTRUCTION}


def test_similar_instructions_are_a_note_with_their_rouge() -> None:
    texts = with_instructions(
        "Search for tea in Browser and note it", "Search for milk in Browser and note it", "Call Ada now"
    )
    found = list(alike_instructions(source(*texts)))
    assert [(one.severity, one.episode_id[-1], one.others[0][-1]) for one in found] == [
        (Severity.NOTE, "0", "1"),
        (Severity.NOTE, "1", "0"),
    ]
    assert "ROUGE-L 0.88" in found[0].found  # 7 of 8 words


def test_empty_instructions_are_not_duplicates() -> None:
    assert not list(alike_instructions(source(*with_instructions("", " .", ""))))


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=9), max_size=12))
def test_every_similar_pair_is_found(texts: list[list[str]]) -> None:
    noted = {
        found.episode_id
        for found in alike_instructions(source(*with_instructions(*(" ".join(words) for words in texts))))
        if found.severity is Severity.NOTE
    }
    for number, words in enumerate(texts):
        near = any(words != other and rouge_l(words, other) > 0.7 for other in texts)
        assert (f"{number:016}" in noted) == near


def rouge_l(one: Sequence[str], other: Sequence[str]) -> float:
    """The F-measure of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(other) + 1)
    for mine in one:
        above = row[:]
        for place, theirs in enumerate(other, start=1):
            row[place] = above[place - 1] + 1 if mine == theirs else max(above[place], row[place - 1])
    return 2 * row[-1] / (len(one) + len(other))
