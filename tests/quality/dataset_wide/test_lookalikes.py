from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.quality.dataset_wide.episodes import alike_episodes, alike_instructions
from odyssey_recorder.quality.evidence import EpisodeFacts
from odyssey_recorder.quality.finding import Criterion, Severity
from tests.quality.facts import facts, source

LONG = tuple(f"CLICK {100 * (step % 10)}, {90 * (step // 2)}" for step in range(20))


def again(episode: EpisodeFacts, number: int) -> EpisodeFacts:
    """Another episode of the same task."""
    return replace(facts(number), meta_task=episode.meta_task, task=episode.task, actions=episode.actions)


def test_the_same_task_done_the_same_way_is_a_near_duplicate() -> None:
    one = replace(facts(1), actions=LONG)
    other = replace(again(one, 2), actions=("CLICK 30, 20", *LONG[1:19], "COMPLETE"))

    found = list(alike_episodes(source(one, facts(3), other)))

    assert [(one.episode_id[-1], one.others[0][-1]) for one in found] == [("1", "2"), ("2", "1")]
    assert {(one.check, one.severity, one.criterion, one.step) for one in found} == {
        ("EPI05", Severity.WARNING, Criterion.SEQUENCE, None)
    }
    assert "95% the actions of episode 0000000000000002" in found[0].found


def test_exactly_nine_tenths_is_not_enough() -> None:
    one = replace(facts(1), actions=LONG)

    assert not list(alike_episodes(source(one, replace(again(one, 2), actions=(*LONG[:18], "BACK", "COMPLETE")))))


def test_a_click_elsewhere_and_another_text_are_other_actions() -> None:
    one = facts(1)

    assert not list(alike_episodes(source(one, replace(again(one, 2), actions=("CLICK 500, 941", *one.actions[1:])))))
    typed = tuple("TYPE “tea”" if action.startswith("TYPE") else action for action in one.actions)
    assert not list(alike_episodes(source(one, replace(again(one, 2), actions=typed))))


def test_another_device_item_or_template_is_another_task() -> None:
    one = facts(1)
    same = again(one, 2)

    assert len(list(alike_episodes(source(one, same)))) == 2
    for other in (
        replace(same, device="Pixel Fold"),
        replace(same, task="Another."),
        replace(same, meta_task="Another."),
    ):
        assert not list(alike_episodes(source(one, other)))


def test_of_many_near_duplicates_the_nearest_few_are_named() -> None:
    one = facts(1)

    found = list(alike_episodes(source(one, *(again(one, number) for number in range(2, 8)))))

    assert len(found) == 7
    assert found[0].others == tuple(f"{number:016}" for number in (2, 3, 4))
    assert "6 other episodes" in found[0].found


def saying(*instructions: str) -> list[EpisodeFacts]:
    return [replace(facts(number), instruction=words) for number, words in enumerate(instructions)]


def test_the_same_instruction_but_for_case_and_punctuation_is_a_warning() -> None:
    found = list(alike_instructions(source(*saying("Buy milk, in Shop!", "Call Ada.", "buy  milk in shop"))))

    assert [(one.check, one.severity, one.episode_id[-1], one.others[0][-1]) for one in found] == [
        ("INS04", Severity.WARNING, "0", "2"),
        ("INS04", Severity.WARNING, "2", "0"),
    ]
    assert {one.criterion for one in found} == {Criterion.INSTRUCTION}


def test_much_the_same_words_are_a_note_with_their_rouge() -> None:
    texts = saying("Search for tea in Browser and note it", "Search for milk in Browser and note it", "Call Ada now")

    found = list(alike_instructions(source(*texts)))

    assert [(one.severity, one.episode_id[-1], one.others[0][-1]) for one in found] == [
        (Severity.NOTE, "0", "1"),
        (Severity.NOTE, "1", "0"),
    ]
    assert "ROUGE-L 0.88" in found[0].found  # 7 of 8 words


def test_an_empty_instruction_is_no_ones_double() -> None:
    assert not list(alike_instructions(source(*saying("", " .", ""))))


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=9), max_size=12))
def test_no_pair_is_overlooked(texts: list[list[str]]) -> None:
    noted = {
        found.episode_id
        for found in alike_instructions(source(*saying(*(" ".join(words) for words in texts))))
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
