import json
from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from odyssey_recorder.errors import BrokenAnswerError
from odyssey_recorder.llm.schema import read_answer, strict_schema


class Kind(Enum):
    LOST = "lost"
    ADDED = "added"


class Difference(BaseModel):
    kind: Kind
    words: str = Field("", description="What differs", max_length=80)


class Verdict(BaseModel):
    """What the judge finds."""

    holds: bool
    score: int = Field(ge=1, le=5)
    share: float = 1.0
    note: str | None = None
    tone: Literal["plain", "polite"] = "plain"
    differences: list[Difference] = []


RIGHT: dict[str, Any] = {
    "holds": True, "score": 3, "share": 0.5, "note": None, "tone": "plain",
    "differences": [{"kind": "lost", "words": "the date"}],
}  # fmt: skip


def test_a_schema_is_inside_the_subset_that_every_server_understands() -> None:
    schema = strict_schema(Verdict)

    assert schema["required"] == list(RIGHT)
    assert schema["additionalProperties"] is False
    words = json.dumps(schema)
    assert not [word for word in ("title", "default", "maximum", "minimum", "maxLength") if f'"{word}"' in words]
    difference: Any = schema["$defs"]
    assert difference["Difference"]["required"] == ["kind", "words"]
    assert difference["Difference"]["additionalProperties"] is False
    assert difference["Difference"]["properties"]["words"] == {"type": "string", "description": "What differs"}


def test_a_field_may_be_called_like_a_word_of_the_schema() -> None:
    class Odd(BaseModel):
        title: str
        default: str

    assert strict_schema(Odd)["required"] == ["title", "default"]


@pytest.mark.parametrize("field", [dict[str, str], tuple[int, str], dict[str, Any]])
def test_what_the_subset_cannot_say_is_refused(field: Any) -> None:
    made = type("Made", (BaseModel,), {"__annotations__": {"field": field}})

    with pytest.raises(TypeError, match="tuple or a mapping"):
        strict_schema(made)


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(RIGHT),
        f"```json\n{json.dumps(RIGHT)}\n```",
        f"```\n{json.dumps(RIGHT, indent=1)}\n```\n",
        f"  \n```JSON\n{json.dumps(RIGHT)}```",
    ],
)
def test_a_right_answer_is_read_with_or_without_a_fence(raw: str) -> None:
    assert read_answer(raw, strict_schema(Verdict)) == RIGHT


def test_a_fence_inside_a_text_is_left_alone() -> None:
    raw = json.dumps(RIGHT | {"note": "```json\n{}\n```"})

    assert read_answer(raw, strict_schema(Verdict))["note"] == "```json\n{}\n```"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"holds": "yes"}, 'the answer.holds is "yes", not boolean'),
        ({"score": True}, "the answer.score is true, not integer"),
        ({"score": 2.5}, "the answer.score is 2.5, not integer"),
        ({"note": 4}, "the answer.note is 4, not string"),
        ({"tone": "rude"}, "not one of 'plain', 'polite'"),
        ({"differences": None}, "the answer.differences is null, not array"),
        ({"differences": [{"kind": "none", "words": ""}]}, 'the answer.differences[0].kind is "none"'),
        ({"differences": [{"kind": "lost"}]}, "the answer.differences[0] lacks 'words'"),
        ({"extra": "x" * 100}, '"extra", which was not asked for'),
    ],
)
def test_each_fault_is_told_by_its_place(change: dict[str, Any], fault: str) -> None:
    raw = json.dumps(RIGHT | change)

    with pytest.raises(BrokenAnswerError) as raised:
        read_answer(raw, strict_schema(Verdict))

    assert fault in str(raised.value)
    assert raised.value.raw == raw


@pytest.mark.parametrize(
    "raw", ["", "{", "[" * 100_000, '{"share": NaN}', '{"note": "\\ud800"}', "Sure: {}", "```json\n{"]
)
def test_what_is_no_json_is_told_so(raw: str) -> None:
    with pytest.raises(BrokenAnswerError, match="no JSON"):
        read_answer(raw, strict_schema(Verdict))


def test_an_answer_is_an_object_whatever_the_schema_says() -> None:
    with pytest.raises(BrokenAnswerError, match="no JSON object"):
        read_answer("[1]", {"type": "array"})


def test_a_schema_with_a_word_that_is_not_checked_is_a_fault_of_ours() -> None:
    with pytest.raises(ValueError, match="maxLength"):
        read_answer('"abc"', {"type": "string", "maxLength": 2})
