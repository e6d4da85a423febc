"""Requests to language models and their answers, independent of model and server."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from ipaddress import ip_address
from typing import Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel

from odyssey_recorder.llm.schema import FreeText, JsonSchema, read_answer, strict_schema
from odyssey_recorder.model.episode import Json

LONGEST_ANSWER = "max_completion_tokens"
"""The parameter for the maximum number of tokens of an answer, including hidden reasoning."""


BATCHED = "batch "
"""How the `request_id` of an answer from a Batch API begins."""
BATCH_PRICE = 0.5
"""What a request to a Batch API costs, as a share of the usual price."""


@dataclass(frozen=True, slots=True)
class Words:
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """The bytes of a PNG or JPEG file."""

    data: bytes
    media_type: Literal["image/png", "image/jpeg"] = "image/png"
    detail: Literal["high", "original"] = "high"

    @property
    def base64(self) -> str:
        return b64encode(self.data).decode()

    @property
    def url(self) -> str:
        """With all of the image in it."""
        return f"data:{self.media_type};base64,{self.base64}"


@dataclass(frozen=True, slots=True)
class LazyImage:
    """An image created when its question is sent, so that waiting questions hold no image data.

    `identity` determines its bytes, which are therefore not needed to find a cached answer. `size` is its width and
    height in pixels, for the estimate. `load` may block, and raises LanguageModelError.
    """

    identity: str
    size: tuple[int, int]
    load: Callable[[], Image] = field(compare=False)


Part: TypeAlias = Words | Image | LazyImage


@dataclass(frozen=True, slots=True)
class ChatMessage:
    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question: everything that determines the answer, and nothing else.

    `prompt` is the id and version of its prompt ("rewrite/1"), `prompt_sha256` the hash of the prompt's file. `answer`
    is the type of the answer, `schema_name` the name sent with its schema. `parameters` are sent unchanged
    ("temperature", "top_k", "chat_template_kwargs"), except that LONGEST_ANSWER gets the name that the server knows.
    `candidate` numbers several answers to one question. With `is_judged` the asker judges the answer: whatever the
    model writes is one, also if it is cut off, refuses, or breaks the schema; `data` is its FreeText.

    `wire` names how the server is asked: Chat Completions, or one of `wires`. `tools` are offered to the model, as that
    wire writes them; the tools that it calls, or called earlier, are in the text (tool_calls.py).
    """

    prompt: str
    prompt_sha256: str
    messages: tuple[ChatMessage, ...]
    schema_name: str
    answer: type[BaseModel]
    parameters: Mapping[str, Json] = field(default_factory=dict)
    candidate: int = 0
    is_judged: bool = False
    wire: str = "chat"
    tools: tuple[Json, ...] = ()

    @property
    def schema(self) -> JsonSchema:
        """Empty for FreeText."""
        return {} if self.answer is FreeText else strict_schema(self.answer)

    def read(self, raw: str) -> BaseModel:
        """Raises BrokenAnswerError."""
        return FreeText(text=raw) if self.is_judged else read_answer(raw, self.answer)


@dataclass(frozen=True, slots=True)
class Usage:
    """`is_estimated` if the server did not say all of it."""

    tokens_in: int
    tokens_out: int
    is_estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        is_any = self.is_estimated or other.is_estimated
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out, is_any)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A valid answer.

    `raw` is the model's text, with the tools that it called; `data` is of the question's type `answer`. `at` is UTC.
    `attempts` counts the requests it took. `key` is the hash of everything that determined it. `seconds` is how long
    the request took that was answered.
    """

    data: BaseModel
    raw: str
    model_asked: str
    model_answered: str
    host: str
    at: datetime
    usage: Usage
    key: str = ""
    attempts: int = 1
    request_id: str = ""
    seconds: float = 0.0
    is_kept: bool = False
    """Whether it came from the cache, without cost."""
    failure: Literal["", "refused", "cut off"] = ""
    """How the answer to a judged question ended."""

    @property
    def is_batched(self) -> bool:
        """Whether it was asked for through a Batch API, at BATCH_PRICE."""
        return self.request_id.startswith(BATCHED)


@dataclass(frozen=True, slots=True)
class RemoteBatch:
    """A file of requests as a Batch API sees it. `name` is ours, empty for those of others; `done` counts requests."""

    id: str
    name: str
    status: str
    done: int
    files: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def is_over(self) -> bool:
        return self.status in ("completed", "failed", "expired", "cancelled")


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """`ends_on` is the announced shutdown date, if any."""

    name: str
    ends_on: date | None = None


class LanguageModel(Protocol):
    """One question is one request: retries are up to the caller. Errors are subclasses of LanguageModelError."""

    @property
    def name(self) -> str:
        """The requested model."""

    @property
    def host(self) -> str:
        """The origin of the server's URL ("https://api.example.com")."""

    async def ask(self, question: ModelRequest) -> ModelAnswer:
        """Send the question. Raises a subclass of LanguageModelError that says how to react."""

    async def offered(self) -> Sequence[OfferedModel]:
        """The models that the server offers. Raises LanguageModelError."""

    async def close(self) -> None:
        """Close the connections."""


def is_on_this_computer(host: str) -> bool:
    """Whether the origin of a URL is a loopback address."""
    name = urlsplit(host).hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
