"""Models at servers that speak OpenAI's Chat Completions; the only module that knows `openai`.

Errors of that library hold the request, whose headers contain the API key: none leaves this module, not even as the
cause or context of another.
"""

import asyncio
import logging
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
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
    BrokenReplyError,
    LanguageModelError,
    ModelBusyError,
    ModelUnusableError,
    RefusedAnswerError,
    RefusedRequestError,
    TooLargeRequestError,
)
from odyssey_recorder.llm import chat_completions, chat_replies
from odyssey_recorder.llm.chat_replies import Reply, ServerFault
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest, OfferedModel, RemoteBatch, is_on_this_computer
from odyssey_recorder.llm.retry import retry_after_s
from odyssey_recorder.llm.wires import WIRES
from odyssey_recorder.logs import hide
from odyssey_recorder.model.plain_text import few

OPENAI_URL = "https://api.openai.com/v1"
BATCH_ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"

_NO_KEY = "no-key"
"""The library requires a key; servers without authentication ignore it."""
_BUSY = (408, 409, 429)
_NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol")
_OF_TRANSFER = ("content-encoding", "content-length", "transfer-encoding")
_ENCODINGS = ("", "identity", "gzip", "deflate")
"""Of which 64 KiB, the most that is decoded at once, become at most 64 MiB."""
_LARGEST_ANSWER, _LARGEST_FILE = 16 << 20, 4 << 30
_SHOWN_MODELS = 12
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


class _LimitError(Exception):
    """A response is larger, or takes longer, than an answer can."""


class _BoundedClient(DefaultAsyncHttpxClient):
    """Reads responses whole, within limits for their size as decoded and for all of their time."""

    longest_s = 0.0

    async def send(self, request: Any, **options: Any) -> Any:
        is_file = "/files" in request.url.path
        longest_s = None if is_file else self.longest_s
        try:
            async with asyncio.timeout(longest_s):
                response = await super().send(request, **{**options, "stream": True})
                try:
                    body = await _body(response, _LARGEST_FILE if is_file else _LARGEST_ANSWER)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise _LimitError(f"The answer took longer than {longest_s:g} seconds.") from None
        kept = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_TRANSFER]
        return type(response)(response.status_code, headers=kept, content=body, request=request)


async def _body(response: Any, largest: int) -> bytes:
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise _LimitError(f"The answer is encoded as {encoding[:40]!r}, which nobody asked for.")
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > largest:
            raise _LimitError(f"The answer is larger than {largest >> 20} MB.")
    return bytes(body)


