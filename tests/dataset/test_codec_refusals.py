"""Invalid and malicious files are rejected, with the location and the reason."""

import json
from functools import reduce
from operator import getitem
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.dataset.codec import decode, encode
from odyssey_recorder.dataset.plain_json import MAX_NESTING
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Complete, Type
from odyssey_recorder.model.episode import screenshot_name
from tests.episodes import DATA, ID, episode

HARMFUL = [
    "../../../etc/passwd", "..\\..\\evil.png", "/etc/passwd", "C:\\evil.png", "C:evil.png", "\\\\host\\share.png",
    "sub/0006223132449496_1.png", "0006223132449496_1.png\x00.txt", "0006223132449496_1.png\n",
    " 0006223132449496_1.png", "$(reboot).png", "`reboot`.png", "'; reboot; '.png", "<img src=x>.png",
    "0006223132449496_2.png", "0006223132449496_01.png", "1" * 1_000_000, "", ".", "..",
]  # fmt: skip
MISSING = object()


def rejection(data: bytes | str) -> str:
    with pytest.raises(InvalidEpisodeError) as error:
        decode(data, source="some file.json")
    message = str(error.value)
    assert message.startswith("some file.json: ")
    assert message.isprintable(), "the message must not contain raw values of the file"
    assert len(message) < 400
    return message.removeprefix("some file.json: ")


def file_with(path: str, value: Any) -> str:
    """A file with another value, or none if it is `MISSING`, at a path such as ``steps 3 action``."""
    file = json.loads(encode(episode()))
    *keys, last = (int(key) if key.isdecimal() else key for key in path.split())
    parent = reduce(getitem, keys, file)
    if value is MISSING:
        del parent[last]
    else:
        parent[last] = value
    return json.dumps(file)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            (DATA / "episodes" / "v1_0141544666483837.partial.json").read_bytes(),
            "step_length is 13, but there are 4 steps; expected the same number.",
        ),
        (encode(episode(Type("no end"))), "no step ends the episode; expected COMPLETE or IMPOSSIBLE as the last."),
        (json.dumps(json.loads(encode(episode())) | {"steps": [], "step_length": 0}), "no step ends the episode"),
        (
            encode(episode(Complete(), Type("more"), Complete())),
            "step 1, action: COMPLETE ends the episode, but steps follow; expected it as the last.",
        ),
    ],
    ids=["cut short", "no end", "no steps", "steps after the end"],
)
def test_incomplete_episode_is_rejected(data: bytes | str, message: str) -> None:
    assert rejection(data).startswith(message)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("steps 3 action", "FLY", "step 4, action is 'FLY'; expected one of CLICK, SCROLL, "),
        ("steps 0 info", [[5000, 3]], "step 1, info[0][0] is 5000; expected less than or equal to 1000"),
        ("steps 0 info", [[3, -1]], "step 1, info[0][1] is -1; expected greater than or equal to 0"),
        ("steps 0 info", [[True, 1]], "step 1, info[0][0] is True; expected a valid integer"),
        ("steps 0 info", [[1.0, 1]], "step 1, info[0][0] is 1.0; expected a valid integer"),
        ("steps 0 info", [["1", 1]], "step 1, info[0][0] is '1'; expected a valid integer"),
        ("steps 0 info", [[1]], "step 1, info[0][1] is missing"),
        ("steps 0 info", [[1, 2, 3]], "step 1, info[0] is [1, 2, 3]; expected "),
        ("steps 0 info", [], "step 1, info is []; expected one point, [[x, y], [x, y]]"),
        ("steps 0 info", [[1, 2]] * 3, "step 1, info is [[1, 2], [1, 2], [1, 2]]; expected one point"),
        ("steps 0 info", "KEY_POWER", "step 1, info is 'KEY_POWER'; expected a point or one of KEY_HOME"),
        ("steps 1 info", 7, "step 2, info is 7; expected a text"),
        ("steps 2 info", [[1, 2]], "step 3, info is [[1, 2]]; expected the first and the last point"),
        ("steps 2 ps", "[(1, 2)", "step 3, ps: '[(1, 2)' is not a trajectory; expected [(x, y), ...]"),
        ("steps 2 ps", "__import__('os')", "step 3, ps: \"__import__('os')\" is not a trajectory"),
        ("steps 2 ps", "(" * 9999, "step 3, ps: '((((((((((("),
        ("steps 2 ps", "[(1, 1e999)]", "step 3, ps: '[(1, 1e999)]' is not a trajectory"),
        ("steps 2 ps", "[(1, 2), (3, 4000)]", "step 3, ps[1][1] is 4000; expected less than"),
        ("steps 7 ps", ["a"], "step 8, ps is ['a']; expected a text"),
        ("steps 4 step", 5, "step 5, step is 5; expected 4"),
        ("steps 1 step", True, "step 2, step is True; expected a valid integer"),
        ("steps 4", "x", "step 5 is 'x'; expected an object"),
        ("step_length", 7, "step_length is 7, but there are 8 steps"),
        ("step_length", 8.0, "step_length is 8.0; expected a valid integer"),
        ("device_info h", 0, "device_info.h is 0; expected greater than or equal to 1"),
        ("device_info w", "720", "device_info.w is '720'; expected a valid integer"),
        ("device_info w", 10**30, "device_info.w is 1000000000000000000000000000000; expected less than"),
        ("task_info app", ["a", 1], "task_info.app[1] is 1; expected a valid string"),
        ("episode_id", 6223132449496, "episode_id is 6223132449496; expected a valid string"),
    ],
)
def test_invalid_value_is_rejected_with_its_location(path: str, value: Any, message: str) -> None:
    assert rejection(file_with(path, value)).startswith(message)


