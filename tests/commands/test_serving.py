"""What `serve` refuses, before the model sees anything."""

import base64
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from odyssey_recorder.training.serving import ModelServer

_ASKED = list[Sequence[Image.Image]]


@contextmanager
def serving(host: str) -> Iterator[tuple[ModelServer, _ASKED]]:
    asked: _ASKED = []

    def answer(prompt: object, images: Sequence[Image.Image], most: int) -> Any:
        asked.append(images)
        return SimpleNamespace(text="CLICK: (1, 1)", tokens_in=3, tokens_out=2, is_cut=False)

    with ModelServer("tiny", answer, host, 0) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server, asked
        finally:
            server.shutdown()
            thread.join()


def screenshot(width: int, height: int) -> str:
    file = io.BytesIO()
    Image.new("1", (width, height)).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def ask(server: ModelServer, images: Sequence[str] = (), **headers: str) -> tuple[int, str]:
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in images or [screenshot(4, 8)]]
    body = json.dumps({"messages": [{"role": "user", "content": parts}]})
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json", **named})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def test_web_pages_and_foreign_names_are_refused() -> None:
    with serving("127.0.0.1") as (server, asked):
        own = f"localhost:{server.server_port}"
        assert server.token == ""
        assert ask(server)[0] == ask(server, Host=own, Origin=f"http://{own}")[0] == 200
        for status, headers in (
            (403, {"Host": "evil.example"}),
            (403, {"Origin": "https://evil.example"}),
            (403, {"Origin": "null"}),
            (415, {"Content_Type": "text/plain"}),
        ):
            assert ask(server, **headers)[0] == status, headers
        assert len(asked) == 2


def test_other_computers_need_the_token() -> None:
    with serving("0.0.0.0") as (server, asked):
        assert len(server.token) >= 32
        assert ask(server)[0] == ask(server, Authorization="Bearer ÿ")[0] == 401
        assert asked == []
        assert ask(server, Authorization=f"Bearer {server.token}", Host="node7:8000")[0] == 200


def test_pixels_of_all_images_are_limited(tmp_path: Path) -> None:
    with serving("127.0.0.1") as (server, asked):
        status, text = ask(server, [screenshot(5_000, 5_000)] * 40)
        assert (status, "all images together" in text) == (400, True)
        assert asked == []
        assert ask(server, [screenshot(500, 500)] * 40)[0] == 200
        assert [image.size for image in asked[0]] == [(500, 500)] * 40


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a"])
def test_what_is_no_screenshot_is_refused(data: bytes) -> None:
    with serving("127.0.0.1") as (server, _):
        status, text = ask(server, [f"data:image/png;base64,{base64.b64encode(data).decode()}"])
        assert (status, "cannot be read" in text) == (400, True)
