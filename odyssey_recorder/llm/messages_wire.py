"""Anthropic's Messages API, which has the computer tools; Chat Completions has not.

Source: anthropics/anthropic-sdk-python 2.14.0, types. The members of the computer toolset are called by name, as ours.
"""

from collections.abc import Iterator, Mapping

from odyssey_recorder.llm.chat_replies import Reply, TokenCount, Tree, ending, mapping
from odyssey_recorder.llm.model import LONGEST_ANSWER, ModelRequest
from odyssey_recorder.llm.other_wire import Turn, count, items, turns
from odyssey_recorder.llm.tool_calls import ToolCall

_VERSION = "2023-06-01"
_LONGEST = 4096
"""Tokens; the API wants a limit."""


class MessagesWire:
    def path(self, model: str) -> str:
        return "messages"

    def headers(self, key: str) -> Mapping[str, str]:
        return {"x-api-key": key, "anthropic-version": _VERSION}

    def body(self, question: ModelRequest, model: str) -> Tree:
        told = [*turns(question)]
        own = {str(mapping(tool).get("name")) for tool in question.tools}
        options = {name: value for name, value in question.parameters.items() if name != LONGEST_ANSWER}
        return {
            "model": model,
            "max_tokens": question.parameters.get(LONGEST_ANSWER, _LONGEST),
            "system": "\n\n".join(text for turn in told if turn.role == "system" for text in turn.words),
            "messages": [_message(turn, own) for turn in told if turn.role != "system"],
            "tools": list(question.tools),
            **options,
        }

    def reply(self, tree: Tree) -> Reply:
        used = mapping(tree.get("usage"))
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        tokens = TokenCount(count(used, *read), count(used, "output_tokens"))
        raw, ended = "\n".join(_read(tree.get("content"))), ending(tree.get("stop_reason"))
        return Reply(raw, "", "", ended, tokens, str(tree.get("id") or ""), str(tree.get("model") or ""))


def _message(turn: Turn, own: set[str]) -> Tree:
    words: list[Tree] = [{"type": "text", "text": text} for text in turn.words]
    if turn.role == "assistant":
        return {"role": "assistant", "content": words + ([_call(turn.call, own)] if turn.call else [])}
    pictures: list[Tree] = [
        {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.base64}}
        for image in turn.images
    ]
    if turn.result_of is None:
        return {"role": "user", "content": words + pictures}
    call = turn.result_of
    result = {"type": "tool_result", "tool_use_id": call.id, "content": pictures} | _family(call, own)
    return {"role": "user", "content": [result, *words]}


def _call(call: ToolCall, own: set[str]) -> Tree:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)} | _family(call, own)


def _family(call: ToolCall, own: set[str]) -> dict[str, object]:
    """What is no tool of ours is a member of the computer toolset."""
    return {} if call.name in own else {"toolset_name": "computer"}


def _read(content: object) -> Iterator[str]:
    for block in items(content):
        if block.get("type") == "tool_use":
            yield str(ToolCall(str(block.get("name") or ""), mapping(block.get("input")), str(block.get("id") or "")))
        elif block.get("type") == "text" and block.get("text"):
            yield str(block["text"])
