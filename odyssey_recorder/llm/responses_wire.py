"""OpenAI's Responses API, which has the computer tool; without storing anything at the server.

Source: openai/openai-python, types/responses. As nothing is stored, reasoning comes encrypted and is sent back with the
call that follows it.
"""

import json
from collections.abc import Mapping

from odyssey_recorder.llm.chat_replies import Reply, TokenCount, Tree, ending, mapping, mapping_in
from odyssey_recorder.llm.model import LONGEST_ANSWER, Image, ModelRequest
from odyssey_recorder.llm.other_wire import Turn, count, items, turns
from odyssey_recorder.llm.tool_calls import ToolCall
from odyssey_recorder.model.episode import Json

COMPUTER = "computer"
"""The name of a call of the computer tool; its arguments are `actions` and `pending_safety_checks`."""
_UNKNOWN = (LONGEST_ANSWER, "temperature", "top_p")
"""Sent under another name, and what its reasoning models refuse."""


class ResponsesWire:
    def path(self, model: str) -> str:
        return "responses"

    def headers(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def body(self, question: ModelRequest, model: str) -> Tree:
        longest = question.parameters.get(LONGEST_ANSWER)
        return {
            "model": model,
            "input": [item for turn in turns(question) for item in _items(turn)],
            "tools": list(question.tools),
            "store": False,
            "include": ["reasoning.encrypted_content"],
            **({} if longest is None else {"max_output_tokens": longest}),
            **{name: value for name, value in question.parameters.items() if name not in _UNKNOWN},
        }

    def reply(self, tree: Tree) -> Reply:
        used = mapping(tree.get("usage"))
        tokens = TokenCount(count(used, "input_tokens"), count(used, "output_tokens"))
        raw, refusal = _read(tree.get("output"))
        reason = "refusal" if refusal and not raw else mapping(tree.get("incomplete_details")).get("reason")
        return Reply(raw, "", refusal, ending(reason), tokens, str(tree.get("id") or ""), str(tree.get("model") or ""))


def _items(turn: Turn) -> list[Tree]:
    if turn.role == "assistant":
        said: list[Tree] = [{"role": "assistant", "content": text} for text in turn.words]
        return said if turn.call is None else [*said, *items(turn.call.kept), _call(turn.call)]
    done = [] if turn.result_of is None else [_result(turn.result_of, turn)]
    words = [{"type": "input_text", "text": text} for text in turn.words]
    is_shown = turn.result_of is not None and turn.result_of.name == COMPUTER
    pictures = [] if is_shown else [_picture("input_image", image) for image in turn.images]
    content = [*words, *pictures]
    return [*done, *([{"role": turn.role, "content": content}] if content else [])]


def _picture(kind: str, image: Image) -> Tree:
    return {"type": kind, "image_url": image.url, "detail": image.detail}


def _call(call: ToolCall) -> Tree:
    if call.name != COMPUTER:
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}
    done, checks = items(call.arguments.get("actions"))[:1], items(call.arguments.get("pending_safety_checks"))
    state = {"status": "completed", "pending_safety_checks": checks}
    return {"type": "computer_call", "call_id": call.id, "actions": done, **state}


def _result(call: ToolCall, turn: Turn) -> Tree:
    """The safety checks were shown to the guard with the answer, so whoever let it through has agreed to them."""
    if call.name != COMPUTER:
        return {"type": "function_call_output", "call_id": call.id, "output": "done"}
    checks = items(call.arguments.get("pending_safety_checks"))
    shown = _picture("computer_screenshot", turn.images[0])
    return {"type": "computer_call_output", "call_id": call.id, "output": shown, "acknowledged_safety_checks": checks}


def _read(output: object) -> tuple[str, str]:
    """The text with its calls, and a refusal."""
    raw: list[str] = []
    refusals: list[str] = []
    kept: list[Json] = []
    for item in items(output):
        match item.get("type"):
            case "reasoning":
                kept.append({name: value for name, value in item.items() if name != "status"})
            case "message":
                for part in items(item.get("content")):
                    said = str(part.get("refusal") or part.get("text") or "")
                    (refusals if part.get("type") == "refusal" else raw).append(said)
            case "computer_call" | "function_call":
                raw.append(str(_called(item, kept)))
                kept = []
            case _:
                pass
    return "\n".join(filter(None, raw)), "\n".join(refusals)


def _called(item: Tree, kept: list[Json]) -> ToolCall:
    call_id = str(item.get("call_id") or "")
    if item["type"] == "function_call":
        return ToolCall(str(item.get("name") or ""), mapping_in(item.get("arguments")), call_id, kept or None)
    one, checks = item.get("action"), items(item.get("pending_safety_checks"))
    actions: Json = items(item.get("actions")) or ([mapping(one)] if one else [])
    arguments = {"actions": actions} | ({"pending_safety_checks": checks} if checks else {})
    return ToolCall(COMPUTER, arguments, call_id, kept or None)
