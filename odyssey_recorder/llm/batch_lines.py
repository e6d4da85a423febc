"""The lines of request and output files of OpenAI's Batch API, which `vllm run-batch` shares."""

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from odyssey_recorder.errors import AnswerError
from odyssey_recorder.llm.answer_cache import AnswerCache
from odyssey_recorder.llm.chat_completions import answer_in
from odyssey_recorder.llm.chat_replies import Reply, read_reply
from odyssey_recorder.llm.model import BATCHED, ModelRequest

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Of a request file, below those of OpenAI's Batch API (200 MB and 50,000 requests)."""

    bytes: int = 190_000_000
    requests: int = 50_000


@dataclass(slots=True)
class FilePart:
    """A request file; `data` has a line for each of `keys`."""

    keys: list[str] = field(default_factory=list)
    data: bytearray = field(default_factory=bytearray)

    def add(self, key: str, line: bytes) -> None:
        self.keys.append(key)
        self.data += line

    def has_room(self, line: bytes, limits: FileLimits) -> bool:
        return len(self.keys) < limits.requests and len(self.data) + len(line) <= limits.bytes

    def halves(self) -> "Iterator[FilePart]":
        lines, middle = self.data.splitlines(keepends=True), len(self.keys) // 2
        for part in (slice(middle), slice(middle, None)):
            yield FilePart(self.keys[part], bytearray().join(lines[part]))


def parts_of(lines: Iterable[tuple[str, bytes]], limits: FileLimits) -> Iterator[FilePart]:
    """A line that alone exceeds the limit becomes a separate part."""
    part = FilePart()
    for key, line in lines:
        if part.keys and not part.has_room(line, limits):
            yield part
            part = FilePart()
        part.add(key, line)
    if part.keys:
        yield part


def request_line(key: str, url: str, body: Mapping[str, object]) -> bytes:
    return f"{json.dumps({'custom_id': key, 'method': 'POST', 'url': url, 'body': body})}\n".encode()


class _Response(BaseModel):
    status_code: int
    body: Any = None


class _Fault(BaseModel):
    code: str | None = None
    message: str | None = None


class _Line(BaseModel):
    id: str = ""
    custom_id: str
    response: _Response | None = None
    error: _Fault | None = None


class OutputReader:
    """Caches the answers among lines of output and error files, in any order, to the questions `expected`.

    `question` has the prompt and the type of the answers. Call `finish` after the last line.
    """

    def __init__(
        self, cache: AnswerCache, question: ModelRequest, expected: Container[bytes], model: str, host: str
    ) -> None:
        self._cache = cache
        self._question = question
        self._expected = expected
        self._of = (model, host)
        self._failed: dict[bytes, str] = {}
        self.answered: set[bytes] = set()
        self.problems: Counter[str] = Counter()

    def read(self, lines: Iterable[str]) -> None:
        for text in lines:
            if text.strip():
                self._read_line(text)

    def finish(self, expected: Iterable[bytes] = ()) -> None:
        """Count as problems what failed, and what of `expected` had no line."""
        failed = {key: why for key, why in self._failed.items() if key not in self.answered}
        self.problems.update(failed.values())
        missing = sum(key not in self.answered and key not in failed for key in expected)
        self.problems.update({"no line in the output": missing} if missing else {})

    def _read_line(self, text: str) -> None:
        try:
            line = _Line.model_validate_json(text)
            key = bytes.fromhex(line.custom_id)
        except (ValidationError, ValueError):
            self.problems["unreadable line"] += 1
            return
        if key not in self._expected:
            self.problems["line that answers no open question"] += 1
        elif key not in self.answered:
            self._take(key, line)

    def _take(self, key: bytes, line: _Line) -> None:
        why = self._why_failed(line)
        if why:
            self._failed[key] = why
            return
        reply = read_reply(json.dumps(line.response.body if line.response else None))
        if not isinstance(reply, Reply):
            self._failed[key] = "unreadable answer" if reply is None else f"broken answer: {reply.message[:_SHOWN]}"
            return
        try:
            answer = answer_in(reply, self._question, *self._of)
        except AnswerError as error:
            self._cache.keep_broken(self._question, key.hex(), error)
            self._failed[key] = "refused or unusable answer"
            return
        made = replace(answer, key=key.hex(), request_id=f"{BATCHED}{line.id or answer.request_id}")
        self._cache.keep(self._question, made)
        self.answered.add(key)

    def _why_failed(self, line: _Line) -> str:
        """Empty for a response with an answer."""
        match line:
            case _Line(error=_Fault(code="batch_expired")):
                return "expired"
            case _Line(error=_Fault() as fault):
                return " ".join((fault.message or fault.code or "failed").split())[:_SHOWN]
            case _Line(response=_Response(status_code=200)):
                return ""
            case _Line(response=_Response(status_code=status)):
                return f"failed ({status})"
            case _:
                return "no line in the output"
