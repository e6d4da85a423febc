from dataclasses import replace

import pytest

from odyssey_recorder.quality.dataset_wide.repeated_screenshots import episodes_that_look_alike, repeated_pictures
from odyssey_recorder.quality.evidence import EpisodeFacts, ScreenFingerprint
from odyssey_recorder.quality.finding import Criterion, Severity
from odyssey_recorder.quality.thresholds import COMMON_SCREEN
from tests.quality.facts import ACTIONS, facts, look, sha, source


def showing(episode: EpisodeFacts, step: int, picture: str) -> EpisodeFacts:
    pictures = list(episode.pictures)
    pictures[step] = sha(picture)
    return replace(episode, pictures=tuple(pictures))


def places(*episodes: EpisodeFacts) -> set[tuple[str, int | None]]:
    return {(found.episode_id[-1], found.step) for found in repeated_pictures(source(*episodes))}


def test_a_picture_of_another_episode_is_found_in_both_with_its_step() -> None:
    found = list(repeated_pictures(source(showing(facts(1), 2, "one"), facts(2), showing(facts(3), 4, "one"))))
    assert [(one.episode_id, one.step, one.others) for one in found] == [
        (facts(1).episode_id, 2, (facts(3).episode_id,)),
        (facts(3).episode_id, 4, (facts(1).episode_id,)),
    ]
    assert {(one.check, one.severity, one.criterion) for one in found} == {
        ("IMG06", Severity.WARNING, Criterion.PICTURES)
    }
    assert facts(3).episode_id in found[0].found


def test_the_home_screen_that_episodes_begin_with_is_no_defect_wherever_it_comes_again() -> None:
    begins = [showing(facts(number), 0, "home") for number in (1, 2)]
    comes_again = showing(facts(3), 2, "home")
    assert places(*begins, comes_again) == set()


def test_what_home_led_to_is_no_defect() -> None:
    assert places(showing(facts(1), 5, "home"), showing(facts(2), 5, "home")) == set()


def on_a_page(episode: EpisodeFacts) -> EpisodeFacts:
    return replace(episode, looks=(episode.looks[0], look("page"), *episode.looks[2:]))


def test_an_apps_first_page_is_no_defect_wherever_it_comes_again() -> None:
    assert places(showing(facts(1), 1, "browser"), showing(facts(2), 4, "browser")) == set()
    again = replace(facts(3), actions=(*ACTIONS[:2], "HOME", *ACTIONS[3:]))
    assert places(showing(again, 4, "browser"), showing(facts(2), 2, "browser")) == set()


def test_the_same_action_on_a_screen_that_looked_the_same_explains_the_same_picture() -> None:
    one, other = (showing(on_a_page(facts(number)), 2, "article") for number in (1, 2))
    aside = replace(other, actions=(ACTIONS[0], "CLICK 150, 377", *ACTIONS[2:]))
    assert places(one, other) == places(one, aside) == set()


def test_another_action_or_another_screen_before_explains_nothing() -> None:
    one, other = (showing(on_a_page(facts(number)), 2, "article") for number in (1, 2))
    for action in ("LONG_PRESS 120, 400", "CLICK 300, 400"):
        assert places(one, replace(other, actions=(ACTIONS[0], action, *ACTIONS[2:]))) == {("1", 2), ("2", 2)}
    assert places(one, replace(other, device="Pixel Fold")) == {("1", 2), ("2", 2)}
    for before in (look("elsewhere"), None):
        elsewhere = (other.looks[0], before, *other.looks[2:])
        assert places(one, replace(other, looks=elsewhere)) == {("1", 2), ("2", 2)}


def test_what_explains_a_picture_on_one_device_does_not_on_another() -> None:
    one = showing(facts(1), 0, "home")
    fold = replace(showing(facts(2), 3, "home"), device="Pixel Fold")
    assert places(one, fold) == {("2", 3)}


def test_a_picture_that_comes_twice_in_one_episode_is_another_checks_business() -> None:
    assert places(showing(showing(facts(1), 2, "same"), 3, "same"), facts(2)) == set()


def proved(episode: EpisodeFacts, **screens: ScreenFingerprint) -> EpisodeFacts:
    """The episode with provenance of its screens: distinct words, except for those given."""
    number, count = int(episode.episode_id), len(episode.pictures)
    own = (ScreenFingerprint(1000 * number + step, "org.notes", sha(f"{number}_{step}")) for step in range(count))
    return replace(episode, screens=tuple(screens.get(f"at_{step}", one) for step, one in enumerate(own)))


NOTES, SHOP = ScreenFingerprint(7001, "org.notes", "a list"), ScreenFingerprint(7002, "org.shop", "a list")


