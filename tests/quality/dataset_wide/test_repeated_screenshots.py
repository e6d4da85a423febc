from collections.abc import Sequence
from dataclasses import replace

import pytest

from odyssey_recorder.quality.dataset_wide.repeated_screenshots import episodes_that_look_alike, repeated_screenshots
from odyssey_recorder.quality.evidence import EpisodeFacts, ScreenFingerprint
from odyssey_recorder.quality.finding import Criterion, Severity
from odyssey_recorder.quality.thresholds import COMMON_SCREEN
from tests.quality.facts import ACTIONS, facts, look, sha, source


def showing(episode: EpisodeFacts, step: int, screenshot: str) -> EpisodeFacts:
    screenshots = list(episode.screenshots)
    screenshots[step] = sha(screenshot)
    return replace(episode, screenshots=tuple(screenshots))


def places(*episodes: EpisodeFacts) -> set[tuple[str, int | None]]:
    return {(found.episode_id[-1], found.step) for found in repeated_screenshots(source(*episodes))}


def test_a_screenshot_of_another_episode_is_found_in_both_with_its_step() -> None:
    found = list(repeated_screenshots(source(showing(facts(1), 2, "one"), facts(2), showing(facts(3), 4, "one"))))
    assert [(one.episode_id, one.step, one.others) for one in found] == [
        (facts(1).episode_id, 2, (facts(3).episode_id,)),
        (facts(3).episode_id, 4, (facts(1).episode_id,)),
    ]
    assert {(one.check, one.severity, one.criterion) for one in found} == {
        ("IMG06", Severity.WARNING, Criterion.SCREENSHOTS)
    }
    assert facts(3).episode_id in found[0].found


def on_a_page(number: int) -> EpisodeFacts:
    """An episode that shows an article after a page that looks the same in each."""
    one = showing(facts(number), 2, "article")
    return replace(one, looks=(one.looks[0], look("page"), *one.looks[2:]))


def after(action: str) -> EpisodeFacts:
    return replace(on_a_page(2), actions=(ACTIONS[0], action, *ACTIONS[2:]))


def behind(before: int | None) -> EpisodeFacts:
    one = on_a_page(2)
    return replace(one, looks=(one.looks[0], before, *one.looks[2:]))


def proved(episode: EpisodeFacts, **screens: ScreenFingerprint) -> EpisodeFacts:
    """The episode with provenance of its screens: distinct words, except for those given."""
    number, count = int(episode.episode_id), len(episode.screenshots)
    own = (ScreenFingerprint(1000 * number + step, "org.notes", sha(f"{number}_{step}")) for step in range(count))
    return replace(episode, screens=tuple(screens.get(f"at_{step}", one) for step, one in enumerate(own)))


HOME_AT_5 = replace(showing(facts(3), 4, "browser"), actions=(*ACTIONS[:2], "HOME", *ACTIONS[3:]))
NOTES, SHOP = ScreenFingerprint(7001, "org.notes", "a list"), ScreenFingerprint(7002, "org.shop", "a list")
AGAIN = replace(NOTES, taken_us=8001)
LIST, OTHER_LIST = showing(facts(1), 2, "list"), showing(facts(2), 4, "list")
TWO_LISTS = showing(showing(facts(1), 1, "list"), 4, "list")
BOTH = {("1", 2), ("2", 2)}

