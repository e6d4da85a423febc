"""What servers of Chat Completions send back, each field read as liberally as its use allows, without any I/O.

Every field but the text is optional. Servers and the gateways before them also report errors with the status 200,
stream although they were not asked to, and break off.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, TypeAlias

from odyssey_recorder.errors import showable
from odyssey_recorder.llm.model import OfferedModel
from odyssey_recorder.llm.retry import wait_in_words
from odyssey_recorder.llm.tool_calls import ToolCall

Tree: TypeAlias = Mapping[str, Any]
_STREAM = ("data:", "event:", ":")
_LARGEST = 1_000_000_000
"""Of a count of tokens; what is larger is no count."""
_SHOWN = 300
_TEXT, _THOUGHTS = ("text", "output_text"), ("thinking", "reasoning")
_BESIDE = {"reasoning_content": "reasoning", "reasoning": "reasoning", "refusal": "refusal"}
"""What a piece of a stream has beside its content, and the kind of part that it is."""
_NOTHING: Tree = {}
_STATUS_BY_WORDS = (
    (402, r"insufficient_?\w*(?:quota|balance|credit|fund)|billing|arrear|exceeded_current_quota"),
    (451, r"content_?filter|content_policy|inspection_?failed|moderation|sensitive|safety"),
    (429, r"rate_?limit|resource_?exhausted|too_?many|throttl"),
    (404, r"not_?found"),
    (401, r"authentication|unauthorized|invalid_api_key"),
    (400, r"invalid_?(?:request|argument|param)|bad_?request|context_length"),
    (503, r"overload|unavailable"),
)
"""Statuses by the codes and types of errors; 451 is a content filter's."""
Ending = Literal["", "refused", "cut off"]
_FAILED = r"error|abort|insufficient_system_resource"
_ENDINGS: Sequence[tuple[Ending, str]] = (
    ("refused", r"filter|safety|sensitive|prohibited|recitation|blocklist|refus|spii"),
    ("cut off", r"length|max_?\w*tokens|context_window"),
)
"""By what servers write as the reason for the end, as `finish_reason`; _FAILED is none of an answer."""


@dataclass(frozen=True, slots=True)
class TokenCount:
    """None is what the server did not say."""

    tokens_in: int | None = None
    tokens_out: int | None = None


FREE = TokenCount(0, 0)
"""What stays below a stated usage: servers charge nothing for a request that they answer with an error."""


@dataclass(frozen=True, slots=True)
class ServerFault:
    """An error instead of an answer. `status` is that of HTTP, or the like; 0 if nothing came back, 200 if there is
    neither an answer nor an error.
    """

    status: int
    message: str
    code: str = ""
    wait_s: float | None = None
    tokens: TokenCount = FREE


@dataclass(frozen=True, slots=True)
class Reply:
    """`text` is the model's, without its `thoughts`, which came in another field."""

    text: str
    thoughts: str
    refusal: str
    ended: Ending
    tokens: TokenCount
    id: str = ""
    model: str = ""


def read_reply(text: str) -> Reply | ServerFault | None:
    """None if the text is not in this format."""
    try:
        return _read_reply(text)
    except RecursionError:
        return ServerFault(200, "What the server sent is nested too deep.", tokens=TokenCount())


def _read_reply(text: str) -> Reply | ServerFault | None:
    tree = _tree(text)
    if tree is None:
        is_begun = text.strip()[:1] in ("", "{", "[") or text.lstrip().startswith(_STREAM)
        return ServerFault(0, "The answer of the server broke off.", tokens=TokenCount()) if is_begun else None
    tokens = _tokens(mapping(tree.get("usage")))
    choices = tree.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else _NOTHING
    fault = _fault(tree, is_answer=bool(choice)) or _fault(choice, is_answer=True)
    ended = ending(choice.get("finish_reason"))
    if fault is None and re.search(_FAILED, _words(choice.get("finish_reason")), re.IGNORECASE):
        fault = ServerFault(500, f"it ended the answer with {choice['finish_reason']!r}")
    if fault is not None:
        return replace(fault, tokens=tokens if tree.get("usage") else FREE)
    if "choices" not in tree:
        return None
    message = mapping(choice.get("message")) or mapping(choice.get("delta"))
    if not message and not isinstance(choice.get("text"), str):
        return ServerFault(200, "There is no answer in what the server sent.", tokens=tokens)
    return _reply(tree, choice, message, ended, tokens)