def test_a_picture_that_was_taken_twice_of_the_same_screen_is_no_defect_whatever_led_to_it() -> None:
    again = replace(NOTES, taken_us=8001)
    one, other = showing(facts(1), 2, "list"), showing(facts(2), 4, "list")
    assert places(proved(one, at_2=NOTES), proved(other, at_4=again)) == set()
    assert places(proved(one, at_2=NOTES), proved(other, at_4=replace(again, words=""))) == set()


@pytest.mark.parametrize("shown", [SHOP, replace(NOTES, taken_us=8001, words="a page"), NOTES])
def test_a_picture_of_which_the_proofs_say_two_things_or_the_very_same_is_found_in_both_episodes(
    shown: ScreenFingerprint,
) -> None:
    one, other = showing(facts(1), 2, "list"), showing(facts(2), 0, "list")
    assert places(proved(one, at_2=NOTES), proved(other, at_0=shown)) == {("1", 2), ("2", 0)}


def test_of_many_that_show_the_home_screen_only_the_one_is_found_that_showed_another() -> None:
    homes = [
        proved(showing(facts(number), 0, "home"), at_0=ScreenFingerprint(9000 + number, "launcher", "icons"))
        for number in range(1, 9)
    ]
    (found,) = repeated_pictures(source(*homes, proved(showing(facts(9), 3, "home"), at_3=SHOP)))
    assert (found.episode_id[-1], found.step, found.severity) == ("9", 3, Severity.WARNING)
    assert "in 8 other episodes, where the device showed another screen" in found.found


def test_a_picture_of_another_step_of_the_same_episode_is_found_where_the_proof_says_otherwise() -> None:
    one = showing(showing(facts(1), 1, "list"), 4, "list")
    assert places(proved(one, at_1=NOTES, at_4=SHOP)) == {("1", 1), ("1", 4)}
    assert places(proved(one, at_1=NOTES, at_4=replace(NOTES, taken_us=8001))) == set()
    assert places(proved(showing(showing(facts(1), 1, "list"), 2, "list"))) == set()  # that is IMG07's


def test_a_recorded_and_a_released_episode_are_compared_as_released_ones_are() -> None:
    one, other = showing(facts(1), 2, "list"), showing(facts(2), 4, "list")
    assert places(proved(one, at_2=NOTES), other) == {("1", 2), ("2", 4)}


def test_a_picture_that_many_screens_have_says_little() -> None:
    many = [
        proved(showing(facts(number), 2, "blank"), at_2=ScreenFingerprint(number, f"org.app{number}", ""))
        for number in range(COMMON_SCREEN)
    ]
    assert {found.severity for found in repeated_pictures(source(*many))} == {Severity.NOTE}
    assert {found.severity for found in repeated_pictures(source(*many[1:]))} == {Severity.WARNING}


def test_steps_without_a_picture_have_none_in_common() -> None:
    assert places(*(replace(facts(number), pictures=("",) * 6) for number in (1, 2))) == set()


def test_a_screen_that_many_pass_by_is_a_note() -> None:
    many = [showing(facts(number), 2, "settings") for number in range(COMMON_SCREEN)]
    assert {found.severity for found in repeated_pictures(source(*many))} == {Severity.NOTE}
    assert {found.severity for found in repeated_pictures(source(*many[1:]))} == {Severity.WARNING}


def alike(one: EpisodeFacts, other: EpisodeFacts, *, steps: int) -> EpisodeFacts:
    return replace(one, looks=(*other.looks[:steps], *one.looks[steps:]))


def test_episodes_of_different_tasks_that_look_the_same_are_noted() -> None:
    found = list(episodes_that_look_alike(source(facts(1), alike(facts(2), facts(1), steps=5), facts(3))))
    assert [(one.episode_id[-1], one.others, one.severity) for one in found] == [
        ("1", (facts(2).episode_id,), Severity.NOTE),
        ("2", (facts(1).episode_id,), Severity.NOTE),
    ]
    assert "Of its 5 screens" in found[0].found
    assert "4 look like those of episode 0000000000000002" in found[0].found


def test_episodes_that_share_some_looks_are_not_noted() -> None:
    assert not list(episodes_that_look_alike(source(facts(1), alike(facts(2), facts(1), steps=4))))


def test_a_task_that_is_recorded_twice_may_look_the_same() -> None:
    again = replace(alike(facts(2), facts(1), steps=6), meta_task=facts(1).meta_task, task=facts(1).task)
    assert not list(episodes_that_look_alike(source(facts(1), again)))


def test_looks_of_many_episodes_say_nothing() -> None:
    common = (None, *(look(f"page {page}") for page in range(5)))
    assert not list(episodes_that_look_alike(source(*(replace(facts(number), looks=common) for number in range(30)))))
