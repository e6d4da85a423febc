"""Serves a trained model with OpenAI's Chat Completions API: one process, one answer at a time."""

import base64
import binascii
import io
import json
import re
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from PIL import Image, UnidentifiedImageError
from pydantic import Field, ValidationError

from odyssey_recorder.dataset.png import MOST_PIXELS
from odyssey_recorder.errors import TrainingError
from odyssey_recorder.training.generating import answer_to, load_trained
from odyssey_recorder.training.samples import Content, Turn
from odyssey_recorder.validation import FrozenModel, first_fault

_LARGEST = 100_000_000
_LONGEST = 10_000
_DATA = re.compile(r"data:image/(?:png|jpeg);base64,")
_CLIENT_S = 30


class _Url(FrozenModel):
    url: str


class _Part(FrozenModel):
    type: Literal["text", "image_url"]
    text: str = ""
    image_url: _Url | None = None


class _Message(FrozenModel):
    role: Literal["system", "user", "assistant"]
    content: str | tuple[_Part, ...]

    @property
    def parts(self) -> tuple[_Part, ...]:
        return (_Part(type="text", text=self.content),) if isinstance(self.content, str) else self.content


class _Request(FrozenModel):
    messages: tuple[_Message, ...]
    stream: bool = False
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)

    @property
    def most(self) -> int:
        return min(limit for limit in (self.max_tokens, self.max_completion_tokens, _LONGEST) if limit is not None)


class ModelServer(ThreadingHTTPServer):
    """Call `serve_forever`. Screenshots must be in the request; nothing is fetched."""

    daemon_threads = True

    def __init__(self, folder: Path, host: str, port: int) -> None:
        """Raises TrainingError if the model cannot be loaded, OSError if the port is taken."""
        self.name = folder.name
        self._model, self._encoding = load_trained(folder)
        self._lock = Lock()
        super().__init__((host, port), _Handler)

    def completion(self, body: bytes) -> dict[str, Any]:
        """Raises TrainingError for a request that cannot be answered."""
        try:
            request = _Request.model_validate_json(body)
        except ValidationError as error:
            raise TrainingError(str(first_fault(error))) from error
        if request.stream:
            raise TrainingError("stream: answers are not streamed.")
        images = [_image(part) for message in request.messages for part in message.parts if part.type == "image_url"]
        if not images:
            raise TrainingError("messages: there is no screenshot.")
        turns = [Turn(role=message.role, content=tuple(map(_content, message.parts))) for message in request.messages]
        with self._lock:
            answer = answer_to(self._model, self._encoding, turns, images, request.most)
        reason = "length" if answer.is_cut else "stop"
        choice = {"index": 0, "message": {"role": "assistant", "content": answer.text}, "finish_reason": reason}
        usage = {"prompt_tokens": answer.tokens_in, "completion_tokens": answer.tokens_out}
        return {
            "id": f"answer-{time.time_ns()}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self.name,
            "choices": [choice],
            "usage": {**usage, "total_tokens": answer.tokens_in + answer.tokens_out},
        }


def _content(part: _Part) -> Content:
    return Content(type="text", text=part.text) if part.type == "text" else Content(type="image")


def _image(part: _Part) -> Image.Image:
    url = part.image_url.url if part.image_url else ""
    head = _DATA.match(url)
    if head is None:
        raise TrainingError("image_url: give a PNG or JPEG as a data URL in base64.")
    try:
        image = Image.open(io.BytesIO(base64.b64decode(url[head.end() :], validate=True)), formats=("PNG", "JPEG"))
        if image.width * image.height > MOST_PIXELS:
            raise TrainingError("image_url: the image is larger than any screen.")
        return image.convert("RGB")
    except (binascii.Error, UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError) as error:
        raise TrainingError(f"image_url: the image cannot be read: {error}.") from error


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    timeout = _CLIENT_S

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._answer(HTTPStatus.OK, {"object": "list", "data": [{"id": self.server.name, "object": "model"}]})
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "There is only /v1/models and /v1/chat/completions.")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path != "/v1/chat/completions":
            self._refuse(HTTPStatus.NOT_FOUND, "There is only /v1/models and /v1/chat/completions.")
        elif not (length.isascii() and length.isdecimal()) or int(length) > _LARGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "A request needs a Content-Length of at most 100 MB.")
        else:
            try:
                self._answer(HTTPStatus.OK, self.server.completion(self.rfile.read(int(length))))
            except TrainingError as error:
                self._refuse(HTTPStatus.BAD_REQUEST, str(error))

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._answer(status, {"error": {"message": message, "type": "invalid_request_error"}})

    def _answer(self, status: HTTPStatus, tree: dict[str, Any]) -> None:
        body = json.dumps(tree).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Requests hold screenshots and texts of people."""
