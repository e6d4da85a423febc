"""JSON schemas in the subset that every server supports, from pydantic models, and validation of answers."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from odyssey_recorder.errors import BrokenAnswerError
from odyssey_recorder.model.episode import Json

_Answer = TypeVar("_Answer", bound=BaseModel)

JsonSchema = Mapping[str, Json]
"""A JSON schema in the common subset: every key required, nullable instead of optional, nothing additional."""

_KEPT = {
    "$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "items", "properties",
    "required", "type",
}  # fmt: skip
_FENCE = re.compile(r"\A\s*```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)


class FreeText(BaseModel):
    """An answer without a schema: whatever the model writes."""

    text: str


@cache
def strict_schema(model: type[BaseModel]) -> JsonSchema:
    """The schema of `model` in the common subset: every key required, nothing additional, no limits, no titles.

    Do not change the output: keys of cached answers depend on it. Limits of lengths and numbers are left out, since not
    every server supports them; `read_answer` checks them. Raises TypeError for what the subset cannot express: mappings
    with free keys, and tuples.
    """
    schema: JsonSchema = _strict(model.model_json_schema())
    return schema


def read_answer(raw: str, model: type[_Answer]) -> _Answer:
    """Parse an answer, without the thoughts before it and its code fence. Raises BrokenAnswerError if it is invalid."""
    text = raw if raw.lstrip().startswith("{") else raw.rpartition("</think>")[2]
    fenced = _FENCE.match(text)
    try:
        return model.model_validate_json(fenced[1] if fenced else text, strict=True, extra="forbid")
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
    if faults[0]["type"] == "json_invalid":
        raise BrokenAnswerError(f"The answer is not JSON: {faults[0]['msg']}.", raw)
    if not faults[0]["loc"]:
        raise BrokenAnswerError("The answer is not a JSON object.", raw)
    message = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {_words(fault)}" for fault in faults)
    raise BrokenAnswerError(f"The answer does not match the schema: {message}.", raw)


def _words(fault: Any) -> str:
    shown = json.dumps(fault["input"], ensure_ascii=False)
    return fault["msg"] if fault["type"] == "missing" else f"{fault['msg']}, not {shown[:60]}"


def _strict(schema: Any) -> Any:
    if "prefixItems" in schema or (schema.get("type") == "object" and "properties" not in schema):
        raise TypeError(f"Not every server supports tuples or mappings with free keys: {schema}")
    made = {word: _strict_part(word, value) for word, value in schema.items() if word in _KEPT}
    if "properties" in made:
        made |= {"required": list(made["properties"]), "additionalProperties": False}
    return made


def _strict_part(word: str, value: Any) -> Any:
    match word:
        case "properties" | "$defs":
            return {name: _strict(part) for name, part in value.items()}
        case "anyOf":
            return [_strict(part) for part in value]
        case "items":
            return _strict(value)
        case _:
            return value
