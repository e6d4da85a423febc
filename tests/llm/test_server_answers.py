"""What servers really send: forms from public reports, and all that may be missing or of another type."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.batch import BatchProgress
from odyssey_recorder.llm.chat_replies import FREE, Reply, ServerFault, TokenCount, read_reply
from odyssey_recorder.llm.model import ModelAnswer
from odyssey_recorder.llm.retry import RetryPolicy, wait_in_words
from odyssey_recorder.llm.schema import FreeText
from odyssey_recorder.model.answer_failure import Failure
from tests.llm.questions import batch_with, model_at, priced, question
from tests.llm.stand_in import RawReply, StandIn

_FILE = Path(__file__).parents[1] / "data" / "public_reports" / "server_answers.json"
_TEXT = '{"reason": "Open it.", "action": "CLICK", "x": 500, "y": 250, "direction": null, "text": null}'
PREDICTED = replace(
    question("x" * 100, parameters={"max_completion_tokens": 4000}), is_judged=True, answer=FreeText
)  # asked as `predict` asks


@dataclass(frozen=True)
class Expected:
    """`bill` is in tokens in and out, as the server counts; None where it does not."""

    is_read: bool = True
    requests: int = 1
    words: str = ""
    failures: tuple[Failure, ...] = ()
    bill: tuple[int, int] | None = (900, 20)
    wait_s: float | None = None


EXPECTED = {
    "openrouter-200-error-500": Expected(requests=2, wait_s=0.5),
    "openrouter-200-error-429-no-choices": Expected(requests=2, wait_s=0.5),
    "openrouter-200-empty-choices": Expected(requests=2, bill=(901, 20), wait_s=0.5),
    "openrouter-choice-error-finish": Expected(requests=2, bill=(1800, 40), wait_s=0.5),
    "gemini-no-completion_tokens": Expected(),
    "magistral-content-list": Expected(),
    "vllm-content-null-reasoning": Expected(
        is_read=False, words="All of its text is in reasoning_content", failures=("unreadable",)
    ),
    "qwen3-vl-thinking-only-close-tag": Expected(),
    "gemini-429-list": Expected(requests=2, wait_s=0.4),
    "gemini-400-unknown-store": Expected(requests=2),  # asked again without it
    "dashscope-400": Expected(is_read=False, words="A special word is not allowed", bill=(0, 0)),
    "qwen3-vl-thinking-cut-off": Expected(failures=("cut off",), bill=(900, 4000)),
    "usage-null-tokens": Expected(bill=None),
}


@cache
def reported() -> Mapping[str, list[dict[str, Any]]]:
    cases = json.loads(_FILE.read_text(encoding="utf-8"))
    return {case["name"].partition(" ")[0]: case["responses"] for case in cases}


def test_all_reports_are_expected() -> None:
    assert reported().keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_reported_answers_are_read_retried_and_paid(name: str) -> None:
    expected, waits, progress = EXPECTED[name], list[float](), list[BatchProgress]()
    responses = reported()[name]
    turns = iter(RawReply(json.dumps(one["body"]), one["status"], "application/json") for one in responses)

    async def sleep(seconds: float) -> None:
        waits.append(round(seconds, 6))

    retry = RetryPolicy(sleep=sleep, now_s=lambda: sum(waits), chance=lambda: 0.0)
    with StandIn(lambda _: next(turns)) as server:
        asking = batch_with(model_at(server), priced(), retry=retry)
        (answer,) = asking.ask_all([PREDICTED], progress=progress.append)
        assert len(server.questions) == expected.requests
        assert (asking.kept(PREDICTED) is None) == isinstance(answer, LanguageModelError), "only answers are cached"
    assert waits == ([] if expected.wait_s is None else [expected.wait_s])
    assert +Counter(progress[-1].failures) == Counter(expected.failures)
    tokens_in, tokens_out = expected.bill or (900, 20)
    if expected.bill is None:
        assert "estimated for 1 requests" in progress[-1].spent
        assert (progress[-1].cost or 0) > 0
    else:
        assert progress[-1].cost == pytest.approx((tokens_in + 4 * tokens_out) / 1e6)
        assert progress[-1].tokens == tokens_in + tokens_out
    if expected.is_read:
        assert isinstance(answer, ModelAnswer)
        assert answer.raw.endswith("" if expected.failures else _TEXT)
        assert (answer.failure,) == (expected.failures or ("",))
    else:
        assert isinstance(answer, LanguageModelError)
        assert expected.words in str(answer)


def completion(**more: Any) -> dict[str, Any]:
    choice = {"finish_reason": "stop", "message": {"content": "right"}}
    return {
        "choices": [{**choice, **more.pop("choice", {})}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
        **more,
    }


def said(content: Any, **more: Any) -> dict[str, Any]:
    return completion(choice={"message": {"content": content, **more}})


@pytest.mark.parametrize(
    ("tree", "read"),
    [
        (completion(id=None, model=None, created="x", object=7), "right"),
        ([completion()], "right"),
        ({"choices": [{"text": "right"}]}, "right"),
        (said([{"type": "text", "text": "ri"}, {"type": "image"}, {"type": "text", "text": "ght"}, None]), "right"),
        (said(["ri", "ght"]), "right"),
        (said({"type": "text", "text": "right"}), "right"),
        (said([{"type": "thinking", "thinking": "Hm."}, {"type": "output_text", "text": "right"}]), "right"),
        (
            said("", tool_calls=[{"function": {"name": "tap", "arguments": '{"x": 1}'}}]),
            '<tool_call>\n{"name": "tap", "arguments": {"x": 1}}\n</tool_call>',
        ),
        (said(None, tool_calls=5), ""),
        (completion(error=None), "right"),
    ],
)  # fmt: skip
def test_every_field_but_the_text_is_optional(tree: Any, read: str) -> None:
    found = read_reply(json.dumps(tree))
    assert isinstance(found, Reply), found
    assert found.text == read


@pytest.mark.parametrize(
    ("tree", "status", "message"),
    [
        ({"error": "Unexpected endpoint or method. (GET /chat)"}, 404, "Unexpected endpoint"),
        ({"error": {"message": "No money", "type": "insufficient_quota", "code": 429}}, 402, "No money"),
        ({"error": {"message": "Wait", "code": "429"}}, 429, "Wait"),
        ({"error": {"message": "Wait", "type": "rate_limit_error"}}, 429, "Wait"),
        ({"error": {"message": "No", "code": "DataInspectionFailed"}}, 451, "No"),
        ({"error": {"message": "Bad", "code": 502}, **completion()}, 502, "Bad"),
        (completion(choice={"error": {"message": "Bad", "code": 502}, "finish_reason": "error"}), 502, "Bad"),
        ({"object": "error", "message": "Full", "code": 42903}, 429, "Full"),
        ({"choices": None, "base_resp": {"status_code": 1002, "status_msg": "Too fast"}}, 500, "Too fast"),
        ({"success": False, "errors": [{"code": 7009, "message": "Upstream"}]}, 500, "Upstream"),
        ({"detail": "Not ready"}, 500, "Not ready"),
        (completion(choice={"finish_reason": "abort", "message": {"content": ""}}), 500, "'abort'"),
        ({"error": 1}, 500, "1"),
    ],
)
def test_errors_with_status_200_are_what_they_say(tree: Any, status: int, message: str) -> None:
    found = read_reply(json.dumps(tree))
    assert isinstance(found, ServerFault), found
    assert (found.status, message in found.message) == (status, True)
    assert found.tokens == (TokenCount(9, 2) if "usage" in tree else FREE)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (None, (None, None)),
        ({}, (None, None)),
        ({"prompt_tokens": "900", "completion_tokens": 20.0}, (900, 20)),
        ({"prompt_tokens": -1, "completion_tokens": float("inf")}, (None, None)),
        ({"input_tokens": 900, "output_tokens": 20}, (900, 20)),
        ({"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 950}, (900, 50)),  # with thoughts
        ([1], (None, None)),
        ({"prompt_tokens": [1], "completion_tokens": True}, (None, 1)),
    ],
)
def test_missing_and_odd_counts_are_told(usage: Any, tokens: tuple[int | None, int | None]) -> None:
    found = read_reply(json.dumps(completion(usage=usage)))
    assert isinstance(found, Reply)
    assert found.tokens == TokenCount(*tokens)


def events(*chunks: Any) -> str:
    return ": keep-alive\n\n" + "".join(
        f"data: {chunk if isinstance(chunk, str) else json.dumps(chunk)}\n\n" for chunk in chunks
    )


def test_stream_that_nobody_asked_for_is_read_only_if_it_is_whole() -> None:
    pieces = [{"choices": [{"delta": delta}]} for delta in ({"reasoning": "Hm"}, {"content": "ri"}, {"content": "ght"})]
    end = {"choices": [{"delta": {}, "finish_reason": "length"}], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    whole = read_reply(events(*pieces, end, "[DONE]"))
    assert isinstance(whole, Reply)
    assert (whole.text, whole.thoughts, whole.ended, whole.tokens) == ("right", "Hm", "cut off", TokenCount(9, 2))
    for cut in (events(*pieces), events(*pieces, '{"choices": [{"fini')):
        broken = read_reply(cut)
        assert isinstance(broken, ServerFault)
        assert (broken.status, broken.tokens) == (0, TokenCount())
    failed = read_reply(events(*pieces, {"error": {"code": 502, "message": "Upstream"}}))
    assert isinstance(failed, ServerFault)
    assert failed.status == 502


def trees_of_other_types() -> Iterator[Any]:
    """A usual response in which each value in turn is of another type or missing, and rubbish."""

    def mutated(tree: Any) -> Iterator[Any]:
        yield from (None, 5, "x", True, [], {}, [None], [[]], {"type": []}, 1e999, -0.0)
        if isinstance(tree, dict):
            for key, value in tree.items():
                yield {name: other for name, other in tree.items() if name != key}
                yield from ({**tree, key: other} for other in mutated(value))
        elif isinstance(tree, list):
            for at, value in enumerate(tree):
                yield from ([*tree[:at], other, *tree[at + 1 :]] for other in mutated(value))

    usual = completion(error={"message": "m", "code": 1, "metadata": {"raw": "r"}}, id="i", model="m", base_resp={})
    calls = [{"function": {"name": "n", "arguments": "{}"}}]
    parts = [{"type": "text", "text": "t"}, {"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}]
    for tree in (
        usual,
        said(parts, tool_calls=calls, refusal="r", reasoning_content="x"),
        {"errors": [{}], "message": ""},
    ):
        yield from mutated(tree)


def test_nothing_that_a_server_sends_is_an_exception() -> None:
    count = 0
    deep = ("[" * 100_000, '{"choices":' * 5_000, '{"error":' + "[" * 900 + "]" * 900 + "}")
    for text in chain(map(json.dumps, trees_of_other_types()), deep, ("", "null", "data:", "data: 5\n\n", "\ud800")):
        found = read_reply(text)
        assert found is None or isinstance(found, Reply | ServerFault)
        count += 1
    assert count > 500


@pytest.mark.parametrize(
    ("words", "wait_s"),
    [
        ("Please try again in 20s.", 20),
        ("Please try again in 1m12.5s. Visit …", 72.5),
        ("Please try again in 6ms.", 0.006),
        ("Quota used up. Retry in 0.4s.", 0.4),
        ('{"retryDelay": "34s"}', 34),
        ('{"retry_after": 3}', 3),
        ("retry after 2 seconds", 2),
        ("Try again later, in a day.", None),
    ],
)
def test_waits_are_read_from_the_words_of_an_error(words: str, wait_s: float | None) -> None:
    assert wait_in_words(words) == wait_s
