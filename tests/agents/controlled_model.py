"""A model whose answers a test controls."""

import json
import queue
from typing import Any

from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.settings import read_settings
from odyssey_recorder.wiring.user import open_batch
from tests.llm.stand_in import MODEL, DroppedConnection, ReceivedRequest, Reply, StandIn, Turn

_PATIENCE_S = 60.0


def says(action: str, **fields: Any) -> Reply:
    return Reply(
        json.dumps({"reason": "", "action": action, "x": None, "y": None, "direction": None, "text": None} | fields)
    )


class ControlledModel:
    """Each question, in turn, waits for the next answer; one that was abandoned takes an answer too."""

    def __init__(self) -> None:
        self._answers: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        self._asked: queue.SimpleQueue[str] = queue.SimpleQueue()

    def __call__(self, request: ReceivedRequest) -> Turn:
        self._asked.put(request.words)
        try:
            return self._answers.get(timeout=_PATIENCE_S)
        except queue.Empty:  # the test is over
            return DroppedConnection()

    def was_asked(self) -> bool:
        return not self._asked.empty()

    def await_question(self) -> str:
        return self._asked.get(timeout=_PATIENCE_S)

    def say(self, action: str, **fields: Any) -> None:
        self._answers.put(says(action, **fields))

    def answer(self, raw: str) -> None:
        self._answers.put(Reply(raw))

    def call(self, action: str, **fields: Any) -> None:
        """The same as a call of the tool mobile_use."""
        self._answers.put(Reply(json.dumps({"name": "mobile_use", "arguments": {"action": action, **fields}})))


def batch_of(server: StandIn) -> Batch:
    return open_batch(read_settings(model=MODEL, model_url=server.url))
