"""Models at servers that speak OpenAI's Chat Completions; the only module that knows `openai`.

Errors of that library hold the request, whose headers contain the API key: none leaves this module, not even as the
cause or context of another.
"""

import asyncio
import logging
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    Omit,
    Timeout,
)
from pydantic import SecretStr

from odyssey_recorder.errors import (
    BrokenAnswerError,
    LanguageModelError,
    ModelBusyError,
    ModelUnusableError,
    RefusedAnswerError,
    TooLargeRequestError,
)
from odyssey_recorder.llm import chat_completions
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest, OfferedModel, RemoteBatch, is_on_this_computer
from odyssey_recorder.llm.other_wire import OtherWire
from odyssey_recorder.llm.retry import retry_after_s
from odyssey_recorder.llm.wires import WIRES
from odyssey_recorder.logs import hide
from odyssey_recorder.model.plain_text import few

OPENAI_URL = "https://api.openai.com/v1"
BATCH_ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"

_NO_KEY = "no-key"
"""The library requires a key; servers without authentication ignore it."""
_BUSY = (408, 409, 429)
_NO_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
_SHOWN_WORDS, _SHOWN_MODELS = 300, 12
_PAGE = 100
_CONNECT_S = 10.0
_NAME = "odyssey_recorder"
_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


class _Response(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class _Failure:
    """All that is kept of an error of the library. `status` is 0 if the server did not answer at all."""

    status: int
    code: str
    message: str
    wait_s: float | None = None


class OpenAIModel:
    """The model `name` at the server with this URL, OpenAI's if empty; implements LanguageModel.

    Raises ModelUnusableError for an invalid key, and for OpenAI's own server without a key. `read_s` is the timeout of
    an answer; models on slow computers take minutes.
    """

    def __init__(self, name: str, base_url: str, key: SecretStr | None, *, read_s: float = 180.0) -> None:
        self.name = name
        self._url = base_url or OPENAI_URL
        self.host = _origin(self._url)
        self._key = _checked(key, self.host)
        self._timeout = Timeout(read_s, connect=_CONNECT_S)
        self._wire = chat_completions.Wire() if self.host == _origin(OPENAI_URL) else chat_completions.OLDER
        self._clients: dict[asyncio.AbstractEventLoop, AsyncOpenAI] = {}

    async def ask(self, question: ModelRequest) -> ModelAnswer:
        """The answer, checked against the schema. Raises LanguageModelError."""
        if question.wire in WIRES:
            return await self._over(WIRES[question.wire], question)
        attempts = 0
        while True:
            attempts += 1
            wire = self._wire
            match await self._tried(partial(_create, self.name, question, wire)):
                case _Failure() as failure:
                    self._wire = await self._narrower(wire, failure)
                case response:
                    return replace(self._answer(question, response), attempts=attempts)

    async def _over(self, wire: OtherWire, question: ModelRequest) -> ModelAnswer:
        headers: dict[str, str | Omit] = {"Authorization": Omit(), **wire.headers(self._key.get_secret_value())}
        path, sent = f"/{wire.path(self.name)}", wire.body(question, self.name)
        match await self._tried(lambda client: client.post(path, body=sent, cast_to=str, options={"headers": headers})):
            case _Failure() as failure:
                raise await self._translated(failure)
            case text:
                return wire.answer(text, question, self.name, self.host)

    async def offered(self) -> Sequence[OfferedModel]:
        """The models that the server offers; empty if it does not say. Raises LanguageModelError."""
        response = await self._result_or_none(_list)
        return () if response is None else chat_completions.read_models(response.text)

    def body(self, question: ModelRequest) -> Mapping[str, object]:
        """The request as it stands in a file for a Batch API. Loads its images."""
        return {"model": self.name, **chat_completions.body(question, self._wire)}

    # The Batch API: uploaded files are named after the batch, so that both are found again without their ids.

    async def batches(self) -> Sequence[RemoteBatch]:
        """Those of this program. Raises LanguageModelError, as all of these do."""
        found = await self._used(lambda client: _all(client.batches.list(limit=_PAGE)))
        return [batch for batch in map(_remote, found) if batch.name]

    async def batch(self, batch_id: str) -> RemoteBatch | None:
        """None if the server does not know it."""
        found = await self._result_or_none(lambda client: client.batches.retrieve(batch_id))
        return None if found is None else _remote(found)

    async def upload(self, name: str, data: bytes) -> str:
        """Returns the id of the file. Raises TooLargeRequestError if the server takes only smaller ones."""
        file = (_file_name(name), data, "application/jsonl")
        return (await self._used(lambda client: client.files.create(file=file, purpose="batch"))).id

    async def create_batch(self, name: str, file_id: str) -> RemoteBatch:
        """Not to be repeated after an error: it may have been created."""
        return _remote(
            await self._used(
                lambda client: client.batches.create(
                    input_file_id=file_id, endpoint=BATCH_ENDPOINT, completion_window="24h", metadata={_NAME: name}
                )
            )
        )

    async def batch_file(self, file_id: str) -> str | None:
        """None if the server no longer has it."""
        found = await self._result_or_none(lambda client: client.files.content(file_id))
        return found.text if found is not None else None

    async def delete_file(self, file_id: str) -> None:
        await self._result_or_none(lambda client: client.files.delete(file_id))

    async def uploads(self, name: str) -> Sequence[str]:
        """The ids of the files uploaded for this batch."""
        found = await self._used(lambda client: _all(client.files.list(purpose="batch", limit=_PAGE)))
        return [file.id for file in found if file.filename == _file_name(name)]

    async def _used(self, call: Callable[[AsyncOpenAI], Awaitable[_Result]]) -> _Result:
        result = await self._result_or_none(call)
        if result is None:
            raise ModelUnusableError(f"{self.host} has no Batch API.")
        return result

    async def _result_or_none(self, call: Callable[[AsyncOpenAI], Awaitable[_Result]]) -> _Result | None:
        match await self._tried(call):
            case _Failure(status=404):
                return None
            case _Failure() as failure:
                raise await self._translated(failure)
            case result:
                return result

    async def _tried(self, call: Callable[[AsyncOpenAI], Awaitable[_Result]]) -> "_Result | _Failure":
        try:
            return await call(self._client())
        except Exception as error:  # noqa: BLE001 - any exception may hold the request, and with it the key
            return self._failure(error)

    async def close(self) -> None:
        """Close the connections of the running event loop; the model stays usable."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    # Requests.

    async def _narrower(self, wire: chat_completions.Wire, failure: _Failure) -> chat_completions.Wire:
        """Raises LanguageModelError if narrowing the wire would not help."""
        narrower = wire.without(failure.message) if failure.status in (400, 422) else None
        if narrower is None:
            raise await self._translated(failure)
        _log.info("%s refused a request (%s): asked again with %s", self.host, failure.message, narrower)
        return narrower

    def _client(self) -> AsyncOpenAI:
        """Connections belong to an event loop. The header overrides what the library takes from the environment."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            key = self._key.get_secret_value()
            self._clients[loop] = AsyncOpenAI(
                api_key=key,
                base_url=self._url,
                max_retries=0,
                default_headers={"Authorization": f"Bearer {key}"},
                http_client=DefaultAsyncHttpxClient(
                    timeout=self._timeout,
                    follow_redirects=False,
                    trust_env=not is_on_this_computer(self.host),
                    verify=urlsplit(self._url).scheme != "http",  # which has no certificates; reading ours takes 20 ms
                ),
            )
        return self._clients[loop]

    def _answer(self, question: ModelRequest, response: _Response) -> ModelAnswer:
        reply = chat_completions.read_reply(response.text)
        if reply is None and '"choices"' in response.text:
            raise BrokenAnswerError(f"The answer of {self.name} cannot be read.", response.text)
        if reply is None:
            raise ModelUnusableError(
                f"{self.host} did not answer like a Chat Completions server. Check that the address {self._url} ends "
                "as the server's documentation says (often in /v1)."
            )
        answer = chat_completions.answer_in(reply, question, self.name, self.host)
        return replace(answer, request_id=response.headers.get("x-request-id") or answer.request_id)

    # Errors.

    def _failure(self, error: Exception) -> _Failure:
        match error:
            case APITimeoutError():
                return _Failure(0, "", f"{self.host} did not answer within {self._timeout.read:g} seconds.")
            case APIConnectionError():
                return _Failure(
                    0,
                    "",
                    f"{self.host} cannot be reached. Check that the server is running and that its address is right.",
                )
            case APIStatusError():
                words = " ".join(_words(error).replace(self._key.get_secret_value(), "•••").split())[:_SHOWN_WORDS]
                wait_s = retry_after_s(error.response.headers, datetime.now(UTC))
                return _Failure(error.status_code, error.code or error.type or "", words, wait_s)
            case _:
                return _Failure(0, "", f"The request to {self.host} failed ({type(error).__name__}).")

    async def _translated(self, failure: _Failure) -> LanguageModelError:
        status, words = failure.status, failure.message
        if failure.code in _NO_QUOTA or status == 402:
            return ModelUnusableError(
                f"The quota at {self.host} is used up. Add credit at the provider. Answers so far are kept."
            )
        if status == 0:
            return ModelBusyError(words)
        if status in _BUSY or status >= 500:
            for_all = status == 429 or failure.wait_s is not None
            return ModelBusyError(f"{self.host} is busy or failed ({status}): {words}", failure.wait_s, for_all=for_all)
        if failure.code == "content_filter":
            return RefusedAnswerError(f"The content filter of {self.host} refused the request: {words}")
        if status == 404 or failure.code == "model_not_found":
            return await self._not_found()
        return self._refused(status, words)

    def _refused(self, status: int, message: str) -> LanguageModelError:
        if status == 401:
            has_key = self._key.get_secret_value() != _NO_KEY
            what = "rejected the API key" if has_key else "requires an API key"
            return ModelUnusableError(f"{self.host} {what}. Enter a valid key in Settings, or set ODYSSEY_API_KEY.")
        if status == 413:
            return TooLargeRequestError(f"{self.host} takes only smaller requests: {message}")
        if status == 403:
            return ModelUnusableError(f"{self.host} does not allow this key to use {self.name!r}: {message}")
        if status < 400:
            return ModelUnusableError(f"{self.host} has moved. Set `model_url` to its new address.")
        return LanguageModelError(f"{self.host} refused the request to {self.name!r} ({status}): {message}")

    async def _not_found(self) -> LanguageModelError:
        try:
            names = [model.name for model in await self.offered()]
        except LanguageModelError:
            names = []
        if not names:
            return ModelUnusableError(
                f"{self._url} has no model {self.name!r}, or the address is wrong. It must end as the "
                "server's documentation says (often in /v1)."
            )
        offers = few(sorted(names), _SHOWN_MODELS)
        return ModelUnusableError(
            f"{self.host} has no model {self.name!r}. It offers {offers}. Set `model` to one of them."
        )


async def _create(model: str, question: ModelRequest, wire: chat_completions.Wire, client: AsyncOpenAI) -> _Response:
    sent = chat_completions.body(question, wire)
    # Sent as extra_body: the library would scan every part of the messages for fields that it knows.
    return await client.chat.completions.with_raw_response.create(model=model, messages=(), extra_body=sent)


async def _list(client: AsyncOpenAI) -> _Response:
    return await client.models.with_raw_response.list()


async def _all(pages: AsyncIterable[_Result]) -> Sequence[_Result]:
    return [page async for page in pages]


def _file_name(name: str) -> str:
    return f"{_NAME}-{name}.jsonl"


def _remote(batch: Any) -> RemoteBatch:
    counts, errors = batch.request_counts, (batch.errors.data if batch.errors else None) or ()
    return RemoteBatch(
        batch.id, (batch.metadata or {}).get(_NAME, ""), batch.status,
        counts.completed + counts.failed if counts else 0,
        tuple(file_id for file_id in (batch.output_file_id, batch.error_file_id) if file_id),
        tuple(str(error.message) for error in errors),
    )  # fmt: skip


def _words(error: APIStatusError) -> str:
    match error.body:
        case {"message": str(words)} | str(words):
            return words
        case _:
            return error.response.text


# URLs.


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()


def _checked(key: SecretStr | None, host: str) -> SecretStr:
    words = key.get_secret_value().strip() if key else ""
    if not words and host == _origin(OPENAI_URL):
        raise ModelUnusableError(
            f"{host} requires an API key. Enter one in Settings or set ODYSSEY_API_KEY, or set "
            "`model_url` to another server."
        )
    if not (words.isascii() and words.isprintable()) or " " in words:
        raise ModelUnusableError("The API key contains invalid characters. Copy it again.")
    hide(words)
    return SecretStr(words or _NO_KEY)
