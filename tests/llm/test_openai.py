"""The real library with a stand-in server on this computer."""

import asyncio
import base64
import json
import time
from collections.abc import Coroutine
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, TypeVar

import pytest

from odyssey_recorder.errors import (
    AnswerError,
    BrokenAnswerError,
    LanguageModelError,
    ModelBusyError,
    ModelUnusableError,
    RefusedAnswerError,
    TruncatedAnswerError,
)
from odyssey_recorder.llm.chat_completions import OLDER, Wire, sent_options
from odyssey_recorder.llm.model import LONGEST_ANSWER, ModelAnswer, ModelRequest
from odyssey_recorder.llm.openai import OpenAIModel
from tests.llm.questions import Rewrite, chain, model_at, question
from tests.llm.stand_in import (
    MODEL,
    Asked,
    CutsOff,
    Fails,
    Says,
    Sends,
    StandIn,
    Turn,
    in_turn,
    no_quota,
    refuses,
    says,
    server_error,
    truncated,
)

_T = TypeVar("_T")


def right(asked: Asked) -> Turn:
    return says({"text": "Other words."})


def once(model: OpenAIModel, call: Coroutine[Any, Any, _T]) -> _T:
    async def called() -> _T:
        try:
            return await call
        finally:
            await model.close()

    return asyncio.run(called())


def ask(server: StandIn, what: ModelRequest | None = None, **settings: Any) -> ModelAnswer:
    model = model_at(server, **settings)
    return once(model, model.ask(what or question()))


def failed(turn: Turn, kind: type[LanguageModelError] = LanguageModelError) -> LanguageModelError:
    """The error raised when the server behaves like this."""
    with StandIn(in_turn(turn)) as server, pytest.raises(kind) as raised:
        ask(server)
    foreign = [type(one).__module__ for one in chain(raised.value) if hasattr(one, "request")]
    assert not foreign, "an error of the library holds the request, and the key in it"
    return raised.value


# Valid answers.


def test_an_answer_says_who_gave_it_and_what_it_took() -> None:
    with StandIn(in_turn(Says('{"text": "Other words."}', model="stand-in-1-2026-11-01"))) as server:
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


def test_nothing_is_sent_but_the_question_its_parameters_and_that_it_is_not_stored() -> None:
    with StandIn(right) as server:
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


def test_a_image_goes_as_data_in_full_detail() -> None:
    with StandIn(right) as server:
        ask(server, question(image=b"\x89PNG picture"))
        words, image = server.questions[0].body["messages"][1]["content"]
        assert words == {"type": "text", "text": "Say it differently."}
        data = base64.b64encode(b"\x89PNG picture").decode()
        assert image["image_url"] == {"url": f"data:image/png;base64,{data}", "detail": "high"}


def test_tokens_that_the_server_does_not_count_are_estimated() -> None:
    with StandIn(in_turn(Says('{"text": "Other words."}', counts_tokens=False))) as server:
        usage = ask(server).usage
    assert usage.tokens_in > 10
    assert usage.tokens_out == 6


def test_no_proxy_leads_to_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with StandIn(right) as server:
        for name in ("127.0.0.1", "localhost"):
            model = OpenAIModel(MODEL, f"http://{name}:{server.port}/v1", None)
            assert once(model, model.ask(question())).data == Rewrite(text="Other words.")


def test_the_key_that_is_given_is_sent_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sk-of-another")
    with StandIn(right, key="sk-ours") as server:
        ask(server, key="sk-ours")
        assert server.questions[0].headers["authorization"] == "Bearer sk-ours"


# Token limits.


@pytest.mark.parametrize("at_openai", [True, False])
@pytest.mark.parametrize(
    "unknown", [["max_tokens"], ["max_completion_tokens"], ["max_tokens", "max_completion_tokens"]]
)
def test_a_server_is_told_how_long_an_answer_may_be_as_it_takes_it_or_not_at_all(
    unknown: list[str], at_openai: bool
) -> None:
    first, asked = Wire() if at_openai else OLDER, question(parameters={LONGEST_ANSWER: 60})
    assert ("max_completion_tokens" if at_openai else "max_tokens") in sent_options(asked, first)
    wire: Wire | None = first
    while wire is not None and (refused := [name for name in unknown if name in sent_options(asked, wire)]):
        wire = wire.without(f"Unsupported parameter: '{refused[0]}' is not supported with this model.")
    assert wire is not None
    sent = {name: value for name, value in sent_options(asked, wire).items() if "tokens" in name}
    assert list(sent.values()) == [60] * (2 - len(unknown))


