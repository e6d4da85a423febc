"""The real library with a stand-in server on this computer."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from odyssey_recorder.errors import (
    AnswerError,
    BrokenAnswerError,
    BrokenReplyError,
    LanguageModelError,
    ModelBusyError,
    ModelUnusableError,
    RefusedAnswerError,
    RefusedRequestError,
    TruncatedAnswerError,
)
from odyssey_recorder.llm.chat_completions import OLDER, Wire, body
from odyssey_recorder.llm.model import LONGEST_ANSWER, ModelAnswer, ModelRequest
from odyssey_recorder.llm.openai import OpenAIModel
from tests.llm.questions import Rewrite, chain, model_at, question, run_and_close
from tests.llm.stand_in import (
    MODEL,
    DroppedConnection,
    ErrorReply,
    RawReply,
    ReceivedRequest,
    Reply,
    StandIn,
    Turn,
    in_turn,
    json_reply,
    no_quota,
    refuses,
    says,
    server_error,
    truncated,
)


def right(request: ReceivedRequest) -> Turn:
    return says({"text": "Other words."})


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(right) as running:
        yield running


def ask(server: StandIn, request: ModelRequest | None = None, **settings: Any) -> ModelAnswer:
    model = model_at(server, **settings)
    return run_and_close(model, model.ask(request or question()))


def error_from(turn: Turn, kind: type[LanguageModelError] = LanguageModelError) -> LanguageModelError:
    """The error raised when the server behaves like this."""
    with StandIn(in_turn(turn)) as server, pytest.raises(kind) as raised:
        ask(server)
    foreign = [type(one).__module__ for one in chain(raised.value) if hasattr(one, "request")]
    assert not foreign, "an error of the library holds the request, and the key in it"
    return raised.value


def test_answer_records_model_time_and_usage() -> None:
    with StandIn(in_turn(Reply('{"text": "Other words."}', model="stand-in-1-2026-11-01"))) as server:
        before = datetime.now(UTC)
        answer = ask(server)
        assert answer.data == Rewrite(text="Other words.")
        assert answer.raw == '{"text": "Other words."}'
        assert (answer.model_asked, answer.model_answered) == (MODEL, "stand-in-1-2026-11-01")
        assert answer.host == f"http://127.0.0.1:{server.port}"
        assert before <= answer.at <= datetime.now(UTC)
        assert answer.usage.tokens_in > 0
        assert answer.usage.tokens_out == len(answer.raw) // 4
        assert answer.request_id.startswith("req-")
        assert answer.attempts == 1


def test_request_contains_only_the_question_and_its_parameters(server: StandIn) -> None:
    ask(server, question(parameters={"temperature": 0.5, "seed": 7}))
    (sent,) = server.questions
    assert sent.body.keys() == {"model", "messages", "store", "response_format", "temperature", "seed"}
    assert sent.body["store"] is False
    assert sent.headers["authorization"] == "Bearer no-key"
    assert (sent.body["temperature"], sent.body["seed"]) == (0.5, 7)
    assert sent.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "rewrite", "strict": True, "schema": question().schema},
    }
    assert sent.body["messages"] == [
        {"role": "system", "content": "You rewrite tasks."},
        {"role": "user", "content": "Say it differently."},
    ]
    assert server.complaints == []


def test_image_is_sent_as_data_in_full_detail(server: StandIn) -> None:
    ask(server, question(image=b"\x89PNG picture"))
    words, image = server.questions[0].body["messages"][1]["content"]
    assert words == {"type": "text", "text": "Say it differently."}
    data = base64.b64encode(b"\x89PNG picture").decode()
    assert image["image_url"] == {"url": f"data:image/png;base64,{data}", "detail": "high"}


def test_missing_token_counts_are_estimated() -> None:
    with StandIn(in_turn(Reply('{"text": "Other words."}', counts_tokens=False))) as server:
        usage = ask(server).usage
    assert usage.tokens_in > 10
    assert usage.tokens_out == 6


def test_local_server_is_reached_without_a_proxy(monkeypatch: pytest.MonkeyPatch, server: StandIn) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    for name in ("127.0.0.1", "localhost"):
        model = OpenAIModel(MODEL, f"http://{name}:{server.port}/v1", None)
        assert run_and_close(model, model.ask(question())).data == Rewrite(text="Other words.")


def test_given_key_overrides_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sk-of-another")
    with StandIn(right, key="sk-ours") as server:
        ask(server, key="sk-ours")
        assert server.questions[0].headers["authorization"] == "Bearer sk-ours"


@pytest.mark.parametrize("is_openai", [True, False])
@pytest.mark.parametrize(
    "unsupported", [["max_tokens"], ["max_completion_tokens"], ["max_tokens", "max_completion_tokens"]]
)
def test_answer_limit_uses_a_parameter_that_the_server_knows(unsupported: list[str], is_openai: bool) -> None:
    first, request = Wire() if is_openai else OLDER, question(parameters={LONGEST_ANSWER: 60})
    assert ("max_completion_tokens" if is_openai else "max_tokens") in body(request, first)
    wire: Wire | None = first
    while wire is not None and (refused := [name for name in unsupported if name in body(request, wire)]):
        wire = wire.without(f"Unsupported parameter: '{refused[0]}' is not supported with this model.")
    assert wire is not None
    sent = {name: value for name, value in body(request, wire).items() if "tokens" in name}
    assert list(sent.values()) == [60] * (2 - len(unsupported))


def test_unsupported_parameters_are_omitted_from_then_on() -> None:
    unsupported = "store", "temperature", "max_tokens", "max_completion_tokens", "json_schema", "json_object"
    with StandIn(right, refuses=unsupported) as server:
        model = model_at(server)
        parameters = {LONGEST_ANSWER: 60, "temperature": 0.0}
        first, second = (
            run_and_close(model, model.ask(question(words, parameters=parameters))) for words in ("One.", "Another.")
        )
        assert first.data == second.data == Rewrite(text="Other words.")
        assert (first.attempts, second.attempts) == (1 + len(unsupported), 1)


def test_unsupported_schema_is_described_in_the_prompt() -> None:
    with StandIn(right, refuses=("json_schema",)) as server:
        ask(server, replace(question(), messages=question().messages[1:]))
        assert [message["role"] for message in server.questions[-1].body["messages"]] == ["system", "user"]
        ask(server)
        system = server.questions[-1].body["messages"][0]
        assert system["role"] == "system"
        assert json.dumps(question().schema) in system["content"]
        assert server.questions[-1].body["response_format"] == {"type": "json_object"}


def test_server_that_rejects_every_answer_format_is_reported() -> None:
    with StandIn(lambda request: ErrorReply(400, {"message": "response_format is odd"})) as server:
        with pytest.raises(LanguageModelError, match="response_format is odd"):
            ask(server)
        assert len(server.questions) == 3


def test_rejected_parameter_of_the_question_is_reported() -> None:
    with StandIn(right, refuses=("seed",)) as server, pytest.raises(LanguageModelError, match="'seed'"):
        ask(server, question(parameters={"seed": 1}))


@pytest.mark.parametrize(
    ("turn", "kind", "words"),
    [
        *((server_error(status), ModelBusyError, str(status)) for status in (408, 409, 500, 502, 503, 529)),
        (DroppedConnection(), ModelBusyError, ""),
        (RawReply("<h1>Bad Gateway</h1>", 502), ModelBusyError, "Bad Gateway"),
        (no_quota(), ModelUnusableError, "quota"),
        (RawReply("<html>Please sign in</html>"), ModelUnusableError, "did not answer like a Chat Completions server"),
        (ErrorReply(403, "not in your country"), ModelUnusableError, "not in your country"),
        (ErrorReply(400, {"message": "The longest context is 8192 tokens."}), RefusedRequestError, "8192 tokens"),
        (Reply("{", finish_reason="content_filter"), RefusedAnswerError, ""),
        (ErrorReply(400, {"message": "Filtered.", "code": "content_filter"}), RefusedAnswerError, ""),
        (json_reply({"choices": None}), BrokenReplyError, "no answer"),
        (json_reply({"choices": [{}]}), BrokenReplyError, "no answer"),
        (json_reply({"choices": [{"message": {"content": "\ud800"}}]}), BrokenAnswerError, ""),
    ],
)  # fmt: skip
def test_failures_map_to_error_types_and_messages(turn: Turn, kind: type[LanguageModelError], words: str) -> None:
    error = error_from(turn, kind)
    assert type(error) is kind
    assert words in str(error)


@pytest.mark.parametrize(
    ("turn", "kind", "raw", "fault"),
    [
        (Reply("Sure! Here you are."), BrokenAnswerError, "Sure! Here you are.", "is not JSON"),
        (Reply(""), BrokenAnswerError, "", "is not JSON"),
        (Reply('{"words": "Other"}'), BrokenAnswerError, '{"words": "Other"}', "text: Field required"),
        (refuses("I cannot."), RefusedAnswerError, "I cannot.", "declined"),
        (truncated(), TruncatedAnswerError, '{"text": "half of', "cut off"),
    ],
)
def test_unusable_answer_keeps_its_text_and_states_the_fault(
    turn: Turn, kind: type[LanguageModelError], raw: str, fault: str
) -> None:
    error = error_from(turn, kind)
    assert isinstance(error, AnswerError)
    assert fault in str(error)
    assert (error.raw, error.tokens_in > 0) == (raw, True)


@pytest.mark.parametrize(("headers", "wait_s"), [({"retry-after-ms": "250", "retry-after": "1"}, 0.25), ({}, None)])
def test_rate_limit_states_how_long_to_wait(headers: dict[str, str], wait_s: float | None) -> None:
    error = error_from(ErrorReply(429, {"message": "Slow down.", "code": "rate_limit_exceeded"}, headers))
    assert isinstance(error, ModelBusyError)
    assert (error.wait_s, error.for_all) == (wait_s, True)


def test_unreachable_server_can_be_retried() -> None:
    with StandIn() as server:
        model = model_at(server)
    with pytest.raises(ModelBusyError, match="cannot be reached"):
        run_and_close(model, model.ask(question()))


def test_timeout_can_be_retried() -> None:
    with StandIn(right, delay_s=30) as server, pytest.raises(ModelBusyError, match=r"within 0\.05 seconds"):
        ask(server, read_s=0.05)


def test_wrong_or_missing_key_is_reported() -> None:
    with StandIn(right, key="sk-right") as server:
        with pytest.raises(ModelUnusableError, match="rejected the API key"):
            ask(server, key="sk-wrong")
        with pytest.raises(ModelUnusableError, match="requires an API key"):
            ask(server)


def test_unknown_model_is_reported_with_those_available() -> None:
    words = r"no model 'medium'\. It offers large, small\."
    with (
        StandIn(right, models={"small": None, "large": None}) as server,
        pytest.raises(ModelUnusableError, match=words),
    ):
        ask(server, name="medium")


def test_wrong_address_is_reported_with_a_hint(server: StandIn) -> None:
    model = OpenAIModel(MODEL, f"http://127.0.0.1:{server.port}", None)
    with pytest.raises(ModelUnusableError, match=r"often in /v1"):
        run_and_close(model, model.ask(question()))


def test_invalid_address_is_reported() -> None:
    model = OpenAIModel(MODEL, "http://127.0.0.1:99999/v1", None)
    with pytest.raises(LanguageModelError, match=r"The request to .* failed"):
        run_and_close(model, model.ask(question()))


def test_redirect_to_another_host_is_not_followed() -> None:
    with StandIn(right) as other:
        error = error_from(ErrorReply(307, "moved", {"location": f"{other.url}/chat/completions"}), ModelUnusableError)
        assert "model_url" in str(error)
        assert other.seen == []


def test_openai_requires_a_key() -> None:
    with pytest.raises(ModelUnusableError, match="ODYSSEY_API_KEY"):
        OpenAIModel("gpt-6-luna", "", None)


def test_offered_models_have_their_shutdown_dates() -> None:
    with StandIn(models={"small": None, "large": "2027-01-14", "odd": "soon"}) as server:
        model = model_at(server)
        offered = run_and_close(model, model.offered())
        assert {one.name: one.ends_on for one in offered} == {"small": None, "large": date(2027, 1, 14), "odd": None}


@pytest.mark.parametrize("listing", [ErrorReply(404, "no such page"), RawReply("<html>")])
def test_missing_model_list_is_tolerated(listing: Turn) -> None:
    with StandIn(right, models={"small": None}, listing=listing) as server:
        model = model_at(server, name="medium")
        assert run_and_close(model, model.offered()) == ()
        with pytest.raises(ModelUnusableError, match=r"has no model 'medium', or the address is wrong"):
            run_and_close(model, model.ask(question()))


def test_unknown_model_is_reported_if_the_model_list_fails() -> None:
    server = StandIn(right, models={"small": None}, listing=server_error())
    with server, pytest.raises(ModelUnusableError, match=r"has no model 'medium'"):
        ask(server, name="medium")
