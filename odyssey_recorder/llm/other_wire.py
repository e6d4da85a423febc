"""What the ways to ask a server other than by Chat Completions share; without any I/O, which is in openai.py."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from odyssey_recorder.llm.chat_replies import Reply, ServerFault, TokenCount, ending, fault_in
from odyssey_recorder.llm.model import Image, LazyImage, ModelRequest, Part, Words
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

    def reply(self, text: str) -> Reply | ServerFault:
        """What a response says; never raises."""


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


def read_tree(text: str) -> Tree | ServerFault:
    """The error if there is one, or if the text is no JSON object."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        tree = None
    if not isinstance(tree, dict):
        return ServerFault(0, "The answer of the server broke off.", tokens=TokenCount())
    return fault_in(tree, is_answer=True) or tree


def mapping(value: object) -> Tree:
    """Empty for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Tree]:
    """The objects in a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def said(
    raw: Iterable[str], ended: object, tokens: TokenCount, *, refusal: str = "", **named: str
) -> Reply | ServerFault:
    """`ended` is the server's word for the end of its answer; `named` are the id and the model."""
    match ending(ended):
        case "error":
            return ServerFault(500, f"it ended the answer with {ended!r}", tokens=tokens)
        case "refused" | "cut off" as end:
            return Reply("\n".join(raw), "", refusal, end, tokens, **named)
        case _:
            return Reply("\n".join(raw), "", refusal, "", tokens, **named)
