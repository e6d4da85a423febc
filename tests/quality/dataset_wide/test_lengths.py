import random

from odyssey_recorder.quality.dataset_wide.episodes import odd_lengths
from odyssey_recorder.quality.evidence import EpisodeFacts
from odyssey_recorder.quality.finding import Finding, NotChecked
from odyssey_recorder.quality.thresholds import LENGTHS_NEEDED
from tests.quality.facts import facts, source


def of_lengths(*lengths: int) -> list[EpisodeFacts]:
    return [facts(number, actions=("HOME",) * length) for number, length in enumerate(lengths)]


def odd(*lengths: int) -> list[int]:
    """Which of the lengths are odd."""
    found = odd_lengths(source(*of_lengths(*lengths)))
    return [lengths[int(one.episode_id)] for one in found if isinstance(one, Finding)]


def test_less_than_4_and_more_than_60_steps_are_odd() -> None:
    assert odd(3, 4, 60, 61) == [3, 61]


def test_three_widths_beyond_the_middle_half_are_the_end_of_the_usual() -> None:
    most = [14, 16] * 20

    assert odd(*most, 7, 8, 22, 23) == [7, 23]
    found = [one for one in odd_lengths(source(*of_lengths(*most, 7, 23))) if isinstance(one, Finding)]
    assert found[1].found == "It has 23 steps; in General_Tool, 8 to 22 are usual."
    assert (found[0].check, found[0].severity.value) == ("EPI03", "warning")


def test_of_lengths_that_spread_as_those_of_tasks_do_hardly_any_is_odd() -> None:
    rng = random.Random(1)
    lengths = [max(4, round(rng.lognormvariate(2.65, 0.45))) for _ in range(3000)]

    assert len(odd(*(one for one in lengths if one <= 60))) < 3000 / 100


def test_where_nearly_all_have_one_length_a_step_more_is_not_odd() -> None:
    assert odd(*[15] * 30, 18, 19) == [19]


def test_a_category_of_few_episodes_has_no_usual_length() -> None:
    few = of_lengths(*[15] * (LENGTHS_NEEDED - 2), 40)

    (only,) = odd_lengths(source(*few))

    assert isinstance(only, NotChecked)
    assert "General_Tool" in only.why
    assert not only.steps


def test_each_category_has_a_length_of_its_own() -> None:
    short = [facts(number, actions=("HOME",) * 6) for number in range(25)]
    long = [facts(number, actions=("HOME",) * 30, category="Multi_Apps") for number in range(25, 50)]

    assert not list(odd_lengths(source(*short, *long)))
