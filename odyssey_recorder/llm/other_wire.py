"""What the ways to ask a server other than by Chat Completions share; without any I/O, which is in openai.py."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from odyssey_recorder.llm.chat_replies import Reply, Tree, count_of
from odyssey_recorder.llm.model import Image, LazyImage, ModelRequest, Words
from odyssey_recorder.llm.tool_calls import ToolCall, calls_in

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

    def reply(self, tree: Tree) -> Reply:
        """What a response without an error says. Never raises, whatever the tree is."""


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
        pictures = (part for part in message.parts if not isinstance(part, Words))
        images = tuple(part.load() if isinstance(part, LazyImage) else part for part in pictures)
        if message.role == "assistant":
            text, calls = calls_in("\n".join(words))
            called = replace(calls[0], id=calls[0].id or f"{MADE}{number}") if calls else None
            yield Turn(message.role, (text,) if text else (), call=called)
        else:
            yield Turn(message.role, words, images, result_of=called)
            called = None


def items(value: object) -> list[Any]:
    """The objects in a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def count(used: Tree, *names: str) -> int | None:
    """The sum of these counts of tokens; None without the first of them."""
    found = [count_of(used, name) for name in names]
    return None if found[0] is None else sum(number or 0 for number in found)
