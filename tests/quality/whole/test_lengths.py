from odyssey_recorder.quality.evidence import EpisodeFacts
from odyssey_recorder.quality.finding import Finding, NotChecked
from odyssey_recorder.quality.thresholds import LENGTHS_NEEDED
from odyssey_recorder.quality.whole.lengths import odd_lengths
from tests.quality.facts import facts, source


def of_lengths(*lengths: int) -> list[EpisodeFacts]:
    return [facts(number, actions=("HOME",) * length) for number, length in enumerate(lengths)]


def odd(*lengths: int) -> list[int]:
    """Which of the lengths are odd."""
    found = odd_lengths(source(*of_lengths(*lengths)))
    return [lengths[int(one.episode_id)] for one in found if isinstance(one, Finding)]


def test_less_than_4_and_more_than_60_steps_are_odd() -> None:
    assert odd(3, 4, 60, 61) == [3, 61]


def test_three_deviations_from_the_median_are_the_end_of_the_usual() -> None:
    most = [14, 16] * 15  # median 15, deviation 1

    assert odd(*most, 11, 12, 18, 19) == [11, 19]
    found = [one for one in odd_lengths(source(*of_lengths(*most, 11, 19))) if isinstance(one, Finding)]
    assert found[1].found == "It has 19 steps; in General_Tool, 12 to 18 are usual."
    assert (found[0].check, found[0].severity.value) == ("EPI03", "warning")


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
