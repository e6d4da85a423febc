"""Which servers of language models run on this computer, and what a model says to a question with a picture."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from time import monotonic

from PIL import Image as Drawing
from PIL import ImageDraw

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.keys import find_key
from odyssey_recorder.llm.model import LONGEST_ANSWER, ChatMessage, Image, ModelRequest, Words
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.schema import FreeText

PORTS = {"vLLM": 8000, "Ollama": 11434, "LM Studio": 1234}
"""Where these programs usually listen, on the loopback address."""
_LOOK_S = 1.0
_QUESTION = "What do you see in this picture? Answer in one short sentence."


@dataclass(frozen=True, slots=True)
class LocalServer:
    """`program` is what usually listens there."""

    program: str
    url: str
    models: tuple[str, ...]


def find_local_servers() -> Sequence[LocalServer]:
    """Those that list their models. Blocks for about a second at most; no key is sent."""
    return asyncio.run(_found())


async def _found() -> Sequence[LocalServer]:
    listed = await asyncio.gather(*(_listed(program, port) for program, port in PORTS.items()))
    return [server for server in listed if server.models]


async def _listed(program: str, port: int) -> LocalServer:
    url = f"http://127.0.0.1:{port}/v1"
    model, names = OpenAIModel("", url, None, read_s=_LOOK_S, whole_s=_LOOK_S), list[str]()
    with suppress(LanguageModelError):
        names = [offered.name for offered in await model.offered()]
    await model.close()
    return LocalServer(program, url, tuple(names))


def ask_about_picture(name: str, url: str) -> str:
    """What came back, for people. Blocks. Raises LanguageModelError, SettingsError."""
    return asyncio.run(_asked(OpenAIModel(name, url, find_key())))


async def _asked(model: OpenAIModel) -> str:
    message = ChatMessage("user", (Words(_QUESTION), Image(_picture())))
    question = ModelRequest("try/1", "", (message,), "try", FreeText, {LONGEST_ANSWER: 1_000}, is_judged=True)
    began_s = monotonic()
    try:
        answer = await model.ask(question)
    finally:
        await model.close()
    used = answer.usage.tokens_in + answer.usage.tokens_out
    said = " ".join(answer.raw.rpartition("</think>")[2].split()) or "nothing"
    problem = f" ({answer.failure})" if answer.failure else ""
    shown = "The picture showed a red circle on a blue square."
    return f"{answer.model_answered} said{problem}: “{said}” {shown} {monotonic() - began_s:.1f} s, {used:,} tokens."


def _picture() -> bytes:
    picture = Drawing.new("RGB", (256, 256), "white")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((40, 40, 215, 215), fill="blue")
    draw.ellipse((88, 88, 167, 167), fill="red")
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
