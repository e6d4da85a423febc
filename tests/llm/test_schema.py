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
    words: str = Field(description="What differs", max_length=80)


class Verdict(BaseModel):
    """What the judge finds."""

    holds: bool
    score: int = Field(ge=1, le=5)
    share: float
    note: str | None
    tone: Literal["plain", "polite"]
    differences: list[Difference]


RIGHT: dict[str, Any] = {
    "holds": True, "score": 3, "share": 0.5, "note": None, "tone": "plain",
    "differences": [{"kind": "lost", "words": "the date"}],
}  # fmt: skip


def test_schema_uses_only_the_commonly_supported_subset() -> None:
    schema = strict_schema(Verdict)
    assert schema["required"] == list(RIGHT)
    assert schema["additionalProperties"] is False
    words = json.dumps(schema)
    assert not [word for word in ("title", "default", "maximum", "minimum", "maxLength") if f'"{word}"' in words]
    difference: Any = schema["$defs"]
    assert difference["Difference"]["required"] == ["kind", "words"]
    assert difference["Difference"]["additionalProperties"] is False
    assert difference["Difference"]["properties"]["words"] == {"type": "string", "description": "What differs"}


def test_field_names_may_equal_schema_keywords() -> None:
    class Odd(BaseModel):
        title: str
        default: str

    assert strict_schema(Odd)["required"] == ["title", "default"]


@pytest.mark.parametrize("field", [dict[str, str], tuple[int, str], dict[str, Any]])
def test_unsupported_field_type_is_rejected(field: Any) -> None:
    made = type("Made", (BaseModel,), {"__annotations__": {"field": field}})
    with pytest.raises(TypeError, match="tuples or mappings"):
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
def test_valid_answer_is_read_with_or_without_a_code_fence(raw: str) -> None:
    assert read_answer(raw, Verdict) == Verdict.model_validate(RIGHT)


def test_code_fence_inside_a_text_is_kept() -> None:
    raw = json.dumps(RIGHT | {"note": "```json\n{}\n```"})
    assert read_answer(raw, Verdict).note == "```json\n{}\n```"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"holds": "yes"}, 'holds: Input should be a valid boolean, not "yes"'),
        ({"score": 9}, "score: Input should be less than or equal to 5, not 9"),
        ({"differences": [{"kind": "lost"}]}, "differences.0.words: Field required"),
        ({"extra": "x" * 100}, "extra: Extra inputs are not permitted"),
    ],
)
def test_faults_are_reported_with_their_location(change: dict[str, Any], fault: str) -> None:
    raw = json.dumps(RIGHT | change)
    with pytest.raises(BrokenAnswerError) as raised:
        read_answer(raw, Verdict)
    assert fault in str(raised.value)
    assert raised.value.raw == raw


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        *((raw, "is not JSON") for raw in ("", "{", "[" * 100_000, '{"note": "\\ud800"}', "Sure: {}", "```json\n{")),
        ("[1]", "not a JSON object"),
    ],
)
def test_invalid_json_or_another_value_is_reported(raw: str, fault: str) -> None:
    with pytest.raises(BrokenAnswerError, match=fault):
        read_answer(raw, Verdict)
