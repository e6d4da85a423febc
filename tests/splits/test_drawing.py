"""Drawing the splits: what is in which part, what holds it apart, and what stays when the dataset grows."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.dataset.layout import TEAM
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.splits.drawing import KINDS, NEAR, DrawRules, SplitDraw, draw, moved, train_in_all
from odyssey_recorder.splits.episodes import SplitEpisode, app_classes, app_key
from odyssey_recorder.splits.leaks import leak_report
from odyssey_recorder.tasks.templates.team import Team, write_team
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues
from tests.splits.split_facts import CATEGORIES, CLASSES, dataset, facts

DATA = Path(__file__).parents[1] / "data"
RULES = DrawRules()
CLEAN = {"L0", "L1", "L2", "L5"}


def drawn(episodes: Sequence[SplitEpisode], rules: DrawRules = RULES, released: SplitDraw | None = None) -> SplitDraw:
    return draw(episodes, rules, CLASSES, released)


def sums_of(sizes: Sequence[int]) -> set[int]:
    """How many episodes one or more units, but not all, can have together; 0 if there is only one."""
    bits = 1
    for size in sizes:
        bits |= bits << size
    return {count for count in range(1, sum(sizes)) if bits >> count & 1} or {0}


def reachable(kind: str, episodes: Sequence[SplitEpisode]) -> set[int]:
    """The sizes that test can have; each category gives at least one of its templates, and never all."""
    if kind == "random":
        return sums_of([*Counter(one.take for one in episodes).values()])
    counts = {0}
    for category in CATEGORIES:
        sizes = Counter(one.meta_task for one in episodes if one.category == category).values()
        counts = {one + other for one in counts for other in sums_of([*sizes])}
    return counts


@pytest.mark.parametrize("seed", range(100))
def test_splits_are_disjoint_complete_clean_and_near_target(seed: int) -> None:
    rng = random.Random(seed)
    episodes = dataset(seed, episodes=rng.choice((40, 120, 400)), templates=rng.choice((12, 40, 90)))
    drawing = drawn(episodes, replace(RULES, seed=seed))
    assert set(drawing.drawn) | set(drawing.missing) == set(KINDS)
    assert {"random", "task", "device"} <= set(drawing.drawn)
    for one in drawing.drawn.values():
        assert sorted([*one.split.train, *one.split.test]) == [facts.episode_id for facts in episodes]
    report = leak_report([one.split for one in drawing.drawn.values()], episodes)
    found = [(one.kind, leak.name) for one in report.splits for leak in one.leaks if leak.level in CLEAN - {"L2"}]
    assert found == []
    assert [leak.name for leak in report.splits[0].leaks if leak.level == "L2"] == []
    for kind in ("random", "task"):
        one = drawing.drawn[kind]
        target = one.target or 0
        assert one.is_near == any(abs(count / len(episodes) - target) <= NEAR for count in reachable(kind, episodes))
    off = [abs(count - 0.2 * len(episodes)) for count in reachable("random", episodes)]
    assert abs(len(drawing.drawn["random"].split.test) - 0.2 * len(episodes)) <= max(0.5, min(off))


def test_random_split_of_many_has_its_share_to_the_episode() -> None:
    episodes = dataset(21, episodes=2_400, templates=91)
    for rules, expected in ((DrawRules(), 480), (DrawRules(share=0.25, unit="episode"), 600)):
        assert len(drawn(episodes, rules).drawn["random"].split.test) == expected


def test_task_split_of_the_first_version_has_a_tenth_of_each_category() -> None:
    episodes = dataset(21, episodes=1_200, templates=240)
    one = drawn(episodes, DrawRules(task_share=0.1)).drawn["task"]
    assert abs(one.split.share - 0.1) < 0.01
    tested = Counter(episode.category for episode in episodes if episode.meta_task in one.held)
    of_each = Counter(episode.category for episode in episodes)
    assert all(abs(tested[name] / of_each[name] - 0.1) < 0.03 for name in CATEGORIES)


def test_each_device_is_alone_in_the_test_of_a_split() -> None:
    episodes = [replace(one, device=one.device.upper() if one.episode_id[-1] == "7" else one.device)
                for one in dataset(22, episodes=120)]  # fmt: skip
    all_drawn = drawn(episodes, DrawRules(each_device=True)).drawn
    assert [*all_drawn][4:] == ["device_pixel_7_pro", "device_pixel_fold", "device_pixel_tablet"]
    for kind in [*all_drawn][4:]:
        one = all_drawn[kind].split
        device = kind.removeprefix("device_").replace("_", " ")
        assert one.kind == kind
        assert {*one.test} == {episode.episode_id for episode in episodes if episode.device.casefold() == device}
        assert len(one.train) + len(one.test) == 120
    assert all_drawn["device"].split.test == all_drawn["device_pixel_tablet"].split.test


def test_every_category_gives_a_share_to_test() -> None:
    episodes = dataset(3, episodes=600, templates=90)
    drawing = drawn(episodes)
    for kind in ("random", "task"):
        tested = {*drawing.drawn[kind].split.test}
        share = {
            category: sum(one.episode_id in tested for one in episodes if one.category == category)
            / sum(one.category == category for one in episodes)
            for category in CATEGORIES
        }
        assert all(0 < one < 0.4 for one in share.values())


def test_each_category_keeps_a_template_for_train() -> None:
    episodes = [facts(number, category=CATEGORIES[number // 2 % 2], meta_task=f"T{number // 2}") for number in range(8)]
    held = drawn(episodes).drawn["task"].held
    assert len(held) == 2
    assert {int(name[1:]) % 2 for name in held} == {0, 1}


def test_app_split_holds_out_rare_apps_but_never_a_whole_class() -> None:
    episodes = dataset(5, episodes=400)
    one = drawn(episodes).drawn["app"]
    times = Counter(app_key(app) for facts in episodes for app in facts.apps)
    held = {app_key(app) for app in one.held}
    for letter in "ABCDE":
        ranks = sorted((key for key in times if CLASSES[key] == letter), key=lambda key: (times[key], key))
        ours = [key in held for key in ranks]
        assert not ours[-1]
        assert all(rarer or not commoner for rarer, commoner in pairwise(ours))
    tested = {*one.split.test}
    assert tested == {facts.episode_id for facts in episodes if held & facts.app_keys}
    assert len(tested) <= 0.155 * len(episodes)


@given(st.randoms(use_true_random=False), st.integers(0, 20), st.integers(2, 60))
def test_episode_order_does_not_matter(rng: random.Random, seed: int, count: int) -> None:
    episodes = dataset(seed, episodes=count)
    before = drawn(episodes)
    assert drawn(rng.sample(episodes, len(episodes))) == before


_TEXTS = st.sampled_from(["", "a", "A.", "b", "c c"])


@given(
    st.lists(
        st.builds(
            facts, st.integers(0, 50), category=_TEXTS, device=_TEXTS, meta_task=_TEXTS, task=_TEXTS,
            instruction=_TEXTS, contents=_TEXTS, apps=st.lists(st.sampled_from([*CLASSES]), max_size=3).map(tuple),
        ),
        max_size=14, unique_by=lambda one: one.episode_id,
    ),
    st.sampled_from(["take", "episode"]),
)  # fmt: skip
def test_any_split_is_disjoint_and_complete_or_listed_as_missing(episodes: list[SplitEpisode], unit: str) -> None:
    drawing = drawn(episodes, DrawRules(unit="episode" if unit == "episode" else "take", devices=("a",)))
    for one in drawing.drawn.values():
        assert one.split.train
        assert one.split.test
        assert sorted([*one.split.train, *one.split.test]) == sorted(facts.episode_id for facts in episodes)
    assert set(drawing.drawn) | set(drawing.missing) == set(KINDS)
    if "random" in drawing.drawn and unit == "take":
        report = leak_report([drawing.drawn["random"].split], episodes)
        assert not [leak for leak in report.splits[0].leaks if leak.level in CLEAN]


@pytest.mark.parametrize("count", [60, 400])
def test_released_episodes_stay_and_held_out_values_stay_out(count: int) -> None:
    before = dataset(7, episodes=count, templates=60)
    released = drawn(before, replace(RULES, seed=4))
    grown = [*before, *dataset(7, episodes=count // 20, templates=60, start=count)]
    after = drawn(grown, RULES, released)
    for kind, one in released.drawn.items():
        now = after.drawn[kind]
        assert moved(one.split, now.split) == 0
        assert {*one.held} <= {*now.held}
        assert len(now.split.train) + len(now.split.test) == len(grown)
    assert after.rules == released.rules
    report = leak_report([one.split for one in after.drawn.values()], grown)
    assert not [leak for one in report.splits for leak in one.leaks if leak.level in ("L0", "L1", "L5")]
    assert not [leak for leak in report.splits[0].leaks if leak.level == "L2"]


def test_new_take_joins_its_task_and_held_out_app_goes_to_test() -> None:
    before = dataset(9, episodes=200)
    released = drawn(before)
    old = {one.episode_id: one for one in before}
    tested, trained = (
        old[part[0]] for part in (released.drawn["random"].split.test, released.drawn["random"].split.train)
    )
    rare = released.drawn["app"].held[0]
    new = [
        facts(1000, task=tested.task, apps=tested.apps, instruction="again"),
        facts(1001, task=trained.task, apps=trained.apps, instruction="and again"),
        facts(1002, apps=(rare.upper(), "AppA0")),
    ]
    after = drawn([*before, *new], RULES, released).drawn
    assert new[0].episode_id in after["random"].split.test
    assert new[1].episode_id in after["random"].split.train
    assert new[2].episode_id in after["app"].split.test


def test_corrected_episode_keeps_its_part() -> None:
    before = dataset(9, episodes=200)
    released = drawn(before)
    held = {kind: one.held[:1] for kind, one in released.drawn.items()}
    number = int(train_in_all([one.split for one in released.drawn.values()])[0])
    corrected = [*before]
    corrected[number] = replace(
        before[number], meta_task=held["task"][0], device=held["device"][0], apps=held["app"],
        task=before[int(released.drawn["random"].split.test[0])].task,
    )  # fmt: skip
    after = drawn(corrected, RULES, released)
    assert {kind: one.split for kind, one in after.drawn.items()} == {
        kind: one.split for kind, one in released.drawn.items()
    }


def test_app_released_in_train_is_not_held_out_later() -> None:
    apps = ["AppA0"] * 14 + ["AppA1"] * 4 + ["AppB0", "AppB1"]
    before = [facts(number, apps=(app,)) for number, app in enumerate(apps)]
    released = drawn(before)
    assert released.drawn["app"].held == ("AppB0",)
    grown = [*before, *(facts(number, apps=("AppA0",)) for number in range(20, 60))]
    assert drawn(grown, RULES, released).drawn["app"].held == ("AppB0",)
    assert drawn(grown).drawn["app"].held == ("AppA1", "AppB0")


def test_only_app_of_a_class_is_not_held_out() -> None:
    apps = ["AppA0", "AppB1", *["AppB0"] * 38]
    assert drawn([facts(number, apps=(app,)) for number, app in enumerate(apps)]).drawn["app"].held == ("AppB1",)


def test_train_is_never_empty() -> None:
    one = drawn([facts(number) for number in range(3)], DrawRules(share=0.99)).drawn["random"]
    assert (len(one.split.train), len(one.split.test)) == (1, 2)


def test_episodes_with_equal_contents_stay_together() -> None:
    fields: list[tuple[str, object]] = [("instruction", "Do it."), ("contents", "same"), ("screenshots", ("a", "b"))]
    for field, value in fields:
        alike = {0, 7, 13, 29}
        episodes = [facts(number, **({field: value} if number in alike else {})) for number in range(40)]
        for seed in range(10):
            split = drawn(episodes, DrawRules(seed=seed)).drawn["random"].split
            sides = {number in {int(one) for one in split.test} for number in alike}
            assert len(sides) == 1


def test_another_seed_moves_episodes() -> None:
    episodes = dataset(11, episodes=400)
    one, other = (drawn(episodes, DrawRules(seed=seed)).drawn["random"].split for seed in (0, 50))
    assert 0.2 < moved(one, other) / len(episodes) < 0.4


def test_new_episodes_move_none_before_a_release_and_the_share_stays_exact() -> None:
    moves = 0
    for seed in range(5):
        episodes = dataset(seed, episodes=240)
        fewer = draw(episodes[:200], RULES, CLASSES).drawn["random"]
        grown = draw(episodes, RULES, CLASSES, random=fewer).drawn["random"]
        assert moved(fewer.split, grown.split) == 0
        assert abs(len(grown.split.test) - 0.2 * len(episodes)) <= 0.5
        moves += moved(fewer.split, draw(episodes, RULES, CLASSES).drawn["random"].split)
    assert moves > 0  # if all was drawn anew


def test_tasks_that_became_one_are_on_one_side_before_a_release() -> None:
    before = dataset(9, episodes=200)
    fewer = drawn(before).drawn["random"]
    tested, trained = (int(part[0]) for part in (fewer.split.test, fewer.split.train))
    corrected = [*before]
    corrected[tested] = replace(before[tested], task=before[trained].task, apps=before[trained].apps)
    split = draw(corrected, RULES, CLASSES, random=fewer).drawn["random"].split
    assert {before[tested].episode_id, before[trained].episode_id} <= {*split.train}


@pytest.mark.parametrize(
    ("episodes", "reasons"),
    [
        ([facts(1)], dict.fromkeys(KINDS, "at least 2 episodes")),
        ([facts(1, task="Same."), facts(2, task="same", apps=("AppA1",))], {"random": "takes of one task"}),
        ([facts(1, meta_task="One {}."), facts(2, meta_task="One {}.")], {"task": "no category has 2 templates"}),
        (
            [facts(1), facts(2)],
            {"device": "no episode is from Pixel Tablet. Choose among the devices: Pixel 7 Pro (2)"},
        ),
        ([facts(1, device="Pixel Tablet"), facts(2, device="pixel tablet")], {"device": "every episode is from"}),
        (
            [facts(1, apps=("AppA1", "Frobnicator")), facts(2)],
            {"app": "1 of 3 apps are in no catalogue, so their classes are unknown: 'Frobnicator'"},
        ),
        ([facts(1, apps=("AppA1",)), facts(2, apps=("AppA2",))], {"app": "in more than 15.5% of the episodes"}),
    ],
)
def test_missing_splits_of_a_small_dataset_have_a_reason(episodes: list[SplitEpisode], reasons: dict[str, str]) -> None:
    missing = drawn(episodes).missing
    for kind, words in reasons.items():
        assert words in missing[kind]


def test_episodes_can_be_drawn_singly() -> None:
    episodes = [facts(number, task="The same.", apps=("AppA1",)) for number in range(40)]
    assert "random" in drawn(episodes).missing
    assert len(drawn(episodes, DrawRules(unit="episode")).drawn["random"].split.test) == 8


def test_episodes_in_train_of_all_splits_are_in_no_test() -> None:
    episodes = dataset(13, episodes=120)
    splits = [one.split for one in drawn(episodes).drawn.values()]
    common = train_in_all(splits)
    assert common == [one.episode_id for one in episodes if not any(one.episode_id in split.test for split in splits)]
    assert train_in_all([]) == []


def test_every_catalogue_app_has_a_unique_key_and_its_class() -> None:
    catalogue = shipped_catalogues()["android"]
    classes = app_classes()
    assert len({app_key(app.name) for app in catalogue.apps}) == len(catalogue.apps)
    assert all(classes[app_key(app.name)] == app.app_class for app in catalogue.apps)
    assert classes[app_key("Setting")] == classes[app_key("settings")] == "Tools"


NAMED_BY_THE_PAPERS = (
    "Amazon", "Apple Music", "Booking.com", "ChatGPT", "Chrome", "Facebook", "Firefox", "Gmail", "Google Docs",
    "Google Keep", "Google Podcast", "Instagram", "Microsoft To Do", "Netflix", "Setting", "Spotify", "TikTok",
    "Todoist", "Twitter", "Weather & Radar", "X", "YouTube",
)  # fmt: skip


def test_apps_named_by_the_papers_and_in_released_episodes_have_a_class() -> None:
    files = (DATA / "episodes").glob("v1*.json")
    released = [app for file in files for app in json.loads(file.read_bytes())["task_info"]["app"]]
    classes = app_classes()
    assert [app for app in (*NAMED_BY_THE_PAPERS, *released) if app_key(app) not in classes] == []
    assert {"Todoist", "Setting", "Chrome", "Google Docs"} == set(released)
    assert app_key("Twitter") == app_key("X")
    names = {app_key(app.name) for catalogue in shipped_catalogues().values() for app in catalogue.apps}
    aliases = [alias for app in shipped_catalogues()["android"].apps for alias in app.aliases]
    assert len(aliases) == len(set(aliases))
    assert {app_key(alias) for alias in aliases} <= names


def test_team_classifies_apps_that_no_catalogue_has(tmp_path: Path) -> None:
    assert app_key("Chirp") not in app_classes(tmp_path)
    write_team(tmp_path / TEAM, Team(classes={"Chirp": "X", "Rain Soon": "Weather"}))
    classes = app_classes(tmp_path)
    assert (classes[app_key("chirp")], classes[app_key("Rain Soon")]) == ("Social", "Weather")
    write_team(tmp_path / TEAM, Team(classes={"Chirp": "Birds"}))
    with pytest.raises(DatasetError, match='"Birds", said of Chirp, is neither an app of the catalogue nor one of its'):
        app_classes(tmp_path)
