"""A stand-in for OpenAI's Batch API and Files API: every line is answered by a behaviour, as in StandIn.

The test decides which lines fail and how a batch ends.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from tests.llm.stand_in import (
    Behaviour,
    RawReply,
    ReceivedRequest,
    Reply,
    Turn,
    completion,
    fault,
    json_reply,
    shortest,
)

Fate: TypeAlias = Literal["answered", "twice", "missing", "expired", "error", "garbage", "no JSON"]
_FORM = re.compile(rb'filename="([^"]+)".*?\r\n\r\n(.*?)\r\n--', re.DOTALL)


class BatchService:
    """Give its `answer` to a StandIn as `others`. `fate` is called with the number of a line, over all batches.

    Files of more than `largest` bytes are refused (413). A batch ends as `ends` after `polls` polls.
    `paid` counts the answers by question.
    """

    def __init__(self, behaviour: Behaviour = shortest, *, polls: int = 0) -> None:
        self.behaviour = behaviour
        self.fate: Callable[[int], Fate] = lambda _: "answered"
        self.largest = 1 << 30
        self.ends = "completed"
        self.polls = polls
        self.files: dict[str, tuple[str, bytes]] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.paid: Counter[str] = Counter()
        self.lines = 0
        self.sizes: list[int] = []
        self._made = 0

    def answer(self, request: ReceivedRequest) -> Turn | None:
        match request.method, urlsplit(request.path).path.strip("/").split("/")[1:]:
            case "POST", ["files"]:
                return self._upload(request)
            case "GET", ["files"]:
                return _listed(map(self._file, self.files))
            case "GET", ["files", name, "content"] if name in self.files:
                return RawReply(self.files[name][1].decode())
            case "DELETE", ["files", name] if name in self.files:
                del self.files[name]
                return json_reply({"id": name, "object": "file", "deleted": True})
            case "POST", ["batches"]:
                return self._create(request.body)
            case "GET", ["batches"]:
                return _listed(self.batches.values())
            case "GET", ["batches", name] if name in self.batches:
                return self._polled(self.batches[name])
            case _, ["files" | "batches", *_]:
                return fault(404, "No such thing.")
            case _:
                return None

    def _upload(self, request: ReceivedRequest) -> Turn:
        found = _FORM.search(request.upload)
        assert found is not None
        self.sizes.append(len(found[2]))
        if len(found[2]) > self.largest:
            return fault(413, "The file is too large.")
        return json_reply(self._file(self._store(found[1].decode(), found[2])))

    def _store(self, name: str, data: bytes) -> str:
        self._made += 1
        file_id = f"file-{self._made}"
        self.files[file_id] = name, data
        return file_id

    def _file(self, file_id: str) -> Mapping[str, Any]:
        name, data = self.files[file_id]
        return {
            "id": file_id, "object": "file", "bytes": len(data), "created_at": 0, "filename": name,
            "purpose": "batch", "status": "processed",
        }  # fmt: skip

    def _create(self, body: Mapping[str, Any]) -> Turn:
        if body["input_file_id"] not in self.files:
            return fault(400, "No such file.")
        self._made += 1
        batch = {
            "id": f"batch_{self._made}", "object": "batch", "created_at": 0, "status": "in_progress", "looks": 0,
            **body,
        }  # fmt: skip
        self.batches[batch["id"]] = batch
        return json_reply(batch)

    def _polled(self, batch: dict[str, Any]) -> Turn:
        batch["looks"] += 1
        if batch["status"] == "in_progress" and batch["looks"] > self.polls:
            batch["status"] = self.ends
            if self.ends == "failed":
                batch["errors"] = {"object": "list", "data": [{"message": "Enqueued token limit reached."}]}
            else:
                self._process(batch)
        return json_reply(batch)

    def _process(self, batch: dict[str, Any]) -> None:
        output: list[str] = []
        errors: list[str] = []
        _, data = self.files[batch["input_file_id"]]
        for line in map(json.loads, data.splitlines()):
            self.lines += 1
            self.answer_line(line, self.fate(self.lines - 1), output, errors)
        for kind, lines in (("output_file_id", output), ("error_file_id", errors)):
            Random(1).shuffle(lines)
            if lines:
                batch[kind] = self._store(f"{kind}.jsonl", "".join(f"{one}\n" for one in lines).encode())

    def answer_line(self, line: Mapping[str, Any], fate: Fate, output: list[str], errors: list[str]) -> None:
        def made(line_id: str, response: object, error: object = None) -> str:
            tree = {"id": line_id, "custom_id": key, "response": response, "error": error}
            return json.dumps(tree, ensure_ascii=False)

        key = line["custom_id"]
        self.paid[key] += fate in ("answered", "twice", "garbage")
        match fate:
            case "answered" | "twice" | "garbage":
                asked = ReceivedRequest("POST", line["url"], {}, line["body"])
                turn = self.behaviour(asked) if fate != "garbage" else Reply("<html>Sorry</html>")
                assert isinstance(turn, Reply)
                body = json.loads(completion(turn, asked))
                response = {"status_code": 200, "request_id": "req", "body": body}
                output += [made(f"batch_req_{key[:8]}", response)] * (2 if fate == "twice" else 1)
            case "expired":
                error = {"code": "batch_expired", "message": "This request could not be executed in time."}
                errors.append(made("batch_req_x", None, error))
            case "error":
                response = {"status_code": 500, "request_id": "req", "body": {"error": {"message": "Oops."}}}
                errors.append(made("x", response))
            case "no JSON":
                output.append('{"custom_id": "' + key)
            case "missing":
                pass


def _listed(data: Iterable[Any]) -> Turn:
    return json_reply({"object": "list", "data": [*data], "has_more": False})
