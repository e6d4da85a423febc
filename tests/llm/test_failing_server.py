"""A server that fails in every way that we know: what comes out, what it costs, and what it can do to us."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from odyssey_recorder.errors import BrokenReplyError, RefusedRequestError
from odyssey_recorder.llm.batch import BatchProgress
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.retry import RetryPolicy
from odyssey_recorder.llm.schema import FreeText
from tests.llm.questions import batch_with, model_at, priced, question
from tests.llm.stand_in import (
    MODEL,
    CutReply,
    DroppedConnection,
    ErrorReply,
    Flood,
    RawReply,
    ReceivedRequest,
    Reply,
    StandIn,
    Turn,
    completion,
    json_reply,
    rate_limited,
    server_error,
)

_RETRY = RetryPolicy(first_wait_s=0.001)
_USAGE = {"prompt_tokens": 300, "completion_tokens": 0}
_Way = Callable[[Reply, ReceivedRequest], Turn]


def _altered(*, choice: object = None, **more: object) -> _Way:
    def turn(right: Reply, request: ReceivedRequest) -> Turn:
        tree = json.loads(completion(right, request))
        tree["choices"][0] |= choice or {}
        return json_reply(tree | more)

    return turn


def _stream(right: Reply, _: ReceivedRequest) -> Turn:
    piece = json.dumps({"choices": [{"delta": {"content": right.raw[:9]}}]})
    return RawReply(f"data: {piece}\n\n", content_type="text/event-stream")


COUNTED: list[_Way] = [
    lambda *_: server_error(500),
    lambda *_: server_error(529),
    lambda *_: rate_limited("0.001"),
    lambda *_: ErrorReply(429, {"message": "Retry in 0.002s.", "status": "RESOURCE_EXHAUSTED"}),
    lambda *_: RawReply('{"error": "Oh no", "usage": {"prompt_tokens": 11, "completion_tokens": 0}}', 503),
    lambda *_: json_reply({"error": {"code": 500, "message": "Internal"}, "choices": None, "usage": _USAGE}),
    lambda *_: json_reply({"error": {"code": 429, "message": "Busy"}}),
    lambda *_: json_reply({"choices": [], "usage": _USAGE}),
    lambda *_: json_reply({"choices": None, "usage": _USAGE}),
    _altered(choice={"finish_reason": "error", "message": {"content": ""}}),
    _altered(choice={"error": {"code": 502, "message": "Upstream"}}),
]
"""Failures whose cost the client can know."""
UNCOUNTED: list[_Way] = [lambda *_: DroppedConnection(), lambda right, _: CutReply(right), _stream]
UNUSUAL: list[_Way] = [
    _altered(id=None, model=None, object=None),
    _altered(choice={"finish_reason": None, "logprobs": None}),
]


def right(request: ReceivedRequest) -> Reply:
    return Reply(json.dumps({"text": request.words.splitlines()[-1]}))


class Failing:
    """Fails a third of the requests; which and how depends on the question and how often it came, not on the time."""

    def __init__(self, seed: int, *, hides_costs: bool) -> None:
        self._seed = seed
        self._ways = [*COUNTED, *UNUSUAL, *(UNCOUNTED if hides_costs else ())]
        self._times: Counter[str] = Counter()
        self.failed = 0

    def __call__(self, request: ReceivedRequest) -> Turn:
        words = request.words
        self._times[words] += 1
        chance = Random(f"{self._seed}:{words}:{self._times[words]}")
        if chance.random() > 1 / 3:
            return right(request)
        self.failed += 1
        way: _Way = chance.choice(self._ways)
        return way(right(request), request)


def requests(count: int) -> list[ModelRequest]:
    """As `predict` and as `annotate` ask."""
    asked = [question(f"Task {number}.") for number in range(count)]
    return [replace(one, is_judged=True, answer=FreeText) if at % 2 else one for at, one in enumerate(asked)]


@pytest.mark.parametrize("hides_costs", [False, True])
def test_run_against_a_failing_server_ends_as_against_a_healthy_one(tmp_path: Path, *, hides_costs: bool) -> None:
    """With this seed one or two questions are broken twice, and answered when they are asked again at the end."""
    asked, progress, failing = requests(60), list[BatchProgress](), Failing(34, hides_costs=hides_costs)
    with StandIn(failing) as server:
        asking = batch_with(model_at(server), priced(), tmp_path / "a.sqlite", retry=_RETRY)
        found = asking.ask_all(asked, progress=progress.append)
        kept = [asking.kept(one) for one in asked]
    with StandIn(right) as healthy:
        expected = batch_with(model_at(healthy), priced()).ask_all(asked)
    texts = [answer.raw for answer in expected if isinstance(answer, ModelAnswer)]
    assert failing.failed > 20
    assert [answer.raw if isinstance(answer, ModelAnswer) else answer for answer in found] == texts
    assert [answer.raw if answer else None for answer in kept] == texts, "a wrong answer is in the cache"
    assert (progress[-1].failed, +Counter(progress[-1].failures)) == (0, Counter())
    bill = (server.bill["prompt"] + 4 * server.bill["completion"]) / 1e6
    assert progress[-1].cost == pytest.approx(bill, abs=0.005 if hides_costs else 1e-12)
    assert hides_costs == ("requests without a count" in progress[-1].spent)


def test_server_that_is_mostly_broken_is_not_asked_again_and_again() -> None:
    progress: list[BatchProgress] = []
    with StandIn(lambda _: json_reply({"choices": [], "usage": _USAGE})) as server:
        outcomes = batch_with(model_at(server), priced(), retry=_RETRY).ask_all(requests(20), progress=progress.append)
        assert len(server.questions) == 40
    assert {type(outcome) for outcome in outcomes} == {BrokenReplyError}
    assert (progress[-1].asked, progress[-1].failures, progress[-1].failed) == (20, {"broken": 20}, 20)
    assert progress[-1].cost == pytest.approx(40 * 300 / 1e6)


def test_server_that_refuses_every_request_is_asked_three_times() -> None:
    with StandIn(lambda _: ErrorReply(400, {"message": "A special word is not allowed"})) as server:
        first, *_, last = batch_with(model_at(server), priced(), at_once=1).ask_all(requests(20))
        assert len(server.questions) == 3
    assert isinstance(first, RefusedRequestError)
    assert "Stopped, because 3 requests in a row failed" in str(last)
    assert "A special word is not allowed" in str(last)


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (Flood(gzip.compress(bytes(1 << 26)), headers={"content-encoding": "gzip"}), "larger than 16 MB"),
        (Flood(b" " * (1 << 16)), "larger than 16 MB"),
        (Flood(b" ", 0.01), "longer than 0.5 seconds"),
        (Flood(b"x", headers={"content-encoding": "br"}), "encoded as 'br'"),
        (Flood(b"x", headers={"content-encoding": "gzip, gzip"}), "encoded as 'gzip, gzip'"),
    ],
    ids=["gzip bomb", "endless", "slow", "brotli", "twice"],
)
def test_answer_has_a_largest_size_and_a_longest_time(turn: Turn, words: str) -> None:
    longest_s = 0.5 if "0.5" in words else 60.0
    with StandIn(lambda _: turn) as server:
        model = OpenAIModel(MODEL, server.url, None, whole_s=longest_s)
        (outcome,) = batch_with(model, priced(), retry=_RETRY).ask_all([question()])
        assert len(server.questions) == 2
    assert isinstance(outcome, BrokenReplyError)
    assert words in str(outcome)