# Servers with fewer features.


@pytest.mark.parametrize(
    "unknown",
    [
        ("store",),
        ("json_schema",),
        ("json_schema", "json_object"),
        ("store", "json_schema"),
        ("max_tokens",),
        ("store", "max_tokens", "max_completion_tokens", "json_schema"),
    ],
)
def test_what_a_server_does_not_know_is_left_out_and_not_tried_again(unknown: tuple[str, ...]) -> None:
    with StandIn(right, refuses=unknown) as server:
        model = model_at(server)
        bounded = {LONGEST_ANSWER: 60}
        first = once(model, model.ask(question(parameters=bounded)))
        second = once(model, model.ask(question("Another.", parameters=bounded)))
        assert first.data == second.data == Rewrite(text="Other words.")
        assert (first.attempts, second.attempts) == (1 + len(unknown), 1)


def test_a_server_that_takes_no_schema_is_told_it_in_words() -> None:
    with StandIn(right, refuses=("json_schema",)) as server:
        ask(server, replace(question(), messages=question().messages[1:]))
        assert [message["role"] for message in server.questions[-1].body["messages"]] == ["system", "user"]
        ask(server)
        system = server.questions[-1].body["messages"][0]
        assert system["role"] == "system"
        assert json.dumps(question().schema) in system["content"]
        assert server.questions[-1].body["response_format"] == {"type": "json_object"}


def test_a_server_that_refuses_every_form_is_told_of() -> None:
    with StandIn(lambda asked: Fails(400, {"message": "response_format is odd"})) as server:
        with pytest.raises(LanguageModelError, match="response_format is odd"):
            ask(server)
        assert len(server.questions) == 3


def test_a_refused_parameter_of_the_question_is_not_hidden() -> None:
    with StandIn(right, refuses=("seed",)) as server, pytest.raises(LanguageModelError, match="'seed'"):
        ask(server, question(parameters={"seed": 1}))


# Errors.


@pytest.mark.parametrize(
    ("turn", "kind", "words"),
    [
        *((server_error(status), ModelBusyError, str(status)) for status in (408, 409, 500, 502, 503, 529)),
        (CutsOff(), ModelBusyError, ""),
        (Sends("<h1>Bad Gateway</h1>", 502), ModelBusyError, "Bad Gateway"),
        (no_quota(), ModelUnusableError, "quota"),
        (Sends("<html>Please sign in</html>"), ModelUnusableError, "did not answer like a Chat Completions server"),
        (Fails(403, "not in your country"), ModelUnusableError, "not in your country"),
        (Fails(400, {"message": "The maximum context length is 8192 tokens."}), LanguageModelError, "8192 tokens"),
        (Says("{", finish_reason="content_filter"), RefusedAnswerError, ""),
        (Fails(400, {"message": "Filtered.", "code": "content_filter"}), RefusedAnswerError, ""),
        *(
            (Sends(f'{{"choices": {choices}}}', content_type="application/json"), BrokenAnswerError, "")
            for choices in (
                "[]", '[{"message": {"content": "\\ud800"}}]', '[{"message": {"content": ["parts"]}}]'
            )
        ),
    ],
)  # fmt: skip
def test_what_went_wrong_is_told_by_the_kind_of_error_and_its_words(
    turn: Turn, kind: type[LanguageModelError], words: str
) -> None:
    error = failed(turn, kind)
    assert type(error) is kind
    assert words in str(error)


@pytest.mark.parametrize(
    ("turn", "kind", "raw", "fault"),
    [
        (Says("Sure! Here you are."), BrokenAnswerError, "Sure! Here you are.", "is not JSON"),
        (Says(""), BrokenAnswerError, "", "is not JSON"),
        (Says('{"words": "Other"}'), BrokenAnswerError, '{"words": "Other"}', "text: Field required"),
        (refuses("I cannot."), RefusedAnswerError, "I cannot.", "declined"),
        (truncated('{"text": "half of'), TruncatedAnswerError, '{"text": "half of', "cut off"),
    ],
)
def test_an_answer_of_no_use_says_what_is_wrong_and_keeps_what_was_said(
    turn: Turn, kind: type[LanguageModelError], raw: str, fault: str
) -> None:
    error = failed(turn, kind)
    assert isinstance(error, AnswerError)
    assert fault in str(error)
    assert (error.raw, error.tokens_in > 0) == (raw, True)


