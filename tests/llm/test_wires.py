"""The wires of Google, OpenAI and Anthropic: histories in their form, and what their answers may say."""

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from pydantic import SecretStr

from odyssey_recorder.agents.adapter import History, PastStep, SentScreenshot, adapter_named
from odyssey_recorder.agents.predict import next_step
from odyssey_recorder.errors import BrokenAnswerError, LanguageModelError, ModelBusyError
from odyssey_recorder.llm.model import Image as ModelImage
from odyssey_recorder.llm.model import LazyImage, ModelAnswer, ModelRequest
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.tool_calls import ToolCall
from odyssey_recorder.llm.wires import WIRES
from odyssey_recorder.model.action import Click, Press, SystemKey
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.geometry import Point, Size
from tests.llm.other_servers import REASONING, peers
from tests.llm.questions import run_and_close
from tests.llm.stand_in import StandIn, Turn, json_reply

ADAPTERS = {"gemini": "gemini-mobile", "responses": "openai-computer-tool", "messages": "claude-computer-tool"}
CALLS = {
    "gemini": ToolCall("click", {"y": 500, "x": 250}),
    "responses": ToolCall("computer", {"actions": [{"type": "click", "button": "left", "x": 50, "y": 100}]}),
    "messages": ToolCall("left_click", {"coordinate": [50, 100]}),
}


def screenshot() -> SentScreenshot:
    def load() -> ModelImage:
        data = BytesIO()
        Image.new("RGB", (200, 200), (10, 20, 30)).save(data, "PNG")
        return ModelImage(data.getvalue())

    return SentScreenshot(LazyImage("a", (200, 200), load), Size(200, 200))


def question(wire: str, *past: PastStep) -> ModelRequest:
    adapter = adapter_named(ADAPTERS[wire])
    return next_step("test", adapter, adapter.prompt("Open the shop.", History(past), screenshot()))


def ask(wire: str, server: StandIn, *past: PastStep) -> ModelAnswer:
    model = OpenAIModel("some-model", server.url, SecretStr("sk-own"))
    return run_and_close(model, model.ask(question(wire, *past)))


@pytest.mark.parametrize("wire", WIRES)
def test_own_answers_and_steps_of_a_person_go_back_in_the_form_of_the_wire(wire: str) -> None:
    with StandIn(others=peers(lambda _: f"I see it.\n{CALLS[wire]}\n{CALLS[wire]}")) as server:
        first = ask(wire, server)
        by_person = PastStep(Press(SystemKey.HOME), screenshot())
        own = PastStep(Click(Point(250, 500)), screenshot(), raw=first.raw)
        second = ask(wire, server, by_person, own, by_person)
    assert (first.usage.tokens_in, first.usage.tokens_out) == (900, 20)
    assert first.model_answered.endswith("-test")
    assert second.raw == first.raw
    adapter = adapter_named(ADAPTERS[wire])
    reading = adapter.read(first.raw, Size(200, 200), Size(200, 200))
    assert reading.action == Click(Point(250, 500))
    assert reading.problem.startswith("several: the first of 2 actions")
    assert "sk-own" not in json.dumps(server.seen[1].body)


def test_reasoning_and_safety_checks_are_kept_with_their_call() -> None:
    check: Json = {"id": "s1", "code": "malicious_instructions", "message": "Ask your user."}
    call = ToolCall("computer", {"actions": [{"type": "click", "x": 50, "y": 100}], "pending_safety_checks": [check]})
    with StandIn(others=peers(lambda _: str(call))) as server:
        answer = ask("responses", server)
        assert "malicious_instructions" in answer.raw
        ask("responses", server, PastStep(Click(Point(250, 500)), screenshot(), raw=answer.raw))
    [reasoning, sent, result] = [item for item in server.seen[1].body["input"] if "type" in item]
    assert reasoning == REASONING
    assert sent["pending_safety_checks"] == result["acknowledged_safety_checks"] == [check]


def test_gemini_is_told_that_a_person_agreed() -> None:
    call = ToolCall("click", {"y": 1, "x": 1, "safety_decision": {"decision": "require_confirmation"}})
    with StandIn(others=peers(lambda _: str(call))) as server:
        answer = ask("gemini", server)
        ask("gemini", server, PastStep(Click(Point(1, 1)), screenshot(), raw=answer.raw))
    [response] = [part for part in server.seen[1].body["contents"][-1]["parts"] if "functionResponse" in part]
    assert response["functionResponse"]["response"] == {"output": "done", "safety_acknowledgement": True}


def candidate(reason: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    used = {"promptTokenCount": 9, "candidatesTokenCount": 4}
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": reason}], "usageMetadata": used}


REFUSAL = {"type": "refusal", "refusal": "No."}
ENDS: list[tuple[str, object, object]] = [
    ("gemini", candidate("SAFETY"), "refused"),
    ("gemini", candidate("MAX_TOKENS", {"text": "half"}), "cut off"),
    ("gemini", candidate("MALFORMED_FUNCTION_CALL"), BrokenAnswerError),
    ("gemini", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, "refused"),
    ("gemini", {"candidates": None, "usageMetadata": None}, BrokenAnswerError),
    ("responses", {"output": None}, BrokenAnswerError),
    ("responses", {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]}, "refused"),
    ("responses", {"output": [], "incomplete_details": {"reason": "max_output_tokens"}}, "cut off"),
    ("responses", {"error": {"code": "server_error", "message": "Try later."}}, ModelBusyError),
    ("messages", {"content": [], "stop_reason": "refusal"}, "refused"),
    ("messages", {"content": [{"type": "text", "text": "a"}], "stop_reason": "max_tokens"}, "cut off"),
    ("messages", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, ModelBusyError),
    ("messages", [], ModelBusyError),
]


@pytest.mark.parametrize(("wire", "body", "end"), ENDS)
def test_ends_that_are_no_answer_are_told_apart(wire: str, body: object, end: object) -> None:
    def reply(_: object) -> Turn:
        return json_reply(body)

    with StandIn(others=reply) as server:
        try:
            found: Any = ask(wire, server)
        except LanguageModelError as error:
            found = error
    assert (found.failure if isinstance(found, ModelAnswer) else type(found)) == end
    if isinstance(body, dict) and body.get("usageMetadata"):
        used = found.usage if isinstance(found, ModelAnswer) else found
        assert (used.tokens_in, used.tokens_out, used.is_estimated) == (9, 4, False)


@pytest.mark.parametrize("wire", WIRES)
def test_answer_of_any_form_is_read_or_refused(wire: str) -> None:
    odd: list[object] = [None, 1, "x", [], [[]], {}, {"content": [1, {"type": "tool_use"}]}, {"parts": "x"}]
    for value in odd:
        for key in ("output", "content", "candidates", "usage", "usageMetadata", "error"):
            text = json.dumps({key: value, "output": [{"type": "function_call", "arguments": "{"}]})
            assert isinstance(WIRES[wire].reply(json.loads(text)).text, str)
