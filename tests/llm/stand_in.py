"""A stand-in for a server of Chat Completions: it speaks their HTTP on this computer, and answers as it is told to.

It is no model. What it says is what a test or a demonstration gave it to say: by default, the shortest answer that
keeps to the schema. `python -m tests.llm.stand_in --port 0` serves until it is ended, and prints its address first;
with `GET /seen` it tells how many questions it got, and how many of them twice.
"""

import argparse
import asyncio
import importlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from types import TracebackType
from typing import Any, Self, TypeAlias

MODEL = "stand-in-1"
_REASONS = {
    200: "OK",
    302: "Found",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
}
_KNOWN = {
    "model", "messages", "store", "response_format", "temperature", "seed", "max_completion_tokens", "max_tokens",
    "top_p", "n", "stop", "stream",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as received; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

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
class Says:
    raw: str
    finish_reason: str = "stop"
    refusal: str | None = None
    model: str | None = None
    counts_tokens: bool = True


@dataclass(frozen=True, slots=True)
class Fails:
    status: int
    error: Mapping[str, Any] | str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sends:
    text: str
    status: int = 200
    content_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class CutsOff:
    """Breaks the connection in the middle of the answer."""


Turn: TypeAlias = Says | Fails | Sends | CutsOff
Behaviour: TypeAlias = Callable[[Asked], Turn]


# Behaviours.


def says(data: Mapping[str, Any]) -> Says:
    return Says(json.dumps(data))


def fenced(data: Mapping[str, Any]) -> Says:
    """The right answer in a code fence, as many local models give it."""
    return Says(f"```json\n{json.dumps(data, indent=2)}\n```")


def refuses(words: str = "I cannot help with that.") -> Says:
    """The model declines."""
    return Says("", refusal=words)


def truncated(raw: str = '{"text": "half of') -> Says:
    return Says(raw, finish_reason="length")


def rate_limited(retry_after: str | None = "0.01", **headers: str) -> Fails:
    waits = {} if retry_after is None else {"retry-after": retry_after}
    error = {"message": "Rate limit reached for requests.", "type": "requests", "code": "rate_limit_exceeded"}
    return Fails(429, error, waits | {name.replace("_", "-"): value for name, value in headers.items()})


def no_quota() -> Fails:
    """No money is left; the status is the same as for too many requests."""
    error = {"message": "You exceeded your current quota.", "type": "insufficient_quota", "code": "insufficient_quota"}
    return Fails(429, error)


def server_error(status: int = 500) -> Fails:
    return Fails(status, {"message": "The server had an error.", "type": "server_error", "code": None})


def shortest(asked: Asked) -> Says:
    """The shortest answer that fits the schema: empty lists, nulls where allowed, true, zero, and a few words."""
    return says(_shortest(asked.schema, asked.schema))


def in_turn(*turns: Turn, then: Behaviour = shortest) -> Behaviour:
    """These in turn, one per question; `then` for all later ones."""
    waiting = iter(turns)
    return lambda asked: next(waiting, None) or then(asked)


# The server.


class StandIn:
    """Serves in its own thread within the `with` block; `behaviour` is called there, one question at a time.

    `key` is the only accepted API key; None accepts any. `refuses` are unsupported parameters or answer forms
    ("json_schema"). `models` are the offered models with their shutdown dates; `listing` replaces the response with
    their list. `complaints` collects what our clients must never do, such as ask for a stream or have the answer
    stored.
    """

    def __init__(  # noqa: PLR0913 - values by keyword, each with a plain default
        self,
        behaviour: Behaviour = shortest,
        *,
        delay_s: float = 0.0,
        key: str | None = None,
        refuses: Sequence[str] = (),
        models: Mapping[str, str | None] | None = None,
        listing: Turn | None = None,
    ) -> None:
        self.behaviour = behaviour
        self.delay_s = delay_s
        self.seen: list[Asked] = []
        self.complaints: list[str] = []
        self.most_at_once = 0
        self._key = key
        self._refuses = refuses
        self._models = {MODEL: None} if models is None else models
        self._listing = listing
        self._at_once = 0
        self._started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="stand-in", daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def questions(self) -> list[Asked]:
        return [asked for asked in self.seen if asked.path == "/v1/chat/completions"]

    @property
    def repeated(self) -> int:
        """How many questions were received more than once."""
        hashes = Counter(sha256(json.dumps(asked.body).encode()).digest() for asked in self.questions)
        return hashes.total() - len(hashes)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self.serve())

    async def serve(self, port: int = 0) -> None:
        """Serve on that port until the block or the program ends."""
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", port, limit=2**20)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        async with server:
            await self._stop.wait()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (asked := await _read(reader)) is not None:
                await self._answer(asked, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return  # the client is gone, or the server ends
        finally:
            writer.close()

    async def _answer(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.path == "/seen":
            _write(writer, 200, json.dumps({"questions": len(self.questions), "repeated": self.repeated}))
            return
        self.seen.append(asked)
        if asked.path == "/v1/models":
            _send(writer, self._listing or Sends(self._listed(), 200, "application/json"), asked)
            return
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            turn = self._turn(asked)
            await asyncio.sleep(self.delay_s)
        finally:
            self._at_once -= 1
        _send(writer, turn, asked)
        await writer.drain()

    def _turn(self, asked: Asked) -> Turn:
        return self._objection(asked) or self.behaviour(asked)

    def _objection(self, asked: Asked) -> Fails | None:
        if asked.path != "/v1/chat/completions":
            return Fails(
                404, {"message": f"Invalid URL ({asked.method} {asked.path})", "type": "invalid_request_error"}
            )
        if self._key is not None and asked.headers.get("authorization") != f"Bearer {self._key}":
            return Fails(401, {"message": "Incorrect API key provided.", "code": "invalid_api_key"})
        body = asked.body
        if body["model"] not in self._models:
            words = f"The model `{body['model']}` does not exist or you do not have access to it."
            return Fails(404, {"message": words, "type": "invalid_request_error", "code": "model_not_found"})
        unknown = sorted((body.keys() - _KNOWN) | (body.keys() & set(self._refuses)))
        if unknown:
            return Fails(400, {"message": f"Unknown parameter: '{unknown[0]}'.", "param": unknown[0], "code": None})
        form = body.get("response_format", {}).get("type", "text")
        if form in self._refuses:
            return Fails(400, {"message": f"response_format.type: {form!r} is not supported.", "code": None})
        if body.get("stream"):
            self.complaints.append("a stream was asked for")
        if body.get("store", False) is not False or ("store" not in body and "store" not in self._refuses):
            self.complaints.append("the answer was not asked to be left unstored")
        return None

    def _listed(self) -> str:
        made = {"object": "model", "created": 0, "owned_by": "nobody"}
        data = [{"id": name, **made, "shutdown_date": ends} for name, ends in self._models.items()]
        return json.dumps({"object": "list", "data": data})


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    named = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in named}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, json.loads(body) if body else {})


