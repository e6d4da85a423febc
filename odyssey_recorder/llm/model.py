"""What the program asks of a language model, and what an answer is, whichever model and server gives it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType
from typing import Literal, Protocol

from pydantic import BaseModel

from odyssey_recorder.llm.schema import JsonSchema, strict_schema

LONGEST_ANSWER = "max_completion_tokens"
"""The parameter of how many tokens an answer may have, those that a model thinks in and does not show included."""


@dataclass(frozen=True, slots=True)
class Words:
    """A part of a message that is text."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A part of a message that is a picture: the bytes of a PNG or JPEG file."""

    data: bytes
    media_type: Literal["image/png", "image/jpeg"] = "image/png"
    detail: Literal["low", "high", "auto"] = "high"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Words | Image, ...]


def _no_parameters() -> Mapping[str, float]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question: all that determines the answer, and nothing that does not.

    `prompt` is the id and version of the prompt it was made from ("rewrite/1"), `prompt_sha256` that of its file.
    `answer` is what the answer must be; `schema_name` goes with its schema. `parameters` are sent as they are
    ("temperature", "seed"), and nothing but them; LONGEST_ANSWER goes by the name that the server knows it by.
    `candidate` numbers several answers to one question.
    """

    prompt: str
    prompt_sha256: str
    messages: tuple[ChatMessage, ...]
    schema_name: str
    answer: type[BaseModel]
    parameters: Mapping[str, float] = field(default_factory=_no_parameters)
    candidate: int = 0

    @property
    def schema(self) -> JsonSchema:
        return strict_schema(self.answer)


@dataclass(frozen=True, slots=True)
class Usage:
    """How many tokens a question and its answer had, by the server's count."""

    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """An answer of the form that was asked for.

    `raw` is what the model said, as it said it; `data` is of the question's type of `answer`. `at` is UTC.
    `attempts` counts the requests it took. `key` is the hash of all that determined it.
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
    is_kept: bool = False
    """Whether it was given before, and cost nothing now."""


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model that a server offers, and the day on which it is announced to shut down, if it is."""

    name: str
    ends_on: date | None = None


class LanguageModel(Protocol):
    """A model at a server. Raises the errors of `odyssey_recorder.errors` under LanguageModelError.

    One question is one request: whoever asks decides whether to ask again.
    """

    @property
    def name(self) -> str:
        """The model that is asked for."""

    @property
    def host(self) -> str:
        """The origin of the server's address ("https://api.example.com")."""

    async def ask(self, question: ModelRequest) -> ModelAnswer:
        """The answer. Raises LanguageModelError, a subclass of which says what may be done about it."""

    async def offered(self) -> Sequence[OfferedModel]:
        """The models that the server offers. Raises LanguageModelError."""

    async def close(self) -> None:
        """Let the connections go."""
