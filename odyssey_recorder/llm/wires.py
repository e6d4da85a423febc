"""The ways to ask a server other than by Chat Completions, by the name that a request gives."""

from collections.abc import Mapping

from odyssey_recorder.llm.gemini_wire import GeminiWire
from odyssey_recorder.llm.messages_wire import MessagesWire
from odyssey_recorder.llm.other_wire import OtherWire
from odyssey_recorder.llm.responses_wire import ResponsesWire

WIRES: Mapping[str, OtherWire] = {"gemini": GeminiWire(), "responses": ResponsesWire(), "messages": MessagesWire()}
"""By `ModelRequest.wire`."""
