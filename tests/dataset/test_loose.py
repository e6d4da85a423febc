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
from odyssey_recorder.model.geometry import Point, Size
from tests.episodes import DATA, ID, RELEASED, episode, episodes, json_values

Tree = dict[str, Any]


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


# --- files in order --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", Dialect)
def test_a_file_in_order_has_no_breaches_and_is_what_the_codec_reads(dialect: Dialect) -> None:
    data = encode(episode(), dialect)

    told = read_loosely(data, source="some file.json")

    assert told.breaches == ()
    assert told.strict == decode(data, source="some file.json")
    assert told.device == episode().device
    assert told.task == episode().task
    assert [step.action for step in told.steps] == [step.action for step in episode().steps]


def test_a_released_file_has_no_breaches_and_all_its_steps() -> None:
    told = read_loosely(RELEASED.read_bytes(), source=RELEASED.name)

    assert told.breaches == ()
    assert told.steps[4].action == Type("Todoist")


# --- each rule -------------------------------------------------------------------------------------------


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


def test_every_breach_is_told_and_not_the_first_alone() -> None:
    def spoil(tree: Tree) -> None:
        tree["step_length"] = 3
        tree["steps"][0]["info"] = [[1440, 620], [1440, 620]]
        tree["steps"][1]["action"] = "SWIPE"
        tree["steps"][1]["step"] = 7

    assert broken_rules(spoilt(spoil)) == [
        (Rule.PLACE, 0),
        (Rule.NUMBER, 1),
        (Rule.VOCABULARY, 1),
        (Rule.COUNT, None),
    ]


def test_a_file_that_was_cut_short_still_tells_the_steps_it_has() -> None:
    cut = DATA / "episodes" / "v1_0141544666483837.partial.json"

    told = read_loosely(cut.read_bytes(), source=cut.name)

    assert broken_rules(told) == [(Rule.COUNT, None), (Rule.ENDING, None)]
    assert told.steps[0].action == Click(Point(719, 762))
    assert told.device is not None
    assert told.device.size == Size(720, 1280)


def test_what_follows_an_end_is_no_second_breach() -> None:
    told = read_loosely(encode(episode(Complete(), Type("more"), Impossible("no"))), source="some file.json")

    assert broken_rules(told) == [(Rule.ENDING, 0)]


def test_an_end_that_cannot_be_understood_is_not_said_to_be_missing_too() -> None:
    assert broken_rules(spoilt(put("steps", 7, "action", to="FINISHED"))) == [(Rule.VOCABULARY, 7)]


def test_an_episode_without_steps_has_no_end() -> None:
    def spoil(tree: Tree) -> None:
        tree["steps"], tree["step_length"] = [], 0

    assert broken_rules(spoilt(spoil)) == [(Rule.ENDING, None)]


def test_a_step_with_a_wrong_number_keeps_its_action() -> None:
    told = spoilt(put("steps", 0, "step", to="first"))

    assert told.steps[0].action == Click(Point(719, 762))


def test_of_a_broken_header_the_rest_is_kept() -> None:
    def spoil(tree: Tree) -> None:
        del tree["device_info"]
        tree["task_info"]["app"] = ["Chrome", 7]

    told = spoilt(spoil)

    assert told.device is None
    assert told.task.apps == ("Chrome",)
    assert told.task.meta_task == "Look up the weather in {}."


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"{}", b'{"steps": {}}', b"\xff", b'{"a": 1, "a": 2}'])
def test_what_is_no_object_with_steps_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidEpisodeError, match=r"^some file\.json: "):
        read_loosely(data, source="some file.json")


# --- arbitrary files -------------------------------------------------------------------------------------


@given(episodes(), st.sampled_from(Dialect))
def test_no_file_that_the_codec_writes_has_a_breach(written: Any, dialect: Dialect) -> None:
    data = encode(written, dialect)

    told = read_loosely(data, source="some file.json")

    assert told.breaches == ()
    assert told.strict == decode(data, source="some file.json")


@st.composite
def mutilated(draw: st.DrawFn) -> bytes:
    tree = json.loads(encode(draw(episodes())))
    for _ in range(draw(st.integers(1, 3))):
        parts = [tree, tree["device_info"], tree["task_info"], *tree["steps"]]
        part = draw(st.sampled_from([part for part in parts if isinstance(part, dict)]))
        key = draw(st.sampled_from(sorted(part, key=str)))
        if key in ("device_info", "task_info", "steps"):
            continue
        if draw(st.booleans()):
            part[key] = draw(json_values | st.sampled_from([0, 1, 1001, "CLICK", "KEY_HOME", "COMPLETE", [[5, 5]]]))
        elif len(part) > 1:
            del part[key]
    return json.dumps(tree).encode()


@given(mutilated())
def test_there_are_breaches_exactly_where_the_codec_refuses(data: bytes) -> None:
    told = read_loosely(data, source="some file.json")

    try:
        read = decode(data, source="some file.json")
    except InvalidEpisodeError:
        read = None
    assert told.strict == read
    assert bool(told.breaches) == (read is None)
    assert all(breach.words.isprintable() and len(breach.words) < 400 for breach in told.breaches)


@given(json_values)
def test_whatever_stands_in_every_place_is_a_breach(value: object) -> None:
    spelled = {"steps": [value], "episode_id": value, "device_info": value, "task_info": value}

    assert read_loosely(json.dumps(spelled).encode(), source="some file.json").breaches
