"""Reading what breaks the format: all that can be understood, and each place where it is broken."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.dataset.codec import Dialect, decode, encode
from odyssey_recorder.dataset.loose import LooseEpisode, Rule, read_loosely
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Type
from odyssey_recorder.model.episode import Episode
from tests.episodes import DATA, RELEASED, episode, episodes, json_values

Change = Callable[[Any], object]


def tree() -> Any:
    """A good episode with one step of each kind, as JSON."""
    return json.loads(encode(episode()))


def read(spelled: object) -> LooseEpisode:
    return read_loosely(json.dumps(spelled).encode(), source="a.json")


@given(episodes(), st.sampled_from(Dialect))
def test_what_the_codec_takes_breaks_nothing(one: Episode, dialect: Dialect) -> None:
    loose = read_loosely(encode(one, dialect), source="a.json")
    assert loose.breaches == ()
    assert loose.strict == decode(encode(one, dialect), source="a.json")
    assert [step.action for step in loose.steps] == [step.action for step in loose.strict.steps]


@pytest.mark.parametrize(
    ("change", "rule", "step"),
    [
        (lambda one: one.update(step_length=3), Rule.COUNT, None),
        (lambda one: one.update(step_length="8"), Rule.COUNT, None),
        (lambda one: one["steps"].pop(2), Rule.NUMBER, 2),
        (lambda one: one["steps"][1].update(step=True), Rule.NUMBER, 1),
        (lambda one: one["steps"][4].update(screenshot="../x.png"), Rule.SCREENSHOT, 4),
        (lambda one: one["steps"][0].update(action="TAP"), Rule.VOCABULARY, 0),
        (lambda one: one["steps"][0].update(info="KEY_MENU"), Rule.VOCABULARY, 0),
        (lambda one: one["steps"][0].update(info=[[1001, 3], [1001, 3]]), Rule.PLACE, 0),
        (lambda one: one["steps"][0].update(info=[[0.5, 3], [0.5, 3]]), Rule.PLACE, 0),
        (lambda one: one["steps"][2].update(info=[[1, 2]]), Rule.PLACE, 2),
        (lambda one: one["steps"][1].update(info=7), Rule.FORM, 1),
        (lambda one: one["steps"][1].pop("action"), Rule.FORM, 1),
        (lambda one: one["steps"].pop(), Rule.ENDING, 6),
        (lambda one: one["steps"][3].update(action="COMPLETE", info="", ps=""), Rule.ENDING, 3),
        (lambda one: one.update(episode_id="12"), Rule.FORM, None),
        (lambda one: one["device_info"].update(h=0), Rule.FORM, None),
        (lambda one: one.pop("task_info"), Rule.FORM, None),
        (lambda one: one["task_info"].update(app="Notes"), Rule.FORM, None),
        (lambda one: one["steps"].insert(2, "CLICK"), Rule.FORM, 2),
    ],
)
def test_each_rule_that_is_broken_is_told_with_its_step(change: Change, rule: Rule, step: int | None) -> None:
    spoilt = tree()
    change(spoilt)
    loose = read(spoilt)
    assert loose.strict is None
    assert (rule, step) in {(breach.rule, breach.step) for breach in loose.breaches}


def test_what_can_be_understood_beside_a_breach_is_there() -> None:
    spoilt = tree()
    spoilt["steps"][0]["action"] = "TAP"
    spoilt["device_info"]["h"] = "tall"
    loose = read(spoilt)
    assert loose.device is None
    assert loose.task.instruction == episode().task.instruction
    assert loose.steps[0].action is None
    assert loose.steps[0].spelled["action"] == "TAP"
    assert loose.steps[1].action == Type("the weather in Beijing tomorrow")


def test_an_episode_without_steps_breaks_the_ending() -> None:
    empty = tree() | {"steps": [], "step_length": 0}
    assert {breach.rule for breach in read(empty).breaches} == {Rule.ENDING}


@given(json_values)
def test_whatever_the_json_says_it_is_read_or_refused(value: object) -> None:
    spelled = json.dumps({"steps": [value], "episode_id": value, "device_info": value, "task_info": value}).encode()
    loose = read_loosely(spelled, source="a.json")
    assert loose.breaches


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"steps": {}}', b"\xff", b'{"steps": [], "steps": []}'])
def test_what_is_no_episode_at_all_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(InvalidEpisodeError, match=r"^a\.json"):
        read_loosely(data, source="a.json")


def test_released_files_are_read() -> None:
    assert read_loosely(RELEASED.read_bytes(), source="a").breaches == ()
    cut = DATA / "episodes" / "v1_0141544666483837.partial.json"
    rules = {breach.rule for breach in read_loosely(cut.read_bytes(), source="a").breaches}
    assert Rule.COUNT in rules
