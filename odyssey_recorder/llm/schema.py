"""The JSON schemas that every server understands: how one is made from a model of pydantic, and what breaks one."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from odyssey_recorder.errors import BrokenAnswerError
from odyssey_recorder.llm.model import JsonSchema
from odyssey_recorder.model.episode import Json

_KEPT = {
    "$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "items", "properties",
    "required", "type",
}  # fmt: skip
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
    "null": type(None),
}  # fmt: skip
_FENCE = re.compile(r"\A\s*```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_SHOWN = 60


def strict_schema(model: type[BaseModel]) -> JsonSchema:
    """The schema of `model` inside the common subset: every key required, nothing additional, no limits, no titles.

    Limits of lengths and numbers are left out, since not every server takes them: `model` itself holds an answer to
    them. Raises TypeError for what the subset cannot say: mappings with free keys, and tuples.
    """
    schema: JsonSchema = _strict(model.model_json_schema())
    return schema


def read_answer(raw: str, schema: JsonSchema) -> Mapping[str, Json]:
    """What `raw` says, a fence around it taken off. Raises BrokenAnswerError: no JSON, or not of the schema."""
    fenced = _FENCE.match(raw)
    try:
        data = _read(fenced[1] if fenced else raw)
        if "\\u" in raw or not raw.isascii():  # half of a pair of surrogates, which no file can hold
            json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BrokenAnswerError(f"The answer is no JSON: {error}.", raw) from None
    faults = list(_faults(data, schema, schema, "the answer"))
    if faults:
        raise BrokenAnswerError(f"The answer is not of the form that was asked for: {'; '.join(faults)}.", raw)
    if not isinstance(data, dict):
        raise BrokenAnswerError("The answer is no JSON object.", raw)
    return data


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


_read = json.JSONDecoder(parse_constant=_refuse_constant).decode


# Making one.


def _strict(schema: Any) -> Any:
    if "prefixItems" in schema or (schema.get("type") == "object" and "properties" not in schema):
        raise TypeError(f"A tuple or a mapping with free keys is nothing that every server understands: {schema}")
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


# Holding an answer to one.


def _faults(data: Json, schema: Any, whole: JsonSchema, place: str) -> Iterator[str]:
    """What in `data` the schema does not allow, each in words that a model or a person can mend it by."""
    if not schema.keys() <= _KEPT:
        unknown = ", ".join(sorted(schema.keys() - _KEPT))
        raise ValueError(f"A schema of ours says what is not checked here: {unknown}")
    if "$ref" in schema:
        yield from _faults(data, _resolved(schema["$ref"], whole), whole, place)
    if "anyOf" in schema:
        tries = [list(_faults(data, one, whole, place)) for one in schema["anyOf"]]
        if all(tries):
            yield from min(tries, key=len)
    if not _is_of(data, schema):
        yield f"{place} is {_shown(data)}, not {_wanted(schema)}"
    elif isinstance(data, dict) and "properties" in schema:
        yield from _faults_of_keys(data, schema, whole, place)
    elif isinstance(data, list) and "items" in schema:
        for number, item in enumerate(data):
            yield from _faults(item, schema["items"], whole, f"{place}[{number}]")


def _faults_of_keys(data: Mapping[str, Json], schema: Any, whole: JsonSchema, place: str) -> Iterator[str]:
    properties = schema["properties"]
    for name in schema.get("required", ()):
        if name not in data:
            yield f"{place} lacks {name!r}"
    for name, value in data.items():
        if name in properties:
            yield from _faults(value, properties[name], whole, f"{place}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{place} has {_shown(name)}, which was not asked for"


def _resolved(reference: str, whole: JsonSchema) -> Any:
    found: Any = whole
    for name in reference.removeprefix("#/").split("/"):
        found = found[name]
    return found


def _is_of(data: Json, schema: Any) -> bool:
    if "const" in schema and data != schema["const"]:
        return False
    if "enum" in schema and data not in schema["enum"]:
        return False
    named = schema.get("type", _TYPES)
    return _is_a(data, named) if isinstance(named, str) else any(_is_a(data, name) for name in named)


def _is_a(data: Json, name: str) -> bool:
    if isinstance(data, bool):
        return name == "boolean"
    return isinstance(data, _TYPES[name])


def _wanted(schema: Any) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(repr, schema["enum"]))
    if "const" in schema:
        return repr(schema["const"])
    return str(schema["type"])


def _shown(data: Json) -> str:
    words = json.dumps(data, ensure_ascii=False)
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