def _send(writer: asyncio.StreamWriter, turn: Turn, asked: Asked) -> None:
    match turn:
        case Says():
            _write(writer, 200, _completion(turn, asked), {"x-request-id": f"req-{id(asked):x}"})
        case Fails(status, error, headers):
            _write(writer, status, json.dumps({"error": error}), headers)
        case Sends(text, status, content_type):
            _write(writer, status, text, {"content-type": content_type})
        case CutsOff():
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n{")
            writer.close()


def _write(writer: asyncio.StreamWriter, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
    body = text.encode()
    told = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}", *(f"{name}: {told[name]}" for name in told)]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)


def _completion(turn: Says, asked: Asked) -> str:
    message = {"role": "assistant", "content": turn.raw or None, "refusal": turn.refusal}
    choice = {"index": 0, "finish_reason": turn.finish_reason, "message": message, "logprobs": None}
    reply = {
        "id": f"chatcmpl-{id(asked):x}",
        "object": "chat.completion",
        "created": 0,
        "model": turn.model or asked.body["model"],
        "choices": [choice],
    }
    if turn.counts_tokens:
        taken, given = (len(asked.words) + len(json.dumps(asked.schema))) // 4, len(turn.raw) // 4
        reply["usage"] = {"prompt_tokens": taken, "completion_tokens": given, "total_tokens": taken + given}
    return json.dumps(reply)


def _text(content: str | Sequence[Mapping[str, Any]]) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _shortest(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _shortest(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return None if {"type": "null"} in schema["anyOf"] else _shortest(schema["anyOf"][0], whole)
    if schema.get("type") == "object":
        return {name: _shortest(part, whole) for name, part in schema["properties"].items()}
    plain = {"array": [], "string": "a few words", "boolean": True, "integer": 0, "number": 0, "null": None}
    return plain[schema["type"]] if "type" in schema else schema.get("const", {})


# Command line.


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.llm.stand_in", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 for any that is free")
    parser.add_argument("--delay-ms", type=float, default=0, help="how long each answer takes")
    parser.add_argument("--key", help="the only key that it takes")
    parser.add_argument("--model", action="append", help=f"a model that it offers, {MODEL} where none is given")
    parser.add_argument("--answer", help="module:function, which makes of an Asked what is done about it")
    given = parser.parse_args(arguments)
    behaviour = shortest
    if given.answer:
        module, _, function = given.answer.partition(":")
        behaviour = getattr(importlib.import_module(module), function)
    models = dict.fromkeys(given.model or [MODEL])
    server = StandIn(behaviour, delay_s=given.delay_ms / 1000, key=given.key, models=models)
    asyncio.run(_announced(server, given.port))


async def _announced(server: StandIn, port: int) -> None:
    serving = asyncio.create_task(server.serve(port))
    while server.port == 0:
        await asyncio.sleep(0)
    print(server.url, flush=True)  # noqa: T201 - the caller waits for this line
    await serving


if __name__ == "__main__":
    # Import the module by its name, so that its classes are those that `--answer` returns.
    importlib.import_module("tests.llm.stand_in").main(sys.argv[1:])
