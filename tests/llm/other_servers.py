"""Peers for the wires other than Chat Completions: as picky as the sources of their SDKs and documents say.

What they refuse ends with status 400, so that a request which is wrong in form never gets an answer.
"""

import base64
import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from PIL import Image

from odyssey_recorder.llm.tool_calls import ToolCall, calls_in
from tests.llm.stand_in import ReceivedRequest, Turn, fault, json_reply

Answering = Callable[[Image.Image], str]
"""What the model says to the newest screen, with calls as tool_calls.py writes them."""
Tree = Mapping[str, Any]

_UNSIGNED = "skip_thought_signature_validator"
REASONING = {"type": "reasoning", "id": "rs_1", "encrypted_content": "secret", "summary": []}


def pictures_in(tree: object) -> Iterator[Image.Image]:
    """All pictures of a request, in order."""
    match tree:
        case str() if tree.startswith("data:image/"):
            yield _decoded(tree.partition(",")[2])
        case {"data": str(data), **rest} if {"mimeType", "media_type"} & rest.keys():
            yield _decoded(data)
        case dict():
            for value in tree.values():
                yield from pictures_in(value)
        case list():
            for value in tree:
                yield from pictures_in(value)
        case _:
            pass


def _decoded(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data, validate=True))).convert("RGB")


class _RefusedError(Exception):
    pass


def _expect(is_right: object, words: str) -> None:
    if not is_right:
        raise _RefusedError(words)


def peers(answering: Answering) -> Callable[[ReceivedRequest], Turn | None]:
    """Answers the three wires; None for other paths."""

    def answer(request: ReceivedRequest) -> Turn | None:
        kinds = {"/v1/responses": _responses, "/v1/messages": _messages}
        serve = kinds.get(request.path) or (_gemini if request.path.endswith(":generateContent") else None)
        if serve is None:
            return None
        try:
            return json_reply(serve(request, lambda: answering([*pictures_in(request.body)][-1])))
        except _RefusedError as error:
            return fault(400, str(error))

    return answer


def _gemini(request: ReceivedRequest, say: Callable[[], str]) -> Tree:
    body, called = request.body, None
    _expect("authorization" not in request.headers and request.headers.get("x-goog-api-key"), "the key")
    _expect(body.keys() <= {"systemInstruction", "contents", "tools", "generationConfig"}, f"{[*body]}")
    known = {"temperature", "topP", "topK", "maxOutputTokens"}
    _expect(body["generationConfig"].keys() <= known, f"{[*body['generationConfig']]}")
    [tool, own] = body["tools"]
    _expect(tool == {"computerUse": {"environment": "ENVIRONMENT_MOBILE"}}, f"{tool}")
    _expect({one["name"] for one in own["functionDeclarations"]} == {"complete", "impossible"}, "own functions")
    roles = [content["role"] for content in body["contents"]]
    _expect(roles == ["user", "model"] * (len(roles) // 2) + ["user"], f"turns {roles}")
    for content in body["contents"]:
        _expect(content["parts"], "a content without parts")
        results = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        _expect(
            [(one["name"], one.get("id")) for one in results] == ([called] if called else []),
            "results without their calls",
        )
        _expect(all(one["response"]["output"] for one in results), "an empty result")
        sent = [part for part in content["parts"] if "functionCall" in part]
        _expect(all(part["thoughtSignature"] in (_UNSIGNED, "signed") for part in sent), "a call without signature")
        called = next(((one["functionCall"]["name"], one["functionCall"].get("id")) for one in sent), None)
    words, calls = calls_in(say())
    parts: list[Tree] = [{"text": "I think.", "thought": True}, *([{"text": words}] if words else [])]
    for number, call in enumerate(calls):
        made = {"name": call.name, "args": dict(call.arguments), "id": f"g{number}"}
        parts.append({"functionCall": made, "thoughtSignature": "signed"})
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 900, "candidatesTokenCount": 15, "thoughtsTokenCount": 5},
        "modelVersion": "gemini-test",
    }


