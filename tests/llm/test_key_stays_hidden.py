"""Searches everywhere for a planted API key after every possible failure."""

import logging
import pickle
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.answer_cache import AnswerCache
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.retry import RetryPolicy
from odyssey_recorder.logs import logging_to
from tests.llm.questions import model_at, priced, questions
from tests.llm.stand_in import (
    CutsOff,
    Fails,
    Says,
    Sends,
    StandIn,
    Turn,
    in_turn,
    no_quota,
    rate_limited,
    refuses,
    server_error,
    truncated,
)

KEY = "sk-planted-7c1f0d9be2"

TURNS: list[Turn] = [
    Says('{"text": "Other words."}'), Says("no JSON"), refuses(), truncated(), rate_limited(), no_quota(),
    server_error(), CutsOff(), Sends("<html>"), Fails(302, "", {"location": "http://127.0.0.1:9/"}),
    # A careless server, which returns what it was sent.
    *(Fails(status, {"message": f"What is 'Bearer {KEY}'?"}) for status in (400, 401, 403, 404, 413, 422, 500)),
]  # fmt: skip


def chain(error: BaseException | None) -> Iterator[BaseException]:
    if error is not None:
        yield error
        yield from chain(error.__cause__)
        yield from chain(error.__context__)


def told_by(error: BaseException) -> str:
    """Everything visible of an error: message, traceback, and chained errors."""
    parts = ["".join(traceback.format_exception(error))]
    for one in chain(error):
        parts += [str(one), repr(one), repr(one.args), repr(vars(one)), repr(pickle.dumps(one.args))]
    return "\n".join(parts)


@pytest.mark.parametrize("turn", TURNS)
def test_no_error_log_or_file_has_the_key(
    turn: Turn, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        logging_to(tmp_path / "log", "DEBUG"),
        StandIn(in_turn(turn, turn, turn, turn), key=KEY) as server,
        closing(AnswerCache(tmp_path / "answers.sqlite")) as kept,
    ):
        model = model_at(server, key=KEY)
        asks = Batch(model, kept, priced(), at_once=2, retry=RetryPolicy(tries=2, first_wait_s=0.001))
        told = [repr(asks.estimate(questions(2)))]
        told += [
            told_by(one) if isinstance(one, LanguageModelError) else repr(one) for one in asks.ask_all(questions(2))
        ]
        told += [repr(model), repr(vars(model)), repr(asks), kept.problem]
        logging.getLogger(__name__).info("The key is %s.", KEY)
        kept.close()
        assert server.questions[0].headers["authorization"] == f"Bearer {KEY}", "the key was used"
    assert KEY not in "\n".join(told)
    records = [record for record in caplog.records if record.name != __name__]
    assert KEY not in "\n".join(f"{record.getMessage()} {record.args!r} {record.exc_info}" for record in records)
    assert KEY not in "".join(capfd.readouterr())
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"log", "answers.sqlite"} <= {file.name for file in written}
    assert [file for file in written if KEY.encode() in file.read_bytes()] == []


def test_the_library_told_to_log_all_it_does_logs_no_key() -> None:
    program = """
import logging, sys
logging.basicConfig(level=logging.DEBUG)
from tests.llm.questions import *
from tests.llm.stand_in import *
with StandIn(in_turn(no_quota()), key=sys.argv[1]) as server:
    model = model_at(server, key=sys.argv[1])
    batch = batch_with(model, priced())
    print(batch.estimate(questions(1)), batch.ask_all(questions(1)))
"""
    environment = {"OPENAI_LOG": "debug", "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(
        [sys.executable, "-c", program, KEY], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert "DEBUG:openai" in done.stderr, "the library logs"
    assert "quota" in done.stdout
    assert KEY not in done.stdout + done.stderr


def test_a_key_that_cannot_be_sent_is_shown_by_no_error() -> None:
    with pytest.raises(LanguageModelError) as raised:
        OpenAIModel("any", "http://127.0.0.1:9/v1", SecretStr(f"{KEY}\nnext line"))
    assert KEY not in told_by(raised.value)