def read_tree(text: str) -> Tree | ServerFault:
    """The body of a response of another format, or the error that it has in place of an answer."""
    tree = _tree(text)
    if tree is None:
        return ServerFault(0, "The answer of the server broke off.", tokens=TokenCount())
    return _fault(tree, is_answer=False) or tree


def ending(reason: object) -> Ending:
    words = _words(reason)
    return next((ended for ended, pattern in _ENDINGS if re.search(pattern, words, re.IGNORECASE)), "")


def read_fault(text: str, status: int) -> ServerFault:
    """The error in the body of a response with an HTTP status of 400 or more."""
    tree = _tree(text) or _NOTHING
    fault = _fault(tree, is_answer=False) or ServerFault(status, _words(text))
    if fault.status not in (402, 404, 451):
        fault = replace(fault, status=status)
    return replace(fault, tokens=_tokens(mapping(tree.get("usage")))) if tree.get("usage") else fault


def read_models(text: str) -> Sequence[OfferedModel]:
    """Empty if the text is no list of models."""
    listed = (_tree(text) or _NOTHING).get("data")
    models = [mapping(model) for model in listed] if isinstance(listed, list) else []
    return tuple(
        OfferedModel(_words(model["id"]), _day(_words(model.get("shutdown_date"))))
        for model in models
        if model.get("id")
    )


def _reply(tree: Tree, choice: Tree, message: Tree, ended: Ending, tokens: TokenCount) -> Reply:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content if content is not None else choice.get("text")]
    text, thoughts, refusal = (_joined(parts, kinds) for kinds in (_TEXT, _THOUGHTS, ("refusal",)))
    calls = message.get("tool_calls")
    if not text and isinstance(calls, list):
        text = "\n".join(map(_call, calls))
    refusal = refusal or _words(message.get("refusal"))
    return Reply(
        text, thoughts or _words(message.get("reasoning_content") or message.get("reasoning"), None), refusal,
        "refused" if refusal else ended, tokens, _words(tree.get("id")), _words(tree.get("model")),
    )  # fmt: skip


def _joined(parts: Sequence[Any], kinds: tuple[str, ...]) -> str:
    """The text of parts of these kinds; plain text is of the kind "text"."""
    return "".join(_text_of(part if isinstance(part, dict) else {"text": part}, kinds) for part in parts)


def _text_of(part: Tree, kinds: tuple[str, ...]) -> str:
    kind = part.get("type", "text")
    if kind not in kinds:
        return ""
    found = part.get(kind, part.get("text"))
    inner = [mapping(one).get("text") for one in found] if isinstance(found, list) else [found]
    return "".join(_words(one, None) for one in inner)


def _call(call: Any) -> str:
    """As text again: some servers look for calls of tools in any answer, and take them out."""
    function = mapping(mapping(call).get("function"))
    return str(ToolCall(_words(function.get("name")), mapping_in(function.get("arguments"))))


# Errors.


