"""Episode files that break the format: what is still read, and which breaches are reported."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.dataset.codec import Dialect, decode, encode
from odyssey_recorder.dataset.lenient import LenientEpisode, Rule, read_loosely
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Click, Complete, Impossible, Type
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Point, Size
from tests.episodes import DATA, ID, RELEASED, episode, episodes, json_values, mutated_files

Tree = dict[str, Any]


def read(written: Episode) -> LenientEpisode:
    return read_loosely(encode(written), source="some file.json")


def spoilt(spoil: Callable[[Tree], object]) -> LenientEpisode:
    tree = json.loads(encode(episode()))
    spoil(tree)
    return read_loosely(json.dumps(tree).encode(), source="some file.json")


def broken_rules(told: LenientEpisode) -> list[tuple[Rule, int | None]]:
    return [(breach.rule, breach.step) for breach in told.breaches]


def put(*path: str | int, to: Any) -> Callable[[Tree], None]:
    def spoil(tree: Any) -> None:
        for key in path[:-1]:
            tree = tree[key]
        tree[path[-1]] = to

    return spoil


def test_a_released_file_has_no_breaches_and_all_its_steps() -> None:
    told = read_loosely(RELEASED.read_bytes(), source=RELEASED.name)
    assert told.breaches == ()
    assert told.steps[4].action == Type("Todoist")


@pytest.mark.parametrize(
    ("spoil", "rule", "step"),
    [
        (put("step_length", to=7), Rule.COUNT, None),
        (put("step_length", to="8"), Rule.COUNT, None),
        (put("steps", 3, "step", to=4), Rule.NUMBER, 3),
        (put("steps", 3, "step", to="3"), Rule.NUMBER, 3),
        (put("steps", 3, "screenshot", to=f"{ID}_2.png"), Rule.SCREENSHOT, 3),
        (put("steps", 3, "screenshot", to="../../x.png"), Rule.SCREENSHOT, 3),
        (put("steps", 3, "action", to="TAP"), Rule.VOCABULARY, 3),
        (put("steps", 3, "action", to=None), Rule.VOCABULARY, 3),
        (put("steps", 4, "info", to="KEY_MENU"), Rule.VOCABULARY, 4),
        (put("steps", 0, "info", to=[[1001, 5]]), Rule.PLACE, 0),
        (put("steps", 0, "info", to=[[-1, 5]]), Rule.PLACE, 0),
        (put("steps", 0, "info", to=[[0.5, 5]]), Rule.PLACE, 0),
        (put("steps", 2, "info", to=[[5, 5]]), Rule.PLACE, 2),
        (put("steps", 2, "ps", to="[(5, 5), (5, 1001)]"), Rule.PLACE, 2),
        (put("steps", 2, "action", to="COMPLETE"), Rule.ENDING, 2),
        (put("task_info", "app", to="Chrome"), Rule.FORM, None),
        (put("device_info", "h", to=0), Rule.FORM, None),
        (put("episode_id", to="12"), Rule.FORM, None),
        (put("steps", 5, to="a step"), Rule.FORM, 5),
    ],
)  # fmt: skip
def test_each_breach_is_told_with_its_rule_and_its_place(
    spoil: Callable[[Tree], None], rule: Rule, step: int | None
) -> None:
    told = spoilt(spoil)
    assert (rule, step) in broken_rules(told)
    assert told.strict is None


def much(tree: Tree) -> None:
    tree["step_length"] = 3
    tree["steps"][0]["info"] = [[1440, 620], [1440, 620]]
    tree["steps"][1] |= {"action": "SWIPE", "step": 7}


@pytest.mark.parametrize(
    ("told", "rules"),
    [
        (spoilt(much), [(Rule.PLACE, 0), (Rule.NUMBER, 1), (Rule.VOCABULARY, 1), (Rule.COUNT, None)]),
        (read(episode(Complete(), Type("more"), Impossible("no"))), [(Rule.ENDING, 0)]),
        (spoilt(put("steps", 7, "action", to="FINISHED")), [(Rule.VOCABULARY, 7)]),
        (spoilt(lambda tree: tree.update(steps=[], step_length=0)), [(Rule.ENDING, None)]),
    ],
    ids=["every breach", "one for what follows an end", "an unknown end is not missing", "no steps"],
)
def test_breaches_are_told_once_and_in_order(told: LenientEpisode, rules: list[tuple[Rule, int | None]]) -> None:
    assert broken_rules(told) == rules


def test_a_file_that_was_cut_short_still_tells_the_steps_it_has() -> None:
    cut = DATA / "episodes" / "v1_0141544666483837.partial.json"
    told = read_loosely(cut.read_bytes(), source=cut.name)
    assert broken_rules(told) == [(Rule.COUNT, None), (Rule.ENDING, None)]
    assert told.steps[0].action == Click(Point(719, 762))
    assert told.device is not None
    assert told.device.size == Size(720, 1280)


def test_what_is_not_broken_is_kept() -> None:
    def spoil(tree: Tree) -> None:
        del tree["device_info"]
        tree["task_info"]["app"] = ["Chrome", 7]
        tree["steps"][0]["step"] = "first"

    told = spoilt(spoil)
    assert told.device is None
    assert (told.task.apps, told.task.meta_task) == (("Chrome",), "Look up the weather in {}.")
    assert told.steps[0].action == Click(Point(719, 762))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"{}", b'{"steps": {}}', b"\xff", b'{"a": 1, "a": 2}'])
def test_what_is_no_object_with_steps_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidEpisodeError, match=r"^some file\.json: "):
        read_loosely(data, source="some file.json")


@given(episodes(), st.sampled_from(Dialect))
def test_a_file_that_the_codec_writes_has_no_breach_and_is_read_whole(written: Episode, dialect: Dialect) -> None:
    told = read_loosely(encode(written, dialect), source="some file.json")
    assert (told.breaches, told.strict) == ((), written)
    assert (told.device, told.task) == (written.device, written.task)
    assert [step.action for step in told.steps] == [step.action for step in written.steps]


@given(mutated_files())
def test_there_are_breaches_exactly_where_the_codec_refuses(data: bytes) -> None:
    try:
        read = decode(data, source="some file.json")
    except InvalidEpisodeError:
        read = None
    try:
        told = read_loosely(data, source="some file.json")
    except InvalidEpisodeError:
        assert read is None
        return
    assert told.strict == read
    assert bool(told.breaches) == (read is None)
    assert all(breach.words.isprintable() and len(breach.words) < 400 for breach in told.breaches)


@given(json_values)
def test_whatever_stands_in_every_place_is_a_breach(value: object) -> None:
    spelled = {"steps": [value], "episode_id": value, "device_info": value, "task_info": value}
    assert read_loosely(json.dumps(spelled).encode(), source="some file.json").breaches
