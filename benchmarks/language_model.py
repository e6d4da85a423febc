"""Cost of a thousand questions to a model relative to its server's time, and of a second run.

The server is the tests' stand-in, in its own process: it answers each question after 0.1 s.
"""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel

from benchmarks.figure import Figure, in_turn, timed
from odyssey_recorder.llm.answer_cache import AnswerCache
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ChatMessage, ModelAnswer, ModelRequest, Words
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.prices import read_prices
from tests.llm.stand_in import MODEL

QUESTIONS = 1000
AT_ONCE = 16
ANSWER_MS = 100
_ROUNDS = 5
_RULES = (
    "You put tasks for a phone into the words of a person who asks for them. Keep every thing, number, date and quoted "
    "text. Name the apps as they are given. Ask for nothing more and for nothing less. Answer in one sentence. "
) * 4


class Answer(BaseModel):
    instruction: str


def measure(folder: Path) -> list[Figure]:
    file = folder / "answers.sqlite"
    with _server() as url:
        asked = timed(lambda: _ask_all(url, file))
        again, reading = in_turn([lambda: _ask_all(url, file), lambda: _read(file)], rounds=_ROUNDS)
    ideal = ANSWER_MS * QUESTIONS / AT_ONCE
    name = f"{QUESTIONS} questions to a model, {AT_ONCE} at once, {ANSWER_MS} ms each"
    return [
        Figure(name, asked, "ms", "ideal", ideal, "<= 1.2"),
        Figure(f"{name}, again", again, "ms", "a hash and a row of the file for each", reading, "<= 3"),
    ]


def _ask_all(url: str, file: Path) -> None:
    with closing(AnswerCache(file)) as kept:
        answers = Batch(OpenAIModel(MODEL, url, None), kept, read_prices(), at_once=AT_ONCE).ask_all(_questions())
    if not all(isinstance(answer, ModelAnswer) for answer in answers):
        raise RuntimeError(f"the stand-in did not answer: {answers[0]}")


def _read(file: Path) -> None:
    """The least work to find the answers: hash the question, read its row, parse the JSON."""
    with closing(sqlite3.connect(file)) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM answers")]
        for key, question in zip(keys, _questions(), strict=True):
            said = [[part.text for part in message.parts if isinstance(part, Words)] for message in question.messages]
            sha256(json.dumps([said, question.schema]).encode()).hexdigest()
            (raw,) = database.execute("SELECT raw FROM answers WHERE key = ?", (key,)).fetchone()
            json.loads(raw)


def _questions() -> list[ModelRequest]:
    rules = ChatMessage("system", (Words(_RULES),))
    return [
        ModelRequest("rewrite/1", "0" * 64, (rules, ChatMessage("user", (Words(f"Task {number}"),))), "rewrite", Answer)
        for number in range(QUESTIONS)
    ]


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.llm.stand_in", "--port", "0", "--delay-ms", str(ANSWER_MS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