def _fault(tree: Tree, *, is_answer: bool) -> ServerFault | None:
    """An error in the usual place, or, where there is no answer, in one of the others."""
    error = tree.get("error")
    if not error and not is_answer:
        base = mapping(tree.get("base_resp"))
        errors = tree.get("errors")
        error = (
            (base if base.get("status_code") else None)
            or (errors[0] if isinstance(errors, list) and errors else None)
            or (tree if tree.get("object") == "error" or tree.keys() & {"detail", "message", "msg"} else None)
        )
    if not error:
        return None
    fields = mapping(error)
    message = next((fields[key] for key in ("message", "status_msg", "detail", "msg") if fields.get(key)), error)
    raw = _words(mapping(fields.get("metadata")).get("raw"))
    names = " ".join(_words(fields.get(key)) for key in ("code", "type", "status"))
    if isinstance(error, str) and re.search(r"not found|unexpected endpoint", error, re.IGNORECASE):
        names = "not_found"
    wait_s = wait_in_words(json.dumps(error))
    status = _status(fields.get("code", fields.get("status_code")), names, is_waiting=wait_s is not None)
    return ServerFault(status, f"{_words(message)}: {raw}" if raw else _words(message), names.strip(), wait_s)


def _status(code: Any, names: str, *, is_waiting: bool) -> int:
    named = next((status for status, words in _STATUS_BY_WORDS if re.search(words, names, re.IGNORECASE)), 0)
    if named in (402, 451) and not is_waiting:
        return named
    number = int(code) if re.fullmatch(r"\d{3,5}", str(code)) else 0
    number = number if number < 1_000 else number // 100  # as 42901
    return number if 400 <= number < 600 else named or 500


# Values.


def _tree(text: str) -> Tree | None:
    """A JSON object, also as the only one of a list, or assembled from a stream."""
    if text.lstrip().startswith(_STREAM):
        return _streamed(text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list) and len(found) == 1:
        (found,) = found
    return found if isinstance(found, dict) else None


def _streamed(text: str) -> Tree | None:
    """The whole answer; None if the stream broke off."""
    whole: dict[str, Any] = {}
    parts: list[Any] = []
    choice: dict[str, Any] = {"message": {"content": parts}}
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if data == line.strip() or data == "[DONE]":
            continue
        chunk = _tree(data)
        if chunk is None or chunk.get("error"):
            return chunk
        whole |= {key: value for key, value in chunk.items() if value is not None}
        choices = chunk.get("choices")
        some = mapping(choices[0]) if isinstance(choices, list) and choices else _NOTHING
        choice |= {key: some[key] for key in ("finish_reason", "error") if some.get(key)}
        delta = mapping(some.get("delta")) or mapping(some.get("message"))
        content = delta.get("content")
        parts += content if isinstance(content, list) else [content]
        parts += ({"type": key, "text": delta[name]} for name, key in _BESIDE.items() if delta.get(name))
    return {**whole, "choices": [choice]} if "finish_reason" in choice or "error" in choice else None


def _tokens(usage: Tree) -> TokenCount:
    """What a model thought is in the whole only with some servers."""
    tokens_in = count_of(usage, "prompt_tokens", "input_tokens")
    tokens_out, whole = count_of(usage, "completion_tokens", "output_tokens"), count_of(usage, "total_tokens")
    if tokens_in is not None and whole is not None and whole >= tokens_in:
        tokens_out = max(tokens_out or 0, whole - tokens_in)
    return TokenCount(tokens_in, tokens_out)


def count_of(usage: Mapping[str, Any], *names: str) -> int | None:
    """The first of these that is there; None if it is no count."""
    found = next((usage[name] for name in names if usage.get(name) is not None), None)
    try:
        number = int(float(found)) if isinstance(found, int | float | str) else -1
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= _LARGEST else None


def mapping(value: Any) -> Tree:
    """Empty for anything else."""
    return value if isinstance(value, dict) else _NOTHING


def mapping_in(value: Any) -> Tree:
    """The same, also of JSON in a text."""
    return mapping(_tree(value) if isinstance(value, str) else value)


def _words(value: Any, longest: int | None = _SHOWN) -> str:
    """Text as it is; anything else as JSON, and nothing as empty text. With a limit, on one line."""
    if value is None:
        return ""
    text = showable(value if isinstance(value, str) else json.dumps(value))
    return text if longest is None else " ".join(text.split())[:longest]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10]) if text else None
    except ValueError:
        return None