@pytest.mark.parametrize("info", ["KEY_BACK", "home", [[1, 2]], 7, ["KEY_HOME"]])
def test_system_key_with_wrong_info_is_rejected(info: Any) -> None:
    tree = json.loads(encode(episode()))
    tree["steps"][4] |= {"action": "HOME", "info": info}
    assert rejection(json.dumps(tree)).endswith('expected "" or KEY_HOME.')


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("episode_id", "episode_id"),
        ("device_info", "device_info"),
        ("device_info w", "device_info.w"),
        ("task_info instruction", "task_info.instruction"),
        ("step_length", "step_length"),
        ("steps", "steps"),
        ("steps 2 action", "step 3, action"),
        ("steps 2 screenshot", "step 3, screenshot"),
        ("steps 2 step", "step 3, step"),
    ],
)
def test_missing_key_is_named(path: str, location: str) -> None:
    assert rejection(file_with(path, MISSING)) == f"{location} is missing."


@pytest.mark.parametrize("name", HARMFUL, ids=range(len(HARMFUL)))
def test_screenshot_with_unexpected_name_is_rejected(name: str) -> None:
    message = rejection(file_with("steps 1 screenshot", name))
    assert message.startswith("step 2, screenshot is ")
    assert message.endswith(f"; expected '{ID}_1.png'.")


@pytest.mark.parametrize(
    "name", [*HARMFUL, "1" * 15, "1" * 17, "1" * 16 + "\n", "\u0661" * 16, "00062231 2449496", "000622313244949_"]
)
def test_episode_id_other_than_sixteen_digits_is_rejected(name: str) -> None:
    message = rejection(file_with("episode_id", name))
    assert message.startswith("episode_id is ")
    assert message.endswith("; expected 16 decimal digits.")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "line 1, column 1: Expecting value; expected JSON."),
        (b"\xff\xfe{\x00}\x00", "byte 0 is not UTF-8; expected UTF-8 JSON."),
        (b'{"a": "\xe9"}', "byte 7 is not UTF-8; expected UTF-8 JSON."),
        ("[]", "the file is []; expected an object."),
        ("null", "the file is None; expected an object."),
        ('{"a": 1, "a": 2}', "the key 'a' occurs twice in one object."),
        ('{"a": {"\\u0000": 1, "\\u0000": 2}}', "the key '\\x00' occurs twice in one object."),
        ('{"a": NaN}', "NaN is not a JSON number."),
        ('{"a": -Infinity}', "-Infinity is not a JSON number."),
        ('{"a": -1e999}', "'-1e999' is too large."),
        ('{"a": ' + "9" * 5000 + "}", "a number has too many digits to be read."),
        ('{"a": "\\ud800"}', "the text '\\ud800' contains half of a surrogate pair."),
        ('{"\\udfff": 1}', "the text '\\udfff' contains half of a surrogate pair."),
        ("\ud800", "line 1, column 1: Expecting value; expected JSON."),
        ('{"a": "\x01"}', "line 1, column 8: Invalid control character at; expected JSON."),
        ("[" * 100_000, f"lists and objects are nested more than {MAX_NESTING} deep."),
        ('{"a":' * 100_000, f"lists and objects are nested more than {MAX_NESTING} deep."),
    ],
)
def test_file_that_is_not_plain_json_is_rejected(data: bytes | str, message: str) -> None:
    assert rejection(data) == message


def test_nested_value_is_cut_short_in_the_message() -> None:
    message = rejection(file_with("step_length", {f"{number}" + "\x1f" * 50: ["\x1f" * 50] * 6 for number in range(4)}))
    assert message.startswith("step_length is {'0\\x1f")
    assert len(message) < 300


def test_nesting_is_limited() -> None:
    def nested(levels: int) -> str:
        # The file's own object is the first level, the contents of the innermost list are the last.
        return file_with("_note", json.loads("[" * levels + "]" * levels))

    one = decode(nested(MAX_NESTING - 1), source="file")

    assert decode(encode(one), source="file") == one
    assert "lists and objects are nested more than" in rejection(nested(MAX_NESTING))


def is_valid_or_rejected(data: bytes | str) -> bool:
    """Whether `data` is rejected with our error, or names no file outside its folder and can be written again."""
    try:
        one = decode(data, source="file")
    except InvalidEpisodeError as error:
        return str(error).startswith("file: ")
    names = [step.screenshot for step in one.steps]
    return names == [screenshot_name(one.episode_id, number) for number in range(len(names))] and (
        decode(encode(one), source="file") == one
    )


@given(st.data())
def test_file_with_corrupt_bytes_is_valid_or_rejected(data: st.DataObject) -> None:
    file = bytearray(encode(episode()))
    for _ in range(data.draw(st.integers(1, 4))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    assert is_valid_or_rejected(bytes(file))


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_random_data_is_rejected(data: bytes | str) -> None:
    with pytest.raises(InvalidEpisodeError):
        decode(data, source="file")