@pytest.mark.parametrize(("headers", "wait_s"), [({"retry-after-ms": "250", "retry-after": "1"}, 0.25), ({}, None)])
def test_a_server_with_too_many_questions_says_how_long_to_wait(headers: dict[str, str], wait_s: float | None) -> None:
    error = failed(Fails(429, {"message": "Slow down.", "code": "rate_limit_exceeded"}, headers))
    assert isinstance(error, ModelBusyError)
    assert (error.wait_s, error.for_all) == (wait_s, True)


def test_a_server_that_is_not_there_may_be_asked_again() -> None:
    with StandIn() as server:
        model = model_at(server)
    with pytest.raises(ModelBusyError, match="cannot be reached"):
        once(model, model.ask(question()))


def test_a_server_that_is_too_slow_may_be_asked_again() -> None:
    with StandIn(right, delay_s=30) as server, pytest.raises(ModelBusyError, match=r"within 0\.05 seconds"):
        ask(server, read_s=0.05)


def test_the_wrong_key_is_said_to_be_wrong() -> None:
    with StandIn(right, key="sk-right") as server:
        with pytest.raises(ModelUnusableError, match="rejected the API key"):
            ask(server, key="sk-wrong")
        with pytest.raises(ModelUnusableError, match="requires an API key"):
            ask(server)


def test_a_model_that_the_server_has_not_is_answered_by_those_it_has() -> None:
    words = r"no model 'medium'\. It offers large, small\."
    with (
        StandIn(right, models={"small": None, "large": None}) as server,
        pytest.raises(ModelUnusableError, match=words),
    ):
        ask(server, name="medium")


def test_a_wrong_address_is_said_to_be_wrong() -> None:
    with StandIn(right) as server:
        model = OpenAIModel(MODEL, f"http://127.0.0.1:{server.port}", None)
        with pytest.raises(ModelUnusableError, match=r"often in /v1"):
            once(model, model.ask(question()))


def test_an_address_that_is_none_is_no_fault_of_the_program() -> None:
    model = OpenAIModel(MODEL, "http://127.0.0.1:99999/v1", None)
    with pytest.raises(LanguageModelError, match=r"The request to .* failed"):
        once(model, model.ask(question()))


def test_what_is_sent_goes_nowhere_but_to_the_host_that_was_set() -> None:
    with StandIn(right) as other:
        error = failed(Fails(307, "moved", {"location": f"{other.url}/chat/completions"}), ModelUnusableError)
        assert "model_url" in str(error)
        assert other.seen == []


def test_openai_is_not_asked_without_a_key() -> None:
    with pytest.raises(ModelUnusableError, match="ODYSSEY_API_KEY"):
        OpenAIModel("gpt-6-luna", "", None)


# Offered models.


def test_the_models_are_offered_with_the_day_on_which_they_end() -> None:
    with StandIn(models={"small": None, "large": "2027-01-14", "odd": "soon"}) as server:
        model = model_at(server)
        offered = once(model, model.offered())
        assert {one.name: one.ends_on for one in offered} == {"small": None, "large": date(2027, 1, 14), "odd": None}


@pytest.mark.parametrize("listing", [Fails(404, "no such page"), Sends("<html>")])
def test_a_server_need_not_say_what_it_offers(listing: Turn) -> None:
    with StandIn(right, models={"small": None}, listing=listing) as server:
        model = model_at(server, name="medium")
        assert once(model, model.offered()) == ()
        with pytest.raises(ModelUnusableError, match=r"has no model 'medium', or the address is wrong"):
            once(model, model.ask(question()))


def test_a_model_that_is_not_there_is_told_although_the_list_of_models_fails() -> None:
    server = StandIn(right, models={"small": None}, listing=server_error())
    with server, pytest.raises(ModelUnusableError, match=r"has no model 'medium'"):
        ask(server, name="medium")


def test_a_question_under_way_can_be_given_up_at_once() -> None:
    with StandIn(right, delay_s=30) as server:
        model = model_at(server)

        async def give_up() -> None:
            asked = asyncio.create_task(model.ask(question()))
            while not server.questions:
                await asyncio.sleep(0.001)
            asked.cancel()
            await asyncio.wait([asked])
            assert asked.cancelled()

        started = time.monotonic()
        once(model, give_up())
        assert time.monotonic() - started < 5
