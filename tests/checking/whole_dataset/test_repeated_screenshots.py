from collections.abc import Sequence
from dataclasses import replace

import pytest

from odyssey_recorder.checking.evidence import ComparedEpisode, ScreenFingerprint
from odyssey_recorder.checking.thresholds import COMMON_SCREEN
from odyssey_recorder.checking.whole_dataset.repeated_screenshots import episodes_that_look_alike, repeated_screenshots
from odyssey_recorder.model.finding import Criterion, Severity
from tests.checking.compared_episodes import ACTIONS, facts, look, sha, source


def show(episode: ComparedEpisode, step: int, screenshot: str) -> ComparedEpisode:
    screenshots = list(episode.screenshots)
    screenshots[step] = sha(screenshot)
    return replace(episode, screenshots=tuple(screenshots))


def places(*episodes: ComparedEpisode) -> set[tuple[str, int | None]]:
    return {(found.episode_id[-1], found.step) for found in repeated_screenshots(source(*episodes))}


def test_shared_screenshot_is_found_in_both_episodes() -> None:
    found = list(repeated_screenshots(source(show(facts(1), 2, "one"), facts(2), show(facts(3), 4, "one"))))
    assert [(one.episode_id, one.step, one.others) for one in found] == [
        (facts(1).episode_id, 2, (facts(3).episode_id,)),
        (facts(3).episode_id, 4, (facts(1).episode_id,)),
    ]
    assert {(one.check, one.severity, one.criterion) for one in found} == {
        ("IMG06", Severity.WARNING, Criterion.SCREENSHOTS)
    }
    assert facts(3).episode_id in found[0].found


def after_common_page(number: int) -> ComparedEpisode:
    """An episode that shows an article after a page that looks the same in each."""
    one = show(facts(number), 2, "article")
    return replace(one, looks=(one.looks[0], look("page"), *one.looks[2:]))


def after_action(action: str) -> ComparedEpisode:
    return replace(after_common_page(2), actions=(ACTIONS[0], action, *ACTIONS[2:]))


def after_look(before: int | None) -> ComparedEpisode:
    one = after_common_page(2)
    return replace(one, looks=(one.looks[0], before, *one.looks[2:]))


def recorded(episode: ComparedEpisode, **screens: ScreenFingerprint) -> ComparedEpisode:
    """The episode with provenance of its screens: distinct words, except for those given."""
    number, count = int(episode.episode_id), len(episode.screenshots)
    own = (ScreenFingerprint(1000 * number + step, "org.notes", sha(f"{number}_{step}")) for step in range(count))
    return replace(episode, screens=tuple(screens.get(f"at_{step}", one) for step, one in enumerate(own)))


HOME_AT_5 = replace(show(facts(3), 4, "browser"), actions=(*ACTIONS[:2], "HOME", *ACTIONS[3:]))
NOTES, SHOP = ScreenFingerprint(7001, "org.notes", "a list"), ScreenFingerprint(7002, "org.shop", "a list")
AGAIN = replace(NOTES, taken_us=8001)
LIST, OTHER_LIST = show(facts(1), 2, "list"), show(facts(2), 4, "list")
TWO_LISTS = show(show(facts(1), 1, "list"), 4, "list")
LIST_OF_NOTES = recorded(LIST, at_2=NOTES)
IN_BOTH, IN_BOTH_LISTS = {("1", 2), ("2", 2)}, {("1", 2), ("2", 4)}

