"""Tools that a model calls, as they stand in its text: so an answer is one text for caches, results and adapters."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from odyssey_recorder.model.episode import Json

_CALL = re.compile(r"\n?<tool_call>\n(\{.*\})\n</tool_call>")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`id` is the server's own, and `kept` what it wants back with the call, such as a signature; both may be empty."""

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    id: str = ""
    kept: Json = None

    def __str__(self) -> str:
        """In the form of Qwen's models: JSON between tags, on a line of its own."""
        more: dict[str, Json] = {"id": self.id} if self.id else {}
        more |= {} if self.kept is None else {"kept": self.kept}
        tree = {"name": self.name, "arguments": dict(self.arguments), **more}
        return f"<tool_call>\n{json.dumps(tree, ensure_ascii=False)}\n</tool_call>"


def calls_in(raw: str) -> tuple[str, tuple[ToolCall, ...]]:
    """The text without calls, and the calls in order. What has not the form of `str(ToolCall)` stays in the text."""
    calls: list[ToolCall] = []

    def taken(match: re.Match[str]) -> str:
        call = _read(match[1])
        if call is None:
            return match[0]
        calls.append(call)
        return ""

    return _CALL.sub(taken, raw).strip(), tuple(calls)


def _read(text: str) -> ToolCall | None:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(tree.get("name"), str) or not isinstance(tree.get("arguments"), dict):
        return None
    return ToolCall(tree["name"], tree["arguments"], str(tree.get("id", "")), tree.get("kept"))
