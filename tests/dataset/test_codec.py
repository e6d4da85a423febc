"""Reading and writing episodes: round trips, the two dialects, and all known spellings."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from odyssey_recorder.dataset import codec
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.geometry import Point
from tests.episodes import ALL_KINDS, ID, RELEASED, actions, endings, episode


def step_json(action: str, info: Any = "", ps: Any = "", **more: Any) -> dict[str, Any]:
    return {"step": 0, "screenshot": f"{ID}_0.png", "action": action, "info": info, "ps": ps, **more}


def file_of(*steps: dict[str, Any]) -> bytes:
    """A file in the release dialect with `steps`, numbered, and COMPLETE as the last."""
    tree = json.loads(codec.encode(episode(), codec.Dialect.RELEASE))
    last = step_json("COMPLETE")
    tree["steps"] = [
        step | {"step": number, "screenshot": f"{ID}_{number}.png"} for number, step in enumerate([*steps, last])
    ]
    return json.dumps(tree | {"step_length": len(steps) + 1}).encode()


def action_of(step: dict[str, Any]) -> Action:
    return codec.decode(file_of(step), source="file").steps[0].action


def rewritten(data: bytes) -> Any:
    return json.loads(codec.encode(codec.decode(data, source="file"), codec.Dialect.RELEASE))


V1_STEPS = [
    step_json("CLICK", [[719, 762], [719, 762]], "[(719, 762)]"),
    step_json("CLICK", "KEY_HOME"),
    step_json("CLICK", "KEY_BACK"),
    step_json("CLICK", "KEY_APPSELECT"),
    step_json("LONG_PRESS", [[1, 2], [1, 2]], "[(1, 2)]"),
    step_json("SCROLL", [[563, 867], [522, 401]], "[(563, 867), (563, 864), (522, 401)]"),
    step_json("TEXT", "the weather in Beijing tomorrow"),
    step_json("TEXT", ""),
]
V2_KEYS = {
    "description": "A home screen.",
    "intention": "Open the browser.",
    "low_level_instruction": "Open the Chrome browser.",
    "context": "Task just started, nothing has been done.",
}
BOXES: dict[str, Any] = {"CLICK": [700, 750, 730, 770], "LONG_PRESS": [0, 0, 5, 5]}
V2_STEPS = [
    step | V2_KEYS | {"sam2_bbox": BOXES.get(step["action"], []) if isinstance(step["info"], list) else []}
    for step in V1_STEPS
]


def ending(action: str, info: Any = "", ps: Any = "") -> bytes:
    """A file with the actions of the first release and this ending."""
    tree = json.loads(file_of(*V1_STEPS))
    tree["steps"][-1] |= {"action": action, "info": info, "ps": ps}
    return json.dumps(tree).encode()


RELEASED_SPELLINGS = [
    RELEASED.read_bytes(),
    file_of(*V2_STEPS),
    ending("COMPLETE"),
    ending("COMPLETE", ps="Done."),
    ending("INCOMPLETE", ps="No flights"),
    ending("COMPLETE", "", None),
    ending("COMPLETE", None, ""),
    ending("COMPLETE", "see the note", "done"),
    ending("COMPLETE", "", []),
]
UNUSUAL_STEPS = [
    step_json("CLICK", [[5, 6], [5, 6]], "[(5, 6), (5, 7)]"),
    step_json("CLICK", [[5, 6], [5, 6]], [[5, 6], [5, 7]]),
    step_json("CLICK", [[5, 6], [5, 6]], ""),
    step_json("CLICK", [[5, 6], [5, 7]], "[(5, 6)]"),
    step_json("LONG_PRESS", [[5, 6], [5, 6]], {"held": 0.8}),
    step_json("CLICK", "KEY_HOME", "pressed twice"),
    step_json("SCROLL", [[1, 2], [3, 4]], ""),
    step_json("SCROLL", [[1, 2], [3, 4]], None),
    step_json("SCROLL", [[1, 2], [3, 4]], [[1, 2], [2, 3], [3, 4]]),
    step_json("SCROLL", [[1, 2], [3, 4]], "[(1,2),(3,4)]"),
    step_json("SCROLL", [[1, 2], [3, 4]], "[(9, 9), (8, 8)]"),
    step_json("TEXT", "hello", None),
    step_json("TEXT", "hello", "from the keyboard"),
]
ROUND_TRIPS = [*RELEASED_SPELLINGS, *map(file_of, UNUSUAL_STEPS)]


@pytest.mark.parametrize("data", ROUND_TRIPS, ids=range(len(ROUND_TRIPS)))
def test_file_round_trips_with_its_spelling(data: bytes) -> None:
    assert rewritten(data) == json.loads(data)


@pytest.mark.parametrize(
    ("box", "known"),
    [
        ([1, 2, 3, 4], (1, 2, 3, 4)),
        ([], ()),
        *((malformed, None) for malformed in ([1, 2], "none", None, [True, 2, 3, 4], [1.0, 2, 3, 4])),
    ],
)
def test_annotations_keep_their_values_and_order(box: Any, known: object) -> None:
    step = step_json("TEXT", "hi", zoom=1, context="C", sam2_bbox=box, unit="px", intention=None, description="D")
    data = file_of(step)
    read = codec.decode(data, source="file")
    assert codec.encode(read, codec.Dialect.RELEASE).decode() == json.dumps(json.loads(data), indent=4) + "\n"
    annotations = read.steps[0].annotations
    assert (annotations.description, annotations.context, annotations.intention) == ("D", "C", None)
    assert annotations.sam2_bbox == known
    assert annotations.has("intention")
    assert not annotations.has("low_level_instruction")


def test_unknown_keys_round_trip_at_every_level() -> None:
    tree = json.loads(file_of(step_json("TEXT", "hi", model_extra={"a": [1, None]}, __class__="x")))
    tree |= {"_note": "kept", "model_fields": [], "copy": 1.5}
    tree["device_info"]["density"] = 320
    tree["task_info"]["__dict__"] = {"nested": {"deep": True}}
    assert rewritten(json.dumps(tree).encode()) == tree


@pytest.mark.parametrize(
    ("action", "card", "release"),
    [
        (Click(Point(1, 2)), ("CLICK", [[1, 2], [1, 2]], "[(1, 2)]"), None),
        (LongPress(Point(1, 2)), ("LONG_PRESS", [[1, 2], [1, 2]], "[(1, 2)]"), None),
        (
            Scroll(Point(1, 2), Point(5, 6), (Point(1, 2), Point(3, 4), Point(5, 6))),
            ("SCROLL", [[1, 2], [5, 6]], "[(1, 2), (3, 4), (5, 6)]"),
            None,
        ),
        (Type("hi"), ("TYPE", "hi", ""), ("TEXT", "hi", "")),
        (Press(SystemKey.HOME), ("CLICK", "KEY_HOME", ""), None),
        (Press(SystemKey.BACK), ("CLICK", "KEY_BACK", ""), None),
        (Press(SystemKey.RECENT), ("CLICK", "KEY_RECENT", ""), ("CLICK", "KEY_APPSELECT", "")),
        (Complete("fine"), ("COMPLETE", "", "fine"), None),
        (Impossible("No flights"), ("IMPOSSIBLE", "", "No flights"), ("INCOMPLETE", "", "No flights")),
    ],
)
def test_spelling_of_each_action_in_each_dialect(
    action: Action, card: tuple[Any, ...], release: tuple[Any, ...] | None
) -> None:
    one = episode(action)
    for dialect, expected in ((codec.Dialect.CARD, card), (codec.Dialect.RELEASE, release or card)):
        step = json.loads(codec.encode(one, dialect))["steps"][0]
        assert (step["action"], step["info"], step["ps"]) == expected


def test_file_layout_matches_the_released_files() -> None:
    text = codec.encode(episode()).decode()
    tree = json.loads(text)
    assert list(tree) == ["episode_id", "device_info", "task_info", "step_length", "steps"]
    assert list(tree["device_info"]) == ["product", "release_version", "sdk_version", "h", "w", "device_name"]
    assert list(tree["task_info"]) == ["category", "app", "meta_task", "task", "instruction"]
    assert list(tree["steps"][0]) == ["step", "screenshot", "action", "info", "ps"]
    assert tree["step_length"] == len(ALL_KINDS)
    assert (tree["device_info"]["w"], tree["device_info"]["h"]) == (720, 1280)
    assert '\n            "info": [\n                [\n                    719,\n' in text
    assert text.endswith("\n}\n")


def test_non_ascii_text_is_written_unescaped() -> None:
    assert "日本語 😀".encode() in codec.encode(episode(Type("日本語 😀"), Complete()))


@pytest.mark.parametrize("text", ["half \ud83d of an emoji", "\udcff"])
def test_text_with_lone_surrogate_cannot_be_written(text: str) -> None:
    with pytest.raises(InvalidEpisodeError, match=f"Episode '{ID}' cannot be written"):
        codec.encode(episode(Type(text), Complete()))


SCROLL = Scroll(Point(1, 2), Point(3, 4), (Point(1, 2), Point(3, 4)))
VIA_A_POINT = Scroll(Point(1, 2), Point(3, 4), (Point(1, 2), Point(2, 2), Point(3, 4)))
PATHS: list[Any] = ["[(1, 2), (3, 4)]", "[(1,2),(3,4)]", [[1, 2], [3, 4]], "", "  ", None, []]


@pytest.mark.parametrize(
    ("step", "action"),
    [
        (step_json("CLICK", [[5, 6]]), Click(Point(5, 6))),
        (step_json("CLICK", [5, 6]), Click(Point(5, 6))),
        (step_json("CLICK", [[0, 0], [0, 0]], "[(0, 0)]"), Click(Point(0, 0))),
        (step_json("CLICK", [[5, 6], [7, 8]]), Click(Point(5, 6))),
        (step_json("LONG_PRESS", [[1000, 1000]]), LongPress(Point(1000, 1000))),
        (step_json("TYPE", "hi"), Type("hi")),
        (step_json("TEXT", "hi"), Type("hi")),
        (step_json("TYPE", None), Type("")),
        (step_json("TEXT", ' \\ "%s" $(rm) \n\x00\t'), Type(' \\ "%s" $(rm) \n\x00\t')),
        (step_json("CLICK", "KEY_RECENT"), Press(SystemKey.RECENT)),
        (step_json("CLICK", "KEY_APPSELECT"), Press(SystemKey.RECENT)),
        (step_json("HOME"), Press(SystemKey.HOME)),
        (step_json("BACK", None), Press(SystemKey.BACK)),
        (step_json("RECENT", "KEY_APPSELECT"), Press(SystemKey.RECENT)),
        *((step_json("SCROLL", [[1, 2], [3, 4]], path), SCROLL) for path in PATHS),
        (step_json("SCROLL", [[1, 2], [3, 4]], [[1, 2], [2, 2], [3, 4]]), VIA_A_POINT),
    ],
)
def test_every_known_spelling_of_an_action_is_read(step: dict[str, Any], action: Action) -> None:
    assert action_of(step) == action


@pytest.mark.parametrize(
    ("action", "ps", "expected"),
    [
        ("COMPLETE", "a note", Complete("a note")),
        ("COMPLETE", None, Complete("")),
        ("IMPOSSIBLE", "No flights", Impossible("No flights")),
        ("INCOMPLETE", "No flights", Impossible("No flights")),
        ("INCOMPLETE", [], Impossible("")),
    ],
)
def test_every_spelling_of_an_ending_is_read(action: str, ps: Any, expected: Action) -> None:
    assert codec.decode(ending(action, ps=ps), source="file").steps[-1].action == expected


def test_optional_keys_may_be_missing() -> None:
    tree = json.loads(file_of(step_json("HOME")))
    for step in tree["steps"]:
        del step["info"], step["ps"]
    for key in ("product", "release_version", "sdk_version"):
        del tree["device_info"][key]
    one = codec.decode(json.dumps(tree), source="file")
    assert [step.action for step in one.steps] == [Press(SystemKey.HOME), Complete()]
    assert (one.device.product, one.device.release_version, one.device.sdk_version) == (None, None, None)


def test_byte_order_mark_is_ignored() -> None:
    assert codec.decode(b"\xef\xbb\xbf" + codec.encode(episode()), source="file") == episode()


@given(actions | endings)
def test_action_round_trips_on_its_own(action: Action) -> None:
    assert codec.action_from_json(codec.action_to_json(action), source="draft") == action


@pytest.mark.parametrize("tree", [{}, {"action": "FLY"}, {"action": 1}])
def test_invalid_action_is_rejected_with_its_source(tree: dict[str, Any]) -> None:
    with pytest.raises(InvalidEpisodeError, match=r"^line 3: action is "):
        codec.action_from_json(tree, source="line 3")


def test_failed_write_keeps_the_previous_file(tmp_path: Path) -> None:
    codec.write_episode(tmp_path / "one.json", episode(), codec.Dialect.RELEASE)
    with pytest.raises(InvalidEpisodeError):
        codec.write_episode(tmp_path / "one.json", episode(Type("\ud800"), Complete()))
    assert codec.read_episode(tmp_path / "one.json") == episode()
    assert [path.name for path in tmp_path.iterdir()] == ["one.json"]


def test_invalid_file_is_named_without_its_folder(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(InvalidEpisodeError, match=r"^broken\.json: episode_id is missing\.$"):
        codec.read_episode(tmp_path / "broken.json")