PLACES: dict[str, tuple[Sequence[EpisodeFacts], set[tuple[str, int]]]] = {
    "the home screen that episodes begin with": (
        [showing(facts(1), 0, "home"), showing(facts(2), 0, "home"), showing(facts(3), 2, "home")],
        set(),
    ),
    "what home led to": ([showing(facts(1), 5, "home"), showing(facts(2), 5, "home")], set()),
    "an app's first page": ([showing(facts(1), 1, "browser"), showing(facts(2), 4, "browser")], set()),
    "an app's first page after home": ([HOME_AT_5, showing(facts(2), 2, "browser")], set()),
    "the same action on the same screen": ([on_a_page(1), on_a_page(2)], set()),
    "the same action a little aside": ([on_a_page(1), after("CLICK 150, 377")], set()),
    "another action": ([on_a_page(1), after("LONG_PRESS 120, 400")], BOTH),
    "an action elsewhere": ([on_a_page(1), after("CLICK 300, 400")], BOTH),
    "another device": ([on_a_page(1), replace(on_a_page(2), device="Pixel Fold")], BOTH),
    "another screen before": ([on_a_page(1), behind(look("elsewhere"))], BOTH),
    "an unknown screen before": ([on_a_page(1), behind(None)], BOTH),
    "explained on one device alone": (
        [showing(facts(1), 0, "home"), replace(showing(facts(2), 3, "home"), device="Pixel Fold")],
        {("2", 3)},
    ),
    "twice in one episode": ([showing(showing(facts(1), 2, "same"), 3, "same"), facts(2)], set()),
    "no screenshot": ([replace(facts(number), screenshots=("",) * 6) for number in (1, 2)], set()),
    "taken twice of the same screen": ([proved(LIST, at_2=NOTES), proved(OTHER_LIST, at_4=AGAIN)], set()),
    "taken twice, words unknown": (
        [proved(LIST, at_2=NOTES), proved(OTHER_LIST, at_4=replace(AGAIN, words=""))],
        set(),
    ),
    "proofs of two apps": ([proved(LIST, at_2=NOTES), proved(OTHER_LIST, at_4=SHOP)], {("1", 2), ("2", 4)}),
    "proofs of two pages": (
        [proved(LIST, at_2=NOTES), proved(OTHER_LIST, at_4=replace(AGAIN, words="a page"))],
        {("1", 2), ("2", 4)},
    ),
    "proofs of the very same": ([proved(LIST, at_2=NOTES), proved(OTHER_LIST, at_4=NOTES)], {("1", 2), ("2", 4)}),
    "one provenance": ([proved(LIST, at_2=NOTES), OTHER_LIST], {("1", 2), ("2", 4)}),
    "another step, and the provenance says otherwise": (
        [proved(TWO_LISTS, at_1=NOTES, at_4=SHOP)],
        {("1", 1), ("1", 4)},
    ),
    "another step of the same screen": ([proved(TWO_LISTS, at_1=NOTES, at_4=AGAIN)], set()),
    "the next step, which is IMG07's": ([proved(showing(showing(facts(1), 1, "list"), 2, "list"))], set()),
}


@pytest.mark.parametrize("case", PLACES)
def test_where_a_screenshot_of_elsewhere_is_found(case: str) -> None:
    episodes, expected = PLACES[case]
    assert places(*episodes) == expected


def test_of_many_that_show_the_home_screen_only_the_one_is_found_that_showed_another() -> None:
    homes = [
        proved(showing(facts(number), 0, "home"), at_0=ScreenFingerprint(9000 + number, "launcher", "icons"))
        for number in range(1, 9)
    ]
    (found,) = repeated_screenshots(source(*homes, proved(showing(facts(9), 3, "home"), at_3=SHOP)))
    assert (found.episode_id[-1], found.step, found.severity) == ("9", 3, Severity.WARNING)
    assert "in 8 other episodes, where the device showed another screen" in found.found


@pytest.mark.parametrize("is_proved", [True, False])
def test_a_screenshot_that_many_screens_have_is_a_note(*, is_proved: bool) -> None:
    many = [showing(facts(number), 2, "blank") for number in range(COMMON_SCREEN)]
    if is_proved:
        many = [proved(one, at_2=ScreenFingerprint(at, f"org.app{at}", "")) for at, one in enumerate(many)]
    assert {found.severity for found in repeated_screenshots(source(*many))} == {Severity.NOTE}
    assert {found.severity for found in repeated_screenshots(source(*many[1:]))} == {Severity.WARNING}


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


@pytest.mark.parametrize(
    "episodes",
    [
        [facts(1), alike(facts(2), facts(1), steps=4)],
        [
            facts(1),
            replace(alike(facts(2), facts(1), steps=6), meta_task=facts(1).meta_task, task=facts(1).task),
        ],
        [replace(facts(number), looks=(None, *(look(f"page {page}") for page in range(5)))) for number in range(30)],
    ],
    ids=["some looks", "a task that is recorded twice", "looks of many episodes"],
)
def test_episodes_that_may_look_alike_are_not_noted(episodes: list[EpisodeFacts]) -> None:
    assert not list(episodes_that_look_alike(source(*episodes)))
