"""Ways to ask a server other than by Chat Completions; without any I/O, which is in openai.py."""

from collections.abc import Mapping
from typing import Protocol

from odyssey_recorder.llm.model import ModelAnswer, ModelRequest


class OtherWire(Protocol):
    """How a request and its answer are written.

    In messages and answers, tools that the model calls are text (tool_calls.py). After an assistant's message with
    calls, the user's next one is their result; an assistant's message may follow another.
    """

    def path(self, model: str) -> str:
        """After the server's URL: "responses"."""

    def headers(self, key: str) -> Mapping[str, str]:
        """With the one that holds the key."""

    def body(self, question: ModelRequest, model: str) -> Mapping[str, object]:
        """With its parameters, under the names that the server knows. Loads its images."""

    def answer(self, text: str, question: ModelRequest, model: str, host: str) -> ModelAnswer:
        """What a response says. Raises LanguageModelError."""


WIRES: dict[str, OtherWire] = {}
"""By `ModelRequest.wire`."""