def _responses(request: ReceivedRequest, say: Callable[[], str]) -> Tree:
    body = request.body
    _expect(request.headers.get("authorization", "").startswith("Bearer "), "the key")
    _expect(body["store"] is False and body["include"] == ["reasoning.encrypted_content"], "what is stored")
    _expect("temperature" not in body, "Unsupported parameter: 'temperature' is not supported with this model.")
    _expect({"type": "computer"} in body["tools"], "the computer tool")
    open_call: Tree | None = None
    seen = set()
    for item in body["input"]:
        match item:
            case {"type": "computer_call" | "function_call", "call_id": str(name)}:
                _expect(open_call is None and name not in seen, "a call before the result of another")
                seen.add(name)
                open_call = item
                _expect(item["type"] != "computer_call" or len(item["actions"]) == 1, "what was carried out")
            case {"type": "computer_call_output" | "function_call_output"}:
                _expect(open_call is not None and item["call_id"] == open_call["call_id"], "a result without its call")
                assert open_call is not None
                is_computer = open_call["type"] == "computer_call"
                _expect(item["type"] == f"{open_call['type']}_output", "a result of another kind")
                if is_computer:
                    _expect(item["output"]["type"] == "computer_screenshot" and [*pictures_in(item)], "no screenshot")
                    _expect(item["acknowledged_safety_checks"] == open_call["pending_safety_checks"], "unseen checks")
                open_call = None
            case {"type": "reasoning"}:
                _expect(item == REASONING, "changed reasoning")
            case _:
                _expect(item["role"] in ("system", "user", "assistant"), f"{item}")
    _expect(open_call is None, "a call without result")
    words, calls = calls_in(say())
    output: list[Tree] = [REASONING] if calls else []
    output += [{"type": "message", "content": [{"type": "output_text", "text": words}]}] if words else []
    output += [_response_item(call, number) for number, call in enumerate(calls)]
    usage = {"input_tokens": 900, "output_tokens": 20}
    return {"id": "resp_1", "model": "gpt-test", "status": "completed", "output": output, "usage": usage}


def _response_item(call: ToolCall, number: int) -> Tree:
    if call.name == "computer":
        named = {"id": f"cu_{number}", "call_id": f"call_{number}", "status": "completed"}
        return {"type": "computer_call", **named, "pending_safety_checks": [], **call.arguments}
    arguments = json.dumps(dict(call.arguments))
    return {"type": "function_call", "call_id": f"call_{number}", "name": call.name, "arguments": arguments}


def _messages(request: ReceivedRequest, say: Callable[[], str]) -> Tree:
    body = request.body
    _expect("authorization" not in request.headers and request.headers.get("x-api-key"), "the key")
    _expect(request.headers.get("anthropic-version") == "2023-06-01", "the version")
    _expect(isinstance(body["max_tokens"], int), "max_tokens: field required")
    toolset, *own = body["tools"]
    _expect(toolset["type"] == "computer_toolset_20260801" and toolset.keys() <= {"type", "configs"}, f"{toolset}")
    names = {tool["name"] for tool in own}
    roles = [message["role"] for message in body["messages"]]
    _expect(roles == ["user", "assistant"] * (len(roles) // 2) + ["user"], f"turns {roles}")
    called: list[tuple[str, str | None]] = []
    for message in body["messages"]:
        blocks = message["content"]
        _expect(blocks, "an empty message")
        results = [(one["tool_use_id"], one.get("toolset_name")) for one in blocks if one["type"] == "tool_result"]
        _expect(results == called, "tool_use without its tool_result at once after it")
        _expect(all(one["type"] == "tool_result" for one in blocks[: len(results)]), "results come first")
        uses = [one for one in blocks if one["type"] == "tool_use"]
        _expect(all((one["name"] in names) is ("toolset_name" not in one) for one in uses), "a call of no tool")
        called = [(one["id"], one.get("toolset_name")) for one in uses]
    _expect(all(max(one.size) <= 1568 for one in pictures_in(body)), "image exceeds the limit")
    words, calls = calls_in(say())
    content: list[Tree] = [{"type": "text", "text": words}] if words else []
    for number, call in enumerate(calls):
        member = {} if call.name in names else {"toolset_name": "computer"}
        made = {"id": f"toolu_{number}", "name": call.name, "input": dict(call.arguments), **member}
        content.append({"type": "tool_use", **made})
    usage = {"input_tokens": 800, "cache_read_input_tokens": 100, "output_tokens": 20}
    ended = "tool_use" if calls else "end_turn"
    return {"id": "msg_1", "model": "claude-test", "content": content, "stop_reason": ended, "usage": usage}
