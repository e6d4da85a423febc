"""Episode files that violate the format: what is read anyway, and which breaches are reported."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from odyssey_recorder.dataset.codec import encode
from odyssey_recorder.dataset.lenient import LenientEpisode, Rule, read_leniently
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Click, Complete, Impossible, Type
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Point, Size
from tests.episodes import DATA, ID, episode, json_values

Tree = dict[str, Any]


def read(written: Episode) -> LenientEpisode:
    return read_leniently(encode(written), source="some file.json")


def read_damaged(damage: Callable[[Tree], object]) -> LenientEpisode:
    tree = json.loads(encode(episode()))
    damage(tree)
    return read_leniently(json.dumps(tree).encode(), source="some file.json")


def broken_rules(lenient: LenientEpisode) -> list[tuple[Rule, int | None]]:
    return [(breach.rule, breach.step) for breach in lenient.breaches]


def put(*path: str | int, to: Any) -> Callable[[Tree], None]:
    def damage(tree: Any) -> None:
        for key in path[:-1]:
            tree = tree[key]
        tree[path[-1]] = to

    return damage


@pytest.mark.parametrize(
    ("damage", "rule", "step"),
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
def test_breach_is_reported_with_its_rule_and_step(
    damage: Callable[[Tree], None], rule: Rule, step: int | None
) -> None:
    lenient = read_damaged(damage)
    assert (rule, step) in broken_rules(lenient)
    assert lenient.strict is None


def damage_several_values(tree: Tree) -> None:
    tree["step_length"] = 3
    tree["steps"][0]["info"] = [[1440, 620], [1440, 620]]
    tree["steps"][1] |= {"action": "SWIPE", "step": 7}


@pytest.mark.parametrize(
    ("lenient", "rules"),
    [
        (
            read_damaged(damage_several_values),
            [(Rule.PLACE, 0), (Rule.NUMBER, 1), (Rule.VOCABULARY, 1), (Rule.COUNT, None)],
        ),
        (read(episode(Complete(), Type("more"), Impossible("no"))), [(Rule.ENDING, 0)]),
        (read_damaged(put("steps", 7, "action", to="FINISHED")), [(Rule.VOCABULARY, 7)]),
        (read_damaged(lambda tree: tree.update(steps=[], step_length=0)), [(Rule.ENDING, None)]),
    ],
    ids=["every breach", "one breach for steps after the end", "unknown last action", "no steps"],
)
def test_breaches_are_reported_once_and_in_order(lenient: LenientEpisode, rules: list[tuple[Rule, int | None]]) -> None:
    assert broken_rules(lenient) == rules


def test_steps_of_a_truncated_episode_are_read() -> None:
    cut = DATA / "episodes" / "v1_0141544666483837.partial.json"
    lenient = read_leniently(cut.read_bytes(), source=cut.name)
    assert broken_rules(lenient) == [(Rule.COUNT, None), (Rule.ENDING, None)]
    assert lenient.steps[0].action == Click(Point(719, 762))
    assert lenient.device is not None
    assert lenient.device.size == Size(720, 1280)


def test_valid_parts_of_a_damaged_file_are_kept() -> None:
    def damage(tree: Tree) -> None:
        del tree["device_info"]
        tree["task_info"]["app"] = ["Chrome", 7]
        tree["steps"][0]["step"] = "first"

    lenient = read_damaged(damage)
    assert lenient.device is None
    assert (lenient.task.apps, lenient.task.meta_task) == (("Chrome",), "Look up the weather in {}.")
    assert lenient.steps[0].action == Click(Point(719, 762))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"{}", b'{"steps": {}}', b"\xff", b'{"a": 1, "a": 2}'])
def test_data_without_a_list_of_steps_is_rejected(data: bytes) -> None:
    with pytest.raises(InvalidEpisodeError, match=r"^some file\.json: "):
        read_leniently(data, source="some file.json")


@settings(max_examples=25)
@given(json_values)
def test_arbitrary_json_values_are_breaches(value: object) -> None:
    spelled = {"steps": [value], "episode_id": value, "device_info": value, "task_info": value}
    assert read_leniently(json.dumps(spelled).encode(), source="some file.json").breaches