class OpenAIModel:
    """The model `name` at the server with this URL, OpenAI's if empty; implements LanguageModel.

    Raises ModelUnusableError for an invalid key, and for OpenAI's own server without a key. `read_s` is the longest
    silence of the server, as models on slow computers take minutes; `whole_s` is the longest time for an answer.
    """

    def __init__(
        self, name: str, base_url: str, key: SecretStr | None, *, read_s: float = 180.0, whole_s: float = 600.0
    ) -> None:
        self.name = name
        self._url = base_url or OPENAI_URL
        self.host = _origin(self._url)
        self._key = _checked(key, self.host)
        self._timeout = Timeout(read_s, connect=_CONNECT_S)
        self._whole_s = whole_s
        self._wire = chat_completions.Wire() if self.host == _origin(OPENAI_URL) else chat_completions.OLDER
        self._clients: dict[asyncio.AbstractEventLoop, AsyncOpenAI] = {}

    async def ask(self, question: ModelRequest) -> ModelAnswer:
        """The answer, checked against the schema. Raises LanguageModelError."""
        attempts = 0
        while True:
            attempts += 1
            wire = self._wire
            match await self._tried(partial(self._sent, question, wire)):
                case Reply() as reply:
                    answer = chat_completions.answer_in(reply, question, self.name, self.host)
                    return replace(answer, attempts=attempts)
                case ServerFault() as fault:
                    self._wire = await self._narrower(wire, self._hidden(fault), question)
                case None:
                    raise ModelUnusableError(
                        f"{self.host} did not answer like a Chat Completions server. Check that the address "
                        f"{self._url} ends as the server's documentation says (often in /v1)."
                    )

    async def _sent(
        self, question: ModelRequest, wire: chat_completions.Wire, client: AsyncOpenAI
    ) -> Reply | ServerFault | None:
        if question.wire not in WIRES:
            return await _create(self.name, question, wire, client)
        other = WIRES[question.wire]
        headers: dict[str, str | Omit] = {"Authorization": Omit(), **other.headers(self._key.get_secret_value())}
        sent = other.body(question, self.name)
        text = await client.post(f"/{other.path(self.name)}", body=sent, cast_to=str, options={"headers": headers})
        tree = chat_replies.read_tree(text)
        return tree if isinstance(tree, ServerFault) else other.reply(tree)

    async def offered(self) -> Sequence[OfferedModel]:
        """The models that the server offers; empty if it does not say. Raises LanguageModelError."""
        response = await self._result_or_none(_list)
        return () if response is None else chat_replies.read_models(response.text)

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
            case ServerFault(status=404):
                return None
            case ServerFault() as fault:
                raise await self._translated(fault)
            case result:
                return result

    async def _tried(self, call: Callable[[AsyncOpenAI], Awaitable[_Result]]) -> _Result | ServerFault:
        try:
            return await call(self._client())
        except Exception as error:  # noqa: BLE001 - any exception may hold the request, and with it the key
            return self._hidden(self._fault(error))

    async def close(self) -> None:
        """Close the connections of the running event loop; the model stays usable."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    # Requests.

    async def _narrower(
        self, wire: chat_completions.Wire, fault: ServerFault, question: ModelRequest
    ) -> chat_completions.Wire:
        """Raises LanguageModelError if narrowing the wire would not help."""
        is_chat = question.wire not in WIRES
        narrower = wire.without(fault.message) if is_chat and fault.status in (400, 422) else None
        if narrower is None:
            raise await self._error(fault, question)
        _log.info("%s refused a request (%s): asked again with %s", self.host, fault.message, narrower)
        return narrower

    async def _error(self, fault: ServerFault, question: ModelRequest) -> LanguageModelError:
        usage = chat_completions.usage_of(fault.tokens, question)
        error = await self._translated(fault)
        return error.costing(usage.tokens_in, usage.tokens_out, is_estimated=usage.is_estimated)

    def _client(self) -> AsyncOpenAI:
        """Connections belong to an event loop. The header overrides what the library takes from the environment."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            key = self._key.get_secret_value()
            connections = _BoundedClient(
                timeout=self._timeout,
                follow_redirects=False,
                trust_env=not is_on_this_computer(self.host),
                verify=urlsplit(self._url).scheme != "http",  # which has no certificates; reading ours takes 20 ms
            )
            connections.longest_s = self._whole_s
            self._clients[loop] = AsyncOpenAI(
                api_key=key,
                base_url=self._url,
                max_retries=0,
                default_headers={"Authorization": f"Bearer {key}", "Accept-Encoding": "gzip, deflate"},
                http_client=connections,
            )
        return self._clients[loop]

    # Errors.

    def _fault(self, error: Exception) -> ServerFault:
        cause = error.__cause__
        tokens = chat_replies.FREE if type(cause).__name__ in _NEVER_SENT else chat_replies.TokenCount()
        match error:
            case _LimitError():
                return ServerFault(200, str(error), tokens=tokens)
            case APITimeoutError():
                words = f"{self.host} did not answer within {self._timeout.read:g} seconds."
                return ServerFault(0, words, tokens=tokens)
            case APIConnectionError() if tokens == chat_replies.FREE:
                hint = "Check that the server is running and that its address is right."
                return ServerFault(0, f"{self.host} cannot be reached. {hint}")
            case APIConnectionError():
                return ServerFault(0, f"{self.host} broke off the connection.", tokens=tokens)
            case APIStatusError():
                fault = chat_replies.read_fault(error.response.text, error.status_code)
                wait_s = retry_after_s(error.response.headers, datetime.now(UTC))
                return fault if wait_s is None else replace(fault, wait_s=wait_s)
            case _:
                return ServerFault(0, f"The request to {self.host} failed ({type(error).__name__}).")

    def _hidden(self, fault: ServerFault) -> ServerFault:
        """Without the key, which servers quote."""
        return replace(fault, message=fault.message.replace(self._key.get_secret_value(), "•••"))

    async def _translated(self, fault: ServerFault) -> LanguageModelError:
        status, words = fault.status, fault.message
        if status == 402:
            return ModelUnusableError(
                f"The quota at {self.host} is used up ({words}). Add credit at the provider. Answers so far are kept."
            )
        if status == 0:
            return ModelBusyError(words)
        if status == 200:
            return BrokenReplyError(f"{self.host}: {words}")
        if status == 451:
            return RefusedAnswerError(f"The content filter of {self.host} refused the request: {words}")
        if status in _BUSY or status >= 500:
            for_all = status == 429 or fault.wait_s is not None
            return ModelBusyError(f"{self.host} is busy or failed ({status}): {words}", fault.wait_s, for_all=for_all)
        if status == 404:
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
        return RefusedRequestError(f"{self.host} refused the request to {self.name!r} ({status}): {message}")

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


async def _create(
    model: str, question: ModelRequest, wire: chat_completions.Wire, client: AsyncOpenAI
) -> Reply | ServerFault | None:
    sent = chat_completions.body(question, wire)
    # Sent as extra_body: the library would scan every part of the messages for fields that it knows.
    response = await client.chat.completions.with_raw_response.create(model=model, messages=(), extra_body=sent)
    reply = chat_replies.read_reply(response.text)
    request_id = response.headers.get("x-request-id")
    return replace(reply, id=request_id) if request_id and isinstance(reply, Reply) else reply


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
