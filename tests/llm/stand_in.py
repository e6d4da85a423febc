"""A stand-in for a server of Chat Completions: a local HTTP server with scripted answers.

It is not a model: tests and demonstrations script its answers; by default it gives the shortest answer that fits the
schema. `python -m tests.llm.stand_in --port 0` serves until it is ended, and prints its address first;
with `GET /seen` it tells how many questions it got, and how many of them twice.
"""

import argparse
import importlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias

MODEL = "stand-in-1"
_KNOWN = {
    "model", "messages", "store", "response_format", "temperature", "seed", "max_completion_tokens", "max_tokens",
    "reasoning_effort", "frequency_penalty", "presence_penalty",
    "top_p", "n", "stop", "stream",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as received; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    upload: bytes = b""
    """The body as received, if it is a form with a file."""

    @property
    def words(self) -> str:
        return "\n".join(_text(message["content"]) for message in self.body.get("messages", ()))

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of the answer; empty if it was not sent as a parameter."""
        form = self.body.get("response_format", {})
        found: Mapping[str, Any] = form.get("json_schema", {}).get("schema", {})
        return found


@dataclass(frozen=True, slots=True)
class Reply:
    raw: str
    finish_reason: str = "stop"
    refusal: str | None = None
    model: str | None = None
    counts_tokens: bool = True


@dataclass(frozen=True, slots=True)
class ErrorReply:
    status: int
    error: Mapping[str, Any] | str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RawReply:
    text: str
    status: int = 200
    content_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class DroppedConnection:
    """Breaks the connection in the middle of the answer."""


@dataclass(frozen=True, slots=True)
class CutReply:
    """The first half of an answer, which ends as if it were whole: no length was given."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Flood:
    """Sends a piece of a body again and again, until the client goes."""

    piece: bytes
    pause_s: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)


Turn: TypeAlias = Reply | ErrorReply | RawReply | DroppedConnection | CutReply | Flood
Behaviour: TypeAlias = Callable[[ReceivedRequest], Turn]


# Behaviours.


def says(data: Mapping[str, Any]) -> Reply:
    return Reply(json.dumps(data))


def json_reply(data: object) -> RawReply:
    return RawReply(json.dumps(data), content_type="application/json")


def refuses(words: str = "I cannot help with that.") -> Reply:
    """The model declines."""
    return Reply("", refusal=words)


def truncated() -> Reply:
    return Reply('{"text": "half of', finish_reason="length")


def fault(status: int, message: str, code: str | None = None, kind: str = "invalid_request_error") -> ErrorReply:
    return ErrorReply(status, {"message": message, "type": kind, "code": code})


def rate_limited(retry_after: str = "0.01") -> ErrorReply:
    limit = fault(429, "Rate limit reached for requests.", "rate_limit_exceeded", "requests")
    return replace(limit, headers={"retry-after": retry_after})


def no_quota() -> ErrorReply:
    """The quota is used up; same status as for too many requests."""
    return fault(429, "You exceeded your current quota.", "insufficient_quota", "insufficient_quota")


def server_error(status: int = 500) -> ErrorReply:
    return fault(status, "The server had an error.", kind="server_error")


def shortest(request: ReceivedRequest) -> Reply:
    """The shortest answer that fits the schema: empty lists, nulls where allowed, true, zero, and a few words."""
    return says(_shortest_value(request.schema, request.schema))


def in_turn(*turns: Turn, then: Behaviour = shortest) -> Behaviour:
    """One turn per question; `then` answers all later ones."""
    waiting = iter(turns)
    return lambda request: next(waiting, None) or then(request)


# The server.


