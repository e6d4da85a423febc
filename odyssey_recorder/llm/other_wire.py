"""What the ways to ask a server other than by Chat Completions share; without any I/O, which is in openai.py."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from odyssey_recorder.errors import (
    BrokenAnswerError,
    ModelBusyError,
    RefusedAnswerError,
    TruncatedAnswerError,
)
from odyssey_recorder.llm.model import Image, LazyImage, ModelAnswer, ModelRequest, Part, Usage, Words
from odyssey_recorder.llm.tool_calls import ToolCall, calls_in

Tree = Mapping[str, object]
MADE = "call_of_message_"
"""How the id of a call begins that no model made, but a person."""


class OtherWire(Protocol):
    """How a request and its answer are written.

    In messages and answers, tools that the model calls are text (tool_calls.py). After an assistant's message with
    calls, the user's next one is their result.
    """

    def path(self, model: str) -> str:
        """After the server's URL: "responses"."""

    def headers(self, key: str) -> Mapping[str, str]:
        """With the one that holds the key."""

    def body(self, question: ModelRequest, model: str) -> Tree:
        """With its parameters, under the names that the server knows. Loads its images."""

    def answer(self, text: str, question: ModelRequest, model: str, host: str) -> ModelAnswer:
        """What a response says. Raises LanguageModelError."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: its words and pictures, and the call in it, or the call of which it is the result.

    Of several calls in an earlier answer only the first was carried out, so the others are left out.
    """

    role: str
    words: tuple[str, ...]
    images: tuple[Image, ...] = ()
    call: ToolCall | None = None
    result_of: ToolCall | None = None


def turns(question: ModelRequest) -> Iterator[Turn]:
    """Loads the images."""
    called: ToolCall | None = None
    for number, message in enumerate(question.messages):
        words = tuple(part.text for part in message.parts if isinstance(part, Words))
        images = tuple(loaded(part) for part in message.parts if not isinstance(part, Words))
        if message.role == "assistant":
            text, calls = calls_in("\n".join(words))
            called = replace(calls[0], id=calls[0].id or f"{MADE}{number}") if calls else None
            yield Turn(message.role, (text,) if text else (), call=called)
        else:
            yield Turn(message.role, words, images, result_of=called)
            called = None


def loaded(part: Part) -> Image:
    assert not isinstance(part, Words)
    return part.load() if isinstance(part, LazyImage) else part


def base64_of(image: Image) -> str:
    return base64.b64encode(image.data).decode()


def read_tree(text: str, host: str) -> Tree:
    """Raises BrokenAnswerError for what is no JSON object, ModelBusyError for an error in place of an answer."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        tree = None
    if not isinstance(tree, dict):
        raise BrokenAnswerError(f"{host} answered with something other than JSON.", text)
    if (error := mapping(tree.get("error"))) and tree.get("error"):
        raise ModelBusyError(f"{host} failed: {error.get('message', error)!s:.300}")
    return tree


def mapping(value: object) -> Tree:
    """Empty for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Tree]:
    """The objects in a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


@dataclass(frozen=True, slots=True)
class Written:
    """What a response holds. `ended` is the server's reason for its end if that is none of an answer."""

    raw: str
    usage: Usage
    model: str
    id: str
    ended: str = ""


_REFUSED = ("refusal", "content_filter", "safety", "blocklist", "prohibited_content", "spii")
_CUT_OFF = ("max_tokens", "max_output_tokens", "model_context_window_exceeded")


def answered(written: Written, question: ModelRequest, model: str, host: str) -> ModelAnswer:
    """Raises AnswerError, with the tokens, for what is no answer."""
    tokens = {"tokens_in": written.usage.tokens_in, "tokens_out": written.usage.tokens_out}
    ended = written.ended.lower()
    if ended in _REFUSED:
        raise RefusedAnswerError(f"{model} declined ({ended}).", written.raw, **tokens)
    if ended in _CUT_OFF:
        words = f"The answer of {model} was cut off after {written.usage.tokens_out} tokens."
        raise TruncatedAnswerError(words, written.raw, **tokens)
    if ended or not written.raw:
        raise BrokenAnswerError(f"{model} gave no answer ({ended or 'it is empty'}).", written.raw, **tokens)
    try:
        data = question.read(written.raw)
    except BrokenAnswerError as error:
        raise BrokenAnswerError(str(error), written.raw, **tokens) from None
    now = datetime.now(UTC)
    return ModelAnswer(
        data, written.raw, model, written.model or model, host, now, written.usage, request_id=written.id
    )