PLACES: dict[str, tuple[Sequence[ComparedEpisode], set[tuple[str, int]]]] = {
    "home screen at the start": (
        [show(facts(1), 0, "home"), show(facts(2), 0, "home"), show(facts(3), 2, "home")],
        set(),
    ),
    "screen after HOME": ([show(facts(1), 5, "home"), show(facts(2), 5, "home")], set()),
    "first page of an app": ([show(facts(1), 1, "browser"), show(facts(2), 4, "browser")], set()),
    "first page of an app after HOME": ([HOME_AT_5, show(facts(2), 2, "browser")], set()),
    "same action on the same screen": ([after_common_page(1), after_common_page(2)], set()),
    "same action nearby": ([after_common_page(1), after_action("CLICK 150, 377")], set()),
    "another action": ([after_common_page(1), after_action("LONG_PRESS 120, 400")], IN_BOTH),
    "action elsewhere": ([after_common_page(1), after_action("CLICK 300, 400")], IN_BOTH),
    "another device": ([after_common_page(1), replace(after_common_page(2), device="Pixel Fold")], IN_BOTH),
    "another screen before": ([after_common_page(1), after_look(look("elsewhere"))], IN_BOTH),
    "unknown screen before": ([after_common_page(1), after_look(None)], IN_BOTH),
    "explained on one device only": (
        [show(facts(1), 0, "home"), replace(show(facts(2), 3, "home"), device="Pixel Fold")],
        {("2", 3)},
    ),
    "twice in one episode": ([show(show(facts(1), 2, "same"), 3, "same"), facts(2)], set()),
    "no screenshot": ([replace(facts(number), screenshots=("",) * 6) for number in (1, 2)], set()),
    "same screen taken twice": ([LIST_OF_NOTES, recorded(OTHER_LIST, at_4=AGAIN)], set()),
    "same screen taken twice, words unknown": (
        [LIST_OF_NOTES, recorded(OTHER_LIST, at_4=replace(AGAIN, words=""))],
        set(),
    ),
    "two apps by provenance": ([LIST_OF_NOTES, recorded(OTHER_LIST, at_4=SHOP)], IN_BOTH_LISTS),
    "two pages by provenance": (
        [LIST_OF_NOTES, recorded(OTHER_LIST, at_4=replace(AGAIN, words="a page"))],
        IN_BOTH_LISTS,
    ),
    "the same record by provenance": ([LIST_OF_NOTES, recorded(OTHER_LIST, at_4=NOTES)], IN_BOTH_LISTS),
    "one provenance": ([LIST_OF_NOTES, OTHER_LIST], IN_BOTH_LISTS),
    "other step with other provenance": ([recorded(TWO_LISTS, at_1=NOTES, at_4=SHOP)], {("1", 1), ("1", 4)}),
    "other step of the same screen": ([recorded(TWO_LISTS, at_1=NOTES, at_4=AGAIN)], set()),
    "next step, left to IMG07": ([recorded(show(show(facts(1), 1, "list"), 2, "list"))], set()),
}


@pytest.mark.parametrize("case", PLACES)
def test_places_of_repeated_screenshots(case: str) -> None:
    episodes, expected = PLACES[case]
    assert places(*episodes) == expected


def test_only_the_false_home_screen_among_many_is_found() -> None:
    homes = [
        recorded(show(facts(number), 0, "home"), at_0=ScreenFingerprint(9000 + number, "launcher", "icons"))
        for number in range(1, 9)
    ]
    (found,) = repeated_screenshots(source(*homes, recorded(show(facts(9), 3, "home"), at_3=SHOP)))
    assert (found.episode_id[-1], found.step, found.severity) == ("9", 3, Severity.WARNING)
    assert "in 8 other episodes, where the device showed another screen" in found.found


@pytest.mark.parametrize("is_proved", [True, False])
def test_very_common_screenshot_is_a_note(*, is_proved: bool) -> None:
    many = [show(facts(number), 2, "blank") for number in range(COMMON_SCREEN)]
    if is_proved:
        many = [recorded(one, at_2=ScreenFingerprint(at, f"org.app{at}", "")) for at, one in enumerate(many)]
    assert {found.severity for found in repeated_screenshots(source(*many))} == {Severity.NOTE}
    assert {found.severity for found in repeated_screenshots(source(*many[1:]))} == {Severity.WARNING}


def alike(one: ComparedEpisode, other: ComparedEpisode, *, steps: int) -> ComparedEpisode:
    return replace(one, looks=(*other.looks[:steps], *one.looks[steps:]))


def test_episodes_of_different_tasks_that_look_the_same_are_noted() -> None:
    found = list(episodes_that_look_alike(source(facts(1), alike(facts(2), facts(1), steps=5), facts(3))))
    assert [(one.episode_id[-1], one.others, one.severity) for one in found] == [
        ("1", (facts(2).episode_id,), Severity.NOTE),
        ("2", (facts(1).episode_id,), Severity.NOTE),
    ]
    assert "Of its 5 screens" in found[0].found
    assert "4 look like those of episode 0000000000000002" in found[0].found


@pytest.mark.parametrize(
    "episodes",
    [
        [facts(1), alike(facts(2), facts(1), steps=4)],
        [facts(1), replace(alike(facts(2), facts(1), steps=6), meta_task=facts(1).meta_task, task=facts(1).task)],
        [replace(facts(number), looks=(None, *(look(f"page {page}") for page in range(5)))) for number in range(30)],
    ],
    ids=["some looks", "a task that is recorded twice", "looks of many episodes"],
)
def test_expected_similarity_is_not_noted(episodes: list[ComparedEpisode]) -> None:
    assert not list(episodes_that_look_alike(source(*episodes)))