class StandIn:
    """Serves in its own threads within the `with` block; `behaviour` is called there, one question at a time.

    `key` is the only accepted API key; None accepts any. `refuses` are unsupported parameters or answer forms
    ("json_schema"). `models` are the offered models with their shutdown dates; `listing` replaces the response with
    their list. `others` answers what is no Chat Completions. `complaints` collects what our clients must never do, such
    as ask for a stream or have the answer stored. The first answers wait until there are `waits_for` questions at once.
    `bill` counts the tokens of every usage that was made, sent or not.
    """

    def __init__(  # noqa: PLR0913 - values by keyword, each with a plain default
        self,
        behaviour: Behaviour = shortest,
        *,
        delay_s: float = 0.0,
        waits_for: int = 0,
        key: str | None = None,
        refuses: Sequence[str] = (),
        models: Mapping[str, str | None] | None = None,
        listing: Turn | None = None,
        port: int = 0,
        others: Callable[[ReceivedRequest], Turn | None] = lambda _: None,
    ) -> None:
        self.behaviour = behaviour
        self.delay_s = delay_s
        self.waits_for = waits_for
        self.seen: list[ReceivedRequest] = []
        self.complaints: list[str] = []
        self.most_at_once = 0
        self.bill = Counter[str]()
        self.port = port
        self._key = key
        self._refuses = refuses
        self._models = {MODEL: None} if models is None else models
        self._listing = listing
        self._others = others
        self._at_once = 0
        self._one_at_a_time = threading.Lock()
        self.stopped = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def questions(self) -> list[ReceivedRequest]:
        return [request for request in self.seen if request.path == "/v1/chat/completions"]

    @property
    def repeated(self) -> int:
        """How many questions were received more than once."""
        hashes = Counter(sha256(json.dumps(request.body).encode()).digest() for request in self.questions)
        return hashes.total() - len(hashes)

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", self.port), partial(_Connection, self))
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), name="stand-in", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: ReceivedRequest) -> Turn:
        """Called in the thread of a connection."""
        if request.path == "/seen":
            return json_reply({"questions": len(self.questions), "repeated": self.repeated})
        with self._one_at_a_time:
            self.seen.append(request)
            if request.path == "/v1/models":
                return self._listing or json_reply(self._listed())
            if (other := self._others(request)) is not None:
                return other
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            turn = self._turn(request)
        while self.most_at_once < self.waits_for and not self.stopped.wait(0.005):
            pass
        self.stopped.wait(self.delay_s)
        with self._one_at_a_time:
            self._at_once -= 1
        return turn

    def charge(self, text: str) -> None:
        """Called in the thread of a connection."""
        with self._one_at_a_time, suppress(ValueError, AttributeError):
            usage = json.loads(text).get("usage") or {}
            self.bill.update({name: usage.get(f"{name}_tokens") or 0 for name in ("prompt", "completion")})

    def _turn(self, request: ReceivedRequest) -> Turn:
        return self._objection(request) or self.behaviour(request)

    def _objection(self, request: ReceivedRequest) -> ErrorReply | None:
        if request.path != "/v1/chat/completions":
            return fault(404, f"Invalid URL ({request.method} {request.path})")
        if self._key is not None and request.headers.get("authorization") != f"Bearer {self._key}":
            return fault(401, "Incorrect API key provided.", "invalid_api_key")
        body = request.body
        if body["model"] not in self._models:
            words = f"The model `{body['model']}` does not exist or you do not have access to it."
            return fault(404, words, "model_not_found")
        unknown = sorted((body.keys() - _KNOWN) | (body.keys() & set(self._refuses)))
        if unknown:
            return fault(400, f"Unknown parameter: '{unknown[0]}'.")
        form = body.get("response_format", {}).get("type", "text")
        if form in self._refuses:
            return fault(400, f"response_format.type: {form!r} is not supported.")
        if body.get("stream"):
            self.complaints.append("a stream was asked for")
        if body.get("store", False) is not False or ("store" not in body and "store" not in self._refuses):
            self.complaints.append("the answer was not asked to be left unstored")
        return None

    def _listed(self) -> Mapping[str, Any]:
        made = {"object": "model", "created": 0, "owned_by": "nobody"}
        data = [{"id": name, **made, "shutdown_date": ends} for name, ends in self._models.items()]
        return {"object": "list", "data": data}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # the client is gone
            raise


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def __init__(self, stand_in: StandIn, *connection: Any) -> None:
        self._stand_in = stand_in
        super().__init__(*connection)

    def do_GET(self) -> None:
        self._answer({})

    def do_DELETE(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        data = self.rfile.read(length)
        if len(data) < length:  # the client is gone
            self.close_connection = True
        elif self.headers["content-type"].startswith("multipart/"):
            self._answer({}, data)
        else:
            self._answer(json.loads(data))

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, body: Mapping[str, Any], upload: bytes = b"") -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = ReceivedRequest(self.command, self.path, headers, body, upload)
        match self._stand_in.answer(asked):
            case Reply() as turn:
                self._write(200, completion(turn, asked), {"x-request-id": f"req-{id(asked):x}"})
            case ErrorReply(status, error, more):
                self._write(status, json.dumps({"error": error}), more)
            case RawReply(text, status, content_type):
                self._write(status, text, {"content-type": content_type})
            case DroppedConnection():
                self._write(200, "{", {"content-length": "4000"})
                self.close_connection = True
            case CutReply(reply):
                whole = completion(reply, asked)
                self._stand_in.charge(whole)
                self._begin({})
                self.wfile.write(whole[: len(whole) // 2].encode())
            case Flood(piece, pause_s, more):
                self._begin(more)
                while not self._stand_in.stopped.wait(pause_s):
                    self.wfile.write(piece)
                    self.wfile.flush()

    def _begin(self, headers: Mapping[str, str]) -> None:
        """An answer without a length, which ends with the connection."""
        self.send_response(200)
        for name, value in {"content-type": "application/json", "connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def _write(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        self._stand_in.charge(text)
        body = text.encode()
        self.send_response(status)
        sent = {"content-type": "application/json", "content-length": str(len(body)), **headers}
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def completion(turn: Reply, request: ReceivedRequest) -> str:
    """The body of a response."""
    message = {"role": "assistant", "content": turn.raw or None, "refusal": turn.refusal}
    choice = {"index": 0, "finish_reason": turn.finish_reason, "message": message, "logprobs": None}
    kind = {"id": f"chatcmpl-{id(request):x}", "object": "chat.completion", "created": 0}
    reply = {**kind, "model": turn.model or request.body["model"], "choices": [choice]}
    if turn.counts_tokens:
        sent, said = (len(request.words) + len(json.dumps(request.schema))) // 4, len(turn.raw) // 4
        reply["usage"] = {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said}
    return json.dumps(reply)


def _text(content: str | Sequence[Mapping[str, Any]]) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _shortest_value(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _shortest_value(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return None if {"type": "null"} in schema["anyOf"] else _shortest_value(schema["anyOf"][0], whole)
    if schema.get("type") == "object":
        return {name: _shortest_value(part, whole) for name, part in schema["properties"].items()}
    plain = {"array": [], "string": "a few words", "boolean": True, "integer": 0, "number": 0, "null": None}
    return plain[schema["type"]] if "type" in schema else schema.get("const", {})


# Command line.


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.llm.stand_in", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 for any that is free")
    parser.add_argument("--delay-ms", type=float, default=0, help="how long each answer takes")
    parser.add_argument("--key", help="the only key that it takes")
    parser.add_argument("--model", action="append", help=f"a model that it offers, {MODEL} where none is given")
    parser.add_argument("--answer", help="module:function, which turns a ReceivedRequest into a Turn")
    given = parser.parse_args(arguments)
    behaviour = shortest
    if given.answer:
        module, _, function = given.answer.partition(":")
        behaviour = getattr(importlib.import_module(module), function)
    models = dict.fromkeys(given.model or [MODEL])
    with StandIn(behaviour, delay_s=given.delay_ms / 1000, key=given.key, models=models, port=given.port) as server:
        print(server.url, flush=True)  # noqa: T201 - the caller waits for this line
        threading.Event().wait()


if __name__ == "__main__":
    # Import the module by its name, so that its classes are those that `--answer` returns.
    importlib.import_module("tests.llm.stand_in").main(sys.argv[1:])
