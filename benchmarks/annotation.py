"""Questions with images: against a bare client, their memory, a finished run resumed, and how fast images are made."""

import asyncio
import io
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from openai import DefaultAsyncHttpxClient
from PIL import Image as Pillow
from PIL import ImageDraw

from benchmarks.figure import Figure, in_turn
from benchmarks.language_model import ANSWER_MS, AT_ONCE, QUESTIONS, Answer
from benchmarks.memory import peak_mb
from odyssey_recorder.annotation.screenshots import ShownScreenshot
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ChatMessage, Image, LazyImage, ModelAnswer, ModelRequest, Usage, Words
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.prices import read_prices
from odyssey_recorder.model.geometry import Size

ALL = 127_893
_PIXEL_7_PRO = Size(1440, 3120)
_IMAGE = random.Random(1).randbytes(250_000)
_REPLY = json.dumps(
    {
        "id": "1", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": '{"instruction": "Tap it."}'}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
).encode()  # fmt: skip


def measure(folder: Path) -> list[Figure]:
    with _server() as url:
        ours, bare = in_turn([lambda: _ask_all(url), lambda: asyncio.run(_bare(url))], rounds=3)
    megabytes, seconds = json.loads(
        subprocess.check_output([sys.executable, "-m", "benchmarks.annotation", "lazy", str(folder)], text=True)
    )
    name = f"{QUESTIONS} questions with two images of 250 kB, {AT_ONCE} at once, {ANSWER_MS} ms each"
    return [
        Figure(name, ours, "ms", "a bare asyncio client", bare, "<= 1.3"),
        Figure(f"{ALL:,} questions with two images, estimated: peak memory", megabytes, "MB", goal="<= 400"),
        Figure(f"{ALL:,} cached answers found, no image made", seconds, "s", goal="<= 120"),
        Figure(
            "images prepared for a model in threads, for each second of a core", _prepared(folder), "/s", goal=">= 5"
        ),
    ]


def _image() -> Image:
    return Image(_IMAGE, "image/jpeg")


def _no_image() -> Image:
    raise RuntimeError("an image was made")


def _questions(count: int, load: object = _image) -> Iterator[ModelRequest]:
    for number in range(count):
        plain, marked = (LazyImage(f"{number} {which}", (945, 2048), load) for which in "ab")  # type: ignore[arg-type]
        user = ChatMessage("user", (Words(f"Step {number}"), plain, marked))
        yield ModelRequest("step/1", "0" * 64, (user,), "step", Answer)


def _ask_all(url: str) -> None:
    with closing(AnswerCache()) as cache:
        model = OpenAIModel("m", url, None)
        answers = Batch(model, cache, read_prices(), at_once=AT_ONCE).ask_all(list(_questions(QUESTIONS)))
    if not all(isinstance(answer, ModelAnswer) for answer in answers):
        raise RuntimeError(f"the server did not answer: {answers[0]}")


async def _bare(url: str) -> None:
    """The same bodies, made and sent by nothing but the library for HTTP."""
    slots = asyncio.Semaphore(AT_ONCE)
    model = OpenAIModel("m", url, None)
    async with DefaultAsyncHttpxClient(timeout=60) as client:

        async def ask(question: ModelRequest) -> None:
            async with slots:
                (await client.post(f"{url}/chat/completions", json=model.body(question))).raise_for_status()

        await asyncio.gather(*map(ask, _questions(QUESTIONS)))


def _lazy(folder: Path) -> tuple[float, float]:
    """Megabytes at the most, and the seconds in which the answers to all are found once they are cached."""
    model = OpenAIModel("m", "http://127.0.0.1:9/v1", None)
    with closing(AnswerCache(folder / "lazy.sqlite")) as cache:
        batch = Batch(model, cache, read_prices(), at_once=AT_ONCE)
        batch.estimate(_questions(ALL, _no_image))
        peak = peak_mb()
        for one in _questions(ALL, _no_image):
            key = question_key(one, model.name, model.host)
            said = '{"instruction": "Tap it."}'
            at = datetime.now(UTC)
            cache.keep(one, ModelAnswer(Answer(instruction=""), said, "m", "m", model.host, at, Usage(1, 1), key))
        started = time.perf_counter()
        found = batch.estimate(_questions(ALL, _no_image))
        if found.kept != ALL:
            raise RuntimeError(f"{found.calls} answers were not found")
        return peak, time.perf_counter() - started


def _prepared(folder: Path) -> float:
    views = [_view(folder, number) for number in range(24)]
    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        started = time.process_time()
        list(pool.map(ShownScreenshot.load, views))
    return len(views) / (time.process_time() - started)


def _view(folder: Path, number: int) -> ShownScreenshot:
    """A screen with text and a photo of noise."""
    image = Pillow.new("RGB", (_PIXEL_7_PRO.width, _PIXEL_7_PRO.height), "white")
    draw = ImageDraw.Draw(image)
    for line in range(60):
        draw.text((40, 50 * line), f"Screen {number}, line {line}: " + "words " * 20, fill="black")
    image.paste(Pillow.effect_noise((600, 600), 60).convert("RGB"), (400, 900))
    file = io.BytesIO()
    image.save(file, "PNG")
    path = folder / "screenshots" / f"{number}.png"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(file.getvalue())
    return ShownScreenshot(path, sha256(file.getvalue()).hexdigest(), _PIXEL_7_PRO, (), (100, 100, 400, 300))


# A server that reads each request and answers after 100 ms.


@contextmanager
def _server() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.annotation", "serve"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
            await asyncio.sleep(ANSWER_MS / 1000)
            length = str(len(_REPLY)).encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " + length)
            writer.write(b"\r\n\r\n" + _REPLY)
    except asyncio.IncompleteReadError:
        writer.close()


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(_serve())
    else:
        print(json.dumps(_lazy(Path(sys.argv[2]))))
