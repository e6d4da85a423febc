"""Serves a trained model with OpenAI's Chat Completions API: one process, one answer at a time."""

import base64
import binascii
import hmac
import io
import json
import re
import secrets
import time
from collections.abc import Callable, Sequence
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from PIL import Image, UnidentifiedImageError
from pydantic import Field, ValidationError

from odyssey_recorder.dataset.png import MOST_PIXELS
from odyssey_recorder.errors import TrainingError
from odyssey_recorder.llm.model import is_on_this_computer
from odyssey_recorder.training.samples import Content, Turn
from odyssey_recorder.validation import FrozenModel, first_fault

if TYPE_CHECKING:
    from odyssey_recorder.training.generating import Answer

Answerer: TypeAlias = "Callable[[Sequence[Turn], Sequence[Image.Image], int], Answer]"
"""Answers a prompt with its images, in at most so many tokens. Raises TrainingError."""
_MOST_OF_ALL = 2 * MOST_PIXELS
"""Pixels of all images of a request, which take 3 bytes each."""
_LARGEST = 100_000_000
_LONGEST = 10_000
_DATA = re.compile(r"data:image/(?:png|jpeg);base64,")
_CLIENT_S = 30
_UNREADABLE = (binascii.Error, UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError)


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
    """Call `serve_forever`. Screenshots must be in the request; nothing is fetched.

    Web pages are refused, also those that reach this computer under a name of their own. Where other computers can
    reach it, `token` is required as the API key; otherwise it is empty.
    """

    daemon_threads = True

    def __init__(self, name: str, answer: Answerer, host: str, port: int) -> None:
        """Raises OSError if the port is taken."""
        self.name = name
        self._answer = answer
        self._lock = Lock()
        super().__init__((host, port), _Handler)
        self.token = "" if ip_address(str(self.server_address[0])).is_loopback else secrets.token_urlsafe(24)

    def refusal(self, headers: Message) -> tuple[HTTPStatus, str] | None:
        """Why a request with these headers gets no answer."""
        host, origin = headers.get("Host", ""), headers.get("Origin")
        if not self.token and not is_on_this_computer(f"http://{host}"):
            return HTTPStatus.FORBIDDEN, "The Host of the request is not this computer."
        if origin is not None and urlsplit(origin).netloc != host:
            return HTTPStatus.FORBIDDEN, "Web pages may not ask this model."
        given = headers.get("Authorization", "").encode()
        if self.token and not hmac.compare_digest(given, f"Bearer {self.token}".encode()):
            return HTTPStatus.UNAUTHORIZED, "Give the token that serve has printed as the API key."
        return None

    def completion(self, body: bytes) -> dict[str, Any]:
        """Raises TrainingError for a request that cannot be answered."""
        try:
            request = _Request.model_validate_json(body)
        except ValidationError as error:
            raise TrainingError(str(first_fault(error))) from error
        if request.stream:
            raise TrainingError("stream: answers are not streamed.")
        parts = [part for message in request.messages for part in message.parts if part.type == "image_url"]
        turns = [Turn(role=message.role, content=tuple(map(_content, message.parts))) for message in request.messages]
        with self._lock:
            answer = self._answer(turns, _images(parts), request.most)
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


def _images(parts: Sequence[_Part]) -> list[Image.Image]:
    opened = [_opened(part) for part in parts]
    if sum(image.width * image.height for image in opened) > _MOST_OF_ALL:
        raise TrainingError(f"image_url: all images together have more than {_MOST_OF_ALL:,} pixels.")
    try:
        return [image.convert("RGB") for image in opened]
    except _UNREADABLE as error:
        raise TrainingError(f"image_url: the image cannot be read: {error}.") from error


def _opened(part: _Part) -> Image.Image:
    """Not decoded yet."""
    url = part.image_url.url if part.image_url else ""
    head = _DATA.match(url)
    if head is None:
        raise TrainingError("image_url: give a PNG or JPEG as a data URL in base64.")
    try:
        image = Image.open(io.BytesIO(base64.b64decode(url[head.end() :], validate=True)), formats=("PNG", "JPEG"))
    except _UNREADABLE as error:
        raise TrainingError(f"image_url: the image cannot be read: {error}.") from error
    if image.width * image.height > MOST_PIXELS:
        raise TrainingError("image_url: the image is larger than any screen.")
    return image


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    timeout = _CLIENT_S

    def do_GET(self) -> None:
        if refused := self.server.refusal(self.headers):
            self._refuse(*refused)
        elif self.path == "/v1/models":
            self._answer(HTTPStatus.OK, {"object": "list", "data": [{"id": self.server.name, "object": "model"}]})
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "There is only /v1/models and /v1/chat/completions.")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if refused := self.server.refusal(self.headers):
            self._refuse(*refused)
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A request needs the Content-Type application/json.")
        elif self.path != "/v1/chat/completions":
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
